//! Joints between bodies.

mod angular;
mod bound;
mod coupling;
mod damping;
mod direct;
mod drive;
#[cfg(feature = "gpu")]
mod exchange;
mod follow;
mod gain;
mod gear;
pub(crate) mod light;
mod linear;
mod memory;
mod poses;
mod report;
mod start;
mod stiff;
mod sweep;
mod tangle;
mod velocity;

use rigor_math::{Pose, Vec3, elementary};
use rigor_scene::joint::unwrapped;
use rigor_scene::{
    Flaw, FlawKind, Joint, JointDamping, JointFrames, JointKind, Scene, State, Strength, Subject,
};

use crate::body::{SolverBody, two};
use crate::config::{Config, JointSolver};
use crate::order::rank::Ranks;
use bound::{OfBounds, swing_direction};
use direct::Trees;
use drive::DriveState;
use poses::Poses;
use start::Closing;
use sweep::JointWork;
use tangle::Tangles;

pub(crate) use gain::Gain;
pub(crate) use report::quantities;
pub(crate) use stiff::StiffRows;

/// Part of the bound of a swing from which it counts for the pace.
const NEAR_BOUND: f64 = 0.7;

/// Least sine of a bound of the swing that counts for the pace.
const LEAST_SINE: f64 = 0.01;

/// Lever of a joint, over the radius of its body, below which its pull hardly turns the body.
const LEVER: f64 = 1e-3;

/// A joint as the solver sees it: scene data, persistent state and multipliers.
///
/// Its two bodies are passed in, so that they may be copies; body b is the static [`SolverBody::world`] if
/// the joint has none.
#[derive(Debug, Clone)]
pub(crate) struct SolverJoint {
    /// Body a.
    pub a: usize,
    /// Body b; `None` is the world.
    pub b: Option<usize>,
    kind: JointKind,
    frame_a: Pose,
    frame_b: Pose,
    compliance: f64,
    angular_compliance: f64,
    damping: JointDamping,
    strength: Strength,
    /// Whether the joint is broken and no longer acts.
    broken: bool,
    /// C (rad) of a gear: accumulated slip since time 0.
    slip: f64,
    /// The turn (rad) before the substep, counted over whole turns; 0 where nothing depends on it.
    turn: f64,
    /// What the turn would be at the end of the substep without constraints; the turn is the one nearest to it.
    turn_ahead: f64,
    /// Distance (m) of the farthest point of the smaller body from the origin.
    reach: f64,
    /// Speeds (m/s) at which bodies approach bounds, at the start of a substep.
    approach: OfBounds,
    /// The signs of bounds that pushed; 0 where none did.
    sides: OfBounds,
    /// Turn (rad) and slide (m) before poses are closed.
    marked: [f64; 2],
    turn_drive: Option<DriveState>,
    /// Of the slide, or of the distance of a distance joint.
    slide_drive: Option<DriveState>,
    /// λ (kg m) along B's axes; for a distance joint along its line, in x.
    lambda: Vec3,
    /// λ (kg m²) about B's axes; for a ball joint its twist in x and its swing in y; for universal joints and
    /// gears in x.
    lambda_angular: Vec3,
    /// Σ p (kg m) and Σ τ (kg m²) on a in this substep (world).
    impulse: Vec3,
    angular_impulse: Vec3,
    /// ∫ f dt (N s) and ∫ τ dt (N m s) on a in this step (world).
    step_impulse: Vec3,
    step_angular_impulse: Vec3,
}

impl SolverJoint {
    fn new(scene: &Scene, joint: &Joint) -> Self {
        Self {
            a: joint.body_a.0,
            b: joint.body_b.map(|b| b.0),
            kind: joint.kind.clone(),
            frame_a: joint.frame_a,
            frame_b: joint.frame_b,
            compliance: joint.compliance,
            angular_compliance: joint.angular_compliance,
            damping: joint.damping,
            strength: joint.strength,
            broken: false,
            slip: 0.0,
            turn: 0.0,
            turn_ahead: 0.0,
            reach: reach(scene, joint),
            approach: OfBounds::default(),
            sides: OfBounds::default(),
            marked: [0.0; 2],
            turn_drive: joint.kind.turn_drive().map(DriveState::new),
            slide_drive: joint.kind.length_drive().map(DriveState::new),
            lambda: Vec3::zeros(),
            lambda_angular: Vec3::zeros(),
            impulse: Vec3::zeros(),
            angular_impulse: Vec3::zeros(),
            step_impulse: Vec3::zeros(),
            step_angular_impulse: Vec3::zeros(),
        }
    }

    /// Resets λ, predicts the turn, and advances the targets of drives by h v.
    ///
    /// Source: \[Mueller2020\] §3.3.1, the motor: target ← target + h v (the copy prints α + h).
    pub fn begin_substep(&mut self, a: &SolverBody, b: &SolverBody, h: f64) {
        if self.counts_turns() {
            let before = self.frames_prev(a, b);
            let omega = a.angular_velocity - b.angular_velocity;
            self.turn_ahead = self.turn + before.turn_gradient().map_or(0.0, |g| h * g.dot(&omega));
        }
        self.note_approach(a, b);
        self.lambda = Vec3::zeros();
        self.lambda_angular = Vec3::zeros();
        self.impulse = Vec3::zeros();
        self.angular_impulse = Vec3::zeros();
        for drive in self.turn_drive.iter_mut().chain(&mut self.slide_drive) {
            drive.advance(h);
        }
    }

    /// Counts the turn, and starts moving targets at their coordinates unless memory has them.
    fn start(&mut self, a: &SolverBody, b: &SolverBody, is_known: bool) {
        let frames = self.frames(a, b);
        if self.counts_turns() {
            let turn = frames.turn();
            self.turn =
                if is_known { unwrapped(turn, self.turn) } else { self.kind.turn_range().start(turn) };
            self.turn_ahead = self.turn;
        }
        if !is_known {
            let length = self.length_at(&frames);
            for (drive, start) in [(&mut self.turn_drive, self.turn), (&mut self.slide_drive, length)] {
                drive.iter_mut().for_each(|drive| drive.start_at(start));
            }
        }
    }

    /// Solves drives, then axes, then origins: the most important constraint comes last.
    ///
    /// Source: \[Mueller2020\] §3.3.
    pub fn solve_positions(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        if self.broken {
            return;
        }
        self.drive_turn(a, b, h);
        self.drive_length(a, b, h);
        self.hold_axes(a, b, h);
        self.hold_origins(a, b, h);
    }

    /// Damps the free motion.
    pub fn solve_velocities(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        if !self.broken {
            self.damp(a, b, h);
        }
    }

    /// Accumulates the forces of a finished substep, and updates the persistent state of the joint.
    ///
    /// Source: f = λ n/h², τ = λ n/h² of \[Mueller2020\] §3.2, times h.
    pub fn end_substep(&mut self, a: &SolverBody, b: &SolverBody, h: f64) {
        if self.broken {
            return;
        }
        self.step_impulse += self.impulse / h;
        self.step_angular_impulse += self.angular_impulse / h;
        self.follow_gear(a, b);
        if self.counts_turns() {
            self.turn = self.turn_at(&self.frames(a, b));
            self.turn_ahead = self.turn;
        }
        if self.turn_drive.is_none() && self.slide_drive.is_none() {
            return;
        }
        let frames = self.frames(a, b);
        if let Some(drive) = &mut self.turn_drive {
            drive.settle(self.turn, h);
        }
        let length = self.length_at(&frames);
        if let Some(drive) = &mut self.slide_drive {
            drive.settle(length, h);
        }
    }

    /// Returns the largest ω √(r/l) (rad/s) of both bodies: with the rate ω of a body or its drive, the distance r from its centre of
    /// mass to the axis through the joint's origin about which it turns, and the lever l of that origin. A wheel that turns about its
    /// centre has no lever that turns. More where a body may [circle](Self::circling). Five times that where the turn is bounded or driven at a rate: one projection
    /// turns a body back by all that it ran into a bound, or gives it all of the rate. There a compact body, whose m r²/I about
    /// the axis is beyond the 3 of a rod, turns by as many times the error of its lever, over l, as m r²/I is. What a motor turns about its own axis, and what turns
    /// on a universal joint, counts with its whole rate.
    fn turning(&self, scene: &Scene, a: &SolverBody, b: &SolverBody) -> f64 {
        if self.broken {
            return 0.0;
        }
        let axis = self.frames(a, b).axis_b();
        let driven = self.turn_drive.as_ref().map_or(0.0, DriveState::rate) * axis;
        let of = |body: &SolverBody, origin: &Vec3, driven: Vec3| {
            let lever = body.pose.vector(origin);
            let rate = |omega: Vec3| {
                let (speed, turned) = (omega.norm(), omega.cross(&lever).norm());
                if turned > 0.0 { (speed * (turned / lever.norm())).sqrt() } else { 0.0 }
            };
            rate(body.angular_velocity).max(rate(driven))
        };
        let rate_a = of(a, &self.frame_a.position, driven);
        let rate_b = if self.b.is_some() { of(b, &self.frame_b.position, driven) } else { 0.0 };
        let pulled = self.pulled(scene, a, b);
        let compactness = |i: usize, body: &SolverBody, origin: &Vec3, axis: &Vec3| {
            let of_scene = &scene.bodies[i];
            if !of_scene.is_dynamic() {
                return 1.0;
            }
            let arm = axis.cross(&body.pose.vector(origin)).norm_squared();
            let inertia = axis.dot(&(of_scene.inertia_world(&body.pose) * axis));
            (of_scene.mass * arm / (3.0 * inertia)).max(1.0)
        };
        let more = |rates: [f64; 2], axis: &Vec3| {
            let of_a = rates[0] * compactness(self.a, a, &self.frame_a.position, axis);
            of_a.max(rates[1] * self.b.map_or(1.0, |i| compactness(i, b, &self.frame_b.position, axis)))
        };
        let rate = if driven != Vec3::zeros() || self.kind.turn_range().is_bounded() {
            (5.0 * more([rate_a, rate_b], &axis)).max(driven.norm())
        } else if matches!(self.kind, JointKind::Universal) {
            // The axes that it keeps perpendicular turn with both bodies.
            rate_a.max(rate_b).max(a.angular_velocity.norm()).max(b.angular_velocity.norm())
        } else if let Some(circling) = self.circling(a, b) {
            circling * more([rate_a, rate_b], &swing_direction(&self.frames(a, b)))
        } else {
            rate_a.max(rate_b)
        };
        rate.max(pulled)
    }

    /// Returns the rate (rad/s) at which a body with prescribed motion turns the other one by pulling at their joint: the speed at which the ends would part,
    /// over the lever of the other body. 0 of two dynamic bodies, whose velocities agree, and of joints that do not hold the ends together.
    fn pulled(&self, scene: &Scene, a: &SolverBody, b: &SolverBody) -> f64 {
        let Some(other) = self.b else { return 0.0 };
        let [of_a, of_b] = [self.a, other].map(|i| &scene.bodies[i]);
        if of_a.is_dynamic() == of_b.is_dynamic() || self.kind.held().gap != [true; 3] {
            return 0.0;
        }
        let arm = |body: &SolverBody, origin: &Vec3| body.pose.vector(origin);
        let [arm_a, arm_b] = [arm(a, &self.frame_a.position), arm(b, &self.frame_b.position)];
        let speed = |body: &SolverBody, arm: &Vec3| body.linear_velocity + body.angular_velocity.cross(arm);
        let (lever, radius) =
            if of_a.is_dynamic() { (arm_a.norm(), of_a.radius) } else { (arm_b.norm(), of_b.radius) };
        let parting = (speed(a, &arm_a) - speed(b, &arm_b)).norm();
        if lever > LEVER * radius { parting / lever } else { 0.0 }
    }

    /// Returns how many times as fast as it turns a body may go round the cone that bounds its swing: 1/sin of the bound, if the swing is near it.
    fn circling(&self, a: &SolverBody, b: &SolverBody) -> Option<f64> {
        let range = self.kind.swing_range();
        let is_near = range.is_bounded() && self.frames(a, b).swing().norm() >= NEAR_BOUND * range.max;
        is_near.then(|| 1.0 / elementary::sin(range.max.min(std::f64::consts::FRAC_PI_2)).max(LEAST_SINE))
    }

    /// Whether a bound or a drive depends on the turn.
    fn counts_turns(&self) -> bool {
        self.turn_drive.is_some() || self.kind.turn_range().is_bounded()
    }

    /// Returns the turn (rad) at `frames`, counted over whole turns.
    fn turn_at(&self, frames: &JointFrames) -> f64 {
        unwrapped(frames.turn(), self.turn_ahead)
    }

    /// Returns the slide (m) at `frames`, or the distance of a distance joint.
    fn length_at(&self, frames: &JointFrames) -> f64 {
        match self.kind {
            JointKind::Distance { .. } => frames.gap().norm(),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => frames.slide(),
        }
    }

    /// Returns the joint's frames at the current poses.
    fn frames(&self, a: &SolverBody, b: &SolverBody) -> JointFrames {
        JointFrames { a: a.pose.compose(&self.frame_a), b: b.pose.compose(&self.frame_b) }
    }

    /// Returns the joint's frames before the substep.
    fn frames_prev(&self, a: &SolverBody, b: &SolverBody) -> JointFrames {
        JointFrames { a: a.pose_prev.compose(&self.frame_a), b: b.pose_prev.compose(&self.frame_b) }
    }
}

/// Returns how far (m) the smaller moving body of a joint reaches from the joint's origin.
fn reach(scene: &Scene, joint: &Joint) -> f64 {
    let ends = std::iter::once((joint.body_a, joint.frame_a)).chain(joint.body_b.map(|b| (b, joint.frame_b)));
    let ends = ends.map(|(id, frame)| (&scene.bodies[id.0], frame.position.norm()));
    let moving = ends.filter(|(body, _)| body.is_dynamic());
    moving.map(|(body, arm)| arm + body.radius).reduce(f64::min).unwrap_or(0.0)
}

/// Whether joints of `scene` are [tangled](tangle).
#[cfg(feature = "gpu")]
pub(crate) fn are_tangled(scene: &Scene) -> bool {
    let joints: Vec<SolverJoint> = scene.joints.iter().map(|joint| SolverJoint::new(scene, joint)).collect();
    let mut tangles = Tangles::default();
    tangles.prepare(scene, &joints);
    tangles.has_any()
}

/// Joints of a scene, in its order.
#[derive(Debug)]
pub(crate) struct Joints {
    pub list: Vec<SolverJoint>,
    trees: Trees,
    /// Whether trees are solved as a whole.
    is_direct: bool,
    tangles: Tangles,
    closing: Closing,
    poses: Poses,
    /// Poses of bodies before contacts moved them.
    noted: Vec<Pose>,
    world: SolverBody,
    ranks: Ranks,
    works: Vec<JointWork>,
    /// Σ p (kg m) and Σ r × p (kg m²) of each body.
    sums: Vec<(Vec3, Vec3)>,
}

impl Default for Joints {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            trees: Trees::default(),
            is_direct: false,
            tangles: Tangles::default(),
            closing: Closing::default(),
            poses: Poses::default(),
            noted: Vec::new(),
            world: SolverBody::world(),
            ranks: Ranks::default(),
            works: Vec::new(),
            sums: Vec::new(),
        }
    }
}

impl Joints {
    /// Loads the joints of `scene` with their state from `state`; at time 0 each drive starts at its current
    /// coordinate.
    pub fn load(&mut self, scene: &Scene, state: &State, bodies: &mut [SolverBody], config: &Config) {
        self.list.clear();
        self.list.extend(scene.joints.iter().map(|joint| SolverJoint::new(scene, joint)));
        let is_known = memory::load(state, &mut self.list);
        self.each(bodies, |joint, a, b| joint.start(a, b, is_known));
        self.open(scene, state, bodies, is_known);
        self.is_direct = config.joints == JointSolver::Direct;
        self.trees.singular = 0.0;
        self.trees.prepare(scene, &self.list);
        self.tangles.prepare(scene, &self.list);
        self.arrange(scene, config);
    }

    /// Resets λ and advances targets.
    pub fn begin_substep(&mut self, bodies: &mut [SolverBody], h: f64) {
        self.each(bodies, |joint, a, b| joint.begin_substep(a, b, h));
    }

    /// Solves the positions of all joints once, in sweep number `iteration` or as trees.
    pub fn solve_positions(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        config: &Config,
        iteration: u32,
        h: f64,
    ) {
        match config.joints {
            JointSolver::Balanced | JointSolver::Sweep => self.sweep(scene, bodies, config, iteration, h),
            JointSolver::Direct => self.solve_trees(bodies, config, iteration, h),
        }
    }

    /// Returns the largest rate (rad/s) at which a body turns about a joint, and the joint.
    pub fn turning(&mut self, scene: &Scene, bodies: &mut [SolverBody]) -> Option<(f64, usize)> {
        let mut most: Option<(f64, usize)> = None;
        for (i, joint) in self.list.iter_mut().enumerate() {
            let rate = with_bodies(joint, bodies, &mut self.world, |joint, a, b| joint.turning(scene, a, b));
            if most.is_none_or(|(largest, _)| rate > largest) {
                most = Some((rate, i));
            }
        }
        most
    }

    /// Sweeps once over the velocities of all joints, in order.
    pub fn solve_velocities(&mut self, bodies: &mut [SolverBody], h: f64) {
        self.each(bodies, |joint, a, b| joint.solve_velocities(a, b, h));
    }

    /// Returns the number of colours of the joints; 0 if the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.ranks.n_colours()
    }

    /// Accumulates forces.
    pub fn end_substep(&mut self, bodies: &mut [SolverBody], h: f64) {
        self.each(bodies, |joint, a, b| joint.end_substep(a, b, h));
    }

    /// Writes the persistent state to the state's memory.
    pub fn store(&self, state: &mut State) {
        memory::store(&self.list, state);
        self.store_closing(state);
    }

    /// Returns the flaws of the step: that it moved joints to where they hold, and that joints could not be solved together.
    pub fn flaws(&self) -> impl Iterator<Item = Flaw> + use<> {
        let singular = (self.trees.singular > 0.0).then(|| {
            Flaw::new(
                FlawKind::SingularJoints,
                Subject::Joint(self.trees.singular_joint),
                self.trees.singular,
            )
        });
        self.closing_flaw().into_iter().chain(singular)
    }

    fn each(
        &mut self,
        bodies: &mut [SolverBody],
        mut f: impl FnMut(&mut SolverJoint, &mut SolverBody, &mut SolverBody),
    ) {
        for joint in &mut self.list {
            with_bodies(joint, bodies, &mut self.world, &mut f);
        }
    }

    /// Solves a single joint.
    fn solve_one(&mut self, i: usize, bodies: &mut [SolverBody], h: f64) {
        let solve =
            |joint: &mut SolverJoint, a: &mut SolverBody, b: &mut SolverBody| joint.solve_positions(a, b, h);
        with_bodies(&mut self.list[i], bodies, &mut self.world, solve);
    }
}

fn with_bodies<T>(
    joint: &mut SolverJoint,
    bodies: &mut [SolverBody],
    world: &mut SolverBody,
    mut f: impl FnMut(&mut SolverJoint, &mut SolverBody, &mut SolverBody) -> T,
) -> T {
    match joint.b {
        Some(b) => {
            let (a, b) = two(bodies, joint.a, b);
            f(joint, a, b)
        }
        None => f(joint, &mut bodies[joint.a], world),
    }
}
