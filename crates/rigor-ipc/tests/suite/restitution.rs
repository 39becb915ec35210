//! The law of impact: bounces, rows, friction, energy and momentum.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;

use rigor_ipc::{Bodies, Config, Integrator, Ipc, Restitution};
use rigor_math::Vec3;
use rigor_scene::{Clock, Method, Run, Scene, State, energy};

use crate::scene;

const INTEGRATORS: [Integrator; 2] = [Integrator::Impulse, Integrator::Bdf2];

fn record(scene: &Scene, config: Config, dt: f64, steps: u64) -> Run {
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    Run::record(scene, &mut method, dt, steps)
}

/// A cube of 0.2 m that falls from 1 m above a floor, both with this e.
fn falling(e: f64) -> Scene {
    scene::text(format!(
        "format = 1\nname = \"falling\"\ngravity = [0, -10, 0]\n[time]\ndt = 0.01\nduration = 1\n\
         [[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nrestitution = {e}\nshape = [{{ box = {{ size = [4, 1, 4] }} }}]\n\
         [[body]]\nname = \"cube\"\nposition = [0, 1.1, 0]\nrestitution = {e}\nshape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n"
    ))
}

#[test]
fn a_cube_rebounds_to_the_square_of_e_at_any_step() {
    for integrator in INTEGRATORS {
        for e in [0.0, 0.3, 0.5, 0.8, 1.0] {
            for dt in [2e-2, 1e-2, 2e-3] {
                let scene = falling(e);
                let steps = (0.95 / dt) as u64;
                let run = record(&scene, Config { integrator, ..Config::default() }, dt, steps);
                let landed = run.trajectory.frames.iter().position(|s| s.bodies[1].linear_velocity.y > -0.1);
                // Frame 0 is at rest.
                let after = run
                    .trajectory
                    .frames
                    .iter()
                    .skip(1)
                    .skip_while(|s| s.bodies[1].linear_velocity.y < -1e-3);
                let apex = after.map(|state| state.bodies[1].pose.position.y - 0.1).fold(0.0, f64::max);
                // Frames are as far apart as steps: the apex between them is missed by at most g dt²/8.
                let missed = 10.0 * dt * dt / 8.0;
                assert!(
                    (apex - e * e).abs() < 2e-3 + missed,
                    "{integrator:?}, e = {e}, dt = {dt}: {apex} m, landed at {landed:?}"
                );
            }
        }
    }
}

#[test]
fn without_the_law_bodies_hardly_rebound_and_that_is_told() {
    let scene = falling(0.8);
    let config = Config { restitution: Restitution::None, ..Config::default() };
    let notices = Ipc::new(config.clone(), Clock::default()).unwrap().notices(&scene, 1e-2);
    assert!(notices.iter().any(|notice| notice.quantity == "restitution"), "{notices:?}");
    assert!(Ipc::new(Config::default(), Clock::default()).unwrap().notices(&scene, 1e-2).is_empty());
    let run = record(&scene, config, 1e-2, 95);
    let up = run.trajectory.frames.iter().map(|s| s.bodies[1].linear_velocity.y).fold(0.0, f64::max);
    assert!(up < 1.0, "{up} m/s");
}

#[test]
fn a_blow_passes_through_a_row_that_touches_almost() {
    for gap in [0.05, 1e-3, 1e-4] {
        let mut text = String::from(
            "format = 1\nname = \"row\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n",
        );
        for i in 0..5 {
            let (x, v) = if i == 0 { (-0.4, 1.0) } else { (f64::from(i) * (0.2 + gap), 0.0) };
            writeln!(
                text,
                "[[body]]\nname = \"b{i}\"\nrestitution = 1\nposition = [{x}, 0, 0]\nlinear_velocity = [{v}, 0, 0]\nfixed = {{ rotation = [true, true, true] }}\nshape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]"
            )
            .unwrap();
        }
        let run = record(&scene::text(text), Config::default(), 1e-2, 80);
        let v: Vec<f64> = run.last().bodies.iter().map(|body| body.linear_velocity.x).collect();
        let due = [0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(v.iter().zip(due).all(|(v, due)| (v - due).abs() < 1e-3), "gap {gap}: {v:?}");
        // Their centre of mass moves at its speed, through impacts as well.
        let center = |state: &State| state.bodies.iter().map(|b| b.pose.position.x).sum::<f64>() / 5.0;
        let moved = center(run.last()) - center(&run.trajectory.frames[0]);
        assert!((moved - 0.2 * 0.8).abs() < 1e-5, "gap {gap}: {moved} m");
    }
}

/// Numbers in [−1, 1) from a seed.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        // Steele, Lea, Flood 2014: SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Six boxes and balls that fly together, above a floor if there is gravity.
fn thrown(seed: u64, gravity: bool) -> Scene {
    let mut noise = Noise(seed);
    let g = if gravity { -9.81 } else { 0.0 };
    let mut text =
        format!("format = 1\nname = \"thrown\"\ngravity = [0, {g}, 0]\n[time]\ndt = 0.01\nduration = 1\n");
    if gravity {
        text.push_str("[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -2, 0]\nfriction = 0.4\nrestitution = 0.9\nshape = [{ box = { size = [20, 2, 20] } }]\n");
    }
    for body in 0..6 {
        let at = [f64::from(body % 2) - 0.5, f64::from(body / 2 % 2) - 0.5, f64::from(body / 4) - 0.5]
            .map(|x| 0.9 * x);
        let velocity = at.map(|x| -3.0 * x + noise.next());
        let omega: [f64; 3] = std::array::from_fn(|_| 4.0 * noise.next());
        let turn: [f64; 3] = std::array::from_fn(|_| 180.0 * noise.next());
        let (e, mu) = (0.5 + 0.5 * noise.next(), 0.4 + 0.4 * noise.next());
        let shape = if body % 3 == 2 {
            "icosphere = { radius = 0.2, subdivisions = 1 }"
        } else {
            "box = { size = [0.4, 0.3, 0.2] }"
        };
        writeln!(
            text,
            "[[body]]\nname = \"b{body}\"\nmass = {}\nfriction = {mu}\nrestitution = {e}\nposition = {at:?}\nrotation_deg = {turn:?}\nlinear_velocity = {velocity:?}\nangular_velocity = {omega:?}\nshape = [{{ {shape} }}]",
            10_f64.powf(noise.next())
        )
        .unwrap();
    }
    scene::text(text)
}

fn total(scene: &Scene, state: &State) -> f64 {
    let (kinetic, potential) = energy::of_state(scene, state);
    kinetic + potential
}

#[test]
fn impacts_make_no_energy_and_keep_momentum() {
    for seed in 0..12 {
        for gravity in [false, true] {
            let scene = thrown(seed, gravity);
            let run = record(&scene, Config::default(), 1e-2, 60);
            let frames = &run.trajectory.frames;
            assert_eq!(frames.len(), 61, "seed {seed}: {:?}", run.outcome);
            let kinetic = energy::of_state(&scene, &frames[0]).0;
            let rise = frames.windows(2).map(|pair| total(&scene, &pair[1]) - total(&scene, &pair[0]));
            let rise = rise.fold(0.0, f64::max) / kinetic;
            assert!(rise < 5e-3, "seed {seed}, gravity {gravity}: {rise} of the energy");
            if !gravity {
                let momentum = |state: &State| {
                    let parts = scene.bodies.iter().zip(&state.bodies);
                    parts.map(|(body, now)| body.mass * now.linear_velocity).sum::<Vec3>()
                };
                let lost = (momentum(run.last()) - momentum(&frames[0])).norm();
                assert!(lost < 1e-6 * (2.0 * kinetic).sqrt(), "seed {seed}: {lost} kg m/s");
            }
        }
    }
}

#[test]
fn impacts_keep_angular_momentum() {
    for seed in 0..8 {
        // Two of the bodies, which meet off their centres, without friction.
        let mut scene = thrown(seed, false);
        scene.bodies.truncate(2);
        scene.bodies.iter_mut().for_each(|body| {
            body.restitution = 1.0;
            body.friction = rigor_scene::Friction::uniform(0.0);
        });
        let momentum = |state: &State| {
            let parts = scene.bodies.iter().zip(&state.bodies).map(|(body, now)| {
                let own = body.inertia_world(&now.pose) * now.angular_velocity;
                (body.mass * now.pose.position.cross(&now.linear_velocity) + own, own.norm())
            });
            parts.fold((Vec3::zeros(), 0.0), |(sum, size), (part, own)| (sum + part, size + own))
        };
        let run = record(&scene, Config::default(), 2e-3, 150);
        let ((before, size), (after, _)) = (momentum(&run.trajectory.frames[0]), momentum(run.last()));
        assert!((after - before).norm() < 1e-6 * size, "seed {seed}: {}", (after - before).norm() / size);
    }
}

#[test]
fn what_a_constant_force_presses_comes_to_rest() {
    let mut scene = falling(0.9);
    scene.gravity = Vec3::zeros();
    scene.bodies[1].force = Vec3::y() * (-50.0 * scene.bodies[1].mass);
    let run = record(&scene, Config::default(), 1e-2, 500);
    let speed = run.last().bodies[1].linear_velocity.norm();
    assert!(speed < 1e-3, "{speed} m/s");
}

#[test]
fn a_barrier_that_steps_resolve_adds_nothing_to_the_law() {
    // 0.5 m/s against a floor, in steps that take twenty to cross the barrier, which would throw back what leaves slowly.
    let mut scene = falling(0.01);
    scene.gravity = Vec3::zeros();
    scene.bodies[1].initial.pose.position.y = 0.103;
    scene.bodies[1].initial.linear_velocity.y = -0.5;
    let run = record(&scene, Config { d_hat: Some(1e-3), ..Config::default() }, 1e-4, 200);
    let up = run.last().bodies[1].linear_velocity.y;
    assert!((up - 0.005).abs() < 1e-3, "{up} m/s");
}

#[test]
fn bodies_that_rebound_are_where_they_should_be_at_each_time() {
    // From 1 m with g = 10 m/s²: at the floor after √0.2 s, with e = 1 on top again after twice that.
    for integrator in INTEGRATORS {
        for dt in [3e-2, 1e-2] {
            let mut scene = falling(1.0);
            scene.bodies[1].initial.linear_velocity.x = 1.0;
            let run = record(&scene, Config { integrator, ..Config::default() }, dt, (0.8 / dt) as u64);
            let (state, t) = (run.last(), run.last().time);
            let left = t - 0.2_f64.sqrt();
            let due = 20_f64.sqrt() * left - 5.0 * left * left;
            let at = state.bodies[1].pose.position;
            // Friction is none: without spin the cube slides on at 1 m/s.
            assert!((at.y - 0.1 - due).abs() < 2e-3, "{integrator:?}, {dt}: {} m, due {due} m", at.y - 0.1);
            assert!((at.x - t).abs() < 1e-6, "{integrator:?}, {dt}: {} m, due {t} m", at.x);
        }
    }
}

#[test]
fn spins_of_the_law_go_on_under_implicit_euler() {
    // A rod that strikes with one end: the blow makes it spin.
    let mut scene = scene::text(
        "format = 1\nname = \"rod\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n\
         [[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\nrestitution = 1\nshape = [{ box = { size = [4, 1, 4] } }]\n\
         [[body]]\nname = \"rod\"\nposition = [0, 0.5, 0]\nrotation_deg = [0, 0, 20]\nrestitution = 1\nlinear_velocity = [0, -2, 0]\nshape = [{ box = { size = [1, 0.1, 0.1] } }]\n"
            .to_owned(),
    );
    scene.bodies.iter_mut().for_each(|body| body.friction = rigor_scene::Friction::uniform(0.0));
    let config = Config { integrator: Integrator::ImplicitEuler, ..Config::default() };
    let run = record(&scene, config, 2e-3, 150);
    let spins: Vec<f64> =
        run.trajectory.frames.iter().map(|state| state.bodies[1].angular_velocity.z).collect();
    let first = spins.iter().position(|omega| omega.abs() > 0.1).unwrap();
    let (at, after) = (spins[first], spins[first + 12]);
    assert!(at.abs() > 1.0 && (after / at - 1.0).abs() < 0.1, "{at}, then {after} rad/s");
}

/// A bar on a joint of the world, and a cube that falls on it at `speed` (m/s).
fn struck_bar(joint: &str, restitution: f64, speed: f64) -> Scene {
    scene::text(format!(
        "format = 1\nname = \"bar\"\n[time]\ndt = 0.01\nduration = 1\n\
         [[body]]\nname = \"bar\"\nrestitution = {restitution}\nshape = [{{ box = {{ size = [0.5, 0.2, 0.2] }} }}]\n\
         [[joint]]\nname = \"pin\"\nbody_a = \"bar\"\nposition = [-0.3, 0, 0]\n{joint}\n\
         [[body]]\nname = \"cube\"\nrestitution = {restitution}\nposition = [0.05, 0.6, 0.02]\nlinear_velocity = [0, {}, 0]\n\
         shape = [{{ box = {{ size = [0.3, 0.3, 0.3] }} }}]\n",
        -speed
    ))
}

#[test]
fn joined_bodies_are_struck_at_any_time_of_a_step_and_by_joints_that_hold_nothing() {
    let joints =
        ["kind = \"hinge\"\naxis = [0, 0, 1]", "kind = \"ball\"", "kind = \"ball\"\ncompliance = 1e-6"];
    for (joint, e, speed) in
        joints.iter().flat_map(|joint| [(0.1, 1.0), (0.5, 5.0), (1.0, 1.0)].map(|(e, v)| (joint, e, v)))
    {
        let scene = struck_bar(joint, e, speed);
        for bodies in [Bodies::Rigid, Bodies::Affine] {
            let mut method = Ipc::new(Config { bodies, ..Config::default() }, Clock::default()).unwrap();
            let mut state = State::initial(&scene);
            for _ in 0..60 {
                let report = method.step(&scene, &mut state, 0.01);
                assert!(report.is_ok(), "{joint} {e} {speed} {bodies:?}: {report:?} at {}", state.time);
                state.step += 1;
                state.time += 0.01;
            }
            assert!(state.is_finite());
        }
    }
}
