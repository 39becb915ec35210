//! The convex hull of points.

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use rigor_math::Vec3;

use crate::{Aabb, Mesh};

/// Returns the convex hull of points as a closed surface that faces outwards; `None` if they lie in a plane, to 10⁻⁹ of their extent,
/// or no hull is found.
///
/// ```
/// use rigor_geometry::{MassProperties, hull::convex_hull};
/// use rigor_math::Vec3;
/// // The corners of a cube of 1 m, and its centre.
/// let mut points: Vec<Vec3> = (0..8).map(|i| Vec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
/// points.push(Vec3::repeat(0.5));
/// let hull = convex_hull(&points).unwrap();
/// assert_eq!((hull.vertices().len(), hull.triangles().len()), (8, 12));
/// assert!((hull.signed_volume() - 1.0).abs() < 1e-15);
/// assert!(convex_hull(&points[..4]).is_none());
/// ```
pub fn convex_hull(points: &[Vec3]) -> Option<Mesh> {
    /// Share of the cube of the extent that is no volume.
    const FLAT: f64 = 1e-9;
    let extent = Aabb::of_points(points).extent().max();
    if points.len() < 4 || !extent.is_finite() || extent <= 0.0 {
        return None;
    }
    if is_flat(points, FLAT * extent) {
        return None;
    }
    let own: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    let (vertices, triangles) = try_convex_hull(&own).ok()?;
    let vertices = vertices.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect();
    let hull = Mesh::new(vertices, triangles, Vec::new()).ok()?;
    (hull.signed_volume() > FLAT * FLAT * extent * extent * extent).then_some(hull)
}

/// Whether all points lie within `least` of a plane.
fn is_flat(points: &[Vec3], least: f64) -> bool {
    let from = points[0];
    let farthest = |f: &dyn Fn(&Vec3) -> f64| points.iter().copied().max_by(|a, b| f(a).total_cmp(&f(b)));
    let Some(b) = farthest(&|p| (p - from).norm()) else { return true };
    let Some(axis) = (b - from).try_normalize(0.0) else { return true };
    let off = |p: &Vec3| (p - from) - axis * axis.dot(&(p - from));
    let Some(c) = farthest(&|p| off(p).norm()) else { return true };
    let Some(normal) = axis.cross(&off(&c)).try_normalize(0.0).filter(|_| off(&c).norm() > least) else {
        return true;
    };
    points.iter().all(|p| normal.dot(&(p - from)).abs() <= least)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Topology;

    proptest! {
        #[test]
        fn no_point_is_outside_of_the_hull(points in prop::collection::vec(prop::array::uniform3(-3_i32..=3), 4..40)) {
            let points: Vec<Vec3> = points.into_iter().map(|p| Vec3::from(p.map(f64::from))).collect();
            if let Some(hull) = convex_hull(&points) {
                prop_assert!(Topology::of(&hull).is_closed());
                for triangle in 0..hull.triangles().len() {
                    let [a, ..] = hull.corners(triangle);
                    let normal = hull.area_vector(triangle);
                    prop_assert!(points.iter().all(|p| normal.dot(&(p - a)) <= 1e-9));
                }
            }
        }
    }

    #[test]
    fn points_of_a_plane_a_line_and_a_point_have_no_hull() {
        let plane: Vec<Vec3> =
            (0..20).map(|i| Vec3::new(f64::from(i % 5), f64::from(i / 5), 1e-12)).collect();
        let line: Vec<Vec3> = (0..9).map(|i| Vec3::repeat(f64::from(i))).collect();
        for points in [plane, line, vec![Vec3::x(); 9], Vec::new()] {
            assert!(convex_hull(&points).is_none());
        }
    }
}
