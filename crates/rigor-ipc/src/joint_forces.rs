//! What the multipliers of joints remember from step to step.

use rigor_scene::{Scene, State};

/// Memory key: the forces (N) of the multipliers of all joints.
const FORCES: &str = "ipc/joint_forces";

/// The forces (N) of the multipliers of each joint.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointForces(Vec<Vec<f64>>);

impl JointForces {
    /// Reads those that the state remembers: for each joint their number, and they.
    pub fn read(scene: &Scene, state: &State) -> Self {
        let mut known = state.memory.numbers.get(FORCES).map_or(&[][..], Vec::as_slice);
        let mut of_joint = || {
            let (count, rest) = known.split_first()?;
            let (forces, rest) = rest.split_at_checked(*count as usize)?;
            known = rest;
            Some(forces.to_vec())
        };
        Self(scene.joints.iter().map(|_| of_joint().unwrap_or_default()).collect())
    }

    /// Returns those of a joint; none if the state remembers none.
    pub fn of_joint(&self, joint: usize) -> &[f64] {
        self.0.get(joint).map_or(&[], Vec::as_slice)
    }

    /// Replaces those of a joint.
    pub fn set(&mut self, joint: usize, forces: Vec<f64>) {
        self.0[joint] = forces;
    }

    /// Stores them.
    pub fn store(&self, state: &mut State) {
        if self.0.is_empty() {
            return;
        }
        let numbers =
            self.0.iter().flat_map(|all| std::iter::once(all.len() as f64).chain(all.iter().copied()));
        state.memory.store(FORCES, numbers);
    }
}
