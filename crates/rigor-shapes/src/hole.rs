//! A block with a hole.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::loft::{End, capped, cyclic};
use super::rectangle::rectangle;
use rigor_geometry::Mesh;

/// The form of the end of a hole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bottom {
    /// Open: the hole goes through.
    Through,
    /// Flat, at a depth (m) less than the block's.
    Flat {
        /// Depth (m) below the top.
        depth: f64,
    },
    /// Tapered to a point, like the mould of a spike.
    Pointed {
        /// Depth (m) of the point below the top.
        depth: f64,
    },
}

/// A block with a rectangular hole in the middle of its top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hole {
    /// Edge lengths (m) of the block.
    pub size: Vec3,
    /// Lengths (m) of the opening along x and z, less than the block's.
    pub opening: [f64; 2],
    /// The form of its end.
    pub bottom: Bottom,
}

impl Hole {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::{Bottom, Hole};
    /// use rigor_math::Vec3;
    /// let hole = Hole { size: Vec3::repeat(2.0), opening: [1.0, 0.5], bottom: Bottom::Through };
    /// assert!((hole.mesh()?.signed_volume() - 7.0).abs() < 1e-14);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, and a hole that does not fit.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("hole");
        check.size(&self.size)?;
        check.below("opening.x", self.opening[0], self.size.x)?;
        check.below("opening.z", self.opening[1], self.size.z)?;
        let top = self.size.y / 2.0;
        let outer = |y| rectangle([self.size.x, self.size.z], y);
        let inner = |y| rectangle(self.opening, y);
        match self.bottom {
            Bottom::Through => cyclic(check, &[outer(-top), outer(top), inner(top), inner(-top)]),
            Bottom::Flat { depth } => {
                check.below("depth", depth, self.size.y)?;
                capped(
                    check,
                    &[outer(-top), outer(top), inner(top), inner(top - depth)],
                    [End::Flat, End::Flat],
                )
            }
            Bottom::Pointed { depth } => {
                check.below("depth", depth, self.size.y)?;
                let point = Vec3::y() * (top - depth);
                capped(check, &[outer(-top), outer(top), inner(top)], [End::Flat, End::Tip(point)])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn holes_are_sound_and_take_their_volume_away() {
        let block = |bottom| Hole { size: Vec3::new(2.0, 1.0, 3.0), opening: [0.5, 0.8], bottom };
        let depth = 0.7;
        for (bottom, volume, euler) in [
            (Bottom::Through, 6.0 - 0.4, 0),
            (Bottom::Flat { depth }, 6.0 - 0.4 * 0.7, 2),
            (Bottom::Pointed { depth }, 6.0 - 0.4 * 0.7 / 3.0, 2),
        ] {
            let mesh = block(bottom).mesh().unwrap();
            assert_sound(&mesh, euler);
            assert!((mesh.signed_volume() - volume).abs() < 1e-14);
        }
        assert!(block(Bottom::Flat { depth: 1.0 }).mesh().is_err());
        assert!(Hole { opening: [0.5, 3.0], ..block(Bottom::Through) }.mesh().is_err());
    }
}
