//! The surface of a body in its own frame: computed once per mesh, shared by bodies with the same mesh.

use std::sync::Arc;

use rigor_geometry::topology::{Components, Incidence};
use rigor_geometry::{Aabb, Mesh, RigidTree, topology};
use rigor_math::Vec3;

use super::skin::Skin;

/// Up to this many vertices are all looked at to find the farthest one.
const FEW: usize = 48;

/// What does not change when the body moves.
///
/// Primitives are numbered: triangles first, then wires, then points. Each vertex and each edge *belongs* to the
/// first primitive that has it. So a loop over pairs of primitives meets each pair of a vertex and a primitive,
/// and each pair of edges, exactly once.
///
/// Source: \[Curtis2008\], representative triangles. Deviation: wires and points are primitives too.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(super) mesh: Arc<Mesh>,
    /// Over all primitives.
    pub(super) tree: RigidTree,
    /// Maximum distance (m) of a vertex from the centre of mass.
    pub(super) radius: f64,
    /// Whether the triangles bound a volume.
    pub(super) is_solid: bool,
    /// One vertex of each connected component.
    pub(super) representatives: Vec<u32>,
    pub(super) pieces: Components,
    /// The border, and which triangles are turned around.
    pub(super) skin: Skin,
    vertices: Incidence,
    edges: Incidence,
}

impl Shape {
    pub(crate) fn new(mesh: &Arc<Mesh>) -> Self {
        let vertices = mesh.vertices();
        let of_corners = |i| Aabb::of_points(corners(mesh, i).iter().map(|v| &vertices[*v as usize]));
        let boxes: Vec<Aabb> = (0..count(mesh)).map(of_corners).collect();
        let topology = mesh.topology();
        let skin = Skin::of(mesh);
        Self {
            tree: RigidTree::new(&boxes).expect("boxes of a mesh's primitives are finite"),
            radius: vertices.iter().map(Vec3::norm).fold(0.0, f64::max),
            is_solid: is_solid(mesh) && !skin.is_flat,
            representatives: representatives(mesh),
            pieces: Components::of(mesh),
            skin,
            vertices: Incidence::of(count(mesh), &owners_of_vertices(mesh)),
            edges: Incidence::of(count(mesh), &owners_of_edges(mesh, &topology)),
            mesh: Arc::clone(mesh),
        }
    }

    /// Returns the maximum distance (m) of a vertex from the centre of mass.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns max n · x̂ (m) over the vertices, for a direction n in the frame of the body.
    pub(crate) fn farthest(&self, n: &Vec3) -> f64 {
        let vertices = self.mesh.vertices();
        if vertices.len() <= FEW {
            return vertices.iter().map(|x| n.dot(x)).fold(f64::NEG_INFINITY, f64::max);
        }
        let mut most = f64::NEG_INFINITY;
        self.tree.extreme(n, most, &mut |index| {
            let corners = corners(&self.mesh, index as usize).iter();
            most = corners.map(|v| n.dot(&vertices[*v as usize])).fold(most, f64::max);
            most
        });
        most
    }

    /// The vertices that belong to a primitive.
    pub(super) fn own_vertices(&self, primitive: u32) -> &[u32] {
        self.vertices.row(primitive as usize)
    }

    /// The edges that belong to a primitive.
    pub(super) fn own_edges(&self, primitive: u32) -> &[u32] {
        self.edges.row(primitive as usize)
    }
}

/// Returns the number of primitives.
pub(crate) fn count(mesh: &Mesh) -> usize {
    mesh.triangles().len() + mesh.wires().len() + mesh.points().len()
}

/// Returns the vertices of a primitive.
pub(crate) fn corners(mesh: &Mesh, index: usize) -> &[u32] {
    let (n_triangles, n_wires) = (mesh.triangles().len(), mesh.wires().len());
    if index < n_triangles {
        &mesh.triangles()[index]
    } else if index < n_triangles + n_wires {
        &mesh.wires()[index - n_triangles]
    } else {
        std::slice::from_ref(&mesh.points()[index - n_triangles - n_wires])
    }
}

fn owners_of_vertices(mesh: &Mesh) -> Vec<[u32; 1]> {
    let mut owners = vec![[u32::MAX]; mesh.vertices().len()];
    for primitive in (0..count(mesh)).rev() {
        for v in corners(mesh, primitive) {
            owners[*v as usize] = [primitive as u32];
        }
    }
    owners
}

fn owners_of_edges(mesh: &Mesh, topology: &topology::Topology) -> Vec<[u32; 1]> {
    let n_sides = mesh.triangle_edges().len();
    let owner = |e: usize| match topology.triangles_of_edge(e) {
        [first, ..] if e < n_sides => *first,
        _ => (mesh.triangles().len() + e - n_sides) as u32,
    };
    (0..mesh.edges().len()).map(|e| [owner(e)]).collect()
}

fn is_solid(mesh: &Mesh) -> bool {
    use topology::Surface::{Closed, Inverted, NonManifold};
    matches!(mesh.surface(), Closed | Inverted { .. } | NonManifold { balanced: true, .. })
}

fn representatives(mesh: &Mesh) -> Vec<u32> {
    let components = Components::of(mesh);
    let mut first = vec![None; components.len()];
    for v in 0..mesh.vertices().len() {
        first[components.of_vertex(v)].get_or_insert(v as u32);
    }
    first.into_iter().flatten().collect()
}
