//! Mass per measure of a mesh.

use std::f64::consts::PI;

use super::MassError;
use crate::Mesh;

/// Mass per volume, area, length and point.
///
/// ```
/// use rigor_geometry::mass::Density;
/// assert_eq!(Density::from(1000.0).area, 1000.0);
/// assert_eq!(Density::of_thickness(1000.0, 0.002).area, 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Density {
    /// Of solids (kg/m³).
    pub volume: f64,
    /// Of shells (kg/m²).
    pub area: f64,
    /// Of wires (kg/m).
    pub length: f64,
    /// Of points (kg each).
    pub point: f64,
}

impl Density {
    /// The same number for all four, as for sheets 1 m thick, wires 1 m² in section and points of 1 m³.
    ///
    /// Source: the reference program of \[Ferguson2021\], which multiplies its one density by volume, area,
    /// length or count.
    pub fn uniform(density: f64) -> Self {
        Self { volume: density, area: density, length: density, point: density }
    }

    /// A material of `density` (kg/m³) in sheets of `thickness` (m) and in round wires and balls of that
    /// diameter: ρ t, ρ π t²/4 and ρ π t³/6.
    pub fn of_thickness(density: f64, thickness: f64) -> Self {
        Self {
            volume: density,
            area: density * thickness,
            length: density * PI / 4.0 * thickness * thickness,
            point: density * PI / 6.0 * thickness * thickness * thickness,
        }
    }

    /// Checks the densities that `mesh` may need, without distinguishing solid triangles from shells.
    pub(super) fn check(&self, mesh: &Mesh) -> Result<(), MassError> {
        let checks = [
            (self.volume, "kg/m³", !mesh.triangles().is_empty()),
            (self.area, "kg/m²", !mesh.triangles().is_empty()),
            (self.length, "kg/m", !mesh.wires().is_empty()),
            (self.point, "kg", !mesh.points().is_empty()),
        ];
        let bad = |value: f64| !(value > 0.0 && value.is_finite());
        match checks.into_iter().find(|(value, _, used)| *used && bad(*value)) {
            Some((value, unit, _)) => Err(MassError::Density { value, unit }),
            None => Ok(()),
        }
    }
}

impl From<f64> for Density {
    fn from(density: f64) -> Self {
        Self::uniform(density)
    }
}
