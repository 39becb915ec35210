//! A cylinder.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::ring;
use super::loft::{End, capped};
use rigor_geometry::Mesh;

/// A cylinder with axis y.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cylinder {
    /// Radius (m).
    pub radius: f64,
    /// Height (m).
    pub height: f64,
    /// Vertices per circle, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
}

impl Cylinder {
    /// The closed mesh: a prism over a regular polygon inscribed in the circle.
    ///
    /// ```
    /// use rigor_shapes::Cylinder;
    /// let square = Cylinder { radius: 1.0, height: 3.0, segments: 4 }.mesh()?;
    /// assert!((square.signed_volume() - 6.0).abs() < 1e-14);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        self.mesh_as("cylinder", "height")
    }

    pub(super) fn mesh_as(&self, name: &'static str, height: &'static str) -> Result<Mesh, ShapeError> {
        let check = Check(name);
        check.positive("radius", self.radius)?;
        check.positive(height, self.height)?;
        check.count("segments", self.segments, SEGMENTS)?;
        let half = self.height / 2.0;
        let loops = [-half, half].map(|y| ring(self.radius, y, self.segments));
        capped(check, &loops, [End::Tip(Vec3::y() * -half), End::Tip(Vec3::y() * half)])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, frustum_sum, order_of};

    #[test]
    fn cylinders_are_sound_and_converge() {
        for segments in [3, 5, 64] {
            let mesh = Cylinder { radius: 0.2, height: 3.0, segments }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
            let expected = frustum_sum(&[[0.2, 0.0], [0.2, 3.0]], segments);
            assert!((mesh.signed_volume() / expected - 1.0).abs() < 1e-13);
        }
        let volume = |n| Cylinder { radius: 1.0, height: 1.0, segments: n }.mesh().unwrap().signed_volume();
        assert!((order_of(PI, volume(32), volume(64)) - 2.0).abs() < 0.01);
    }
}
