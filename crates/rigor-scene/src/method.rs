//! The interface of a contact method, and its reports.

use rigor_math::Vec3;

use crate::body::BodyId;
use crate::flaw::Flaw;
use crate::notice::Notice;
use crate::particle::ParticleId;
use crate::piece::PathPiece;
use crate::scene::Scene;
use crate::state::State;
use crate::step_error::StepError;
use crate::unsupported::Unsupported;

/// A way to advance a scene in time.
///
/// A method holds settings and scratch memory only; everything that the future depends on is in the
/// [`State`].
pub trait Method: Send {
    /// The name used by the program and in scene files.
    fn name(&self) -> &str;

    /// Whether the method can simulate `scene`.
    ///
    /// # Errors
    /// The reason why not; a comparison then skips the method and reports the reason.
    fn supports(&self, scene: &Scene) -> Result<(), Unsupported>;

    /// Returns one notice for each quantity that a supported `scene` asks for and the method ignores or
    /// changes in steps of `dt` (s). The list must be complete.
    fn notices(&self, _scene: &Scene, _dt: f64) -> Vec<Notice> {
        Vec::new()
    }

    /// Returns the values that the method derives from `scene` and steps of `dt` (s) where its settings leave them open,
    /// such as a tolerance or a stiffness.
    fn derived(&mut self, _scene: &Scene, _dt: f64) -> Vec<Quantity> {
        Vec::new()
    }

    /// Advances `state` by `dt` (s).
    ///
    /// [`roll_out`](crate::roll_out()) advances the state's `step` and `time`; during this call they are
    /// those of the start of the step. Static and kinematic bodies must end at `body.prescribed(state.time +
    /// dt)`.
    ///
    /// # Errors
    /// [`StepError`] if the step could not be completed; `state` is then unchanged.
    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError>;

    /// Writes everything that the method keeps outside of `state` into its memory, so that a run can be
    /// resumed from there.
    ///
    /// Our own methods keep nothing; an engine with its own world stores an image of it.
    ///
    /// # Errors
    /// [`StepError`] if the image cannot be made.
    fn save(&mut self, _state: &mut State) -> Result<(), StepError> {
        Ok(())
    }
}

/// Report of one step, in terms common to all methods.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// Iterations in the method's own sense: Newton iterations, substeps × sweeps, ….
    pub iterations: u64,
    /// Residual of the method's own equations at the end of the step, in its own unit; `None` if not
    /// measured.
    pub residual: Option<f64>,
    /// Contacts at the end of the step, with their forces.
    pub contacts: Vec<ContactReport>,
    /// One report per joint of the scene, in its order; empty if the method has no joints.
    pub joints: Vec<JointReport>,
    /// Contacts of particles with bodies in the step, one entry per pair.
    pub particle_contacts: Vec<ParticleContactReport>,
    /// Minimum distance (m; negative for penetration) seen in this step; `None` if nothing was near.
    pub min_distance: Option<f64>,
    /// Number of continuous-collision queries.
    pub ccd_queries: u64,
    /// Seconds per phase; all steps list the same phases in the same order.
    pub phases: Vec<PhaseTime>,
    /// Further figures of the method; all steps list the same quantities in the same order.
    pub quantities: Vec<Quantity>,
    /// Flaws of a step that did not fail, in any order. [`roll_out`](crate::roll_out()) adds those that it
    /// [finds itself](crate::inspect()).
    pub flaws: Vec<Flaw>,
    /// Energy (J) that springs of the method's own contacts, such as a barrier, released in the step; negative if they
    /// took it, ∞ if it is not known. `None` if contacts are rigid and store none.
    pub released: Option<f64>,
    /// The path of the bodies from the state before the step to the state after it; `None` if not recorded. A
    /// judge can use it to prove what happened between the two states.
    pub path: Option<Vec<PathPiece>>,
}

impl StepReport {
    /// Returns the value of the quantity `name`, if the method reports it.
    pub fn quantity(&self, name: &str) -> Option<f64> {
        self.quantities.iter().find(|quantity| quantity.name == name).map(|quantity| quantity.value)
    }
}

/// Seconds spent in one phase of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseTime {
    /// "broad phase", "solve", ….
    pub phase: &'static str,
    /// Seconds by the [`Clock`](crate::Clock) lent to the method.
    pub seconds: f64,
}

/// A figure that a method reports about itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// Its name, one word of letters, digits and `_`: "kappa", "factorizations", ….
    pub name: &'static str,
    /// Its unit; "1" for counts and ratios.
    pub unit: &'static str,
    /// Its value in this step.
    pub value: f64,
}

/// The contact of a particle with a body, all contact points together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParticleContactReport {
    /// The particle, pushed along `normal_world`.
    pub particle: ParticleId,
    /// The body, pushed the opposite way.
    pub body: BodyId,
    /// Contact point on the body (m, world).
    pub point_world: Vec3,
    /// Unit vector along the mean of the normal forces on the particle (world).
    pub normal_world: Vec3,
    /// Signed gap (m) between the body and the particle's sphere; negative for penetration.
    pub distance: f64,
    /// Mean normal force on the particle over the step (N, ≥ 0).
    pub normal_force: f64,
    /// Mean friction force on the particle over the step (N, world).
    pub friction_force_world: Vec3,
    /// Tangential velocity of the particle relative to the body at the point (m/s, world).
    pub slip_velocity_world: Vec3,
    /// Coulomb coefficients of this contact: (μ_s, μ_d).
    pub friction: (f64, f64),
}

/// One contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactReport {
    /// The body pushed along `normal_world`.
    pub body_a: BodyId,
    /// The body pushed the opposite way.
    pub body_b: BodyId,
    /// Contact point (m, world).
    pub point_world: Vec3,
    /// Unit normal, from b towards a (world).
    pub normal_world: Vec3,
    /// Signed gap along the normal (m); negative for penetration.
    pub distance: f64,
    /// Mean normal force on a over the step along the normal (N, ≥ 0).
    pub normal_force: f64,
    /// Mean friction force on a over the step (N, world).
    pub friction_force_world: Vec3,
    /// Tangential velocity of a relative to b at the point (m/s, world).
    pub slip_velocity_world: Vec3,
    /// Coulomb coefficients of this contact: (μ_s, μ_d).
    pub friction: (f64, f64),
}

/// Report of one joint in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointReport {
    /// Index in [`Scene::joints`].
    pub joint: usize,
    /// Mean force on a over the step (N, world), at the origin of its frame A.
    pub force_world: Vec3,
    /// Mean torque on a over the step (N m, world), in addition to that of the force.
    pub torque_world: Vec3,
    /// Constraint drift in position at the end of the step: separation, or excess beyond a bound (m, ≥ 0).
    pub position_error: f64,
    /// Constraint drift in angle at the end of the step: twist, or excess beyond a bound (rad, ≥ 0).
    pub angle_error: f64,
    /// Turn at the end of the step (rad), counted over whole turns; `None` where the method does not count it.
    pub turn: Option<f64>,
    /// Whether it is broken at the end of the step.
    pub broken: bool,
}
