//! What one body does during a piece of the path.

use rigor_math::{Pose, rotation_vector};
use rigor_scene::{Travel, Turn};

use super::interval::{Interval, norm, points};
use super::placement::Placement;

/// Lengths of stored quaternions, squared, differ from 1 by no more.
pub(crate) const UNIT_TOLERANCE: f64 = 1e-13;

/// The course of a body during a piece, t ∈ [0, 1], with bounds on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    travel: Option<Travel>,
    /// At t = 0 and t = 1.
    ends: [Placement; 2],
    /// The stored poses differ from the ends by no more than this (m) at any point.
    pub joint: f64,
    /// No point turns farther than this (m) about the centre of mass.
    pub sweep: f64,
    /// ‖Δθ‖² r (m).
    bow: f64,
    /// Floating-point pose at t = 0.
    from: Pose,
}

impl Course {
    /// Of a body that stays at `pose`.
    pub fn staying(pose: &Pose) -> Self {
        Self { travel: None, ends: [Placement::of(pose); 2], joint: 0.0, sweep: 0.0, bow: 0.0, from: *pose }
    }

    /// Of a body that stays at `pose`, where what `f64` makes of its points counts as well.
    ///
    /// Moving a point by a pose takes fewer than thirty roundings of numbers no larger than `size`.
    pub fn rounded(pose: &Pose, radius: f64) -> Self {
        let size = radius + pose.position.norm();
        Self { joint: UNIT_TOLERANCE * 10.0 * size, ..Self::staying(pose) }
    }

    /// Of a body whose points lie within `radius` (m) of its centre of mass.
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
            from: travel.from,
        }
    }

    pub fn is_moving(&self) -> bool {
        self.travel.is_some()
    }

    /// Where the body is at `t`.
    pub fn at(&self, t: f64) -> Placement {
        match &self.travel {
            Some(travel) if t > 0.0 && t < 1.0 => Placement::during(travel, t),
            _ => self.ends[usize::from(t > 0.0)],
        }
    }

    /// In an interval of length `h` no point is farther (m) than this from the point that goes straight and evenly between
    /// the same ends: h² max ‖ẍ‖/8.
    ///
    /// ‖ẍ‖ ≤ ‖Δθ‖² ‖x̂‖ for both kinds of turn. About an axis R̈ = [ω]² R. For R = exp(A), A = [θ + tΔθ], B = [Δθ],
    /// R̈ = 2 ∫ exp((1 − s)A) B exp((s − u)A) B exp(uA) over 0 ≤ u ≤ s ≤ 1, where each exp is a rotation and the triangle
    /// has the area ½.
    pub fn bow(&self, h: f64) -> f64 {
        (Interval::point(self.bow) * Interval::point(0.125 * h * h)).hi
    }

    /// The displacement (m) of the centre of mass.
    pub fn by(&self) -> rigor_math::Vec3 {
        self.travel.map_or_else(rigor_math::Vec3::zeros, |travel| travel.by)
    }

    /// About where the body is at `t`: no bound, for choosing what to prove.
    pub fn pose(&self, t: f64) -> Pose {
        let Some(travel) = &self.travel else { return self.from };
        let rotation = match &travel.turn {
            Turn::About(turn) => rotation_vector::exp(&(turn * t)) * self.from.rotation,
            Turn::Straight { theta, by } => rotation_vector::exp(&(theta + by * t)),
        };
        Pose::new(self.from.position + travel.by * t, rotation)
    }
}
