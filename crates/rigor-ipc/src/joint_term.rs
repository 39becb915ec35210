//! What joints add to f: multipliers for what they hold and bound, springs about the flight for what pulls.
//!
//! Joined bodies fly as their joints let them ([`rigor_joint::JoinedFlight`]), so a term is at its minimum where that flight ends. Only where
//! contact or a bound keeps bodies from there do the terms push. Of affine bodies, joints hold the rotation nearest to A: they do not stretch
//! them ([`crate::affine_joint`]).

use rigor_joint::{Axis, Coordinate, Ends, PlacedJoint, Progress};
use rigor_math::{Pose, UnitQuaternion, Vec3, rotation_vector, skew};
use rigor_scene::joint::unwrapped;
use rigor_scene::{Drive, HeldRotation, Joint, Range, Scene};

use crate::ends::{JoinedPush, Mat9, NO_PUSH, Vec9};
use crate::pair::{add_square, stack};
use crate::placement::Placement;

/// Stiffness of a multiplier's penalty at the start of a step, over the mass of the bodies.
const STIFFNESS: f64 = 1e3;
/// Growth of that stiffness with each update, and its maximum.
const GROWTH: f64 = 10.0;
const MAX_STIFFNESS: f64 = 1e8;
/// Error (over the radius of the smaller body) up to which what is held counts as held, and up to which a flight may exceed a bound.
const HELD: f64 = 1e-9;
const FLOWN: f64 = 1e-6;

/// The terms of one joint.
#[derive(Debug, Clone)]
pub(crate) struct JointTerm {
    /// The index of the joint.
    pub joint: usize,
    pub ends: Ends,
    definition: Joint,
    /// Turn (rad) and slip (rad) at the end of the flight, and the rotations of the bodies there.
    turn: f64,
    slip: f64,
    flown: [UnitQuaternion; 2],
    vectors: Vec<VectorRow>,
    scalars: Vec<ScalarRow>,
    /// Arm (m) of what it holds of rotations.
    lever: f64,
    /// Length (m) that errors are measured by, and mass (kg) that stiffnesses are measured by.
    radius: f64,
    mass: f64,
}

/// λ·C + ½ k ‖C‖², where C is the difference of two points, or of two directions times a lever.
#[derive(Debug, Clone, Copy)]
struct VectorRow {
    /// x̂ of a and of b (m, local; of the world if there is no b), or directions.
    local: [Vec3; 2],
    /// The lever (m) of directions; `None` for points.
    lever: Option<f64>,
    /// k (kg).
    stiffness: f64,
    /// λ (kg m).
    multiplier: Vec3,
}

/// A coordinate of a joint with its law.
#[derive(Debug, Clone, Copy)]
struct ScalarRow {
    measure: Measure,
    /// Length (m) per unit of the coordinate.
    lever: f64,
    law: Law,
}

/// What a row measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Displacement along B's axis of this number (m), among those that are held.
    Gap(usize),
    /// The held rotation of this number (rad).
    Rotation(usize),
    /// The distance of a rod less its length (m).
    Rod,
    /// The slip of a gear (rad).
    Gear,
    /// What may have bounds and a drive.
    Free(rigor_joint::Measure),
}

/// φ(x) of a coordinate x, in units of force times h².
#[derive(Debug, Clone, Copy)]
enum Law {
    /// λ y + ½ k y², y = ℓ (x − x̂).
    Hold { target: f64, stiffness: f64, multiplier: f64 },
    /// A spring about the flight, whose force stays between two bounds: φ′ = clamp(k (x − x̃)).
    Spring { target: f64, stiffness: f64, least: f64, most: f64 },
    /// (max(0, Λ + λ − k y)² − (Λ + λ)²)/2k + Λ y, y = ±ℓ (x − bound) ≥ 0, with the push Λ of the flight.
    Bound { sign: f64, bound: f64, given: f64, stiffness: f64, multiplier: f64 },
}

impl Law {
    /// A spring of unlimited strength that is at rest at `flown`.
    fn spring(flown: f64, stiffness: f64) -> Self {
        Self::Spring { target: flown, stiffness, least: f64::NEG_INFINITY, most: f64::INFINITY }
    }

    /// A bound that acts as a spring which only pushes, if the flight ends beyond it.
    fn soft_bound((sign, bound): (f64, f64), flown: f64, stiffness: f64) -> Option<Self> {
        let push = stiffness * sign * (bound - flown);
        // With what it pushes in the flight it pushes at least by nothing.
        let (least, most) = if sign > 0.0 { (f64::NEG_INFINITY, push) } else { (-push, f64::INFINITY) };
        (push > 0.0).then_some(Self::Spring { target: flown, stiffness, least, most })
    }

    /// φ, φ′ and φ″ ≥ 0.
    ///
    /// If it `majorizes`, a force that stays the same has φ′/(x − x̃) in place of φ″ = 0: φ is concave in (x − x̃)² beyond the kink, so a parabola of
    /// that curvature lies above it, and no Newton step leads past the kink to where φ is larger. Otherwise brakes that hold make it oscillate.
    fn at(&self, x: f64, lever: f64, majorizes: bool) -> (f64, f64, f64) {
        match *self {
            Self::Hold { target, stiffness, multiplier } => {
                let y = lever * (x - target);
                (
                    (multiplier + 0.5 * stiffness * y) * y,
                    lever * (multiplier + stiffness * y),
                    stiffness * lever * lever,
                )
            }
            Self::Spring { target, stiffness, least, most } => {
                let y = x - target;
                let pull = stiffness * y;
                let held = pull.clamp(least, most);
                if held == pull {
                    return (0.5 * stiffness * y * y, pull, stiffness);
                }
                // Beyond the deviation at which it is reached, the force stays the same.
                let at = held / stiffness;
                (0.5 * held * at + held * (y - at), held, if majorizes { held / y } else { 0.0 })
            }
            Self::Bound { sign, bound, given, stiffness, multiplier } => {
                let y = lever * sign * (x - bound);
                let start = given + multiplier;
                let push = (start - stiffness * y).max(0.0);
                let value = 0.5 * (push - start) * (push + start) / stiffness + given * y;
                let second = if push > 0.0 { stiffness * lever * lever } else { 0.0 };
                (value, sign * lever * (given - push), second)
            }
        }
    }

    /// Updates the multiplier if what is held is off by more than `allowed` (m); returns by how much it was off.
    fn update(&mut self, x: f64, lever: f64, allowed: f64, most: f64) -> f64 {
        match self {
            Self::Hold { target, stiffness, multiplier } => {
                let y = lever * (x - *target);
                if y.abs() > allowed {
                    *multiplier += *stiffness * y;
                    *stiffness = (GROWTH * *stiffness).min(most);
                }
                y.abs()
            }
            Self::Spring { .. } => 0.0,
            Self::Bound { sign, bound, given, stiffness, multiplier } => {
                let y = lever * *sign * (x - *bound);
                // 0 where the bound is kept and nothing pushes, or where it pushes and is met.
                let off = y.min((*given + *multiplier) / *stiffness).abs();
                if off > allowed {
                    *multiplier = (*given + *multiplier - *stiffness * y).max(0.0) - *given;
                    *stiffness = (GROWTH * *stiffness).min(most);
                }
                off
            }
        }
    }

    /// Gives this stiffness (kg) to what has a multiplier.
    fn soften(&mut self, softest: f64) {
        match self {
            Self::Hold { stiffness, .. } | Self::Bound { stiffness, .. } => *stiffness = softest,
            Self::Spring { .. } => {}
        }
    }

    fn multiplier(&mut self) -> Option<&mut f64> {
        match self {
            Self::Hold { multiplier, .. } | Self::Bound { multiplier, .. } => Some(multiplier),
            Self::Spring { .. } => None,
        }
    }
}

/// What the terms of a joint depend on.
pub(crate) struct TermInput<'a> {
    pub scene: &'a Scene,
    /// The joint at the end of the flight.
    pub flown: &'a Progress,
    /// The poses of the bodies there.
    pub flown_pose: &'a dyn Fn(usize) -> Pose,
    /// Length (s) of the span.
    pub h: f64,
}

impl JointTerm {
    /// Creates the terms of a joint of dynamic bodies over a span.
    pub fn new(joint: usize, input: &TermInput) -> Self {
        let TermInput { scene, flown, flown_pose, .. } = *input;
        let definition = scene.joints[joint].clone();
        let ends = rigor_joint::ends_of(&definition);
        let bodies = || ends.bodies().map(|end| &scene.bodies[end.0]).filter(|body| body.is_dynamic());
        let mass: f64 = bodies().map(|body| body.mass).sum();
        // Radius of gyration: angles are held as stiffly as bodies turn.
        let lever = bodies().map(|body| (body.inertia.max() / body.mass).sqrt()).fold(0.0, f64::max);
        // Bodies without a surface have no radius.
        let radii = bodies().map(|body| body.radius).filter(|radius| *radius > 0.0);
        let radius = radii.reduce(f64::min).unwrap_or(if lever > 0.0 { lever } else { 1.0 });
        let lever = if lever > 0.0 { lever } else { radius };
        let rotation =
            |body: Option<usize>| body.map_or_else(UnitQuaternion::identity, |b| flown_pose(b).rotation);
        let mut term = Self {
            joint,
            ends,
            turn: flown.turn,
            slip: flown.slip,
            flown: [rotation(Some(ends.a)), rotation(ends.b)],
            vectors: Vec::new(),
            scalars: Vec::new(),
            lever,
            radius,
            mass,
            definition,
        };
        term.hold(lever, input);
        term.bound(lever, input);
        term.drive(lever, input);
        term
    }

    /// Adds what is held.
    fn hold(&mut self, lever: f64, input: &TermInput) {
        let stiffness = STIFFNESS * self.mass;
        let (frame_a, frame_b) = (self.definition.frame_a, self.definition.frame_b);
        let held = self.definition.kind.held();
        let vector =
            |local: [Vec3; 2], lever| VectorRow { local, lever, stiffness, multiplier: Vec3::zeros() };
        let direction = |axis: Vec3| vector([frame_a.vector(&axis), frame_b.vector(&axis)], Some(lever));
        let flown = PlacedJoint::new(&self.definition, input.flown_pose);
        let law = |compliance: f64, flown: f64| match compliance > 0.0 {
            true => Law::spring(flown, input.h * input.h / compliance),
            false => Law::Hold { target: 0.0, stiffness, multiplier: 0.0 },
        };
        let linear = |x: f64| law(self.definition.compliance, x);
        if self.definition.compliance == 0.0 && held.gap == [true; 3] {
            self.vectors.push(vector([frame_a.position, frame_b.position], None));
        } else {
            let gaps = flown.gaps().enumerate();
            let gaps =
                gaps.map(|(i, c)| ScalarRow { measure: Measure::Gap(i), lever: 1.0, law: linear(c.x) });
            self.scalars.extend(gaps);
        }
        let rod = flown.rod();
        self.scalars.extend(rod.map(|c| ScalarRow { measure: Measure::Rod, lever: 1.0, law: linear(c.x) }));
        let angular = |x: f64| law(self.definition.angular_compliance, x);
        match held.rotation {
            HeldRotation::All if self.definition.angular_compliance == 0.0 => {
                self.vectors.extend([Vec3::x(), Vec3::y(), Vec3::z()].map(direction));
            }
            HeldRotation::Swing if self.definition.angular_compliance == 0.0 => {
                self.vectors.push(direction(Vec3::x()));
            }
            HeldRotation::All | HeldRotation::Swing | HeldRotation::Cross => {
                let rotations = flown.rotations().enumerate();
                let rotations = rotations.map(|(i, c)| ScalarRow {
                    measure: Measure::Rotation(i),
                    lever,
                    law: angular(c.x),
                });
                self.scalars.extend(rotations);
            }
            HeldRotation::None => {}
        }
        let is_gear = flown.gear().is_some();
        self.scalars.extend(is_gear.then(|| ScalarRow {
            measure: Measure::Gear,
            lever,
            law: angular(self.slip),
        }));
    }

    /// Adds bounds. A rigid one that the flight exceeds by rounding is where that ends.
    fn bound(&mut self, lever: f64, input: &TermInput) {
        let flown = PlacedJoint::new(&self.definition, input.flown_pose);
        let squared = input.h * input.h;
        let mut rows = Vec::new();
        for (measure, range, coordinate) in flown.bounded(self.turn) {
            let lever = if coordinate.axis.linear == Vec3::zeros() { lever } else { 1.0 };
            let stops = input.flown.stops[measure as usize];
            for (side, (sign, bound)) in [(1.0, range.min), (-1.0, range.max)].into_iter().enumerate() {
                if !bound.is_finite() {
                    continue;
                }
                let law = if range.compliance > 0.0 {
                    Law::soft_bound((sign, bound), coordinate.x, squared / range.compliance)
                } else {
                    let rounding = FLOWN * self.radius / lever;
                    let bound = bound + sign * (sign * (coordinate.x - bound)).clamp(-rounding, 0.0);
                    let (given, stiffness) = (input.h * stops[side] / lever, STIFFNESS * self.mass);
                    Some(Law::Bound { sign, bound, given, stiffness, multiplier: 0.0 })
                };
                rows.extend(law.map(|law| ScalarRow { measure: Measure::Free(measure), lever, law }));
            }
        }
        self.scalars.extend(rows);
    }

    /// Adds drives.
    fn drive(&mut self, lever: f64, input: &TermInput) {
        let flown = PlacedJoint::new(&self.definition, input.flown_pose);
        let kind = &self.definition.kind;
        let h = input.h;
        let of_turn = (
            kind.turn_drive(),
            rigor_joint::Measure::Turn,
            lever,
            input.flown.turn_target,
            kind.turn_range(),
        );
        let of_length = (
            kind.length_drive(),
            rigor_joint::Measure::Length,
            1.0,
            input.flown.length_target,
            kind.length_range(),
        );
        let mut rows = Vec::new();
        for (i, (drive, measure, lever, target, range)) in [of_turn, of_length].into_iter().enumerate() {
            let (Some(drive), Some(c)) = (drive, flown.measured(measure, self.turn)) else { continue };
            let stiffness = STIFFNESS * self.mass;
            let law = if drive.is_certain() {
                Law::Hold { target: c.x, stiffness, multiplier: 0.0 }
            } else {
                // A force reaches its limit at a deviation that rounding of the coordinate does not hide.
                let most = h * h * drive.max_effort * lever / (HELD * self.radius);
                let rigid = (MAX_STIFFNESS * self.mass * lever * lever).min(most);
                let given = input.flown.efforts[i] / h;
                drive_spring(drive, &c, (target, given), (h, rigid), &range)
            };
            rows.push(ScalarRow { measure: Measure::Free(measure), lever, law });
        }
        self.scalars.extend(rows);
    }

    /// Returns its bodies with the arms (m) at which it holds them.
    pub fn arms(&self) -> impl Iterator<Item = (usize, f64)> {
        let frames = [self.definition.frame_a, self.definition.frame_b];
        self.ends.bodies().map(move |(body, _, end)| (body, frames[end].position.norm().max(self.lever)))
    }

    /// Returns the bodies between which it acts, the one with the smaller index first.
    pub fn bodies(&self) -> [Option<usize>; 2] {
        match self.ends.b {
            Some(b) => [Some(self.ends.a.min(b)), Some(self.ends.a.max(b))],
            None => [Some(self.ends.a), None],
        }
    }

    fn coordinate(
        &self,
        placed: &PlacedJoint,
        measure: Measure,
        pose: &dyn Fn(usize) -> Pose,
    ) -> Option<Coordinate> {
        match measure {
            Measure::Gap(i) => placed.gaps().nth(i),
            Measure::Rotation(i) => placed.rotations().nth(i),
            Measure::Rod => placed.rod(),
            Measure::Gear => {
                let axis = placed.gear()?;
                let turned = |end: usize, body: Option<usize>| {
                    let now = body.map_or_else(UnitQuaternion::identity, |b| pose(b).rotation);
                    axis.turns[end].dot(&rotation_vector::log(&(now * self.flown[end].inverse())))
                };
                let x = self.slip + turned(0, Some(self.ends.a)) - turned(1, self.ends.b);
                Some(Coordinate { axis, x })
            }
            Measure::Free(measure) => placed.measured(measure, self.turn),
        }
    }

    /// Returns what it adds to f (J s²).
    pub fn value(&self, places: &[Placement]) -> f64 {
        let vectors: f64 = self.vectors.iter().map(|row| row.value(&self.ends, places)).sum();
        if self.scalars.is_empty() {
            return vectors;
        }
        let pose = |body: usize| places[body].pose();
        let placed = PlacedJoint::new(&self.definition, pose);
        let value = |row: &ScalarRow| {
            let x = self.coordinate(&placed, row.measure, &pose).map(|c| c.x);
            x.map_or(0.0, |x| row.law.at(x, row.lever, false).0)
        };
        vectors + self.scalars.iter().map(value).sum::<f64>()
    }

    /// Returns what it adds to the derivatives; forces at their limits have a majorizing curvature if it `majorizes`.
    pub fn derivatives(&self, places: &[Placement], majorizes: bool) -> JoinedPush {
        let mut pushed = JoinedPush { pushes: [NO_PUSH; 2], hessian: Mat9::zeros() };
        let is_swapped = self.ends.b.is_some_and(|b| b < self.ends.a);
        for row in &self.vectors {
            row.push(&self.ends, is_swapped, places, &mut pushed);
        }
        let pose = |body: usize| places[body].pose();
        let placed = PlacedJoint::new(&self.definition, pose);
        for row in &self.scalars {
            let Some(Coordinate { axis, x }) = self.coordinate(&placed, row.measure, &pose) else { continue };
            let (_, slope, second) = row.law.at(x, row.lever, majorizes);
            for (body, sign, end) in self.ends.bodies() {
                let (by_q, by_matrix) = &mut pushed.pushes[usize::from((end == 1) != is_swapped)];
                *by_q += axis.linear * (sign * slope);
                *by_matrix +=
                    skew(&(axis.turns[end] * (0.5 * sign * slope))) * places[body].rotation_matrix();
            }
            add_square(&mut pushed.hessian, second, &gradient(&axis, &self.ends, is_swapped));
        }
        pushed
    }

    /// Updates the multipliers of what is off; returns the largest error over the allowed one.
    pub fn update(&mut self, places: &[Placement]) -> f64 {
        let allowed = HELD * self.radius;
        let mut worst: f64 = 0.0;
        let most = MAX_STIFFNESS * self.mass;
        for row in &mut self.vectors {
            let c = row.difference(&self.ends, places);
            if c.norm() > allowed {
                row.multiplier += c * row.stiffness;
                row.stiffness = (GROWTH * row.stiffness).min(most);
            }
            worst = worst.max(c.norm() / allowed);
        }
        let pose = |body: usize| places[body].pose();
        let xs: Vec<Option<f64>> = {
            let placed = PlacedJoint::new(&self.definition, pose);
            self.scalars.iter().map(|row| Some(self.coordinate(&placed, row.measure, &pose)?.x)).collect()
        };
        for (row, x) in self.scalars.iter_mut().zip(xs) {
            if let Some(x) = x {
                worst = worst.max(row.law.update(x, row.lever, allowed, most) / allowed);
            }
        }
        worst
    }

    /// Returns whether a multiplier pushes.
    pub fn has_multiplier(&self) -> bool {
        let of_scalar = |row: &ScalarRow| match row.law {
            Law::Hold { multiplier, .. } | Law::Bound { multiplier, .. } => multiplier != 0.0,
            Law::Spring { .. } => false,
        };
        self.vectors.iter().any(|row| row.multiplier != Vec3::zeros()) || self.scalars.iter().any(of_scalar)
    }

    /// Returns whether anything pushes, or would where the flight ends.
    pub fn is_loaded(&self, flown: &dyn Fn(usize) -> Pose) -> bool {
        let placed = PlacedJoint::new(&self.definition, flown);
        let is_exceeded = |row: &ScalarRow| match row.law {
            Law::Hold { multiplier, .. } => multiplier != 0.0,
            Law::Spring { .. } => false,
            Law::Bound { .. } => self
                .coordinate(&placed, row.measure, flown)
                .is_some_and(|c| row.law.at(c.x, row.lever, false).1 != 0.0),
        };
        self.vectors.iter().any(|row| row.multiplier != Vec3::zeros()) || self.scalars.iter().any(is_exceeded)
    }

    /// Returns the multipliers, in an order that depends on the joint only, for them to be read or set.
    pub fn multipliers(&mut self) -> impl Iterator<Item = &mut f64> {
        let vectors = self.vectors.iter_mut().flat_map(|row| row.multiplier.iter_mut());
        vectors.chain(self.scalars.iter_mut().filter_map(|row| row.law.multiplier()))
    }

    /// Makes what holds as soft as at the start of a step.
    pub fn soften(&mut self) {
        let stiffness = STIFFNESS * self.mass;
        self.vectors.iter_mut().for_each(|row| row.stiffness = stiffness);
        self.scalars.iter_mut().for_each(|row| row.law.soften(stiffness));
    }

    /// Takes what the joint remembers to where the bodies ended, with the impulses of a span of `h` (s).
    pub fn record(&self, progress: &mut Progress, places: &[Placement], h: f64) {
        for row in &self.vectors {
            row.record(&self.ends, progress, places, h);
        }
        let pose = |body: usize| places[body].pose();
        let placed = PlacedJoint::new(&self.definition, pose);
        for row in &self.scalars {
            let Some(Coordinate { axis, x }) = self.coordinate(&placed, row.measure, &pose) else { continue };
            progress.add(&axis, -row.law.at(x, row.lever, false).1 / h);
            if row.measure == Measure::Gear {
                progress.slip = x;
            }
        }
        progress.turn = unwrapped(placed.frames.turn(), self.turn);
    }
}

/// Returns ∂x/∂(u, θ_a, θ_b) of a coordinate along an axis, with the body of smaller index first.
fn gradient(axis: &Axis, ends: &Ends, is_swapped: bool) -> Vec9 {
    let [t_a, t_b] = axis.turns;
    match (ends.b, is_swapped) {
        (None, _) => stack(&axis.linear, &t_a, &Vec3::zeros()),
        (Some(_), false) => stack(&axis.linear, &t_a, &-t_b),
        (Some(_), true) => stack(&-axis.linear, &-t_b, &t_a),
    }
}

/// The law of a drive that pulls at the coordinate `c` (at the end of the flight) towards `target` and gave a mean force in it, over a span of `h` (s); `rigid` is the stiffness of one
/// without compliance.
///
/// About the flight it answers by the slope of its force and by its damping, within its strength.
fn drive_spring(
    drive: &Drive,
    c: &Coordinate,
    (target, given): (f64, f64),
    (h, rigid): (f64, f64),
    range: &Range,
) -> Law {
    let off = c.x - range.nearest(rigor_joint::goal_of(drive, target));
    let stiffness =
        if drive.law.is_rigid() { rigid } else { h * h * drive.law.slope(off) + h * drive.damping };
    let (least, most) = (h * h * (given - drive.max_effort), h * h * (given + drive.max_effort));
    Law::Spring { target: c.x, stiffness: stiffness.max(0.0), least: least.min(0.0), most: most.max(0.0) }
}

impl VectorRow {
    /// Returns the two points, or directions times the lever (world).
    fn carried(&self, ends: &Ends, places: &[Placement]) -> [Vec3; 2] {
        let carry = |end: usize, body: Option<usize>| match (body, self.lever) {
            (Some(b), None) => places[b].rotation_matrix() * self.local[end] + places[b].position,
            (Some(b), Some(lever)) => places[b].rotation_matrix() * self.local[end] * lever,
            (None, lever) => self.local[end] * lever.unwrap_or(1.0),
        };
        [carry(0, Some(ends.a)), carry(1, ends.b)]
    }

    /// Returns C (m).
    fn difference(&self, ends: &Ends, places: &[Placement]) -> Vec3 {
        let [a, b] = self.carried(ends, places);
        a - b
    }

    fn value(&self, ends: &Ends, places: &[Placement]) -> f64 {
        let c = self.difference(ends, places);
        (self.multiplier + c * (0.5 * self.stiffness)).dot(&c)
    }

    fn push(&self, ends: &Ends, is_swapped: bool, places: &[Placement], pushed: &mut JoinedPush) {
        let f = self.multiplier + self.difference(ends, places) * self.stiffness;
        let mut arms = [Vec3::zeros(); 2];
        for (body, sign, end) in ends.bodies() {
            let side = usize::from((end == 1) != is_swapped);
            let (by_q, by_matrix) = &mut pushed.pushes[side];
            let unit = self.lever.unwrap_or(1.0);
            if self.lever.is_none() {
                *by_q += f * sign;
            }
            *by_matrix += f * (sign * unit) * self.local[end].transpose();
            arms[side] = places[body].rotation_matrix() * self.local[end] * unit;
        }
        let moves = if self.lever.is_none() { 1.0 } else { 0.0 };
        for k in 0..3 {
            let e = Vec3::ith(k, 1.0);
            let row = stack(&(e * moves), &arms[0].cross(&e), &e.cross(&arms[1]));
            add_square(&mut pushed.hessian, self.stiffness, &row);
        }
    }

    /// Adds its impulse on a.
    fn record(&self, ends: &Ends, progress: &mut Progress, places: &[Placement], h: f64) {
        let [a, b] = self.carried(ends, places);
        let impulse = (self.multiplier + (a - b) * self.stiffness) * (-1.0 / h);
        match self.lever {
            None => progress.impulse += impulse,
            Some(_) => progress.angular_impulse += a.cross(&impulse),
        }
    }
}
