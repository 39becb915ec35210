use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Mat3, Pose, Vec3, polar, rotation_vector};
use rigor_scene::{Body, BodyId, PathPiece, Role, Scene, State, Travel, Turn};
use rigor_shapes::Icosphere;

use super::{Certificate, Certifier, Flaw};
use crate::gap;
use crate::surface_cache::SurfaceCache;
use crate::testing::{ball, body, capsule, cube, cuboid, dumbbell, picture, scene, sheet};

/// Moves body `b` from `from` by `by` and turns it about an axis by `turn`.
fn travel(b: usize, from: Pose, by: Vec3, turn: Vec3) -> Travel {
    let to = Pose::new(from.position + by, rotation_vector::exp(&turn) * from.rotation);
    Travel { body: BodyId(b), from, by, turn: Turn::About(turn), to }
}

fn slide(b: usize, from: Vec3, by: Vec3) -> Travel {
    travel(b, Pose::translation(from), by, Vec3::zeros())
}

/// Certifies one step of these pieces from the initial state to the state that they lead to.
fn certify(scene: &Scene, pieces: &[Vec<Travel>]) -> Result<Certificate, Flaw> {
    let mut state = State::initial(scene);
    let mut certifier = Certifier::new(scene, &state)?;
    for travels in pieces {
        certifier.piece(1, &PathPiece { travels: travels.clone() })?;
        for travel in travels {
            state.bodies[travel.body.0].pose = travel.to;
        }
    }
    certifier.frame(&State { step: 1, ..state })?;
    Ok(certifier.certificate())
}

fn touches(result: &Result<Certificate, Flaw>) -> bool {
    matches!(result, Err(Flaw::Touches { .. }))
}

/// Two cubes with edges of 2 m and a gap of `gap` (m) along x between their faces.
fn two_cubes(gap: f64) -> Scene {
    scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * (2.0 + gap))])
}

#[test]
fn the_distance_of_a_passage_is_proven() {
    let scene = two_cubes(1e-3);
    let b = scene.bodies[1].initial.pose.position;
    // Past each other, face along face, and a little closer at the end.
    let by = Vec3::new(-4e-4, 1.5, 0.3);
    let found = certify(&scene, &[vec![slide(1, b, by)]]).unwrap();
    assert_eq!((found.steps, found.pieces), (1, 1));
    assert!(found.nearest <= 6e-4 && found.nearest > 0.9 * 6e-4, "{found:?}");
}

#[test]
fn bodies_that_fly_together_cost_one_plane() {
    let scene = two_cubes(1e-6);
    let b = scene.bodies[1].initial.pose.position;
    let by = Vec3::new(300.0, -500.0, 20.0);
    let start = certify(&scene, &[]).unwrap().planes;
    let found = certify(&scene, &[vec![slide(0, Vec3::zeros(), by), slide(1, b, by)]]).unwrap();
    assert_eq!(found.planes, start + 1);
    assert!(found.nearest > 0.9e-6, "{found:?}");
}

#[test]
fn going_through_a_sheet_is_seen_though_both_ends_are_free() {
    let scene = scene(vec![sheet(5.0), cube("cube", Vec3::y() * 3.0)]);
    assert!(touches(&certify(&scene, &[vec![slide(1, Vec3::y() * 3.0, Vec3::y() * -6.0)]])));
    let above = slide(1, Vec3::y() * 3.0, Vec3::y() * -1.999);
    assert!(certify(&scene, &[vec![above]]).unwrap().nearest > 0.9e-3);
}

#[test]
fn a_turn_that_sweeps_through_is_seen_though_both_ends_are_free() {
    let rod = cuboid("rod", Vec3::new(4.0, 0.2, 0.2), Vec3::zeros());
    let scene = scene(vec![rod, cuboid("post", Vec3::new(0.2, 2.0, 0.2), Vec3::new(0.0, 0.0, -1.5))]);
    let turn = |angle: f64| travel(0, Pose::identity(), Vec3::zeros(), Vec3::y() * angle);
    for angle in [std::f64::consts::PI, -3.0, 9.0] {
        assert!(touches(&certify(&scene, &[vec![turn(angle)]])), "{angle}");
    }
    // The tip comes within 0.1 of the post on either side: tan φ ≈ (0.1 + 0.1)/1.5.
    assert!(certify(&scene, &[vec![turn(1.35)]]).is_ok());
    assert!(certify(&scene, &[vec![turn(-1.35)]]).is_ok());
}

#[test]
fn a_straight_way_in_rotation_vectors_is_another_way() {
    // From a quarter turn about y to one about z: halfway, the tip of the rod points between the two ends.
    let rod = cuboid("rod", Vec3::new(4.0, 0.2, 0.2), Vec3::zeros());
    let (first, last) = (Vec3::y() * std::f64::consts::FRAC_PI_2, Vec3::z() * std::f64::consts::FRAC_PI_2);
    let from = Pose::from_rotation_vector(Vec3::zeros(), &first);
    let to = Pose::from_rotation_vector(Vec3::zeros(), &last);
    let straight = Travel {
        body: BodyId(0),
        from,
        by: Vec3::zeros(),
        turn: Turn::Straight { theta: first, by: last - first },
        to,
    };
    let about =
        travel(0, from, Vec3::zeros(), rotation_vector::log(&(to.rotation * from.rotation.inverse())));
    let tip = |t: f64| {
        Pose::from_rotation_vector(Vec3::zeros(), &(first + (last - first) * t)).point(&(Vec3::x() * 1.8))
    };
    let at = |tip: Vec3| {
        let mut scene = scene(vec![rod.clone(), cuboid("post", Vec3::repeat(0.1), tip)]);
        scene.bodies[0].initial.pose = from;
        scene
    };
    let in_the_way = at(tip(0.5));
    assert!(touches(&certify(&in_the_way, &[vec![straight]])));
    assert!(certify(&in_the_way, &[vec![about]]).is_ok());
}

#[test]
fn a_corrupted_path_is_caught() {
    let scene = two_cubes(0.5);
    let b = scene.bodies[1].initial.pose.position;
    let first = slide(1, b, Vec3::new(-0.2, 0.1, 0.0));
    let second = travel(1, first.to, Vec3::new(0.3, 0.2, 0.1), Vec3::new(0.0, 0.02, 0.01));
    let third = travel(1, second.to, Vec3::new(0.1, 0.0, 0.3), Vec3::new(0.2, 0.1, 0.0));
    let good = [first, second, third];
    let certify_all =
        |travels: &[Travel]| certify(&scene, &travels.iter().map(|t| vec![*t]).collect::<Vec<_>>());
    assert!(certify_all(&good).is_ok());
    let with = |change: &dyn Fn(&mut Travel)| {
        let mut path = good;
        change(&mut path[1]);
        certify_all(&path).unwrap_err()
    };
    let is_malformed = |flaw: Flaw| matches!(flaw, Flaw::Malformed { body: BodyId(1), .. });

    assert!(matches!(certify_all(&[first, third]).unwrap_err(), Flaw::Broken { body: BodyId(1), .. }));
    assert!(matches!(with(&|t| t.from.position.x = t.from.position.x.next_up()), Flaw::Broken { .. }));
    assert!(is_malformed(with(&|t| t.by *= 1.5)));
    assert!(is_malformed(with(&|t| t.turn = Turn::About(Vec3::new(0.0, -0.02, 0.01)))));
    assert!(is_malformed(with(&|t| t.to.position.x -= 0.6)));
    assert!(is_malformed(with(&|t| t.by.y = f64::NAN)));
    assert!(is_malformed(with(&|t| t.turn = Turn::About(Vec3::new(0.0, f64::INFINITY, 0.0)))));
    assert!(is_malformed(with(&|t| t.from.rotation.as_mut_unchecked().coords.x = f64::NAN)));
    assert!(is_malformed(with(&|t| t.to.rotation.as_mut_unchecked().coords *= 1.1)));
    assert!(matches!(with(&|t| t.body = BodyId(0)), Flaw::Broken { body: BodyId(0), .. }));
    assert!(matches!(with(&|t| t.body = BodyId(7)), Flaw::Malformed { body: BodyId(7), .. }));
    // A displacement and an end that agree, but lead into the other body.
    assert!(touches(&certify_all(&[slide(1, b, Vec3::x() * -0.6)])));
    // A body listed twice in a piece, and a saved state that the path does not lead to.
    let twice = certify(&scene, &[vec![first, first]]).unwrap_err();
    assert!(is_malformed(twice));
    let mut certifier = Certifier::new(&scene, &State::initial(&scene)).unwrap();
    certifier.piece(1, &PathPiece { travels: vec![first] }).unwrap();
    let astray = certifier.frame(&State { step: 1, ..State::initial(&scene) }).unwrap_err();
    assert!(matches!(astray, Flaw::Astray { body: BodyId(1), .. }));
    assert!(astray.describe(&scene).contains("\"b\""));
}

#[test]
fn bodies_must_be_apart_at_the_start() {
    let start = |scene: &Scene| Certifier::new(scene, &State::initial(scene)).map(|c| c.certificate());
    assert!(matches!(start(&two_cubes(0.0)), Err(Flaw::Start { .. })));
    assert!(matches!(start(&two_cubes(-0.1)), Err(Flaw::Start { .. })));
    let nested = scene(vec![cube("a", Vec3::zeros()), cuboid("b", Vec3::repeat(0.5), Vec3::zeros())]);
    assert!(matches!(start(&nested), Err(Flaw::Start { .. })));
    // A gap no larger than rounding errors is not proven.
    assert!(matches!(start(&two_cubes(4.0 * f64::EPSILON)), Err(Flaw::Unproven { .. })));
    assert!(start(&two_cubes(1e-9)).unwrap().nearest > 0.9e-9);
}

#[test]
fn bodies_that_may_not_collide_may_go_through_each_other() {
    let mut scene = two_cubes(0.5);
    let b = scene.bodies[1].initial.pose.position;
    let through = [vec![slide(1, b, Vec3::x() * -6.0)]];
    assert!(touches(&certify(&scene, &through)));
    scene.contact_free.insert((BodyId(0), BodyId(1)));
    assert!(certify(&scene, &through).is_ok());
}

#[test]
fn wires_and_points_are_bodies_too() {
    let wire = |along: Vec3| Mesh::new(vec![-along, along], vec![], vec![[0, 1]]).unwrap();
    let dust = Mesh::new(vec![Vec3::x() * 0.5, Vec3::x() * -0.5], vec![], vec![]).unwrap();
    for (mesh, offset) in [(wire(Vec3::x()), 0.0), (dust, 0.5)] {
        let scene =
            scene(vec![body("wire", wire(Vec3::z()), Vec3::x() * offset), body("b", mesh, Vec3::y())]);
        let down = |by: f64| certify(&scene, &[vec![slide(1, Vec3::y(), Vec3::y() * -by)]]);
        assert!(down(2.0).is_err());
        assert!(down(0.999).unwrap().nearest > 0.9e-3);
    }
}

#[test]
fn a_contact_at_one_moment_is_no_proof() {
    // A corner comes down exactly to the sheet and leaves it.
    let point = Mesh::new(vec![Vec3::y() * -1.0, Vec3::y()], vec![], vec![]).unwrap();
    let scene = scene(vec![sheet(5.0), body("points", point, Vec3::new(0.2, 2.0, 0.3))]);
    let down = slide(1, Vec3::new(0.2, 2.0, 0.3), -Vec3::y());
    assert!(certify(&scene, &[vec![down]]).is_err());
}

#[test]
fn fine_meshes_are_certified_by_their_trees() {
    let ball = |name, x| {
        let mesh = Icosphere { radius: 1.0, subdivisions: 3 }.mesh().unwrap();
        body(name, mesh, Vec3::x() * x)
    };
    let scene = scene(vec![ball("a", 0.0), ball("b", 2.01)]);
    let a = scene.bodies[0].initial.pose;
    let rolled = travel(0, a, Vec3::zeros(), Vec3::new(0.3, 1.0, 2.0));
    let found = certify(&scene, &[vec![rolled]]).unwrap();
    assert!(found.nearest > 5e-3 && found.nearest <= 0.0101, "{found:?}");
    assert!(certify(&scene, &[vec![travel(0, a, Vec3::x() * 0.05, Vec3::y())]]).is_err());
}

/// Starts `b` at `pose` beside `a`, moves it, and returns the certificate of the bodies and that of what shows them.
fn beside(a: Body, b: Body, pose: Pose, by: Vec3, turn: Vec3) -> [Result<Certificate, Flaw>; 2] {
    let certificate = |a: Body, b: Body| {
        let mut scene = scene(vec![a, b]);
        scene.bodies[1].initial.pose = pose;
        certify(&scene, &[vec![travel(1, pose, by, turn)]])
    };
    [certificate(a.clone(), b.clone()), certificate(picture(&a), picture(&b))]
}

#[test]
fn round_parts_are_certified_as_what_they_are() {
    let quarter = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    let turn = rotation_vector::exp(&Vec3::new(0.3, 0.5, 0.2));
    let b = |x: Vec3| Pose::new(x, turn);
    let at = |x: f64, y: f64, z: f64| b(Vec3::new(x, y, z));
    let (along, away) = (Vec3::new(0.0, 0.0, 0.7), |n: [f64; 3]| Vec3::from(n).normalize());
    let (edge, corner) = (away([1.0, 1.0, 0.0]), away([1.0, 1.0, 1.0]));
    let wall = || cube("a", Vec3::zeros());
    let about_itself = rotation_vector::exp(&(Vec3::y() * 0.5));
    let crossed = Pose::new(Vec3::new(0.5, 0.3, 0.4), quarter * about_itself);
    // Where the second touches the first, the direction away from it, and a way along it.
    let cases = [
        (sheet(5.0), ball("b", 0.5), at(0.0, 0.5, 0.0), Vec3::y(), along),
        (wall(), ball("b", 0.5), at(1.5, 0.0, 0.0), Vec3::x(), along),
        (wall(), ball("b", 0.5), b(Vec3::new(1.0, 1.0, 0.0) + edge * 0.5), edge, along),
        (wall(), ball("b", 0.5), b(Vec3::repeat(1.0) + corner * 0.5), corner, along),
        (ball("a", 0.3), ball("b", 0.5), at(0.8, 0.0, 0.0), Vec3::x(), along),
        (capsule("a", 0.3, 1.0), ball("b", 0.5), at(0.8, 0.0, 0.0), Vec3::x(), Vec3::y() * 0.7),
        (capsule("a", 0.3, 1.0), capsule("b", 0.2, 1.0), crossed, Vec3::x(), along),
        (dumbbell("a"), ball("b", 0.5), at(-1.5, 1.0, 0.0), Vec3::y(), along),
        (dumbbell("a"), ball("b", 0.5), at(0.0, 0.7, 0.0), Vec3::y(), along),
    ];
    for (k, (a, b, touching, away, along)) in cases.into_iter().enumerate() {
        let by = |gap: f64| Pose::new(touching.position + away * gap, touching.rotation);
        let [found, _] = beside(a.clone(), b.clone(), by(1e-4), along, Vec3::zeros());
        let nearest = found.unwrap_or_else(|flaw| panic!("{k}: {flaw:?}")).nearest;
        assert!(nearest <= 1e-4 && nearest > 0.89e-4, "{k}: {nearest}");
        // Towards each other until they overlap by 1e-4.
        let [found, shown] = beside(a, b, by(1e-3), away * -1.1e-3, Vec3::zeros());
        assert!(touches(&found), "{k}: {found:?}");
        assert!(shown.is_ok(), "{k}: what shows them is clear");
    }
}

#[test]
fn a_ball_that_rolls_costs_as_little_as_one_that_slides() {
    let start = Pose::translation(Vec3::y() * (0.5 + 1e-6));
    let rolls = |turn: Vec3| {
        let [found, _] = beside(sheet(50.0), ball("b", 0.5), start, Vec3::x() * 20.0, turn);
        found.unwrap()
    };
    let (slid, rolled) = (rolls(Vec3::zeros()), rolls(Vec3::z() * -40.0));
    assert!(rolled.nearest > 0.89e-6 && rolled.nearest <= 1e-6, "{rolled:?}");
    assert_eq!((rolled.planes, rolled.nearest), (slid.planes, slid.nearest));
    assert!(slid.planes <= 3, "{slid:?}");
}

#[test]
fn round_parts_must_be_apart_at_the_start() {
    for x in [0.75, 0.75 - 1e-9, 0.3, 0.0] {
        let [found, _] = beside(
            ball("a", 0.25),
            ball("b", 0.5),
            Pose::translation(Vec3::x() * x),
            Vec3::zeros(),
            Vec3::zeros(),
        );
        assert!(matches!(found, Err(Flaw::Start { .. })), "{x}: {found:?}");
    }
    // A gap no larger than rounding errors is not proven.
    let hair = Pose::translation(Vec3::x() * (0.75 + 4.0 * f64::EPSILON));
    assert!(beside(ball("a", 0.25), ball("b", 0.5), hair, Vec3::zeros(), Vec3::zeros())[0].is_err());
    let [inside, _] =
        beside(cube("a", Vec3::zeros()), ball("b", 0.5), Pose::identity(), Vec3::zeros(), Vec3::zeros());
    assert!(matches!(inside, Err(Flaw::Start { .. })));
}

#[test]
fn a_round_part_that_goes_through_is_seen_though_both_ends_are_free() {
    let start = Pose::translation(Vec3::new(0.2, 3.0, 0.1));
    for other in [sheet(5.0), ball("a", 0.2), capsule("a", 0.2, 1.0), dumbbell("a")] {
        let [found, _] = beside(other, capsule("b", 0.3, 0.5), start, Vec3::y() * -6.0, Vec3::z());
        assert!(touches(&found), "{found:?}");
    }
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// A slender box next to a block, both moving.
fn encounter() -> impl Strategy<Value = (Scene, [Travel; 2])> {
    let way = || (vector(1.0), vector(2.0));
    (vector(2.0), vector(3.0), vector(3.0), way(), way()).prop_map(|(p, r, s, (by, turn), (by_b, turn_b))| {
        let bodies =
            vec![cuboid("a", Vec3::new(0.2, 1.0, 0.4), Vec3::zeros()), cuboid("b", Vec3::repeat(0.6), p)];
        let mut scene = scene(bodies);
        scene.bodies[0].initial.pose = Pose::from_rotation_vector(Vec3::zeros(), &r);
        scene.bodies[1].initial.pose = Pose::from_rotation_vector(p, &s);
        let from = [0, 1].map(|b| scene.bodies[b].initial.pose);
        let straight = Turn::Straight { theta: s, by: turn_b };
        let to = Pose::from_rotation_vector(p + by_b, &(s + turn_b));
        let b = Travel { body: BodyId(1), from: from[1], by: by_b, turn: straight, to };
        (scene, [travel(0, from[0], by, turn), b])
    })
}

/// Returns the smallest distance (m) over equally spaced times; 0 if the bodies meet.
fn sampled(scene: &Scene, travels: &[Travel; 2]) -> f64 {
    let surface_cache = SurfaceCache::default();
    let at = |k: u32| {
        let t = f64::from(k) / 200.0;
        let mut state = State::initial(scene);
        state.strains = vec![Mat3::zeros(); 2];
        for (b, travel) in travels.iter().enumerate() {
            let rotation = match travel.turn {
                Turn::About(turn) => rotation_vector::exp(&(turn * t)) * travel.from.rotation,
                Turn::Straight { theta, by } => rotation_vector::exp(&(theta + by * t)),
                Turn::Affine { from, by } => {
                    let (rotation, strain) = polar::decompose(&(from + by * t)).unwrap();
                    state.strains[b] = strain;
                    rotation
                }
            };
            state.bodies[b].pose = Pose::new(travel.from.position + travel.by * t, rotation);
        }
        let surfaces = surface_cache.look(scene, &state);
        let [a, b] = [0, 1].map(|b| &surfaces.bodies()[b]);
        if crate::meeting::meeting(a, b) == crate::meeting::Meeting::Apart {
            gap::smaller_than(10.0, a, b).unwrap_or(10.0)
        } else {
            0.0
        }
    };
    (0..=200).map(at).fold(f64::INFINITY, f64::min)
}

/// The same encounter between a dumbbell and a capsule.
fn of_rounds((mut scene, travels): (Scene, [Travel; 2])) -> (Scene, [Travel; 2]) {
    let rounds = [dumbbell("a"), capsule("b", 0.2, 0.3)];
    for (body, round) in scene.bodies.iter_mut().zip(rounds) {
        *body = Body { initial: body.initial, group: body.group, ..round };
    }
    (scene, travels)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Points move at most 1.8 m + 3.5 rad · (2.2 m + 0.5 m) relative to each other, so at most 0.03 m from the nearest sample.
    #[test]
    fn round_parts_that_are_certified_are_free_and_what_is_free_is_certified(of in encounter()) {
        let (scene, travels) = of_rounds(of);
        let least = sampled(&scene, &travels);
        match certify(&scene, &[travels.to_vec()]) {
            Ok(found) => prop_assert!(found.nearest <= least + 1e-12, "{found:?} but {least}"),
            Err(flaw) => prop_assert!(least < 0.03, "{flaw:?} but {least}"),
        }
    }

    /// Points move at most 1.8 m + 2 · 3.5 rad · 0.6 m relative to each other during the piece, so at most
    /// 0.03 m between any time and the nearest sample.
    #[test]
    fn what_is_certified_is_free_and_what_is_free_is_certified((scene, travels) in encounter()) {
        let least = sampled(&scene, &travels);
        match certify(&scene, &[travels.to_vec()]) {
            Ok(found) => prop_assert!(found.nearest <= least + 1e-12, "{found:?} but {least}"),
            Err(flaw) => prop_assert!(least < 0.03, "{flaw:?} but {least}"),
        }
    }
}

#[test]
fn kinematic_bodies_count_and_static_ones_stand() {
    let gate = Body { role: Role::Static, ..cube("gate", Vec3::x() * 2.5) };
    let scene = scene(vec![cube("a", Vec3::zeros()), gate]);
    let found = certify(&scene, &[vec![slide(0, Vec3::zeros(), Vec3::x() * 0.499)]]).unwrap();
    assert!(found.nearest > 0.9e-3 && found.nearest <= 1e-3 + 1e-12);
    assert!(touches(&certify(&scene, &[vec![slide(0, Vec3::zeros(), Vec3::x() * 0.501)]])));
}

/// R (1 + E) for the rotation vector θ (rad).
fn matrix(theta: Vec3, strain: Mat3) -> Mat3 {
    rotation_vector::exp(&theta).to_rotation_matrix().into_inner() * (Mat3::identity() + strain)
}

fn strain(xx: f64, xy: f64) -> Mat3 {
    Mat3::new(xx, xy, 0.0, xy, -0.5 * xx, 0.0, 0.0, 0.0, 0.25 * xy)
}

/// Moves the affine body `b` straight from the matrix and position of `from` to those of `to`.
fn affine(b: usize, [from, to]: [Mat3; 2], [p, q]: [Vec3; 2]) -> Travel {
    let pose = |x: Vec3| Pose::translation(x);
    Travel {
        body: BodyId(b),
        from: pose(p),
        by: q - p,
        turn: Turn::Affine { from, by: to - from },
        to: pose(q),
    }
}

/// Sets the pose and the strain of body `b` to those of the matrix.
fn put(state: &mut State, b: usize, matrix: &Mat3, position: Vec3) {
    let (rotation, strain) = polar::decompose(matrix).unwrap();
    state.bodies[b].pose = Pose::new(position, rotation);
    state.strains.resize(state.bodies.len(), Mat3::zeros());
    state.strains[b] = strain;
}

/// As [`certify`], of affine bodies.
fn certify_affine(scene: &Scene, start: &State, pieces: &[Vec<Travel>]) -> Result<Certificate, Flaw> {
    let mut state = start.clone();
    let mut certifier = Certifier::new(scene, &state)?;
    for travels in pieces {
        certifier.piece(1, &PathPiece { travels: travels.clone() })?;
        for travel in travels {
            let Turn::Affine { from, by } = travel.turn else { panic!("an affine travel") };
            put(&mut state, travel.body.0, &(from + by), travel.to.position);
        }
    }
    certifier.frame(&State { step: 1, ..state })?;
    Ok(certifier.certificate())
}

#[test]
fn a_straight_affine_path_that_misses_is_certified_and_one_that_hits_is_not() {
    let scene = two_cubes(0.5);
    let (start, x) = (State::initial(&scene), Vec3::x() * 2.5);
    // The corner at (−1, ±1, ±1) of b gets to x = 2.5 − 1.4 = 1.1, halfway of the way to twice that strain.
    let one = Mat3::identity();
    let wide = |e: f64| one + Mat3::from_diagonal(&Vec3::new(e, 0.0, 0.0));
    let there_and_back =
        |e: f64| [vec![affine(1, [one, wide(e)], [x, x])], vec![affine(1, [wide(e), one], [x, x])]];
    let certificate = certify_affine(&scene, &start, &there_and_back(0.499)).unwrap();
    assert!(certificate.nearest > 0.9e-3 && certificate.nearest <= 1e-3, "{certificate:?}");
    assert!(touches(&certify_affine(&scene, &start, &there_and_back(0.501))));
    // Both ends are free, and the poses of both as well, but not the way between: turned by a half, straight through a point.
    let turned = matrix(Vec3::z() * 3.0, strain(1e-3, 2e-3));
    let past = |x: f64| {
        let [from, to] = [Vec3::new(x, -3.0, 0.0), Vec3::new(x, 3.0, 0.0)];
        let mut scene = two_cubes(0.5);
        scene.bodies[1].initial.pose = Pose::translation(from);
        certify_affine(&scene, &State::initial(&scene), &[vec![affine(1, [one, turned], [from, to])]])
    };
    assert!(touches(&past(1.0)));
    assert!(past(2.5).is_ok());
}

#[test]
fn a_tampered_strain_is_noticed() {
    let scene = two_cubes(0.5);
    let x = Vec3::x() * 2.5;
    let one = Mat3::identity();
    let [first, second] =
        [matrix(Vec3::new(0.1, 0.2, 0.0), strain(1e-3, 2e-3)), matrix(Vec3::z() * 0.2, strain(-2e-3, 1e-4))];
    let mut start = State::initial(&scene);
    put(&mut start, 1, &first, x);
    let good = [affine(1, [first, second], [x, x + Vec3::y()]), affine(1, [second, one], [x + Vec3::y(), x])];
    let path = |travels: [Travel; 2]| travels.map(|travel| vec![travel]);
    assert!(certify_affine(&scene, &start, &path(good)).is_ok());
    let with = |k: usize, change: &dyn Fn(&mut Travel)| {
        let mut travels = good;
        change(&mut travels[k]);
        certify_affine(&scene, &start, &path(travels)).unwrap_err()
    };
    let is_broken = |flaw: Flaw| matches!(flaw, Flaw::Broken { body: BodyId(1), .. });
    let is_malformed = |flaw: Flaw| matches!(flaw, Flaw::Malformed { body: BodyId(1), .. });
    let change = |t: &mut Travel, from: f64, by: f64| {
        let Turn::Affine { from: a, by: d } = &mut t.turn else { panic!("an affine travel") };
        a[(0, 1)] += from;
        d[(0, 1)] += by;
    };
    for k in 0..2 {
        assert!(is_broken(with(k, &|t| change(t, 1e-9, 0.0))), "{k}");
        assert!(is_broken(with(k, &|t| t.from.position.z += 1e-9)), "{k}");
        assert!(is_malformed(with(k, &|t| t.by.z += 1e-9)), "{k}");
        assert!(is_malformed(with(k, &|t| t.by.z = f64::NAN)), "{k}");
        assert!(is_malformed(with(k, &|t| t.to.position.z = f64::INFINITY)), "{k}");
        assert!(is_malformed(with(k, &|t| change(t, 0.0, f64::NAN))), "{k}");
        assert!(is_malformed(with(k, &|t| change(t, f64::INFINITY, 0.0))), "{k}");
    }
    // The end of the first is not the start of the second; that of the second is not the state.
    assert!(is_broken(with(0, &|t| change(t, 0.0, 1e-9))));
    // A rigid travel of a body that was strained, which says not how it lost its strain.
    assert!(is_broken(with(1, &|t| t.turn = Turn::About(Vec3::zeros()))));

    // States before and after.
    let certifier = || {
        let mut certifier = Certifier::new(&scene, &start).unwrap();
        certifier.piece(1, &PathPiece { travels: vec![good[0]] }).unwrap();
        certifier
    };
    let mut end = State { step: 1, ..start.clone() };
    put(&mut end, 1, &second, x + Vec3::y());
    assert!(certifier().frame(&end).is_ok());
    let is_astray = |change: &dyn Fn(&mut State)| {
        let mut state = end.clone();
        change(&mut state);
        matches!(certifier().frame(&state), Err(Flaw::Astray { .. }))
    };
    assert!(is_astray(&|s| s.strains[1][(2, 2)] += 1e-9));
    // It is not symmetric.
    assert!(is_astray(&|s| s.strains[1][(0, 1)] += 1e-15));
    assert!(is_astray(&|s| s.strains[1][(2, 2)] = f64::NAN));
    assert!(is_astray(&|s| s.strains[0][(2, 2)] = 1e-9));
    assert!(is_astray(&|s| s.strains.clear()));
    assert!(is_astray(&|s| s.strains.truncate(1)));
    assert!(is_astray(&|s| s.bodies[1].pose.position.x = s.bodies[1].pose.position.x.next_up()));
    // A rigid body that no piece moves stays so to the bit.
    let rigid = State::initial(&scene);
    let mut strained = State { step: 1, strains: vec![Mat3::zeros(); 2], ..rigid.clone() };
    assert!(Certifier::new(&scene, &rigid).unwrap().frame(&strained).is_ok());
    strained.strains[0][(2, 2)] = 1e-300;
    assert!(matches!(Certifier::new(&scene, &rigid).unwrap().frame(&strained), Err(Flaw::Astray { .. })));
    let mut other = start.clone();
    other.strains[1][(1, 1)] += 1e-9;
    assert!(is_broken(certify_affine(&scene, &other, &path(good)).unwrap_err()));
    other.strains[1][(1, 1)] = f64::NAN;
    assert!(matches!(Certifier::new(&scene, &other), Err(Flaw::Malformed { body: BodyId(1), .. })));
    other.strains.truncate(1);
    assert!(matches!(Certifier::new(&scene, &other), Err(Flaw::Malformed { body: BodyId(1), .. })));
}

#[test]
fn bodies_at_the_start_are_where_their_strains_place_them() {
    let wide = Mat3::from_diagonal(&Vec3::new(0.1, 0.0, 0.0));
    let start = |gap: f64, strains: [f64; 2]| {
        let scene = two_cubes(gap);
        let strains = strains.map(|e| wide * e).to_vec();
        let state = State { strains, ..State::initial(&scene) };
        Certifier::new(&scene, &state).map(|c| c.certificate().nearest)
    };
    assert!(start(-0.1, [0.0, 0.0]).is_err());
    let nearest = start(-0.1, [-0.5, -0.501]).unwrap();
    assert!(nearest > 0.9e-4 && nearest <= 1.001e-4, "{nearest}");
    assert!(start(0.1, [0.0, 0.0]).is_ok());
    assert!(matches!(start(0.1, [0.5, 0.501]), Err(Flaw::Start { .. })));
}

#[test]
fn jumps_between_affine_pieces_belong_to_the_path() {
    // At the end b is 8·10⁻¹³ m from a, and a jump there of up to 2 · 10⁻¹³ (√3 + 2 + 2) m is allowed.
    let scene = two_cubes(1e-6);
    let (from, to) = (Vec3::x() * (2.0 + 1e-6), Vec3::x() * (2.0 + 8e-13));
    assert!(certify(&scene, &[vec![slide(1, from, to - from)]]).is_ok());
    let one = [Mat3::identity(); 2];
    let certificate = certify_affine(&scene, &State::initial(&scene), &[vec![affine(1, one, [from, to])]]);
    assert!(matches!(certificate, Err(Flaw::Unproven { .. })), "{certificate:?}");
    let to = Vec3::x() * (2.0 + 2e-12);
    let certificate = certify_affine(&scene, &State::initial(&scene), &[vec![affine(1, one, [from, to])]]);
    assert!(certificate.is_ok(), "{certificate:?}");
}

#[test]
fn the_ball_of_a_strained_body_keeps_its_radius() {
    // The centre of b comes down to 0.5 + 1e-3, and its ball to 1e-3, though its frame shrinks to nothing.
    let mut scene = scene(vec![sheet(5.0), ball("b", 0.5)]);
    let from = Vec3::y() * 2.0;
    scene.bodies[1].initial.pose = Pose::translation(from);
    let down = |y: f64| {
        let shrink = [Mat3::identity(), Mat3::identity() * 0.01];
        certify_affine(&scene, &State::initial(&scene), &[vec![affine(1, shrink, [from, Vec3::y() * y])]])
    };
    let nearest = down(0.501).unwrap().nearest;
    assert!(nearest > 0.9e-3 && nearest <= 1e-3 + 1e-15, "{nearest}");
    assert!(touches(&down(0.499)));
}

/// The encounter with the matrices of the rotations at both ends and a strain, straight from one to the other.
fn of_affine((mut scene, travels): (Scene, [Travel; 2]), e: [[f64; 6]; 4]) -> (Scene, State, [Travel; 2]) {
    for (b, travel) in travels.iter().enumerate() {
        scene.bodies[b].initial.pose = travel.from;
    }
    let mut start = State::initial(&scene);
    let matrix = |pose: &Pose, [xx, xy, xz, yy, yz, zz]: [f64; 6]| {
        pose.rotation_matrix() * (Mat3::identity() + Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
    };
    let travels = [0, 1].map(|b| {
        let travel = &travels[b];
        // Half a radian, so that the matrix between is not far from a rotation.
        let to = travel.from.interpolate(&travel.to, 0.25);
        let ends = [matrix(&travel.from, e[b]), matrix(&to, e[2 + b])];
        put(&mut start, b, &ends[0], travel.from.position);
        affine(b, ends, [travel.from.position, travel.to.position])
    });
    (scene, start, travels)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Points move at most 1.8 m + 2 · 0.9 rad · 1.4 · 0.6 m relative to each other, and less than twice that for rounds.
    #[test]
    fn affine_paths_that_are_certified_are_free_and_what_is_free_is_certified(
        of in encounter(), e in prop::array::uniform4(prop::array::uniform6(-0.1..0.1f64)), is_round in any::<bool>(),
    ) {
        let of = if is_round { of_rounds(of) } else { of };
        let (scene, start, travels) = of_affine(of, e);
        let least = sampled(&scene, &travels);
        match certify_affine(&scene, &start, &[travels.to_vec()]) {
            Ok(found) => prop_assert!(found.nearest <= least + 1e-12, "{found:?} but {least}"),
            Err(flaw) => prop_assert!(least < 0.03, "{flaw:?} but {least}"),
        }
    }
}
