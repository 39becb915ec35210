//! Input of a query: two primitives, their motions during a step and the distance they must keep.

use rigor_math::Vec3;

use crate::motion::RigidMotion;

/// The types of the two primitives, A and B. Their points share one array of four, those of A first; unused
/// entries are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two points.
    PointPoint,
    /// A point and an edge.
    PointEdge,
    /// A point and a triangle.
    PointTriangle,
    /// Two edges.
    EdgeEdge,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::PointPoint, Self::PointEdge, Self::PointTriangle, Self::EdgeEdge];

    /// Returns the numbers of points of A and of B.
    ///
    /// ```
    /// assert_eq!(rigor_ccd::Kind::PointTriangle.sizes(), (1, 3));
    /// ```
    pub const fn sizes(self) -> (usize, usize) {
        match self {
            Self::PointPoint => (1, 1),
            Self::PointEdge => (1, 2),
            Self::PointTriangle => (1, 3),
            Self::EdgeEdge => (2, 2),
        }
    }

    /// Returns the number of points of A and B together.
    pub const fn n_points(self) -> usize {
        self.sizes().0 + self.sizes().1
    }

    /// The name used in files and tables, such as `point-triangle`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PointPoint => "point-point",
            Self::PointEdge => "point-edge",
            Self::PointTriangle => "point-triangle",
            Self::EdgeEdge => "edge-edge",
        }
    }
}

/// Primitives whose points each move along a straight line at constant velocity.
///
/// x(t) = (1 − t) x(0) + t x(1), t ∈ [0, 1], with all numbers taken as exact reals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearQuery {
    /// The types of the primitives.
    pub kind: Kind,
    /// The points at t = 0 (m, world).
    pub start: [Vec3; 4],
    /// The points at t = 1 (m, world).
    pub end: [Vec3; 4],
    /// The primitives must stay farther apart than this distance (m); with 0 they must only not touch.
    pub d_min: f64,
}

/// Primitives of two rigid bodies that move along curves.
///
/// x(t) = R(t) x̂ + q(t), t ∈ [0, 1], see [`RigidMotion`].
///
/// Source: [Ferguson2021] eq. (16).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidQuery {
    /// The types of the primitives.
    pub kind: Kind,
    /// The motion of the body of A.
    pub motion_a: RigidMotion,
    /// The motion of the body of B.
    pub motion_b: RigidMotion,
    /// The points x̂ (m), each in the frame of its body.
    pub points_local: [Vec3; 4],
    /// The primitives must stay farther apart than this distance (m); with 0 they must only not touch.
    pub d_min: f64,
}

fn are_finite(points: &[Vec3]) -> bool {
    points.iter().all(|x| x.iter().all(|c| c.is_finite()))
}

fn is_distance(d_min: f64) -> bool {
    d_min >= 0.0 && d_min.is_finite()
}

impl LinearQuery {
    /// Whether the query is valid: all numbers are finite and d_min ≥ 0.
    pub fn is_valid(&self) -> bool {
        let n = self.kind.n_points();
        are_finite(&self.start[..n]) && are_finite(&self.end[..n]) && is_distance(self.d_min)
    }

    /// Returns the points at `t` (m, world), rounded.
    pub fn points(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t)
    }
}

impl RigidQuery {
    /// Whether the query is valid: all numbers are finite, orientations have unit length, and d_min ≥ 0.
    pub fn is_valid(&self) -> bool {
        let are_valid = self.motion_a.is_valid() && self.motion_b.is_valid();
        are_valid && are_finite(&self.points_local[..self.kind.n_points()]) && is_distance(self.d_min)
    }

    /// Returns the points at `t` (m, world), rounded.
    pub fn points(&self, t: f64) -> [Vec3; 4] {
        let (n_a, _) = self.kind.sizes();
        std::array::from_fn(|i| {
            let motion = if i < n_a { &self.motion_a } else { &self.motion_b };
            motion.point(t, &self.points_local[i])
        })
    }
}
