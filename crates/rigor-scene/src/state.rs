//! The complete dynamic state: everything that the next step depends on.

use std::collections::BTreeMap;

use rigor_math::Mat3;

use crate::body::BodyId;
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
    /// E (1, principal frame), symmetric: the strain of each body, whose points x̂ are at x = A x̂ + q with A = R (1 + E), the rotation
    /// R and position q of its pose. Empty if all bodies are rigid, else one entry per [`Scene::bodies`].
    ///
    /// This is the polar decomposition of A: E = √(AᵀA) − 1. Rigid bodies among others have E = 0.
    ///
    /// Source: \[Lan2022\], affine bodies. Deviation: A is kept as rotation and strain.
    pub strains: Vec<Mat3>,
    /// Data carried by the method.
    pub memory: Memory,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let Self { step, time, bodies, particles, strains, memory } = self;
        Self {
            step: *step,
            time: *time,
            bodies: bodies.clone(),
            particles: particles.clone(),
            strains: strains.clone(),
            memory: memory.clone(),
        }
    }

    /// Reuses the allocations where the lengths allow it.
    fn clone_from(&mut self, source: &Self) {
        let Self { step, time, bodies, particles, strains, memory } = source;
        (self.step, self.time) = (*step, *time);
        self.bodies.clone_from(bodies);
        self.particles.clone_from(particles);
        self.strains.clone_from(strains);
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

    /// Whether all poses, positions, velocities and strains are finite.
    pub fn is_finite(&self) -> bool {
        let strains = || self.strains.iter().flat_map(|strain| strain.iter());
        self.bodies.iter().all(BodyState::is_finite)
            && self.particles.iter().all(ParticleState::is_finite)
            && strains().all(|c| c.is_finite())
    }

    /// Returns E (principal frame) of a body; zero if all are rigid.
    ///
    /// # Panics
    /// If there are strains, but none of this body.
    pub fn strain(&self, body: BodyId) -> Mat3 {
        if self.strains.is_empty() { Mat3::zeros() } else { self.strains[body.0] }
    }

    /// Returns A = R (1 + E) of a body (principal frame → world); R if all are rigid.
    ///
    /// # Panics
    /// If there is no such body.
    ///
    /// ```
    /// use rigor_math::Mat3;
    /// use rigor_scene::{BodyId, BodyState, State};
    /// let mut state = State { bodies: vec![BodyState::default()], ..State::default() };
    /// assert_eq!(state.matrix(BodyId(0)), Mat3::identity());
    /// state.strains = vec![Mat3::identity() * 0.5];
    /// assert_eq!(state.matrix(BodyId(0)), Mat3::identity() * 1.5);
    /// ```
    pub fn matrix(&self, body: BodyId) -> Mat3 {
        let rotation = self.bodies[body.0].pose.rotation_matrix();
        if self.strains.is_empty() { rotation } else { rotation * (Mat3::identity() + self.strains[body.0]) }
    }

    /// Checks the strains of a state from elsewhere.
    ///
    /// # Errors
    /// [`StrainError`] when there are neither none nor one per body, or one is not finite or not symmetric.
    pub fn check_strains(&self) -> Result<(), StrainError> {
        let (strains, bodies) = (self.strains.len(), self.bodies.len());
        if strains != 0 && strains != bodies {
            return Err(StrainError::Length { strains, bodies });
        }
        for (b, strain) in self.strains.iter().enumerate() {
            let body = BodyId(b);
            if !strain.iter().all(|c| c.is_finite()) {
                return Err(StrainError::NotFinite { body });
            }
            if *strain != strain.transpose() {
                return Err(StrainError::NotSymmetric { body });
            }
        }
        Ok(())
    }
}

/// A mistake in the strains of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StrainError {
    /// There is not one per body.
    #[error("{strains} strains of {bodies} bodies: there must be none, or one per body")]
    Length {
        /// Number of strains.
        strains: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A number is NaN or infinite.
    #[error("the strain of {body} is not finite")]
    NotFinite {
        /// The body.
        body: BodyId,
    },
    /// A strain differs from its transpose.
    #[error("the strain of {body} is not symmetric")]
    NotSymmetric {
        /// The body.
        body: BodyId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strains_are_one_per_body_finite_and_symmetric() {
        let mut state = State { bodies: vec![BodyState::default(); 2], ..State::default() };
        assert_eq!(state.check_strains(), Ok(()));
        state.strains = vec![Mat3::new(1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0); 2];
        assert_eq!(state.check_strains(), Ok(()));
        assert!(state.is_finite());
        state.strains[1][(0, 2)] = 3.0_f64.next_up();
        assert_eq!(state.check_strains(), Err(StrainError::NotSymmetric { body: BodyId(1) }));
        state.strains[1][(0, 2)] = f64::INFINITY;
        assert!(!state.is_finite());
        assert_eq!(state.check_strains(), Err(StrainError::NotFinite { body: BodyId(1) }));
        state.strains.pop();
        assert_eq!(state.check_strains(), Err(StrainError::Length { strains: 1, bodies: 2 }));
    }

    #[test]
    fn a_state_renewed_from_another_equals_it() {
        let state = |key: &str, numbers: &[f64]| {
            let strains = vec![Mat3::identity() * 1e-4; numbers.len()];
            let mut state = State { step: 3, time: 0.3, strains, ..State::default() };
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
