//! How well joints, bonds, attachments, fixed axes, prescribed motions and unit quaternions are kept.

use rigor_math::{Pose, Vec3, quaternion};
use rigor_scene::{
    Attachment, Body, BodyId, BodyState, Bond, BondKind, Joint, JointKind, ParticleId, Role, Scene, State,
};

use crate::angle;
use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::peak::{Peak, Peaks};

const JOINT_POSITION: Figure = Figure::new(
    "constraint.joint_position",
    "m",
    "largest distance by which a rigid joint is apart; 0: kept",
);
const JOINT_ANGLE: Figure =
    Figure::new("constraint.joint_angle", "rad", "largest angle by which a rigid joint is twisted; 0: kept");
const JOINT_STRETCH: Figure =
    Figure::new("constraint.joint_stretch", "m", "largest distance by which a compliant joint is apart");
const FIXED_TRANSLATION: Figure =
    Figure::new("constraint.fixed_translation", "m", "largest displacement along a fixed axis; 0: kept");
const FIXED_ROTATION: Figure = Figure::new(
    "constraint.fixed_rotation",
    "rad",
    "largest rotation about a fixed axis, of bodies with two or three of them; 0: kept",
);
const FIXED_SPIN: Figure =
    Figure::new("constraint.fixed_spin", "rad/s", "largest angular velocity about a fixed axis; 0: kept");
const PRESCRIBED_POSITION: Figure = Figure::new(
    "constraint.prescribed_position",
    "m",
    "largest distance of a static or kinematic body from where it is prescribed to be; 0: kept",
);
const PRESCRIBED_ANGLE: Figure = Figure::new(
    "constraint.prescribed_angle",
    "rad",
    "largest angle of a static or kinematic body from its prescribed orientation; 0: kept",
);
const QUATERNION_NORM: Figure =
    Figure::new("constraint.quaternion_norm", "1", "largest |‖q‖ − 1|; 0: exactly of unit length");

const BOND_STRETCH: Figure = Figure::new(
    "constraint.bond_stretch",
    "1",
    "largest change of the length of a rigid distance bond, over its length; 0: kept",
);
const ATTACHMENT: Figure = Figure::new(
    "constraint.attachment",
    "m",
    "largest distance of a particle from the point of a body that it is rigidly attached to; 0: kept",
);

pub(crate) const FIGURES: &[Figure] = &[
    JOINT_POSITION,
    JOINT_ANGLE,
    JOINT_STRETCH,
    FIXED_TRANSLATION,
    FIXED_ROTATION,
    FIXED_SPIN,
    PRESCRIBED_POSITION,
    PRESCRIBED_ANGLE,
    QUATERNION_NORM,
    BOND_STRETCH,
    ATTACHMENT,
];

/// How far a joint is from being kept: distance (m), and angle (rad) if the joint restrains rotation.
///
/// With the joint's frames A and B in the world, origins a and b:
///
/// | kind | distance | angle |
/// | --- | --- | --- |
/// | fixed | ‖a − b‖ | of the rotation from A to B |
/// | ball | ‖a − b‖ | – |
/// | hinge | ‖a − b‖ | between the x axes of A and B |
/// | prismatic | of b from the x axis of A | of the rotation from A to B |
/// | distance | max(0, ‖a − b‖ − max) | – |
pub fn joint_error(joint: &Joint, state: &State) -> (f64, Option<f64>) {
    let place = |body: BodyId| &state.bodies[body.0].pose;
    let a = place(joint.body_a).compose(&joint.frame_a);
    let b = joint.body_b.map_or(joint.frame_b, |body| place(body).compose(&joint.frame_b));
    let gap = b.position - a.position;
    let turn = || angle::between_rotations(&a.rotation, &b.rotation);
    let x = |frame: &Pose| frame.vector(&Vec3::x());
    match joint.kind {
        JointKind::Fixed => (gap.norm(), Some(turn())),
        JointKind::Ball => (gap.norm(), None),
        JointKind::Hinge => (gap.norm(), Some(angle::between_directions(&x(&a), &x(&b)))),
        JointKind::Prismatic => (x(&a).cross(&gap).norm(), Some(turn())),
        JointKind::Distance { max } => ((gap.norm() - max).max(0.0), None),
    }
}

/// Follows everything that a body is bound to.
///
/// A rotation about some axes is fixed: with all three, the rotation vector from the start is to vanish; with two, its
/// components about them, since the body then only turns about the third; with one, the constraint ties velocities only
/// and `constraint.fixed_spin` alone can tell.
#[derive(Debug, Default)]
pub struct Constraint {
    start: Vec<BodyState>,
    joint_position: Peaks,
    joint_angle: Peaks,
    joint_stretch: Peaks,
    fixed_translation: Peaks,
    fixed_rotation: Peaks,
    fixed_spin: Peaks,
    prescribed_position: Peaks,
    prescribed_angle: Peaks,
    quaternion_norm: Peaks,
    bond_stretch: Option<Peak>,
    attachment: Option<Peak>,
}

impl Judge for Constraint {
    fn name(&self) -> &'static str {
        "constraint"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if self.start.is_empty() {
            self.start.clone_from(&frame.state.bodies);
        }
        for joint in &frame.scene.joints {
            self.measure_joint(frame, joint);
        }
        for bond in frame.scene.bonds.iter().filter(|bond| bond.compliance == 0.0) {
            self.measure_bond(frame, bond);
        }
        for attachment in frame.scene.attachments.iter().filter(|a| a.compliance == 0.0) {
            let gap = attachment_gap(attachment, frame.state).norm();
            let name = || format!("{} – {}", attachment.particle, frame.scene.bodies[attachment.body.0].name);
            Peak::raise(&mut self.attachment, gap, frame.moment(), name);
        }
        for (i, body) in frame.scene.bodies.iter().enumerate() {
            let state = &frame.state.bodies[i];
            let norm = state.pose.rotation.norm();
            self.quaternion_norm.raise(BodyId(i), (norm - 1.0).abs(), frame.moment(), || body.name.clone());
            match body.role {
                Role::Dynamic => self.measure_fixed(frame, BodyId(i), body),
                Role::Static | Role::Kinematic(_) => self.measure_prescribed(frame, BodyId(i), body),
            }
        }
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        let peaks = [
            &self.joint_position,
            &self.joint_angle,
            &self.joint_stretch,
            &self.fixed_translation,
            &self.fixed_rotation,
            &self.fixed_spin,
            &self.prescribed_position,
            &self.prescribed_angle,
            &self.quaternion_norm,
        ];
        let of_bodies = FIGURES.iter().zip(peaks).flat_map(|(figure, peaks)| peaks.findings(figure));
        let of_particles = [(BOND_STRETCH, &self.bond_stretch), (ATTACHMENT, &self.attachment)];
        let of_particles =
            of_particles.iter().filter_map(|(figure, peak)| Some(peak.as_ref()?.finding(figure, None)));
        of_bodies.chain(of_particles).collect()
    }
}

/// x − p (m, world): from the point of the body to the particle that is attached to it.
pub fn attachment_gap(attachment: &Attachment, state: &State) -> Vec3 {
    let point = state.bodies[attachment.body.0].pose.point(&attachment.point_local);
    state.particles[attachment.particle.0].position - point
}

impl Constraint {
    fn measure_bond(&mut self, frame: &Frame<'_>, bond: &Bond) {
        let (&BondKind::Distance { rest }, &[a, b]) = (&bond.kind, &bond.particles[..]) else { return };
        if rest > 0.0 {
            let length = |a: ParticleId, b: ParticleId| {
                (frame.state.particles[a.0].position - frame.state.particles[b.0].position).norm()
            };
            let stretch = (length(a, b) - rest).abs() / rest;
            Peak::raise(&mut self.bond_stretch, stretch, frame.moment(), || format!("{a} – {b}"));
        }
    }

    fn measure_joint(&mut self, frame: &Frame<'_>, joint: &Joint) {
        let (distance, turn) = joint_error(joint, frame.state);
        let (at, name) = (frame.moment(), || joint.name.clone());
        let is_rigid = joint.compliance == 0.0;
        for body in std::iter::once(joint.body_a).chain(joint.body_b) {
            if is_rigid {
                self.joint_position.raise(body, distance, at, name);
            } else {
                self.joint_stretch.raise(body, distance, at, name);
            }
            if let Some(turn) = turn.filter(|_| is_rigid) {
                self.joint_angle.raise(body, turn, at, name);
            }
        }
    }

    fn measure_fixed(&mut self, frame: &Frame<'_>, id: BodyId, body: &Body) {
        if body.fixed.is_none() {
            return;
        }
        let (start, now) = (&self.start[id.0], &frame.state.bodies[id.0]);
        let (at, name) = (frame.moment(), || body.name.clone());
        let moved = now.pose.position - start.pose.position;
        let turned = quaternion::difference(&start.pose.rotation, &now.pose.rotation);
        let n_fixed = body.fixed.rotation.iter().filter(|fixed| **fixed).count();
        for k in 0..3 {
            if body.fixed.translation[k] {
                self.fixed_translation.raise(id, moved[k].abs(), at, name);
            }
            if body.fixed.rotation[k] {
                self.fixed_spin.raise(id, now.angular_velocity[k].abs(), at, name);
                if n_fixed >= 2 {
                    self.fixed_rotation.raise(id, turned[k].abs(), at, name);
                }
            }
        }
    }

    fn measure_prescribed(&mut self, frame: &Frame<'_>, id: BodyId, body: &Body) {
        let now = &frame.state.bodies[id.0].pose;
        let (at, name) = (frame.moment(), || body.name.clone());
        if let Some(BodyState { pose, .. }) = body.prescribed(frame.state.time) {
            self.prescribed_position.raise(id, (now.position - pose.position).norm(), at, name);
            let turn = angle::between_rotations(&pose.rotation, &now.rotation);
            self.prescribed_angle.raise(id, turn, at, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{UnitQuaternion, rotation_vector};
    use rigor_scene::{FixedAxes, Motion, Particle};

    use super::*;
    use crate::testing::{cube, judge, scene, value, value_of};

    fn joint(kind: JointKind) -> Joint {
        Joint {
            name: "joint".into(),
            kind,
            body_a: BodyId(0),
            body_b: Some(BodyId(1)),
            frame_a: Pose::translation(Vec3::x()),
            frame_b: Pose::translation(-Vec3::x()),
            compliance: 0.0,
        }
    }

    /// Position and angle error of a joint between a cube at the origin and one placed at `b`.
    fn errors(kind: JointKind, b: Pose) -> (f64, Option<f64>) {
        let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::zeros())]);
        let mut state = State::initial(&scene);
        state.bodies[1].pose = b;
        joint_error(&joint(kind), &state)
    }

    #[test]
    fn each_kind_of_joint_leaves_free_what_it_says_and_nothing_else() {
        let kept = Pose::translation(Vec3::x() * 2.0);
        let about = |axis: Vec3| {
            let q = rotation_vector::exp(&(axis * 0.25));
            Pose::new(Vec3::x() + q * Vec3::x(), q) // turned about the joint
        };
        let shifted = |by: Vec3| Pose::translation(Vec3::x() * 2.0 + by);
        let kinds = [JointKind::Fixed, JointKind::Ball, JointKind::Hinge, JointKind::Prismatic];
        for kind in kinds {
            let (d, a) = errors(kind, kept);
            assert_eq!((d, a.unwrap_or(0.0)), (0.0, 0.0), "{kind:?}");
        }
        let angle_of = |kind, axis| errors(kind, about(axis)).1.unwrap_or(0.0);
        let near = |x: f64, y: f64| (x - y).abs() < 1e-14;
        for (kind, x, y) in [
            (JointKind::Fixed, 0.25, 0.25),
            (JointKind::Ball, 0.0, 0.0),
            (JointKind::Hinge, 0.0, 0.25),
            (JointKind::Prismatic, 0.25, 0.25),
        ] {
            assert!(near(angle_of(kind, Vec3::x()), x) && near(angle_of(kind, Vec3::y()), y), "{kind:?}");
        }
        for kind in kinds {
            let along = if kind == JointKind::Prismatic { 0.0 } else { 0.5 };
            assert!(near(errors(kind, shifted(Vec3::x() * 0.5)).0, along), "{kind:?}");
            assert!(near(errors(kind, shifted(Vec3::z() * 0.5)).0, 0.5), "{kind:?}");
        }
        let rope = JointKind::Distance { max: 0.375 };
        assert_eq!(errors(rope, shifted(Vec3::z() * 0.25)).0, 0.0);
        assert_eq!(errors(rope, shifted(Vec3::z() * 0.5)).0, 0.125);
    }

    #[test]
    fn a_joint_to_the_world_is_measured_for_its_body() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        let frame_b = Pose::translation(Vec3::new(1.0, 0.0, 0.5));
        scene.joints.push(Joint { body_b: None, frame_b, ..joint(JointKind::Ball) });
        let soft = Joint { name: "soft".into(), compliance: 1e-3, ..scene.joints[0].clone() };
        scene.joints.push(soft);
        let start = State::initial(&scene);
        let found = judge(&scene, &mut Constraint::default(), [start].into_iter());
        assert_eq!(value_of(&found, "constraint.joint_position", 0), 0.5);
        assert_eq!(value(&found, "constraint.joint_stretch"), 0.5);
        assert!(!found.iter().any(|f| f.figure == "constraint.joint_angle"));
    }

    #[test]
    fn rigid_bonds_and_attachments_are_measured_and_compliant_ones_are_not() {
        let mut scene = scene(vec![cube("a", Vec3::zeros())]);
        scene.particles = vec![Particle::new(1.0, Vec3::x() * 2.0), Particle::new(1.0, Vec3::x() * 4.5)];
        let bond = |rest, compliance| Bond {
            kind: BondKind::Distance { rest },
            particles: vec![ParticleId(0), ParticleId(1)],
            compliance,
        };
        scene.bonds = vec![bond(2.0, 0.0), bond(1.0, 1e-3)];
        let attach = |particle, compliance| Attachment {
            particle: ParticleId(particle),
            body: BodyId(0),
            point_local: Vec3::x(),
            compliance,
        };
        scene.attachments = vec![attach(0, 0.0), attach(1, 1.0)];
        let found = judge(&scene, &mut Constraint::default(), [State::initial(&scene)].into_iter());
        assert_eq!(value(&found, "constraint.bond_stretch"), 0.25);
        assert_eq!(value(&found, "constraint.attachment"), 1.0);
    }

    #[test]
    fn prescribed_and_fixed_bodies_that_obey_have_no_error() {
        let found = drive(Vec3::zeros(), Vec3::zeros(), 1.0);
        for figure in FIGURES.iter().skip(3).take(6) {
            assert!(value(&found, figure.name) < 1e-15, "{figure:?}");
        }
        assert_eq!(found.iter().filter(|f| f.body.is_none()).count(), 6);
    }

    #[test]
    fn disobedience_is_measured() {
        let found = drive(Vec3::new(0.0, 0.25, 0.0), Vec3::new(0.0, 0.5, 0.0), 1.0 + 1e-6);
        assert_eq!(value_of(&found, "constraint.prescribed_position", 0), 0.25);
        assert_eq!(value_of(&found, "constraint.fixed_translation", 1), 0.25);
        assert!((value(&found, "constraint.prescribed_angle") - 0.5).abs() < 1e-14);
        assert!((value(&found, "constraint.fixed_rotation") - 0.5).abs() < 1e-14);
        assert_eq!(value(&found, "constraint.fixed_spin"), 0.5);
        assert!((value(&found, "constraint.quaternion_norm") - 1e-6).abs() < 1e-15);
    }

    /// A kinematic cube at 2 m/s along x and a dynamic one that may only move along x and turn about x do so for 0.5 s,
    /// but for `shift` (m), `turn` (rad) and the length of their quaternions.
    fn drive(shift: Vec3, turn: Vec3, norm: f64) -> Vec<Finding> {
        let mut scene = scene(vec![cube("led", Vec3::zeros()), cube("held", Vec3::x() * 4.0)]);
        scene.bodies[0].role = Role::Kinematic(Motion::constant_velocity());
        scene.bodies[0].initial.linear_velocity = Vec3::x() * 2.0;
        scene.bodies[1].fixed = FixedAxes { translation: [false, true, true], rotation: [false, true, true] };
        let start = State::initial(&scene);
        let mut end = State { step: 1, time: 0.5, ..start.clone() };
        for (body, path) in end.bodies.iter_mut().zip([Vec3::x(), Vec3::x() * 7.0]) {
            let q = rotation_vector::exp(&turn).into_inner() * norm;
            body.pose = Pose::new(body.pose.position + path + shift, UnitQuaternion::new_unchecked(q));
            body.angular_velocity = turn;
        }
        judge(&scene, &mut Constraint::default(), [start, end].into_iter())
    }
}
