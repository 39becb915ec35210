//! What joints remember: turns, targets of drives, slips of gears, and whether they are broken.

use rigor_math::{Pose, Vec3};
use rigor_scene::joint::unwrapped;
use rigor_scene::{BodyState, Drive, Goal, Joint, JointKind, JointReport, Range, Scene, State};

use crate::axis::{Axis, Velocity};
use crate::coordinate::PlacedJoint;

/// Numbers of a joint in the memory of a state: `[1 if broken, turn (rad), target of a moving turn (rad), target of a moving length (m),
/// slip of a gear (rad)]`.
const NUMBERS: usize = 5;

/// What a joint remembers from substep to substep, and its impulses in a step.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// Whether it is broken.
    pub broken: bool,
    /// Turn (rad), counted over whole turns.
    pub turn: f64,
    /// Target (rad) of a drive of the turn at a rate.
    pub turn_target: f64,
    /// Target (m) of a drive of the length at a rate.
    pub length_target: f64,
    /// Slip of a gear (rad).
    pub slip: f64,
    /// Impulse on a in this step (N s, world).
    pub impulse: Vec3,
    /// Angular impulse on a in this step, about the origin of frame A (N m s, world).
    pub angular_impulse: Vec3,
    /// Impulses in this step of drives whose strength is limited: of the turn (N m s) and of the length (N s).
    pub efforts: [f64; 2],
    /// Impulses in this step of bounds (N s or N m s): of the length, the turn and the swing, from below and from above.
    pub stops: [[f64; 2]; 3],
}

impl Progress {
    /// Loads what the joints of a scene remember at the start of a step, under this key of the state's memory.
    pub fn load(list: &mut Vec<Self>, scene: &Scene, state: &State, key: &str) {
        let n = NUMBERS * scene.joints.len();
        let known = state.memory.numbers.get(key).filter(|known| known.len() == n);
        list.clear();
        list.extend(scene.joints.iter().enumerate().map(|(i, joint)| {
            let placed = PlacedJoint::new(joint, |body| state.bodies[body].pose);
            match known.map(|known| &known[NUMBERS * i..NUMBERS * (i + 1)]) {
                Some(&[broken, counted, turn_target, length_target, slip]) => Self {
                    broken: broken != 0.0,
                    turn: unwrapped(placed.frames.turn(), counted),
                    turn_target,
                    length_target,
                    slip,
                    ..Self::default()
                },
                _ => {
                    let turn = joint.kind.turn_range().start(placed.frames.turn());
                    Self { turn, turn_target: turn, length_target: placed.length().x, ..Self::default() }
                }
            }
        }));
    }

    /// Stores it under this key.
    pub fn store(list: &[Self], state: &mut State, key: &'static str) {
        if list.is_empty() {
            return;
        }
        let numbers = list.iter().flat_map(|joint| {
            let broken = if joint.broken { 1.0 } else { 0.0 };
            [broken, joint.turn, joint.turn_target, joint.length_target, joint.slip]
        });
        state.memory.store(key, numbers);
    }

    /// Adds an impulse (N s or N m s) along an axis.
    pub fn add(&mut self, axis: &Axis, impulse: f64) {
        self.impulse += axis.linear * impulse;
        // About the origin of frame A, where the force acts: of a force there the moment is none.
        if axis.linear == Vec3::zeros() {
            self.angular_impulse += axis.turns[0] * impulse;
        }
    }

    /// Ends a substep of `h` (s): counts turns, moves targets.
    ///
    /// The joint is given in the `middle` and at the `end` of the substep, `mean` is the mean velocity of a body in it.
    pub fn follow(
        &mut self,
        joint: &Joint,
        (middle, end): (&PlacedJoint<'_>, &PlacedJoint<'_>),
        mean: impl Fn(usize) -> Velocity,
        h: f64,
    ) {
        let ends = middle.ends();
        let rate = middle.frames.turn_gradient().map_or(0.0, |g| ends.velocity(&Axis::about(g), &mean));
        self.turn = unwrapped(end.frames.turn(), self.turn + h * rate);
        if let Some(gear) = middle.gear() {
            self.slip += h * ends.velocity(&gear, &mean);
        }
        let advance = |target: &mut f64, drive: Option<&Drive>| {
            if let Some(Drive { goal: Goal::Velocity(rate), .. }) = drive {
                *target += h * rate;
            }
        };
        let kind = &joint.kind;
        advance(&mut self.turn_target, kind.turn_drive());
        advance(&mut self.length_target, kind.length_drive());
        wait(&mut self.turn_target, kind.turn_drive(), &kind.turn_range(), self.turn);
        wait(&mut self.length_target, kind.length_drive(), &kind.length_range(), end.length().x);
    }

    /// Takes the turn, and the slip of a gear, from poses that were `moved` by so much to where the joint is `placed`.
    pub fn settle(&mut self, placed: &PlacedJoint<'_>, moved: impl Fn(usize) -> Velocity) {
        if let Some(gear) = placed.gear() {
            self.slip += placed.ends().velocity(&gear, moved);
        }
        self.turn = unwrapped(placed.frames.turn(), self.turn);
    }

    /// Returns the reports of a step of `dt` (s) that ends with bodies at these poses. Joints that carried more than their strength
    /// break.
    pub fn reports(
        list: &mut [Self],
        scene: &Scene,
        pose: impl Fn(usize) -> Pose + Copy,
        dt: f64,
    ) -> Vec<JointReport> {
        let joints = scene.joints.iter().zip(list).enumerate();
        joints.map(|(i, (joint, progress))| progress.report(i, joint, pose, dt)).collect()
    }

    fn report(&mut self, i: usize, joint: &Joint, pose: impl Fn(usize) -> Pose, dt: f64) -> JointReport {
        let (force, torque) = (self.impulse / dt, self.angular_impulse / dt);
        self.broken |= force.norm() > joint.strength.force || torque.norm() > joint.strength.torque;
        let (mut position_error, mut angle_error) = (0.0_f64, 0.0_f64);
        if !self.broken {
            let placed = PlacedJoint::new(joint, pose);
            let kept = Joint { compliance: 0.0, angular_compliance: 0.0, ..joint.clone() };
            let misfit = rigor_scene::joint::Misfit::of(&kept, &placed.frames, self.turn);
            position_error = misfit.gap.norm().max(misfit.length.abs());
            angle_error = misfit.rotation.norm().max(misfit.turn.abs()).max(misfit.swing.abs());
            if placed.gear().is_some() {
                angle_error = self.slip.abs();
            }
        }
        JointReport {
            joint: i,
            force_world: force,
            torque_world: torque,
            position_error,
            angle_error,
            turn: counts_turns(&joint.kind).then_some(self.turn),
            broken: self.broken,
        }
    }
}

/// Returns where a drive wants its coordinate, given the `target` of one that moves.
pub fn goal_of(drive: &Drive, target: f64) -> f64 {
    match drive.goal {
        Goal::Position(goal) => goal,
        Goal::Velocity(_) => target,
    }
}

/// Lets the moving target of a drive wait for a coordinate that the drive is too weak to move, within reach of its force, and for one that a
/// rigid bound stops.
fn wait(target: &mut f64, drive: Option<&Drive>, range: &Range, x: f64) {
    let Some(Drive { goal: Goal::Velocity(_), law, max_effort, .. }) = drive else { return };
    if max_effort.is_finite() {
        let most = if law.is_rigid() { 0.0 } else { law.deviation(*max_effort) };
        *target = x + (*target - x).clamp(-most, most);
    }
    if range.excess(*target) != 0.0 && range.compliance == 0.0 {
        *target = range.nearest(*target);
    }
}

/// Returns whether a bound or a drive depends on the turn.
fn counts_turns(kind: &JointKind) -> bool {
    kind.turn_drive().is_some() || kind.turn_range().is_bounded()
}

/// Returns the number of substeps of a step of `dt` (s) in which no body with a joint turns by more than `most` (rad), given how fast (rad/s) bodies turn, and
/// the joint that needs them.
pub fn substeps(scene: &Scene, rate: impl Fn(usize) -> f64, dt: f64, most: f64) -> (f64, Option<usize>) {
    let mut needed = (0.0, None);
    for (i, joint) in scene.joints.iter().enumerate() {
        for body in std::iter::once(joint.body_a).chain(joint.body_b) {
            let n = (dt * rate(body.0) / most).ceil();
            if n > needed.0 {
                needed = (n, Some(i));
            }
        }
    }
    needed
}

/// Part of the length of a rope at which it counts as taut.
const TAUT: f64 = 0.9;

/// Returns how fast (rad/s) bodies turn about joints in these states: the largest angular velocity of a body with a joint, or of the line of a distance joint that is
/// not slack, ‖v − (v·n) n‖/d; and the joint.
///
/// Distances below the smaller of the two radii count as that radius.
pub fn turning<'a>(scene: &Scene, at: impl Fn(usize) -> &'a BodyState) -> (f64, Option<usize>) {
    let mut fastest = (0.0, None);
    for (i, joint) in scene.joints.iter().enumerate() {
        let mut rate = 0.0_f64;
        for body in std::iter::once(joint.body_a).chain(joint.body_b) {
            rate = rate.max(at(body.0).angular_velocity.norm());
        }
        if let JointKind::Distance { min, max, .. } = joint.kind {
            let placed = PlacedJoint::new(joint, |body| at(body).pose);
            let gap = placed.frames.gap();
            let d = gap.norm();
            if d >= TAUT * max || d * TAUT <= min {
                let velocity = |body: usize, point: Vec3| {
                    let at = at(body);
                    at.linear_velocity + at.angular_velocity.cross(&(point - at.pose.position))
                };
                let of_b = joint.body_b.map(|b| velocity(b.0, placed.frames.b.position));
                let v = velocity(joint.body_a.0, placed.frames.a.position) - of_b.unwrap_or_else(Vec3::zeros);
                let n = gap.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vec3::zeros);
                let radius = |body: usize| scene.bodies[body].radius;
                let least = joint.body_b.map_or(f64::INFINITY, |b| radius(b.0)).min(radius(joint.body_a.0));
                rate = rate.max((v - n * n.dot(&v)).norm() / d.max(least));
            }
        }
        if rate > fastest.0 {
            fastest = (rate, Some(i));
        }
    }
    fastest
}
