//! Elasticity: particles with their bonds and their attachments to bodies.

mod attachment;
mod attachments;
mod bond;
pub(crate) mod bond_set;
mod bonds;
mod colour;
mod jacobi;
mod reach;
mod schedule;
mod spin;

use rigor_scene::{Bond, Flaw, FlawKind, Quantity, Scene, State, StepError, Subject};

use crate::body::SolverBody;
use crate::config::Config;
use crate::elastic::attachments::Attachments;
use crate::elastic::bond::{Rule, Violation};
#[cfg(feature = "gpu")]
pub(crate) use crate::elastic::bonds::Arrangement;
use crate::elastic::bonds::Bonds;
use crate::elastic::reach::Reach;
use crate::elastic::spin::Groups;
use crate::particle::{self, SolverParticle};

/// Residual of a bond, relative to its rest size (angles in rad), from which a step counts as not converged.
const UNCONVERGED: f64 = 0.1;
/// Error of the tension of a bond that started stretched, relative to the larger of the tension that it carries and the one that its
/// stretch demands, from which a step counts as not converged: frequencies are off by a tenth.
const SLACKENED: f64 = 0.2;

/// Residual of an element, relative to the largest strain of its body, from which a step counts as not converged, if it is above
/// [`STRAINED`].
const UNSTRAINED: f64 = 0.1;
/// Least residual of an element (a strain) that counts.
const STRAINED: f64 = 1e-4;

/// The part of a particle constraint's error that one projection corrects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stiffness {
    /// The part given by the compliance of the constraint.
    Compliance,
    /// The fraction k′, whatever the compliance.
    Part(f64),
}

impl Stiffness {
    /// Returns the projection rule of a substep of `h` (s).
    fn rule(self, h: f64) -> Rule {
        match self {
            Self::Compliance => Rule { per_h_sq: 1.0 / (h * h), share: 1.0 },
            Self::Part(k) => Rule { per_h_sq: 0.0, share: k },
        }
    }
}

/// Particles of a step, with their constraints.
#[derive(Debug)]
pub(crate) struct Elastic {
    pub particles: Vec<SolverParticle>,
    bonds: Bonds,
    attachments: Attachments,
    groups: Groups,
    stiffness: Stiffness,
    /// Whether Verlet has a previous displacement.
    started: bool,
}

impl Elastic {
    /// Creates a solver without particles.
    pub fn new(stiffness: Stiffness) -> Self {
        Self {
            particles: Vec::new(),
            bonds: Bonds::default(),
            attachments: Attachments::default(),
            groups: Groups::default(),
            stiffness,
            started: false,
        }
    }

    /// Loads the scene's particles, bonds and attachments.
    ///
    /// # Errors
    /// Returns an error if a bond or an attachment is invalid.
    pub fn load(&mut self, scene: &Scene, state: &State, config: &Config) -> Result<(), StepError> {
        particle::load(scene, state, &mut self.particles);
        self.started = particle::has_started(state);
        let is_new = self.bonds.prepare(scene, config, self.stiffness != Stiffness::Compliance)?;
        self.groups.prepare(scene, is_new);
        self.attachments.load(scene, config)
    }

    /// Returns the projection rule of a substep of `h` (s).
    #[cfg(feature = "gpu")]
    pub fn rule(&self, h: f64) -> Rule {
        self.stiffness.rule(h)
    }

    /// Marks that Verlet has a previous displacement; returns whether it had one.
    #[cfg(feature = "gpu")]
    pub fn start(&mut self) -> bool {
        std::mem::replace(&mut self.started, true)
    }

    /// Returns particles and distance bonds in solving order, for a solver elsewhere.
    #[cfg(feature = "gpu")]
    pub fn arrangement(&mut self) -> (&mut [SolverParticle], Arrangement<'_>) {
        (&mut self.particles, self.bonds.arrangement())
    }

    /// Moves particles under gravity alone and resets all multipliers to 0.
    pub fn integrate(&mut self, scene: &Scene, config: &Config, h: f64) {
        self.groups.start(&self.particles);
        particle::integrate(&mut self.particles, config.integrator, self.started, &scene.gravity, h);
        self.started = true;
        self.bonds.reset();
        self.attachments.reset();
    }

    /// Sweeps once over bonds, then attachments; `iteration` counts the sweeps.
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

    /// Computes velocities from positions. Groups of particles without those that are `touching` something keep their angular momentum.
    pub fn update_velocities(
        &mut self,
        scene: &Scene,
        config: &Config,
        h: f64,
        touching: impl Iterator<Item = usize>,
    ) {
        particle::update_velocities(&mut self.particles, config.integrator, &scene.gravity, h);
        if config.keep_angular_momentum {
            self.groups.restore(&mut self.particles, touching);
        }
    }

    /// Checks that every particle is within the bounds of [`Reach`] after the last substep of `h` (s) of the
    /// step `dt` (s) from `state`.
    ///
    /// # Errors
    /// Reports the first particle out of bounds.
    pub fn check(&self, scene: &Scene, state: &State, dt: f64, h: f64) -> Result<(), StepError> {
        Reach::of(scene, state, dt).check(scene, &self.particles, h)
    }

    /// Writes positions and velocities to `state`.
    pub fn store(&self, config: &Config, state: &mut State) {
        particle::store(&self.particles, config.integrator, state);
    }

    /// Returns the maximum violation over all bonds and attachments.
    pub fn violation(&mut self, bodies: &[SolverBody], h: f64) -> Violation {
        let per_h_sq = self.stiffness.rule(h).per_h_sq;
        let attachments = self.attachments.violation(&self.particles, bodies, per_h_sq);
        self.bonds.violation(&self.particles, per_h_sq).max(attachments)
    }

    /// Returns the flaw of a step whose `violation` shows that bonds have not converged, of which a bond that started stretched
    /// carries another tension than its stretch demands, or of which an element carries another stress than its strain demands, with the
    /// worst of them. With a stiffness below 1 there is nothing to converge to.
    pub fn flaw(&mut self, scene: &Scene, violation: &Violation, h: f64) -> Option<Flaw> {
        let is_exact = match self.stiffness {
            Stiffness::Compliance => true,
            Stiffness::Part(k) => k >= 1.0,
        };
        if !is_exact {
            return None;
        }
        let per_h_sq = self.stiffness.rule(h).per_h_sq;
        let (residual, of_residual) = match violation.residual > UNCONVERGED {
            true => self.bonds.worst(&self.particles, per_h_sq),
            false => (0.0, Vec::new()),
        };
        let mut faults = vec![(residual / UNCONVERGED, of_residual)];
        match self.stiffness {
            Stiffness::Compliance => {
                let (error, ends) = self.bonds.tension_error(&self.particles, per_h_sq);
                faults.push((error / SLACKENED, ends.to_vec()));
                if violation.residual > STRAINED {
                    let first = self.groups.first();
                    let (error, of) = self.bonds.strain_error(&self.particles, per_h_sq, STRAINED, first);
                    faults.push((error / UNSTRAINED, of));
                }
            }
            Stiffness::Part(_) => {}
        }
        let (amount, particles) = faults.into_iter().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
        (amount > 1.0).then(|| Flaw::new(FlawKind::Unconverged, subject(scene, &particles), amount))
    }

    /// Returns the flaw of a step that leaves elements turned inside out, with the first of them.
    pub fn inverted(&mut self, scene: &Scene) -> Option<Flaw> {
        let (n, first) = self.bonds.inverted(&self.particles);
        (n > 0).then(|| Flaw::new(FlawKind::Inverted, subject(scene, &first), n as f64))
    }

    /// Returns the step's figures on constraints of particles, including the number of colours: those of
    /// bonds and attachments, plus `n_colours`.
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

/// Returns the bond of these particles.
fn subject(scene: &Scene, particles: &[u32]) -> Subject {
    let is_same = |bond: &Bond| bond.particles.iter().map(|id| id.0 as u32).eq(particles.iter().copied());
    scene.bonds.iter().position(is_same).map_or(Subject::Scene, Subject::Bond)
}
