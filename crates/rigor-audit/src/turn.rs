//! The turn of a body between two frames.

use rigor_math::turning::Turning;
use rigor_math::{UnitQuaternion, Vec3};
use rigor_scene::BodyState;

/// The largest turn (rad) of a body in a piece of a motion in which a body turns by more than a quarter.
pub(crate) const PIECE: f64 = 1.0;
/// Maximum number of pieces of a motion. A body that turns by more radians is not followed.
pub(crate) const MAX_PIECES: u32 = 1 << 10;

/// The turn of a body between two frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnBetween {
    turning: Turning,
    /// ½ (ω₀ + ω₁) Δt (rad).
    mean: Vec3,
}

impl TurnBetween {
    /// The turn of a body between two frames `dt` (s) apart, as its angular velocities say.
    pub(crate) fn new(then: &BodyState, now: &BodyState, dt: f64) -> Self {
        let of = |state: &'_ BodyState| (state.pose.rotation, state.angular_velocity);
        let ((q0, w0), (q1, w1)) = (of(then), of(now));
        Self { turning: Turning::between((&q0, &w0), (&q1, &w1), dt), mean: 0.5 * dt * (w0 + w1) }
    }

    /// Whether the body turns by more than a quarter, so that its orientations alone do not show how.
    pub(crate) fn is_fast(&self) -> bool {
        self.turning.steady != Vec3::zeros()
    }

    /// Whether the turn is known, and small enough to be followed.
    pub(crate) fn is_known(&self) -> bool {
        self.turning.is_known && self.turning.most() <= PIECE * f64::from(MAX_PIECES)
    }

    /// The angle (rad) that the angular velocities say, or else that between the orientations.
    pub(crate) fn said(&self) -> f64 {
        if self.is_fast() { self.turning.steady.norm() } else { self.turning.rest.norm() }
    }

    /// ½ (ω₀ + ω₁) Δt (rad).
    pub(crate) fn mean(&self) -> &Vec3 {
        &self.mean
    }

    /// An upper bound of the angle (rad) by which the body turns.
    pub(crate) fn most(&self) -> f64 {
        self.turning.most()
    }

    /// The orientation at a time from 0 to 1.
    pub(crate) fn at(&self, t: f64) -> UnitQuaternion {
        self.turning.at(t)
    }
}
