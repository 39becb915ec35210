//! Particles attached to points of bodies.

use rigor_math::Vec3;
use rigor_scene::{Attachment, AttachmentFault, Scene, StepError};

use crate::body::SolverBody;
use crate::elastic::bond::{Rule, Violation};
use crate::particle::SolverParticle;

/// C = ‖x − p‖ (m) for a particle at x and a material point p of a body.
#[derive(Debug, Clone)]
pub(crate) struct SolverAttachment {
    pub particle: usize,
    pub body: usize,
    /// p (m) in the body's frame.
    pub point_local: Vec3,
    /// α (m/N).
    pub alpha: f64,
    /// λ (kg m).
    pub lambda: f64,
}

impl SolverAttachment {
    fn new(attachment: &Attachment) -> Self {
        let &Attachment { particle, body, point_local, compliance } = attachment;
        Self { particle: particle.0, body: body.0, point_local, alpha: compliance, lambda: 0.0 }
    }

    /// Returns x − p (m, world).
    fn offset(&self, particle: &SolverParticle, body: &SolverBody) -> Vec3 {
        particle.x - body.point(&self.point_local)
    }

    /// Moves the particle and the body's point towards each other, in proportion to their generalised inverse
    /// masses.
    ///
    /// Source: \[Mueller2020\] §3.3.2 and eq. (4), with a particle in place of one body. The body's lever
    /// goes from its x_prev to the particle's x_prev, so that one loses exactly the angular momentum that the
    /// other gains ([`SolverBody::lever`]).
    pub fn project(&mut self, particle: &mut SolverParticle, body: &mut SolverBody, rule: Rule) {
        let offset = self.offset(particle, body);
        let c = offset.norm();
        if c == 0.0 {
            return;
        }
        let n = offset / c;
        let r = body.lever(&particle.x_prev);
        let alpha_tilde = self.alpha * rule.per_h_sq;
        let w = particle.w + body.generalized_inverse_mass(&r, &n) + alpha_tilde;
        if w == 0.0 {
            return;
        }
        let delta_lambda = -rule.share * (c + alpha_tilde * self.lambda) / w;
        self.lambda += delta_lambda;
        let p = n * delta_lambda;
        particle.x += particle.w * p;
        body.apply_positional(&r, &-p);
    }

    fn violation(&self, particle: &SolverParticle, body: &SolverBody, per_h_sq: f64) -> Violation {
        let c = self.offset(particle, body).norm();
        let length = (c + self.alpha * per_h_sq * self.lambda).abs();
        Violation { error: c, residual: length, length }
    }
}

/// Loads the attachments with λ = 0.
///
/// # Errors
/// Names the attachment and its fault.
pub(crate) fn load(scene: &Scene, attachments: &mut Vec<SolverAttachment>) -> Result<(), StepError> {
    for (attachment, a) in scene.attachments.iter().enumerate() {
        if let Some(fault) = fault(a, scene) {
            let (particle, name) = (a.particle, scene.particle_name(a.particle));
            return Err(StepError::Attachment { attachment, particle, name, fault });
        }
    }
    let felt = scene.attachments.iter().filter(|a| a.compliance.is_finite());
    attachments.clear();
    attachments.extend(felt.map(SolverAttachment::new));
    Ok(())
}

fn fault(a: &Attachment, scene: &Scene) -> Option<AttachmentFault> {
    if a.particle.0 >= scene.particles.len() || a.body.0 >= scene.bodies.len() {
        return Some(AttachmentFault::Missing { body: a.body });
    }
    if a.point_local.iter().any(|c| !c.is_finite()) {
        return Some(AttachmentFault::Point);
    }
    let compliance = a.compliance;
    (compliance < 0.0 || compliance.is_nan()).then_some(AttachmentFault::Compliance { compliance })
}

/// Returns the maximum violation of the attachments.
pub(crate) fn violation(
    attachments: &[SolverAttachment],
    particles: &[SolverParticle],
    bodies: &[SolverBody],
    per_h_sq: f64,
) -> Violation {
    let each = attachments.iter().map(|a| a.violation(&particles[a.particle], &bodies[a.body], per_h_sq));
    each.fold(Violation::default(), Violation::max)
}

/// Returns the sum of ½ C²/α (J).
pub(crate) fn energy(
    attachments: &[SolverAttachment],
    particles: &[SolverParticle],
    bodies: &[SolverBody],
) -> f64 {
    let soft = attachments.iter().filter(|a| a.alpha > 0.0);
    soft.map(|a| 0.5 * a.offset(&particles[a.particle], &bodies[a.body]).norm_squared() / a.alpha).sum()
}
