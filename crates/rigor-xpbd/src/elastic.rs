//! Particles with all that holds them: bonds, and attachments to bodies.

mod attachment;
mod attachments;
mod bond;
pub(crate) mod bond_set;
mod bonds;
mod colour;
mod jacobi;
mod reach;
mod schedule;

use rigor_scene::{Quantity, Scene, State, StepError};

use crate::body::SolverBody;
use crate::config::Config;
use crate::elastic::attachments::Attachments;
use crate::elastic::bond::{Rule, Violation};
use crate::elastic::bonds::Bonds;
use crate::elastic::reach::Reach;
use crate::particle::{self, SolverParticle};

/// How much of a constraint on particles one projection meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stiffness {
    /// As much as its compliance says.
    Compliance,
    /// k′: this part of it, whatever its compliance.
    Part(f64),
}

impl Stiffness {
    /// The rule of projections in a substep of `h` (s).
    fn rule(self, h: f64) -> Rule {
        match self {
            Self::Compliance => Rule { per_h_sq: 1.0 / (h * h), share: 1.0 },
            Self::Part(k) => Rule { per_h_sq: 0.0, share: k },
        }
    }
}

/// The particles of a step.
#[derive(Debug)]
pub(crate) struct Elastic {
    pub particles: Vec<SolverParticle>,
    bonds: Bonds,
    attachments: Attachments,
    stiffness: Stiffness,
    /// Whether Verlet has a displacement to go on from.
    started: bool,
}

impl Elastic {
    /// No particle yet.
    pub fn new(stiffness: Stiffness) -> Self {
        Self {
            particles: Vec::new(),
            bonds: Bonds::default(),
            attachments: Attachments::default(),
            stiffness,
            started: false,
        }
    }

    /// Takes the scene's particles and what holds them.
    ///
    /// # Errors
    /// If a bond or an attachment makes no sense.
    pub fn load(&mut self, scene: &Scene, state: &State, config: &Config) -> Result<(), StepError> {
        particle::load(scene, state, &mut self.particles);
        self.started = particle::has_started(state);
        self.bonds.prepare(scene, config, self.stiffness != Stiffness::Compliance)?;
        self.attachments.load(scene, config)
    }

    /// Positions under gravity alone; all multipliers start at 0.
    pub fn integrate(&mut self, scene: &Scene, config: &Config, h: f64) {
        particle::integrate(&mut self.particles, config.integrator, self.started, &scene.gravity, h);
        self.started = true;
        self.bonds.reset();
        self.attachments.reset();
    }

    /// The sweep number `iteration` over bonds, then attachments.
    pub fn sweep(
        &mut self,
        scene: &Scene,
        bodies: &mut [SolverBody],
        config: &Config,
        iteration: u32,
        h: f64,
    ) {
        let rule = self.stiffness.rule(h);
        self.bonds.sweep(&mut self.particles, config, iteration, rule);
        self.attachments.sweep(scene, (&mut self.particles, bodies), config, iteration, rule);
    }

    /// Velocities from positions.
    pub fn update_velocities(&mut self, scene: &Scene, config: &Config, h: f64) {
        particle::update_velocities(&mut self.particles, config.integrator, &scene.gravity, h);
    }

    /// Whether every particle is where something could take it, after the last substep of `h` (s) of the step `dt` (s)
    /// from `state`.
    ///
    /// # Errors
    /// The first that is not ([`Reach`]).
    pub fn check(&self, scene: &Scene, state: &State, dt: f64, h: f64) -> Result<(), StepError> {
        Reach::of(scene, state, dt).check(scene, &self.particles, h)
    }

    /// Hands positions and velocities back.
    pub fn store(&self, config: &Config, state: &mut State) {
        particle::store(&self.particles, config.integrator, state);
    }

    /// How far bonds and attachments are from being met, each figure the largest over all.
    pub fn violation(&mut self, bodies: &[SolverBody], h: f64) -> Violation {
        let per_h_sq = self.stiffness.rule(h).per_h_sq;
        let attachments = self.attachments.violation(&self.particles, bodies, per_h_sq);
        self.bonds.violation(&self.particles, per_h_sq).max(attachments)
    }

    /// What a step tells of them, and of the colours of bonds and attachments, and of `n_colours` others.
    pub fn quantities(
        &mut self,
        bodies: &[SolverBody],
        violation: &Violation,
        n_colours: usize,
    ) -> [Quantity; 4] {
        let energy = self.bonds.energy(&self.particles) + self.attachments.energy(&self.particles, bodies);
        let quantity = |name, unit, value| Quantity { name, unit, value };
        [
            quantity("bond_error", "1", violation.error),
            quantity("bond_residual", "1", violation.residual),
            quantity("elastic_energy", "J", energy),
            quantity(
                "colours",
                "1",
                (self.bonds.n_colours() + self.attachments.n_colours() + n_colours) as f64,
            ),
        ]
    }
}
