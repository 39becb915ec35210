//! Every kind of mistake, with its line, column, key and text.

use std::path::Path;

use rigor_scene::file::{self, LoadOptions};

use super::{Memory, cube, load, refused, told};

#[track_caller]
fn is_refused(text: &str, line: usize, column: usize, key: &str, message: &str) {
    let (l, c, k, m) = refused(text);
    assert_eq!((l, c, k.as_str(), m.as_str()), (line, column, key, message), "for\n{text}");
}

/// `cube` with a third line of `more`, wrong at `column` of it.
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
            told(file::load(Path::new("s.json"), &files, &LoadOptions::default()).unwrap_err());
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
        let from_json = file::load(Path::new(path), &files, &LoadOptions::default()).unwrap();
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
    for (scale, column, key, found) in [("0", 9, "", "0.0"), ("[1, -2, 1]", 13, "[1]", "-2.0")] {
        let text = format!("{}scale = {scale}\n", cube(""));
        let key = format!("body[0].shape[0].scale{key}");
        is_refused(&text, 6, column, &key, &format!("expected a positive number, found {found}"));
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
fn shapes_have_exactly_one_geometry_with_sound_parameters() {
    let shape = |shape: &str| format!("[[body]]\nname = \"b\"\n[[body.shape]]\n{shape}\n");
    let refused = |text: &str, line, column, key: &str, message: &str| {
        is_refused(&shape(text), line, column, &format!("body[0].shape[0]{key}"), message);
    };
    refused(
        "box = { size = [1, 1, 1] }\nplane = { size = [1, 1] }",
        5,
        9,
        ".plane",
        "expected one geometry, found `box` and `plane`",
    );
    refused("box = { size = [1, -1, 1] }", 4, 20, ".box.size[1]", "expected positive and finite, found -1");
    refused("plane = { size = [1, 0] }", 4, 22, ".plane.size[1]", "expected positive and finite, found 0");
    refused(
        "sphere = { radius = 1, segments = 2 }",
        4,
        35,
        ".sphere.segments",
        "expected from 3 to 4096, found 2",
    );
    refused(
        "sphere = { radius = 1, segments = 4000000000 }",
        4,
        35,
        ".sphere.segments",
        "expected from 3 to 4096, found 4000000000",
    );
    refused(
        "icosphere = { radius = 1, subdivisions = 30 }",
        4,
        42,
        ".icosphere.subdivisions",
        "expected from 0 to 7, found 30",
    );
    let stone = "inner_radius = 1, outer_radius = 2, depth = 1, start_deg = 0, end_deg";
    refused(
        &format!("arch_stone = {{ {stone} = 270 }}"),
        4,
        88,
        ".arch_stone.end_deg",
        "expected more than start by less than π, found 4.71238898038469 (in radians)",
    );
    refused(
        "nut = { thread = { radius = 1, pitch = -1 }, clearance = 1, height = 1, radius = 1 }",
        4,
        40,
        ".nut.thread.pitch",
        "expected positive and finite, found -1",
    );
    refused(
        "height_field = { size = [1, 1], heights = [[0, 0], [0]] }",
        4,
        43,
        ".height_field.heights",
        "expected as many in each row as in the first, 2, found 1",
    );
    refused(
        "height_field = { size = [1, 1], heights = [] }",
        4,
        16,
        ".height_field",
        "expected from 2 to 2049, found 0",
    );
    let (line, _, key, message) = super::refused(&shape("scale = 2"));
    assert_eq!((line, key.as_str()), (3, "body[0].shape[0]"));
    assert!(
        message.starts_with("the shape has no geometry: expected one of box, sphere, icosphere, "),
        "{message}"
    );
    is_refused(
        "[[body]]\nname = \"b\"\n",
        1,
        1,
        "body[0]",
        "the body has no shape: give it a `[[body.shape]]`",
    );
}

#[test]
fn meshes_written_out_are_checked_to_the_triangle() {
    let mesh = |mesh: &str| format!("[[body]]\nname = \"b\"\n[[body.shape]]\nmesh = {{ {mesh} }}\n");
    let refused = |text: &str, column, key: &str, message: &str| {
        is_refused(&mesh(text), 4, column, &format!("body[0].shape[0].mesh{key}"), message);
    };
    let corners = "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]]";
    refused("vertices = []", 21, ".vertices", "the mesh is empty: it has no vertices");
    refused(
        &format!("{corners}, triangles = [[0, 1, 2], [0, 1, 7]]"),
        91,
        ".triangles[1]",
        "triangle 1 refers to vertex 7, but there are only 4",
    );
    refused(
        &format!("{corners}, triangles = [[0, 1, 3]]"),
        80,
        ".triangles[0]",
        "triangle 0 is degenerate: its corners [0, 1, 3] span no area",
    );
    refused(
        &format!("{corners}, edges = [[2, 2]]"),
        76,
        ".edges[0]",
        "edge 0 is degenerate: its corners [2, 2] span no length",
    );
    refused("triangles = []", 8, "", "expected either `file`, or `vertices` with `triangles` and `edges`");
}

#[test]
fn missing_mesh_files_are_named_with_every_place_looked_at() {
    let text = "[[body]]\nname = \"b\"\n[[body.shape]]\nmesh = { file = \"m/x.obj\" }\n";
    let options =
        LoadOptions { mesh_folders: vec!["lib".into(), "/usr/lib".into()], ..LoadOptions::default() };
    let files = Memory::new(&[("a/scene.toml", text)]);
    let error = told(file::load(Path::new("a/scene.toml"), &files, &options).unwrap_err());
    let message = "there is no mesh file `m/x.obj`; looked for a/m/x.obj, lib/m/x.obj, /usr/lib/m/x.obj";
    assert_eq!(error, (4, 17, "body[0].shape[0].mesh.file".to_owned(), message.to_owned()));
}

#[test]
fn broken_mesh_files_and_wrong_components_are_named() {
    let load = |component: &str, mesh: &str| {
        let text =
            format!("[[body]]\nname = \"b\"\n[[body.shape]]\nmesh = {{ file = \"x.obj\"{component} }}\n");
        let files = Memory::new(&[("a/scene.toml", &text), ("a/x.obj", mesh)]);
        told(file::load(Path::new("a/scene.toml"), &files, &LoadOptions::default()).unwrap_err())
    };
    let (line, column, key, message) = load("", "v 0 0 0\nv 1 zero 0\n");
    assert_eq!((line, column, key.as_str()), (4, 17, "body[0].shape[0].mesh.file"));
    assert!(message.starts_with("a/x.obj: line 2: "), "{message}");
    let (.., key, message) = load(", component = 1", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(key, "body[0].shape[0].mesh.component");
    assert_eq!(message, "expected a number below 1, the count of components, found 1");
}

#[test]
fn names_are_unique_and_known() {
    let two = format!("{}{}", cube(""), cube(""));
    is_refused(&two, 7, 8, "body[1].name", "the body `cube` is there already, at a/scene.toml:2");
    let clash = format!(
        "{}{}",
        cube("copies = { count = [2, 1, 1], spacing = [2, 0, 0] }"),
        cube("").replace("cube", "cube-1-0-0")
    );
    is_refused(&clash, 7, 8, "body[1].name", "the body `cube-1-0-0` is there already, at a/scene.toml:2");
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
fn joints_must_make_sense() {
    let joint = |rest: &str| format!("{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\n{rest}\n", cube(""));
    let refused = |text: &str, line, column, key: &str, message: &str| {
        is_refused(&joint(text), line, column, &format!("joint[0]{key}"), message);
    };
    refused("kind = \"ball\"", 6, 1, "", "expected either `position`, or `frame_a` and `frame_b`");
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\nbody_b = \"cube\"",
        11,
        10,
        ".body_b",
        "expected another body than `body_a`",
    );
    refused(
        "kind = \"hinge\"\nposition = [0, 0, 0]\naxis = [0, 0, 0]",
        11,
        8,
        ".axis",
        "expected a direction, found [0, 0, 0]",
    );
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\nmax = 1",
        11,
        7,
        ".max",
        "only distance joints have `max`",
    );
    refused("kind = \"distance\"\nposition = [0, 0, 0]", 6, 1, "", "a distance joint needs `max`");
    refused(
        "kind = \"distance\"\nposition = [0, 0, 0]\nmax = -1",
        11,
        7,
        ".max",
        "expected 0 or a positive number, found -1.0",
    );
    refused(
        "kind = \"ball\"\nposition = [0, 0, 0]\ncompliance = -1",
        11,
        14,
        ".compliance",
        "expected 0 or a positive number, found -1.0",
    );
    refused(
        "kind = \"ball\"\nframe_a = {}\nframe_b = {}\naxis = [1, 0, 0]",
        12,
        8,
        ".axis",
        "`axis` goes with `position`, not with `frame_a` and `frame_b`",
    );
    refused("kind = \"bal\"", 9, 8, ".kind", "unknown choice `bal` (did you mean `ball`?)");
    let one = "[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nkind = \"ball\"\nposition = [0, 0, 0]\n";
    is_refused(
        &format!("{}{one}{one}", cube("")),
        12,
        8,
        "joint[1].name",
        "the joint `j` is there already, at a/scene.toml:7",
    );
}

#[test]
fn joints_are_told_which_of_their_numbers_make_no_sense() {
    let refused = |rest: &str, column, key: &str, message: &str| {
        let text =
            format!("{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nposition = [0, 0, 0]\n{rest}\n", cube(""));
        is_refused(&text, 10, column, &format!("joint[0].{key}"), message);
    };
    let hinge = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("turn = {{ {rest} }}\nkind = \"hinge\""), column, key, message);
    };
    let rail = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("slide = {{ {rest} }}\nkind = \"prismatic\""), column, key, message);
    };
    let ball = |rest: &str, column, key: &str, message: &str| {
        refused(&format!("{rest}\nkind = \"ball\""), column, key, message);
    };
    let order = "expected at most the upper bound 10.0, found 20.0";
    hinge("min_deg = 20, max_deg = 10", 20, "turn.min_deg", order);
    hinge("min_deg = 190", 20, "turn.min_deg", "expected a number from -180 to 180, found 190.0");
    hinge("max_deg = -181", 20, "turn.max_deg", "expected a number from -180 to 180, found -181.0");
    hinge("angle_deg = 720", 22, "turn.angle_deg", "expected a number from -180 to 180, found 720.0");
    hinge("angle_deg = nan", 22, "turn.angle_deg", "NaN is not a finite number");
    hinge("velocity_deg = inf", 25, "turn.velocity_deg", "inf is not a finite number");
    hinge("compliance = inf", 23, "turn.compliance", "inf is not a finite number");
    hinge(
        "velocity_deg = 1, angle_deg = 1",
        25,
        "turn.velocity_deg",
        "expected either `angle_deg` or `velocity_deg`",
    );
    hinge("max_torque = 1", 23, "turn.max_torque", "`max_torque` goes with a drive");
    rail("min = 20, max = 10", 17, "slide.min", order);
    rail(
        "position = 0, drive_damping = -1",
        41,
        "slide.drive_damping",
        "expected 0 or a positive number, found -1.0",
    );
    ball("swing = { min_deg = 20, max_deg = 10 }", 21, "swing.min_deg", order);
    ball("turn = { angle_deg = 20 }", 8, "turn", "a ball joint has no drive");
    ball("slide = {}", 9, "slide", "only prismatic and cylindrical joints have `slide`");
    ball("break_force = 0", 15, "break_force", "expected a positive number, found 0.0");
    ball("angular_damping = -1", 19, "angular_damping", "expected 0 or a positive number, found -1.0");
    refused("ratio = 0\nkind = \"gear\"", 9, "ratio", "expected another number than 0");
    refused("min = 20\nmax = 10\nkind = \"distance\"", 7, "min", order);
    refused(
        "second_axis = [-2, 0, 0]\nkind = \"universal\"",
        15,
        "second_axis",
        "expected a direction that is not along `axis`",
    );
}

#[test]
fn a_joint_needs_a_body_that_moves() {
    let text = format!(
        "{}[[joint]]\nname = \"j\"\nbody_a = \"cube\"\nkind = \"ball\"\nposition = [0, 0, 0]\n",
        cube("role = \"static\"")
    );
    is_refused(&text, 6, 1, "joint[0]", "expected a dynamic body at one end of the joint at least");
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
        "expected a time after 1 s, found 1.0: keyframes ascend from 0",
    );
    refused(
        "{ keyframes = [{ time = 0 }] }",
        34,
        ".keyframes[0].time",
        "expected a time after 0 s, found 0.0: keyframes ascend from 0",
    );
    refused(
        "{ keyframes = [{ time = 1 }], poses = [{}] }",
        48,
        ".poses",
        "expected either `keyframes` or `poses`",
    );
    refused("{ interval = 1 }", 23, ".interval", "`interval` goes with `poses`");
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

#[test]
fn a_scene_is_not_empty() {
    let error = load("gravity = [0, 0, 0]\n").unwrap_err();
    assert_eq!(error.message, "the scene is empty");
    for text in ["", " \n\t", "\u{feff}\n"] {
        assert_eq!(load(text).unwrap_err().message, "the file is empty");
    }
}

#[test]
fn files_that_are_no_text_or_not_there_are_refused() {
    let load = |bytes: &[u8]| {
        let files = Memory([("x.toml".into(), bytes.to_vec())].into());
        file::load(Path::new("x.toml"), &files, &LoadOptions::default()).unwrap_err().to_string()
    };
    let help = "(scene files are TOML or JSON; meshes belong in `mesh.file`)";
    assert_eq!(load(b"ab\0"), format!("x.toml: this is not a text file: byte 2 is no UTF-8 text {help}"));
    assert_eq!(load(b"abc\xff"), format!("x.toml: this is not a text file: byte 3 is no UTF-8 text {help}"));
    let absent = file::load(Path::new("y.toml"), &Memory::default(), &LoadOptions::default()).unwrap_err();
    assert_eq!(absent.to_string(), "y.toml: there is no such file");
}

#[test]
fn enormous_files_are_refused_at_once() {
    let long = format!("name = \"{}\"", "x".repeat(50 << 20));
    let error = load(&long).unwrap_err();
    assert_eq!(error.message, "the scene is 50.0 MiB long: at most 16 MiB are read");
    let key = "k".repeat(1 << 20);
    let (.., key, message) = refused(&format!("{key} = 1\n"));
    assert!(key.len() < 100 && message.len() < 400, "{message}");
}

#[test]
fn deep_nesting_is_refused_without_overflowing_the_stack() {
    let n = 100_000;
    for text in ["[".repeat(n), "{a=".repeat(n)].map(|value| format!("name = {value}")) {
        assert!(refused(&text).3.contains("recur"), "{:?}", refused(&text));
    }
    assert!(refused(&format!("{}a = 1", "a.".repeat(n))).3.contains("recur"));
    let json = format!("{{\"a\": {}", "[".repeat(n));
    let files = Memory::new(&[("s.json", &json)]);
    let (line, column, _, message) =
        told(file::load(Path::new("s.json"), &files, &LoadOptions::default()).unwrap_err());
    assert_eq!((line, column, message.as_str()), (1, 71, "arrays and objects are nested more than 64 deep"));
}

#[test]
fn enormous_counts_are_refused_before_anything_is_made() {
    let message = "the scene would have 100000000000 bodies: at most 100000 are allowed";
    let copies = "copies = { count = [100000, 1000, 1000], spacing = [2, 2, 2] }";
    is_refused(&cube(copies), 1, 1, "body[0]", message);
    let copies = "copies = { count = [4294967295, 4294967295, 4294967295], spacing = [2, 2, 2] }";
    is_refused(
        &cube(copies),
        1,
        1,
        "body[0]",
        "the scene would have 18446744073709551615 bodies: at most 100000 are allowed",
    );
}

#[test]
fn bodies_without_inertia_or_out_of_range_are_refused() {
    let wire = "[[body]]\nname = \"rod\"\n[[body.shape]]\nmesh = { vertices = [[0, 0, 0], [1, 0, 0]], edges = [[0, 1]] }\n";
    let (line, _, key, message) = refused(wire);
    assert_eq!((line, key.as_str()), (1, "body[0]"));
    assert!(message.starts_with("body \"rod\" has principal moments of inertia"), "{message}");
    let (.., key, _) = refused(&cube("").replace("[1, 1, 1]", "[1e200, 1e200, 1e200]"));
    assert!(key.starts_with("body[0]"), "{key}");
}
