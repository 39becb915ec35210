//! A ramp.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::extrude::{extrude, fan};
use rigor_geometry::Mesh;

/// A prism with a right triangle as its section: flat at the bottom, vertical at +x, with a slope that rises
/// from −x to +x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wedge {
    /// Length along x, height along y, width along z (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub size: Vec3,
}

impl Wedge {
    /// The closed mesh of 6 vertices and 8 triangles.
    ///
    /// ```
    /// use rigor_shapes::Wedge;
    /// use rigor_math::Vec3;
    /// let mesh = Wedge { size: Vec3::new(3.0, 2.0, 1.0) }.mesh()?;
    /// assert!((mesh.signed_volume() - 3.0).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("wedge");
        check.size(&self.size)?;
        let [x, y] = [self.size.x / 2.0, self.size.y / 2.0];
        extrude(check, &[[-x, -y], [x, -y], [x, y]], &fan(0, 3), self.size.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn wedges_are_sound() {
        let mesh = Wedge { size: Vec3::new(0.3, 0.2, 5.0) }.mesh().unwrap();
        assert_sound(&mesh, 2);
        assert!(mesh.is_convex());
        assert!((mesh.signed_volume() - 0.15).abs() < 1e-15);
        assert!(Wedge { size: Vec3::new(1.0, -1.0, 1.0) }.mesh().is_err());
    }
}
