//! Unchecked vertices and indices, as read from a file, to be repaired into a mesh.

use std::collections::HashMap;

use rigor_math::Vec3;

use super::{Mesh, MeshError, check_range, check_vertices, has_area, has_length};

/// Unchecked vertices (m), triangles and wires.
///
/// ```
/// use rigor_geometry::mesh::Soup;
/// use rigor_math::Vec3;
/// // Two triangles with their own corners, as in an STL file.
/// let (a, b, c, d) = (Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.0));
/// let soup = Soup {
///     vertices: vec![a, b, c, b, d, c],
///     triangles: vec![[0, 1, 2], [3, 4, 5]],
///     wires: vec![],
/// };
/// let mesh = soup.merge_vertices(0.0)?.into_mesh()?;
/// assert_eq!((mesh.vertices().len(), mesh.edges().len()), (4, 5));
/// # Ok::<(), rigor_geometry::MeshError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Soup {
    /// Positions (m).
    pub vertices: Vec<Vec3>,
    /// Corners of triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of edges that belong to no triangle.
    pub wires: Vec<[u32; 2]>,
}

/// Counts of the primitives that [`Soup::drop_degenerate`] removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Triangles without area.
    pub triangles: usize,
    /// Wires without length.
    pub wires: usize,
    /// Vertices that only these used.
    pub vertices: usize,
}

impl Soup {
    /// The mesh of exactly these vertices and primitives.
    ///
    /// # Errors
    /// As [`Mesh::new`].
    pub fn into_mesh(self) -> Result<Mesh, MeshError> {
        Mesh::new(self.vertices, self.triangles, self.wires)
    }

    /// Joins vertices within `tolerance` (m, ≥ 0) of each other; 0 joins only those that are equal.
    ///
    /// Each vertex is merged into the first vertex kept before it within the tolerance, which does not move;
    /// if there is none, the vertex is kept. So kept vertices are farther apart than the tolerance, and no
    /// vertex moves by more than the tolerance. Kept vertices keep their order. Primitives that become
    /// degenerate stay, for [`Soup::drop_degenerate`] to count.
    ///
    /// # Errors
    /// [`MeshError`] if there is no vertex, a vertex is not finite or an index is out of range.
    ///
    /// # Panics
    /// If `tolerance` is negative or not finite.
    pub fn merge_vertices(self, tolerance: f64) -> Result<Self, MeshError> {
        assert!(tolerance >= 0.0 && tolerance.is_finite(), "tolerance {tolerance} m must be ≥ 0");
        check_vertices(&self.vertices)?;
        let mut kept = Kept { tolerance, vertices: Vec::new(), cells: HashMap::new() };
        let target: Vec<u32> = self.vertices.iter().map(|v| kept.place(v)).collect();
        self.check_indices()?;
        let to = |v: u32| target[v as usize];
        Ok(Self {
            vertices: kept.vertices,
            triangles: self.triangles.iter().map(|t| t.map(to)).collect(),
            wires: self.wires.iter().map(|e| e.map(to)).collect(),
        })
    }

    /// Removes triangles without area, wires without length, and the vertices that only these used.
    ///
    /// Vertices that were unused before stay: they are points. A triangle with three distinct collinear
    /// corners connects its neighbours, so that removing it opens a closed surface, which [`Mesh::surface`]
    /// then reports. A triangle that names a vertex twice, as [`Soup::merge_vertices`] may leave it, can be
    /// removed without harm.
    ///
    /// # Errors
    /// [`MeshError::IndexOutOfRange`] if an index is out of range.
    pub fn drop_degenerate(mut self) -> Result<(Self, Dropped), MeshError> {
        self.check_indices()?;
        let used_before = self.used();
        let (n_triangles, n_wires) = (self.triangles.len(), self.wires.len());
        self.triangles.retain(|t| has_area(&self.vertices, t));
        self.wires.retain(|e| has_length(&self.vertices, e));
        let used = self.used();
        let kept: Vec<bool> = used.iter().zip(&used_before).map(|(now, before)| *now || !before).collect();
        let dropped = Dropped {
            triangles: n_triangles - self.triangles.len(),
            wires: n_wires - self.wires.len(),
            vertices: kept.iter().filter(|k| !*k).count(),
        };
        Ok((self.with_vertices(&kept), dropped))
    }

    fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.vertices.len()];
        for &v in self.triangles.iter().flatten().chain(self.wires.iter().flatten()) {
            used[v as usize] = true;
        }
        used
    }

    fn with_vertices(self, kept: &[bool]) -> Self {
        let mut next = 0;
        let target: Vec<u32> = kept
            .iter()
            .map(|k| {
                next += u32::from(*k);
                next.wrapping_sub(1)
            })
            .collect();
        let to = |v: u32| target[v as usize];
        let vertices = self.vertices.iter().zip(kept).filter(|(_, k)| **k).map(|(v, _)| *v).collect();
        Self {
            vertices,
            triangles: self.triangles.iter().map(|t| t.map(to)).collect(),
            wires: self.wires.iter().map(|e| e.map(to)).collect(),
        }
    }

    fn check_indices(&self) -> Result<(), MeshError> {
        check_range("triangle", &self.triangles, self.vertices.len())?;
        check_range("edge", &self.wires, self.vertices.len())
    }
}

impl From<&Mesh> for Soup {
    fn from(mesh: &Mesh) -> Self {
        Self {
            vertices: mesh.vertices.clone(),
            triangles: mesh.triangles.clone(),
            wires: mesh.wires().to_vec(),
        }
    }
}

/// The vertices kept so far, hashed into cells twice the tolerance wide.
struct Kept {
    tolerance: f64,
    vertices: Vec<Vec3>,
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Kept {
    /// The index of the kept vertex that replaces `v`, which is `v` itself if none is within the tolerance.
    fn place(&mut self, v: &Vec3) -> u32 {
        let cell = self.cell(v);
        let near = |&k: &u32| (self.vertices[k as usize] - v).norm() <= self.tolerance;
        let reach: &[i64] = if self.tolerance > 0.0 { &[-1, 0, 1] } else { &[0] };
        let found = reach
            .iter()
            .flat_map(|&i| reach.iter().flat_map(move |&j| reach.iter().map(move |&k| [i, j, k])))
            .filter_map(|offset| self.cells.get(&[0, 1, 2].map(|k| cell[k].saturating_add(offset[k]))))
            .flat_map(|kept| kept.iter().copied().filter(near))
            .min();
        found.unwrap_or_else(|| {
            let index = self.vertices.len() as u32;
            self.vertices.push(*v);
            self.cells.entry(cell).or_default().push(index);
            index
        })
    }

    /// The cell coordinates; at zero tolerance, the bits of the position.
    fn cell(&self, v: &Vec3) -> [i64; 3] {
        let coordinate = |c: f64| {
            if self.tolerance > 0.0 {
                (c / (2.0 * self.tolerance)).floor() as i64
            } else {
                (c + 0.0).to_bits() as i64 // −0 and 0 are equal
            }
        };
        [coordinate(v.x), coordinate(v.y), coordinate(v.z)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(coordinates: &[f64]) -> Soup {
        let vertices = coordinates.iter().map(|&x| Vec3::new(x, -0.0, 1.0)).collect();
        Soup { vertices, ..Soup::default() }
    }

    #[test]
    fn zero_tolerance_joins_equal_vertices_only_and_knows_that_zeros_are_equal() {
        let mut soup = points(&[0.0, 1.0, -0.0, 1.0 + f64::EPSILON]);
        soup.vertices[2].y = 0.0;
        assert_eq!(soup.merge_vertices(0.0).unwrap().vertices.len(), 3);
    }

    #[test]
    fn chains_are_not_drawn_together() {
        let merged = points(&[0.0, 0.9, 1.8, 2.7]).merge_vertices(1.0).unwrap();
        assert_eq!(merged.vertices.iter().map(|v| v.x).collect::<Vec<_>>(), [0.0, 1.8]);
    }

    #[test]
    fn degenerate_primitives_are_dropped_and_counted() {
        let soup = Soup {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() * 2.0, Vec3::z(), Vec3::x()],
            triangles: vec![[0, 1, 2], [0, 1, 3], [1, 1, 2]],
            wires: vec![[1, 5], [0, 2]],
        };
        let (mended, dropped) = soup.drop_degenerate().unwrap();
        assert_eq!(dropped, Dropped { triangles: 2, wires: 1, vertices: 2 });
        let mesh = mended.into_mesh().unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles(), mesh.points()), (4, &[[0, 1, 2]][..], &[3][..]));
    }

    #[test]
    fn bad_indices_and_positions_are_errors() {
        let soup = Soup { triangles: vec![[0, 1, 7]], ..points(&[0.0, 1.0]) };
        assert!(matches!(soup.clone().merge_vertices(0.0), Err(MeshError::IndexOutOfRange { .. })));
        assert!(matches!(soup.drop_degenerate(), Err(MeshError::IndexOutOfRange { .. })));
        assert!(matches!(points(&[f64::NAN]).merge_vertices(0.1), Err(MeshError::NotFinite { .. })));
    }

    proptest! {
        #[test]
        fn kept_vertices_are_apart_and_moved_ones_near(
            coordinates in prop::collection::vec([-1.0..1.0, -1.0..1.0, 0.0..0.1f64], 1..60),
            tolerance in 0.01..0.5f64,
            offset in -1e3..1e3f64,
        ) {
            let vertices: Vec<Vec3> = coordinates.iter().map(|c| Vec3::from(*c).add_scalar(offset)).collect();
            let wires: Vec<[u32; 2]> = (0..vertices.len() as u32).map(|v| [v, v]).collect();
            let soup = Soup { vertices: vertices.clone(), wires, triangles: vec![] };
            let merged = soup.merge_vertices(tolerance).unwrap();
            for (v, [to, _]) in vertices.iter().zip(&merged.wires) {
                prop_assert!((merged.vertices[*to as usize] - v).norm() <= tolerance);
            }
            for (i, a) in merged.vertices.iter().enumerate() {
                for b in &merged.vertices[..i] {
                    prop_assert!((a - b).norm() > tolerance);
                }
            }
        }
    }
}
