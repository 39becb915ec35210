//! Adjacency of the primitives of a mesh, computed once and queried often.

mod components;
mod convexity;
mod incidence;
mod surface;

use rustc_hash::FxHashMap;

use crate::Mesh;
use crate::mesh::{key, sides};

pub use components::Components;
pub use convexity::CONVEXITY_TOLERANCE;
pub use incidence::Incidence;
pub use surface::Surface;

/// Triangles at edges, edges of triangles, triangles and edges at vertices.
///
/// ```
/// use rigor_geometry::{Mesh, Topology};
/// use rigor_math::Vec3;
/// // A square of two triangles, 0–1–2 and 0–2–3.
/// let corners = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Vec3::new(x, y, 0.0));
/// let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]], vec![])?;
/// let topology = Topology::of(&mesh);
/// let diagonal = mesh.edges().iter().position(|e| *e == [0, 2]).unwrap();
/// assert_eq!(topology.edge_triangles(diagonal), [Some(0), Some(1)]);
/// assert_eq!(topology.edge_triangles(0), [Some(0), None]);
/// assert_eq!(topology.boundary_edges().count(), 4);
/// # Ok::<(), rigor_geometry::MeshError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    triangle_edges: Vec<[u32; 3]>,
    triangles_of_edge: Incidence,
    triangles_of_vertex: Incidence,
    edges_of_vertex: Incidence,
    /// Per edge, how many triangles traverse it forwards minus how many backwards.
    balance: Vec<i32>,
}

impl Topology {
    /// The adjacency of `mesh`.
    pub fn of(mesh: &Mesh) -> Self {
        let index: FxHashMap<u64, u32> = mesh.triangle_edges().iter().copied().map(key).zip(0..).collect();
        let mut balance = vec![0; mesh.edges().len()];
        let edge_of = |[a, b]: [u32; 2]| index[&key([a.min(b), a.max(b)])];
        let triangle_edges: Vec<[u32; 3]> = mesh.triangles().iter().map(|t| sides(t).map(edge_of)).collect();
        for (triangle, edges) in mesh.triangles().iter().zip(&triangle_edges) {
            for ([a, b], e) in sides(triangle).into_iter().zip(edges) {
                balance[*e as usize] += if a < b { 1 } else { -1 };
            }
        }
        Self {
            triangles_of_edge: Incidence::of(mesh.edges().len(), &triangle_edges),
            triangles_of_vertex: Incidence::of(mesh.vertices().len(), mesh.triangles()),
            edges_of_vertex: Incidence::of(mesh.vertices().len(), mesh.edges()),
            triangle_edges,
            balance,
        }
    }

    /// The edges of a triangle with corners a, b, c, as indices into [`Mesh::edges`]: ab, bc, ca.
    pub fn edges_of_triangle(&self, triangle: usize) -> [u32; 3] {
        self.triangle_edges[triangle]
    }

    /// Every triangle at an edge, ascending; none for a wire.
    pub fn triangles_of_edge(&self, edge: usize) -> &[u32] {
        self.triangles_of_edge.row(edge)
    }

    /// The first two triangles at an edge, ascending; `None` where a boundary edge or a wire lacks one.
    ///
    /// A manifold edge has no others; for edges that may, see [`Topology::non_manifold_edges`].
    pub fn edge_triangles(&self, edge: usize) -> [Option<u32>; 2] {
        let triangles = self.triangles_of_edge(edge);
        [triangles.first().copied(), triangles.get(1).copied()]
    }

    /// Every triangle at a vertex, ascending.
    pub fn triangles_of_vertex(&self, vertex: usize) -> &[u32] {
        self.triangles_of_vertex.row(vertex)
    }

    /// Every edge at a vertex, wires included, ascending.
    pub fn edges_of_vertex(&self, vertex: usize) -> &[u32] {
        self.edges_of_vertex.row(vertex)
    }

    /// Edges of exactly one triangle, ascending.
    pub fn boundary_edges(&self) -> impl Iterator<Item = u32> {
        self.edges_where(|triangles, _| triangles == 1)
    }

    /// Edges of more than two triangles, ascending.
    pub fn non_manifold_edges(&self) -> impl Iterator<Item = u32> {
        self.edges_where(|triangles, _| triangles > 2)
    }

    /// Edges that two triangles traverse in the same direction, so that one faces in and one out, ascending.
    pub fn inconsistent_edges(&self) -> impl Iterator<Item = u32> {
        self.edges_where(|triangles, balance| triangles == 2 && balance != 0)
    }

    /// Vertices whose triangles form more than one fan, such as the tip where two cones meet, ascending.
    ///
    /// Triangles belong to one fan if they share an edge at the vertex, directly or through others.
    pub fn non_manifold_vertices(&self, mesh: &Mesh) -> Vec<u32> {
        (0..mesh.vertices().len() as u32).filter(|&v| self.n_fans(v) > 1).collect()
    }

    /// Whether every triangle edge belongs to exactly two triangles that traverse it in opposite directions.
    ///
    /// Then the triangles bound a volume. False without triangles; wires and points do not matter.
    pub fn is_closed(&self) -> bool {
        !self.triangle_edges.is_empty()
            && self.edges_where(|n, balance| n != 0 && (n, balance) != (2, 0)).next().is_none()
    }

    /// Whether neighbouring triangles agree on which side is out: no edge of two triangles is inconsistent.
    pub fn is_oriented(&self) -> bool {
        self.inconsistent_edges().next().is_none()
    }

    /// Whether triangles traverse the edge equally often in both directions, as on a closed surface.
    pub fn is_balanced(&self, edge: usize) -> bool {
        self.balance[edge] == 0
    }

    fn edges_where(&self, holds: impl Fn(usize, i32) -> bool) -> impl Iterator<Item = u32> {
        (0..self.balance.len())
            .filter(move |&e| holds(self.triangles_of_edge(e).len(), self.balance[e]))
            .map(|e| e as u32)
    }

    fn n_fans(&self, vertex: u32) -> usize {
        let triangles = self.triangles_of_vertex(vertex as usize);
        let mut seen = vec![false; triangles.len()];
        let mut n_fans = 0;
        for start in 0..triangles.len() {
            let mut front = if seen[start] { vec![] } else { vec![start] };
            n_fans += front.len();
            while let Some(k) = front.pop() {
                if std::mem::replace(&mut seen[k], true) {
                    continue;
                }
                let shared = |e: &&u32| self.edges_of_vertex(vertex as usize).contains(e);
                let edges = self.triangle_edges[triangles[k] as usize];
                let next = edges.iter().filter(shared).flat_map(|&e| self.triangles_of_edge(e as usize));
                front
                    .extend(next.filter_map(|t| triangles.iter().position(|u| u == t)).filter(|&j| !seen[j]));
            }
        }
        n_fans
    }
}

impl Mesh {
    /// The adjacency: [`Topology::of`] this mesh.
    pub fn topology(&self) -> Topology {
        Topology::of(self)
    }

    /// Whether the triangles are closed and consistently oriented: see [`Topology::is_closed`].
    pub fn is_closed(&self) -> bool {
        self.topology().is_closed()
    }

    /// What kind of surface the triangles form: see [`Surface::of`].
    pub fn surface(&self) -> Surface {
        Surface::of(self)
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;

    fn mesh(n: u32, triangles: &[[u32; 3]], wires: &[[u32; 2]]) -> Mesh {
        // Points on the moment curve are in general position.
        let at = |k: u32| f64::from(k);
        let vertices = (0..n).map(|k| Vec3::new(at(k), at(k * k), at(k * k * k))).collect();
        Mesh::new(vertices, triangles.to_vec(), wires.to_vec()).unwrap()
    }

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    #[test]
    fn incidences_agree_with_a_search() {
        let mesh = mesh(8, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [5, 4, 0]], &[[6, 3], [0, 6]]);
        let topology = mesh.topology();
        for (e, edge) in mesh.edges().iter().enumerate() {
            let has = |t: &[u32; 3]| edge.iter().all(|v| t.contains(v));
            let expected: Vec<u32> = (0..4)
                .filter(|&t| e < mesh.triangle_edges().len() && has(&mesh.triangles()[t as usize]))
                .collect();
            assert_eq!(topology.triangles_of_edge(e), expected);
        }
        for v in 0..8 {
            let expected: Vec<u32> = (0..4).filter(|&t| mesh.triangles()[t as usize].contains(&v)).collect();
            assert_eq!(topology.triangles_of_vertex(v as usize), expected);
            let edges = topology.edges_of_vertex(v as usize);
            assert_eq!(edges.len(), mesh.edges().iter().filter(|e| e.contains(&v)).count());
        }
        for (t, triangle) in mesh.triangles().iter().enumerate() {
            for (e, [a, b]) in topology.edges_of_triangle(t).into_iter().zip(sides(triangle)) {
                assert_eq!(mesh.edges()[e as usize], [a.min(b), a.max(b)]);
            }
        }
        assert_eq!(topology.non_manifold_vertices(&mesh), [0]);
    }

    #[test]
    fn a_tetrahedron_is_closed_until_a_face_is_turned_or_taken() {
        let closed = mesh(5, &TETRAHEDRON, &[[3, 4]]);
        assert!(closed.is_closed() && closed.topology().is_oriented());
        let mut turned = TETRAHEDRON;
        turned[1] = [1, 0, 3];
        let turned = mesh(4, &turned, &[]).topology();
        assert!(!turned.is_closed() && !turned.is_oriented());
        assert_eq!(turned.inconsistent_edges().count(), 3);
        let open = mesh(4, &TETRAHEDRON[1..], &[]).topology();
        assert!(!open.is_closed() && open.is_oriented());
        assert_eq!(open.boundary_edges().count(), 3);
        assert!(!mesh(2, &[], &[[0, 1]]).is_closed());
    }

    #[test]
    fn three_leaves_of_a_book_are_not_manifold() {
        let book = mesh(5, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]], &[]);
        let topology = book.topology();
        assert_eq!(topology.non_manifold_edges().collect::<Vec<_>>(), [0]);
        assert_eq!(topology.edge_triangles(0), [Some(0), Some(1)]);
        assert!(topology.non_manifold_vertices(&book).is_empty());
    }
}
