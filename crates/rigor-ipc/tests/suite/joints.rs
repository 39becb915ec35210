//! Joints hold, bound and pull, with contact and without.

use rigor_ipc::{Config, Integrator, Ipc};
use rigor_math::Vec3;
use rigor_scene::{Clock, FlawKind, Method, Run, Scene, State, StepReport, energy};

use crate::scene::{case, overridden, text};

fn record(scene: &Scene, config: Config, dt: f64, steps: u64) -> Run {
    let mut method = Ipc::new(config, Clock::default()).expect("valid settings");
    Run::record(scene, &mut method, dt, steps)
}

/// The largest error of any joint (m or rad).
fn largest_error(run: &Run) -> f64 {
    let errors = run.reports.iter().flat_map(|report| &report.joints);
    errors.map(|joint| joint.position_error.max(joint.angle_error)).fold(0.0, f64::max)
}

fn flaws(run: &Run) -> Vec<FlawKind> {
    run.reports.iter().flat_map(|report| &report.flaws).map(|flaw| flaw.kind.clone()).collect()
}

fn body<'a>(scene: &Scene, state: &'a State, name: &str) -> &'a rigor_scene::BodyState {
    let at = scene.bodies.iter().position(|body| body.name == name).expect("a body");
    &state.bodies[at]
}

#[test]
fn joints_of_every_kind_hold_to_a_hundred_millionth() {
    for name in [
        "joints/ball-swing",
        "joints/breaking",
        "joints/cylindrical",
        "joints/force-laws",
        "joints/gear",
        "joints/hinge-drive",
        "joints/hinge-limit",
        "joints/prismatic-drive",
        "joints/universal",
        "mueller2020/16-car",
        "mueller2020/pendulum-balls",
        "mueller2020/pendulum-hinges",
    ] {
        let scene = case(name);
        let run = record(&scene, Config::default(), scene.time.dt, 60.min(scene.time.steps()));
        let error = largest_error(&run);
        assert!(error < 1e-8, "{name}: {error:e}");
        assert_eq!(flaws(&run), [], "{name}");
    }
}

#[test]
fn free_motion_of_joined_bodies_has_order_two_with_both_integrators() {
    let scene = case("mueller2020/pendulum-hinges");
    for integrator in [Integrator::Impulse, Integrator::Bdf2] {
        let end = |joint_substeps: u32| {
            let config = Config { joint_substeps, integrator, ..Config::default() };
            let run = record(&scene, config, 1e-2, 100);
            run.last().bodies.last().unwrap().pose.position
        };
        let (coarse, fine, exact) = (end(4), end(8), end(64));
        let order = ((coarse - exact).norm() / (fine - exact).norm()).log2();
        assert!((1.8..2.3).contains(&order), "order {order}");
    }
}

/// An arm on a hinge that falls from the level onto a block.
fn arm_onto_block() -> Scene {
    text(
        r#"
        format = 1
        name = "arm-onto-block"
        gravity = [0, -9.81, 0]
        [time]
        dt = 0.005
        duration = 2
        [[body]]
        name = "block"
        role = "static"
        position = [0.8, -0.4, 0]
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.4] }
        [[body]]
        name = "arm"
        mass = 2.0
        position = [0.5, 0, 0]
        [[body.shape]]
        box = { size = [1, 0.04, 0.04] }
        [[joint]]
        name = "pin"
        kind = "hinge"
        body_a = "arm"
        position = [0, 0, 0]
        axis = [0, 0, 1]
        "#
        .into(),
    )
}

#[test]
fn what_lies_on_a_block_and_a_pin_weighs_on_both() {
    let scene = arm_onto_block();
    // What carries it cancels a flight along a curve: right to (Δt)² g/r.
    for (integrator, dt, allowed, rest) in [
        (Integrator::Impulse, 0.005, 5e-4, 0.0),
        (Integrator::Impulse, 0.00125, 5e-5, 0.0),
        (Integrator::Bdf2, 0.005, 5e-4, 1e-4),
    ] {
        let run = record(&scene, Config { integrator, ..Config::default() }, dt, (2.0 / dt) as u64);
        assert_eq!(flaws(&run), []);
        assert!(largest_error(&run) < 1e-8);
        let arm = run.last().bodies[1];
        assert!(arm.linear_velocity.norm() <= rest && arm.angular_velocity.norm() <= rest, "{arm:?}");
        // Moments about the pin: the block carries m g · ½ cos θ at the arm that its normal force has.
        let report = run.reports.last().unwrap();
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for contact in &report.contacts {
            let sign = if contact.body_a.0 == 1 { 1.0 } else { -1.0 };
            let one = sign * (contact.normal_world * contact.normal_force + contact.friction_force_world);
            force += one;
            moment += contact.point_world.cross(&one);
        }
        let weight = Vec3::new(0.0, -2.0 * 9.81, 0.0);
        let off = (moment + arm.pose.position.cross(&weight)).norm();
        assert!(off < allowed * 9.81, "moment {off}");
        let off = (force + weight + report.joints[0].force_world).norm();
        assert!(off < allowed * 19.62, "force {off}");
    }
}

#[test]
fn rigid_bounds_stop_what_meets_them_and_are_not_exceeded() {
    let scene = overridden("joints/hinge-limit", &["body.arm.mass=200"]);
    for dt in [0.02, 0.01, 0.002] {
        let run = record(&scene, Config::default(), dt, (3.0 / dt) as u64);
        let turns = run.reports.iter().filter_map(|report| report.joints[0].turn);
        let least = turns.fold(f64::INFINITY, f64::min);
        let bound = -std::f64::consts::FRAC_PI_4;
        assert!(least >= bound - 1e-12 && least < bound + 1e-8, "{dt}: {:e} above the bound", least - bound);
        let end = run.last().bodies[0];
        assert!(end.angular_velocity.norm() < 1e-9, "{}", end.angular_velocity);
    }
}

#[test]
fn a_weak_drive_pushes_with_its_strength() {
    // A motor of 3 N m turns an arm of 0.5 m against a wall that stands 0.4 m from its axis.
    let scene = text(
        r#"
        format = 1
        name = "arm-against-wall"
        gravity = [0, 0, 0]
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "wall"
        role = "static"
        position = [0.4, 0.35, 0]
        [[body.shape]]
        box = { size = [0.02, 0.5, 0.4] }
        [[body]]
        name = "arm"
        mass = 1.0
        position = [0.25, 0, 0]
        [[body.shape]]
        box = { size = [0.5, 0.02, 0.02] }
        [[joint]]
        name = "motor"
        kind = "hinge"
        body_a = "arm"
        position = [0, 0, 0]
        axis = [0, 0, 1]
        turn = { velocity_deg = 90, max_torque = 3 }
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.005, 200);
    assert_eq!(flaws(&run), []);
    let moments = |report: &StepReport| {
        let moment = |contact: &rigor_scene::ContactReport| {
            let sign = if contact.body_a.0 == 1 { 1.0 } else { -1.0 };
            let force = sign * (contact.normal_world * contact.normal_force + contact.friction_force_world);
            contact.point_world.cross(&force).z
        };
        report.contacts.iter().map(moment).sum::<f64>()
    };
    let at_end = moments(run.reports.last().unwrap());
    assert!((at_end + 3.0).abs() < 0.01, "the wall takes {at_end} N m");
}

#[test]
fn joined_bodies_that_meet_in_space_keep_their_momentum() {
    let scene = text(
        r#"
        format = 1
        name = "nunchakus"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 2
        [[body]]
        name = "a"
        group = "left"
        mass = 1.0
        position = [-0.25, 0, 0]
        linear_velocity = [1, 0.2, 0]
        [[body.shape]]
        box = { size = [0.48, 0.1, 0.1] }
        [[body]]
        name = "b"
        group = "left"
        mass = 3.0
        position = [0.25, 0, 0]
        linear_velocity = [1, 0.2, 0]
        [[body.shape]]
        box = { size = [0.48, 0.1, 0.1] }
        [[body]]
        name = "c"
        mass = 2.0
        position = [0.9, 0.3, 0.02]
        linear_velocity = [-1, 0, 0]
        angular_velocity = [0, 1, 4]
        [[body.shape]]
        box = { size = [0.2, 0.7, 0.2] }
        [[joint]]
        name = "link"
        kind = "ball"
        body_a = "b"
        body_b = "a"
        position = [0, 0, 0]
        swing = { max_deg = 70 }
        "#
        .into(),
    );
    for integrator in [Integrator::Impulse, Integrator::Bdf2] {
        let run = record(&scene, Config { integrator, ..Config::default() }, 0.01, 200);
        assert_eq!(flaws(&run), []);
        assert!(run.reports.iter().any(|report| !report.contacts.is_empty()), "they meet");
        let momenta = |state: &State| {
            let (mut p, mut l) = (Vec3::zeros(), Vec3::zeros());
            for (body, at) in scene.bodies.iter().zip(&state.bodies) {
                let own = body.mass * at.linear_velocity;
                p += own;
                l += at.pose.position.cross(&own) + body.inertia_world(&at.pose) * at.angular_velocity;
            }
            (p, l)
        };
        for (i, w) in run.trajectory.frames.windows(2).enumerate() {
            let d = (momenta(&w[1]).1 - momenta(&w[0]).1).norm();
            if d > 1e-9 {
                println!(
                    "DBG {integrator:?} step {i} {d:e} contacts {} {:?}",
                    run.reports[i].contacts.len(),
                    run.reports[i].quantities.iter().find(|q| q.name == "substeps").map(|q| q.value)
                );
            }
        }
        let (start, end) = (momenta(&run.trajectory.frames[0]), momenta(run.last()));
        assert!((end.0 - start.0).norm() < 1e-9, "P {}", (end.0 - start.0).norm());
        assert!((end.1 - start.1).norm() < 1e-6, "L {}", (end.1 - start.1).norm());
        let kinetic = |state| energy::of_state(&scene, state).0;
        assert!(kinetic(run.last()) < 1.001 * kinetic(&run.trajectory.frames[0]));
    }
}

#[test]
fn impacts_on_joined_bodies_rebound_with_what_holds_them() {
    // A rod on a hinge falls onto a stop: with e it leaves with e times the speed at which they met.
    for (e, dt) in [(0.5, 0.01), (0.5, 0.0025), (1.0, 0.005)] {
        let mut scene = arm_onto_block();
        scene.bodies.iter_mut().for_each(|body| body.restitution = e);
        let run = record(&scene, Config::default(), dt, (0.9 / dt) as u64);
        let rates: Vec<f64> =
            run.trajectory.frames.iter().map(|state| state.bodies[1].angular_velocity.z).collect();
        let turned = rates.windows(2).position(|pair| pair[0] < -0.5 && pair[1] > 0.2).expect("it rebounds");
        // Energy about the pin: ½ I ω² = m g ½ sin θ, and the step that it takes to the frame.
        let (fall, rise) = (-rates[turned], rates[turned + 1]);
        assert!((rise / fall - e).abs() < 0.06 * e + 4.0 * dt, "e {e}, dt {dt}: {fall} then {rise}");
        assert!(largest_error(&run) < 1e-8);
    }
}

#[test]
fn a_joint_that_does_not_hold_at_the_start_is_closed_and_told_once() {
    let mut scene = arm_onto_block();
    scene.joints[0].frame_b.position.y += 0.01;
    let run = record(&scene, Config::default(), 0.005, 20);
    assert_eq!(flaws(&run), [FlawKind::StartCorrected]);
    assert!(run.reports.iter().all(|report| report.joints[0].position_error < 1e-8));
    // It is closed in poses, without velocity.
    assert!(run.trajectory.frames[1].bodies[1].angular_velocity.norm() < 0.2);
}

#[test]
fn scenes_with_joints_are_refused_where_they_would_be_damped() {
    let config = Config { integrator: Integrator::ImplicitEuler, ..Config::default() };
    let method = Ipc::new(config, Clock::default()).unwrap();
    assert!(method.supports(&arm_onto_block()).is_err());
}

#[test]
fn what_joints_remember_is_in_the_state() {
    let scene = case("mueller2020/16-car");
    let dt = scene.time.dt;
    let mut method = Ipc::new(Config::default(), Clock::default()).unwrap();
    let whole = Run::record(&scene, &mut method, dt, 40);
    // Another method goes on from the state alone.
    let mut state = whole.trajectory.frames[25].clone();
    let mut other = Ipc::new(Config::default(), Clock::default()).unwrap();
    for _ in 25..40 {
        other.step(&scene, &mut state, dt).unwrap();
    }
    assert_eq!(body(&scene, &state, "chassis").pose, body(&scene, whole.last(), "chassis").pose);
}

#[test]
fn taut_ropes_and_swings_along_their_bounds_keep_their_energy() {
    // A weight on a taut rope, and a rod along the bound of its swing: both lost a part of their energy in each step.
    let scene = text(
        r#"
        format = 1
        name = "bounds"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 2
        [[body]]
        name = "weight"
        mass = 1.0
        position = [1, 0, 0]
        linear_velocity = [0, 0, 3]
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.1] }
        [[body]]
        name = "rod"
        mass = 1.0
        position = [5, 0, 0]
        [[body.shape]]
        box = { size = [0.4, 0.04, 0.04] }
        [[joint]]
        name = "rope"
        kind = "distance"
        body_a = "weight"
        position = [1, 0, 0]
        to = [0, 0, 0]
        max = 1.0
        [[joint]]
        name = "neck"
        kind = "ball"
        body_a = "rod"
        position = [4.8, 0, 0]
        axis = [1, 0, 0]
        swing = { max_deg = 30 }
        "#
        .into(),
    );
    let mut turned = scene.clone();
    // The rod starts at its bound, and goes round.
    let tilt = rigor_math::rotation_vector::exp(&(Vec3::z() * 30.0_f64.to_radians()));
    let rod = &mut turned.bodies[1].initial;
    let arm = tilt * Vec3::x() * 0.2;
    rod.pose = rigor_math::Pose::new(Vec3::x() * 4.8 + arm, tilt * rod.pose.rotation);
    rod.angular_velocity = Vec3::x() * 5.0;
    rod.linear_velocity = rod.angular_velocity.cross(&arm);
    for dt in [0.01, 0.0025] {
        let run = record(&turned, Config::default(), dt, (2.0 / dt) as u64);
        assert_eq!(flaws(&run), []);
        let speed = run.last().bodies[0].linear_velocity.norm();
        assert!((speed - 3.0).abs() < 2.2 * dt, "{dt}: the weight has {speed} m/s");
        let kinetic = |state: &State| energy::kinetic(&turned.bodies[1], &state.bodies[1]);
        let (start, end) = (kinetic(&run.trajectory.frames[0]), kinetic(run.last()));
        assert!((end / start - 1.0).abs() < 1e-6, "{dt}: the rod has {end} of {start} J");
    }
}

#[test]
fn a_prescribed_body_does_not_drag_another_through_a_wall() {
    // The wall ends the way of the box that a kinematic body pulls by a joint.
    for kind in ["fixed", "ball"] {
        let scene = text(format!(
            r#"
            format = 1
            name = "drag"
            gravity = [0, 0, 0]
            [time]
            dt = 0.01
            duration = 1
            [[body]]
            name = "puller"
            role = "kinematic"
            linear_velocity = [1, 0, 0]
            [[body.shape]]
            box = {{ size = [0.2, 0.2, 0.2] }}
            [[body]]
            name = "box"
            mass = 1
            position = [0.26, 0, 0]
            [[body.shape]]
            box = {{ size = [0.3, 0.1, 0.1] }}
            [[body]]
            name = "wall"
            role = "static"
            position = [1, 0, 0]
            [[body.shape]]
            box = {{ size = [0.2, 2, 2] }}
            [[joint]]
            name = "hook"
            kind = "{kind}"
            body_a = "box"
            body_b = "puller"
            position = [0.1, 0, 0]
            "#
        ));
        let run = record(&scene, Config::default(), 0.01, 100);
        let furthest =
            run.trajectory.frames.iter().map(|state| state.bodies[1].pose.position.x).fold(0.0, f64::max);
        assert!(furthest < 0.76, "{kind}: the box came to {furthest} m");
        assert!(largest_error(&run) < 1e-7, "{kind}: {}", largest_error(&run));
        assert!(flaws(&run).iter().all(|kind| *kind == FlawKind::PrescribedMissed), "{:?}", flaws(&run));
    }
}

#[test]
fn what_a_spring_presses_on_a_wall_is_at_rest() {
    let scene = text(
        r#"
        format = 1
        name = "pressed"
        gravity = [0, 0, 0]
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "wall"
        role = "static"
        position = [1.1, 0, 0]
        [[body.shape]]
        box = { size = [0.2, 1, 1] }
        [[body]]
        name = "box"
        mass = 1
        position = [0.85, 0, 0]
        [[body.shape]]
        box = { size = [0.2, 0.2, 0.2] }
        [[joint]]
        name = "rail"
        kind = "prismatic"
        body_a = "box"
        position = [0.85, 0, 0]
        axis = [1, 0, 0]
        slide = { position = 0.25, drive_compliance = 0.01 }
        "#
        .into(),
    );
    for dt in [0.02, 0.005] {
        let run = record(&scene, Config::default(), dt, (2.0 / dt) as u64);
        let end = run.last().bodies[1];
        assert_eq!(end.linear_velocity.norm(), 0.0, "at {dt}");
        let force: f64 =
            run.reports.last().unwrap().contacts.iter().map(|contact| contact.normal_force).sum();
        let due = (0.25 - (end.pose.position.x - 0.85)) / 0.01;
        // The spring varies along the flight that the wall cancels: by h² k/m of it.
        assert!((force / due - 1.0).abs() < dt * dt / 0.01, "{force} N, due {due}");
    }
}

#[test]
fn contact_takes_from_a_bound_what_it_carries() {
    // An arm lies on the bound of its hinge, and a spring presses a block against it from below, with less than half of its weight.
    let scene = text(
        r#"
        format = 1
        name = "lifted"
        [time]
        dt = 0.01
        duration = 1
        [[body]]
        name = "arm"
        mass = 2
        position = [0.5, 0, 0]
        [[body.shape]]
        box = { size = [1, 0.1, 0.1] }
        [[body]]
        name = "block"
        mass = 0.1
        position = [1, -0.2, 0]
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.1] }
        [[joint]]
        name = "pin"
        kind = "hinge"
        body_a = "arm"
        position = [0, 0, 0]
        axis = [0, 0, 1]
        turn = { min_deg = 0 }
        [[joint]]
        name = "lift"
        kind = "prismatic"
        body_a = "block"
        position = [1, -0.2, 0]
        axis = [0, 1, 0]
        slide = { position = 0.2, drive_compliance = 0.02, drive_damping = 3 }
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.0025, 1200);
    assert_eq!(flaws(&run), []);
    // After the blow.
    let late = &run.reports[800..];
    let highest = late.iter().filter_map(|report| report.joints[0].turn).fold(0.0, f64::max);
    assert!(highest < 1e-8, "the arm rose by {highest} rad");
    let last = run.reports.last().unwrap();
    let force: f64 = last.contacts.iter().map(|contact| contact.normal_force).sum();
    let slide = run.last().bodies[1].pose.position.y + 0.2;
    // The spring carries the block, and presses with the rest.
    let due = (0.2 - slide) / 0.02 - 0.1 * 9.81;
    assert!((force / due - 1.0).abs() < 0.02, "{force} N, due {due}");
    // The bound carries what is left.
    let torque = last.joints[0].torque_world.z;
    let left = 2.0 * 9.81 * 0.5 - force;
    assert!((torque / left - 1.0).abs() < 0.02, "{torque} N m, due {left}");
}

#[test]
fn bodies_without_extent_pass_on_what_their_joints_bear() {
    // A wheel that lies on the floor hangs on two slides, one behind the other, with points between: each feels moments only.
    let scene = text(
        r#"
        format = 1
        name = "points"
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "floor"
        role = "static"
        friction = 0.5
        position = [0, -0.5, 0]
        [[body.shape]]
        box = { size = [4, 1, 4] }
        [[body]]
        name = "across"
        mass = 0.02
        position = [0, 0.12, 0]
        group = "wheel"
        inertia = { moments = [5e-5, 9e-5, 5e-5] }
        [[body.shape]]
        mesh = { vertices = [[0, 0, 0]] }
        [[body]]
        name = "up"
        mass = 0.02
        position = [0, 0.12, 0]
        group = "wheel"
        inertia = { moments = [5e-5, 9e-5, 5e-5] }
        [[body.shape]]
        mesh = { vertices = [[0, 0, 0]] }
        [[body]]
        name = "wheel"
        mass = 2
        friction = 0.5
        position = [0, 0.12, 0.3]
        linear_velocity = [1, 0, 0]
        group = "wheel"
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.1] }
        [[joint]]
        name = "x"
        kind = "prismatic"
        body_a = "across"
        position = [0, 0.12, 0]
        axis = [1, 0, 0]
        [[joint]]
        name = "y"
        kind = "prismatic"
        body_a = "up"
        body_b = "across"
        position = [0, 0.12, 0]
        axis = [0, 1, 0]
        [[joint]]
        name = "axle"
        kind = "hinge"
        body_a = "wheel"
        body_b = "up"
        position = [0, 0.12, 0.3]
        axis = [0, 0, 1]
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.005, 300);
    assert_eq!(flaws(&run), []);
    assert!(run.reports.iter().any(|report| !report.contacts.is_empty()), "it lands");
    assert!(largest_error(&run) < 1e-8, "{}", largest_error(&run));
}

#[test]
fn joined_bodies_have_their_substeps_together() {
    // One of two joined boxes is shot at by a fast small one: the step is divided for all three.
    let scene = text(
        r#"
        format = 1
        name = "shot"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 0.2
        [[body]]
        name = "a"
        group = "pair"
        mass = 1
        position = [0, 0, 0]
        [[body.shape]]
        box = { size = [0.2, 0.2, 0.2] }
        [[body]]
        name = "b"
        group = "pair"
        mass = 1
        position = [0, 9, 0]
        [[body.shape]]
        box = { size = [0.2, 0.2, 0.2] }
        [[body]]
        name = "bullet"
        mass = 0.1
        position = [-1, 0, 0]
        linear_velocity = [50, 0, 0]
        [[body.shape]]
        box = { size = [0.05, 0.05, 0.05] }
        [[joint]]
        name = "rod"
        kind = "fixed"
        body_a = "a"
        body_b = "b"
        position = [0, 4.5, 0]
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.01, 20);
    assert_eq!(flaws(&run), []);
    assert!(largest_error(&run) < 1e-8, "{}", largest_error(&run));
    let substeps = run.reports.iter().flat_map(|report| &report.quantities);
    let most = substeps.filter(|one| one.name == "substeps").map(|one| one.value).fold(0.0, f64::max);
    assert!(most > 1.0, "the step is divided");
    let momentum: f64 =
        scene.bodies.iter().zip(&run.last().bodies).map(|(body, at)| body.mass * at.linear_velocity.x).sum();
    assert!((momentum - 5.0).abs() < 1e-9, "{momentum}");
}

#[test]
fn what_a_spring_pulls_along_a_wall_does_not_drift_from_it() {
    // Without friction, and without gravity to say what a constant push is.
    let scene = text(
        r#"
        format = 1
        name = "along"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 0.5
        [[body]]
        name = "wall"
        role = "static"
        position = [0, -0.5, 0]
        [[body.shape]]
        box = { size = [20, 1, 2] }
        [[body]]
        name = "box"
        mass = 1
        position = [-0.5, 0.101, 0]
        linear_velocity = [1, 0, 0]
        [[body.shape]]
        box = { size = [0.2, 0.2, 0.2] }
        [[joint]]
        name = "spring"
        kind = "distance"
        body_a = "box"
        position = [-0.5, 0.101, 0]
        to = [0, -5, 0]
        min = 0
        length = { distance = 0, drive_compliance = 0.05 }
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.01, 50);
    let late = &run.trajectory.frames[10..];
    let fastest = late.iter().map(|state| state.bodies[1].linear_velocity.y.abs()).fold(0.0, f64::max);
    assert!(fastest < 0.02, "across the wall it has {fastest} m/s");
}

#[test]
fn a_prescribed_body_does_not_pull_a_box_through_a_roof() {
    // On a rope, until Newton's method finds no way.
    let scene = text(
        r#"
        format = 1
        name = "roof"
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "winch"
        role = "kinematic"
        position = [0, 0.6, 0]
        linear_velocity = [0, 1, 0]
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.1] }
        [[body]]
        name = "roof"
        role = "static"
        position = [0, 0.3, 0]
        [[body.shape]]
        box = { size = [2, 0.1, 2] }
        [[body]]
        name = "box"
        mass = 1
        position = [0, -0.1, 0]
        [[body.shape]]
        box = { size = [0.2, 0.2, 0.2] }
        [[joint]]
        name = "rope"
        kind = "distance"
        body_a = "box"
        body_b = "winch"
        position = [0, 0, 0]
        to = [0, 0.6, 0]
        max = 0.7
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.005, 200);
    assert_eq!(run.reports.len(), 200, "{:?}", run.outcome);
    assert!(largest_error(&run) < 1e-7, "{}", largest_error(&run));
    assert!(flaws(&run).contains(&FlawKind::PrescribedMissed), "{:?}", flaws(&run));
}

/// A plate of 100 kg that two hinges with crossed axes hold, and what moves away from it on a rope of 0.5 m that is slack by 1 cm.
fn hinged_twice() -> Scene {
    text(
        r#"
        format = 1
        name = "hinged-twice"
        gravity = [0, 0, 0]
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "puller"
        role = "kinematic"
        position = [0, 0.49, 0]
        linear_velocity = [1, 20, 0]
        angular_velocity = [3, 2, -1]
        motion = { stops_at = 0.05 }
        [[body.shape]]
        box = { size = [0.1, 0.1, 0.1] }
        [[body]]
        name = "plate"
        mass = 100
        [[body.shape]]
        box = { size = [1, 0.1, 1] }
        [[joint]]
        name = "along"
        kind = "hinge"
        body_a = "plate"
        position = [0.3, 0, 0.1]
        axis = [1, 0.2, 0]
        [[joint]]
        name = "across"
        kind = "hinge"
        body_a = "plate"
        position = [-0.4, 0, 0.2]
        axis = [0, 0.3, 1]
        [[joint]]
        name = "rope"
        kind = "distance"
        body_a = "plate"
        body_b = "puller"
        position = [0, 0, 0]
        to = [0, 0.49, 0]
        max = 0.5
        "#
        .into(),
    )
}

#[test]
fn a_prescribed_body_stops_where_its_rope_ends_on_what_cannot_move() {
    let scene = hinged_twice();
    let run = record(&scene, Config::default(), 0.005, 40);
    assert_eq!(run.reports.len(), 40, "{:?}", run.outcome);
    assert!(largest_error(&run) < 1e-7, "{}", largest_error(&run));
    assert!(flaws(&run).contains(&FlawKind::PrescribedMissed), "{:?}", flaws(&run));
    for state in &run.trajectory.frames {
        let plate = &state.bodies[1];
        let speed = plate.linear_velocity.norm() + plate.angular_velocity.norm();
        assert!(speed < 1e-9, "step {}: the plate has {speed} m/s", state.step);
    }
}

#[test]
fn a_drive_without_a_limit_that_jams_is_told_and_does_not_end_the_run() {
    let scene = text(
        r#"
        format = 1
        name = "jam"
        gravity = [0, 0, 0]
        [time]
        dt = 0.005
        duration = 1
        [[body]]
        name = "block"
        role = "static"
        position = [0.6, -0.5, 0]
        [[body.shape]]
        box = { size = [0.3, 0.3, 0.3] }
        [[body]]
        name = "arm"
        mass = 2
        position = [0.5, 0, 0]
        [[body.shape]]
        box = { size = [1, 0.1, 0.1] }
        [[joint]]
        name = "pin"
        kind = "hinge"
        body_a = "arm"
        position = [0, 0, 0]
        axis = [0, 0, 1]
        turn = { velocity_deg = -90 }
        "#
        .into(),
    );
    let run = record(&scene, Config::default(), 0.005, 80);
    assert_eq!(run.reports.len(), 80, "{:?}", run.outcome);
    let is_told = |report: &StepReport| report.flaws.iter().any(|flaw| flaw.kind == FlawKind::Unconverged);
    // It meets the block in step 48, and does not pass into it.
    assert!(run.reports[..45].iter().all(|report| report.flaws.is_empty()));
    assert!(run.reports[50..].iter().all(is_told), "{:?}", flaws(&run));
    assert!(run.reports.iter().all(|report| report.min_distance.is_none_or(|distance| distance > 0.0)));
    // What is told is the error that is left, over 10⁻⁹ of the radius.
    let last = &run.reports[79];
    let told = last.flaws.iter().filter(|flaw| flaw.kind == FlawKind::Unconverged).map(|flaw| flaw.amount);
    let told = told.fold(0.0, f64::max) * 1e-9 * scene.bodies[1].radius;
    let off = last.joints[0].position_error;
    assert!(off > 1e-6 && told > 0.99 * off, "{off} m off, {told} m told");
}

/// Three links that are straight between two pins: joints let none move from its place, though each may move across by its velocity. Their weight gave
/// them 0.1 J in 5 s.
#[test]
fn a_straight_chain_between_two_pins_stays_at_rest() {
    let link = |i: usize| {
        let (x, to) =
            (0.2 + 0.4 * i as f64, if i == 0 { String::new() } else { format!("body_b = \"l{}\"", i - 1) });
        format!(
            "[[body]]\nname = \"l{i}\"\nmass = 1\ngroup = \"chain\"\nposition = [{x}, 0, 0]\n[[body.shape]]\n\
             box = {{ size = [0.4, 0.08, 0.08] }}\n[[joint]]\nname = \"j{i}\"\nkind = \"ball\"\nbody_a = \"l{i}\"\n{to}\n\
             position = [{}, 0, 0]\n",
            x - 0.2
        )
    };
    let links: String = (0..3).map(link).collect();
    let scene = text(format!(
        "format = 1\nname = \"taut\"\ngravity = [0, -9.81, 0]\n[time]\ndt = 0.01\nduration = 5\n{links}\
         [[joint]]\nname = \"end\"\nkind = \"ball\"\nbody_a = \"l2\"\nposition = [1.2, 0, 0]\n"
    ));
    let run = record(&scene, Config::default(), 1e-2, 300);
    let total = |state: &State| {
        let (kinetic, potential) = energy::of_state(&scene, state);
        kinetic + potential
    };
    let most = run.trajectory.frames.iter().map(total).fold(f64::NEG_INFINITY, f64::max);
    assert!(most < 1e-3 && largest_error(&run) < 1e-6, "{most} J");
}

/// A drive that moves its target presses a box on a wall. The box stands still, and its velocity says so: it was 0.2 m/s for ever.
#[test]
fn what_a_drive_presses_on_a_wall_has_no_velocity() {
    for (force, rate, dt) in [(10.0, 0.5, 1e-2), (1e3, 0.5, 1e-2), (1e3, 2.0, 2e-3), (100.0, 0.05, 5e-3)] {
        let scene = text(format!(
            "format = 1\nname = \"pressed\"\ngravity = [0, 0, 0]\n[time]\ndt = {dt}\nduration = 1\n\
             [[body]]\nname = \"wall\"\nrole = \"static\"\nposition = [0.2005, 0, 0]\n[[body.shape]]\nbox = {{ size = [0.1, 2, 2] }}\n\
             [[body]]\nname = \"box\"\nmass = 1\nposition = [0.1, 0, 0]\n[[body.shape]]\nbox = {{ size = [0.1, 0.1, 0.1] }}\n\
             [[joint]]\nname = \"slide\"\nkind = \"prismatic\"\nbody_a = \"box\"\nposition = [0.1, 0, 0]\naxis = [1, 0, 0]\n\
             slide = {{ velocity = {rate}, max_force = {force} }}\n"
        ));
        for bodies in [rigor_ipc::Bodies::Rigid, rigor_ipc::Bodies::Affine] {
            let run = record(&scene, Config { bodies, ..Config::default() }, dt, 60);
            let frames = &run.trajectory.frames;
            for pair in frames[40..].windows(2) {
                let [before, after] = [&pair[0], &pair[1]].map(|state| body(&scene, state, "box"));
                let way = (after.pose.position - before.pose.position) / dt;
                let off = (after.linear_velocity - way).norm();
                assert!(
                    off < 1e-3 * rate && way.norm() < 1e-2 * rate,
                    "{force} N, {rate} m/s, {bodies:?}: {off:e} m/s, {way}"
                );
            }
        }
    }
}

/// A car on wheels of polygons brakes from 15 m/s with its wheels locked, by drives of limited strength: the force of a brake changes at a kink, at which
/// Newton's method ended the run in its first step. Coulomb's law stops the car with μ g.
#[test]
fn a_car_brakes_with_locked_wheels_of_polygons() {
    let wheel = |i: usize| {
        let (x, z) = ([1.0, 1.0, -1.0, -1.0][i], [0.8, -0.8, 0.8, -0.8][i]);
        format!(
            "[[body]]\nname = \"w{i}\"\nmass = 20\nfriction = 0.9\ngroup = \"car\"\nposition = [{x}, 0.30001, {z}]\n\
             linear_velocity = [15, 0, 0]\nangular_velocity = [0, 0, -50]\n[[body.shape]]\ncylinder = {{ radius = 0.3, height = 0.2 }}\n\
             rotation_deg = [90, 0, 0]\n[[joint]]\nname = \"axle{i}\"\nkind = \"hinge\"\nbody_a = \"w{i}\"\nbody_b = \"chassis\"\n\
             position = [{x}, 0.30001, {z}]\naxis = [0, 0, 1]\nturn = {{ velocity_deg = 0, max_torque = 5000 }}\n"
        )
    };
    let wheels: String = (0..4).map(wheel).collect();
    let scene = text(format!(
        "format = 1\nname = \"car\"\ngravity = [0, -9.81, 0]\n[time]\ndt = 0.01\nduration = 1\n\
         [[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nfriction = 0.9\n[[body.shape]]\nbox = {{ size = [200, 1, 20] }}\n\
         [[body]]\nname = \"chassis\"\nmass = 1000\nposition = [0, 0.55, 0]\ngroup = \"car\"\nlinear_velocity = [15, 0, 0]\n\
         [[body.shape]]\nbox = {{ size = [2.4, 0.4, 1.2] }}\n{wheels}"
    ));
    let mut method = Ipc::new(Config::default(), Clock::default()).expect("valid settings");
    let mut state = State::initial(&scene);
    for step in 0..60 {
        method.step(&scene, &mut state, 1e-2).unwrap_or_else(|error| panic!("step {step}: {error}"));
        state.step = step + 1;
        state.time = state.step as f64 * 1e-2;
    }
    let speed = body(&scene, &state, "chassis").linear_velocity.x;
    let exact = 15.0 - 0.9 * 9.81 * 0.6;
    assert!((speed - exact).abs() < 0.2, "{speed} m/s, {exact} by Coulomb's law");
}
