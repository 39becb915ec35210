//! A playing card.

use rigor_math::Vec3;

use super::check::Check;
use super::{Cuboid, Plane, ShapeError};
use rigor_geometry::Mesh;

/// A rectangle with normal y: a thin box, or a sheet without thickness.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Card {
    /// Edge lengths along x, z (m).
    pub size: [f64; 2],
    /// Thickness along y (m). Default: none, a sheet of two triangles.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub thickness: Option<f64>,
}

impl Card {
    /// The mesh: closed with a thickness, open without.
    ///
    /// ```
    /// use rigor_shapes::Card;
    /// use rigor_geometry::Surface;
    /// let size = [63.5e-3, 88.9e-3];
    /// assert_eq!(Card { size, thickness: Some(0.3e-3) }.mesh()?.surface(), Surface::Closed);
    /// assert_eq!(Card { size, thickness: None }.mesh()?.surface(), Surface::Open { edges: 4 });
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("card");
        check.positive("size.x", self.size[0])?;
        check.positive("size.z", self.size[1])?;
        let Some(thickness) = self.thickness else { return Plane::new(self.size).mesh() };
        check.positive("thickness", thickness)?;
        Cuboid::new(Vec3::new(self.size[0], thickness, self.size[1])).mesh()
    }
}
