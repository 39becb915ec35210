//! `rigor figure`, as a process.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn rigor(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).current_dir(folder).output().expect("it starts")
}

/// Paths of the files below `folder` that end in `.ext`.
fn files(folder: &Path, ext: &str) -> Vec<std::path::PathBuf> {
    let mut all: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    all.retain(|path| path.extension().is_some_and(|own| own == ext));
    all
}

#[test]
fn a_report_becomes_files_for_a_paper() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        ["compare", "bouncing/ball", "--methods", "xpbd,pbd", "--time", "0.2", "--out", "first", "--quiet"];
    let made = rigor(&line, folder.path());
    assert!(made.status.success(), "{made:?}");
    let line = ["figure", "first", "--out", "paper", "--size", "64x40", "--transparent", "--only"];
    let made = rigor(&[&line[..], &["plots,tables,pictures,sheet,vtk,citation"]].concat(), folder.path());
    assert!(made.status.success(), "{made:?}");
    let paper = folder.path().join("paper");
    let told = String::from_utf8(made.stdout).unwrap();
    assert!(told.lines().all(|line| folder.path().join(line).is_file()), "{told}");
    let plots = files(&paper.join("plots"), "pdf");
    assert!(plots.len() >= 3 && plots.len() == files(&paper.join("plots"), "svg").len());
    for plot in &plots {
        assert!(fs::read(plot).unwrap().starts_with(b"%PDF-"));
    }
    let energy =
        fs::read_to_string(paper.join("plots/bouncing-ball-total-energy-change-since-the-start.csv"))
            .unwrap();
    assert!(energy.starts_with("time [s],xpbd [J],pbd [J]\n"), "{energy}");
    let verdicts = fs::read_to_string(paper.join("tables/verdicts.tex")).unwrap();
    assert!(verdicts.contains("\\toprule") && verdicts.contains("bouncing/ball & "), "{verdicts}");
    // Two ends and the start, with a transparent ground: colour type 6 in the header.
    let pictures = files(&paper.join("pictures"), "png");
    assert_eq!(pictures.len(), 3);
    assert!(pictures.iter().all(|path| fs::read(path).unwrap()[25] == 6));
    assert!(paper.join("sheet.png").is_file());
    let citation = fs::read_to_string(paper.join("citation.txt")).unwrap();
    assert_eq!(citation.matches("identity ").count(), 2, "{citation}");
    let series = fs::read_to_string(&files(&paper.join("vtk"), "pvd")[0]).unwrap();
    let first = series.split("file=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(fs::read_to_string(paper.join("vtk").join(first)).unwrap().contains("PolyData"));
}

#[test]
fn what_cannot_be_made_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str]| rigor(arguments, folder.path()).status.code();
    assert_eq!(code(&["figure", ".", "--out", "paper"]), Some(2));
    assert_eq!(code(&["figure", ".", "--out", "paper", "--size", "1x1"]), Some(2));
    assert_eq!(code(&["figure", ".", "--out", "paper", "--column", "NaN"]), Some(2));
}
