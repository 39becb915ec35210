//! The audit of a run on disk knows which joints broke, and when.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_run::disk::load_scene;
use rigor_run::execute::{KeptFiles, Plan, execute};
use rigor_run::folder::breaks;
use rigor_run::{Folder, judge};

/// Figures of the whole scene on joints and energy: those of the audit, and those of the run itself.
fn figures(plan: &Plan) -> [Vec<(String, f64)>; 2] {
    let record = rigor_run::folder::record::Record::read(&plan.folder.record()).unwrap();
    let is_asked = |figure: &str| figure.starts_with("constraint.joint") || figure.starts_with("energy.");
    let judged = judge::judge(&plan.folder, &plan.loaded.scene, plan.judge_every, true).unwrap();
    let found = judged.findings.into_iter().filter(|f| f.body.is_none() && is_asked(f.figure));
    let told = record.findings.into_iter().filter(|f| f.body.is_none() && is_asked(&f.figure));
    [
        found.map(|f| (f.figure.to_owned(), f.value)).collect(),
        told.map(|f| (f.figure, f.value.unwrap())).collect(),
    ]
}

fn value(figures: &[(String, f64)], name: &str) -> Option<f64> {
    figures.iter().find(|(figure, _)| figure == name).map(|found| found.1)
}

fn plan(method: &str, root: &Path, settings: &[&str]) -> Plan {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let loaded = load_scene("joints/breaking", &settings).unwrap();
    Plan::new(loaded, method, Folder::new(root.join(method)))
}

#[test]
fn an_audit_finds_of_broken_joints_what_the_run_found() {
    let root = tempfile::tempdir().unwrap();
    for method in ["xpbd", "pbd", "avbd", "nonsmooth", "ipc"] {
        let plan = plan(method, root.path(), &["time.duration=0.3"]);
        execute(&plan, false, &AtomicBool::new(false), &mut |_| {}).unwrap();
        let [found, told] = figures(&plan);
        assert_eq!(found, told, "{method}");
        assert_eq!(value(&found, "constraint.joints_broken"), Some(1.0), "{method}");
    }
}

#[test]
fn a_resumed_run_knows_what_broke_before() {
    let root = tempfile::tempdir().unwrap();
    let plan = plan("xpbd", root.path(), &["time.duration=0.3"]);
    let stop = AtomicBool::new(false);
    execute(&plan, false, &stop, &mut |live| stop.store(live.state.step == 12, Ordering::Relaxed)).unwrap();
    execute(&plan, true, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let [found, told] = figures(&plan);
    assert_eq!(found, told);
    assert_eq!(value(&told, "constraint.joints_broken"), Some(1.0));
    assert!(value(&told, "constraint.joint_position").unwrap() < 1e-3);
    let lines = std::fs::read_to_string(plan.folder.breaks()).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
}

#[test]
fn a_folder_that_does_not_tell_what_broke_has_no_figures_of_it() {
    let root = tempfile::tempdir().unwrap();
    let keeps = KeptFiles { joints: true, ..KeptFiles::default() };
    let plan = Plan { keeps, ..plan("xpbd", root.path(), &["time.duration=0.1"]) };
    execute(&plan, false, &AtomicBool::new(false), &mut |_| {}).unwrap();
    // As earlier versions wrote it: with what joints carried, which tells too, and without.
    std::fs::remove_file(plan.folder.breaks()).unwrap();
    let [found, told] = figures(&plan);
    assert_eq!(found, told);
    std::fs::remove_file(plan.folder.joints()).unwrap();
    let [found, _] = figures(&plan);
    assert!(found.iter().all(|(figure, _)| figure.starts_with("energy.")), "{found:?}");
}

#[test]
fn a_line_that_is_cut_is_not_read_and_a_damaged_one_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let Plan { loaded, folder, .. } = plan("xpbd", root.path(), &[]);
    std::fs::create_dir_all(&folder.root).unwrap();
    let read = |text: &str| {
        std::fs::write(folder.breaks(), text).unwrap();
        breaks::read(&folder, &loaded.scene).map_err(|error| error.to_string())
    };
    assert_eq!(read("step,time_s,joint\n7,0.07,1\n8,0.0"), Ok(Some(vec![None, Some(7)])));
    assert_eq!(read("step,time_s,joint\n"), Ok(Some(vec![None, None])));
    for damaged in ["step,time_s,joint\n7,0.07,x\n", "step,time_s,joint\n7,0.07\n", "step,time_s\n7,0.07\n"] {
        assert!(read(damaged).unwrap_err().contains("line 2 is damaged"), "{damaged:?}");
    }
    assert!(read("step,time_s,joint\n7,0.07,2\n").unwrap_err().contains("another scene"));
}
