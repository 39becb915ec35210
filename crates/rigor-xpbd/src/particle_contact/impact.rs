//! Impacts of particles within a substep, in order of time; simultaneous impacts are solved together.
//!
//! Every impact has a time t in [0, 1], the elapsed fraction of the substep. A particle or body that receives
//! an impulse p at t continues with its new velocity, so its position at the end of the substep changes by (1
//! − t) h w p. With the acceleration g of gravity, the total energy then changes by
//!
//! ```text
//! p·(v_end − (1 − t) h g) + ½ w p²
//! ```
//!
//! which is the change of kinetic energy in an impact at the velocity v* = v_end − (1 − t) h g, where v_end
//! is the velocity that the state would have after the free substep. All impacts are therefore computed with
//! v*: for e = 1 the energy of the state does not change, whatever t, h and the integrator. (With v_end
//! itself, a marble gained up to 2 (1 − t) m g h ‖v‖ per bounce.)
//!
//! Simultaneous impacts are solved by generalised reflection: only approaching contacts take part, their
//! impulses λ ≥ 0 project the velocities onto N·v ≥ 0 in the metric of the masses, and 1 + e times λ is
//! applied. This repeats until no contact approaches. It conserves momentum, conserves energy for e = 1,
//! preserves symmetry, and lets marbles break away.
//!
//! Source: \[Smith2012\] §4. Deviation: where contacts with different e meet, the smallest holds for all of
//! them, because different factors may add energy. Friction follows, contact by contact.

use rigor_math::Vec3;
use rigor_scene::{Friction, Scene};

use super::row;
use super::touch::Touch;
use super::with_body::BodyContact;
use super::with_particle::PairContact;
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Maximum rounds of impacts per substep. Contacts that still approach after them are stopped by the position
/// solve.
const MAX_ROUNDS: u32 = 200;
/// Maximum sweeps over simultaneous impacts.
const MAX_SWEEPS: usize = 200;
/// Relative change of impulses below which sweeps stop.
const PRECISION: f64 = 1e-14;
/// Difference of times, as a fraction of the substep, below which impacts are simultaneous.
const SAME_TIME: f64 = 1e-9;
/// Approach velocity, relative to the speeds involved, below which it is rounding error.
const ROUNDING: f64 = 1e-13;

/// The other side of a particle's collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CollisionPartner {
    Particle(usize),
    Body(usize),
}

/// A pending impact.
#[derive(Debug, Clone, Copy)]
struct Impact {
    /// Index of the contact; contacts with bodies come first.
    contact: usize,
    particle: usize,
    other: CollisionPartner,
    touch: Touch,
    restitution: f64,
    friction: Friction,
    /// Inverse mass w along the normal (1/kg).
    w: f64,
    /// Separation velocity (m/s, negative: approach).
    v_n: f64,
    /// Normal impulse that stops the approach (N s).
    lambda: f64,
}

/// Constants of a substep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub scene: &'a Scene,
    /// v_end of particles is their v plus this fraction of h g.
    pub lead: f64,
    /// Contacts that approach more slowly are at rest (m/s).
    pub resting_speed: f64,
    /// Length of the substep (s).
    pub h: f64,
}

/// Scratch memory.
#[derive(Debug, Default)]
pub(super) struct Impacts {
    /// Per contact with e > 0: its index, and its impact if there is one.
    pending: Vec<(usize, Option<Impact>)>,
    /// Impacts of one round.
    ready: Vec<Impact>,
    particles: Vec<Progress>,
    bodies: Vec<Progress>,
    /// Velocities before a round.
    before: Vec<(Vec3, Vec3, Vec3)>,
    /// Per impact of a round: the first impact connected with it.
    roots: Vec<usize>,
}

/// Progress of a particle or body within the substep.
#[derive(Debug, Clone, Copy)]
struct Progress {
    /// t of its last impact.
    since: f64,
    /// The round of its last impact, counted from 1.
    round: u32,
    /// Earliest t of its pending impacts.
    earliest: f64,
    /// First impact of this round that involves it.
    owner: usize,
}

const NONE: usize = usize::MAX;
const FRESH: Progress = Progress { since: 0.0, round: 0, earliest: f64::INFINITY, owner: NONE };

impl Impacts {
    /// Resolves the impacts of a substep; returns whether there were any.
    pub fn run(
        &mut self,
        setting: &Setting,
        with_bodies: &mut [BodyContact],
        with_particles: &[PairContact],
        particles: &mut [SolverParticle],
        bodies: &mut [SolverBody],
    ) -> bool {
        self.pending.clear();
        let bounces =
            with_bodies.iter().map(|c| c.restitution).chain(with_particles.iter().map(|c| c.restitution));
        self.pending.extend(bounces.enumerate().filter(|(_, e)| *e > 0.0).map(|(k, _)| (k, None)));
        if self.pending.is_empty() {
            return false;
        }
        for (progress, n) in [(&mut self.particles, particles.len()), (&mut self.bodies, bodies.len())] {
            progress.clear();
            progress.resize(n, FRESH);
        }
        for round in 1..=MAX_ROUNDS {
            self.look(setting, (with_bodies, with_particles), particles, bodies, round);
            if !self.choose(particles, bodies) {
                return round > 1;
            }
            self.project(setting, particles, bodies);
            self.connect();
            for impact in &self.ready {
                let (p_n, p_t) = impact.carry_out(setting, particles, bodies);
                if let Some(contact) = with_bodies.get_mut(impact.contact) {
                    contact.add_blow(p_n, &p_t);
                }
                mark(&mut self.particles[impact.particle], impact.touch.t, round);
                match impact.other {
                    CollisionPartner::Particle(j) => mark(&mut self.particles[j], impact.touch.t, round),
                    CollisionPartner::Body(b) => mark(&mut self.bodies[b], impact.touch.t, round),
                }
            }
        }
        true
    }

    /// Finds the impacts of all contacts in the first round, later of those that the previous round changed.
    fn look(
        &mut self,
        setting: &Setting,
        (with_bodies, with_particles): (&[BodyContact], &[PairContact]),
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        round: u32,
    ) {
        for slot in 0..self.pending.len() {
            let k = self.pending[slot].0;
            let pair = k.checked_sub(with_bodies.len()).map(|k| &with_particles[k]);
            let (i, other) = match pair {
                None => (with_bodies[k].particle, CollisionPartner::Body(with_bodies[k].body)),
                Some(contact) => (contact.i, CollisionPartner::Particle(contact.j)),
            };
            let (a, b) = (&self.particles[i], self.progress(other));
            let is_changed = a.round.max(b.round) + 1 == round;
            let since = a.since.max(b.since);
            if !is_changed && round > 1 {
                continue;
            }
            let (touch, restitution, friction) = match pair {
                None => {
                    let c = &with_bodies[k];
                    (c.touch(&particles[i], &bodies[c.body], since), c.restitution, c.friction)
                }
                Some(c) => (c.touch(particles, since), c.restitution, c.friction),
            };
            self.pending[slot].1 = touch.and_then(|touch| {
                let (w, v_n, lambda) = (0.0, 0.0, 0.0);
                let impact =
                    Impact { contact: k, particle: i, other, touch, restitution, friction, w, v_n, lambda };
                impact.measured(setting, particles, bodies)
            });
        }
    }

    /// Returns t of the last impact that moved either side, if there was one.
    pub fn since(&self, i: usize, other: CollisionPartner) -> Option<f64> {
        let (a, b) = (self.particles.get(i)?, self.progress(other));
        (a.round.max(b.round) > 0).then(|| a.since.max(b.since))
    }

    fn progress(&self, other: CollisionPartner) -> &Progress {
        match other {
            CollisionPartner::Particle(j) => &self.particles[j],
            CollisionPartner::Body(b) => &self.bodies[b],
        }
    }

    /// Selects the impacts that no other impact on the same particles or bodies precedes; returns whether
    /// there are any.
    fn choose(&mut self, particles: &[SolverParticle], bodies: &[SolverBody]) -> bool {
        for progress in self.particles.iter_mut().chain(&mut self.bodies) {
            (progress.earliest, progress.owner) = (f64::INFINITY, NONE);
        }
        for impact in self.pending.iter().filter_map(|(_, impact)| impact.as_ref()) {
            let t = impact.touch.t;
            let progress = &mut self.particles[impact.particle];
            progress.earliest = progress.earliest.min(t);
            let progress = match impact.other {
                CollisionPartner::Particle(j) => &mut self.particles[j],
                CollisionPartner::Body(b) => &mut self.bodies[b],
            };
            progress.earliest = progress.earliest.min(t);
        }
        // Immovable particles and bodies do not connect impacts.
        for (progress, _) in self.particles.iter_mut().zip(particles).filter(|(_, p)| p.w == 0.0) {
            progress.earliest = f64::INFINITY;
        }
        for (progress, _) in self.bodies.iter_mut().zip(bodies).filter(|(_, b)| !b.is_moved()) {
            progress.earliest = f64::INFINITY;
        }
        self.ready.clear();
        for impact in self.pending.iter().filter_map(|(_, impact)| impact.as_ref()) {
            let first = self.particles[impact.particle].earliest.min(self.progress(impact.other).earliest);
            if impact.touch.t <= first + SAME_TIME {
                self.ready.push(*impact);
            }
        }
        !self.ready.is_empty()
    }

    /// Computes the impulses λ ≥ 0 after which none of the round's impacts approaches; velocities are
    /// restored.
    fn project(&mut self, setting: &Setting, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        self.before.clear();
        for impact in &self.ready {
            let (v, omega) = match impact.other {
                CollisionPartner::Particle(j) => (particles[j].v, Vec3::zeros()),
                CollisionPartner::Body(b) => (bodies[b].linear_velocity, bodies[b].angular_velocity),
            };
            self.before.push((particles[impact.particle].v, v, omega));
        }
        for _ in 0..MAX_SWEEPS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for impact in &mut self.ready {
                let v_n = impact.velocity(setting, particles, bodies).dot(&impact.touch.n);
                let next = (impact.lambda - v_n / impact.w).max(0.0);
                let grown = next - impact.lambda;
                impact.lambda = next;
                impact.push(&(impact.touch.n * grown), particles, bodies);
                change = change.max(grown.abs());
                largest = largest.max(next);
            }
            if change <= PRECISION * largest || self.ready.len() == 1 {
                break;
            }
        }
        for (impact, (v, v_other, omega)) in self.ready.iter().zip(&self.before) {
            particles[impact.particle].v = *v;
            match impact.other {
                CollisionPartner::Particle(j) => particles[j].v = *v_other,
                CollisionPartner::Body(b) => {
                    (bodies[b].linear_velocity, bodies[b].angular_velocity) = (*v_other, *omega);
                }
            }
        }
    }

    /// Gives connected impacts of a round, which share something movable, the smallest e among them.
    fn connect(&mut self) {
        self.roots.clear();
        self.roots.extend(0..self.ready.len());
        for k in 0..self.ready.len() {
            let (i, other) = (self.ready[k].particle, self.ready[k].other);
            let of_other = match other {
                CollisionPartner::Particle(j) => &mut self.particles[j],
                CollisionPartner::Body(b) => &mut self.bodies[b],
            };
            let second = owner(of_other, k);
            let first = owner(&mut self.particles[i], k);
            for neighbour in [first, second].into_iter().flatten() {
                let (a, b) = (root(&self.roots, k), root(&self.roots, neighbour));
                self.roots[a.max(b)] = a.min(b);
            }
        }
        for k in 0..self.ready.len() {
            let at = root(&self.roots, k);
            self.ready[at].restitution = self.ready[at].restitution.min(self.ready[k].restitution);
        }
        for k in 0..self.ready.len() {
            self.ready[k].restitution = self.ready[root(&self.roots, k)].restitution;
        }
    }
}

/// Returns the first impact of this round that involves `progress`, registering `k` if there is none; `None`
/// if the particle or body is immovable.
fn owner(progress: &mut Progress, k: usize) -> Option<usize> {
    if progress.earliest == f64::INFINITY {
        return None;
    }
    if progress.owner == NONE {
        progress.owner = k;
    }
    Some(progress.owner)
}

fn root(roots: &[usize], mut k: usize) -> usize {
    while roots[k] != k {
        k = roots[k];
    }
    k
}

fn mark(progress: &mut Progress, t: f64, round: u32) {
    (progress.since, progress.round) = (t, round);
}

impl Impact {
    /// Returns v* of the particle relative to the other side (m/s).
    fn velocity(&self, setting: &Setting, particles: &[SolverParticle], bodies: &[SolverBody]) -> Vec3 {
        let (scene, h) = (setting.scene, setting.h);
        let left = (1.0 - self.touch.t) * h;
        let of_particle = |p: &SolverParticle| {
            if p.w > 0.0 { p.v - (left - setting.lead * h) * scene.gravity } else { p.v }
        };
        let other = match self.other {
            CollisionPartner::Particle(j) => of_particle(&particles[j]),
            CollisionPartner::Body(b) => {
                let (data, body) = (&scene.bodies[b], &bodies[b]);
                let free = body.w.map(|w| if w > 0.0 { 1.0 } else { 0.0 });
                let gained = if body.w == Vec3::zeros() {
                    Vec3::zeros()
                } else {
                    (scene.gravity + data.force / data.mass).component_mul(&free) * left
                };
                body.linear_velocity - gained + body.angular_velocity.cross(&self.touch.r)
            }
        };
        of_particle(&particles[self.particle]) - other
    }

    /// Computes w and v_n; returns `None` unless the approach is fast enough.
    fn measured(
        mut self,
        setting: &Setting,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
    ) -> Option<Self> {
        let n = self.touch.n;
        let (w_other, speed) = match self.other {
            CollisionPartner::Particle(j) => (particles[j].w, particles[j].v.norm()),
            CollisionPartner::Body(b) => {
                let body = &bodies[b];
                let speed = body.linear_velocity.norm() + body.angular_velocity.cross(&self.touch.r).norm();
                (body.generalized_inverse_mass(&self.touch.r, &n), speed)
            }
        };
        self.w = particles[self.particle].w + w_other;
        self.v_n = self.velocity(setting, particles, bodies).dot(&n);
        let speed = speed + particles[self.particle].v.norm();
        (self.w > 0.0 && self.v_n < -setting.resting_speed - ROUNDING * speed).then_some(self)
    }

    /// Applies the impulse `p` (N s) to the velocity of the particle, and −p to that of the other side.
    fn push(&self, p: &Vec3, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        let w = particles[self.particle].w;
        particles[self.particle].v += w * p;
        match self.other {
            CollisionPartner::Particle(j) => {
                let w = particles[j].w;
                particles[j].v -= w * p;
            }
            CollisionPartner::Body(b) => bodies[b].apply_impulse(&self.touch.r, &-p),
        }
    }

    /// Applies (1 + e) λ, then friction; returns (1 + e) λ and the friction impulse on the particle (N s).
    fn carry_out(
        &self,
        setting: &Setting,
        particles: &mut [SolverParticle],
        bodies: &mut [SolverBody],
    ) -> (f64, Vec3) {
        let Touch { n, r, .. } = self.touch;
        let normal_impulse = (1.0 + self.restitution) * self.lambda;
        self.blow(&(n * normal_impulse), setting.h, particles, bodies);
        if row::is_smooth(self.friction) {
            return (normal_impulse, Vec3::zeros());
        }
        let v_t = row::tangential(&self.velocity(setting, particles, bodies), &n);
        let along = v_t.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let w_other = match self.other {
            CollisionPartner::Particle(j) => particles[j].w,
            CollisionPartner::Body(b) => bodies[b].generalized_inverse_mass(&r, &along),
        };
        let w = particles[self.particle].w + w_other;
        let p = row::slow(&v_t, normal_impulse, w, self.friction);
        self.blow(&p, setting.h, particles, bodies);
        (normal_impulse, p)
    }

    /// Applies the impulse `p` (N s) to the particle and −p to the other side, at the time of the impact.
    fn blow(&self, p: &Vec3, h: f64, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        let t = self.touch.t;
        particles[self.particle].blow(p, t, h);
        match self.other {
            CollisionPartner::Particle(j) => particles[j].blow(&-p, t, h),
            CollisionPartner::Body(b) => bodies[b].blow(&self.touch.r, &-p, t, h),
        }
    }
}
