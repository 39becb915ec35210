//! A polygon extruded along z.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// The prism over a simple `polygon` in the x–y plane (m), counter-clockwise seen from +z, with z from
/// −depth/2 to depth/2.
///
/// `cap` lists the triangles that tile the polygon, counter-clockwise.
pub(super) fn extrude(
    check: Check,
    polygon: &[[f64; 2]],
    cap: &[[u32; 3]],
    depth: f64,
) -> Result<Mesh, ShapeError> {
    let n = polygon.len() as u32;
    let at = |z: f64| polygon.iter().map(move |[x, y]| Vec3::new(*x, *y, z));
    let vertices = at(-depth / 2.0).chain(at(depth / 2.0)).collect();
    let ends = cap.iter().flat_map(|&[a, b, c]| [[a, c, b], [a + n, b + n, c + n]]);
    let sides = (0..n).flat_map(|i| {
        let next = (i + 1) % n;
        [[i, next, next + n], [i, next + n, i + n]]
    });
    check.mesh(Mesh::new(vertices, ends.chain(sides).collect(), vec![]))
}

/// The triangle fan over n corners from the corner `apex`, which must see all others.
pub(super) fn fan(apex: u32, n: u32) -> Vec<[u32; 3]> {
    (1..n - 1).map(|k| [apex, (apex + k) % n, (apex + k + 1) % n]).collect()
}
