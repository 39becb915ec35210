//! The version of a program changes with its sources, and the identity of a run with the version.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use rigor_run::Folder;
use rigor_run::disk::load_scene;
use rigor_run::execute::{Plan, identify};
use rigor_run::folder::record::{Record, identity};

#[allow(dead_code, clippy::print_stdout, reason = "the build script is tested, not run")]
#[path = "../build.rs"]
mod build;

fn git(at: &Path, arguments: &[&str]) {
    let named = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let output = Command::new("git").current_dir(at).args(named).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Only this test changes the working folder of the process; the other uses no relative path.
#[test]
fn changes_and_commits_show_in_the_version() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("crates/rigor-math/src/lib.rs");
    let own = root.path().join("crates/rigor-run/src");
    std::fs::create_dir_all(source.parent().unwrap()).unwrap();
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(&source, "fn one() {}\n").unwrap();
    std::fs::write(own.join("lib.rs"), "\n").unwrap();
    git(root.path(), &["init", "--quiet"]);
    git(root.path(), &["add", "."]);
    git(root.path(), &["commit", "--quiet", "-m", "start"]);
    let before = std::env::current_dir().unwrap();
    std::env::set_current_dir(own.parent().unwrap()).unwrap();
    let clean = build::changes();
    std::fs::write(&source, "fn two() {}\n").unwrap();
    let changed = build::changes();
    std::fs::write(&source, "fn three() {}\n").unwrap();
    let otherwise = build::changes();
    // In a worktree `.git` is a file, and what changes with a commit lies elsewhere.
    let elsewhere = tempfile::tempdir().unwrap();
    let second = elsewhere.path().join("second");
    git(root.path(), &["worktree", "add", "--quiet", second.to_str().unwrap()]);
    std::env::set_current_dir(&second).unwrap();
    let content = || -> Vec<Vec<u8>> {
        build::files_of_commits().iter().map(|path| std::fs::read(path).unwrap()).collect()
    };
    let uncommitted = content();
    git(&second, &["commit", "--quiet", "--allow-empty", "-m", "next"]);
    let committed = content();
    std::env::set_current_dir(elsewhere.path()).unwrap();
    let outside = build::files_of_commits();
    std::env::set_current_dir(before).unwrap();
    assert_eq!(uncommitted.len(), 2);
    assert_ne!(uncommitted, committed, "the program is built again after a commit in a worktree");
    assert!(outside.is_empty(), "{outside:?}");
    assert_eq!(clean, "");
    assert!(changed.starts_with('+') && changed.len() == 9, "{changed}");
    assert_ne!(changed, otherwise);
}

#[test]
fn the_identity_changes_with_all_that_determines_the_result_and_with_nothing_else() {
    let loaded = load_scene("bouncing/ball", &[]).unwrap();
    let record = identify(&Plan::new(loaded, "xpbd", Folder::new("/nowhere"))).unwrap();
    assert_eq!(identity(&record), record.identity);
    let differs = |change: &dyn Fn(&mut Record)| {
        let mut other = record.clone();
        change(&mut other);
        identity(&other) != record.identity
    };
    assert!(differs(&|r| r.versions.commit.push_str("+0123abcd")), "changed sources");
    assert!(differs(&|r| r.versions.commit = "other".into()), "another commit");
    assert!(differs(&|r| r.versions.rapier.push('x')));
    assert!(differs(&|r| r.scene_hash.push('x')));
    assert!(differs(&|r| r.settings["substeps"] = 7.into()));
    assert!(differs(&|r| r.dt *= 0.5));
    assert!(differs(&|r| r.steps += 1));
    assert!(differs(&|r| r.judge_every += 1));
    assert!(differs(&|r| drop(r.conditions.insert("threads".into(), "2".into()))));
    assert!(!differs(&|r| r.every += 1), "what is kept");
    assert!(!differs(&|r| r.machine.cores += 1), "where it runs");
}
