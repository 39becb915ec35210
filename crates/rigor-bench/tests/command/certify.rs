//! `rigor audit --certify`: a run is certified end to end, and a corrupted path is not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::{Command, Output};

use rigor_math::Vec3;
use rigor_run::Folder;
use rigor_run::folder::path::{Reader, Writer};
use rigor_run::folder::record::Record;
use rigor_run::folder::seal;
use rigor_scene::{PathPiece, Travel, Turn};
use serde_json::Value;

fn rigor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).output().unwrap()
}

fn run(folder: &Path, more: &[&str]) {
    let out = ["--out", folder.to_str().unwrap()];
    let output = rigor(&[&["run"], more, &out].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Pieces, each with its step.
type Pieces = Vec<(u64, PathPiece)>;

const RECORDED: [&str; 5] =
    ["unit-tests/vertex-vertex", "--method", "ipc", "--set", "method.ipc.record_path=true"];

/// Returns the exit status and the certificate as JSON.
fn certify(folder: &Path) -> (i32, Value) {
    let output = rigor(&["audit", folder.to_str().unwrap(), "--certify", "--json"]);
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), all[0]["certificate"].clone())
}

fn read(folder: &Path) -> (usize, Pieces) {
    let mut reader = Reader::open(&Folder::new(folder).path()).unwrap().unwrap();
    (reader.bodies, std::iter::from_fn(|| reader.read().unwrap()).collect())
}

/// Lets a changed folder pass for an unchanged one, so that the certificate itself is tested.
fn seal_again(folder: &Path) {
    let folder = Folder::new(folder);
    let record = Record::read(&folder.record()).unwrap();
    let record = Record { files: seal::seal(&folder).unwrap(), ..record };
    record.write(&folder.record()).unwrap();
}

fn write(folder: &Path, bodies: usize, pieces: &[(u64, PathPiece)]) {
    let mut writer = Writer::create(&Folder::new(folder).path(), bodies).unwrap();
    for (step, piece) in pieces {
        writer.push(*step, std::slice::from_ref(piece)).unwrap();
    }
    writer.flush().unwrap();
}

/// Returns the longest travel in a piece, so that a change of it exceeds rounding.
fn longest(piece: &mut PathPiece) -> &mut Travel {
    piece.travels.iter_mut().max_by(|a, b| a.by.norm().total_cmp(&b.by.norm())).unwrap()
}

#[test]
fn a_run_is_certified_and_a_path_that_was_tampered_with_is_not() {
    let temporary = tempfile::tempdir().unwrap();
    for coordinates in ["local", "rotation_vector"] {
        let folder = temporary.path().join(coordinates);
        let set = format!("method.ipc.coordinates=\"{coordinates}\"");
        run(&folder, &[&RECORDED[..], &["--time", "0.5", "--set", &set]].concat());
        let (status, found) = certify(&folder);
        assert_eq!((status, &found["certified"]), (0, &true.into()), "{found}");
        assert_eq!(found["steps"], 50);

        let (bodies, pieces) = read(&folder);
        assert_eq!(found["pieces"], pieces.len());
        let far = |i: &usize| longest(&mut pieces[*i].1.clone()).by.norm();
        let middle = (1..pieces.len()).max_by(|i, j| far(i).total_cmp(&far(j))).unwrap();
        let is_caught = |change: &dyn Fn(&mut Pieces)| {
            let mut changed = pieces.clone();
            change(&mut changed);
            write(&folder, bodies, &changed);
            seal_again(&folder);
            let (status, found) = certify(&folder);
            assert_eq!((status, &found["certified"]), (1, &false.into()), "{found}");
            found["message"].as_str().unwrap().to_owned()
        };
        let dropped = is_caught(&|p| drop(p.remove(middle)));
        assert!(dropped.contains("the path is broken") || dropped.contains("does not lead"), "{dropped}");
        is_caught(&|p| p.truncate(middle));
        is_caught(&|p| longest(&mut p[middle].1).by *= 1.25);
        is_caught(&|p| longest(&mut p[middle].1).by.x = f64::NAN);
        is_caught(&|p| longest(&mut p[middle].1).to.position.y -= 1.0);
        is_caught(&|p| {
            let turn = Vec3::new(3.0, 0.0, 0.0);
            longest(&mut p[middle].1).turn = Turn::About(turn);
        });
        // Moved through the floor and back: every piece agrees with its neighbours.
        let through = is_caught(&|p| {
            let (step, mut piece) = p[middle].clone();
            piece.travels = vec![*longest(&mut piece)];
            let travel = &mut piece.travels[0];
            let down = Vec3::new(0.0, -20.0, 0.0);
            (travel.from, travel.by, travel.turn) = (travel.to, down, Turn::About(Vec3::zeros()));
            travel.to.position += down;
            let mut back = piece.clone();
            let travel = &mut back.travels[0];
            (travel.from, travel.to, travel.by) = (travel.to, travel.from, -down);
            p.insert(middle + 1, (step, piece));
            p.insert(middle + 2, (step, back));
        });
        assert!(through.contains("touch"), "{through}");
    }
}

#[test]
fn a_run_that_was_resumed_is_certified_as_a_whole() {
    let temporary = tempfile::tempdir().unwrap();
    let [parts, whole] = ["parts", "whole"].map(|name| temporary.path().join(name));
    run(&parts, &[&RECORDED[..], &["--time", "0.3"]].concat());
    run(&parts, &["--resume", "--time", "0.5"]);
    run(&whole, &[&RECORDED[..], &["--time", "0.5"]].concat());
    assert_eq!(read(&parts), read(&whole));
    assert_eq!(certify(&parts).0, 0);
}

/// Bodies that are moved apart in the scene of a run would turn its intersecting frames into clean ones.
#[test]
fn a_run_whose_scene_was_changed_is_not_certified() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    run(&folder, &[&RECORDED[..], &["--time", "0.2"]].concat());
    let scene = Folder::new(&folder).scene();
    let text = std::fs::read_to_string(&scene).unwrap();
    std::fs::write(&scene, text.replace("gravity", "# gravity")).unwrap();
    for more in [&["--certify"][..], &[]] {
        let output = rigor(&[&["audit", folder.to_str().unwrap()], more].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains("was changed"), "{errors}");
    }
}

#[test]
fn a_run_without_a_path_is_told_how_to_get_one() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("run");
    run(&folder, &["unit-tests/vertex-vertex", "--method", "ipc", "--time", "0.1"]);
    let (status, found) = certify(&folder);
    assert_eq!(status, 1);
    assert!(found["message"].as_str().unwrap().contains("--set method.ipc.record_path=true"), "{found}");
    let output = rigor(&["audit", folder.to_str().unwrap(), "--certify"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("NOT certified"));
    assert!(certify(&folder).1["pieces"].is_null());
}
