//! `rigor problems`: record, solve, profile, and what they refuse.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rigor_nonsmooth::{Cone, Delassus, Mat3, Problem, Vec3, file};
use serde_json::Value;

fn rigor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A body of 1 kg that falls at 1 m/s onto a floor and slides.
fn write(path: &Path, cone: Cone) {
    let w = Delassus::new(1, vec![(0, 0, Mat3::identity())]);
    let problem = Problem::new(w, vec![Vec3::new(-1.0, 2.0, 0.0)], vec![cone]).unwrap();
    fs::write(path, file::write(&problem).unwrap()).unwrap();
}

#[test]
fn steps_are_recorded_and_solved() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("problems");
    let out = out.to_str().unwrap();
    let record = ["problems", "record", "stacks/05", "--time", "0.2", "--every", "5", "--out", out];
    let output = rigor(&record);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let n = fs::read_dir(out).unwrap().count();
    assert!(n > 0 && text(&output.stdout).starts_with(&format!("{n} problems")), "{}", text(&output.stdout));
    let solved = rigor(&["problems", "solve", out, "--json"]);
    assert!(solved.status.success());
    let all: Value = serde_json::from_slice(&solved.stdout).unwrap();
    for one in all.as_array().unwrap() {
        assert_eq!(one["outcome"], "solved");
        assert!(one["residual"].as_f64().unwrap() <= 1e-8);
    }
    // The lowest contacts carry the boxes, and nothing is written over.
    let before: Vec<_> = fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().modified().unwrap())
        .collect();
    let again = rigor(&record);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("is there already"));
    let after: Vec<_> = fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().modified().unwrap())
        .collect();
    assert_eq!(before, after);
}

#[test]
fn a_problem_that_is_not_solved_fails_and_names_that_do_not_exist_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slide.npz");
    write(&path, Cone::Friction(0.5));
    let path = path.to_str().unwrap();
    let output = rigor(&["problems", "solve", path, "--json"]);
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), all[0]["r"][0][0].as_f64()), (Some(0), Some(1.0)));
    let short = [
        "problems",
        "solve",
        path,
        "--solver",
        "accelerated-gradient",
        "--iterations",
        "1",
        "--tolerance",
        "1e-14",
    ];
    let short = rigor(&short);
    assert_eq!(short.status.code(), Some(1), "{}", text(&short.stdout));
    assert!(text(&short.stdout).contains("out of iterations"));
    for (arguments, told) in [
        (&["--solver", "gaus-seidel"][..], "did you mean \"gauss-seidel\"?"),
        (&["--solver", "lemke"], "does not know the law"),
        (&["--law", "pyramid-2"], "there is no law \"pyramid-2\""),
        (&["--tolerance", "0"], "it must be a positive number"),
    ] {
        let output = rigor(&[&["problems", "solve", path][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    let none = rigor(&["problems", "solve", folder.path().join("none.npz").to_str().unwrap()]);
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn a_profile_has_a_row_per_problem_solver_and_tolerance_and_takes_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let problems = folder.path().join("problems");
    fs::create_dir(&problems).unwrap();
    write(&problems.join("a.npz"), Cone::Friction(0.5));
    write(&problems.join("b.npz"), Cone::Friction(0.0));
    let other = folder.path().join("other.csv");
    let head = "problem,blocks,solver,tolerance,outcome,residual,iterations,products,factorizations,cpu_s\n";
    fs::write(
        &other,
        format!("{head}a,1,mine,1e-8,solved,1e-9,3,0,0,1e-9\nc,1,mine,1e-8,solved,1e-9,3,0,0,1e-9\n"),
    )
    .unwrap();
    let out = folder.path().join("out");
    let profile = |other: &Path| {
        let [problems, out, other] = [&*problems, &*out, other].map(|path| path.to_str().unwrap());
        let fixed =
            ["problems", "profile", problems, "--solvers", "newton,gauss-seidel", "--tolerances", "1e-8"];
        rigor(&[&fixed[..], &["--with", other, "--out", out]].concat())
    };
    let output = profile(&other);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("mine          1 of 2"), "{}", text(&output.stdout));
    assert_eq!(fs::read_to_string(out.join("profile.csv")).unwrap().lines().count(), 1 + 1 + 4);
    let plot = fs::read_to_string(out.join("time-1e-8.svg")).unwrap();
    assert!(plot.contains("gauss-seidel") && !plot.contains("width=\"-"), "{plot}");
    fs::remove_dir_all(&out).unwrap();
    fs::write(&other, format!("{head}a,1,mine,fast,solved,1e-9,3,0,0,1e-9\n")).unwrap();
    let output = profile(&other);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("line 2: tolerance is \"fast\""), "{}", text(&output.stderr));
    assert!(!out.exists(), "a command that refuses makes nothing");
}

#[test]
fn a_scene_with_joints_is_no_problem_of_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("problems");
    let output = rigor(&["problems", "record", "joints/hinge-motor", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("would be left out"), "{}", text(&output.stderr));
    assert!(!out.exists());
}
