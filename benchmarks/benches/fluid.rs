//! Cost of fluids, and the front of a dam break beside that of [Martin1952].
//! `cargo bench -p rigor-benchmarks --bench fluid -- --threads 2`.
//!
//! Three tables: neighbours of the points of a lattice; substeps of a collapsing column of water, in particle updates
//! per second; and the front of the column at the measured times. With `--test`, or without `--bench`, every row takes
//! only a few points or steps.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use clap::Parser;
use rigor_benchmarks::options::Extent;
use rigor_benchmarks::table::{figure, head, row};
use rigor_math::{Pose, Vec3};
use rigor_particles::{Config, Neighbourhood, Particles};
use rigor_scene::{
    Body, BodySpec, Clock, Fluid, Method, PartKind, Particle, PlacedShape, Role, Scene, State,
};
use rigor_shapes::Cuboid;

#[derive(Parser)]
#[command(about = "Cost of fluids, and the front of a dam break")]
struct Cli {
    #[command(flatten)]
    extent: Extent,
    /// Number of threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Particles across the column of water.
    #[arg(long, default_value_t = 10)]
    across: u32,
    /// Smoothing length over the spacing; the support has twice its radius.
    #[arg(long, default_value_t = Config::default().smoothing)]
    smoothing: f64,
    /// A filter intended for other benchmarks.
    #[arg(hide = true)]
    _other: Vec<String>,
}

/// Width of the column (m); it is twice as high.
const WIDTH: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// Front of a column with n² = 2: t √(2 g/a), and the front over a. Source: [Martin1952], figure 3, as commonly
/// tabulated.
const MEASURED: [(f64, f64); 8] = [
    (0.41, 1.11),
    (0.84, 1.22),
    (1.19, 1.44),
    (1.43, 1.67),
    (1.63, 1.89),
    (1.98, 2.33),
    (2.32, 2.78),
    (2.65, 3.22),
];

fn wall(name: &str, low: Vec3, high: Vec3) -> Body {
    let mesh = Cuboid::new(high - low).mesh().expect("a box is a mesh");
    let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
    let pose = Pose::translation(0.5 * (low + high));
    let spec = BodySpec { role: Role::Static, pose, ..BodySpec::new(name, vec![shape]) };
    spec.build().expect("a box is a body")
}

/// A column of water in the corner of a tank, six particles deep.
fn scene(across: u32) -> Scene {
    let spacing = WIDTH / f64::from(across);
    let (thick, deep) = (3.0 * spacing, 6.0 * spacing);
    let (long, high) = (5.0 * WIDTH, 2.5 * WIDTH);
    let v = Vec3::new;
    let cells = (0..across).flat_map(|i| (0..2 * across).flat_map(move |j| (0..6).map(move |k| [i, j, k])));
    let mass = 1000.0 * spacing * spacing * spacing;
    let drop = |cell: [u32; 3]| {
        let position = spacing * Vec3::from(cell.map(|c| f64::from(c) + 0.5));
        Particle { radius: 0.5 * spacing, group: Some(0), ..Particle::new(mass, position) }
    };
    let particles: Vec<Particle> = cells.map(drop).collect();
    let (density, viscosity, range) = (1000.0, 0.0, 0..particles.len());
    Scene {
        gravity: -GRAVITY * Vec3::y(),
        bodies: vec![
            wall("floor", v(-thick, -thick, -thick), v(long + thick, 0.0, deep + thick)),
            wall("left", v(-thick, 0.0, 0.0), v(0.0, high, deep)),
            wall("right", v(long, 0.0, 0.0), v(long + thick, high, deep)),
            wall("back", v(-thick, 0.0, -thick), v(long + thick, high, 0.0)),
            wall("front", v(-thick, 0.0, deep), v(long + thick, high, deep + thick)),
        ],
        particles,
        fluids: vec![Fluid { name: "water".into(), particles: range, density, viscosity, spacing }],
        ..Scene::default()
    }
}

fn main() {
    let cli = Cli::parse();
    let is_short = cli.extent.is_short();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cli.threads).build();
    let pool = pool.expect("threads can be started");
    pool.install(|| {
        search(is_short, cli.threads);
        collapse(if is_short { 4 } else { cli.across }, cli.smoothing, is_short, cli.threads);
    });
}

/// Times the search of all neighbours within three spacings of a lattice without order.
fn search(is_short: bool, threads: usize) {
    head(&["points", "threads", "neighbours per point", "points per second (10⁶)"]);
    for side in if is_short { vec![6] } else { vec![20, 40, 80] } {
        let cells = (0..side).flat_map(|i| (0..side).flat_map(move |j| (0..side).map(move |k| [i, j, k])));
        // The golden ratio spreads the offsets without a pattern.
        let shift = |n: usize, step: f64| 0.2 * ((n as f64 * step).fract() - 0.5);
        let place = |(n, cell): (usize, [i32; 3])| {
            let offset = Vec3::new(shift(n, 0.618_033_988), shift(n, 0.754_877_666), shift(n, 0.569_840_29));
            Vec3::from(cell.map(f64::from)) + offset
        };
        let points: Vec<Vec3> = cells.enumerate().map(place).collect();
        let repeats = if is_short { 1 } else { 5 };
        let (mut best, mut found) = (f64::INFINITY, 0);
        for _ in 0..repeats {
            let began = Instant::now();
            found = black_box(Neighbourhood::find(&points, 3.0, |_, _| true)).len();
            best = began.elapsed().as_secs_f64().min(best);
        }
        let n = points.len();
        row(&[&n, &threads, &figure(found as f64 / n as f64), &figure(n as f64 / best / 1e6)]);
    }
}

/// Times the collapse of a column, and compares its front.
fn collapse(across: u32, smoothing: f64, is_short: bool, threads: usize) {
    let scene = scene(across);
    let config = Config { smoothing, ..Config::default() };
    let mut method = Particles::new(config, Clock::default()).expect("the settings are valid");
    let mut state = State::initial(&scene);
    let unit = (WIDTH / (2.0 * GRAVITY)).sqrt();
    let dt = 0.01 * unit;
    let half = 0.5 * scene.fluids[0].spacing;
    let times = &MEASURED[..if is_short { 1 } else { MEASURED.len() }];
    let mut fronts = Vec::new();
    let (mut substeps, mut compression, mut sound_speed, began) = (0, 0.0_f64, 0.0, Instant::now());
    for (time, _) in times {
        let end = if is_short { 2 } else { (time / 0.01).round() as u64 };
        while state.step < end {
            let report = method.step(&scene, &mut state, dt).expect("the step succeeds");
            substeps += report.iterations;
            let figure =
                |name: &str| report.quantities.iter().find(|q| q.name == name).map_or(0.0, |q| q.value);
            compression = figure("compression").max(compression);
            sound_speed = figure("sound_speed");
            state.step += 1;
            state.time = state.step as f64 * dt;
        }
        let front = state.particles.iter().map(|p| p.position.x + half).fold(0.0, f64::max);
        fronts.push(front / WIDTH);
    }
    let n = scene.particles.len();
    let rate = substeps as f64 * n as f64 / began.elapsed().as_secs_f64();
    println!();
    head(&[
        "particles",
        "threads",
        "substeps",
        "mean substep (ms)",
        "sound (m/s)",
        "max. compression",
        "updates per second (10⁶)",
    ]);
    let substep = 1e3 * state.time / substeps as f64;
    row(&[
        &n,
        &threads,
        &substeps,
        &figure(substep),
        &figure(sound_speed),
        &figure(compression),
        &figure(rate / 1e6),
    ]);
    println!();
    head(&["t √(2 g/a)", "front/a, measured", "front/a, computed", "bound 1 + 2 t √(2 g/a)"]);
    for ((time, measured), front) in times.iter().zip(fronts) {
        // Shallow water: the front moves with 2 √(g H), H = 2 a [Ritter1892].
        row(&[&figure(*time), &figure(*measured), &figure(front), &figure(1.0 + 2.0 * time)]);
    }
}
