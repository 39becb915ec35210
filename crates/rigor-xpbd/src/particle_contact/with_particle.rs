//! Contact of two particles.

use rigor_math::Vec3;
use rigor_scene::{Friction, Scene};

use super::candidates::ParticlePair;
use super::row::{self, Multipliers};
use crate::particle::SolverParticle;

/// Pairs whose gap is less than this part of their distance of contact are kept: what touches may be pushed by what comes.
const NEAR: f64 = 0.05;

/// C = n·(x_i − x_j) − d ≥ 0.
#[derive(Debug, Clone)]
pub(super) struct PairContact {
    i: usize,
    j: usize,
    /// n, from j to i (world).
    normal: Vec3,
    /// d (m).
    distance: f64,
    /// C before the substep (m).
    gap_prev: f64,
    friction: Friction,
    restitution: f64,
    lambda: Multipliers,
}

/// The contact of two particles in this substep, if they come near.
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
    let normal = first_touch(&prev, &now, distance).try_normalize(0.0).unwrap_or_else(Vec3::y);
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

/// The point nearest to the origin on the way from `prev` to `now`.
fn nearest_approach(prev: &Vec3, now: &Vec3) -> Vec3 {
    let way = now - prev;
    let length_sq = way.norm_squared();
    let t = if length_sq > 0.0 { (-prev.dot(&way) / length_sq).clamp(0.0, 1.0) } else { 0.0 };
    prev + way * t
}

/// Where the way from `prev` to `now` first comes within `distance` (m) of the origin; where it never does or begins
/// there, its nearer end that is not the origin.
fn first_touch(prev: &Vec3, now: &Vec3, distance: f64) -> Vec3 {
    let way = now - prev;
    let (a, b, c) = (way.norm_squared(), prev.dot(&way), prev.norm_squared() - distance * distance);
    let discriminant = b * b - a * c;
    if c > 0.0 && a > 0.0 && b < 0.0 && discriminant >= 0.0 {
        let t = (-b - discriminant.sqrt()) / a;
        if t <= 1.0 {
            return prev + way * t;
        }
    }
    if c <= 0.0 && *prev != Vec3::zeros() { *prev } else { *now }
}

impl PairContact {
    /// C (m).
    pub fn gap(&self, particles: &[SolverParticle]) -> f64 {
        self.normal.dot(&(particles[self.i].x - particles[self.j].x)) - self.distance
    }

    /// w_i + w_j (1/kg).
    fn w(&self, particles: &[SolverParticle]) -> f64 {
        particles[self.i].w + particles[self.j].w
    }

    fn shift(&self, particles: &mut [SolverParticle], p: &Vec3) {
        let (w_i, w_j) = (particles[self.i].w, particles[self.j].w);
        particles[self.i].x += w_i * p;
        particles[self.j].x -= w_j * p;
    }

    /// Whether a blow was exchanged.
    pub fn exchange(&self, particles: &mut [SolverParticle], resting_speed: f64, h: f64) -> bool {
        let v = particles[self.i].v - particles[self.j].v;
        let v_n = v.dot(&self.normal);
        let Some(dv) = row::blow(v_n, self.gap_prev, self.restitution, resting_speed, h) else {
            return false;
        };
        let w = self.w(particles);
        if w == 0.0 {
            return false;
        }
        let mut p = self.normal * (dv / w);
        let v_t = row::tangential(&v, &self.normal);
        let speed = v_t.norm();
        if speed > 0.0 {
            p -= v_t * ((self.friction.dynamic * dv).min(speed) / (speed * w));
        }
        let (w_i, w_j) = (particles[self.i].w, particles[self.j].w);
        particles[self.i].v += w_i * p;
        particles[self.j].v -= w_j * p;
        self.shift(particles, &(h * p));
        true
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

    pub fn stabilize(&self, particles: &mut [SolverParticle]) {
        let (gap, w) = (self.gap(particles), self.w(particles));
        if gap < 0.0 && w > 0.0 {
            self.shift(particles, &(self.normal * (-gap / w)));
        }
    }
}
