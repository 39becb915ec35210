//! What contacts do in a step: impulses, and the reports of them.

use rigor_math::Vec3;
use rigor_scene::{BodyId, ContactReport, Friction};

use crate::found::Found;
use crate::frame::Frame;

/// A contact that pushed in some substep of a step.
#[derive(Debug, Clone)]
pub struct Pushed {
    /// The contact, as the last substep in which it pushed found it.
    pub found: Found,
    /// Impulse on a along the normal (N s), summed over all substeps.
    pub normal: f64,
    /// Impulse on a across it (N s, world), summed over all substeps.
    pub tangential: Vec3,
}

impl Pushed {
    /// Adds the impulses (N s) of a contact in a substep to those of the same contact in `list`.
    pub fn add(list: &mut Vec<Self>, found: &Found, normal: f64, tangential: Vec3) {
        match list.iter_mut().find(|pushed| pushed.found.key == found.key) {
            Some(pushed) => {
                pushed.found = found.clone();
                pushed.normal += normal;
                pushed.tangential += tangential;
            }
            None => list.push(Self { found: found.clone(), normal, tangential }),
        }
    }

    /// Returns the report of a step of `dt` (s), with mean forces over it. `frames` and `velocity`, of end 0 or 1 at a point (m, world), are those at its end.
    pub fn report(
        &self,
        (body_a, body_b): (BodyId, BodyId),
        friction: &Friction,
        [a, b]: [&Frame; 2],
        velocity: impl Fn(usize, &Vec3) -> Vec3,
        dt: f64,
    ) -> ContactReport {
        let touch = self.found.touch(a, b);
        let slip = velocity(0, &touch.point) - velocity(1, &touch.point);
        let n = touch.normal;
        ContactReport {
            body_a,
            body_b,
            point_world: touch.point,
            normal_world: n,
            distance: touch.gap,
            normal_force: self.normal / dt,
            friction_force_world: self.tangential / dt,
            slip_velocity_world: slip - slip.dot(&n) * n,
            friction: (friction.static_, friction.dynamic),
        }
    }
}
