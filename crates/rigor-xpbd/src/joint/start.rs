//! Joints that start apart, outside of a bound or away from the goal of a rigid drive: they are closed in poses alone.
//!
//! If C(x) of the joints is not 0 at time 0, a projection onto C = 0 in the first substep h moves the bodies by Δx = O(C), and
//! velocities derived from it are Δx/h: the kinetic energy ½ Δxᵀ M Δx/h² grows with every refinement. Here the joints of the
//! bodies concerned hold C(x) = b instead, with b = C₀ = C at the start, so that the velocities feel Ċ = 0 alone.
//! After the velocities of the substep, poses are moved so that b falls to s C₀, with s falling from 1 to 0 evenly over `closing_time`:
//!
//! - the impulses of that move are not added to velocities, and the angular velocity of a body is turned with the body, so that
//!   ½ m v² and ½ ωᵀ R I Rᵀ ω keep their values: the kinetic energy is what it was;
//! - equal and opposite impulses move the bodies of a joint, so that Σ m x of bodies that nothing holds stays where it is, and with it
//!   their potential energy in gravity. What holds a body lifts or lowers it as the closed joint demands: that work is of the
//!   order of the weight times the way, whatever h is.
//!
//! The move asks for the change s C₀ − b of C, and b changes by what it did to C. So what the sweeps over poses leave stays in b and never
//! becomes velocity, and what the substep itself left, C − b, is not taken away by poses: it is what the joints pull with. Joints that contradict each other, or reach too far, do not come nearer; after
//! a `closing_time` in which they did not, they are left where they are, with b for good.
//!
//! Frames are shifted rather than values: while joint j is open its frame B is where b makes A fit it ([`Misfit::fitted`]), and its
//! bounds and goals are where b moves them. The rest of the solver knows nothing of it.

use rigor_math::{Pose, Vec3};
use rigor_scene::joint::{Misfit, unwrapped};
use rigor_scene::{
    Drive, Flaw, FlawKind, Freedom, Goal, Joint, JointFrames, JointKind, Range, Scene, State, Subject,
};

use super::drive::DriveState;
use super::poses::connected;
use super::{Joints, SolverJoint};
use crate::body::SolverBody;

/// Memory key: the time (s) at which closing began and Σ (b/C₀)² when it was last looked at, then per joint 1 if it takes part, the 11
/// numbers of C₀ and those of b: rotation, gap, turn, swing, length, drives of turn and slide. Absent once all joints are closed.
const MEMORY: &str = "xpbd/closing";
const HEAD: usize = 2;
const PARTS: usize = 11;
const NUMBERS: usize = 1 + 2 * PARTS;

/// Part of the misfit that must go in a `closing_time` after the first.
const PROGRESS: f64 = 0.1;
/// Least number of substeps in which it must.
const WINDOW: f64 = 50.0;

/// Misfit (rad; m over the size of the joint) that is rounding: a joint that starts with less is closed at once.
const CLOSED: f64 = 1e-12;
/// Misfit at which a joint has been closed.
const DONE: f64 = 1e-12;

/// Joints on their way to where they hold.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// When it began (s).
    since: f64,
    /// Per joint, its misfit C₀ at that time; empty if all are closed.
    first: Vec<Misfit>,
    /// Per joint, what is left of it: b.
    left: Vec<Misfit>,
    /// The size of what was left when it was last looked at.
    seen: f64,
    /// The largest of them (m), and its joint.
    worst: Option<(f64, usize)>,
    /// Whether joints were open at the start of this step.
    was_open: bool,
    /// The joints of bodies that are concerned, in order.
    joints: Vec<usize>,
}

impl Closing {
    /// Returns what is left of the misfit of joint `i`.
    pub fn left(&self, i: usize) -> Misfit {
        self.left.get(i).filter(|_| !self.first.is_empty()).copied().unwrap_or_default()
    }
}

impl Joints {
    /// Finds what the joints of a state without memory lack, or goes on from its memory.
    pub(super) fn open(&mut self, scene: &Scene, state: &State, bodies: &[SolverBody], is_known: bool) {
        let n = scene.joints.len();
        self.closing.first.clear();
        self.closing.left.clear();
        self.closing.joints.clear();
        self.closing.was_open = false;
        match state.memory.numbers.get(MEMORY) {
            Some(numbers) if is_known && numbers.len() == HEAD + NUMBERS * n => {
                (self.closing.since, self.closing.seen) = (numbers[0], numbers[1]);
                for (i, joint) in numbers[HEAD..].chunks_exact(NUMBERS).enumerate() {
                    self.closing.first.push(read(&joint[1..]));
                    self.closing.left.push(read(&joint[1 + PARTS..]));
                    if joint[0] != 0.0 {
                        self.closing.joints.push(i);
                    }
                }
            }
            _ if is_known => return,
            _ => {
                (self.closing.since, self.closing.seen) = (state.time, f64::INFINITY);
                let first = (0..n).map(|i| self.misfit(scene, bodies, i)).collect();
                self.closing.first = first;
                if (0..n).all(|i| is_below(&self.closing.first[i], size(scene, i), CLOSED)) {
                    self.closing.first.clear();
                    return;
                }
                self.closing.left.clone_from(&self.closing.first);
                self.find_concerned(scene);
            }
        }
        self.closing.was_open = true;
        self.closing.worst = self.worst(scene);
        self.shift(scene);
    }

    /// Takes the frames of all joints to where b makes them hold.
    fn shift(&mut self, scene: &Scene) {
        for ((joint, of_scene), left) in self.list.iter_mut().zip(&scene.joints).zip(&self.closing.left) {
            joint.shift(of_scene, left);
        }
    }

    /// Stores what is left, or nothing if all joints are closed.
    pub(super) fn store_closing(&self, state: &mut State) {
        if self.closing.first.is_empty() {
            state.memory.numbers.remove(MEMORY);
            return;
        }
        let takes_part = |i: usize| if self.closing.joints.binary_search(&i).is_ok() { 1.0 } else { 0.0 };
        let of = |(i, (first, left))| std::iter::once(takes_part(i)).chain(write(first)).chain(write(left));
        let Closing { first, left, since, seen, .. } = &self.closing;
        let numbers = first.iter().zip(left).enumerate().flat_map(of);
        state.memory.store(MEMORY, [*since, *seen].into_iter().chain(numbers));
    }

    /// Returns the flaw of a step that closed joints, with the largest distance by which one did not hold at first; an angle
    /// counts with the radius of the larger body.
    pub(super) fn closing_flaw(&self) -> Option<Flaw> {
        let (amount, joint) = self.closing.worst?;
        self.closing.was_open.then(|| Flaw::new(FlawKind::StartCorrected, Subject::Joint(joint), amount))
    }

    /// Moves poses towards what the joints hold, at the end of the substep of `h` (s) that ends at `time` (s).
    pub fn close(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        closing_time: f64,
        (time, h): (f64, f64),
    ) {
        if self.closing.first.is_empty() {
            return;
        }
        let passed = time - self.closing.since;
        let share = if passed < closing_time { 1.0 - passed / closing_time } else { 0.0 };
        // What was left behind comes no faster than 100 times as fast as the rest, so that joints that contradict each other do not throw.
        let pace = if closing_time > 0.0 { 100.0 * h / closing_time } else { f64::INFINITY };
        let most = pace * size_of(scene, &self.closing.first);
        let mut before = Vec::with_capacity(self.closing.joints.len());
        for k in 0..self.closing.joints.len() {
            let i = self.closing.joints[k];
            let (joint, now) = (&scene.joints[i], self.misfit(scene, bodies, i));
            let left = released(self.closing.left[i], &now, joint);
            let change = released(self.closing.first[i] * share, &left, joint) - left;
            let asked = change.square(size(scene, i)).sqrt();
            let part = if asked > most { most / asked } else { 1.0 };
            self.list[i].harden(joint, &(now + change * part));
            self.list[i].mark(joint, bodies);
            before.push(now - left);
        }
        let Self { list, closing, world, poses, .. } = self;
        poses.sweep(scene, list, &closing.joints, (bodies, world), h);
        for (k, before) in before.into_iter().enumerate() {
            let i = self.closing.joints[k];
            let (joint, now) = (&scene.joints[i], self.misfit(scene, bodies, i));
            self.closing.left[i] = released(now - before, &now, joint);
            self.list[i].carry(joint, bodies);
        }
        let is_closed = (0..self.list.len()).all(|i| is_below(&self.closing.left[i], size(scene, i), DONE));
        if share == 0.0 && is_closed {
            self.closing.left.fill(Misfit::default());
        }
        self.shift(scene);
        if share == 0.0 && is_closed {
            self.closing.first.clear();
            return;
        }
        let window = closing_time.max(WINDOW * h);
        if share == 0.0 && (passed / window).floor() > ((passed - h) / window).floor() {
            let left = size_of(scene, &self.closing.left);
            if left > (1.0 - PROGRESS) * self.closing.seen {
                self.closing.joints.clear();
            }
            self.closing.seen = left;
        }
    }

    /// Returns the largest misfit (m) at first, and its joint, if it is no rounding for the largest joint.
    fn worst(&self, scene: &Scene) -> Option<(f64, usize)> {
        let of = |(i, misfit): (usize, &Misfit)| {
            let (length, angle) = misfit.largest();
            let joint = &scene.joints[i];
            let bodies = std::iter::once(joint.body_a).chain(joint.body_b);
            let radius = bodies.map(|body| scene.bodies[body.0].radius).fold(0.0, f64::max);
            (length.max(angle * radius), i)
        };
        let rounding = CLOSED * (0..self.list.len()).map(|i| size(scene, i)).fold(0.0, f64::max);
        let worst = self.closing.first.iter().enumerate().map(of).max_by(|a, b| a.0.total_cmp(&b.0));
        worst.filter(|(amount, _)| *amount > rounding)
    }

    /// Returns the misfit of joint `i` against the scene.
    fn misfit(&self, scene: &Scene, bodies: &[SolverBody], i: usize) -> Misfit {
        self.list[i].misfit(&scene.joints[i], |body| bodies[body].pose)
    }

    /// Finds the joints of all bodies that joints connect with one that does not hold.
    fn find_concerned(&mut self, scene: &Scene) {
        let open = |(i, first): (usize, &Misfit)| !is_below(first, size(scene, i), CLOSED);
        let open = self.closing.first.iter().enumerate().filter(|one| open(*one));
        let ends = |(i, _): (usize, &Misfit)| [Some(self.list[i].a), self.list[i].b];
        let bodies: Vec<usize> = open.flat_map(ends).flatten().collect();
        self.closing.joints = connected(scene, &self.list, &bodies);
    }
}

impl SolverJoint {
    /// Returns the misfit against the joint of the scene, with bodies at `pose`.
    pub(super) fn misfit(&self, joint: &Joint, pose: impl Fn(usize) -> Pose) -> Misfit {
        if self.broken {
            return Misfit::default();
        }
        let frames = JointFrames::of(joint, |body| pose(body.0));
        Misfit::of(joint, &frames, unwrapped(frames.turn(), self.turn))
    }

    /// Takes the frame B, the bounds and the goals to where `misfit` makes the joint hold.
    pub(super) fn shift(&mut self, joint: &Joint, misfit: &Misfit) {
        self.frame_b =
            if *misfit == Misfit::default() { joint.frame_b } else { misfit.fitted(&joint.frame_b) };
        self.kind = shifted(&joint.kind, misfit);
        let kind = &joint.kind;
        for (drive, of_scene, range, off) in [
            (&mut self.turn_drive, kind.turn_drive(), kind.turn_range(), misfit.turn_drive),
            (&mut self.slide_drive, kind.length_drive(), kind.length_range(), misfit.slide_drive),
        ] {
            if let (Some(drive), Some(&Drive { goal: Goal::Position(goal), .. })) = (drive, of_scene) {
                drive.aim(if off == 0.0 { goal } else { range.nearest(goal) + off });
            }
        }
    }

    /// Does the same for sweeps over poses.
    pub(super) fn harden(&mut self, joint: &Joint, misfit: &Misfit) {
        self.shift(joint, misfit);
        self.kind = without_springs(&self.kind);
    }

    /// Projects poses onto what the joint holds rigidly.
    pub(super) fn close(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        if self.broken {
            return;
        }
        let before = [a.sums(), b.sums()];
        let kept = (self.lambda, self.lambda_angular, self.impulse, self.angular_impulse);
        let drives = (self.turn_drive.clone(), self.slide_drive.clone());
        (a.pose_prev, b.pose_prev) = (a.pose, b.pose);
        (self.lambda, self.lambda_angular) = (Vec3::zeros(), Vec3::zeros());
        let rigid = |drive: &Option<DriveState>| drive.as_ref().is_some_and(DriveState::is_certain);
        if rigid(&self.turn_drive) {
            self.drive_turn(a, b, h);
        }
        if rigid(&self.slide_drive) {
            self.drive_length(a, b, h);
        }
        if self.angular_compliance == 0.0 && !matches!(self.kind, JointKind::Gear { .. }) {
            self.hold_axes(a, b, h);
        }
        if self.compliance == 0.0 {
            self.hold_origins(a, b, h);
        }
        (self.turn_drive, self.slide_drive) = drives;
        (self.lambda, self.lambda_angular, self.impulse, self.angular_impulse) = kept;
        a.set_sums(before[0]);
        b.set_sums(before[1]);
    }

    /// Notes the coordinates before the sweeps over poses.
    pub(super) fn mark(&mut self, joint: &Joint, bodies: &[SolverBody]) {
        if self.turn_drive.is_some() || self.slide_drive.is_some() {
            let frames = JointFrames::of(joint, |body| bodies[body.0].pose);
            self.marked = [unwrapped(frames.turn(), self.turn), self.length_at(&frames)];
        }
    }

    /// Counts the turn after the sweeps over poses, which move the targets of velocity drives along with their coordinates.
    pub(super) fn carry(&mut self, joint: &Joint, bodies: &[SolverBody]) {
        if !self.counts_turns() && self.slide_drive.is_none() {
            return;
        }
        let frames = JointFrames::of(joint, |body| bodies[body.0].pose);
        if self.counts_turns() {
            self.turn = unwrapped(frames.turn(), self.turn);
            self.turn_ahead = self.turn;
        }
        let ([turn, length], now) = (self.marked, self.length_at(&frames));
        let by = [(&mut self.turn_drive, self.turn - turn), (&mut self.slide_drive, now - length)];
        for (drive, by) in by {
            drive.iter_mut().for_each(|drive| drive.carry(by));
        }
    }
}

/// Returns `left` with what a bound no longer needs taken off: where a coordinate has come back by itself to the excess `now`, its
/// bound need not let it go out again.
fn released(left: Misfit, now: &Misfit, joint: &Joint) -> Misfit {
    let within = |left: f64, now: f64| {
        if left * now > 0.0 { left.signum() * left.abs().min(now.abs()) } else { 0.0 }
    };
    let is_rod = match joint.kind {
        JointKind::Distance { min, max, .. } => min == max || max <= 0.0,
        JointKind::Fixed
        | JointKind::Ball { .. }
        | JointKind::Hinge { .. }
        | JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => joint.kind.length_range().is_one_value(),
    };
    let is_locked = joint.kind.turn_range().is_one_value();
    Misfit {
        turn: if is_locked { left.turn } else { within(left.turn, now.turn) },
        swing: within(left.swing, now.swing),
        length: if is_rod { left.length } else { within(left.length, now.length) },
        ..left
    }
}

/// Returns `kind` with its bounds moved by what lies outside of them.
fn shifted(kind: &JointKind, misfit: &Misfit) -> JointKind {
    let mut kind = kind.clone();
    let wide = |range: &mut Range, excess: f64| {
        if range.is_one_value() {
            range.max += excess;
            range.min = range.max;
        } else if excess > 0.0 {
            range.max += excess;
        } else {
            range.min += excess;
        }
    };
    match &mut kind {
        JointKind::Ball { swing, twist } => {
            wide(swing, misfit.swing);
            wide(twist, misfit.turn);
        }
        JointKind::Hinge { turn } => wide(&mut turn.range, misfit.turn),
        JointKind::Prismatic { slide } => wide(&mut slide.range, misfit.length),
        JointKind::Cylindrical { slide, turn } => {
            wide(&mut slide.range, misfit.length);
            wide(&mut turn.range, misfit.turn);
        }
        JointKind::Distance { min, max, .. } => {
            if *max <= 0.0 {
                // It holds the origins together: its misfit is a gap.
            } else if min == max {
                // A rod stays one where its ends start together: at length 0 it would become a pin.
                *max = (*max + misfit.length).max(f64::MIN_POSITIVE);
                *min = *max;
            } else if misfit.length > 0.0 {
                *max += misfit.length;
            } else {
                *min += misfit.length;
            }
        }
        JointKind::Fixed | JointKind::Universal | JointKind::Gear { .. } => {}
    }
    kind
}

/// Returns `kind` without compliant bounds.
fn without_springs(kind: &JointKind) -> JointKind {
    let hard = |range: Range| if range.compliance > 0.0 { Range::UNBOUNDED } else { range };
    let free = |freedom: &Freedom| Freedom { range: hard(freedom.range), ..freedom.clone() };
    match kind {
        JointKind::Ball { swing, twist } => JointKind::Ball { swing: hard(*swing), twist: hard(*twist) },
        JointKind::Hinge { turn } => JointKind::Hinge { turn: free(turn) },
        JointKind::Prismatic { slide } => JointKind::Prismatic { slide: free(slide) },
        JointKind::Cylindrical { slide, turn } => {
            JointKind::Cylindrical { slide: free(slide), turn: free(turn) }
        }
        JointKind::Fixed | JointKind::Universal | JointKind::Distance { .. } | JointKind::Gear { .. } => {
            kind.clone()
        }
    }
}

/// Size (m) of joint `i`: the radius of its larger body, and how far from the origin it is.
pub(super) fn size(scene: &Scene, i: usize) -> f64 {
    let joint = &scene.joints[i];
    let bodies = std::iter::once(joint.body_a).chain(joint.body_b).map(|body| &scene.bodies[body.0]);
    let lever = joint.frame_a.position.norm().max(joint.frame_b.position.norm());
    bodies.map(|body| body.radius.max(body.initial.pose.position.norm())).fold(lever, f64::max)
}

/// Returns the root of Σ (C/l)² over all joints of sizes l.
fn size_of(scene: &Scene, misfits: &[Misfit]) -> f64 {
    misfits.iter().enumerate().map(|(i, misfit)| misfit.square(size(scene, i))).sum::<f64>().sqrt()
}

fn is_below(misfit: &Misfit, size: f64, least: f64) -> bool {
    let (length, angle) = misfit.largest();
    length <= least * size && angle <= least
}

fn read(n: &[f64]) -> Misfit {
    Misfit {
        rotation: [n[0], n[1], n[2]].into(),
        gap: [n[3], n[4], n[5]].into(),
        turn: n[6],
        swing: n[7],
        length: n[8],
        turn_drive: n[9],
        slide_drive: n[10],
    }
}

fn write(m: &Misfit) -> [f64; PARTS] {
    let (r, g) = (&m.rotation, &m.gap);
    [r.x, r.y, r.z, g.x, g.y, g.z, m.turn, m.swing, m.length, m.turn_drive, m.slide_drive]
}
