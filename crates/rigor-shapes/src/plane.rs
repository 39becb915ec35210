//! A rectangular sheet.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// A flat, open rectangle at y = 0 that faces up.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plane {
    /// Edge lengths along x, z (m).
    pub size: [f64; 2],
    /// Segments per edge along x, z, 1 to 1024 each.
    #[cfg_attr(
        feature = "serde",
        serde(default = "crate::form::one_by_one", skip_serializing_if = "crate::form::is_one_by_one")
    )]
    #[cfg_attr(feature = "schema", schemars(extend("default" = [1, 1])))]
    pub segments: [u32; 2],
}

impl Plane {
    /// A sheet of two triangles with these edge lengths (m) along x and z.
    ///
    /// ```
    /// use rigor_shapes::Plane;
    /// use rigor_math::Vec3;
    /// let mesh = Plane::new([4.0, 2.0]).mesh()?;
    /// assert_eq!(mesh.triangles().len(), 2);
    /// assert_eq!(mesh.area_vector(0), Vec3::y() * 4.0);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    pub fn new(size: [f64; 2]) -> Self {
        Self { size, segments: [1; 2] }
    }

    /// The open mesh.
    ///
    /// # Errors
    /// [`ShapeError`] for sizes that are not positive and finite and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("plane");
        check.positive("size.x", self.size[0])?;
        check.positive("size.z", self.size[1])?;
        check.count("segments.x", self.segments[0], 1..=1024)?;
        check.count("segments.z", self.segments[1], 1..=1024)?;
        let at = |k: u32, axis: usize| {
            let n = f64::from(self.segments[axis]);
            self.size[axis] * (2.0 * f64::from(k) - n) / (2.0 * n)
        };
        let counts = self.segments.map(|n| n + 1);
        let vertices = (0..counts[1])
            .flat_map(|j| (0..counts[0]).map(move |i| Vec3::new(at(i, 0), 0.0, at(j, 1))))
            .collect();
        check.mesh(Mesh::new(vertices, grid(counts).collect(), vec![]))
    }
}

/// The triangles over a grid of vertices, x varying fastest, that face up if z runs towards the viewer.
pub(super) fn grid([n_x, n_z]: [u32; 2]) -> impl Iterator<Item = [u32; 3]> {
    (0..n_z - 1).flat_map(move |j| {
        (0..n_x - 1).flat_map(move |i| {
            let a = j * n_x + i;
            let [b, c, d] = [a + n_x, a + n_x + 1, a + 1];
            [[a, b, c], [a, c, d]]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_geometry::Surface;

    #[test]
    fn a_sheet_is_open_flat_and_of_its_area() {
        let mesh = Plane { size: [3.0, 2.0], segments: [5, 7] }.mesh().unwrap();
        assert_eq!(mesh.surface(), Surface::Open { edges: 24 });
        assert_eq!(mesh.euler_characteristic(), 1);
        assert!((mesh.area() - 6.0).abs() < 1e-14);
        assert!((0..mesh.triangles().len()).all(|t| mesh.area_vector(t).y > 0.0));
        assert!(Plane::new([f64::INFINITY, 1.0]).mesh().is_err());
    }
}
