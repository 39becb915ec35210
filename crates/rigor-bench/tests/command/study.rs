//! `rigor study`: parts on processes of their own fill one folder, and a killed process loses the run under way only.
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

/// The process is killed in the middle of a run, wherever that is, when so many runs have begun.
#[test]
fn a_study_that_was_killed_five_times_ends_with_the_same_table() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("plan.toml"), PLAN).unwrap();
    let runs = here.path().join("killed/runs");
    let n_begun = || std::fs::read_dir(&runs).map_or(0, Iterator::count);
    for begun in [1, 3, 5, 8, 11] {
        let mut child = command(here.path(), &["--out", "killed", "--quiet"]).spawn().unwrap();
        while n_begun() < begun && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(child.try_wait().unwrap().is_none(), "the study ended before it was killed");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!here.path().join("killed/results.csv").exists(), "the table is written at the end");
    }
    let again = finish(command(here.path(), &["--out", "killed", "--log", "none"]).spawn().unwrap());
    let told = String::from_utf8(again.stdout).unwrap();
    // The last process was killed when the eleventh run had begun.
    let n_found: usize = told.split(" made, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((7..=11).contains(&n_found), "{told}");
    finish(command(here.path(), &["--out", "whole", "--quiet"]).spawn().unwrap());
    let [killed, whole] =
        ["killed", "whole"].map(|name| timeless(&here.path().join(name).join("results.csv")));
    assert_eq!(killed, whole);
}

#[test]
fn a_plan_of_which_no_run_can_begin_says_why() {
    let here = tempfile::tempdir().unwrap();
    let plan = PLAN.replace("body.ball.restitution", "body.bal.restitution");
    std::fs::write(here.path().join("plan.toml"), plan).unwrap();
    let output = command(here.path(), &["--out", "out"]).output().unwrap();
    let told = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("there is no item `bal`") && !told.contains("cannot be written"), "{told}");
    assert!(!here.path().join("out").exists(), "nothing began");
}

#[test]
fn a_search_counts_its_runs() {
    let here = tempfile::tempdir().unwrap();
    let plan = "[study]\nscenes = [\"bouncing/ball\"]\n[[method]]\nname = \"xpbd\"\n[bisect]\n\
                key = \"body.ball.restitution\"\nfrom = 0.1\nto = 0.9\ntolerance = 0.3\n\
                when = \"motion.bounce:ball > 0.3\"\n";
    std::fs::write(here.path().join("plan.toml"), plan).unwrap();
    let told = finish(command(here.path(), &["--out", "out", "--log", "none"]).spawn().unwrap());
    let told = String::from_utf8(told.stdout).unwrap();
    // Both ends, and two halvings: an interval of 0.8 becomes 0.4 and 0.2.
    assert!(told.contains("1 search with 4 runs"), "{told}");
}

#[test]
fn counts_beyond_memory_are_refused_where_they_are_read() {
    let here = tempfile::tempdir().unwrap();
    let plan = here.path().join("plan.toml");
    let told = |text: &str, arguments: &[&str]| {
        std::fs::write(&plan, text).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
        let output = command.current_dir(here.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let study = ["study", "plan.toml", "--out", "out"];
    let text =
        told(&PLAN.replace("scale = [0.5, 1.0]", "scale = { from = 1, to = 2, count = 4000000000 }"), &study);
    assert!(
        text.contains("scale: count is 4000000000: it must be a whole number from 1 to 1000000"),
        "{text}"
    );
    let text = told(&PLAN.replace("scale = [0.5, 1.0]", "scale = { from = 1, to = 2, count = 2.5 }"), &study);
    assert!(text.contains("count is 2.5"), "{text}");
    let parts = ["study", "commands", "plan.toml", "--out", "out", "--parts", "1000000000000"];
    let text = told(PLAN, &parts);
    assert!(text.contains("--parts is 1000000000000: it must be 1 to 100000"), "{text}");
    let vary = ["sweep", "bouncing/ball", "--vary", "time.dt=1e-2..1e-3/100000000000", "--out", "out"];
    let text = told(PLAN, &vary);
    assert!(text.contains("count is 100000000000"), "{text}");
}

/// `ipc` is given too few iterations: its runs stop, and nothing that follows from them stands.
#[test]
fn a_run_that_stops_is_told_by_the_exit_code_and_by_name() {
    let here = tempfile::tempdir().unwrap();
    let plan = "[study]\nscenes = [\"friction/incline-mu-0.5\"]\nduration = 0.05\n[[method]]\nname = \"ipc\"\n\
                set.max_newton_iterations = 1\nset.max_halvings = 0\n";
    let search = "[bisect]\nkey = \"body.box.friction\"\nfrom = 0.2\nto = 0.8\ntolerance = 0.1\n\
                  when = \"motion.displacement:box > 0.005\"\n";
    for (text, told) in
        [(plan.to_owned(), "with ipc: stopped: "), (format!("{plan}{search}"), "critical value unknown: ")]
    {
        std::fs::write(here.path().join("plan.toml"), text).unwrap();
        let output = command(here.path(), &["--out", "out", "--log", "none"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains(told), "{text}");
        // A part draws no conclusion.
        let part = command(here.path(), &["--out", "out", "--quiet", "--no-report"]).output().unwrap();
        assert_eq!(part.status.code(), Some(0));
    }
    let output = command(here.path(), &["--out", "out", "--json", "--log", "none"]).output().unwrap();
    let json = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(json.contains("\"result\": \"unknown\"") && json.contains("\"critical\": null"), "{json}");
    assert!(here.path().join("out/critical.csv").exists());
}
