//! Consistency of the case library.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rigor_file::cases;
use rigor_file::check::initial_intersections;
use rigor_file::{Files, LoadOptions, Loaded, load};

fn loaded(name: &str) -> Loaded {
    let path = cases::find(name).expect("the library finds its own names");
    load(Path::new(path), &cases::files(), &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_case_loads_without_warnings_under_its_own_name() {
    for name in cases::names() {
        let Loaded { scene, warnings, .. } = loaded(name);
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        assert_eq!(scene.name, name);
        assert!(!scene.description.is_empty() && scene.time.duration > 0.0, "{name}");
    }
}

#[test]
fn every_expectation_has_a_reason() {
    for name in cases::names() {
        let scene = loaded(name).scene;
        assert!(!scene.expectations.is_empty(), "{name} expects nothing");
        for expectation in &scene.expectations {
            assert!(!expectation.because.is_empty(), "{name}: {}", expectation.figure);
            let is_reasoned = !expectation.methods_because.is_empty();
            assert_eq!(is_reasoned, !expectation.methods.is_empty(), "{name}: {}", expectation.figure);
        }
    }
}

/// Cases whose purpose is an overlap of bodies at the start.
const OVERLAPPING: [&str; 1] = ["mueller2020/13-overlap"];

/// Bodies must not even touch: methods that keep bodies apart cannot start from distance 0.
#[test]
fn no_bodies_meet_at_the_start_but_where_that_is_the_point() {
    for name in OVERLAPPING {
        assert!(
            !initial_intersections(&loaded(name).scene).is_empty(),
            "{name} overlaps no more: take it off the list"
        );
    }
    for name in cases::names().filter(|name| !OVERLAPPING.contains(name)) {
        let found = initial_intersections(&loaded(name).scene);
        assert!(found.is_empty(), "{name}: {}", found[0]);
    }
}

/// A file that is not listed would silently be missing from the program.
#[test]
fn every_file_in_the_folder_is_listed_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let on_disk: BTreeSet<PathBuf> = toml_files(&folder)
        .into_iter()
        .map(|path| path.strip_prefix(&folder).unwrap().with_extension(""))
        .collect();
    let listed: Vec<PathBuf> = cases::names().map(PathBuf::from).collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), on_disk);
    assert_eq!(listed.len(), on_disk.len());
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder of the cases is there");
    let entries = entries.map(|entry| entry.expect("its entries can be read").path());
    entries.flat_map(|path| if path.is_dir() { toml_files(&path) } else { vec![path] }).collect()
}

#[test]
fn what_is_not_in_the_library_is_not_found() {
    assert!(cases::find("erleben").is_none());
    let error = cases::files().read(Path::new("erleben/wedges")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
