//! The times at which two primitives are within a distance of each other, as signs of polynomials.
//!
//! Two convex primitives are at most d apart if and only if one pair of their features is: the interiors of
//! both (of point and triangle, or of two edges), a point and the interior of an edge, or two points. Each is
//! a list of sign conditions that hold exactly when both nearest points lie in the features and are at most d
//! apart. A primitive without area or length needs no special case: its interior is never met, but its edges
//! or points are.

use super::polynomial::{Polynomial, Vector, cross, dot, minus};
use super::root::Root;
use rigor_ccd::Kind;

/// Conditions on the points, as polynomials in time.
pub(super) struct Feature {
    /// If not empty, at least one of them is nonzero.
    full: Vec<Polynomial>,
    /// None of them is negative: the nearest points lie in the interiors.
    inside: Vec<Polynomial>,
    reach: Reach,
}

/// The condition that the distance is at most d.
enum Reach {
    /// All are 0, for d = 0.
    Zero(Vec<Polynomial>),
    /// A multiple of (distance)² − d², which is not positive.
    AtMost(Polynomial),
}

impl Reach {
    /// The condition ‖v‖² ≤ d² w².
    fn new(v: &[Polynomial], d_sq: &Polynomial, w_sq: &Polynomial) -> Self {
        if d_sq.is_zero() {
            return Self::Zero(v.to_vec());
        }
        let v_sq = v.iter().fold(Polynomial::new(Vec::new()), |sum, v| &sum + &v.square());
        Self::AtMost(&v_sq - &(d_sq * w_sq))
    }
}

impl Feature {
    /// Whether all conditions hold.
    pub fn holds(&self, at: &mut Root) -> bool {
        let is_near = match &self.reach {
            Reach::Zero(v) => v.iter().all(|v| at.sign_of(v).is_eq()),
            Reach::AtMost(excess) => at.sign_of(excess).is_le(),
        };
        is_near
            && self.inside.iter().all(|p| at.sign_of(p).is_ge())
            && (self.full.is_empty() || self.full.iter().any(|p| at.sign_of(p).is_ne()))
    }

    /// Returns a polynomial with a root at each time at which the distance reaches d; `None` if it is always
    /// d.
    fn turning(&self) -> Option<&Polynomial> {
        match &self.reach {
            Reach::Zero(v) => v.iter().find(|v| !v.is_zero()),
            Reach::AtMost(excess) => Some(excess).filter(|e| !e.is_zero()),
        }
    }

    /// Two points: a = b.
    fn points(a: &Vector, b: &Vector, d_sq: &Polynomial) -> Self {
        let one = Polynomial::constant(1.into());
        Self { full: Vec::new(), inside: Vec::new(), reach: Reach::new(&minus(a, b), d_sq, &one) }
    }

    /// p is on the line through a and b, and between them: (b − a) × (p − a) = 0.
    fn point_edge(p: &Vector, a: &Vector, b: &Vector, d_sq: &Polynomial) -> Self {
        let (along, from_a, to_b) = (minus(b, a), minus(p, a), minus(b, p));
        let reach = Reach::new(&cross(&along, &from_a), d_sq, &dot(&along, &along));
        Self { inside: vec![dot(&along, &from_a), dot(&along, &to_b)], full: along.to_vec(), reach }
    }

    /// p is in the plane of the triangle, and on the inner side of each edge.
    fn point_triangle(p: &Vector, [a, b, c]: [&Vector; 3], d_sq: &Polynomial) -> Self {
        let normal = cross(&minus(b, a), &minus(c, a));
        let side = |a: &Vector, b: &Vector| dot(&cross(&minus(b, a), &minus(p, a)), &normal);
        let volume = dot(&minus(p, a), &normal);
        let reach = Reach::new(&[volume], d_sq, &dot(&normal, &normal));
        Self { inside: vec![side(a, b), side(b, c), side(c, a)], full: normal.to_vec(), reach }
    }

    /// The nearest points of both lines lie between the ends: a₀ + s (a₁ − a₀) and b₀ + u (b₁ − b₀) with
    /// s N² = ((b₀ − a₀) × (b₁ − b₀))·N, u N² = ((b₀ − a₀) × (a₁ − a₀))·N, N = (a₁ − a₀) × (b₁ − b₀).
    fn edge_edge([a0, a1]: [&Vector; 2], [b0, b1]: [&Vector; 2], d_sq: &Polynomial) -> Self {
        let (a, b, between) = (minus(a1, a0), minus(b1, b0), minus(b0, a0));
        let normal = cross(&a, &b);
        let normal_sq = dot(&normal, &normal);
        let (s, u) = (dot(&cross(&between, &b), &normal), dot(&cross(&between, &a), &normal));
        let reach = Reach::new(&[dot(&between, &normal)], d_sq, &normal_sq);
        let inside = vec![&normal_sq - &s, &normal_sq - &u, s, u];
        Self { inside, full: normal.to_vec(), reach }
    }
}

/// Returns the indices of each point p of one primitive and edge a, b of the other.
pub(super) fn point_edge_pairs(kind: Kind) -> &'static [[usize; 3]] {
    match kind {
        Kind::PointPoint => &[],
        Kind::PointEdge => &[[0, 1, 2]],
        Kind::PointTriangle => &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
        Kind::EdgeEdge => &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
    }
}

/// Returns all features of two primitives with points `x`, the interiors first.
pub(super) fn features(kind: Kind, x: &[Vector], d_sq: &Polynomial) -> Vec<Feature> {
    let mut features = Vec::new();
    match kind {
        Kind::PointTriangle => {
            features.push(Feature::point_triangle(&x[0], [&x[1], &x[2], &x[3]], d_sq));
        }
        Kind::EdgeEdge => features.push(Feature::edge_edge([&x[0], &x[1]], [&x[2], &x[3]], d_sq)),
        _ => {}
    }
    let edges = point_edge_pairs(kind).iter();
    features.extend(edges.map(|&[p, a, b]| Feature::point_edge(&x[p], &x[a], &x[b], d_sq)));
    let (n_a, n) = (kind.sizes().0, kind.n_points());
    for a in 0..n_a {
        features.extend((n_a..n).map(|b| Feature::points(&x[a], &x[b], d_sq)));
    }
    features
}

/// Returns polynomials of which at least one has a root at the first contact, if they do not meet at 0.
///
/// At that time the distance reaches d, and the nearest points lie in some features. The distance of the
/// smallest of these is at most d at that time only: if it were d at all times, it would have been entered or
/// left just then through a smaller one. For d = 0 a contact on an edge or point is also one in the plane, so
/// where the volume is not always 0, its roots suffice.
pub(super) fn turning_points(features: &[Feature]) -> Vec<&Polynomial> {
    let inside = features.first().filter(|f| matches!(&f.reach, Reach::Zero(v) if v.len() == 1));
    match inside.and_then(Feature::turning) {
        Some(volume) => vec![volume],
        None => features.iter().filter_map(Feature::turning).collect(),
    }
}
