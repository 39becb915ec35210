//! The start and the length of a run, from which an engine makes its world again.
//!
//! Engines keep warm starts and caches that few of them can write down. All of them repeat a run, so the
//! state's memory holds where the run started and how many steps it took. Resuming repeats these steps and
//! compares the bodies bit by bit.

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{BodyState, State};
use serde::{Deserialize, Serialize};

/// What a run started from, and how far it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Replay {
    /// The engine's version.
    pub version: String,
    /// Δt (s).
    pub dt: f64,
    /// The step at which the world was made.
    pub start_step: u64,
    /// The bodies at that step.
    pub start: Vec<[f64; 13]>,
    /// Steps since.
    pub steps: u64,
}

impl Replay {
    /// A run that starts at `state`.
    pub(super) fn starting(version: &str, state: &State, dt: f64) -> Self {
        let start = state.bodies.iter().map(numbers).collect();
        Self { version: version.to_owned(), dt, start_step: state.step, start, steps: 0 }
    }

    /// The bodies at the start.
    pub(super) fn start_bodies(&self) -> Vec<BodyState> {
        self.start.iter().map(body).collect()
    }

    /// Stores this in the memory of `state`.
    pub(super) fn store(&self, engine: &str, state: &mut State) -> Result<(), postcard::Error> {
        state.memory.images.insert(key(engine), postcard::to_stdvec(self)?);
        Ok(())
    }

    /// Reads the memory of `state`, if `engine` stored anything in it that belongs to this step.
    pub(super) fn read(engine: &str, state: &State) -> Result<Option<Self>, postcard::Error> {
        let Some(bytes) = state.memory.images.get(&key(engine)) else { return Ok(None) };
        let replay: Self = postcard::from_bytes(bytes)?;
        let belongs =
            replay.start_step + replay.steps == state.step && replay.start.len() == state.bodies.len();
        Ok(belongs.then_some(replay))
    }
}

/// Removes what `engine` stored, which belongs to an earlier state.
pub(super) fn forget(engine: &str, state: &mut State) {
    if !state.memory.images.is_empty() {
        state.memory.images.remove(&key(engine));
    }
}

/// Returns the first body that differs in any bit.
pub(super) fn first_difference(a: &[BodyState], b: &[BodyState]) -> Option<usize> {
    let bits = |body: &BodyState| numbers(body).map(f64::to_bits);
    a.iter().zip(b).position(|(a, b)| bits(a) != bits(b))
}

fn key(engine: &str) -> String {
    format!("{engine}/replay")
}

fn numbers(body: &BodyState) -> [f64; 13] {
    let (p, q) = (body.pose.position, body.pose.rotation.coords);
    let (v, w) = (body.linear_velocity, body.angular_velocity);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
}

fn body(n: &[f64; 13]) -> BodyState {
    let rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(n[6], n[3], n[4], n[5]));
    BodyState {
        pose: Pose::new(Vec3::new(n[0], n[1], n[2]), rotation),
        linear_velocity: Vec3::new(n[7], n[8], n[9]),
        angular_velocity: Vec3::new(n[10], n[11], n[12]),
    }
}
