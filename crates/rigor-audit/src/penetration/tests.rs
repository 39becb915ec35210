use rigor_geometry::shapes::Icosphere;
use rigor_math::{Pose, rotation_vector};
use rigor_scene::{Body, Role, State};

use super::*;
use crate::testing::{body, cube, cuboid, judge, placed, scene, sheet, value, value_of};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

/// The depth found between `a` at the origin and `b` at `pose`.
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
    // Corners and the lower face 0.2 below the top of the large box.
    near(between(cube("a", Vec3::zeros()), small(), at(0.1, 1.3, 0.2)), 0.2);
    // Equal boxes, one exactly over the other: no vertex and no edge is inside, but the middle of a face.
    near(between(cube("a", Vec3::zeros()), cube("b", Vec3::zeros()), at(0.0, 1.8, 0.0)), 0.2);
    // A thin rod right through: its ends are outside, the middle of its edges is inside by what its corner lacks.
    let rod = cuboid("rod", Vec3::new(0.5, 6.0, 0.5), Vec3::zeros());
    near(between(cube("a", Vec3::zeros()), rod, at(0.1, 0.0, 0.0)), 0.85);
    // Two edges crosswise, one 0.1 m lower than it should be: the piece of either edge inside the other is 0.1 m long on
    // each side, and its middle is 0.1/√2 under both faces.
    let eighth = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_4));
    let crosswise = rotation_vector::exp(&(Vec3::y() * std::f64::consts::FRAC_PI_2)) * eighth;
    let turned = |q: rigor_math::UnitQuaternion| {
        let cube = cube("a", Vec3::zeros());
        Body { mesh: std::sync::Arc::new(cube.mesh.map_vertices(|v| q * v)), ..cube }
    };
    let high = 2.0 * 2.0_f64.sqrt() - 0.1;
    near(between(turned(eighth), turned(crosswise), at(0.0, high, 0.0)), 0.1 / 2.0_f64.sqrt());
}

#[test]
fn the_depth_never_exceeds_that_of_the_smooth_body() {
    let ball = |name| body(name, Icosphere { radius: 1.0, subdivisions: 3 }.mesh().unwrap(), Vec3::zeros());
    for d in [0.3, 0.9, 1.5, 1.9] {
        // The point of one unit sphere nearest to the centre of the other is |1 − d| from it; facets take off up to 1 %.
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

/// The depth series of a cube whose centre visits `path` over a static sheet with edges of 20 m.
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

#[test]
fn a_body_that_falls_past_the_border_has_not_gone_through() {
    let path = [[0.0, 3.0], [9.0, 2.0], [12.0, 1.0], [12.0, -5.0], [5.0, -5.0], [5.0, -0.5]];
    let path: Vec<Vec3> = path.iter().map(|[x, y]| Vec3::new(*x, *y, 0.1)).collect();
    assert_eq!(over_a_sheet(&path), [0.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
}
