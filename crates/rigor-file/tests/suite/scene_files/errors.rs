//! Every kind of mistake, with line, column, key and message.

mod joints;
mod limits;
mod shapes;

use std::path::Path;

use rigor_file::{self, LoadOptions};

use super::{Memory, cube, load, refused, told};

#[track_caller]
fn is_refused(text: &str, line: usize, column: usize, key: &str, message: &str) {
    let (l, c, k, m) = refused(text);
    assert_eq!((l, c, k.as_str(), m.as_str()), (line, column, key, message), "for\n{text}");
}

/// Checks that `cube` with `more` as its third line is rejected at `column` of that line.
#[track_caller]
fn body_is_refused(more: &str, column: usize, key: &str, message: &str) {
    is_refused(&cube(more), 3, column, &format!("body[0].{key}"), message);
}

#[test]
fn a_good_cube_is_accepted() {
    let loaded = load(&cube("")).unwrap();
    assert_eq!(loaded.scene.name, "scene");
    assert_eq!((loaded.scene.bodies[0].mass, loaded.warnings.len()), (1000.0, 0));
}

#[test]
fn syntax_errors_in_toml_name_their_place() {
    is_refused("gravity = [0, -1\n", 1, 17, "", "unclosed array, expected `]`");
    is_refused("name = \"x\"\nname = \"y\"\n", 2, 1, "", "duplicate key");
    is_refused("[time]\ndt = 12:00:00\n", 2, 6, "", "a date or time has no meaning here; put it in quotes");
    is_refused(
        "[method.m]\nn = 9223372036854775808\n",
        2,
        5,
        "",
        "the whole number does not fit into 64 bits",
    );
}

#[test]
fn syntax_errors_in_json_name_their_place() {
    let refused = |text: &str| {
        let files = Memory::new(&[("s.json", text)]);
        let (line, column, _, message) =
            told(rigor_file::load(Path::new("s.json"), &files, &LoadOptions::default()).unwrap_err());
        (line, column, message)
    };
    let cases = [
        ("{\n \"name\": }", (2, 10, "expected a value, found '}'")),
        ("{\"a\": 1,}", (1, 9, "expected a key in quotes, found '}'")),
        ("{\"a\": 1 \"b\": 2}", (1, 9, "expected \",\" or \"}\" after a member, found '\"'")),
        ("{\"a\": [1 2]}", (1, 10, "expected \",\" or \"]\" after an item, found '2'")),
        ("{\"a\" 1}", (1, 6, "expected \":\" after the key, found '1'")),
        ("{\"a\": 01}", (1, 8, "expected a number without leading zeros, found '1'")),
        ("{\"a\": -}", (1, 8, "expected a digit, found '}'")),
        ("{\"a\": 1.}", (1, 9, "expected digits after the decimal point, found '}'")),
        ("{\"a\": 1e}", (1, 9, "expected digits in the exponent, found '}'")),
        ("{\"a\": \"x", (1, 9, "expected a closing quote, found the end of the file")),
        ("{\"a\": \"\\x\"}", (1, 9, "expected one of \" \\ / b f n r t u after \\, found 'x'")),
        ("{\"a\": \"\\u12\"}", (1, 10, "expected four hexadecimal digits, found '1'")),
        ("{\"name\": \"a\", \"name\": \"b\"}", (1, 15, "duplicate key")),
        ("{} x", (1, 4, "expected the end of the file after its outermost value, found 'x'")),
    ];
    for (text, (line, column, message)) in cases {
        assert_eq!(refused(text), (line, column, message.to_owned()), "for {text}");
    }
    assert_eq!(refused("{\"gravity\": [0, 1e400, 0]}").2, "inf is not a finite number");
    assert_eq!(refused("[1]").2, "expected a table, found an array");
}

#[test]
fn json_says_the_same_as_toml() {
    let json = r#"{ "name": "\u03bc \ud83e\uddca \"\\\/\n", "gravity": [0, -1.5e0, 0], "body": [
        { "name": "cube", "density": 2, "mass": null, "shape": [{ "box": { "size": [1, 1, 1] } }] }] }"#;
    let toml = format!("name = \"μ 🧊 \\\"\\\\/\\n\"\ngravity = [0, -1.5, 0]\n{}", cube("density = 2.0"));
    let files = Memory::new(&[("s.json", json), ("s", json)]);
    for path in ["s.json", "s"] {
        let from_json = rigor_file::load(Path::new(path), &files, &LoadOptions::default()).unwrap();
        assert_eq!(from_json.scene, load(&toml).unwrap().scene);
    }
}

#[test]
fn unknown_keys_are_refused_with_the_likely_one() {
    let cube = cube("");
    is_refused(
        &format!("gravty = [0, 0, 0]\n{cube}"),
        1,
        1,
        "gravty",
        "unknown key `gravty` (did you mean `gravity`?)",
    );
    body_is_refused("frction = 0.5", 1, "frction", "unknown key `frction` (did you mean `friction`?)");
    body_is_refused(
        "friction = { satic = 1, dynamic = 1 }",
        14,
        "friction.satic",
        "unknown key `satic` (did you mean `static`?)",
    );
    is_refused(
        &cube.replace("size", "sise"),
        5,
        9,
        "body[0].shape[0].box.sise",
        "unknown key `sise` (did you mean `size`?)",
    );
    is_refused(
        &format!("[time]\nqqq = 1\n{cube}"),
        2,
        1,
        "time.qqq",
        "unknown key `qqq` (expected one of: dt, duration)",
    );
}

#[test]
fn wrong_types_are_refused_with_what_was_expected() {
    body_is_refused("density = \"heavy\"", 11, "density", "expected a number, found the string \"heavy\"");
    body_is_refused("position = [1, 2]", 12, "position", "expected an array of 3 items, found 2 items");
    body_is_refused("position = [1, 2, 3, 4]", 12, "position", "expected an array of 3 items, found 4");
    body_is_refused("position = [1, true, 3]", 16, "position[1]", "expected a number, found true");
    body_is_refused("position = 1", 12, "position", "expected an array of 3 items, found 1");
    body_is_refused(
        "friction = \"ice\"",
        12,
        "friction",
        "expected a number or { static = …, dynamic = … }, found the string \"ice\"",
    );
    body_is_refused("enabled = 1", 11, "enabled", "expected true or false, found 1");
    body_is_refused(
        "group = -1",
        9,
        "group",
        "expected a name or a whole number from 0 to 4294967295, found -1",
    );
    body_is_refused("role = \"dinamic\"", 8, "role", "unknown choice `dinamic` (did you mean `dynamic`?)");
    body_is_refused("role = 3", 8, "role", "expected a string, found a whole number");
    body_is_refused("fixed = [true]", 9, "fixed", "expected a table, found an array");
    body_is_refused(
        "copies = { count = [1, 1, -1], spacing = [1, 1, 1] }",
        27,
        "copies.count[2]",
        "expected a whole number from 0 to 4294967295, found -1",
    );
    is_refused("body = 3\n", 1, 8, "body", "expected an array, found 3");
    is_refused("[[body]]\n[[body.shape]]\n", 1, 1, "body[0]", "the key `name` is missing");
    is_refused("time = [0.1, 1]\n", 1, 8, "time", "expected a table, found an array");
}

#[test]
fn numbers_that_are_not_finite_are_refused_everywhere() {
    body_is_refused("density = nan", 11, "density", "NaN is not a finite number");
    body_is_refused("position = [0, -inf, 0]", 16, "position[1]", "-inf is not a finite number");
    body_is_refused("linear_velocity = [0, inf, 0]", 23, "linear_velocity[1]", "inf is not a finite number");
    body_is_refused(
        "angular_velocity = [nan, 0, 0]",
        21,
        "angular_velocity[0]",
        "NaN is not a finite number",
    );
    body_is_refused("force = [1e400, 0, 0]", 10, "force[0]", "inf is not a finite number");
    is_refused(
        &format!("[method.ipc]\nd_hat = inf\n{}", cube("")),
        2,
        9,
        "method.ipc.d_hat",
        "inf is not a finite number",
    );
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    body_is_refused("density = -1", 11, "density", "expected a positive number, found -1.0");
    body_is_refused("mass = 0", 8, "mass", "expected a positive number, found 0.0");
    body_is_refused("friction = -0.1", 12, "friction", "expected 0 or a positive number, found -0.1");
    body_is_refused(
        "friction = { static = 1, dynamic = -2 }",
        36,
        "friction.dynamic",
        "expected 0 or a positive number, found -2.0",
    );
    body_is_refused("restitution = 1.5", 15, "restitution", "expected a number from 0 to 1, found 1.5");
    body_is_refused(
        "quaternion = [0, 0, 0, 0]",
        14,
        "quaternion",
        "the quaternion (w, x, y, z) = (0, 0, 0, 0) has no direction",
    );
    body_is_refused(
        "copies = { count = [1, 0, 1], spacing = [1, 1, 1] }",
        24,
        "copies.count[1]",
        "expected at least 1, found 0",
    );
    for (scale, column, key, found) in [("0", 9, "", "0.0"), ("[1, -2, 0]", 17, "[2]", "0.0")] {
        let text = format!("{}scale = {scale}\n", cube(""));
        let key = format!("body[0].shape[0].scale{key}");
        is_refused(&text, 6, column, &key, &format!("expected a number other than 0, found {found}"));
    }
    let cube = cube("");
    is_refused(&format!("[time]\ndt = 0\n{cube}"), 2, 6, "time.dt", "expected a positive number, found 0.0");
    is_refused(
        &format!("[time]\nduration = -1\n{cube}"),
        2,
        12,
        "time.duration",
        "expected a positive number, found -1.0",
    );
    is_refused(
        &format!("[time]\ndt = 2\n{cube}"),
        2,
        6,
        "time.dt",
        "a step of 2 s is longer than the duration of 1 s (lower `dt`, or raise `duration`)",
    );
    is_refused(
        &format!("[time]\ndt = 1e-12\n{cube}"),
        1,
        1,
        "time.duration",
        "1 s in steps of 0.000000000001 s are more than 1e9 steps",
    );
    is_refused(
        &format!("format = 2\n{cube}"),
        1,
        10,
        "format",
        "expected 1, the only version that this program knows, found 2",
    );
}

#[test]
fn two_ways_of_saying_one_thing_are_refused() {
    body_is_refused("mass = 1\ndensity = 1", 8, "mass", "expected either `mass` or `density`");
    body_is_refused(
        "split = true\ncopies = { count = [1, 1, 1], spacing = [1, 1, 1] }",
        9,
        "split",
        "expected at most one of `split`, `copies` and `places`",
    );
    body_is_refused(
        "quaternion = [1, 0, 0, 0]\nrotation_deg = [0, 0, 0]",
        14,
        "quaternion",
        "expected only one of `rotation_deg`, `quaternion` and `rotation_vector_deg`",
    );
    body_is_refused(
        "angular_velocity_deg = [1, 0, 0]\nangular_velocity = [1, 0, 0]",
        24,
        "angular_velocity_deg",
        "expected either `angular_velocity` or `angular_velocity_deg`",
    );
}

#[test]
fn names_are_unique_and_known() {
    let two = format!("{}{}", cube(""), cube(""));
    is_refused(&two, 7, 8, "body[1].name", "the body `cube` already exists, at a/scene.toml:2");
    let clash = format!(
        "{}{}",
        cube("copies = { count = [2, 1, 1], spacing = [2, 0, 0] }"),
        cube("").replace("cube", "cube-1-0-0")
    );
    is_refused(&clash, 7, 8, "body[1].name", "the body `cube-1-0-0` already exists, at a/scene.toml:2");
    let with = |more: &str| format!("{}{more}", cube(""));
    is_refused(
        &with("[[contact_free]]\nbodies = [\"cube\", \"cub\"]\n"),
        7,
        19,
        "contact_free[0].bodies[1]",
        "there is no body named `cub` (did you mean `cube`?)",
    );
    is_refused(
        &with("[[contact_free]]\nbodies = [\"cube\", \"cube\"]\n"),
        7,
        10,
        "contact_free[0].bodies",
        "expected two bodies, found `cube` twice",
    );
    is_refused(
        &with("[[joint]]\nname = \"j\"\nkind = \"ball\"\nbody_a = \"sphere\"\nposition = [0, 0, 0]\n"),
        9,
        10,
        "joint[0].body_a",
        "there is no body named `sphere`",
    );
    is_refused(
        &with("[[expect]]\nfigure = \"motion.rise\"\nbody = \"kube\"\nat_most = 1\n"),
        8,
        8,
        "expect[0].body",
        "there is no body named `kube` (did you mean `cube`?)",
    );
    let disabled = format!(
        "{}enabled = false\n[[body.shape]]\nbox = {{ size = [1, 1, 1] }}\n",
        "[[body]]\nname = \"off\"\n"
    );
    is_refused(
        &format!("{disabled}{}[[contact_free]]\nbodies = [\"cube\", \"off\"]\n", cube("")),
        12,
        19,
        "contact_free[0].bodies[1]",
        "the body `off` is not enabled",
    );
    body_is_refused_named_empty();
}

fn body_is_refused_named_empty() {
    is_refused(&cube("").replace("cube", " "), 2, 8, "body[0].name", "expected a name, found an empty one");
}

#[test]
fn motions_must_make_sense() {
    let kinematic = "role = \"kinematic\"";
    let refused = |motion: &str, column, key: &str, message: &str| {
        is_refused(
            &cube(&format!("{kinematic}\nmotion = {motion}")),
            4,
            column,
            &format!("body[0].motion{key}"),
            message,
        );
    };
    refused(
        "{ keyframes = [{ time = 1 }, { time = 1 }] }",
        48,
        ".keyframes[1].time",
        "expected a time after 1 s, found 1.0: keyframe times must be positive and ascending",
    );
    refused(
        "{ keyframes = [{ time = 0 }] }",
        34,
        ".keyframes[0].time",
        "expected a time after 0 s, found 0.0: keyframe times must be positive and ascending",
    );
    refused(
        "{ keyframes = [{ time = 1 }], poses = [{}] }",
        48,
        ".poses",
        "expected either `keyframes` or `poses`",
    );
    refused("{ interval = 1 }", 23, ".interval", "`interval` requires `poses`");
    refused("{ interval = 0, poses = [{}] }", 23, ".interval", "expected a positive number, found 0.0");
    refused("{ stops_at = -1 }", 23, ".stops_at", "expected 0 or a positive number, found -1.0");
    refused(
        "{ poses = [{ quaternion = [0, 0, 0, 0] }] }",
        36,
        ".poses[0].quaternion",
        "the quaternion (w, x, y, z) = (0, 0, 0, 0) has no direction",
    );
    body_is_refused(
        "motion = { stops_at = 1 }",
        10,
        "motion",
        "only kinematic bodies have a motion (set `role = \"kinematic\"`)",
    );
}

#[test]
fn particles_and_expectations_must_make_sense() {
    let message = "expected a positive number, found 0.0";
    is_refused("[[particle]]\nmass = 0\n", 2, 8, "particle[0].mass", message);
    is_refused(
        "[[particle]]\nradius = -1\n",
        2,
        10,
        "particle[0].radius",
        "expected 0 or a positive number, found -1.0",
    );
    let expect = |rest: &str| format!("[[particle]]\n[[expect]]\nfigure = \"f\"\n{rest}\n");
    let one = "expected exactly one of `at_most`, `at_least`, and `near` with `tolerance`";
    for rest in
        ["", "at_most = 1\nat_least = 0", "near = 1", "tolerance = 1", "near = 1\ntolerance = 1\nat_most = 2"]
    {
        is_refused(&expect(rest), 2, 1, "expect[0]", one);
    }
    is_refused(
        &expect("near = 1\ntolerance = -1"),
        5,
        13,
        "expect[0].tolerance",
        "expected 0 or a positive number, found -1.0",
    );
    is_refused(
        "[[particle]]\n[[expect]]\nfigure = \"\"\nat_most = 1\n",
        3,
        10,
        "expect[0].figure",
        "expected a figure, as `penetration.deepest`",
    );
}
