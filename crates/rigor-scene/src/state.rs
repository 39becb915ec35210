//! The complete dynamic state: everything that the next step depends on.

use std::collections::BTreeMap;

use crate::placement::{BodyState, ParticleState};
use crate::scene::Scene;

/// Named data that a method carries from step to step in addition to poses and velocities.
///
/// Keys have the form `method/quantity`, such as `ipc/q_dot`. Equal states, memory included, have equal
/// futures; this makes a run resumable.
#[derive(Debug, PartialEq, Default)]
pub struct Memory {
    /// Real numbers, in the layout documented by the method.
    pub numbers: BTreeMap<String, Vec<f64>>,
    /// Opaque images of foreign engines, written by [`Method::save`](crate::Method::save).
    pub images: BTreeMap<String, Vec<u8>>,
}

impl Memory {
    /// Stores `numbers` under `key`.
    pub fn store(&mut self, key: &str, numbers: impl IntoIterator<Item = f64>) {
        if let Some(kept) = self.numbers.get_mut(key) {
            kept.clear();
            kept.extend(numbers);
        } else {
            self.numbers.insert(key.into(), numbers.into_iter().collect());
        }
    }
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self { numbers: self.numbers.clone(), images: self.images.clone() }
    }

    /// Reuses the allocations if the keys are the same.
    fn clone_from(&mut self, source: &Self) {
        renew(&mut self.numbers, &source.numbers);
        renew(&mut self.images, &source.images);
    }
}

fn renew<T: Clone>(kept: &mut BTreeMap<String, Vec<T>>, source: &BTreeMap<String, Vec<T>>) {
    if kept.keys().eq(source.keys()) {
        kept.values_mut().zip(source.values()).for_each(|(kept, source)| kept.clone_from(source));
    } else {
        kept.clone_from(source);
    }
}

/// A complete state: equal states have equal futures.
#[derive(Debug, PartialEq, Default)]
pub struct State {
    /// Steps taken since time 0.
    pub step: u64,
    /// Time (s).
    pub time: f64,
    /// One entry per [`Scene::bodies`].
    pub bodies: Vec<BodyState>,
    /// One entry per [`Scene::particles`].
    pub particles: Vec<ParticleState>,
    /// Data carried by the method.
    pub memory: Memory,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let Self { step, time, bodies, particles, memory } = self;
        Self {
            step: *step,
            time: *time,
            bodies: bodies.clone(),
            particles: particles.clone(),
            memory: memory.clone(),
        }
    }

    /// Reuses the allocations where the lengths allow it.
    fn clone_from(&mut self, source: &Self) {
        let Self { step, time, bodies, particles, memory } = source;
        (self.step, self.time) = (*step, *time);
        self.bodies.clone_from(bodies);
        self.particles.clone_from(particles);
        self.memory.clone_from(memory);
    }
}

impl State {
    /// Returns the state at time 0.
    pub fn initial(scene: &Scene) -> Self {
        Self {
            bodies: scene.bodies.iter().map(|b| b.initial).collect(),
            particles: scene
                .particles
                .iter()
                .map(|p| ParticleState { position: p.position, velocity: p.velocity })
                .collect(),
            ..Self::default()
        }
    }

    /// Whether all poses, positions and velocities are finite.
    pub fn is_finite(&self) -> bool {
        self.bodies.iter().all(BodyState::is_finite) && self.particles.iter().all(ParticleState::is_finite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_renewed_from_another_equals_it() {
        let state = |key: &str, numbers: &[f64]| {
            let mut state = State { step: 3, time: 0.3, ..State::default() };
            state.memory.store(key, numbers.iter().copied());
            state
        };
        for mut kept in [State::default(), state("a/x", &[1.0, 2.0]), state("a/y", &[]), state("a/x", &[5.0])]
        {
            let source = state("a/x", &[3.0, 4.0, 5.0]);
            kept.clone_from(&source);
            assert_eq!(kept, source);
        }
    }
}
