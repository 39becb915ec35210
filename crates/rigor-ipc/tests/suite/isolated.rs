//! Bodies that only act on each other: their momentum stays, whichever formula they use, and contact makes no energy.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;

use rigor_ipc::{Config, Integrator, Ipc, StartWithin};
use rigor_math::{Vec3, inertia};
use rigor_scene::{Clock, FlawKind, Method, Scene, State, inspect};

use crate::scene;

/// A sequence of numbers in [−1, 1) without order that anyone could see.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        // Steele, Lea, Flood 2014: SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.next())
    }
}

/// `n` boxes and tetrahedra of 0.1 to 0.2 m in a lattice, that fall together at up to 1 m/s and turn at up to `spin` (rad/s).
fn swarm(n: usize, seed: u64, friction: f64, spin: f64, dt: f64) -> Scene {
    let mut noise = Noise(seed);
    let side = (1..).find(|side| side * side * side >= n).unwrap();
    let mut text =
        format!("format = 1\nname = \"swarm\"\ngravity = [0, 0, 0]\n[time]\ndt = {dt}\nduration = 1\n");
    for body in 0..n {
        let cell = [body % side, body / side % side, body / side / side];
        let at = cell.map(|k| 0.27 * (k as f64 - 0.5 * (side as f64 - 1.0)));
        let (off, turn, omega, [w, h, m]) = (noise.vector(), noise.vector(), noise.vector(), noise.vector());
        let position: Vec<f64> = (0..3).map(|k| at[k] + 0.01 * off[k]).collect();
        let velocity: Vec<f64> = (0..3).map(|k| -at[k] + 0.5 * noise.next()).collect();
        let [x, y, z] = turn.map(|degrees| 180.0 * degrees);
        let omega = omega.map(|rate| spin * rate);
        let (w, h) = (0.1 + 0.03 * w, 0.1 + 0.03 * h);
        let shape = if body % 3 == 2 {
            let s = 0.5 * w;
            format!(
                "tetrahedron = {{ corners = [[{s}, {s}, {s}], [{s}, -{s}, -{s}], [-{s}, {s}, -{s}], [-{s}, -{s}, {s}]] }}"
            )
        } else {
            format!("box = {{ size = [{w}, {h}, 0.11] }}")
        };
        writeln!(
            text,
            "[[body]]\nname = \"b{body}\"\nmass = {}\nfriction = {friction}\nposition = {position:?}\n\
             rotation_deg = [{x}, {y}, {z}]\nlinear_velocity = {velocity:?}\nangular_velocity = {omega:?}\nshape = [{{ {shape} }}]",
            10_f64.powf(m)
        )
        .unwrap();
    }
    scene::text(text)
}

/// Linear momentum (kg m/s) and angular momentum about the origin (kg m²/s), each with the sum of its absolute values.
fn momenta(scene: &Scene, state: &State) -> [(Vec3, f64); 2] {
    let mut sums = [(Vec3::zeros(), 0.0); 2];
    for (body, at) in scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()) {
        let p = body.mass * at.linear_velocity;
        let spin = inertia::angular_momentum(&body.inertia, &at.pose.rotation, &at.angular_velocity);
        let orbit = at.pose.position.cross(&p);
        for (sum, (value, size)) in
            sums.iter_mut().zip([(p, p.norm()), (orbit + spin, orbit.norm() + spin.norm())])
        {
            sum.0 += value;
            sum.1 += size;
        }
    }
    sums
}

/// Kinetic energy (J).
fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, at): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let (v, omega) = (&at.linear_velocity, &at.angular_velocity);
        inertia::kinetic_energy(body.mass, v, &body.inertia, &at.pose.rotation, omega)
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

/// Makes steps; returns the largest drifts of both momenta, relative to what the bodies have, and in how many steps bodies touched.
fn drifts(scene: &Scene, integrator: Integrator, steps: u64) -> ([f64; 2], u64) {
    let dt = scene.time.dt;
    let mut method = Ipc::new(Config { integrator, ..Config::default() }, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    let start = momenta(scene, &state);
    let (mut most, mut touched) = ([0.0_f64; 2], 0);
    for _ in 0..steps {
        let report = method.step(scene, &mut state, dt).unwrap();
        state.step += 1;
        state.time = state.step as f64 * dt;
        touched += u64::from(!report.contacts.is_empty());
        for (most, (now, start)) in most.iter_mut().zip(momenta(scene, &state).iter().zip(&start)) {
            *most = most.max((now.0 - start.0).norm() / start.1.max(now.1));
        }
    }
    (most, touched)
}

#[test]
fn linear_momentum_of_isolated_bodies_stays_to_rounding() {
    for (n, seeds, steps) in
        [(2, 0..12, 60), (3, 0..8, 60), (5, 0..5, 60), (9, 0..3, 50), (27, 0..2, 40), (50, 0..1, 30)]
    {
        for seed in seeds {
            for dt in [0.02, 0.005] {
                let scene = swarm(n, seed, if seed % 2 == 0 { 0.0 } else { 0.5 }, 2.0, dt);
                for integrator in [Integrator::Impulse, Integrator::Bdf2] {
                    let ([linear, _], touched) = drifts(&scene, integrator, steps);
                    println!(
                        "{n} bodies, seed {seed}, {dt} s, {integrator:?}: {linear:e}, {touched} steps with contact"
                    );
                    assert!(linear < 1e-12, "{n} bodies, seed {seed}, {dt} s, {integrator:?}: {linear:e}");
                }
            }
        }
    }
}

/// With `bdf2` bodies that have parted go on from two states, of which the earlier one was not given back what it lost.
#[test]
fn angular_momentum_of_isolated_bodies_stays_to_rounding_by_default() {
    for (n, seed) in [(2, 1), (3, 2), (5, 3), (9, 4), (27, 5)] {
        let scene = swarm(n, seed, 0.5, 2.0, 0.005);
        let of = |integrator| drifts(&scene, integrator, 60).0[1];
        let (a, b) = (of(Integrator::Impulse), of(Integrator::Bdf2));
        assert!(a < 1e-12 && b < 1e-3, "{n} bodies: {a:e} with impulses, {b:e} with bdf2");
    }
}

/// One cube flies at two that forces press together: the pair goes on with what it got, and gives nothing that it did not get.
#[test]
fn cubes_that_are_pressed_together_keep_the_momentum_of_all() {
    let cube = |name: &str, x: f64, v: f64, force: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nposition = [{x}, 0, 0]\nlinear_velocity = [{v}, 0, 0]\n\
             force = [{force}, 0, 0]\nshape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n"
        )
    };
    for dt in [0.01, 0.005, 0.00125] {
        let bodies = cube("a", -0.8, 1.0, 0.0) + &cube("b", 0.0, 0.0, 10.0) + &cube("c", 0.2001, 0.0, -10.0);
        let scene = scene::text(format!(
            "format = 1\nname = \"pressed\"\ngravity = [0, 0, 0]\n[time]\ndt = {dt}\nduration = 1\n{bodies}"
        ));
        let time = 1.5;
        let ([linear, _], touched) = drifts(&scene, Integrator::Bdf2, (time / dt) as u64);
        // Relative to what the bodies have, 1 kg m/s, and to what both forces give.
        let given = 1.0 + 2.0 * 10.0 * time;
        assert!(linear < 1e-12 * given && touched > 100, "{dt} s: {linear:e}, {touched} steps with contact");
    }
}

/// Bodies that turn by 0.5 to 4 rad per step: whatever they hit, all together never have more energy than at the start.
#[test]
fn contact_of_bodies_that_turn_far_in_a_step_makes_no_energy() {
    for seed in 0..12 {
        let dt = 0.01;
        let spin = 50.0 * 1.25_f64.powi(seed);
        let scene = swarm(2 + seed as usize % 4, 100 + seed as u64, 0.0, spin, dt);
        for integrator in [Integrator::Impulse, Integrator::Bdf2] {
            let mut method = Ipc::new(Config { integrator, ..Config::default() }, Clock::default()).unwrap();
            let mut state = State::initial(&scene);
            let start = energy(&scene, &state);
            for step in 0..40 {
                let before = state.clone();
                let report = method.step(&scene, &mut state, dt).unwrap();
                state.step += 1;
                state.time = state.step as f64 * dt;
                let flaws = inspect(&scene, &before, &state, &report, dt);
                assert!(
                    !flaws.iter().any(|flaw| flaw.kind == FlawKind::EnergyMade),
                    "seed {seed}, step {step}: {flaws:?}"
                );
                let now = energy(&scene, &state);
                assert!(now < 1.01 * start, "seed {seed}, step {step}, {integrator:?}: {now} of {start} J");
            }
        }
    }
}

/// What starts within d̂ is told, with its distance; by default d̂ is the distance at the start.
#[test]
fn a_start_within_the_reach_of_the_barrier_is_told() {
    let scene = |gap: f64| {
        scene::text(format!(
            "format = 1\nname = \"near\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n\
             [[body]]\nname = \"a\"\nmass = 1\nshape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n\
             [[body]]\nname = \"b\"\nmass = 1\nposition = [{}, 0, 0]\nlinear_velocity = [25, 0, 0]\n\
             shape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n",
            0.2 + gap
        ))
    };
    let told = |gap: f64, d_hat: Option<f64>, start_within: StartWithin| {
        let method = Ipc::new(Config { d_hat, start_within, ..Config::default() }, Clock::default()).unwrap();
        let notices = method.notices(&scene(gap), 0.01);
        notices
            .into_iter()
            .find(|notice| notice.quantity == "distance at the start")
            .map(|notice| notice.to_string())
    };
    let (narrowed, pushed) = (StartWithin::Narrowed, StartWithin::Pushed);
    for (gap, within, from) in [(5e-4, pushed, "1.000e-3 m"), (5e-6, narrowed, "1.000e-5 m")] {
        let found = told(gap, Some(1e-3), within).unwrap();
        assert!(found.contains("\"a\" and \"b\"") && found.contains(from), "{found}");
    }
    assert!(told(1.1e-3, Some(1e-3), pushed).is_none() && told(5e-4, Some(1e-3), narrowed).is_none());
    assert!(told(5e-4, None, narrowed).is_none() && told(5e-5, None, narrowed).is_none());
    assert!(told(1e-9, None, narrowed).is_some());
}

/// Two cubes of 0.2 m that start `gap` (m) apart, the second with `speed` (m/s) away from the first.
fn near(gap: f64, speed: f64) -> Scene {
    scene::text(format!(
        "format = 1\nname = \"near\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n\
         [[body]]\nname = \"a\"\nmass = 1\nshape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n\
         [[body]]\nname = \"b\"\nmass = 1\nposition = [{}, 0.01, 0.02]\nlinear_velocity = [{speed}, 0, 0]\n\
         shape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n",
        0.2 + gap
    ))
}

/// Returns the states after each of `steps` steps with d̂ = 1 mm.
fn with_given_d_hat(
    scene: &Scene,
    start_within: StartWithin,
    integrator: Integrator,
    steps: u64,
) -> Vec<State> {
    let config = Config { d_hat: Some(1e-3), start_within, integrator, ..Config::default() };
    let mut method = Ipc::new(config, Clock::default()).unwrap();
    let mut state = State::initial(scene);
    let step = |n: u64| {
        method.step(scene, &mut state, scene.time.dt).unwrap();
        state.step = n + 1;
        state.time = state.step as f64 * scene.time.dt;
        state.clone()
    };
    (0..steps).map(step).collect()
}

/// The barrier gives nothing to bodies that start within it: those that part keep their speed to rounding, and those that rest stay.
#[test]
fn a_start_within_a_given_d_hat_gives_no_energy() {
    for integrator in [Integrator::ImplicitEuler, Integrator::Impulse, Integrator::Bdf2] {
        for gap in [1e-5, 1e-4, 6e-4, 9.9e-4] {
            for speed in [0.0, 1e-3, 0.04, 25.0] {
                let scene = near(gap, speed);
                let last_speed = |start_within| {
                    let states = with_given_d_hat(&scene, start_within, integrator, 20);
                    states.last().unwrap().bodies[1].linear_velocity.x
                };
                let kept = last_speed(StartWithin::Narrowed);
                assert!((kept - speed).abs() < 1e-12, "{integrator:?}, {gap} m, {speed} m/s: {kept}");
                if gap < 9e-4 && speed == 0.0 {
                    let pushed = last_speed(StartWithin::Pushed);
                    assert!(pushed > 1e-3, "{integrator:?}, {gap} m: {pushed}");
                }
            }
        }
    }
}

/// What comes back is held where it started, and what has been farther away than d̂ has the common barrier.
#[test]
fn bodies_that_start_within_d_hat_are_held_as_others_are() {
    let pressed = |force: &str| {
        scene::text(format!(
            "format = 1\nname = \"pressed\"\ngravity = [0, 0, -9.81]\n[time]\ndt = 0.01\nduration = 1\n\
             [[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, 0, -0.5]\n\
             shape = [{{ box = {{ size = [4, 4, 1] }} }}]\n\
             [[body]]\nname = \"box\"\nmass = 1\nposition = [0, 0, 0.1003]\n{force}\n\
             shape = [{{ box = {{ size = [0.2, 0.2, 0.2] }} }}]\n"
        ))
    };
    let height = |state: &State| state.bodies[1].pose.position.z - 0.1;
    for integrator in [Integrator::ImplicitEuler, Integrator::Impulse, Integrator::Bdf2] {
        let states = with_given_d_hat(&pressed(""), StartWithin::Narrowed, integrator, 100);
        let rest = height(states.last().unwrap());
        assert!(rest > 2e-4 && rest < 3e-4, "{integrator:?}: {rest} m above the floor");
        assert!(states.iter().all(|state| height(state) <= 3e-4), "{integrator:?}: it was pushed up");
        // It is thrown up, and lies on the common barrier when it is back.
        let scene = pressed("linear_velocity = [0, 0, 0.5]");
        let states = with_given_d_hat(&scene, StartWithin::Narrowed, integrator, 100);
        let rest = height(states.last().unwrap());
        assert!(rest > 8e-4 && rest < 1e-3, "{integrator:?}: {rest} m above the floor");
    }
}

/// All that a step needs to know of widths is in the state: a new method goes on with the same bits, also one with a smaller d̂ without a gap in its barrier.
#[test]
fn widths_of_barriers_are_part_of_the_state() {
    let scene = near(6e-4, 1e-3);
    let whole = with_given_d_hat(&scene, StartWithin::Narrowed, Integrator::Impulse, 10);
    let ahead = |state: &mut State, d_hat: f64| {
        let config = Config { d_hat: Some(d_hat), ..Config::default() };
        Ipc::new(config, Clock::default()).unwrap().step(&scene, state, scene.time.dt).unwrap();
        state.step += 1;
        state.time = state.step as f64 * scene.time.dt;
    };
    let mut resumed = whole[4].clone();
    (5..10).for_each(|_| ahead(&mut resumed, 1e-3));
    assert_eq!(resumed, whole[9]);
    let mut narrower = whole[4].clone();
    ahead(&mut narrower, 1e-4);
    assert!((narrower.bodies[1].linear_velocity.x - 1e-3).abs() < 1e-12);
}
