//! Contacts between bodies.
//!
//! [`detect`] finds contacts, [`solve`] pushes bodies apart; both work on [`pair::Pair`].

pub(crate) mod carried;
pub(crate) mod course;
pub(crate) mod detect;
mod energy;
pub(crate) mod fall;
mod frames;
mod mobility;
pub(crate) mod pace;
pub(crate) mod pair;
pub(crate) mod report;
pub(crate) mod rest;
mod settled;
pub(crate) mod solve;
pub(crate) mod sunk;

use rigor_contact::{ContactKey, Found, Frame, NormalFeature};
use rigor_math::Vec3;

use crate::body::SolverBody;
use mobility::Mobility;

/// One point of contact between the bodies a and b of a [`Pair`](pair::Pair).
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    /// Features in contact; identifies the contact from substep to substep.
    pub key: ContactKey,
    /// r_1: contact point of a, in its frame (m).
    pub point_a_local: Vec3,
    /// r_2: contact point of b, in its frame (m).
    pub point_b_local: Vec3,
    /// Feature that determines the normal.
    pub feature: NormalFeature,
    /// λ_n ≥ 0 (kg m): the normal force is λ_n/h².
    pub lambda_n: f64,
    /// λ_t (kg m, world): the static friction force on a is λ_t/h².
    pub lambda_t: Vec3,
    /// Friction impulse on a from the velocity solve (N s, world).
    pub friction_impulse: Vec3,
    /// Normal impulse on a from the velocity solve (N s).
    pub normal_impulse: f64,
    /// v̄_n: normal velocity (m/s) before the constraints; negative when approaching.
    pub approach_velocity: f64,
    /// n (world) at the predicted poses.
    pub normal_start: Vec3,
    /// Part of C (m) before the substep that stays uncorrected: an overlap, or a gap at a resting contact.
    pub left: f64,
    /// Vector from b's point to a's before the substep (m, world).
    pub gap_prev: Vec3,
    /// Response to a positional impulse, at the levers of [`SolverBody::lever`].
    pub mobility: Mobility,
    /// Smallest separation (m) so far in this substep.
    pub distance: f64,
}

/// Data of a pushing contact that persist from substep to substep and from step to step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PastContact {
    pub key: ContactKey,
    pub point_b_local: Vec3,
    pub lambda_n: f64,
    pub lambda_t: Vec3,
}

/// A contact that pushed in some substep of the step.
#[derive(Debug, Clone)]
pub(crate) struct PushedContact {
    pub key: ContactKey,
    /// Geometry at the last substep in which it pushed.
    pub point_a_local: Vec3,
    pub point_b_local: Vec3,
    pub feature: NormalFeature,
    /// Normal (N s) and friction (N s, world) impulses on a, summed over all substeps.
    pub normal_impulse: f64,
    pub friction_impulse: Vec3,
}

impl AsRef<Mobility> for Contact {
    fn as_ref(&self) -> &Mobility {
        &self.mobility
    }
}

impl Contact {
    /// Creates the contact that was `found` between the bodies a and b, each with its frames at the predicted pose and before
    /// the substep.
    pub fn new(
        found: &Found,
        (a, [a_now, a_before]): (&SolverBody, [&Frame; 2]),
        (b, [b_now, b_before]): (&SolverBody, [&Frame; 2]),
    ) -> Self {
        let Found { key, point_a_local, point_b_local, feature, footing, .. } = *found;
        let n = feature.normal(a_now, b_now);
        let point = 0.5 * (a_now.point(&point_a_local) + b_now.point(&point_b_local));
        let approach = a.free.velocity_at(&point) - b.free.velocity_at(&point);
        let (p_a, p_b) = (a_before.point(&point_a_local), b_before.point(&point_b_local));
        let (gap_prev, point_prev) = (p_a - p_b, footing.point([a_before, b_before], [p_a, p_b], &n));
        let (r_a, r_b) = (a.lever(&point_prev), b.lever(&point_prev));
        Self {
            key,
            point_a_local,
            point_b_local,
            feature,
            lambda_n: 0.0,
            lambda_t: Vec3::zeros(),
            friction_impulse: Vec3::zeros(),
            normal_impulse: 0.0,
            approach_velocity: approach.dot(&n),
            normal_start: n,
            left: gap_prev.dot(&n).min(0.0),
            gap_prev,
            mobility: Mobility::new(a, b, r_a, r_b),
            distance: f64::INFINITY,
        }
    }

    /// Returns the data to keep for the next substep.
    pub fn past(&self) -> PastContact {
        let Self { key, point_b_local, lambda_n, lambda_t, .. } = *self;
        PastContact { key, point_b_local, lambda_n, lambda_t }
    }

    /// Returns the normal and tangential impulses (N s) on a in this substep of `h` (s): λ/h plus those of
    /// the velocity solve.
    pub fn impulses(&self, h: f64) -> (f64, Vec3) {
        (self.lambda_n / h + self.normal_impulse, self.lambda_t / h + self.friction_impulse)
    }

    /// Returns the unit normal from b to a (world) at the current poses.
    pub fn normal(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        self.feature.normal_posed(&a.pose, &b.pose)
    }

    /// Returns whether the surfaces approached no faster than `resting_speed` (m/s).
    pub fn is_resting(&self, resting_speed: f64) -> bool {
        self.approach_velocity.abs() <= resting_speed
    }

    /// Returns max(−e v̄_n, 0), the normal velocity (m/s) after the contact, or 0 at rest.
    ///
    /// Source: \[Mueller2020\] §3.5, with n from b to a, so that approach is v_n < 0 (the printed min belongs to
    /// the opposite n). Deviation: the test for resting contact, e = 0 if ‖v_n‖ ≤ 2‖g‖h, uses the approach
    /// velocity v̄_n instead of v_n, which after the position solve is the remaining gap divided by h.
    pub fn rebound(&self, e: f64, resting_speed: f64) -> f64 {
        if self.is_resting(resting_speed) { 0.0 } else { (-e * self.approach_velocity).max(0.0) }
    }

    /// Returns the midpoint of the two contact points before the substep (m, world).
    pub fn point_prev(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point_prev(&self.point_a_local) + b.point_prev(&self.point_b_local))
    }

    /// Returns the midpoint of the two contact points (m, world).
    pub fn point(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point(&self.point_a_local) + b.point(&self.point_b_local))
    }
}
