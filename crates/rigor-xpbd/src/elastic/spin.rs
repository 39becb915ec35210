//! Angular momentum of particles that only their bonds push.

use rigor_math::disjoint_sets::DisjointSets;
use rigor_math::spin::{MovingMass, Spin};
use rigor_math::{Mat3, Vec3};
use rigor_scene::{ParticleId, Scene};

use crate::particle::SolverParticle;

/// Least moment of inertia, of the largest of its group, about which a group is turned.
const THICK: f64 = 1e-9;

/// Groups of particles that are connected by bonds and by nothing else to the rest of the scene: none is pinned or attached to a body.
///
/// Bonds pull along lines between the positions of the sweep, while x × (x − x_prev)/h has those of its end: of the angular momentum of
/// such a group a substep loses a part of the order of h. It is given back by turning all velocities as those of one rigid body,
///
/// v ← v + ω × (x − c), ω = J⁻¹ (L₀ − L),
///
/// which leaves momentum and every rate of strain as they are. A group that touches anything is left alone.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Particles of each group, in ascending order.
    members: Vec<Vec<u32>>,
    /// L₀ (kg m²/s, world) of each at the start of the substep.
    momenta: Vec<Vec3>,
    /// The first of the particles with which bonds connect each particle, held or not.
    first: Vec<u32>,
    /// The group of each particle.
    of_particle: Vec<Option<u32>>,
    touched: Vec<bool>,
    /// What the groups were made from, besides the bonds.
    attached: Vec<ParticleId>,
}

impl Groups {
    /// Finds the groups of `scene`, if its bonds are new (`is_new`) or its attachments are.
    pub fn prepare(&mut self, scene: &Scene, is_new: bool) {
        let attached = || scene.attachments.iter().map(|tie| tie.particle);
        if !is_new && attached().eq(self.attached.iter().copied()) {
            return;
        }
        self.attached = attached().collect();
        let n = scene.particles.len();
        let mut connected = DisjointSets::new(n);
        for bond in scene.bonds.iter().filter(|bond| bond.compliance.is_finite()) {
            bond.particles[1..].iter().for_each(|id| _ = connected.join(bond.particles[0].0, id.0));
        }
        self.first = (0..n).map(|i| connected.first(i) as u32).collect();
        let mut is_held = vec![false; n];
        let pinned = (0..n).filter(|i| scene.particles[*i].is_pinned());
        for i in pinned.chain(self.attached.iter().map(|id| id.0)) {
            is_held[connected.first(i)] = true;
        }
        let mut by_first: Vec<Vec<u32>> = vec![Vec::new(); n];
        for i in 0..n {
            by_first[connected.first(i)].push(i as u32);
        }
        let is_free = |(i, group): &(usize, Vec<u32>)| group.len() > 1 && !is_held[*i];
        self.members = by_first.into_iter().enumerate().filter(is_free).map(|(_, group)| group).collect();
        self.of_particle = vec![None; n];
        for (group, members) in self.members.iter().enumerate() {
            members.iter().for_each(|i| self.of_particle[*i as usize] = Some(group as u32));
        }
    }

    /// Returns for each particle the first of those with which bonds connect it, held or not.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// Notes the angular momenta at the start of a substep.
    pub fn start(&mut self, particles: &[SolverParticle]) {
        self.momenta.clear();
        self.momenta.extend(self.members.iter().map(|group| spin(group, particles).momentum));
    }

    /// Gives the groups back what they have lost since, except those of the particles `touching`, which may be told several times.
    pub fn restore(&mut self, particles: &mut [SolverParticle], touching: impl Iterator<Item = usize>) {
        self.touched.clear();
        self.touched.resize(self.members.len(), false);
        for group in touching.filter_map(|i| self.of_particle[i]) {
            self.touched[group as usize] = true;
        }
        for ((group, momentum), touched) in self.members.iter().zip(&self.momenta).zip(&self.touched) {
            if *touched {
                continue;
            }
            let now = spin(group, particles);
            let turn = now.turn_across(momentum, THICK);
            for i in group {
                let particle = &mut particles[*i as usize];
                particle.v += turn.cross(&(particle.x - now.center));
            }
        }
    }
}

fn spin(group: &[u32], particles: &[SolverParticle]) -> Spin {
    Spin::about_center(group.iter().map(|i| {
        let SolverParticle { x, w, v, .. } = particles[*i as usize];
        MovingMass { mass: 1.0 / w, position: x, velocity: v, inertia: Mat3::zeros(), omega: Vec3::zeros() }
    }))
}
