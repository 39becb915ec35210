//! A torus.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::circle;
use super::loft::cyclic;
use rigor_geometry::Mesh;

/// A ring with axis y and a circular section.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Torus {
    /// Radius of the circle through the centres of the sections (m).
    pub major_radius: f64,
    /// Radius of a section (m), less than `major_radius`.
    pub minor_radius: f64,
    /// Number of sections around the axis, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
    /// Vertices per section, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::half_round"))]
    pub sides: u32,
}

impl Torus {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Torus;
    /// let mesh = Torus { major_radius: 1.0, minor_radius: 0.25, segments: 16, sides: 8 }.mesh()?;
    /// assert_eq!((mesh.vertices().len(), mesh.euler_characteristic()), (128, 0));
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for radii that are not positive and finite or leave no hole, and counts out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("torus");
        check.positive("major_radius", self.major_radius)?;
        check.positive("minor_radius", self.minor_radius)?;
        check.count("segments", self.segments, SEGMENTS)?;
        check.count("sides", self.sides, SEGMENTS)?;
        let allowed = || format!("less than major_radius = {}", self.major_radius);
        check.that(self.minor_radius < self.major_radius, "minor_radius", self.minor_radius, allowed())?;
        let loops: Vec<Vec<Vec3>> = circle(self.segments)
            .into_iter()
            .map(|[c, s]| {
                let out = Vec3::new(c, 0.0, -s);
                section(&(out * self.major_radius), &out, &-Vec3::y(), self.minor_radius, self.sides)
            })
            .collect();
        cyclic(check, &loops)
    }
}

/// A circle about `center` (m) that starts at the unit vector `first` and turns towards `second`.
pub(super) fn section(center: &Vec3, first: &Vec3, second: &Vec3, radius: f64, n: u32) -> Vec<Vec3> {
    circle(n).into_iter().map(|[c, s]| center + (first * c + second * s) * radius).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, order_of};
    use rigor_geometry::MassProperties;

    #[test]
    fn tori_are_sound_and_converge() {
        let torus = |n| Torus { major_radius: 2.0, minor_radius: 0.5, segments: n, sides: n }.mesh().unwrap();
        for n in [3, 8, 24] {
            assert_sound(&torus(n), 0);
            assert!(!torus(n).is_convex());
        }
        let [coarse, fine] = [32, 64].map(|n| MassProperties::of(&torus(n), 1.0).unwrap());
        assert!((order_of(2.0 * PI * PI * 2.0 * 0.25, coarse.mass, fine.mass) - 2.0).abs() < 0.01);
        // I = m (R² + ¾ r²) about the axis.
        let per_mass = |b: MassProperties| b.inertia.m22 / b.mass;
        assert!((order_of(4.0 + 0.75 * 0.25, per_mass(coarse), per_mass(fine)) - 2.0).abs() < 0.01);
    }

    #[test]
    fn a_torus_without_a_hole_is_an_error() {
        let error = Torus { major_radius: 1.0, minor_radius: 1.0, segments: 8, sides: 8 }.mesh().unwrap_err();
        assert_eq!(error.to_string(), "torus: minor_radius = 1 must be less than major_radius = 1");
    }
}
