//! Cost of particles with `xpbd` and `pbd`:
//! `cargo bench -p rigor-benchmarks --bench xpbd -- cloth | convergence | chain`.
//!
//! Prints tables in Markdown, row by row. With `--test`, or without `--bench`, every part takes only a few
//! steps.

// Benchmarks print their results.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::time::Instant;

use clap::{Parser, Subcommand};
use rigor_benchmarks::cloth::cloth;
use rigor_benchmarks::cpu;
use rigor_benchmarks::options::Extent;
use rigor_benchmarks::table::{figure, head, row};
use rigor_math::Vec3;
use rigor_scene::{Bond, BondKind, Clock, Method, Particle, ParticleId, Scene, State};
use rigor_xpbd::{Config, Pbd, Solver, Xpbd, pbd};

#[derive(Parser)]
#[command(about = "Cost of particles")]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    extent: Extent,
}

#[derive(Subcommand)]
enum Part {
    /// 64 × 64 cloth: milliseconds per step, compared with those of [Macklin2016].
    Cloth,
    /// Error of the solvers against time.
    Convergence,
    /// Error of the force at the top of a chain of 20 particles, compared with that of [Macklin2016].
    Chain,
    /// A filter intended for other benchmarks.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

fn main() {
    let cli = Cli::parse();
    let is_short = cli.extent.is_short();
    let (side, steps) = if is_short { (8, 2) } else { (64, 60) };
    match cli.part {
        Some(Part::Cloth) => cloths(side, steps),
        Some(Part::Convergence) => convergence(side, steps),
        Some(Part::Chain) => chain(if is_short { 30 } else { 100 }),
        Some(Part::Other(words)) => println!("xpbd: there is no part {:?}", words.join(" ")),
        None => {
            cloths(side, steps);
            convergence(side, steps);
            chain(if is_short { 30 } else { 100 });
        }
    }
}

const SOLVERS: [Solver; 5] =
    [Solver::GaussSeidel, Solver::Symmetric, Solver::Coloured, Solver::RedBlack, Solver::Jacobi];

/// α of the cloth (m/N).
const COMPLIANCE: f64 = 1e-6;

/// Sweeps, and the milliseconds that [Macklin2016] reports for PBD and XPBD.
const PRINTED: [(u32, f64, f64); 4] =
    [(20, 0.95, 0.97), (40, 1.75, 1.78), (80, 3.25, 3.34), (160, 5.61, 5.65)];

fn xpbd(solver: Solver, iterations: u32) -> Box<dyn Method> {
    let config = Config { substeps: 1, iterations, solver, ..Config::default() };
    Box::new(Xpbd::new(config, Clock::default()).expect("valid settings"))
}

fn pbd(solver: Solver, iterations: u32) -> Box<dyn Method> {
    let config = pbd::Config { iterations, solver, ..pbd::Config::default() };
    Box::new(Pbd::new(config, Clock::default()).expect("valid settings"))
}

/// Returns the median time (s) of `steps` steps after one warm-up step, as CPU time for one thread and wall
/// time for several, and the final state.
fn median_step(scene: &Scene, method: &mut dyn Method, threads: usize, steps: usize) -> (f64, State) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| {
        let mut state = State::initial(scene);
        let mut step = || {
            let (start, spent) = (Instant::now(), cpu::seconds());
            method.step(scene, &mut state, scene.time.dt).expect("a step");
            if threads == 1 { cpu::seconds() - spent } else { start.elapsed().as_secs_f64() }
        };
        step();
        let mut times: Vec<f64> = (0..steps).map(|_| step()).collect();
        times.sort_by(f64::total_cmp);
        (times[times.len() / 2], state)
    })
}

fn cloths(side: usize, steps: usize) {
    let scene = cloth(side, COMPLIANCE);
    println!("## Cloth of {side} × {side}, {} bonds: ms per step\n", scene.bonds.len());
    head(&["method", "solver", "threads", "20 sweeps", "40", "80", "160", "ns per projection"]);
    row(&[&"PBD", &"[Macklin2016]", &"", &PRINTED[0].1, &PRINTED[1].1, &PRINTED[2].1, &PRINTED[3].1, &""]);
    row(&[&"XPBD", &"[Macklin2016]", &"", &PRINTED[0].2, &PRINTED[1].2, &PRINTED[2].2, &PRINTED[3].2, &""]);
    for solver in SOLVERS {
        for threads in [1, 2] {
            timed("PBD", &scene, solver, threads, steps, pbd);
            timed("XPBD", &scene, solver, threads, steps, xpbd);
        }
    }
}

fn timed(
    name: &str,
    scene: &Scene,
    solver: Solver,
    threads: usize,
    steps: usize,
    make: fn(Solver, u32) -> Box<dyn Method>,
) {
    let times =
        PRINTED.map(|(sweeps, ..)| median_step(scene, make(solver, sweeps).as_mut(), threads, steps).0);
    // The cost of 140 additional sweeps, without the fixed cost of a step.
    let projections = 140.0 * scene.bonds.len() as f64;
    let cells = times.map(|t| figure(1e3 * t));
    let each = figure(1e9 * (times[3] - times[0]) / projections);
    let solver = format!("{solver:?}");
    row(&[&name, &solver, &threads, &cells[0], &cells[1], &cells[2], &cells[3], &each]);
}

/// After a second of small steps of a hanging cloth, compares one long step by each solver with the converged
/// one.
fn convergence(side: usize, steps: usize) {
    let scene = cloth(side, COMPLIANCE);
    let (_, start) = median_step(&scene, xpbd(Solver::GaussSeidel, 50).as_mut(), 1, steps);
    let step = |solver: Solver, sweeps: u32| {
        let mut method = xpbd(solver, sweeps);
        let mut best = f64::INFINITY;
        let mut state = start.clone();
        for _ in 0..if sweeps > 1000 { 1 } else { 5 } {
            state = start.clone();
            let begin = Instant::now();
            method.step(&scene, &mut state, scene.time.dt).expect("a step");
            best = best.min(begin.elapsed().as_secs_f64());
        }
        (best, state)
    };
    let converged = step(Solver::GaussSeidel, if side > 10 { 20_000 } else { 2000 }).1;
    println!("\n## One step of that cloth, error against time, {} threads\n", rayon::current_num_threads());
    head(&["solver", "sweeps", "ms", "RMS distance from the converged step (m)"]);
    for solver in SOLVERS {
        for sweeps in [10, 40, 160, 640] {
            let (time, state) = step(solver, sweeps);
            let name = format!("{solver:?}");
            row(&[&name, &sweeps, &figure(1e3 * time), &figure(distance(&state, &converged))]);
        }
    }
}

/// Returns the root mean square distance (m) between the particles of two states.
fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.particles.iter().zip(&b.particles);
    let sum: f64 = pairs.map(|(p, q)| (p.position - q.position).norm_squared()).sum();
    (sum / a.particles.len() as f64).sqrt()
}

/// 20 particles of 1 kg in a chain with the first one pinned; α = 1e-8 m/N, Δt = 1/60 s.
fn chain(steps: usize) {
    let place = |i: usize| Vec3::new(0.0, -(i as f64), 0.0);
    let mut particles: Vec<Particle> = (0..20).map(|i| Particle::new(1.0, place(i))).collect();
    particles[0].mass = f64::INFINITY;
    let link = |i: usize| Bond {
        kind: BondKind::Distance { rest: 1.0 },
        particles: vec![ParticleId(i - 1), ParticleId(i)],
        compliance: 1e-8,
    };
    let gravity = Vec3::new(0.0, -9.81, 0.0);
    let scene = Scene { gravity, particles, bonds: (1..20).map(link).collect(), ..Scene::default() };
    println!("\n## Force at the top of a chain of 20: error (%)\n");
    head(&["sweeps", "[Macklin2016]", "largest from step 20 on", "at the end"]);
    for (sweeps, printed) in [(50, 6.0), (100, 2.0), (1000, 0.5)] {
        let errors = force_errors(&scene, xpbd(Solver::GaussSeidel, sweeps).as_mut(), steps);
        let largest = errors[20..].iter().copied().fold(0.0, f64::max);
        row(&[&sweeps, &printed, &figure(largest), &figure(errors[errors.len() - 1])]);
    }
}

/// Returns the error (%) of the supporting force relative to the weight, step by step, from the change of
/// momentum.
fn force_errors(scene: &Scene, method: &mut dyn Method, steps: usize) -> Vec<f64> {
    let momentum = |state: &State| state.particles.iter().skip(1).map(|p| p.velocity.y).sum::<f64>();
    let weight = 19.0 * scene.gravity.norm();
    let (mut state, dt) = (State::initial(scene), 1.0 / 60.0);
    let error = |_| {
        let before = momentum(&state);
        method.step(scene, &mut state, dt).expect("a step");
        100.0 * ((momentum(&state) - before) / dt / weight).abs()
    };
    (0..steps).map(error).collect()
}
