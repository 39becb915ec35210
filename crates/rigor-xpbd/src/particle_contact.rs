//! Contacts of particles with bodies and with each other.
//!
//! A particle is a point, or a sphere of its radius that does not rotate. Candidates are found with boxes
//! swept over the step, contacts in every substep along the path from the previous to the predicted position,
//! so that fast particles and thin bodies are not missed.
//!
//! Source: \[Mueller2020\] §3.4–3.5 for positions, friction and the test for resting contact; \[Mueller2007\]
//! §3.4 for a particle against the plane at its entry point. Deviations: impacts happen *before* the position
//! solve (`impact`), at the moment when each contact closes; multipliers start from the previous substep
//! (`warm_start`); overlaps left by earlier substeps are removed from positions only, after velocities are
//! computed.

mod candidates;
mod crossing;
mod impact;
mod row;
mod shell;
mod side;
mod skeleton;
mod skin;
mod skin_contacts;
mod touch;
mod warm_start;
mod with_body;
mod with_particle;
mod with_skin;

use rigor_math::Vec3;
use rigor_scene::{
    BodyId, Flaw, FlawKind, Particle, ParticleContactReport, ParticleId, Scene, State, StepError, Subject,
};

use crate::body::SolverBody;
use crate::particle::SolverParticle;
use candidates::ParticleCandidates;
pub(crate) use impact::Setting;
use impact::{CollisionPartner, Impacts};
use shell::{Search, Shells};
use side::{Sides, Way};
use skin_contacts::SkinContacts;
use warm_start::PastMultipliers;
use with_body::BodyContact;
use with_particle::PairContact;
use with_skin::SkinContact;

/// All contacts of particles; kept between substeps only to reuse memory.
#[derive(Debug, Default)]
pub(crate) struct ParticleContacts {
    shells: Shells,
    candidates: ParticleCandidates,
    /// Whether particles have nothing to touch.
    is_idle: bool,
    /// Remaining time (s) of the step.
    rest: f64,
    search: Search,
    sides: Sides,
    impacts: Impacts,
    with_bodies: Vec<BodyContact>,
    with_particles: Vec<PairContact>,
    past: PastMultipliers,
    skins: SkinContacts,
    /// By particle and body, ascending.
    pushed: Vec<((usize, usize), PushedParticle)>,
}

/// Effect of a body on a particle over the step.
#[derive(Debug, Default)]
struct PushedParticle {
    /// Impulses (N s, world).
    normal_impulse: Vec3,
    friction_impulse: Vec3,
    last: Option<LastContact>,
}

/// The contact that pushed last.
#[derive(Debug)]
enum LastContact {
    Particle(BodyContact),
    /// With its gap (m).
    Skin(SkinContact, f64),
}

/// Adds normal and tangential impulses (N s) to those of a particle and a body.
fn add(
    pushed: &mut Vec<((usize, usize), PushedParticle)>,
    pair: (usize, usize),
    (normal, friction): (Vec3, Vec3),
    last: LastContact,
) {
    let place = pushed.binary_search_by_key(&pair, |(pair, _)| *pair).unwrap_or_else(|place| {
        pushed.insert(place, (pair, PushedParticle::default()));
        place
    });
    let pushed = &mut pushed[place].1;
    pushed.normal_impulse += normal;
    pushed.friction_impulse += friction;
    pushed.last = Some(last);
}

impl ParticleContacts {
    /// Prepares for a step of length `dt` (s).
    ///
    /// # Errors
    /// Returns an error if the position of a particle or a body is not finite.
    pub fn start(
        &mut self,
        scene: &Scene,
        state: &State,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        dt: f64,
    ) -> Result<(), StepError> {
        self.rest = dt;
        self.past.load(state);
        self.sides.load(state);
        self.pushed.clear();
        self.with_bodies.clear();
        self.with_particles.clear();
        let is_sphere = |particle: &Particle| particle.radius > 0.0;
        let can_touch = !scene.bodies.is_empty() || scene.particles.iter().any(is_sphere);
        self.is_idle = particles.is_empty() || !can_touch;
        if self.is_idle {
            return Ok(());
        }
        self.shells.prepare(scene);
        self.skins.start(scene, state);
        self.candidates.exclude(scene);
        self.collect(scene, particles, bodies, dt)
    }

    fn collect(
        &mut self,
        scene: &Scene,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        dt: f64,
    ) -> Result<(), StepError> {
        self.candidates.collect(scene, particles, bodies, self.sides.pairs(), dt)?;
        self.skins.collect(scene, &self.candidates, bodies, dt);
        Ok(())
    }

    /// Returns the number of substeps of a step of `dt` (s): at least `substeps`, and enough for ropes, cloths and blocks at
    /// thin bodies. If this takes more than `largest`, the step takes `largest` and has a flaw.
    pub fn pace(
        &self,
        scene: &Scene,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        (substeps, largest): (u32, f64),
        dt: f64,
    ) -> (u32, Option<Flaw>) {
        if self.is_idle {
            return (substeps, None);
        }
        match self.skins.pace(scene, particles, bodies, dt) {
            Some((needed, _)) if needed <= f64::from(substeps) => (substeps, None),
            Some((needed, _)) if needed <= largest => (needed as u32, None),
            Some((needed, body)) => {
                let most = f64::from(substeps).max(largest);
                let amount = needed / most;
                (most as u32, Some(Flaw::new(FlawKind::TooFast, Subject::Body(BodyId(body)), amount)))
            }
            None => (substeps, None),
        }
    }

    /// Finds the contacts of a substep at the predicted positions. Searches for new candidates if something
    /// left its expected box; `rest` (s) is the remaining time of the step.
    ///
    /// # Errors
    /// As [`ParticleContacts::start`].
    pub fn detect(
        &mut self,
        scene: &Scene,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        rest: f64,
    ) -> Result<(), StepError> {
        self.rest = rest;
        if self.is_idle {
            return Ok(());
        }
        if !self.candidates.hold(scene, particles, bodies) {
            self.collect(scene, particles, bodies, rest)?;
        }
        self.with_bodies.clear();
        self.sides.begin();
        for &pair in self.candidates.with_bodies() {
            let shell = self.shells.of_body(pair.1);
            let (search, found) = (&mut self.search, &mut self.with_bodies);
            let path = self.sides.way(scene, pair, (particles, bodies), shell, search);
            let clear = with_body::detect(scene, pair, &path, shell, search, found);
            self.sides.note(Way { pair, path, clear });
        }
        self.skins.detect(scene, particles, bodies);
        self.with_particles.clear();
        let pairs = self.candidates.with_particles().iter();
        self.with_particles.extend(pairs.filter_map(|pair| with_particle::detect(scene, pair, particles)));
        Ok(())
    }

    /// Adds the contacts of particles that bonds and pushes have moved through a surface since contacts were found.
    /// Returns whether there are any.
    pub fn complete(&mut self, scene: &Scene, particles: &[SolverParticle], bodies: &[SolverBody]) -> bool {
        if self.is_idle || scene.bodies.is_empty() {
            return false;
        }
        if !self.candidates.hold(scene, particles, bodies) {
            // Positions that are not finite are an error of the step, later.
            if self.collect(scene, particles, bodies, self.rest).is_err() {
                return false;
            }
            let (pairs, both) = (self.candidates.with_bodies(), (particles, bodies));
            self.sides.complete(scene, pairs, both, &self.shells, &mut self.search);
        }
        let n_found = self.with_bodies.len();
        for way in self.sides.ways() {
            let (particle, body) = way.pair;
            let (at, on) = (&particles[particle], &bodies[body]);
            let Some(path) = way.now(at, on, 0.0) else { continue };
            let Some((point, normal)) = self.shells.of_body(body).entry(&path) else { continue };
            let first = self.with_bodies[..n_found].partition_point(|c| (c.particle, c.body) < way.pair);
            let mut known =
                self.with_bodies[first..n_found].iter().take_while(|c| (c.particle, c.body) == way.pair);
            let is_through = (path.x - point).dot(&normal) < -path.margin;
            if is_through && !known.any(|c| c.is_plane(&point, &normal, path.margin)) {
                self.with_bodies.push(BodyContact::new(scene, way.pair, &path.x_prev, point, normal));
            }
        }
        let has_more = self.with_bodies.len() > n_found;
        // Each moves to the end of its pair, without memory for a sort.
        for k in n_found..self.with_bodies.len() {
            let pair = (self.with_bodies[k].particle, self.with_bodies[k].body);
            let place = self.with_bodies[..k].partition_point(|c| (c.particle, c.body) <= pair);
            self.with_bodies[place..=k].rotate_right(1);
        }
        self.skins.complete(scene, particles, bodies) || has_more
    }

    /// Resolves the impacts of the substep: contacts with e > 0 that close faster than the resting speed.
    pub fn exchange(
        &mut self,
        setting: &Setting,
        particles: &mut [SolverParticle],
        bodies: &mut [SolverBody],
    ) {
        let Self { impacts, with_bodies, with_particles, .. } = self;
        if !impacts.run(setting, with_bodies, with_particles, particles, bodies) {
            return;
        }
        for contact in with_bodies {
            if impacts.since(contact.particle, CollisionPartner::Body(contact.body)).is_some() {
                contact.refresh(&particles[contact.particle], &bodies[contact.body]);
            }
        }
        for contact in with_particles {
            if let Some(since) = impacts.since(contact.i, CollisionPartner::Particle(contact.j)) {
                contact.refresh(particles, since);
            }
        }
    }

    /// Starts every contact that pushed in the previous substep from its multipliers there.
    pub fn warm_start(&mut self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        let Self { past, with_bodies, with_particles, .. } = self;
        past.start_with_bodies(with_bodies, |contact| contact.normal(&bodies[contact.body]));
        past.start_pairs(with_particles);
        for contact in with_bodies {
            contact.start(&mut particles[contact.particle], &mut bodies[contact.body]);
        }
        for contact in &self.skins.contacts {
            contact.start(particles, bodies);
        }
        for contact in with_particles {
            contact.start(particles);
        }
    }

    /// Writes the data that the next step needs to `state`.
    pub fn store(&self, state: &mut State) {
        self.past.store(state);
        self.sides.store(state);
        self.skins.store(state);
    }

    /// Sweeps once over positions: no contact closes, and no contact slips that can hold.
    pub fn solve_positions(&mut self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        for contact in &mut self.with_bodies {
            contact.solve_positions(&mut particles[contact.particle], &mut bodies[contact.body]);
        }
        for contact in &mut self.skins.contacts {
            contact.solve_positions(particles, bodies);
        }
        for contact in &mut self.with_particles {
            contact.solve_positions(particles);
        }
    }

    /// Stops contacts that still approach, removes overlaps from positions only, and accumulates the impulses
    /// of the substep `h` (s).
    pub fn finish(
        &mut self,
        scene: &Scene,
        particles: &mut [SolverParticle],
        bodies: &mut [SolverBody],
        h: f64,
    ) {
        for contact in &mut self.with_bodies {
            contact.stop(&mut particles[contact.particle], &mut bodies[contact.body]);
        }
        for contact in &mut self.skins.contacts {
            contact.stop(particles, bodies);
        }
        for contact in &self.with_particles {
            contact.stop(particles);
        }
        for contact in &self.with_bodies {
            contact.stabilize(&mut particles[contact.particle], &mut bodies[contact.body]);
        }
        for contact in &self.skins.contacts {
            contact.stabilize(particles, bodies);
        }
        for contact in &self.with_particles {
            contact.stabilize(particles);
        }
        self.past.remember(&self.with_bodies, &self.with_particles);
        self.sides.remember(&self.shells, particles, bodies, &mut self.search);
        self.skins.remember(scene, particles, bodies);
        self.add_up(particles, bodies, h);
    }

    fn add_up(&mut self, particles: &[SolverParticle], bodies: &[SolverBody], h: f64) {
        for contact in &self.with_bodies {
            let (normal, friction) = contact.impulses(&bodies[contact.body], h);
            if normal != Vec3::zeros() {
                let last = LastContact::Particle(contact.clone());
                add(&mut self.pushed, (contact.particle, contact.body), (normal, friction), last);
            }
        }
        for contact in &self.skins.contacts {
            let body = &bodies[contact.key.body];
            let (normal, friction) = contact.impulses(body, h);
            let distance = contact.gap(particles, body);
            for (&i, &weight) in contact.particles.iter().zip(&contact.weights) {
                if weight > 0.0 && normal != Vec3::zeros() {
                    let last = LastContact::Skin(contact.clone(), distance);
                    let share = (normal * weight, friction * weight);
                    add(&mut self.pushed, (i, contact.key.body), share, last);
                }
            }
        }
    }

    /// Returns the particles of all contacts of the substep, a particle as often as it has contacts.
    pub fn touching(&self) -> impl Iterator<Item = usize> {
        let with_bodies = self.with_bodies.iter().map(|contact| contact.particle);
        let of_skins = self.skins.contacts.iter().flat_map(|contact| contact.particles.iter().copied());
        with_bodies.chain(of_skins).chain(self.with_particles.iter().flat_map(|c| [c.i, c.j]))
    }

    /// Returns the smallest gap (m, negative: overlap) of the substep; infinity without contacts.
    pub fn smallest_gap(&self, particles: &[SolverParticle], bodies: &[SolverBody]) -> f64 {
        let with_bodies = self.with_bodies.iter().map(|c| c.gap(&particles[c.particle], &bodies[c.body]));
        let with_particles = self.with_particles.iter().map(|c| c.gap(particles));
        let skins = self.skins.contacts.iter().map(|c| c.gap(particles, &bodies[c.key.body]));
        with_bodies.chain(skins).chain(with_particles).fold(f64::INFINITY, f64::min)
    }

    /// Returns the effects of bodies on particles in a step of length `dt` (s), by particle and body.
    pub fn reports(
        &self,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        dt: f64,
    ) -> Vec<ParticleContactReport> {
        let report = |&((particle, body), ref pushed): &((usize, usize), PushedParticle)| {
            let (at, on) = (&particles[particle], &bodies[body]);
            let (normal, point_world, distance, friction) = match pushed.last.as_ref()? {
                LastContact::Particle(c) => (c.normal(on), c.point(on), c.gap(at, on), c.friction),
                LastContact::Skin(c, distance) => (c.normal(on), c.point(on), *distance, c.friction),
            };
            let force = pushed.normal_impulse / dt;
            let normal_force = force.norm();
            let normal_world = force.try_normalize(0.0).unwrap_or(normal);
            let slip = at.v - on.velocity_at(&point_world);
            Some(ParticleContactReport {
                particle: ParticleId(particle),
                body: BodyId(body),
                point_world,
                normal_world,
                distance,
                normal_force,
                friction_force_world: pushed.friction_impulse / dt,
                slip_velocity_world: slip - slip.dot(&normal_world) * normal_world,
                friction: (friction.static_, friction.dynamic),
            })
        };
        self.pushed.iter().filter_map(report).collect()
    }
}
