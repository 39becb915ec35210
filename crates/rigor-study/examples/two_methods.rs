//! Compares two methods on one case at two time steps and prints what the judges found.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use rigor_study::{Contender, Options, Plan, conduct, row};
use toml::Value;

const FIGURES: [&str; 3] = ["energy.drift", "momentum.angular_relative", "motion.angular_speed_max"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut plan = Plan { method: vec![Contender::new("free"), Contender::new("xpbd")], ..Plan::default() };
    plan.study.scenes = vec!["free/dzhanibekov".into()];
    plan.study.duration = Some(0.5);
    plan.sweep.insert("time.dt".into(), Value::Array([0.01, 0.005].map(Value::Float).to_vec()));
    let results = conduct(&plan, &Options::new(folder.path()), &AtomicBool::new(false), &|_, _| {})?;

    println!("method   Δt [s]   {}   outcome", FIGURES.join("   "));
    for row in &results.rows {
        let cell = |name: &&str| {
            let found = row.record.findings.iter().find(|f| f.figure == **name && f.body.is_none());
            let value =
                found.and_then(|found| found.value).map_or("–".into(), |value| format!("{value:.1e}"));
            format!("{value:>width$}", width = name.len())
        };
        let cells = FIGURES.iter().map(cell).collect::<Vec<_>>().join("   ");
        println!("{:6}   {:6}   {cells}   {}", row.task.label, row.record.dt, row::outcome(&row.record));
    }
    Ok(())
}
