//! Pairs of primitives near each other: their squared distance, mollified for edges, with derivatives.

use nalgebra::{SMatrix, SVector};
use rigor_ccd::Kind;
use rigor_ccd::broad_phase::{Candidate, Shape};
use rigor_geometry::distance::{Piece, edge_edge, point_edge, point_point, point_triangle};
use rigor_geometry::mollifier;
use rigor_math::Vec3;

use crate::barrier::Barrier;
use crate::objective::points;
use crate::pair::sorted;
use crate::placement::Placement;

/// Derivatives with respect to the four points.
pub(crate) type Vec12 = SVector<f64, 12>;
pub(crate) type Mat12 = SMatrix<f64, 12, 12>;

/// Two primitives, ready to be evaluated wherever their bodies are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contact {
    pub kind: Kind,
    /// The bodies of A and B.
    pub bodies: [usize; 2],
    /// The points x̂ (m), each in the frame of its own body.
    pub points_local: [Vec3; 4],
    /// The points, as indices into the vertices of their bodies; what is left is 0.
    vertices: [u32; 4],
    /// How often it counts.
    pub weight: f64,
    /// e_x (m⁴) of two edges at the rest lengths.
    e_x: f64,
}

impl Contact {
    /// Of the primitives of a candidate, with the shapes of A and B.
    pub fn new(candidate: &Candidate, [a, b]: [&Shape; 2]) -> Self {
        let x = candidate.points_local(a, b);
        let e_x = match candidate.kind {
            Kind::EdgeEdge => mollifier::threshold(&x[0], &x[1], &x[2], &x[3]),
            _ => 0.0,
        };
        let vertices = candidate.vertices(a, b);
        let bodies = [candidate.body_a as usize, candidate.body_b as usize];
        Self { kind: candidate.kind, bodies, points_local: x, vertices, weight: 1.0, e_x }
    }

    /// The same, from the shapes of all bodies.
    pub fn among(candidate: &Candidate, shapes: &[Shape]) -> Self {
        Self::new(candidate, [candidate.body_a, candidate.body_b].map(|body| &shapes[body as usize]))
    }

    /// The same point A against point `i` alone.
    pub fn with_point(&self, i: usize) -> Self {
        self.with(Kind::PointPoint, [0, i, i, i])
    }

    /// The same point A against the edge between points `i` and `j` alone.
    pub fn with_edge(&self, i: usize, j: usize) -> Self {
        let (i, j) = if self.vertices[i] < self.vertices[j] { (i, j) } else { (j, i) };
        self.with(Kind::PointEdge, [0, i, j, j])
    }

    fn with(&self, kind: Kind, order: [usize; 4]) -> Self {
        let n = kind.n_points();
        let mut with = Self { kind, ..*self };
        for (i, from) in order.into_iter().enumerate() {
            with.points_local[i] = if i < n { self.points_local[from] } else { Vec3::zeros() };
            with.vertices[i] = if i < n { self.vertices[from] } else { 0 };
        }
        with
    }

    /// Whether both are between the same two bodies.
    pub fn has_same_bodies(&self, other: &Self) -> bool {
        sorted(self.bodies) == sorted(other.bodies)
    }

    /// Whether both are of one point A against the same body.
    pub fn has_same_point(&self, other: &Self) -> bool {
        let is_point = |c: &Self| c.kind != Kind::EdgeEdge;
        is_point(self)
            && is_point(other)
            && self.bodies == other.bodies
            && self.vertices[0] == other.vertices[0]
    }

    /// Whether both are between the same primitives.
    pub fn is_between_same(&self, other: &Self) -> bool {
        (self.kind, self.bodies, self.vertices) == (other.kind, other.bodies, other.vertices)
    }

    /// The body of point i.
    pub fn side(&self, i: usize) -> usize {
        usize::from(i >= self.kind.sizes().0)
    }

    /// d (m).
    pub fn distance(&self, places: &[Placement]) -> f64 {
        self.distance_sq(&points(self, places)).sqrt()
    }

    /// d² (m²).
    pub fn distance_sq(&self, x: &[Vec3; 4]) -> f64 {
        match self.kind {
            Kind::PointPoint => point_point::distance_sq(&x[0], &x[1]),
            Kind::PointEdge => point_edge::distance_sq(&x[0], &x[1], &x[2]),
            Kind::PointTriangle => point_triangle::distance_sq(&x[0], &x[1], &x[2], &x[3]),
            Kind::EdgeEdge => edge_edge::distance_sq(&x[0], &x[1], &x[2], &x[3]),
        }
    }

    /// wᵢ: the nearest point of A less that of B is Σ wᵢ xᵢ, and that difference (m).
    pub fn nearest(&self, x: &[Vec3; 4]) -> ([f64; 4], Vec3) {
        match self.kind {
            Kind::PointPoint => ([1.0, -1.0, 0.0, 0.0], x[0] - x[1]),
            Kind::PointEdge => {
                let found = point_edge::closest(&x[0], &x[1], &x[2]);
                let [w_0, w_1, w_2] = found.weights;
                ([w_0, w_1, w_2, 0.0], found.separation)
            }
            Kind::PointTriangle => {
                let found = point_triangle::closest(&x[0], &x[1], &x[2], &x[3]);
                (found.weights, found.separation)
            }
            Kind::EdgeEdge => {
                let found = edge_edge::closest(&x[0], &x[1], &x[2], &x[3]);
                (found.weights, found.separation)
            }
        }
    }

    /// w m b(d²) (m⁴): the mollified barrier, as often as it counts.
    ///
    /// Source: [Li2020] eq. (24) for the mollifier.
    pub fn energy(&self, barrier: &Barrier, x: &[Vec3; 4]) -> f64 {
        let b = self.weight * barrier.value(self.distance_sq(x));
        if b != 0.0 && self.e_x > 0.0 { b * self.mollifier(x) } else { b }
    }

    /// −∂(w m b)/∂d (m³): what presses A and B apart along their separation.
    pub fn pressure(&self, barrier: &Barrier, x: &[Vec3; 4]) -> f64 {
        let d_sq = self.distance_sq(x);
        let (by_square, _) = barrier.derivatives(d_sq);
        let m = if self.is_mollified(x) { self.mollifier(x) } else { 1.0 };
        -2.0 * self.weight * m * by_square * d_sq.sqrt()
    }

    /// m.
    pub fn mollifier(&self, x: &[Vec3; 4]) -> f64 {
        mollifier::value(&x[0], &x[1], &x[2], &x[3], self.e_x)
    }

    /// ∂m and ∂²m.
    pub fn mollifier_derivatives(&self, x: &[Vec3; 4]) -> (Vec12, Mat12) {
        let [a0, a1, b0, b1] = x;
        (mollifier::gradient(a0, a1, b0, b1, self.e_x), mollifier::hessian(a0, a1, b0, b1, self.e_x))
    }

    /// Whether m < 1.
    pub fn is_mollified(&self, x: &[Vec3; 4]) -> bool {
        self.e_x > 0.0 && (x[1] - x[0]).cross(&(x[3] - x[2])).norm_squared() < self.e_x
    }

    /// From what d² and its derivatives follow, for any motion of the points.
    pub fn piece(&self, x: &[Vec3; 4]) -> Piece<4> {
        match self.kind {
            Kind::PointPoint => point_point::piece(&x[0], &x[1]).scatter([0, 1]),
            Kind::PointEdge => point_edge::piece(&x[0], &x[1], &x[2]).scatter([0, 1, 2]),
            Kind::PointTriangle => point_triangle::piece(&x[0], &x[1], &x[2], &x[3]),
            Kind::EdgeEdge => edge_edge::piece(&x[0], &x[1], &x[2], &x[3]),
        }
    }
}
