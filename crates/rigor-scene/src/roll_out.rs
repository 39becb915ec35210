//! The only loop that advances time.

use std::ops::ControlFlow;

use crate::body::BodyId;
use crate::inspect::inspect;
use crate::method::{Method, StepReport};
use crate::particle::ParticleId;
use crate::scene::Scene;
use crate::state::State;
use crate::step_error::{Attribute, StepError};

/// How a run ended. A failed run is a result like any other.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Every step was taken.
    Completed,
    /// The step after `step` steps failed; the state is the last good one.
    Stopped {
        /// Steps taken.
        step: u64,
        /// The reason why the next step failed.
        error: StepError,
    },
    /// The observer asked to stop after `step` steps.
    Interrupted {
        /// Steps taken.
        step: u64,
    },
}

/// Receives every step of a run.
pub trait Observer {
    /// Called once before the first step.
    fn start(&mut self, _scene: &Scene, _state: &State) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after each step; `Break` ends the run.
    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()>;
}

/// Takes steps of `dt` (s) from `state` until `state.step` is `steps`.
///
/// After step k the time is exactly `k as f64 * dt`, even if the run was resumed. If a step fails or its
/// result is not finite, `state` remains the last good one. The report of each step gets the flaws that
/// [`inspect`] finds.
pub fn roll_out(
    scene: &Scene,
    method: &mut dyn Method,
    state: &mut State,
    dt: f64,
    steps: u64,
    observer: &mut dyn Observer,
) -> Outcome {
    if !(dt.is_finite() && dt > 0.0) {
        return Outcome::Stopped { step: state.step, error: StepError::TimeStep { dt } };
    }
    if observer.start(scene, state).is_break() {
        return Outcome::Interrupted { step: state.step };
    }
    let mut next = state.clone();
    while state.step < steps {
        let mut report = match advance(scene, method, &mut next, dt) {
            Ok(report) => report,
            Err(error) => return Outcome::Stopped { step: state.step, error },
        };
        report.flaws.extend(inspect(scene, state, &next, &report, dt));
        state.clone_from(&next);
        if observer.step(scene, state, &report).is_break() {
            return Outcome::Interrupted { step: state.step };
        }
    }
    Outcome::Completed
}

fn advance(
    scene: &Scene,
    method: &mut dyn Method,
    state: &mut State,
    dt: f64,
) -> Result<StepReport, StepError> {
    let report = method.step(scene, state, dt)?;
    state.step += 1;
    state.time = state.step as f64 * dt;
    check_finite(scene, state)?;
    Ok(report)
}

fn check_finite(scene: &Scene, state: &State) -> Result<(), StepError> {
    if let Some(i) = state.bodies.iter().position(|body| !body.is_finite()) {
        let is_lost = !state.bodies[i].pose.is_finite();
        let attribute = if is_lost { Attribute::Pose } else { Attribute::Velocity };
        return Err(StepError::not_finite(scene, BodyId(i), attribute));
    }
    if let Some(i) = state.strains.iter().position(|strain| !strain.iter().all(|c| c.is_finite())) {
        return Err(StepError::not_finite(scene, BodyId(i), Attribute::Strain));
    }
    match state.particles.iter().position(|particle| !particle.is_finite()) {
        Some(i) => Err(StepError::particle_not_finite(scene, ParticleId(i), Attribute::PositionOrVelocity)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;
    use crate::particle::Particle;
    use crate::trajectory::Run;
    use crate::unsupported::Unsupported;

    /// Sets a velocity of the last particle to NaN in its third step.
    struct Careless;

    impl Method for Careless {
        fn name(&self) -> &str {
            "careless"
        }

        fn supports(&self, _: &Scene) -> Result<(), Unsupported> {
            Ok(())
        }

        fn step(&mut self, _: &Scene, state: &mut State, _: f64) -> Result<StepReport, StepError> {
            if state.step == 2 {
                state.particles.last_mut().expect("there are two").velocity.y = f64::NAN;
            }
            Ok(StepReport::default())
        }
    }

    #[test]
    fn a_particle_that_is_no_number_stops_the_run_at_the_last_good_state() {
        let scene = Scene { particles: vec![Particle::new(1.0, Vec3::zeros()); 2], ..Scene::default() };
        let run = Run::record(&scene, &mut Careless, 0.1, 5);
        let Outcome::Stopped { step: 2, error: StepError::ParticleNotFinite { particle, .. } } = &run.outcome
        else {
            panic!("{:?}", run.outcome)
        };
        assert_eq!(*particle, ParticleId(1));
        assert!(run.trajectory.frames.len() == 3 && run.trajectory.frames.iter().all(State::is_finite));
    }
}
