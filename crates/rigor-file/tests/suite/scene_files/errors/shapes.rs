//! Invalid shapes and meshes.

use super::*;

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
    refused(
        "box = { size = [1, 1, 1] }\nround = true",
        5,
        9,
        ".round",
        "only `sphere`, `icosphere` and `capsule` can be round (leave out `round`)",
    );
    refused(
        "sphere = { radius = 1 }\nround = true\nscale = [1, 1, 2]",
        6,
        9,
        ".scale",
        "a round shape needs the same factor along x, y and z (leave out `round`: its mesh can be stretched)",
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
        "expected 2 heights per row, as in the first, found 1",
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
    is_refused("[[body]]\nname = \"b\"\n", 1, 1, "body[0]", "the body has no shape: add a `[[body.shape]]`");
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
    let error = told(rigor_file::load(Path::new("a/scene.toml"), &files, &options).unwrap_err());
    let message = "there is no mesh file `m/x.obj`; looked for a/m/x.obj, lib/m/x.obj, /usr/lib/m/x.obj";
    assert_eq!(error, (4, 17, "body[0].shape[0].mesh.file".to_owned(), message.to_owned()));
}

#[test]
fn broken_mesh_files_and_wrong_components_are_named() {
    let load = |component: &str, mesh: &str| {
        let text =
            format!("[[body]]\nname = \"b\"\n[[body.shape]]\nmesh = {{ file = \"x.obj\"{component} }}\n");
        let files = Memory::new(&[("a/scene.toml", &text), ("a/x.obj", mesh)]);
        told(rigor_file::load(Path::new("a/scene.toml"), &files, &LoadOptions::default()).unwrap_err())
    };
    let (line, column, key, message) = load("", "v 0 0 0\nv 1 zero 0\n");
    assert_eq!((line, column, key.as_str()), (4, 17, "body[0].shape[0].mesh.file"));
    assert!(message.starts_with("a/x.obj: line 2: "), "{message}");
    let (.., key, message) = load(", component = 1", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(key, "body[0].shape[0].mesh.component");
    assert_eq!(message, "expected a number below 1, the number of components, found 1");
}
