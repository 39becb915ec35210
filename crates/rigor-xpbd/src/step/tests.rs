//! Which bodies rest within a step, and that a step with rest is the step without.

use rigor_math::{Pose, Vec3};
use rigor_scene::{BodySpec, Friction, KinematicPath, Motion, PartKind, PlacedShape, Role};
use rigor_shapes::Cuboid;

use super::*;

/// Unit boxes with their centres at these places (m), on a floor whose top is the plane y = 0.
fn boxes(centres: &[Vec3]) -> Scene {
    let spec = |name: String, size: Vec3, centre: Vec3, group: usize| {
        let mesh = Cuboid::new(size).mesh().expect("positive sizes");
        let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
        let friction = Friction::uniform(0.5);
        let pose = Pose::translation(centre);
        BodySpec { pose, friction, group: group as u32, ..BodySpec::new(name, vec![shape]) }
    };
    let floor = spec("floor".into(), Vec3::new(40.0, 1.0, 40.0), Vec3::new(0.0, -0.5, 0.0), 0);
    let floor = BodySpec { role: Role::Static, ..floor };
    let all = centres.iter().enumerate().map(|(i, c)| spec(format!("box {i}"), Vec3::repeat(1.0), *c, i + 1));
    let bodies = std::iter::once(floor).chain(all).map(|spec| spec.build().expect("a valid body"));
    Scene { gravity: Vec3::new(0.0, -9.81, 0.0), bodies: bodies.collect(), ..Scene::default() }
}

fn xpbd(substeps: u32) -> Xpbd {
    Xpbd::new(Config { substeps, ..Config::default() }, Clock::default()).expect("valid settings")
}

/// Takes `n` steps of `dt` (s); returns the last report.
fn go(xpbd: &mut Xpbd, scene: &Scene, state: &mut State, dt: f64, n: u64) -> StepReport {
    let mut last = None;
    for _ in 0..n {
        last = Some(xpbd.step(scene, state, dt).expect("a step"));
        state.step += 1;
        state.time += dt;
    }
    last.expect("at least one step")
}

fn resting(xpbd: &Xpbd) -> Vec<bool> {
    xpbd.bodies.iter().map(|body| body.rests).collect()
}

#[test]
fn boxes_at_rest_take_one_substep_and_the_motion_and_forces_of_all() {
    let scene = boxes(&[Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.1, 1.5, 0.0)]);
    let mut state = State::initial(&scene);
    let mut coarse = xpbd(20);
    let report = go(&mut coarse, &scene, &mut state, 1e-2, 400);
    assert_eq!(resting(&coarse), [false, true, true], "{:?}", state.bodies);
    let force = |on: usize| -> f64 {
        report.contacts.iter().filter(|c| c.body_a.0 == on || c.body_b.0 == on).map(|c| c.normal_force).sum()
    };
    let weight = 9.81 * scene.bodies[1].mass;
    assert!((force(0) / (2.0 * weight) - 1.0).abs() < 1e-9, "{} N on the floor", force(0));
    assert!((force(2) / weight - 1.0).abs() < 1e-9, "{} N on the upper box", force(2));

    // Steps of one substep each have no further substeps to leave out.
    let mut same = state.clone();
    go(&mut coarse, &scene, &mut state, 1e-2, 1);
    go(&mut xpbd(1), &scene, &mut same, 5e-4, 20);
    for (body, other) in state.bodies.iter().zip(&same.bodies) {
        let apart = (body.pose.position - other.pose.position).norm();
        assert!(apart < 20.0 * 1e-13, "{apart:e} m apart");
    }
}

#[test]
fn bodies_rest_in_groups_and_not_beside_one_that_may_touch_them() {
    // Of three boxes far apart, one is hit from above while the others rest.
    let places = [Vec3::new(-5.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, 4.0, 0.0)];
    let scene = boxes(&places);
    let mut state = State::initial(&scene);
    let mut method = xpbd(20);
    go(&mut method, &scene, &mut state, 1e-2, 40);
    assert_eq!(resting(&method), [false, true, true, false]);
    let mut touched = false;
    while !touched {
        let report = go(&mut method, &scene, &mut state, 1e-2, 1);
        touched = report.contacts.iter().any(|c| c.body_a.0 == 2 && c.body_b.0 == 3);
        assert!(!touched || resting(&method) == [false, true, false, false]);
        assert!(state.step < 200, "the box in the air never lands");
    }
}

#[test]
fn bodies_that_prescribed_motion_may_touch_do_not_rest() {
    let mut scene = boxes(&[Vec3::new(0.0, 0.5, 0.0), Vec3::new(5.0, 0.5, 0.0)]);
    let mut state = State::initial(&scene);
    let mut method = xpbd(20);
    go(&mut method, &scene, &mut state, 1e-2, 100);
    assert_eq!(resting(&method), [false, true, true]);
    // A lift that stands still in this step may move in the next substep.
    scene.bodies[0].role =
        Role::Kinematic(Motion { path: KinematicPath::ConstantVelocity, stops_at: f64::INFINITY });
    go(&mut method, &scene, &mut state, 1e-2, 1);
    assert_eq!(resting(&method), [false; 3]);
}

#[test]
fn bodies_that_float_or_turn_back_do_not_rest() {
    let still = |gravity: f64, velocity: f64, n_steps: u64| {
        let mut scene = boxes(&[Vec3::new(0.0, 20.0, 0.0)]);
        scene.gravity.y = gravity;
        scene.bodies[1].initial.linear_velocity.y = velocity;
        let mut state = State::initial(&scene);
        let mut method = xpbd(4);
        go(&mut method, &scene, &mut state, 1e-2, n_steps);
        resting(&method)[1]
    };
    // Without gravity only a body without velocity rests.
    assert!(still(0.0, 0.0, 1));
    assert!(!still(0.0, 1e-14, 1));
    // At the top of its way it stands still after a substep of 1/400 s; all numbers are exact.
    assert!(!still(-0.1 * 400.0, 0.1, 1));
}
