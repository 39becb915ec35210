//! Settings.

use std::ops::Bound;

use rigor_joint::Closing;
use rigor_nonsmooth::Law;
use rigor_nonsmooth::solver::{
    AcceleratedGradient, Admm, GaussSeidel, InteriorPoint, Lemke, Newton, ProjectedGaussSeidel,
    RegularisedNewton, Relay, Solver,
};
use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Settings of the `nonsmooth` method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Substeps per step: h = Δt/substeps.
    pub substeps: u32,
    /// Maximum motion in a substep of two bodies that may meet, as a fraction of the smaller one's radius. Where they are faster,
    /// the whole step has more than `substeps` substeps.
    pub max_motion: f64,
    /// Maximum number of substeps of a step with fast bodies; where even that is too few, the step has the flaw `too_fast`.
    pub max_substeps: u32,
    /// The law of contact.
    pub law: ContactLaw,
    /// Number of faces of the pyramids of the law `pyramid`.
    pub faces: u32,
    /// R of the law `regularised`, over the inverse mass of each contact.
    pub softness: f64,
    /// What solves the problem of a substep.
    pub solver: ContactSolver,
    /// Residual that solves the problem, over the largest velocity of its bodies.
    pub tolerance: f64,
    /// Maximum number of iterations of the solver in a substep.
    pub iterations: u32,
    /// What happens where bodies approach each other at several contacts at once.
    pub impacts: Impacts,
    /// What closes gaps of joints and overlaps that the velocities leave.
    pub stabilization: Stabilization,
    /// Fraction of the error that `baumgarte` removes in a substep.
    pub baumgarte: f64,
    /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖.
    pub safety: f64,
    /// Maximum existing overlap of two surfaces that is still pushed apart, as a fraction of the smaller body's radius.
    pub overlap: f64,
}

/// The law of contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactLaw {
    /// Coulomb's law.
    #[default]
    Coulomb,
    /// The convex law, with which what slides lifts off. Source: \[Anitescu2006\].
    Convex,
    /// Coulomb's law with a regular polygon in place of the disc.
    Pyramid,
    /// The convex law with soft contacts, whose loads creep. Source: \[Castro2022\].
    Regularised,
}

/// What solves the problem of a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactSolver {
    /// Under Coulomb's law sweeps, then Newton's method where up to 300 contacts are connected, interior points where up to 60 are, then gradients and
    /// alternating directions, each from where the last one ended. Under the others a solver that knows them.
    #[default]
    Automatic,
    /// Sweeps, then interior points, splitting, Newton's method and gradients, each from where the last one ended.
    Relay,
    /// One contact after another, each solved exactly.
    GaussSeidel,
    /// One direction after another, on pyramids; a box in place of the cone.
    ProjectedGaussSeidel,
    /// Nesterov's gradients with projection.
    AcceleratedGradient,
    /// Alternating directions.
    Admm,
    /// A semismooth Newton method.
    Newton,
    /// Newton's method on the soft problem.
    RegularisedNewton,
    /// Interior points.
    InteriorPoint,
    /// Pivots on pyramids; up to 2000 unknowns.
    Lemke,
}

/// What happens where bodies approach each other at several contacts at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Impacts {
    /// One set of approaching contacts after another, until none approaches: a blow travels through a row of balls. Source: the
    /// generalized reflections of \[Smith2012\].
    #[default]
    Reflections,
    /// All contacts at once by Newton's law, u_N⁺ = −e u_N⁻: of a row of balls that touch all move on.
    Newton,
}

/// What closes gaps of joints and overlaps that the velocities leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stabilization {
    /// Poses are projected, and velocities are not changed. Source: the combined scheme of \[Acary2013\].
    #[default]
    Projection,
    /// Velocities close a part of each error in each substep, and add energy. Source: \[Baumgarte1972\].
    Baumgarte,
    /// Nothing: errors grow.
    None,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            substeps: 10,
            max_motion: 0.15,
            max_substeps: 2000,
            law: ContactLaw::Coulomb,
            faces: 8,
            softness: 1e-3,
            solver: ContactSolver::Automatic,
            tolerance: 1e-9,
            iterations: 1000,
            impacts: Impacts::Reflections,
            stabilization: Stabilization::Projection,
            baumgarte: 0.2,
            safety: 2.0,
            overlap: 0.1,
        }
    }
}

impl Config {
    /// How errors are closed.
    pub(crate) fn closing(&self) -> Closing {
        match self.stabilization {
            Stabilization::Projection => Closing::InPoses,
            Stabilization::Baumgarte => Closing::ByVelocity(self.baumgarte),
            Stabilization::None => Closing::None,
        }
    }

    /// Checks that every setting is in range, and that the solver knows the law.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and what is allowed.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let part = || Allowed::numbers(Bound::Excluded(0.0), Bound::Included(1.0));
        let positive = || Allowed::numbers(Bound::Excluded(0.0), Bound::Unbounded);
        Allowed::integers(1, 100_000).check("substeps", self.substeps)?;
        Allowed::integers(1, 100_000).check("max_substeps", self.max_substeps)?;
        positive().check("max_motion", self.max_motion)?;
        Allowed::integers(3, 1000).check("faces", self.faces)?;
        positive().check("softness", self.softness)?;
        part().check("tolerance", self.tolerance)?;
        Allowed::integers(1, 1_000_000_000).check("iterations", self.iterations)?;
        part().check("baumgarte", self.baumgarte)?;
        Allowed::numbers(Bound::Included(1.0), Bound::Unbounded).check("safety", self.safety)?;
        part().check("overlap", self.overlap)?;
        let law = self.law(1.0);
        if self.solver != ContactSolver::Automatic && !self.solver(&law, 0).knows(&law) {
            let words = self.solver.laws();
            let setting = match self.law {
                ContactLaw::Coulomb => "coulomb",
                ContactLaw::Convex => "convex",
                ContactLaw::Pyramid => "pyramid",
                ContactLaw::Regularised => "regularised",
            };
            return Allowed::Words { words, when: "with this solver" }.check("law", setting);
        }
        Ok(())
    }

    /// The law, with R = `softness` · `scale` (1/kg).
    pub(crate) fn law(&self, scale: f64) -> Law {
        match self.law {
            ContactLaw::Coulomb => Law::Coulomb,
            ContactLaw::Convex => Law::Convex,
            ContactLaw::Pyramid => Law::Pyramid { faces: self.faces },
            ContactLaw::Regularised => Law::Regularised { compliance: self.softness * scale },
        }
    }

    /// The solver of a problem of so many blocks.
    pub(crate) fn solver(&self, law: &Law, blocks: usize) -> Box<dyn Solver> {
        match self.solver {
            ContactSolver::Automatic => match law {
                Law::Coulomb => Box::new(automatic(blocks)),
                Law::Pyramid { .. } => Box::new(ProjectedGaussSeidel),
                Law::Regularised { .. } if blocks <= SMALL => Box::new(RegularisedNewton),
                Law::Convex if blocks <= SMALL => Box::new(Relay::default()),
                Law::Convex | Law::Regularised { .. } => Box::new(AcceleratedGradient),
            },
            ContactSolver::Relay => Box::new(Relay::default()),
            ContactSolver::GaussSeidel => Box::new(GaussSeidel::default()),
            ContactSolver::ProjectedGaussSeidel => Box::new(ProjectedGaussSeidel),
            ContactSolver::AcceleratedGradient => Box::new(AcceleratedGradient),
            ContactSolver::Admm => Box::new(Admm::default()),
            ContactSolver::Newton => Box::new(Newton::default()),
            ContactSolver::RegularisedNewton => Box::new(RegularisedNewton),
            ContactSolver::InteriorPoint => Box::new(InteriorPoint::default()),
            ContactSolver::Lemke => Box::new(Lemke),
        }
    }
}

/// Number of blocks up to which the automatic solver tries whatever there is.
const SMALL: usize = 60;

/// Number of blocks up to which it tries Newton's method.
const MEDIUM: usize = 300;

/// The solver of a Coulomb problem of so many blocks from impulses that are nearly right: those of the substep before.
fn automatic(blocks: usize) -> Relay {
    let newton = || Box::new(Newton { sweeps: 0, ..Newton::default() });
    let mut stages: Vec<(Box<dyn Solver>, u64)> = vec![(Box::new(GaussSeidel { symmetric: true }), 6)];
    if blocks <= MEDIUM {
        stages.push((newton(), 40));
    }
    if blocks <= SMALL {
        stages.push((Box::new(InteriorPoint::default()), 150));
    }
    stages.push((Box::new(AcceleratedGradient), 300));
    if blocks <= MEDIUM {
        stages.push((newton(), 60));
        stages.push((Box::new(Admm::default()), 300));
    }
    Relay { stages }
}

impl ContactSolver {
    /// The laws that the solver knows.
    fn laws(self) -> &'static [&'static str] {
        match self {
            Self::Automatic => &["coulomb", "convex", "pyramid", "regularised"],
            Self::Relay | Self::Admm | Self::InteriorPoint | Self::AcceleratedGradient => {
                &["coulomb", "convex", "regularised"]
            }
            Self::GaussSeidel | Self::Newton => &["coulomb"],
            Self::ProjectedGaussSeidel | Self::Lemke => &["pyramid"],
            Self::RegularisedNewton => &["regularised"],
        }
    }
}
