//! A block with a step.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::extrude::{extrude, fan};
use rigor_geometry::Mesh;

/// A block whose upper part at +x is cut away, which leaves a step down from a cliff.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cliff {
    /// Edge lengths of the whole block along x, y, z (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub size: Vec3,
    /// Length of the cut-away part along x (m), less than that of the block.
    pub step: f64,
    /// Height of the cliff (m), less than that of the block.
    pub drop: f64,
}

impl Cliff {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Cliff;
    /// use rigor_math::Vec3;
    /// let mesh = Cliff { size: Vec3::new(2.0, 1.0, 1.0), step: 0.5, drop: 0.25 }.mesh()?;
    /// assert!((mesh.signed_volume() - 1.875).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, and a step that does not fit.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("cliff");
        check.size(&self.size)?;
        check.below("step", self.step, self.size.x)?;
        check.below("drop", self.drop, self.size.y)?;
        let [x, y] = [self.size.x / 2.0, self.size.y / 2.0];
        let [edge, ledge] = [x - self.step, y - self.drop];
        // The foot of the cliff sees every corner.
        let section = [[edge, ledge], [edge, y], [-x, y], [-x, -y], [x, -y], [x, ledge]];
        extrude(check, &section, &fan(0, 6), self.size.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn cliffs_are_sound() {
        for (step, drop) in [(0.5, 0.8), (1.999, 0.001), (1e-3, 0.999)] {
            let mesh = Cliff { size: Vec3::new(2.0, 1.0, 3.0), step, drop }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!((mesh.signed_volume() - 3.0 * (2.0 - step * drop)).abs() < 1e-14);
        }
        assert!(Cliff { size: Vec3::repeat(1.0), step: 1.0, drop: 0.5 }.mesh().is_err());
    }
}
