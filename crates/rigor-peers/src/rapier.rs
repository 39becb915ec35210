//! Rapier (`rapier3d-f64`) for comparison: one step is one step of its pipeline, with its documented
//! defaults.
//!
//! | module | content |
//! | --- | --- |
//! | [`config`] | the engine's parameters under our names |
//! | `shape` | parts of a body → shapes of the engine |
//! | `joint` | joints → joints of the engine |
//! | `world` | an engine world: construction from scene and state, and reading back |
//! | `contact` | impulses of its solver → contact reports |
//! | `notice` | requests of the scene that the engine ignores |
//! | `image` | the engine's world as bytes, from which a run resumes |
//!
//! # Origin of the data
//! Mass, centre of mass and inertia come from the scene. The engine has one friction coefficient, which is
//! set to μ_d. Restitution and the combination rules of coefficients are passed on. Fixed axes become the
//! engine's locked axes, which are world axes in both. Contact detection, solver, continuous collision
//! detection and sleeping are the engine's own.
//!
//! The engine keeps internal state (warm starts, contact caches, sleep). It follows the [`State`]: when that
//! differs from the result of the last step, the world is restored from the image in the state's memory, or
//! rebuilt.

pub mod config;
mod contact;
mod image;
mod joint;
mod notice;
mod pose;
mod shape;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};

use rigor_scene::{
    BodyId, Clock, Feature, Method, Notice, PhaseTime, Scene, State, StepError, StepReport, Stopwatch,
    Unsupported,
};

pub use config::Config;
use world::World;

/// The name of the method and of its settings in scene files.
pub const NAME: &str = "rapier";

/// The version of the engine in this program.
pub const VERSION: &str = "0.36";

/// The engine with its settings.
pub struct Rapier {
    config: Config,
    clock: Clock,
    world: Option<World>,
}

impl Rapier {
    /// Creates the engine with these settings; `clock` times its steps.
    pub fn new(config: Config, clock: Clock) -> Self {
        Self { config, clock, world: None }
    }

    /// Returns the world that continues `state`: the live one, the saved one, or a new one.
    fn world_for(&mut self, scene: &Scene, state: &State) -> Result<World, StepError> {
        match self.world.take() {
            Some(world) if world.continues(scene, state) => Ok(world),
            _ => match image::restore(scene, state)? {
                Some(world) => Ok(world),
                None => World::build(scene, state, &self.config),
            },
        }
    }
}

impl Method for Rapier {
    fn name(&self) -> &str {
        NAME
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        let lacks = |what| Err(Unsupported { method: NAME.to_owned(), what });
        if !scene.particles.is_empty() {
            return lacks(Feature::Particles);
        }
        if let Some(what) = scene.joints.iter().find_map(joint::lacks) {
            return lacks(what);
        }
        if let Some(name) = self.config.bullets.iter().find(|name| scene.find_body(name).is_none()) {
            return lacks(Feature::NoSuchBody { setting: "bullet", body: name.clone() });
        }
        let open = |b: &&rigor_scene::Body| !b.mesh.wires().is_empty() || !b.mesh.points().is_empty();
        match scene.bodies.iter().filter(|body| !body.is_out_of_contact()).find(open) {
            Some(body) => lacks(Feature::OpenMesh { body: body.name.clone() }),
            None => Ok(()),
        }
    }

    fn notices(&self, scene: &Scene, _dt: f64) -> Vec<Notice> {
        notice::notices(scene, &self.config)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::TimeStep { dt });
        }
        self.config.validate()?;
        let mut stopwatch = Stopwatch::start(self.clock);
        let attempt = AssertUnwindSafe(|| {
            let mut world = self.world_for(scene, state)?;
            world.advance(scene, state.time, dt, &self.config);
            world.check()?;
            Ok(world)
        });
        let mut world = catch_unwind(attempt).unwrap_or_else(|panic| Err(panicked(&*panic)))?;
        let seconds = stopwatch.lap();
        world.write(scene, state, dt);
        image::forget(state);
        let contacts = contact::reports(&world, scene, state, dt, &self.config);
        let phases = vec![
            PhaseTime { phase: "pipeline", seconds },
            PhaseTime { phase: "read back", seconds: stopwatch.lap() },
        ];
        self.world = Some(world);
        Ok(StepReport {
            iterations: self.config.iterations_per_step(),
            residual: None,
            min_distance: contacts.iter().map(|c| c.distance).reduce(f64::min),
            contacts,
            joints: Vec::new(),
            ccd_queries: 0,
            phases,
            particle_contacts: Vec::new(),
            quantities: Vec::new(),
            flaws: Vec::new(),
            released: None,
            path: None,
        })
    }

    fn save(&mut self, state: &mut State) -> Result<(), StepError> {
        match &self.world {
            Some(world) if world.follows(state) => image::store(world, state),
            _ => Ok(()),
        }
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> StepError {
    let message = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a message".to_owned());
    failed(format!("rapier panicked: {message}"), Vec::new())
}

fn failed(what: String, bodies: Vec<BodyId>) -> StepError {
    StepError::Failed { what, bodies }
}

#[cfg(test)]
mod tests;
