//! One contact of two particles, or of a particle and an obstacle.

use rigor_math::Vec3;

use crate::mover::Origin;

/// What a particle touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ContactPartner {
    /// The mover of this index.
    Mover(u32),
    /// The obstacle of this index.
    Obstacle(u32),
}

/// Geometry of a contact at the start of a substep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactGeometry {
    /// Index of its [`Link`].
    pub link: u32,
    /// δ (m).
    pub overlap: f64,
    /// Unit normal towards the first particle (world).
    pub normal: Vec3,
    /// Where forces act on both sides (m, world).
    pub point: Vec3,
    /// Velocity (m/s) and spin (rad/s) of the first side relative to the second, world.
    pub velocity: Vec3,
    pub spin: Vec3,
}

/// A pair that may touch, with what it remembers.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    /// The first particle.
    pub particle: u32,
    /// The second one, or the obstacle.
    pub other: u32,
    /// 0 for a pair of particles; 1, 2 and 3 for the contacts of a particle with one obstacle.
    pub place: u8,
    /// Names of both, by which the state knows them: the particles of bodies come first, then grains by number.
    pub names: (u32, u32),
    /// Index of its [`Patch`].
    pub patch: u32,
    /// Effective radius R* (m).
    pub radius: f64,
    pub history: History,
    pub tally: Tally,
}

impl Link {
    /// Identifies the link, and sorts links.
    pub fn key(&self) -> (u32, u32, u8) {
        (self.names.0, self.names.1, self.place)
    }
}

/// What a contact remembers from substep to substep.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct History {
    /// Whether it touched in the last substep; without, the rest is void.
    pub touches: bool,
    /// Whether it slid.
    pub slides: bool,
    /// Normal (world).
    pub normal: Vec3,
    /// ξ (m, world): tangential displacement stored in the spring.
    pub shear: Vec3,
    /// θ (rad, world): rolling angle stored in the spring.
    pub roll: Vec3,
}

/// What a contact did in the step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// ∫ f_n dt (N s) and ∫ f_t dt (N s, world) on the first side.
    pub normal_impulse: f64,
    pub friction_impulse: Vec3,
    /// Geometry of its last substep.
    pub normal: Vec3,
    pub point: Vec3,
    pub gap: f64,
    pub slip: Vec3,
}

/// All contacts between the same two bodies.
#[derive(Debug, Clone)]
pub(crate) struct Patch {
    /// Index of the first body, and the second.
    pub a: u32,
    pub b: ContactPartner,
    pub origins: (Origin, Origin),
    /// κ of its springs.
    pub kappa: f64,
    /// ζ of its dampers.
    pub zeta: f64,
    /// Coulomb coefficients (μ_s, μ_d).
    pub friction: (f64, f64),
    /// N, Σ point (m) and Σ normal of the current contacts.
    pub count: u32,
    pub points: Vec3,
    pub normals: Vec3,
    /// Mass (kg) that one contact stops.
    pub mass: f64,
}
