//! A box.

use std::collections::HashMap;

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use rigor_geometry::Mesh;

/// A box with edges along the axes, its faces cut into rectangles of two triangles each.
///
/// Finely cut, its internal edges mislead contact normals: one of Erleben's degenerate cases.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Box", description = "A box centred at the origin, with its edges along the axes.")
)]
pub struct Cuboid {
    /// Edge lengths along x, y, z (m).
    #[cfg_attr(feature = "serde", serde(with = "crate::form::triples"))]
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub size: Vec3,
    /// Segments per edge along x, y, z, 1 to 512 each.
    #[cfg_attr(
        feature = "serde",
        serde(default = "crate::form::ones", skip_serializing_if = "crate::form::is_ones")
    )]
    #[cfg_attr(feature = "schema", schemars(extend("default" = [1, 1, 1])))]
    pub segments: [u32; 3],
}

impl Cuboid {
    /// A box of 8 vertices and 12 triangles with these edge lengths (m).
    ///
    /// ```
    /// use rigor_shapes::Cuboid;
    /// use rigor_math::Vec3;
    /// let mesh = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).mesh()?;
    /// assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    /// assert!((mesh.signed_volume() - 6.0).abs() < 1e-14);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    pub fn new(size: Vec3) -> Self {
        Self { size, segments: [1; 3] }
    }

    /// A cube with edges of this length (m).
    pub fn cube(edge: f64) -> Self {
        Self::new(Vec3::repeat(edge))
    }

    /// The closed mesh.
    ///
    /// # Errors
    /// [`ShapeError`] for sizes that are not positive and finite and segments out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("box");
        check.size(&self.size)?;
        for (name, n) in ["segments.x", "segments.y", "segments.z"].into_iter().zip(self.segments) {
            check.count(name, n, 1..=512)?;
        }
        let mut lattice = Lattice { shape: self, vertices: Vec::new(), index: HashMap::new() };
        let mut triangles = Vec::new();
        for axis in 0..3 {
            for side in [0, self.segments[axis]] {
                lattice.face(axis, side, &mut triangles);
            }
        }
        check.mesh(Mesh::new(lattice.vertices, triangles, vec![]))
    }
}

/// The vertices created so far, by their place in the lattice.
struct Lattice<'a> {
    shape: &'a Cuboid,
    vertices: Vec<Vec3>,
    index: HashMap<[u32; 3], u32>,
}

impl Lattice<'_> {
    fn vertex(&mut self, place: [u32; 3]) -> u32 {
        let next = self.vertices.len() as u32;
        let index = *self.index.entry(place).or_insert(next);
        if index == next {
            // Exactly symmetric about the origin: 2k − n changes sign without rounding.
            self.vertices.push(Vec3::from_fn(|k, _| {
                let n = f64::from(self.shape.segments[k]);
                self.shape.size[k] * (2.0 * f64::from(place[k]) - n) / (2.0 * n)
            }));
        }
        index
    }

    fn face(&mut self, axis: usize, side: u32, triangles: &mut Vec<[u32; 3]>) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for i in 0..self.shape.segments[u] {
            for j in 0..self.shape.segments[v] {
                let mut corner = |du: u32, dv: u32| {
                    let mut place = [side; 3];
                    (place[u], place[v]) = (i + du, j + dv);
                    self.vertex(place)
                };
                let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                let faces_up = side > 0;
                triangles.extend(if faces_up { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;

    #[test]
    fn boxes_are_sound_and_have_their_volume_and_area() {
        for segments in [[1, 1, 1], [3, 1, 2], [4, 5, 6]] {
            let mesh = Cuboid { size: Vec3::new(1.0, 0.01, 7.0), segments }.mesh().unwrap();
            assert_sound(&mesh, 2);
            assert!((mesh.signed_volume() / 0.07 - 1.0).abs() < 1e-13);
            assert!((mesh.area() / 14.16 - 1.0).abs() < 1e-13);
            assert!(mesh.is_convex());
            let sum: Vec3 = mesh.vertices().iter().sum();
            assert!(sum.norm() < 1e-12, "symmetric");
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        let error = |size, segments| Cuboid { size, segments }.mesh().unwrap_err().to_string();
        let flat = Vec3::new(1.0, 0.0, 1.0);
        assert_eq!(error(flat, [1; 3]), "box: size.y = 0 must be positive and finite");
        assert_eq!(
            error(Vec3::x().add_scalar(f64::NAN), [1; 3]),
            "box: size.x = NaN must be positive and finite"
        );
        assert_eq!(error(Vec3::repeat(1.0), [1, 0, 1]), "box: segments.y = 0 must be from 1 to 512");
        assert!(matches!(Cuboid::cube(1e-200).mesh(), Err(ShapeError::Mesh { .. })));
    }
}
