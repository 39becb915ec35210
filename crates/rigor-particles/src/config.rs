//! Settings.

use std::ops::Bound;

use rigor_scene::{Allowed, ConfigError};
use serde::{Deserialize, Serialize};

/// Settings of the `particles` method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Distance of neighbouring particles of a body (m), which is their diameter d. Default: as
    /// `particles_per_body` demands.
    pub spacing: Option<f64>,
    /// Number of particles that a dynamic body is to have, roughly; used without `spacing`.
    pub particles_per_body: u32,
    /// Maximum number of particles of all dynamic bodies; a scene that needs more is refused.
    pub max_particles: u32,
    /// Where the particles of a body lie.
    pub lattice: Lattice,
    /// Mass and inertia of a body.
    pub inertia: Inertia,
    /// The law of contact forces.
    pub model: Model,
    /// Overlap of particles, as a fraction of their diameter, from which the stiffness is derived: that of
    /// a body that hits a static one with a face's worth of particles at `speed`.
    pub overlap: f64,
    /// Speed of impact (m/s) for which the stiffness is derived. Default: from the initial velocities, the
    /// height from which bodies can fall, and their forces.
    pub speed: Option<f64>,
    /// k (N/m): stiffness of every contact of `hooke` and `harada`. Default: derived from `overlap`.
    pub stiffness: Option<f64>,
    /// Young's modulus (Pa) of every body, for `hertz`. Default: derived from `overlap`.
    pub young: Option<f64>,
    /// Poisson's ratio ν; the ratio of tangential to normal stiffness is 2 (1 − ν)/(2 − ν).
    pub poisson: f64,
    /// Whether contacts have a tangential spring. Without it friction is −c_t v_t, at most μ f_n, and has no history: nothing rests on
    /// a slope. Not used by `harada`, which has none.
    pub tangential_spring: bool,
    /// η (N s/m): damping of every contact. Default: derived from the coefficients of restitution.
    pub damping: Option<f64>,
    /// k_t (N s/m) of `harada`: shear force over tangential velocity. Default: η.
    pub shear: Option<f64>,
    /// Coefficient of rolling resistance: the maximum rolling torque is `rolling` R f_n, with R the
    /// effective radius of the two particles.
    pub rolling: f64,
    /// Work of adhesion w (J/m²): particles that touch attract each other with 2 π w R, with R the effective
    /// radius. Not used by `harada`.
    pub adhesion: f64,
    /// Substeps per half period of the fastest contact vibration; below 1.6 a step is unstable.
    pub steps_per_contact: f64,
    /// Maximum number of substeps per step; a step that needs more fails.
    pub max_substeps: u32,
    /// How many particles a cell of the grid holds.
    pub cells: Cells,
    /// Edge of a cell over the distance within which particles are listed, a diameter and the skin; 1 in
    /// \[Harada2007\]. Changes the time only; grains have a grid of their own.
    pub cell_edge: f64,
    /// Pairs of particles within the skin are kept until one has moved by half of it: at most this fraction of
    /// a diameter, less where the step needs less; 0: the grid is built in every substep, as in
    /// \[Harada2007\]. Does not change which particles touch.
    pub skin: f64,
    /// How bodies rotate in a substep.
    pub rotation: Rotation,
    /// Relative change of a fluid's density from which its speed of sound is derived: c = v/√`compression`, with v
    /// the speed of impact.
    pub compression: f64,
    /// c (m/s): speed of sound in fluids. Default: derived from `compression`.
    pub sound_speed: Option<f64>,
    /// Smoothing length of fluids over their spacing.
    pub smoothing: f64,
    /// α of the artificial viscosity of fluids \[Monaghan1992\], in addition to that of the scene.
    pub artificial_viscosity: f64,
    /// δ of the diffusion of density \[Molteni2009\]; 0: none.
    pub density_diffusion: f64,
    /// Courant number of fluids: a substep lasts at most this times h/(c + v).
    pub courant: f64,
    /// Whether fluids start with the pressure of fluid at rest, below the highest particle of each.
    pub hydrostatic: bool,
    /// What computes the substeps.
    pub device: Device,
    /// Part of the name of the adapter that the device `gpu` uses. Default: the first one, graphics processors
    /// on cards before those in processors before software. An unknown name is an error that lists all.
    pub adapter: Option<String>,
}

/// Where the particles of a body lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lattice {
    /// Compressed along each axis by less than one diameter, so that the outermost spheres touch the box
    /// around the body from inside. A box then has flat faces where its own are.
    #[default]
    Fitted,
    /// Cubic voxels, as in \[Harada2007\], centred in the box around the body.
    Cubic,
    /// As `fitted`; then particles whose centre is less than a diameter below the surface are moved to where they touch it from inside,
    /// so that round bodies roll over smaller steps.
    Shell,
}

/// Mass and inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Inertia {
    /// Those of the body itself.
    #[default]
    Body,
    /// The sum over its voxels, each of the body's density, as in \[Harada2007\].
    Particles,
}

/// The law of contact forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// A linear spring and a damper that never pull; a tangential spring bounded by Coulomb's law
    /// \[Cundall1979\].
    #[default]
    Hooke,
    /// The spring of Hertz, f = κ δ^{3/2}, with the tangential stiffness of Mindlin; else as `hooke`.
    Hertz,
    /// As printed in \[Harada2007\]: spring, damper and shear force proportional to velocity, at the centres
    /// of the particles. Friction coefficients are not used, contacts may pull, and angular momentum is not
    /// conserved.
    Harada,
}

/// How many particles a cell of the grid holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cells {
    /// Any number.
    #[default]
    All,
    /// The first four, as in the texture of \[Harada2007\]; contacts of the others are lost, and the report
    /// counts them.
    Four,
}

/// How bodies rotate in a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// As in `free`: exact without contact.
    #[default]
    Free,
    /// q ← [cos θ/2, a sin θ/2] q with θ = ‖ω‖ h, as in \[Harada2007\].
    Quaternion,
}

/// What computes the substeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// The processor, with double precision.
    #[default]
    Cpu,
    /// A graphics processor, with single precision: `model` must be `harada`, `cells` must be `all`. Needs a
    /// build with `--features gpu`.
    Gpu,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            spacing: None,
            particles_per_body: 64,
            max_particles: 200_000,
            lattice: Lattice::Fitted,
            inertia: Inertia::Body,
            model: Model::Hooke,
            overlap: 0.05,
            speed: None,
            stiffness: None,
            young: None,
            poisson: 0.3,
            tangential_spring: true,
            damping: None,
            shear: None,
            rolling: 0.0,
            adhesion: 0.0,
            steps_per_contact: 20.0,
            max_substeps: 5_000,
            cells: Cells::All,
            cell_edge: 1.0,
            skin: 0.2,
            rotation: Rotation::Free,
            compression: 0.01,
            sound_speed: None,
            smoothing: 1.5,
            artificial_viscosity: 0.02,
            density_diffusion: 0.1,
            courant: 0.3,
            hydrostatic: true,
            device: Device::Cpu,
            adapter: None,
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
    /// let config = rigor_particles::Config { overlap: 0.0, ..Default::default() };
    /// let error = config.validate().unwrap_err();
    /// assert_eq!(error.to_string(), "overlap is 0: it must be above 0 and at most 0.5");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        let optional = |setting, value: Option<f64>, allowed: Allowed| {
            value.map_or(Ok(()), |value| allowed.check(setting, value))
        };
        Allowed::integers(1, 10_000_000).check("particles_per_body", self.particles_per_body)?;
        Allowed::integers(1, 100_000_000).check("max_particles", self.max_particles)?;
        Allowed::integers(1, 1_000_000_000).check("max_substeps", self.max_substeps)?;
        let overlap = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(0.5));
        overlap.check("overlap", self.overlap)?;
        Allowed::numbers(Bound::Excluded(-1.0), Bound::Included(0.5)).check("poisson", self.poisson)?;
        let stable = Allowed::numbers(Bound::Included(1.6), Bound::Unbounded);
        stable.check("steps_per_contact", self.steps_per_contact)?;
        Allowed::numbers(Bound::Included(0.0), Bound::Included(10.0)).check("skin", self.skin)?;
        let edge = Allowed::numbers(Bound::Included(0.1), Bound::Included(100.0));
        edge.check("cell_edge", self.cell_edge)?;
        Allowed::NOT_NEGATIVE.check("rolling", self.rolling)?;
        Allowed::NOT_NEGATIVE.check("adhesion", self.adhesion)?;
        let fraction = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(0.1));
        fraction.check("compression", self.compression)?;
        let smoothing = Allowed::numbers(Bound::Included(1.0), Bound::Included(3.0));
        smoothing.check("smoothing", self.smoothing)?;
        let diffusion = Allowed::numbers(Bound::Included(0.0), Bound::Included(0.5));
        diffusion.check("density_diffusion", self.density_diffusion)?;
        let courant = Allowed::numbers(Bound::Excluded(0.0), Bound::Included(0.5));
        courant.check("courant", self.courant)?;
        Allowed::NOT_NEGATIVE.check("artificial_viscosity", self.artificial_viscosity)?;
        optional("sound_speed", self.sound_speed, Allowed::POSITIVE)?;
        optional("spacing", self.spacing, Allowed::POSITIVE)?;
        optional("speed", self.speed, Allowed::POSITIVE)?;
        optional("stiffness", self.stiffness, Allowed::POSITIVE)?;
        optional("young", self.young, Allowed::POSITIVE)?;
        optional("damping", self.damping, Allowed::NOT_NEGATIVE)?;
        optional("shear", self.shear, Allowed::NOT_NEGATIVE)?;
        if self.device == Device::Gpu { self.validate_for_gpu() } else { Ok(()) }
    }

    /// Checks what the device `gpu` does not have.
    fn validate_for_gpu(&self) -> Result<(), ConfigError> {
        let only = |setting, word: &str, words, when| Allowed::Words { words, when }.check(setting, word);
        if !cfg!(feature = "gpu") {
            only("device", "gpu", &["cpu"], "in this build, which was made without `--features gpu`")?;
        }
        let model = match self.model {
            Model::Hooke => "hooke",
            Model::Hertz => "hertz",
            Model::Harada => "harada",
        };
        only("model", model, &["harada"], "on the device \"gpu\"")?;
        let cells = if self.cells == Cells::Four { "four" } else { "all" };
        only("cells", cells, &["all"], "on the device \"gpu\"")
    }

    /// Returns k_t/k_n = 2 (1 − ν)/(2 − ν).
    ///
    /// Source: \[Mindlin1949\], 8 G* √(R δ) over 2 E* √(R δ), for two bodies of the same material.
    pub(crate) fn tangential_ratio(&self) -> f64 {
        2.0 * (1.0 - self.poisson) / (2.0 - self.poisson)
    }
}
