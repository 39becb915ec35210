//! Which edges and vertices of a mesh count in the barrier, and how often, so that it is flat along flat
//! surfaces.

use rigor_geometry::{Mesh, Topology};

use crate::corner::{FLAT, isolation, sharpness};

/// Weights of corners are multiples of 1/1024.
const GRAIN: f64 = 1024.0;

/// The role of the edges and vertices of a mesh in the barrier.
///
/// A sum over all triangles counts a surface twice where the point's nearest point lies on an edge, and about
/// six times at a vertex. The sum
///
/// Σ_triangles b − Σ_shared edges b + Σ_shared vertices b
///
/// counts it once. An edge is *shared* if it joins two coplanar triangles, or two that meet convexly in the
/// skin of a solid; a vertex is shared if all edges around it are. For a convex skin and a point outside, the
/// sum is b of the distance from the skin, for any triangulation; everywhere else it is at least b of that
/// distance, as each shared edge at the nearest point is at least as far away as one of its triangles.
///
/// An edge between two coplanar triangles does not count against other edges: an edge that approaches such a
/// plane does so with one of its ends, or where it crosses the border of the plane.
///
/// A vertex inside a flat face or a straight edge does not count against other surfaces: where it approaches
/// one, so does a corner of its face or edge, or the borders of the two cross. Any other vertex is a *corner*
/// and counts w = 1 + max(0, cos θ) times, where θ is the sharpest angle of its faces: where a face loses
/// that corner at the border of another face, the border crosses the two edges of the corner at angles
/// α₁ + α₂ = 180° − θ, and these crossings ([`EdgeMollifier::Sine`](crate::edge_mollifier::Fade::Sine)) count
/// sin²α₁ + sin²α₂ ≤ 1 + cos θ.
///
/// Deviation: \[Ferguson2021\] eq. (3) sums over all pairs of primitives. That sum is several times as high
/// where primitives meet, and pushes bodies along walls on which they should slide.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skin {
    triangle_edges: Vec<[u32; 3]>,
    is_flat_edge: Vec<bool>,
    is_shared_edge: Vec<bool>,
    is_shared_vertex: Vec<bool>,
    /// Whether each vertex belongs to a triangle.
    is_on_surface: Vec<bool>,
    /// Weight of each vertex: how often it counts.
    weights: Vec<f64>,
    /// ψ of the ends of each edge; `None` where ends have no terms of their own, as those of wires.
    ends: Vec<Option<[f64; 2]>>,
    /// Distance (m) of each vertex that counts to the nearest other such vertex.
    isolation: Vec<f64>,
}

impl Skin {
    /// Creates a skin in which every primitive counts.
    pub fn plain(mesh: &Mesh) -> Self {
        Self::unshared(mesh, &Topology::of(mesh))
    }

    fn unshared(mesh: &Mesh, topology: &Topology) -> Self {
        Self {
            triangle_edges: (0..mesh.triangles().len()).map(|t| topology.edges_of_triangle(t)).collect(),
            is_flat_edge: vec![false; mesh.edges().len()],
            is_shared_edge: vec![false; mesh.edges().len()],
            is_shared_vertex: vec![false; mesh.vertices().len()],
            is_on_surface: (0..mesh.vertices().len())
                .map(|v| !topology.triangles_of_vertex(v).is_empty())
                .collect(),
            weights: vec![1.0; mesh.vertices().len()],
            ends: vec![None; mesh.edges().len()],
            isolation: vec![0.0; mesh.vertices().len()],
        }
    }

    /// Creates a skin in which features that primitives share count once.
    pub fn of(mesh: &Mesh) -> Self {
        let topology = Topology::of(mesh);
        let mut skin = Self::unshared(mesh, &topology);
        let is_solid = topology.is_closed() && mesh.signed_volume() > 0.0;
        for e in 0..mesh.edges().len() {
            let bend = bend(mesh, &topology, e);
            skin.is_flat_edge[e] = bend == Some(Bend::Flat);
            skin.is_shared_edge[e] = skin.is_flat_edge[e] || is_solid && bend == Some(Bend::Convex);
        }
        for v in 0..mesh.vertices().len() {
            let edges = topology.edges_of_vertex(v);
            let is_one_fan = edges.len() == topology.triangles_of_vertex(v).len() && !edges.is_empty();
            skin.is_shared_vertex[v] = is_one_fan && edges.iter().all(|&e| skin.is_shared_edge[e as usize]);
        }
        skin.count_corners(mesh, &topology);
        skin
    }

    fn count_corners(&mut self, mesh: &Mesh, topology: &Topology) {
        for v in 0..mesh.vertices().len() {
            let is_flat = |e: u32| self.is_flat_edge[e as usize];
            // Rounds up, apart from rounding errors, so that sums of many weights and their differences are
            // exact.
            let round = |weight: f64| ((weight - 1e-9) * GRAIN).ceil() / GRAIN;
            self.weights[v] =
                sharpness(mesh, topology, v, is_flat).map_or(0.0, |cos| round(1.0 + cos.max(0.0)));
        }
        for (e, [a, b]) in mesh.edges().iter().enumerate() {
            let share = |v: u32| if self.weights[v as usize] > 0.0 { 1.0 } else { 0.5 };
            let is_wire = topology.triangles_of_edge(e).is_empty();
            self.ends[e] = (!is_wire).then(|| [share(*a), share(*b)]);
        }
        self.isolation = isolation(mesh, |v| self.weights[v] > 0.0);
    }

    /// Returns whether an edge lies between coplanar triangles.
    pub fn is_flat(&self, edge: u32) -> bool {
        self.is_flat_edge[edge as usize]
    }

    /// Returns the shared edges of a triangle.
    pub fn shared_edges(&self, triangle: u32) -> impl Iterator<Item = u32> {
        let edges = self.triangle_edges[triangle as usize].into_iter();
        edges.filter(|&e| self.is_shared_edge[e as usize])
    }

    /// Returns how often a vertex counts.
    pub fn weight(&self, vertex: u32) -> f64 {
        self.weights[vertex as usize]
    }

    /// Returns ψ, what is subtracted from an edge's barrier against others for each of its ends; `None` where
    /// ends have no terms of their own.
    pub fn ends(&self, edge: u32) -> Option<[f64; 2]> {
        self.ends[edge as usize]
    }

    /// Returns whether a vertex counts, and all others that count are at least `distance` (m) away from it.
    pub fn is_alone(&self, vertex: u32, distance: f64) -> bool {
        self.weight(vertex) > 0.0 && self.isolation[vertex as usize] >= distance
    }

    /// Returns whether a vertex belongs to a triangle: points and the ends of wires are not seen by vertices of surfaces.
    pub fn is_on_surface(&self, vertex: u32) -> bool {
        self.is_on_surface[vertex as usize]
    }

    /// Returns whether a vertex is shared.
    pub fn is_shared_vertex(&self, vertex: u32) -> bool {
        self.is_shared_vertex[vertex as usize]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bend {
    Flat,
    /// As seen from the side that the triangles face.
    Convex,
    Concave,
}

/// Returns how two triangles meet at an edge; `None` if there are not exactly two, or if they fold back on
/// each other.
fn bend(mesh: &Mesh, topology: &Topology, edge: usize) -> Option<Bend> {
    let &[t, u] = topology.triangles_of_edge(edge) else { return None };
    let [a, b] = mesh.ends(edge);
    let along = (b - a).normalize();
    let ends = mesh.edges()[edge];
    let corner = |triangle: u32| {
        let other = mesh.triangles()[triangle as usize].into_iter().find(|v| !ends.contains(v))?;
        let arm = mesh.vertices()[other as usize] - a;
        Some(arm - along * along.dot(&arm))
    };
    let (arm_t, arm_u) = (corner(t)?, corner(u)?);
    let height = mesh.area_vector(t as usize).normalize().dot(&arm_u);
    if height.abs() > FLAT * arm_u.norm() {
        return Some(if height < 0.0 { Bend::Convex } else { Bend::Concave });
    }
    (arm_t.dot(&arm_u) < 0.0).then_some(Bend::Flat)
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_shapes::Icosphere;

    use super::*;

    /// Returns a square of four triangles around its middle, which is raised by `height`.
    fn square(height: f64) -> Mesh {
        let corners = [[1., 0.], [0., 1.], [-1., 0.], [0., -1.]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let vertices = [corners.as_slice(), &[Vec3::new(0.0, 0.0, height)]].concat();
        Mesh::new(vertices, (0..4).map(|k| [k, (k + 1) % 4, 4]).collect(), vec![]).unwrap()
    }

    #[test]
    fn a_flat_square_shares_its_inner_edges_and_its_middle() {
        let (mesh, skin) = (square(0.0), Skin::of(&square(0.0)));
        for (e, ends) in mesh.edges().iter().enumerate() {
            assert_eq!(skin.is_flat(e as u32), ends.contains(&4), "{ends:?}");
        }
        assert_eq!((0..4).map(|t| skin.shared_edges(t).count()).collect::<Vec<_>>(), [2; 4]);
        assert_eq!(
            (0..5).map(|v| skin.is_shared_vertex(v)).collect::<Vec<_>>(),
            [false, false, false, false, true]
        );
    }

    #[test]
    fn a_folded_sheet_shares_nothing_and_a_ball_all() {
        let skin = Skin::of(&square(1e-3));
        assert!((0..4).all(|t| skin.shared_edges(t).next().is_none()) && !skin.is_shared_vertex(4));
        let ball = Icosphere { radius: 1.0, subdivisions: 1 }.mesh().unwrap();
        let skin = Skin::of(&ball);
        assert!((0..ball.triangles().len() as u32).all(|t| skin.shared_edges(t).count() == 3));
        assert!((0..ball.vertices().len() as u32).all(|v| skin.is_shared_vertex(v)));
        assert!((0..ball.edges().len() as u32).all(|e| !skin.is_flat(e)));
        let skin = Skin::of(&ball.flipped());
        assert!((0..ball.triangles().len() as u32).all(|t| skin.shared_edges(t).next().is_none()));
    }
}
