//! Settings of `xpbd`, and those that `pbd` shares with it.

use std::ops::Bound;

use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Declares the settings of a method: `$first`, then the settings that `xpbd` and `pbd` share, with `$joints` in
/// between.
macro_rules! settings {
    ($(#[$about:meta])* $name:ident { $($first:tt)* } { $($joints:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($first)*
            /// Substeps per step: h = Δt / substeps. \[Mueller2020\] recommends many substeps of one
            /// iteration each; \[Mueller2007\] uses one substep.
            pub substeps: u32,
            /// Sweeps over all position constraints per substep. Later sweeps skip pairs of bodies whose
            /// contact forces would change by less than 1e-4 of the largest, so extra sweeps cost little
            /// where bodies rest.
            pub iterations: u32,
            /// k ≥ 1 in the broad phase: boxes grow by k Δt ‖v‖. \[Mueller2020\] §3.4 uses 2.
            pub safety: f64,
            /// How the contacts of two bodies are solved: together, or one after another as in the source.
            pub contacts: $crate::config::ContactSolver,
            /// Maximum sweeps over the contacts of one pair of bodies per iteration. They stop early when
            /// nothing changes by more than 1e-4 of the largest. Few sweeps are fast and leave the remaining
            /// error to the next iteration.
            pub contact_sweeps: u32,
            $($joints)*
            /// Time (s) over which joints that start apart, outside of a bound or away from the goal of a rigid drive are
            /// closed, in poses alone; 0 closes them in the first substep.
            pub closing_time: f64,
            /// Maximum existing overlap of two surfaces that is still pushed apart, as a fraction of the
            /// smaller body's radius.
            pub overlap: f64,
            /// How constraints are swept.
            pub solver: $crate::config::Solver,
            /// Order in which bonds, attachments and joints are solved.
            pub order: $crate::config::Order,
            /// ω in (0, 2): factor on every correction of `jacobi`.
            pub relaxation: f64,
            /// Whether `jacobi` divides each correction by the largest number of constraints at one of its
            /// particles or bodies. Without it, `jacobi` needs a small relaxation.
            pub averaging: bool,
            /// How particles move and how their velocities are derived.
            pub integrator: $crate::config::Integrator,
            /// Whether particles that only their bonds push get back the angular momentum that a substep takes from them. The
            /// sources' substeps do not.
            pub keep_angular_momentum: bool,
            /// What computes the substeps.
            pub device: $crate::config::Device,
            /// Part of the name of the adapter that the device `gpu` uses. Default: the first one, graphics processors
            /// on cards before those in processors before software. An unknown name is an error that lists all.
            pub adapter: Option<String>,
        }
    };
}

/// Builds `$name` from its own settings and from those that `xpbd` and `pbd` share, copied from `$from`.
macro_rules! with_shared_settings {
    ($from:expr => $name:path { $($own:ident: $value:expr),* $(,)? }) => {{
        let from = $from;
        $name {
            $($own: $value,)*
            substeps: from.substeps,
            iterations: from.iterations,
            safety: from.safety,
            contacts: from.contacts,
            contact_sweeps: from.contact_sweeps,
            closing_time: from.closing_time,
            overlap: from.overlap,
            solver: from.solver,
            order: from.order,
            relaxation: from.relaxation,
            averaging: from.averaging,
            integrator: from.integrator,
            keep_angular_momentum: from.keep_angular_momentum,
            device: from.device,
            adapter: from.adapter.clone(),
        }
    }};
}

pub(crate) use {settings, with_shared_settings};

settings! {
    /// Settings of the `xpbd` method.
    Config {
        /// Maximum motion in a substep of two bodies that may meet, as a fraction of the smaller one's
        /// radius. Where they are faster, the whole step has more than `substeps` substeps.
        pub max_motion: f64,
        /// Maximum number of substeps of a step with fast bodies; where even that is too few, the step takes them all and has the
        /// flaw `too_fast`. At most `substeps`: no step has more of them.
        pub max_substeps: u32,
    } {
        /// How joints are solved: one after another as in the source, or whole trees at once.
        pub joints: JointSolver,
    }
}

/// How the constraints of an iteration are swept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Solver {
    /// One after another, each from the positions that the previous one left.
    #[default]
    GaussSeidel,
    /// The same, alternately forwards and backwards.
    Symmetric,
    /// Gauss–Seidel colour by colour: constraints of one colour share no particle or body and are solved in
    /// parallel, with the same result for any number of threads.
    Coloured,
    /// All from the same positions.
    Jacobi,
    /// As `coloured`, with the edges along each strand coloured alternately: even edges first, then odd ones.
    RedBlack,
}

/// The order of constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As listed in the scene.
    #[default]
    Given,
    /// Last first.
    Reversed,
    /// A random permutation with this seed.
    Shuffled(u64),
}

/// How particles are integrated; bodies are not affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// v ← v + h g, x ← x + h v; then v ← (x − x_prev)/h.
    #[default]
    SymplecticEuler,
    /// x(t + h) = 2x(t) − x(t − h) + h² g. From the second substep on, the same update as symplectic Euler;
    /// the first substep gains half as much velocity, so x is exact under gravity and v lags half a substep.
    Verlet,
    /// x ← x + h v + ½h² g; then v ← (x − x_prev)/h + ½ h g: both exact under gravity.
    VelocityVerlet,
}

/// What computes the substeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// The processor, with double precision.
    #[default]
    Cpu,
    /// A graphics processor, with single precision, either for particles with distance bonds alone, where `solver` must
    /// be `coloured`, `red_black` or `jacobi`, or for bodies with balls, hinges and welds; where bodies can touch,
    /// they must be convex, `contacts` must be `sequential` and `solver` `gauss_seidel`. Needs a build with
    /// `--features gpu`.
    Gpu,
}

/// How the contacts of two bodies are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContactSolver {
    /// All contacts of a pair together, as one small Coulomb problem warm-started from the multipliers of the
    /// previous substep; Gauss–Seidel from pair to pair. A box on four corners stays in place.
    #[default]
    Block,
    /// One contact after another, as printed in \[Mueller2020\]: each starts at λ = 0, with static friction
    /// on positions and dynamic friction on velocities. The contact solved first takes most of the load, so
    /// resting bodies creep.
    Sequential,
}

/// How joints are solved in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JointSolver {
    /// One after another, and back again where more than two joints meet at a body or bodies are joined in a loop: there
    /// sweeps in one direction alone would let rounding errors grow.
    #[default]
    Balanced,
    /// One after another, in one direction.
    Sweep,
    /// Balls, hinges, welds and distance joints in trees of bodies are solved at once, exactly up to
    /// nonlinearity; before them loops, limits, drives and other joints, one after another.
    Direct,
}

impl Default for Config {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Config {
    /// Default settings.
    pub const DEFAULT: Self = Self {
        max_motion: 0.15,
        max_substeps: 2000,
        substeps: 20,
        iterations: 1,
        safety: 2.0,
        contacts: ContactSolver::Block,
        contact_sweeps: 20,
        joints: JointSolver::Balanced,
        closing_time: 0.2,
        overlap: 0.1,
        solver: Solver::GaussSeidel,
        order: Order::Given,
        relaxation: 1.0,
        averaging: true,
        integrator: Integrator::SymplecticEuler,
        keep_angular_momentum: true,
        device: Device::Cpu,
        adapter: None,
    };

    /// Checks that every setting is in range.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and the allowed range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let half_open = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(1.0));
        let open = Allowed::numbers(Bound::Excluded(0.0), Bound::Excluded(2.0));
        Allowed::integers(1, 100_000).check("substeps", self.substeps)?;
        Allowed::integers(1, 100_000).check("max_substeps", self.max_substeps)?;
        Allowed::integers(1, 100_000).check("iterations", self.iterations)?;
        Allowed::integers(1, 10_000).check("contact_sweeps", self.contact_sweeps)?;
        Allowed::numbers(Bound::Included(0.0), Bound::Unbounded).check("closing_time", self.closing_time)?;
        Allowed::numbers(Bound::Included(1.0), Bound::Unbounded).check("safety", self.safety)?;
        half_open.check("overlap", self.overlap)?;
        Allowed::numbers(Bound::Excluded(0.0), Bound::Unbounded).check("max_motion", self.max_motion)?;
        open.check("relaxation", self.relaxation)?;
        if self.device == Device::Gpu { self.validate_for_gpu() } else { Ok(()) }
    }

    /// Checks what the device `gpu` does not have.
    fn validate_for_gpu(&self) -> Result<(), ConfigError> {
        let only = |setting, word: &str, words, when| Allowed::Words { words, when }.check(setting, word);
        if !cfg!(feature = "gpu") {
            only("device", "gpu", &["cpu"], "in this build, which was made without `--features gpu`")?;
        }
        let solver = match self.solver {
            Solver::GaussSeidel => "gauss_seidel",
            Solver::Symmetric => "symmetric",
            Solver::Coloured => "coloured",
            Solver::Jacobi => "jacobi",
            Solver::RedBlack => "red_black",
        };
        only("solver", solver, &["gauss_seidel", "coloured", "red_black", "jacobi"], "on the device \"gpu\"")
    }
}
