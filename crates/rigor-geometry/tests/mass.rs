//! Mass, centre of mass and inertia of meshes against textbook solids and exact integrals.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::f64::consts::PI;

use proptest::prelude::*;
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, inertia};

use rigor_geometry::mass::{Density, MassError, MassModel, MassProperties, Spread};
use rigor_geometry::mesh::Soup;
use rigor_geometry::{Mesh, Surface};
use rigor_shapes::{Cuboid, Cylinder, Icosphere, Plane, UvSphere};

fn body(mesh: &Mesh, density: f64) -> MassProperties {
    MassProperties::of(mesh, density).unwrap()
}

fn together(meshes: &[&Mesh]) -> Mesh {
    Mesh::merge(meshes.iter().copied()).unwrap().mesh
}

fn moved(mesh: &Mesh, by: Vec3) -> Mesh {
    mesh.map_vertices(|v| v + by)
}

fn box_inertia(mass: f64, size: Vec3) -> Mat3 {
    let sq = size.component_mul(&size);
    Mat3::from_diagonal(&(Vec3::repeat(sq.sum()) - sq)) * (mass / 12.0)
}

fn wires(vertices: Vec<Vec3>, wires: Vec<[u32; 2]>) -> Mesh {
    Mesh::new(vertices, vec![], wires).unwrap()
}

/// The largest entry of a − b relative to that of b.
fn difference(a: &Mat3, b: &Mat3) -> f64 {
    (a - b).amax() / b.amax()
}

#[test]
fn a_box_has_the_inertia_of_the_textbook() {
    let size = Vec3::new(1.0, 0.02, 3.0);
    for segments in [[1; 3], [2, 3, 4]] {
        let found =
            body(&moved(&Cuboid { size, segments }.mesh().unwrap(), Vec3::new(5.0, 6.0, 7.0)), 1000.0);
        assert_eq!(found.model, MassModel::Volume);
        assert!((found.mass - 60.0).abs() < 1e-11);
        assert!((found.center - Vec3::new(5.0, 6.0, 7.0)).norm() < 1e-14);
        assert!(difference(&found.inertia, &box_inertia(60.0, size)) < 1e-13);
        assert_eq!(found.spread(), Spread::Full);
    }
}

#[test]
fn a_regular_tetrahedron_has_a_twentieth_of_m_a_squared() {
    let corners = [[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]].map(Vec3::from);
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]], vec![]).unwrap();
    let found = body(&mesh, 3.0); // a² = 8, V = 8/3
    assert!((found.mass - 8.0).abs() < 1e-14);
    assert!(found.center.norm() < 1e-15);
    assert!(difference(&found.inertia, &(Mat3::identity() * 8.0 * 8.0 / 20.0)) < 1e-15);
}

/// The order at which the moment about y per mass approaches `exact` as segments double.
fn order(exact: f64, mesh: impl Fn(u32) -> Mesh) -> f64 {
    let error = |n| {
        let found = body(&mesh(n), 7.0);
        (found.inertia.m22 / found.mass - exact).abs()
    };
    (error(32) / error(64)).log2()
}

#[test]
fn round_bodies_converge_with_the_square_of_the_segments() {
    let sphere = |n| UvSphere { radius: 2.0, segments: n, rings: n / 2 }.mesh().unwrap();
    let cylinder = |n| Cylinder { radius: 2.0, height: 1.0, segments: n }.mesh().unwrap();
    let circle = |n: u32| {
        let at =
            |k: u32| UnitQuaternion::from_axis_angle(&Vec3::y_axis(), 2.0 * PI * f64::from(k) / f64::from(n));
        let vertices = (0..n).map(|k| at(k) * Vec3::x() * 2.0).collect();
        wires(vertices, (0..n).map(|k| [k, (k + 1) % n]).collect())
    };
    let open =
        |mesh: &Mesh| Mesh::new(mesh.vertices().to_vec(), mesh.triangles()[2..].to_vec(), vec![]).unwrap();
    for (name, order) in [
        ("ball: 2/5 m r²", order(1.6, sphere)),
        ("cylinder: 1/2 m r²", order(2.0, cylinder)),
        ("ring: m r²", order(4.0, circle)),
    ] {
        assert!((order - 2.0).abs() < 0.02, "{name} has order {order}");
    }
    // A shell with a hole of two of its 20 · 4⁵ triangles.
    let shell = body(&open(&Icosphere { radius: 2.0, subdivisions: 5 }.mesh().unwrap()), 1.0);
    assert_eq!(shell.model, MassModel::Shell);
    assert!((shell.inertia.trace() / 3.0 / shell.mass / (2.0 / 3.0 * 4.0) - 1.0).abs() < 2e-3);
}

#[test]
fn sheets_rods_and_points_have_the_inertia_of_the_textbook() {
    let sheet = body(&Plane { size: [2.0, 3.0], segments: [1, 2] }.mesh().unwrap(), 10.0);
    assert_eq!((sheet.model, sheet.spread()), (MassModel::Shell, Spread::Full));
    assert!((sheet.mass - 60.0).abs() < 1e-13);
    assert!(difference(&sheet.inertia, &box_inertia(60.0, Vec3::new(2.0, 0.0, 3.0))) < 1e-14);

    let rod = body(&wires(vec![Vec3::x(), Vec3::x() * 3.0], vec![[0, 1]]), 5.0);
    assert_eq!((rod.model, rod.mass, rod.center), (MassModel::Wire, 10.0, Vec3::x() * 2.0));
    assert!(difference(&rod.inertia, &box_inertia(10.0, Vec3::x() * 2.0)) < 1e-14);

    let pair = body(&wires(vec![Vec3::y(), Vec3::y() * 5.0], vec![]), 1.5);
    assert_eq!((pair.model, pair.mass, pair.center), (MassModel::Points, 3.0, Vec3::y() * 3.0));
    assert!(difference(&pair.inertia, &Mat3::from_diagonal(&Vec3::new(12.0, 0.0, 12.0))) < 1e-15);
}

#[test]
fn vanishing_moments_are_told_and_widening_mends_them() {
    let axis = Vec3::new(0.36, -0.48, 0.8);
    let far = Vec3::new(1e3, 2e3, -3e3);
    let rod = body(&wires([0.0, 0.3, 1.0].map(|t| far + axis * t).to_vec(), vec![[0, 1], [1, 2]]), 2.0);
    let Spread::Line { axis: found } = rod.spread() else { panic!("{:?}", rod.spread()) };
    assert!((found.dot(&axis).abs() - 1.0).abs() < 1e-12, "{found}");

    let point = body(&wires(vec![far], vec![]), 2.0);
    assert_eq!((point.spread(), point.center, point.inertia), (Spread::Point, far, Mat3::zeros()));
    let twice = MassProperties::combine(&[point, point, point]).unwrap();
    assert_eq!(twice.spread(), Spread::Point);

    let ball = point.widened(0.5);
    assert_eq!((ball.spread(), ball.inertia), (Spread::Full, Mat3::identity() * 0.4 * 2.0 * 0.25));
    assert_eq!(rod.widened(0.01).spread(), Spread::Full);
}

#[test]
fn surfaces_that_cannot_be_filled_are_errors() {
    let solid = Cuboid::cube(1.0).mesh().unwrap();
    let surface = |mesh: &Mesh| match MassProperties::of(mesh, 1.0) {
        Err(MassError::Surface { surface }) => surface,
        other => panic!("{other:?}"),
    };
    assert!(matches!(surface(&solid.flipped()), Surface::Inverted { components: 1, .. }));
    let mut soup = Soup::from(&solid);
    soup.triangles[0].swap(1, 2);
    assert!(matches!(surface(&soup.into_mesh().unwrap()), Surface::Inconsistent { edges: 3 }));
    let flat = Mesh::new(vec![Vec3::zeros(), Vec3::x(), Vec3::y()], vec![[0, 1, 2], [0, 2, 1]], vec![]);
    assert!(matches!(surface(&flat.unwrap()), Surface::Flat { .. }));
    // An open sheet beside it does not hide an inverted solid.
    let sheet = moved(&Plane::new([1.0, 1.0]).mesh().unwrap(), Vec3::y() * 3.0);
    assert!(matches!(surface(&together(&[&sheet, &solid.flipped()])), Surface::Inverted { .. }));
}

#[test]
fn a_cavity_is_taken_off() {
    let (outer, inner) = (Cuboid::cube(2.0).mesh().unwrap(), Cuboid::cube(1.0).mesh().unwrap());
    let hollow = body(&together(&[&outer, &inner.flipped()]), 1.0);
    assert!((hollow.mass - 7.0).abs() < 1e-14);
    let expected = box_inertia(8.0, Vec3::repeat(2.0)) - box_inertia(1.0, Vec3::repeat(1.0));
    assert!(difference(&hollow.inertia, &expected) < 1e-14);
}

#[test]
fn mixed_bodies_are_the_sum_of_their_parts() {
    let solid = Cuboid::cube(1.0).mesh().unwrap();
    let sheet = moved(&Plane::new([2.0, 1.0]).mesh().unwrap(), Vec3::y() * 3.0);
    let rod = wires(vec![Vec3::x() * 5.0, Vec3::x() * 6.0], vec![[0, 1]]);
    let point = wires(vec![Vec3::z() * -4.0], vec![]);
    let density = Density { volume: 2.0, area: 3.0, length: 5.0, point: 7.0 };
    let parts: Vec<MassProperties> =
        [&solid, &sheet, &rod, &point].map(|m| MassProperties::of(m, density).unwrap()).to_vec();
    let whole = MassProperties::of(&together(&[&solid, &sheet, &rod, &point]), density).unwrap();
    assert_eq!(whole.model, MassModel::Mixed);
    assert!((whole.mass - (2.0 + 6.0 + 5.0 + 7.0)).abs() < 1e-13);
    let combined = MassProperties::combine(&parts).unwrap();
    assert_eq!(combined.model, MassModel::Mixed);
    assert!((combined.center - whole.center).norm() < 1e-14);
    assert!(difference(&combined.inertia, &whole.inertia) < 1e-14);
    assert_eq!(MassProperties::combine(&[]), None);
}

#[test]
fn two_halves_make_a_whole() {
    let half = Cuboid::new(Vec3::new(0.5, 1.0, 1.0)).mesh().unwrap();
    let halves = [-0.25, 0.25].map(|x| body(&moved(&half, Vec3::new(x, 100.0, 0.0)), 10.0));
    let whole = MassProperties::combine(&halves).unwrap();
    assert_eq!(whole.model, MassModel::Volume);
    assert!((whole.center - Vec3::y() * 100.0).norm() < 1e-13);
    assert!(difference(&whole.inertia, &box_inertia(10.0, Vec3::repeat(1.0))) < 1e-13);
}

#[test]
fn densities_and_masses_that_cannot_be_are_errors() {
    let solid = Cuboid::cube(1.0).mesh().unwrap();
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(MassProperties::of(&solid, density), Err(MassError::Density { unit: "kg/m³", .. })));
    }
    let unused = Density { length: f64::NAN, point: -1.0, ..Density::uniform(2.0) };
    assert_eq!(MassProperties::of(&solid, unused), MassProperties::of(&solid, 2.0));
    assert!(matches!(MassProperties::of(&solid, 1e-310), Err(MassError::Mass { .. })));
    assert!(matches!(
        MassProperties::of(&solid, 1e308).unwrap().with_mass(f64::NAN),
        Err(MassError::Mass { .. })
    ));
    let vanishing = solid.map_vertices(|v| v * 1e-105);
    assert!(matches!(MassProperties::of(&vanishing, 1.0), Err(MassError::Mass { .. })));
    let heavy = body(&solid, 1.0).with_mass(5.0).unwrap();
    assert!(difference(&heavy.inertia, &box_inertia(5.0, Vec3::repeat(1.0))) < 1e-14);
    assert!(heavy.with_mass(-1.0).is_err());
}

#[test]
fn small_bodies_far_away_keep_their_digits() {
    // 2⁻²⁰ m across at 1 m and 128 m: coordinates are exact in binary, so results must be as good as at 0.
    let size = 1.0 / 1_048_576.0;
    let small = Cuboid { size: Vec3::new(1.0, 0.5, 0.25) * size, segments: [2; 3] }.mesh().unwrap();
    for away in [1.0, 128.0] {
        let there = Vec3::new(away, -away, away / 2.0);
        let found = body(&moved(&small, there), 1000.0);
        let mass = 125.0 * size.powi(3);
        assert!((found.mass / mass - 1.0).abs() < 1e-14);
        assert!(difference(&found.inertia, &box_inertia(mass, Vec3::new(1.0, 0.5, 0.25) * size)) < 1e-13);
        assert_eq!(found.center, there);
    }
    // 1e-6 m at 1 m and 100 m: coordinates round to 1e-16 and 1e-14 m, 1e-10 and 1e-8 of the body.
    for (away, tolerance) in [(1.0, 1e-9), (100.0, 1e-7)] {
        let there = Vec3::new(away, away, away);
        let cube = moved(&Cuboid::cube(1e-6).mesh().unwrap(), there);
        let found = body(&cube, 1000.0);
        assert!((found.mass / 1e-15 - 1.0).abs() < tolerance);
        assert!(difference(&found.inertia, &box_inertia(1e-15, Vec3::repeat(1e-6))) < tolerance);
        let principal = found.principal();
        assert!((principal.moments / (1e-27 / 6.0) - Vec3::repeat(1.0)).amax() < tolerance);
    }
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(10.0), [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64]).prop_map(|(p, [x, y, z, w])| {
        Pose::new(p, UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
    })
}

/// A solid, a shell, a wire and some points, each without symmetry.
fn meshes() -> [Mesh; 4] {
    let skew = Mat3::new(1.0, 0.4, 0.0, 0.0, 0.7, 0.3, -0.2, 0.0, 1.3);
    let solid = Cuboid { size: Vec3::new(1.0, 2.0, 0.5), segments: [2, 1, 1] }.mesh().unwrap();
    let solid = solid.map_vertices(|v| skew * v + Vec3::new(0.0, 0.1, 0.2) * v.x * v.x);
    let shell = Mesh::new(solid.vertices().to_vec(), solid.triangles()[3..].to_vec(), vec![]).unwrap();
    let corners: Vec<Vec3> =
        (0..4).map(|k| Vec3::new(f64::from(k), f64::from(k * k), 1.0 / f64::from(k + 1))).collect();
    let wire = wires(corners.clone(), vec![[0, 1], [1, 3], [1, 2]]);
    [solid, shell, wire, wires(corners, vec![])]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn moving_the_mesh_moves_the_body(pose in pose()) {
        for mesh in meshes() {
            let here = body(&mesh, 3.0);
            let there = body(&mesh.map_vertices(|v| pose.point(v)), 3.0);
            let expected = here.transformed(&pose);
            prop_assert!((there.mass / here.mass - 1.0).abs() < 1e-13);
            prop_assert!((there.center - expected.center).norm() < 1e-13);
            prop_assert!(difference(&there.inertia, &expected.inertia) < 1e-12);
            let moments = there.principal().moments - here.principal().moments;
            prop_assert!(moments.amax() < 1e-12 * here.inertia.amax());
        }
    }

    /// Under x ↦ A x a solid's mass grows by det A and its second moment of mass becomes det A · A J Aᵀ.
    #[test]
    fn stretching_a_solid_stretches_its_second_moment(
        entries in prop::array::uniform9(-0.3..0.3f64), density in 0.1..1e4f64,
    ) {
        let a = Mat3::identity() + Mat3::from_row_slice(&entries);
        let [solid, ..] = meshes();
        let before = body(&solid, density);
        let after = body(&solid.map_vertices(|v| a * v), density);
        let j = inertia::to_second_moment(&before.inertia);
        let expected = inertia::from_second_moment(&(a * j * a.transpose() * a.determinant()));
        prop_assert!((after.mass / (before.mass * a.determinant()) - 1.0).abs() < 1e-12);
        prop_assert!((after.center - a * before.center).norm() < 1e-13);
        prop_assert!(difference(&after.inertia, &expected) < 1e-11);
    }

    #[test]
    fn every_body_has_moments_that_a_body_can_have(pose in pose()) {
        for mesh in meshes() {
            let found = body(&mesh.map_vertices(|v| pose.point(v)), 1.0);
            prop_assert!(inertia::check_moments(&found.principal().moments).is_ok());
        }
    }
}
