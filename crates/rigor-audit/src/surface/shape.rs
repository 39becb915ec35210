//! The surface of a body in its own frame: computed once per skeleton, shared by bodies with the same skeleton.

use std::sync::Arc;

use rigor_geometry::topology::{Components, Incidence};
use rigor_geometry::{Aabb, Mesh, RigidTree, topology};
use rigor_math::{Mat3, Vec3};
use rigor_scene::Skeleton;

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
    /// ρ (m) of each vertex; empty if all are 0.
    offsets: Arc<[f64]>,
    /// Primitives with ρ > 0.
    pub(super) rounds: Vec<u32>,
    /// Over the boxes around all primitives, each grown by its ρ.
    pub(super) tree: RigidTree,
    /// Maximum distance (m) of a point of the body from the centre of mass.
    pub(super) radius: f64,
    /// Maximum distance (m) of a vertex from the centre of mass.
    pub(super) arm: f64,
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
    pub(crate) fn new(skeleton: &Skeleton) -> Self {
        let mesh = &skeleton.mesh;
        let boxes = boxes(skeleton);
        let is_round = |i: &u32| skeleton.offset(corners(mesh, *i as usize)[0] as usize) > 0.0;
        let n_rounded = if skeleton.is_plain() { 0 } else { count(mesh) as u32 };
        let topology = mesh.topology();
        let skin = Skin::of(mesh);
        Self {
            tree: RigidTree::new(&boxes).expect("boxes of a mesh's primitives are finite"),
            rounds: (0..n_rounded).filter(is_round).collect(),
            radius: skeleton.radius(),
            arm: mesh.vertices().iter().map(Vec3::norm).fold(0.0, f64::max),
            is_solid: is_solid(mesh) && !skin.is_flat,
            representatives: representatives(mesh),
            pieces: Components::of(mesh),
            skin,
            vertices: Incidence::of(count(mesh), &owners_of_vertices(mesh)),
            edges: Incidence::of(count(mesh), &owners_of_edges(mesh, &topology)),
            offsets: Arc::clone(&skeleton.offsets),
            mesh: Arc::clone(mesh),
        }
    }

    /// Returns the shape of a body with the strain E (principal frame): each vertex x̂ of the skeleton is at (1 + E) x̂, so that the pose
    /// places it at A x̂ + q with A = R (1 + E). Offsets stay.
    pub(crate) fn strained(&self, strain: &Mat3) -> Self {
        let mesh = self.mesh.map_vertices(|x| x + strain * x);
        Self::new(&Skeleton { mesh: Arc::new(mesh), offsets: Arc::clone(&self.offsets) })
    }

    /// Returns the skeleton.
    pub(crate) fn skeleton(&self) -> Skeleton {
        Skeleton { mesh: Arc::clone(&self.mesh), offsets: Arc::clone(&self.offsets) }
    }

    /// Returns the maximum distance (m) of a point of the body from the centre of mass.
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the maximum distance (m) of a vertex from the centre of mass: by how much per radian a turn moves the body. The ball
    /// about a vertex looks the same however it turned.
    pub(crate) fn arm(&self) -> f64 {
        self.arm
    }

    /// Returns whether a part is round.
    pub(crate) fn is_round(&self) -> bool {
        !self.rounds.is_empty()
    }

    /// ρ (m) of a vertex.
    pub(super) fn offset(&self, vertex: u32) -> f64 {
        self.offsets.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// ρ (m) of a primitive.
    pub(super) fn offset_of(&self, primitive: u32) -> f64 {
        if self.is_round() { self.offset(corners(&self.mesh, primitive as usize)[0]) } else { 0.0 }
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns max n · x̂ (m) over the body, for a direction n in its frame.
    pub(crate) fn farthest(&self, n: &Vec3) -> f64 {
        if self.is_round() { self.farthest_with(n, n.norm()) } else { self.farthest_vertex(n) }
    }

    /// Returns max n · x̂ + `weight` ρ (m) over the vertices.
    pub(crate) fn farthest_with(&self, n: &Vec3, weight: f64) -> f64 {
        if !self.is_round() {
            return self.farthest_vertex(n);
        }
        let vertices = self.mesh.vertices().iter().zip(&*self.offsets);
        vertices.map(|(x, rho)| n.dot(x) + weight * rho).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns max n · x̂ (m) over the vertices.
    fn farthest_vertex(&self, n: &Vec3) -> f64 {
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

/// What bodies with the same skeleton share: the address of its mesh, and that of its offsets, if a part is round.
pub(crate) type Key = (*const Mesh, Option<*const f64>);

/// Returns the key of a skeleton.
pub(crate) fn key(skeleton: &Skeleton) -> Key {
    let offsets = (!skeleton.is_plain()).then(|| skeleton.offsets.as_ptr());
    (Arc::as_ptr(&skeleton.mesh), offsets)
}

/// Returns the box (m) around each primitive, grown by its ρ.
pub(crate) fn boxes(skeleton: &Skeleton) -> Vec<Aabb> {
    let (mesh, vertices) = (&skeleton.mesh, skeleton.mesh.vertices());
    let of_corners = |i| {
        let corners = corners(mesh, i);
        let around = Aabb::of_points(corners.iter().map(|v| &vertices[*v as usize]));
        around.grow(skeleton.offset(corners[0] as usize))
    };
    (0..count(mesh)).map(of_corners).collect()
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
