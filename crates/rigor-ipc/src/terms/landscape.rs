//! The potential of a body at ½ d̂ above a flat sheet as it moves over, along and off it.

use rigor_ccd::broad_phase::proximity;
use rigor_geometry::Mesh;
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector};
use rigor_shapes::{Cuboid, Icosphere};

use super::*;
use crate::barrier::Barrier;
use crate::placement::Coordinates;

/// d̂ (m).
const REACH: f64 = 0.01;
/// Height (m) above the sheet.
const HEIGHT: f64 = 0.5 * REACH;

/// Returns a square of side 2 in the plane z = 0, made of n × n squares cut in two.
fn sheet(n: u32) -> Mesh {
    let at = |k: u32| 2.0 * f64::from(k) / f64::from(n) - 1.0;
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| Vec3::new(at(i), at(j), 0.0))).collect();
    let corner = |i: u32, j: u32| j * (n + 1) + i;
    let cell = |i: u32, j: u32| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        if (i + j).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    let triangles = (0..n).flat_map(|j| (0..n).flat_map(move |i| cell(i, j))).collect();
    Mesh::new(vertices, triangles, vec![]).unwrap()
}

/// Returns a prism of length 0.4 along x with an equilateral triangle of side 0.3 as its section, one edge
/// down.
fn wedge() -> Mesh {
    let h = 0.15 * 3f64.sqrt();
    let section = [[0.0, -h / 2.0], [0.15, h / 2.0], [-0.15, h / 2.0]];
    let vertices = [-0.2, 0.2].into_iter().flat_map(|x| section.map(|[y, z]| Vec3::new(x, y, z))).collect();
    let sides = [[0, 1], [1, 2], [2, 0]].into_iter().flat_map(|[a, b]| [[a, a + 3, b], [b, a + 3, b + 3]]);
    let mesh =
        Mesh::new(vertices, [[0, 1, 2], [3, 5, 4]].into_iter().chain(sides).collect(), vec![]).unwrap();
    if mesh.signed_volume() > 0.0 { mesh } else { mesh.flipped() }
}

/// Returns Σ b/b(height) with the body's lowest point at that height above the other body, and its centre
/// above (x, y).
fn energy(body: &[Shape; 2], skins: &[Arc<Skin>], turn: &UnitQuaternion, x: f64, y: f64) -> f64 {
    let low = body[1].mesh().vertices().iter().map(|v| (turn * v).z).fold(f64::INFINITY, f64::min);
    let top = body[0].mesh().bounds().max.z;
    let poses = [Pose::identity(), Pose::new(Vec3::new(x, y, top + HEIGHT - low), *turn)];
    let places = poses.map(|pose| Placement::new(&pose, Coordinates::Local));
    let bodies: Vec<(&Shape, Pose)> = body.iter().zip(poses).collect();
    let barrier = Barrier::new(REACH, 0.0);
    let found = proximity(&bodies, REACH, |_, _| true).unwrap();
    let mut scratch = Vec::new();
    let mut terms = Terms::new(body, skins, REACH, &|_| true, &mut scratch);
    found.iter().for_each(|candidate| terms.push(candidate));
    let sum: f64 = terms.finish().iter().map(|c| c.energy(&barrier, &points(c, &places))).sum();
    sum / barrier.value(HEIGHT * HEIGHT)
}

/// Returns the energy along the way off the sheet, every 0.4 d̂.
fn profile(ground: Mesh, body: Mesh, turn: &UnitQuaternion, at: impl Fn(f64) -> [f64; 2]) -> Vec<f64> {
    let shapes = [ground, body].map(Shape::new);
    let skins = shapes.each_ref().map(|shape| Arc::new(Skin::of(shape.mesh())));
    let place = |k: i32| at(f64::from(k) * 0.4 * REACH);
    (0..350).map(place).map(|[x, y]| energy(&shapes, &skins, turn, x, y)).collect()
}

/// Returns the largest rise along the way.
fn rise(energies: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    let rises = energies.iter().map(|e| {
        least = least.min(*e);
        e - least
    });
    rises.fold(0.0, f64::max)
}

/// A sum over all pairs of primitives, or over those of \[Ferguson2021\] that are not coplanar, rises by 3 to
/// 11 on each of these ways.
#[test]
fn the_potential_is_flat_over_the_sheet_and_falls_off_it() {
    let about = |x: f64, y: f64, z: f64| rotation_vector::exp(&Vec3::new(x, y, z));
    let cube = |n| Cuboid { size: Vec3::repeat(0.5), segments: [n; 3] }.mesh().unwrap();
    let ball = |subdivisions| Icosphere { radius: 0.25, subdivisions }.mesh().unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    let on_face = about(0.0, 0.0, 0.3) * about(2.0 * quarter, 0.0, 0.0);
    let on_corner = about(0.6, 0.8, 0.0) * about(0.0, 0.0, 0.3) * about(0.3, 0.21, 0.0);
    // With the maximum rise of the potential, relative to that of one corner of a cube.
    let bodies = [
        (cube(1), about(0.0, 0.0, 0.0), 1e-9),
        (cube(1), about(0.0, 0.0, 0.3), 0.01),
        (cube(1), about(0.0, 0.0, 0.5 * quarter), 0.01),
        (cube(3), about(0.0, 0.0, 0.3), 0.08),
        (cube(1), about(0.0, 0.0, 0.3) * about(0.01, 0.015, 0.0), 0.01),
        (cube(1), about(0.0, 0.0, 0.3) * about(0.1, 0.15, 0.0), 0.01),
        (cube(1), on_corner, 0.35),
        (wedge(), about(0.0, 0.0, 0.0), 0.01),
        (wedge(), about(0.0, 0.0, quarter), 0.01),
        (wedge(), about(0.0, 0.0, 0.3), 0.1),
        (wedge(), on_face, 0.01),
        (ball(0), about(0.2, 0.1, 0.0), 0.2),
        (ball(2), about(0.2, 0.1, 0.0), 1.4),
        (ball(3), about(0.2, 0.1, 0.0), 1.3),
    ];
    let paths: [fn(f64) -> [f64; 2]; 3] = [|t| [t, 0.123], |t| [t, t], |t| [t, 0.8512]];
    for (k, (body, turn, bound)) in bodies.into_iter().enumerate() {
        for (n, (path, at)) in
            [1, 7].into_iter().flat_map(|n| paths.into_iter().enumerate().map(move |p| (n, p)))
        {
            let energies = profile(sheet(n), body.clone(), &turn, at);
            let found = rise(&energies);
            assert!(found <= bound, "body {k}, {n} × {n}, path {path}: it rises by {found}");
            // The first two paths leave the sheet no earlier than at 1 − ½ √2 · 0.5.
            let is_flat = energies[..150].iter().all(|e| (e - energies[0]).abs() < 1e-9);
            assert!(path == 2 || is_flat, "body {k}, {n} × {n}, path {path}: it is not flat over the sheet");
            assert!(energies.iter().all(|e| *e >= 0.0) && energies[349] == 0.0);
        }
    }
}

#[test]
fn the_potential_of_a_cube_on_another_one_is_flat_while_they_overlap() {
    let cube = |n| Cuboid { size: Vec3::repeat(0.5), segments: [n; 3] }.mesh().unwrap();
    let still = UnitQuaternion::identity();
    for (below, above) in [(1, 1), (1, 3), (3, 2)] {
        for at in [|t: f64| [t, 0.0], |t| [t, t], |t| [t, 0.3 * t]] as [fn(f64) -> [f64; 2]; 3] {
            let energies = profile(cube(below), cube(above), &still, at);
            // They start aligned, corner above corner, and separate at 0.5. Corners within d̂ of each other
            // count as one.
            assert!((energies[0] - 4.0).abs() < 1e-9, "{below} {above}: {}", energies[0]);
            let off = energies[..120].iter().map(|e| (e - 4.0).abs()).fold(0.0, f64::max);
            assert!(off < 0.15, "{below} {above}: {off}");
            assert!(rise(&energies[120..]) < 1e-3 && energies[349] == 0.0);
        }
    }
}
