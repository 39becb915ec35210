//! Trajectories of other programs: `rigor audit --trajectory`, `rigor report`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn rigor(here: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_rigor")).current_dir(here).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Figure, body and value of all findings but those of times, of contact forces, and of the numbers of bits.
fn findings(json: &str) -> Vec<(String, String, f64)> {
    let all: Value = serde_json::from_str(json).unwrap();
    let of = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        (text("figure"), text("body"), finding["value"].as_f64().unwrap_or(f64::NAN))
    };
    let is_of_motion = |(figure, ..): &(String, String, f64)| {
        !["contact", "friction", "determinism"].contains(&figure.split('.').next().unwrap_or_default())
    };
    all[0]["findings"].as_array().unwrap().iter().map(of).filter(is_of_motion).collect()
}

fn same(a: &[(String, String, f64)], b: &[(String, String, f64)]) {
    assert_eq!(a.len(), b.len());
    for (one, other) in a.iter().zip(b) {
        assert_eq!((&one.0, &one.1), (&other.0, &other.1));
        let scale = one.2.abs().max(other.2.abs()).max(1e-3);
        let is_same = (one.2 - other.2).abs() <= 1e-9 * scale || (one.2.is_nan() && other.2.is_nan());
        assert!(is_same, "{one:?} {other:?}");
    }
}

/// The arrays of a run judged as if another program had written them.
#[test]
fn a_trajectory_from_elsewhere_has_the_figures_of_the_same_run() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let scene = "unit-tests/vertex-face";
    let (status, _, errors) =
        rigor(here, &["run", scene, "--method", "xpbd", "--time", "0.6", "--out", "run"]);
    assert_eq!(status, Some(0), "{errors}");
    let own = findings(&rigor(here, &["audit", "run", "--json", "--every", "1"]).1);

    let npz = [
        "audit",
        "--scene",
        scene,
        "--trajectory",
        "run/trajectory.npz",
        "--json",
        "--every",
        "1",
        "--out",
        "npz",
    ];
    let (_, text, errors) = rigor(here, &npz);
    assert!(!text.is_empty(), "{errors}");
    same(&own, &findings(&text));

    std::fs::write(here.join("t.csv"), as_csv(here)).unwrap();
    let csv = ["audit", "--scene", scene, "--trajectory", "t.csv", "--json", "--every", "1", "--out", "csv"];
    let (_, text, errors) = rigor(here, &csv);
    assert!(!text.is_empty(), "{errors}");
    same(&own, &findings(&text));

    let (status, text, errors) = rigor(here, &["audit", "csv", "--reference", "run", "--json"]);
    assert_eq!(status, Some(0), "{errors}");
    let deviation = findings(&text).into_iter().find(|finding| finding.0 == "compare.position_max").unwrap();
    assert!(deviation.2 < 1e-12, "{deviation:?}");
    let (status, _, errors) = rigor(here, &["report", "run", "csv", "--out", "page"]);
    assert!(status == Some(0) && here.join("page/report.html").is_file(), "{errors}");
}

/// The frames of the run as lines of text, with the centre of mass and the author's quaternion.
fn as_csv(here: &Path) -> String {
    use rigor_run::Folder;
    use rigor_run::disk::load_run;
    use rigor_run::folder::frames::Reader;
    let folder = Folder::new(here.join("run"));
    let scene = load_run(&folder).unwrap().scene;
    let mut text = "time,body,position_x,position_y,position_z,quaternion_x,quaternion_y,quaternion_z,quaternion_w,v_x,v_y,v_z,w_x,w_y,w_z\n".to_owned();
    let mut reader = Reader::open(&folder.frames()).unwrap();
    while let Some(frame) = reader.read().unwrap() {
        for (body, state) in
            scene.bodies.iter().zip(&frame.state.bodies).filter(|(body, _)| body.is_dynamic())
        {
            let (p, q) = (state.pose.position, body.authored_pose(&state.pose).rotation);
            let (v, w) = (state.linear_velocity, state.angular_velocity);
            let numbers = [p.x, p.y, p.z, q.i, q.j, q.k, q.w, v.x, v.y, v.z, w.x, w.y, w.z];
            let cells = numbers.map(|number| format!("{number:e}")).join(",");
            text += &format!("{},{},{cells}\n", frame.state.time, body.name);
        }
    }
    text
}

#[test]
fn mistakes_of_a_trajectory_have_body_and_time() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let head =
        "time,body,position_x,position_y,position_z,quaternion_w,quaternion_x,quaternion_y,quaternion_z\n";
    for (text, expected) in [
        ("time,body,x,y,z\n0,ball,0,1,0\n", "there is no position: looked for position, pos"),
        ("time,body,x,y,z\n0,ball,0,1,0\n", "each followed by _x, _y, _z; the file has time, body, x, y, z"),
        (&format!("{head}0,boll,0,1,0,1,0,0,0\n"), "the file has no body \"ball\"; it has boll"),
        (&format!("{head}0,ball,0,1,0,1,1,0,0\n"), "the quaternion of \"ball\" at 0 s has norm 1.4"),
        (&format!("{head}0.1,ball,0,1,0,1,0,0,0\n0,ball,0,1,0,1,0,0,0\n"), "not later than the frame before"),
        (&format!("{head}0,ball,NaN,1,0,1,0,0,0\n"), "the state of \"ball\" at 0 s is not finite"),
        (&format!("{head}0,ball,a,1,0,1,0,0,0\n"), "line 2: \"a\" is not a number"),
        (head, "the trajectory has no frame"),
        (&format!("{head}0,ball,0,1,0,1,0,0,0\n0,ball,0,2,0,1,0,0,0\n"), "body \"ball\" occurs twice at 0 s"),
        (
            &format!("{}0,ball,0,1,0,1,0,0,0,0\n", head.replace("time,", "time,time,")),
            "two columns are called \"time\"",
        ),
    ] {
        std::fs::write(here.join("t.csv"), text).unwrap();
        let (status, _, errors) =
            rigor(here, &["audit", "--scene", "bouncing/ball", "--trajectory", "t.csv"]);
        let words = errors.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(status == Some(2) && words.contains(expected), "{expected}: {errors}");
    }
}

#[test]
fn a_body_that_the_scene_lacks_is_told() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let text = "time,body,position_x,position_y,position_z,quaternion_w,quaternion_x,quaternion_y,quaternion_z\n\
                0,flor,0,0,0,1,0,0,0\n0,ball,0,1,0,1,0,0,0\n";
    std::fs::write(here.join("t.csv"), text).unwrap();
    let arguments = ["audit", "--scene", "bouncing/ball", "--trajectory", "t.csv", "--out", "kept"];
    let (_, _, errors) = rigor(here, &arguments);
    assert!(errors.contains("warning: the scene has no body \"flor\" of the trajectory"), "{errors}");
    assert!(std::fs::read_to_string(here.join("kept/run.json")).unwrap().contains("no body \\\"flor\\\""));
}

/// The head of an array in a file of NumPy.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides})}}");
    let pad = 64 - (10 + text.len() + 1) % 64;
    let text = text + &" ".repeat(pad) + "\n";
    [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// A `.npz` file of arrays of numbers, with their shapes, and the names of bodies.
fn npz(path: &Path, arrays: &[(&str, &[usize])], names: &[&str]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, shape) in arrays {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(&header("<f8", shape)).unwrap();
        for k in 0..shape.iter().product::<usize>() {
            let number = match *name {
                "quaternion" => f64::from(u8::from(k % 4 == 0)),
                _ => k as f64,
            };
            zip.write_all(&number.to_le_bytes()).unwrap();
        }
    }
    zip.start_file("body_name.npy", options).unwrap();
    zip.write_all(&header("<U4", &[names.len()])).unwrap();
    for name in names {
        for c in name.chars().chain(std::iter::repeat('\0')).take(4) {
            zip.write_all(&u32::from(c).to_le_bytes()).unwrap();
        }
    }
    zip.finish().unwrap();
}

#[test]
fn arrays_of_other_shapes_are_refused_with_their_shapes() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let one = ["ball"];
    for (time, position, quaternion, names, expected) in [
        (
            &[11][..],
            &[5, 1, 3][..],
            &[11, 1, 4][..],
            &one[..],
            "position has the shape (5, 1, 3), expected (11, number of bodies, 3)",
        ),
        (&[11], &[11, 1, 3], &[11, 1, 3], &one, "quaternion has the shape (11, 1, 3), expected (11, 1, 4)"),
        (&[11], &[11, 1, 3], &[1, 11, 4], &one, "quaternion has the shape (1, 11, 4), expected (11, 1, 4)"),
        (&[2], &[3, 2, 1], &[2, 1, 4], &one, "position has the shape (3, 2, 1)"),
        (&[11], &[11, 2, 3], &[11, 2, 4], &["ball", "ball"], "body \"ball\" occurs twice at 0 s"),
        (
            &[11],
            &[11, 1, 3],
            &[11, 1, 4],
            &["ball", "b"],
            "the names of bodies has the shape (2), expected (1)",
        ),
    ] {
        npz(
            &here.join("t.npz"),
            &[("time", time), ("position", position), ("quaternion", quaternion)],
            names,
        );
        let (status, _, errors) =
            rigor(here, &["audit", "--scene", "bouncing/ball", "--trajectory", "t.npz"]);
        let words = errors.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(status == Some(2) && words.contains(expected), "{expected}: {errors}");
    }
}

#[test]
fn uneven_times_and_an_early_end_are_told() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    let head =
        "time,body,position_x,position_y,position_z,quaternion_w,quaternion_x,quaternion_y,quaternion_z\n";
    let rows: String =
        ["0", "0.01", "0.05", "0.1"].map(|time| format!("{time},ball,0,1,0,1,0,0,0\n")).concat();
    std::fs::write(here.join("t.csv"), format!("{head}{rows}")).unwrap();
    let (_, text, errors) = rigor(here, &["audit", "--scene", "bouncing/ball", "--trajectory", "t.csv"]);
    assert!(errors.contains("the frames are 0.01 to 0.05 s apart"), "{errors}");
    assert!(errors.contains("the trajectory ends at 0.1 s") && !text.contains("holds"), "{errors}{text}");
}

/// Reads a trajectory whose times have this type, shape and content.
fn told_of_times(here: &Path, descr: &str, shape: &[usize], content: &[u8]) -> String {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(here.join("t.npz")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, descr, shape, content) in [
        ("time", descr, shape, content),
        ("position", "<f8", &[1, 1, 3], &[0; 24]),
        ("quaternion", "<f8", &[1, 1, 4], &[0; 32]),
    ] {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(&header(descr, shape)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap();
    let (status, _, errors) = rigor(here, &["audit", "--scene", "bouncing/ball", "--trajectory", "t.npz"]);
    assert_eq!(status, Some(2), "{errors}");
    errors.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn types_and_shapes_that_a_file_cannot_have_are_told_and_take_no_memory() {
    let temporary = tempfile::tempdir().unwrap();
    let here = temporary.path();
    for shape in [&[1_000_000_000_000_000][..], &[1 << 40, 1 << 40], &[11, usize::MAX / 2, 3]] {
        let errors = told_of_times(here, "<f8", shape, &[0; 8]);
        assert!(errors.contains("array time: its shape is") && errors.contains("bytes"), "{errors}");
    }
    let errors = told_of_times(here, "<c16", &[1], &[0; 16]);
    assert!(errors.contains("array time: its type is '<c16'"), "{errors}");
    let errors = told_of_times(here, "<f8", &[3], &[0; 8]);
    assert!(errors.contains("array time") && !errors.contains("i64"), "{errors}");
}
