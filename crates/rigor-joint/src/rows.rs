//! Joints as rows: what they hold, their bounds, drives and damping.

use rigor_math::{Pose, Vec3, elementary};
use rigor_scene::{Drive, Flaw, FlawKind, Goal, Joint, JointReport, Range, Scene, State, Subject};

use crate::axis::{Axis, Ends, Mobility, Velocity, response};
use crate::coordinate::{Coordinate, Measure, PlacedJoint, ends_of};
use crate::flying::FlyingBody;
use crate::progress::{Progress, goal_of};
use crate::row::{Bound, Equality};

/// Time (s) in which a rigid drive closes the distance to its goal.
const APPROACH: f64 = 0.05;

/// Distance (m) by which a joint that does not hold at the start counts as a rounding error of a file's numbers.
const START: f64 = 1e-9;

/// Part of a bound's own size within which it is a row of the problem: other impulses of the substep may reach it.
const NEAR: f64 = 0.05;

/// Gap (m or rad) at which a bound is met.
pub(crate) const MET: f64 = 1e-9;

/// The joints of a scene.
#[derive(Debug, Clone, Default)]
pub struct Joints {
    /// What each of them remembers.
    pub list: Vec<Progress>,
}

/// The rows of joints in a substep.
#[derive(Debug, Default)]
pub struct Rows {
    /// What is held, driven and damped.
    pub equalities: Vec<Equality>,
    /// Bounds that may be met.
    pub bounds: Vec<Bound>,
    /// Each equation that holds a coordinate rigidly, in the order of joints, with the value (m or rad) that the coordinate keeps.
    kept: Vec<(usize, f64)>,
    /// Each rigid bound that is met at the start, with the value (m or rad) at which it stops its coordinate.
    met: Vec<(usize, f64)>,
}

/// How the error of what is held rigidly is closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Closing {
    /// The impulses of a substep leave coordinates where they are to O(h³), and poses are projected.
    InPoses,
    /// Velocities close this part of each error in each substep. Source: \[Baumgarte1972\].
    ByVelocity(f64),
    /// Nothing closes it.
    None,
}

impl Closing {
    /// Returns the velocity (m/s or rad/s) below which a coordinate with this `gap` in the middle of a substep of `h` (s) is pushed: the one that closes it at
    /// the end.
    pub fn approach(&self, gap: f64, h: f64) -> f64 {
        let deep = match self {
            Self::InPoses | Self::None => 0.0,
            Self::ByVelocity(part) => part * (-gap).max(0.0) / h,
        };
        deep - 2.0 * gap.max(0.0) / h
    }
}

/// What rows are made of.
#[derive(Debug, Clone, Copy)]
pub struct RowInput<'a> {
    /// The bodies in a substep that has begun.
    pub bodies: &'a [FlyingBody],
    /// How they answer impulses in the middle of it.
    pub mobilities: &'a [Mobility],
    /// How errors are closed.
    pub closing: Closing,
    /// Length of the substep (s).
    pub h: f64,
}

impl Joints {
    /// Loads the joints of a step, which are remembered under this key of the state's memory.
    pub fn load(&mut self, scene: &Scene, state: &State, key: &str) {
        Progress::load(&mut self.list, scene, state, key);
    }

    /// Returns the flaw of a step that begins at a start whose joints do not hold rigidly, if the state remembers nothing under this key: the first
    /// projection closes them. The amount is the largest distance (m); an angle counts with the radius of the larger body.
    pub fn start_flaw(&self, scene: &Scene, state: &State, key: &str) -> Option<Flaw> {
        if state.memory.numbers.contains_key(key) {
            return None;
        }
        let (equalities, _, bounds) = self.errors(scene, |body| state.bodies[body].pose);
        let size = |ends: &Ends, axis: &Axis, error: f64| {
            let radius = ends.bodies().map(|end| scene.bodies[end.0].radius).fold(0.0, f64::max);
            error.abs() * if axis.linear == Vec3::zeros() { radius } else { 1.0 }
        };
        let of_equalities = equalities.iter().map(|row| (size(&row.ends, &row.axis, row.target), row.joint));
        let of_bounds =
            bounds.iter().map(|bound| (size(&bound.ends, &bound.axis, bound.target), bound.joint));
        let (amount, joint) = of_equalities.chain(of_bounds).max_by(|x, y| x.0.total_cmp(&y.0))?;
        (amount > START).then(|| Flaw::new(FlawKind::StartCorrected, Subject::Joint(joint), amount))
    }

    /// Stores them under this key.
    pub fn store(&self, state: &mut State, key: &'static str) {
        Progress::store(&self.list, state, key);
    }

    /// Returns the rows of a substep.
    pub fn rows(&self, scene: &Scene, input: &RowInput<'_>) -> Rows {
        let mut rows = Rows::default();
        for (i, (joint, state)) in scene.joints.iter().zip(&self.list).enumerate() {
            if !state.broken {
                Maker { i, joint, state, input, rows: &mut rows }.make();
            }
        }
        rows
    }

    /// Corrects what rows ask for by where bodies end: with the error e of a coordinate there, Δc = −2 e/h. Returns the largest error, over the radius of the smaller
    /// body (lengths) or in rad, of what is held rigidly and of bounds that `push` or are exceeded.
    ///
    /// A kick in the middle that closes joints exactly leaves nothing to a projection of poses, which does not keep angular momentum. With kicks that act where
    /// the held points meet, bodies that nothing else holds keep theirs to rounding.
    pub fn correct(
        &self,
        scene: &Scene,
        bodies: &[FlyingBody],
        rows: &mut Rows,
        push: impl Fn(usize) -> bool,
        h: f64,
    ) -> f64 {
        let size = |ends: &Ends, axis: &Axis| match axis.linear == Vec3::zeros() {
            true => 1.0,
            false => {
                // A point has no size.
                let sizes = ends.bodies().map(|end| scene.bodies[end.0].radius).filter(|r| *r > 0.0);
                sizes.reduce(f64::min).unwrap_or(1.0)
            }
        };
        let mut worst = 0.0_f64;
        let mut kept = rows.kept.iter();
        for (joint, _) in scene.joints.iter().zip(&self.list).filter(|(_, state)| !state.broken) {
            let placed = PlacedJoint::new(joint, |body| bodies[body].end.pose);
            for c in held(joint, &placed) {
                let Some(&(row, x)) = kept.next() else { break };
                let row = &mut rows.equalities[row];
                let off = c.x - x;
                row.target -= 2.0 * off / h;
                worst = worst.max(off.abs() / size(&row.ends, &row.axis));
            }
        }
        for &(i, limit) in &rows.met {
            let bound = &mut rows.bounds[i];
            let (joint, state) = (&scene.joints[bound.joint], &self.list[bound.joint]);
            let placed = PlacedJoint::new(joint, |body| bodies[body].end.pose);
            let Some(c) = placed.measured(bound.measure, state.turn) else { continue };
            let gap = if bound.is_upper { limit - c.x } else { c.x - limit };
            if gap < 0.0 || push(i) {
                bound.target -= 2.0 * gap / h;
                worst = worst.max(gap.abs() / size(&bound.ends, &bound.axis));
            }
        }
        worst
    }

    /// Ends a substep of `h` (s): counts turns, moves targets.
    pub fn follow(&mut self, scene: &Scene, bodies: &[FlyingBody], h: f64) {
        let mean = |body: usize| {
            let (start, end) = (bodies[body].start_velocity(), bodies[body].end_velocity());
            Velocity {
                linear: 0.5 * (start.linear + end.linear),
                angular: 0.5 * (start.angular + end.angular),
            }
        };
        for (joint, progress) in scene.joints.iter().zip(&mut self.list).filter(|(_, p)| !p.broken) {
            let middle = PlacedJoint::new(joint, |body| bodies[body].middle.pose);
            let end = PlacedJoint::new(joint, |body| bodies[body].end.pose);
            progress.follow(joint, (&middle, &end), mean, h);
        }
    }

    /// Adds the impulses of a substep.
    pub fn keep(&mut self, rows: &Rows, equalities: &[f64], bounds: impl Iterator<Item = f64>) {
        for (row, lambda) in rows.equalities.iter().zip(equalities) {
            let progress = &mut self.list[row.joint];
            progress.add(&row.axis, *lambda);
            if row.most < f64::INFINITY {
                let is_turn = row.axis.linear == Vec3::zeros();
                progress.efforts[usize::from(!is_turn)] += lambda;
            }
        }
        rows.bounds.iter().zip(bounds).for_each(|(bound, r)| self.keep_bound(bound, r));
    }

    fn keep_bound(&mut self, bound: &Bound, r: f64) {
        let progress = &mut self.list[bound.joint];
        progress.add(&bound.axis, r);
        progress.stops[bound.measure as usize][usize::from(bound.is_upper)] += r;
    }

    /// Adds the impulses of equations that keep velocities tangent.
    pub fn keep_more(&mut self, held: &[(Equality, f64)]) {
        for (row, lambda) in held {
            self.list[row.joint].add(&row.axis, *lambda);
        }
    }

    /// Adds the impulses of bounds that keep velocities tangent.
    pub fn keep_bounds(&mut self, met: &[(Bound, f64)]) {
        met.iter().for_each(|(bound, r)| self.keep_bound(bound, *r));
    }

    /// Returns the reports of a step of `dt` (s). Joints that carried more than their strength break.
    pub fn reports(&mut self, scene: &Scene, bodies: &[FlyingBody], dt: f64) -> Vec<JointReport> {
        Progress::reports(&mut self.list, scene, |body| bodies[body].end.pose, dt)
    }

    /// Returns the errors of what joints hold rigidly with bodies at some poses, as equations that shifts of the bodies should satisfy, with the velocity at which
    /// each coordinate moves; and the rigid bounds that are exceeded.
    pub fn errors(
        &self,
        scene: &Scene,
        pose: impl Fn(usize) -> Pose + Copy,
    ) -> (Vec<Equality>, Vec<f64>, Vec<Bound>) {
        let (mut equalities, mut rates) = (Vec::new(), Vec::new());
        for (i, (joint, state)) in scene.joints.iter().zip(&self.list).enumerate() {
            if state.broken {
                continue;
            }
            let placed = PlacedJoint::new(joint, pose);
            let ends = placed.ends();
            let mut follow = |c: Coordinate, rate: f64| {
                let (axis, target, most) = (c.axis, -c.x, f64::INFINITY);
                equalities.push(Equality { ends, axis, target, softness: 0.0, least: -most, most, joint: i });
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
            if let Some(axis) = placed.gear().filter(|_| joint.angular_compliance == 0.0) {
                equal(Coordinate { axis, x: state.slip });
            }
        }
        let mut bounds = self.closed_bounds(scene, pose, 0.0);
        bounds.retain(|bound| bound.target > 0.0);
        (equalities, rates, bounds)
    }

    /// Returns the rigid bounds that are not farther away than `room` (m or rad) with bodies at some poses; shifts of the bodies should satisfy them.
    pub fn closed_bounds(&self, scene: &Scene, pose: impl Fn(usize) -> Pose + Copy, room: f64) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for (joint, (of, state)) in scene.joints.iter().zip(&self.list).enumerate() {
            if state.broken {
                continue;
            }
            let placed = PlacedJoint::new(of, pose);
            let rigid = placed.bounded(state.turn).filter(|(_, range, _)| range.compliance == 0.0);
            for (measure, range, coordinate) in rigid {
                for (sign, bound) in [(1.0, range.min), (-1.0, range.max)] {
                    let gap = sign * (coordinate.x - bound);
                    if gap.is_finite() && gap <= room {
                        let (axis, is_upper) = (coordinate.axis.scaled(sign), sign < 0.0);
                        let ends = placed.ends();
                        bounds.push(Bound {
                            ends,
                            axis,
                            target: -gap,
                            softness: 0.0,
                            joint,
                            measure,
                            is_upper,
                        });
                    }
                }
            }
        }
        bounds
    }

    /// Takes turns and slips from poses that were `moved` by so much to where they are.
    pub fn settle(
        &mut self,
        scene: &Scene,
        moved: impl Fn(usize) -> Velocity + Copy,
        pose: impl Fn(usize) -> Pose + Copy,
    ) {
        for (joint, progress) in scene.joints.iter().zip(&mut self.list) {
            progress.settle(&PlacedJoint::new(joint, pose), moved);
        }
    }
}

/// Returns the coordinates that a joint holds rigidly, but for the slip of a gear.
fn held(joint: &Joint, placed: &PlacedJoint<'_>) -> impl Iterator<Item = Coordinate> {
    let linear = (joint.compliance == 0.0).then(|| placed.gaps().chain(placed.rod()));
    let angular = (joint.angular_compliance == 0.0).then(|| placed.rotations());
    linear.into_iter().flatten().chain(angular.into_iter().flatten())
}

/// Makes the rows of one joint.
struct Maker<'a, 'b> {
    i: usize,
    joint: &'a Joint,
    state: &'a Progress,
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
        let placed = PlacedJoint::new(joint, |body| bodies[body].middle.pose);
        let first = PlacedJoint::new(joint, |body| bodies[body].start.pose);
        let last = PlacedJoint::new(joint, |body| bodies[body].free.pose);
        let linear = |at: &PlacedJoint<'_>| self.pinned(at).chain(at.rod()).collect::<Vec<_>>();
        let angular = |at: &PlacedJoint<'_>| at.rotations().collect::<Vec<_>>();
        for (of, compliance) in [
            ([&first, &placed, &last].map(linear), joint.compliance),
            ([&first, &placed, &last].map(angular), joint.angular_compliance),
        ] {
            let [first, middle, last] = of;
            for ((first, c), last) in first.into_iter().zip(middle).zip(last) {
                if compliance == 0.0 && self.input.closing == Closing::InPoses {
                    self.rows.kept.push((self.rows.equalities.len(), first.x));
                }
                self.hold(&c, first.x, last.x - first.x, compliance);
            }
        }
        if let Some(axis) = placed.gear() {
            let h = self.input.h;
            let x = self.state.slip + 0.5 * h * self.before(&axis);
            let free = self.ends().velocity(&axis, |body| bodies[body].free_velocity());
            let by = 0.5 * h * (self.before(&axis) + free);
            self.hold(&Coordinate { axis, x }, self.state.slip, by, joint.angular_compliance);
        }
        let turn = self.turn_ahead(&placed);
        for (measure, range, coordinate) in placed.bounded(turn) {
            let start = first.measured(measure, self.state.turn).map(|c| c.x);
            let way = start.zip(last.measured(measure, turn).map(|c| c.x));
            self.bound(measure, &range, &coordinate, way);
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
            let start = first.length().x;
            self.drive(drive, &joint.kind.length_range(), &coordinate, (start, self.state.length_target));
        }
        self.damp(&placed);
    }

    fn ends(&self) -> Ends {
        ends_of(self.joint)
    }

    /// The displacements that are held, along axes through the point of the body that is not moved, if it is B: in the middle of a substep A's point is off it by O(h²).
    fn pinned(&self, at: &PlacedJoint<'_>) -> impl Iterator<Item = Coordinate> + use<> {
        let is_fixed = self.joint.body_b.is_none_or(|b| self.input.mobilities[b.0].is_none());
        let mut gaps: Vec<Coordinate> = at.gaps().collect();
        if is_fixed {
            let off: Vec3 = gaps.iter().map(|c| c.axis.linear * c.x).sum();
            for c in &mut gaps {
                let turn = off.cross(&c.axis.linear);
                c.axis.turns.iter_mut().for_each(|own| *own -= turn);
            }
        }
        gaps.into_iter()
    }

    /// u of the axis at the start of the substep.
    fn before(&self, axis: &Axis) -> f64 {
        self.ends().velocity(axis, |body| self.input.bodies[body].start_velocity())
    }

    /// The turn in the middle of the substep.
    fn turn_ahead(&self, placed: &PlacedJoint<'_>) -> f64 {
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
        self.rows.equalities.push(Equality { ends, axis, target, softness, least: -most, most, joint });
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
        let bodies = self.input.bodies;
        let free = self.ends().velocity(&c.axis, |body| bodies[body].free_velocity());
        let target = match self.input.closing {
            Closing::InPoses => free - 2.0 * by / self.input.h,
            Closing::None => 0.0,
            Closing::ByVelocity(part) => -part * c.x / self.input.h,
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
            force: drive.law.force(off) + stiffness * ((start - goal_of(drive, target)) - off),
            stiffness,
            damping: drive.damping,
            rate,
        };
        self.pull(&c.axis, &spring, most);
    }

    /// Bounds a coordinate, which would go this `way` from the start to the end of a flight of the whole substep.
    ///
    /// A rigid bound that is met at the start is held like a joint while it pushes: with u⁺ ≥ u − 2 g/h, of the gap g at the end of the flight, it is met at the end. What
    /// runs into it at u⁻ < 0 at the start stops: u⁺ ≥ u − 2 g/h + u⁻. Others are closed at the end where they would be exceeded.
    fn bound(&mut self, measure: Measure, range: &Range, c: &Coordinate, way: Option<(f64, f64)>) {
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
                let taut = way.filter(|way| (sign * (way.0 - bound)).abs() <= MET);
                match taut.filter(|_| self.input.closing == Closing::InPoses) {
                    Some((_, last)) => {
                        self.rows.met.push((self.rows.bounds.len(), bound));
                        let into = self.before(&axis).min(0.0);
                        (free + into - 2.0 * sign * (last - bound) / h, 0.0)
                    }
                    None => (self.input.closing.approach(gap, h), 0.0),
                }
            };
            let (ends, joint, is_upper) = (self.ends(), self.i, sign < 0.0);
            self.rows.bounds.push(Bound { ends, axis, target, softness, joint, measure, is_upper });
        }
    }

    /// Damps the free motion: u⁺ = e^{−k h} u for a row alone, as u⁺ + D r = 0 with D = w/(e^{k h} − 1).
    fn damp(&mut self, placed: &PlacedJoint<'_>) {
        let (damping, h) = (self.joint.damping, self.input.h);
        let softness = |maker: &Self, axis: &Axis, k: f64| maker.w(axis) / (elementary::exp(k * h) - 1.0);
        let (along, about) = placed.damped();
        if damping.linear > 0.0 {
            for axis in along.into_iter().flatten() {
                let soft = softness(self, &axis, damping.linear);
                self.push(axis, 0.0, soft, f64::INFINITY);
            }
        }
        if damping.angular > 0.0 {
            for axis in about {
                let soft = softness(self, &axis, damping.angular);
                self.push(axis, 0.0, soft, f64::INFINITY);
            }
        }
    }
}
