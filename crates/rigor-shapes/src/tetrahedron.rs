//! A tetrahedron.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::{Aabb, Mesh};

/// A tetrahedron given by its corners, in any order.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tetrahedron {
    /// The four corners (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[[f64; 3]; 4]"))]
    pub corners: [Vec3; 4],
}

impl Tetrahedron {
    /// The regular tetrahedron with edges of this length (m) about the origin: every other corner of a cube.
    ///
    /// ```
    /// use rigor_shapes::Tetrahedron;
    /// let mesh = Tetrahedron::regular(2.0).mesh()?;
    /// let [a, b] = mesh.ends(0);
    /// assert!(((a - b).norm() - 2.0).abs() < 1e-15);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    pub fn regular(edge: f64) -> Self {
        let h = edge / 8.0_f64.sqrt();
        Self { corners: [[h, h, h], [h, -h, -h], [-h, h, -h], [-h, -h, h]].map(Vec3::from) }
    }

    /// The closed mesh, with its corners in the given order.
    ///
    /// # Errors
    /// [`ShapeError`] for corners that are not finite, or that are coplanar up to 1e-12 of their extent.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("tetrahedron");
        let [a, b, c, d] = self.corners;
        let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
        let extent = Aabb::of_points(&self.corners).extent().amax();
        let solid = volume.abs() > 1e-12 * extent * extent * extent;
        check.that(solid, "volume", volume.abs(), "more than 1e-12 of the extent cubed")?;
        let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let faces = if volume > 0.0 { faces } else { faces.map(|[a, b, c]| [a, c, b]) };
        check.mesh(Mesh::new(self.corners.to_vec(), faces.to_vec(), vec![]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn tetrahedra_are_sound_however_their_corners_are_ordered() {
        let regular = Tetrahedron::regular(1.0);
        let mesh = regular.mesh().unwrap();
        assert!((mesh.signed_volume() - 1.0 / 72.0_f64.sqrt()).abs() < 1e-16);
        let [a, b, c, d] = regular.corners;
        for corners in [[a, b, c, d], [b, a, c, d], [d, c, b, a], [a, c, b, d]] {
            let mesh = Tetrahedron { corners }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!(mesh.is_convex());
        }
        assert!(Tetrahedron { corners: [a, b, c, (a + b + c) / 3.0] }.mesh().is_err());
        assert!(Tetrahedron { corners: [a, b, c, d * f64::NAN] }.mesh().is_err());
        assert!(Tetrahedron::regular(-1.0).mesh().is_ok(), "the mirror image is a tetrahedron too");
        assert!(Tetrahedron::regular(0.0).mesh().is_err());
    }
}
