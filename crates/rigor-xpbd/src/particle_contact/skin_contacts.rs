//! Contacts of soft-body surfaces with edges and vertices of rigid bodies.

use rigor_geometry::Aabb;
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, Scene, State};

use super::candidates::{ParticleCandidates, body_reach};
use super::row::Multipliers;
use super::skeleton::Skeletons;
use super::skin::Skin;
use super::with_skin::{self, Known, Meeting, SkinContact, SkinKey};
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Memory key of the multipliers: per contact that pushed or overlapped `[kind, edge or triangle, body, edge
/// or vertex, n (body's frame, 3), λ_n, λ_t (world, 3)]`, ascending.
const MEMORY: &str = "xpbd/skin_lambda";
const NUMBERS: usize = 11;

/// Largest motion of a skin in a substep, relative to the thickness of a body that it may touch.
const MOTION: f64 = 0.25;

/// Distance within which rounding may put a skin on the wrong side of a sheet, relative to the sheet's radius.
const ROUNDING: f64 = 1e-9;

/// Candidates and contacts, with their multipliers.
#[derive(Debug, Default)]
pub(super) struct SkinContacts {
    skin: Skin,
    skeletons: Skeletons,
    /// Ascending.
    candidates: Vec<SkinKey>,
    pub contacts: Vec<SkinContact>,
    /// Whether each candidate was far when contacts were found.
    far: Vec<bool>,
    /// Where particles and bodies were then.
    places: Vec<Vec3>,
    poses: Vec<Pose>,
    /// Distances (m) by which particles and bodies have moved since.
    moved: Vec<f64>,
    bodies_moved: Vec<f64>,
    /// Contacts of features that have met since.
    late: Vec<SkinContact>,
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
        self.far.clear();
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

    /// Returns the number of substeps of `dt` (s) in which no edge or triangle moves by more than a quarter of the thickness
    /// of a solid body that it may touch, and the body that needs them.
    ///
    /// The thickness is the shortest edge of the box around the body in its principal frame: that of a rod or a plate.
    pub fn pace(
        &self,
        scene: &Scene,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        dt: f64,
    ) -> Option<(f64, usize)> {
        let fall = scene.gravity.norm() * dt;
        let needed = |key: &SkinKey| {
            let (at, thickness) = (&bodies[key.body], self.skeletons.of_body(key.body).thickness);
            if thickness <= 0.0 {
                return 0.0;
            }
            let speed = |i: usize| (particles[i].v - at.velocity_at(&particles[i].x)).norm();
            let fastest = if key.kind == 0 {
                self.skin.edges[key.soft].iter().map(|i| speed(*i)).fold(0.0, f64::max)
            } else {
                self.skin.patches[key.soft].corners.iter().map(|i| speed(*i)).fold(0.0, f64::max)
            };
            (dt * (fastest + fall) / (MOTION * thickness)).ceil()
        };
        let all = self.candidates.iter().map(|key| (needed(key), key.body));
        all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    /// Finds the contacts of a substep at the predicted positions.
    pub fn detect(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) {
        self.contacts.clear();
        self.far.clear();
        self.places.clear();
        self.poses.clear();
        if self.candidates.is_empty() {
            return;
        }
        self.places.extend(particles.iter().map(|p| p.x));
        self.poses.extend(bodies.iter().map(|b| b.pose));
        let mut past = self.past.iter().peekable();
        for &key in &self.candidates {
            while past.next_if(|(before, ..)| *before < key).is_some() {}
            let before = past.next_if(|(before, ..)| *before == key);
            let known = known(scene, key.body, bodies, before.map(|(_, n, _)| *n));
            let surfaces = (&self.skin, &self.skeletons);
            let meeting = with_skin::detect(scene, key, surfaces, particles, bodies, &known);
            self.far.push(matches!(meeting, Meeting::Far));
            if let Meeting::Contact(mut contact) = meeting {
                if let Some((.., lambda)) = before.filter(|(_, n, _)| n.dot(&contact.normal_local) > 0.0) {
                    contact.lambda = lambda.turned(&contact.normal(&bodies[key.body]));
                }
                self.contacts.push(contact);
            }
        }
    }

    /// Adds the contacts of features that have met since contacts were found. Returns whether there are any.
    pub fn complete(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) -> bool {
        if self.candidates.is_empty() {
            return false;
        }
        let n_found = self.contacts.len();
        self.moved.clear();
        let places = particles.iter().zip(&self.places);
        self.moved.extend(places.map(|(p, before)| (p.x - before).norm()));
        // Features farther apart than the slack stay apart while all that moves them is less.
        self.bodies_moved.clear();
        self.bodies_moved.extend((0..bodies.len()).map(|b| {
            let before = self.poses.get(b);
            before.map_or(f64::INFINITY, |before| moved(&scene.bodies[b], before, &bodies[b]))
        }));
        let mut found = self.contacts[..n_found].iter().map(|c| c.key).peekable();
        self.late.clear();
        for (index, &key) in self.candidates.iter().enumerate() {
            while found.next_if(|other| *other < key).is_some() {}
            if found.next_if(|other| *other == key).is_some() {
                continue;
            }
            if self.far.get(index) == Some(&true) {
                let slack = with_skin::slack(&scene.bodies[key.body]) - self.bodies_moved[key.body];
                let is_still = |i: usize| self.moved[i] < slack;
                let are_still = if key.kind == 0 {
                    self.skin.edges[key.soft].iter().all(|i| is_still(*i))
                } else {
                    self.skin.patches[key.soft].corners.iter().all(|i| is_still(*i))
                };
                if are_still {
                    continue;
                }
            }
            let place = self.past.binary_search_by(|(other, ..)| other.cmp(&key));
            let known = known(scene, key.body, bodies, place.ok().map(|place| self.past[place].1));
            let surfaces = (&self.skin, &self.skeletons);
            let meeting = with_skin::detect(scene, key, surfaces, particles, bodies, &known);
            if let Meeting::Contact(contact) = meeting
                && contact.gap(particles, &bodies[key.body]) < contact.gap_prev.min(0.0) - known.margin
            {
                self.late.push(contact);
            }
        }
        self.contacts.append(&mut self.late);
        let has_more = self.contacts.len() > n_found;
        if has_more {
            self.contacts.sort_unstable_by_key(|c| c.key);
        }
        has_more
    }

    /// Keeps the data that the next substep needs.
    pub fn remember(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) {
        self.past.clear();
        let is_kept = |c: &&SkinContact| {
            c.lambda.n > 0.0 || c.gap(particles, &bodies[c.key.body]) < rounding(scene, c.key.body, bodies)
        };
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

/// Returns the distance (m) within which rounding may put a skin on the wrong side of a body that is a sheet.
fn rounding(scene: &Scene, body: usize, bodies: &[SolverBody]) -> f64 {
    ROUNDING * scene.bodies[body].radius + 64.0 * f64::EPSILON * bodies[body].pose.position.norm()
}

fn known(scene: &Scene, body: usize, bodies: &[SolverBody], normal: Option<Vec3>) -> Known {
    let up = -bodies[body].pose.inverse().vector(&scene.gravity);
    Known { normal, margin: rounding(scene, body, bodies), up }
}

/// Returns a bound on the distance (m) by which points of `body` have moved from the pose `before`.
fn moved(body: &Body, before: &Pose, now: &SolverBody) -> f64 {
    let turn = now.pose.rotation * before.rotation.inverse();
    (now.pose.position - before.position).norm() + 2.0 * turn.imag().norm() * body.radius
}
