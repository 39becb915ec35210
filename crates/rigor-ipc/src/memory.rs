//! What a step leaves to the next: Q̇ as the paper keeps it, and κ.

use rigor_math::{Mat3, skew};
use rigor_scene::{Scene, State};

/// Nine numbers a body: Q̇ by columns (1/s).
const Q_DOT: &str = "ipc/q_dot";
/// One number: κ at the end of the step before.
const KAPPA: &str = "ipc/kappa";

/// Q̇ of each body; [ω] Q where the state remembers none.
pub(crate) fn q_dots(scene: &Scene, state: &State) -> Vec<Mat3> {
    let known = state.memory.numbers.get(Q_DOT).filter(|numbers| numbers.len() == 9 * scene.bodies.len());
    let of = |(i, body): (usize, &rigor_scene::BodyState)| match known {
        Some(numbers) => Mat3::from_column_slice(&numbers[9 * i..9 * i + 9]),
        None => skew(&body.angular_velocity) * body.pose.rotation.to_rotation_matrix().into_inner(),
    };
    state.bodies.iter().enumerate().map(of).collect()
}

/// κ of the step before.
pub(crate) fn kappa(state: &State) -> Option<f64> {
    state.memory.numbers.get(KAPPA)?.first().copied()
}

pub(crate) fn store(state: &mut State, q_dots: &[Mat3], kappa: f64) {
    state.memory.numbers.insert(Q_DOT.into(), q_dots.iter().flat_map(|m| m.iter().copied()).collect());
    state.memory.numbers.insert(KAPPA.into(), vec![kappa]);
}
