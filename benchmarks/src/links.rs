//! Bodies connected by joints.

use rigor_math::{Pose, UnitQuaternion, Vec3};
use rigor_scene::{Body, BodyId, Joint, JointKind, Role, Scene, TimeSpan};

use crate::boxes;

/// Length of a link (m).
const LENGTH: f64 = 0.5;

/// `n` pendula of three links each on hinges, every second one bent; they start level and swing.
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

/// `n` chains of `length` links on ball joints that start at an angle of 45° and swing.
pub fn chains(n: usize, length: usize) -> Scene {
    weights(n, length, 0.0)
}

/// Such chains with a weight at each end, `ratio` times as heavy as a link; no weight if that is 0.
pub fn weights(n: usize, length: usize, ratio: f64) -> Scene {
    let mut links = Links::default();
    let slope = std::f64::consts::FRAC_PI_4;
    for i in 0..n {
        let weight = (ratio > 0.0).then_some(ratio);
        links.hang(Vec3::z() * i as f64, &vec![-slope; length], JointKind::BALL, weight);
    }
    links.scene("chains")
}

/// A rope of `n` beads on threads, the first one fixed, that starts at an angle of 45° and swings.
pub fn rope(n: usize) -> Scene {
    let slope = Vec3::new(1.0, -1.0, 0.0).normalize();
    let mut links = Links::default();
    for i in 0..n {
        let bead = links.bead(slope * (i as f64 * THREAD), i == 0);
        if i > 0 {
            links.tie(bead, BodyId(bead.0 - 1));
        }
    }
    links.scene("rope")
}

/// A cloth of `n` × `n` beads on threads in both directions, level at the start and held at two corners of
/// one side.
pub fn net(n: usize) -> Scene {
    let mut links = Links::default();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let is_held = i == 0 && (j == 0 || j + 1 == n);
        let bead = links.bead(Vec3::new(i as f64, 0.0, j as f64) * THREAD, is_held);
        if i > 0 {
            links.tie(bead, BodyId(bead.0 - n));
        }
        if j > 0 {
            links.tie(bead, BodyId(bead.0 - 1));
        }
    }
    links.scene("net")
}

/// Length of a thread (m).
const THREAD: f64 = 0.05;

/// The bodies and joints so far.
#[derive(Default)]
struct Links {
    bodies: Vec<Body>,
    joints: Vec<Joint>,
}

impl Links {
    /// Adds links from `start` (m) on, at these angles (rad) from the x axis about z, connected by joints of
    /// this kind, the first one to the world. The last one is `last` times as heavy as the others.
    fn hang(&mut self, start: Vec3, angles: &[f64], kind: JointKind, last: Option<f64>) {
        let mut end = start;
        for (i, &angle) in angles.iter().enumerate() {
            let along = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), angle);
            let to_middle = along * Vec3::new(0.5 * LENGTH, 0.0, 0.0);
            let heavier = last.filter(|_| i + 1 == angles.len());
            let id = self.link(Pose::new(end + to_middle, along), heavier.unwrap_or(1.0));
            self.join(id, (i > 0).then(|| BodyId(id.0 - 1)), end, kind.clone());
            end += 2.0 * to_middle;
        }
    }

    fn link(&mut self, pose: Pose, heavier: f64) -> BodyId {
        let id = BodyId(self.bodies.len());
        let size = Vec3::new(LENGTH, 0.05, 0.05);
        // All in one group, so that they do not collide.
        let mut body = boxes::cuboid(format!("link {}", id.0), size, pose, 0, 0.5).build().expect("a box");
        body.mass *= heavier;
        body.inertia *= heavier;
        self.bodies.push(body);
        id
    }

    /// Adds a cube about `position` (m), to be tied at its centre.
    fn bead(&mut self, position: Vec3, is_held: bool) -> BodyId {
        let id = BodyId(self.bodies.len());
        let (size, pose) = (Vec3::repeat(0.2 * THREAD), Pose::translation(position));
        let mut bead = boxes::cuboid(format!("bead {}", id.0), size, pose, 0, 0.5);
        if is_held {
            bead.role = Role::Static;
        }
        self.bodies.push(bead.build().expect("a cube"));
        id
    }

    /// Adds a thread between the centres of two beads.
    fn tie(&mut self, a: BodyId, b: BodyId) {
        let (name, kind) = (format!("thread {}", self.joints.len()), JointKind::distance(0.0, THREAD));
        let middle = Pose::identity();
        self.joints.push(Joint::new(name, kind, (a, middle), (Some(b), middle)));
    }

    /// Adds a joint at `at` (m, world) about z.
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
        let time = TimeSpan { dt: 1.0 / 60.0, duration: 2.0 };
        Scene { joints: self.joints, ..boxes::scene(name.into(), self.bodies, time) }
    }
}

#[cfg(test)]
mod tests {
    use rigor_scene::JointError;
    use rigor_scene::State;

    use super::*;

    #[test]
    fn joints_are_kept_at_first() {
        for scene in [pendula(2), weights(2, 5, 100.0), rope(4), net(3)] {
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
