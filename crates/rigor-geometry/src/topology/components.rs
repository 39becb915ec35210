//! Connected components.

use crate::Mesh;

/// The connected component of every vertex; both vertices of an edge belong to the same one.
///
/// Components are numbered in the order of their first vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    of_vertex: Vec<u32>,
    n_components: usize,
}

impl Components {
    /// The components of `mesh`, along all its edges, wires included.
    pub fn of(mesh: &Mesh) -> Self {
        let mut parent: Vec<u32> = (0..mesh.vertices().len() as u32).collect();
        for &[a, b] in mesh.edges() {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b) as usize] = a.min(b); // the root is the first vertex
        }
        let mut of_vertex = vec![0; parent.len()];
        let mut n_components = 0;
        for v in 0..parent.len() {
            let first = root(&mut parent, v as u32) as usize;
            of_vertex[v] = if first == v { n_components } else { of_vertex[first] };
            n_components += u32::from(first == v);
        }
        Self { of_vertex, n_components: n_components as usize }
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.n_components
    }

    /// Whether there are none, as in a mesh without vertices.
    pub fn is_empty(&self) -> bool {
        self.n_components == 0
    }

    /// The component of a vertex.
    pub fn of_vertex(&self, vertex: usize) -> usize {
        self.of_vertex[vertex] as usize
    }

    /// The component of a triangle of `mesh`.
    pub(crate) fn of_triangle(&self, mesh: &Mesh, triangle: usize) -> usize {
        self.of_vertex(mesh.triangles()[triangle][0] as usize)
    }
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}
