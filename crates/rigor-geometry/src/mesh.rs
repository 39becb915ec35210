//! Meshes of any codimension: triangles, edges and points in one body.

use std::collections::HashSet;

use rigor_math::Vec3;

/// Triangles, edges and points over one list of vertices.
///
/// `edges` holds every edge once: first those of the triangles, then the *wires* (edges of no triangle). `points`
/// holds the vertices that belong to no edge. So the surface is exactly the union of triangles, wires and points, and
/// the barrier of [Ferguson2021] §4.2 runs over `vertices × triangles`, `edges × edges`, `points × …`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    n_triangle_edges: usize,
    points: Vec<u32>,
}

/// Why a list of vertices and indices is no mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No vertex at all.
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
    /// An index past the end of the vertices.
    #[error("{kind} {index} refers to vertex {vertex}, but there are only {n_vertices}")]
    IndexOutOfRange {
        /// "triangle" or "edge".
        kind: &'static str,
        /// Index of the triangle or edge.
        index: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A triangle or edge that names one vertex twice, or whose corners coincide or lie on one line.
    #[error("{kind} {index} is degenerate: its corners {corners:?} span no {measure}")]
    Degenerate {
        /// "triangle" or "edge".
        kind: &'static str,
        /// Index of the triangle or edge.
        index: usize,
        /// The vertices it names.
        corners: Vec<u32>,
        /// "area" or "length".
        measure: &'static str,
    },
}

impl Mesh {
    /// A mesh of `triangles` and extra `wires` (edges of no triangle); vertices of neither become points.
    ///
    /// # Errors
    /// [`MeshError`] when a vertex is not finite, an index is out of range or a primitive is degenerate.
    pub fn new(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        wires: Vec<[u32; 2]>,
    ) -> Result<Self, MeshError> {
        if vertices.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some((vertex, position)) =
            vertices.iter().enumerate().find(|(_, p)| !p.iter().all(|c| c.is_finite()))
        {
            return Err(MeshError::NotFinite { vertex, position: *position });
        }
        check_indices("triangle", &triangles, vertices.len())?;
        check_indices("edge", &wires, vertices.len())?;
        for (index, t) in triangles.iter().enumerate() {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            if (b - a).cross(&(c - a)).norm() == 0.0 {
                return Err(MeshError::Degenerate {
                    kind: "triangle",
                    index,
                    corners: t.to_vec(),
                    measure: "area",
                });
            }
        }
        for (index, e) in wires.iter().enumerate() {
            if vertices[e[0] as usize] == vertices[e[1] as usize] {
                return Err(MeshError::Degenerate {
                    kind: "edge",
                    index,
                    corners: e.to_vec(),
                    measure: "length",
                });
            }
        }
        let mut seen = HashSet::new();
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let mut edges: Vec<[u32; 2]> = triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(sorted)
            .filter(|e| seen.insert(*e))
            .collect();
        let n_triangle_edges = edges.len();
        edges.extend(wires.into_iter().map(sorted).filter(|e| seen.insert(*e)));
        let mut used = vec![false; vertices.len()];
        for v in edges.iter().flatten() {
            used[*v as usize] = true;
        }
        let points = (0..vertices.len() as u32).filter(|&v| !used[v as usize]).collect();
        Ok(Self { vertices, triangles, edges, n_triangle_edges, points })
    }

    /// Vertex positions (m).
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Every edge once: those of triangles, then the wires.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
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
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The same connectivity with every vertex moved by `f`.
    pub fn map_vertices(&self, f: impl Fn(&Vec3) -> Vec3) -> Self {
        Self { vertices: self.vertices.iter().map(f).collect(), ..self.clone() }
    }
}

fn check_indices<const N: usize>(
    kind: &'static str,
    primitives: &[[u32; N]],
    n_vertices: usize,
) -> Result<(), MeshError> {
    for (index, p) in primitives.iter().enumerate() {
        if let Some(&vertex) = p.iter().find(|&&v| v as usize >= n_vertices) {
            return Err(MeshError::IndexOutOfRange { kind, index, vertex, n_vertices });
        }
        if (0..N).any(|i| (i + 1..N).any(|j| p[i] == p[j])) {
            let measure = if N == 3 { "area" } else { "length" };
            return Err(MeshError::Degenerate { kind, index, corners: p.to_vec(), measure });
        }
    }
    Ok(())
}
