//! No file content makes the reader panic.

use std::path::Path;

use proptest::prelude::*;
use rigor_file::{self, LoadOptions};

use super::Memory;

const GOOD: &str = r#"
format = 1
name = "good"
gravity = [0, -9.81, 0]
include = ["part.toml"]
friction_rule = "min"
[time]
dt = 0.01
duration = 2.0
[source]
key = "K"
place = "fig. 1"
[[body]]
name = "floor"
role = "static"
friction = { static = 0.6, dynamic = 0.5 }
[[body.shape]]
plane = { size = [10, 10], segments = [2, 2] }
[[body]]
name = "box"
density = 1000.0
position = [0, 1, 0]
rotation_deg = [0, 0, 45]
restitution = 0.5
fixed = { translation = [false, false, true] }
copies = { count = [2, 1, 1], spacing = [3, 0, 0] }
[[body.shape]]
box = { size = [1, 1, 1] }
scale = [1, 2, 1]
[[body.shape]]
icosphere = { radius = 0.5, subdivisions = 1 }
position = [0, 2, 0]
[[body]]
name = "mill"
role = "kinematic"
quaternion = [1, 0, 0, 1]
motion = { stops_at = 3, keyframes = [{ time = 1, position = [1, 0, 0] }, { time = 2 }] }
[[body.shape]]
mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], edges = [] }
[[body]]
name = "tet"
mass = 2
[[body.shape]]
mesh = { file = "tet.obj", component = 0 }
[[joint]]
name = "hinge"
kind = "hinge"
body_a = "box-0-0-0"
body_b = "box-1-0-0"
position = [1, 1, 0]
axis = [0, 0, 1]
turn = { min_deg = -10, max_deg = 20.0, compliance = 0.1, velocity_deg = 90, drive_compliance = 0.1, max_torque = 3 }
angular_damping = 1
break_torque = 50
[[joint]]
name = "strut"
kind = "distance"
body_a = "box-0-0-0"
position = [0, 1, 0]
to = [0, 3, 0]
length = { distance = 2, drive_table = [[-1, -20], [0, 0], [0.5, 2]], drive_damping = 5 }
[[joint]]
name = "buffer"
kind = "distance"
body_a = "box-1-0-0"
position = [0, 1, 0]
max = 4
length = { velocity = 1, drive_stiffness = [50, 10, 0.5], max_force = 3 }
[[joint]]
name = "shoulder"
kind = "ball"
body_a = "box-1-0-0"
position = [1, 1, 0]
swing = { max_deg = 30 }
contact = true
[[joint]]
name = "rope"
kind = "distance"
body_a = "box-0-0-0"
position = [0, 1, 0]
to = [0, 5, 0]
max = 4
compliance = 1e-6
[[particle]]
mass = 1
radius = 0.1
position = [5, 5, 5]
[[contact_free]]
bodies = ["floor", "mill"]
[method.xpbd]
substeps = 20
[[expect]]
figure = "penetration.deepest"
body = "box-0-0-0"
at_most = 1e-3
"#;

const PART: &str =
    "[[body]]\nname = \"part\"\n[[body.shape]]\nsphere = { radius = 1, segments = 8, rings = 4 }\n";
const TET: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

fn load(path: &str, bytes: Vec<u8>) -> Result<rigor_file::Loaded, rigor_file::SceneError> {
    let mut files = Memory::new(&[("part.toml", PART), ("tet.obj", TET)]);
    files.0.insert(path.into(), bytes);
    rigor_file::load(Path::new(path), &files, &LoadOptions::default())
}

fn good_json() -> String {
    let table: toml::Table = GOOD.parse().expect("the text is TOML");
    serde_json::to_string_pretty(&table).expect("TOML has no key that JSON lacks")
}

#[test]
fn the_unchanged_files_load_and_agree() {
    let from_toml = load("a.toml", GOOD.into()).unwrap();
    let from_json = load("a.json", good_json().into()).unwrap();
    assert_eq!(from_toml.scene, from_json.scene);
    assert_eq!(from_toml.document, from_json.document);
    assert_eq!(from_toml.scene.bodies.len(), 6);
}

#[test]
fn a_document_survives_being_written_and_read() {
    let loaded = load("a.toml", GOOD.into()).unwrap();
    let written = toml::to_string(&loaded.document).unwrap();
    let again = load("b.toml", written.into()).unwrap();
    assert_eq!(again.document, loaded.document);
    assert_eq!(again.scene, loaded.scene);
    let written = serde_json::to_string(&loaded.document).unwrap();
    assert_eq!(load("b.json", written.into()).unwrap().scene, loaded.scene);
}

/// One change to a text.
#[derive(Debug, Clone)]
enum Change {
    Flip { at: prop::sample::Index, bits: u8 },
    Drop { line: prop::sample::Index },
    Repeat { line: prop::sample::Index, to: prop::sample::Index },
    Truncate { at: prop::sample::Index },
    Number { which: prop::sample::Index, to: &'static str },
    Word { which: prop::sample::Index, to: &'static str },
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    let numbers = vec![
        "nan",
        "inf",
        "-inf",
        "1e400",
        "-1",
        "0",
        "-0.0",
        "1e-320",
        "1e308",
        "4294967296",
        "9e18",
        "0.5",
        "2",
        "\"x\"",
        "[]",
        "{}",
        "true",
    ];
    let words =
        vec!["x", "body", "box", "name", "size", "position", "shape", "plane", "mesh", "kinematic", "a.toml"];
    prop_oneof![
        (index(), 1_u8..).prop_map(|(at, bits)| Change::Flip { at, bits }),
        index().prop_map(|line| Change::Drop { line }),
        (index(), index()).prop_map(|(line, to)| Change::Repeat { line, to }),
        index().prop_map(|at| Change::Truncate { at }),
        (index(), prop::sample::select(numbers)).prop_map(|(which, to)| Change::Number { which, to }),
        (index(), prop::sample::select(words)).prop_map(|(which, to)| Change::Word { which, to }),
    ]
}

fn apply(change: &Change, text: &mut Vec<u8>) {
    match change {
        Change::Flip { at, bits } if !text.is_empty() => {
            let at = at.index(text.len());
            text[at] ^= bits;
        }
        Change::Truncate { at } if !text.is_empty() => text.truncate(at.index(text.len())),
        Change::Drop { line } => rewrite_lines(text, |lines| {
            lines.remove(line.index(lines.len()));
        }),
        Change::Repeat { line, to } => rewrite_lines(text, |lines| {
            let copy = lines[line.index(lines.len())].clone();
            lines.insert(to.index(lines.len()), copy);
        }),
        Change::Number { which, to } => {
            replace(text, which, to, |b| b.is_ascii_digit() || b"+-.".contains(&b));
        }
        Change::Word { which, to } => replace(text, which, to, |b| b.is_ascii_alphabetic() || b == b'_'),
        _ => {}
    }
}

fn rewrite_lines(text: &mut Vec<u8>, rewrite: impl Fn(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    rewrite(&mut lines);
    *text = lines.join(&b'\n');
}

/// Replaces one of the runs of bytes for which `is_in` holds.
fn replace(text: &mut Vec<u8>, which: &prop::sample::Index, to: &str, is_in: impl Fn(u8) -> bool) {
    let starts: Vec<usize> =
        (0..text.len()).filter(|&i| is_in(text[i]) && (i == 0 || !is_in(text[i - 1]))).collect();
    if starts.is_empty() {
        return;
    }
    let start = *which.get(&starts);
    let end = (start..text.len()).find(|&i| !is_in(text[i])).unwrap_or(text.len());
    text.splice(start..end, to.bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_load_or_are_refused_with_a_message(changes in prop::collection::vec(change(), 1..5), json: bool) {
        let (path, mut text) = if json { ("a.json", good_json().into_bytes()) } else { ("a.toml", GOOD.into()) };
        for change in &changes {
            apply(change, &mut text);
        }
        match load(path, text) {
            Ok(loaded) => {
                for body in &loaded.scene.bodies {
                    prop_assert!(body.initial.is_finite() && body.mass.is_finite() && body.mass > 0.0);
                    prop_assert!(body.inertia.iter().all(|i| i.is_finite()));
                }
                rigor_file::check::initial_intersections(&loaded.scene);
            }
            Err(error) => {
                prop_assert!(!error.message.is_empty() && error.to_string().len() < 2000);
                if let (Some(place), Some(text)) = (error.place, &error.text) {
                    prop_assert!(text.get(place.offset..place.offset + place.len).is_some(), "{}", error);
                }
            }
        }
    }

    #[test]
    fn any_bytes_load_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for path in ["a.toml", "a.json", "a"] {
            let _ = load(path, bytes.clone());
        }
    }

    #[test]
    fn any_override_is_applied_or_refused(line in "[a-z0-9.\\[\\]{}=\" ,-]{0,24}") {
        let options = LoadOptions { overrides: vec![line], ..LoadOptions::default() };
        let files = Memory::new(&[("a.toml", GOOD), ("part.toml", PART), ("tet.obj", TET)]);
        let _ = rigor_file::load(Path::new("a.toml"), &files, &options);
    }
}
