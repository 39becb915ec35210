//! A sphere of circles of latitude.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::{at, ring};
use super::loft::{End, capped};
use rigor_geometry::Mesh;

/// A sphere of meridians and parallels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Sphere"))]
pub struct UvSphere {
    /// Radius (m).
    pub radius: f64,
    /// Number of meridians, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
    /// Number of bands from pole to pole, 2 to 2048.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::half_round"))]
    pub rings: u32,
}

impl UvSphere {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::UvSphere;
    /// let octahedron = UvSphere { radius: 1.0, segments: 4, rings: 2 }.mesh()?;
    /// assert_eq!(octahedron.triangles().len(), 8);
    /// assert!((octahedron.signed_volume() - 4.0 / 3.0).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for a radius that is not positive and finite and counts out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("uv sphere");
        check.positive("radius", self.radius)?;
        check.count("segments", self.segments, SEGMENTS)?;
        check.count("rings", self.rings, 2..=2048)?;
        let loops: Vec<Vec<Vec3>> = (1..self.rings)
            .map(|j| {
                // Latitude from −π/2 to π/2 at j/rings: (cos, sin) of π j/rings, turned back by π/2.
                let [c, s] = at(j, 2 * self.rings);
                ring(self.radius * s, -self.radius * c, self.segments)
            })
            .collect();
        let pole = Vec3::y() * self.radius;
        capped(check, &loops, [End::Tip(-pole), End::Tip(pole)])
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, frustum_sum, order_of};

    #[test]
    fn spheres_are_sound_and_have_the_volume_of_their_polyhedron() {
        for (segments, rings) in [(3, 2), (4, 3), (7, 5), (32, 16)] {
            let mesh = UvSphere { radius: 2.0, segments, rings }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
            let profile: Vec<[f64; 2]> = (0..=rings)
                .map(|j| {
                    let angle = PI * f64::from(j) / f64::from(rings);
                    [2.0 * angle.sin(), -2.0 * angle.cos()]
                })
                .collect();
            let expected = frustum_sum(&profile, segments);
            assert!((mesh.signed_volume() / expected - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn volume_converges_with_the_square_of_the_segments() {
        let volume =
            |n: u32| UvSphere { radius: 1.0, segments: n, rings: n / 2 }.mesh().unwrap().signed_volume();
        let order = order_of(4.0 / 3.0 * PI, volume(32), volume(64));
        assert!((order - 2.0).abs() < 0.01, "{order}");
    }
}
