use rigor_math::{Pose, Vec3, quaternion, rotation_vector};
use rigor_scene::{
    BodyId, BodySpec, BodyState, Clock, Drive, FixedAxes, ForceLaw, Freedom, Friction, Goal, Joint,
    JointKind, Method, Motion, Outcome, PartKind, PlacedShape, Range, Role, Run, Scene, State, StepError,
    TimeSpan, Trajectory,
};
use rigor_shapes::Cuboid;

use super::{Config, Rapier, config};

const DT: f64 = 0.01;

fn cuboid(name: &str, group: u32, size: Vec3, at: Vec3) -> BodySpec {
    let mesh = Cuboid::new(size).mesh().unwrap();
    let kind = PartKind::Box { half_extents: size * 0.5 };
    let shape = PlacedShape { mesh, kind, pose: Pose::identity() };
    let friction = Friction::uniform(0.5);
    BodySpec { group, pose: Pose::translation(at), friction, ..BodySpec::new(name, vec![shape]) }
}

fn cube(name: &str, group: u32, at: Vec3) -> BodySpec {
    cuboid(name, group, Vec3::repeat(1.0), at)
}

fn floor() -> BodySpec {
    BodySpec {
        role: Role::Static,
        ..cuboid("floor", 0, Vec3::new(20.0, 1.0, 20.0), Vec3::new(0.0, -0.5, 0.0))
    }
}

fn as_kind(mut spec: BodySpec, kind: &PartKind) -> BodySpec {
    spec.shapes[0].kind = kind.clone();
    spec
}

fn scene(bodies: Vec<BodySpec>) -> Scene {
    Scene {
        name: "test".to_owned(),
        gravity: Vec3::new(0.0, -10.0, 0.0),
        time: TimeSpan { dt: DT, duration: 1.0 },
        bodies: bodies.into_iter().map(|b| b.build().unwrap()).collect(),
        ..Scene::default()
    }
}

fn rapier(config: Config) -> Rapier {
    Rapier::new(config, Clock::default())
}

fn run(scene: &Scene, steps: u64) -> Run {
    let mut method = rapier(Config::default());
    method.supports(scene).unwrap();
    let run = Run::record(scene, &mut method, DT, steps);
    assert_eq!(run.outcome, Outcome::Completed);
    run
}

/// Three cubes stacked with offsets on a floor, so that warm starts and contact caches matter.
fn tower() -> Scene {
    let at = |i: u32| Vec3::new(0.05 * f64::from(i), 0.55 + 1.02 * f64::from(i), 0.0);
    scene(vec![floor(), cube("a", 1, at(0)), cube("b", 2, at(1)), cube("c", 3, at(2))])
}

#[test]
fn a_resting_cube_is_held_up_by_its_weight_whatever_its_shape_is_called() {
    for kind in [PartKind::Box { half_extents: Vec3::repeat(0.5) }, PartKind::Convex, PartKind::Concave] {
        let scene = scene(vec![floor(), as_kind(cube("cube", 1, Vec3::new(0.0, 0.5, 0.0)), &kind)]);
        let run = run(&scene, 100);
        let report = run.reports.last().unwrap();
        let up: f64 = report.contacts.iter().map(|c| c.normal_force * c.normal_world.y).sum();
        let weight = scene.bodies[1].mass * 10.0;
        assert!((up - weight).abs() < 0.02 * weight, "{kind:?}: {up} N against {weight} N");
        assert!(report.contacts.iter().all(|c| c.body_a == BodyId(1) || c.normal_world.y < 0.0));
        assert!(report.min_distance.unwrap().abs() < 0.01);
        assert!((run.last().bodies[1].pose.position.y - 0.5).abs() < 0.01);
    }
}

#[test]
fn friction_of_both_models_holds_a_cube_on_a_slope_of_a_fifth() {
    for friction_model in [config::Friction::Simplified, config::Friction::Coulomb] {
        let mut scene = scene(vec![floor(), cube("cube", 1, Vec3::new(0.0, 0.5, 0.0))]);
        scene.gravity = Vec3::new(2.0, -10.0, 0.0);
        let mut method = rapier(Config { friction_model, ..Config::default() });
        let run = Run::record(&scene, &mut method, DT, 40);
        let contacts = &run.reports.last().unwrap().contacts;
        let friction: Vec3 = contacts.iter().map(|c| c.friction_force_world).sum();
        let push = scene.bodies[1].mass * 2.0;
        assert_eq!(contacts[0].body_a, BodyId(1));
        assert!(
            (friction.x + push).abs() < 0.05 * push,
            "{friction_model:?}: {} N against {push} N",
            friction.x
        );
        assert!(contacts.iter().all(|c| c.friction == (0.5, 0.5)));
    }
}

#[test]
fn mass_and_inertia_are_the_scenes() {
    let spec = BodySpec {
        torque: Vec3::new(0.0, 0.0, 1e-7),
        force: Vec3::new(1e-3, 0.0, 0.0),
        ..cuboid("small", 0, Vec3::new(0.01, 0.02, 0.03), Vec3::zeros())
    };
    let mut scene = scene(vec![spec]);
    scene.gravity = Vec3::zeros();
    let body = &scene.bodies[0];
    let last = run(&scene, 10).last().bodies[0];
    let moment = 0.006 * (0.01_f64.powi(2) + 0.02_f64.powi(2)) / 12.0;
    let (speed, spin) = (1e-3 / body.mass * 0.1, 1e-7 / moment * 0.1);
    assert!((body.mass - 0.006).abs() < 1e-12);
    assert!((last.linear_velocity.x / speed - 1.0).abs() < 1e-9);
    assert!(
        (last.angular_velocity.z / spin - 1.0).abs() < 1e-6,
        "{} against {spin}",
        last.angular_velocity.z
    );
}

#[test]
fn two_runs_have_the_same_bits() {
    let scene = tower();
    assert_eq!(run(&scene, 80).trajectory, run(&scene, 80).trajectory);
}

#[test]
fn a_run_resumed_from_a_saved_state_has_the_bits_of_the_whole_run() {
    let mut scene = tower();
    scene.joints.push(hang(JointKind::BALL, 3, Some(2)));
    let whole = run(&scene, 120);
    for pause in [1, 17, 40, 85] {
        let mut first = rapier(Config::default());
        let mut state = Run::record(&scene, &mut first, DT, pause).last().clone();
        first.save(&mut state).unwrap();
        let resumed = resume(&scene, state, 120);
        let expected = &whole.trajectory.frames[pause as usize + 1..];
        assert!(resumed.frames.iter().zip(expected).all(|(a, b)| a.bodies == b.bodies), "paused at {pause}");
    }
}

fn resume(scene: &Scene, mut state: State, steps: u64) -> Trajectory {
    let mut method = rapier(Config::default());
    let mut frames = Vec::new();
    while state.step < steps {
        method.step(scene, &mut state, DT).unwrap();
        state.step += 1;
        state.time = state.step as f64 * DT;
        frames.push(state.clone());
    }
    Trajectory { frames }
}

#[test]
fn the_world_follows_a_state_that_was_changed_from_outside() {
    let scene = tower();
    let mut used = rapier(Config::default());
    Run::record(&scene, &mut used, DT, 50);
    let again = Run::record(&scene, &mut used, DT, 50);
    assert_eq!(again.trajectory, run(&scene, 50).trajectory);
}

#[test]
fn the_world_follows_a_scene_that_was_changed_from_outside() {
    let mut method = rapier(Config::default());
    let mut scene = scene(vec![floor(), cube("cube", 1, Vec3::new(0.0, 5.0, 0.0))]);
    let mut state = State::initial(&scene);
    method.step(&scene, &mut state, DT).unwrap();
    scene.gravity = Vec3::zeros();
    let speed = state.bodies[1].linear_velocity.y;
    method.step(&scene, &mut state, DT).unwrap();
    assert_eq!(state.bodies[1].linear_velocity.y, speed);
}

#[test]
fn an_image_of_other_bodies_is_not_used() {
    let scene = tower();
    let mut method = rapier(Config::default());
    let mut state = Run::record(&scene, &mut method, DT, 20).last().clone();
    method.save(&mut state).unwrap();
    assert!(!state.memory.images.is_empty());
    let moved = State { memory: state.memory.clone(), ..State::initial(&scene) };
    let from_image = resume(&scene, moved, 30);
    let fresh = resume(&scene, State::initial(&scene), 30);
    assert_eq!(from_image, fresh);
}

#[test]
fn a_damaged_image_is_an_error_and_leaves_the_state_alone() {
    let scene = tower();
    let mut state = State::initial(&scene);
    state.memory.images.insert("rapier/world".to_owned(), vec![7; 5]);
    let before = state.clone();
    let error = rapier(Config::default()).step(&scene, &mut state, DT).unwrap_err();
    assert!(matches!(error, StepError::Failed { .. }), "{error}");
    assert_eq!(state, before);
}

#[test]
fn kinematic_bodies_end_where_they_are_told_and_carry_others_along() {
    let lift = BodySpec {
        role: Role::Kinematic(Motion::constant_velocity()),
        linear_velocity: Vec3::new(0.5, 0.2, 0.0),
        ..cuboid("lift", 0, Vec3::new(5.0, 1.0, 5.0), Vec3::new(0.0, -0.5, 0.0))
    };
    let scene = scene(vec![lift, cube("rider", 1, Vec3::new(0.0, 0.5, 0.0))]);
    let run = run(&scene, 100);
    let [lift, rider] = [run.last().bodies[0], run.last().bodies[1]];
    assert_eq!(lift, scene.bodies[0].prescribed(99.0 * DT + DT).unwrap());
    assert!((rider.linear_velocity - lift.linear_velocity).norm() < 0.02, "{}", rider.linear_velocity);
}

#[test]
fn fixed_axes_are_those_of_the_world() {
    let turned = Pose::new(Vec3::new(0.0, 3.0, 0.0), rotation_vector::exp(&Vec3::new(0.3, 0.8, -0.4)));
    let spec = BodySpec {
        pose: turned,
        fixed: FixedAxes { translation: [false, true, false], rotation: [true, false, true] },
        torque: Vec3::new(50.0, 50.0, 50.0),
        force: Vec3::new(10.0, 10.0, 0.0),
        ..cuboid("slab", 0, Vec3::new(1.0, 2.0, 3.0), Vec3::zeros())
    };
    let scene = scene(vec![spec]);
    let last = run(&scene, 50).last().bodies[0];
    assert_eq!(last.pose.position.y, scene.bodies[0].initial.pose.position.y);
    assert!(last.pose.position.x > 0.0 && last.angular_velocity.y > 0.0);
    // The engine does not lock its gyroscopic term, which leaves about 10⁻⁶ rad/s.
    assert!(last.angular_velocity.x.abs() < 1e-5 && last.angular_velocity.z.abs() < 1e-5);
}

#[test]
fn bodies_kept_apart_pass_through_each_other() {
    let at = Vec3::new(0.0, 3.0, 0.0);
    let same_group = scene(vec![floor(), cube("cube", 0, at)]);
    let mut switched_off = scene(vec![floor(), cube("cube", 1, at)]);
    switched_off.contact_free.insert((BodyId(0), BodyId(1)));
    for scene in [same_group, switched_off] {
        let last = run(&scene, 100).last().bodies[1];
        assert!((last.pose.position.y + 2.0).abs() < 0.1, "{}", last.pose.position.y);
    }
}

/// A joint at the centre of body `a` and at (0.05, 1.02, 0) m in the frame of body `b` (or of the world).
fn hang(kind: JointKind, a: usize, b: Option<usize>) -> Joint {
    let frame_b = Pose::translation(Vec3::new(0.05, 1.02, 0.0));
    Joint::new("joint", kind, (BodyId(a), Pose::identity()), (b.map(BodyId), frame_b))
}

#[test]
fn joints_leave_free_what_they_should() {
    let pivot = Pose::translation(Vec3::new(-1.0, 0.0, 0.0));
    let swing = |kind| {
        let mut scene = scene(vec![cube("bob", 0, Vec3::new(1.0, 0.0, 0.0))]);
        scene.joints.push(Joint::new("pivot", kind, (BodyId(0), pivot), (None, Pose::identity())));
        run(&scene, 30).last().bodies[0]
    };
    let still = BodyState::at_rest(Pose::translation(Vec3::new(1.0, 0.0, 0.0)));
    let displacement = |kind| (swing(kind).pose.position - still.pose.position).norm();
    assert!(displacement(JointKind::Fixed) < 1e-6);
    assert!(displacement(JointKind::HINGE) < 1e-6, "the axis is x, along the arm: gravity has no lever");
    assert!(displacement(JointKind::PRISMATIC) < 1e-6, "the free axis x is level");
    let ball = swing(JointKind::BALL);
    assert!(ball.pose.position.y < -0.1);
    assert!(ball.pose.point(&pivot.position).norm() < 1e-3);
    let rope = swing(JointKind::distance(0.0, 0.25));
    assert!(rope.pose.point(&pivot.position).norm() < 0.26);
    assert!(rope.pose.position.y < -0.2);
}

#[test]
fn drives_and_bounds_are_those_of_a_against_b() {
    let swing = |turn: Freedom, gravity: f64| {
        let mut scene = scene(vec![cube("bob", 0, Vec3::new(1.0, 0.0, 0.0))]);
        scene.gravity = Vec3::new(0.0, -gravity, 0.0);
        // The axis is z: x turned by −90° about y.
        let about_z = quaternion::from_axis_angle(&Vec3::y_axis(), -std::f64::consts::FRAC_PI_2);
        let frames = [-1.0, 0.0].map(|x| Pose::new(Vec3::new(x, 0.0, 0.0), about_z));
        let kind = JointKind::Hinge { turn };
        scene.joints.push(Joint::new("pivot", kind, (BodyId(0), frames[0]), (None, frames[1])));
        run(&scene, 200).last().bodies[0]
    };
    let driven = swing(Freedom::driven(Drive::new(Goal::Velocity(0.5))), 0.0);
    assert!((driven.angular_velocity.z - 0.5).abs() < 1e-3, "{}", driven.angular_velocity);
    let held = swing(Freedom::driven(Drive::new(Goal::Position(0.25))), 0.0);
    let angle = |state: &BodyState| state.pose.rotation_vector().z;
    assert!((angle(&held) - 0.25).abs() < 1e-2, "{}", angle(&held));
    let resting = swing(Freedom::within(Range::new(-0.5, 2.0)), 9.81);
    assert!((angle(&resting) + 0.5).abs() < 1e-2, "{}", angle(&resting));
}

#[test]
fn a_linear_spring_and_damper_between_two_points_is_that_of_the_scene() {
    let drive = |law: ForceLaw| Drive { law, damping: 2.0, ..Drive::new(Goal::Position(1.0)) };
    let spring = |drive: Drive, min: f64| JointKind::Distance { min, max: f64::INFINITY, drive: Some(drive) };
    let with = |kind: JointKind| {
        let mut scene = scene(vec![cube("bob", 0, Vec3::new(0.0, -1.25, 0.0))]);
        scene.gravity = Vec3::zeros();
        scene.joints.push(Joint::new(
            "spring",
            kind,
            (BodyId(0), Pose::identity()),
            (None, Pose::identity()),
        ));
        scene
    };
    let hung = with(spring(drive(ForceLaw::polynomial(&[100.0])), 0.0));
    let mass = hung.bodies[0].mass;
    let run = run(&hung, 100);
    // c = ¼ m · exp(−δ t) (cos ν t + δ/ν sin ν t), δ = d/(2 m), ν² = k/m − δ².
    let (delta, time) = (1.0 / mass, run.last().time);
    let nu = (100.0 / mass - delta * delta).sqrt();
    let (s, c) = rigor_math::elementary::sin_cos(nu * time);
    let exact = 1.0 + 0.25 * rigor_math::elementary::exp(-delta * time) * (c + delta / nu * s);
    let distance = run.last().bodies[0].pose.position.norm();
    assert!((distance - exact).abs() < 0.02, "{distance} for {exact}");
    let lacks = |kind: JointKind| rapier(Config::default()).supports(&with(kind)).unwrap_err().to_string();
    assert_eq!(
        lacks(spring(drive(ForceLaw::polynomial(&[50.0, 10.0])), 0.0)),
        "rapier does not support springs that are not linear (in \"spring\")"
    );
    assert_eq!(
        lacks(spring(drive(ForceLaw::NONE), 0.5)),
        "rapier does not support drives of distances other than springs and dampers without bounds (in \"spring\")"
    );
}

#[test]
fn what_the_engine_lacks_is_said() {
    let mut compliant = tower();
    compliant.joints.push(Joint { compliance: 1e-3, ..hang(JointKind::BALL, 3, None) });
    let error = rapier(Config::default()).supports(&compliant).unwrap_err();
    assert_eq!(error.to_string(), "rapier does not support compliant joints (in \"joint\")");
    let mut wide = tower();
    let turn = Freedom::within(Range::new(0.0, 1.5 * std::f64::consts::PI));
    wide.joints.push(hang(JointKind::Hinge { turn }, 3, None));
    let error = rapier(Config::default()).supports(&wide).unwrap_err();
    assert_eq!(error.to_string(), "rapier does not support bounds of turns beyond ±180° (in \"joint\")");
}

/// Returns the speed of a plate of 2 cm after a bullet was shot at it at 200 m/s, that is 2 m per step.
fn speed_of_plate(role: Role, config: Config) -> (f64, f64) {
    let bullet = BodySpec {
        linear_velocity: Vec3::new(200.0, 0.0, 0.0),
        ..cuboid("bullet", 0, Vec3::repeat(0.1), Vec3::new(-1.3, 0.0, 0.0))
    };
    let plate = BodySpec { role, ..cuboid("plate", 1, Vec3::new(0.02, 2.0, 2.0), Vec3::zeros()) };
    let mut scene = scene(vec![bullet, plate]);
    scene.gravity = Vec3::zeros();
    let run = Run::record(&scene, &mut rapier(config), DT, 5);
    (run.last().bodies[0].pose.position.x, run.last().bodies[1].linear_velocity.x)
}

#[test]
fn a_bullet_is_stopped_by_a_thin_plate_as_the_engine_documents() {
    let off = Config { max_ccd_substeps: 0, ..Config::default() };
    let bullet = Config { bullets: vec!["bullet".to_owned()], ..Config::default() };
    assert!(speed_of_plate(Role::Static, off).0 > 1.0);
    assert!(speed_of_plate(Role::Static, Config::default()).0 < 0.0);
    assert!(speed_of_plate(Role::Dynamic, Config::default()).1 == 0.0);
    let (x, speed) = speed_of_plate(Role::Dynamic, bullet);
    assert!(speed > 0.0, "bullet at {x} m, plate at {speed} m/s");
}

#[test]
fn settings_out_of_range_are_refused_with_their_name() {
    let mut state = State::initial(&tower());
    let before = state.clone();
    let error =
        rapier(Config { warmstart: 1.5, ..Config::default() }).step(&tower(), &mut state, DT).unwrap_err();
    assert_eq!(error.to_string(), "warmstart is 1.5: it must be between 0 and 1");
    let error = rapier(Config::default()).step(&tower(), &mut state, -DT).unwrap_err();
    assert_eq!(error.to_string(), "the time step is -0.01 s: it must be a positive finite number");
    let nobody = Config { bullets: vec!["nobody".to_owned()], ..Config::default() };
    let error = rapier(nobody).supports(&tower()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rapier does not support the bullet \"nobody\": the scene has no such body"
    );
    assert_eq!(state, before);
}
