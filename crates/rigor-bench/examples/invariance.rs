//! Measures what methods and engines make of scenes that are written down in another way, and prints the page `docs/invariance.md`.
//!
//! ```text
//! cargo run --release -p rigor-bench --example invariance > docs/invariance.md
//! ```
//!
//! Arguments are methods, with settings as `mujoco:setting=best`; without any, all methods of the page. An engine that is not installed
//! has no row.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use rigor_bench::invariance::{CASES, Case, VARIATIONS, Variation, deviation};

/// The rows of the page.
const METHODS: [&str; 16] = [
    "free",
    "ipc",
    "ipc:integrator=bdf2",
    "xpbd",
    "pbd",
    "particles",
    "rapier:sleeping=false",
    "mujoco",
    "mujoco:setting=best",
    "bullet",
    "bullet:setting=best",
    "drake",
    "drake:setting=best",
    "physx",
    "dart",
    "dart:setting=best",
];

/// Differences up to this are rounding.
const ROUNDING: f64 = 1e-9;

const INTRODUCTION: &str = "# Invariance

Physics does not know how a scene is written down: the author's frame of a body, names and order, units, the place and the orientation of the world, which body of
a joint is called first, whether a box is one piece or two halves, or that another body falls a kilometre away. Each column changes one of these, and a cell is the largest
difference of the motion from that of the original, taken back: of a centre of mass in parts of 0.2 m, the shortest edge, or of a rotation in rad, over all frames.

What is below 10⁻⁹ is rounding and shown as 0; **bold** cells exceed 10⁻³. A dash is a scene that the method or its adapter lacks, or a column that changes
nothing in it. Solvers that go from contact to contact, as most here do, depend on the order of bodies and on the number of contact points by construction: that is no fault but an error
like any other, and smaller where they converge.

This page is the output of `cargo run --release -p rigor-bench --example invariance` (`crates/rigor-bench/src/invariance.rs`, which has the scenes). Engines that are not
installed have no row.";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let methods: Vec<String> =
        if arguments.is_empty() { METHODS.map(str::to_owned).to_vec() } else { arguments };
    println!("{INTRODUCTION}");
    for case in CASES {
        let columns = VARIATIONS.iter().filter(|one| is_told(case, **one)).copied().collect::<Vec<_>>();
        let heads: Vec<&str> = columns.iter().map(|one| one.name()).collect();
        println!("\n## {}\n\n{}\n", title(case.name()), case.what());
        println!("| | {} |\n| --- |{}", heads.join(" | "), " --- |".repeat(heads.len()));
        for method in &methods {
            if let Some(cells) = row(case, &columns, method) {
                println!("| {method} | {} |", cells.join(" | "));
            }
        }
    }
}

fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Only scenes with joints have bodies to swap.
fn is_told(case: Case, variation: Variation) -> bool {
    variation != Variation::Swapped || case == Case::Pendulum
}

/// The cells of a method; `None` if it has none.
fn row(case: Case, columns: &[Variation], method: &str) -> Option<Vec<String>> {
    let (name, settings) = method.split_once(':').unwrap_or((method, ""));
    let quoted = |line: &str| match line.split_once('=') {
        Some((key, value)) if value.parse::<f64>().is_err() && !["true", "false"].contains(&value) => {
            format!("{key}=\"{value}\"")
        }
        _ => line.to_owned(),
    };
    let settings: Vec<String> = settings.split(',').filter(|line| !line.is_empty()).map(quoted).collect();
    let cell = |variation: &Variation| match deviation(case, *variation, name, &settings) {
        Ok(found) if found.is_below(ROUNDING) => "0".to_owned(),
        Ok(found) if found.largest() <= 1e-3 => format!("{:.0e}", found.largest()),
        Ok(found) => {
            format!("**{:.2}**", found.largest()).replace("**0.00**", &format!("**{:.0e}**", found.largest()))
        }
        Err(why) => {
            eprintln!("{} {} {method}: {why}", case.name(), variation.name());
            "–".to_owned()
        }
    };
    let cells: Vec<String> = columns.iter().map(cell).collect();
    cells.iter().any(|cell| cell != "–").then_some(cells)
}
