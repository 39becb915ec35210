//! Cost of `particles`: grains in a box, particle updates per second.
//! `cargo bench -p rigor-benchmarks --bench particles -- --threads 2`.
//!
//! Each contact is counted once. A block of touching grains settles in a box with five walls; then substeps are timed. Prints a table in Markdown. With
//! `--test`, or without `--bench`, every row takes only a few steps of a small block.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use clap::Parser;
use rigor_benchmarks::grains;
use rigor_benchmarks::options::Extent;
use rigor_benchmarks::table::{figure, head, row};
use rigor_particles::{Config, Model, Particles};
use rigor_scene::{Clock, Method, State};

#[derive(Parser)]
#[command(about = "Cost of `particles`: grains in a box, particle updates per second")]
struct Cli {
    #[command(flatten)]
    extent: Extent,
    /// Number of threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Grains along each edge of the block.
    #[arg(long, default_value_t = 28)]
    side: u32,
    /// A filter intended for other benchmarks.
    #[arg(hide = true)]
    _other: Vec<String>,
}

fn main() {
    let cli = Cli::parse();
    let is_short = cli.extent.is_short();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cli.threads).build();
    let pool = pool.expect("threads can be started");
    let side = if is_short { 4 } else { cli.side };
    head(&["model", "grains", "threads", "substeps", "contacts per grain", "updates per second (10⁶)"]);
    for model in [Model::Hooke, Model::Hertz] {
        pool.install(|| time(side, model, cli.threads, is_short));
    }
}

fn time(side: u32, model: Model, threads: usize, is_short: bool) {
    let scene = grains::settling_block(side);
    let config = Config { model, speed: Some(1.0), ..Config::default() };
    let mut method = Particles::new(config, Clock::default()).expect("the settings are valid");
    let mut state = State::initial(&scene);
    let (dt, settling, measured) = if is_short { (1e-3, 2, 2) } else { (2e-3, 100, 10) };
    let mut substeps = 0;
    let mut began = Instant::now();
    for step in 0..settling + measured {
        if step == settling {
            (substeps, began) = (0, Instant::now());
        }
        let report = method.step(&scene, &mut state, dt).expect("the step succeeds");
        state.step += 1;
        state.time = state.step as f64 * dt;
        substeps += report.iterations;
    }
    let n = scene.particles.len();
    let rate = substeps as f64 * n as f64 / began.elapsed().as_secs_f64();
    // 5 numbers for each contact of grains, 13 for each with a wall: see `memory.rs` of the method.
    let numbers = |key: &str| state.memory.numbers.get(key).map_or(0, Vec::len);
    let contacts = numbers("particles/grains") / 5 + numbers("particles/contacts") / 13;
    let per_grain = figure(contacts as f64 / n as f64);
    row(&[&format!("{model:?}").to_lowercase(), &n, &threads, &substeps, &per_grain, &figure(rate / 1e6)]);
}
