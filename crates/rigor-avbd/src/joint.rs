//! Joints: the energies of what they hold, bound, drive and damp.

use rigor_joint::{Axis, Coordinate, PlacedJoint, Progress, Velocity, response};
use rigor_math::{Pose, elementary};
use rigor_scene::{Drive, Flaw, FlawKind, Goal, Joint, JointKind, JointReport, Range, Scene, State, Subject};

use crate::block::Block;
use crate::body::SolverBody;
use crate::config::Config;
use crate::contact::kept;
use crate::penalty::{Penalty, Scale};

/// Memory key: what each joint remembers.
const MEMORY: &str = "avbd/joints";

/// Memory key: per joint λ and k of each row.
const ROWS: &str = "avbd/rows";

/// Time (s) in which a rigid drive closes the distance to its goal.
const APPROACH: f64 = 0.05;

/// Distance (m) by which a joint that does not hold at the start counts as a rounding error of a file's numbers.
const START: f64 = 1e-9;

/// Rows of a joint: gaps (3), rod, rotations (3), gear, bounds (6), drives of turn and length, damping (6).
const N_ROWS: usize = 22;
const ROD: usize = 3;
const ROTATIONS: usize = 4;
const GEAR: usize = 7;
const BOUNDS: usize = 8;
const DRIVES: usize = 14;
const DAMPING: usize = 16;

/// What the force of a row is.
#[derive(Debug, Clone, Copy)]
enum Law {
    /// k C + λ.
    Rigid,
    /// The same, at most 0.
    Bound,
    /// The same, between −f and f (N or N m).
    Limited(f64),
    /// k C, with k up to this (N/m or N m/rad).
    Soft(f64),
    /// The same, at most 0.
    SoftBound(f64),
    /// This force (N or N m) and stiffness (N/m or N m/rad).
    Given([f64; 2]),
}

/// A row at some poses.
struct Row {
    slot: usize,
    axis: Axis,
    /// C (m or rad).
    c: f64,
    law: Law,
}

/// The rows of a joint in a substep.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    penalties: [Penalty; N_ROWS],
    scales: [Scale; N_ROWS],
    /// C at the start of the substep.
    starts: [f64; N_ROWS],
    /// f after the last sweep (N or N m).
    forces: [f64; N_ROWS],
    /// Coordinates at the start: turn (rad), length (m).
    turn: f64,
    length: f64,
    h: f64,
}

/// The joints of a scene.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    pub progress: Vec<Progress>,
    pub rows: Vec<Rows>,
}

impl Row {
    /// f and the stiffness that goes with it.
    fn force(&self, penalty: &Penalty) -> [f64; 2] {
        let k = penalty.stiffness;
        let f = k * self.c + penalty.lambda;
        match self.law {
            Law::Rigid => [f, k],
            Law::Bound => [f.min(0.0), k],
            Law::Limited(most) => [f.clamp(-most, most), k],
            Law::Soft(most) => [k.min(most) * self.c, k.min(most)],
            Law::SoftBound(most) => [(k.min(most) * self.c).min(0.0), k.min(most)],
            Law::Given(given) => given,
        }
    }

    /// Ends a sweep of it.
    fn update(&self, penalty: &mut Penalty, scale: &Scale, config: &Config) {
        let [f, _] = self.force(penalty);
        match self.law {
            Law::Rigid => {
                penalty.lambda = f;
                penalty.grow(self.c, scale, f64::INFINITY, config);
            }
            Law::Bound => {
                penalty.lambda = f;
                if f < 0.0 {
                    penalty.grow(self.c, scale, f64::INFINITY, config);
                }
            }
            Law::Limited(most) => {
                penalty.lambda = f;
                if f.abs() < most {
                    penalty.grow(self.c, scale, f64::INFINITY, config);
                }
            }
            Law::Soft(most) => penalty.grow(self.c, scale, most, config),
            Law::SoftBound(most) => {
                if self.c < 0.0 {
                    penalty.grow(self.c, scale, most, config);
                }
            }
            Law::Given(_) => {}
        }
    }
}

/// What rows are evaluated with.
struct Evaluation<'a> {
    joint: &'a Joint,
    progress: &'a Progress,
    placed: &'a PlacedJoint<'a>,
    /// Whether errors are those at the start of the substep, with no motion since.
    at_start: bool,
    h: f64,
    turn: f64,
    length: f64,
}

impl Evaluation<'_> {
    /// Calls `each` with the rows, given how bodies moved since the start of the substep. Errors are whole.
    fn rows(&self, moved: impl Fn(usize) -> Velocity + Copy, mut each: impl FnMut(Row)) {
        let Self { joint, progress, placed, h, .. } = *self;
        let ends = placed.ends();
        let hold = |slot: usize, c: &Coordinate, compliance: f64| {
            let law = if compliance > 0.0 { Law::Soft(1.0 / compliance) } else { Law::Rigid };
            Row { slot, axis: c.axis, c: c.x, law }
        };
        for (i, c) in placed.gaps().enumerate() {
            each(hold(i, &c, joint.compliance));
        }
        if let Some(c) = placed.rod() {
            each(hold(ROD, &c, joint.compliance));
        }
        for (i, c) in placed.rotations().enumerate() {
            each(hold(ROTATIONS + i, &c, joint.angular_compliance));
        }
        if let Some(axis) = placed.gear() {
            let x = progress.slip + ends.velocity(&axis, moved);
            each(hold(GEAR, &Coordinate { axis, x }, joint.angular_compliance));
        }
        for (i, (_, range, c)) in placed.bounded(self.turn).enumerate() {
            let law =
                if range.compliance > 0.0 { Law::SoftBound(1.0 / range.compliance) } else { Law::Bound };
            for (side, sign, bound) in [(0, 1.0, range.min), (1, -1.0, range.max)] {
                let gap = sign * (c.x - bound);
                if gap.is_finite() {
                    each(Row { slot: BOUNDS + 2 * i + side, axis: c.axis.scaled(sign), c: gap, law });
                }
            }
        }
        let kind = &joint.kind;
        if let (Some(drive), Some(c)) = (kind.turn_drive(), placed.turn(self.turn)) {
            let range = kind.turn_range();
            each(self.drive(DRIVES, drive, &range, &c, (self.turn, progress.turn_target)));
        }
        if let Some(drive) = kind.length_drive().filter(|_| kind.held().gap != [true; 3]) {
            let c = placed.length();
            let range = kind.length_range();
            each(self.drive(DRIVES + 1, drive, &range, &c, (self.length, progress.length_target)));
        }
        let damping = &joint.damping;
        if self.at_start || (damping.linear == 0.0 && damping.angular == 0.0) {
            return;
        }
        let (along, about) = placed.damped();
        let mut damp = |slot: usize, axis: Axis, k: f64| {
            // exp(−k h) of a row alone; the force is (exp(k h) − 1) m̂ u/h, and the scale has m̂/h².
            let rate = elementary::exp(k * h) - 1.0;
            each(Row { slot, axis, c: ends.velocity(&axis, moved), law: Law::Given([rate, 0.0]) });
        };
        if damping.linear > 0.0 {
            for (i, axis) in along.into_iter().enumerate() {
                if let Some(axis) = axis {
                    damp(DAMPING + i, axis, damping.linear);
                }
            }
        }
        if damping.angular > 0.0 {
            for (i, axis) in about.into_iter().enumerate() {
                damp(DAMPING + 3 + i, axis, damping.angular);
            }
        }
    }

    /// The row of a drive of the coordinate `c`, which was `start` at the start of the substep, and whose moving target was `target`.
    fn drive(
        &self,
        slot: usize,
        drive: &Drive,
        range: &Range,
        c: &Coordinate,
        (start, target): (f64, f64),
    ) -> Row {
        let h = self.h;
        let (goal, rate) = match drive.goal {
            Goal::Position(goal) => (goal, 0.0),
            Goal::Velocity(rate) => (target + h * rate, rate),
        };
        if drive.law.is_rigid() {
            let goal = if range.compliance == 0.0 { range.nearest(goal) } else { goal };
            let goal = match drive.goal {
                Goal::Position(_) => start + (goal - start) * (h / APPROACH.max(2.0 * h)),
                Goal::Velocity(_) => goal,
            };
            return Row { slot, axis: c.axis, c: c.x - goal, law: Law::Limited(drive.max_effort) };
        }
        let off = c.x - goal;
        let damper = drive.damping / h;
        let force = drive.law.force(off) + damper * (c.x - start - h * rate);
        let most = drive.max_effort;
        let stiffness = if force.abs() < most { drive.law.slope(off) + damper } else { 0.0 };
        Row { slot, axis: c.axis, c: off, law: Law::Given([force.clamp(-most, most), stiffness]) }
    }
}

impl Joints {
    /// Loads the joints of a step.
    pub fn load(&mut self, scene: &Scene, state: &State) {
        Progress::load(&mut self.progress, scene, state, MEMORY);
        let n = 2 * N_ROWS * scene.joints.len();
        let known = state.memory.numbers.get(ROWS).filter(|known| known.len() == n);
        self.rows.clear();
        self.rows.extend((0..scene.joints.len()).map(|i| {
            let mut penalties = [Penalty::default(); N_ROWS];
            if let Some(known) = known {
                let entries = known[2 * N_ROWS * i..2 * N_ROWS * (i + 1)].chunks_exact(2);
                for (penalty, entry) in penalties.iter_mut().zip(entries) {
                    *penalty = Penalty { lambda: entry[0], stiffness: entry[1] };
                }
            }
            Rows {
                penalties,
                scales: [Scale::default(); N_ROWS],
                starts: [0.0; N_ROWS],
                forces: [0.0; N_ROWS],
                turn: 0.0,
                length: 0.0,
                h: 0.0,
            }
        }));
    }

    /// The flaw of a step that begins at a start whose joints do not hold rigidly: the first sweeps close them. The amount is the largest distance
    /// (m).
    pub fn start_flaw(&self, scene: &Scene, state: &State) -> Option<Flaw> {
        if state.memory.numbers.contains_key(MEMORY) {
            return None;
        }
        let apart = |joint: &Joint| {
            let placed = PlacedJoint::new(joint, |body| state.bodies[body].pose);
            let rigid = |compliance: f64| compliance == 0.0;
            let gaps = placed.gaps().chain(placed.rod()).filter(|_| rigid(joint.compliance));
            let size = placed.ends().bodies().map(|end| scene.bodies[end.0].radius).fold(0.0, f64::max);
            let turns = placed.rotations().filter(|_| rigid(joint.angular_compliance));
            gaps.map(|c| c.x.abs()).chain(turns.map(|c| size * c.x.abs())).fold(0.0, f64::max)
        };
        let (amount, joint) = scene
            .joints
            .iter()
            .enumerate()
            .map(|(i, joint)| (apart(joint), i))
            .max_by(|x, y| x.0.total_cmp(&y.0))?;
        (amount > START).then(|| Flaw::new(FlawKind::StartCorrected, Subject::Joint(joint), amount))
    }

    /// Stores the joints.
    pub fn store(&self, state: &mut State) {
        Progress::store(&self.progress, state, MEMORY);
        if !self.rows.is_empty() {
            let penalties = self.rows.iter().flat_map(|rows| rows.penalties);
            state.memory.store(ROWS, penalties.flat_map(|penalty| [penalty.lambda, penalty.stiffness]));
        }
    }

    /// Begins a substep of `h` (s).
    pub fn begin(&mut self, scene: &Scene, bodies: &[SolverBody], h: f64, config: &Config) {
        let kept = kept(config);
        let joints = scene.joints.iter().zip(&self.progress).zip(&mut self.rows);
        for ((joint, progress), rows) in joints.filter(|((_, progress), _)| !progress.broken) {
            let before = PlacedJoint::new(joint, |body| bodies[body].before.pose);
            let free = PlacedJoint::new(joint, |body| bodies[body].inertial);
            (rows.turn, rows.length, rows.h) = (progress.turn, before.length().x, h);
            let ends = before.ends();
            let size = ends.bodies().map(|end| scene.bodies[end.0].radius).fold(f64::INFINITY, f64::min);
            let none = |_: usize| Velocity::default();
            let at = |placed, at_start| Evaluation {
                joint,
                progress,
                placed,
                at_start,
                h,
                turn: rows.turn,
                length: rows.length,
            };
            let mut starts = [0.0; N_ROWS];
            at(&before, true).rows(none, |row| starts[row.slot] = row.c);
            let mut scales = [Scale::default(); N_ROWS];
            at(&free, false).rows(none, |row| {
                let w: f64 = ends
                    .bodies()
                    .filter(|(body, ..)| bodies[*body].moves())
                    .map(|(body, sign, end)| {
                        let by = response(&bodies[body].mobility, &row.axis, sign, end);
                        sign * (row.axis.linear.dot(&by.linear) + row.axis.turns[end].dot(&by.angular))
                    })
                    .sum();
                let length = if row.axis.linear == rigor_math::Vec3::zeros() { 1.0 } else { size };
                scales[row.slot] = match row.law {
                    // The force of damping is measured in m̂/h², whatever penalties are.
                    Law::Given(_) if row.slot >= DAMPING => {
                        Scale { stiffness: if w > 0.0 { 1.0 / (w * h * h) } else { 0.0 }, growth: 0.0 }
                    }
                    Law::Given(_)
                    | Law::Rigid
                    | Law::Bound
                    | Law::Limited(_)
                    | Law::Soft(_)
                    | Law::SoftBound(_) => Scale::new(w, h, length, config),
                };
            });
            (rows.starts, rows.scales) = (starts, scales);
            for (penalty, scale) in rows.penalties.iter_mut().zip(&rows.scales) {
                penalty.begin(scale, kept, config);
            }
        }
    }

    /// Calls `each` with the rows of a joint, less the fraction `left` of errors before the substep.
    fn evaluate(
        &self,
        i: usize,
        joint: &Joint,
        (bodies, placed): (&[SolverBody], &PlacedJoint<'_>),
        left: f64,
        mut each: impl FnMut(Row),
    ) {
        let rows = &self.rows[i];
        let evaluation = Evaluation {
            joint,
            progress: &self.progress[i],
            placed,
            at_start: false,
            h: rows.h,
            turn: rows.turn,
            length: rows.length,
        };
        evaluation.rows(
            |body| bodies[body].since_start(),
            |row| {
                let start = rows.starts[row.slot];
                let (c, law) = match row.law {
                    Law::Rigid => (row.c - left * start, row.law),
                    Law::Bound => (row.c - left * start.min(0.0), row.law),
                    Law::Given([rate, _]) if row.slot >= DAMPING => {
                        let stiffness = rate * rows.scales[row.slot].stiffness;
                        (row.c, Law::Given([stiffness * row.c, stiffness]))
                    }
                    Law::Limited(_) | Law::Soft(_) | Law::SoftBound(_) | Law::Given(_) => (row.c, row.law),
                };
                each(Row { c, law, ..row });
            },
        );
    }

    /// Adds what joint `i` does to one end.
    pub fn add(
        &self,
        block: &mut Block,
        (i, end): (usize, usize),
        scene: &Scene,
        bodies: &[SolverBody],
        left: f64,
    ) {
        let joint = &scene.joints[i];
        let placed = PlacedJoint::new(joint, |body| bodies[body].now.pose);
        let lever = placed.levers()[end];
        let sign = [1.0, -1.0][end];
        self.evaluate(i, joint, (bodies, &placed), left, |row| {
            let [f, stiffness] = row.force(&self.rows[i].penalties[row.slot]);
            block.row(&(row.axis.linear * sign), &(row.axis.turns[end] * sign), f, stiffness);
            let per_length = match joint.kind {
                // Two points that meet have no direction that could turn.
                JointKind::Distance { .. } if row.slot < DAMPING => {
                    let length = placed.length().x;
                    if length > 0.0 { 1.0 / length } else { 0.0 }
                }
                JointKind::Distance { .. }
                | JointKind::Fixed
                | JointKind::Ball { .. }
                | JointKind::Hinge { .. }
                | JointKind::Universal
                | JointKind::Prismatic { .. }
                | JointKind::Cylindrical { .. }
                | JointKind::Gear { .. } => 0.0,
            };
            block.curve(&lever, &row.axis.linear, f, per_length);
        });
    }

    /// Ends a sweep: multipliers and stiffnesses of joint `i`.
    pub fn update(&mut self, i: usize, scene: &Scene, bodies: &mut [SolverBody], left: f64, config: &Config) {
        let joint = &scene.joints[i];
        let placed = PlacedJoint::new(joint, |body| bodies[body].now.pose);
        let mut penalties = self.rows[i].penalties;
        let mut forces = [0.0; N_ROWS];
        let mut pushes = Vec::new();
        self.evaluate(i, joint, (bodies, &placed), left, |row| {
            let penalty = &mut penalties[row.slot];
            [forces[row.slot], _] = row.force(penalty);
            row.update(penalty, &self.rows[i].scales[row.slot], config);
            pushes.push((row.axis, -forces[row.slot]));
        });
        let ends = placed.ends();
        for (axis, force) in pushes {
            for (body, sign, end) in ends.bodies() {
                bodies[body].push(&(axis.linear * (sign * force)), &(axis.turns[end] * (sign * force)));
            }
        }
        (self.rows[i].penalties, self.rows[i].forces) = (penalties, forces);
    }

    /// Ends a substep: impulses, turns, targets.
    pub fn finish(&mut self, scene: &Scene, bodies: &[SolverBody], h: f64) {
        for (i, joint) in scene.joints.iter().enumerate() {
            if self.progress[i].broken {
                continue;
            }
            let end = PlacedJoint::new(joint, |body| bodies[body].now.pose);
            let mut impulses = Vec::new();
            self.evaluate(i, joint, (bodies, &end), 1.0, |row| {
                impulses.push((row.axis, -self.rows[i].forces[row.slot] * h));
            });
            let progress = &mut self.progress[i];
            impulses.iter().for_each(|(axis, impulse)| progress.add(axis, *impulse));
            let middle =
                |body: usize| -> Pose { bodies[body].before.pose.interpolate(&bodies[body].now.pose, 0.5) };
            let middle = PlacedJoint::new(joint, middle);
            let mean = |body: usize| {
                let moved = bodies[body].since_start();
                Velocity { linear: moved.linear / h, angular: moved.angular / h }
            };
            progress.follow(joint, (&middle, &end), mean, h);
        }
    }

    /// The reports of a step of `dt` (s). Joints that carried more than their strength break.
    pub fn reports(&mut self, scene: &Scene, bodies: &[SolverBody], dt: f64) -> Vec<JointReport> {
        Progress::reports(&mut self.progress, scene, |body| bodies[body].now.pose, dt)
    }
}
