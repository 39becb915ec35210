//! Settings.

use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Settings of the `ipc` method. Those that are `None` are derived from the scene, see `docs/methods/ipc.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// d̂ (m): contact forces act below this distance. Default: 10⁻³ of the diagonal of the smallest moving
    /// body, or the smallest initial distance between bodies if that is less, but at least 10⁻⁶ of the
    /// diagonal.
    pub d_hat: Option<f64>,
    /// What the barrier does to bodies that start within a given `d_hat`.
    pub start_within: StartWithin,
    /// Minimum distance (m) between surfaces; 0: surfaces may come arbitrarily close but never touch.
    pub minimum_separation: f64,
    /// κ (J/m⁴ s²): the stiffness of the barrier. Default: derived from mass, weight and d̂ in the first step,
    /// kept from step to step, and doubled when surfaces come closer than 10⁻³ d̂.
    pub kappa: Option<f64>,
    /// Maximum force imbalance at the end of a Newton solve, as the speed (m/s) that it would give any point
    /// of a body in one step. Default, and upper limit of the value used: the smaller of 10⁻⁴ h a and 0.1 d̂/h,
    /// where a is the largest acceleration by gravity and constant forces; without forces, a is the square of
    /// the largest initial speed over the diagonal of the box around the moving bodies.
    pub velocity_tolerance: Option<f64>,
    /// Whether `velocity_tolerance` is in m/s; otherwise it is multiplied by the diagonal of the box around
    /// all bodies at the start, as in the reference program.
    pub velocity_tolerance_is_absolute: bool,
    /// Termination criterion of a Newton solve.
    pub ending: Ending,
    /// Time integration: how bodies move from the end of one step to the end of the next.
    pub integrator: Integrator,
    /// With what velocities bodies leave an impact.
    pub restitution: Restitution,
    /// ε_v (m/s): sliding speed from which friction is fully developed. Default: 10⁻⁴ of the diagonal of the
    /// box around the moving bodies, per second.
    pub eps_v: Option<f64>,
    /// Friction rounds per step, each with the normal forces of the previous solution; 0: no friction; −1:
    /// until friction agrees with the normal forces of the same step.
    pub friction_iterations: i32,
    /// Maximum Newton iterations per solve; if they do not suffice, the step is halved.
    pub max_newton_iterations: u32,
    /// How often a step that Newton's method cannot finish is halved before the run stops. Such a step has the flaw
    /// `halved`. 0, or `max_substeps` of 1: it is not halved, and the run stops, as in \[Ferguson2021\].
    pub max_halvings: u32,
    /// Maximum number of substeps into which a step is divided for bodies that move or turn too far for one
    /// minimization; if they do not suffice, the step has the flaw `too_fast`. 1: never divided, as in
    /// \[Ferguson2021\].
    pub max_substeps: u32,
    /// Substeps per step of the flight of joined bodies, in which their joints hold, drive and damp them; more where they turn far.
    pub joint_substeps: u32,
    /// Which pairs of primitives the barrier sums over.
    pub pairs: Pairs,
    /// Whether bodies are rigid, or affine and stiff.
    pub bodies: Bodies,
    /// κ (Pa) of \[Lan2022\] eq. (7): the stiffness that keeps affine bodies nearly rigid.
    pub affine_stiffness: f64,
    /// Coordinates in which rigid bodies rotate.
    pub coordinates: Coordinates,
    /// Continuous collision detection: how much of a step two primitives are proven to stay apart.
    pub ccd: CcdMethod,
    /// How pairs of primitives that may meet in a step are found. Does not change the motion.
    pub broad_phase: BroadPhase,
    /// Whether each step reports the path that it took through its iterates, from which `rigor audit
    /// --certify` proves that bodies never touched. Does not change results.
    pub record_path: bool,
}

/// What the barrier does to bodies that start within a given d̂.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StartWithin {
    /// Nothing: the barrier of such a pair acts below the largest distance that the pair has had, until it exceeds d̂; at least below 10⁻² d̂.
    #[default]
    Narrowed,
    /// It pushes them apart, and what it stores becomes motion, as in \[Ferguson2021\].
    Pushed,
}

/// Termination criterion of a Newton solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Stops when ‖M⁻¹∇f‖/h, measured as the speed of a point, is at most the tolerance and the last step was
    /// not shortened.
    #[default]
    Balance,
    /// Stops as the reference program of \[Ferguson2021\] does: when the next full step would move no
    /// coordinate of any vertex by more than h times the tolerance, but not before the second iteration of a
    /// solve. The tolerance is used as given. With `friction_iterations = -1`, friction is updated until ‖∇f‖
    /// over the mean mass is at most 10⁻² of the diagonal.
    Reference,
}

/// Time integration: how bodies move from the end of one step to the end of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// q̃ = q + h q̇ + h² g, Q̃ = Q + h Q̇, as in \[Ferguson2021\]: first order; spin decays.
    ImplicitEuler,
    /// Free flight as in `free`; contact adds impulses by implicit Euler: first order.
    #[default]
    Impulse,
    /// Free flight as in `free`; contact adds impulses by the second-order backward differentiation formula
    /// where its forces change smoothly, and as in `impulse` elsewhere.
    Bdf2,
}

/// With what velocities bodies leave an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Restitution {
    /// With −e u_N⁻, e of the scene, where contacts met faster than gravity lets them in two steps, at that time within the step.
    #[default]
    Law,
    /// As the barrier and the integrator leave them, as in \[Ferguson2021\]: mostly none.
    None,
}

/// Which pairs of primitives the barrier sums over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pairs {
    /// Features that triangles share count once, and edges within a plane not at all: the barrier is flat
    /// along flat surfaces.
    #[default]
    Distinct,
    /// Every pair, as in \[Ferguson2021\] eq. (3).
    All,
}

/// What bodies are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bodies {
    /// A point x̂ is at Q x̂ + q with a rotation Q; between iterates it moves on a curve, as in \[Ferguson2021\].
    #[default]
    Rigid,
    /// A point x̂ is at A x̂ + q with a matrix A that a stiff energy keeps near a rotation; between iterates it moves on a straight line,
    /// as in \[Lan2022\]. Bodies that turn about two axes of three are refused.
    Affine,
}

/// Coordinates in which rigid bodies rotate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    /// Q ← exp(\[δ\]) Q, with δ = 0 at every iterate: a line search rotates each body about a fixed axis, and
    /// no rotation is singular.
    #[default]
    Local,
    /// Q = R(θ), the rotation vector of \[Ferguson2021\]: singular at ‖θ‖ = 2π.
    RotationVector,
}

/// Continuous collision detection: how much of a step two primitives are proven to stay apart. The names are those of
/// [`RigidMethod`](rigor_ccd::RigidMethod), with underscores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CcdMethod {
    /// Separating planes, which no tolerance limits.
    #[default]
    SeparatingPlane,
    /// Algorithm 1 of \[Ferguson2021\]: straight pieces, each with the minimum separation enlarged by the
    /// deviation from the chords, on intervals.
    PiecewiseLinearInterval,
}

/// How pairs of primitives that may meet in a step are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BroadPhase {
    /// Boxes around chords, enlarged by a closed-form bound, in up to 64 pieces of the step; pairs are kept from
    /// iteration to iteration where bodies hardly move.
    #[default]
    ClosedForm,
    /// Boxes from interval arithmetic over the whole step, \[Ferguson2021\] eqs. (15) and (17), in each iteration.
    Interval,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            d_hat: None,
            start_within: StartWithin::default(),
            minimum_separation: 0.0,
            kappa: None,
            velocity_tolerance: None,
            velocity_tolerance_is_absolute: true,
            ending: Ending::default(),
            integrator: Integrator::default(),
            restitution: Restitution::default(),
            eps_v: None,
            friction_iterations: -1,
            max_newton_iterations: 1000,
            max_halvings: 10,
            max_substeps: 2000,
            joint_substeps: 10,
            pairs: Pairs::Distinct,
            bodies: Bodies::Rigid,
            affine_stiffness: 1e9,
            coordinates: Coordinates::Local,
            ccd: CcdMethod::SeparatingPlane,
            broad_phase: BroadPhase::ClosedForm,
            record_path: false,
        }
    }
}

impl Config {
    /// Checks that each setting is in its range.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting, its value and the allowed range.
    ///
    /// ```
    /// let config = rigor_ipc::Config { d_hat: Some(-1.0), ..rigor_ipc::Config::default() };
    /// assert_eq!(config.validate().unwrap_err().setting, "d_hat");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        let positive = [
            ("d_hat", self.d_hat),
            ("kappa", self.kappa),
            ("velocity_tolerance", self.velocity_tolerance),
            ("eps_v", self.eps_v),
        ];
        for (name, value) in positive {
            value.map_or(Ok(()), |value| Allowed::POSITIVE.check(name, value))?;
        }
        Allowed::NOT_NEGATIVE.check("minimum_separation", self.minimum_separation)?;
        self.check_affine()?;
        Allowed::POSITIVE.check("affine_stiffness", self.affine_stiffness)?;
        Allowed::integers(-1, i64::MAX).check("friction_iterations", self.friction_iterations)?;
        Allowed::integers(1, i64::MAX).check("max_newton_iterations", self.max_newton_iterations)?;
        Allowed::integers(0, 30).check("max_halvings", self.max_halvings)?;
        Allowed::integers(1, i64::MAX).check("max_substeps", self.max_substeps)?;
        Allowed::integers(1, 1000).check("joint_substeps", self.joint_substeps)
    }

    /// Checks that what affine bodies do not have is not asked for.
    fn check_affine(&self) -> Result<(), ConfigError> {
        if self.bodies == Bodies::Rigid {
            return Ok(());
        }
        let only = |setting, word: &str, words| {
            Allowed::Words { words, when: "with affine bodies" }.check(setting, word)
        };
        let coordinates = match self.coordinates {
            Coordinates::Local => "local",
            Coordinates::RotationVector => "rotation_vector",
        };
        let ccd = match self.ccd {
            CcdMethod::SeparatingPlane => "separating_plane",
            CcdMethod::PiecewiseLinearInterval => "piecewise_linear_interval",
        };
        only("coordinates", coordinates, &["local"])?;
        only("ccd", ccd, &["separating_plane"])
    }
}
