//! The data that a step stores in the state for the next step.

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, skew};
use rigor_scene::{BodyState, Memory, Scene, State};

use crate::partition::Partition;
use crate::prediction::Push;

/// Nine numbers per body: Q̇ by columns (1/s); implicit Euler only.
const Q_DOT: &str = "ipc/q_dot";
/// One number: κ at the end of the previous step, for its whole length.
const KAPPA: &str = "ipc/kappa";
/// One number: the length (s) of the previous step. One per body where they differ, as after substeps: that of its
/// last substep, 0 for none.
const DT: &str = "ipc/dt";
/// Six numbers per body: what contact did in the previous step (m/s², N m).
const PUSH: &str = "ipc/push";
/// Thirteen numbers per body: position, quaternion (w, x, y, z), velocity and angular velocity at the start
/// of the previous step.
const BEFORE: &str = "ipc/before";
/// One number per body: 1 if the previous step left its state as it was, else 0.
const REST: &str = "ipc/rest";
/// Six numbers: the [`Terms`] of the previous step.
const TERMS: &str = "ipc/terms";
/// One number per body: 1 if contact acted smoothly over the last two steps, else 0.
const SMOOTH: &str = "ipc/smooth";

/// One number per body each: the set of bodies with which it uses one formula, that of those it touched, and the part of its push that
/// counted in its velocity.
const TIED: &str = "ipc/tied";
const TOUCHED: &str = "ipc/touched";
const SHARE: &str = "ipc/share";

/// What a step depends on besides the state: h (s), κ, d̂ (m), d_min (m), ε_v (m/s) and the tolerance (m/s).
pub(crate) type Terms = [f64; 6];

/// The data about a body in the state's memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BodyHistory {
    /// The effect of contact in the previous step.
    pub push: Push,
    /// The part of it that counted in the velocity, if that was not decided by the body alone.
    pub share: Option<f64>,
    /// Whether the previous step left the body's state as it was.
    pub rests: bool,
    /// The state at the start of the previous step, if contact has acted smoothly since.
    pub before: Option<BodyState>,
    /// The length (s) of the previous step or substep.
    pub h: Option<f64>,
}

/// Returns κ of the previous step.
pub(crate) fn kappa(state: &State) -> Option<f64> {
    state.memory.numbers.get(KAPPA)?.first().copied()
}

/// Returns whether the state remembers no previous step.
pub(crate) fn is_empty(state: &State) -> bool {
    !state.memory.numbers.contains_key(DT)
}

/// Returns whether the previous step had these terms.
pub(crate) fn has_terms(state: &State, terms: &Terms) -> bool {
    state.memory.numbers.get(TERMS).is_some_and(|known| known[..] == terms[..])
}

/// Returns the numbers under `key`, `n` per body; `None` if their count differs.
fn numbers<'a>(scene: &Scene, state: &'a State, key: &str, n: usize) -> Option<&'a [f64]> {
    let numbers = state.memory.numbers.get(key)?;
    (numbers.len() == n * scene.bodies.len()).then_some(numbers)
}

/// Returns Q̇ of each body, or \[ω\] Q if the state remembers none.
pub(crate) fn q_dots(scene: &Scene, state: &State) -> Vec<Mat3> {
    let known = numbers(scene, state, Q_DOT, 9);
    let of = |(i, body): (usize, &BodyState)| match known {
        Some(numbers) => Mat3::from_column_slice(&numbers[9 * i..9 * i + 9]),
        None => skew(&body.angular_velocity) * body.pose.rotation.to_rotation_matrix().into_inner(),
    };
    state.bodies.iter().enumerate().map(of).collect()
}

/// Returns what the state remembers about each body: no push and no earlier state if it remembers nothing.
pub(crate) fn past(scene: &Scene, state: &State) -> Vec<BodyHistory> {
    let (push, before) = (numbers(scene, state, PUSH, 6), numbers(scene, state, BEFORE, 13));
    let (smooth, rest) = (numbers(scene, state, SMOOTH, 1), numbers(scene, state, REST, 1));
    let share = numbers(scene, state, SHARE, 1);
    let h = state.memory.numbers.get(DT).map_or(&[][..], Vec::as_slice);
    let of = |b: usize| BodyHistory {
        push: push.map_or_else(Push::default, |all| read_push(&all[6 * b..6 * b + 6])),
        share: share.map(|share| share[b]),
        rests: rest.is_some_and(|rest| rest[b] > 0.0),
        before: before
            .filter(|_| smooth.is_some_and(|smooth| smooth[b] > 0.0))
            .map(|all| read_state(&all[13 * b..13 * b + 13])),
        h: if let [h] = h { Some(*h) } else { h.get(b).copied().filter(|h| *h > 0.0) },
    };
    (0..scene.bodies.len()).map(of).collect()
}

/// Returns the sets of bodies that use one formula, and those that touched in the previous step; each body alone if the state remembers
/// none.
pub(crate) fn sets(scene: &Scene, state: &State) -> Sets {
    let n = scene.bodies.len();
    let read = |key| {
        let names = numbers(scene, state, key, 1)?;
        Partition::named(names.iter().map(|name| *name as usize).collect())
    };
    let all = |key| read(key).unwrap_or_else(|| Partition::of(n, std::iter::empty()));
    Sets { tied: all(TIED), touched: all(TOUCHED) }
}

/// What a step leaves to the next one.
pub(crate) struct StepMemory {
    pub kappa: f64,
    /// The length (s) of the last step or substep of each body.
    pub h: Vec<Option<f64>>,
    pub of_bodies: BodyMemory,
}

/// What a step leaves about the bodies; it depends on the integrator.
pub(crate) enum BodyMemory {
    QDots(Vec<Mat3>),
    /// The pushes, which bodies the step left as they were, with joints the part of each push that counted in the velocity, and the terms of
    /// a whole step.
    Pushes(Vec<Push>, Vec<bool>, Option<Vec<f64>>, Option<Terms>),
    /// The pushes, on which bodies contact acted smoothly, and their states at the start of the step; then the part of each push
    /// that counted in the velocity, and the sets of bodies.
    Smooth(Vec<Push>, Vec<bool>, Vec<BodyState>, Vec<f64>, Sets),
}

/// Sets of dynamic bodies, see `docs/methods/ipc.md`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Sets {
    /// Those that use one formula.
    pub tied: Partition,
    /// Those that touched in the last step.
    pub touched: Partition,
}

impl StepMemory {
    /// Lets `bodies` go on with the velocities in `states`, whatever the step did to them.
    pub fn restart(&mut self, bodies: &[usize], states: &[BodyState]) {
        match &mut self.of_bodies {
            BodyMemory::QDots(rates) => bodies.iter().for_each(|&b| {
                let BodyState { pose, angular_velocity, .. } = &states[b];
                rates[b] = skew(angular_velocity) * pose.rotation.to_rotation_matrix().into_inner();
            }),
            // No push and no earlier state were left of them.
            BodyMemory::Pushes(..) => {}
            BodyMemory::Smooth(_, smooth, ..) => bodies.iter().for_each(|&b| smooth[b] = false),
        }
    }

    pub fn store(&self, memory: &mut Memory) {
        memory.store(KAPPA, [self.kappa]);
        match self.h.as_slice() {
            [Some(h), others @ ..] if others.iter().all(|other| *other == Some(*h)) => memory.store(DT, [*h]),
            all => memory.store(DT, all.iter().map(|h| h.unwrap_or(0.0))),
        }
        match &self.of_bodies {
            BodyMemory::QDots(rates) => memory.store(Q_DOT, rates.iter().flat_map(|m| m.iter().copied())),
            BodyMemory::Pushes(pushes, rest, shares, terms) => {
                store_pushes(memory, pushes);
                match shares {
                    Some(shares) => memory.store(SHARE, shares.iter().copied()),
                    None => _ = memory.numbers.remove(SHARE),
                }
                if let Some(terms) = terms {
                    memory.store(TERMS, *terms);
                }
                memory.store(REST, rest.iter().map(|rests| f64::from(u8::from(*rests))));
            }
            BodyMemory::Smooth(pushes, smooth, before, shares, sets) => {
                store_pushes(memory, pushes);
                let names =
                    |sets: &Partition| sets.names().iter().map(|name| *name as f64).collect::<Vec<f64>>();
                memory.store(TIED, names(&sets.tied));
                memory.store(TOUCHED, names(&sets.touched));
                memory.store(SHARE, shares.iter().copied());
                memory.store(SMOOTH, smooth.iter().map(|smooth| f64::from(u8::from(*smooth))));
                memory.store(BEFORE, before.iter().flat_map(written));
            }
        }
    }
}

fn store_pushes(memory: &mut Memory, pushes: &[Push]) {
    let all = pushes.iter().flat_map(|push| [push.acceleration, push.torque]);
    memory.store(PUSH, all.flat_map(<[f64; 3]>::from));
}

fn vector(numbers: &[f64]) -> Vec3 {
    Vec3::new(numbers[0], numbers[1], numbers[2])
}

fn read_push(n: &[f64]) -> Push {
    Push { acceleration: vector(&n[..3]), torque: vector(&n[3..]) }
}

fn read_state(n: &[f64]) -> BodyState {
    // The stored quaternion has unit norm; normalizing it again could change its bits.
    let rotation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(n[3], n[4], n[5], n[6]));
    BodyState {
        pose: Pose::new(vector(&n[..3]), rotation),
        linear_velocity: vector(&n[7..10]),
        angular_velocity: vector(&n[10..]),
    }
}

fn written(state: &BodyState) -> [f64; 13] {
    let (x, q) = (state.pose.position, state.pose.rotation);
    let (v, omega) = (state.linear_velocity, state.angular_velocity);
    [x.x, x.y, x.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, omega.x, omega.y, omega.z]
}
