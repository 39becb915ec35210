//! Compares two methods on one case and prints what the judges found.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use rigor_compare::{Plan, compare};
use rigor_run::disk::load_scene;

const FIGURES: [&str; 3] = ["energy.drift", "momentum.angular_relative", "motion.angular_speed_max"];

fn main() -> Result<(), Box<dyn Error>> {
    let plan = Plan {
        scenes: vec![load_scene("free/dzhanibekov", &["time.duration=0.5".to_owned()])?],
        methods: vec!["free".into(), "xpbd".into()],
        dts: vec![0.01, 0.005],
        duration: None,
        judge_every: 0.1,
        jobs: 1,
        limit: None,
    };
    let done = |scene: &str, row: &rigor_report::MethodRow| {
        println!(
            "{scene} by {} with Δt = {} s: {:?} after {} steps",
            row.method, row.dt, row.ending, row.steps
        );
    };
    for section in compare(&plan, &AtomicBool::new(false), &done) {
        println!("\nmethod   Δt [s]   {}", FIGURES.join("   "));
        for row in &section.rows {
            let cell = |name: &&str| {
                let value = row.value(name).map_or("–".into(), |value| format!("{value:.1e}"));
                format!("{value:>width$}", width = name.len())
            };
            println!(
                "{:6}   {:6}   {}",
                row.method,
                row.dt,
                FIGURES.iter().map(cell).collect::<Vec<_>>().join("   ")
            );
        }
    }
    Ok(())
}
