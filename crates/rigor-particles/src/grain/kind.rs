//! Grains that are alike, and the constants of contacts between two of them.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{Particle, Scene};

use crate::config::{Config, Model};
use crate::force::Law;
use crate::friction::{Spring, damped};
use crate::mover::Material;
use crate::stiffness;
use crate::world::{Dampers, combined};

/// Extremes of the grains that can move.
///
/// A grain's spring is derived for an overlap relative to the smallest diameter, so that a large grain, however
/// light, does not swallow a small one. The stable substep, about √(m/κ) ∝ δ/v, is that of the smallest grain
/// anyway. A pinned grain is as stiff as one of the greatest mass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extremes {
    /// Greatest mass (kg).
    pub heaviest: f64,
    /// Smallest radius (m).
    pub smallest: f64,
}

impl Extremes {
    pub fn of(particles: &[Particle]) -> Self {
        let free = || particles.iter().filter(|p| !p.is_pinned());
        Self {
            heaviest: free().map(|p| p.mass).fold(0.0, f64::max),
            smallest: free().map(|p| p.radius).fold(f64::INFINITY, f64::min),
        }
    }
}

/// What grains of one kind have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub radius: f64,
    pub inverse_mass: f64,
    /// 1/I with I = 2/5 m r² (1/(kg m²)); 0 if pinned.
    pub inverse_moment: f64,
    pub material: Material,
    pub group: Option<u32>,
    /// κ of a particle, against a rigid obstacle.
    pub kappa: f64,
}

/// What tells kinds apart, as bits: mass, radius, friction, restitution, group.
pub(crate) type Key = ([u64; 5], Option<u32>);

/// Returns the key of a particle's kind.
pub(crate) fn key(particle: &Particle) -> Key {
    let friction = particle.friction;
    let numbers = [particle.mass, particle.radius, friction.static_, friction.dynamic, particle.restitution];
    (numbers.map(f64::to_bits), particle.group)
}

impl Kind {
    /// The kind of `particle`, with a stiffness for impacts at `speed` (m/s).
    pub fn of(particle: &Particle, config: &Config, scene: &Scene, speed: f64, extremes: Extremes) -> Self {
        let (radius, inverse_mass) = (particle.radius, particle.inverse_mass());
        let mass = if particle.is_pinned() { extremes.heaviest } else { particle.mass };
        let diameter = 2.0 * radius.min(extremes.smallest);
        Self {
            radius,
            inverse_mass,
            inverse_moment: 2.5 * inverse_mass / (radius * radius),
            material: Material { friction: particle.friction, restitution: particle.restitution },
            group: particle.group,
            kappa: stiffness::of_body(config, scene, mass, 1, diameter, speed),
        }
    }

    /// Whether contact of two grains of these kinds is enabled.
    pub fn may_touch(&self, other: &Self) -> bool {
        let is_free = |kind: &Self| kind.inverse_mass > 0.0;
        (self.group.is_none() || self.group != other.group) && (is_free(self) || is_free(other))
    }
}

/// Constants of a contact of two grains, or of a grain and an obstacle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Distance (m) of the centres, or of the first centre from a wall, at which contact begins, and its
    /// square.
    pub reach: f64,
    pub reach_sq: f64,
    /// Levers of both sides over the distance: r_a/(r_a + r_b) and r_b/(r_a + r_b).
    pub shares: [f64; 2],
    /// 1/(2 r) of the smaller particle.
    pub per_diameter: f64,
    pub kappa: f64,
    /// c = `damper` + `damper_root` δ^{1/4} (N s/m).
    pub damper: f64,
    pub damper_root: f64,
    /// (μ_s, μ_d).
    pub friction: (f64, f64),
    /// Effective radius R* (m).
    radius: f64,
    /// F_a (N).
    pub pull: f64,
    pub zeta: f64,
    /// 1 if only the first side falls, −1 if only the second one does, else 0.
    pub falls: f64,
}

/// Force (N) on the first side of a contact, and a torque (N m) in addition; world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reaction {
    pub force: Vec3,
    pub torque: Vec3,
    pub normal: f64,
    pub friction: Vec3,
}

/// Relative motion of two sides at a contact: of the first one relative to the second; world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting {
    /// Unit normal towards the first side.
    pub normal: Vec3,
    /// δ (m).
    pub overlap: f64,
    /// Velocity (m/s) and spin (rad/s).
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl Pair {
    /// A contact of `a` with `b`, or with an obstacle of the material `wall`.
    pub fn new(
        a: &Kind,
        b: Result<&Kind, &Material>,
        scene: &Scene,
        config: &Config,
        dampers: &Dampers,
    ) -> Self {
        let other = b.ok();
        let material = b.map_or_else(|wall| *wall, |b| b.material);
        let kappa = stiffness::of_pair(
            config,
            (a.kappa, other.map(|b| b.kappa)),
            (a.radius, other.map(|b| b.radius)),
        );
        let (friction, e) = combined(scene, &a.material, &material);
        let zeta = dampers.ratio(e, config.model);
        let mass = 1.0 / (a.inverse_mass + other.map_or(0.0, |b| b.inverse_mass));
        let (damper, damper_root) = match (config.damping, config.model) {
            (Some(eta), _) => (eta, 0.0),
            // The slope of the spring is 3/2 κ √δ.
            (None, Model::Hertz) => (0.0, 2.0 * zeta * (1.5 * kappa * mass).sqrt()),
            (None, Model::Hooke | Model::Harada) => (2.0 * zeta * (kappa * mass).sqrt(), 0.0),
        };
        let falls = |kind: &Kind| f64::from(u8::from(kind.inverse_mass > 0.0));
        let second = other.map_or(0.0, |b| b.radius);
        let reach = a.radius + second;
        // Forces of `harada` act at the centres.
        let lever = if config.model == Model::Harada { 0.0 } else { 1.0 / reach };
        let radius = stiffness::effective_radius(a.radius, other.map(|b| b.radius));
        Self {
            reach,
            reach_sq: reach * reach,
            shares: [a.radius * lever, second * lever],
            per_diameter: 0.5 / other.map_or(a.radius, |b| b.radius.min(a.radius)),
            kappa,
            damper,
            damper_root,
            friction,
            radius,
            pull: Law::new(config).pull(radius),
            zeta,
            falls: falls(a) - other.map_or(0.0, falls),
        }
    }

    /// The slope of the spring (N/m) at the overlap `delta` (m).
    pub fn slope(&self, model: Model, delta: f64) -> f64 {
        stiffness::slope(model, self.kappa, delta)
    }

    /// The force on the first side in a substep of `h` (s), by the laws of [`crate::force`].
    #[inline(always)]
    pub fn react(
        &self,
        law: &Law,
        meeting: &Meeting,
        shear: &mut Spring,
        roll: Option<&mut Vec3>,
        h: f64,
    ) -> Reaction {
        let Meeting { normal: n, overlap, velocity, spin } = meeting;
        let (spring, slope, damping) = match law.model {
            Model::Hertz => {
                let root = overlap.sqrt();
                let stretched = self.kappa * root;
                (stretched * overlap, 1.5 * stretched, self.damper + self.damper_root * root.sqrt())
            }
            Model::Hooke | Model::Harada => (self.kappa * overlap, self.kappa, self.damper),
        };
        let v_n = velocity.dot(n);
        let v_t = velocity - v_n * n;
        let mut torque = Vec3::zeros();
        if law.model == Model::Harada {
            let friction = -(damping + law.shear.unwrap_or(damping)) * v_t;
            let normal = spring - damping * v_n;
            return Reaction { force: normal * n + friction, torque, normal: normal.max(0.0), friction };
        }
        let pressed = (spring - damping * v_n).max(0.0);
        let (stiffness, damper) = (law.ratio * slope, law.root_ratio * damping);
        let limits = (self.friction.0 * pressed, self.friction.1 * pressed);
        let friction = if law.has_spring {
            shear.stretch(n, &v_t, (stiffness, damper), limits, h)
        } else {
            damped(&v_t, damper, limits)
        };
        if let Some(roll) = roll {
            let square = self.radius * self.radius;
            let spin = spin - spin.dot(n) * n;
            let limit = law.rolling * self.radius * pressed;
            let mut spring = Spring { stored: *roll, slides: false };
            torque = spring.stretch(n, &spin, (stiffness * square, damper * square), (limit, limit), h);
            *roll = spring.stored;
        }
        let normal = pressed - self.pull;
        Reaction { force: normal * n + friction, torque, normal, friction }
    }
}

/// The kinds of a scene's grains.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    pub all: Vec<Kind>,
    /// The kind of each grain of the scene.
    pub of: Vec<u32>,
    keys: Vec<Key>,
}

impl Kinds {
    /// Finds the kinds of the particles of `scene`, unless they are known.
    pub fn find(&mut self, scene: &Scene) {
        let is_known = |(particle, kind): (&Particle, &u32)| self.keys[*kind as usize] == key(particle);
        if self.of.len() == scene.dry_particles().len()
            && scene.dry_particles().iter().zip(&self.of).all(is_known)
        {
            return;
        }
        let mut numbers: BTreeMap<Key, u32> = BTreeMap::new();
        self.keys.clear();
        self.of.clear();
        for particle in scene.dry_particles() {
            let key = key(particle);
            let number = *numbers.entry(key).or_insert_with(|| {
                self.keys.push(key);
                self.keys.len() as u32 - 1
            });
            self.of.push(number);
        }
    }

    /// Computes the constants of the kinds, for impacts at `speed` (m/s).
    pub fn stiffen(&mut self, scene: &Scene, config: &Config, speed: f64) {
        let extremes = Extremes::of(scene.dry_particles());
        let mut first: Vec<Option<usize>> = vec![None; self.keys.len()];
        for (i, kind) in self.of.iter().enumerate() {
            first[*kind as usize].get_or_insert(i);
        }
        self.all.clear();
        for i in first.into_iter().flatten() {
            self.all.push(Kind::of(&scene.dry_particles()[i], config, scene, speed, extremes));
        }
    }
}
