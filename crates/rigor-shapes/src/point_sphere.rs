//! Points on a sphere.

use std::f64::consts::TAU;

use rigor_math::Vec3;
use rigor_math::elementary::sin_cos;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// Unconnected points spread evenly over a sphere: a body of dimension zero.
///
/// Point k of n is at height (2k + 1)/n − 1 of the unit sphere, turned by k golden angles of 2π (1 − 1/φ).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(description = "Unconnected points, spread evenly over a sphere.")
)]
pub struct PointSphere {
    /// Radius (m).
    pub radius: f64,
    /// Number of points, 4 to 1 000 000.
    pub count: u32,
}

impl PointSphere {
    /// The mesh: points only.
    ///
    /// ```
    /// use rigor_shapes::PointSphere;
    /// let cloud = PointSphere { radius: 2.0, count: 100 }.mesh()?;
    /// assert_eq!((cloud.points().len(), cloud.edges().len()), (100, 0));
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for a radius that is not positive and finite, and a count out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("point sphere");
        check.positive("radius", self.radius)?;
        check.count("count", self.count, 4..=1_000_000)?;
        let turns = (3.0 - 5.0_f64.sqrt()) / 2.0; // 1 − 1/φ
        let point = |k: u32| {
            let y = (2.0 * f64::from(k) + 1.0) / f64::from(self.count) - 1.0;
            let (s, c) = sin_cos(TAU * (f64::from(k) * turns).fract());
            let across = (1.0 - y * y).sqrt();
            Vec3::new(across * c, y, across * s) * self.radius
        };
        check.mesh(Mesh::new((0..self.count).map(point).collect(), vec![], vec![]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_on_the_sphere_balanced_and_evenly_apart() {
        let n = 500;
        let cloud = PointSphere { radius: 2.0, count: n }.mesh().unwrap();
        let points = cloud.vertices();
        assert!(points.iter().all(|p| (p.norm() - 2.0).abs() < 1e-15 * 4.0));
        let mean = points.iter().sum::<Vec3>() / f64::from(n);
        assert!(mean.norm() < 2.0 * 1e-3, "{mean}");
        let nearest = |i: usize| {
            let others = points.iter().enumerate().filter(|(j, _)| *j != i);
            others.map(|(_, p)| (p - points[i]).norm()).fold(f64::INFINITY, f64::min)
        };
        // Each point has a share of 4π r²/n of the area; a square of that area has this side.
        let side = 2.0 * (2.0 * TAU / f64::from(n)).sqrt();
        assert!((0..points.len()).all(|i| (0.8..1.1).contains(&(nearest(i) / side))));
    }
}
