//! Translation of particles: single ones, and those of ropes, cloths and blocks.

use std::collections::BTreeMap;
use std::ops::Range;

use rigor_math::Vec3;

use super::super::at::At;
use super::super::document::{FrictionEntry, ParticleChoice, ParticleCopies, ParticleEntry};
use super::super::error::SceneError;
use super::super::tree::shortened;
use super::blueprint::{Blueprint, Places};
use super::body::friction;
use rigor_scene::bond::Bond;
use rigor_scene::fluid::Fluid;
use rigor_scene::particle::{Particle, ParticleId};
use rigor_scene::soft_body::SoftBody;

/// Maximum number of particles in one scene.
const MAX_PARTICLES: usize = 100_000;

/// The particles and bonds of a scene, collected while its tables are read, and their names.
#[derive(Default)]
pub struct Particles<'a> {
    pub particles: Vec<Particle>,
    pub bonds: Vec<Bond>,
    pub soft_bodies: Vec<SoftBody>,
    pub fluids: Vec<Fluid>,
    n_single: usize,
    names: BTreeMap<&'a str, Named<'a>>,
}

struct Named<'a> {
    range: Range<usize>,
    places: Places,
    at: At<'a>,
}

/// Properties of a rope, a cloth or a block.
pub struct SoftMaterial<'a> {
    pub name: &'a str,
    pub weight: Weight,
    pub radius: f64,
    pub pinned: &'a [ParticleChoice],
    pub velocity: [f64; 3],
    pub friction: &'a FrictionEntry,
    pub restitution: f64,
    pub self_contact: bool,
}

/// Mass of a rope, a cloth or a block.
#[derive(Clone, Copy)]
pub enum Weight {
    /// Total mass (kg).
    Mass(f64),
    /// Density (kg/m, kg/m² or kg/m³).
    Density(f64),
}

/// Returns `mass` or `density`, as written at `at`.
pub fn weight(mass: Option<f64>, density: Option<f64>, at: &At<'_>) -> Result<Weight, SceneError> {
    match (mass, density) {
        (Some(mass), None) => at.join("mass").positive(mass).map(Weight::Mass),
        (None, Some(density)) => at.join("density").positive(density).map(Weight::Density),
        (Some(_), Some(_)) => Err(at.join("mass").error("expected either `mass` or `density`")),
        (None, None) => Err(at.error("expected `mass` or `density`")),
    }
}

impl<'a> Particles<'a> {
    /// Builds the particles of the `particle` tables, written at `at`.
    pub fn singles(entries: &'a [ParticleEntry], at: &At<'a>) -> Result<Self, SceneError> {
        let mut all = Self::default();
        for (i, entry) in entries.iter().enumerate() {
            let at = at.join(i);
            let start = all.particles.len();
            all.check_total(count(entry, &at)?, &at)?;
            let one = particle(entry, &at)?;
            match &entry.copies {
                Some(copies) => all.particles.extend(copied(&one, copies)),
                None => all.particles.push(one),
            }
            if !all.particles[start..].iter().all(|p| p.position.iter().all(|c| c.is_finite())) {
                return Err(at.error("it is too large or too far away for floating-point numbers"));
            }
            if !entry.name.is_empty() {
                all.register(&entry.name, start..all.particles.len(), Places::new(), &at)?;
            }
        }
        all.n_single = all.particles.len();
        Ok(all)
    }

    /// Checks that `more` particles are not too many.
    pub fn check_total(&self, more: usize, at: &At<'_>) -> Result<(), SceneError> {
        let total = self.particles.len().saturating_add(more);
        if total > MAX_PARTICLES {
            let message =
                format!("the scene would have {total} particles: at most {MAX_PARTICLES} are allowed");
            return Err(at.error(message));
        }
        Ok(())
    }

    /// Adds the rope, cloth or block `blueprint` with the properties `matter`, written at `at`.
    pub fn add(
        &mut self,
        blueprint: Blueprint,
        matter: &SoftMaterial<'a>,
        at: &At<'a>,
    ) -> Result<(), SceneError> {
        let start = self.particles.len();
        let range = start..start + blueprint.positions.len();
        self.check_total(range.len(), at)?;
        self.register(matter.name, range.clone(), blueprint.places, at)?;
        let group =
            u32::try_from(self.soft_bodies.len()).expect("there are fewer soft bodies than particles");
        if !blueprint.positions.iter().all(|x| x.iter().all(|c| c.is_finite())) {
            return Err(at.error("it is too large or too far away for floating-point numbers"));
        }
        let masses = masses(&blueprint.shares, matter.weight, at)?;
        let prototype = Particle {
            radius: at.join("radius").non_negative(matter.radius)?,
            velocity: matter.velocity.into(),
            friction: friction(matter.friction, &at.join("friction"))?,
            restitution: at.join("restitution").fraction(matter.restitution)?,
            group: (!matter.self_contact).then_some(group),
            ..Particle::new(1.0, Vec3::zeros())
        };
        let made = blueprint.positions.iter().zip(masses);
        self.particles.extend(made.map(|(x, mass)| Particle { mass, position: *x, ..prototype.clone() }));
        for (k, choice) in matter.pinned.iter().enumerate() {
            let named = &self.names[matter.name];
            for i in named.choose(choice, &at.join("pinned").join(k))? {
                self.particles[i].mass = f64::INFINITY;
            }
        }
        let id = |i: u32| ParticleId(start + i as usize);
        self.bonds.extend(blueprint.bonds.into_iter().map(|(kind, among, compliance)| Bond {
            kind,
            particles: among.into_iter().map(id).collect(),
            compliance,
        }));
        self.soft_bodies.push(SoftBody {
            name: matter.name.to_owned(),
            particles: range,
            edges: blueprint.edges.iter().map(|edge| edge.map(id)).collect(),
            triangles: blueprint.triangles.iter().map(|triangle| triangle.map(id)).collect(),
        });
        Ok(())
    }

    /// Returns the particles that `choice`, written at `at`, selects: at least one.
    pub fn find(&self, choice: &ParticleChoice, at: &At<'_>) -> Result<Vec<ParticleId>, SceneError> {
        let name = match choice {
            ParticleChoice::Number(n) => return number(*n, self.n_single, at).map(|i| vec![ParticleId(i)]),
            ParticleChoice::Name(name) => name.as_str(),
        };
        let (outer, inner) = name.split_once('.').map_or((name, None), |(a, b)| (a, Some(b)));
        let Some(named) = self.names.get(outer) else {
            return Err(at.unknown(
                "particle, rope, cloth, soft block or fluid",
                outer,
                self.names.keys().copied(),
            ));
        };
        let found = match inner {
            None => named.range.clone().collect(),
            Some(inner) => named.choose(&ParticleChoice::Name(inner.to_owned()), at)?,
        };
        Ok(found.into_iter().map(ParticleId).collect())
    }

    /// Returns the only particle that `choice`, written at `at`, selects.
    pub fn find_one(&self, choice: &ParticleChoice, at: &At<'_>) -> Result<ParticleId, SceneError> {
        match self.find(choice, at)?[..] {
            [one] => Ok(one),
            ref many => Err(at.error(format!("expected one particle, found {}", many.len()))),
        }
    }

    /// Gives a range of particles a name, written at `at`.
    pub fn register(
        &mut self,
        name: &'a str,
        range: Range<usize>,
        places: Places,
        at: &At<'a>,
    ) -> Result<(), SceneError> {
        let at = at.join("name");
        if name.trim().is_empty() || name.contains('.') {
            let found = if name.trim().is_empty() { "an empty one" } else { name };
            return Err(at.error(format!("expected a name without `.`, found {}", shortened(found))));
        }
        if let Some(earlier) = self.names.get(name) {
            let (name, before) = (shortened(name), earlier.at.whereabouts());
            return Err(at.error(format!("the name `{name}` is already taken, at {before}")));
        }
        self.names.insert(name, Named { range, places, at });
        Ok(())
    }
}

impl Named<'_> {
    /// Returns the particles of this rope, cloth or block that `choice` selects, by their numbers in the
    /// scene.
    fn choose(&self, choice: &ParticleChoice, at: &At<'_>) -> Result<Vec<usize>, SceneError> {
        let name = match choice {
            ParticleChoice::Number(n) => {
                return number(*n, self.range.len(), at).map(|i| vec![self.range.start + i]);
            }
            ParticleChoice::Name(name) => name,
        };
        if let Ok(n) = name.parse() {
            return self.choose(&ParticleChoice::Number(n), at);
        }
        match self.places.get(name.as_str()) {
            Some(place) => Ok(place.iter().map(|i| self.range.start + *i as usize).collect()),
            None => {
                let known = self.places.keys().copied().collect::<Vec<_>>().join("`, `");
                let expected =
                    if known.is_empty() { "a number".to_owned() } else { format!("a number, `{known}`") };
                Err(at.error(format!("expected {expected}, found `{}`", shortened(name))))
            }
        }
    }
}

fn number(n: u32, len: usize, at: &At<'_>) -> Result<usize, SceneError> {
    let n = n as usize;
    if n < len {
        return Ok(n);
    }
    Err(at.error(format!("expected a number below {len}, the number of particles, found {n}")))
}

/// Returns the number of particles of an entry.
fn count(entry: &ParticleEntry, at: &At<'_>) -> Result<usize, SceneError> {
    let Some(copies) = &entry.copies else { return Ok(1) };
    if let Some(axis) = copies.count.iter().position(|n| *n == 0) {
        return Err(at.join("copies").join("count").join(axis).error("expected at least 1, found 0"));
    }
    Ok(copies.count.iter().fold(1_usize, |product, n| product.saturating_mul(*n as usize)))
}

/// Returns the grid of copies of a particle: along z first, then y, then x.
fn copied(one: &Particle, copies: &ParticleCopies) -> impl Iterator<Item = Particle> {
    let ParticleCopies { count: [nx, ny, nz], spacing, stagger } = *copies;
    let cells = (0..nx).flat_map(move |i| (0..ny).flat_map(move |j| (0..nz).map(move |k| [i, j, k])));
    cells.map(move |cell| {
        let offset = Vec3::from(cell.map(f64::from)).component_mul(&Vec3::from(spacing));
        let shift = f64::from(cell[1] % 2) * Vec3::from(stagger);
        Particle { position: one.position + offset + shift, ..one.clone() }
    })
}

fn particle(entry: &ParticleEntry, at: &At<'_>) -> Result<Particle, SceneError> {
    let mass = if entry.pinned { f64::INFINITY } else { at.join("mass").positive(entry.mass)? };
    Ok(Particle {
        radius: at.join("radius").non_negative(entry.radius)?,
        velocity: entry.velocity.into(),
        friction: friction(&entry.friction, &at.join("friction"))?,
        restitution: at.join("restitution").fraction(entry.restitution)?,
        ..Particle::new(mass, entry.position.into())
    })
}

/// Computes the mass (kg) of each share.
fn masses(shares: &[f64], weight: Weight, at: &At<'_>) -> Result<Vec<f64>, SceneError> {
    let density = match weight {
        Weight::Density(density) => density,
        Weight::Mass(mass) => mass / shares.iter().sum::<f64>(),
    };
    let masses: Vec<f64> = shares.iter().map(|share| share * density).collect();
    if masses.iter().all(|m| *m > 0.0 && m.is_finite() && (1.0 / m).is_finite()) {
        return Ok(masses);
    }
    Err(at.error("a particle's mass is too small or too large for floating-point numbers"))
}
