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

/// One step of so many substeps takes hours.
#[test]
fn a_step_that_takes_hours_is_left() {
    let here = tempfile::tempdir().unwrap();
    let folder = Folder::new(here.path().join("run"));
    let child = start(
        here.path(),
        &["run", "stacks/02", "--method", "xpbd", "--set", "method.xpbd.substeps=100000000"],
    );
    let (code, took) = interrupt(child, || folder.record().is_file());
    assert_eq!(code, Some(130));
    assert!(took < SOON, "{took:?}");
    // The process ended inside the step; the run goes on from its checkpoint.
    assert_eq!(Record::read_unchanged(&folder).unwrap().outcome, Ending::Running);
    assert!(folder.checkpoint().is_file());
}

/// Balls inside each other, pair by pair: to judge the first frame takes many seconds.
const HEAP: &str = r#"
name = "heap"
[time]
dt = 0.01
duration = 1
[[body]]
name = "ball"
copies = { count = [24, 1, 1], spacing = [0.03, 0.01, 0] }
[[body.shape]]
icosphere = { radius = 0.5, subdivisions = 4 }
"#;

#[test]
fn judges_leave_a_frame_and_the_run_ends_in_order() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("heap.toml"), HEAP).unwrap();
    let folder = Folder::new(here.path().join("run"));
    let child = start(here.path(), &["run", "heap.toml", "--method", "free"]);
    let (code, took) = interrupt(child, || folder.frames().is_file());
    assert_eq!(code, Some(130));
    assert!(took < SOON, "{took:?}");
    // Unlike inside a step, the run ends by itself: the judges were told.
    assert_eq!(Record::read_unchanged(&folder).unwrap().outcome, Ending::Interrupted);
}
