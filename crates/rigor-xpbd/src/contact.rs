//! Contacts between bodies.
//!
//! [`detect`] finds them, [`solve`] pushes the bodies apart; both work on [`pair::Pair`]s.

pub(crate) mod detect;
mod energy;
mod frame;
mod mobility;
mod pair;
pub(crate) mod report;
mod settled;
pub(crate) mod solve;

use rigor_math::{Pose, Vec3};

use crate::body::SolverBody;
use frame::Frame;
use mobility::Mobility;

/// One point of contact between the bodies a and b of a [`Pair`](pair::Pair).
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    /// Which features meet: a contact of one substep is known by it in the next.
    pub key: ContactKey,
    /// r_1: the point of a, in its frame (m).
    pub point_a_local: Vec3,
    /// r_2: the point of b, in its frame (m).
    pub point_b_local: Vec3,
    /// What decides the normal.
    pub feature: NormalFeature,
    /// λ_n ≥ 0 (kg m): the normal force is λ_n/h².
    pub lambda_n: f64,
    /// λ_t (kg m, world): the static friction force on a is λ_t/h².
    pub lambda_t: Vec3,
    /// Friction on a among the velocities (N s, world).
    pub friction_impulse: Vec3,
    /// Impulse along n on a among the velocities (N s).
    pub normal_impulse: f64,
    /// v̄_n: normal velocity (m/s) before the constraints, negative when approaching.
    pub approach_velocity: f64,
    /// n (world) at the predicted poses.
    pub normal_start: Vec3,
    /// What of C (m) before the substep is left as it is: an overlap, and a gap where the contact rests.
    pub left: f64,
    /// From b's point to a's before the substep (m, world).
    pub gap_prev: Vec3,
    /// What a positional impulse does, at the levers of [`SolverBody::lever`].
    pub mobility: Mobility,
    /// The smallest separation (m) met so far in this substep.
    pub distance: f64,
}

/// What decides the normal of a contact, so that it can be found anew at every solve.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NormalFeature {
    /// A face of a: its outward normal in a's frame, which points at b.
    FaceOfA(Vec3),
    /// A face of b: its outward normal in b's frame, which points at a.
    FaceOfB(Vec3),
    /// Two edges: their directions in the frames of a and b, in the order in which their cross product points to a.
    Edges(Vec3, Vec3),
}

impl NormalFeature {
    /// The unit normal from b to a (world) where their frames are `a` and `b`.
    pub fn normal(&self, a: &Frame, b: &Frame) -> Vec3 {
        self.normal_turned(|local| a.vector(local), |local| b.vector(local))
    }

    /// The same where the bodies have these poses: less work for a single contact.
    pub fn normal_posed(&self, a: &Pose, b: &Pose) -> Vec3 {
        self.normal_turned(|local| a.rotation * local, |local| b.rotation * local)
    }

    fn normal_turned(&self, a: impl Fn(&Vec3) -> Vec3, b: impl Fn(&Vec3) -> Vec3) -> Vec3 {
        match self {
            Self::FaceOfA(n) => -a(n),
            Self::FaceOfB(n) => b(n),
            Self::Edges(u, w) => a(u).cross(&b(w)).normalize(),
        }
    }
}

/// The kind of contact (corner of a, corner of b, edges across, either end of edges along each other, those of
/// [`crossing`]) and the features of a and b, by index.
pub(crate) type ContactKey = [u32; 3];

/// What is kept of a contact that pushed, from substep to substep and from step to step.
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
    /// As it was when it last pushed.
    pub point_a_local: Vec3,
    pub point_b_local: Vec3,
    pub feature: NormalFeature,
    /// Normal and friction impulses on a (N s, world), over all substeps.
    pub normal_impulse: f64,
    pub friction_impulse: Vec3,
}

impl AsRef<Mobility> for Contact {
    fn as_ref(&self) -> &Mobility {
        &self.mobility
    }
}

impl Contact {
    /// What is kept of it for the next substep.
    pub fn past(&self) -> PastContact {
        let Self { key, point_b_local, lambda_n, lambda_t, .. } = *self;
        PastContact { key, point_b_local, lambda_n, lambda_t }
    }

    /// The impulses (N s) on a of this substep of `h` (s), along n and across: λ/h, and those among the velocities.
    pub fn impulses(&self, h: f64) -> (f64, Vec3) {
        (self.lambda_n / h + self.normal_impulse, self.lambda_t / h + self.friction_impulse)
    }

    /// The unit normal from b to a (world) at the current poses.
    pub fn normal(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        self.feature.normal_posed(&a.pose, &b.pose)
    }

    /// Whether the surfaces approached no faster than `resting_speed` (m/s).
    pub fn is_resting(&self, resting_speed: f64) -> bool {
        self.approach_velocity.abs() <= resting_speed
    }

    /// The point half way between those of the two bodies before the substep (m, world).
    pub fn point_prev(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point_prev(&self.point_a_local) + b.point_prev(&self.point_b_local))
    }

    /// The point (m, world) half way between those of the two bodies.
    pub fn point(&self, a: &SolverBody, b: &SolverBody) -> Vec3 {
        0.5 * (a.point(&self.point_a_local) + b.point(&self.point_b_local))
    }
}
