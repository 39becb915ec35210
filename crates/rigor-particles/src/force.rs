//! Contact forces.
//!
//! | model | normal | tangential |
//! | --- | --- | --- |
//! | `harada` | k δ − η v_n | −(η + k_t) v_t |
//! | `hooke` | max(0, k δ − c v_n) − F_a | −k_t ξ − c_t v_t, at most μ (f_n + F_a) |
//! | `hertz` | max(0, κ δ^{3/2} − c v_n) − F_a | the same, with k_t in proportion to √δ |
//!
//! Without `tangential_spring` ξ = 0.
//!
//! v is the velocity of the first side relative to the second, so that v_n < 0 while they approach.

use rigor_math::Vec3;

use crate::config::{Config, Model};
use crate::contact::{ContactGeometry, History, Link, Patch};
use crate::friction::{Spring, damped};
use crate::stiffness;

/// The law of contact forces in substeps of one length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Law {
    pub model: Model,
    /// k_t/k_n.
    pub ratio: f64,
    /// Its square root: the ratio of the dampers.
    pub root_ratio: f64,
    /// Whether friction has a spring.
    pub has_spring: bool,
    /// Given η and k_t (N s/m).
    pub damping: Option<f64>,
    pub shear: Option<f64>,
    pub rolling: f64,
    /// Work of adhesion w (J/m²).
    adhesion: f64,
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
            root_ratio: config.tangential_ratio().sqrt(),
            has_spring: config.tangential_spring,
            damping: config.damping,
            shear: config.shear,
            rolling: config.rolling,
            adhesion: config.adhesion,
        }
    }

    /// The force (N) with which adhesion pulls two spheres of the effective radius `radius` (m) together while
    /// they touch: 2 π w R*.
    ///
    /// Source: \[Derjaguin1975\], the pull-off force. Deviation: there is no force across a gap, so that
    /// contact begins and ends at δ = 0; friction is bounded by μ times what springs and dampers press.
    pub fn pull(&self, radius: f64) -> f64 {
        if self.model == Model::Harada { 0.0 } else { std::f64::consts::TAU * self.adhesion * radius }
    }

    /// The force of a contact, and what it remembers after a substep of `h` (s).
    pub fn respond(&self, touch: &ContactGeometry, link: &Link, patch: &Patch, h: f64) -> Response {
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
        let pressed = (spring - damping * v_n).max(0.0);
        let normal_force = pressed - self.pull(link.radius);
        let stiffness = self.ratio * slope;
        let before = if link.history.touches { link.history } else { history };
        let damper = self.root_ratio * damping;
        let limits = (patch.friction.0 * pressed, patch.friction.1 * pressed);
        let mut spring = Spring { stored: before.shear, slides: before.slides };
        let friction = if self.has_spring {
            spring.stretch(n, &v_t, (stiffness, damper), limits, h)
        } else {
            damped(&v_t, damper, limits)
        };
        (history.shear, history.slides) = (spring.stored, spring.slides);
        let mut torque = Vec3::zeros();
        if self.rolling > 0.0 {
            // Angles instead of displacements, with R² in the stiffness.
            let square = link.radius * link.radius;
            let spin = touch.spin - touch.spin.dot(n) * n;
            let limit = self.rolling * link.radius * pressed;
            let mut spring = Spring { stored: before.roll, slides: false };
            torque = spring.stretch(n, &spin, (stiffness * square, damper * square), (limit, limit), h);
            history.roll = spring.stored;
        }
        let force = normal_force * n + friction;
        Response { force, torque, normal_force, friction, history }
    }
}
