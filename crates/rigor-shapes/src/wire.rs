//! A bent wire without thickness.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// A wire without thickness: edges from point to point.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wire {
    /// The points (m), at least two.
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<[f64; 3]>"))]
    pub points: Vec<Vec3>,
    /// Whether the last point is joined to the first.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "std::ops::Not::not"))]
    #[cfg_attr(feature = "schema", schemars(extend("default" = false)))]
    pub closed: bool,
}

impl Wire {
    /// The mesh: edges only.
    ///
    /// ```
    /// use rigor_shapes::Wire;
    /// use rigor_math::Vec3;
    /// let loop_ = Wire { points: vec![Vec3::x(), Vec3::y(), Vec3::z()], closed: true }.mesh()?;
    /// assert_eq!((loop_.wires().len(), loop_.triangles().len()), (3, 0));
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for too few points, or coincident neighbours.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("wire");
        let n = self.points.len() as u32;
        check.count("points", n, if self.closed { 3 } else { 2 }..=65_536)?;
        let last = if self.closed { n } else { n - 1 };
        let edges = (0..last).map(|i| [i, (i + 1) % n]).collect();
        check.mesh(Mesh::new(self.points.clone(), vec![], edges))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_wire_has_an_edge_less_than_points_and_a_closed_one_as_many() {
        let points: Vec<Vec3> = (0..5).map(|k| Vec3::new(f64::from(k), f64::from(k * k), 0.0)).collect();
        for (closed, edges) in [(false, 4), (true, 5)] {
            let mesh = Wire { points: points.clone(), closed }.mesh().unwrap();
            assert_eq!(
                (mesh.wires().len(), mesh.points().len(), mesh.split_components().len()),
                (edges, 0, 1)
            );
        }
    }

    #[test]
    fn too_few_points_and_neighbours_in_one_place_are_errors() {
        let wire = |points: &[Vec3], closed| Wire { points: points.to_vec(), closed }.mesh();
        assert!(wire(&[Vec3::x()], false).is_err());
        assert!(wire(&[Vec3::x(), Vec3::y()], true).is_err());
        assert!(wire(&[Vec3::x(), Vec3::x()], false).is_err());
    }
}
