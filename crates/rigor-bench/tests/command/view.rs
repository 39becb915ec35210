//! `rigor view`, as a process.

use std::path::Path;
use std::process::{Command, Output};

fn rigor(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).current_dir(folder).output().expect("it starts")
}

#[test]
fn the_page_of_two_kept_runs_plays_both() {
    let folder = tempfile::tempdir().expect("a folder");
    for method in ["xpbd", "pbd"] {
        let line = ["run", "bouncing/ball", "--method", method, "--time", "0.2", "--out", method];
        let made = rigor(&line, folder.path());
        assert!(made.status.code().is_some_and(|code| code < 2), "{made:?}");
    }
    let made = rigor(&["view", "xpbd", "pbd", "--page", "page.html"], folder.path());
    assert!(made.status.success(), "{made:?}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert_eq!(page.matches("class=\"player\"").count(), 1);
    assert_eq!(page.matches("\"film\":").count(), 2);
    assert!(!page.contains("data-live") && !page.contains("http:"));
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = rigor(&["view", ".", "--page", "page.html"], folder.path());
    assert_eq!(made.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&made.stderr).contains("run.json"), "{made:?}");
}
