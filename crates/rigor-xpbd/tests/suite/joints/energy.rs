//! Joints never make energy: not from where they start, not from rounding, not at singular poses.

use std::io;
use std::path::Path;

use proptest::prelude::*;
use rigor_file::{Files, LoadOptions, load};
use rigor_math::{Pose, Vec3, elementary, inertia, rotation_vector};
use rigor_scene::{
    BodySpec, Clock, Drive, FlawKind, Freedom, Goal, Joint, JointKind, Method, Range, Run, Scene, State,
};
use rigor_xpbd::{Config, JointSolver, Pbd, Xpbd, pbd};

use super::*;
use crate::scenes::{cuboid, floor, record, scene};

struct Text(&'static str);

impl Files for Text {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

fn read(text: &'static str) -> Scene {
    load(Path::new("scene.toml"), &Text(text), &LoadOptions::default()).expect("a valid scene").scene
}

fn kinetic(scene: &Scene, state: &State) -> f64 {
    let of = |(body, at): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let (v, omega) = (&at.linear_velocity, &at.angular_velocity);
        inertia::kinetic_energy(body.mass, v, &body.inertia, &at.pose.rotation, omega)
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

fn energy(scene: &Scene, state: &State) -> f64 {
    let dynamic = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
    let height: f64 = dynamic.map(|(body, at)| -body.mass * scene.gravity.dot(&at.pose.position)).sum();
    kinetic(scene, state) + height
}

/// The largest energy (J) of a run above that of its start.
fn gained(scene: &Scene, run: &Run) -> f64 {
    assert_eq!(run.outcome, rigor_scene::Outcome::Completed);
    let energies = run.trajectory.frames.iter().map(|state| energy(scene, state));
    energies.fold(f64::NEG_INFINITY, f64::max) - energy(scene, &run.trajectory.frames[0])
}

/// The largest error (m) of a joint in a run.
fn apart(run: &Run) -> f64 {
    run.reports.iter().flat_map(|report| &report.joints).map(|joint| joint.position_error).fold(0.0, f64::max)
}

fn run(scene: &Scene, config: Config) -> Run {
    record(scene, config, scene.time.dt, scene.time.steps())
}

#[test]
fn three_and_more_joints_of_one_body_make_no_energy_by_default_at_any_substep() {
    let bar = read(include_str!("../../data/bar-four-wheels.toml"));
    let hub = read(include_str!("../../data/hub-three-balls.toml"));
    for scene in [bar, hub] {
        for substeps in [5, 20, 80] {
            let found = run(&scene, Config { substeps, ..Config::default() });
            // They fall freely: nothing turns, and no joint carries anything.
            let (gained, apart) = (gained(&scene, &found), apart(&found));
            assert!(gained < 1e-9 && apart < 1e-9, "{} {substeps}: {gained} J, {apart} m", scene.name);
            let spin = found.trajectory.frames.last().unwrap().bodies[0].angular_velocity.norm();
            assert!(spin < 1e-6, "{} {substeps}: {spin} rad/s", scene.name);
        }
    }
}

#[test]
fn arms_that_start_in_the_ground_are_pushed_out_without_being_thrown() {
    for kind in [JointKind::BALL, JointKind::HINGE, JointKind::Fixed] {
        for depth in [1e-3, 5e-3, 1.5e-2] {
            for n in [2, 4] {
                // A row of boxes along x, whose last one reaches into the ground; the others hover.
                let cube = |i: usize| cuboid(&format!("link {i}"), [0.1; 3], [0.1 * i as f64, 0.3, 0.0]);
                let low = cuboid("foot", [0.1, 0.3, 0.1], [0.1 * n as f64, 0.15 - depth, 0.0]);
                let bodies = std::iter::once(floor(0.5)).chain((0..n).map(cube)).chain([low]);
                let mut chain = scene(bodies.map(|body| weighing(1.0, body)).collect());
                chain.gravity = Vec3::zeros();
                let at = |i: usize| Pose::translation(Vec3::new(0.1 * i as f64 - 0.05, 0.27, 0.0));
                let pins = (1..=n).map(|i| joint(&chain, kind.clone(), i + 1, Some(i), at(i))).collect();
                let mut chain = with(chain, pins);
                chain.contact_free.retain(|(a, _)| a.0 > 0);
                let run = record(&chain, Config::default(), 2e-3, 100);
                let most =
                    run.trajectory.frames.iter().map(|state| kinetic(&chain, state)).fold(0.0, f64::max);
                let why = format!("{kind:?}, {depth} m, {n} links");
                assert!(most < 1e-4 && apart(&run) < 1e-5, "{why}: {most} J, {} m", apart(&run));
                let foot = run.last().bodies[n + 1].pose.position.y;
                assert!(foot > 0.15 - 1e-4, "{why}: the foot stays {} m deep", 0.15 - foot);
            }
        }
    }
}

/// A box of 3 kg at `speed` (m/s) along x with a load of `mass` (kg) behind it on a joint; a wall is 25 mm ahead.
fn car(kind: &JointKind, mass: f64, speed: f64) -> Scene {
    let wall = cuboid("wall", [0.05, 4.0, 4.0], [1.0, 0.0, 0.0]);
    let wall = BodySpec { role: rigor_scene::Role::Static, ..wall };
    let thrown = |kilograms: f64, spec: BodySpec| BodySpec {
        linear_velocity: Vec3::x() * speed,
        ..weighing(kilograms, spec)
    };
    let load = thrown(mass, cuboid("load", [0.3, 0.6, 0.6], [0.5, 0.0, 0.0]));
    let bumper = thrown(3.0, cuboid("bumper", [0.2, 0.2, 0.2], [0.85, 0.0, 0.0]));
    let mut car = scene(vec![wall, load, bumper]);
    car.gravity = Vec3::zeros();
    let weld = joint(&car, kind.clone(), 2, Some(1), Pose::translation(Vec3::x() * 0.75));
    let mut car = with(car, vec![weld]);
    car.contact_free.retain(|(a, _)| a.0 > 0);
    car
}

#[test]
fn bodies_on_joints_do_not_rebound_from_impacts_without_restitution() {
    for kind in [JointKind::Fixed, JointKind::BALL, JointKind::HINGE] {
        for mass in [0.3, 3.0, 10.0, 50.0, 500.0] {
            for speed in [0.5, 5.0, 60.0] {
                let car = car(&kind, mass, speed);
                let run = record(&car, Config::default(), (0.05 / speed).min(0.01), 60);
                let why = format!("{kind:?}, {mass} kg, {speed} m/s");
                let start = kinetic(&car, &run.trajectory.frames[0]);
                let [load, bumper] = [1, 2].map(|i| run.last().bodies[i].linear_velocity.x / speed);
                assert!(load.abs() < 0.02 && bumper.abs() < 0.02, "{why}: {load}, {bumper} of the speed");
                assert!(gained(&car, &run) < 1e-3 * start, "{why}: {} of {start} J", gained(&car, &run));
            }
        }
    }
}

#[test]
fn bodies_on_joints_do_not_rebound_while_others_bounce_or_on_bodies_that_move_as_prescribed() {
    // A box that bounces between two walls in every substep, far away.
    let mut car = car(&JointKind::Fixed, 50.0, 5.0);
    let n = car.bodies.len() as u32;
    let at = |k: u32, x: f64| {
        let spec = cuboid(&format!("far {k}"), [0.1; 3], [x, 0.0, 50.0]);
        BodySpec { restitution: 1.0, group: n + k, ..weighing(1.0, spec) }
    };
    let fixed = |spec: BodySpec| BodySpec { role: rigor_scene::Role::Static, ..spec };
    let quick = BodySpec { linear_velocity: Vec3::x() * 5.0, ..at(1, 0.0) };
    let far = [fixed(at(0, -0.1002)), quick, fixed(at(2, 0.1002))];
    car.bodies.extend(far.map(|spec| spec.build().unwrap()));
    let run = record(&car, Config::default(), 0.01, 60);
    let speeds = [1, 2].map(|i| run.last().bodies[i].linear_velocity.x);
    assert!(speeds.iter().all(|v| v.abs() < 0.1), "{speeds:?}");
    assert!(run.last().bodies[4].linear_velocity.x.abs() > 4.0, "the other bounces");

    // An arm on a carriage that moves at 2 m/s along the wall, as prescribed, swings into it.
    let carriage = cuboid("carriage", [0.1; 3], [0.3, 0.0, 0.0]);
    let carriage = BodySpec {
        role: rigor_scene::Role::Kinematic(rigor_scene::Motion::constant_velocity()),
        linear_velocity: Vec3::z() * 2.0,
        ..carriage
    };
    let wall = fixed(cuboid("wall", [0.05, 4.0, 40.0], [1.0, 0.0, 0.0]));
    let arm = weighing(1.0, cuboid("arm", [0.6, 0.1, 0.1], [0.3, 0.0, 0.0]));
    let turned = rotation_vector::exp(&(Vec3::z() * -0.6));
    let hung = Vec3::new(0.4, 0.0, 0.0);
    let pose = Pose::new(hung + turned * Vec3::new(0.3, 0.0, 0.0), turned);
    let omega = Vec3::z() * 10.0;
    let velocity = Vec3::z() * 2.0 + omega.cross(&(pose.position - hung));
    let arm = BodySpec { pose, linear_velocity: velocity, angular_velocity: omega, ..arm };
    let mut swing = scene(vec![carriage, wall, arm]);
    swing.gravity = Vec3::zeros();
    let hinge = joint(&swing, JointKind::HINGE, 2, Some(0), Pose::new(hung, about_z()));
    let mut swing = with(swing, vec![hinge]);
    swing.contact_free.retain(|pair| *pair != (BodyId(1), BodyId(2)));
    let run = record(&swing, Config::default(), 0.002, 100);
    let errors = apart(&run);
    let along = run.trajectory.frames.iter().map(|state| (state.bodies[2].linear_velocity.z - 2.0).abs());
    let sideways = along.fold(0.0, f64::max);
    assert!(errors < 1e-3 && sideways < 0.05, "{errors} m, {sideways} m/s along the wall");
    assert!(run.last().bodies[2].angular_velocity.z.abs() < 0.5, "{}", run.last().bodies[2].angular_velocity);
}

/// A rod of `mass` (kg) on a hinge at the upper edge of a box of 3 kg, which stands on a floor it does not slide on or, if `is_hung`, hangs at a hinge at its
/// lower edge. The rod turns downwards at `speed` (rad/s), to a bound at `angle` (rad). Returns also the rate (rad/s) of both after the hit, when they
/// turn as one body about the lower edge.
fn rod_on_a_box(is_hung: bool, mass: f64, speed: f64, angle: f64) -> (Scene, f64) {
    let rough = |spec: BodySpec| BodySpec { friction: rigor_scene::Friction::uniform(10.0), ..spec };
    let length = 0.6;
    let stand = weighing(3.0, cuboid("stand", [0.4, 0.2, 0.3], [0.0, 0.1, 0.0]));
    let rod = weighing(mass, cuboid("rod", [length, 0.02, 0.1], [0.2 + 0.5 * length, 0.2, 0.0]));
    let omega = Vec3::z() * -speed;
    let linear_velocity = omega.cross(&(Vec3::x() * 0.5 * length));
    let rod = BodySpec { linear_velocity, angular_velocity: omega, ..rod };
    let mut whole = scene(vec![rough(floor(10.0)), rough(stand), rough(rod)]);
    whole.gravity = Vec3::zeros();
    let turn = Freedom::within(Range::new(-angle, angle));
    let hinge = Pose::new(Vec3::new(0.2, 0.2, 0.0), about_z());
    let edge = Vec3::new(0.2, 0.0, 0.0);
    let pin = joint(&whole, JointKind::Hinge { turn }, 2, Some(1), hinge);
    let hook = joint(&whole, JointKind::HINGE, 1, None, Pose::new(edge, about_z()));
    let mut whole = with(whole, if is_hung { vec![hook, pin] } else { vec![pin] });
    if !is_hung {
        whole.contact_free.remove(&(BodyId(0), BodyId(1)));
    }

    let arm = rotation_vector::exp(&(Vec3::z() * -angle)) * (Vec3::x() * 0.5 * length);
    let center = hinge.position + arm;
    let moment = |i: usize| {
        let body = &whole.bodies[i];
        body.inertia_world(&body.initial.pose)[(2, 2)]
    };
    let momentum = mass * (center - edge).cross(&omega.cross(&arm)).z + moment(2) * omega.z;
    let whole_moment = moment(2)
        + mass * (center - edge).norm_squared()
        + moment(1)
        + 3.0 * (Vec3::new(0.0, 0.1, 0.0) - edge).norm_squared();
    (whole, momentum / whole_moment)
}

#[test]
fn a_bound_that_is_hit_stops_bodies_that_stand_or_hang_on_something() {
    let of_mass = |is_hung| [0.3, 3.0, 30.0].map(|mass| (is_hung, mass));
    for (is_hung, mass) in [false, true].into_iter().flat_map(of_mass) {
        for (speed, angle, n_steps) in
            [(1.0, 0.001, 3.5), (20.0, 0.001, 30.5), (20.0, 0.01, 3.5), (1.0, 0.01, 30.5)]
        {
            let (scene, due) = rod_on_a_box(is_hung, mass, speed, angle);
            let run = record(&scene, Config::default(), angle / (n_steps * speed), n_steps as u64 + 4);
            let rates = [1, 2].map(|i| run.last().bodies[i].angular_velocity.z);
            let off = rates.map(|rate| ((rate - due) / due).abs());
            let why = format!("hung {is_hung}, {mass} kg, {speed} rad/s, {angle} rad in {n_steps} steps");
            assert!(off.iter().all(|off| *off < 0.02), "{why}: {rates:?} rad/s, due {due}");
            assert!(gained(&scene, &run) < 1e-3 * kinetic(&scene, &run.trajectory.frames[0]), "{why}");
        }
    }
}

#[test]
fn slides_and_ropes_that_end_stop_bodies_that_stand_or_lean_on_something() {
    let slide = Freedom::within(Range::new(-0.02, f64::INFINITY));
    let along_y = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
    for mass in [0.3, 3.0, 30.0, 300.0] {
        for speed in [1.0, 20.0] {
            for dt in [3e-3 / speed, 3e-2 / speed] {
                let stand = || weighing(3.0, cuboid("stand", [0.4, 0.2, 0.3], [0.0, 0.1, 0.0]));
                let bob = |at: [f64; 3], velocity: Vec3| BodySpec {
                    linear_velocity: velocity,
                    ..weighing(mass, cuboid("bob", [0.1; 3], at))
                };
                // A bob that comes down a rail on the box.
                let above = bob([0.0, 0.5, 0.0], Vec3::y() * -speed);
                let mut lift = scene(vec![floor(10.0), stand(), above]);
                lift.gravity = Vec3::zeros();
                let rail = Pose::new(Vec3::new(0.0, 0.5, 0.0), along_y);
                let rail = joint(&lift, JointKind::Prismatic { slide: slide.clone() }, 2, Some(1), rail);
                // A bob on a rope from the box, which leans on a wall that is not in the bob's way.
                let wall = cuboid("wall", [0.1, 4.0, 4.0], [0.25, 0.0, 0.0]);
                let wall = BodySpec { role: rigor_scene::Role::Static, ..wall };
                let beyond = bob([0.5, 0.1, 0.0], Vec3::x() * speed);
                let mut tied = scene(vec![wall, stand(), beyond]);
                tied.gravity = Vec3::zeros();
                let mut rope = joint(
                    &tied,
                    JointKind::distance(0.0, 0.52),
                    2,
                    Some(1),
                    Pose::translation(Vec3::new(0.5, 0.1, 0.0)),
                );
                rope.frame_b = Pose::identity();
                for (scene, joint) in [(lift, rail), (tied, rope)] {
                    let what = format!("{:?}", joint.kind);
                    let mut scene = with(scene, vec![joint]);
                    scene.contact_free.remove(&(BodyId(0), BodyId(1)));
                    let run = record(&scene, Config::default(), dt, 40);
                    let speeds = [1, 2].map(|i| run.last().bodies[i].linear_velocity.norm() / speed);
                    let why = format!("{what}, {mass} kg, {speed} m/s, {dt} s");
                    assert!(speeds.iter().all(|v| *v < 0.01), "{why}: {speeds:?} of the speed");
                    assert!(
                        gained(&scene, &run) < 1e-3 * kinetic(&scene, &run.trajectory.frames[0]),
                        "{why}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_rod_that_circles_along_the_bound_of_its_swing_keeps_its_energy() {
    for (degrees, rate) in [(10.0_f64, 20.0), (30.0, 5.0), (30.0, 40.0), (60.0, 20.0), (90.0, 10.0)] {
        for size in [[1.0, 0.05, 0.05], [0.1, 0.1, 0.1]] {
            let tilt = rotation_vector::exp(&(Vec3::z() * degrees.to_radians()));
            let along = tilt * Vec3::x();
            let omega = along.cross(&(Vec3::z() * rate));
            let rod = BodySpec {
                pose: Pose::new(0.5 * along, tilt),
                linear_velocity: omega.cross(&(0.5 * along)),
                angular_velocity: omega,
                ..weighing(1.0, cuboid("rod", size, [0.0; 3]))
            };
            let mut free = scene(vec![rod]);
            free.gravity = Vec3::zeros();
            let swing = Range::new(f64::NEG_INFINITY, degrees.to_radians());
            let kind = JointKind::Ball { swing, twist: Range::UNBOUNDED };
            let end = (BodyId(0), Pose::translation(Vec3::x() * -0.5));
            let free = with(free, vec![Joint::new("pin", kind, end, (None, Pose::identity()))]);
            let start = kinetic(&free, &State::initial(&free));
            for dt in [1e-2, 2e-3] {
                let run = record(&free, Config::default(), dt, (1.0 / dt) as u64);
                let (end, gained) = (kinetic(&free, run.last()) / start, gained(&free, &run) / start);
                let why =
                    format!("{degrees}°, {rate} rad/s, {size:?}, {dt} s: {end} of the energy, {gained} more");
                assert!((end - 1.0).abs() < 0.02 && gained < 1e-3, "{why}");
            }
        }
    }
}

#[test]
fn one_bound_acts_on_its_own_side_only() {
    let scene = read(include_str!("../../data/one-bound.toml"));
    let found = run(&scene, Config::default());
    // 2 rad/s for 3 s.
    let last = &found.trajectory.frames[found.trajectory.frames.len() - 1];
    assert!(gained(&scene, &found) < 1e-6, "{}", gained(&scene, &found));
    assert!((last.bodies[0].angular_velocity.z - 2.0).abs() < 1e-6, "{}", last.bodies[0].angular_velocity);
}

#[test]
fn a_chain_that_starts_beyond_a_bound_is_closed_without_velocity() {
    let scene = read(include_str!("../../data/start-beyond-bound.toml"));
    let found = run(&scene, Config::default());
    // The bound lifts the lower link's centre by at most 0.2 m (1 − cos 5°) g.
    let lifted = 0.2 * (1.0 - 5f64.to_radians().cos()) * 9.81;
    assert!(gained(&scene, &found) < 1.1 * lifted, "{} J, lifted {lifted} J", gained(&scene, &found));
    let last = found.reports.last().unwrap().joints.iter().map(|joint| joint.angle_error).fold(0.0, f64::max);
    assert!(last < 1e-4 && apart(&found) < 1e-4, "{last} rad, {} m", apart(&found));
    let turn = (scene.joints[1].clone(), found.trajectory.frames.last().unwrap());
    let frames = rigor_scene::JointFrames::of(&turn.0, |body| turn.1.bodies[body.0].pose);
    assert!(frames.turn() > 5f64.to_radians() - 1e-4, "{}", frames.turn());
}

#[test]
fn ends_that_start_apart_come_together_without_velocity() {
    let scene = read(include_str!("../../data/frames-apart-at-start.toml"));
    let found = run(&scene, Config::default());
    let last = found.trajectory.frames.last().unwrap();
    assert!(kinetic(&scene, last) < 1e-20, "{}", kinetic(&scene, last));
    assert!(found.reports.last().unwrap().joints[0].position_error < 1e-9);
    // The centre of mass of both stays.
    let center = last.bodies[0].pose.position + last.bodies[1].pose.position;
    assert!((center - Vec3::x()).norm() < 1e-12, "{center}");
}

#[test]
fn a_straight_chain_between_two_pins_holds_with_both_solvers() {
    let scene = read(include_str!("../../data/straight-chain-two-pins.toml"));
    for joints in [JointSolver::Direct, JointSolver::Balanced] {
        let found = run(&scene, Config { joints, ..Config::default() });
        let (gained, apart) = (gained(&scene, &found), apart(&found));
        assert!(gained < 0.01 && apart < 0.02, "{joints:?}: {gained} J, {apart} m");
    }
}

#[test]
fn closing_joints_and_counted_turns_go_on_where_a_run_was_stopped() {
    let beyond = read(include_str!("../../data/start-beyond-bound.toml"));
    let bound = read(include_str!("../../data/one-bound.toml"));
    for (scene, stop) in [(beyond, 40), (bound, 1200)] {
        let (dt, steps) = (scene.time.dt, stop + 30);
        let whole = record(&scene, Config::default(), dt, steps);
        let mut state = whole.trajectory.frames[stop as usize].clone();
        let mut method = crate::scenes::xpbd(Config::default());
        rigor_scene::roll_out(&scene, &mut method, &mut state, dt, steps, &mut Nobody);
        assert_eq!(&state, whole.last(), "{}", scene.name);
    }
}

struct Nobody;

impl rigor_scene::Observer for Nobody {
    fn step(&mut self, _: &Scene, _: &State, _: &rigor_scene::StepReport) -> std::ops::ControlFlow<()> {
        std::ops::ControlFlow::Continue(())
    }
}

#[test]
fn what_is_corrected_is_told() {
    let scene = read(include_str!("../../data/frames-apart-at-start.toml"));
    let found = run(&scene, Config::default());
    let told = |report: &rigor_scene::StepReport| {
        let of = |flaw: &rigor_scene::Flaw| (flaw.kind == FlawKind::StartCorrected).then_some(flaw.amount);
        report.flaws.iter().find_map(of)
    };
    let apart = (0.1_f64 * 0.1 + 0.05 * 0.05).sqrt();
    assert!((told(&found.reports[0]).unwrap() - apart).abs() < 1e-12);
    assert_eq!(told(found.reports.last().unwrap()), None);
    let [error] = &scene.start_errors()[..] else { panic!("{:?}", scene.start_errors()) };
    assert_eq!(error.to_string(), "joint \"s\" starts with its ends 0.1118 m apart");
}

/// Returns an arm of this mass (kg) on a hinge about z at the origin, in weightlessness.
fn hinged(kilograms: f64, turn: Freedom) -> Scene {
    let mut arm = scene(vec![weighing(kilograms, cuboid("arm", [0.4, 0.05, 0.05], [0.2, 0.0, 0.0]))]);
    arm.gravity = Vec3::zeros();
    let pin = joint(&arm, JointKind::Hinge { turn }, 0, None, Pose::new(Vec3::zeros(), about_z()));
    with(arm, vec![pin])
}

fn spun(mut scene: Scene, omega: f64) -> Scene {
    let initial = &mut scene.bodies[0].initial;
    initial.angular_velocity = Vec3::z() * omega;
    initial.linear_velocity = initial.angular_velocity.cross(&initial.pose.position);
    scene
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// An arm spins towards a bound anywhere from −720° to 720° and stops there, with up to several turns per second.
    #[test]
    fn bounds_act_on_turns_counted_over_whole_turns(
        bound in -12.6..12.6_f64, omega in 1.0..60.0_f64, is_one_sided in any::<bool>(),
    ) {
        prop_assume!(bound.abs() > 0.05);
        let (lower, upper) = if bound > 0.0 { (-0.1, bound) } else { (bound, 0.1) };
        let range = match (is_one_sided, bound > 0.0) {
            (true, true) => Range::new(f64::NEG_INFINITY, upper),
            (true, false) => Range::new(lower, f64::INFINITY),
            (false, _) => Range::new(lower, upper),
        };
        let scene = spun(hinged(1.0, Freedom::within(range)), omega * bound.signum());
        let dt = 0.002;
        let steps = (bound.abs() / omega / dt).ceil() as u64 + 20;
        let found = record(&scene, Config::default(), dt, steps);
        // A free turn about a hinge is of second order in the angle of a substep.
        let start = energy(&scene, &found.trajectory.frames[0]);
        let most = (omega * dt / 20.0).powi(2) * start;
        prop_assert!(gained(&scene, &found) < most, "{} J of {start} J", gained(&scene, &found));
        let mut turn = 0.0;
        for frame in &found.trajectory.frames {
            let frames = rigor_scene::JointFrames::of(&scene.joints[0], |body| frame.bodies[body.0].pose);
            turn = rigor_scene::joint::unwrapped(frames.turn(), turn);
        }
        prop_assert!((turn - bound).abs() < 1e-4, "at {turn}");
    }

    /// Any start error of a hinge's bound or drive, of any size and mass, gives no velocity.
    #[test]
    fn start_errors_of_turns_give_no_velocity(
        exponent in -9.0..0.0_f64, log_mass in -3.0..3.0_f64, is_drive in any::<bool>(), sign in any::<bool>(),
    ) {
        let error = 10f64.powf(exponent) * if sign { 1.0 } else { -1.0 };
        let turn = if is_drive {
            Freedom::driven(Drive::new(Goal::Position(error)))
        } else if error > 0.0 {
            Freedom::within(Range::new(error, 3.0))
        } else {
            Freedom::within(Range::new(-3.0, error))
        };
        let scene = hinged(10f64.powf(log_mass), turn);
        let found = record(&scene, Config::default(), 0.002, 150);
        let fastest = found.trajectory.frames.iter().map(|state| kinetic(&scene, state)).fold(0.0, f64::max);
        let mass = 10f64.powf(log_mass);
        prop_assert!(fastest < 1e-18 * mass, "{fastest} J");
        let report = found.reports.last().unwrap().joints[0];
        prop_assert!(report.position_error < 1e-9 && report.angle_error < 1e-9);
        let last = found.trajectory.frames.last().unwrap();
        let frames = rigor_scene::JointFrames::of(&scene.joints[0], |body| last.bodies[body.0].pose);
        prop_assert!((frames.turn() - error).abs() < 1e-9, "at {} of {error}", frames.turn());
    }

    /// So for bounds and drives of slides, for distances, and for swings and twists of balls.
    #[test]
    fn start_errors_of_slides_distances_and_swings_give_no_velocity(
        which in 0..6_usize, exponent in -9.0..-0.3_f64, log_mass in -3.0..3.0_f64, is_direct in any::<bool>(),
    ) {
        let error = 10f64.powf(exponent);
        let slide = |range: Range, drive: Option<Drive>| JointKind::Prismatic { slide: Freedom { range, drive } };
        let kind = match which {
            0 => slide(Range::new(error, 2.0), None),
            1 => slide(Range::UNBOUNDED, Some(Drive::new(Goal::Position(-error)))),
            2 => JointKind::distance(0.5 + error, 2.0),
            3 => JointKind::distance(0.0, 0.5 - 0.5 * error),
            4 => JointKind::Ball { swing: Range::UNBOUNDED, twist: Range::new(error, 1.0) },
            _ => JointKind::Ball { swing: Range::new(error, 1.0), twist: Range::UNBOUNDED },
        };
        let mass = 10f64.powf(log_mass);
        let pair = [(1.0, "a", 0.0), (mass, "b", 0.5)];
        let mut bodies =
            scene(pair.map(|(m, name, x)| weighing(m, cuboid(name, [0.3, 0.2, 0.1], [x, 0.0, 0.0]))).to_vec());
        bodies.gravity = Vec3::zeros();
        let is_distance = matches!(kind, JointKind::Distance { .. });
        let mut held = joint(&bodies, kind, 0, Some(1), Pose::translation(Vec3::x() * 0.25));
        if is_distance {
            (held.frame_a, held.frame_b) = (Pose::identity(), Pose::identity());
        }
        let scene = with(bodies, vec![held]);
        if !(1e-7..4e-6).contains(&error) {
            prop_assert_eq!(scene.start_errors().len(), usize::from(error > 1e-6));
        }
        let joints = if is_direct { JointSolver::Direct } else { JointSolver::Balanced };
        let found = record(&scene, Config { joints, ..Config::default() }, 0.002, 150);
        let fastest = found.trajectory.frames.iter().map(|state| kinetic(&scene, state)).fold(0.0, f64::max);
        prop_assert!(fastest < 1e-15 * mass.max(1.0), "{fastest} J");
        let last = found.reports.last().unwrap().joints[0];
        prop_assert!(last.position_error < 1e-9 && last.angle_error < 1e-9, "{last:?}");
    }

    /// Chains and stars of any joints that start apart and askew in free space stay at rest.
    #[test]
    fn start_errors_of_chains_give_no_velocity(
        parents in prop::collection::vec(0.0..1.0_f64, 2..6),
        kinds in prop::collection::vec(0..7_usize, 6),
        errors in prop::collection::vec(prop::array::uniform6(-1.0..1.0_f64), 6),
        exponent in -9.0..-0.5_f64, log_mass in -3.0..3.0_f64, is_direct in any::<bool>(),
    ) {
        let size = 10f64.powf(exponent);
        let n = parents.len() + 1;
        let at = |i: usize| [0.5 * i as f64, 0.0, 0.0];
        let mass = |i: usize| if i.is_multiple_of(2) { 1.0 } else { 10f64.powf(log_mass) };
        let bodies = (0..n).map(|i| weighing(mass(i), cuboid(&format!("{i}"), [0.3, 0.2, 0.1], at(i))));
        let mut bodies = scene(bodies.collect());
        bodies.gravity = Vec3::zeros();
        let joints = (1..n).map(|i| {
            let parent = (parents[i - 1] * i as f64) as usize;
            let kind = match kinds[i] {
                0 => JointKind::Fixed,
                1 => JointKind::BALL,
                2 => JointKind::HINGE,
                3 => JointKind::Universal,
                4 => JointKind::PRISMATIC,
                5 => JointKind::CYLINDRICAL,
                _ => JointKind::distance(0.2, 0.2),
            };
            let frame = Pose::translation((Vec3::from(at(i)) + Vec3::from(at(parent))) * 0.5);
            let [x, y, z, u, v, w] = errors[i];
            let off = Pose::new(Vec3::new(x, y, z) * size * 0.3, rotation_vector::exp(&(Vec3::new(u, v, w) * size)));
            let joint = joint(&bodies, kind, i, Some(parent), frame);
            Joint { frame_a: joint.frame_a.compose(&off), name: format!("{i}"), ..joint }
        });
        let joints = joints.collect();
        let scene = with(bodies, joints);
        let joints = if is_direct { JointSolver::Direct } else { JointSolver::Balanced };
        let found = record(&scene, Config { joints, ..Config::default() }, 0.002, 150);
        let fastest = found.trajectory.frames.iter().map(|state| kinetic(&scene, state)).fold(0.0, f64::max);
        prop_assert!(fastest < 1e-12 * 10f64.powf(log_mass).max(1.0), "{fastest} J");
        let left = found.reports.last().unwrap().joints.iter();
        let left = left.map(|joint| joint.position_error + joint.angle_error).fold(0.0, f64::max);
        // Sweeps converge slowly where light bodies join heavy ones: poses then close slowly, too, and a joint may open to three
        // times its first misfit while another closes. Each step tells it.
        let share = if log_mass.abs() < 0.5 { 1e-2 } else { 3.0 };
        // A rod starts 0.2 m too short.
        let first = if kinds[1..n].contains(&6) { size.max(0.2) } else { size };
        prop_assert!(left < share * first, "{left}");
    }
}

/// A hanging chain and a mobile of many arms on one hub, disturbed: their energy does not grow, whatever the order.
#[test]
fn a_hub_of_many_arms_keeps_its_energy() {
    let n = 8;
    let at = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / n as f64;
        Vec3::new(elementary::cos(angle), elementary::sin(angle), 0.0)
    };
    let arm = |i: usize| {
        let about = rotation_vector::exp(&(Vec3::z() * (std::f64::consts::TAU * i as f64 / n as f64)));
        BodySpec {
            pose: Pose::new(at(i) * 0.4, about),
            ..cuboid(&format!("arm {i}"), [0.4, 0.05, 0.05], [0.0; 3])
        }
    };
    let hub = cuboid("hub", [0.2, 0.2, 0.1], [0.0; 3]);
    let bodies = scene(std::iter::once(hub).chain((0..n).map(arm)).collect());
    let joints = (0..n).map(|i| Joint {
        name: format!("{i}"),
        ..joint(&bodies, JointKind::HINGE, i + 1, Some(0), Pose::translation(at(i) * 0.2))
    });
    let joints = joints.collect();
    let mut scene = with(bodies, joints);
    for body in &mut scene.bodies {
        body.initial.linear_velocity = Vec3::new(0.0, 0.0, 1e-6 * body.initial.pose.position.x);
    }
    let found = record(&scene, Config::default(), 0.002, 250);
    let spin = found
        .trajectory
        .frames
        .iter()
        .flat_map(|state| &state.bodies)
        .map(|body| body.angular_velocity.norm());
    let spin = spin.fold(0.0, f64::max);
    assert!(spin < 1e-4, "{spin} rad/s");
}

#[test]
fn a_rod_between_welded_bodies_whose_ends_start_together_is_closed_without_velocity() {
    let at = |i: usize| [0.5 * i as f64, 0.0, 0.0];
    let bodies = (0..5).map(|i| weighing(1.0, cuboid(&format!("{i}"), [0.3, 0.2, 0.1], at(i))));
    let mut bodies = scene(bodies.collect());
    bodies.gravity = Vec3::zeros();
    for off in [0.0, 1e-3, 0.19, 0.3] {
        let joints = [(1, 0), (2, 1), (3, 0), (4, 1)].map(|(i, parent)| {
            let kind = if i == 1 { JointKind::distance(0.2, 0.2) } else { JointKind::Fixed };
            let frame = Pose::translation((Vec3::from(at(i)) + Vec3::from(at(parent))) * 0.5);
            let joint = joint(&bodies, kind, i, Some(parent), frame);
            let shift = Pose::translation(Vec3::y() * if i == 1 { off } else { 0.0 });
            Joint { frame_a: joint.frame_a.compose(&shift), name: format!("{i}"), ..joint }
        });
        let scene = with(bodies.clone(), joints.to_vec());
        for joints in [JointSolver::Balanced, JointSolver::Direct] {
            // Beyond the closing time, where the welds still close.
            let found = record(&scene, Config { joints, ..Config::default() }, 0.002, 250);
            let fastest =
                found.trajectory.frames.iter().map(|state| kinetic(&scene, state)).fold(0.0, f64::max);
            assert!(fastest < 1e-12, "{off} {joints:?}: {fastest} J");
            let last = found.reports.last().unwrap();
            let left =
                last.joints.iter().map(|joint| joint.position_error + joint.angle_error).fold(0.0, f64::max);
            assert!(left < 1e-9, "{off} {joints:?}: {left}");
        }
    }
}

/// Two bodies of 1 kg that a link of `kilograms` joins, each by a ball.
fn linked(kilograms: f64) -> Scene {
    let block = |name: &str, kilograms: f64, x: f64| {
        weighing(kilograms, cuboid(name, [0.5, 0.2, 0.2], [x, 0.0, 0.0]))
    };
    let row = scene(vec![block("a", 1.0, -1.0), block("link", kilograms, 0.0), block("b", 1.0, 1.0)]);
    let pins = [(0, -0.5), (1, 0.5)]
        .map(|(a, x)| joint(&row, JointKind::BALL, a, Some(a + 1), Pose::translation(Vec3::x() * x)));
    with(row, pins.to_vec())
}

#[test]
fn links_lighter_than_their_neighbours_are_told_where_joints_are_swept() {
    let told = |kilograms: f64, joints: JointSolver| {
        let method = Xpbd::new(Config { joints, ..Config::default() }, Clock::default()).unwrap();
        let notices = method.notices(&linked(kilograms), 0.01);
        notices.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for joints in [JointSolver::Balanced, JointSolver::Sweep] {
        let light = told(0.0625, joints);
        assert!(
            light.len() == 1 && light[0].starts_with("mass 0.0625 kg of link \"link\": less"),
            "{light:?}"
        );
        assert!(told(0.125, joints).is_empty());
    }
    assert!(told(0.0625, JointSolver::Direct).is_empty());
}

/// A base with `legs` legs of two links, whose joints allow no motion: bounds of one value.
fn locked_legs(legs: usize, places: &[[f64; 3]], kinds: &[usize]) -> Scene {
    let half_turn = |k: usize| std::f64::consts::TAU * k as f64 / legs as f64;
    let at = |leg: usize, link: usize| {
        let (sin, cos) = elementary::sin_cos(half_turn(leg));
        let out = 0.3 + 0.2 * link as f64;
        Vec3::new(out * cos, -0.1 - 0.2 * link as f64, out * sin) + 0.1 * Vec3::from(places[2 * leg + link])
    };
    let mut bodies = vec![weighing(20.0, cuboid("base", [0.6, 0.3, 0.4], [0.0; 3]))];
    for i in 0..2 * legs {
        let place = at(i / 2, i % 2).into();
        bodies.push(weighing(1.0 + 0.3 * i as f64, cuboid(&format!("{i}"), [0.06, 0.06, 0.2], place)));
    }
    let free = Scene { gravity: Vec3::zeros(), ..scene(bodies) };
    let one = || Freedom { range: Range::new(0.0, 0.0), drive: None };
    let joints = (0..2 * legs).map(|i| {
        let kind = match kinds[i] {
            0 => JointKind::Hinge { turn: one() },
            1 => JointKind::Prismatic { slide: one() },
            2 => JointKind::Cylindrical { slide: one(), turn: one() },
            _ => JointKind::Ball { swing: Range::UNBOUNDED, twist: Range::new(0.0, 0.0) },
        };
        let parent = if i % 2 == 0 { 0 } else { i };
        let turned = rotation_vector::exp(&(2.0 * Vec3::from(places[i])));
        let frame = Pose::new(at(i / 2, i % 2) + Vec3::y() * 0.1, turned);
        Joint { name: format!("{i}"), ..joint(&free, kind, i + 1, Some(parent), frame) }
    });
    let joints = joints.collect();
    // Legs do not touch each other.
    let mut scene = with(free, joints);
    scene.bodies.iter_mut().for_each(|body| body.group = 1);
    scene
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Bounds of one value hold from both sides: a sweep that cut off what pulls made 10^242 J from rounding.
    #[test]
    fn bounds_of_one_value_hold_a_robot_at_rest_and_in_motion(
        legs in 2_usize..5,
        places in prop::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0], 8),
        kinds in prop::collection::vec(0_usize..4, 8),
        joints in prop::sample::select(vec![JointSolver::Balanced, JointSolver::Sweep, JointSolver::Direct]),
    ) {
        let robot = locked_legs(legs, &places, &kinds);
        let config = Config { joints, ..Config::default() };
        let rest = record(&robot, config.clone(), 0.002, 100);
        let most = rest.trajectory.frames.iter().map(|state| kinetic(&robot, state)).fold(0.0, f64::max);
        prop_assert!(most < 1e-15, "at rest {most} J");
        // Turned out of its bounds at the start: closed without velocity, and held after that.
        let mut askew = robot.clone();
        askew.bodies[1].initial.pose.rotation = rotation_vector::exp(&Vec3::new(0.05, -0.02, 0.04));
        let run = record(&askew, config.clone(), 0.002, 200);
        let most = run.trajectory.frames.iter().map(|state| kinetic(&askew, state)).fold(0.0, f64::max);
        prop_assert!(most < 1e-12, "askew {most} J");
        let last = run.reports.last().expect("steps");
        let off = last.joints.iter().map(|joint| joint.position_error + joint.angle_error).fold(0.0, f64::max);
        prop_assert!(off < 1e-9, "still off by {off}");
        let mut kicked = robot;
        kicked.bodies[0].initial.angular_velocity = Vec3::new(0.5, 1.0, 2.0);
        let run = record(&kicked, config, 0.002, 100);
        let energies: Vec<f64> = run.trajectory.frames.iter().map(|state| kinetic(&kicked, state)).collect();
        let later = energies[1..].iter().copied().fold(0.0, f64::max);
        prop_assert!(later <= 1.001 * energies[0], "{later} of {} J", energies[0]);
        let last = run.reports.last().expect("steps");
        let off = last.joints.iter().map(|joint| joint.position_error + joint.angle_error).fold(0.0, f64::max);
        prop_assert!(off < 1e-3, "off by {off}");
    }
}

/// Whether a run has this flaw in any step.
fn is_told(run: &Run, kind: &FlawKind) -> bool {
    run.reports.iter().flat_map(|report| &report.flaws).any(|flaw| flaw.kind == *kind)
}

fn by_pbd(scene: &Scene) -> Run {
    let mut method = Pbd::new(pbd::Config::default(), Clock::default()).expect("valid settings");
    Run::record(scene, &mut method, scene.time.dt, scene.time.steps())
}

/// Two free bodies whose motor turns one about its own axis: at the rate ω they get ω I_b/(I_a + I_b) and −ω I_a/(I_a + I_b).
#[test]
fn a_motor_about_the_own_axis_turns_both_bodies_at_any_rate_or_is_told() {
    let arm = weighing(1.0, cuboid("arm", [0.1, 0.1, 0.3], [0.0, 0.0, 0.2]));
    let base = weighing(2.0, cuboid("base", [0.2, 0.2, 0.1], [0.0, 0.0, -0.1]));
    let mut free = scene(vec![arm, base]);
    free.gravity = Vec3::zeros();
    (free.time.dt, free.time.duration) = (0.005, 0.1);
    for rate in [10.0, 600.0, 3500.0, 17000.0] {
        let turn = Freedom { range: Range::UNBOUNDED, drive: Some(Drive::new(Goal::Velocity(rate))) };
        let along_z = Pose { rotation: rotation_vector::exp(&(Vec3::y() * -0.5 * PI)), ..Pose::identity() };
        let motor = joint(&free, JointKind::Hinge { turn }, 0, Some(1), along_z);
        let driven = with(free.clone(), vec![motor]);
        let run = run(&driven, Config::default());
        let spin = |i: usize| {
            let body = &run.last().bodies[i];
            let momentum = driven.bodies[i].inertia_world(&body.pose) * body.angular_velocity;
            (body.angular_velocity.z, momentum)
        };
        let ([arm, base], total) = ([spin(0), spin(1)], spin(0).1.norm());
        assert!(((arm.0 - base.0).abs() / rate - 1.0).abs() < 1e-3, "{rate}: {} and {} rad/s", arm.0, base.0);
        assert!((arm.1 + base.1).norm() < 1e-6 * total, "{rate}: {:?}", arm.1 + base.1);
        assert_eq!(is_told(&by_pbd(&driven), &FlawKind::TooFast), rate > 50.0, "{rate}");
    }
}

/// A pendulum whose pivot goes 5 m in one step: V = 500 m/s turns it at ω₀ = −V m l/(I + m l²) by θ = ω₀ T, and the stop of the pivot adds
/// ω₀ − ω₀ cos θ: 171.4 kJ.
#[test]
fn a_pivot_that_jumps_turns_its_pendulum_as_it_should_and_makes_no_energy() {
    let pendulum = read(
        "format = 1\nname = \"jump\"\ngravity = [0, 0, 0]\ntime = { dt = 0.01, duration = 0.2 }\n[[body]]\nname = \"pivot\"\ngroup = \"x\"\nrole = \"kinematic\"\n\
         [[body.shape]]\nbox = { size = [0.1, 0.1, 0.1] }\n[body.motion]\nkeyframes = [ { time = 0.1, position = [0, 0, 0] }, { time = 0.11, position = [5, 0, 0] } ]\n\
         [[body]]\nname = \"rod\"\ngroup = \"x\"\nmass = 1\nposition = [0, -0.3, 0]\n[[body.shape]]\nbox = { size = [0.1, 0.4, 0.1] }\n\
         [[joint]]\nname = \"ball\"\nkind = \"ball\"\nbody_a = \"rod\"\nbody_b = \"pivot\"\nposition = [0, 0, 0]\n",
    );
    let run = run(&pendulum, Config::default());
    let about = 0.3 * 0.3 + (0.4 * 0.4 + 0.1 * 0.1) / 12.0;
    let omega = 500.0 * 0.3 / about;
    let last = omega * (1.0 - elementary::cos(omega * 0.01));
    let (found, due) = (kinetic(&pendulum, run.last()), 0.5 * about * last * last);
    assert!((found / due - 1.0).abs() < 0.15, "{found} of {due} J");
    assert!(!is_told(&run, &FlawKind::EnergyMade));
    assert!(is_told(&by_pbd(&pendulum), &FlawKind::TooFast));
}

/// A universal joint turns its output as fast as tan(out) = tan(in)/cos β says, at any rate.
#[test]
fn a_universal_joint_turns_fast_or_is_told() {
    for rate in [20.0, 2000.0] {
        let text = format!(
            "format = 1\nname = \"cardan\"\ngravity = [0, 0, 0]\ntime = {{ dt = 0.005, duration = 0.1 }}\n[[body]]\nname = \"in\"\nrole = \"kinematic\"\nposition = [-0.2, 0, 0]\n\
             angular_velocity = [{rate}, 0, 0]\ngroup = \"x\"\n[[body.shape]]\nbox = {{ size = [0.4, 0.1, 0.1] }}\n\
             [[body]]\nname = \"out\"\nmass = 1\nposition = [0.1732050807568877, 0.1, 0]\nrotation_deg = [0, 0, 30]\ngroup = \"x\"\n[[body.shape]]\nbox = {{ size = [0.4, 0.1, 0.1] }}\n\
             [[joint]]\nname = \"u\"\nkind = \"universal\"\nbody_a = \"out\"\nbody_b = \"in\"\nposition = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [-0.5, 0.8660254037844387, 0]\n\
             [[joint]]\nname = \"h\"\nkind = \"cylindrical\"\nbody_a = \"out\"\nposition = [0.3464101615137755, 0.2, 0]\naxis = [0.8660254037844387, 0.5, 0]\n"
        );
        let shafts = read(text.leak());
        let run = run(&shafts, Config::default());
        // W cos β ≤ ω ≤ W/cos β
        let turning =
            run.trajectory.frames[2..].iter().map(|state| state.bodies[1].angular_velocity.norm() / rate);
        let (least, most) = turning.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
        assert!(least > 0.84 && most < 1.18, "{rate}: {least} to {most}");
        assert_eq!(is_told(&by_pbd(&shafts), &FlawKind::TooFast), rate > 100.0);
    }
}
