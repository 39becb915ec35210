//! A coin.

use super::{Cylinder, ShapeError};
use rigor_geometry::Mesh;

/// A flat cylinder with axis y.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coin {
    /// Radius (m).
    pub radius: f64,
    /// Thickness along y (m).
    pub thickness: f64,
    /// Vertices per circle, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
}

impl Coin {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Coin;
    /// let euro = Coin { radius: 11.625e-3, thickness: 2.33e-3, segments: 64 }.mesh()?;
    /// assert!((euro.signed_volume() - 0.989e-6).abs() < 2e-9);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let &Self { radius, thickness, segments } = self;
        Cylinder { radius, height: thickness, segments }.mesh_as("coin", "thickness")
    }
}
