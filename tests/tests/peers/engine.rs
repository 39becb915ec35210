//! Analytic cases for every engine that is installed.

use std::f64::consts::FRAC_PI_2;

use libtest_mimic::{Completion, Trial};
use rigor_bench::invariance::{self, VARIATIONS, Variation, deviation};
use rigor_free::Free;
use rigor_math::{Pose, Vec3, elementary};
use rigor_peers::engine::Engine;
use rigor_peers::process::Capabilities;
use rigor_peers::process::capabilities::{JointType, Precision, Surface};
use rigor_run::{peers, registry};
use rigor_scene::JointError;
use rigor_scene::{
    BodyId, BodySpec, Clock, FixedAxes, Joint, JointKind, Method, Motion, Outcome, PartKind, PlacedShape,
    Role, Run, Scene, Setting, Settings, State,
};
use rigor_shapes::Cuboid;
use rigor_tests::scenes;

use crate::case::{G, boomerang, concave, cube, drop, floor, scene, touching_cube};

/// A test of an engine under one of its two sets of settings.
type Test = fn(&Engine, &'static str);

const TESTS: [(&str, Test); 18] = [
    ("falls_freely", falls_freely),
    ("spins_freely", spins_freely),
    ("tumbles_as_free_does", tumbles_as_free_does),
    ("spins_about_its_centre_of_mass_wherever_its_frame_is", spins_about_its_centre),
    ("sticks_below_and_slides_above_the_threshold", sticks_and_slides),
    ("bounces_as_it_claims", bounces_as_it_claims),
    ("rests_on_a_plane_without_thickness", rests_on_a_plane),
    ("reports_forces_that_balance", reports_forces_that_balance),
    ("flies_alike_however_the_scene_is_written_down", flies_alike),
    ("flies_faster_than_a_hundred_metres_per_second", flies_fast),
    ("reports_forces_that_balance_without_friction", reports_forces_without_friction),
    ("touches_without_a_force", touches_without_a_force),
    ("two_processes_give_the_same_bits_also_when_resumed", two_processes_give_the_same_bits),
    ("says_what_it_replaces", says_what_it_replaces),
    ("carries_on_a_moving_floor", carries_on_a_moving_floor),
    ("keeps_locked_axes", keeps_locked_axes),
    ("swings_on_a_hinge_as_a_pendulum", swings_on_a_hinge),
    ("has_the_joints_that_it_states", has_the_joints_that_it_states),
];

/// Tests that an engine fails under a set of settings, and why; docs/peers.md tells more. One that passes is an
/// error.
const KNOWN: [(&str, &str, &str, &str); 15] = [
    ("box3d", "default", "bounces_as_it_claims", FEW_SWEEPS),
    ("box3d", "best", "falls_freely", INCREMENTS),
    ("drake", "default", "sticks_below_and_slides_above_the_threshold", LAGGED),
    ("drake", "default", "reports_forces_that_balance", LAGGED),
    ("drake", "best", "reports_forces_that_balance_without_friction", TILTED),
    ("newton-vbd", "default", "falls_freely", DIFFERENCES),
    ("newton-vbd", "best", "falls_freely", DIFFERENCES),
    ("newton-vbd", "default", "sticks_below_and_slides_above_the_threshold", SOFT),
    ("newton-vbd", "default", "bounces_as_it_claims", SOFT),
    ("newton-vbd", "default", "rests_on_a_plane_without_thickness", SOFT),
    ("newton-vbd", "default", "reports_forces_that_balance", SOFT),
    ("newton-vbd", "best", "sticks_below_and_slides_above_the_threshold", SOFT),
    ("newton-vbd", "best", "bounces_as_it_claims", SOFT),
    ("newton-vbd", "best", "rests_on_a_plane_without_thickness", SOFT),
    ("newton-vbd", "best", "reports_forces_that_balance", SOFT),
];

const FEW_SWEEPS: &str =
    "two sweeps do not share the restitution among the corners of a face: 0.15 of the height, not 0.36";
const INCREMENTS: &str =
    "the velocity is a sum of 4800 increments in single precision, which are 1.05e-4 m/s off in 300 steps";
const DIFFERENCES: &str =
    "velocities are differences of positions in single precision, and lose 1 cm/s in 300 steps";
const SOFT: &str = "the contacts of VBD yield by centimetres and rub with less than μ times the normal force";

const TILTED: &str = "the dissipation of a hydroelastic contact brakes a slider without friction: it loses 5 mm/s of 2 m/s in 0.1 s";

const LAGGED: &str =
    "friction in the approximation lagged exceeds μ where one contact point jumps from corner to corner";

/// The trials of this file: every test for every engine under both sets of settings.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for engine in peers::obtainable() {
        for setting in ["default", "best"] {
            for (name, test) in TESTS {
                let title = format!("{}_{setting}_{name}", engine.name);
                trials.push(Trial::ignorable_test(title, move || match peers::start(&engine.name) {
                    Ok(_) => {
                        examine(engine, setting, name, test);
                        Ok(Completion::Completed)
                    }
                    Err(remedy) => Ok(Completion::ignored_with(format!("it is not here: {remedy}"))),
                }));
            }
        }
    }
    trials
}

/// Runs a test, which must fail if it is a known failure.
fn examine(engine: &Engine, setting: &'static str, name: &str, test: Test) {
    let is_this =
        |known: &&(&str, &str, &str, &str)| (known.0, known.1, known.2) == (&engine.name, setting, name);
    match KNOWN.iter().find(is_this) {
        None => test(engine, setting),
        Some((.., why)) => {
            let result = std::panic::catch_unwind(|| test(engine, setting));
            assert!(result.is_err(), "it passes, though {why}: remove it from the known failures");
        }
    }
}

fn method(engine: &Engine, setting: &str) -> Box<dyn Method> {
    let settings = Settings::from([("setting".to_owned(), Setting::from(setting))]);
    let entry = registry::find(&engine.name).unwrap();
    entry.make(&settings, Clock::default()).unwrap().method
}

fn can(engine: &Engine) -> &Capabilities {
    engine.capabilities.as_ref().unwrap()
}

fn record(engine: &Engine, setting: &str, scene: &Scene, steps: u64) -> Run {
    let mut method = method(engine, setting);
    method.supports(scene).unwrap();
    let run = Run::record(scene, method.as_mut(), scene.time.dt, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

fn last(run: &Run) -> &State {
    run.trajectory.frames.last().unwrap()
}

/// Every integrator that takes one force per step is between explicit and implicit Euler, whose errors after
/// time t are ± g t Δt/2.
fn falls_freely(engine: &Engine, setting: &'static str) {
    let (dt, steps) = (1e-3, 300);
    let scene = drop(2.0, 0.0, dt);
    let run = record(engine, setting, &scene, steps);
    let t = steps as f64 * dt;
    let body = &last(&run).bodies[1];
    let error = body.pose.position.y - (2.1 - 0.5 * G * t * t);
    assert!(error.abs() <= 0.5 * G * t * dt * (1.0 + 1e-3), "height is {error:e} m from that of free fall");
    assert!((body.linear_velocity.y + G * t).abs() < 1e-4, "{}", body.linear_velocity.y);
    assert!(run.reports.iter().all(|report| report.contacts.is_empty()));
}

/// A cube has the same moment about every axis: ω stays, and the angle is ω t.
fn spins_freely(engine: &Engine, setting: &'static str) {
    let omega = Vec3::new(1.0, 2.0, -0.5);
    let mut spec = cube(0.0);
    spec.angular_velocity = omega;
    let scene = scene(vec![spec], 0.0, 0.0, Vec3::zeros(), 1e-3);
    let body = last(&record(engine, setting, &scene, 500)).bodies[0];
    let turn = rigor_math::rotation_vector::exp(&(0.5 * omega));
    let start = scene.bodies[0].initial.pose.rotation;
    let off = body.pose.rotation.angle_to(&(turn * start));
    // PhysX gains 6e-7 of ω per step by rounding: 3e-4 in all.
    let is_single = can(engine).precision == Precision::Single;
    let (angle, relative) = if is_single { (5e-4, 5e-4) } else { (1e-4, 1e-6) };
    assert!(off < angle, "the orientation is {off:e} rad off");
    let change = (body.angular_velocity - omega).norm() / omega.norm();
    assert!(change < relative, "ω has changed by {change:e} of itself");
}

/// A brick spins about a principal axis in space, with its author's frame 1 m beside it: its centre stays, and so does its spin.
fn spins_about_its_centre(engine: &Engine, setting: &'static str) {
    let brick = Cuboid::new(Vec3::new(1.0, 0.2, 0.4)).mesh().expect("a box");
    let shape = PlacedShape {
        mesh: brick,
        kind: PartKind::Box { half_extents: Vec3::new(0.5, 0.1, 0.2) },
        pose: Pose::translation(Vec3::x()),
    };
    let spec = BodySpec {
        group: 1,
        pose: Pose::translation(-Vec3::x()),
        angular_velocity: 6.0 * Vec3::z(),
        ..BodySpec::new("brick", vec![shape])
    };
    let scene = scene(vec![spec], 0.0, 0.0, Vec3::zeros(), 1e-2);
    let body = last(&record(engine, setting, &scene, 200)).bodies[0];
    let moved = (body.pose.position - scene.bodies[0].initial.pose.position).norm();
    let is_single = can(engine).precision == Precision::Single;
    assert!(moved < if is_single { 1e-4 } else { 1e-9 }, "the centre of mass moved by {moved:e} m");
    let change = (body.angular_velocity - 6.0 * Vec3::z()).norm() / 6.0;
    assert!(change < if is_single { 2e-3 } else { 1e-9 }, "ω has changed by {change:e} of itself");
}

/// Two bricks in flight do not know the frames, the names, the order, the place or the pieces that their author gives them.
fn flies_alike(engine: &Engine, setting: &'static str) {
    let is_single = can(engine).precision == Precision::Single;
    let bound = if is_single { 1e-3 } else { 1e-9 };
    let setting = [format!("setting=\"{setting}\"")];
    // Units are another matter: an engine may have lengths of its own.
    for variation in
        VARIATIONS.into_iter().filter(|one| !matches!(one, Variation::Swapped | Variation::Rescaled))
    {
        match deviation(invariance::Case::Flight, variation, &engine.name, &setting) {
            Ok(found) => assert!(found.is_below(bound), "{}: {found:?}", variation.name()),
            // An adapter may lack bodies of several boxes or with a centre elsewhere, and says so.
            Err(why) => {
                assert!(why.is::<rigor_scene::Unsupported>() || why.to_string().contains("refuse"), "{why}");
            }
        }
    }
}

/// A cube at 300 m/s in space stays so.
fn flies_fast(engine: &Engine, setting: &'static str) {
    let mut spec = cube(0.0);
    spec.linear_velocity = Vec3::new(300.0, 0.0, 0.0);
    let scene = scene(vec![spec], 0.0, 0.0, Vec3::zeros(), 1e-3);
    let speed = last(&record(engine, setting, &scene, 50)).bodies[0].linear_velocity.x;
    assert!((speed - 300.0).abs() < 1e-2, "{speed} m/s");
}

/// An asymmetric body, placed with an offset and turned, moves as by the integrator of fourth order.
fn tumbles_as_free_does(engine: &Engine, setting: &'static str) {
    let scene = scene(vec![boomerang()], 0.0, 0.0, -G * Vec3::y(), 1e-3);
    let mut free = Free::new(rigor_free::Config::default(), Clock::default()).unwrap();
    let exact = Run::record(&scene, &mut free, scene.time.dt, 500);
    let run = record(engine, setting, &scene, 500);
    let (a, b) = (last(&exact).bodies[0], last(&run).bodies[0]);
    assert!((a.pose.position - b.pose.position).norm() < 3e-3, "{}", a.pose.position - b.pose.position);
    if !can(engine).gyroscopic {
        let notices = method(engine, setting).notices(&scene, scene.time.dt);
        assert!(notices.iter().any(|notice| notice.quantity == "gyroscopic torque"));
        return;
    }
    let off = a.pose.rotation.angle_to(&b.pose.rotation);
    assert!(off < 5e-3, "the orientation is {off:e} rad off");
}

/// A cube on a slope of 20°: with μ 10 % above tan 20° it stays, with μ 10 % below it slides at g (sin α − μ cos α).
fn sticks_and_slides(engine: &Engine, setting: &'static str) {
    let alpha = 20f64.to_radians();
    let (sin, cos) = (elementary::sin(alpha), elementary::cos(alpha));
    let gravity = G * Vec3::new(sin, -cos, 0.0);
    let (dt, steps) = (2e-3, 500);
    let way = |factor: f64| {
        let mu = factor * sin / cos;
        let scene = scene(vec![floor(false), cube(0.1)], mu, 0.0, gravity, dt);
        let run = record(engine, setting, &scene, steps);
        (last(&run).bodies[1].pose.position.x, mu)
    };
    let (stuck, _) = way(1.1);
    assert!(stuck.abs() < 0.02, "it slid {stuck} m in 1 s");
    let (slid, mu) = way(0.9);
    let t = dt * steps as f64;
    let exact = 0.5 * G * (sin - mu * cos) * t * t;
    assert!((slid / exact - 1.0).abs() < 0.1, "it slid {slid} m instead of {exact} m");
}

/// An engine with restitution returns e² of the height, one without says so and returns little.
fn bounces_as_it_claims(engine: &Engine, setting: &'static str) {
    let has_restitution = can(engine).restitution.is_some();
    let scene = drop(0.5, 0.6, 1e-3);
    let notices = method(engine, setting).notices(&scene, scene.time.dt);
    assert_eq!(has_restitution, !notices.iter().any(|notice| notice.quantity == "restitution"));
    let run = record(engine, setting, &scene, 800);
    let heights: Vec<f64> = run.trajectory.frames.iter().map(|f| f.bodies[1].pose.position.y - 0.1).collect();
    let lowest = heights.iter().position(|y| *y < 5e-3).unwrap();
    let rebound = heights[lowest..].iter().copied().fold(0.0, f64::max) / 0.5;
    if has_restitution {
        assert!((rebound - 0.36).abs() < 0.04, "{rebound} of the height");
    } else {
        assert!(rebound < 0.1, "{rebound} of the height");
    }
}

/// The surface of a plane is where the scene has it, whatever stands in for it.
fn rests_on_a_plane(engine: &Engine, setting: &'static str) {
    let scene = scene(vec![floor(true), cube(0.1)], 0.5, 0.0, -G * Vec3::y(), 1e-3);
    let run = record(engine, setting, &scene, 500);
    let height = last(&run).bodies[1].pose.position.y - 0.1;
    assert!(height.abs() < 5e-3, "{height} m above the plane");
}

/// Contact forces and weight change the momentum of a sliding cube, Σ f + m g = m Δv/Δt, and friction is μ of the
/// normal force.
fn reports_forces_that_balance(engine: &Engine, setting: &'static str) {
    let mut spec = cube(0.1);
    spec.linear_velocity = Vec3::new(2.0, 0.0, 0.5);
    let scene = scene(vec![floor(false), spec], 0.3, 0.0, -G * Vec3::y(), 1e-3);
    let run = record(engine, setting, &scene, 100);
    if !can(engine).contact_forces {
        assert!(run.reports.iter().all(|report| report.contacts.is_empty()));
        return;
    }
    let mass = scene.bodies[1].mass;
    let (mut impulse, mut weight) = (Vec3::zeros(), 0.0);
    for report in &run.reports {
        for contact in &report.contacts {
            let force = contact.normal_force * contact.normal_world + contact.friction_force_world;
            impulse += if contact.body_a.0 == 1 { force } else { -force } * scene.time.dt;
        }
        weight += mass * G * scene.time.dt;
    }
    let change = mass * (last(&run).bodies[1].linear_velocity - scene.bodies[1].initial.linear_velocity);
    let off = (impulse - weight * Vec3::y() - change).norm() / weight;
    assert!(off < 0.02, "the balance is off by {off} of the weight");
    let mu = Vec3::new(impulse.x, 0.0, impulse.z).norm() / impulse.y;
    // A pyramid with a face across the motion has up to √2 times the friction of the cone in its corners.
    assert!((0.95 * 0.3..1.05 * 0.3 * 2f64.sqrt()).contains(&mu), "friction is {mu} of the normal force");
}

/// Without friction a cube that slides keeps its speed, and no contact has a tangential force or more than a few weights.
fn reports_forces_without_friction(engine: &Engine, setting: &'static str) {
    let mut spec = cube(0.1);
    spec.linear_velocity = Vec3::new(2.0, 0.0, 0.5);
    let scene = scene(vec![floor(false), spec], 0.0, 0.0, -G * Vec3::y(), 1e-3);
    let run = record(engine, setting, &scene, 100);
    let (weight, v) = (scene.bodies[1].mass * G, last(&run).bodies[1].linear_velocity);
    let lost = Vec3::new(v.x - 2.0, 0.0, v.z - 0.5).norm();
    assert!(lost < 1e-3, "it lost {lost} m/s");
    for contact in run.reports.iter().flat_map(|report| &report.contacts) {
        let (normal, across) = (contact.normal_force.abs(), contact.friction_force_world.norm());
        assert!(across < 1e-4 * weight, "{across} N across the normal");
        assert!(normal < 20.0 * weight, "{normal} N along the normal");
    }
}

/// A cube without weight touches the floor: it has contacts, and nothing pushes it.
fn touches_without_a_force(engine: &Engine, setting: &'static str) {
    let scene = scene(vec![floor(false), touching_cube()], 0.5, 0.0, Vec3::zeros(), 1e-2);
    let run = record(engine, setting, &scene, 3);
    let speed = last(&run).bodies[1].linear_velocity.norm();
    assert!(speed < 1e-3, "{speed} m/s");
    let weight = scene.bodies[1].mass * G;
    let contacts = run.reports.iter().flat_map(|report| &report.contacts);
    let largest = contacts.map(|contact| contact.normal_force.abs()).fold(0.0, f64::max);
    assert!(largest < 1e-3 * weight, "{largest} N");
}

/// Friction accelerates a cube to the speed of a floor that moves as prescribed.
fn carries_on_a_moving_floor(engine: &Engine, setting: &'static str) {
    let moving = BodySpec {
        role: Role::Kinematic(Motion::constant_velocity()),
        linear_velocity: 0.3 * Vec3::x(),
        ..floor(false)
    };
    let scene = scene(vec![moving, cube(0.1)], 0.5, 0.0, -G * Vec3::y(), 1e-3);
    if !can(engine).kinematic {
        assert!(method(engine, setting).supports(&scene).is_err());
        return;
    }
    let speed = last(&record(engine, setting, &scene, 400)).bodies[1].linear_velocity.x;
    assert!((speed - 0.3).abs() < 0.015, "{speed} m/s");
}

/// A cube that may not fall moves along x only.
fn keeps_locked_axes(engine: &Engine, setting: &'static str) {
    let fixed = FixedAxes { translation: [false, true, true], rotation: [true; 3] };
    let held = BodySpec { fixed, linear_velocity: Vec3::x(), ..cube(1.0) };
    let scene = scene(vec![held], 0.0, 0.0, -G * Vec3::y(), 1e-3);
    if !can(engine).fixed_axes {
        assert!(method(engine, setting).supports(&scene).is_err());
        return;
    }
    let body = last(&record(engine, setting, &scene, 200)).bodies[0];
    assert!((body.pose.position - Vec3::new(0.2, 1.0, 0.0)).norm() < 1e-4, "{}", body.pose.position);
}

/// A cube on a hinge half a metre beside its centre, released from the horizontal: at every angle its speed is that of
/// its height, ω² = 2 m g L sin θ / (I + m L²).
fn swings_on_a_hinge(engine: &Engine, setting: &'static str) {
    let (dt, steps, length) = (1e-3, 300, 0.5);
    let at = |x: f64| Pose::translation(x * Vec3::x());
    // The frames' x axes are world z.
    let turned =
        |pose: Pose| Pose { rotation: rigor_math::rotation_vector::exp(&(-FRAC_PI_2 * Vec3::y())), ..pose };
    let mut scene = scene(vec![cube(0.0)], 0.0, 0.0, -G * Vec3::y(), dt);
    let hinge = (turned(at(-length)), turned(at(-length)));
    let body = BodyId(0);
    scene.joints.push(Joint::new("hinge", JointKind::HINGE, (body, hinge.0), (None, hinge.1)));
    if !can(engine).joints.contains(&JointType::Hinge) {
        assert!(method(engine, setting).supports(&scene).is_err());
        return;
    }
    let run = record(engine, setting, &scene, steps);
    let (mass, moment) = (scene.bodies[0].mass, scene.bodies[0].inertia[2]);
    let end = last(&run).bodies[0];
    let arm = end.pose.position + length * Vec3::x();
    assert!((arm.norm() - length).abs() < 2e-3 * length, "the arm is {} m long", arm.norm());
    let sin = -arm.y / arm.norm();
    let exact = (2.0 * mass * G * length * sin / (moment + mass * length * length)).sqrt();
    let speed = end.angular_velocity.norm();
    assert!(sin > 0.3 && (speed / exact - 1.0).abs() < 0.01, "{speed} rad/s instead of {exact}");
}

/// Two cubes side by side, one of them fixed in the world, keep every joint that the engine states while the other falls.
fn has_the_joints_that_it_states(engine: &Engine, setting: &'static str) {
    let kinds = [
        (JointType::Fixed, JointKind::Fixed),
        (JointType::Ball, JointKind::BALL),
        (JointType::Hinge, JointKind::HINGE),
        (JointType::Slider, JointKind::PRISMATIC),
        (JointType::Distance, JointKind::distance(0.2, 0.2)),
    ];
    for (stated, kind) in kinds {
        let beside = |x: f64| BodySpec { pose: Pose::translation(x * Vec3::x()), ..cube(0.0) };
        let held = BodySpec { role: Role::Static, name: "held".to_owned(), ..beside(0.0) };
        let mut scene = scene(vec![held, beside(0.2)], 0.0, 0.0, -G * Vec3::y(), 1e-3);
        let is_distance = stated == JointType::Distance;
        let of_a = Pose::translation(if is_distance { 0.0 } else { -0.1 } * Vec3::x());
        let of_b = Pose::translation(if is_distance { 0.0 } else { 0.1 } * Vec3::x());
        scene.joints.push(Joint::new("joint", kind, (BodyId(1), of_a), (Some(BodyId(0)), of_b)));
        if !can(engine).joints.contains(&stated) {
            assert!(method(engine, setting).supports(&scene).is_err(), "{stated:?}");
            continue;
        }
        let run = record(engine, setting, &scene, 200);
        let error = JointError::of(&scene.joints[0], last(&run));
        let apart = error.position.unwrap_or(0.0);
        assert!(apart < 2e-3, "{stated:?}: {apart} m apart");
        assert!(error.angle.unwrap_or(0.0) < 0.02, "{stated:?}: {:?} rad twisted", error.angle);
    }
}

fn two_processes_give_the_same_bits(engine: &Engine, setting: &'static str) {
    let mut scene = scenes::own().into_iter().find(|scene| scene.name.ends_with("heap")).unwrap();
    scene.contact_free.clear();
    let dt = scene.time.dt;
    let runs = [(); 2].map(|()| record(engine, setting, &scene, 40));
    assert_eq!(runs[0].trajectory, runs[1].trajectory);
    let mut state = State::initial(&scene);
    for steps in [15, 40] {
        let mut fresh = method(engine, setting);
        let outcome = rigor_scene::roll_out(&scene, fresh.as_mut(), &mut state, dt, steps, &mut Watch);
        assert_eq!(outcome, Outcome::Completed);
        fresh.save(&mut state).unwrap();
    }
    assert_eq!(state.bodies, last(&runs[0]).bodies);
}

/// A torus is no convex body.
fn says_what_it_replaces(engine: &Engine, setting: &'static str) {
    let scene = scene(vec![floor(false), concave()], 0.5, 0.0, -G * Vec3::y(), 2e-3);
    if can(engine).dynamic_concave == Surface::None {
        assert!(method(engine, setting).supports(&scene).is_err());
        return;
    }
    let notices = method(engine, setting).notices(&scene, scene.time.dt);
    let is_replaced = notices.iter().any(|notice| notice.quantity == "concave surface");
    assert_eq!(is_replaced, can(engine).dynamic_concave == Surface::Convex, "{notices:?}");
    let run = record(engine, setting, &scene, 20);
    assert!(last(&run).is_finite());
}

struct Watch;

impl rigor_scene::Observer for Watch {
    fn step(&mut self, _: &Scene, _: &State, _: &rigor_scene::StepReport) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}
