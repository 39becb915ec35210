//! The scene: everything that is constant in time.

use std::collections::{BTreeMap, BTreeSet};

use rigor_math::Vec3;

use crate::attachment::Attachment;
use crate::body::{Body, BodyId, Friction};
use crate::bond::Bond;
use crate::expectation::Expectation;
use crate::fluid::Fluid;
use crate::joint::Joint;
use crate::particle::{Particle, ParticleId};
use crate::setting::Settings;
use crate::soft_body::SoftBody;

/// Bodies, particles and joints with their environment, independent of methods and judges.
///
/// The default is empty, without gravity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Short name, such as `erleben/wedges`.
    pub name: String,
    /// One paragraph on what the scene shows.
    pub description: String,
    /// The origin of the scene.
    pub source: Option<Source>,
    /// Gravity (m/s², world).
    pub gravity: Vec3,
    /// Time step and duration that the author suggests.
    pub time: TimeSpan,
    /// How the friction coefficients of two bodies are combined for their contact.
    pub friction_rule: CombineRule,
    /// How the restitution coefficients of two bodies are combined for their contact.
    pub restitution_rule: CombineRule,
    /// Rigid bodies; [`BodyId`] is the index.
    pub bodies: Vec<Body>,
    /// Point masses; [`ParticleId`] is the index.
    pub particles: Vec<Particle>,
    /// Elastic constraints between particles.
    pub bonds: Vec<Bond>,
    /// Particles tied to bodies.
    pub attachments: Vec<Attachment>,
    /// Which particles make one rope, cloth or soft block.
    pub soft_bodies: Vec<SoftBody>,
    /// Which particles make one fluid; these come after all other particles.
    pub fluids: Vec<Fluid>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Pairs of bodies (smaller id first) between which contact is disabled.
    pub contact_free: BTreeSet<(BodyId, BodyId)>,
    /// Settings of each method by its name, as given in the scene file under `[method.NAME]`.
    pub methods: BTreeMap<String, Settings>,
    /// Conditions that the judges check.
    pub expectations: Vec<Expectation>,
}

/// The origin of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Key in `docs/references.md`, such as `Ferguson2021`.
    pub key: String,
    /// Figure, table, section or file.
    pub place: String,
    /// Further information, such as deviations from the source.
    pub note: String,
}

/// Time step and duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeSpan {
    /// Δt (s).
    pub dt: f64,
    /// Simulated time (s).
    pub duration: f64,
}

impl TimeSpan {
    /// Returns the number of steps of `dt` that reach `duration`: ⌈duration/dt⌉, tolerant of a rounding error
    /// in the quotient.
    ///
    /// ```
    /// use rigor_scene::TimeSpan;
    /// assert_eq!(TimeSpan { dt: 0.1, duration: 0.3 }.steps(), 3); // though 0.3/0.1 is 2.9999999999999996 in floating point
    /// assert_eq!(TimeSpan { dt: 0.25, duration: 0.6 }.steps(), 3);
    /// ```
    pub fn steps(&self) -> u64 {
        let quotient = self.duration / self.dt;
        let nearest = quotient.round();
        let steps = if (quotient - nearest).abs() <= 1e-9 * nearest { nearest } else { quotient.ceil() };
        steps as u64
    }
}

impl Default for TimeSpan {
    /// One second in steps of 10 ms.
    fn default() -> Self {
        Self { dt: 0.01, duration: 1.0 }
    }
}

/// How the coefficients of two bodies are combined for their contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CombineRule {
    /// (a + b)/2, as in \[Mueller2020\] §3.4.
    #[default]
    Average,
    /// min(a, b).
    Min,
    /// max(a, b).
    Max,
    /// a·b.
    Product,
    /// √(a·b).
    GeometricMean,
}

impl CombineRule {
    /// Returns the coefficient of a contact between surfaces with coefficients `a` and `b`.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Average => 0.5 * (a + b),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Product => a * b,
            Self::GeometricMean => (a * b).sqrt(),
        }
    }
}

impl Scene {
    /// The ids of all bodies, in order.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId)
    }

    /// The body called `name`.
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name).map(BodyId)
    }

    /// The particles that belong to no fluid.
    pub fn dry_particles(&self) -> &[Particle] {
        let end = self.fluids.iter().map(|fluid| fluid.particles.start).min();
        &self.particles[..end.map_or(self.particles.len(), |end| end.min(self.particles.len()))]
    }

    /// Returns the name of a particle for messages: its number within its rope, cloth, block or fluid, or among
    /// all particles.
    ///
    /// ```
    /// use rigor_scene::{ParticleId, Scene, SoftBody};
    /// let sail = SoftBody { name: "sail".into(), particles: 10..90, edges: Vec::new(), triangles: Vec::new() };
    /// let scene = Scene { soft_bodies: vec![sail], ..Scene::default() };
    /// assert_eq!(scene.particle_name(ParticleId(12)), "particle 2 of \"sail\"");
    /// assert_eq!(scene.particle_name(ParticleId(9)), "particle 9");
    /// ```
    pub fn particle_name(&self, id: ParticleId) -> String {
        let of_soft = self.soft_bodies.iter().map(|soft| (&soft.particles, &soft.name));
        let mut named = of_soft.chain(self.fluids.iter().map(|fluid| (&fluid.particles, &fluid.name)));
        match named.find(|(range, _)| range.contains(&id.0)) {
            Some((range, name)) => format!("particle {} of {name:?}", id.0 - range.start),
            None => id.to_string(),
        }
    }

    /// Returns the name of the bond number `index` for messages: its kind and up to four of its particles.
    pub fn bond_name(&self, index: usize) -> String {
        let bond = &self.bonds[index];
        let names: Vec<String> = bond.particles.iter().take(4).map(|id| self.particle_name(*id)).collect();
        let more = if bond.particles.len() > 4 { ", …" } else { "" };
        format!("bond {index} ({}: {}{more})", bond.kind.name(), names.join(", "))
    }

    /// Whether the two bodies can collide: at least one is dynamic, their groups differ, one is in a layer that the other meets, and
    /// contact of the pair is not disabled.
    pub fn can_collide(&self, a: BodyId, b: BodyId) -> bool {
        let (body_a, body_b) = (&self.bodies[a.0], &self.bodies[b.0]);
        a != b
            && (body_a.is_dynamic() || body_b.is_dynamic())
            && body_a.group != body_b.group
            && body_a.shares_a_layer_with(body_b)
            && !self.contact_free.contains(&(a.min(b), a.max(b)))
    }

    /// Whether pairs of bodies do not collide although their groups differ and one is dynamic.
    pub fn has_pairs_apart(&self) -> bool {
        let masks: BTreeSet<(u32, u32)> = self.bodies.iter().map(|body| (body.layers, body.meets)).collect();
        let meet = |a: &(u32, u32), b: &(u32, u32)| a.0 & b.1 != 0 || b.0 & a.1 != 0;
        !self.contact_free.is_empty() || masks.iter().any(|a| masks.iter().any(|b| !meet(a, b)))
    }

    /// Returns the pairs without contact (smaller body first): those of [`contact_free`](Self::contact_free), and those of bodies that
    /// share no layer. At most, these are all pairs of bodies.
    pub fn pairs_apart(&self) -> BTreeSet<(BodyId, BodyId)> {
        let mut pairs = self.contact_free.clone();
        if self.has_pairs_apart() {
            for (a, b) in
                self.body_ids().flat_map(|a| self.body_ids().filter(move |b| a < *b).map(move |b| (a, b)))
            {
                if !self.bodies[a.0].shares_a_layer_with(&self.bodies[b.0]) {
                    pairs.insert((a, b));
                }
            }
        }
        pairs
    }

    /// Returns the Coulomb coefficients of a contact between two bodies.
    pub fn friction_between(&self, a: BodyId, b: BodyId) -> Friction {
        let (a, b) = (&self.bodies[a.0].friction, &self.bodies[b.0].friction);
        Friction {
            static_: self.friction_rule.combine(a.static_, b.static_),
            dynamic: self.friction_rule.combine(a.dynamic, b.dynamic),
        }
    }

    /// Returns the coefficient of restitution of a contact between two bodies.
    pub fn restitution_between(&self, a: BodyId, b: BodyId) -> f64 {
        self.restitution_rule.combine(self.bodies[a.0].restitution, self.bodies[b.0].restitution)
    }
}
