//! What a step reports: forces that explain the motion of bodies, time by phase, and counts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::scene::{case, overridden};
use rigor_ipc::{Config, Ipc};
use rigor_math::Vec3;
use rigor_scene::{Clock, Method, Scene, State, StepReport};

fn run(scene: &Scene, clock: Clock, config: Config, steps: u64) -> (State, Vec<StepReport>) {
    let mut method = Ipc::new(config, clock).unwrap();
    let mut state = State::initial(scene);
    let step = |step: u64| {
        let report = method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = step + 1;
        state.time = state.step as f64 * scene.time.dt;
        report
    };
    let reports = (0..steps).map(step).collect();
    (state, reports)
}

/// Relative accuracy of the reported forces. Newton's method ends when the unbalanced forces change no speed
/// by more than 1 µm/s per step, while gravity changes it by g h ≈ 0.1 m/s: the forces are accurate to about
/// 10⁻⁵ of the weight.
const EXACT: f64 = 1e-4;

fn exact() -> Config {
    Config { d_hat: Some(1e-3), eps_v: Some(1e-3), velocity_tolerance: Some(1e-6), ..Config::default() }
}

#[test]
fn contact_forces_carry_the_weight_of_what_rests() {
    let scene = case("stacks/01");
    let (_, reports) = run(&scene, Clock::default(), exact(), 100);
    let [floor, cube] = reports[99].body_forces(2)[..] else { panic!("a cube on a floor") };
    let weight = scene.gravity * scene.bodies[1].mass;
    assert!((cube.contact + weight).norm() < EXACT * weight.norm(), "{:?}", cube.contact);
    assert!(cube.friction.norm() < EXACT * weight.norm(), "{:?}", cube.friction);
    assert_eq!((floor.contact, floor.friction), (-cube.contact, -cube.friction));
}

/// m a = m g + F for both cubes: the upper one, whose corners are also pushed from the side and held by
/// friction, and the lower one.
#[test]
fn forces_on_each_body_explain_its_acceleration() {
    let scene = case("stacks/02");
    let (before, _) = run(&scene, Clock::default(), exact(), 80);
    let (after, reports) = run(&scene, Clock::default(), exact(), 81);
    let forces = reports[80].body_forces(3);
    for b in [1, 2] {
        let change = after.bodies[b].linear_velocity - before.bodies[b].linear_velocity;
        let weight = scene.gravity * scene.bodies[b].mass;
        let unexplained =
            change * (scene.bodies[b].mass / scene.time.dt) - weight - forces[b].contact - forces[b].friction;
        assert!(unexplained.norm() < EXACT * weight.norm(), "{b}: {unexplained:?}");
        assert!(forces[b].contact.norm() > 0.9 * weight.norm());
    }
}

#[test]
fn friction_on_a_slope_is_m_g_sin_theta() {
    let scene = overridden("friction/incline-mu-0.5", &["body.slope.friction=0.7", "body.box.friction=0.7"]);
    let (_, reports) = run(&scene, Clock::default(), exact(), 100);
    let [_, held] = reports[99].body_forces(2)[..] else { panic!("a box on a slope") };
    // tan θ = 1/2.
    let (sin, cos) = (0.2f64.sqrt(), 0.8f64.sqrt());
    let (uphill, normal) = (Vec3::new(cos, sin, 0.0), Vec3::new(-sin, cos, 0.0));
    let weight = scene.bodies[1].mass * scene.gravity.norm();
    for (found, expected) in [(held.friction, uphill * sin), (held.contact, normal * cos)] {
        assert!((found / weight - expected).norm() < EXACT, "{found:?} N, and {expected:?} of {weight} N");
    }
}

/// Two corners slide along the edge between the floor's two triangles, near both of them.
#[test]
fn friction_of_what_slides_along_a_shared_edge_is_mu_times_its_weight() {
    let scene = overridden("stacks/01", &["body.cube.linear_velocity=[2,0,2]"]);
    let (_, reports) = run(&scene, Clock::default(), exact(), 20);
    let [_, cube] = reports[19].body_forces(2)[..] else { panic!("a cube on a floor") };
    let weight = scene.bodies[1].mass * scene.gravity.norm();
    let mu = cube.friction.norm() / cube.contact.norm();
    assert!((mu - 0.5).abs() < EXACT, "{mu}");
    // It is still settling from its start above the floor.
    assert!((cube.contact.norm() / weight - 1.0).abs() < 1e-2, "{:?}", cube.contact);
}

/// Number of readings of a clock that advances by one second per reading.
static READINGS: AtomicU64 = AtomicU64::new(0);

#[test]
fn phases_share_all_of_the_time_and_quantities_tell_of_every_step() {
    let scene = case("stacks/02");
    let clock = Clock(|| READINGS.fetch_add(1, Ordering::Relaxed) as f64);
    let (state, reports) = run(&scene, clock, Config::default(), 20);
    let seconds: f64 = reports.iter().flat_map(|report| &report.phases).map(|phase| phase.seconds).sum();
    // The first reading of each step only starts the stopwatch.
    assert_eq!(seconds, (READINGS.load(Ordering::Relaxed) - 20) as f64);
    let names = |report: &StepReport| report.quantities.iter().map(|q| q.name).collect::<Vec<_>>();
    for report in &reports {
        let count = |name: &str| report.quantity(name).unwrap();
        assert_eq!(names(report), names(&reports[0]));
        assert!(count("factorizations") >= report.iterations as f64);
        // A stack that rests takes none.
        assert!(count("friction_rounds") >= 1.0 || report.iterations == 0);
        assert!(count("cuts") <= report.iterations as f64);
        // Its stopwatch is read at least once per iteration.
        let of = report.phases.iter().find(|phase| phase.phase == "collision detection").unwrap();
        assert!(of.seconds > report.iterations as f64);
    }
    for (k, phase) in reports[0].phases.iter().enumerate() {
        let all: f64 = reports.iter().map(|report| report.phases[k].seconds).sum();
        assert!(all > 0.0, "{} takes no time", phase.phase);
    }
    assert_eq!(reports[19].quantity("kappa"), Some(state.memory.numbers["ipc/kappa"][0]));
    assert!(reports.iter().any(|report| report.quantity("cuts") > Some(0.0)));
}
