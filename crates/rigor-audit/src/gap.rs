//! The distance between two surfaces.

use rigor_geometry::Aabb;
use rigor_geometry::distance::edge_edge;
use rigor_math::{Pose, Vec3};

use crate::surface::Surface;

/// Returns a lower bound on the distance (m) between anything in box `a` and anything in box `b`.
pub fn of_boxes(a: &Aabb, b: &Aabb) -> f64 {
    let gap = (a.min - b.max).sup(&(b.min - a.max)).sup(&Vec3::zeros());
    gap.norm() * (1.0 - 8.0 * f64::EPSILON)
}

/// Returns the distance (m) between the surfaces if it is less than `limit` (m).
///
/// It is the minimum over the vertices of either surface against the primitives of the other, and over edges
/// against edges, which is the distance as long as the surfaces do not cross. Exact to a few ε of the
/// coordinates.
pub fn smaller_than(limit: f64, a: &Surface, b: &Surface) -> Option<f64> {
    let mut best = limit;
    for (points, surface) in [(a, b), (b, a)] {
        // A good first guess saves most of the work.
        for p in towards(points, surface).into_iter().chain(points.vertices()) {
            if surface.bounds().distance_sq(p) < best * best
                && let Some((_, d_sq)) = surface.nearest(p, best * best)
            {
                best = best.min(d_sq.sqrt());
            }
        }
    }
    let pose = Pose::identity();
    for [i, j] in a.edges().overlapping_pairs_posed(b.edges(), &pose, best) {
        let ([a0, a1], [b0, b1]) = (a.edge(i), b.edge(j));
        best = best.min(edge_edge::distance_sq(&a0, &a1, &b0, &b1).sqrt());
    }
    (best < limit).then_some(best)
}

/// Returns the vertex nearest to the box of the other surface.
fn towards<'a>(points: &'a Surface, other: &Surface) -> Option<&'a Vec3> {
    let far = |p: &Vec3| other.bounds().distance_sq(p);
    points.vertices().iter().min_by(|p, q| far(p).total_cmp(&far(q)))
}
