//! Contacts as found by detection, and their conversion for the solver.

use rigor_math::Vec3;

use super::Place;
use crate::body::SolverBody;
use crate::contact::frame::Frame;
use crate::contact::mobility::Mobility;
use crate::contact::{Contact, ContactKey, NormalFeature};

/// A contact found, without motion data.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub key: ContactKey,
    pub point_a_local: Vec3,
    pub point_b_local: Vec3,
    pub feature: NormalFeature,
    /// n in the frame of b.
    pub normal_b_local: Vec3,
}

impl Found {
    /// Returns whether it pushes within `same` (m) of `point_b_local` (m) along the line of `direction`, of
    /// any length. Where a corner meets an edge, for example, two pairs of features describe one contact.
    pub fn is_at(&self, point_b_local: &Vec3, direction: &Vec3, same: f64) -> bool {
        let along = self.normal_b_local.dot(direction);
        (self.point_b_local - point_b_local).norm_squared() <= same * same
            && along * along > 0.98 * direction.norm_squared()
    }

    /// Returns whether its features were behind each other by more than `deep` (m) before the substep, as a
    /// corner above a plate is behind the plate's lower face.
    pub(super) fn was_behind(&self, a: &BodyFrames<'_>, b: &BodyFrames<'_>, deep: f64) -> bool {
        let gap = a.before.point(&self.point_a_local) - b.before.point(&self.point_b_local);
        gap.dot(&self.feature.normal(&a.before, &b.before)) < -deep
    }

    /// Returns the solver's contact between the bodies a and b at their predicted poses.
    pub(super) fn contact(&self, a: &BodyFrames<'_>, b: &BodyFrames<'_>) -> Contact {
        let Self { key, point_a_local, point_b_local, feature, .. } = *self;
        let n = feature.normal(&a.now, &b.now);
        let point = 0.5 * (a.now.point(&point_a_local) + b.now.point(&point_b_local));
        let approach = a.body.free.velocity_at(&point) - b.body.free.velocity_at(&point);
        let (p_a, p_b) = (a.before.point(&point_a_local), b.before.point(&point_b_local));
        let (gap_prev, point_prev) = (p_a - p_b, 0.5 * (p_a + p_b));
        let (r_a, r_b) = (a.body.lever(&point_prev), b.body.lever(&point_prev));
        Contact {
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
            mobility: Mobility::new(a.body, b.body, r_a, r_b),
            distance: f64::INFINITY,
        }
    }
}

/// Current and previous frames of a body, as matrices because they are applied to all contacts of a pair.
pub(super) struct BodyFrames<'a> {
    body: &'a SolverBody,
    now: Frame,
    before: Frame,
}

impl<'a> BodyFrames<'a> {
    pub fn of(body: &'a SolverBody, place: &Place) -> Self {
        Self { body, now: place.now, before: place.before }
    }

    pub fn new(body: &'a SolverBody, now: Frame) -> Self {
        Self { body, now, before: Frame::of(&body.pose_prev) }
    }
}
