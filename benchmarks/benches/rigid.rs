//! Rigid bodies with `xpbd` and `rapier`, cost against accuracy:
//! `cargo bench -p rigor-benchmarks --bench rigid -- stacks | piles`.
//!
//! Both engines run the same scene with settings from coarse to fine. Each row gives the CPU time per step
//! over all threads, the wall time, and the deepest penetration that the judge found. Then follows the cost
//! of `xpbd` where it is at least as accurate as `rapier`. With `--test`, or without `--bench`, every part
//! takes only a few steps.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

use clap::{Parser, Subcommand};
use rigor_benchmarks::boxes::{cuboid, scene};
use rigor_benchmarks::measurement::{Measurement, Variant, work};
use rigor_benchmarks::options::{Comparison, Extent};
use rigor_benchmarks::pile::pile;
use rigor_benchmarks::table::{figure, head, row};
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodySpec, Role, Scene, TimeSpan};
use serde_json::json;

#[derive(Parser)]
#[command(about = "Rigid bodies with `xpbd` and `rapier`, cost against accuracy")]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    comparison: Comparison,
    /// Steps of each run [default: the number that the part needs].
    #[arg(long, global = true)]
    steps: Option<u64>,
    /// Maximum number of boxes.
    #[arg(long, global = true, default_value_t = 1000)]
    largest: usize,
}

#[derive(Subcommand)]
enum Part {
    /// Columns of five boxes, at rest.
    Stacks,
    /// Boxes that fall onto each other.
    Piles,
    /// A filter intended for other benchmarks.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

/// The runs to make: their steps, the initial steps without timing, and the interval of judging.
#[derive(Clone, Copy)]
struct Length<'a> {
    only: &'a str,
    steps: u64,
    untimed: u64,
    every: u64,
}

fn main() {
    let cli = Cli::parse();
    let full = |steps, untimed| {
        let steps = cli.steps.unwrap_or(steps);
        Length { only: &cli.comparison.only, steps, untimed, every: (steps / 10).max(1) }
    };
    match cli.part {
        Some(Part::Other(words)) => println!("rigid: there is no part {:?}", words.join(" ")),
        _ if cli.extent.is_short() => {
            let brief = Length { only: "", steps: 2, untimed: 1, every: 1 };
            compare("stacks", columns, &[5], 1, brief);
            compare("piles", pile, &[5], 1, brief);
        }
        None => compare("stacks", columns, &[10, 100], cli.comparison.threads, full(100, 20)),
        Some(Part::Stacks) => {
            compare("stacks", columns, &sizes(cli.largest), cli.comparison.threads, full(100, 20));
        }
        Some(Part::Piles) => {
            compare("piles", pile, &sizes(cli.largest), cli.comparison.threads, full(200, 0));
        }
    }
}

fn sizes(largest: usize) -> Vec<usize> {
    [10, 100, 500, 1000, 5000].into_iter().filter(|n| *n <= largest).collect()
}

/// Friction between boxes, and with the floor.
const MU: f64 = 0.5;

/// `n` unit boxes in columns of five, each slightly offset from the one below.
fn columns(n: usize) -> Scene {
    let below = Pose::translation(Vec3::new(0.0, -0.5, 0.0));
    let floor = cuboid("floor".into(), Vec3::new(200.0, 1.0, 200.0), below, n, MU);
    let boxes = (0..n).map(|i| {
        let (column, level) = (i / 5, i % 5);
        let x = (column % 20) as f64 * 1.5 + 0.003 * (i % 7) as f64;
        let position = Vec3::new(x, 0.5 + level as f64, (column / 20) as f64 * 1.5);
        cuboid(format!("box {i}"), Vec3::repeat(1.0), Pose::translation(position), i, MU)
    });
    let floor = BodySpec { role: Role::Static, ..floor };
    let bodies = std::iter::once(floor).chain(boxes).map(|spec| spec.build().expect("a valid box"));
    scene("columns".into(), bodies.collect(), TimeSpan { dt: 1e-2, duration: 1.0 })
}

/// Settings of `rapier`, coarse to fine, without sleeping, so that every step is computed.
fn rapier_variants() -> Vec<Variant> {
    let variant = |stretch, settings| Variant::new("rapier", stretch, &settings);
    vec![
        variant(4.0, json!({ "sleeping": false })),
        variant(2.0, json!({ "sleeping": false })),
        variant(1.0, json!({ "sleeping": false })),
        variant(1.0, json!({ "sleeping": false, "solver_iterations": 8, "allowed_linear_error": 0.0 })),
        variant(0.5, json!({ "sleeping": false, "allowed_linear_error": 0.0 })),
        variant(0.125, json!({ "sleeping": false, "allowed_linear_error": 0.0 })),
    ]
}

/// Settings of `xpbd`, coarse to fine: (Δt over the scene's, substeps, iterations, sweeps within a pair).
fn xpbd_variants() -> Vec<Variant> {
    let variants = [
        (4.0, 1, 20, 8),
        (2.0, 1, 20, 8),
        (2.0, 1, 2, 8),
        (1.0, 1, 1, 4),
        (1.0, 1, 2, 8),
        (1.0, 1, 20, 8),
        (1.0, 1, 2, 20),
        (1.0, 1, 4, 4),
        (1.0, 2, 2, 4),
        (1.0, 3, 1, 20),
        (1.0, 5, 1, 20),
        (1.0, 10, 1, 20),
        (1.0, 20, 1, 20),
    ];
    let variant = |(stretch, substeps, iterations, sweeps): (f64, u32, u32, u32)| {
        let settings = json!({ "substeps": substeps, "iterations": iterations, "contact_sweeps": sweeps });
        Variant::new("xpbd", stretch, &settings)
    };
    variants.map(variant).into()
}

fn compare(what: &str, build: impl Fn(usize) -> Scene, sizes: &[usize], threads: usize, length: Length<'_>) {
    println!("\n{what}, {threads} thread(s)\n");
    head(&[
        "bodies",
        "variant",
        "CPU ms per step",
        "ms per step",
        "deepest (mm)",
        "moved (m)",
        "contacts",
        "phases (ms)",
        "remarks",
    ]);
    for &n in sizes {
        let scene = build(n);
        let theirs = run(&scene, n, &rapier_variants(), threads, length);
        let ours = run(&scene, n, &xpbd_variants(), threads, length);
        for (variant, their) in &theirs {
            let best = ours.iter().filter(|(_, our)| our.deepest <= their.deepest);
            if let Some((mine, best)) = best.min_by(|x, y| x.1.cpu.total_cmp(&y.1.cpu)) {
                let ratio = figure(best.cpu / their.cpu);
                println!(
                    "> {n}: {} is at least as accurate as {} in {ratio} of its time",
                    mine.label(),
                    variant.label()
                );
            }
        }
    }
}

fn run(
    scene: &Scene,
    n: usize,
    variants: &[Variant],
    threads: usize,
    length: Length<'_>,
) -> Vec<(Variant, Measurement)> {
    let mut done = Vec::new();
    for variant in variants.iter().filter(|variant| variant.label().contains(length.only)) {
        match work(scene, variant, threads, (length.steps, length.untimed), length.every) {
            Ok(measurement) => {
                row(&[
                    &n,
                    &variant.label(),
                    &figure(1e3 * measurement.cpu),
                    &figure(1e3 * measurement.wall),
                    &figure(1e3 * measurement.deepest),
                    &figure(measurement.moved),
                    &measurement.contacts,
                    &phases(&measurement),
                    &measurement.failed.clone().unwrap_or_default(),
                ]);
                done.push((variant.clone(), measurement));
            }
            Err(why) => row(&[&n, &variant.label(), &"", &"", &"", &"", &"", &"", &why]),
        }
    }
    done
}

/// Formats the time of each phase, such as "broad phase 0.01, contacts 0.02".
fn phases(measurement: &Measurement) -> String {
    let phases = measurement.phases.iter().map(|p| format!("{} {}", p.phase, figure(1e3 * p.seconds)));
    phases.collect::<Vec<_>>().join(", ")
}
