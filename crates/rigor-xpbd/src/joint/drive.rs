//! Motors, springs and dampers along a free coordinate of a joint.
//!
//! A drive never moves its coordinate beyond a rigid bound: the force that the bound would take up is left out of both. So the motion
//! is that of the drive against its stop, however stiff it is and wherever its goal, and a target that moves waits at the bound.

use rigor_math::Vec3;
use rigor_scene::{Drive, ForceLaw, Goal, HeldRotation, JointKind, Range};

use super::SolverJoint;
use crate::body::SolverBody;
use crate::constraint::angle;
use crate::constraint::position::Levers;

/// Maximum lag (rad) of a rotation behind a moving target, after which the target waits: one projection turns a body by less
/// than half a turn.
const MAX_LAG: f64 = 3.0;

/// A drive with its current target.
#[derive(Debug, Clone)]
pub(super) struct DriveState {
    pub(super) drive: Drive,
    /// Target coordinate (m or rad).
    pub target: f64,
    /// The target before the substep.
    target_prev: f64,
    /// λ (kg m or kg m²).
    lambda: f64,
    /// Whether a bound of the coordinate cut the last pull.
    is_stopped: bool,
}

/// State of a drive's coordinate in one solve.
pub(super) struct DriveStep {
    /// The coordinate (m or rad).
    pub x: f64,
    /// Deviation of the coordinate from its target.
    pub c: f64,
    /// Its bounds.
    pub range: Range,
    /// Change of the coordinate in the substep.
    pub change: f64,
    /// Mobility of the coordinate (1/kg or 1/(kg m²)).
    pub w: f64,
}

impl DriveState {
    pub fn new(drive: &Drive) -> Self {
        let target = match drive.goal {
            Goal::Position(target) => target,
            Goal::Velocity(_) => 0.0,
        };
        Self { drive: drive.clone(), target, target_prev: target, lambda: 0.0, is_stopped: false }
    }

    /// Starts at `coordinate`, if the target moves.
    pub fn start_at(&mut self, coordinate: f64) {
        if let Goal::Velocity(_) = self.drive.goal {
            self.target = coordinate;
        }
    }

    /// The rate (m/s or rad/s) of its target.
    pub fn rate(&self) -> f64 {
        match self.drive.goal {
            Goal::Position(_) => 0.0,
            Goal::Velocity(rate) => rate,
        }
    }

    /// Resets λ and advances target ← target + h v.
    pub fn advance(&mut self, h: f64) {
        self.lambda = 0.0;
        self.target_prev = self.target;
        if let Goal::Velocity(v) = self.drive.goal {
            self.target += h * v;
        }
    }

    /// Returns Δλ of the force at the end of the substep, λ + Δλ = −h² R(C + w Δλ) − h d (Ċ h + w Δλ), with the total λ limited to
    /// ± max h², and x + w Δλ to rigid bounds. For R = C/α that is Δλ = (−C − α̃ λ − γ Ċ h)/((1 + γ) w + α̃), γ = α d/h.
    ///
    /// Source: \[Macklin2016\] eq. (26), with the damping d = β̃/h². Deviation: R need not be linear; then the equation of this
    /// coordinate is solved as it stands, not linearised.
    fn pull(&mut self, step: &DriveStep, h: f64) -> f64 {
        let approach = step.change - (self.target - self.target_prev);
        let delta = match &self.drive.law {
            ForceLaw::Linear { compliance } => {
                let alpha_tilde = compliance / (h * h);
                let gamma = compliance * self.drive.damping / h;
                let stiffness = (1.0 + gamma) * step.w + alpha_tilde;
                if stiffness <= 0.0 {
                    return 0.0;
                }
                (-step.c - alpha_tilde * self.lambda - gamma * approach) / stiffness
            }
            law @ (ForceLaw::Polynomial { .. } | ForceLaw::Table(_)) => {
                let damping = h * self.drive.damping;
                let rest = self.lambda + damping * approach;
                law.balance((rest, 1.0 + damping * step.w), h * h, (step.c, step.w))
            }
        };
        let most = self.drive.max_effort * h * h;
        let next = (self.lambda + delta).max(-most).min(most);
        let wanted = next - self.lambda;
        let room = |bound: f64| (bound - step.x) / step.w;
        let delta = if step.w <= 0.0 || step.range.compliance > 0.0 {
            wanted
        } else if wanted > 0.0 {
            wanted.min(room(step.range.max).max(0.0))
        } else {
            wanted.max(room(step.range.min).min(0.0))
        };
        self.is_stopped = delta.abs() < wanted.abs();
        self.lambda += delta;
        delta
    }

    /// Lets a moving target wait for a coordinate that the drive is too weak to move: the target stays as far
    /// ahead as makes the drive pull with its maximum force. At a bound it waits where the coordinate is.
    pub fn settle(&mut self, coordinate: f64, h: f64) {
        let Goal::Velocity(_) = self.drive.goal else { return };
        if self.is_stopped {
            self.target = coordinate;
        } else if self.lambda.abs() >= self.drive.max_effort * h * h {
            match &self.drive.law {
                ForceLaw::Linear { compliance } => {
                    self.target = coordinate + compliance * self.lambda / (h * h);
                }
                law @ (ForceLaw::Polynomial { .. } | ForceLaw::Table(_)) => {
                    let behind = law.deviation(-self.lambda / (h * h));
                    // A law that never pulls so much leaves its target alone: how far that is changes nothing.
                    if behind.is_finite() {
                        self.target = coordinate - behind;
                    }
                }
            }
        }
    }

    /// Moves λ by the fraction `share` towards that of `after`.
    pub fn follow(&mut self, after: &Self, share: f64) {
        self.lambda += (after.lambda - self.lambda) * share;
    }

    /// Keeps the moving target of a rotation within [`MAX_LAG`] of `turn`.
    fn wait(&mut self, turn: f64) {
        if let Goal::Velocity(_) = self.drive.goal {
            let step = self.target - self.target_prev;
            self.target = turn + (self.target - turn).clamp(-MAX_LAG, MAX_LAG);
            self.target_prev = self.target - step;
        }
    }

    /// Aims at `goal` instead of the goal of the scene.
    pub fn aim(&mut self, goal: f64) {
        (self.target, self.target_prev) = (goal, goal);
    }

    /// Moves a moving target along with a coordinate that was moved `by` so much without its doing.
    pub fn carry(&mut self, by: f64) {
        if let Goal::Velocity(_) = self.drive.goal {
            self.target += by;
        }
    }

    /// Whether it holds its coordinate at a fixed goal, whatever that takes.
    pub fn is_certain(&self) -> bool {
        let is_fixed = matches!(self.drive.goal, Goal::Position(_));
        is_fixed && self.drive.is_certain()
    }
}

impl SolverJoint {
    pub(super) fn drive_turn(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        if self.turn_drive.is_none() {
            return;
        }
        let frames = self.frames(a, b);
        let turn = self.turn_at(&frames);
        let before = self.turn;
        let coupling = self.coupling(a, b, h);
        let is_held = self.kind.held().rotation == HeldRotation::Swing && self.angular_compliance == 0.0;
        let Some(drive) = &mut self.turn_drive else { return };
        let Some(g) = frames.turn_gradient() else { return };
        drive.wait(turn);
        let shift = g.dot(&coupling.shift);
        // With the axes held rigidly, K τ of a rigid drive has the direction of g: the axes, which come next, have nothing to undo.
        // A spring keeps the torque about the axis, which makes less energy where sweeps do not hold light links.
        let is_held = is_held && drive.drive.law.is_rigid();
        let held = if is_held { coupling.mobility.lu().solve(&g) } else { None };
        let (w, along) = match held.map(|inverse| (inverse, inverse.dot(&g))) {
            Some((inverse, stiffness)) if stiffness > 0.0 => {
                (g.norm_squared() * g.norm_squared() / stiffness, inverse * (g.norm_squared() / stiffness))
            }
            _ => (g.dot(&(coupling.mobility * g)), g),
        };
        let step = DriveStep {
            x: turn + shift,
            c: turn - drive.target + shift,
            range: self.kind.turn_range(),
            change: turn - before + shift,
            w,
        };
        let torque = drive.pull(&step, h) * along;
        angle::apply(a, b, &torque);
        self.angular_impulse += torque;
    }

    /// Drives the slide, or the distance of a distance joint.
    pub(super) fn drive_length(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        match self.kind {
            JointKind::Distance { max, .. } if max <= 0.0 => {}
            JointKind::Distance { .. } => self.drive_distance(a, b, h),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => self.drive_slide(a, b, h),
        }
    }

    /// The impulse acts [along the line](Self::directions) between the ends before the substep, as that of the bounds does.
    fn drive_distance(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let (gap, before) = self.gaps(a, b);
        let (n, line) = self.directions(&gap, &before, b);
        // The bounds of a distance joint are as soft as the joint, but no distance is negative: beyond 0 the line would turn round.
        let bounds = self.kind.length_range();
        let range = if self.compliance > 0.0 { Range::new(0.0, f64::INFINITY) } else { bounds };
        let Some(drive) = &mut self.slide_drive else { return };
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let distance = gap.norm();
        let step = DriveStep {
            x: distance,
            c: distance - drive.target,
            range,
            change: distance - before.norm(),
            w: n.dot(&(levers.mobility(a, b) * line)),
        };
        let p = drive.pull(&step, h) * line;
        levers.apply(a, b, &p);
        self.impulse += p;
    }

    fn drive_slide(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let frames = self.frames(a, b);
        let before = self.frames_prev(a, b);
        let Some(drive) = &mut self.slide_drive else { return };
        let n: Vec3 = frames.axis_b();
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let slide = frames.slide();
        let step = DriveStep {
            x: slide,
            c: slide - drive.target,
            range: self.kind.length_range(),
            change: slide - before.slide(),
            w: n.dot(&(levers.mobility(a, b) * n)),
        };
        let p = drive.pull(&step, h) * n;
        levers.apply(a, b, &p);
        self.impulse += p;
    }
}
