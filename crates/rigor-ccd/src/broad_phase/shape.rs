//! The data that the broad phase keeps about a body; constant while the body moves.

use std::collections::HashMap;
use std::sync::Arc;

use rigor_geometry::{Aabb, Mesh};
use rigor_math::Vec3;

use super::tree::Tree;
use crate::relative::U;

/// The mesh of a body in the frame of the body, with a tree over its triangles, wires and points, built once; a clone
/// shares all of it. Each vertex has an offset ρ ≥ 0: the surface is at that distance from the primitive, as that of a ball from its
/// centre, or of a capsule from its axis.
///
/// Source: \[Ferguson2021\] §4.2. Deviation: one tree of elements instead of one per kind of primitive. Every
/// vertex and edge is owned by exactly one element that contains it, so a pair of elements represents the
/// pairs of primitives that they own, and no pair is found twice.
#[derive(Debug, Clone)]
pub struct Shape {
    radius: f64,
    grain: f64,
    /// Shared with clones.
    parts: Arc<Parts>,
}

/// The parts of a shape of which clones need only one.
#[derive(Debug)]
struct Parts {
    mesh: Mesh,
    /// ρ (m) of each vertex; empty if all are 0.
    offsets: Vec<f64>,
    max_offset: f64,
    elements: Vec<Element>,
    tree: Tree,
}

/// A triangle, wire or point, and the vertices and edges that it owns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub kind: ElementKind,
    /// Index among the triangles, edges or vertices of the mesh.
    pub index: u32,
    owned: [u32; 6],
    n_vertices: u8,
    n_edges: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    Triangle,
    Wire,
    Point,
}

impl Element {
    /// The vertices that the element owns.
    pub fn vertices(&self) -> &[u32] {
        &self.owned[..self.n_vertices as usize]
    }

    /// The edges that the element owns.
    pub fn edges(&self) -> &[u32] {
        &self.owned[3..][..self.n_edges as usize]
    }
}

impl Shape {
    /// The shape of a body, given its mesh (m) in the body frame, whose origin is the centre of the body.
    pub fn new(mesh: Mesh) -> Self {
        Self::rounded(mesh, Vec::new())
    }

    /// The shape of a body whose surface is at a distance ρ (m), one of `offsets` for each vertex, from its mesh. All that is missing in
    /// `offsets` is 0. A primitive has the largest ρ of its vertices. A search refuses a shape with a ρ that is negative or not finite.
    ///
    /// ```
    /// use rigor_ccd::broad_phase::{Shape, proximity};
    /// use rigor_geometry::Mesh;
    /// use rigor_math::{Pose, Vec3};
    /// // Two balls of 1 m, 0.1 m apart.
    /// let ball = Shape::rounded(Mesh::new(vec![Vec3::zeros()], vec![], vec![])?, vec![1.0]);
    /// let bodies = [0.0, 2.1].map(|x| (&ball, Pose::translation(Vec3::x() * x)));
    /// let found = proximity(&bodies, 0.2, |_, _| true)?;
    /// assert_eq!((found.len(), found[0].offsets(&ball, &ball)), (1, [1.0; 2]));
    /// assert!(proximity(&bodies, 0.05, |_, _| true)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rounded(mesh: Mesh, offsets: Vec<f64>) -> Self {
        let elements = Owners::new(&mesh).elements(&mesh);
        let boxes: Vec<Aabb> = elements.iter().map(|e| bounds(&mesh, e)).collect();
        let grain = boxes.iter().map(Aabb::diagonal).sum::<f64>() / boxes.len() as f64;
        let radius = mesh.vertices().iter().map(Vec3::norm).fold(0.0, f64::max) * (1.0 + 8.0 * U);
        let tree = Tree::new(&boxes);
        let is_valid = offsets.iter().all(|offset| *offset >= 0.0);
        let max_offset = if is_valid { offsets.iter().copied().fold(0.0, f64::max) } else { f64::INFINITY };
        Self { radius, grain, parts: Arc::new(Parts { mesh, offsets, max_offset, elements, tree }) }
    }

    /// The mesh (m, body frame).
    pub fn mesh(&self) -> &Mesh {
        &self.parts.mesh
    }

    /// An upper bound on the distance (m) of the mesh's points from the centre of the body.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// ρ (m) of a vertex.
    pub fn offset(&self, vertex: u32) -> f64 {
        self.parts.offsets.get(vertex as usize).copied().unwrap_or(0.0)
    }

    /// The largest ρ (m).
    pub fn max_offset(&self) -> f64 {
        self.parts.max_offset
    }

    /// The mean diagonal (m) of the elements' boxes.
    pub fn grain(&self) -> f64 {
        self.grain
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.parts.tree
    }

    pub(super) fn element(&self, index: u32) -> &Element {
        &self.parts.elements[index as usize]
    }

    pub(super) fn vertex_box(&self, index: u32) -> Aabb {
        let x = self.parts.mesh.vertices()[index as usize];
        Aabb { min: x, max: x }
    }

    pub(super) fn edge_box(&self, index: u32) -> Aabb {
        Aabb::of_points(&self.parts.mesh.ends(index as usize))
    }

    pub(super) fn element_box(&self, element: &Element) -> Aabb {
        bounds(&self.parts.mesh, element)
    }

    /// Returns the corners (m, body frame) of an element in an array of three, repeating the last to fill it.
    pub(super) fn corners(&self, element: &Element) -> [Vec3; 3] {
        corners(&self.parts.mesh, element)
    }
}

fn corners(mesh: &Mesh, element: &Element) -> [Vec3; 3] {
    let index = element.index as usize;
    match element.kind {
        ElementKind::Triangle => mesh.corners(index),
        ElementKind::Wire => {
            let [a, b] = mesh.ends(index);
            [a, b, b]
        }
        ElementKind::Point => [mesh.vertices()[index]; 3],
    }
}

fn bounds(mesh: &Mesh, element: &Element) -> Aabb {
    Aabb::of_points(&corners(mesh, element))
}

/// Assigns each vertex and edge to the first element that contains it.
struct Owners {
    edge_of: HashMap<[u32; 2], u32>,
    is_vertex_free: Vec<bool>,
    is_edge_free: Vec<bool>,
}

impl Owners {
    fn new(mesh: &Mesh) -> Self {
        Self {
            edge_of: mesh.edges().iter().zip(0..).map(|(e, i)| (*e, i)).collect(),
            is_vertex_free: vec![true; mesh.vertices().len()],
            is_edge_free: vec![true; mesh.edges().len()],
        }
    }

    fn elements(mut self, mesh: &Mesh) -> Vec<Element> {
        let mut elements = Vec::new();
        for (&[a, b, c], index) in mesh.triangles().iter().zip(0..) {
            let edges = [[a, b], [b, c], [c, a]].map(|[a, b]| self.edge_of[&[a.min(b), a.max(b)]]);
            elements.push(self.element(ElementKind::Triangle, index, &[a, b, c], &edges));
        }
        let n_triangle_edges = mesh.triangle_edges().len() as u32;
        for (ends, index) in mesh.wires().iter().zip(n_triangle_edges..) {
            elements.push(self.element(ElementKind::Wire, index, ends, &[index]));
        }
        for &index in mesh.points() {
            elements.push(self.element(ElementKind::Point, index, &[index], &[]));
        }
        elements
    }

    fn element(&mut self, kind: ElementKind, index: u32, vertices: &[u32], edges: &[u32]) -> Element {
        let mut owned = [0; 6];
        let take = |from: &[u32], is_free: &mut [bool], into: &mut [u32]| {
            let mut n = 0;
            for &i in from {
                if std::mem::take(&mut is_free[i as usize]) {
                    into[n] = i;
                    n += 1;
                }
            }
            n as u8
        };
        let n_vertices = take(vertices, &mut self.is_vertex_free, &mut owned[..3]);
        let n_edges = take(edges, &mut self.is_edge_free, &mut owned[3..]);
        Element { kind, index, owned, n_vertices, n_edges }
    }
}

#[cfg(test)]
mod tests {
    use rigor_shapes::Icosphere;

    use super::*;

    #[test]
    fn every_vertex_and_edge_has_one_owner_that_contains_it() {
        let ball = Icosphere { radius: 1.0, subdivisions: 2 }.mesh().unwrap();
        let n = ball.vertices().len() as u32;
        let extra = [Vec3::repeat(3.0), Vec3::repeat(4.0), Vec3::repeat(5.0)];
        let vertices = [ball.vertices(), &extra].concat();
        let mesh = Mesh::new(vertices, ball.triangles().to_vec(), vec![[0, n], [n, n + 1]]).unwrap();
        let shape = Shape::new(mesh);
        let all = |list: fn(&Element) -> &[u32]| {
            let mut all: Vec<u32> = shape.parts.elements.iter().flat_map(list).copied().collect();
            all.sort_unstable();
            all
        };
        assert_eq!(all(Element::vertices), (0..n + 3).collect::<Vec<_>>());
        assert_eq!(all(Element::edges), (0..shape.parts.mesh.edges().len() as u32).collect::<Vec<_>>());
        for element in &shape.parts.elements {
            let bounds = shape.element_box(element);
            assert!(element.vertices().iter().all(|&v| bounds.contains(&shape.vertex_box(v))));
            assert!(element.edges().iter().all(|&e| bounds.contains(&shape.edge_box(e))));
        }
        assert_eq!(shape.parts.elements.len(), 320 + 2 + 1);
    }
}
