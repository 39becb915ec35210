use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::Body;
use rigor_shapes::Icosphere;

use super::*;
use crate::meeting::meeting;
use crate::surface_cache::SurfaceCache;
use crate::testing::{
    ball, body, capsule, cube, cuboid, dumbbell, judge, picture, placed, scene, sheet, value, value_of,
};

/// Returns how `a` at the origin and `b` at `pose` meet.
fn meet(a: Body, b: Body, pose: Pose) -> Meeting {
    let scene = scene(vec![a, b]);
    let state = placed(&scene, &[Pose::identity(), pose]);
    let surface_cache = SurfaceCache::default();
    let surfaces = surface_cache.look(&scene, &state);
    meeting(&surfaces.bodies()[0], &surfaces.bodies()[1])
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(Vec3::new(x, y, z))
}

#[test]
fn boxes_cross_touch_or_part_as_their_gap_says() {
    let small = || cuboid("small", Vec3::repeat(1.0), Vec3::zeros());
    let one_ulp = 1.5_f64.next_up();
    assert_eq!(meet(cube("a", Vec3::zeros()), small(), at(0.1, one_ulp, 0.2)), Meeting::Apart);
    assert_eq!(meet(cube("a", Vec3::zeros()), small(), at(0.1, 1.5, 0.2)), Meeting::Touching);
    // The corners of the small box are at 1.5 − 2 ulp − 0.5, which is exact, below the face at 1.
    let below = 1.5_f64.next_down().next_down();
    assert_eq!(meet(cube("a", Vec3::zeros()), small(), at(0.1, below, 0.2)), Meeting::Crossing);
    assert_eq!(meet(cube("a", Vec3::zeros()), small(), at(0.1, 1.2, 0.2)), Meeting::Crossing);
}

#[test]
fn a_box_wholly_inside_another_is_an_intersection() {
    let small = || cuboid("small", Vec3::repeat(1.0), Vec3::zeros());
    assert_eq!(meet(cube("a", Vec3::zeros()), small(), at(0.1, 0.2, 0.0)), Meeting::Inside);
    assert_eq!(meet(small(), cube("a", Vec3::zeros()), at(0.1, 0.2, 0.0)), Meeting::Inside);
    assert!(Meeting::Inside.is_intersection());
}

#[test]
fn equal_boxes_pushed_along_an_axis_overlap_though_their_triangles_only_touch() {
    let boxes = || (cube("a", Vec3::zeros()), cube("b", Vec3::zeros()));
    for depth in [1.0, 1e-3, 1e-10] {
        let (a, b) = boxes();
        assert_eq!(meet(a, b, at(0.0, 2.0 - depth, 0.0)), Meeting::Inside, "{depth}");
    }
    let (a, b) = boxes();
    assert_eq!(meet(a, b, at(0.0, 2.0, 0.0)), Meeting::Touching);
}

#[test]
fn wires_and_points_meet_triangles_exactly() {
    let wire = || {
        let mesh = Mesh::new(vec![-Vec3::y(), Vec3::y()], vec![], vec![[0, 1]]).unwrap();
        body("wire", mesh, Vec3::zeros())
    };
    let point = || body("point", Mesh::new(vec![Vec3::zeros()], vec![], vec![]).unwrap(), Vec3::zeros());
    assert_eq!(meet(sheet(1.0), wire(), at(0.2, 0.5, 0.1)), Meeting::Crossing);
    assert_eq!(meet(sheet(1.0), wire(), at(0.2, 1.0, 0.1)), Meeting::Touching);
    assert_eq!(meet(sheet(1.0), wire(), at(0.2, 1.0_f64.next_up(), 0.1)), Meeting::Apart);
    assert_eq!(meet(sheet(1.0), point(), at(0.2, 0.0, 0.1)), Meeting::Touching);
    assert_eq!(meet(sheet(1.0), point(), at(0.2, 5e-324, 0.1)), Meeting::Apart);
    assert_eq!(meet(point(), point(), at(0.0, 0.0, 0.0)), Meeting::Touching);
    assert_eq!(meet(wire(), wire(), at(0.0, 2.0, 0.0)), Meeting::Touching);
    assert_eq!(meet(wire(), point(), at(0.0, -0.25, 0.0)), Meeting::Touching);
    // A point inside a solid counts as inside, although it meets no triangle.
    assert_eq!(meet(point(), cube("a", Vec3::zeros()), at(0.5, 0.0, 0.0)), Meeting::Inside);
}

#[test]
fn frames_and_pairs_are_counted_and_the_first_is_named() {
    let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * 5.0), cube("c", Vec3::x() * 9.0)]);
    let place = |x: f64| placed(&scene, &[at(0.0, 0.0, 0.0), at(x, 0.1, 0.2), at(9.0, 0.0, 0.0)]);
    let frames = [5.0, 2.5, 1.5, 3.0, 7.5, 8.0];
    let found = judge(&scene, &mut Intersection::default(), frames.into_iter().map(place));
    assert_eq!(value(&found, "intersection.observed"), 6.0);
    assert_eq!(value(&found, "intersection.frames"), 3.0);
    assert_eq!(value(&found, "intersection.pairs"), 2.0);
    assert_eq!(value(&found, "intersection.first_time"), 0.02);
    assert_eq!(value_of(&found, "intersection.frames", 0), 1.0);
    assert_eq!(value_of(&found, "intersection.frames", 1), 3.0);
    let first = found.iter().find(|f| f.figure == "intersection.frames" && f.body.is_none()).unwrap();
    assert_eq!((first.at.map(|at| at.step), first.detail.as_str()), (Some(2), "a – b"));
}

#[test]
fn a_clean_run_and_pairs_that_may_not_collide_count_nothing() {
    let mut scene =
        scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * 1.5), cube("c", Vec3::x() * 9.0)]);
    scene.bodies[1].group = scene.bodies[0].group;
    let found =
        judge(&scene, &mut Intersection::default(), std::iter::once(rigor_scene::State::initial(&scene)));
    assert_eq!(value(&found, "intersection.frames"), 0.0);
    assert_eq!(value(&found, "intersection.touching_frames"), 0.0);
    assert!(!found.iter().any(|f| f.figure == "intersection.first_time"));
}

/// Pairs of bodies with the place of the second at which they touch, and the direction in which it leaves the first.
fn touching() -> Vec<(Body, Body, Pose, Vec3)> {
    let r = 0.5;
    let turn = rotation_vector::exp(&Vec3::new(0.3, 0.5, 0.2));
    let away = |n: [f64; 3]| Vec3::from(n).normalize();
    let (edge, corner) = (away([1.0, 1.0, 0.0]), away([1.0, 1.0, 1.0]));
    let quarter = rotation_vector::exp(&(Vec3::x() * std::f64::consts::FRAC_PI_2));
    let b = |x: Vec3| Pose::new(x, turn);
    vec![
        (sheet(5.0), ball("b", r), b(Vec3::new(0.3, r, 0.1)), Vec3::y()),
        (cube("a", Vec3::zeros()), ball("b", r), b(Vec3::new(1.0 + r, 0.3, 0.2)), Vec3::x()),
        (cube("a", Vec3::zeros()), ball("b", r), b(Vec3::new(1.0, 1.0, 0.2) + edge * r), edge),
        (cube("a", Vec3::zeros()), ball("b", r), b(Vec3::repeat(1.0) + corner * r), corner),
        (ball("a", 0.3), ball("b", r), b(corner * (0.3 + r)), corner),
        (capsule("a", 0.3, 1.0), ball("b", r), b(Vec3::new(0.3 + r, 0.4, 0.0)), Vec3::x()),
        (capsule("a", 0.3, 1.0), ball("b", r), b(Vec3::y() + edge * (0.3 + r)), edge),
        // Crossed: the second is along z.
        (
            capsule("a", 0.3, 1.0),
            capsule("b", 0.2, 1.0),
            Pose::new(Vec3::new(0.5, 0.3, 0.4), quarter),
            Vec3::x(),
        ),
        (cube("a", Vec3::zeros()), capsule("b", 0.2, 1.0), at(0.1, 2.2, 0.2), Vec3::y()),
        (dumbbell("a"), ball("b", r), b(Vec3::new(-1.5, 0.0, 0.5 + r)), Vec3::z()),
        (dumbbell("a"), ball("b", r), b(Vec3::new(0.0, 0.2 + r, 0.0)), Vec3::y()),
        (dumbbell("a"), ball("b", r), b(Vec3::new(2.0 + r, 0.1, 0.2)), Vec3::x()),
        (dumbbell("a"), dumbbell("b"), Pose::new(Vec3::new(-1.5, 1.0, 1.5), rotated()), Vec3::y()),
    ]
}

/// The ball of a dumbbell, turned so, is at 1.5 m along −z.
fn rotated() -> rigor_math::UnitQuaternion {
    rotation_vector::exp(&(Vec3::y() * -std::f64::consts::FRAC_PI_2))
}

#[test]
fn round_parts_cross_touch_or_part_as_their_gap_says() {
    let mut n_missed = 0;
    for (k, (a, b, pose, away)) in touching().into_iter().enumerate() {
        let by = |gap: f64| Pose::new(pose.position + away * gap, pose.rotation);
        let meeting_at = |gap: f64| meet(a.clone(), b.clone(), by(gap));
        assert_eq!(meeting_at(1e-9), Meeting::Apart, "{k}");
        assert_eq!(meeting_at(0.0), Meeting::Touching, "{k}");
        assert_eq!(meeting_at(-1e-9), Meeting::Crossing, "{k}");
        assert_eq!(meet(b.clone(), a.clone(), by(-1e-9).inverse()), Meeting::Crossing, "{k}");
        n_missed += u32::from(meet(picture(&a), picture(&b), by(-1e-9)) == Meeting::Apart);
    }
    assert!(n_missed > 5, "what shows them misses some");
}

#[test]
fn a_round_part_inside_a_solid_or_around_one_is_an_intersection() {
    let room = || cube("room", Vec3::zeros());
    assert_eq!(meet(room(), ball("b", 0.5), at(0.1, 0.2, 0.3)), Meeting::Inside);
    assert_eq!(meet(ball("b", 0.5), room(), at(0.1, 0.2, 0.3)), Meeting::Inside);
    assert_eq!(meet(room(), capsule("b", 0.2, 0.5), at(0.1, 0.2, 0.3)), Meeting::Inside);
    // The mesh that shows it is still clear of the walls.
    assert_eq!(meet(room(), ball("b", 0.5), at(0.501, 0.2, 0.3)), Meeting::Crossing);
    assert_eq!(meet(room(), ball("b", 0.5), at(0.5, 0.2, 0.3)), Meeting::Inside, "it touches the wall");
    let grain = || cuboid("grain", Vec3::repeat(0.1), Vec3::zeros());
    assert!(meet(ball("b", 0.5), grain(), at(0.1, 0.2, 0.0)).is_intersection());
    assert!(meet(grain(), capsule("b", 0.5, 1.0), at(0.1, 0.9, 0.0)).is_intersection());
    assert!(meet(ball("a", 0.1), ball("b", 0.5), at(0.1, 0.2, 0.0)).is_intersection());
    let found = judge_one(room(), ball("b", 0.5), at(0.1, 0.2, 0.3));
    assert_eq!(value(&found, "intersection.frames"), 1.0);
    assert_eq!(value(&found, "intersection.inside_frames"), 1.0);
}

#[test]
fn a_ball_that_rests_touches_and_does_not_intersect() {
    for (gap, [n_touching, n_crossing]) in [(0.0, [1.0, 0.0]), (1e-6, [0.0, 0.0]), (-1e-6, [0.0, 1.0])] {
        let found = judge_one(sheet(5.0), ball("b", 0.5), at(0.1, 0.5 + gap, 0.3));
        assert_eq!(value(&found, "intersection.touching_frames"), n_touching, "{gap}");
        assert_eq!(value(&found, "intersection.frames"), n_crossing, "{gap}");
    }
}

fn judge_one(a: Body, b: Body, pose: Pose) -> Vec<Finding> {
    let scene = scene(vec![a, b]);
    let state = placed(&scene, &[Pose::identity(), pose]);
    judge(&scene, &mut Intersection::default(), std::iter::once(state))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Balls of about 160 triangles, compared with brute force over all pairs of triangles.
    #[test]
    fn trees_miss_no_crossing(
        shift in [-1.3..1.3, -1.3..1.3, -1.3..1.3f64],
        turn in [-2.0..2.0, -2.0..2.0, -2.0..2.0f64],
    ) {
        let ball = |name| body(name, Icosphere { radius: 1.0, subdivisions: 1 }.mesh().unwrap(), Vec3::zeros());
        let scene = scene(vec![ball("a"), ball("b")]);
        let pose = Pose::new(Vec3::from(shift), rotation_vector::exp(&Vec3::from(turn)));
        let state = placed(&scene, &[Pose::identity(), pose]);
        let surface_cache = SurfaceCache::default();
        let surfaces = surface_cache.look(&scene, &state);
        let [a, b] = surfaces.bodies() else { unreachable!() };
        let n = 0..a.mesh().triangles().len() as u32;
        let crosses = n.clone().any(|i| {
            n.clone().any(|j| {
                let contact = a.primitive(i).contact(&b.primitive(j));
                contact == rigor_geometry::intersection::Relation::Crossing
            })
        });
        prop_assert_eq!(meeting(a, b) == Meeting::Crossing, crosses);
        prop_assert_eq!(meeting(a, b), meeting(b, a));
    }
}
