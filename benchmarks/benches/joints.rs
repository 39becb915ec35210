//! Joints with `xpbd` and `rapier`, cost against accuracy:
//! `cargo bench -p rigor-benchmarks --bench joints -- pendula | chains | weights | ropes | nets`.
//!
//! Both engines run the same scene with settings from coarse to fine. Each row gives the CPU time per step
//! and the largest distance by which a joint came apart, as measured by the judge in every frame. Then
//! follows the cost of `xpbd` where it is at least as accurate as `rapier`. With `--test`, or without
//! `--bench`, every part takes only a few steps.

// Benchmarks print their results.
#![allow(clippy::print_stdout)]

use clap::{Parser, Subcommand};
use rigor_benchmarks::links::{chains, net, pendula, rope, weights};
use rigor_benchmarks::measurement::{Measurement, Variant, work};
use rigor_benchmarks::options::{Comparison, Extent};
use rigor_benchmarks::table::{figure, head, row};
use rigor_scene::Scene;
use serde_json::json;

#[derive(Parser)]
#[command(about = "Joints with `xpbd` and `rapier`, cost against accuracy")]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    comparison: Comparison,
    /// Steps of each run.
    #[arg(long, global = true, default_value_t = 120)]
    steps: u64,
    /// Maximum number of bodies.
    #[arg(long, global = true, default_value_t = 1000)]
    largest: usize,
}

#[derive(Subcommand)]
enum Part {
    /// Pendula of three links with hinges.
    Pendula,
    /// Chains of a hundred links with ball joints.
    Chains,
    /// Chains of twenty links with a weight at the end.
    Weights,
    /// Beads on threads, in a line.
    Ropes,
    /// Beads on threads, in rows and columns: a cloth.
    Nets,
    /// A filter intended for other benchmarks.
    #[command(external_subcommand)]
    Other(Vec<String>),
}

fn main() {
    let cli = Cli::parse();
    let is_short = cli.extent.is_short();
    let runs = Runs {
        only: &cli.comparison.only,
        threads: cli.comparison.threads,
        steps: if is_short { 2 } else { cli.steps },
        largest: if is_short { 100 } else { cli.largest },
    };
    match cli.part {
        Some(Part::Pendula) => runs.pendula(),
        Some(Part::Chains) => runs.chains(),
        Some(Part::Weights) => runs.weights(),
        Some(Part::Ropes) => runs.ropes(),
        Some(Part::Nets) => runs.nets(),
        Some(Part::Other(words)) => println!("joints: there is no part {:?}", words.join(" ")),
        None => {
            runs.pendula();
            runs.chains();
            runs.weights();
            runs.ropes();
            runs.nets();
        }
    }
}

/// The runs to make.
#[derive(Clone, Copy)]
struct Runs<'a> {
    only: &'a str,
    threads: usize,
    steps: u64,
    largest: usize,
}

/// `rapier` with its defaults, but without sleeping, then with more solver iterations, then with shorter
/// steps.
fn rapier_variants() -> Vec<Variant> {
    let variant = |stretch, settings| Variant::new("rapier", stretch, &settings);
    vec![
        variant(1.0, json!({ "sleeping": false })),
        variant(1.0, json!({ "sleeping": false, "solver_iterations": 10 })),
        variant(1.0, json!({ "sleeping": false, "solver_iterations": 20 })),
        variant(1.0, json!({ "sleeping": false, "solver_iterations": 50 })),
        variant(0.25, json!({ "sleeping": false })),
        variant(0.0625, json!({ "sleeping": false })),
    ]
}

fn xpbd_variants() -> Vec<Variant> {
    let substeps = [2, 5, 10, 20, 50, 100];
    let sweep = substeps.map(|n| Variant::new("xpbd", 1.0, &json!({ "substeps": n })));
    let direct = [1, 2, 3, 4, 5, 6, 10, 20];
    let direct = direct.map(|n| Variant::new("xpbd", 1.0, &json!({ "substeps": n, "joints": "direct" })));
    sweep.into_iter().chain(direct).collect()
}

impl Runs<'_> {
    fn sizes(&self) -> impl Iterator<Item = usize> + use<> {
        let largest = self.largest;
        [10, 100, 1000].into_iter().filter(move |n| *n <= largest)
    }

    fn pendula(&self) {
        self.title("Pendula of three links");
        self.sizes().for_each(|n| self.compare(&format!("{n} pendula"), &pendula(n)));
    }

    fn chains(&self) {
        self.title("Chains of 100 links");
        let counts = self.sizes().map(|n| n / 100).filter(|n| *n > 0);
        counts.for_each(|n| self.compare(&format!("{n} chains"), &chains(n, 100)));
    }

    fn weights(&self) {
        self.title("Chains of 20 links with a weight");
        for ratio in [100.0, 1000.0] {
            self.compare(&format!("{ratio} times as heavy"), &weights(1, 20, ratio));
        }
    }

    fn ropes(&self) {
        self.title("Ropes of beads on threads");
        self.sizes().for_each(|n| self.compare(&format!("{n} beads"), &rope(n)));
    }

    fn nets(&self) {
        self.title("Cloths of beads on threads");
        let sides = [10, 30].into_iter().filter(|n| n * n <= self.largest);
        sides.for_each(|n| self.compare(&format!("{n} × {n} beads"), &net(n)));
    }

    fn title(&self, what: &str) {
        println!("\n## {what}, {} thread(s), {} steps\n", self.threads, self.steps);
        head(&["scene", "variant", "CPU ms per step", "joints apart (mm)", "moved (m)", "remarks"]);
    }

    fn compare(&self, name: &str, scene: &Scene) {
        let theirs = self.run(name, scene, &rapier_variants());
        let ours = self.run(name, scene, &xpbd_variants());
        for (variant, their) in &theirs {
            let as_precise = ours.iter().filter(|(_, our)| our.joint <= their.joint);
            if let Some((mine, our)) = as_precise.min_by(|x, y| x.1.cpu.total_cmp(&y.1.cpu)) {
                let ratio = figure(our.cpu / their.cpu);
                println!(
                    "> {name}: {} is at least as accurate as {} in {ratio} of its time",
                    mine.label(),
                    variant.label()
                );
            }
        }
    }

    fn run(&self, name: &str, scene: &Scene, variants: &[Variant]) -> Vec<(Variant, Measurement)> {
        let mut done = Vec::new();
        for variant in variants.iter().filter(|variant| variant.label().contains(self.only)) {
            match work(scene, variant, self.threads, (self.steps, 1), 1) {
                Ok(measurement) => {
                    let (cpu, joint) = (figure(1e3 * measurement.cpu), figure(1e3 * measurement.joint));
                    let remarks = measurement.failed.clone().unwrap_or_default();
                    row(&[&name, &variant.label(), &cpu, &joint, &figure(measurement.moved), &remarks]);
                    done.push((variant.clone(), measurement));
                }
                Err(why) => row(&[&name, &variant.label(), &"", &"", &"", &why]),
            }
        }
        done
    }
}
