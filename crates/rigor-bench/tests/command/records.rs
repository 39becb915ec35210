//! What a folder of a run says is true: after a resumption, a kill, a refusal, and whoever reads it.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rigor_run::Folder;
use rigor_run::folder::record::{Ending, Record};
use rigor_run::folder::series;
use rigor_run::kept::KeptRun;
use rigor_run::verdict::VerdictWord;

/// Returns the exit status of `rigor`, and its output.
fn rigor(here: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(here).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

/// The hash of every file below `folder`, by path.
fn hashes(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                all.insert(path.display().to_string(), "a folder".to_owned());
                left.push(path);
            } else {
                all.insert(path.display().to_string(), format!("{:?}", fs::read(&path).unwrap()));
            }
        }
    }
    all
}

/// A box so fast that each step has a flaw.
const FAST: &str = r#"
name = "fast"
time = { dt = 0.01, duration = 0.3 }
[[body]]
name = "floor"
role = "static"
shape = [{ box = { size = [100, 1, 100] } }]
[[body]]
name = "box"
position = [0, 5, 0]
linear_velocity = [0, -9000, 0]
angular_velocity = [900, 0, 0]
shape = [{ box = { size = [0.2, 0.2, 0.2] } }]
"#;

fn written(here: &Path, name: &str, text: &str) {
    fs::write(here.join(name), text).unwrap();
}

#[test]
fn a_finished_run_is_left_alone() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "fast.toml", FAST);
    let (status, _) = rigor(here, &["run", "fast.toml", "--out", "run"]);
    assert_eq!(status, Some(0));
    let folder = Folder::new(here.join("run"));
    let record = Record::read(&folder.record()).unwrap();
    assert!(record.iterations > 0 && record.flawed_steps > 0 && record.steps_timed == 30, "{record:?}");
    let before = hashes(&folder.root);
    for _ in 0..2 {
        let (status, text) = rigor(here, &["run", "--resume", "--out", "run"]);
        assert!(status == Some(0) && text.contains("has ended"), "{text}");
        assert!(text.contains(&record.flaws[0].to_string()), "{text}");
        assert!(hashes(&folder.root) == before, "a finished run was written");
    }
}

#[test]
fn flaws_costs_and_series_of_a_resumed_run_are_those_of_a_whole_one() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "fast.toml", FAST);
    rigor(here, &["run", "fast.toml", "--out", "whole"]);
    rigor(here, &["run", "fast.toml", "--time", "0.1", "--out", "parts"]);
    rigor(here, &["run", "--resume", "--time", "0.2", "--out", "parts"]);
    rigor(here, &["run", "--resume", "--time", "0.3", "--out", "parts"]);
    let [whole, parts] = ["whole", "parts"].map(|name| KeptRun::open(&Folder::new(here.join(name))).unwrap());
    let told = |run: &KeptRun| {
        let Record { flaws, flawed_steps, iterations, steps_timed, contacts_mean, identity, .. } =
            run.record.clone();
        (flaws, flawed_steps, iterations, steps_timed, contacts_mean.to_bits(), identity)
    };
    assert!(whole.record.flawed_steps > 0);
    assert_eq!(told(&parts), told(&whole));
    assert!(parts.record.seconds > 0.0 && parts.record.seconds_median.is_some());
    let series = |run: &KeptRun| -> Vec<_> {
        let all = series::read(&run.folder.series()).unwrap();
        let points = all.quantities.into_iter().filter(|one| one.name != "step.seconds");
        points.map(|one| (one.name.into_owned(), one.unit.into_owned(), one.points)).collect()
    };
    assert_eq!(series(&parts), series(&whole));
    let phases = |run: &KeptRun| -> Vec<_> {
        series::read(&run.folder.series()).unwrap().phases.iter().map(|one| one.points.len()).collect()
    };
    assert_eq!(phases(&parts), phases(&whole));
    assert_eq!(parts.record.findings, whole.record.findings);
}

/// A run that takes some seconds.
const LONG: [&str; 6] = ["run", "stacks/05", "--dt", "1e-3", "--time", "2"];

#[test]
fn a_run_killed_at_any_moment_goes_on_with_the_bits_of_a_whole_one() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    rigor(here, &[&LONG[..], &["--quiet", "--out", "whole"]].concat());
    let whole = KeptRun::open(&Folder::new(here.join("whole"))).unwrap();
    let mut n_resumed = 0;
    for (k, milliseconds) in [10, 35, 60, 90, 140, 230, 400, 900].into_iter().enumerate() {
        let name = format!("killed-{k}");
        let folder = Folder::new(here.join(&name));
        let mut child = Command::new(env!("CARGO_BIN_EXE_rigor"))
            .current_dir(here)
            .args(LONG)
            .args(["--quiet", "--out", &name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let (status, text) = if folder.record().is_file() {
            n_resumed += 1;
            rigor(here, &["run", "--resume", "--out", &name])
        } else {
            // Nothing was kept yet, but perhaps a part of a file: the folder is free.
            if folder.root.is_dir() {
                fs::write(folder.root.join("record.json-1-0.part"), "{").unwrap();
            }
            rigor(here, &[&LONG[..], &["--out", &name]].concat())
        };
        assert!(status.is_some_and(|code| code < 2), "killed after {milliseconds} ms: {text}");
        let run = KeptRun::open(&folder).unwrap();
        assert_eq!(run.record.state_hash, whole.record.state_hash, "{milliseconds} ms");
        assert_eq!(run.record.findings, whole.record.findings, "{milliseconds} ms");
        assert_eq!(run.record.iterations, whole.record.iterations, "{milliseconds} ms");
        assert!(fs::read(folder.frames()).unwrap() == fs::read(whole.folder.frames()).unwrap());
        assert!(
            fs::read_dir(&folder.root)
                .unwrap()
                .flatten()
                .all(|e| e.path().extension() != Some("part".as_ref()))
        );
    }
    assert!(n_resumed >= 2, "every kill came before the run began");
}

/// Changes a byte in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_refused_command_changes_nothing() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "fast.toml", FAST);
    written(here, "plan.toml", "[study]\nscenes = [\"fast.toml\"]\n[[method]]\nname = \"no-such-method\"\n");
    written(here, "bad.toml", "name = 3");
    for out in ["run", "killed", "damaged", "no-checkpoint"] {
        rigor(here, &["run", "fast.toml", "--time", "0.1", "--contacts", "--out", out]);
    }
    rigor(here, &["compare", "fast.toml", "--methods", "xpbd", "--time", "0.1", "--quiet", "--out", "first"]);
    // As a killed process leaves it, with a file that was changed since.
    for (name, file) in [("killed", "frames.bin"), ("no-checkpoint", "steps.csv")] {
        let folder = Folder::new(here.join(name));
        let mut record = Record::read(&folder.record()).unwrap();
        record.outcome = Ending::Running;
        record.files.retain(|name, _| name.starts_with("scene/"));
        record.write(&folder.record()).unwrap();
        fs::remove_file(folder.lock()).unwrap();
        // A later frame, which a resumption would cut.
        let mut longer = fs::read(folder.frames()).unwrap();
        longer.extend([7; 1000]);
        fs::write(folder.frames(), longer).unwrap();
        if file == "steps.csv" {
            fs::remove_file(folder.checkpoint()).unwrap();
        }
    }
    flip(&Folder::new(here.join("killed")).contacts());
    flip(&Folder::new(here.join("damaged")).frames());
    let before = hashes(here);
    for arguments in [
        &["run", "fast.toml", "--out", "run"][..],
        &["run", "fast.toml", "--out", "damaged"],
        &["run", "bad.toml", "--out", "new"],
        &["run", "fast.toml", "--method", "no-such-method", "--out", "new"],
        &["run", "fast.toml", "--set", "method.xpbd.substep=2", "--out", "new"],
        &["run", "--resume", "--out", "nowhere"],
        &["run", "--resume", "--out", "first"],
        &["run", "--resume", "--time", "0.05", "--out", "run"],
        &["run", "--resume", "--time", "0.2", "--out", "damaged"],
        &["run", "--resume", "--out", "killed"],
        &["run", "--resume", "--time", "0.2", "--out", "killed"],
        &["run", "--resume", "--out", "no-checkpoint"],
        &["compare", "fast.toml", "--methods", "xpbd,no-such-method", "--out", "first"],
        &["compare", "fast.toml", "--methods", "xpbd:substps=40", "--out", "first"],
        &["compare", "fast.toml", "bad.toml", "--methods", "xpbd", "--out", "new"],
        &["compare", "fast.toml", "nowhere.toml", "--methods", "xpbd", "--out", "new"],
        &["study", "plan.toml", "--out", "first"],
        &["study", "nowhere.toml", "--out", "new"],
        &["report", "run", "damaged", "--out", "new"],
        &["report", "run", "nowhere", "--out", "new"],
        &["figure", "run", "damaged", "--out", "new"],
        &["figure", "run", "--out", "new", "--fps", "0"],
        &["view", "damaged", "--page", "page.html"],
        &["audit", "run", "damaged"],
        &["audit", "--scene", "fast.toml", "--trajectory", "nowhere.npz", "--out", "new"],
        &["audit", "--scene", "fast.toml", "--trajectory", "plan.toml", "--out", "run"],
    ] {
        let (status, text) = rigor(here, arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {text}");
        let after = hashes(here);
        let changed: Vec<_> =
            after.iter().filter(|(name, hash)| before.get(*name) != Some(hash)).map(|(n, _)| n).collect();
        assert!(after == before, "{arguments:?} changed {changed:?}, or removed a file");
    }
}

/// A box above a floor; `height` in place of a number.
fn drop_from(height: f64) -> String {
    format!(
        "name = \"t\"\ntime = {{ dt = 0.01, duration = 0.1 }}\n[[body]]\nname = \"a\"\nposition = [0, {height}, 0]\n\
         shape = [{{ box = {{ size = [1, 1, 1] }} }}]\n[[body]]\nname = \"floor\"\nrole = \"static\"\n\
         shape = [{{ plane = {{ size = [4, 4] }} }}]\n"
    )
}

#[test]
fn two_scenes_with_one_name_stay_two() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "same-a.toml", &drop_from(1.0));
    written(here, "same-b.toml", &drop_from(2.0));
    let compare =
        ["compare", "same-a.toml", "same-b.toml", "--methods", "xpbd,rapier", "--quiet", "--out", "first"];
    let (status, text) = rigor(here, &compare);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("t (same-a.toml)") && text.contains("t (same-b.toml)"), "{text}");
    let page = fs::read_to_string(here.join("first/report.html")).unwrap();
    let anchors: std::collections::BTreeSet<&str> =
        page.split("id=\"scene-").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(anchors.len(), 2, "{anchors:?}");
    let figure =
        ["figure", "first", "--only", "plots,tables,pictures,sheet,vtk", "--size", "64x40", "--out", "paper"];
    let (status, told) = rigor(here, &figure);
    assert_eq!(status, Some(0), "{told}");
    let files: Vec<&str> = told.lines().collect();
    let distinct: std::collections::BTreeSet<&str> = files.iter().copied().collect();
    assert_eq!(distinct.len(), files.len(), "a file was overwritten: {told}");
    assert_eq!(files.iter().filter(|file| file.contains("pictures/")).count(), 2 * 3, "{told}");
    // The same from the folders of single runs, which name no file.
    for (scene, out) in [("same-a.toml", "run-a"), ("same-b.toml", "run-b")] {
        rigor(here, &["run", scene, "--out", out]);
    }
    rigor(here, &["run", "same-a.toml", "--method", "rapier", "--dt", "0.005", "--out", "run-c"]);
    let (status, text) = rigor(here, &["report", "run-a", "run-b", "run-c", "--out", "both"]);
    assert_eq!(status, Some(0), "{text}");
    let results = fs::read_to_string(here.join("both/results.csv")).unwrap();
    let scenes: Vec<&str> = results.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(scenes, ["t (run-a)", "t (run-a)", "t (run-b)"], "{results}");
}

/// A body that is pushed too fast for numbers, which stops the first step.
const STOPPER: &str = r#"
name = "stopper"
time = { dt = 0.01, duration = 1 }
[[body]]
name = "a"
position = [0, 1, 0]
force = [1e166, 0, 0]
shape = [{ box = { size = [1, 1, 1] } }]
[[body]]
name = "floor"
role = "static"
shape = [{ plane = { size = [4, 4] } }]
[[expect]]
figure = "penetration.deepest"
at_most = 1e-3
because = "boxes are solid"
"#;

#[test]
fn a_stopped_run_is_credited_with_nothing_and_a_broken_bound_stays_broken() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "stopper.toml", STOPPER);
    let (status, text) = rigor(here, &["run", "stopper.toml", "--out", "run"]);
    assert_eq!(status, Some(3), "{text}");
    assert!(!text.contains("holds"), "{text}");
    let verdict = |name: &str| {
        let record = KeptRun::open(&Folder::new(here.join(name))).unwrap().record;
        assert!(matches!(record.outcome, Ending::Stopped { .. }), "{:?}", record.outcome);
        record.expectations[0].verdict
    };
    assert_eq!(verdict("run"), VerdictWord::NotMeasured);
    let (_, text) = rigor(here, &["audit", "run"]);
    assert!(text.contains("not measured") && !text.contains("holds"), "{text}");
    let compare = ["compare", "stopper.toml", "--methods", "xpbd", "--quiet", "--json", "--out", "first"];
    let (_, text) = rigor(here, &compare);
    assert!(text.contains("\"not measured\"") && !text.contains("\"held\""), "{text}");
    let page = fs::read_to_string(here.join("first/report.html")).unwrap();
    assert!(page.contains(">not judged<") && !page.contains(">1 of 1<"), "the page credits the run");
    // The boxes overlap from the start: no later step mends that.
    written(here, "broken.toml", &STOPPER.replace("[0, 1, 0]", "[0, 0.4, 0]"));
    let (_, text) = rigor(here, &["run", "broken.toml", "--out", "broken"]);
    assert!(text.contains("FAILS"), "{text}");
    assert_eq!(verdict("broken"), VerdictWord::Failed);
}

#[test]
fn one_reader_checks_the_seal_for_every_command_and_takes_every_folder() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "t.toml", &drop_from(1.0));
    for method in ["ipc", "xpbd"] {
        rigor(here, &["run", "t.toml", "--method", method, "--out", method]);
    }
    rigor(here, &["compare", "t.toml", "--methods", "xpbd,rapier", "--quiet", "--out", "first"]);
    for arguments in [
        &["audit", "first"][..],
        &["audit", "first", "ipc", "--format", "csv"],
        &["report", "first", "--out", "again"],
        &["report", "first", "ipc", "--out", "all"],
        &["figure", "first", "ipc", "--only", "tables", "--out", "paper"],
        &["view", "first", "ipc", "--page", "page.html"],
        &["audit", "xpbd", "--reference", "ipc"],
    ] {
        let (status, text) = rigor(here, arguments);
        assert!(status.is_some_and(|code| code < 2), "{arguments:?}: {text}");
    }
    let (_, csv) = rigor(here, &["audit", "first", "--format", "csv"]);
    assert_eq!(csv.matches(",penetration.deepest,,").count(), 2, "{csv}");
    // The frames of one method in the folder of another.
    fs::copy(here.join("xpbd/frames.bin"), here.join("ipc/frames.bin")).unwrap();
    for arguments in [
        &["audit", "ipc"][..],
        &["audit", "xpbd", "--reference", "ipc"],
        &["report", "ipc", "--out", "r"],
        &["figure", "ipc", "--out", "f"],
        &["view", "ipc", "--page", "p.html"],
        &["run", "--resume", "--time", "0.2", "--out", "ipc"],
    ] {
        let (status, text) = rigor(here, arguments);
        assert!(
            status == Some(2) && text.contains("frames.bin: the file was changed"),
            "{arguments:?}: {text}"
        );
    }
    // The same in the folder of a comparison.
    let runs = KeptRun::open_all(&here.join("first")).unwrap();
    fs::copy(runs[0].folder.frames(), runs[1].folder.frames()).unwrap();
    for arguments in [
        &["audit", "first"][..],
        &["report", "first", "--out", "r"],
        &["figure", "first", "--out", "f"],
        &["view", "first", "--page", "p.html"],
    ] {
        let (status, text) = rigor(here, arguments);
        assert!(
            status == Some(2) && text.contains("frames.bin: the file was changed"),
            "{arguments:?}: {text}"
        );
    }
    // A record that was sealed anew around another scene, or with another identity.
    let folder = Folder::new(here.join("xpbd"));
    let record = Record::read(&folder.record()).unwrap();
    for (forged, expected) in [
        (Record { scene_hash: "0".repeat(64), ..record.clone() }, "scene_hash"),
        (Record { method: "ipc".into(), ..record.clone() }, "identity"),
    ] {
        forged.write(&folder.record()).unwrap();
        let (status, text) = rigor(here, &["audit", "xpbd"]);
        assert!(status == Some(2) && text.contains(expected), "{text}");
    }
}

#[test]
fn tables_off_a_terminal_have_one_line_per_row_with_whole_numbers() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let compare = [
        "compare",
        "ferguson2021/18-slope-mu-0.49",
        "friction/incline-mu-0.5",
        "joints/hinge-motor",
        "--methods",
        "xpbd,xpbd:substeps=40:iterations=2,free",
        "--time",
        "0.02",
        "--quiet",
        "--out",
        "compared",
    ];
    let (_, text) = rigor(here, &compare);
    for name in ["ferguson2021/18-slope-mu-0.49", "friction/incline-mu-0.5", "joints/hinge-motor"] {
        let rows = text.lines().filter(|line| line.starts_with(name)).count();
        assert_eq!(rows, 3, "{name}:\n{text}");
    }
    assert!(text.contains("ms/step") && text.contains("skipped: no joints") && !text.contains('─'), "{text}");
    // What the table leaves out stands in the file.
    let results = fs::read_to_string(here.join("compared/results.csv")).unwrap();
    assert!(results.contains("distance.smallest") && results.contains("tunnelling.centre_crossings"));
    let (_, tsv) = rigor(here, &[&compare[..], &["--format", "tsv"]].concat());
    assert!(tsv.lines().all(|line| line.split('\t').count() == 9), "{tsv}");
    let run = KeptRun::open_all(&here.join("compared")).unwrap().remove(0).folder.root;
    let run = run.to_str().unwrap();
    let (_, short) = rigor(here, &["audit", run]);
    let (_, all) = rigor(here, &["audit", run, "--all"]);
    let energy = all.lines().find(|line| line.starts_with("energy.change_end")).unwrap();
    let value = energy.split_whitespace().nth(1).unwrap();
    assert!(value.parse::<f64>().is_ok(), "{energy}");
    assert!(
        short.lines().count() < all.lines().count() && short.contains("more figures with --all"),
        "{short}"
    );
}

#[test]
fn misspelt_methods_and_settings_are_errors_of_every_command_before_any_run() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    written(here, "t.toml", &drop_from(1.0));
    let plan = |more: &str| format!("[study]\nscenes = [\"t.toml\"]\n[[method]]\nname = \"xpbd\"\n{more}");
    written(here, "swept.toml", &plan("[sweep]\n\"set.substps\" = [1, 2]"));
    written(
        here,
        "sampled.toml",
        &plan("[sample]\ncount = 2\n[sample.keys]\n\"method.xpdb.safety\" = { from = 1, to = 2 }"),
    );
    written(
        here,
        "zipped.toml",
        &plan("[[zip]]\n\"method.xpdb.substeps\" = [1, 2]\n\"time.dt\" = [0.01, 0.02]"),
    );
    let search =
        "[bisect]\nkey = \"set.safty\"\nfrom = 1\nto = 2\ntolerance = 0.5\nwhen = \"energy.drift > 1\"";
    written(here, "searched.toml", &plan(search));
    written(here, "other.toml", &plan("set.substps = 3"));
    let before = hashes(here);
    for (arguments, mistake) in [
        (&["run", "t.toml", "--set", "method.xpdb.substeps=3", "--out", "new"][..], "xpdb"),
        (&["run", "t.toml", "--set", "method.ipc.dhat=1e-3", "--out", "new"], "dhat"),
        (&["run", "t.toml", "--set", "method.xpbd={substps=3}", "--out", "new"], "substps"),
        (&["run", "t.toml", "--set", "method.xpbd.substeps=many", "--out", "new"], "substeps"),
        (&["compare", "t.toml", "--methods", "xpbd:substps=40", "--out", "new"], "substps"),
        (&["compare", "t.toml", "--methods", "xpbd", "--set", "method.ipc.dhat=1", "--out", "new"], "dhat"),
        (&["compare", "t.toml", "--methods", "xpbd,xpdb", "--out", "new"], "xpdb"),
        (&["sweep", "t.toml", "--methods", "xpbd", "--vary", "set.substps=1,2", "--out", "new"], "substps"),
        (&["sweep", "t.toml", "--vary", "method.xpdb.substeps=1,2", "--out", "new"], "xpdb"),
        (&["sweep", "t.toml", "--vary", "time.dt=1e-2..0/3", "--out", "new"], "time.dt"),
        (&["sweep", "t.toml", "--vary", "body.a.density=1,nan", "--out", "new"], "density"),
        (&["sweep", "t.toml", "--vary", "body.b.density=1,2", "--out", "new"], "body.b"),
        (&["study", "swept.toml", "--out", "new"], "substps"),
        (&["study", "sampled.toml", "--out", "new"], "xpdb"),
        (&["study", "zipped.toml", "--out", "new"], "xpdb"),
        (&["study", "searched.toml", "--out", "new"], "safty"),
        (&["study", "other.toml", "--out", "new"], "substps"),
        (&["view", "t.toml", "--method", "xpdb"], "xpdb"),
        (&["accuracy", "--cases", "bowl", "--methods", "xpbd", "--set", "method.xpdb.substeps=3"], "xpdb"),
        (&["accuracy", "--cases", "bowl", "--methods", "xpbd", "--set", "method.xpbd.substps=3"], "substps"),
        (
            &["accuracy", "--cases", "bowl", "--methods", "xpbd", "--set", "method.xpbd.substeps=0"],
            "substeps is 0",
        ),
        (&["accuracy", "--cases", "bowl", "--methods", "particles:nope=1"], "nope"),
        (&["scene", "check", "t.toml", "--set", "method.xpdb.substeps=3"], "xpdb"),
        (&["audit", "--scene", "t.toml", "--trajectory", "t.npz", "--set", "method.xpdb.substeps=3"], "xpdb"),
        (&["reproduce", "ferguson2021", "13", "--set", "method.xpdb.substeps=3", "--out", "new"], "xpdb"),
    ] {
        let (status, text) = rigor(here, arguments);
        assert!(status == Some(2) || status == Some(1) && arguments[0] == "scene", "{arguments:?}: {text}");
        assert!(text.contains(mistake), "{arguments:?}: {text}");
        assert!(hashes(here) == before, "{arguments:?} began");
    }
}

#[test]
fn every_method_of_the_registry_has_a_place_in_accuracy() {
    let temporary = tempfile::tempdir().unwrap();
    let line =
        ["accuracy", "--cases", "projectile", "--quick", "--methods", "particles,xpbd:substeps=2", "--json"];
    let (status, text) = rigor(temporary.path(), &line);
    assert!(
        status == Some(0) && text.contains("\"particles\"") && text.contains("xpbd:substeps=2"),
        "{text}"
    );
}
