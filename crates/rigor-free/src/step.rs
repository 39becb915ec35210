//! One step of free flight.

use rigor_math::Vec3;
use rigor_math::driven_rotation::DrivenRotation;
use rigor_scene::{
    Body, BodyState, Clock, ConfigError, Feature, Method, Notice, PhaseTime, Scene, State, StepError,
    StepReport, Stopwatch, Unsupported,
};

use crate::config::Config;
use crate::{notice, translation};

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

    /// Returns the pose and velocities of a dynamic body `dt` (s) after `state`.
    fn fly(&self, body: &Body, gravity: &Vec3, state: &BodyState, dt: f64) -> BodyState {
        let fixed = body.fixed.translation;
        let mut next = *state;
        next.linear_velocity = translation::along_free_axes(&state.linear_velocity, fixed);
        let acceleration = translation::along_free_axes(&translation::acceleration(body, gravity), fixed);
        translation::advance(&mut next.pose.position, &mut next.linear_velocity, &acceleration, dt);

        let rotation = DrivenRotation::new(
            body.inertia,
            body.fixed.rotation,
            &state.pose.rotation,
            &state.angular_velocity,
            body.torque,
        );
        let h = dt / f64::from(self.config.substeps);
        for substep in 0..self.config.substeps {
            next.pose.rotation = rotation.advance(&next.pose.rotation, f64::from(substep) * h, h);
        }
        next.angular_velocity = rotation.angular_velocity(&next.pose.rotation, dt);
        next
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
        for (body, state) in scene.bodies.iter().zip(&mut state.bodies) {
            *state = body.prescribed(end).unwrap_or_else(|| self.fly(body, &scene.gravity, state, dt));
        }
        let finite = scene.particles.iter().zip(&mut state.particles).filter(|(p, _)| p.mass.is_finite());
        for (_, particle) in finite {
            translation::advance(&mut particle.position, &mut particle.velocity, &scene.gravity, dt);
        }
        Ok(StepReport {
            iterations: u64::from(self.config.substeps),
            phases: vec![PhaseTime { phase: "flight", seconds: watch.lap() }],
            ..StepReport::default()
        })
    }
}
