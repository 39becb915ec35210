use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::{Body, BodyId, PathPiece, Role, Scene, State, Travel, Turn};
use rigor_shapes::Icosphere;

use super::{Certificate, Certifier, Flaw};
use crate::gap;
use crate::surface_cache::SurfaceCache;
use crate::testing::{ball, body, capsule, cube, cuboid, dumbbell, picture, placed, scene, sheet};

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
        let poses = travels.map(|travel| {
            let rotation = match travel.turn {
                Turn::About(turn) => rotation_vector::exp(&(turn * t)) * travel.from.rotation,
                Turn::Straight { theta, by } => rotation_vector::exp(&(theta + by * t)),
            };
            Pose::new(travel.from.position + travel.by * t, rotation)
        });
        let surfaces = surface_cache.look(scene, &placed(scene, &poses));
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
