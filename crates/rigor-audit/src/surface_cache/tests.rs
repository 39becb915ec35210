use proptest::prelude::*;
use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};
use rigor_scene::{Body, Scene, State};
use rigor_shapes::{Cuboid, Icosphere, Torus};

use super::*;
use crate::meeting::meeting;
use crate::surface::Primitive;
use crate::testing::{body, placed, scene, sheet};

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
        let mesh = &body.mesh;
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
