//! Merging several meshes into one.

use std::ops::Range;

use super::{Mesh, MeshError};

/// The place of a merged mesh in the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranges {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its edges that belong to triangles.
    pub triangle_edges: Range<usize>,
    /// Its wires, as indices into [`Mesh::edges`].
    pub wires: Range<usize>,
    /// Its points, as indices into [`Mesh::points`].
    pub points: Range<usize>,
}

/// The merged mesh, and where each source lies in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The merged mesh.
    pub mesh: Mesh,
    /// One entry per source that has vertices, in order.
    pub ranges: Vec<Ranges>,
}

impl Mesh {
    /// Merges `meshes` into one mesh, in order; no vertices are joined.
    ///
    /// The primitives of each mesh keep their order: primitive i of mesh k is primitive
    /// `ranges[k].….start + i` of the result. Meshes without vertices are skipped and not counted.
    ///
    /// # Errors
    /// [`MeshError::Empty`] if there is nothing to merge.
    pub fn merge<'a>(meshes: impl IntoIterator<Item = &'a Mesh>) -> Result<Merged, MeshError> {
        let meshes: Vec<&Mesh> = meshes.into_iter().filter(|m| !m.vertices.is_empty()).collect();
        let mut whole = Mesh::default();
        let mut ranges = Vec::with_capacity(meshes.len());
        let mut wires = Vec::new();
        let n_triangle_edges = meshes.iter().map(|m| m.n_triangle_edges).sum::<usize>();
        for mesh in meshes {
            let first = whole.vertices.len() as u32;
            ranges.push(Ranges {
                vertices: extend(&mut whole.vertices, mesh.vertices.iter().copied()),
                triangles: extend(&mut whole.triangles, mesh.triangles.iter().map(|t| t.map(|v| v + first))),
                triangle_edges: extend(
                    &mut whole.edges,
                    mesh.triangle_edges().iter().map(|e| e.map(|v| v + first)),
                ),
                wires: shift(
                    extend(&mut wires, mesh.wires().iter().map(|e| e.map(|v| v + first))),
                    n_triangle_edges,
                ),
                points: extend(&mut whole.points, mesh.points.iter().map(|v| v + first)),
            });
        }
        whole.n_triangle_edges = n_triangle_edges;
        whole.edges.extend(wires);
        if ranges.is_empty() { Err(MeshError::Empty) } else { Ok(Merged { mesh: whole, ranges }) }
    }
}

fn extend<T>(list: &mut Vec<T>, more: impl Iterator<Item = T>) -> Range<usize> {
    let start = list.len();
    list.extend(more);
    start..list.len()
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    #[test]
    fn merging_equals_building_the_whole_at_once() {
        let triangle = |offset: f64| {
            let v = vec![Vec3::repeat(offset), Vec3::x(), Vec3::y(), Vec3::repeat(5.0), Vec3::repeat(6.0)];
            Mesh::new(v, vec![[0, 1, 2]], vec![[2, 3]]).unwrap()
        };
        let (a, b) = (triangle(0.0), triangle(-1.0));
        let merged = Mesh::merge([&a, &b]).unwrap();
        let vertices = a.vertices.iter().chain(&b.vertices).copied().collect();
        let whole = Mesh::new(vertices, vec![[0, 1, 2], [5, 6, 7]], vec![[2, 3], [7, 8]]).unwrap();
        assert_eq!(merged.mesh, whole);
        let second = &merged.ranges[1];
        assert_eq!((second.vertices.clone(), second.triangles.clone()), (5..10, 1..2));
        assert_eq!((second.triangle_edges.clone(), second.wires.clone()), (3..6, 7..8));
        assert_eq!(merged.mesh.points()[second.points.clone()], [9]);
        assert_eq!(Mesh::merge([]), Err(MeshError::Empty));
    }
}
