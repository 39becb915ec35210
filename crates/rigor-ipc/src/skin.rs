//! Which edges and vertices of a mesh the barrier counts, and how often, so that it is flat along flat surfaces.

use rigor_geometry::{Mesh, Topology};

use crate::corner::{isolation, sharpness};

/// Triangles at an edge are of one plane if the corner of the one is no farther from the plane of the other than this part of
/// its distance from the edge: rounding.
pub(crate) const FLAT: f64 = 1e-11;

/// How often a corner counts is a multiple of 1/1024.
const GRAIN: f64 = 1024.0;

/// The part that edges and vertices of a mesh play in the barrier.
///
/// A point sees each triangle of a surface, and where its nearest point lies on an edge it sees that point twice; at a
/// vertex six times or so. Then
///
/// Σ_triangles b − Σ_shared edges b + Σ_shared vertices b
///
/// sees it once: an edge is *shared* if it joins two triangles in a plane, or convexly in the skin of a solid; a vertex
/// if all around it edges are. For a convex skin and a point outside of it the sum is b of the distance from the skin,
/// for any triangulation; at every other place it is b of that distance at the least, as each shared edge at the
/// nearest point is farther away than one triangle of its own.
///
/// An edge between two triangles of a plane counts for nothing against other edges: an edge that comes near to such a
/// plane does so with its own end, or where it crosses the plane's border.
///
/// A vertex inside a flat face or a straight edge counts for nothing against other surfaces: where it comes near to one,
/// so does a corner of that face or edge, or its border crosses the other's. A *corner*, any other vertex, counts
/// w = 1 + max(0, cos θ) times, θ being the sharpest angle of its faces: where a face loses that corner at the border of
/// another one, the border crosses the two edges of the corner at angles α₁ + α₂ = 180° − θ, and these crossings
/// ([`Fade::Sine`](crate::fade::Fade::Sine)) count sin²α₁ + sin²α₂ ≤ 1 + cos θ.
///
/// Deviation: [Ferguson2021] eq. (3) sums over all pairs of primitives. Such a sum is several times as high where
/// primitives meet, and pushes along the wall what should slide.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skin {
    triangle_edges: Vec<[u32; 3]>,
    is_flat_edge: Vec<bool>,
    is_shared_edge: Vec<bool>,
    is_shared_vertex: Vec<bool>,
    /// How often each vertex counts.
    weights: Vec<f64>,
    /// ρ of the ends of each edge; none where ends have no terms of their own.
    ends: Vec<Option<[f64; 2]>>,
    /// How far (m) each vertex is from the next one that counts.
    isolation: Vec<f64>,
}

impl Skin {
    /// Of a mesh of which every primitive counts.
    pub fn plain(mesh: &Mesh) -> Self {
        Self::unshared(mesh, &Topology::of(mesh))
    }

    fn unshared(mesh: &Mesh, topology: &Topology) -> Self {
        Self {
            triangle_edges: (0..mesh.triangles().len()).map(|t| topology.edges_of_triangle(t)).collect(),
            is_flat_edge: vec![false; mesh.edges().len()],
            is_shared_edge: vec![false; mesh.edges().len()],
            is_shared_vertex: vec![false; mesh.vertices().len()],
            weights: vec![1.0; mesh.vertices().len()],
            ends: vec![None; mesh.edges().len()],
            isolation: vec![0.0; mesh.vertices().len()],
        }
    }

    /// Of a mesh in which what primitives have in common counts once.
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
            // Rounded up, but for what is rounding itself, so that sums of many and their differences are exact.
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

    /// Whether an edge lies within a plane of triangles.
    pub fn is_flat(&self, edge: u32) -> bool {
        self.is_flat_edge[edge as usize]
    }

    /// The shared edges of a triangle.
    pub fn shared_edges(&self, triangle: u32) -> impl Iterator<Item = u32> {
        let edges = self.triangle_edges[triangle as usize].into_iter();
        edges.filter(|&e| self.is_shared_edge[e as usize])
    }

    /// How often a vertex counts.
    pub fn weight(&self, vertex: u32) -> f64 {
        self.weights[vertex as usize]
    }

    /// What is taken off an edge's barrier against others for each of its ends; none where ends have no terms of
    /// their own.
    pub fn ends(&self, edge: u32) -> Option<[f64; 2]> {
        self.ends[edge as usize]
    }

    /// Whether no other vertex that counts is nearer to this one, which does, than `distance` (m).
    pub fn is_alone(&self, vertex: u32, distance: f64) -> bool {
        self.weight(vertex) > 0.0 && self.isolation[vertex as usize] >= distance
    }

    /// Whether a vertex is shared.
    pub fn is_shared_vertex(&self, vertex: u32) -> bool {
        self.is_shared_vertex[vertex as usize]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bend {
    Flat,
    /// Seen from the side to which the triangles face.
    Convex,
    Concave,
}

/// How two triangles meet at an edge; none if there are not two, or if they fold back on each other.
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

    /// A square of four triangles around its middle, folded by `height` there.
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
