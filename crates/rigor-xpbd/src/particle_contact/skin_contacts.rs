//! Contacts of soft-body surfaces with edges and vertices of rigid bodies.

use rigor_geometry::Aabb;
use rigor_math::Vec3;
use rigor_scene::{Scene, State};

use super::candidates::{ParticleCandidates, body_reach};
use super::row::Multipliers;
use super::skeleton::Skeletons;
use super::skin::Skin;
use super::with_skin::{self, SkinContact, SkinKey};
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Memory key of the multipliers: per contact that pushed or overlapped `[kind, edge or triangle, body, edge
/// or vertex, n (body's frame, 3), λ_n, λ_t (world, 3)]`, ascending.
const MEMORY: &str = "xpbd/skin_lambda";
const NUMBERS: usize = 11;

/// Candidates and contacts, with their multipliers.
#[derive(Debug, Default)]
pub(super) struct SkinContacts {
    skin: Skin,
    skeletons: Skeletons,
    /// Ascending.
    candidates: Vec<SkinKey>,
    pub contacts: Vec<SkinContact>,
    /// Contacts of the previous substep, ascending.
    past: Vec<(SkinKey, Vec3, Multipliers)>,
    found: Vec<u32>,
}

impl SkinContacts {
    /// Prepares the surfaces of `scene`, and loads the multipliers from `state`.
    pub fn start(&mut self, scene: &Scene, state: &State) {
        self.contacts.clear();
        self.skin.prepare(scene);
        if !self.skin.edges.is_empty() {
            self.skeletons.prepare(scene);
        }
        self.past.clear();
        let numbers = state.memory.numbers.get(MEMORY).map_or(&[][..], |numbers| &numbers[..]);
        self.past.extend(numbers.chunks_exact(NUMBERS).map(|entry| {
            let [kind, soft, body, rigid] = [0, 1, 2, 3].map(|k| entry[k] as usize);
            let at = |k: usize| Vec3::new(entry[k], entry[k + 1], entry[k + 2]);
            (SkinKey { kind, soft, body, rigid }, at(4), Multipliers { n: entry[7], t: at(8) })
        }));
    }

    /// Finds the features that may meet while particles and bodies stay in the boxes that `places` expects.
    pub fn collect(&mut self, scene: &Scene, places: &ParticleCandidates, bodies: &[SolverBody], dt: f64) {
        self.candidates.clear();
        if self.skin.edges.is_empty() {
            return;
        }
        for body in 0..bodies.len() {
            for soft in 0..self.skin.edges.len() {
                let [a, b] = self.skin.edges[soft];
                self.look(scene, places, bodies, SkinKey { kind: 0, soft, body, rigid: 0 }, [a, b, b], dt);
            }
            for soft in 0..self.skin.patches.len() {
                let corners = self.skin.patches[soft].corners;
                self.look(scene, places, bodies, SkinKey { kind: 1, soft, body, rigid: 0 }, corners, dt);
            }
        }
        self.candidates.sort_unstable();
    }

    fn look(
        &mut self,
        scene: &Scene,
        places: &ParticleCandidates,
        bodies: &[SolverBody],
        key: SkinKey,
        corners: [usize; 3],
        dt: f64,
    ) {
        let around = corners.map(|i| places.particle_box(i));
        let around = around[0].union(&around[1]).union(&around[2]);
        let (body, at) = (&scene.bodies[key.body], &bodies[key.body]);
        if !around.overlaps(places.body_box(key.body)) {
            return;
        }
        let is_held = |i: usize| places.is_attached(i, key.body);
        let can_move = body.is_dynamic() || corners.iter().any(|&i| scene.particles[i].mass.is_finite());
        if corners.iter().any(|&i| is_held(i)) || !can_move {
            return;
        }
        let slack = with_skin::slack(body) + body_reach(scene, body, at, dt);
        let local: Aabb = around.transformed(&at.pose.inverse()).grow(slack);
        let skeleton = self.skeletons.of_body(key.body);
        let features = if key.kind == 0 { &skeleton.edges } else { &skeleton.vertices };
        if features.features.is_empty() {
            return;
        }
        features.tree.overlapping_into(&local, &mut self.found);
        self.candidates.extend(self.found.iter().map(|&rigid| SkinKey { rigid: rigid as usize, ..key }));
    }

    /// Finds the contacts of a substep at the predicted positions.
    pub fn detect(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) {
        self.contacts.clear();
        let mut past = self.past.iter().peekable();
        for &key in &self.candidates {
            while past.next_if(|(before, ..)| *before < key).is_some() {}
            let known = past.next_if(|(before, ..)| *before == key);
            let normal = known.map(|(_, n, _)| *n);
            let surfaces = (&self.skin, &self.skeletons);
            let found = with_skin::detect(scene, key, surfaces, particles, bodies, normal);
            self.contacts.extend(found.map(|mut contact| {
                if let Some((.., lambda)) = known.filter(|(_, n, _)| n.dot(&contact.normal_local) > 0.0) {
                    contact.lambda = lambda.turned(&contact.normal(&bodies[key.body]));
                }
                contact
            }));
        }
    }

    /// Keeps the data that the next substep needs.
    pub fn remember(&mut self, particles: &[SolverParticle], bodies: &[SolverBody]) {
        self.past.clear();
        let is_kept = |c: &&SkinContact| c.lambda.n > 0.0 || c.gap(particles, &bodies[c.key.body]) < 0.0;
        let kept = self.contacts.iter().filter(is_kept);
        self.past.extend(kept.map(|c| (c.key, c.normal_local, c.lambda)));
    }

    /// Writes the multipliers to `state`.
    pub fn store(&self, state: &mut State) {
        if self.past.is_empty() {
            state.memory.numbers.remove(MEMORY);
            return;
        }
        let numbers = self.past.iter().flat_map(|(key, n, Multipliers { n: push, t })| {
            let [kind, soft, body, rigid] = [key.kind, key.soft, key.body, key.rigid].map(|k| k as f64);
            [kind, soft, body, rigid, n.x, n.y, n.z, *push, t.x, t.y, t.z]
        });
        state.memory.numbers.insert(MEMORY.into(), numbers.collect());
    }
}
