//! The inside of a mesh along parallel rays, by depth peeling.
//!
//! Source: \[Harada2007\], where the first and the second depth image bound the body. Deviation: all
//! crossings of a ray are sorted, not only two, so that concave bodies, holes and several parts are filled
//! correctly; crossings are found with exact predicates instead of by rasterisation.

use rigor_geometry::Mesh;
use rigor_geometry::predicates::{Sign, orient_2d};
use rigor_math::Vec3;

/// Parallel rays along one axis, through all points (u, v) of a rectangular lattice.
///
/// u runs along the axis after `axis`, v along the one after that, cyclically.
#[derive(Debug, Clone, Copy)]
pub struct Rays<'a> {
    /// Direction of the rays: 0, 1 or 2.
    pub axis: usize,
    /// Values of u (m), ascending.
    pub u: &'a [f64],
    /// Values of v (m), ascending.
    pub v: &'a [f64],
}

/// A crossing of a ray with a triangle.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    ray: usize,
    depth: f64,
    /// +1 into the body, −1 out of it.
    turn: i32,
}

/// Peels `mesh`: for each ray, u-major, the intervals of depth (m) inside of the body, ascending and
/// disjoint.
///
/// A point is inside where the winding number of the surface is positive: overlapping parts count once,
/// cavities are outside.
///
/// Guarantee: a ray crosses a closed surface as often inwards as outwards, whatever edges and vertices it
/// meets, because each ray counts as shifted by (ε, ε²) with infinitesimal ε. For a surface that is not
/// closed the result has no meaning.
///
/// ```
/// use rigor_math::Vec3;
/// use rigor_particles::voxel::{Rays, peel};
/// let cube = rigor_shapes::Cuboid::new(Vec3::repeat(2.0)).mesh()?;
/// // Through the diagonal of the face, and past the cube.
/// let layers = peel(&cube, &Rays { axis: 2, u: &[0.0, 1.5], v: &[0.0] });
/// assert_eq!(layers, [vec![[-1.0, 1.0]], vec![]]);
/// # Ok::<(), rigor_shapes::ShapeError>(())
/// ```
pub fn peel(mesh: &Mesh, rays: &Rays) -> Vec<Vec<[f64; 2]>> {
    let mut crossings = Vec::new();
    for triangle in 0..mesh.triangles().len() {
        cross(&mesh.corners(triangle), rays, &mut crossings);
    }
    // At equal depth, entries come first: parts that touch form one layer.
    crossings.sort_by(|a, b| a.ray.cmp(&b.ray).then(a.depth.total_cmp(&b.depth)).then(b.turn.cmp(&a.turn)));
    let mut layers = vec![Vec::new(); rays.u.len() * rays.v.len()];
    let mut rest = crossings.as_slice();
    while let Some(first) = rest.first() {
        let n = rest.partition_point(|crossing| crossing.ray == first.ray);
        layers[first.ray] = pair(&rest[..n]);
        rest = &rest[n..];
    }
    layers
}

/// Pairs the sorted crossings of a ray: entries into winding number 1 with exits to 0.
fn pair(crossings: &[Crossing]) -> Vec<[f64; 2]> {
    let mut layers = Vec::new();
    let (mut winding, mut entry) = (0, 0.0);
    for crossing in crossings {
        let before = winding;
        winding += crossing.turn;
        if before <= 0 && winding > 0 {
            entry = crossing.depth;
        } else if before > 0 && winding <= 0 {
            layers.push([entry, crossing.depth]);
        }
    }
    layers
}

/// Adds the crossings of all rays with a triangle.
fn cross(corners: &[Vec3; 3], rays: &Rays, found: &mut Vec<Crossing>) {
    let (axis, u, v) = (rays.axis, (rays.axis + 1) % 3, (rays.axis + 2) % 3);
    let range = |values: &[f64], k: usize| {
        let low = corners.iter().map(|c| c[k]).fold(f64::INFINITY, f64::min);
        let high = corners.iter().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max);
        values.partition_point(|x| *x < low)..values.partition_point(|x| *x <= high)
    };
    let rows = range(rays.v, v);
    for i in range(rays.u, u) {
        for j in rows.clone() {
            let mut p = Vec3::zeros();
            (p[u], p[v]) = (rays.u[i], rays.v[j]);
            if let Some(turn) = turn_at(corners, &p, axis) {
                found.push(Crossing { ray: i * rays.v.len() + j, depth: depth(corners, &p, axis), turn });
            }
        }
    }
}

/// Returns whether the ray through `p` enters (+1) or leaves (−1) the body through the triangle, or misses
/// it.
fn turn_at(corners: &[Vec3; 3], p: &Vec3, axis: usize) -> Option<i32> {
    let [a, b, c] = corners;
    let first = side(a, b, p, axis);
    // Counter-clockwise along the ray: the normal points along the ray, which leaves the body.
    let same = side(b, c, p, axis) == first && side(c, a, p, axis) == first;
    same.then_some(if first { -1 } else { 1 })
}

/// Returns whether the ray through `p`, shifted by (ε, ε²), passes the edge from `a` to `b` on its left.
///
/// With p shifted, (b − a) × (p − a) changes by ε (a_v − b_v) + ε² (b_u − a_u).
fn side(a: &Vec3, b: &Vec3, p: &Vec3, axis: usize) -> bool {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    match orient_2d(axis, a, b, p) {
        Sign::Positive => true,
        Sign::Negative => false,
        Sign::Zero if a[v] != b[v] => a[v] > b[v],
        Sign::Zero => b[u] > a[u],
    }
}

/// Returns the depth (m) at which the ray through `p` meets the plane of the triangle, within the
/// triangle's own.
fn depth(corners: &[Vec3; 3], p: &Vec3, axis: usize) -> f64 {
    let [a, b, c] = corners;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let n = (b - a).cross(&(c - a));
    let rise = -(n[u] * (p[u] - a[u]) + n[v] * (p[v] - a[v])) / n[axis];
    let low = a[axis].min(b[axis]).min(c[axis]);
    let high = a[axis].max(b[axis]).max(c[axis]);
    // A triangle seen edge-on has n = 0 after rounding.
    if rise.is_finite() { (a[axis] + rise).clamp(low, high) } else { 0.5 * (low + high) }
}

#[cfg(test)]
mod tests {
    use rigor_geometry::Mesh;
    use rigor_math::{Pose, Vec3};
    use rigor_shapes::Cuboid;

    use super::*;

    fn cube(size: f64, at: Vec3) -> Mesh {
        let mesh = Cuboid::new(Vec3::repeat(size)).mesh().expect("a cube");
        mesh.map_vertices(|v| Pose::translation(at).point(v))
    }

    fn along(mesh: &Mesh, axis: usize, at: [f64; 2]) -> Vec<[f64; 2]> {
        peel(mesh, &Rays { axis, u: &at[..1], v: &at[1..] }).remove(0)
    }

    #[test]
    fn rays_through_edges_and_vertices_cross_once() {
        let mesh = cube(2.0, Vec3::zeros());
        for axis in 0..3 {
            for at in [[0.0, 0.0], [0.5, 0.5], [-0.5, 0.5], [-1.0, -1.0], [-1.0, 0.3]] {
                assert_eq!(along(&mesh, axis, at), [[-1.0, 1.0]], "{axis} {at:?}");
            }
            // The shift (ε, ε²) moves these out.
            for at in [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
                assert!(along(&mesh, axis, at).is_empty(), "{axis} {at:?}");
            }
        }
    }

    #[test]
    fn a_cavity_is_outside_and_overlapping_parts_count_once() {
        let outer = cube(4.0, Vec3::zeros());
        let hollow = Mesh::merge([&outer, &cube(2.0, Vec3::zeros()).flipped()]).expect("two cubes").mesh;
        assert_eq!(along(&hollow, 2, [0.25, 0.5]), [[-2.0, -1.0], [1.0, 2.0]]);
        let overlapping = Mesh::merge([&outer, &cube(4.0, Vec3::z() * 3.0)]).expect("two cubes").mesh;
        assert_eq!(along(&overlapping, 2, [0.25, 0.5]), [[-2.0, 5.0]]);
        let apart = Mesh::merge([&outer, &cube(4.0, Vec3::z() * 5.0)]).expect("two cubes").mesh;
        assert_eq!(along(&apart, 2, [0.0, 0.0]), [[-2.0, 2.0], [3.0, 7.0]]);
    }

    #[test]
    fn a_torus_has_two_layers_and_a_hole() {
        let torus = rigor_shapes::Torus { major_radius: 1.0, minor_radius: 0.25, segments: 16, sides: 8 }
            .mesh()
            .expect("a torus");
        let bounds = torus.bounds();
        let axis = bounds.extent().imin();
        // Through the hole.
        assert!(along(&torus, axis, [0.0, 0.0]).is_empty());
        // Across it.
        assert_eq!(along(&torus, (axis + 1) % 3, [0.0, 0.0]).len(), 2);
    }
}
