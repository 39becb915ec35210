//! Contacts of two particles.

use rigor_math::Vec3;
use rigor_scene::{Friction, Scene};

use super::candidates::ParticlePair;
use super::row::{self, Multipliers};
use super::touch::Touch;
use crate::particle::SolverParticle;

/// Maximum gap of pairs that are kept, as a fraction of their contact distance: touching particles may be
/// pushed by arriving ones.
const NEAR: f64 = 0.05;

/// C = n·(x_i − x_j) − d ≥ 0.
#[derive(Debug, Clone)]
pub(super) struct PairContact {
    pub i: usize,
    pub j: usize,
    /// n, from j to i (world).
    pub normal: Vec3,
    /// d (m).
    distance: f64,
    /// C before the substep (m).
    gap_prev: f64,
    pub friction: Friction,
    pub restitution: f64,
    pub lambda: Multipliers,
}

/// Returns the contact of two particles in this substep, if they come near.
pub(super) fn detect(
    scene: &Scene,
    pair: &ParticlePair,
    particles: &[SolverParticle],
) -> Option<PairContact> {
    let &ParticlePair { i, j, distance } = pair;
    let prev = particles[i].x_prev - particles[j].x_prev;
    let now = particles[i].x - particles[j].x;
    let near = distance * (1.0 + NEAR);
    let at = nearest_approach(&prev, &now);
    if at.norm_squared() >= near * near {
        return None;
    }
    let normal = touching_normal(&prev, &now, distance);
    let (a, b) = (&scene.particles[i], &scene.particles[j]);
    let rule = scene.friction_rule;
    Some(PairContact {
        i,
        j,
        normal,
        distance,
        gap_prev: normal.dot(&prev) - distance,
        friction: Friction {
            static_: rule.combine(a.friction.static_, b.friction.static_),
            dynamic: rule.combine(a.friction.dynamic, b.friction.dynamic),
        },
        restitution: scene.restitution_rule.combine(a.restitution, b.restitution),
        lambda: Multipliers::default(),
    })
}

/// Returns the unit vector towards the first point on the path from `prev` to `now` within `distance` (m) of
/// the origin, or towards its end.
fn touching_normal(prev: &Vec3, now: &Vec3, distance: f64) -> Vec3 {
    let place = first_touch(prev, now, distance).map_or(*now, |t| prev + (now - prev) * t);
    place.try_normalize(0.0).unwrap_or_else(Vec3::y)
}

/// Returns the point nearest to the origin on the path from `prev` to `now`.
fn nearest_approach(prev: &Vec3, now: &Vec3) -> Vec3 {
    let way = now - prev;
    let length_sq = way.norm_squared();
    let t = if length_sq > 0.0 { (-prev.dot(&way) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    prev + way * t
}

/// Returns the fraction of the path from `prev` to `now` at which it first comes within `distance` (m) of the
/// origin; 0 if it starts there.
fn first_touch(prev: &Vec3, now: &Vec3, distance: f64) -> Option<f64> {
    let way = now - prev;
    let (a, b, c) = (way.norm_squared(), prev.dot(&way), prev.norm_squared() - distance * distance);
    if c <= 0.0 {
        return (*prev != Vec3::zeros()).then_some(0.0);
    }
    let discriminant = b * b - a * c;
    if b >= 0.0 || discriminant < 0.0 {
        return None;
    }
    // c/(−b + √…) avoids cancellation.
    let t = c / (discriminant.sqrt() - b);
    (t <= 1.0).then_some(t)
}

impl PairContact {
    /// Returns C (m).
    pub fn gap(&self, particles: &[SolverParticle]) -> f64 {
        self.normal.dot(&(particles[self.i].x - particles[self.j].x)) - self.distance
    }

    /// Returns w_i + w_j (1/kg).
    fn w(&self, particles: &[SolverParticle]) -> f64 {
        particles[self.i].w + particles[self.j].w
    }

    fn shift(&self, particles: &mut [SolverParticle], p: &Vec3) {
        let (w_i, w_j) = (particles[self.i].w, particles[self.j].w);
        particles[self.i].x += w_i * p;
        particles[self.j].x -= w_j * p;
    }

    /// Returns where and when the two first touch on their paths, from the fraction `since` of the substep
    /// on.
    pub fn touch(&self, particles: &[SolverParticle], since: f64) -> Option<Touch> {
        let (from, now) = self.rest_of_way(particles, since);
        let t = first_touch(&from, &now, self.distance)?;
        let n = (from + (now - from) * t).try_normalize(0.0)?;
        Some(Touch { t: since + (1.0 - since) * t, n, r: Vec3::zeros() })
    }

    /// Recomputes the normal after an impact that moved one of the two at the fraction `since` of the
    /// substep.
    pub fn refresh(&mut self, particles: &[SolverParticle], since: f64) {
        let (from, now) = self.rest_of_way(particles, since);
        self.normal = touching_normal(&from, &now, self.distance);
        self.gap_prev =
            self.normal.dot(&(particles[self.i].x_prev - particles[self.j].x_prev)) - self.distance;
    }

    /// Returns x_i − x_j at the fraction `since` of the substep, and at its end.
    fn rest_of_way(&self, particles: &[SolverParticle], since: f64) -> (Vec3, Vec3) {
        let (a, b) = (&particles[self.i], &particles[self.j]);
        let (prev, now) = (a.x_prev - b.x_prev, a.x - b.x);
        (prev + (now - prev) * since, now)
    }

    /// Applies the initial multipliers.
    pub fn start(&self, particles: &mut [SolverParticle]) {
        if self.lambda.n > 0.0 {
            self.shift(particles, &self.lambda.sum(&self.normal));
        }
    }

    pub fn solve_positions(&mut self, particles: &mut [SolverParticle]) {
        let w = self.w(particles);
        let c = self.gap(particles) - self.gap_prev.min(0.0);
        let grown = self.lambda.push(c, w);
        if grown != 0.0 {
            self.shift(particles, &(self.normal * grown));
        }
        if row::is_smooth(self.friction) || (self.lambda.n == 0.0 && self.lambda.t == Vec3::zeros()) {
            return;
        }
        let (a, b) = (&particles[self.i], &particles[self.j]);
        let slip = row::tangential(&((a.x - a.x_prev) - (b.x - b.x_prev)), &self.normal);
        let change = self.lambda.hold(&slip, &self.normal, w, self.friction);
        self.shift(particles, &change);
    }

    /// Stops the approach of a contact that pushed.
    ///
    /// Source: \[Mueller2020\] §3.5 with e = 0, because impacts with e > 0 are already resolved.
    pub fn stop(&self, particles: &mut [SolverParticle]) {
        let (a, b) = (&particles[self.i], &particles[self.j]);
        let v_n = (a.v - b.v).dot(&self.normal);
        let w = self.w(particles);
        if self.lambda.n > 0.0 && v_n < 0.0 && w > 0.0 {
            let p = -v_n / w;
            let (w_i, w_j) = (a.w, b.w);
            particles[self.i].v += self.normal * (w_i * p);
            particles[self.j].v -= self.normal * (w_j * p);
        }
    }

    /// Removes the fraction [`RECOVERY`](row::RECOVERY) of the overlap.
    pub fn stabilize(&self, particles: &mut [SolverParticle]) {
        let (gap, w) = (self.gap(particles), self.w(particles));
        if gap < 0.0 && w > 0.0 {
            self.shift(particles, &(self.normal * (-row::RECOVERY * gap / w)));
        }
    }
}
