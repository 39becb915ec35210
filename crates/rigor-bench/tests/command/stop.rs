//! A request to stop ends a run soon, inside a step and while judging too.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rigor_run::Folder;
use rigor_run::folder::record::{Ending, Record};

/// The program answers within a second; a loaded machine may take longer to start and end processes.
const SOON: Duration = Duration::from_secs(4);

fn start(here: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rigor"))
        .current_dir(here)
        .args(arguments)
        .args(["--quiet", "--out", "run"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until `is_there`, then asks the process to stop, and returns its exit code and how long it took.
fn interrupt(mut child: Child, is_there: impl Fn() -> bool) -> (Option<i32>, Duration) {
    let began = Instant::now();
    while !is_there() {
        assert!(began.elapsed() < Duration::from_secs(120), "the run did not begin");
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    while asked.elapsed() < Duration::from_secs(20) {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), asked.elapsed());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("the process went on after the request to stop");
}

/// One step of so many substeps takes many minutes.
#[test]
fn a_step_that_takes_minutes_is_left() {
    let here = tempfile::tempdir().unwrap();
    let folder = Folder::new(here.path().join("run"));
    let many = ["--set", "method.xpbd.substeps=100000", "--set", "method.xpbd.iterations=100"];
    let run = ["run", "mueller2020/chain-100", "--method", "xpbd"];
    let child = start(here.path(), &[&run[..], &many[..]].concat());
    let (code, took) = interrupt(child, || folder.frames().is_file());
    assert_eq!(code, Some(130));
    assert!(took < SOON, "{took:?}");
    // The process ended inside the step; the run goes on from its checkpoint.
    assert_eq!(Record::read_unchanged(&folder).unwrap().outcome, Ending::Running);
    assert!(folder.checkpoint().is_file());
}

/// Two clouds of balls that fly into each other: the judges examine 256 pairs of 20 480 triangles each, for many seconds.
const HEAP: &str = r#"
name = "heap"
[time]
dt = 0.01
duration = 1
[[body]]
name = "left"
group = "left"
position = [-2, 0, 0]
linear_velocity = [200, 0, 0]
copies = { count = [16, 1, 1], spacing = [0.01, 0.01, 0] }
[[body.shape]]
icosphere = { radius = 0.5, subdivisions = 5 }
[[body]]
name = "right"
group = "right"
copies = { count = [16, 1, 1], spacing = [0.01, 0, 0.01] }
[[body.shape]]
icosphere = { radius = 0.5, subdivisions = 5 }
"#;

#[test]
fn a_frame_that_judges_take_long_for_is_left() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("heap.toml"), HEAP).unwrap();
    let folder = Folder::new(here.path().join("run"));
    let child = start(here.path(), &["run", "heap.toml", "--method", "free"]);
    let (code, took) = interrupt(child, || folder.frames().is_file());
    assert_eq!(code, Some(130));
    assert!(took < SOON, "{took:?}");
}
