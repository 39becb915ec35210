use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, rotation_vector};
use rigor_scene::{Body, PartKind, Role, State};
use rigor_shapes::{Icosphere, Torus};

use super::*;
use crate::testing::{
    ball, body, capsule, compound, cube, cuboid, dumbbell, judge, picture, placed, scene, sheet, value,
    value_of,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

/// Returns the depth found between `a` at the origin and `b` at `pose`.
fn between(a: Body, b: Body, pose: Pose) -> f64 {
    let scene = scene(vec![a, b]);
    let state = placed(&scene, &[Pose::identity(), pose]);
    value(&judge(&scene, &mut Penetration::default(), std::iter::once(state)), "penetration.deepest")
}

#[test]
fn bodies_that_touch_have_no_depth() {
    for y in [2.0, 2.0_f64.next_up(), 3.0] {
        assert_eq!(between(cube("a", Vec3::zeros()), cube("b", Vec3::zeros()), at(0.0, y, 0.0)), 0.0);
    }
}

#[test]
fn a_corner_a_face_and_an_edge_are_as_deep_as_they_are() {
    let small = || cuboid("small", Vec3::repeat(1.0), Vec3::zeros());
    let near = |found: f64, depth: f64| assert!((found - depth).abs() < 1e-14, "{found} {depth}");
    // The corners and the lower face are 0.2 below the top of the large box.
    near(between(cube("a", Vec3::zeros()), small(), at(0.1, 1.3, 0.2)), 0.2);
    // Equal boxes, one exactly above the other: no vertex or edge is inside, only the middle of a face.
    near(between(cube("a", Vec3::zeros()), cube("b", Vec3::zeros()), at(0.0, 1.8, 0.0)), 0.2);
    // A thin rod all the way through: its ends are outside, the middles of its edges 0.85 inside.
    let rod = cuboid("rod", Vec3::new(0.5, 6.0, 0.5), Vec3::zeros());
    near(between(cube("a", Vec3::zeros()), rod, at(0.1, 0.0, 0.0)), 0.85);
    // Two crossed edges, one 0.1 m too low: the piece of either edge inside the other is 0.1 m long on each
    // side, and its middle is 0.1/√2 below both faces.
    let eighth = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_4));
    let crosswise = rotation_vector::exp(&(Vec3::y() * std::f64::consts::FRAC_PI_2)) * eighth;
    let turned = |q: rigor_math::UnitQuaternion| {
        let cube = cube("a", Vec3::zeros());
        let mesh = cube.mesh.map_vertices(|v| q * v);
        cube.with_mesh(mesh)
    };
    let high = 2.0 * 2.0_f64.sqrt() - 0.1;
    near(between(turned(eighth), turned(crosswise), at(0.0, high, 0.0)), 0.1 / 2.0_f64.sqrt());
}

#[test]
fn the_depth_never_exceeds_that_of_the_smooth_body() {
    let ball = |name| body(name, Icosphere { radius: 1.0, subdivisions: 3 }.mesh().unwrap(), Vec3::zeros());
    for d in [0.3, 0.9, 1.5, 1.9] {
        // The point of one unit sphere nearest to the centre of the other is |1 − d| from it; facets reduce
        // the depth by up to 1 %.
        let depth = 1.0 - (1.0_f64 - d).abs();
        let found = between(ball("a"), ball("b"), at(0.6 * d, 0.0, 0.8 * d));
        assert!(found <= depth && found > depth - 0.02, "{d}: {found}");
    }
}

#[test]
fn a_body_swallowed_whole_is_as_deep_as_its_deepest_place() {
    let small = || cuboid("small", Vec3::repeat(0.5), Vec3::zeros());
    let depth = between(small(), cube("a", Vec3::zeros()), at(0.0, 0.0, 0.0));
    assert_eq!(depth, 0.75); // its corners and faces are 0.75 below the skin
}

#[test]
fn the_largest_depth_of_the_run_is_kept_for_each_body() {
    let mut scene =
        scene(vec![cube("floor", Vec3::zeros()), cube("a", Vec3::zeros()), cube("b", Vec3::zeros())]);
    scene.bodies[0].role = Role::Static;
    let frames =
        [2.0, 1.75, 1.9].map(|y| placed(&scene, &[at(0.0, 0.0, 0.0), at(0.0, y, 0.0), at(9.0, 0.0, 0.0)]));
    let mut penetration = Penetration::default();
    let found = judge(&scene, &mut penetration, frames.into_iter());
    assert_eq!(value(&found, "penetration.deepest"), 0.25);
    assert_eq!(value_of(&found, "penetration.deepest", 1), 0.25);
    assert_eq!(value_of(&found, "penetration.deepest", 2), 0.0);
    assert!(!found.iter().any(|f| f.body == Some(BodyId(0))));
    let depths: Vec<f64> = penetration.series()[0].points.iter().map(|point| point.1).collect();
    assert_eq!(depths.len(), 3);
    assert!(depths[0] == 0.0 && depths[1] == 0.25 && (depths[2] - 0.1).abs() < 1e-15);
}

/// Returns the depth series of a cube whose centre follows `path` over a static sheet with edges of 20 m.
fn over_a_sheet(path: &[Vec3]) -> Vec<f64> {
    let scene = scene(vec![sheet(10.0), cube("a", path[0])]);
    let frames = path.iter().map(|x| placed(&scene, &[Pose::identity(), Pose::translation(*x)]));
    let mut penetration = Penetration::default();
    judge(&scene, &mut penetration, frames.collect::<Vec<State>>().into_iter());
    penetration.series()[0].points.iter().map(|point| point.1).collect()
}

#[test]
fn a_sheet_is_penetrated_from_the_side_on_which_the_body_began() {
    let heights = |ys: &[f64]| ys.iter().map(|y| Vec3::new(0.3, *y, 0.1)).collect::<Vec<_>>();
    assert_eq!(over_a_sheet(&heights(&[3.0, 1.0, 0.75, 0.0, -1.0, -4.0])), [0.0, 0.0, 0.25, 1.0, 2.0, 5.0]);
    assert_eq!(over_a_sheet(&heights(&[-3.0, -1.0, -0.75, 1.0])), [0.0, 0.0, 0.25, 2.0]);
}

/// Builds one body of square sheets at `heights` (m), with edges of 2 `half` (m), all facing up.
fn shelves(heights: &[f64], half: f64) -> Body {
    let corners = [[-1., -1.], [-1., 1.], [1., 1.], [1., -1.]].map(|[x, z]| [x * half, z * half]);
    let vertices = heights.iter().flat_map(|y| corners.map(|[x, z]| Vec3::new(x, *y, z))).collect();
    let triangles =
        (0..heights.len() as u32).flat_map(|i| [[0, 1, 2], [0, 2, 3]].map(|t| t.map(|v| v + 4 * i)));
    body("shelves", Mesh::new(vertices, triangles.collect(), vec![]).unwrap(), Vec3::zeros())
}

/// Builds a body of points at these positions (m).
fn points(at: &[[f64; 3]]) -> Body {
    let vertices = at.iter().map(|x| Vec3::from(*x)).collect();
    body("points", Mesh::new(vertices, vec![], vec![]).unwrap(), Vec3::zeros())
}

/// Returns the largest depth found while `other` moves past `sheet`.
fn past(sheet: Body, other: Body, path: &[[f64; 3]]) -> f64 {
    let scene = scene(vec![sheet, other]);
    let frames = path.iter().map(|x| placed(&scene, &[Pose::identity(), at(x[0], x[1], x[2])]));
    let frames: Vec<State> = frames.collect();
    value(&judge(&scene, &mut Penetration::default(), frames.into_iter()), "penetration.deepest")
}

#[test]
fn what_reaches_around_the_border_of_a_sheet_is_not_behind_it() {
    // A comb of points above and below a shelf is pushed over its edge; its centre starts beyond one side.
    let comb = || points(&[[0.0, 0.5, 0.0], [0.0, -0.3, 0.0], [0.2, 0.4, 0.1], [0.2, -0.2, 0.1]]);
    let in_from_the_side = [[2.0, 0.1, 0.0], [1.1, 0.1, 0.0], [0.7, 0.1, 0.0], [0.3, 0.1, 0.0]];
    assert_eq!(past(shelves(&[0.0], 1.0), comb(), &in_from_the_side), 0.0);
    // The same on a shelf so large that at the end no border is near.
    let far = [[12.0, 0.1, 0.0], [9.9, 0.1, 0.0], [5.0, 0.1, 0.0], [0.0, 0.1, 0.0]];
    assert_eq!(past(shelves(&[0.0], 10.0), comb(), &far), 0.0);
    // A point that goes down beside a stack of shelves is above none of them, and between them above the
    // nearest.
    let down = [[3.0, 0.4, 0.0], [3.0, -0.4, 0.0], [0.2, -0.4, 0.0], [0.2, -0.6, 0.0], [0.2, -0.9, 0.0]];
    assert_eq!(past(shelves(&[0.0, -1.0], 2.0), points(&[[0.0; 3]]), &down), 0.0);
}

#[test]
fn points_that_fall_through_one_of_several_sheets_are_behind_it() {
    let fall = [[0.2, 0.4, 0.0], [0.2, 0.1, 0.0], [0.2, -0.25, 0.0]];
    assert_eq!(past(shelves(&[0.0, -1.0], 2.0), points(&[[0.0; 3]]), &fall), 0.25);
    let pair = points(&[[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]]);
    let deep = past(shelves(&[0.0, -1.0], 2.0), pair, &fall);
    assert!((deep - 0.35).abs() < 1e-15, "{deep}");
}

#[test]
fn a_body_that_falls_past_the_border_has_not_gone_through() {
    let path = [[0.0, 3.0], [9.0, 2.0], [12.0, 1.0], [12.0, -5.0], [5.0, -5.0], [5.0, -0.5]];
    let path: Vec<Vec3> = path.iter().map(|[x, y]| Vec3::new(*x, *y, 0.1)).collect();
    assert_eq!(over_a_sheet(&path), [0.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
}

/// A cube with edges of 2 m and a ball in its middle.
fn cored() -> Body {
    let parts = [PartKind::Box { half_extents: Vec3::repeat(1.0) }, PartKind::Ball { radius: 0.3 }];
    compound("a", &parts.map(|kind| (kind, Pose::identity())))
}

#[test]
fn round_parts_are_as_deep_as_their_centres_and_axes_and_their_radii() {
    let turn = rotation_vector::exp(&Vec3::new(0.3, 0.5, 0.2));
    let quarter = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    let eighth = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_4));
    let b = |x: f64, y: f64, z: f64| Pose::new(Vec3::new(x, y, z), turn);
    let (root, wall) = (f64::sqrt, || cube("a", Vec3::zeros()));
    let cases = [
        (sheet(5.0), ball("b", 0.5), b(0.3, 0.5 - 1e-6, 0.1), 1e-6),
        (wall(), ball("b", 0.5), b(1.4, 0.3, 0.1), 0.1),
        (wall(), ball("b", 0.5), b(0.9, 0.3, 0.1), 0.6),
        (wall(), ball("b", 0.5), b(1.3, 1.3, 0.1), 0.5 - 0.3 * root(2.0)),
        (wall(), ball("b", 0.5), b(1.2, 1.2, 1.2), 0.5 - 0.2 * root(3.0)),
        (wall(), ball("b", 0.25), b(0.1, 0.2, 0.3), 0.95),
        (ball("a", 0.25), ball("b", 0.5), b(0.3, 0.0, 0.4), 0.25),
        (ball("a", 0.25), ball("b", 0.5), b(0.0, 0.0, 0.0), 0.75),
        (capsule("a", 0.25, 1.0), ball("b", 0.5), b(0.7, 0.3, 0.0), 0.05),
        (capsule("a", 0.25, 1.0), capsule("b", 0.5, 1.0), Pose::new(Vec3::new(0.7, 0.3, 0.4), quarter), 0.05),
        // Its end, then all of its axis, then the middle of an axis with both ends outside.
        (wall(), capsule("b", 0.5, 1.0), at(0.2, 2.4, 0.1), 0.1),
        (wall(), capsule("b", 0.5, 1.0), at(0.2, 1.7, 0.1), 0.8),
        (wall(), capsule("b", 0.5, 0.5), Pose::new(Vec3::new(0.2, 0.75, 0.1), quarter), 0.75),
        (wall(), capsule("b", 0.25, 3.0), at(0.2, 0.3, 0.1), 1.05),
        // Along the bisector of an edge, 1 − 0.2/√2 from both of its faces at the middle.
        (wall(), capsule("b", 0.25, 3.0), Pose::new(Vec3::new(0.0, 0.1, -0.1), eighth), 1.15),
        (dumbbell("a"), ball("b", 0.5), b(-1.5, 0.0, 0.9), 0.1),
        (dumbbell("a"), ball("b", 0.5), b(0.2, 0.0, 0.6), 0.1),
        (dumbbell("a"), ball("b", 0.5), b(1.5, 0.0, 0.9), 0.1),
        // A ball in a cube that has a ball in it, too: only the skin of the cube counts.
        (cored(), ball("b", 0.25), b(0.1, 0.0, 0.0), 1.15),
        // The corners of a small cube in a large ball.
        (cuboid("a", Vec3::repeat(0.2), Vec3::zeros()), ball("b", 2.0), b(1.0, 0.0, 0.0), 1.1),
    ];
    let mut n_off = 0;
    for (k, (a, b, pose, depth)) in cases.into_iter().enumerate() {
        let found = between(a.clone(), b.clone(), pose);
        assert!((found - depth).abs() < 1e-13, "{k}: {found} {depth}");
        let turned = between(b.clone(), a.clone(), pose.inverse());
        let is_of_sheet = !a.mesh.is_closed();
        assert!(is_of_sheet || (turned - depth).abs() < 1e-13, "{k}: {turned} {depth}");
        n_off += u32::from((between(picture(&a), picture(&b), pose) - depth).abs() > 1e-3);
    }
    assert!(n_off > 12, "what shows them is not as deep in most cases");
}

#[test]
fn a_round_part_behind_a_sheet_is_as_deep_as_its_farthest_point() {
    let fall = |b: Body, heights: &[f64]| {
        let path: Vec<[f64; 3]> = heights.iter().map(|y| [0.3, *y, 0.1]).collect();
        past(sheet(10.0), b, &path)
    };
    let near = |found: f64, depth: f64| assert!((found - depth).abs() < 1e-14, "{found} {depth}");
    near(fall(ball("b", 0.5), &[3.0, 0.5, 0.3]), 0.2);
    near(fall(ball("b", 0.5), &[3.0, 0.5, -2.0]), 2.5);
    near(fall(capsule("b", 0.5, 1.0), &[3.0, 1.4, 1.2]), 0.3);
    near(fall(capsule("b", 0.5, 1.0), &[3.0, 1.4, -0.5]), 2.0);
    // A roof turned upside down: the middle of a level axis is below its valley, the ends are above its slopes.
    let corners = [
        [-9.0, 9.0, -9.0],
        [-9.0, 9.0, 9.0],
        [0.0, 0.0, -9.0],
        [0.0, 0.0, 9.0],
        [9.0, 9.0, -9.0],
        [9.0, 9.0, 9.0],
    ];
    let ridge = corners.map(|[x, y, z]| Vec3::new(x, -y, z)).to_vec();
    let faces = vec![[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]];
    let roof = body("roof", Mesh::new(ridge, faces, vec![]).unwrap(), Vec3::zeros());
    let along_x = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
    let lying = compound(
        "b",
        &[(PartKind::Capsule { radius: 0.1, half_length: 1.0 }, Pose::new(Vec3::zeros(), along_x))],
    );
    // The axis is 0.3 below the ridge: its middle is 0.3/√2 behind both slopes.
    near(
        past(roof, lying, &[[0.0, 3.0, 0.1], [0.0, 0.5, 0.1], [0.0, -0.3, 0.1]]),
        0.1 + 0.3 / 2.0_f64.sqrt(),
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Axes through a ring, compared with points all along them.
    #[test]
    fn the_deepest_point_of_an_axis_is_found_in_any_solid(
        from in [-1.3..1.3, -0.4..0.4, -1.3..1.3f64], to in [-1.3..1.3, -0.4..0.4, -1.3..1.3f64],
    ) {
        let (from, to) = (Vec3::from(from), Vec3::from(to));
        let half_length = 0.5 * (to - from).norm();
        prop_assume!(half_length > 1e-3);
        let ring = Torus { major_radius: 1.0, minor_radius: 0.3, segments: 9, sides: 5 }.mesh().unwrap();
        let turn = rigor_math::UnitQuaternion::rotation_between(&Vec3::y(), &(to - from)).unwrap_or_default();
        let scene = scene(vec![body("ring", ring, Vec3::zeros()), capsule("b", 0.05, half_length)]);
        let state = placed(&scene, &[Pose::identity(), Pose::new(0.5 * (from + to), turn)]);
        let surface_cache = crate::SurfaceCache::default();
        let surfaces = surface_cache.look(&scene, &state);
        let [ring, rod] = surfaces.bodies() else { unreachable!() };
        let n = 400;
        let depth = |k: u32| depth::depth_of(&from.lerp(&to, f64::from(k) / f64::from(n)), ring);
        let sampled = (0..=n).map(depth).fold(0.0, f64::max);
        let found = depth::between(rod, ring);
        prop_assume!(sampled > 1e-6);
        let step = half_length / f64::from(n);
        prop_assert!(found >= sampled + 0.05 - 1e-12, "{found} {sampled}");
        prop_assert!(found <= sampled + 0.05 + step + 1e-12, "{found} {sampled}");
    }
}

/// The body with some of its triangles repeated and some turned around.
fn badly_given(body: &Body, copies: &[(usize, bool)]) -> Body {
    let plain = body.mesh.triangles();
    let extra = copies.iter().map(|(k, is_turned)| {
        let [a, b, c] = plain[k % plain.len()];
        if *is_turned { [a, c, b] } else { [a, b, c] }
    });
    let all = plain.iter().copied().chain(extra).collect();
    let mesh = Mesh::new(body.mesh.vertices().to_vec(), all, vec![]).unwrap();
    body.clone().with_mesh(mesh)
}

/// As for `judge-sheet`: a sheet of repeated triangles, tilted, at rest above a floor that reaches past it on all sides.
#[test]
fn a_sheet_of_repeated_triangles_hangs_in_nothing_that_it_does_not_touch() {
    let tilted = Pose::new(Vec3::y() * 0.5, rotation_vector::exp(&Vec3::new(0.17, 0.35, 0.52)));
    let floor = || cuboid("floor", Vec3::new(2.0, 0.1, 2.0), Vec3::zeros());
    for copies in [vec![], vec![(0, false), (1, false), (0, false)], vec![(0, true), (1, true)]] {
        let card = Body { role: Role::Dynamic, ..badly_given(&sheet(0.1), &copies) };
        assert_eq!(between(floor(), card, tilted), 0.0, "{copies:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// What falls through a sheet is as deep however the sheet is given; what is beside a box is in no depth of it.
    #[test]
    fn depths_do_not_depend_on_how_faces_are_given(
        copies in proptest::collection::vec((0..100_usize, any::<bool>()), 0..20),
        x in -0.5..0.5_f64, z in -0.5..0.5_f64, y in 0.01..0.9_f64, away in 1.01..5.0_f64,
    ) {
        let ball = || cuboid("ball", Vec3::repeat(0.2), Vec3::zeros());
        let falls = |sheet: Body| {
            let scene = scene(vec![sheet, ball()]);
            let frames = [1.0, 0.3, -y].map(|y| placed(&scene, &[Pose::identity(), at(x, y, z)]));
            value(&judge(&scene, &mut Penetration::default(), frames.into_iter()), "penetration.deepest")
        };
        let plain = falls(sheet(2.0));
        prop_assert!(plain > y);
        prop_assert_eq!(falls(badly_given(&sheet(2.0), &copies)), plain);
        let block = badly_given(&cube("block", Vec3::zeros()), &copies);
        for beside in [at(1.1 * away, x, z), at(x, -1.1 * away, z), at(away + 0.1, away + 0.1, away + 0.1)] {
            prop_assert_eq!(between(block.clone(), ball(), beside), 0.0);
        }
    }
}
