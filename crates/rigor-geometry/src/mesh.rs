//! Meshes of any codimension: triangles, edges and points in one body.

mod merge;
mod soup;

use rigor_math::Vec3;
use rustc_hash::FxHashSet;

use crate::Aabb;

pub use merge::{Merged, Ranges};
pub use soup::{Dropped, Soup};

/// Triangles, edges and points over one list of vertices.
///
/// `edges` holds every edge once: first those of the triangles, then the *wires* (edges of no triangle). `points`
/// holds the vertices that belong to no edge. So the surface is exactly the union of triangles, wires and points, and
/// the barrier of \[Ferguson2021\] §4.2 runs over `vertices × triangles`, `edges × edges`, `points × …`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) edges: Vec<[u32; 2]>,
    pub(crate) n_triangle_edges: usize,
    pub(crate) points: Vec<u32>,
}

/// The reason why vertices and indices do not form a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no vertex.
    #[error("the mesh is empty: it has no vertices")]
    Empty,
    /// A coordinate that is NaN or infinite.
    #[error("vertex {vertex} is at ({}, {}, {}): every coordinate must be a finite number", position.x, position.y, position.z)]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// An index past the end of the vertex list.
    #[error("{kind} {index} refers to vertex {vertex}, but there are only {n_vertices}")]
    IndexOutOfRange {
        /// "triangle" or "edge".
        kind: &'static str,
        /// Index of the triangle or edge.
        index: usize,
        /// The vertex it refers to.
        vertex: u32,
        /// Number of vertices.
        n_vertices: usize,
    },
    /// A triangle or edge that names a vertex twice, or whose corners coincide or are collinear.
    #[error("{kind} {index} is degenerate: its corners {corners:?} span no {measure}")]
    Degenerate {
        /// "triangle" or "edge".
        kind: &'static str,
        /// Index of the triangle or edge.
        index: usize,
        /// The vertices it refers to.
        corners: Vec<u32>,
        /// "area" or "length".
        measure: &'static str,
    },
}

impl Mesh {
    /// A mesh of `triangles` and extra `wires` (edges of no triangle); unused vertices become points.
    ///
    /// # Errors
    /// [`MeshError`] if there is no vertex, a vertex is not finite, an index is invalid or a primitive
    /// degenerate.
    pub fn new(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        wires: Vec<[u32; 2]>,
    ) -> Result<Self, MeshError> {
        check_vertices(&vertices)?;
        check_range("triangle", &triangles, vertices.len())?;
        check_range("edge", &wires, vertices.len())?;
        check_measures(&vertices, &triangles, &wires)?;
        Ok(Self::assemble(vertices, triangles, wires))
    }

    /// As [`Mesh::new`], for data that has been checked.
    pub(crate) fn assemble(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, wires: Vec<[u32; 2]>) -> Self {
        let mut seen = FxHashSet::default();
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut edges: Vec<[u32; 2]> =
            triangles.iter().flat_map(sides).map(sorted).filter(|e| seen.insert(key(*e))).collect();
        let n_triangle_edges = edges.len();
        edges.extend(wires.into_iter().map(sorted).filter(|e| seen.insert(key(*e))));
        let mut used = vec![false; vertices.len()];
        for v in edges.iter().flatten() {
            used[*v as usize] = true;
        }
        let points = (0..vertices.len() as u32).filter(|&v| !used[v as usize]).collect();
        Self { vertices, triangles, edges, n_triangle_edges, points }
    }

    /// Vertex positions (m).
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles, counter-clockwise seen from outside.
    #[inline]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Every edge once, smaller vertex first: those of triangles, then the wires.
    #[inline]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Edges that belong to a triangle: the leading part of [`Mesh::edges`].
    pub fn triangle_edges(&self) -> &[[u32; 2]] {
        &self.edges[..self.n_triangle_edges]
    }

    /// Edges that belong to no triangle.
    pub fn wires(&self) -> &[[u32; 2]] {
        &self.edges[self.n_triangle_edges..]
    }

    /// Vertices that belong to no edge.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// The corners (m) of a triangle.
    #[inline]
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The ends (m) of an edge.
    #[inline]
    pub fn ends(&self, edge: usize) -> [Vec3; 2] {
        self.edges[edge].map(|v| self.vertices[v as usize])
    }

    /// The area vector (m²) of a triangle: ½ (b − a) × (c − a), its area along its outward normal.
    pub fn area_vector(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a)) / 2.0
    }

    /// The area (m²) of all triangles, each counted once.
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.area_vector(t).norm()).sum()
    }

    /// The signed volume (m³) under the triangles: Σ a·(b × c) / 6, from the centre of the bounding box.
    ///
    /// Source: the divergence theorem, ∫ dV = ⅓ ∮ x·n dA, integrated exactly over every triangle. For a
    /// closed mesh this is the enclosed volume, positive if oriented outwards and negative if inwards; for
    /// any other mesh it depends on the point of reference and has no meaning.
    pub fn signed_volume(&self) -> f64 {
        let origin = self.bounds().center();
        (0..self.triangles.len()).map(|t| cone_volume(self.corners(t), &origin)).sum()
    }

    /// The smallest axis-aligned box around all vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(&self.vertices)
    }

    /// Euler's characteristic V − E + T of the whole mesh: 2 for a closed surface like a sphere, 0 for a
    /// torus, 1 for a sheet without holes or for a single wire or point; summed over disjoint pieces.
    pub fn euler_characteristic(&self) -> i64 {
        self.vertices.len() as i64 - self.edges.len() as i64 + self.triangles.len() as i64
    }

    /// The same connectivity with `f` applied to every vertex.
    ///
    /// Nothing is checked: `f` must keep coordinates finite and triangles non-degenerate, as any rigid motion
    /// does.
    pub fn map_vertices(&self, f: impl Fn(&Vec3) -> Vec3) -> Self {
        Self { vertices: self.vertices.iter().map(f).collect(), ..self.clone() }
    }

    /// The same connectivity with every coordinate multiplied by the factor of its axis.
    ///
    /// Negative factors mirror; with an odd number of them each triangle is reversed, so that a surface that
    /// faces outwards still does.
    ///
    /// As in [`map_vertices`](Self::map_vertices), nothing is checked.
    #[must_use]
    pub fn stretched(&self, factors: &Vec3) -> Self {
        let stretched = self.map_vertices(|v| v.component_mul(factors));
        let n_mirrors = factors.iter().filter(|factor| **factor < 0.0).count();
        if n_mirrors % 2 == 1 { stretched.flipped() } else { stretched }
    }

    /// The same surface turned inside out: each triangle's last two corners swapped.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self { triangles, ..self.clone() }
    }
}

/// The three directed sides of a triangle, in order.
pub(crate) fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The signed volume (m³) of the cone from `apex` over a triangle.
pub(crate) fn cone_volume([a, b, c]: [Vec3; 3], apex: &Vec3) -> f64 {
    (a - apex).dot(&(b - apex).cross(&(c - apex))) / 6.0
}

/// Two vertices as one number, which is hashed at once.
pub(crate) fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

fn check_vertices(vertices: &[Vec3]) -> Result<(), MeshError> {
    if vertices.is_empty() {
        return Err(MeshError::Empty);
    }
    match vertices.iter().enumerate().find(|(_, p)| !p.iter().all(|c| c.is_finite())) {
        Some((vertex, position)) => Err(MeshError::NotFinite { vertex, position: *position }),
        None => Ok(()),
    }
}

fn check_range<const N: usize>(
    kind: &'static str,
    primitives: &[[u32; N]],
    n_vertices: usize,
) -> Result<(), MeshError> {
    for (index, p) in primitives.iter().enumerate() {
        if let Some(&vertex) = p.iter().find(|&&v| v as usize >= n_vertices) {
            return Err(MeshError::IndexOutOfRange { kind, index, vertex, n_vertices });
        }
    }
    Ok(())
}

fn check_measures(vertices: &[Vec3], triangles: &[[u32; 3]], wires: &[[u32; 2]]) -> Result<(), MeshError> {
    if let Some(index) = triangles.iter().position(|t| !has_area(vertices, t)) {
        let corners = triangles[index].to_vec();
        return Err(MeshError::Degenerate { kind: "triangle", index, corners, measure: "area" });
    }
    if let Some(index) = wires.iter().position(|e| !has_length(vertices, e)) {
        let corners = wires[index].to_vec();
        return Err(MeshError::Degenerate { kind: "edge", index, corners, measure: "length" });
    }
    Ok(())
}

fn has_area(vertices: &[Vec3], triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| vertices[v as usize]);
    (b - a).cross(&(c - a)).norm() > 0.0
}

fn has_length(vertices: &[Vec3], &[a, b]: &[u32; 2]) -> bool {
    vertices[a as usize] != vertices[b as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> Mesh {
        let vertices = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], vec![]).unwrap()
    }

    #[test]
    fn right_tetrahedron_has_a_sixth_of_a_cube() {
        let mesh = tetrahedron();
        assert!((mesh.signed_volume() - 1.0 / 6.0).abs() < 1e-16);
        assert!((mesh.area() - (1.5 + 0.75_f64.sqrt())).abs() < 1e-15);
        assert!((mesh.flipped().signed_volume() + 1.0 / 6.0).abs() < 1e-16);
        assert_eq!(mesh.euler_characteristic(), 2);
        assert_eq!((mesh.edges().len(), mesh.wires().len(), mesh.points().len()), (6, 0, 0));
        let total: Vec3 = (0..4).map(|t| mesh.area_vector(t)).sum();
        assert!(total.norm() < 1e-16, "area vectors of a closed surface cancel");
    }

    #[test]
    fn volume_does_not_depend_on_where_a_small_body_lies() {
        let small = tetrahedron().map_vertices(|v| v * (1.0 / 1048576.0));
        let far = small.map_vertices(|v| v + Vec3::new(128.0, -64.0, 64.0));
        // 2⁻²⁰ m at 128 m: the vertices are exact in binary, so only rounding within the sum differs.
        assert!((far.signed_volume() / small.signed_volume() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn every_bad_input_is_named() {
        let v = vec![Vec3::zeros(), Vec3::x(), Vec3::x() * 2.0, Vec3::zeros()];
        let degenerate = |e: Result<Mesh, MeshError>| matches!(e, Err(MeshError::Degenerate { .. }));
        assert_eq!(Mesh::new(vec![], vec![], vec![]), Err(MeshError::Empty));
        assert!(degenerate(Mesh::new(v.clone(), vec![[0, 1, 2]], vec![])));
        assert!(degenerate(Mesh::new(v.clone(), vec![[0, 1, 1]], vec![])));
        assert!(degenerate(Mesh::new(v.clone(), vec![], vec![[0, 3]])));
        assert!(matches!(
            Mesh::new(v.clone(), vec![], vec![[0, 9]]),
            Err(MeshError::IndexOutOfRange { vertex: 9, n_vertices: 4, .. })
        ));
        let nan = Vec3::new(f64::NAN, 0.0, 0.0);
        assert!(matches!(Mesh::new(vec![nan], vec![], vec![]), Err(MeshError::NotFinite { vertex: 0, .. })));
    }
}
