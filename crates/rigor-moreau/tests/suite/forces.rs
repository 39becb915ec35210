//! What joints and contacts report is what pushed.

use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_moreau::Config;
use rigor_scene::{
    BodyId, BodySpec, Drive, Freedom, Friction, Goal, Joint, JointDamping, JointKind, Range, Role, Run,
    Scene, Strength, Weight,
};

use crate::joints::case;
use crate::scenes::{cuboid, floor, record, scene};

const G: f64 = 9.81;

/// A joint of the kind between a point of body `a` and the world at `place`, with its x axis along `x`.
fn to_world(kind: JointKind, a: usize, at: Vec3, place: Vec3, x: Vec3) -> Joint {
    let turn = rotation_vector::exp(&(Vec3::x().cross(&x) * std::f64::consts::FRAC_PI_2));
    Joint::new("joint", kind, (BodyId(a), Pose::new(at, turn)), (None, Pose::new(place, turn)))
}

/// A bob of 2 kg on a rope of 1 m from the origin, `angle` (rad) off the vertical.
fn pendulum(angle: f64) -> Scene {
    let place = Vec3::new(angle.sin(), -angle.cos(), 0.0);
    let bob = BodySpec { weight: Weight::Mass(2.0), ..cuboid("bob", [0.1; 3], place.into()) };
    let mut scene = scene(vec![bob]);
    let rope = JointKind::distance(0.0, 1.0);
    scene.joints.push(to_world(rope, 0, Vec3::zeros(), Vec3::zeros(), Vec3::x()));
    scene
}

fn force(run: &Run, step: usize, joint: usize) -> Vec3 {
    run.reports[step].joints[joint].force_world
}

#[test]
fn a_mass_that_hangs_on_a_rope_pulls_with_its_weight() {
    let run = record(&pendulum(0.0), Config::default(), 1e-2, 50);
    for step in 0..50 {
        let pull = force(&run, step, 0);
        assert!((pull - Vec3::y() * (2.0 * G)).norm() < 1e-6, "step {step}: {pull}");
    }
}

#[test]
fn a_rope_pulls_with_what_a_pendulum_needs_at_every_place() {
    let angle = 1.0_f64;
    for substeps in [1, 4] {
        let run = record(&pendulum(angle), Config { substeps, ..Config::default() }, 2e-3, 900);
        let mut lowest = 0.0_f64;
        for step in 1..900 {
            let states = [&run.trajectory.frames[step], &run.trajectory.frames[step + 1]];
            let height = states.map(|state| state.bodies[0].pose.position.y);
            // From the drop: m g (3 cos φ − 2 cos φ₀).
            let due = 2.0 * G * (-1.5 * (height[0] + height[1]) - 2.0 * angle.cos());
            let pull = force(&run, step, 0).norm();
            assert!((pull - due).abs() < 0.02 * 2.0 * G, "step {step}: {pull} N for {due} N");
            lowest = lowest.max(pull);
        }
        let due = 2.0 * G * (3.0 - 2.0 * angle.cos());
        assert!((lowest - due).abs() < 5e-3 * due, "{lowest} N for {due} N");
    }
}

#[test]
fn a_rope_breaks_where_it_pulls_more_than_it_bears() {
    // Let go level with the pivot, it pulls with 3 m g sin φ after a fall of L sin φ.
    let dt = 5e-3;
    for part in [0.2, 0.35, 0.5, 0.65, 0.8, 0.95] {
        let mut scene = pendulum(std::f64::consts::FRAC_PI_2);
        scene.joints[0].strength = Strength { force: 3.0 * part * 2.0 * G, ..Strength::default() };
        let run = record(&scene, Config::default(), dt, 200);
        let broke = run.reports.iter().position(|report| report.joints[0].broken).unwrap();
        let bob = &run.trajectory.frames[broke + 1].bodies[0];
        // The mean over a step is that of its middle.
        let way = dt * bob.linear_velocity.norm();
        let fall = -bob.pose.position.y - 0.5 * way;
        assert!(fall > part - 0.5 * way && fall < part + 1.1 * way, "{fall} m for {part} m");
    }
}

#[test]
fn bounds_push_with_what_presses_against_them() {
    let load = 30.0;
    let kinds = [
        JointKind::Prismatic { slide: Freedom { range: Range::new(-1.0, 0.25), drive: None } },
        JointKind::Cylindrical {
            slide: Freedom { range: Range::new(-1.0, 0.25), drive: None },
            turn: Freedom::FREE,
        },
        JointKind::Prismatic {
            slide: Freedom { range: Range { compliance: 1e-4, ..Range::new(-1.0, 0.25) }, drive: None },
        },
    ];
    for kind in kinds {
        let mut scene =
            scene(vec![BodySpec { weight: Weight::Mass(2.0), ..cuboid("ram", [0.2; 3], [0.0; 3]) }]);
        scene.gravity = Vec3::zeros();
        scene.bodies[0].force = Vec3::x() * load;
        let joint = to_world(kind.clone(), 0, Vec3::zeros(), Vec3::zeros(), Vec3::x());
        scene.joints.push(Joint {
            damping: JointDamping {
                linear: if kind.length_range().compliance > 0.0 { 50.0 } else { 0.0 },
                ..JointDamping::default()
            },
            ..joint
        });
        let run = record(&scene, Config::default(), 5e-3, 400);
        let push = force(&run, 399, 0);
        assert!((push + Vec3::x() * load).norm() < 1e-6 * load, "{kind:?}: {push}");
    }
}

#[test]
fn a_bound_of_a_turn_bears_the_moment_of_a_weight() {
    // A bar about its end on the z axis, which comes to rest level at a bound.
    let mut scene = scene(vec![BodySpec {
        weight: Weight::Mass(3.0),
        ..cuboid("bar", [1.0, 0.1, 0.1], [0.5, 0.0, 0.0])
    }]);
    let axis = rotation_vector::exp(&(Vec3::y() * -std::f64::consts::FRAC_PI_2));
    let kind = JointKind::Hinge { turn: Freedom { range: Range::new(0.0, 1.0), drive: None } };
    let (principal, place) = (scene.bodies[0].initial.pose, Pose::new(Vec3::zeros(), axis));
    let local = Pose::new(principal.inverse_point(&Vec3::zeros()), principal.rotation.inverse() * axis);
    scene.joints.push(Joint::new("hinge", kind, (BodyId(0), local), (None, place)));
    let run = record(&scene, Config::default(), 1e-2, 50);
    let joint = &run.reports[49].joints[0];
    assert!((joint.force_world - Vec3::y() * (3.0 * G)).norm() < 1e-6, "{}", joint.force_world);
    assert!((joint.torque_world.z - 3.0 * G * 0.5).abs() < 1e-5, "{}", joint.torque_world);
}

/// The largest part of a body's change of momentum, and weight, that no report accounts for.
fn largest_unexplained(scene: &Scene, run: &Run, dt: f64) -> f64 {
    let mut worst = 0.0_f64;
    for (states, report) in run.trajectory.frames.windows(2).zip(&run.reports) {
        let mut forces: Vec<Vec3> =
            scene.bodies.iter().map(|body| body.mass * scene.gravity + body.force).collect();
        for told in &report.joints {
            let joint = &scene.joints[told.joint];
            forces[joint.body_a.0] += told.force_world;
            if let Some(b) = joint.body_b {
                forces[b.0] -= told.force_world;
            }
        }
        for told in &report.contacts {
            let push = told.normal_force * told.normal_world + told.friction_force_world;
            forces[told.body_a.0] += push;
            forces[told.body_b.0] -= push;
        }
        for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            let change =
                body.mass * (states[1].bodies[i].linear_velocity - states[0].bodies[i].linear_velocity);
            let scale = body.mass * (scene.gravity.norm() + 1.0) + (change / dt).norm();
            worst = worst.max((change / dt - forces[i]).norm() / scale);
        }
    }
    worst
}

#[test]
fn reports_account_for_all_momentum_of_joints() {
    for name in [
        "joints/rope",
        "joints/ball-swing",
        "joints/cylindrical",
        "joints/damped-wheel",
        "joints/force-laws",
        "joints/hinge-drive",
        "joints/hinge-limit",
        "joints/prismatic-drive",
        "joints/springs",
        "mueller2020/06-mass-ratio",
        "mueller2020/18-rope-twist",
    ] {
        let scene = case(name);
        let dt = scene.time.dt;
        let run = record(&scene, Config::default(), dt, 100.min(scene.time.steps()));
        let part = largest_unexplained(&scene, &run, dt);
        assert!(part < 1e-2, "{name}: {part:e}");
    }
}

#[test]
fn reports_account_for_all_momentum_of_contacts_on_joints() {
    // A sledge on a rope over a rough floor; it goes round, is pulled by a spring, and hits a stop.
    let mu = 0.4;
    let rough = |body: BodySpec| BodySpec { friction: Friction::uniform(mu), ..body };
    let sledge = BodySpec {
        weight: Weight::Mass(2.0),
        linear_velocity: Vec3::new(0.0, 0.0, 4.0),
        restitution: 0.5,
        ..rough(cuboid("sledge", [0.3, 0.2, 0.3], [1.0, 0.1, 0.0]))
    };
    let post = BodySpec { restitution: 0.5, ..rough(cuboid("post", [0.2, 1.0, 0.2], [-1.0, 0.5, 0.3])) };
    let mut scene = scene(vec![floor(mu), sledge, BodySpec { weight: Weight::Mass(30.0), ..post }]);
    let at = Vec3::new(0.1, 0.0, 0.0);
    scene.joints.push(to_world(JointKind::distance(0.0, 1.1), 1, at, Vec3::new(0.0, 0.1, 0.0), Vec3::x()));
    let spring = Drive { damping: 1.0, ..Drive::spring(Goal::Position(0.2), 1.0 / 40.0) };
    let kind = JointKind::Distance { min: 0.0, max: f64::INFINITY, drive: Some(spring) };
    scene.joints.push(to_world(kind, 1, at, Vec3::new(-1.0, 0.1, 2.0), Vec3::x()));
    for dt in [1e-2, 1e-3] {
        let run = record(&scene, Config::default(), dt, (1.5 / dt) as u64);
        let part = largest_unexplained(&scene, &run, dt);
        // Bodies turn in the step of an impact, and with them the normals, which are those at its end.
        let rate = |state: &rigor_scene::State| state.bodies[1].angular_velocity.norm();
        let turn = run.trajectory.frames.iter().map(rate).fold(0.0, f64::max) * dt;
        assert!(part < 0.15 * turn, "{dt} s: {part:e}, turn {turn:e}");
    }
}

#[test]
fn a_contact_that_closes_at_the_end_of_a_step_is_told() {
    // Beside a pendulum, a box meets a wall within the rounding of a step's end.
    let mut scene = pendulum(0.0);
    scene.gravity = Vec3::zeros();
    let other = [
        BodySpec { role: Role::Static, ..cuboid("wall", [0.2, 1.0, 1.0], [5.2, 0.0, 0.0]) },
        BodySpec { linear_velocity: Vec3::x(), ..cuboid("box", [0.2; 3], [4.99 - 1e-9, 0.0, 0.0]) },
    ];
    for (group, spec) in (1..).zip(other) {
        scene.bodies.push(BodySpec { group, ..spec }.build().unwrap());
    }
    let run = record(&scene, Config::default(), 1e-2, 3);
    assert!(run.last().bodies[2].linear_velocity.norm() < 1e-6);
    assert!(largest_unexplained(&scene, &run, 1e-2) < 1e-6);
}
