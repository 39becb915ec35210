//! Test assertions that every solid must pass.

use std::f64::consts::TAU;

use rigor_math::Vec3;
use robust::{Coord3D, orient3d};

use rigor_geometry::{Aabb, Mesh, Surface};

/// Asserts that `mesh` is one closed, outward, manifold piece with this Euler characteristic, without points,
/// wires, slivers or self-intersection.
pub(crate) fn assert_sound(mesh: &Mesh, euler_characteristic: i64) {
    assert_eq!(mesh.surface(), Surface::Closed);
    assert_eq!(mesh.euler_characteristic(), euler_characteristic);
    assert!(mesh.wires().is_empty() && mesh.points().is_empty());
    assert_eq!(mesh.split_components().len(), 1);
    assert!(mesh.topology().non_manifold_vertices(mesh).is_empty());
    let diagonal_sq = mesh.bounds().extent().norm_squared();
    for t in 0..mesh.triangles().len() {
        assert!(mesh.area_vector(t).norm() > 1e-12 * diagonal_sq, "triangle {t} is a sliver");
    }
    assert_eq!(first_crossing(mesh, mesh), None);
}

/// An edge of `a` and a triangle of `b` whose interiors cross; if `a` and `b` are the same mesh, edges that
/// share a vertex with the triangle are skipped.
///
/// Decided by the signs of exact orientations: the ends lie strictly on opposite sides of the plane, and the
/// line passes strictly on the same side of all edges of the triangle. Touching does not count.
pub(crate) fn first_crossing(a: &Mesh, b: &Mesh) -> Option<(usize, usize)> {
    let same = std::ptr::eq(a, b);
    let bounds = |t: usize| Aabb::of_points(&b.corners(t));
    let boxes: Vec<Aabb> = (0..b.triangles().len()).map(bounds).collect();
    let mut by_x: Vec<usize> = (0..boxes.len()).collect();
    by_x.sort_by(|i, j| boxes[*i].min.x.total_cmp(&boxes[*j].min.x));
    let widest = boxes.iter().map(|k| k.extent().x).fold(0.0, f64::max);
    for (e, edge) in a.edges().iter().enumerate() {
        let ends = a.ends(e);
        let reach = Aabb::of_points(&ends);
        let start = by_x.partition_point(|&t| boxes[t].min.x < reach.min.x - 1.001 * widest);
        for &t in by_x[start..].iter().take_while(|&&t| boxes[t].min.x <= reach.max.x) {
            let touches = same && b.triangles()[t].iter().any(|v| edge.contains(v));
            if !touches && boxes[t].overlaps(&reach) && crosses(ends, b.corners(t)) {
                return Some((e, t));
            }
        }
    }
    None
}

fn crosses([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let side = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| {
        let [a, b, c, d] = [a, b, c, d].map(|v| Coord3D { x: v.x, y: v.y, z: v.z });
        orient3d(a, b, c, d)
    };
    let (at_p, at_q) = (side(a, b, c, p), side(a, b, c, q));
    if at_p * at_q >= 0.0 {
        return false;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|s| *s > 0.0) || around.iter().all(|s| *s < 0.0)
}

/// The volume of a stack of frusta over regular n-gons, with radii and heights from the profile (r, y): n/2
/// sin(2π/n) Σ h/3 (r₁² + r₁ r₂ + r₂²).
pub(super) fn frustum_sum(profile: &[[f64; 2]], n: u32) -> f64 {
    let band = |p: &[[f64; 2]]| {
        let ([r, y], [s, z]) = (p[0], p[1]);
        (z - y) / 3.0 * (r * r + r * s + s * s)
    };
    let n = f64::from(n);
    n / 2.0 * (TAU / n).sin() * profile.windows(2).map(band).sum::<f64>()
}

/// The order at which `coarse`, then `fine` at half the step size, approach `exact`.
pub(crate) fn order_of(exact: f64, coarse: f64, fine: f64) -> f64 {
    ((coarse - exact) / (fine - exact)).abs().log2()
}
