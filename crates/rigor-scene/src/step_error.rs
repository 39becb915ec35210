//! Errors that prevent the completion of a step.

use std::fmt;

use rigor_math::Vec3;

use crate::body::BodyId;
use crate::config_error::ConfigError;
use crate::particle::ParticleId;
use crate::scene::Scene;

/// An error that prevents the completion of a step.
///
/// ```
/// use rigor_scene::StepError;
/// let error = StepError::NotConverged { iterations: 1000, residual: 2e-6, tolerance: 1e-6 };
/// assert!(matches!(error, StepError::NotConverged { residual, tolerance, .. } if residual < 10.0 * tolerance));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a positive finite number.
    #[error("the time step is {dt} s: it must be a positive finite number")]
    TimeStep {
        /// The time step (s).
        dt: f64,
    },
    /// A setting of the method is not allowed.
    #[error(transparent)]
    Config {
        /// The setting.
        #[from]
        source: ConfigError,
    },
    /// A number of a body is NaN or infinite.
    #[error("{attribute} of {name:?} ({body}) is not a finite number")]
    NotFinite {
        /// The body.
        body: BodyId,
        /// Its name.
        name: String,
        /// The quantity that is not finite.
        attribute: Attribute,
    },
    /// A number of a particle is NaN or infinite.
    #[error("{attribute} of {name} is not a finite number")]
    ParticleNotFinite {
        /// The particle.
        particle: ParticleId,
        /// Its name, see [`Scene::particle_name`].
        name: String,
        /// The quantity that is not finite.
        attribute: Attribute,
    },
    /// The force or the error of a joint is NaN or infinite.
    #[error("force or error of the joint {name:?} is not a finite number")]
    JointNotFinite {
        /// Index in [`Scene::joints`].
        joint: usize,
        /// Its name.
        name: String,
        /// The bodies that it joins.
        bodies: Vec<BodyId>,
    },
    /// A number of a body is larger than the method can compute with.
    #[error("a length or an angle of {body} is {value:e}: at most {limit:e} can be computed with")]
    TooLarge {
        /// The body.
        body: BodyId,
        /// Its largest coordinate or radius (m), or rotation (rad), at either end of a motion.
        value: f64,
        /// The maximum.
        limit: f64,
    },
    /// The quaternion of a body's orientation is not of unit length.
    #[error("the orientation of {body} is a quaternion of norm {norm}: it must be 1")]
    Orientation {
        /// The body.
        body: BodyId,
        /// Its norm.
        norm: f64,
    },
    /// Contact forces act at a distance that the method cannot compute with.
    #[error(
        "contact forces act up to a distance of {distance:e} m: it must be at least 0 and at most {limit:e} m"
    )]
    ContactDistance {
        /// The distance (m).
        distance: f64,
        /// The maximum (m).
        limit: f64,
    },
    /// Two bodies intersect at the start of a run.
    #[error(
        "{:?} and {:?} intersect at the start, near ({:.6}, {:.6}, {:.6}) m; the method needs bodies that are apart",
        names[0], names[1], near.x, near.y, near.z
    )]
    Intersecting {
        /// The bodies.
        bodies: [BodyId; 2],
        /// Their names.
        names: Box<[String; 2]>,
        /// A point (m, world) where they cross.
        near: Vec3,
    },
    /// Surfaces start a step at most as far apart as they may ever be.
    #[error(
        "{:?} and {:?} {} at the start of the step, and must be farther apart than {minimum} m (minimum_separation): \
         move one of them",
        names[0], names[1], how_near(*distance)
    )]
    TooNear {
        /// The bodies.
        bodies: [BodyId; 2],
        /// Their names.
        names: Box<[String; 2]>,
        /// The distance (m) of a pair of primitives.
        distance: f64,
        /// The distance (m) that they must exceed.
        minimum: f64,
    },
    /// Surfaces are so near that no motion can be proven free of contact.
    #[error("two primitives are {distance:e} m apart, too close to prove any motion free of contact")]
    NoFreeMotion {
        /// The bodies.
        bodies: [BodyId; 2],
        /// The distance (m) of the primitives.
        distance: f64,
    },
    /// Newton's method did not converge within its iterations.
    #[error(
        "Newton's method did not converge within {iterations} iterations: its residual, a displacement in one step, \
         is {residual:e} m, and the tolerance is {tolerance:e} m"
    )]
    NotConverged {
        /// The number of iterations.
        iterations: u32,
        /// The residual (m) of the last one.
        residual: f64,
        /// The tolerance (m).
        tolerance: f64,
    },
    /// The objective of a method decreases along no direction that Newton's method finds.
    #[error(
        "no fraction of the Newton step decreases the potential: the residual, a displacement in one step, is \
         {residual:e} m, and the tolerance is {tolerance:e} m"
    )]
    NoDescent {
        /// The residual (m).
        residual: f64,
        /// The tolerance (m).
        tolerance: f64,
    },
    /// The matrix of Newton's method cannot be factorized.
    #[error("the Newton matrix cannot be factorized, even with {shift:e} added to its diagonal")]
    Singular {
        /// The largest number added to its diagonal.
        shift: f64,
    },
    /// A bond cannot be solved.
    #[error("{name}: {fault}")]
    Bond {
        /// Index in [`Scene::bonds`].
        bond: usize,
        /// Its name, see [`Scene::bond_name`].
        name: String,
        /// Its particles.
        particles: Vec<ParticleId>,
        /// The mistake.
        fault: BondFault,
    },
    /// An attachment cannot be solved.
    #[error("attachment {attachment} of {name}: {fault}")]
    Attachment {
        /// Index in [`Scene::attachments`].
        attachment: usize,
        /// Its particle.
        particle: ParticleId,
        /// The name of the particle, see [`Scene::particle_name`].
        name: String,
        /// The mistake.
        fault: AttachmentFault,
    },
    /// A constrained particle moves as no constraint would make it move: the constraints have broken down.
    #[error("{name} {fault}{}", stretched.as_ref().map_or_else(String::new, |bond| format!("; {bond}")))]
    BrokenDown {
        /// The particle.
        particle: ParticleId,
        /// Its name, see [`Scene::particle_name`].
        name: String,
        /// The implausible quantity.
        fault: ParticleFault,
        /// Its bond that has grown most, if it has bonds.
        stretched: Option<Stretched>,
    },
    /// A step needs more substeps than the method may take.
    #[error(
        "the time step of {dt:e} s needs {needed:.3e} substeps of {substep:e} s to be stable, more than {maximum} \
         (max_substeps): lower the stiffness, allow more overlap, take larger particles, or raise max_substeps"
    )]
    TooManySubsteps {
        /// The time step (s).
        dt: f64,
        /// The longest stable substep (s).
        substep: f64,
        /// The number of substeps.
        needed: f64,
        /// The maximum.
        maximum: u32,
    },
    /// An engine from outside could not continue.
    #[error("{what}")]
    Failed {
        /// The message of the engine.
        what: String,
        /// The bodies involved.
        bodies: Vec<BodyId>,
    },
}

/// A number or a vector of a body or a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attribute {
    /// Position and orientation of a body.
    Pose,
    /// Linear or angular velocity of a body.
    Velocity,
    /// Strain of an affine body.
    Strain,
    /// Position or velocity of a particle.
    PositionOrVelocity,
    /// The box that contains the motion in a step.
    Extent,
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pose => "pose",
            Self::Velocity => "velocity",
            Self::Strain => "strain",
            Self::PositionOrVelocity => "position or velocity",
            Self::Extent => "extent of the motion",
        })
    }
}

/// A mistake in a bond.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BondFault {
    /// The number of particles is not that of its kind.
    #[error("it has {found} particles instead of {expected}")]
    Count {
        /// The number of particles.
        found: usize,
        /// The number that its kind needs; at least 1.
        expected: usize,
    },
    /// A particle appears twice, or does not exist.
    #[error("its particles are not all different, or one does not exist")]
    Particles,
    /// A number of its rest shape is not finite.
    #[error("its rest shape is not finite")]
    Rest,
    /// The compliance is negative or NaN.
    #[error("its compliance is {compliance}: it must be at least 0")]
    Compliance {
        /// The compliance.
        compliance: f64,
    },
    /// The energy of a tetrahedron is not positive definite.
    #[error("its material (λ {lambda}, μ {mu}) or volume {volume} is not positive")]
    Material {
        /// λ (Pa).
        lambda: f64,
        /// μ (Pa).
        mu: f64,
        /// Volume at rest (m³).
        volume: f64,
    },
}

/// A mistake in an attachment.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachmentFault {
    /// The particle or the body does not exist.
    #[error("its particle or {body} does not exist")]
    Missing {
        /// The body that it names.
        body: BodyId,
    },
    /// The point on the body is not finite.
    #[error("its point on the body is not finite")]
    Point,
    /// The compliance is negative or NaN.
    #[error("its compliance is {compliance} m/N: it must be at least 0")]
    Compliance {
        /// The compliance (m/N).
        compliance: f64,
    },
}

/// An implausible quantity of a constrained particle.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticleFault {
    /// Position or velocity is not finite.
    #[error("has a position or velocity that is not a finite number")]
    NotFinite,
    /// It is so far from the origin that its position has too few digits.
    #[error(
        "is {distance:.1e} m from the origin, more than {factor:.0e} times the scene's size of {size:.3} m"
    )]
    TooFar {
        /// Distance from the origin (m).
        distance: f64,
        /// Size of the scene (m).
        size: f64,
        /// Maximum distance over size.
        factor: f64,
    },
    /// It is faster than `limit`.
    #[error(
        "has {speed:.1e} m/s, more than {factor} times the speed that crosses the scene ({size:.3} m) in a substep"
    )]
    TooFast {
        /// Speed (m/s).
        speed: f64,
        /// Maximum speed (m/s): `factor` (size/h + speed without constraints) for substeps of h.
        limit: f64,
        /// Size of the scene (m).
        size: f64,
        /// Maximum speed over the speed that is plausible.
        factor: f64,
    },
}

/// A bond that has grown.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretched {
    /// Index in [`Scene::bonds`].
    pub bond: usize,
    /// Its name, see [`Scene::bond_name`].
    pub name: String,
    /// Its size over the largest that it had at rest or at time 0.
    pub growth: f64,
}

impl fmt::Display for Stretched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {:.1e} times its size", self.name, self.growth)
    }
}

/// Describes a distance (m), which is 0 where surfaces touch or intersect.
fn how_near(distance: f64) -> String {
    if distance > 0.0 { format!("are {distance:e} m apart") } else { "touch or intersect".to_owned() }
}

impl StepError {
    /// Reports that a number of `body` is not finite.
    pub fn not_finite(scene: &Scene, body: BodyId, attribute: Attribute) -> Self {
        Self::NotFinite { body, name: scene.bodies[body.0].name.clone(), attribute }
    }

    /// Reports that a number of `particle` is not finite.
    pub fn particle_not_finite(scene: &Scene, particle: ParticleId, attribute: Attribute) -> Self {
        Self::ParticleNotFinite { particle, name: scene.particle_name(particle), attribute }
    }

    /// The bodies involved.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most errors are of no body")]
    pub fn bodies(&self) -> &[BodyId] {
        match self {
            Self::NotFinite { body, .. } | Self::TooLarge { body, .. } | Self::Orientation { body, .. } => {
                std::slice::from_ref(body)
            }
            Self::Intersecting { bodies, .. }
            | Self::TooNear { bodies, .. }
            | Self::NoFreeMotion { bodies, .. } => bodies,
            Self::JointNotFinite { bodies, .. } | Self::Failed { bodies, .. } => bodies,
            _ => &[],
        }
    }

    /// The particles involved.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most errors are of no particle")]
    pub fn particles(&self) -> &[ParticleId] {
        match self {
            Self::ParticleNotFinite { particle, .. }
            | Self::Attachment { particle, .. }
            | Self::BrokenDown { particle, .. } => std::slice::from_ref(particle),
            Self::Bond { particles, .. } => particles,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_touch_at_the_start_are_named_without_a_distance() {
        let told = |distance: f64| {
            let names = Box::new(["lid".to_owned(), "box".to_owned()]);
            StepError::TooNear { bodies: [BodyId(0), BodyId(1)], names, distance, minimum: 1e-3 }.to_string()
        };
        let rest = "at the start of the step, and must be farther apart than 0.001 m (minimum_separation): move one of them";
        assert_eq!(told(0.0), format!("\"lid\" and \"box\" touch or intersect {rest}"));
        assert_eq!(told(5e-4), format!("\"lid\" and \"box\" are 5e-4 m apart {rest}"));
    }
}
