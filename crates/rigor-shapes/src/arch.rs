//! A round arch of stones.

use std::f64::consts::PI;

use super::check::Check;
use super::{ArchStone, ShapeError};
use rigor_geometry::Mesh;

/// A round arch of equal stones, from +x over +y to −x, about the centre of its circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arch {
    /// Radius (m) of the underside.
    pub inner_radius: f64,
    /// Radius (m) of the upper side.
    pub outer_radius: f64,
    /// Width (m) along z.
    pub depth: f64,
    /// Angle (rad) between the first and the last joint, symmetric about +y; at most π for a stable arch.
    pub span: f64,
    /// Number of stones, from 1 to 4096.
    pub stones: u32,
    /// Width (m) of the joints at the underside; 0 for stones that touch.
    pub gap: f64,
    /// Number of flat parts of each curved face of a stone.
    pub segments: u32,
}

impl Arch {
    /// The stones, from +x to −x, each in place.
    ///
    /// ```
    /// use rigor_shapes::Arch;
    /// let arch = Arch {
    ///     inner_radius: 1.0, outer_radius: 1.2, depth: 0.5, span: std::f64::consts::PI, stones: 7, gap: 1e-3, segments: 2,
    /// };
    /// assert_eq!(arch.meshes()?.len(), 7);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`ArchStone::mesh`], and for a number of stones out of bounds or a gap that leaves no stone.
    pub fn meshes(&self) -> Result<Vec<Mesh>, ShapeError> {
        let check = Check("arch");
        check.count("stones", self.stones, 1..=4096)?;
        check.positive("inner_radius", self.inner_radius)?;
        let part = self.span / f64::from(self.stones);
        let joint = self.gap / self.inner_radius;
        check.that(joint >= 0.0 && joint < part, "gap", self.gap, "at least 0 and less than a stone")?;
        let first = (PI - self.span) / 2.0;
        let stone = |k: u32| ArchStone {
            inner_radius: self.inner_radius,
            outer_radius: self.outer_radius,
            depth: self.depth,
            start: first + part * f64::from(k) + joint / 2.0,
            end: first + part * f64::from(k + 1) - joint / 2.0,
            segments: self.segments,
        };
        (0..self.stones).map(|k| stone(k).mesh()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::first_crossing;

    #[test]
    fn neighbours_in_an_arch_are_apart_by_the_gap() {
        let arch = Arch {
            inner_radius: 1.0,
            outer_radius: 1.2,
            depth: 0.5,
            span: PI,
            stones: 7,
            gap: 1e-3,
            segments: 2,
        };
        let stones = arch.meshes().unwrap();
        for pair in stones.windows(2) {
            assert_eq!(first_crossing(&pair[0], &pair[1]), None);
            let distance = |a: &Mesh, b: &Mesh| {
                a.vertices()
                    .iter()
                    .flat_map(|v| b.vertices().iter().map(move |w| (v - w).norm()))
                    .fold(f64::INFINITY, f64::min)
            };
            assert!((distance(&pair[0], &pair[1]) / 1e-3 - 1.0).abs() < 1e-3);
        }
        assert!(Arch { gap: 0.5, ..arch }.meshes().is_err());
    }
}
