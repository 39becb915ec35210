//! What is asked: two primitives, how they move during a step, and how far apart they must stay.

use rigor_math::Vec3;

use crate::motion::RigidMotion;

/// Which two primitives, A and B. Their points stand in one array of four, those of A first; what is left of it is not
/// looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Two points.
    PointPoint,
    /// A point against an edge.
    PointEdge,
    /// A point against a triangle.
    PointTriangle,
    /// Two edges.
    EdgeEdge,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PointPoint, Self::PointEdge, Self::PointTriangle, Self::EdgeEdge];

    /// How many points A and B have.
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

    /// How many points both have together.
    pub const fn n_points(self) -> usize {
        self.sizes().0 + self.sizes().1
    }

    /// As in files and tables: `point-triangle`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PointPoint => "point-point",
            Self::PointEdge => "point-edge",
            Self::PointTriangle => "point-triangle",
            Self::EdgeEdge => "edge-edge",
        }
    }
}

/// Primitives whose points each move along a straight line at a constant speed of their own.
///
/// x(t) = (1 − t) x(0) + t x(1), t ∈ [0, 1], of the given numbers taken as exact reals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearQuery {
    /// Which primitives.
    pub kind: Kind,
    /// Their points at t = 0 (m, world).
    pub start: [Vec3; 4],
    /// Their points at t = 1 (m, world).
    pub end: [Vec3; 4],
    /// The distance (m) that they must stay farther apart than; 0 if they must only not touch.
    pub d_min: f64,
}

/// Primitives of two rigid bodies that move along curves.
///
/// x(t) = R(t) x̂ + q(t), t ∈ [0, 1], see [`RigidMotion`].
///
/// Source: [Ferguson2021] eq. (16).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidQuery {
    /// Which primitives.
    pub kind: Kind,
    /// The motion of the body of A.
    pub motion_a: RigidMotion,
    /// The motion of the body of B.
    pub motion_b: RigidMotion,
    /// The points x̂ (m), each in the frame of its own body.
    pub points_local: [Vec3; 4],
    /// The distance (m) that the primitives must stay farther apart than; 0 if they must only not touch.
    pub d_min: f64,
}

fn are_finite(points: &[Vec3]) -> bool {
    points.iter().all(|x| x.iter().all(|c| c.is_finite()))
}

fn is_distance(d_min: f64) -> bool {
    d_min >= 0.0 && d_min.is_finite()
}

impl LinearQuery {
    /// Whether it is a question at all: numbers that are finite, and d_min ≥ 0.
    pub fn is_valid(&self) -> bool {
        let n = self.kind.n_points();
        are_finite(&self.start[..n]) && are_finite(&self.end[..n]) && is_distance(self.d_min)
    }

    /// The points at `t`, rounded.
    pub fn points(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t)
    }
}

impl RigidQuery {
    /// Whether it is a question at all: numbers that are finite, orientations of unit length, and d_min ≥ 0.
    pub fn is_valid(&self) -> bool {
        let are_valid = self.motion_a.is_valid() && self.motion_b.is_valid();
        are_valid && are_finite(&self.points_local[..self.kind.n_points()]) && is_distance(self.d_min)
    }

    /// The points at `t` (m, world), rounded.
    pub fn points(&self, t: f64) -> [Vec3; 4] {
        let (n_a, _) = self.kind.sizes();
        std::array::from_fn(|i| {
            let motion = if i < n_a { &self.motion_a } else { &self.motion_b };
            motion.point(t, &self.points_local[i])
        })
    }
}
