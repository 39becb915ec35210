//! A block with a groove.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::extrude::{extrude, fan};
use rigor_geometry::Mesh;

/// A block with a V-shaped groove along z in the middle of its top face.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crack {
    /// Edge lengths of the block along x, y, z (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub size: Vec3,
    /// Width of the groove at the top, along x (m), less than that of the block.
    pub width: f64,
    /// Depth of the groove (m), less than the height of the block.
    pub depth: f64,
}

impl Crack {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Crack;
    /// use rigor_math::Vec3;
    /// let mesh = Crack { size: Vec3::new(2.0, 1.0, 1.0), width: 0.5, depth: 0.8 }.mesh()?;
    /// assert!((mesh.signed_volume() - (2.0 - 0.5 * 0.8 / 2.0)).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, and a groove that does not fit.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("crack");
        check.size(&self.size)?;
        check.below("width", self.width, self.size.x)?;
        check.below("depth", self.depth, self.size.y)?;
        let [x, y, w] = [self.size.x / 2.0, self.size.y / 2.0, self.width / 2.0];
        // The bottom of the groove sees every corner.
        let section = [[0.0, y - self.depth], [-w, y], [-x, y], [-x, -y], [x, -y], [x, y], [w, y]];
        extrude(check, &section, &fan(0, 7), self.size.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn cracks_are_sound() {
        for (width, depth) in [(0.5, 0.8), (1.999, 0.001), (1e-3, 0.999)] {
            let mesh = Crack { size: Vec3::new(2.0, 1.0, 3.0), width, depth }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!((mesh.signed_volume() - 3.0 * (2.0 - width * depth / 2.0)).abs() < 1e-14);
        }
        let error = Crack { size: Vec3::repeat(1.0), width: 0.5, depth: 1.0 }.mesh().unwrap_err();
        assert_eq!(error.to_string(), "crack: depth = 1 must be positive and less than 1");
    }
}
