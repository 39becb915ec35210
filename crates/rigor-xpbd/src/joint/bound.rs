//! Bounds of joints that bodies run into.
//!
//! Such a hit is an impact with e = 0: the position solve turns the bodies back, and so opens the joints and contacts that hold them
//! otherwise. [Struck](crate::contact::solve) bodies therefore agree with these bounds, too.

use rigor_math::Vec3;
use rigor_scene::joint::Misfit;
use rigor_scene::{JointFrames, JointKind, Range};

use super::velocity::Row;
use super::{Joints, SolverJoint};
use crate::body::SolverBody;

/// A rigid bound that pushed in the positions of this substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub row: Row,
    /// The sign of its multiplier.
    pub side: f64,
    slot: Slot,
}

/// The multiplier of a bound.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// Of the slide or distance.
    Length,
    Turn,
    Swing,
}

const SLOTS: [Slot; 3] = [Slot::Length, Slot::Turn, Slot::Swing];

/// One number for each bound of a joint.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OfBounds {
    length: f64,
    turn: f64,
    swing: f64,
}

impl OfBounds {
    fn at(&self, slot: Slot) -> f64 {
        match slot {
            Slot::Length => self.length,
            Slot::Turn => self.turn,
            Slot::Swing => self.swing,
        }
    }
}

impl Joints {
    /// Returns the joints of which bodies run into a rigid bound, faster than `resting_speed` (m/s). A thread that is solved with all
    /// others of its tree counts only if its bodies `touch` something.
    pub fn hit(
        &self,
        resting_speed: f64,
        touches: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = (usize, Option<usize>)> {
        let is_hit = move |(i, joint): &(usize, &SolverJoint)| {
            let is_solved = self.is_direct && self.trees.includes(*i) && !joint.has_more();
            let counts = || !is_solved || touches(joint.a) || joint.b.is_some_and(&touches);
            joint.is_stiff() && joint.is_hit(resting_speed) && counts()
        };
        self.list.iter().enumerate().filter(is_hit).map(|(_, joint)| (joint.a, joint.b))
    }

    /// Notes on which side the bounds push that [`Self::hold_stiff_velocities`] regards.
    pub fn note_sides(&mut self) {
        for joint in &mut self.list {
            let side = |slot: Slot| if joint.pushes(slot) { joint.multiplier(slot).signum() } else { 0.0 };
            joint.sides =
                OfBounds { length: side(Slot::Length), turn: side(Slot::Turn), swing: side(Slot::Swing) };
        }
    }
}

impl SolverJoint {
    /// Notes the speeds along bounded coordinates: for angles at the farthest point of the smaller body.
    pub(super) fn note_approach(&mut self, a: &SolverBody, b: &SolverBody) {
        let bounds = [self.kind.turn_range(), self.kind.swing_range(), self.kind.length_range()];
        if bounds.iter().all(|range| !is_rigid(range)) {
            return;
        }
        let frames = self.frames_prev(a, b);
        let omega = a.angular_velocity - b.angular_velocity;
        let point = a.point_prev(&self.frame_a.position);
        let at_point = |body: &SolverBody| {
            body.linear_velocity + body.angular_velocity.cross(&(point - body.pose_prev.position))
        };
        let along = match self.kind {
            JointKind::Distance { .. } => frames.gap().try_normalize(0.0).unwrap_or_else(Vec3::zeros),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => frames.axis_b(),
        };
        let turn = frames.turn_gradient().map_or(0.0, |g| g.dot(&omega));
        self.approach = OfBounds {
            length: (at_point(a) - at_point(b)).dot(&along),
            turn: self.reach * turn,
            swing: self.reach * swing_direction(&frames).dot(&omega),
        };
    }

    /// Whether a rigid bound pushes that its bodies approached faster than `resting_speed` (m/s).
    fn is_hit(&self, resting_speed: f64) -> bool {
        // A multiplier at an upper bound is negative.
        let speed_beyond = |slot: Slot| -self.multiplier(slot).signum() * self.approach.at(slot);
        SLOTS.into_iter().any(|slot| self.pushes(slot) && speed_beyond(slot) > resting_speed)
    }

    /// Returns the bounds that pushed when their [sides](Joints::note_sides) were noted, at most two: those of the swing and the twist
    /// of a ball joint.
    pub(super) fn bounds(&self, a: &SolverBody, b: &SolverBody) -> impl Iterator<Item = Bound> {
        let frames = self.frames(a, b);
        let row = move |slot: Slot| self.row(slot, &frames);
        let noted =
            SLOTS.into_iter().map(|slot| (slot, self.sides.at(slot))).filter(|(_, side)| *side != 0.0);
        noted.filter_map(move |(slot, side)| Some(Bound { row: row(slot)?, side, slot }))
    }

    /// Returns the direction along which a bounded coordinate grows.
    fn row(&self, slot: Slot, frames: &JointFrames) -> Option<Row> {
        match slot {
            Slot::Length => {
                let is_distance = matches!(self.kind, JointKind::Distance { .. });
                let along = if is_distance { frames.gap().try_normalize(0.0)? } else { frames.axis_b() };
                Some(Row { p: along, torque: Vec3::zeros() })
            }
            Slot::Turn => Some(Row { p: Vec3::zeros(), torque: frames.turn_gradient()? }),
            Slot::Swing => Some(Row { p: Vec3::zeros(), torque: swing_direction(frames) }),
        }
    }

    /// Returns the bounds that bodies exceed by more than a `target`, but for those that hold one value, with what they exceed it by (m, rad); `now` is the present misfit.
    pub(super) fn exceeded(
        &self,
        a: &SolverBody,
        b: &SolverBody,
        now: &Misfit,
        target: &Misfit,
    ) -> impl Iterator<Item = (Row, f64)> {
        let frames = self.frames(a, b);
        let excesses = [(now.length, target.length), (now.turn, target.turn), (now.swing, target.swing)];
        let is_held = |slot: Slot| match slot {
            Slot::Length => self.holds_slide(),
            Slot::Turn => self.holds_turn(),
            Slot::Swing => false,
        };
        let slots = SLOTS.into_iter().zip(excesses).filter(move |(slot, _)| !is_held(*slot));
        let all = slots.map(|(slot, (now, target))| (slot, now, now - target));
        let worse = all.filter(|(_, now, more)| now * more > 0.0);
        worse.filter_map(move |(slot, _, more)| Some((self.row(slot, &frames)?, more)))
    }

    /// Returns the impulse (N s or N m s) of a bound in a substep of `h` (s).
    pub(super) fn pushed(&self, bound: &Bound, h: f64) -> f64 {
        self.multiplier(bound.slot) / h
    }

    /// Adds `impulse` (N s or N m s) to that of a bound.
    pub(super) fn push_more(&mut self, bound: &Bound, impulse: f64, h: f64) {
        match bound.slot {
            Slot::Length => self.lambda.x += impulse * h,
            Slot::Turn => self.lambda_angular.x += impulse * h,
            Slot::Swing => self.lambda_angular.y += impulse * h,
        }
    }

    /// Whether a bound is rigid and pushes.
    fn pushes(&self, slot: Slot) -> bool {
        let range = match slot {
            Slot::Length => self.kind.length_range(),
            Slot::Turn => self.kind.turn_range(),
            Slot::Swing => self.kind.swing_range(),
        };
        // A joint with one distance holds it from both sides.
        is_rigid(&range) && range.min < range.max && self.multiplier(slot) != 0.0
    }

    fn multiplier(&self, slot: Slot) -> f64 {
        match slot {
            Slot::Length => self.lambda.x,
            Slot::Turn => self.lambda_angular.x,
            Slot::Swing => self.lambda_angular.y,
        }
    }
}

fn is_rigid(range: &Range) -> bool {
    range.is_bounded() && range.compliance == 0.0
}

/// Returns the axis (world) about which the swing of a joint grows.
pub(super) fn swing_direction(frames: &JointFrames) -> Vec3 {
    let swing = frames.swing();
    let size = swing.norm();
    frames.b.vector(&if size > 0.0 { swing / size } else { Vec3::y() })
}
