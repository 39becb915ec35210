//! Tables on the terminal fit 80 columns.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

/// Returns the lines of tables, from the first rule to the last.
fn table(here: &Path, arguments: &[&str]) -> Vec<String> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(here).args(arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_rule = |line: &String| line.trim().chars().filter(|c| "─═".contains(*c)).count() > 20;
    let first = lines.iter().position(is_rule);
    let last = lines.iter().rposition(is_rule);
    let (Some(first), Some(last)) = (first, last) else {
        panic!("{arguments:?} printed no table: {text}{}", String::from_utf8_lossy(&output.stderr))
    };
    lines[first..=last].to_vec()
}

fn fits(lines: &[String], of: &str) {
    for line in lines {
        // Combining accents, as in θ̇, take no column.
        let columns = line.chars().filter(|c| !('\u{300}'..'\u{370}').contains(c)).count();
        assert!(columns <= 80, "{of}: {columns} columns: {line}");
    }
}

#[test]
fn comparisons_of_long_names_fit() {
    let here = tempfile::tempdir().unwrap();
    let compare = [
        "compare",
        "ferguson2021/18-slope-mu-0.49",
        "friction/incline-mu-0.5",
        "joints/hinge-motor",
        "--methods",
        "xpbd,xpbd:substeps=40:iterations=2,ipc",
        "--time",
        "0.02",
        "--quiet",
        "--out",
        "compared",
    ];
    let lines = table(here.path(), &compare);
    fits(&lines, "compare");
    let text = lines.join("\n");
    for word in ["18-slope-mu-0.49", "skipped", "energy", "ms/step"] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
    // What the table leaves out stands in the file.
    let results = std::fs::read_to_string(here.path().join("compared/results.csv")).unwrap();
    assert!(results.contains("distance.smallest") && results.contains("tunnelling.centre_crossings"));
    let run = std::fs::read_dir(here.path().join("compared/runs")).unwrap().next().unwrap().unwrap().path();
    fits(&table(here.path(), &["audit", run.to_str().unwrap(), "--bodies"]), "audit");
}

#[test]
fn lists_fit() {
    let here = tempfile::tempdir().unwrap();
    fits(&table(here.path(), &["reproduce", "ferguson2021", "--list"]), "reproduce");
    fits(&table(here.path(), &["accuracy", "--list"]), "accuracy");
    fits(&table(here.path(), &["reproduce", "mueller2007", "verlet", "--out", "made"]), "reproduce");
}
