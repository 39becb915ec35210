//! Contacts as found by detection, and their conversion for the solver.

use rigor_math::Vec3;

use super::Place;
use super::round::{Ball, Circle};
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
    pub footing: Footing,
}

/// Where the bodies touched before the substep, which is where impulses act.
///
/// The point of a ball that touches the ground at the end of a substep h was ahead of its centre by h v before. If the
/// impulse that carries the ball acted there, it would slow its rotation at the rate g h/r.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Footing {
    /// Midway between the two points that touch.
    Midpoint,
    /// The point of a, or of b, on which a round surface turns.
    PointOfA,
    PointOfB,
    /// The outermost point of a round surface of a, or of b, along the normal.
    BallOfA(Ball),
    BallOfB(Ball),
    CircleOfA(Circle),
    CircleOfB(Circle),
    /// Between the centres of balls of a and b.
    Balls([Ball; 2]),
}

impl Footing {
    /// Returns the point (m, world), given the two points `p_a`, `p_b` and the normal `n`.
    fn point(&self, before: [&Frame; 2], [p_a, p_b]: [Vec3; 2], n: &Vec3) -> Vec3 {
        let [a, b] = before;
        let midpoint = 0.5 * (p_a + p_b);
        match self {
            Self::Midpoint => midpoint,
            Self::PointOfA => p_a,
            Self::PointOfB => p_b,
            Self::BallOfA(ball) => a.point(&ball.tip(&-a.inverse_vector(n))),
            Self::BallOfB(ball) => b.point(&ball.tip(&b.inverse_vector(n))),
            Self::CircleOfA(circle) => {
                circle.tip(&-a.inverse_vector(n)).map_or(midpoint, |tip| a.point(&tip))
            }
            Self::CircleOfB(circle) => circle.tip(&b.inverse_vector(n)).map_or(midpoint, |tip| b.point(&tip)),
            Self::Balls([of_a, of_b]) => {
                let (center_a, center_b) = (a.point(&of_a.center), b.point(&of_b.center));
                center_b + of_b.radius / (of_a.radius + of_b.radius) * (center_a - center_b)
            }
        }
    }
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
        let Self { key, point_a_local, point_b_local, feature, footing, .. } = *self;
        let n = feature.normal(&a.now, &b.now);
        let point = 0.5 * (a.now.point(&point_a_local) + b.now.point(&point_b_local));
        let approach = a.body.free.velocity_at(&point) - b.body.free.velocity_at(&point);
        let (p_a, p_b) = (a.before.point(&point_a_local), b.before.point(&point_b_local));
        let (gap_prev, point_prev) = (p_a - p_b, footing.point([&a.before, &b.before], [p_a, p_b], &n));
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
