//! Runs a case, keeps the run in a temporary folder, lists the folder and judges the run from its files.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::atomic::AtomicBool;

use rigor_audit::Verdict;
use rigor_run::disk::load_scene;
use rigor_run::execute::{KeptFiles, Plan, execute};
use rigor_run::{Folder, judge};

fn main() -> Result<(), Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let loaded = load_scene("bouncing/ball", &["time.duration=0.9".to_owned()])?;
    let keeps = KeptFiles { contacts: true, ..KeptFiles::default() };
    let plan = Plan { keeps, ..Plan::new(loaded, "xpbd", Folder::new(root.path().join("ball"))) };
    let record = execute(&plan, false, &AtomicBool::new(false), &mut |_| {})?;
    println!("{} by {}: {} of {} steps", record.scene, record.method, record.steps_done, record.steps);

    for file in std::fs::read_dir(root.path().join("ball"))? {
        let file = file?;
        println!("{:>9} bytes  {}", file.metadata()?.len(), file.file_name().to_string_lossy());
    }
    let judgement = judge::judge(&plan.folder, &plan.loaded.scene, 10, true)?;
    for (expectation, verdict) in &judgement.verdicts {
        let held = matches!(verdict, Verdict::Held(_));
        println!("{} {}: {}", expectation.figure, expectation.bound, if held { "held" } else { "not held" });
    }
    Ok(())
}
