//! What every contact method offers, and what it reports.

use rigor_math::Vec3;

use crate::body::BodyId;
use crate::notice::{Flaw, Notice};
use crate::particle::ParticleId;
use crate::piece::Piece;
use crate::scene::Scene;
use crate::state::State;

/// A way to advance a scene in time. It holds settings and scratch memory only: what the future depends on is in the
/// [`State`].
pub trait Method: Send {
    /// The name by which the program and scene files know it.
    fn name(&self) -> &str;

    /// Whether the method can simulate `scene`.
    ///
    /// # Errors
    /// The reason why it cannot; a comparison then skips it and says so.
    fn supports(&self, scene: &Scene) -> Result<(), Unsupported>;

    /// What `scene`, which the method supports, asks for and the method does not do as asked in steps of `dt` (s): one
    /// notice for each quantity. A method must tell everything that it ignores or changes.
    fn notices(&self, _scene: &Scene, _dt: f64) -> Vec<Notice> {
        Vec::new()
    }

    /// Advances `state` by `dt` (s).
    ///
    /// The state's `step` and `time` are advanced by [`roll_out`](crate::roll_out()), not here: during the call they tell the
    /// start of the step. Bodies with a prescribed motion must end at `body.prescribed(state.time + dt)`.
    ///
    /// # Errors
    /// [`StepError`] when the step could not be completed; the state is then as it was.
    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError>;

    /// Writes whatever the method keeps outside of `state` into its memory, so that the run can be resumed from there.
    ///
    /// Our own methods keep nothing; an engine with a world of its own stores an image of it.
    ///
    /// # Errors
    /// [`StepError`] when the image cannot be made.
    fn save(&mut self, _state: &mut State) -> Result<(), StepError> {
        Ok(())
    }
}

/// Why a method cannot simulate a scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{method} does not support {what}")]
pub struct Unsupported {
    /// The method.
    pub method: String,
    /// What it lacks, as `joints`.
    pub what: String,
}

/// Why a step could not be completed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A result that is NaN or infinite.
    #[error("{quantity} of {name:?} ({body}) is not a finite number")]
    NotFinite {
        /// The body.
        body: BodyId,
        /// Its name.
        name: String,
        /// "pose", "linear velocity", ….
        quantity: &'static str,
    },
    /// A request that makes no sense, such as a negative step.
    #[error("{what}")]
    Invalid {
        /// What is wrong, with the number.
        what: String,
    },
    /// The method's own algorithm could not go on.
    #[error("{what}")]
    Failed {
        /// What happened, with numbers.
        what: String,
        /// The bodies involved.
        bodies: Vec<BodyId>,
    },
    /// Particles, or what holds them, with which the method cannot go on.
    #[error("{what}")]
    Particles {
        /// What is wrong, with numbers and with the names of [`Scene::particle_name`] and [`Scene::bond_name`].
        what: String,
        /// The particles involved.
        particles: Vec<ParticleId>,
    },
}

/// What one step did, in terms common to all methods.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// Iterations of the method's own kind: Newton steps, substeps × sweeps, ….
    pub iterations: u64,
    /// How far the method's own equations are from being met at the end, in its own unit; `None`: not measured.
    pub residual: Option<f64>,
    /// Contacts at the end of the step, with their forces.
    pub contacts: Vec<ContactReport>,
    /// What each joint of the scene did, in their order; empty where the method has no joints.
    pub joints: Vec<JointReport>,
    /// What bodies did to particles in the step; a particle and a body have one entry.
    pub particle_contacts: Vec<ParticleContactReport>,
    /// The smallest distance (m, negative: penetration) that the method saw in this step; `None`: nothing near.
    pub min_distance: Option<f64>,
    /// Continuous-collision queries.
    pub ccd_queries: u64,
    /// Seconds per phase; the same phases in the same order in every step.
    pub phases: Vec<PhaseTime>,
    /// What else the method tells of itself; the same quantities in the same order in every step.
    pub quantities: Vec<Quantity>,
    /// What is wrong with the result of the step although it did not fail; each flaw at most once.
    pub flaws: Vec<Flaw>,
    /// The path that bodies took from the state before the step to the one after it; `None`: not recorded. With it a judge
    /// can prove what happened between the states.
    pub path: Option<Vec<Piece>>,
}

impl StepReport {
    /// The value of the quantity `name`, if the method tells it.
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

/// A number that a method tells of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// Its name, one word of letters, digits and `_`: "kappa", "factorizations", ….
    pub name: &'static str,
    /// Its unit; "1" for counts and ratios.
    pub unit: &'static str,
    /// Its value in this step.
    pub value: f64,
}

/// The contact of a particle with a body, all points together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParticleContactReport {
    /// The particle, pushed along `normal_world`.
    pub particle: ParticleId,
    /// The body, pushed against it.
    pub body: BodyId,
    /// Where on the body (m, world).
    pub point_world: Vec3,
    /// Unit vector along the mean of the normal forces on the particle (world).
    pub normal_world: Vec3,
    /// Signed gap (m) between the body and the particle's sphere, negative: penetration.
    pub distance: f64,
    /// Mean normal force on the particle over the step (N, ≥ 0).
    pub normal_force: f64,
    /// Mean friction force on the particle over the step (N, world).
    pub friction_force_world: Vec3,
    /// Velocity of the particle against the body at the point, tangential to the contact (m/s, world).
    pub slip_velocity_world: Vec3,
    /// The Coulomb coefficients in force: (μ_s, μ_d).
    pub friction: (f64, f64),
}

/// One contact point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactReport {
    /// The body pushed along `normal_world`.
    pub body_a: BodyId,
    /// The body pushed against it.
    pub body_b: BodyId,
    /// Where (m, world).
    pub point_world: Vec3,
    /// Unit normal, from b towards a (world).
    pub normal_world: Vec3,
    /// Signed gap along the normal (m), negative: penetration.
    pub distance: f64,
    /// Mean normal force on a over the step along the normal (N, ≥ 0).
    pub normal_force: f64,
    /// Mean friction force on a over the step (N, world).
    pub friction_force_world: Vec3,
    /// Velocity of a against b at the point, tangential to the contact (m/s, world).
    pub slip_velocity_world: Vec3,
    /// The Coulomb coefficients in force: (μ_s, μ_d).
    pub friction: (f64, f64),
}

/// What one joint did in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointReport {
    /// Its place in [`Scene::joints`].
    pub joint: usize,
    /// Mean force on a over the step (N, world), at the origin of its frame A.
    pub force_world: Vec3,
    /// Mean torque on a over the step (N m, world), besides that of the force.
    pub torque_world: Vec3,
    /// How far apart the joint is at the end, or beyond a bound (m, ≥ 0).
    pub position_error: f64,
    /// How far it is twisted at the end, or beyond a bound (rad, ≥ 0).
    pub angle_error: f64,
    /// Whether it is broken at the end.
    pub broken: bool,
}
