//! Point masses.

use rigor_math::Vec3;

use crate::body::Friction;

/// Index into [`Scene::particles`](crate::Scene::particles).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParticleId(pub usize);

impl std::fmt::Display for ParticleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "particle {}", self.0)
    }
}

/// A point mass: a vertex of a rope, a cloth or a soft block, or a free marble.
#[derive(Debug, Clone, PartialEq)]
pub struct Particle {
    /// Mass (kg); infinity pins it.
    pub mass: f64,
    /// Contact radius (m); with 0 the particle touches bodies as a point and never touches other particles.
    pub radius: f64,
    /// Position at time 0 (m, world).
    pub position: Vec3,
    /// Velocity at time 0 (m/s, world).
    pub velocity: Vec3,
    /// Coulomb coefficients.
    pub friction: Friction,
    /// Coefficient of restitution e in [0, 1].
    pub restitution: f64,
    /// Particles of the same group never collide with each other; `None`: the particle collides with all.
    pub group: Option<u32>,
}

impl Particle {
    /// Creates a particle of `mass` (kg) at rest at `position` (m, world), without radius or friction.
    pub fn new(mass: f64, position: Vec3) -> Self {
        Self {
            mass,
            radius: 0.0,
            position,
            velocity: Vec3::zeros(),
            friction: Friction::uniform(0.0),
            restitution: 0.0,
            group: None,
        }
    }

    /// 1/m (1/kg); 0 for a pinned particle.
    pub fn inverse_mass(&self) -> f64 {
        1.0 / self.mass
    }

    /// Whether the particle never moves.
    pub fn is_pinned(&self) -> bool {
        self.mass == f64::INFINITY
    }
}
