//! Angular constraints of joints.

use rigor_math::{UnitQuaternion, Vec3, rotation_vector};
use rigor_scene::joint::swing_of;
use rigor_scene::{HeldRotation, JointFrames, JointKind, Range};

use super::SolverJoint;
use super::bound::swing_direction;
use super::coupling::Coupling;
use crate::body::SolverBody;
use crate::constraint::angle;
use crate::constraint::axes::Axes;

/// An angle to be driven to zero.
struct Angle {
    c: f64,
    /// Its gradient (world).
    g: Vec3,
    /// Direction of the torque (world).
    along: Vec3,
    compliance: f64,
}

impl SolverJoint {
    pub(super) fn hold_axes(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        match self.kind {
            JointKind::Ball { swing, twist } => {
                self.limit(0, &twist, twist_excess, a, b, h);
                self.limit(1, &swing, swing_excess, a, b, h);
            }
            JointKind::Universal => {
                let coupling = self.coupling(a, b, h);
                let mut angle = self.cross(&self.frames(a, b));
                angle.c += angle.g.dot(&coupling.shift);
                self.turn_back(0, &angle, &coupling, a, b, h);
            }
            JointKind::Gear { ratio } => self.couple(ratio, a, b, h),
            JointKind::Fixed
            | JointKind::Hinge { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. } => {
                let coupling = self.coupling(a, b, h);
                if let Some(axes) = self.axes(&self.frames(a, b), &coupling.shift, h) {
                    let torque = axes.solve(&coupling.mobility, &mut self.lambda_angular);
                    angle::apply(a, b, &torque);
                    self.angular_impulse += torque;
                }
            }
        }
    }

    /// Returns the angles about B's axes to be driven to zero: all three, or those across x plus the excess
    /// of the turn about x, after the rotation `shift` (rad, world) that other impulses will cause.
    ///
    /// Source: \[Mueller2020\] §3.3.1: Δq_fixed, Δq_hinge and Δq_limit in one projection.
    fn axes(&self, frames: &JointFrames, shift: &Vec3, h: f64) -> Option<Axes> {
        let alpha_tilde = self.angular_compliance / (h * h);
        let held = self.kind.held().rotation;
        let all = || {
            let mut axes = Axes::all(frames.axes_b(), about_axes(held, &frames.relative()), alpha_tilde);
            axes.shift(shift);
            axes
        };
        match held {
            HeldRotation::All => Some(all()),
            HeldRotation::Swing => {
                let mut axes = all();
                let range = self.kind.turn_range();
                let by = frames.axis_b().dot(shift);
                let excess =
                    if range.is_bounded() { remaining(&range, self.turn_at(frames), by) } else { 0.0 };
                axes.limit_x(excess, &range);
                axes.alpha_tilde.x = range.compliance / (h * h);
                Some(axes)
            }
            HeldRotation::Cross | HeldRotation::None => None,
        }
    }

    /// Brings an angle of a ball joint back into `range`.
    fn limit(
        &mut self,
        slot: usize,
        range: &Range,
        excess: fn([&JointFrames; 2], f64, &Range, &Vec3) -> Option<Angle>,
        a: &mut SolverBody,
        b: &mut SolverBody,
        h: f64,
    ) {
        if !range.is_bounded() {
            return;
        }
        let (before, now) = (self.frames_prev(a, b), self.frames(a, b));
        let coupling = self.coupling(a, b, h);
        if let Some(angle) = excess([&before, &now], self.turn_at(&now), range, &coupling.shift) {
            self.turn_back(slot, &angle, &coupling, a, b, h);
        }
    }

    fn turn_back(
        &mut self,
        slot: usize,
        goal: &Angle,
        coupling: &Coupling,
        a: &mut SolverBody,
        b: &mut SolverBody,
        h: f64,
    ) {
        let rest = (goal.c, self.lambda_angular[slot], goal.compliance / (h * h));
        let delta = angle::project(a, b, (&goal.g, &goal.along), &coupling.mobility, rest);
        self.lambda_angular[slot] += delta;
        self.angular_impulse += delta * goal.along;
    }

    /// Returns C = a₂·b₁, which keeps B's x axis and A's y axis perpendicular.
    fn cross(&self, frames: &JointFrames) -> Angle {
        let (a, b) = (frames.a.vector(&Vec3::y()), frames.axis_b());
        let g = a.cross(&b);
        Angle { c: frames.cross(), g, along: g, compliance: self.angular_compliance }
    }

    /// Returns the deviation (rad) of the axes from their constraint.
    pub(super) fn angle_error(&self, frames: &JointFrames) -> f64 {
        match self.kind {
            JointKind::Ball { swing, twist } => {
                let excess = |range: &Range, angle: &dyn Fn() -> f64| {
                    if range.is_bounded() { range.excess(angle()).abs() } else { 0.0 }
                };
                excess(&twist, &|| self.turn_at(frames)).max(excess(&swing, &|| frames.swing().norm()))
            }
            JointKind::Universal => self.cross(frames).c.abs(),
            JointKind::Gear { .. } => self.slip.abs(),
            JointKind::Fixed
            | JointKind::Hinge { .. }
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. } => {
                self.axes(frames, &Vec3::zeros(), 1.0).map_or(0.0, |axes| axes.c.norm())
            }
        }
    }
}

/// Returns the rotation vector (rad, B's axes) to be driven to zero: of the whole relative rotation, or
/// across x.
pub(super) fn about_axes(held: HeldRotation, relative: &UnitQuaternion) -> Vec3 {
    match held {
        HeldRotation::Swing => swing_of(relative),
        HeldRotation::All | HeldRotation::Cross | HeldRotation::None => rotation_vector::log(relative),
    }
}

/// Returns how far a coordinate that is outside of `range` at `x` will be outside after the change `by` that holding positions causes; 0
/// inside, where that change is not this bound's matter.
fn remaining(range: &Range, x: f64, by: f64) -> f64 {
    if range.excess(x) == 0.0 && !range.is_one_value() { 0.0 } else { range.excess(x + by) }
}

fn twist_excess([_, now]: [&JointFrames; 2], turn: f64, range: &Range, shift: &Vec3) -> Option<Angle> {
    let g = now.turn_gradient()?;
    let c = remaining(range, turn, g.dot(shift));
    (c != 0.0).then_some(Angle { c, g, along: g, compliance: range.compliance })
}

/// The torque acts about the axis of the swing before the substep: a body that circles along its bound would gain or lose energy by one that
/// has turned ahead of it. If the axis has turned by more than 60° since, it acts about the present one.
fn swing_excess(frames: [&JointFrames; 2], _: f64, range: &Range, shift: &Vec3) -> Option<Angle> {
    let [before, g] = frames.map(swing_direction);
    let c = remaining(range, frames[1].swing().norm(), g.dot(shift));
    let along = if before.dot(&g) > 0.5 { before } else { g };
    (c != 0.0).then_some(Angle { c, g, along, compliance: range.compliance })
}
