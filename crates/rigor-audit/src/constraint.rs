//! The errors of joints, bonds, attachments, fixed axes, prescribed motions and unit quaternions.

mod joint;

use rigor_math::{Mat3, quaternion};
use rigor_scene::energy::elastic::attachment_gap;
use rigor_scene::{Body, BodyId, BodyState, Bond, BondKind, ParticleId, Role, Scene};

use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::peak::{Peak, Peaks};
use joint::Joints;
use rigor_math::angle;

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

const STRAIN: Figure = Figure::new(
    "constraint.strain",
    "1",
    "largest ‖AᵀA − 1‖ of a body whose points x̂ are at A x̂ + q, if the run has strains; 0: all are rigid",
);

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
const N_BODY_FIGURES: usize = 7;

const BODY_FIGURES: [Figure; N_BODY_FIGURES] = [
    FIXED_TRANSLATION,
    FIXED_ROTATION,
    FIXED_SPIN,
    PRESCRIBED_POSITION,
    PRESCRIBED_ANGLE,
    QUATERNION_NORM,
    STRAIN,
];

const PARTICLE_FIGURES: [Figure; 2] = [BOND_STRETCH, ATTACHMENT];

pub(crate) const FIGURES: &[Figure] = &all_figures();

const N_FIGURES: usize = joint::FIGURES.len() + N_BODY_FIGURES + PARTICLE_FIGURES.len();

/// Lists the figures of joints, then of bodies, then of particles.
const fn all_figures() -> [Figure; N_FIGURES] {
    let mut all = [QUATERNION_NORM; N_FIGURES];
    let mut i = 0;
    while i < N_FIGURES {
        let (j, k) = (joint::FIGURES.len(), joint::FIGURES.len() + N_BODY_FIGURES);
        all[i] = if i < j {
            joint::FIGURES[i]
        } else if i < k {
            BODY_FIGURES[i - j]
        } else {
            PARTICLE_FIGURES[i - k]
        };
        i += 1;
    }
    all
}

/// Measures the errors of all constraints.
///
/// The error of fixed rotation axes depends on their number. With three, the rotation vector from the start
/// must vanish. With two, its components about them must vanish, since the body then turns about the third
/// axis only. With one, the constraint restricts velocities only, and `constraint.fixed_spin` alone measures
/// it.
#[derive(Debug, Default)]
pub struct Constraint {
    start: Vec<BodyState>,
    joints: Joints,
    fixed_translation: Peaks,
    fixed_rotation: Peaks,
    fixed_spin: Peaks,
    prescribed_position: Peaks,
    prescribed_angle: Peaks,
    quaternion_norm: Peaks,
    strain: Peaks,
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
        self.joints.observe(frame);
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
            if let Some(strain) = frame.state.strains.get(i) {
                self.strain.raise(BodyId(i), green(strain), frame.moment(), || body.name.clone());
            }
            match body.role {
                Role::Dynamic => self.measure_fixed(frame, BodyId(i), body),
                Role::Static | Role::Kinematic(_) => self.measure_prescribed(frame, BodyId(i), body),
            }
        }
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        let peaks = [
            &self.fixed_translation,
            &self.fixed_rotation,
            &self.fixed_spin,
            &self.prescribed_position,
            &self.prescribed_angle,
            &self.quaternion_norm,
            &self.strain,
        ];
        let of_bodies = BODY_FIGURES.iter().zip(peaks).flat_map(|(figure, peaks)| peaks.findings(figure));
        let of_particles = PARTICLE_FIGURES.iter().zip([&self.bond_stretch, &self.attachment]);
        let of_particles =
            of_particles.filter_map(|(figure, peak)| Some(peak.as_ref()?.finding(figure, None)));
        self.joints.findings().into_iter().chain(of_bodies).chain(of_particles).collect()
    }
}

/// Returns ‖AᵀA − 1‖ (Frobenius) for A = R (1 + E): that of 2 E + E², whatever the rotation.
///
/// Source: \[Lan2022\], the orthogonality that its potential penalises.
fn green(strain: &Mat3) -> f64 {
    (strain * 2.0 + strain * strain).norm()
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
    use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, rotation_vector};
    use rigor_scene::{Attachment, FixedAxes, Motion, Particle, State};

    use super::*;
    use crate::testing::{cube, judge, scene, value, value_of};

    #[test]
    fn the_strain_is_that_of_the_matrix_and_only_of_runs_that_have_one() {
        let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * 3.0)]);
        let start = State::initial(&scene);
        let mut now = State { strains: vec![Mat3::zeros(); 2], ..start.clone() };
        now.bodies[1].pose = Pose::from_rotation_vector(Vec3::zeros(), &Vec3::new(1.0, 2.0, 3.0));
        now.strains[1] = Mat3::from_diagonal(&Vec3::new(3e-4, 0.0, -4e-4));
        let findings = judge(&scene, &mut Constraint::default(), [start.clone(), now.clone()].into_iter());
        let a = now.matrix(BodyId(1));
        let expected = (a.transpose() * a - Mat3::identity()).norm();
        // 2 E + E² = diag(6.0009, 0, −7.9984)·10⁻⁴.
        assert!((expected - 1e-4 * 6.0009_f64.hypot(7.9984)).abs() < 1e-14, "{expected}");
        assert!((value(&findings, "constraint.strain") - expected).abs() < 1e-14);
        assert_eq!(value_of(&findings, "constraint.strain", 0), 0.0);
        assert!((value_of(&findings, "constraint.strain", 1) - expected).abs() < 1e-14);
        let findings = judge(&scene, &mut Constraint::default(), [start.clone(), start].into_iter());
        assert!(findings.iter().all(|finding| finding.figure != "constraint.strain"));
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
        for figure in BODY_FIGURES.iter().filter(|figure| figure.name != STRAIN.name) {
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

    /// Runs a kinematic cube at 2 m/s along x, and a dynamic one that may only move along x and turn about x,
    /// for 0.5 s, with errors of `shift` (m), `turn` (rad) and in the length of their quaternions.
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
