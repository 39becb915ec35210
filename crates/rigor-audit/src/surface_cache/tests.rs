use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};
use rigor_scene::{Body, Scene, State};
use rigor_shapes::{Cuboid, Icosphere, Torus};

use super::*;
use crate::meeting::meeting;
use crate::surface::Primitive;
use crate::testing::{ball, body, capsule, cube, dumbbell, placed, scene, sheet};

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// A ball, a ring, a flat box, a sheet, and wires with a point.
fn meshes() -> [Mesh; 5] {
    let wires = vec![-Vec3::x(), Vec3::x(), Vec3::y() * 0.5, Vec3::repeat(0.3)];
    [
        Icosphere { radius: 0.7, subdivisions: 2 }.mesh().unwrap(),
        Torus { major_radius: 0.8, minor_radius: 0.2, segments: 14, sides: 6 }.mesh().unwrap(),
        Cuboid::new(Vec3::new(1.5, 0.1, 0.8)).mesh().unwrap(),
        Mesh::clone(&sheet(0.8).mesh),
        Mesh::new(wires, vec![], vec![[0, 1], [1, 2]]).unwrap(),
    ]
}

fn pair(kinds: [usize; 2]) -> Scene {
    let bodies = kinds.map(|kind| body("body", meshes()[kind].clone(), Vec3::zeros()));
    scene(bodies.to_vec())
}

/// A rotation whose norm may differ from 1, as a method may leave it.
fn turned(turn: &Vec3, stretch: f64) -> UnitQuaternion {
    UnitQuaternion::new_unchecked(rotation_vector::exp(turn).into_inner() * (1.0 + stretch))
}

/// Primitives and vertices of a body, placed one by one without any tree.
struct BruteForce {
    primitives: Vec<Primitive>,
    vertices: Vec<Vec3>,
    edges: Vec<[Vec3; 2]>,
}

impl BruteForce {
    fn of(body: &Body, pose: &Pose) -> Self {
        let mesh = &body.skeleton.mesh;
        let vertices: Vec<Vec3> = mesh.vertices().iter().map(|v| pose.point(v)).collect();
        let at = |v: u32| vertices[v as usize];
        let triangles = mesh.triangles().iter().map(|t| Primitive::Triangle(t.map(at)));
        let wires = mesh.wires().iter().map(|e| Primitive::Wire(e.map(at)));
        let points = mesh.points().iter().map(|p| Primitive::Point(at(*p)));
        let primitives = triangles.chain(wires).chain(points).collect();
        Self { primitives, edges: mesh.edges().iter().map(|e| e.map(at)).collect(), vertices }
    }

    fn distance(&self, other: &Self) -> f64 {
        let mut least = f64::INFINITY;
        for (points, of) in [(self, other), (other, self)] {
            for p in &points.vertices {
                least = of.primitives.iter().map(|primitive| primitive.distance_sq(p)).fold(least, f64::min);
            }
        }
        for [a0, a1] in &self.edges {
            for [b0, b1] in &other.edges {
                least = least.min(rigor_geometry::distance::edge_edge::distance_sq(a0, a1, b0, b1));
            }
        }
        least.sqrt()
    }

    fn is_in_contact(&self, other: &Self) -> bool {
        let meets = |p: &Primitive| other.primitives.iter().any(|q| p.contact(q).is_contact());
        self.primitives.iter().any(meets)
    }
}

/// The depth of vertices and centroids, point by point.
fn depth_by_points(inner: &Surface, outer: &Surface) -> f64 {
    let triangles = (0..inner.mesh().triangles().len()).map(|t| inner.triangle(t));
    let centroids = triangles.map(|[a, b, c]| (a + b + c) / 3.0);
    let depth = |p: Vec3| if outer.is_solid() { depth::depth_of(&p, outer) } else { 0.0 };
    inner.vertices().chain(centroids).map(depth).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    /// Every answer is that of brute force over all primitives, bit for bit, far from the origin too.
    #[test]
    fn trees_answer_like_brute_force(
        kinds in [0..5usize, 0..5usize], shift in vector(2.5), far in 0..2u8, turns in [vector(3.0), vector(3.0)],
        stretch in prop_oneof![Just(0.0), -1e-6..1e-6f64], probe in vector(1.5),
    ) {
        let scene = pair(kinds);
        let origin = Vec3::new(300.0, -1e3, 0.1) * f64::from(far);
        let poses = [
            Pose::new(origin, turned(&turns[0], stretch)),
            Pose::new(origin + shift, turned(&turns[1], -stretch)),
        ];
        let surface_cache = SurfaceCache::default();
        let surfaces = surface_cache.look(&scene, &placed(&scene, &poses));
        let [a, b] = surfaces.bodies() else { unreachable!() };
        let [p, q] = [0, 1].map(|i| BruteForce::of(&scene.bodies[i], &poses[i]));
        prop_assert_eq!(*a.bounds(), Aabb::of_points(&p.vertices));
        prop_assert_eq!(*b.bounds(), Aabb::of_points(&q.vertices));

        let is_in_contact = p.is_in_contact(&q);
        prop_assert_eq!(meeting(a, b), meeting(b, a));
        prop_assert!(!is_in_contact || meeting(a, b) != Meeting::Apart);
        prop_assert!(is_in_contact || matches!(meeting(a, b), Meeting::Apart | Meeting::Inside));

        if !is_in_contact {
            let distance = p.distance(&q);
            for guess in [None, Some([0, 0])] {
                let found = gap::nearest(f64::INFINITY, a, b, guess).map(|nearest| nearest.distance);
                prop_assert_eq!(found, Some(distance));
                let found = gap::nearest(distance.next_up(), b, a, guess).map(|nearest| nearest.distance);
                prop_assert_eq!(found, Some(distance));
            }
            prop_assert!(gap::nearest(distance, a, b, None).is_none());
        }

        let near = origin + probe;
        let nearest = p.primitives.iter().map(|primitive| primitive.distance_sq(&near)).enumerate();
        let nearest = nearest.fold((0, f64::INFINITY), |least, (i, d)| if d < least.1 { (i as u32, d) } else { least });
        prop_assert_eq!(a.nearest(&near, f64::INFINITY), Some(nearest));
        let in_box = a.overlapping(&Aabb::of_points([&near]).grow(0.2));
        prop_assert!(in_box.is_sorted());
        for (i, primitive) in p.primitives.iter().enumerate() {
            prop_assert!(primitive.distance_sq(&near) > 0.04 || in_box.contains(&(i as u32)));
        }
        if a.is_solid() {
            let triangles = scene.bodies[0].mesh.triangles();
            let winding = rigor_geometry::intersection::containment::winding(&near, &p.vertices, triangles);
            prop_assert_eq!(a.winding(&near).unwrap_or(7), winding.unwrap_or(7));
        }
        let by_points = depth_by_points(a, b).max(depth_by_points(b, a));
        prop_assert!(depth::between(a, b) >= by_points);
        prop_assert!(is_in_contact || depth::between(a, b) == by_points);
    }

    /// What is remembered from earlier frames never changes an answer: two bodies tumble past each other, in
    /// steps from tiny to larger than they are. With half of [`displacement::bound`] this fails.
    #[test]
    fn what_is_remembered_changes_no_answer(
        kinds in [0..5usize, 0..5usize], from in vector(3.0), to in vector(3.0), turns in [vector(9.0), vector(9.0)],
        n in 2..40u32,
    ) {
        let scene = pair(kinds);
        let surface_cache = SurfaceCache::default();
        for k in 0..=n {
            let t = f64::from(k) / f64::from(n);
            let poses = [
                Pose::new((to - from) * (0.3 * t), turned(&(turns[0] * t), 0.0)),
                Pose::new(from * (1.0 - t) + to * t, turned(&(turns[1] * t), 0.0)),
            ];
            let state = State { step: u64::from(k), ..placed(&scene, &poses) };
            let fresh = SurfaceCache::default();
            let (seen, expected) = (surface_cache.look(&scene, &state), fresh.look(&scene, &state));
            let [a, b] = expected.bodies() else { unreachable!() };
            prop_assert_eq!(seen.close_pairs(), expected.close_pairs());
            prop_assert_eq!(seen.meeting(0, 1), meeting(a, b));
            let depth = depth::between(a, b);
            prop_assert_eq!(seen.depth_above(0.0, 0, 1).unwrap_or(0.0), depth);
            prop_assert_eq!(seen.depth_above(depth, 0, 1), None);
            for floor in [depth.next_down(), 0.99 * depth, 0.5 * depth].into_iter().filter(|floor| *floor > 0.0) {
                prop_assert_eq!(seen.depth_above(floor, 0, 1), Some(depth));
            }
            let distance = if meeting(a, b) == Meeting::Apart { gap::smaller_than(f64::INFINITY, a, b) } else { Some(0.0) };
            let limit = [f64::INFINITY, 0.5, 0.1][k as usize % 3];
            prop_assert_eq!(seen.distance_below(limit, 0, 1), distance.filter(|d| *d < limit));
            prop_assert!(seen.clearance(0, 1) <= distance.unwrap_or(0.0));
        }
    }
}

#[test]
fn a_pair_far_apart_is_not_examined_until_it_may_have_come_near() {
    let scene = pair([0, 0]);
    let surface_cache = SurfaceCache::default();
    let at = |x: f64| placed(&scene, &[Pose::identity(), Pose::translation(Vec3::x() * x)]);
    let gap = |x: f64| surface_cache.look(&scene, &at(x)).clearance(0, 1);
    assert_eq!(surface_cache.look(&scene, &at(11.4)).distance_below(1.0, 0, 1), None);
    assert!(gap(11.4) > 0.9 && gap(11.0) > 0.5, "{}", gap(11.0));
    let found = surface_cache.look(&scene, &at(11.4)).distance_below(f64::INFINITY, 0, 1).unwrap();
    // Nothing but the motion since then counts against the distance.
    assert!((gap(11.4) - found).abs() < 1e-9 && (gap(6.4) - (found - 5.0)).abs() < 1e-9);
    assert!(gap(1.4) < 0.5);
}

/// A face of the box around a cube is its own face, which bounds the depth exactly: with half of that bound nothing is found.
#[test]
fn a_depth_is_found_above_every_floor_below_it() {
    let cube = || Cuboid::new(Vec3::repeat(2.0)).mesh().unwrap();
    let scene = scene(vec![body("a", cube(), Vec3::zeros()), body("b", cube(), Vec3::zeros())]);
    let surface_cache = SurfaceCache::default();
    let turned = rotation_vector::exp(&(Vec3::y() * 0.3));
    let surfaces = surface_cache
        .look(&scene, &placed(&scene, &[Pose::identity(), Pose::new(Vec3::new(0.1, 1.75, 0.2), turned)]));
    let depth = surfaces.depth_above(0.0, 0, 1).unwrap();
    assert!((depth - 0.25).abs() < 1e-12, "{depth}");
    for floor in [0.1, 0.24, depth.next_down()] {
        assert_eq!(surfaces.depth_above(floor, 0, 1), Some(depth));
    }
    assert_eq!(surfaces.depth_above(depth, 0, 1), None);
}

/// Bodies with round parts, and others.
fn rounds() -> [Body; 5] {
    [
        ball("ball", 0.4),
        capsule("capsule", 0.25, 0.7),
        dumbbell("dumbbell"),
        cube("cube", Vec3::zeros()),
        sheet(1.5),
    ]
}

/// The least gap (m) between primitives, their distance less ρ of both, and that of round parts of either.
fn least_gaps(a: &Body, b: &Body, poses: &[Pose; 2]) -> (f64, f64) {
    let [p, q] = [(a, &poses[0]), (b, &poses[1])].map(|(body, pose)| {
        let skeleton = BruteForce::of(body, pose);
        let n_others = body.skeleton.mesh.triangles().len();
        let wires = body.skeleton.mesh.wires().iter().map(|wire| body.skeleton.offset(wire[0] as usize));
        let points = body.skeleton.mesh.points().iter().map(|v| body.skeleton.offset(*v as usize));
        let rho: Vec<f64> = std::iter::repeat_n(0.0, n_others).chain(wires).chain(points).collect();
        (skeleton.primitives, rho)
    });
    let (mut least, mut of_rounds) = (f64::INFINITY, f64::INFINITY);
    for (x, rho_x) in p.0.iter().zip(&p.1) {
        for (y, rho_y) in q.0.iter().zip(&q.1) {
            let gap = sampled_distance(x, y) - rho_x - rho_y;
            least = least.min(gap);
            of_rounds = if rho_x + rho_y > 0.0 { of_rounds.min(gap) } else { of_rounds };
        }
    }
    (least, of_rounds)
}

/// The distance (m) of two primitives by alternating projections, from many starts.
fn sampled_distance(x: &Primitive, y: &Primitive) -> f64 {
    let mut least = f64::INFINITY;
    for start in corners(x) {
        let mut p = start;
        for _ in 0..4000 {
            let q = nearest_on(y, &p);
            let next = nearest_on(x, &q);
            least = least.min((next - q).norm());
            if (next - p).norm() < 1e-15 {
                break;
            }
            p = next;
        }
    }
    least
}

fn corners(primitive: &Primitive) -> Vec<Vec3> {
    match primitive {
        Primitive::Point(p) => vec![*p],
        Primitive::Wire(ends) => ends.to_vec(),
        Primitive::Triangle(corners) => corners.to_vec(),
    }
}

fn nearest_on(primitive: &Primitive, p: &Vec3) -> Vec3 {
    use rigor_geometry::distance::{point_edge, point_triangle};
    match primitive {
        Primitive::Point(q) => *q,
        Primitive::Wire([a, b]) => p - point_edge::closest(p, a, b).separation,
        Primitive::Triangle([a, b, c]) => p - point_triangle::closest(p, a, b, c).separation,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    /// Against projections onto one primitive and the other in turn, which converge to the distance of convex sets.
    #[test]
    fn round_parts_are_where_their_skeletons_say(
        kinds in [0..3usize, 0..5usize], shift in vector(2.5), far in 0..2u8, turns in [vector(3.0), vector(3.0)],
        probe in vector(1.5),
    ) {
        let scene = scene(kinds.map(|kind| rounds()[kind].clone()).to_vec());
        let origin = Vec3::new(30.0, -1e2, 0.1) * f64::from(far);
        let poses = [Pose::new(origin, turned(&turns[0], 0.0)), Pose::new(origin + shift, turned(&turns[1], 0.0))];
        let surface_cache = SurfaceCache::default();
        let surfaces = surface_cache.look(&scene, &placed(&scene, &poses));
        let [a, b] = surfaces.bodies() else { unreachable!() };
        let (least, of_rounds) = least_gaps(&scene.bodies[0], &scene.bodies[1], &poses);
        prop_assume!(least.abs() > 1e-6);
        prop_assert_eq!(meeting(a, b), meeting(b, a));
        // Round parts that overlap cross; nothing else does unless triangles do.
        if of_rounds < 0.0 {
            prop_assert_eq!(meeting(a, b), Meeting::Crossing);
            let depth = depth::between(a, b);
            prop_assert!(depth >= -of_rounds - 1e-6, "{depth} {of_rounds}");
            let is_solid = a.is_solid() || b.is_solid();
            prop_assert!(is_solid || depth <= -of_rounds + 1e-12, "{depth} {of_rounds}");
        }
        if least > 0.0 {
            prop_assert!(matches!(meeting(a, b), Meeting::Apart | Meeting::Inside));
            for guess in [None, Some([0, 0])] {
                let found = gap::nearest(f64::INFINITY, a, b, guess).map_or(f64::NAN, |nearest| nearest.distance);
                prop_assert!((found - least).abs() < 1e-6 && found < least + 1e-12, "{found} {least}");
                let turned = gap::nearest(f64::INFINITY, b, a, guess).map_or(f64::NAN, |nearest| nearest.distance);
                prop_assert!((found - turned).abs() < 1e-12);
            }
            prop_assert!(gap::nearest(least - 1e-6, a, b, None).is_none());
            prop_assert!(gap::of_boxes(a.bounds(), b.bounds()) <= least + 1e-12);
        }
        // Whether a point is in the body, and how deep.
        let near = origin + probe;
        let depth = surfaces.bodies()[0].round_depth(&near, 10.0);
        let p = BruteForce::of(&scene.bodies[0], &poses[0]);
        let skeleton = &scene.bodies[0].skeleton;
        let wires = skeleton.mesh.wires().iter().map(|wire| skeleton.offset(wire[0] as usize));
        let rho = wires.chain(skeleton.mesh.points().iter().map(|v| skeleton.offset(*v as usize)));
        let n_triangles = skeleton.mesh.triangles().len();
        let brute = p.primitives[n_triangles..].iter().zip(rho).map(|(x, rho)| rho - x.distance_sq(&near).sqrt());
        let brute = brute.fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(depth.is_some_and(|depth| (depth - brute).abs() < 1e-12), "{depth:?} {brute}");
        prop_assert!(brute < 1e-9 || a.contains(&near) && a.bounds().contains_point(&near));
    }

    /// For bodies that roll and turn, a cache that remembers the frames before answers as an empty one.
    #[test]
    fn what_is_remembered_of_round_parts_holds(
        kinds in [0..3usize, 0..5usize], shift in vector(2.0), turn in vector(3.0), by in vector(0.3), spin in vector(0.5),
    ) {
        let scene = scene(kinds.map(|kind| rounds()[kind].clone()).to_vec());
        let surface_cache = SurfaceCache::default();
        for k in 0..8 {
            let t = f64::from(k);
            let poses = [
                Pose::new(by * t, turned(&(spin * t), 0.0)),
                Pose::new(shift, turned(&(turn + spin * (0.5 * t)), 0.0)),
            ];
            let state = placed(&scene, &poses);
            let surfaces = surface_cache.look(&scene, &state);
            let empty = SurfaceCache::default();
            let fresh = empty.look(&scene, &state);
            prop_assert_eq!(surfaces.meeting(0, 1), meeting(&fresh.bodies()[0], &fresh.bodies()[1]));
            prop_assert_eq!(surfaces.distance_below(0.5, 0, 1), fresh.distance_below(0.5, 0, 1));
            prop_assert_eq!(surfaces.depth_above(0.0, 0, 1), fresh.depth_above(0.0, 0, 1));
        }
    }
}

/// Two cubes with edges of 2 m that the second's pose pushes by `overlap` (m) into the first, along a slanted axis, with strains e along it.
fn strained_cubes(overlap: f64, e: [f64; 2]) -> (Scene, State) {
    let turn = rotation_vector::exp(&Vec3::new(0.3, 0.2, 0.5));
    let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * 2.0)]);
    let mut state = placed(
        &scene,
        &[Pose::new(Vec3::zeros(), turn), Pose::new(turn * (Vec3::x() * (2.0 - overlap)), turn)],
    );
    state.strains = e.map(|e| Mat3::from_diagonal(&Vec3::new(e, 0.0, 0.0))).to_vec();
    (scene, state)
}

#[test]
fn surfaces_are_where_strains_place_them() {
    let found = |overlap: f64, e: [f64; 2]| {
        let (scene, state) = strained_cubes(overlap, e);
        let surface_cache = SurfaceCache::default();
        let surfaces = surface_cache.look(&scene, &state);
        (surfaces.meeting(0, 1), surfaces.distance_below(1.0, 0, 1).unwrap(), surfaces.depth_above(0.0, 0, 1))
    };
    // The poses alone intersect, and the surfaces are 0.05 + 0.1 − 0.1 m apart.
    let (meeting, distance, depth) = found(0.1, [-0.05, -0.1]);
    assert_eq!((meeting, depth), (Meeting::Apart, None));
    assert!((distance - 0.05).abs() < 1e-14, "{distance}");
    assert_eq!(found(0.1, [0.0, 0.0]).0.max(Meeting::Inside), found(0.1, [0.0, 0.0]).0);
    // The poses alone are 0.1 m apart, and the surfaces overlap by 0.05 m.
    let (meeting, distance, depth) = found(-0.1, [0.05, 0.1]);
    assert!(meeting.is_intersection());
    assert!(distance == 0.0 && (depth.unwrap() - 0.05).abs() < 1e-14, "{depth:?}");
    let (meeting, distance, _) = found(-0.1, [0.0, 0.0]);
    assert!(meeting == Meeting::Apart && (distance - 0.1).abs() < 1e-14);
}

#[test]
fn a_change_of_strains_alone_is_seen_in_the_next_frame() {
    let surface_cache = SurfaceCache::default();
    let look = |e: [f64; 2]| {
        let (scene, state) = strained_cubes(-0.1, e);
        let surfaces = surface_cache.look(&scene, &state);
        (surfaces.meeting(0, 1), surfaces.distance_below(1.0, 0, 1).unwrap())
    };
    assert_eq!(look([0.0, 0.0]).0, Meeting::Apart);
    assert!(look([0.05, 0.1]).0.is_intersection());
    let (meeting, distance) = look([0.05, 0.0]);
    assert!(meeting == Meeting::Apart && (distance - 0.05).abs() < 1e-14, "{distance}");
    let (meeting, distance) = look([0.0, 0.0]);
    assert!(meeting == Meeting::Apart && (distance - 0.1).abs() < 1e-14, "{distance}");
}

#[test]
fn a_strain_moves_the_centre_of_a_ball_and_keeps_its_radius() {
    let scene = scene(vec![sheet(5.0), dumbbell("b")]);
    let mut state = placed(&scene, &[Pose::identity(), Pose::translation(Vec3::y())]);
    let distance = |state: &State| {
        let surface_cache = SurfaceCache::default();
        surface_cache.look(&scene, state).distance_below(10.0, 0, 1).unwrap()
    };
    let before = distance(&state);
    state.strains = vec![Mat3::zeros(), Mat3::identity() * -0.5];
    // All parts lie along x: they come together at their height.
    assert!((distance(&state) - before).abs() < 1e-15, "{before} {}", distance(&state));
}

proptest! {
    /// A body with a strain is one with another mesh.
    #[test]
    fn a_strained_body_is_as_far_as_one_of_that_shape(
        kinds in prop::array::uniform2(0..5usize), p in vector(2.0), turn in vector(3.0), e in prop::array::uniform6(-0.1..0.1f64),
        frames in prop::array::uniform3(0.0..1.0f64),
    ) {
        let [xx, xy, xz, yy, yz, zz] = e;
        let strain = Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let scene = pair(kinds);
        let surface_cache = SurfaceCache::default();
        for t in frames {
            let mut state = placed(&scene, &[Pose::identity(), Pose::new(p, rotation_vector::exp(&turn))]);
            state.strains = vec![strain * t, strain * -t];
            let surfaces = surface_cache.look(&scene, &state);
            let mut shaped = scene.clone();
            for (body, sign) in shaped.bodies.iter_mut().zip([t, -t]) {
                let mesh = body.mesh.map_vertices(|x| x + strain * sign * x);
                body.skeleton = rigor_scene::Skeleton::plain(Arc::new(mesh));
            }
            state.strains.clear();
            let fresh = SurfaceCache::default();
            let expected = fresh.look(&shaped, &state);
            prop_assert_eq!(surfaces.meeting(0, 1), expected.meeting(0, 1));
            let [d, known] = [&surfaces, &expected].map(|all| all.distance_below(0.5, 0, 1));
            let is_same = match (d, known) {
                (Some(d), Some(known)) => (d - known).abs() < 1e-13,
                (d, known) => d == known || d.or(known).is_some_and(|d| d > 0.5 - 1e-13),
            };
            prop_assert!(is_same, "{d:?} {known:?}");
        }
    }
}
