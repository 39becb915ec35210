//! The device `gpu` beside the processor. Without an adapter the tests are ignored; `RIGOR_ADAPTER` chooses one by name.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(
    clippy::print_stdout,
    reason = "the table of errors in docs/methods/xpbd.md is made from what is printed"
)]

#[path = "gpu/bodies.rs"]
mod bodies;

use std::env;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rigor_math::Vec3;
use rigor_scene::trajectory::Run;
use rigor_scene::{Bond, BondKind, Clock, Method, Particle, ParticleId, Scene, State, StepError};
use rigor_xpbd::gpu::adapters;
use rigor_xpbd::{Config, Device, Integrator, Pbd, Solver, Xpbd, pbd};

/// The time step (s).
const DT: f64 = 1.0 / 60.0;

const TESTS: [(&str, fn()); 15] = [
    ("a_hanging_net_is_that_of_the_processor_but_for_rounding", hanging_net),
    ("integrators_are_those_of_the_processor", integrators),
    ("the_method_pbd_is_that_of_the_processor", position_based),
    ("far_from_the_origin_it_is_as_exact_as_near_it", far),
    ("momentum_is_conserved_to_single_precision", momentum_is_conserved),
    ("two_runs_have_the_same_bits_and_so_has_one_cut_in_two", same_bits),
    ("a_change_of_the_scene_reaches_the_device", changed),
    ("what_the_device_lacks_is_refused_with_what_to_do", refusals),
    ("the_pendulum_of_the_report_is_that_of_the_processor", bodies::pendulum),
    ("joints_of_all_kinds_are_those_of_the_processor", bodies::joints),
    ("a_strong_load_breaks_a_joint", bodies::breaking),
    ("boxes_land_slide_and_tumble_as_on_the_processor", bodies::landing),
    ("the_boxes_of_the_report_come_to_rest", bodies::boxes),
    ("two_runs_of_bodies_have_the_same_bits_and_so_has_one_cut_in_two", bodies::same_bits),
    ("what_the_device_lacks_for_bodies_is_refused", bodies::refusals),
];

fn main() {
    let arguments = Arguments::from_args();
    let is_present = !adapters().is_empty();
    let reason = "no adapter was found (on Debian: apt-get install mesa-vulkan-drivers)";
    let trial = |name: &str, test: fn()| {
        Trial::ignorable_test(name, move || {
            if !is_present {
                return Ok(Completion::ignored_with(reason));
            }
            std::panic::catch_unwind(test).map_err(|_| Failed::from("it failed"))?;
            Ok(Completion::Completed)
        })
    };
    libtest_mimic::run(&arguments, TESTS.iter().map(|(name, test)| trial(name, *test)).collect()).exit();
}

/// A net of `n` by `n` particles of 10 g that are 0.1 m apart, with soft diagonals; two corners are pinned. Its middle is `at` (m).
fn net(n: usize, at: Vec3) -> Scene {
    let place = |i: usize| {
        let bulge = 0.02 * ((i * i * 7 % 11) as f64 / 11.0 - 0.5);
        at + Vec3::new(0.1 * (i % n) as f64, bulge, 0.1 * (i / n) as f64)
    };
    let mut particles: Vec<Particle> = (0..n * n).map(|i| Particle::new(0.01, place(i))).collect();
    particles[0].mass = f64::INFINITY;
    particles[n - 1].mass = f64::INFINITY;
    let bond = |a: usize, b: usize, rest: f64, compliance: f64| Bond {
        kind: BondKind::Distance { rest },
        particles: vec![ParticleId(a), ParticleId(b)],
        compliance,
    };
    let mut bonds = Vec::new();
    for i in 0..n * n {
        let (column, row) = (i % n, i / n);
        if column + 1 < n {
            bonds.push(bond(i, i + 1, 0.1, 1e-7));
        }
        if row + 1 < n {
            bonds.push(bond(i, i + n, 0.1, 0.0));
        }
        if column + 1 < n && row + 1 < n {
            bonds.push(bond(i, i + n + 1, 0.1 * 2.0_f64.sqrt(), 1e-3));
        }
    }
    Scene { particles, bonds, gravity: -9.81 * Vec3::y(), ..Scene::default() }
}

fn config(solver: Solver) -> Config {
    Config { solver, substeps: 4, iterations: 5, ..Config::default() }
}

fn on_gpu(config: &Config) -> Config {
    Config { device: Device::Gpu, adapter: env::var("RIGOR_ADAPTER").ok(), ..config.clone() }
}

fn record(scene: &Scene, config: &Config, steps: u64) -> Run {
    Run::record(scene, &mut Xpbd::new(config.clone(), Clock::default()).unwrap(), DT, steps)
}

/// Largest differences of positions (m) and of velocities (m/s).
fn difference(a: &State, b: &State) -> (f64, f64) {
    let pairs = a.particles.iter().zip(&b.particles);
    let one = pairs.map(|(a, b)| ((a.position - b.position).norm(), (a.velocity - b.velocity).norm()));
    one.fold((0.0, 0.0), |worst, one| (worst.0.max(one.0), worst.1.max(one.1)))
}

/// Runs a scene on both, prints how far they are apart, and checks that they differ by at most these lengths and speeds.
fn compare(what: &str, scene: &Scene, config: &Config, steps: u64, most: (f64, f64)) -> [Run; 2] {
    let runs = [record(scene, config, steps), record(scene, &on_gpu(config), steps)];
    let (x, v) = difference(runs[0].last(), runs[1].last());
    println!("{what}: {x:.1e} m, {v:.1e} m/s");
    assert!(x <= most.0 && v <= most.1, "{what}: {x:e} m, {v:e} m/s");
    for (cpu, gpu) in runs[0].reports.iter().zip(&runs[1].reports) {
        assert_eq!(cpu.iterations, gpu.iterations);
        assert_eq!(cpu.quantity("colours"), gpu.quantity("colours"));
        let [cpu, gpu] = [cpu, gpu].map(|report| report.quantity("bond_error").unwrap());
        assert!((cpu - gpu).abs() < 1e-3 * cpu + 1e-5, "errors of bonds {cpu} and {gpu}");
    }
    runs
}

fn hanging_net() {
    let scene = net(12, Vec3::zeros());
    for (what, solver) in
        [("coloured", Solver::Coloured), ("red and black", Solver::RedBlack), ("jacobi", Solver::Jacobi)]
    {
        let runs = compare(what, &scene, &config(solver), 30, (2e-5, 1e-3));
        let fallen = (runs[1].last().particles[143].position - scene.particles[143].position).norm();
        assert!(fallen > 0.1, "it moves: {fallen} m");
    }
    let without = Config { averaging: false, relaxation: 0.2, ..config(Solver::Jacobi) };
    compare("jacobi without averaging", &scene, &without, 30, (2e-5, 1e-3));
}

fn integrators() {
    let scene = net(6, Vec3::zeros());
    for integrator in [Integrator::SymplecticEuler, Integrator::Verlet, Integrator::VelocityVerlet] {
        let config = Config { integrator, ..config(Solver::Coloured) };
        compare(&format!("{integrator:?}"), &scene, &config, 20, (1e-5, 1e-3));
    }
}

fn position_based() {
    let scene = net(8, Vec3::zeros());
    let run = |device: &Config| {
        let config = pbd::Config {
            stiffness: 0.7,
            iterations: 6,
            solver: Solver::Jacobi,
            device: device.device,
            adapter: device.adapter.clone(),
            ..pbd::Config::default()
        };
        Run::record(&scene, &mut Pbd::new(config, Clock::default()).unwrap(), DT, 20)
    };
    let [cpu, gpu] = [run(&Config::default()), run(&on_gpu(&Config::default()))];
    let (x, v) = difference(cpu.last(), gpu.last());
    println!("pbd: {x:.1e} m, {v:.1e} m/s");
    assert!(x < 1e-5 && v < 1e-3, "{x:e} m, {v:e} m/s");
}

fn far() {
    // Single precision resolves 0.06 mm there.
    let scene = net(8, Vec3::new(1000.0, -700.0, 300.0));
    compare("1 km away", &scene, &config(Solver::Coloured), 20, (1e-5, 1e-3));
}

fn momentum_is_conserved() {
    let mut scene = net(8, Vec3::zeros());
    scene.gravity = Vec3::zeros();
    for (i, particle) in scene.particles.iter_mut().enumerate() {
        particle.mass = 0.01 + 1e-3 * (i % 7) as f64;
        particle.velocity = Vec3::new((i % 3) as f64, (i % 5) as f64, (i % 4) as f64);
    }
    let momentum = |state: &State| -> Vec3 {
        scene.particles.iter().zip(&state.particles).map(|(p, now)| p.mass * now.velocity).sum()
    };
    let size: f64 = scene.particles.iter().map(|p| p.mass * p.velocity.norm()).sum();
    for solver in [Solver::Coloured, Solver::Jacobi] {
        let run = record(&scene, &on_gpu(&config(solver)), 30);
        let change = momentum(run.last()) - momentum(&State::initial(&scene));
        println!("momentum with {solver:?}: {:.1e}", change.norm() / size);
        assert!(change.norm() < 2e-5 * size, "{change:?} of {size}");
    }
}

/// Asserts that two runs have the same last state, and so has one that is cut in two.
fn assert_same_bits(scene: &Scene, config: Config) {
    let whole = record(scene, &config, 12);
    assert_eq!(whole.last(), record(scene, &config, 12).last());
    let mut state = whole.trajectory.frames[5].clone();
    let mut method = Xpbd::new(config, Clock::default()).unwrap();
    for step in 5..12_u32 {
        method.step(scene, &mut state, DT).unwrap();
        (state.step, state.time) = (u64::from(step) + 1, f64::from(step + 1) * DT);
    }
    assert_eq!(whole.last(), &state);
}

fn same_bits() {
    let scene = net(10, Vec3::zeros());
    for solver in [Solver::Coloured, Solver::Jacobi] {
        assert_same_bits(&scene, on_gpu(&config(solver)));
    }
}

fn changed() {
    let (first, mut second) = (net(6, Vec3::zeros()), net(6, Vec3::zeros()));
    for bond in &mut second.bonds {
        bond.compliance = 1e-2;
    }
    let config = on_gpu(&config(Solver::Coloured));
    let mut method = Xpbd::new(config.clone(), Clock::default()).unwrap();
    let mut after = |scene: &Scene| {
        let mut state = State::initial(scene);
        method.step(scene, &mut state, DT).unwrap();
        state.particles
    };
    let (stiff, soft, again) = (after(&first), after(&second), after(&first));
    assert_eq!(stiff, again);
    assert_eq!(soft, record(&second, &config, 1).last().particles);
    assert_ne!(stiff, soft);
}

fn refusals() {
    let swept = Xpbd::new(on_gpu(&config(Solver::Symmetric)), Clock::default()).unwrap_err().to_string();
    assert!(swept.contains("symmetric") && swept.contains("coloured"), "{swept}");
    let mut in_turn = Xpbd::new(on_gpu(&config(Solver::GaussSeidel)), Clock::default()).unwrap();
    let refused = in_turn.supports(&net(3, Vec3::zeros())).unwrap_err().to_string();
    assert!(refused.contains("gauss_seidel") && refused.contains("coloured"), "{refused}");
    let start = State::initial(&net(3, Vec3::zeros()));
    let error = in_turn.step(&net(3, Vec3::zeros()), &mut start.clone(), DT).unwrap_err().to_string();
    assert!(error.contains("gauss_seidel"), "{error}");

    let method = |adapter: Option<&str>| {
        let config = on_gpu(&config(Solver::Coloured));
        let adapter = adapter.map(str::to_owned).or(config.adapter.clone());
        Xpbd::new(Config { adapter, ..config }, Clock::default()).unwrap()
    };
    let mut scene = net(3, Vec3::zeros());
    let unknown = method(Some("Voodoo 2")).supports(&scene).unwrap_err().to_string();
    assert!(unknown.contains("Voodoo 2") && unknown.contains("the adapters are"), "{unknown}");
    method(None).supports(&scene).unwrap();

    scene.particles[4].radius = 0.01;
    let round = method(None).supports(&scene).unwrap_err().to_string();
    assert!(round.contains("radius") && round.contains("set device to \"cpu\""), "{round}");

    let mut heavy = net(3, Vec3::zeros());
    heavy.particles[4].velocity.x = 1e30;
    let mut state = State::initial(&heavy);
    let error = method(None).step(&heavy, &mut state, 0.01).unwrap_err();
    assert!(matches!(&error, StepError::Failed { what, .. } if what.contains("particle 4")), "{error}");
    assert_eq!(state, State::initial(&heavy));
}
