//! A loaded engine: the state goes in, the next state comes out.

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{Attribute, Body, BodyId, BodyState, ContactReport, Role, Scene, State, StepError};

use super::ahead::{EngineStep, PendingSteps, steps};
use super::capabilities::Capabilities;
use super::config::Config;
use super::fault::{Fault, FaultKind};
use super::link::Link;
use super::load::{load, row};
use super::message::{Goal, Row, SentContact};
use super::read_back;
use super::replay::{Replay, first_difference};
use crate::same_scene::same_scene;

/// A loaded engine, the scene that it simulates, and its bodies after the last step.
pub(super) struct World {
    link: Link,
    scene: Scene,
    bodies: Vec<BodyState>,
    /// Steps that the engine has taken and the run has not.
    ahead: PendingSteps,
    /// Peak memory of the process (bytes).
    memory: Option<f64>,
    /// CPU time (s) of the process at its last reply, if it tells.
    process: Option<f64>,
    /// How this world was made.
    pub(super) replay: Replay,
}

/// The result of one step.
pub(super) struct Step {
    /// The bodies at its end.
    pub bodies: Vec<BodyState>,
    /// The contacts at its end.
    pub contacts: Vec<ContactReport>,
    /// CPU time of the engine (s).
    pub cpu: f64,
    /// Peak memory of its process (bytes).
    pub memory: Option<f64>,
}

/// CPU time (s) that the process of an engine needed for one step of the run, which may be the first of a message.
#[derive(Clone, Copy, Default)]
pub(super) struct StepCpuTime {
    /// In the engine's own steps.
    pub engine: f64,
    /// Outside of them, if the process tells: for reading the engine and for the message.
    pub outside: Option<f64>,
}

/// Maximum number of steps of a replay in one request, if no body is kinematic.
const BATCH: usize = 100;

/// Maximum number of rows in the reply to a replay of more than one step.
const BATCH_ROWS: usize = 100_000;

impl World {
    /// Loads `scene` with the bodies at the start of `replay`.
    pub(super) fn load(
        mut link: Link,
        scene: &Scene,
        replay: Replay,
        can: &Capabilities,
        config: &Config,
    ) -> Result<Self, StepError> {
        let bodies = replay.start_bodies();
        let sent = load(scene, &bodies, replay.dt, can, config);
        let used = link.load(&sent, config.start_timeout).map_err(failed)?;
        read_back::check(&sent, &used, can).map_err(|kind| failed(link.fault("load", kind)))?;
        // A kinematic body needs a goal for every step.
        let is_ahead_allowed = can.deterministic && !link.is_resident() && !has_kinematic(scene);
        let ahead = PendingSteps::new(is_ahead_allowed);
        Ok(Self { link, scene: scene.clone(), bodies, ahead, memory: None, process: used.process, replay })
    }

    /// Whether the engine is in this process.
    pub(super) fn is_resident(&self) -> bool {
        self.link.is_resident()
    }

    /// Returns whether the next step of `state` in `scene` is the next step of this world.
    pub(super) fn continues(&self, scene: &Scene, state: &State, dt: f64) -> bool {
        self.follows(state) && self.replay.dt.to_bits() == dt.to_bits() && same_scene(&self.scene, scene)
    }

    /// Returns whether `state` has the bodies as the last step left them.
    pub(super) fn follows(&self, state: &State) -> bool {
        self.replay.start_step + self.replay.steps == state.step && self.bodies == state.bodies
    }

    /// Whether the next message to the engine asks for more than one step.
    pub(super) fn goes_ahead(&self) -> bool {
        self.ahead.next() > 1
    }

    /// Ends the engine and returns how its world was made.
    pub(super) fn end(self) -> Replay {
        self.replay
    }

    /// Lets the engine take one step at a time from now on.
    pub(super) fn go_alone(&mut self) {
        self.ahead = PendingSteps::new(false);
    }

    /// Makes the engine take the step from `time` (s), and perhaps more, unless it has taken it already. Returns what it
    /// needed now.
    pub(super) fn fetch(
        &mut self,
        time: f64,
        can: &Capabilities,
        config: &Config,
    ) -> Result<StepCpuTime, StepError> {
        let before = self.process;
        if !self.ahead.is_empty() {
            return Ok(StepCpuTime { engine: 0.0, outside: before.map(|_| 0.0) });
        }
        // Steps that are taken together are expected to be short: no more time than for one.
        let is_asked = can.contact_forces && config.contacts;
        let taken = self.ask(self.ahead.next(), time, is_asked, config.step_timeout)?;
        let engine: f64 = taken.iter().map(|step| step.cpu).sum();
        self.ahead.fill(taken);
        let outside = before.map(|before| (self.process.unwrap_or(before) - before - engine).max(0.0));
        Ok(StepCpuTime { engine, outside })
    }

    /// Takes the step from `time` (s), which the engine has taken already.
    pub(super) fn take(&mut self, time: f64) -> Result<Step, StepError> {
        let missing = FaultKind::Steps { what: "bodies", found: 0, expected: 1 };
        let Some(EngineStep { rows, contacts, cpu }) = self.ahead.pop() else {
            return Err(self.fail("advance", missing));
        };
        let bodies = self.read(&rows, time + self.replay.dt)?;
        let contacts = self.contacts(&contacts, &bodies)?;
        self.bodies.clone_from(&bodies);
        self.replay.steps += 1;
        Ok(Step { bodies, contacts, cpu, memory: self.memory })
    }

    /// Takes `steps` steps again and compares the bodies with those of `state`.
    pub(super) fn repeat(&mut self, steps: u64, state: &State, config: &Config) -> Result<(), StepError> {
        let batch = if has_kinematic(&self.scene) {
            1
        } else {
            (BATCH_ROWS / self.dynamic().max(1)).clamp(1, BATCH) as u64
        };
        while self.replay.steps < steps {
            let n = batch.min(steps - self.replay.steps);
            let last = self.replay.start_step + self.replay.steps + n - 1;
            let time = last as f64 * self.replay.dt;
            let taken = self.ask(n, time, false, config.step_timeout * n as f64)?;
            if let Some(last) = taken.last() {
                self.bodies = self.read(&last.rows, time + self.replay.dt)?;
            }
            self.replay.steps += n;
        }
        match first_difference(&self.bodies, &state.bodies) {
            None => Ok(()),
            Some(i) => {
                let body = self.scene.bodies[i].name.clone();
                Err(self.fail("advance", FaultKind::NotRepeated { steps, body }))
            }
        }
    }

    /// Asks for `n` steps, the last of which starts at `time` (s), within `seconds`.
    fn ask(&mut self, n: u64, time: f64, contacts: bool, seconds: f64) -> Result<Vec<EngineStep>, StepError> {
        let end = time + self.replay.dt;
        let goal = |(i, body): (usize, &Body)| {
            let is_kinematic = matches!(body.role, Role::Kinematic(_));
            let state = body.prescribed(end).filter(|_| is_kinematic)?;
            Some(Goal { body: i, state: row(body, &state) })
        };
        let goals: Vec<Goal> = self.scene.bodies.iter().enumerate().filter_map(goal).collect();
        let advanced = self.link.advance(n, &goals, contacts, seconds).map_err(failed)?;
        self.memory = advanced.memory;
        // A process that has told its time at the start and is silent now has told it for the last time.
        self.process = self.process.map(|before| advanced.process.unwrap_or(before));
        steps(&advanced, n, self.dynamic()).map_err(|kind| self.fail("advance", kind))
    }

    /// The number of dynamic bodies.
    fn dynamic(&self) -> usize {
        self.scene.bodies.iter().filter(|body| body.is_dynamic()).count()
    }

    /// Reads the dynamic bodies, one row each; all others are where they must be at `time` (s).
    fn read(&self, rows: &[Row], time: f64) -> Result<Vec<BodyState>, StepError> {
        let mut rows = rows.iter();
        let mut states = Vec::with_capacity(self.scene.bodies.len());
        for (id, body) in self.scene.body_ids().zip(&self.scene.bodies) {
            let state = match (body.prescribed(time), rows.next_if_dynamic(body)) {
                (Some(state), _) => state,
                (None, row) => row.and_then(|row| body_state(body, row)).ok_or_else(|| {
                    let attribute = lost(row);
                    StepError::not_finite(&self.scene, id, attribute)
                })?,
            };
            states.push(state);
        }
        Ok(states)
    }

    fn contacts(
        &mut self,
        sent: &[SentContact],
        bodies: &[BodyState],
    ) -> Result<Vec<ContactReport>, StepError> {
        let n = bodies.len();
        let is_stranger = |id: &f64| !(*id >= 0.0 && *id < n as f64 && id.fract() == 0.0);
        if let Some(body) = sent.iter().flat_map(|c| [c[0], c[1]]).find(is_stranger) {
            return Err(self.fail("advance", FaultKind::NoSuchBody { body, bodies: n }));
        }
        let mut reports: Vec<ContactReport> = sent.iter().map(|contact| report(contact, bodies)).collect();
        reports.sort_by_key(|c| (c.body_a, c.body_b));
        Ok(reports)
    }

    fn fail(&mut self, asked: &'static str, kind: FaultKind) -> StepError {
        failed(self.link.fault(asked, kind))
    }
}

fn has_kinematic(scene: &Scene) -> bool {
    scene.bodies.iter().any(|body| matches!(body.role, Role::Kinematic(_)))
}

/// Rows of dynamic bodies, taken in the order of all bodies.
trait NextIfDynamic<'a> {
    fn next_if_dynamic(&mut self, body: &Body) -> Option<&'a Row>;
}

impl<'a> NextIfDynamic<'a> for std::slice::Iter<'a, Row> {
    fn next_if_dynamic(&mut self, body: &Body) -> Option<&'a Row> {
        if body.is_dynamic() { self.next() } else { None }
    }
}

/// Returns the state of a body; `None` if a number is not finite.
fn body_state(body: &Body, n: &Row) -> Option<BodyState> {
    let q = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(n[3], n[4], n[5], n[6]));
    Some(BodyState {
        pose: Pose::new(Vec3::new(n[0], n[1], n[2]), q * body.frame.rotation),
        linear_velocity: Vec3::new(n[7], n[8], n[9]),
        angular_velocity: Vec3::new(n[10], n[11], n[12]),
    })
    .filter(BodyState::is_finite)
}

/// Returns which numbers of a row are not finite.
fn lost(row: Option<&Row>) -> Attribute {
    if row.is_some_and(|row| row[..7].iter().all(|x| x.is_finite())) {
        Attribute::Velocity
    } else {
        Attribute::Pose
    }
}

fn report(sent: &SentContact, bodies: &[BodyState]) -> ContactReport {
    let vector = |at: usize| Vec3::new(sent[at], sent[at + 1], sent[at + 2]);
    let (a, b) = (sent[0] as usize, sent[1] as usize);
    let (point_world, normal_world) = (vector(2), vector(5));
    let velocity = bodies[a].velocity_at(&point_world) - bodies[b].velocity_at(&point_world);
    ContactReport {
        body_a: BodyId(a),
        body_b: BodyId(b),
        point_world,
        normal_world,
        distance: sent[8],
        normal_force: sent[9],
        friction_force_world: vector(10),
        slip_velocity_world: velocity - normal_world * velocity.dot(&normal_world),
        friction: (sent[13], sent[13]),
    }
}

/// Turns a fault into the error of a step.
pub(super) fn failed(fault: Fault) -> StepError {
    let bodies = match &fault.kind {
        FaultKind::Refused { bodies, .. } => bodies.iter().copied().map(BodyId).collect(),
        _ => Vec::new(),
    };
    StepError::Failed { what: fault.to_string(), bodies }
}
