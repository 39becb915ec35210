//! A pyramid.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::loft::{End, capped};
use super::rectangle::rectangle;
use rigor_geometry::Mesh;

/// A pyramid over a rectangle, with its tip at the top.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spike {
    /// Base length along x, height along y, base length along z (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub size: Vec3,
}

impl Spike {
    /// The closed mesh of 5 vertices and 6 triangles.
    ///
    /// ```
    /// use rigor_shapes::Spike;
    /// use rigor_math::Vec3;
    /// let mesh = Spike { size: Vec3::new(1.0, 3.0, 2.0) }.mesh()?;
    /// assert!((mesh.signed_volume() - 2.0).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("spike");
        check.size(&self.size)?;
        let half = self.size.y / 2.0;
        let base = rectangle([self.size.x, self.size.z], -half);
        capped(check, &[base], [End::Flat, End::Tip(Vec3::y() * half)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn spikes_are_sound() {
        let mesh = Spike { size: Vec3::new(0.3, 0.2, 5.0) }.mesh().unwrap();
        assert_sound(&mesh, 2);
        assert!(mesh.is_convex());
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (5, 6));
        assert!((mesh.signed_volume() - 0.1).abs() < 1e-15);
        assert!(Spike { size: Vec3::new(1.0, -1.0, 1.0) }.mesh().is_err());
    }
}
