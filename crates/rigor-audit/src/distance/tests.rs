use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::State;
use rigor_shapes::Icosphere;

use super::*;
use crate::meeting::{Meeting, meeting};
use crate::surface_cache::SurfaceCache;
use crate::testing::{
    ball, body, capsule, cube, cuboid, dumbbell, judge, picture, placed, scene, sheet, value, value_of,
};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

/// Returns the distance between two bodies, the second at `pose`.
fn between(a: rigor_scene::Body, b: rigor_scene::Body, pose: Pose) -> f64 {
    let scene = scene(vec![a, b]);
    let state = placed(&scene, &[Pose::identity(), pose]);
    value(&judge(&scene, &mut Distance::default(), std::iter::once(state)), "distance.smallest")
}

#[test]
fn faces_edges_and_corners_are_as_far_as_they_look() {
    let boxes = || (cube("a", Vec3::zeros()), cuboid("b", Vec3::repeat(1.0), Vec3::zeros()));
    let cases = [(at(0.3, 1.75, 0.1), 0.25), (at(1.75, 1.75, 0.1), 0.25 * 2.0_f64.sqrt())];
    for (pose, d) in cases {
        let (a, b) = boxes();
        assert!((between(a, b, pose) - d).abs() < 1e-15);
    }
    let (a, b) = boxes();
    assert!((between(a, b, at(1.75, 1.75, 1.75)) - 0.25 * 3.0_f64.sqrt()).abs() < 1e-15);
    // A box that stands on an edge above, and across, an edge of the other: only the edges are near.
    let eighth = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_4));
    let (a, b) = boxes();
    let crosswise = rotation_vector::exp(&(Vec3::y() * std::f64::consts::FRAC_PI_2)) * eighth;
    let [of_a, of_b] = [a.mesh.map_vertices(|v| eighth * v), b.mesh.map_vertices(|v| crosswise * v)];
    let d = between(a.with_mesh(of_a), b.with_mesh(of_b), at(0.1, 2.5, 0.1));
    assert!((d - (2.5 - 1.5 * 2.0_f64.sqrt())).abs() < 1e-14, "{d}");
}

#[test]
fn wires_and_points_have_distances() {
    let wire =
        |axis: Vec3| body("wire", Mesh::new(vec![-axis, axis], vec![], vec![[0, 1]]).unwrap(), Vec3::zeros());
    let point = || body("point", Mesh::new(vec![Vec3::zeros()], vec![], vec![]).unwrap(), Vec3::zeros());
    assert_eq!(between(wire(Vec3::x()), wire(Vec3::z()), at(0.5, 0.25, 0.5)), 0.25);
    assert_eq!(between(point(), point(), at(3.0, 0.0, 4.0)), 5.0);
    assert_eq!(between(wire(Vec3::x()), point(), at(0.5, 0.0, 2.0)), 2.0);
    assert_eq!(between(point(), cube("a", Vec3::zeros()), at(0.5, 3.0, 0.2)), 2.0);
}

#[test]
fn bodies_that_touch_or_intersect_are_at_distance_zero() {
    let boxes = || (cube("a", Vec3::zeros()), cuboid("b", Vec3::repeat(1.0), Vec3::zeros()));
    for y in [1.5, 1.2, 0.1] {
        let (a, b) = boxes();
        assert_eq!(between(a, b, at(0.1, y, 0.2)), 0.0);
    }
}

#[test]
fn every_body_has_its_own_smallest_distance_over_the_run() {
    let scene = scene((0..4).map(|i| cube(&i.to_string(), Vec3::x() * f64::from(i) * 10.0)).collect());
    // Body 1 passes body 0 at 0.5 m and later body 2 at 0.25 m; body 3 stays alone.
    let frames = [10.0, 2.5, 12.0, 17.75, 15.0].map(|x| {
        let mut state = State::initial(&scene);
        state.bodies[1].pose = at(x, 0.0, 0.0);
        state
    });
    let mut distance = Distance::default();
    let found = judge(&scene, &mut distance, frames.into_iter());
    assert_eq!(value(&found, "distance.smallest"), 0.25);
    let own = [0, 1, 2, 3].map(|i| value_of(&found, "distance.smallest", i));
    assert_eq!(own, [0.5, 0.25, 0.25, 8.0]);
    let least: Vec<f64> = distance.series()[0].points.iter().map(|point| point.1).collect();
    assert_eq!(least, [8.0, 0.5, 6.0, 0.25, 3.0]);
}

#[test]
fn round_parts_are_as_far_as_their_centres_and_axes_less_their_radii() {
    let turn = rotation_vector::exp(&Vec3::new(0.3, 0.5, 0.2));
    let quarter = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    let b = |x: f64, y: f64, z: f64| Pose::new(Vec3::new(x, y, z), turn);
    let root = f64::sqrt;
    let wall = || cube("a", Vec3::zeros());
    let cases = [
        (sheet(5.0), ball("b", 0.5), b(0.3, 0.5 + 1e-6, 0.1), 1e-6),
        (wall(), ball("b", 0.5), b(1.75, 0.3, 0.1), 0.25),
        (wall(), ball("b", 0.5), b(1.75, 1.75, 0.1), 0.75 * root(2.0) - 0.5),
        (wall(), ball("b", 0.5), b(1.75, 1.75, 1.75), 0.75 * root(3.0) - 0.5),
        (ball("a", 0.25), ball("b", 0.5), b(3.0, 0.0, 4.0), 4.25),
        (capsule("a", 0.25, 1.0), ball("b", 0.5), b(1.0, 0.3, 0.0), 0.25),
        (capsule("a", 0.25, 1.0), ball("b", 0.5), b(3.0, 5.0, 0.0), 4.25),
        (capsule("a", 0.25, 1.0), capsule("b", 0.5, 1.0), Pose::new(Vec3::new(1.0, 0.3, 0.4), quarter), 0.25),
        (wall(), capsule("b", 0.5, 1.0), Pose::new(Vec3::new(0.2, 1.75, 0.4), quarter), 0.25),
        (dumbbell("a"), ball("b", 0.5), b(-1.5, 0.0, 1.25), 0.25),
        (dumbbell("a"), ball("b", 0.5), b(0.2, 0.0, 0.75), 0.05),
        (dumbbell("a"), ball("b", 0.5), b(1.5, 0.0, 1.25), 0.25),
    ];
    let mut n_off = 0;
    for (k, (a, b, pose, d)) in cases.into_iter().enumerate() {
        let found = between(a.clone(), b.clone(), pose);
        assert!((found - d).abs() < 1e-14, "{k}: {found} {d}");
        let turned = between(b.clone(), a.clone(), pose.inverse());
        assert!((turned - d).abs() < 1e-14, "{k}: {turned} {d}");
        n_off += u32::from(between(picture(&a), picture(&b), pose) > d + 1e-3);
    }
    assert!(n_off > 7, "what shows them is farther off in most cases");
}

#[test]
fn round_parts_that_overlap_are_at_distance_zero() {
    for x in [0.749, 0.4, 0.0] {
        assert_eq!(between(ball("a", 0.25), ball("b", 0.5), at(x, 0.0, 0.0)), 0.0);
    }
    assert_eq!(between(cube("a", Vec3::zeros()), ball("b", 0.25), at(0.1, 0.2, 0.3)), 0.0, "inside");
    let scene = scene(vec![ball("a", 0.25), ball("b", 0.5)]);
    let surface_cache = SurfaceCache::default();
    let surfaces = surface_cache.look(&scene, &State::initial(&scene));
    assert_eq!(gap::smaller_than(1.0, &surfaces.bodies()[0], &surfaces.bodies()[1]), Some(0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Balls of about 80 triangles, compared with brute force over all pairs of primitives, in both orders.
    #[test]
    fn trees_miss_nothing_nearer(
        shift in [-4.0..4.0, -4.0..4.0, -4.0..4.0f64],
        turn in [-2.0..2.0, -2.0..2.0, -2.0..2.0f64],
    ) {
        let ball = |name| body(name, Icosphere { radius: 1.0, subdivisions: 1 }.mesh().unwrap(), Vec3::zeros());
        let scene = scene(vec![ball("a"), ball("b")]);
        let pose = Pose::new(Vec3::from(shift), rotation_vector::exp(&Vec3::from(turn)));
        let surface_cache = SurfaceCache::default();
        let state = placed(&scene, &[Pose::identity(), pose]);
        let surfaces = surface_cache.look(&scene, &state);
        let [a, b] = surfaces.bodies() else { unreachable!() };
        prop_assume!(meeting(a, b) == Meeting::Apart);
        let mut brute = f64::INFINITY;
        for (points, surface) in [(a, b), (b, a)] {
            for p in points.vertices() {
                for t in 0..surface.mesh().triangles().len() as u32 {
                    brute = brute.min(surface.primitive(t).distance_sq(&p));
                }
            }
        }
        for i in 0..a.mesh().edges().len() as u32 {
            for j in 0..b.mesh().edges().len() as u32 {
                let ([a0, a1], [b0, b1]) = (a.edge(i), b.edge(j));
                brute = brute.min(rigor_geometry::distance::edge_edge::distance_sq(&a0, &a1, &b0, &b1));
            }
        }
        let brute = brute.sqrt();
        prop_assert_eq!(gap::smaller_than(f64::INFINITY, a, b), Some(brute));
        prop_assert_eq!(gap::smaller_than(brute, a, b), None);
        prop_assert_eq!(gap::smaller_than(brute.next_up(), b, a), Some(brute));
        prop_assert!(gap::of_boxes(a.bounds(), b.bounds()) <= brute);
    }
}
