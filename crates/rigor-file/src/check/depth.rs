//! The depth of an overlap at the start.

use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::{Containment, containment};
use rigor_geometry::{Aabb, Mesh, RigidTree};
use rigor_math::Vec3;

/// Maximum number of points whose depth is computed per body.
const MAX_POINTS: usize = 20_000;

/// Returns a lower bound on the greatest depth (m) of a point of one mesh inside the other; 0 if no point is inside.
///
/// The points are the vertices and the centroids of the triangles, at most `MAX_POINTS` of them.
pub fn between(a: &Mesh, b: &Mesh) -> f64 {
    deepest(a, b).max(deepest(b, a))
}

fn deepest(inner: &Mesh, outer: &Mesh) -> f64 {
    if !outer.is_closed() {
        return 0.0;
    }
    let corners = |t: usize| outer.triangles()[t].map(|v| outer.vertices()[v as usize]);
    let boxes: Vec<Aabb> = (0..outer.triangles().len()).map(|t| Aabb::of_points(&corners(t))).collect();
    let Ok(tree) = RigidTree::new(&boxes) else { return 0.0 };
    let bounds = outer.bounds();
    let centroid = |t: &[u32; 3]| t.iter().map(|v| inner.vertices()[*v as usize]).sum::<Vec3>() / 3.0;
    let places = inner.vertices().iter().copied().chain(inner.triangles().iter().map(centroid));
    let near = places.filter(|p| bounds.contains_point(p)).take(MAX_POINTS);
    // Points this near to the surface may be inside by their rounding alone.
    let rounding = 64.0 * f64::EPSILON * bounds.min.abs().sup(&bounds.max.abs()).max();
    let depths = near.filter_map(|p| {
        let column: Vec<[u32; 3]> =
            tree.along_ray(&p, &Vec3::z(), 0.0).into_iter().map(|t| outer.triangles()[t as usize]).collect();
        (containment(&p, outer.vertices(), &column) == Containment::Inside).then(|| {
            let mut least = f64::INFINITY;
            tree.around(&p, least, &mut |t| {
                let [a, b, c] = corners(t as usize);
                least = least.min(point_triangle::distance_sq(&p, &a, &b, &c).sqrt());
                least
            });
            least
        })
    });
    depths.filter(|depth| *depth > rounding).fold(0.0, f64::max)
}
