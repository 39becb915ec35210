//! Joints as rows: what they hold, their bounds, drives and damping.

use rigor_math::{Pose, Vec3, elementary};
use rigor_nonsmooth::Cone;
use rigor_scene::joint::unwrapped;
use rigor_scene::{
    Drive, Flaw, FlawKind, Goal, HeldRotation, Joint, JointFrames, JointKind, JointReport, Range, Scene,
    State, Subject,
};

use crate::body::FlyingBody;
use crate::config::{Config, Stabilization};
use crate::row::{Axis, Block, Ends, Equality, Mobility, Velocity, response};

/// Memory key: per joint `[1 if broken, turn counted over whole turns (rad), target of a moving turn (rad), target of a moving length (m), slip of
/// a gear (rad)]`.
const MEMORY: &str = "nonsmooth/joints";
const NUMBERS: usize = 5;

/// Time (s) in which a rigid drive closes the distance to its goal.
const APPROACH: f64 = 0.05;

/// Distance (m) by which a joint that does not hold at the start counts as a rounding error of a file's numbers.
const START: f64 = 1e-9;

/// Part of a bound's own size within which it is a row of the problem: other impulses of the substep may reach it.
const NEAR: f64 = 0.05;

/// A joint with its persistent state.
#[derive(Debug, Clone)]
pub(crate) struct JointState {
    pub broken: bool,
    /// Turn at the start of the substep (rad), counted over whole turns.
    pub turn: f64,
    /// Targets of drives at a rate.
    pub turn_target: f64,
    pub length_target: f64,
    /// Slip of a gear (rad).
    pub slip: f64,
    /// Impulses on a in this step (N s and N m s, world).
    pub impulse: Vec3,
    pub angular_impulse: Vec3,
}

impl JointState {
    /// Adds an impulse along an axis.
    fn add(&mut self, axis: &Axis, impulse: f64) {
        self.impulse += axis.linear * impulse;
        // About the origin of frame A, where the force acts: of a force there the moment is none.
        if axis.linear == Vec3::zeros() {
            self.angular_impulse += axis.turns[0] * impulse;
        }
    }
}

/// The joints of a scene.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    pub list: Vec<JointState>,
}

/// The rows of joints in a substep.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub equalities: Vec<Equality>,
    pub bounds: Vec<Block>,
    /// The joint of each bound.
    pub owners: Vec<usize>,
}

/// What rows are made of.
pub(crate) struct RowInput<'a> {
    pub bodies: &'a [FlyingBody],
    pub mobilities: &'a [Mobility],
    pub config: &'a Config,
    pub h: f64,
}

/// A coordinate of a joint in the middle of a substep.
struct Coordinate {
    axis: Axis,
    /// Its value (m or rad).
    x: f64,
}

impl Joints {
    /// Loads the joints of a step.
    pub fn load(&mut self, scene: &Scene, state: &State) {
        let known =
            state.memory.numbers.get(MEMORY).filter(|known| known.len() == NUMBERS * scene.joints.len());
        self.list.clear();
        self.list.extend(scene.joints.iter().enumerate().map(|(i, joint)| {
            let frames = JointFrames::of(joint, |id| state.bodies[id.0].pose);
            let turn = frames.turn();
            match known.map(|known| &known[NUMBERS * i..NUMBERS * (i + 1)]) {
                Some(&[broken, counted, turn_target, length_target, slip]) => JointState {
                    broken: broken != 0.0,
                    turn: unwrapped(turn, counted),
                    turn_target,
                    length_target,
                    slip,
                    impulse: Vec3::zeros(),
                    angular_impulse: Vec3::zeros(),
                },
                _ => {
                    let counted = joint.kind.turn_range().start(turn);
                    JointState {
                        broken: false,
                        turn: counted,
                        turn_target: counted,
                        length_target: length(&joint.kind, &frames),
                        slip: 0.0,
                        impulse: Vec3::zeros(),
                        angular_impulse: Vec3::zeros(),
                    }
                }
            }
        }));
    }

    /// The flaw of a step that begins at a start whose joints do not hold rigidly: the first projection closes them. The amount is the largest distance
    /// (m); an angle counts with the radius of the larger body.
    pub fn start_flaw(&self, scene: &Scene, state: &State) -> Option<Flaw> {
        if state.memory.numbers.contains_key(MEMORY) {
            return None;
        }
        let (equalities, _, bounds) = self.errors(scene, |body| state.bodies[body].pose);
        let size = |ends: &Ends, axis: &Axis, error: f64| {
            let radius = ends.bodies().map(|end| scene.bodies[end.0].radius).fold(0.0, f64::max);
            error.abs() * if axis.linear == Vec3::zeros() { radius } else { 1.0 }
        };
        let of_equalities = equalities.iter().map(|row| (size(&row.ends, &row.axis, row.target), row.joint));
        // A bound does not say which joint it is of; the joint between its bodies does.
        let joint_of =
            |ends: &Ends| scene.joints.iter().position(|joint| ends_of(joint) == *ends).unwrap_or(0);
        let of_bounds = bounds
            .iter()
            .map(|bound| (size(&bound.ends, &bound.axes[0], bound.target.x), joint_of(&bound.ends)));
        let (amount, joint) = of_equalities.chain(of_bounds).max_by(|x, y| x.0.total_cmp(&y.0))?;
        (amount > START).then(|| Flaw::new(FlawKind::StartCorrected, Subject::Joint(joint), amount))
    }

    /// Writes what the next step needs.
    pub fn store(&self, state: &mut State) {
        if self.list.is_empty() {
            return;
        }
        let numbers = self.list.iter().flat_map(|joint| {
            let broken = if joint.broken { 1.0 } else { 0.0 };
            [broken, joint.turn, joint.turn_target, joint.length_target, joint.slip]
        });
        state.memory.store(MEMORY, numbers);
    }

    /// Finds the rows of a substep.
    pub fn rows(&self, scene: &Scene, input: &RowInput<'_>) -> Rows {
        let mut rows = Rows::default();
        for (i, (joint, state)) in scene.joints.iter().zip(&self.list).enumerate() {
            if !state.broken {
                Maker { i, joint, state, input, rows: &mut rows }.make();
            }
        }
        rows
    }

    /// Ends a substep of `h` (s): counts turns, moves targets.
    pub fn follow(&mut self, scene: &Scene, bodies: &[FlyingBody], h: f64) {
        for (joint, state) in scene.joints.iter().zip(&mut self.list) {
            if state.broken {
                continue;
            }
            let ends = ends_of(joint);
            let middle = JointFrames::of(joint, |id| bodies[id.0].middle.pose);
            let mean = |body: usize| {
                let (start, end) = (bodies[body].start_velocity(), bodies[body].end_velocity());
                Velocity {
                    linear: 0.5 * (start.linear + end.linear),
                    angular: 0.5 * (start.angular + end.angular),
                }
            };
            let frames = JointFrames::of(joint, |id| bodies[id.0].end.pose);
            let rate = middle.turn_gradient().map_or(0.0, |g| ends.velocity(&Axis::about(g), mean));
            state.turn = unwrapped(frames.turn(), state.turn + h * rate);
            if let JointKind::Gear { ratio } = joint.kind {
                state.slip += h * ends.velocity(&gear_axis(&middle, ratio), mean);
            }
            let advance = |target: &mut f64, drive: Option<&Drive>| {
                if let Some(Drive { goal: Goal::Velocity(rate), .. }) = drive {
                    *target += h * rate;
                }
            };
            advance(&mut state.turn_target, joint.kind.turn_drive());
            advance(&mut state.length_target, joint.kind.length_drive());
            let kind = &joint.kind;
            wait(&mut state.turn_target, kind.turn_drive(), &kind.turn_range(), state.turn);
            wait(&mut state.length_target, kind.length_drive(), &kind.length_range(), length(kind, &frames));
        }
    }

    /// Adds the impulses of a substep.
    pub fn keep(&mut self, rows: &Rows, equalities: &[f64], bounds: &[Vec3]) {
        for (row, lambda) in rows.equalities.iter().zip(equalities) {
            self.list[row.joint].add(&row.axis, *lambda);
        }
        for ((bound, owner), r) in rows.bounds.iter().zip(&rows.owners).zip(bounds) {
            self.list[*owner].add(&bound.axes[0], r.x);
        }
    }

    /// Adds the impulses that keep velocities tangent.
    pub fn keep_more(&mut self, held: &[(Equality, f64)]) {
        for (row, lambda) in held {
            self.list[row.joint].add(&row.axis, *lambda);
        }
    }

    /// The reports of a step of `dt` (s). Joints that carried more than their strength break.
    pub fn reports(&mut self, scene: &Scene, bodies: &[FlyingBody], dt: f64) -> Vec<JointReport> {
        let report = |(i, (joint, state)): (usize, (&Joint, &mut JointState))| {
            let (force, torque) = (state.impulse / dt, state.angular_impulse / dt);
            state.broken |= force.norm() > joint.strength.force || torque.norm() > joint.strength.torque;
            let frames = JointFrames::of(joint, |id| bodies[id.0].end.pose);
            let (mut position_error, mut angle_error) = (0.0_f64, 0.0_f64);
            if !state.broken {
                let kept = Joint { compliance: 0.0, angular_compliance: 0.0, ..joint.clone() };
                let misfit = rigor_scene::joint::Misfit::of(&kept, &frames, state.turn);
                position_error = misfit.gap.norm().max(misfit.length.abs());
                angle_error = misfit.rotation.norm().max(misfit.turn.abs()).max(misfit.swing.abs());
                if let JointKind::Gear { .. } = joint.kind {
                    angle_error = state.slip.abs();
                }
            }
            JointReport {
                joint: i,
                force_world: force,
                torque_world: torque,
                position_error,
                angle_error,
                turn: counts_turns(&joint.kind).then_some(state.turn),
                broken: state.broken,
            }
        };
        scene.joints.iter().zip(&mut self.list).enumerate().map(report).collect()
    }

    /// The errors of what joints hold rigidly with bodies at some poses, as equations that shifts of the bodies should satisfy, with the velocity at which
    /// each coordinate moves; and the rigid bounds that are exceeded.
    pub fn errors(
        &self,
        scene: &Scene,
        pose: impl Fn(usize) -> Pose + Copy,
    ) -> (Vec<Equality>, Vec<f64>, Vec<Block>) {
        let (mut equalities, mut rates, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
        for (i, (joint, state)) in scene.joints.iter().zip(&self.list).enumerate() {
            if state.broken {
                continue;
            }
            let frames = JointFrames::of(joint, |id| pose(id.0));
            let placed = Placed::new(joint, frames, pose);
            let ends = ends_of(joint);
            let mut follow = |c: Coordinate, rate: f64| {
                let (axis, target, most) = (c.axis, -c.x, f64::INFINITY);
                equalities.push(Equality { ends, axis, target, softness: 0.0, most, joint: i });
                rates.push(rate);
            };
            for (drive, coordinate, target, range) in [
                (
                    joint.kind.turn_drive(),
                    placed.turn(state.turn),
                    state.turn_target,
                    joint.kind.turn_range(),
                ),
                (
                    joint.kind.length_drive(),
                    Some(placed.length()),
                    state.length_target,
                    joint.kind.length_range(),
                ),
            ] {
                if let (Some(drive @ &Drive { goal: Goal::Velocity(rate), .. }), Some(c)) =
                    (drive, coordinate)
                    && drive.is_certain()
                {
                    let is_stopped =
                        range.excess(target + rate.signum() * 1e-12 * target.abs().max(1.0)) != 0.0;
                    let rate = if is_stopped && range.compliance == 0.0 { 0.0 } else { rate };
                    follow(Coordinate { x: c.x - target, ..c }, rate);
                }
            }
            let mut equal = |c: Coordinate| follow(c, 0.0);
            if joint.compliance == 0.0 {
                placed.gaps().for_each(&mut equal);
                placed.rod().into_iter().for_each(&mut equal);
            }
            if joint.angular_compliance == 0.0 {
                placed.rotations().for_each(&mut equal);
            }
            if let JointKind::Gear { ratio } = joint.kind
                && joint.angular_compliance == 0.0
            {
                equal(Coordinate { axis: gear_axis(&placed.frames, ratio), x: state.slip });
            }
            for (range, coordinate) in placed.bounded(state.turn) {
                if range.compliance > 0.0 {
                    continue;
                }
                for (sign, bound) in [(1.0, range.min), (-1.0, range.max)] {
                    let gap = sign * (coordinate.x - bound);
                    if gap.is_finite() && gap < 0.0 {
                        bounds.push(bound_block(ends, &coordinate.axis.scaled(sign), -gap, 0.0));
                    }
                }
            }
        }
        (equalities, rates, bounds)
    }

    /// Takes the slip out of gears that poses were moved for.
    pub fn settle(&mut self, scene: &Scene, moved: impl Fn(usize) -> Velocity, pose: impl Fn(usize) -> Pose) {
        for (joint, state) in scene.joints.iter().zip(&mut self.list) {
            if let JointKind::Gear { ratio } = joint.kind {
                let frames = JointFrames::of(joint, |id| pose(id.0));
                state.slip += ends_of(joint).velocity(&gear_axis(&frames, ratio), &moved);
            }
            let frames = JointFrames::of(joint, |id| pose(id.0));
            state.turn = unwrapped(frames.turn(), state.turn);
        }
    }
}

/// Where a drive wants its coordinate, given the `target` of one that moves.
fn target_at(drive: &Drive, target: f64) -> f64 {
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

/// Whether a bound or a drive depends on the turn.
fn counts_turns(kind: &JointKind) -> bool {
    kind.turn_drive().is_some() || kind.turn_range().is_bounded()
}

fn ends_of(joint: &Joint) -> Ends {
    Ends { a: joint.body_a.0, b: joint.body_b.map(|b| b.0) }
}

/// The rate of `ratio` · (turn of a about A's x axis) − (turn of b about B's x axis).
fn gear_axis(frames: &JointFrames, ratio: f64) -> Axis {
    Axis { linear: Vec3::zeros(), turns: [frames.axis_a() * ratio, frames.axis_b()] }
}

/// Slide, or distance of a distance joint (m).
fn length(kind: &JointKind, frames: &JointFrames) -> f64 {
    match kind {
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

fn bound_block(ends: Ends, axis: &Axis, target: f64, softness: f64) -> Block {
    let none = Axis::default();
    Block { ends, axes: [*axis, none, none], cone: Cone::Friction(0.0), target: Vec3::x() * target, softness }
}

/// A joint at some poses of its bodies.
struct Placed<'a> {
    joint: &'a Joint,
    frames: JointFrames,
    /// From the centres of mass to the origin of frame A (m); of the world, to B's point at it.
    levers: [Vec3; 2],
}

impl<'a> Placed<'a> {
    fn new(joint: &'a Joint, frames: JointFrames, pose: impl Fn(usize) -> Pose) -> Self {
        let origin = frames.a.position;
        let of_b = joint.body_b.map_or_else(Vec3::zeros, |b| origin - pose(b.0).position);
        Self { joint, frames, levers: [origin - pose(joint.body_a.0).position, of_b] }
    }

    /// The displacements of A's origin along the held axes of B.
    fn gaps(&self) -> impl Iterator<Item = Coordinate> {
        let (axes, local, held) = (self.frames.axes_b(), self.frames.gap_local(), self.joint.kind.held().gap);
        (0..3).filter(move |&i| held[i]).map(move |i| Coordinate {
            axis: Axis::at(axes.column(i).into_owned(), self.levers),
            x: local[i],
        })
    }

    /// The rotations that are held.
    fn rotations(&self) -> impl Iterator<Item = Coordinate> + use<> {
        let axes = self.frames.axes_b();
        let about = |i: usize| axes.column(i).into_owned();
        let rotation = match self.joint.kind.held().rotation {
            HeldRotation::All => {
                let log = rigor_math::rotation_vector::log(&self.frames.relative());
                (0..3).map(|i| Coordinate { axis: Axis::about(about(i)), x: log[i] }).collect()
            }
            HeldRotation::Swing => {
                let swing = self.frames.swing();
                (1..3).map(|i| Coordinate { axis: Axis::about(about(i)), x: swing[i] }).collect()
            }
            HeldRotation::Cross => {
                let axis = self.frames.a.vector(&Vec3::y()).cross(&self.frames.axis_b());
                let size = axis.norm().max(f64::MIN_POSITIVE);
                let x = elementary::asin(self.frames.cross().clamp(-1.0, 1.0));
                vec![Coordinate { axis: Axis::about(axis / size), x }]
            }
            HeldRotation::None => Vec::new(),
        };
        rotation.into_iter()
    }

    /// The distance of a rod less its length.
    fn rod(&self) -> Option<Coordinate> {
        match self.joint.kind {
            JointKind::Distance { min, max, .. } if min == max && max > 0.0 => {
                let coordinate = self.length();
                Some(Coordinate { x: coordinate.x - max, ..coordinate })
            }
            JointKind::Distance { .. }
            | JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => None,
        }
    }

    /// The slide, or the distance.
    fn length(&self) -> Coordinate {
        let n = match self.joint.kind {
            JointKind::Distance { .. } => {
                self.frames.gap().try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vec3::x)
            }
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => self.frames.axis_b(),
        };
        Coordinate { axis: Axis::at(n, self.levers), x: length(&self.joint.kind, &self.frames) }
    }

    /// The turn, counted so that it is nearest to `near` (rad); `None` near a swing of π.
    fn turn(&self, near: f64) -> Option<Coordinate> {
        let g = self.frames.turn_gradient()?;
        Some(Coordinate { axis: Axis::about(g), x: unwrapped(self.frames.turn(), near) })
    }

    /// The coordinates that have bounds.
    fn bounded(&self, turn: f64) -> Vec<(Range, Coordinate)> {
        let kind = &self.joint.kind;
        let mut found = Vec::new();
        let is_rod = self.rod().is_some();
        let is_pin = kind.held().gap == [true; 3];
        let range = match kind {
            JointKind::Distance { .. } => Range { compliance: self.joint.compliance, ..kind.length_range() },
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => kind.length_range(),
        };
        if range.is_bounded() && !is_rod && !is_pin {
            found.push((range, self.length()));
        }
        let range = kind.turn_range();
        if range.is_bounded()
            && let Some(turn) = self.turn(turn)
        {
            found.push((range, turn));
        }
        let range = kind.swing_range();
        if range.is_bounded() {
            let swing = self.frames.swing();
            let axis = swing.try_normalize(1e-12).unwrap_or_else(Vec3::y);
            let axis = Axis::about(self.frames.b.vector(&axis));
            found.push((Range { min: f64::NEG_INFINITY, ..range }, Coordinate { axis, x: swing.norm() }));
        }
        found
    }
}

/// Makes the rows of one joint.
struct Maker<'a, 'b> {
    i: usize,
    joint: &'a Joint,
    state: &'a JointState,
    input: &'a RowInput<'a>,
    rows: &'b mut Rows,
}

/// A force −R − k x − d ẋ on a coordinate, with x from where it is at the start of a substep.
#[derive(Debug, Clone, Copy)]
struct Spring {
    /// R (N or N m).
    force: f64,
    /// k (N/m or N m/rad).
    stiffness: f64,
    /// d (N s/m or N m s/rad).
    damping: f64,
    /// Velocity of the target (m/s or rad/s).
    rate: f64,
}

impl Maker<'_, '_> {
    fn make(&mut self) {
        let joint = self.joint;
        let bodies = self.input.bodies;
        let place =
            |pose: &dyn Fn(usize) -> Pose| Placed::new(joint, JointFrames::of(joint, |id| pose(id.0)), pose);
        let placed = place(&|body| bodies[body].middle.pose);
        let (first, last) = (place(&|body| bodies[body].start.pose), place(&|body| bodies[body].free.pose));
        let linear = |at: &Placed<'_>| at.gaps().chain(at.rod()).collect::<Vec<_>>();
        let angular = |at: &Placed<'_>| at.rotations().collect::<Vec<_>>();
        for (of, compliance) in [
            ([&first, &placed, &last].map(linear), joint.compliance),
            ([&first, &placed, &last].map(angular), joint.angular_compliance),
        ] {
            let [first, middle, last] = of;
            for ((first, c), last) in first.into_iter().zip(middle).zip(last) {
                self.hold(&c, first.x, last.x - first.x, compliance);
            }
        }
        if let JointKind::Gear { ratio } = joint.kind {
            let axis = gear_axis(&placed.frames, ratio);
            let h = self.input.h;
            let x = self.state.slip + 0.5 * h * self.before(&axis);
            let free = self.ends().velocity(&axis, |body| bodies[body].free_velocity());
            let by = 0.5 * h * (self.before(&axis) + free);
            self.hold(&Coordinate { axis, x }, self.state.slip, by, joint.angular_compliance);
        }
        let turn = self.turn_ahead(&placed);
        for (range, coordinate) in placed.bounded(turn) {
            self.bound(&range, &coordinate);
        }
        if let Some(drive) = joint.kind.turn_drive()
            && let Some(coordinate) = placed.turn(turn)
        {
            self.drive(
                drive,
                &joint.kind.turn_range(),
                &coordinate,
                (self.state.turn, self.state.turn_target),
            );
        }
        if let Some(drive) = joint.kind.length_drive()
            && joint.kind.held().gap != [true; 3]
        {
            let coordinate = placed.length();
            let start = length(&joint.kind, &first.frames);
            self.drive(drive, &joint.kind.length_range(), &coordinate, (start, self.state.length_target));
        }
        self.damp(&placed);
    }

    fn ends(&self) -> Ends {
        ends_of(self.joint)
    }

    /// u of the axis at the start of the substep.
    fn before(&self, axis: &Axis) -> f64 {
        self.ends().velocity(axis, |body| self.input.bodies[body].start_velocity())
    }

    /// The turn in the middle of the substep.
    fn turn_ahead(&self, placed: &Placed<'_>) -> f64 {
        let axis = placed.frames.turn_gradient().map(Axis::about);
        self.state.turn + axis.map_or(0.0, |axis| 0.5 * self.input.h * self.before(&axis))
    }

    /// w: the change of u by a unit impulse.
    fn w(&self, axis: &Axis) -> f64 {
        let ends = self.ends();
        ends.bodies()
            .map(|(body, sign, end)| {
                let by = response(&self.input.mobilities[body], axis, sign, end);
                sign * (axis.linear.dot(&by.linear) + axis.turns[end].dot(&by.angular))
            })
            .sum()
    }

    fn push(&mut self, axis: Axis, target: f64, softness: f64, most: f64) {
        let (ends, joint) = (self.ends(), self.i);
        self.rows.equalities.push(Equality { ends, axis, target, softness, most, joint });
    }

    /// Holds a coordinate, which is `start` at the start of the substep and would change `by` so much in a flight of the whole substep, with a compliance (m/N or rad/(N m)).
    ///
    /// Rigidly, the kick in the middle undoes that change: by + ½ h Δu = 0. Then the coordinate has at the end the value that it had, up to O(h³).
    fn hold(&mut self, c: &Coordinate, start: f64, by: f64, compliance: f64) {
        if compliance > 0.0 {
            let stiffness = 1.0 / compliance;
            let spring = Spring { force: stiffness * start, stiffness, damping: 0.0, rate: 0.0 };
            return self.pull(&c.axis, &spring, f64::INFINITY);
        }
        let Config { stabilization, baumgarte, .. } = self.input.config;
        let bodies = self.input.bodies;
        let free = self.ends().velocity(&c.axis, |body| bodies[body].free_velocity());
        let target = match stabilization {
            Stabilization::Projection => free - 2.0 * by / self.input.h,
            Stabilization::None => 0.0,
            Stabilization::Baumgarte => -baumgarte * c.x / self.input.h,
        };
        self.push(c.axis, target, 0.0, f64::INFINITY);
    }

    /// Pulls along an axis by a spring and a damper: r = −h (R + k Δx + d u) with the means Δx and u of the substep, weighted θ at its end.
    ///
    /// θ = ½, the trapezoidal rule, keeps energy and has order 2. Springs and dampers that are stiff against the substep, ω h > 2 or d w h > 2, have θ =
    /// 1 − 1/(ω h), so that they come to rest.
    fn pull(&mut self, axis: &Axis, spring: &Spring, most: f64) {
        let h = self.input.h;
        let w = self.w(axis);
        let stiff = (h * (spring.stiffness * w).sqrt()).max(h * spring.damping * w);
        let theta = if stiff > 2.0 { 1.0 - 1.0 / stiff } else { 0.5 };
        let before = self.before(axis) - spring.rate;
        let gain = h * theta * (0.5 * h * spring.stiffness + spring.damping);
        let rest = h
            * (spring.force + (0.5 * h * theta * spring.stiffness + (1.0 - theta) * spring.damping) * before);
        // No gain is a force that does not depend on the velocity at the end.
        let gain = gain.max(1e-12 / w.max(f64::MIN_POSITIVE));
        self.push(*axis, spring.rate - rest / gain, 1.0 / gain, most);
    }

    fn drive(&mut self, drive: &Drive, range: &Range, c: &Coordinate, (start, target): (f64, f64)) {
        let h = self.input.h;
        let most = drive.max_effort * h;
        let (goal, rate) = match drive.goal {
            Goal::Position(goal) => (goal, 0.0),
            // The target moves by h v in the substep.
            Goal::Velocity(rate) => (target + 0.5 * h * rate, rate),
        };
        if drive.law.is_rigid() {
            let goal = range.nearest(goal);
            let back = match drive.goal {
                Goal::Position(_) => -(c.x - goal) / APPROACH.max(2.0 * h),
                // Poses are projected onto the target.
                Goal::Velocity(_) => 0.0,
            };
            let ahead = c.x + 0.5 * h * rate;
            let rate = if range.compliance == 0.0 && range.excess(ahead) * rate > 0.0 { 0.0 } else { rate };
            return self.push(c.axis, rate + back, 0.0, most);
        }
        // About the middle, where the slope is that of the substep.
        let off = c.x - goal;
        let stiffness = drive.law.slope(off);
        let spring = Spring {
            force: drive.law.force(off) + stiffness * ((start - target_at(drive, target)) - off),
            stiffness,
            damping: drive.damping,
            rate,
        };
        self.pull(&c.axis, &spring, most);
    }

    fn bound(&mut self, range: &Range, c: &Coordinate) {
        let h = self.input.h;
        for (sign, bound) in [(1.0, range.min), (-1.0, range.max)] {
            let gap = sign * (c.x - bound);
            if !gap.is_finite() {
                continue;
            }
            let axis = c.axis.scaled(sign);
            let bodies = self.input.bodies;
            let free = self.ends().velocity(&axis, |body| bodies[body].free_velocity());
            let size = NEAR * if bound.abs() > 0.0 { bound.abs().min(1.0) } else { 1.0 };
            if gap > h * free.abs() + size {
                continue;
            }
            let (target, softness) = if range.compliance > 0.0 {
                if gap >= 0.0 {
                    continue;
                }
                // The bound of a spring that only pushes.
                let before = self.rows.equalities.len();
                let stiffness = 1.0 / range.compliance;
                let spring = Spring { force: stiffness * gap, stiffness, damping: 0.0, rate: 0.0 };
                self.pull(&axis, &spring, f64::INFINITY);
                let row = self.rows.equalities.remove(before);
                (row.target, row.softness)
            } else {
                let config = self.input.config;
                (approach(gap, h, config), 0.0)
            };
            self.rows.bounds.push(bound_block(self.ends(), &axis, target, softness));
            self.rows.owners.push(self.i);
        }
    }

    /// Damps the free motion: u⁺ = e^{−k h} u for a row alone, as u⁺ + D r = 0 with D = w/(e^{k h} − 1).
    fn damp(&mut self, placed: &Placed<'_>) {
        let (damping, h) = (self.joint.damping, self.input.h);
        let softness = |maker: &Self, axis: &Axis, k: f64| maker.w(axis) / (elementary::exp(k * h) - 1.0);
        if damping.linear > 0.0 {
            let axes: Vec<Axis> = match self.joint.kind {
                JointKind::Distance { max, .. } if max > 0.0 => vec![placed.length().axis],
                JointKind::Distance { .. }
                | JointKind::Fixed
                | JointKind::Ball { .. }
                | JointKind::Hinge { .. }
                | JointKind::Universal
                | JointKind::Prismatic { .. }
                | JointKind::Cylindrical { .. }
                | JointKind::Gear { .. } => {
                    [Vec3::x(), Vec3::y(), Vec3::z()].map(|n| Axis::at(n, placed.levers)).to_vec()
                }
            };
            for axis in axes {
                let soft = softness(self, &axis, damping.linear);
                self.push(axis, 0.0, soft, f64::INFINITY);
            }
        }
        if damping.angular > 0.0 {
            for n in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let axis = Axis::about(n);
                let soft = softness(self, &axis, damping.angular);
                self.push(axis, 0.0, soft, f64::INFINITY);
            }
        }
    }
}

/// The velocity below which a coordinate with this `gap` in the middle of a substep is pushed: the one that closes it at the end.
pub(crate) fn approach(gap: f64, h: f64, config: &Config) -> f64 {
    let deep = match config.stabilization {
        Stabilization::Projection | Stabilization::None => 0.0,
        Stabilization::Baumgarte => config.baumgarte * (-gap).max(0.0) / h,
    };
    deep - 2.0 * gap.max(0.0) / h
}
