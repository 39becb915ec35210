//! `rigor study`: parts on processes of their own fill one folder.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

const PLAN: &str = r#"
[study]
scenes = ["bouncing/ball"]
duration = 0.1
[[method]]
name = "xpbd"
[[method]]
name = "rapier"
[sweep]
"body.ball.restitution" = [0.2, 0.5, 0.8]
scale = [0.5, 1.0]
"#;

fn command(here: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    command.current_dir(here).args(["study", "plan.toml", "--jobs", "1"]).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finish(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The table without costs, which no two runs share.
fn timeless(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let kept: Vec<usize> = (0..rows[0].len()).filter(|k| !rows[0][*k].starts_with("cost.")).collect();
    rows.iter().map(|row| kept.iter().filter_map(|k| row.get(*k).cloned()).collect()).collect()
}

#[test]
fn two_processes_with_a_part_each_give_the_table_of_one() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("plan.toml"), PLAN).unwrap();
    let part = |shard: &str| {
        let arguments = ["--out", "parts", "--shard", shard, "--no-report", "--quiet"];
        command(here.path(), &arguments).spawn().unwrap()
    };
    let parts = [part("1/2"), part("2/2")];
    parts.into_iter().for_each(|child| drop(finish(child)));
    let runs = std::fs::read_dir(here.path().join("parts/runs")).unwrap().count();
    assert_eq!(runs, 12, "each run was made by one of the two");
    let merged = finish(command(here.path(), &["--out", "parts", "--log", "none"]).spawn().unwrap());
    let told = String::from_utf8(merged.stdout).unwrap();
    assert!(told.contains("12 runs: 0 made, 12 found"), "{told}");
    finish(command(here.path(), &["--out", "whole", "--quiet"]).spawn().unwrap());
    let [parts, whole] = ["parts", "whole"].map(|name| timeless(&here.path().join(name).join("results.csv")));
    assert_eq!(parts.len(), 13);
    assert_eq!(parts, whole);
}
