//! Attachments of a scene and their sweeps.

use rigor_math::Vec3;
use rigor_scene::{Scene, StepError};

use crate::body::SolverBody;
use crate::config::{Config, Solver};
use crate::elastic::attachment::{self, SolverAttachment};
use crate::elastic::bond::{Rule, Violation};
use crate::order::rank::{self, Ranks};
use crate::particle::SolverParticle;

/// Attachments, and scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Attachments {
    list: Vec<SolverAttachment>,
    ranks: Ranks,
    works: Vec<AttachmentWork>,
    /// Σ Δx (m) of particles; Σ p (kg m) and Σ r × p (kg m²) of bodies.
    shifts: Vec<Vec3>,
    sums: Vec<(Vec3, Vec3)>,
}

/// An attachment solved on copies of its particle and body.
#[derive(Debug)]
struct AttachmentWork {
    attachment: SolverAttachment,
    particle: SolverParticle,
    body: SolverBody,
}

impl AttachmentWork {
    fn new(attachment: &SolverAttachment, particles: &[SolverParticle], bodies: &[SolverBody]) -> Self {
        let (particle, body) = (particles[attachment.particle], bodies[attachment.body].clone());
        Self { attachment: attachment.clone(), particle, body }
    }

    fn solve(&mut self, rule: Rule) {
        self.attachment.project(&mut self.particle, &mut self.body, rule);
    }
}

impl Attachments {
    /// Loads the attachments of `scene` with λ = 0, in the order that `config` demands.
    ///
    /// # Errors
    /// Names the attachment and its fault.
    pub fn load(&mut self, scene: &Scene, config: &Config) -> Result<(), StepError> {
        attachment::load(scene, &mut self.list)?;
        let Self { list, ranks, .. } = self;
        let n_nodes = scene.particles.len() + scene.bodies.len();
        ranks.arrange(config, list.len(), n_nodes, |i| moved(scene, &list[i]));
        Ok(())
    }

    /// Resets λ to 0 at the start of a substep.
    pub fn reset(&mut self) {
        self.list.iter_mut().for_each(|attachment| attachment.lambda = 0.0);
    }

    /// Sweeps once over all attachments; `iteration` counts the sweeps.
    pub fn sweep(
        &mut self,
        scene: &Scene,
        (particles, bodies): (&mut [SolverParticle], &mut [SolverBody]),
        config: &Config,
        iteration: u32,
        rule: Rule,
    ) {
        let mut one = |i: usize| {
            let attachment: &mut SolverAttachment = &mut self.list[i];
            attachment.project(&mut particles[attachment.particle], &mut bodies[attachment.body], rule);
        };
        match config.solver {
            Solver::Symmetric if !iteration.is_multiple_of(2) => {
                self.ranks.order().iter().rev().for_each(|&i| one(i));
            }
            Solver::GaussSeidel | Solver::Symmetric => self.ranks.order().iter().for_each(|&i| one(i)),
            Solver::Coloured | Solver::RedBlack => self.by_colour(particles, bodies, rule),
            Solver::Jacobi => self.at_once(scene, (particles, bodies), config, rule),
        }
    }

    /// Sweeps colour by colour. Attachments of one colour share nothing movable, so each works on copies and
    /// writes them back.
    fn by_colour(&mut self, particles: &mut [SolverParticle], bodies: &mut [SolverBody], rule: Rule) {
        for colour in 0..self.ranks.n_colours() {
            let attachments = &self.ranks.order()[self.ranks.of_colour(colour)];
            self.works.clear();
            self.works
                .extend(attachments.iter().map(|&i| AttachmentWork::new(&self.list[i], particles, bodies)));
            rank::for_each(&mut self.works, |work| work.solve(rule));
            for (&i, AttachmentWork { attachment, particle, body }) in attachments.iter().zip(&self.works) {
                particles[attachment.particle].x = particle.x;
                if body.is_moved() {
                    bodies[attachment.body].clone_from(body);
                }
                self.list[i].lambda = attachment.lambda;
            }
        }
    }

    /// Solves all attachments from the same positions, and applies a share of each result.
    fn at_once(
        &mut self,
        scene: &Scene,
        (particles, bodies): (&mut [SolverParticle], &mut [SolverBody]),
        config: &Config,
        rule: Rule,
    ) {
        self.shifts.clear();
        self.shifts.resize(particles.len(), Vec3::zeros());
        self.sums.clear();
        self.sums.resize(bodies.len(), (Vec3::zeros(), Vec3::zeros()));
        for attachment in &mut self.list {
            let share = rule.share * self.ranks.share(config, moved(scene, attachment));
            let mut work = AttachmentWork::new(attachment, particles, bodies);
            work.solve(Rule { share, ..rule });
            let (i, b) = (attachment.particle, attachment.body);
            self.shifts[i] += work.particle.x - particles[i].x;
            self.sums[b].0 += work.body.impulse - bodies[b].impulse;
            self.sums[b].1 += work.body.angular_impulse - bodies[b].angular_impulse;
            attachment.lambda = work.attachment.lambda;
        }
        particles.iter_mut().zip(&self.shifts).for_each(|(particle, shift)| particle.x += shift);
        for (body, (p, torque)) in bodies.iter_mut().zip(&self.sums) {
            if *p != Vec3::zeros() || *torque != Vec3::zeros() {
                body.apply_positional_sum(p, torque);
            }
        }
    }

    /// Returns the number of colours; 0 if the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.ranks.n_colours()
    }

    /// Returns the maximum violation of the attachments.
    pub fn violation(&self, particles: &[SolverParticle], bodies: &[SolverBody], per_h_sq: f64) -> Violation {
        attachment::violation(&self.list, particles, bodies, per_h_sq)
    }

    /// Returns the sum of ½ C²/α (J).
    pub fn energy(&self, particles: &[SolverParticle], bodies: &[SolverBody]) -> f64 {
        attachment::energy(&self.list, particles, bodies)
    }
}

/// Returns the nodes that `attachment` can move: its particle, and its body, numbered after all particles.
fn moved<'a>(
    scene: &'a Scene,
    attachment: &SolverAttachment,
) -> impl Iterator<Item = usize> + Clone + use<'a> {
    let &SolverAttachment { particle, body, .. } = attachment;
    let particle = (!scene.particles[particle].is_pinned()).then_some(particle);
    let body = scene.bodies[body].is_dynamic().then_some(scene.particles.len() + body);
    particle.into_iter().chain(body)
}
