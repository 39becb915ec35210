//! `rigor scene` for its users: output and exit status.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rigor_bench::cli::CliError;
use rigor_run::disk::load_scene;
use serde_json::Value;
use tempfile::TempDir;

const GOOD: &str = "\
format = 1
[[body]]
name = \"box\"
density = 1000.0
[[body.shape]]
box = { size = [1, 1, 1] }
";

fn rigor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).output().unwrap()
}

/// Returns the exit status and the standard output.
fn scene(arguments: &[&str]) -> (i32, String) {
    let output = rigor(&[&["scene"], arguments].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn scene_json(arguments: &[&str]) -> (i32, Value) {
    let (status, text) = scene(arguments);
    (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

fn complaint(arguments: &[&str]) -> (i32, String) {
    let output = rigor(&[&["scene"], arguments].concat());
    assert!(output.stdout.is_empty(), "complaints belong on standard error");
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn list_names_every_case_with_a_description() {
    let (status, text) = scene(&["list"]);
    assert_eq!(status, 0);
    let (_, json) = scene_json(&["list", "--json"]);
    let cases = json.as_array().unwrap();
    assert_eq!(cases.len(), rigor_file::cases::names().count());
    for case in cases {
        assert!(text.contains(case["name"].as_str().unwrap()), "{case}");
        assert!(!case["description"].as_str().unwrap().is_empty(), "{case}");
    }
}

#[test]
fn list_is_narrowed_by_a_part_of_the_name() {
    let (_, json) = scene_json(&["list", "friction/incline", "--json"]);
    let names: Vec<_> = json.as_array().unwrap().iter().map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["friction/incline-mu-0.49", "friction/incline-mu-0.5"]);
}

#[test]
fn check_passes_good_files_and_cases() {
    let folder = TempDir::new().unwrap();
    let good = file(&folder, "good.toml", GOOD);
    let (status, text) = scene(&["check", &good, "erleben/wedges"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.ends_with("2 checked: 2 ok, 0 with warnings, 0 failed\n"), "{text}");
}

#[test]
fn check_shows_the_line_of_a_mistake_and_goes_on() {
    let folder = TempDir::new().unwrap();
    let bad = file(&folder, "bad.toml", &GOOD.replace("density", "densty"));
    let (status, text) = scene(&["check", &bad, "erleben/wedges"]);
    assert_eq!(status, 1);
    for part in ["error ", "bad.toml:4:1", "densty = 1000.0", "`density`", "1 ok", "1 failed"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let (status, json) = scene_json(&["check", "--json", &bad]);
    let error = &json["scenes"][0]["errors"][0];
    assert_eq!((status, &error["line"], &error["column"]), (1, &Value::from(4), &Value::from(1)));
    assert_eq!(json["failed"], 1);
}

#[test]
fn check_judges_the_settings_of_methods() {
    let folder = TempDir::new().unwrap();
    let bad = file(&folder, "bad.toml", &format!("{GOOD}[method.xpbd]\nsubstep = 5\n"));
    let (status, text) = scene(&["check", &bad]);
    assert_eq!(status, 1);
    assert!(text.contains("method.xpbd") && text.contains("substeps"), "{text}");
    let foreign = file(&folder, "foreign.toml", &format!("{GOOD}[method.of_another_program]\nx = 5\n"));
    assert_eq!(scene(&["check", &foreign]).0, 0);
}

#[test]
fn bodies_that_meet_at_the_start_are_named_and_fail_only_a_strict_check() {
    let folder = TempDir::new().unwrap();
    let second =
        GOOD.replace("format = 1\n", "").replace("\"box\"", "\"other\"\nposition = [0.75, 0.1, 0.2]");
    let both = file(&folder, "both.toml", &format!("{GOOD}{second}"));
    let (status, text) = scene(&["check", &both]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("`box` and `other` intersect at the start, near (0."), "{text}");
    assert_eq!(scene(&["check", "--strict", &both]).0, 1);
    let (_, json) = scene_json(&["check", "--json", &both]);
    let meeting = &json["scenes"][0]["initial_intersections"][0];
    assert_eq!(meeting["kind"], "crossing");
    let x = meeting["near_world"][0].as_f64().unwrap();
    assert!((0.25..=0.5).contains(&x), "the boxes share 0.25 m to 0.5 m, not {x}");
}

#[test]
fn overrides_are_applied_before_the_check() {
    let (status, text) =
        scene(&["check", "erleben/wedges", "--set", "time.dt=0.005", "--set", "time.duration=1"]);
    assert_eq!(status, 0);
    assert!(text.contains("200 steps"), "{text}");
    assert_eq!(scene(&["check", "erleben/wedges", "--set", "time.dt=-1"]).0, 1);
}

#[test]
fn an_exported_scene_is_the_same_to_the_last_bit() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("new/folder");
    let (status, text) = scene(&["export", "xpbd/three-link-pendulum", "--out", out.to_str().unwrap()]);
    let path = out.join("three-link-pendulum.toml");
    assert_eq!((status, text.lines().next()), (0, path.to_str()));
    let again = load_scene(path.to_str().unwrap(), &[]).unwrap();
    assert!(again.scene == load_scene("xpbd/three-link-pendulum", &[]).unwrap().scene);
}

#[test]
fn an_exported_scene_takes_its_meshes_along() {
    let folder = TempDir::new().unwrap();
    let shape = "[[body.shape]]\nmesh = { file = \"tet.obj\" }\n";
    file(&folder, "tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    let text = GOOD.replace("[[body.shape]]\nbox = { size = [1, 1, 1] }\n", shape);
    let path = file(&folder, "tet.toml", &text);
    let out = folder.path().join("out");
    let (status, json) = scene_json(&["export", &path, "--json", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0);
    let files: Vec<_> =
        json["files"].as_array().unwrap().iter().map(|f| Path::new(f.as_str().unwrap())).collect();
    assert_eq!(files, [out.join("tet.toml"), out.join("meshes/tet.obj")]);
    let scenes = [files[0].to_str().unwrap(), &path].map(|path| load_scene(path, &[]).unwrap().scene);
    assert!(scenes[0] == scenes[1]);
}

#[test]
fn export_writes_over_files_only_when_forced() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    let taken = file(&folder, "wedges.toml", "mine");
    let (status, text) = complaint(&["export", "erleben/wedges", "--out", out]);
    assert_eq!(status, 2);
    assert!(text.contains("wedges.toml exists already") && text.contains("--force"), "{text}");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "mine");
    assert_eq!(scene(&["export", "erleben/wedges", "--out", out, "--force"]).0, 0);
    assert_ne!(fs::read_to_string(&taken).unwrap(), "mine");
}

#[test]
fn the_schema_is_json() {
    let (status, schema) = scene_json(&["schema"]);
    assert_eq!((status, &schema["title"]), (0, &Value::from("Rigor scene")));
}

#[test]
fn an_unknown_case_gets_a_suggestion() {
    let (status, text) = complaint(&["export", "erleben/wegdes", "--out", "unused"]);
    assert_eq!(status, 2);
    assert!(text.contains("did you mean \"erleben/wedges\"?"), "{text}");
    let (status, text) = scene(&["check", "erleben/wegdes"]);
    assert_eq!(status, 1);
    assert!(text.contains("did you mean \"erleben/wedges\"?"), "{text}");
}

#[test]
fn errors_are_json_where_json_was_asked_for() {
    let (status, json) = scene_json(&["export", "erleben/wegdes", "--json", "--out", "unused"]);
    assert_eq!((status, &json["error"]["severity"]), (2, &Value::from("error")));
}

#[test]
fn nonsense_on_the_command_line_is_refused() {
    for arguments in [&["check"][..], &["export", "erleben/wedges"], &["chekc"]] {
        assert_eq!(complaint(arguments).0, 2, "{arguments:?}");
    }
    assert_eq!(rigor(&["--help"]).status.code(), Some(0));
}

#[test]
fn an_expectation_of_a_figure_or_method_that_does_not_exist_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let scene = |expect: &str| {
        format!(
            "[[body]]\nname = \"b\"\n[[body.shape]]\nbox = {{ size = [1, 1, 1] }}\n[[expect]]\nat_most = 1\n{expect}\n"
        )
    };
    for (expect, expected) in [
        ("figure = \"energy.risee_max\"", "did you mean `energy.rise_max`?"),
        ("figure = \"energy.rise_max\"\nmethods = [\"xpdb\"]", "did you mean \"xpbd\"?"),
    ] {
        fs::write(&path, scene(expect)).unwrap();
        let error = CliError::from(load_scene(path.to_str().unwrap(), &[]).unwrap_err());
        // Long lines are wrapped on the terminal.
        let words = error.render().replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(expected), "{}", error.render());
    }
    fs::write(&path, scene("figure = \"energy.rise_max\"\nmethods = [\"xpbd\"]")).unwrap();
    assert!(load_scene(path.to_str().unwrap(), &[]).is_ok());
}

#[test]
fn settings_of_a_misspelt_method_are_a_warning_and_those_of_a_foreign_one_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    for (method, expected) in [("xpdb", "did you mean `xpbd`?"), ("gazebo", "1 ok, 0 with warnings")] {
        fs::write(&path, format!("{GOOD}[method.{method}]\nsubsteps = 3\n")).unwrap();
        let (status, text) = scene(&["check", path.to_str().unwrap()]);
        assert!(status == 0 && text.contains(expected), "{text}");
    }
}

#[test]
fn check_tells_what_methods_do_not_use_and_lets_the_scene_pass() {
    let folder = tempfile::tempdir().unwrap();
    let text = GOOD.replace("density = 1000.0", "restitution = 0.5");
    let path = file(&folder, "scene.toml", &text);
    let note = "  avbd: restitution 0.5 of body \"box\": not used; contacts do not rebound\n";
    let (status, told) = scene(&["check", "--strict", &path]);
    assert!(status == 0 && !told.contains(note), "{told}");
    let (status, told) = scene(&["check", "--strict", "--method", "avbd,xpbd", &path]);
    assert!(status == 0 && told.contains(note) && !told.contains("  xpbd"), "{told}");
    let with_settings = file(&folder, "settings.toml", &format!("{text}[method.avbd]\niterations = 9\n"));
    let (_, json) = scene_json(&["check", "--json", &with_settings]);
    let told = &json["scenes"][0]["methods"][0];
    assert_eq!((&told["method"], &told["is_supported"]), (&"avbd".into(), &true.into()));
    assert_eq!(told["notices"][0]["value"], 0.5);
    let joined =
        format!("{text}[[joint]]\nname = \"j\"\nkind = \"ball\"\nbody_a = \"box\"\nposition = [0, 0, 0]\n");
    let joined = file(&folder, "joined.toml", &joined);
    let (status, told) = scene(&["check", "--method", "free", &joined]);
    assert!(status == 0 && told.contains("  free does not support joints\n"), "{told}");
    let (status, told) = complaint(&["check", "--method", "xpdb", &joined]);
    assert!(status == 2 && told.contains("did you mean \"xpbd\""), "{told}");
}

#[test]
fn check_of_a_folder_gives_a_row_for_each_mesh_robot_and_scene() {
    let folder = tempfile::tempdir().unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    fs::create_dir(folder.path().join("parts")).unwrap();
    file(&folder, "parts/closed.obj", tetrahedron);
    file(&folder, "parts/open.obj", &tetrahedron.replace("f 1 4 3\n", ""));
    file(
        &folder,
        "robot.urdf",
        "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"3\"/>\
        <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>",
    );
    file(&folder, "scene.toml", GOOD);
    file(&folder, "package.xml", "<package/>");
    file(&folder, "notes.toml", "a = 1\n");
    let root = folder.path().to_str().unwrap();
    let (status, json) = scene_json(&["check", root, "--json"]);
    assert_eq!((status, json["refused"].as_u64(), json["other_files"].as_u64()), (0, Some(0), Some(2)));
    let rows = json["files"].as_array().unwrap();
    let name = |row: &Value| row["file"].as_str().unwrap()[root.len() + 1..].to_owned();
    let found: Vec<_> = rows
        .iter()
        .map(|row| (name(row), row["kind"].as_str().unwrap(), row["content"].as_str().unwrap()))
        .collect();
    let expected = [
        ("parts/closed.obj".to_owned(), "obj", "closed"),
        ("parts/open.obj".to_owned(), "obj", "open"),
        ("robot.urdf".to_owned(), "robot", "1 bodies, 1 move"),
        ("scene.toml".to_owned(), "scene", "1 bodies, 1 move"),
    ];
    assert_eq!(found, expected);
    assert!((rows[0]["mass"].as_f64().unwrap() - 1000.0 / 6.0).abs() < 1e-9);
    assert!((rows[0]["center"][2].as_f64().unwrap() - 0.25).abs() < 1e-12);
    assert!(rows[1]["mass"].is_null(), "a surface without an inside has no mass at a density in kg/m³");
    assert!(rows[1]["notes"]["rule"][0].as_str().unwrap().starts_with("the surface is open: 3 edge(s)"));
    assert!((rows[2]["mass"].as_f64().unwrap() - 3.0).abs() < 1e-12);
    // A part of 220 mm whose file does not say so.
    let wide = file(&folder, "parts/wide.obj", &tetrahedron.replace("v 1", "v 220"));
    let (_, told) = scene(&["check", &wide]);
    assert!(told.contains("rule: it is 220.005 m across: coordinates are in metres"), "{told}");
    fs::remove_file(wide).unwrap();
    let (_, csv) = scene(&["check", root, "--format", "csv"]);
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("file,kind,outcome,content,mass_kg,volume_m3,area_m2,center_x"), "{csv}");

    file(&folder, "parts/broken.stl", "solid\nfacet");
    let (status, text) = scene(&["check", root]);
    assert_eq!(status, 1);
    assert!(
        text.contains(
            "5 files: 2 as they are, 2 with notes (0 change the physics), 1 refused; 2 other files"
        ),
        "{text}"
    );
    assert!(text.contains("broken.stl: refused: line 2: expected `outer`"), "{text}");
    let (status, complaint) = complaint(&["check", root, "--set", "time.dt=1"]);
    assert!(status == 2 && complaint.contains("for scenes, not for folders and mesh files"), "{complaint}");
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.obj");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (status, text) = scene(&["check", pipe.to_str().unwrap()]);
    assert!(status == 1 && text.contains("it is neither a file nor a folder"), "{text}");
    let (status, text) = scene(&["check", folder.path().to_str().unwrap()]);
    assert!(status == 0 && text.contains("0 files") && text.contains("1 other files"), "{text}");
}
