//! Pairs of nearby primitives: the squared distance of their surfaces and its barrier, with derivatives.

use std::ops::Range;

use rigor_ccd::Kind;
use rigor_ccd::broad_phase::{Candidate, Shape};
use rigor_geometry::distance::{SmoothPiece, edge_edge, point_edge, point_point, point_triangle};
use rigor_math::Vec3;

use crate::barrier::Barrier;
use crate::crossing::{self, Crossing};
use crate::edge_mollifier::{EdgeMollifier, MollifierDerivatives};
use crate::placement::Placement;

/// Two primitives, ready to be evaluated at any placement of their bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PrimitivePair {
    pub kind: Kind,
    /// The bodies of A and B.
    pub bodies: [usize; 2],
    /// The points x̂ (m), each in the frame of its own body.
    pub points_local: [Vec3; 4],
    /// Vertex indices of the points in their bodies; unused entries are 0.
    vertices: [u32; 4],
    /// ρ of A and of B (m): their surfaces are that far from the primitives.
    offsets: [f64; 2],
    /// w: how often the pair counts; terms to be subtracted have a negative weight.
    pub weight: f64,
    /// How a pair of edges fades out as they become parallel.
    fade: Option<EdgeMollifier>,
    /// ψ of the four ends of two edges, 0, ½ or 1: the share subtracted for each, because it counts elsewhere.
    shares: [f32; 4],
}

/// The primitives that a contact is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    kind: Kind,
    /// The bodies of A and B.
    pub bodies: [u32; 2],
    vertices: [u32; 4],
}

impl PrimitivePair {
    /// Creates the contact of a candidate from the shapes of A and B. A pair of edges does not fade yet.
    pub fn new(candidate: &Candidate, [a, b]: [&Shape; 2]) -> Self {
        let points_local = candidate.points_local(a, b);
        let vertices = candidate.vertices(a, b);
        let bodies = [candidate.body_a as usize, candidate.body_b as usize];
        let kind = candidate.kind;
        let offsets = candidate.offsets(a, b);
        Self { kind, bodies, points_local, vertices, offsets, weight: 1.0, fade: None, shares: [0.0; 4] }
    }

    /// Returns the same contact; if it is a pair of edges, one that fades as in \[Li2020\].
    pub fn mollified(self) -> Self {
        let fade = (self.kind == Kind::EdgeEdge).then(|| EdgeMollifier::mollifier(&self.points_local));
        Self { fade, ..self }
    }

    /// Returns the same contact with weight `weight`.
    pub fn counted(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// Returns the same contact; if it is a pair of edges, with ψ of their ends, which count elsewhere.
    pub fn crossing(&self, [a, b]: [[f64; 2]; 2]) -> Self {
        if self.kind != Kind::EdgeEdge {
            return *self;
        }
        Self {
            fade: Some(EdgeMollifier::sine(&self.points_local)),
            shares: [a[0], a[1], b[0], b[1]].map(|share| share as f32),
            ..*self
        }
    }

    /// Creates the contact of a candidate from the shapes of all bodies.
    pub fn among(candidate: &Candidate, shapes: &[Shape]) -> Self {
        Self::new(candidate, [candidate.body_a, candidate.body_b].map(|body| &shapes[body as usize]))
    }

    /// Returns the contact of the same point A with point `i` alone.
    pub fn with_point(&self, i: usize) -> Self {
        self.with(Kind::PointPoint, [0, i, i, i])
    }

    /// Returns the contact of the same point A with the edge between points `i` and `j` alone.
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

    /// Returns whether both contacts are of the same point A with the same body.
    pub fn has_same_point(&self, other: &Self) -> bool {
        let is_point = |c: &Self| c.kind != Kind::EdgeEdge;
        is_point(self)
            && is_point(other)
            && self.bodies == other.bodies
            && self.vertices[0] == other.vertices[0]
    }

    /// Returns whether both contacts are between the same primitives.
    pub fn is_between_same(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    pub fn identity(&self) -> Identity {
        let Self { kind, bodies, vertices, .. } = *self;
        Identity { kind, bodies: bodies.map(|body| body as u32), vertices }
    }

    /// Returns which side point `i` belongs to: 0 for A, 1 for B.
    pub fn side(&self, i: usize) -> usize {
        usize::from(i >= self.kind.sizes().0)
    }

    /// ρ_A + ρ_B (m): the surfaces are nearer than the primitives by that.
    pub fn offset(&self) -> f64 {
        self.offsets[0] + self.offsets[1]
    }

    /// d (m), the distance of the surfaces.
    pub fn distance(&self, places: &[Placement]) -> f64 {
        self.distance_sq(&points(self, places)).sqrt()
    }

    /// d² (m²), that of the surfaces: (‖x_A − x_B‖ − ρ_A − ρ_B)², and 0 where they overlap.
    pub fn distance_sq(&self, x: &[Vec3; 4]) -> f64 {
        self.of_surfaces(match self.kind {
            Kind::PointPoint => point_point::distance_sq(&x[0], &x[1]),
            Kind::PointEdge => point_edge::distance_sq(&x[0], &x[1], &x[2]),
            Kind::PointTriangle => point_triangle::distance_sq(&x[0], &x[1], &x[2], &x[3]),
            Kind::EdgeEdge => edge_edge::distance_sq(&x[0], &x[1], &x[2], &x[3]),
        })
    }

    /// Returns the squared distance (m²) of the surfaces from that of the primitives, `square`.
    fn of_surfaces(&self, square: f64) -> f64 {
        if self.offset() == 0.0 {
            return square;
        }
        let gap = (square.sqrt() - self.offset()).max(0.0);
        gap * gap
    }

    /// Returns the nearest points of the surfaces of A and of B, in the frames of their bodies (m): Σ wᵢ x̂ᵢ, with the weights wᵢ of
    /// [`Self::nearest`], moved by ρ along the unit `normal` (world), which points from B to A.
    pub fn surface_points(&self, weights: &[f64; 4], normal: &Vec3, places: &[Placement]) -> [Vec3; 2] {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let sum =
            |range: Range<usize>| range.fold(Vec3::zeros(), |sum, i| sum + self.points_local[i] * weights[i]);
        let mut points = [sum(0..n_a), -sum(n_a..n)];
        for (side, towards) in [(0, -1.0), (1, 1.0)] {
            if self.offsets[side] > 0.0 {
                let normal_local = places[self.bodies[side]].matrix.tr_mul(normal);
                points[side] += normal_local * (towards * self.offsets[side]);
            }
        }
        points
    }

    /// Returns wᵢ, by which Σ wᵢ xᵢ is the nearest point of the primitive A minus that of B, and this separation (m).
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

    /// Returns w m G (m⁴), the weighted barrier; G is b(d²) unless ends of edges are subtracted.
    pub fn energy(&self, barrier: &Barrier, x: &[Vec3; 4]) -> f64 {
        let value = crossing::value(barrier, self.distance_sq(x), &self.shares.map(f64::from), |i| {
            self.end_distance_sq(i, x)
        });
        if value == 0.0 { 0.0 } else { self.weight * self.fade(x) * value }
    }

    /// Returns G and its derivatives by the squared distances of [`PrimitivePair::piece`]; `None` where G is 0.
    pub fn felt(&self, barrier: &Barrier, x: &[Vec3; 4]) -> Option<Crossing> {
        let felt = Crossing::new(barrier, self.distance_sq(x), &self.shares.map(f64::from), |i| {
            self.end_distance_sq(i, x)
        })?;
        let offset = self.offset();
        if offset == 0.0 {
            return Some(felt);
        }
        Some(felt.by_squares_of_primitives(offset, |which| self.piece(which, x).distance_sq()))
    }

    /// Returns −Σ ∂(w m G)/∂dᵢ dᵢ/d (m³), d₀ = d: what presses A and B apart along their separation.
    ///
    /// The forces of the ends, which counter those of nearby corners, are assumed to act along it as well.
    pub fn pressure(&self, barrier: &Barrier, x: &[Vec3; 4]) -> f64 {
        let by_squares = |felt: Crossing| {
            let d_sq = |i: usize| self.piece(felt.which[i], x).distance_sq();
            let all: f64 = (0..felt.n).map(|i| felt.first[i] * (d_sq(i) / d_sq(0)).sqrt()).sum();
            -2.0 * self.weight * self.fade(x) * all * d_sq(0).sqrt()
        };
        self.felt(barrier, x).map_or(0.0, by_squares)
    }

    /// Returns −∂(w m G)/∂x (m³) on A, summed over all separations.
    pub fn push(&self, barrier: &Barrier, x: &[Vec3; 4]) -> Vec3 {
        let by_squares = |felt: Crossing| {
            let along = (0..felt.n).map(|i| self.piece(felt.which[i], x).separation * felt.first[i]);
            along.sum::<Vec3>() * (-2.0 * self.weight * self.fade(x))
        };
        self.felt(barrier, x).map_or_else(Vec3::zeros, by_squares)
    }

    /// m.
    pub fn fade(&self, x: &[Vec3; 4]) -> f64 {
        self.fade.map_or(1.0, |fade| fade.value(x))
    }

    /// Returns ∂m and ∂²m, or `None` if m is 1 everywhere nearby.
    pub fn fade_derivatives(&self, x: &[Vec3; 4]) -> Option<MollifierDerivatives> {
        self.fade.filter(|fade| fade.is_felt(x)).map(|fade| fade.derivatives(x))
    }

    /// Returns d² (m²) between end `i` of two edges and the other edge.
    fn end_distance_sq(&self, i: usize, x: &[Vec3; 4]) -> f64 {
        self.of_surfaces(if i < 2 {
            point_edge::distance_sq(&x[i], &x[2], &x[3])
        } else {
            point_edge::distance_sq(&x[i], &x[0], &x[1])
        })
    }

    /// Returns the data from which d² and its derivatives follow for any motion of the points: for 0, of A
    /// and B; for 1 + i, of end i of two edges and the other edge.
    pub fn piece(&self, which: usize, x: &[Vec3; 4]) -> SmoothPiece<4> {
        match which {
            0 => self.own_piece(x),
            1 | 2 => point_edge::piece(&x[which - 1], &x[2], &x[3]).scatter([which - 1, 2, 3]),
            _ => point_edge::piece(&x[which - 1], &x[0], &x[1]).swap().scatter([which - 1, 0, 1]),
        }
    }

    fn own_piece(&self, x: &[Vec3; 4]) -> SmoothPiece<4> {
        match self.kind {
            Kind::PointPoint => point_point::piece(&x[0], &x[1]).scatter([0, 1]),
            Kind::PointEdge => point_edge::piece(&x[0], &x[1], &x[2]).scatter([0, 1, 2]),
            Kind::PointTriangle => point_triangle::piece(&x[0], &x[1], &x[2], &x[3]),
            Kind::EdgeEdge => edge_edge::piece(&x[0], &x[1], &x[2], &x[3]),
        }
    }
}

/// Returns the points x of a contact (m, world).
#[inline]
pub(crate) fn points(contact: &PrimitivePair, places: &[Placement]) -> [Vec3; 4] {
    let ([a, b], x, none) = (contact.bodies.map(|body| &places[body]), &contact.points_local, Vec3::zeros());
    match contact.kind {
        Kind::PointPoint => [a.point(&x[0]), b.point(&x[1]), none, none],
        Kind::PointEdge => [a.point(&x[0]), b.point(&x[1]), b.point(&x[2]), none],
        Kind::PointTriangle => [a.point(&x[0]), b.point(&x[1]), b.point(&x[2]), b.point(&x[3])],
        Kind::EdgeEdge => [a.point(&x[0]), a.point(&x[1]), b.point(&x[2]), b.point(&x[3])],
    }
}

/// Returns the two bodies, the smaller index first.
pub(crate) fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}
