//! Contact forces.
//!
//! | model | normal | tangential |
//! | --- | --- | --- |
//! | `harada` | k δ − η v_n | −(η + k_t) v_t |
//! | `hooke` | max(0, k δ − c v_n) | −k_t ξ − c_t v_t, at most μ f_n |
//! | `hertz` | max(0, κ δ^{3/2} − c v_n) | the same, with k_t in proportion to √δ |
//!
//! v is the velocity of the first side relative to the second, so that v_n < 0 while they approach.

use rigor_math::Vec3;

use crate::config::{Config, Model};
use crate::contact::{History, Link, Patch, Touch};
use crate::stiffness;

/// The law of contact forces in substeps of one length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Law {
    pub model: Model,
    /// k_t/k_n.
    pub ratio: f64,
    /// Given η and k_t (N s/m).
    damping: Option<f64>,
    shear: Option<f64>,
    rolling: f64,
}

/// The effect of a contact on its first side; the second one takes the opposite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response {
    /// f (N, world), at the point of contact.
    pub force: Vec3,
    /// Torque (N m, world) in addition.
    pub torque: Vec3,
    /// f_n (N) and f_t (N, world) for reports.
    pub normal_force: f64,
    pub friction: Vec3,
    pub history: History,
}

impl Law {
    pub fn new(config: &Config) -> Self {
        Self {
            model: config.model,
            ratio: config.tangential_ratio(),
            damping: config.damping,
            shear: config.shear,
            rolling: config.rolling,
        }
    }

    /// The force of a contact, and what it remembers after a substep of `h` (s).
    pub fn respond(&self, touch: &Touch, link: &Link, patch: &Patch, h: f64) -> Response {
        let n = &touch.normal;
        let slope = stiffness::slope(self.model, patch.kappa, touch.overlap);
        let spring = match self.model {
            Model::Hertz => patch.kappa * touch.overlap * touch.overlap.sqrt(),
            Model::Hooke | Model::Harada => patch.kappa * touch.overlap,
        };
        let critical = 2.0 * patch.zeta * (slope * patch.mass).sqrt();
        let damping = self.damping.unwrap_or(critical);
        let v_n = touch.velocity.dot(n);
        let v_t = touch.velocity - v_n * n;
        let mut history = History { touches: true, normal: *n, ..History::default() };
        if self.model == Model::Harada {
            let friction = -(damping + self.shear.unwrap_or(damping)) * v_t;
            let along = spring - damping * v_n;
            let force = along * n + friction;
            return Response {
                force,
                torque: Vec3::zeros(),
                normal_force: along.max(0.0),
                friction,
                history,
            };
        }
        let normal_force = (spring - damping * v_n).max(0.0);
        let stiffness = self.ratio * slope;
        let before = if link.history.touches { link.history } else { history };
        let damper = self.ratio.sqrt() * damping;
        let limit = if before.slides { patch.friction.1 } else { patch.friction.0 } * normal_force;
        let trial = turned(&before.shear, n) + h * v_t;
        let friction = bounded(&trial, &v_t, (stiffness, damper), limit, patch.friction.1 * normal_force);
        (history.shear, history.slides) = (friction.stored, friction.slides);
        let mut torque = Vec3::zeros();
        if self.rolling > 0.0 {
            // Angles instead of displacements, with R² in the stiffness.
            let square = link.radius * link.radius;
            let spin = touch.spin - touch.spin.dot(n) * n;
            let limit = self.rolling * link.radius * normal_force;
            let trial = turned(&before.roll, n) + h * spin;
            let rolling = bounded(&trial, &spin, (stiffness * square, damper * square), limit, limit);
            (torque, history.roll) = (rolling.force, rolling.stored);
        }
        let force = normal_force * n + friction.force;
        Response { force, torque, normal_force, friction: friction.force, history }
    }
}

/// A spring and a damper with a bound.
struct Bounded {
    force: Vec3,
    stored: Vec3,
    slides: bool,
}

/// −k ξ − c v, shortened to `sliding` if longer than `sticking`; ξ then shrinks to what the spring still
/// carries.
///
/// Source: \[Cundall1979\]. Deviation: a static limit above the dynamic one.
fn bounded(trial: &Vec3, velocity: &Vec3, (k, c): (f64, f64), sticking: f64, sliding: f64) -> Bounded {
    let force = -k * trial - c * velocity;
    let size = force.norm();
    if size <= sticking {
        return Bounded { force, stored: *trial, slides: false };
    }
    let force = force * (sliding.min(sticking) / size);
    // Without a normal force there is no limit, and nothing to remember.
    let stored = if sticking > 0.0 && k > 0.0 { -(force + c * velocity) / k } else { Vec3::zeros() };
    Bounded { force, stored, slides: true }
}

/// Returns `v` turned into the plane perpendicular to `n`, with its length.
fn turned(v: &Vec3, n: &Vec3) -> Vec3 {
    let along = v - v.dot(n) * n;
    let (before, after) = (v.norm_squared(), along.norm_squared());
    if after > 0.0 { along * (before / after).sqrt() } else { Vec3::zeros() }
}
