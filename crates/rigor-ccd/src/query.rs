//! Input of a query: two primitives, their motions during a step and the distance they must keep.

use rigor_math::Vec3;

use crate::invalid::{self, InvalidQuery};
use crate::motion::{RigidMotion, StraightMotion};

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

/// Primitives whose points each move along a straight line at constant velocity, see [`StraightMotion`].
///
/// Numbers are checked when the query is asked: a method answers an invalid query with [`InvalidQuery`].
///
/// ```
/// use rigor_ccd::{Ccd, LinearMethod, LinearQuery, StraightMotion};
/// use rigor_math::Vec3;
/// // A point falls through a triangle, from 1 m above to 1 m below.
/// let point = StraightMotion::between(Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, -1.0));
/// let triangle = [Vec3::zeros(), Vec3::x() * 3.0, Vec3::y() * 3.0].map(StraightMotion::at_rest);
/// let query = LinearQuery::point_triangle(point, triangle, 0.0);
/// let t_safe = LinearMethod::default().impact(&query, 1.0)?.t_safe(1.0);
/// assert!(0.499999 < t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LinearQuery {
    /// The types of the primitives.
    pub kind: Kind,
    /// The points at t = 0 (m, world): those of A, those of B, then entries that are ignored.
    pub start: [Vec3; 4],
    /// The points at t = 1 (m, world), in the same order.
    pub end: [Vec3; 4],
    /// The primitives must stay farther apart than this distance (m); with 0 they must only not touch.
    pub d_min: f64,
}

/// Primitives of two rigid bodies that move along curves.
///
/// x(t) = R(t) x̂ + q(t), t ∈ [0, 1], see [`RigidMotion`].
///
/// Source: \[Ferguson2021\] eq. (16).
///
/// Numbers are checked when the query is asked: a method answers an invalid query with [`InvalidQuery`].
///
/// ```
/// use rigor_ccd::{Ccd, RigidMethod, RigidMotion, RigidQuery};
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A hand of length 1 makes half a turn from +x to −x: halfway it meets the middle of an edge across +y.
/// let still = UnitQuaternion::identity();
/// let hand = RigidMotion::about_axis([Vec3::zeros(); 2], still, Vec3::z() * std::f64::consts::PI);
/// let bar = RigidMotion::at_rest(Vec3::y() * 0.5, still);
/// let query = RigidQuery::edge_edge([hand, bar], [Vec3::zeros(), Vec3::x()], [-Vec3::z(), Vec3::z()], 0.0);
/// let t_safe = RigidMethod::default().impact(&query, 1.0)?.t_safe(1.0);
/// assert!(0.499999 < t_safe && t_safe < 0.5);
/// # Ok::<(), rigor_ccd::InvalidQuery>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RigidQuery {
    /// The types of the primitives.
    pub kind: Kind,
    /// The motion of the body of A.
    pub motion_a: RigidMotion,
    /// The motion of the body of B.
    pub motion_b: RigidMotion,
    /// The points x̂ (m), each in the frame of its body: those of A, those of B, then entries that are ignored.
    pub points_local: [Vec3; 4],
    /// The primitives must stay farther apart than this distance (m); with 0 they must only not touch.
    pub d_min: f64,
}

/// Names of a motion and of its vectors.
const NAMES_A: [&str; 5] =
    ["motion_a", "motion_a.position_t0", "motion_a.position_t1", "motion_a.theta_t0", "motion_a.theta_t1"];
const NAMES_B: [&str; 5] =
    ["motion_b", "motion_b.position_t0", "motion_b.position_t1", "motion_b.theta_t0", "motion_b.theta_t1"];

fn are_finite(points: &[Vec3]) -> bool {
    points.iter().all(|x| x.iter().all(|c| c.is_finite()))
}

fn is_distance(d_min: f64) -> bool {
    d_min >= 0.0 && d_min.is_finite()
}

/// Fills an array of four with points of A and of B, then with zeros.
fn four<const N: usize, const M: usize>(a: [Vec3; N], b: [Vec3; M]) -> [Vec3; 4] {
    let mut points = [Vec3::zeros(); 4];
    points[..N].copy_from_slice(&a);
    points[N..N + M].copy_from_slice(&b);
    points
}

impl LinearQuery {
    /// Two points that must stay farther apart than `d_min` (m).
    pub fn point_point(a: StraightMotion, b: StraightMotion, d_min: f64) -> Self {
        Self::of(Kind::PointPoint, [a], [b], d_min)
    }

    /// A point and an edge that must stay farther apart than `d_min` (m).
    pub fn point_edge(point: StraightMotion, edge: [StraightMotion; 2], d_min: f64) -> Self {
        Self::of(Kind::PointEdge, [point], edge, d_min)
    }

    /// A point and a triangle that must stay farther apart than `d_min` (m).
    pub fn point_triangle(point: StraightMotion, triangle: [StraightMotion; 3], d_min: f64) -> Self {
        Self::of(Kind::PointTriangle, [point], triangle, d_min)
    }

    /// Two edges that must stay farther apart than `d_min` (m).
    pub fn edge_edge(a: [StraightMotion; 2], b: [StraightMotion; 2], d_min: f64) -> Self {
        Self::of(Kind::EdgeEdge, a, b, d_min)
    }

    fn of<const N: usize, const M: usize>(
        kind: Kind,
        a: [StraightMotion; N],
        b: [StraightMotion; M],
        d_min: f64,
    ) -> Self {
        let start = four(a.map(|x| x.start), b.map(|x| x.start));
        let end = four(a.map(|x| x.end), b.map(|x| x.end));
        Self { kind, start, end, d_min }
    }

    /// Primitives of a kind that is known only at run time: the points of A, those of B, then entries that
    /// are ignored (m, world).
    pub fn new(kind: Kind, start: [Vec3; 4], end: [Vec3; 4], d_min: f64) -> Self {
        Self { kind, start, end, d_min }
    }

    /// The same primitives, which must stay farther apart than `d_min` (m).
    #[must_use]
    pub fn with_d_min(self, d_min: f64) -> Self {
        Self { d_min, ..self }
    }

    /// Whether the query is valid, and if not, which number is invalid.
    ///
    /// # Errors
    /// The first coordinate that is not finite, or d_min.
    pub fn check(&self) -> Result<(), InvalidQuery> {
        if self.is_valid() { Ok(()) } else { self.fault() }
    }

    #[cold]
    fn fault(&self) -> Result<(), InvalidQuery> {
        let n = self.kind.n_points();
        invalid::points("start", &self.start[..n])?;
        invalid::points("end", &self.end[..n])?;
        invalid::distance(self.d_min)
    }

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
    /// Two points, each in the frame of its body (m), that must stay farther apart than `d_min` (m).
    pub fn point_point(motions: [RigidMotion; 2], a: Vec3, b: Vec3, d_min: f64) -> Self {
        Self::new(Kind::PointPoint, motions, four([a], [b]), d_min)
    }

    /// A point of the first body and an edge of the second (m, body frames) that must stay farther apart than
    /// `d_min` (m).
    pub fn point_edge(motions: [RigidMotion; 2], point: Vec3, edge: [Vec3; 2], d_min: f64) -> Self {
        Self::new(Kind::PointEdge, motions, four([point], edge), d_min)
    }

    /// A point of the first body and a triangle of the second (m, body frames) that must stay farther apart
    /// than `d_min` (m).
    pub fn point_triangle(motions: [RigidMotion; 2], point: Vec3, triangle: [Vec3; 3], d_min: f64) -> Self {
        Self::new(Kind::PointTriangle, motions, four([point], triangle), d_min)
    }

    /// An edge of each body (m, body frames) that must stay farther apart than `d_min` (m).
    pub fn edge_edge(motions: [RigidMotion; 2], a: [Vec3; 2], b: [Vec3; 2], d_min: f64) -> Self {
        Self::new(Kind::EdgeEdge, motions, four(a, b), d_min)
    }

    /// Primitives of a kind that is known only at run time: the points of A, those of B, then entries that
    /// are ignored (m), each in the frame of its body.
    pub fn new(kind: Kind, motions: [RigidMotion; 2], points_local: [Vec3; 4], d_min: f64) -> Self {
        let [motion_a, motion_b] = motions;
        Self { kind, motion_a, motion_b, points_local, d_min }
    }

    /// The same primitives, which must stay farther apart than `d_min` (m).
    #[must_use]
    pub fn with_d_min(self, d_min: f64) -> Self {
        Self { d_min, ..self }
    }

    /// Whether the query is valid, and if not, which number is invalid.
    ///
    /// # Errors
    /// The first coordinate that is not finite, an orientation that is not of unit length, or d_min.
    pub fn check(&self) -> Result<(), InvalidQuery> {
        if self.is_valid() { Ok(()) } else { self.fault() }
    }

    #[cold]
    fn fault(&self) -> Result<(), InvalidQuery> {
        invalid::motion(NAMES_A, &self.motion_a)?;
        invalid::motion(NAMES_B, &self.motion_b)?;
        invalid::points("points_local", &self.points_local[..self.kind.n_points()])?;
        invalid::distance(self.d_min)
    }

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
