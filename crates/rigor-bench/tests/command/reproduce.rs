//! `rigor reproduce`: every paper, with two steps per run.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

use serde_json::Value;

fn reproduce(paper: &str, what: &[&str]) -> Value {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    command.args(["reproduce", paper, "--json", "--out"]).arg(out.path().join("pages")).args(what);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{paper}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(out.path().join("pages/index.html").is_file());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The outcomes of the figures, and whether each run of each study has a number.
fn told(figures: &Value) -> (Vec<&str>, Vec<bool>) {
    let figures = figures.as_array().unwrap();
    let outcomes = figures.iter().map(|figure| figure["outcome"].as_str().unwrap()).collect();
    let studies = figures.iter().flat_map(|figure| figure["studies"].as_array().unwrap());
    let runs = studies.flat_map(|study| study["runs"].as_array().unwrap());
    (outcomes, runs.map(|run| run["here"].is_number()).collect())
}

#[test]
fn every_run_of_the_papers_on_positions_gives_its_number() {
    for paper in ["mueller2020", "macklin2016", "mueller2007"] {
        let figures = reproduce(paper, &["--all", "--steps", "2"]);
        let (outcomes, numbers) = told(&figures);
        assert!(
            outcomes.iter().all(|outcome| matches!(*outcome, "not judged" | "not run" | "held")),
            "{figures}"
        );
        assert!(numbers.len() > 5 && numbers.iter().all(|is_there| *is_there), "{figures}");
    }
}

#[test]
fn quick_claims_of_studies_hold() {
    let figures = reproduce("mueller2007", &["stiffness", "verlet"]);
    assert_eq!(told(&figures).0, ["held", "held"]);
}

/// The verdicts of `rigor audit` on the runs of a figure are those on which its claim rests.
#[test]
fn an_audit_of_the_runs_of_a_figure_confirms_its_claim() {
    let folder = tempfile::tempdir().unwrap();
    let rigor = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
        command.current_dir(folder.path()).args(arguments).output().unwrap()
    };
    let made = rigor(&["reproduce", "mueller2020", "13", "--form", "here", "--json", "--out", "made"]);
    let told: Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(told[0]["outcome"], "held", "{told}");
    let claimed = told[0]["scenes"][0]["expectations"].as_array().unwrap();
    assert!(claimed.len() > 2);
    let runs = std::fs::read_dir(folder.path().join("made/runs")).unwrap();
    let run = runs.map(|entry| entry.unwrap().path()).next().unwrap();
    let audit = || rigor(&["audit", run.to_str().unwrap(), "--json"]);
    let audited: Value = serde_json::from_slice(&audit().stdout).unwrap();
    let found = audited[0]["expectations"].as_array().unwrap();
    assert_eq!(found.len(), claimed.len());
    for (found, claimed) in found.iter().zip(claimed) {
        assert_eq!((&found["figure"], &found["verdict"]), (&claimed["figure"], &claimed["verdict"]));
    }
    // A run whose frames were changed confirms nothing.
    std::fs::write(run.join("frames.bin"), b"RIGORFR2").unwrap();
    assert_eq!(audit().status.code(), Some(2));
}
