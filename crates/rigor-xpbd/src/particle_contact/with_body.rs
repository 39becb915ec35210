//! Contacts of a particle with a body.

use rigor_math::Vec3;
use rigor_scene::{Friction, Scene};

use super::row::{self, Multipliers};
use super::shell::{Path, Search, Shell};
use super::touch::Touch;
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Maximum depth of a particle inside a body that is pushed out, beyond its motion, as a fraction of the
/// body's radius.
const OVERLAP: f64 = 1e-3;

/// C = (x − q)·n − r ≥ 0 against the plane (q, n) of the body at the contact.
#[derive(Debug, Clone)]
pub(super) struct BodyContact {
    pub particle: usize,
    pub body: usize,
    /// q (m) and n, towards the particle, in the body's frame.
    point_local: Vec3,
    pub normal_local: Vec3,
    /// r (m).
    radius: f64,
    /// C before the substep (m).
    gap_prev: f64,
    pub friction: Friction,
    pub restitution: f64,
    pub lambda: Multipliers,
    /// Impact impulses along the normal and across it (N s, world).
    blow_n: f64,
    blow_t: Vec3,
}

/// Adds to `found` the contacts of a particle with a body, given its `shell` and its path, in this substep; returns
/// the distance (m) from the end of the path within which there is no surface.
pub(super) fn detect(
    scene: &Scene,
    pair: (usize, usize),
    path: &Path,
    shell: &Shell,
    search: &mut Search,
    found: &mut Vec<BodyContact>,
) -> f64 {
    let slack = OVERLAP * scene.bodies[pair.1].radius;
    let radius = scene.particles[pair.0].radius;
    shell.touches(path, radius, slack, search, &mut |point, normal| {
        found.push(BodyContact::new(scene, pair, &path.x_prev, point, normal));
    })
}

impl BodyContact {
    /// Creates the contact of a particle, before the substep at `x_prev` (m), with a plane of a body; all in the body's
    /// frame.
    pub fn new(
        scene: &Scene,
        (particle, body): (usize, usize),
        x_prev: &Vec3,
        point_local: Vec3,
        normal_local: Vec3,
    ) -> Self {
        let (data, other) = (&scene.particles[particle], &scene.bodies[body]);
        let rule = scene.friction_rule;
        Self {
            particle,
            body,
            point_local,
            normal_local,
            radius: data.radius,
            gap_prev: (x_prev - point_local).dot(&normal_local) - data.radius,
            friction: Friction {
                static_: rule.combine(data.friction.static_, other.friction.static_),
                dynamic: rule.combine(data.friction.dynamic, other.friction.dynamic),
            },
            restitution: scene.restitution_rule.combine(data.restitution, other.restitution),
            lambda: Multipliers::default(),
            blow_n: 0.0,
            blow_t: Vec3::zeros(),
        }
    }

    /// Returns whether the plane through `point` with the unit normal `n` (body's frame) is that of this contact,
    /// up to `margin` (m).
    pub fn is_plane(&self, point: &Vec3, n: &Vec3, margin: f64) -> bool {
        const SAME: f64 = 1.0 - 1e-12;
        self.normal_local.dot(n) >= SAME && (point - self.point_local).dot(n).abs() <= margin
    }

    /// Returns n (world).
    pub fn normal(&self, body: &SolverBody) -> Vec3 {
        body.pose.vector(&self.normal_local)
    }

    /// Returns q (m, world).
    pub fn point(&self, body: &SolverBody) -> Vec3 {
        body.point(&self.point_local)
    }

    /// Returns C (m).
    pub fn gap(&self, particle: &SolverParticle, body: &SolverBody) -> f64 {
        (particle.x - self.point(body)).dot(&self.normal(body)) - self.radius
    }

    /// Returns the impulses on the particle in this substep (N s, world), along the normal and across it.
    pub fn impulses(&self, body: &SolverBody, h: f64) -> (Vec3, Vec3) {
        (self.normal(body) * (self.lambda.n / h + self.blow_n), self.lambda.t / h + self.blow_t)
    }

    /// Returns where and when the particle reaches the plane, from the fraction `since` of the substep on.
    ///
    /// The impulse acts along a line through the particle's centre, because particles do not rotate: one
    /// loses exactly the angular momentum that the other gains ([`SolverBody::lever`]).
    pub fn touch(&self, particle: &SolverParticle, body: &SolverBody, since: f64) -> Option<Touch> {
        let (first, last) = (self.gap_prev(particle, body), self.gap(particle, body));
        if last >= 0.0 || last >= first {
            return None;
        }
        let from = first + (last - first) * since;
        let t = if from > 0.0 { since + (1.0 - since) * from / (from - last) } else { since };
        let x = particle.x_prev.lerp(&particle.x, t);
        let r = x - body.pose_prev.position.lerp(&body.pose.position, t);
        Some(Touch { t, n: self.normal(body), r })
    }

    /// Adds the impulses of an impact (N s) on the particle, along the normal and across it.
    pub fn add_blow(&mut self, p_n: f64, p_t: &Vec3) {
        self.blow_n += p_n;
        self.blow_t += p_t;
    }

    /// Recomputes the gap before the substep after an impact.
    pub fn refresh(&mut self, particle: &SolverParticle, body: &SolverBody) {
        self.gap_prev = self.gap_prev(particle, body);
    }

    /// Returns C before the substep (m).
    fn gap_prev(&self, particle: &SolverParticle, body: &SolverBody) -> f64 {
        let normal = body.pose_prev.vector(&self.normal_local);
        (particle.x_prev - body.point_prev(&self.point_local)).dot(&normal) - self.radius
    }

    /// Applies the initial multipliers.
    pub fn start(&self, particle: &mut SolverParticle, body: &mut SolverBody) {
        if self.lambda.n > 0.0 {
            let r = body.lever(&particle.x_prev);
            let p = self.lambda.sum(&self.normal(body));
            apply(particle, body, &r, &p);
        }
    }

    pub fn solve_positions(&mut self, particle: &mut SolverParticle, body: &mut SolverBody) {
        let n = self.normal(body);
        let r = body.lever(&particle.x_prev);
        let w = particle.w + body.generalized_inverse_mass(&r, &n);
        let c = self.gap(particle, body) - self.gap_prev.min(0.0);
        let grown = self.lambda.push(c, w);
        if grown != 0.0 {
            apply(particle, body, &r, &(n * grown));
        }
        if row::is_smooth(self.friction) || (self.lambda.n == 0.0 && self.lambda.t == Vec3::zeros()) {
            return;
        }
        let moved = self.point(body) - body.point_prev(&self.point_local);
        let slip = row::tangential(&(particle.x - particle.x_prev - moved), &n);
        let t = slip.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let w_t = particle.w + body.generalized_inverse_mass(&r, &t);
        let change = self.lambda.hold(&slip, &n, w_t, self.friction);
        apply(particle, body, &r, &change);
    }

    /// Stops the approach of a contact that pushed.
    ///
    /// Source: \[Mueller2020\] §3.5 with e = 0, because impacts with e > 0 are already resolved.
    pub fn stop(&mut self, particle: &mut SolverParticle, body: &mut SolverBody) {
        if self.lambda.n == 0.0 {
            return;
        }
        let n = self.normal(body);
        let r = particle.x - body.pose.position;
        let v_n = (particle.v - body.linear_velocity - body.angular_velocity.cross(&r)).dot(&n);
        let w = particle.w + body.generalized_inverse_mass(&r, &n);
        if v_n < 0.0 && w > 0.0 {
            let p = -v_n / w;
            self.blow_n += p;
            particle.v += n * (particle.w * p);
            body.apply_impulse(&r, &(n * -p));
        }
    }

    /// Removes the fraction [`RECOVERY`](row::RECOVERY) of the overlap.
    pub fn stabilize(&self, particle: &mut SolverParticle, body: &mut SolverBody) {
        let gap = self.gap(particle, body);
        if gap < 0.0 {
            let n = self.normal(body);
            let r = particle.x - body.pose.position;
            let w = particle.w + body.generalized_inverse_mass(&r, &n);
            if w > 0.0 {
                apply(particle, body, &r, &(n * (-row::RECOVERY * gap / w)));
            }
        }
    }
}

/// Applies a positional impulse `p` (kg m) to the particle, and −p to the body at lever `r` (m).
fn apply(particle: &mut SolverParticle, body: &mut SolverBody, r: &Vec3, p: &Vec3) {
    particle.x += particle.w * p;
    if body.w != Vec3::zeros() || body.inverse_inertia != rigor_math::Mat3::zeros() {
        body.apply_positional(r, &-p);
    }
}
