//! Turns pairs of elements into pairs of primitives.

use super::shape::{Element, ElementKind};
use super::tree::Sweep;
use super::{Candidate, Shape};
use crate::Kind;

/// Two bodies and their shapes: A moves through the frame of B.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub bodies: [u32; 2],
    pub shapes: [&'a Shape; 2],
}

/// Collects the candidates of one pair of bodies.
pub(super) struct CandidateCollector<'a> {
    pair: Pair<'a>,
    /// Pairs of elements; the buffer is reused for every piece.
    elements: Vec<[u32; 2]>,
    found: Vec<Candidate>,
}

impl<'a> CandidateCollector<'a> {
    pub fn new(pair: Pair<'a>) -> Self {
        Self { pair, elements: Vec::new(), found: Vec::new() }
    }

    /// Adds the candidates of one piece of time.
    pub fn add<S: Sweep>(&mut self, sweep: &S) {
        let [a, b] = self.pair.shapes;
        self.elements.clear();
        a.tree().meeting(b.tree(), sweep, &mut self.elements);
        self.elements.sort_unstable_by_key(|[i, j]| u64::from(*i) << 32 | u64::from(*j));
        for same in self.elements.chunk_by(|[i, _], [j, _]| i == j) {
            let swept = Swept::new(a, a.element(same[0][0]), sweep);
            for [_, j] in same {
                swept.meet(self.pair, b.element(*j), sweep, &mut self.found);
            }
        }
    }

    /// Returns all candidates, sorted and without duplicates.
    pub fn finish(mut self) -> Vec<Candidate> {
        // Within one pair of bodies, the first part of the rank is constant.
        self.found.sort_unstable_by_key(|candidate| candidate.rank().1);
        self.found.dedup();
        self.found
    }
}

/// The swept volumes of an element of A and of the primitives that it owns.
struct Swept<'a, S: Sweep> {
    element: &'a Element,
    whole: S::Swept,
    vertices: Vec<S::Swept>,
    edges: Vec<S::Swept>,
}

impl<'a, S: Sweep> Swept<'a, S> {
    fn new(shape: &Shape, element: &'a Element, sweep: &S) -> Self {
        let mesh = shape.mesh();
        let vertex = |&v: &u32| sweep.of_points(&[mesh.vertices()[v as usize]]);
        let edge = |&e: &u32| sweep.of_points(&mesh.ends(e as usize));
        Self {
            element,
            whole: sweep.of_points(&shape.corners(element)),
            vertices: element.vertices().iter().map(vertex).collect(),
            edges: element.edges().iter().map(edge).collect(),
        }
    }

    /// Adds every kind of first contact between two meshes: points with triangles, edges with edges, isolated
    /// points with wires, and isolated points with each other.
    fn meet(&self, pair: Pair, other: &Element, sweep: &S, found: &mut Vec<Candidate>) {
        use ElementKind::{Point, Triangle, Wire};
        let [body_a, body_b] = pair.bodies;
        let shape = pair.shapes[1];
        let mut push = |kind, a: [u32; 2], b: [u32; 2]| {
            let is_symmetric = matches!(kind, Kind::PointPoint | Kind::EdgeEdge);
            let ([body_a, index_a], [body_b, index_b]) = if is_symmetric && b < a { (b, a) } else { (a, b) };
            found.push(Candidate { kind, body_a, body_b, index_a, index_b });
        };
        let point_and = |kind| match kind {
            Triangle => Kind::PointTriangle,
            Wire => Kind::PointEdge,
            Point => Kind::PointPoint,
        };
        let (mine, others) = (self.element.kind, other.kind);
        if others == Triangle || mine == Point {
            let bounds = shape.element_box(other);
            for (&v, swept) in self.element.vertices().iter().zip(&self.vertices) {
                if sweep.meets(swept, &bounds) {
                    push(point_and(others), [body_a, v], [body_b, other.index]);
                }
            }
        }
        if mine == Triangle || (mine == Wire && others == Point) {
            for &v in other.vertices() {
                if sweep.meets(&self.whole, &shape.vertex_box(v)) {
                    push(point_and(mine), [body_b, v], [body_a, self.element.index]);
                }
            }
        }
        for &f in other.edges() {
            let bounds = shape.edge_box(f);
            for (&e, swept) in self.element.edges().iter().zip(&self.edges) {
                if sweep.meets(swept, &bounds) {
                    push(Kind::EdgeEdge, [body_a, e], [body_b, f]);
                }
            }
        }
    }
}
