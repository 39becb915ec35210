//! One step of free flight.

use rigor_math::Vec3;
use rigor_scene::{
    Body, BodyState, Clock, ConfigError, Feature, Flaw, FlawKind, Method, Notice, PhaseTime, Scene, State,
    StepError, StepReport, Stopwatch, Subject, Unsupported,
};

use crate::config::Config;
use crate::{notice, translation};

/// Estimated error of an orientation (rad) in a step above which the step is flawed.
const TOLERANCE: f64 = 1e-9;

/// Moves every body as if it were alone.
///
/// Bodies with a prescribed motion follow it. Particles fly ballistically; those of infinite mass stay put.
/// Contact is ignored: bodies pass through each other.
#[derive(Debug)]
pub struct Free {
    config: Config,
    clock: Clock,
}

impl Free {
    /// Creates the method with these settings.
    ///
    /// # Errors
    /// [`ConfigError`] if a setting is out of range.
    pub fn new(config: Config, clock: Clock) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self { config, clock })
    }

    /// The settings in use.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the pose and velocities of a dynamic body `dt` (s) after `state`, and the estimated error of its orientation (rad).
    fn fly(&self, body: &Body, gravity: &Vec3, state: &BodyState, dt: f64) -> (BodyState, f64) {
        let h = dt / f64::from(self.config.substeps);
        let (mut next, mut error) = (*state, 0.0);
        for _ in 0..self.config.substeps {
            let more;
            (next, more) = body.fly(&next, gravity, h);
            error += more;
        }
        (next, error)
    }
}

impl Method for Free {
    fn name(&self) -> &str {
        "free"
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: "free".into(), what });
        if !scene.joints.is_empty() {
            return lacks(Feature::Joints);
        }
        if !scene.bonds.is_empty() || !scene.attachments.is_empty() {
            return lacks(Feature::BondsAndAttachments);
        }
        if !scene.fluids.is_empty() {
            return lacks(Feature::Fluids);
        }
        Ok(())
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        notice::notices(scene)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let mut watch = Stopwatch::start(self.clock);
        let end = state.time + dt;
        let mut flaw: Option<Flaw> = None;
        for (id, (body, state)) in scene.body_ids().zip(scene.bodies.iter().zip(&mut state.bodies)) {
            let (next, error) = match body.prescribed(end) {
                Some(prescribed) => (prescribed, 0.0),
                None => self.fly(body, &scene.gravity, state, dt),
            };
            *state = next;
            let amount = error / TOLERANCE;
            if amount > flaw.as_ref().map_or(1.0, |worst| worst.amount) {
                flaw = Some(Flaw::new(FlawKind::Unconverged, Subject::Body(id), amount));
            }
        }
        let finite = scene.particles.iter().zip(&mut state.particles).filter(|(p, _)| p.mass.is_finite());
        for (_, particle) in finite {
            translation::advance(&mut particle.position, &mut particle.velocity, &scene.gravity, dt);
        }
        Ok(StepReport {
            iterations: u64::from(self.config.substeps),
            flaws: flaw.into_iter().collect(),
            phases: vec![PhaseTime { phase: "flight", seconds: watch.lap() }],
            ..StepReport::default()
        })
    }
}
