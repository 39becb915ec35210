//! Bodies that hang from each other.

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{Body, BodyId, Joint, JointKind, Role, Scene, TimeSpan};

use crate::boxes;

/// Length of a link (m).
const LENGTH: f64 = 0.5;

/// `n` pendula of three links each, every second one bent: they hang level at first, on hinges, and swing.
pub fn pendula(n: usize) -> Scene {
    let mut links = Links::default();
    for i in 0..n {
        let start = Vec3::new((i % 20) as f64 * 2.0, 0.0, (i / 20) as f64);
        let bend = if i % 2 == 0 { 0.0 } else { 0.7 };
        let joints = [0.0, bend, 2.0 * bend];
        links.hang(start, &joints, JointKind::HINGE, None);
    }
    links.scene("pendula")
}

/// `n` chains of `length` links on balls, at an angle of 45°, from which they swing.
pub fn chains(n: usize, length: usize) -> Scene {
    weights(n, length, 0.0)
}

/// The same, with a weight at the end of each that is `ratio` times as heavy as a link; none if that is 0.
pub fn weights(n: usize, length: usize, ratio: f64) -> Scene {
    let mut links = Links::default();
    let slope = std::f64::consts::FRAC_PI_4;
    for i in 0..n {
        let weight = (ratio > 0.0).then_some(ratio);
        links.hang(Vec3::z() * i as f64, &vec![-slope; length], JointKind::BALL, weight);
    }
    links.scene("chains")
}

/// Bodies and joints, so far.
#[derive(Default)]
struct Links {
    bodies: Vec<Body>,
    joints: Vec<Joint>,
}

impl Links {
    /// Links from `start` (m) on, at these angles (rad) from the x axis about z, held by joints of this kind, the first
    /// by the world; the last is so many times as heavy as the others.
    fn hang(&mut self, start: Vec3, angles: &[f64], kind: JointKind, last: Option<f64>) {
        let mut end = start;
        for (i, &angle) in angles.iter().enumerate() {
            let along = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), angle);
            let to_middle = along * Vec3::new(0.5 * LENGTH, 0.0, 0.0);
            let heavier = last.filter(|_| i + 1 == angles.len());
            let id = self.link(Pose::new(end + to_middle, along), heavier.unwrap_or(1.0));
            self.join(id, (i > 0).then(|| BodyId(id.0 - 1)), end, kind);
            end += 2.0 * to_middle;
        }
    }

    fn link(&mut self, pose: Pose, heavier: f64) -> BodyId {
        let id = BodyId(self.bodies.len());
        let size = Vec3::new(LENGTH, 0.05, 0.05);
        // All of one group: what hangs does not collide.
        let mut body = boxes::cuboid(format!("link {}", id.0), size, pose, 0, 0.5).build().expect("a box");
        body.mass *= heavier;
        body.inertia *= heavier;
        self.bodies.push(body);
        id
    }

    /// A joint at `at` (m, world) about z.
    fn join(&mut self, a: BodyId, b: Option<BodyId>, at: Vec3, kind: JointKind) {
        let about_z = UnitQuaternion::from_axis_angle(&-Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
        let world = Pose::new(at, about_z);
        let frame = |body: BodyId| {
            let Pose { position, rotation } = self.bodies[body.0].initial.pose;
            let back = rotation.inverse();
            Pose::new(back * (world.position - position), back * world.rotation)
        };
        let frame_b = b.map_or(world, frame);
        let name = format!("joint {}", self.joints.len());
        self.joints.push(Joint::new(name, kind, (a, frame(a)), (b, frame_b)));
    }

    fn scene(self, name: &str) -> Scene {
        debug_assert!(self.bodies.iter().all(|body| body.role == Role::Dynamic));
        let time = TimeSpan { dt: 1.0 / 60.0, duration: 2.0 };
        Scene { joints: self.joints, ..boxes::scene(name.into(), self.bodies, time) }
    }
}

#[cfg(test)]
mod tests {
    use rigor_audit::constraint::JointError;
    use rigor_scene::State;

    use super::*;

    #[test]
    fn joints_are_kept_at_first() {
        for scene in [pendula(2), weights(2, 5, 100.0)] {
            let state = State::initial(&scene);
            for joint in &scene.joints {
                let error = JointError::of(joint, &state);
                assert!(
                    error.position.unwrap_or(0.0) < 1e-14 && error.angle.unwrap_or(0.0) < 1e-14,
                    "{error:?}"
                );
            }
        }
    }
}
