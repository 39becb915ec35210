//! The motion of one body during a piece of the path.

use rigor_math::{Mat3, Pose, rotation_vector};
use rigor_scene::{Travel, Turn};

use super::interval::{Interval, norm, points};
use super::placement::Placement;
use super::shape::PrimitiveTree;
use super::spot::Spot;

/// The squared length of a stored quaternion differs from 1 by at most this.
pub(crate) const UNIT_TOLERANCE: f64 = 1e-13;

/// The motion of a body during a piece, t ∈ [0, 1], with bounds on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    travel: Option<Travel>,
    /// The placements at t = 0 and t = 1.
    ends: [Placement; 2],
    /// Maximum distance (m) of any point between the stored poses and `ends`.
    pub joint: f64,
    /// Maximum distance (m) that any point turns about the centre of mass.
    pub sweep: f64,
    /// ‖Δθ‖² r (m).
    bow: f64,
    /// Where it is at t = 0, in floating-point numbers.
    from: Spot,
    /// Whether its points are not those of a rotation.
    is_affine: bool,
}

impl Course {
    /// The course of a body that stays at `pose`.
    pub fn staying(pose: &Pose) -> Self {
        let from = Spot::rigid(*pose);
        let ends = [Placement::of(pose); 2];
        Self { travel: None, ends, joint: 0.0, sweep: 0.0, bow: 0.0, from, is_affine: false }
    }

    /// The course of a body that stays at A x̂ + q, which `at` encloses and is about `from`, with allowance for `joint` (m) between that
    /// and the stored places of its points.
    pub fn staying_affine(from: Spot, at: &Placement, joint: f64) -> Self {
        Self { travel: None, ends: [*at; 2], joint, sweep: 0.0, bow: 0.0, from, is_affine: true }
    }

    /// Returns the course with allowance for the rounding of its points in `f64`, within `radius` (m) of the centre of mass.
    ///
    /// Transforming a point by a pose and a strain takes fewer than fifty roundings of numbers no larger than `size`.
    pub fn rounded(self, radius: f64) -> Self {
        let size = radius + self.from.pose.position.norm();
        Self { joint: UNIT_TOLERANCE * 10.0 * size, ..self }
    }

    /// The course of a body whose points lie within `radius` (m) of its centre of mass.
    pub fn new(travel: &Travel, radius: f64) -> Self {
        let ends = [Placement::during(travel, 0.0), Placement::during(travel, 1.0)];
        let stored = [&travel.from, &travel.to].map(Placement::of);
        let joint = ends[0].difference(&stored[0], radius).max(ends[1].difference(&stored[1], radius));
        let turn = norm(&points(&travel.turn.vector()));
        let sweep = turn * Interval::point(radius);
        Self {
            travel: Some(*travel),
            ends,
            joint,
            sweep: sweep.hi,
            bow: (turn * sweep).hi,
            from: Spot::rigid(travel.from),
            is_affine: false,
        }
    }

    /// The course of an affine body, A(t) = `from` + t `by`, whose points lie within `radius` (m) of its centre of mass, with allowance for
    /// `joint` (m) between its ends and their stored places. Points move along straight lines, by ‖ΔA‖ r at most besides the centre of mass.
    pub fn affine(travel: &Travel, [from, by]: [&Mat3; 2], radius: f64, joint: f64) -> Self {
        let rows: Vec<Interval> = (0..3).map(|k| norm(&points(&by.row(k).transpose()))).collect();
        let sweep = norm(&[rows[0], rows[1], rows[2]]) * Interval::point(radius);
        Self {
            travel: Some(*travel),
            ends: [Placement::during(travel, 0.0), Placement::during(travel, 1.0)],
            joint,
            sweep: sweep.hi,
            bow: 0.0,
            from: Spot::affine(travel.from.position, *from),
            is_affine: true,
        }
    }

    /// Returns a box (m, world) that contains the body of this shape at `t`.
    pub fn bounds_at(&self, shape: &PrimitiveTree, t: f64) -> rigor_geometry::Aabb {
        let place = self.at(t);
        if self.is_affine { shape.affine_bounds_at(&place) } else { shape.bounds_at(&place) }
    }

    pub fn is_moving(&self) -> bool {
        self.travel.is_some()
    }

    /// Returns an enclosure of the placement of the body at `t`.
    pub fn at(&self, t: f64) -> Placement {
        match &self.travel {
            Some(travel) if t > 0.0 && t < 1.0 => Placement::during(travel, t),
            _ => self.ends[usize::from(t > 0.0)],
        }
    }

    /// Returns the maximum distance (m), over an interval of time of length `h`, of any point from the point
    /// that moves uniformly along the chord between the same ends: h² max ‖ẍ‖/8.
    ///
    /// ‖ẍ‖ ≤ ‖Δθ‖² ‖x̂‖ for both kinds of turn, and 0 for affine bodies. About an axis, R̈ = \[ω\]² R. For R = exp(A), A = [θ + tΔθ],
    /// B = \[Δθ\], R̈ = 2 ∫ exp((1 − s)A) B exp((s − u)A) B exp(uA) over 0 ≤ u ≤ s ≤ 1, where each exp is a
    /// rotation and the triangle has area ½.
    pub fn bow(&self, h: f64) -> f64 {
        (Interval::point(self.bow) * Interval::point(0.125 * h * h)).hi
    }

    /// Returns the displacement (m) of the centre of mass.
    pub fn by(&self) -> rigor_math::Vec3 {
        self.travel.map_or_else(rigor_math::Vec3::zeros, |travel| travel.by)
    }

    /// Returns where the body is about at `t`. It is no bound and only serves to choose what to prove.
    pub fn spot(&self, t: f64) -> Spot {
        let Some(travel) = &self.travel else { return self.from };
        let start = &self.from.pose;
        let position = start.position + travel.by * t;
        let rotation = match &travel.turn {
            Turn::About(turn) => rotation_vector::exp(&(turn * t)) * start.rotation,
            Turn::Straight { theta, by } => rotation_vector::exp(&(theta + by * t)),
            Turn::Affine { from, by } => return Spot::affine(position, from + by * t),
        };
        Spot::rigid(Pose::new(position, rotation))
    }
}
