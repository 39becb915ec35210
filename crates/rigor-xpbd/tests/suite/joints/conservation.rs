//! Invariants of joints, and repeatability of runs.

use rigor_math::{Pose, Vec3, inertia, rotation_vector};
use rigor_scene::{
    BodySpec, Drive, ForceLaw, Freedom, Goal, Joint, JointDamping, JointKind, Observer, Outcome, Range,
    Scene, State, StepReport, roll_out,
};
use rigor_xpbd::{Config, JointSolver};

use super::{about_z, joint, with};
use crate::scenes::{cuboid, record, scene, xpbd};

/// Eight bricks that tumble in free space, connected by every kind of joint except gears, which react against
/// the world.
fn chain() -> Scene {
    let bricks = (0..8).map(|i| {
        let k = f64::from(i);
        let spin = Vec3::new(1.0, -0.5 * k, 0.3 + 0.2 * k);
        BodySpec {
            linear_velocity: Vec3::new(0.1 * k, -0.2, 0.3 * k - 1.0),
            angular_velocity: spin,
            pose: Pose::new(Vec3::x() * k, rotation_vector::exp(&(0.1 * spin))),
            ..cuboid(&format!("brick {i}"), [0.9, 0.4, 0.3 + 0.05 * k], [0.0; 3])
        }
    });
    let mut scene = scene(bricks.collect());
    scene.gravity = Vec3::zeros();
    let drive = Drive { damping: 0.1, ..Drive::spring(Goal::Velocity(2.0), 1e-3) };
    let range = Range { compliance: 1e-4, ..Range::new(-0.2, 0.3) };
    let driven = Freedom { range, drive: Some(drive) };
    let kinds = [
        JointKind::Ball { swing: range, twist: Range::new(-0.1, 0.1) },
        JointKind::Hinge { turn: driven.clone() },
        JointKind::Universal,
        JointKind::Cylindrical { slide: driven, turn: Freedom::within(range) },
        JointKind::Fixed,
        JointKind::distance(0.0, 0.4),
        JointKind::Distance {
            min: 0.0,
            max: f64::INFINITY,
            drive: Some(Drive {
                law: ForceLaw::polynomial(&[500.0, 1000.0]),
                damping: 5.0,
                ..Drive::new(Goal::Position(0.3))
            }),
        },
    ];
    let mut joints: Vec<Joint> = kinds
        .into_iter()
        .zip(0..)
        .map(|(kind, i)| {
            let frame = Pose::new(Vec3::x() * (i as f64 + 0.5), about_z());
            let damping = JointDamping { linear: 0.5, angular: 0.25 };
            Joint { damping, ..joint(&scene, kind, i + 1, Some(i), frame) }
        })
        .collect();
    joints[4].compliance = 1e-4;
    joints[4].angular_compliance = 1e-3;
    joints[6].frame_a.position += Vec3::new(0.1, 0.3, -0.1);
    joints[5].frame_a.position += Vec3::new(0.0, 0.2, 0.1);
    with(scene, joints)
}

fn momenta(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let of = |(body, s): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let p = body.mass * s.linear_velocity;
        let spin = inertia::angular_momentum(&body.inertia, &s.pose.rotation, &s.angular_velocity);
        (p, s.pose.position.cross(&p) + spin)
    };
    scene
        .bodies
        .iter()
        .zip(&state.bodies)
        .map(of)
        .fold(<(Vec3, Vec3)>::default(), |a, b| (a.0 + b.0, a.1 + b.1))
}

#[test]
fn joints_between_free_bodies_conserve_momentum() {
    for (iterations, joints) in [(1, JointSolver::Sweep), (3, JointSolver::Sweep), (1, JointSolver::Direct)] {
        let scene = chain();
        let config = Config { iterations, joints, substeps: 10, ..Config::default() };
        let run = record(&scene, config, 0.01, 200);
        let (p0, l0) = momenta(&scene, &run.trajectory.frames[0]);
        let pulled =
            run.reports.iter().flat_map(|r| &r.joints).map(|j| j.force_world.norm()).fold(0.0, f64::max);
        assert!(pulled > 100.0, "joints pull by {pulled} N");
        for frame in &run.trajectory.frames {
            let (p, l) = momenta(&scene, frame);
            // Rounding over 2000 substeps of eight bodies of 100 kg and some 1000 kg m²/s.
            assert!(
                (p - p0).norm() < 1e-9 && (l - l0).norm() < 1e-8,
                "{} {}",
                (p - p0).norm(),
                (l - l0).norm()
            );
        }
    }
}

#[test]
fn a_pendulum_of_three_links_keeps_its_energy_with_many_substeps() {
    let links = (0..3).map(|i| cuboid(&format!("link {i}"), [1.0, 0.1, 0.1], [0.5 + f64::from(i), 0.0, 0.0]));
    let scene = scene(links.collect());
    let joints = (0..3).map(|i: usize| {
        joint(&scene, JointKind::HINGE, i, i.checked_sub(1), Pose::new(Vec3::x() * i as f64, about_z()))
    });
    let scene = with(scene.clone(), joints.collect());
    let energy = |state: &State| -> f64 {
        let of = |(body, s): (&rigor_scene::Body, &rigor_scene::BodyState)| {
            inertia::kinetic_energy(
                body.mass,
                &s.linear_velocity,
                &body.inertia,
                &s.pose.rotation,
                &s.angular_velocity,
            ) + body.mass * super::G * s.pose.position.y
        };
        scene.bodies.iter().zip(&state.bodies).map(of).sum()
    };
    let run = record(&scene, Config { substeps: 40, ..Config::default() }, 1.0 / 60.0, 600);
    // 30 kg that fall by up to 3 m.
    let scale = 30.0 * super::G * 1.5;
    let drift = run.trajectory.frames.iter().map(|f| energy(f) / scale).fold(0.0_f64, |m, e| m.max(e.abs()));
    assert!(drift < 0.02, "{drift}");
}

struct Ignore;

impl Observer for Ignore {
    fn step(&mut self, _: &Scene, _: &State, _: &StepReport) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn a_run_with_motors_and_broken_joints_goes_on_where_it_was_stopped() {
    let mut scene = chain();
    scene.joints[0].strength.force = 500.0;
    let whole = record(&scene, Config::default(), 0.01, 100);
    let broke = whole.reports.iter().position(|r| r.joints[0].broken).expect("it breaks");
    assert!(broke < 50, "broke at {broke}");
    let mut state = whole.trajectory.frames[50].clone();
    let outcome = roll_out(&scene, &mut xpbd(Config::default()), &mut state, 0.01, 100, &mut Ignore);
    assert_eq!((outcome, &state), (Outcome::Completed, whole.last()));
}
