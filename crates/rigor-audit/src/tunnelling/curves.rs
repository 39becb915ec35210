//! Closed curves along the edges of a mesh that cannot be contracted to a point on it.

use std::collections::VecDeque;

use rigor_geometry::Mesh;
use rigor_math::disjoint_sets::DisjointSets;

/// Maximum number of independent curves per body.
const MAX_CURVES: usize = 32;

/// Returns closed curves along the edges of `mesh`, as lists of vertices: one for each independent way around
/// its holes. A ring or a link of a chain has two, a ball none; wires that form a loop have one.
///
/// Each edge outside of a spanning tree of the vertices closes one curve. The triangles are merged along a
/// spanning tree of their adjacency graph, in which the outside counts as one triangle adjacent to all
/// borders; an edge across which two of them are merged is skipped. The remaining curves generate the first
/// homology group of the surface (tree–cotree decomposition). Edges of more than two triangles are always
/// kept. Their curves may be contractible, which is harmless.
pub(super) fn curves(mesh: &Mesh) -> Vec<Vec<u32>> {
    let topology = mesh.topology();
    let tree = Tree::of(mesh, &topology);
    let mut cells = DisjointSets::new(mesh.triangles().len() + 1);
    let outside = mesh.triangles().len();
    let mut curves = Vec::new();
    for (e, ends) in mesh.edges().iter().enumerate() {
        if tree.edges[e] {
            continue;
        }
        let is_collapsed = match *topology.triangles_of_edge(e) {
            [t] => cells.join(t as usize, outside),
            [t, u] => cells.join(t as usize, u as usize),
            _ => false,
        };
        if !is_collapsed && curves.len() < MAX_CURVES {
            curves.push(tree.closed_by(ends));
        }
    }
    curves
}

/// A breadth-first spanning tree of each connected component of the vertices.
struct Tree {
    /// The next vertex towards the root; the root is its own parent.
    parents: Vec<u32>,
    depths: Vec<u32>,
    /// Whether each edge belongs to the tree.
    edges: Vec<bool>,
}

impl Tree {
    fn of(mesh: &Mesh, topology: &rigor_geometry::Topology) -> Self {
        let n = mesh.vertices().len();
        let mut tree =
            Self { parents: vec![u32::MAX; n], depths: vec![0; n], edges: vec![false; mesh.edges().len()] };
        for root in 0..n as u32 {
            if tree.parents[root as usize] == u32::MAX {
                tree.parents[root as usize] = root;
                tree.grow(root, mesh, topology);
            }
        }
        tree
    }

    fn grow(&mut self, root: u32, mesh: &Mesh, topology: &rigor_geometry::Topology) {
        let mut queue = VecDeque::from([root]);
        while let Some(v) = queue.pop_front() {
            for &e in topology.edges_of_vertex(v as usize) {
                let [a, b] = mesh.edges()[e as usize];
                let other = if a == v { b } else { a };
                if self.parents[other as usize] == u32::MAX {
                    self.parents[other as usize] = v;
                    self.depths[other as usize] = self.depths[v as usize] + 1;
                    self.edges[e as usize] = true;
                    queue.push_back(other);
                }
            }
        }
    }

    /// Returns the curve from one end of an edge through the tree to the other.
    fn closed_by(&self, &[a, b]: &[u32; 2]) -> Vec<u32> {
        let (mut from_a, mut from_b) = (vec![a], vec![b]);
        let (mut a, mut b) = (a, b);
        while a != b {
            if self.depths[a as usize] >= self.depths[b as usize] {
                a = self.parents[a as usize];
                from_a.push(a);
            } else {
                b = self.parents[b as usize];
                from_b.push(b);
            }
        }
        // Both lists end in the common ancestor.
        from_b.pop();
        from_a.extend(from_b.into_iter().rev());
        from_a
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Vec3, elementary};
    use rigor_shapes::{ChainLink, Cuboid, Torus};

    use super::*;

    fn sizes(mesh: &Mesh) -> Vec<usize> {
        let all = curves(mesh);
        for curve in &all {
            for (i, v) in curve.iter().enumerate() {
                let w = curve[(i + 1) % curve.len()];
                assert!(mesh.edges().contains(&[(*v).min(w), (*v).max(w)]), "{curve:?}");
            }
        }
        all.iter().map(Vec::len).collect()
    }

    #[test]
    fn a_ring_has_two_curves_a_ball_none_and_a_band_one() {
        let ring = Torus { major_radius: 1.0, minor_radius: 0.2, segments: 12, sides: 6 }.mesh().unwrap();
        assert_eq!(sizes(&ring).len(), 2);
        let link = ChainLink { straight: 1.0, bend_radius: 0.5, wire_radius: 0.1, segments: 4, sides: 5 };
        assert_eq!(sizes(&link.mesh().unwrap()).len(), 2);
        assert!(sizes(&Cuboid::new(Vec3::repeat(1.0)).mesh().unwrap()).is_empty());
        // A band of a ring's triangles, cut open between two rows of vertices.
        let both: Vec<Vec3> = ring.vertices().iter().flat_map(|v| [*v, v + Vec3::x() * 9.0]).collect();
        let triangles = ring.triangles().iter().flat_map(|t| [t.map(|v| 2 * v), t.map(|v| 2 * v + 1)]);
        let pair = Mesh::new(both, triangles.collect(), vec![]).unwrap();
        assert_eq!(sizes(&pair).len(), 4);
        let around = |y: f64| (0..6).map(move |k| (f64::from(k), y));
        let vertices: Vec<Vec3> = [0.0, 1.0]
            .into_iter()
            .flat_map(around)
            .map(|(k, y)| {
                let (sin, cos) = elementary::sin_cos(k * 1.047);
                Vec3::new(cos, y, sin)
            })
            .collect();
        let quad = |k: u32| [[k, (k + 1) % 6, k + 6], [(k + 1) % 6, (k + 1) % 6 + 6, k + 6]];
        let band = Mesh::new(vertices.clone(), (0..6).flat_map(quad).collect(), vec![]).unwrap();
        assert_eq!(sizes(&band).len(), 1);
        let open = Mesh::new(vertices.clone(), (0..5).flat_map(quad).collect(), vec![]).unwrap();
        assert!(sizes(&open).is_empty());
        let wires = (0..6).map(|k| [k, (k + 1) % 6]).collect();
        assert_eq!(sizes(&Mesh::new(vertices, vec![], wires).unwrap()), [6]);
    }
}
