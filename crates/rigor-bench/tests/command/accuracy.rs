//! `rigor accuracy`: the table of cases is complete, and the command writes the promised files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rigor_bench::accuracy::case::{self, Case};
use rigor_bench::accuracy::results::{AccuracyRow, Outcome};
use rigor_bench::accuracy::scene::load_scene;
use rigor_bench::accuracy::sweep::{self, Plan};
use rigor_bench::accuracy::variant;
use serde_json::Value;

fn accuracy(arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    let output = command.args(["accuracy", "--json"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_quick_run_of_two_cases_writes_a_table_a_page_and_plots() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let rows = accuracy(&["--quick", "--cases", "projectile,ladder", "--out", folder]);
    let rows = rows.as_array().unwrap();
    let completed = |row: &&Value| row["outcome"] == "completed" && row["error"].is_number();
    assert!(rows.iter().filter(completed).count() >= 12, "{rows:?}");
    let free = rows.iter().find(|row| row["case"] == "ladder" && row["variant"] == "free").unwrap();
    assert_eq!((&free["outcome"], &free["why"]), (&"skipped".into(), &"it has no contact".into()));
    let page = std::fs::read_to_string(out.path().join("accuracy.md")).unwrap();
    assert!(page.contains("### Ladder against a wall") && page.contains("(accuracy/ladder.svg)"));
    let plot = std::fs::read_to_string(out.path().join("accuracy/ladder.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("polyline"));

    // The page generated from the table is the same.
    let again = tempfile::tempdir().unwrap();
    let table = out.path().join("accuracy.csv");
    accuracy(&["--from", table.to_str().unwrap(), "--out", again.path().to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(again.path().join("accuracy.md")).unwrap(), page);
}

#[test]
fn a_setting_changes_the_scene_and_the_answer() {
    let half = ["--quick", "--cases", "stopping", "--methods", "xpbd"];
    let changed = [&half[..], &["--set", "body.light.linear_velocity=[1,0,0]"]].concat();
    for arguments in [&half[..], &changed[..]] {
        let rows = accuracy(arguments);
        assert!(rows[1]["error"].as_f64().unwrap() < 0.05, "{rows}");
    }
}

#[test]
fn what_is_not_there_is_refused() {
    for wrong in [["--cases", "projectille"], ["--methods", "magic"], ["--limit", "0"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_rigor")).arg("accuracy").args(wrong).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

/// Returns the row of one case by one variant, at its shortest step among the first `at_most`.
fn finest(case: &Case, label: &str, at_most: usize) -> Option<AccuracyRow> {
    let variants = variant::all().unwrap().into_iter().filter(|variant| variant.label == label).collect();
    let plan = Plan {
        cases: vec![case.clone()],
        variants,
        set: vec![],
        at_most,
        limit: Duration::from_secs(60),
        repeat_for: Duration::ZERO,
        data: None,
    };
    let mut rows = Vec::new();
    sweep::run(&plan, &AtomicBool::new(false), |row| rows.push(row));
    rows.into_iter().rev().find(|row| row.outcome == Outcome::Completed)
}

/// A heavy load on a light rope: `docs/methods/xpbd.md`, "What it cannot do".
const UNANSWERED: [&str; 1] = ["capstan"];

#[test]
fn every_case_is_answered_by_a_method_to_within_its_bound_but_those_known() {
    let cases = case::all().unwrap();
    assert!(cases.iter().filter(|case| !case.answer.needs_data()).count() >= 24);
    let unanswered = |case: &&Case| {
        let reaches = |label: &&str| {
            finest(case, label, usize::MAX)
                .is_some_and(|row| row.error.is_some_and(|error| error <= case.bound))
        };
        !["free", "rapier", "xpbd", "pbd", "ipc"].iter().any(reaches)
    };
    let open: Vec<String> = cases
        .iter()
        .filter(|case| !case.answer.needs_data())
        .filter(unanswered)
        .map(|case| case.name.clone())
        .collect();
    assert_eq!(open, UNANSWERED);
}

#[test]
fn labels_of_variants_can_be_named_on_the_command_line() {
    assert!(variant::all().unwrap().iter().all(|variant| !variant.label.contains(',')));
}

#[test]
fn every_case_is_told_in_full_and_its_steps_halve() {
    for case in case::all().unwrap() {
        let texts = [&case.name, &case.group, &case.title, &case.truth, &case.scale_is];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", case.name);
        assert!(case.scale > 0.0 && case.bound > 0.0, "{}", case.name);
        assert!(
            case.steps.len() >= 3 && case.steps.windows(2).all(|pair| pair[1] >= 2 * pair[0]),
            "{}",
            case.name
        );
        assert!(load_scene(&case.scene, &[]).is_ok(), "{}", case.name);
    }
}
