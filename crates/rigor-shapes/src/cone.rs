//! A cone.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::ring;
use super::loft::{End, capped};
use rigor_geometry::Mesh;

/// A cone with axis y and its apex at the top.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cone {
    /// Radius of the base (m).
    pub radius: f64,
    /// Height along y (m).
    pub height: f64,
    /// Vertices per circle, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
}

impl Cone {
    /// The closed mesh: a pyramid over a regular polygon inscribed in the base.
    ///
    /// ```
    /// use rigor_shapes::Cone;
    /// let mesh = Cone { radius: 1.0, height: 3.0, segments: 4 }.mesh()?;
    /// assert!((mesh.signed_volume() - 2.0).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("cone");
        check.positive("radius", self.radius)?;
        check.positive("height", self.height)?;
        check.count("segments", self.segments, SEGMENTS)?;
        let up = Vec3::y() * (self.height / 2.0);
        capped(check, &[ring(self.radius, -up.y, self.segments)], [End::Tip(-up), End::Tip(up)])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, frustum_sum, order_of};
    use rigor_geometry::MassProperties;

    #[test]
    fn cones_are_sound_and_converge() {
        for segments in [3, 5, 64] {
            let mesh = Cone { radius: 0.2, height: 3.0, segments }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
            let expected = frustum_sum(&[[0.2, 0.0], [0.0, 3.0]], segments);
            assert!((mesh.signed_volume() / expected - 1.0).abs() < 1e-13);
        }
        let body = |n| {
            MassProperties::of(&Cone { radius: 1.0, height: 2.0, segments: n }.mesh().unwrap(), 1.0).unwrap()
        };
        let [coarse, fine] = [32, 64].map(body);
        assert!((order_of(2.0 / 3.0 * PI, coarse.mass, fine.mass) - 2.0).abs() < 0.01);
        // I = 3/10 m r² about the axis, 3/80 m (4 r² + h²) across; centre at a quarter of the height.
        let per_mass = |b: MassProperties| b.inertia / b.mass;
        assert!((order_of(0.3, per_mass(coarse).m22, per_mass(fine).m22) - 2.0).abs() < 0.01);
        assert!((order_of(0.3, per_mass(coarse).m11, per_mass(fine).m11) - 2.0).abs() < 0.01);
        assert!((fine.center - Vec3::new(0.0, -0.5, 0.0)).norm() < 1e-14);
    }
}
