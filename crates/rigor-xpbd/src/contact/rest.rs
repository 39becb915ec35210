//! Groups of bodies that a substep leaves where they are.
//!
//! Two bodies are of one group if they may touch in this step, or if both may touch a third one that moves under
//! forces. Nothing outside a group affects it before the next step. If a substep leaves every body of a group
//! where it was, up to rounding, then so would the further ones, and they are left out. The first substep of
//! each step is always computed, so rest is nothing that a state must remember and nothing to wake up from.

use rigor_math::Vec3;
use rigor_scene::{Body, Role, Scene};

use super::pair::Pair;
use crate::body::SolverBody;

/// Maximum motion of a body at rest in a substep, as a fraction of its radius: a hundred times the rounding
/// error of a unit box at ten metres from the origin.
const STILL: f64 = 1e-13;

/// Maximum force on a body at rest, as a fraction of that of gravity and external forces alone.
const BALANCED: f64 = 1e-6;

/// The groups of a step; scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// Per body, another body of its group with a lower index, or itself.
    below: Vec<usize>,
    /// Per body that stands for its group, whether something besides contact may move the group.
    driven: Vec<bool>,
    /// The same, or whether the last substep moved it.
    restless: Vec<bool>,
}

impl Rest {
    /// Finds the groups of a step. Bodies with joints never rest, and none does beside particles.
    pub fn start(&mut self, scene: &Scene, pairs: &[Pair]) {
        self.below.clear();
        self.driven.clear();
        if !scene.particles.is_empty() {
            return;
        }
        self.below.extend(0..scene.bodies.len());
        let bodies = &scene.bodies;
        let near = || pairs.iter().filter(|pair| pair.detection.is_near);
        for pair in near().filter(|pair| bodies[pair.a.0].is_dynamic() && bodies[pair.b.0].is_dynamic()) {
            let (a, b) = (self.group(pair.a.0), self.group(pair.b.0));
            self.below[a.max(b)] = a.min(b);
        }
        for i in 0..self.below.len() {
            self.below[i] = self.group(i);
        }
        self.driven.resize(bodies.len(), false);
        for joint in &scene.joints {
            for id in std::iter::once(joint.body_a).chain(joint.body_b) {
                self.driven[self.below[id.0]] = true;
            }
        }
        for pair in near() {
            for (id, other) in [(pair.a.0, pair.b.0), (pair.b.0, pair.a.0)] {
                self.driven[self.below[id]] |= matches!(bodies[other].role, Role::Kinematic(_));
            }
        }
    }

    /// Ends all rest, in a step in which more bodies may meet than at its start.
    pub fn wake(&self, bodies: &mut [SolverBody], pairs: &mut [Pair]) {
        bodies.iter_mut().for_each(|body| body.rests = false);
        pairs.iter_mut().for_each(|pair| pair.rests = false);
    }

    fn group(&self, mut body: usize) -> usize {
        while self.below[body] != body {
            body = self.below[body];
        }
        body
    }

    /// Lets those groups rest until the end of the step that the substep of `h` (s) has left where they were.
    pub fn update(&mut self, scene: &Scene, bodies: &mut [SolverBody], pairs: &mut [Pair], h: f64) {
        if self.below.is_empty() {
            return;
        }
        self.restless.clone_from(&self.driven);
        let mut is_any = false;
        for (i, (body, solver)) in scene.bodies.iter().zip(&*bodies).enumerate() {
            let group = self.below[i];
            if body.is_dynamic() && !solver.rests && !self.restless[group] {
                self.restless[group] = !is_still(body, solver, &scene.gravity, h);
                is_any |= !self.restless[group];
            }
        }
        if !is_any {
            return;
        }
        for (i, (body, solver)) in scene.bodies.iter().zip(&mut *bodies).enumerate() {
            solver.rests = body.is_dynamic() && !self.restless[self.below[i]];
        }
        for pair in pairs.iter_mut().filter(|pair| pair.detection.is_near) {
            pair.rests = bodies[pair.a.0].rests || bodies[pair.b.0].rests;
        }
    }
}

/// Returns whether the substep of `h` (s) has left the body where it was: it moved by at most 10⁻¹³ radii r,
/// and before and after it was slower than that, and than 10⁻⁶ of what gravity and external forces would have
/// added.
///
/// s = min(10⁻¹³ r/h, 10⁻⁶ h ‖g + f/m‖), ‖v‖ ≤ s and r ‖ω‖ ≤ s. Without gravity and forces s = 0.
fn is_still(body: &Body, solver: &SolverBody, gravity: &Vec3, h: f64) -> bool {
    let acceleration = gravity + body.force / body.mass;
    let far = STILL * body.radius;
    let slow = (far / h).min(BALANCED * h * acceleration.norm());
    let is_slow = |v: &Vec3, omega: &Vec3| v.norm() <= slow && body.radius * omega.norm() <= slow;
    if !is_slow(&solver.linear_velocity, &solver.angular_velocity) {
        return false;
    }
    let gained = solver.w.zip_map(&acceleration, |w, a| if w > 0.0 { h * a } else { 0.0 });
    let turned = h * (solver.inverse_inertia * body.torque);
    let free = &solver.free;
    let moved = (solver.pose.position - solver.pose_prev.position).norm();
    // ‖q − q′‖ is half the angle.
    let angle = 2.0 * (solver.pose.rotation.coords - solver.pose_prev.rotation.coords).norm();
    is_slow(&(free.linear_velocity - gained), &(free.angular_velocity - turned))
        && moved <= far
        && body.radius * angle <= far
}
