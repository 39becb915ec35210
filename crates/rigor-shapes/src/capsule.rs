//! A capsule.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::{at, ring};
use super::loft::{End, capped};
use rigor_geometry::Mesh;

/// A cylinder with axis y and a hemisphere at each end.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capsule {
    /// Radius (m).
    pub radius: f64,
    /// Length of the cylinder between the hemispheres (m).
    pub length: f64,
    /// Vertices per circle, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
    /// Number of bands per hemisphere, 1 to 1024.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::quarter_round"))]
    pub rings: u32,
}

impl Capsule {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Capsule;
    /// let mesh = Capsule { radius: 1.0, length: 2.0, segments: 8, rings: 2 }.mesh()?;
    /// assert_eq!(mesh.bounds().extent().y, 4.0);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite and counts out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("capsule");
        check.positive("radius", self.radius)?;
        check.positive("length", self.length)?;
        check.count("segments", self.segments, SEGMENTS)?;
        check.count("rings", self.rings, 1..=1024)?;
        let half = self.length / 2.0;
        let band = |k: u32, sign: f64| {
            let [c, s] = at(k, 4 * self.rings);
            ring(self.radius * c, sign * (half + self.radius * s), self.segments)
        };
        let below = (0..self.rings).rev().map(|k| band(k, -1.0));
        let loops: Vec<Vec<Vec3>> = below.chain((0..self.rings).map(|k| band(k, 1.0))).collect();
        let pole = Vec3::y() * (half + self.radius);
        capped(check, &loops, [End::Tip(-pole), End::Tip(pole)])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, order_of};

    #[test]
    fn capsules_are_sound_and_converge() {
        for (segments, rings) in [(3, 1), (8, 3), (32, 8)] {
            let mesh = Capsule { radius: 0.2, length: 1.0, segments, rings }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
        }
        let volume = |n| {
            Capsule { radius: 1.0, length: 2.0, segments: n, rings: n / 4 }.mesh().unwrap().signed_volume()
        };
        assert!((order_of(PI * (2.0 + 4.0 / 3.0), volume(32), volume(64)) - 2.0).abs() < 0.01);
    }
}
