//! A pair of primitives that may come near each other.

use rigor_math::Vec3;

use super::Shape;
use crate::{Kind, RigidMotion, RigidQuery};

/// A pair of primitives A and B that may come near each other. Pairs outside the list of candidates do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// The types of the primitives. In point–edge and point–triangle pairs A is the point; of two points or
    /// edges, A is that of the body with the smaller index.
    pub kind: Kind,
    /// Index of the body of A.
    pub body_a: u32,
    /// Index of the body of B.
    pub body_b: u32,
    /// Index of A among the vertices or edges of its mesh.
    pub index_a: u32,
    /// Index of B among the vertices, edges or triangles of its mesh.
    pub index_b: u32,
}

impl Candidate {
    /// Returns both bodies, the smaller index first. Candidates of one pair of bodies are contiguous in every
    /// list.
    pub fn bodies(&self) -> [u32; 2] {
        [self.body_a.min(self.body_b), self.body_a.max(self.body_b)]
    }

    /// Returns the vertices of A, then those of B, as indices into the vertices of their meshes; unused
    /// entries are 0.
    pub fn vertices(&self, a: &Shape, b: &Shape) -> [u32; 4] {
        let (i, j) = (self.index_a, self.index_b);
        match self.kind {
            Kind::PointPoint => [i, j, 0, 0],
            Kind::PointEdge => {
                let [e, f] = b.mesh().edges()[j as usize];
                [i, e, f, 0]
            }
            Kind::PointTriangle => {
                let [e, f, g] = b.mesh().triangles()[j as usize];
                [i, e, f, g]
            }
            Kind::EdgeEdge => {
                let ([c, d], [e, f]) = (a.mesh().edges()[i as usize], b.mesh().edges()[j as usize]);
                [c, d, e, f]
            }
        }
    }

    /// Returns the points of A, then those of B (m), each in the frame of its body.
    pub fn points_local(&self, a: &Shape, b: &Shape) -> [Vec3; 4] {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let vertices = self.vertices(a, b);
        std::array::from_fn(|i| match i {
            i if i < n_a => a.mesh().vertices()[vertices[i] as usize],
            i if i < n => b.mesh().vertices()[vertices[i] as usize],
            _ => Vec3::zeros(),
        })
    }

    /// Returns ρ of A and of B (m): how far their surfaces are from the primitives; the largest of their vertices.
    pub fn offsets(&self, a: &Shape, b: &Shape) -> [f64; 2] {
        if a.max_offset() == 0.0 && b.max_offset() == 0.0 {
            return [0.0; 2];
        }
        let (vertices, n_a, n) = (self.vertices(a, b), self.kind.sizes().0, self.kind.n_points());
        let largest = |of: &Shape, own: &[u32]| own.iter().map(|v| of.offset(*v)).fold(0.0, f64::max);
        [largest(a, &vertices[..n_a]), largest(b, &vertices[n_a..n])]
    }

    /// Returns the narrow-phase query for this pair, which asks whether the surfaces come within `d_min` (m) of each other; `bodies`
    /// are those that the candidate was found among.
    pub fn query(&self, bodies: &[(&Shape, RigidMotion)], d_min: f64) -> RigidQuery {
        let ((a, motion_a), (b, motion_b)) = (bodies[self.body_a as usize], bodies[self.body_b as usize]);
        let [rho_a, rho_b] = self.offsets(a, b);
        let d_min = d_min + (rho_a + rho_b);
        RigidQuery { kind: self.kind, motion_a, motion_b, points_local: self.points_local(a, b), d_min }
    }

    /// Sort key: pair of bodies, kind, body and index of A, index of B.
    pub(super) fn rank(&self) -> ([u32; 2], u128) {
        let words = [self.kind as u32, self.body_a, self.index_a, self.index_b];
        (self.bodies(), words.iter().fold(0, |all, &word| all << 32 | u128::from(word)))
    }
}
