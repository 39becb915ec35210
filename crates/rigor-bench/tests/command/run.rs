//! `rigor run`: forces and quantities in its folder, with and without resuming; scenes by relative paths.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use rigor_math::Vec3;
use rigor_run::Folder;
use rigor_run::folder::frames::{Frame, Reader};
use rigor_run::folder::record::{Ending, Record};
use rigor_run::verdict::FindingRecord;
use serde_json::Value;

fn run(working_folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    let output = command.current_dir(working_folder).arg("run").args(arguments).output().unwrap();
    // 1: it ran, and an expectation of the scene failed.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stderr).unwrap();
    // Notices, and progress on a busy machine.
    assert!(told.lines().all(|line| line.starts_with("note: ") || line.starts_with('[')), "{told}");
}

fn frames(folder: &Folder) -> Vec<Frame> {
    let mut reader = Reader::open(&folder.frames()).unwrap();
    std::iter::from_fn(|| reader.read().unwrap()).collect()
}

/// Returns the columns of a table by name.
fn columns(path: &Path) -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let mut columns: Vec<(String, Vec<String>)> =
        lines.next().unwrap().split(',').map(|name| (name.to_owned(), vec![])).collect();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), columns.len(), "{line}");
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.1.push(cell.to_owned());
        }
    }
    columns
}

fn numbers(columns: &[(String, Vec<String>)], name: &str) -> Vec<f64> {
    let (_, cells) = columns.iter().find(|column| column.0 == name).unwrap();
    cells.iter().map(|cell| cell.parse().unwrap()).collect()
}

/// Returns the columns of `steps.csv` without wall times.
fn told(folder: &Folder) -> Vec<(String, Vec<String>)> {
    let mut columns = columns(&folder.steps());
    columns.retain(|(name, _)| name == "time_s" || !(name == "seconds" || name.ends_with("_s")));
    columns
}

/// A box with a plate nine times as heavy on it lands beside the middle of a narrow support, which the plate pulls it into.
#[test]
fn deep_overlaps_are_told_with_their_depth() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("support.toml");
    let text = r#"
        format = 1
        name = "support"
        gravity = [0, 0, 0]
        [time]
        dt = 0.01
        duration = 0.08
        [[body]]
        name = "support"
        role = "static"
        rotation_deg = [0, 0, 5.465540192976327]
        shape = [{ box = { size = [0.08309745674338163, 0.1, 2] } }]
        [[body]]
        name = "a"
        mass = 1
        position = [0, 0.6, 0]
        linear_velocity = [0, -13.355321071117253, 0]
        shape = [{ box = { size = [0.2769915224779388, 0.2936755988345544, 0.15245226215437052] } }]
        [[body]]
        name = "b"
        mass = 8.94028058713492
        position = [0.18375652585301572, 0.6, 0]
        linear_velocity = [0, -13.355321071117253, 0]
        shape = [{ box = { size = [0.050521529228092665, 0.39071109616824445, 0.1544404280559065] } }]
        [[joint]]
        name = "weld"
        kind = "fixed"
        body_a = "b"
        body_b = "a"
        position = [0.18375652585301572, 0.6, 0]
    "#;
    std::fs::write(&scene, text).unwrap();
    let told = |set: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
        let set = format!("method.pbd.{set}");
        command.current_dir(folder.path()).args(["run", "support.toml", "--method", "pbd", "--set", &set]);
        String::from_utf8(command.args(["--out", &set]).output().unwrap().stdout).unwrap()
    };
    let deep = told("iterations=5");
    assert!(
        deep.contains("warning: bodies overlapped by up to 11.5 mm, 14 % of the thinner one: a – support at"),
        "{deep}"
    );
    let shallow = told("substeps=4");
    assert!(!shallow.contains("overlapped"), "{shallow}");
}

/// Two boxes fly side by side, nearer than d̂ at the start: what the barrier stores becomes motion, within the bounds of every step.
#[test]
fn energy_that_nothing_gives_is_told_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        format = 1
        name = "gain"
        gravity = [0, 0, 0]
        [time]
        dt = 0.005
        duration = 0.05
        [[body]]
        name = "a"
        position = [-0.505, 0, 0]
        linear_velocity = [1, 0, 0]
        shape = [{ box = { size = [1, 1, 1] } }]
        [[body]]
        name = "b"
        position = [0.505, 0, 0]
        linear_velocity = [1, 0, 0]
        shape = [{ box = { size = [1, 1, 1] } }]
    "#;
    std::fs::write(folder.path().join("gain.toml"), text).unwrap();
    let told = |d_hat: &str| {
        let set = format!("method.ipc.d_hat={d_hat}");
        let pushed = "method.ipc.start_within=pushed";
        let run = ["run", "gain.toml", "--method", "ipc", "--set", &set, "--set", pushed, "--out", d_hat];
        let (status, text) = rigor(folder.path(), &run);
        assert_eq!(status, Some(0), "{text}");
        text
    };
    let near = told("0.02");
    assert!(near.contains("warning: the energy was"), "{near}");
    assert!(near.contains("nothing in the scene gives any"), "{near}");
    assert!(!near.contains("energy_made"), "{near}");
    assert!(!told("0.005").contains("warning:"));
}

const KEPT: [&str; 6] = ["stacks/02", "--method", "ipc", "--contacts", "--every", "3"];

#[test]
fn forces_and_quantities_of_a_resumed_run_are_those_of_a_whole_one() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let [whole, parts] = ["whole", "parts"].map(|name| Folder::new(here.join(name)));
    run(here, &[&KEPT[..], &["--time", "0.5", "--out", "whole"]].concat());
    run(here, &[&KEPT[..], &["--time", "0.3", "--out", "parts"]].concat());
    let expected = told(&whole);
    let forces = |folder: &Folder| -> Vec<FindingRecord> {
        let all = Record::read(&folder.record()).unwrap().findings.into_iter();
        all.filter(|f| f.figure.starts_with("contact.") || f.figure.starts_with("friction.")).collect()
    };
    assert!(forces(&whole).iter().any(|finding| finding.step.is_some_and(|step| step < 30)));
    for name in ["iterations", "cuts", "shifts", "factorizations", "friction_rounds", "kappa"] {
        assert_eq!(numbers(&expected, name).len(), 50, "{name}");
    }
    let same = |folder: &Folder| {
        assert_eq!(told(folder), expected);
        assert_eq!(forces(folder), forces(&whole), "figures of forces cover the whole run");
        for file in [Folder::frames, Folder::contacts] {
            assert!(std::fs::read(file(folder)).unwrap() == std::fs::read(file(&whole)).unwrap());
        }
    };
    // Killed after its last checkpoint: the files contain parts of later steps.
    let killed = Folder::new(here.join("killed"));
    run(here, &[&KEPT[..], &["--time", "0.3", "--out", "killed"]].concat());
    for file in [Folder::frames, Folder::contacts, Folder::steps] {
        let longer = [std::fs::read(file(&killed)).unwrap(), b"31,0.31,a truncated li".to_vec()].concat();
        std::fs::write(file(&killed), longer).unwrap();
    }
    let mut record = Record::read(&killed.record()).unwrap();
    record.outcome = Ending::Running;
    record.files.retain(|name, _| name.starts_with("scene/"));
    record.write(&killed.record()).unwrap();
    for name in ["parts", "killed"] {
        run(here, &["--resume", "--time", "0.5", "--out", name]);
    }
    same(&parts);
    same(&killed);
}

#[test]
fn contacts_of_a_frame_add_up_to_the_forces_on_its_bodies() {
    let temporary = tempfile::tempdir().unwrap();
    run(temporary.path(), &[&KEPT[..], &["--time", "0.3", "--out", "run"]].concat());
    let folder = Folder::new(temporary.path().join("run"));
    let table = columns(&folder.contacts());
    let of = |name: &str| numbers(&table, name);
    let (step, a, b, size) = (of("step"), of("body_a"), of("body_b"), of("normal_force_n"));
    let vectors = |name: &str, unit: &str| -> Vec<Vec3> {
        let [x, y, z] = ["x", "y", "z"].map(|axis| of(&format!("{name}_{axis}{unit}")));
        (0..x.len()).map(|i| Vec3::new(x[i], y[i], z[i])).collect()
    };
    let (normal, friction) = (vectors("normal", ""), vectors("friction_force", "_n"));
    let frames = frames(&folder);
    let steps: Vec<u64> = frames.iter().map(|frame| frame.state.step).collect();
    assert_eq!(steps, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]);
    for frame in &frames {
        for (body, force) in frame.forces.iter().enumerate() {
            let sum = |value: &dyn Fn(usize) -> Vec3| -> Vec3 {
                let sign = |i: usize| f64::from(a[i] as usize == body) - f64::from(b[i] as usize == body);
                (0..step.len())
                    .filter(|i| step[*i] as u64 == frame.state.step)
                    .map(|i| value(i) * sign(i))
                    .sum()
            };
            // Both sums add the contacts in the same order, so the rounding is the same.
            assert_eq!(sum(&|i| normal[i] * size[i]), force.contact);
            assert_eq!(sum(&|i| friction[i]), force.friction);
        }
    }
    assert!(frames[10].forces[0].contact.y < -19_000.0, "two cubes of a tonne press on the floor");
}

#[test]
fn meshes_around_a_scene_are_found_whatever_the_working_directory_is() {
    let temporary = tempfile::tempdir().unwrap();
    let scenes = temporary.path().join("scenes/deep");
    std::fs::create_dir_all(&scenes).unwrap();
    std::fs::create_dir_all(temporary.path().join("meshes")).unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(temporary.path().join("meshes/tetrahedron.obj"), tetrahedron).unwrap();
    let scene =
        r#"{"rigid_body_problem": {"rigid_bodies": [{"mesh": "tetrahedron.obj"}]}, "max_iterations": 2}"#;
    std::fs::write(scenes.join("scene.json"), scene).unwrap();
    let from = [(temporary.path().join("scenes"), "deep/scene.json"), (scenes.clone(), "scene.json")];
    for (i, (working_folder, path)) in from.iter().enumerate() {
        let out = temporary.path().join(format!("out-{i}"));
        run(working_folder, &[path, "--method", "free", "--out", out.to_str().unwrap()]);
    }
}

#[test]
fn a_step_that_fails_says_why_and_between_which_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    let settings = ["--method", "ipc", "--set", "method.ipc.minimum_separation=0.01", "--out", "run"];
    let output = command.current_dir(&folder).args(["run", "stacks/02"]).args(settings).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.starts_with("stopped after step 0")).unwrap();
    assert!(line.contains("(minimum_separation)") && line.contains("bodies: floor, cube-0-0-0"), "{line}");
    assert_eq!(output.status.code(), Some(3));
    // A quiet run says that too, and nothing else.
    let quiet = [&["run", "stacks/02", "--quiet"][..], &settings[..5], &["quiet"][..]].concat();
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(&folder).args(&quiet).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty() && told.lines().count() == 2 && told.contains(line), "{told}");
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn joints_of_a_resumed_run_are_those_of_a_whole_one_and_carry_their_weight() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let [whole, parts] = ["whole", "parts"].map(|name| Folder::new(here.join(name)));
    let kept = ["joints/fixed", "--joints", "--every", "2"];
    run(here, &[&kept[..], &["--time", "8", "--out", "whole"]].concat());
    run(here, &[&kept[..], &["--time", "4", "--out", "parts"]].concat());
    run(here, &["--resume", "--time", "8", "--out", "parts"]);
    assert_eq!(std::fs::read(parts.joints()).unwrap(), std::fs::read(whole.joints()).unwrap());
    let table = columns(&whole.joints());
    let last = |name: &str| *numbers(&table, name).last().unwrap();
    assert_eq!((numbers(&table, "step").len(), last("joint"), last("broken")), (400, 0.0, 0.0));
    // 2 kg at rest, bent by 0.0976328 rad of a weld of 100 N m/rad.
    assert!((last("force_y_n") - 2.0 * 9.81).abs() < 1e-3, "{}", last("force_y_n"));
    assert!((last("torque_z_n_m") - 9.76328).abs() < 2e-3, "{}", last("torque_z_n_m"));
}

/// Returns the exit status of `rigor`, and its output.
fn rigor(here: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(here).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

#[test]
fn a_resumed_run_keeps_its_own_scene_method_and_step() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    run(here, &["unit-tests/vertex-face", "--method", "free", "--time", "0.02", "--out", "run"]);
    for more in
        [&["--method", "xpbd"][..], &["--dt", "0.1"], &["--every", "2"], &["stacks/02"], &["--set", "a=1"]]
    {
        let (status, text) = rigor(here, &[&["run", "--resume", "--out", "run"], more].concat());
        assert!(status == Some(2) && text.contains("--resume"), "{more:?}: {text}");
    }
    let (status, text) = rigor(here, &["run", "--resume", "--out", "run"]);
    assert!(
        status != Some(2) && text.contains("2 of 2 steps") && text.contains("nothing was changed"),
        "{text}"
    );
}

/// Damages the run in a folder.
type Damage = fn(&Folder);

/// A run that goes on behind a damaged file would keep the damage and hide it.
#[test]
fn a_damaged_run_is_not_resumed_and_stays_as_it_is() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let folder = Folder::new(here.join("run"));
    run(here, &["unit-tests/vertex-face", "--method", "free", "--time", "0.05", "--out", "run"]);
    let flip = |path: &Path| {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, &bytes).unwrap();
        bytes
    };
    for is_killed in [false, true] {
        if is_killed {
            let mut record = Record::read(&folder.record()).unwrap();
            record.outcome = Ending::Running;
            record.files.retain(|name, _| name.starts_with("scene/"));
            record.write(&folder.record()).unwrap();
        }
        for path in [folder.frames(), folder.steps(), folder.checkpoint()] {
            let damaged = flip(&path);
            let (status, text) = rigor(here, &["run", "--resume", "--time", "0.1", "--out", "run"]);
            assert!(status == Some(2) && text.contains("run/"), "{}: {text}", path.display());
            assert_eq!(std::fs::read(&path).unwrap(), damaged, "{}", path.display());
            flip(&path);
        }
    }
    run(here, &["--resume", "--time", "0.1", "--out", "run"]);
}

#[test]
fn a_damaged_run_is_not_judged() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let damages: [(&str, Damage); 7] = [
        ("frames.bin: the file was changed after the run had written it", |run| {
            let bytes = std::fs::read(run.frames()).unwrap();
            std::fs::write(run.frames(), &bytes[..bytes.len() - 1]).unwrap();
        }),
        ("scene.toml: the file was changed after the run had written it", |run| {
            let scene = std::fs::read_to_string(run.scene()).unwrap();
            std::fs::write(run.scene(), scene + "\n# moved away\n").unwrap();
        }),
        ("scene.toml: the file is missing", |run| std::fs::remove_file(run.scene()).unwrap()),
        ("run.json: the file was changed after the run had written it", |run| {
            let record = std::fs::read_to_string(run.record()).unwrap();
            let forged = record.replace("\"method\": \"free\"", "\"method\": \"ipc\"");
            assert_ne!(forged, record);
            std::fs::write(run.record(), forged).unwrap();
        }),
        ("run.json: the file was changed after the run had written it", |run| {
            let text = std::fs::read_to_string(run.record()).unwrap();
            let mut record: Value = serde_json::from_str(&text).unwrap();
            record.as_object_mut().unwrap().shift_remove("hash").unwrap();
            std::fs::write(run.record(), record.to_string()).unwrap();
        }),
        ("run.json: not a record of a run", |run| std::fs::write(run.record(), "?").unwrap()),
        ("run.json: there is no such file; name a folder made by `rigor run`", |run| {
            std::fs::remove_file(run.record()).unwrap();
        }),
    ];
    for (i, (expected, damage)) in damages.iter().enumerate() {
        let out = i.to_string();
        run(here, &["unit-tests/vertex-face", "--method", "free", "--time", "0.02", "--out", &out]);
        damage(&Folder::new(here.join(&out)));
        let (status, text) = rigor(here, &["audit", &out]);
        assert!(status == Some(2) && text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_what_to_do() {
    let temporary = tempfile::tempdir().unwrap();
    std::fs::write(temporary.path().join("file"), "").unwrap();
    for (arguments, expected) in [
        (&["run", "stacks/02", "--dt", "-1", "--out", "run"][..], "dt = -1 s"),
        (&["run", "stacks/02", "--time", "0.01", "--out", "file"], "cannot be written"),
        (&["reproduce", "ferguson2021", "18", "--data", "nowhere"], "nowhere: there is no such folder"),
        (&["reproduce", "ferguson2021", "99"], "no figure \"99\""),
        (
            &["run", "joints/hinge-drive", "--method", "free", "--out", "j"],
            "methods that support it: xpbd, pbd",
        ),
        (&["run", "stacks/02", "--set", "method.xpbd.substep=2", "--out", "s"], "docs/settings.md"),
        (
            &["compare", "stacks/02", "--methods", "ipc,ipc", "--out", "c"],
            "two methods have the label \"ipc\"",
        ),
        (&["compare", "stacks/02", "stacks/02", "--out", "c"], "the scene \"stacks/02\" occurs twice"),
        (&["compare", "stacks/02", "--jobs", "0", "--out", "c"], "--jobs is 0"),
        (&["run", "stacks/02", "--dt", "1", "--time", "0.5", "--out", "d"], "longer than the simulated time"),
        (&["scene", "list", "nothing-like-it"], "no case whose name contains"),
    ] {
        let (status, text) = rigor(temporary.path(), arguments);
        assert!(status == Some(2) && text.contains(expected), "{arguments:?}: {text}");
    }
}

/// The run of `bouncing/ball` lists its restitution, which `avbd` ignores, before the run, after it and in the
/// record.
#[test]
fn what_a_method_does_not_use_is_told_before_and_after_the_run() {
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigor"));
    let arguments = ["run", "bouncing/ball", "--method", "avbd", "--time", "0.05", "--out", "out"];
    let output = command.current_dir(temporary.path()).args(arguments).output().unwrap();
    let note = "restitution 0.8 of body \"floor\" and 1 more: not used; contacts do not rebound";
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains(&format!("note: avbd: {note}")), "{text}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&format!("note: {note}")), "{text}");
    let record = Record::read(&Folder::new(temporary.path().join("out")).record()).unwrap();
    let told: Vec<_> = record.notices.iter().map(|notice| (notice.text.as_str(), notice.count)).collect();
    assert_eq!(told, [(note, 2)]);
    assert_eq!(record.flaws, []);
}

#[test]
fn progress_is_told_as_json() {
    let temporary = tempfile::tempdir().unwrap();
    let arguments = ["run", "stacks/02", "--time", "0.3", "--dt", "0.01", "--log", "json", "--out", "out"];
    let output = Command::new(env!("CARGO_BIN_EXE_rigor"))
        .current_dir(temporary.path())
        .args(arguments)
        .output()
        .unwrap();
    let lines: Vec<Value> = String::from_utf8(output.stderr)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let steps: Vec<u64> = lines.iter().map(|line| line["step"].as_u64().unwrap()).collect();
    assert_eq!(steps, (2..=30).step_by(2).collect::<Vec<_>>());
    assert!(lines.iter().all(|line| line["of"] == 30 && line["energy"].is_f64()), "{lines:?}");
}
