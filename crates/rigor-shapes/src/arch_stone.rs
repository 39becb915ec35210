//! A stone of an arch.

use rigor_math::elementary::sin_cos;

use super::ShapeError;
use super::check::Check;
use super::extrude::extrude;
use rigor_geometry::Mesh;

/// A voussoir: the part of a tube about the z axis between two planes through that axis.
///
/// The origin is the centre of the arch; angles run from +x to +y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArchStone {
    /// Radius (m) of the underside, the intrados.
    pub inner_radius: f64,
    /// Radius (m) of the upper side, the extrados.
    pub outer_radius: f64,
    /// Width (m) along z.
    pub depth: f64,
    /// Angle (rad) of the first joint.
    pub start: f64,
    /// Angle (rad) of the last joint, greater than the first by less than π.
    pub end: f64,
    /// Number of flat parts of each curved face, from 1 to 1024.
    pub segments: u32,
}

impl ArchStone {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::ArchStone;
    /// let stone = ArchStone {
    ///     inner_radius: 1.0, outer_radius: 2.0, depth: 1.0, start: 0.5, end: 1.0, segments: 1,
    /// };
    /// let volume = 0.5 * 0.5_f64.sin() * (4.0 - 1.0);
    /// assert!((stone.mesh()?.signed_volume() - volume).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, radii and angles that leave no volume,
    /// and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("arch stone");
        check.positive("outer_radius", self.outer_radius)?;
        check.below("inner_radius", self.inner_radius, self.outer_radius)?;
        check.positive("depth", self.depth)?;
        check.that(self.start.is_finite(), "start", self.start, "finite")?;
        let span = self.end - self.start;
        let fits = span > 0.0 && span < std::f64::consts::PI;
        check.that(fits, "end", self.end, "more than start by less than π")?;
        check.count("segments", self.segments, 1..=1024)?;
        let n = self.segments;
        let at = |k: u32, radius: f64| {
            let (s, c) = sin_cos(self.start + span * f64::from(k) / f64::from(n));
            [radius * c, radius * s]
        };
        let outer = (0..=n).map(|k| at(k, self.outer_radius));
        let section: Vec<_> = outer.chain((0..=n).rev().map(|k| at(k, self.inner_radius))).collect();
        extrude(check, &section, &strip(n), self.depth)
    }
}

/// Triangles between two rows of n + 1 vertices, the first numbered forwards, then the second backwards.
pub(super) fn strip(n: u32) -> Vec<[u32; 3]> {
    let quad = |k: u32| {
        let [a, b, c, d] = [k, k + 1, 2 * n - k, 2 * n + 1 - k];
        [[a, b, c], [a, c, d]]
    };
    (0..n).flat_map(quad).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::{assert_sound, order_of};

    const STONE: ArchStone =
        ArchStone { inner_radius: 1.0, outer_radius: 1.5, depth: 2.0, start: -0.4, end: 1.1, segments: 3 };

    #[test]
    fn stones_are_sound_and_converge() {
        for segments in [1, 2, 7] {
            assert_sound(&ArchStone { segments, ..STONE }.mesh().unwrap(), 2);
        }
        let volume = |segments| ArchStone { segments, ..STONE }.mesh().unwrap().signed_volume();
        assert!((order_of(2.0 * 1.5 / 2.0 * (2.25 - 1.0), volume(16), volume(32)) - 2.0).abs() < 0.01);
        assert!(ArchStone { inner_radius: 1.5, ..STONE }.mesh().is_err());
        assert!(ArchStone { end: -0.4, ..STONE }.mesh().is_err());
        assert!(ArchStone { end: 3.0, ..STONE }.mesh().is_err());
    }
}
