//! Variants of OBJ, STL, PLY and OFF that others write.

use super::{read, refusal, weighed};

/// A tetrahedron of 1000/6 kg.
const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

fn is_sixth(name: &str, bytes: impl AsRef<[u8]>) -> Vec<String> {
    let (mass, notes) = weighed(name, bytes);
    assert!((mass / (1000.0 / 6.0) - 1.0).abs() < 1e-12, "{name}: {mass}");
    notes
}

fn stl_text() -> String {
    let facet = |corners: [&str; 3]| {
        let lines: String = corners.iter().map(|corner| format!("  vertex {corner}\n")).collect();
        format!("facet normal 0 0 0\n outer loop\n{lines} endloop\nendfacet\n")
    };
    let [o, x, y, z] = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let facets: String = [[o, y, x], [o, x, z], [x, y, z], [o, z, y]].map(facet).concat();
    format!("solid a part\n{facets}endsolid a part\n")
}

fn stl_binary(header: &str, count: u32) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, 0);
    bytes.extend(count.to_le_bytes());
    let [o, x, y, z] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    for facet in [[o, y, x], [o, x, z], [x, y, z], [o, z, y]] {
        bytes.extend([0; 12]);
        bytes.extend(facet.concat().into_iter().flat_map(f32::to_le_bytes));
        bytes.extend([0; 2]);
    }
    bytes
}

const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
    element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n\
    3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";

const OFF: &str = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    for (name, text) in [("a.obj", OBJ), ("a.stl", &stl_text()), ("a.ply", PLY), ("a.off", OFF)] {
        for end in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{feff}"] {
                let text = format!("{mark}{}", text.replace('\n', end));
                assert_eq!(is_sixth(name, &text), [""; 0], "{name} {end:?}");
            }
        }
    }
    assert!(refusal("a.obj", b"\xff\xfev\0 \x000\0").ends_with("the text is UTF-16: save it as UTF-8"));
}

#[test]
fn obj_statements_that_are_no_polygons_are_told_and_do_not_refuse_the_file() {
    let notes =
        is_sixth("a.obj", format!("{OBJ}vp 1 2\ncstype bspline\ncurv 0 1 1 2\nend\nfrob 1\nfrob 2\n"));
    assert_eq!(
        notes,
        [
            "changes the physics: 3 statement(s) `free-form curves and surfaces` (line 10) left out",
            "changes the physics: 2 statement(s) `frob` (line 13) left out"
        ]
    );
    let many: String = (0..20).map(|i| format!("x{i}\n")).collect();
    assert_eq!(
        is_sixth("a.obj", format!("{OBJ}{many}")).len(),
        9,
        "a file of other things is not listed whole"
    );
    assert!(
        refusal("a.obj", "<html>\n")
            .ends_with("line 1: expected an OBJ statement of polygons (v, f, l, p), found `<html>`")
    );
}

#[test]
fn points_are_points_only_where_the_file_says_so() {
    let points = |text: &str| read("a.obj", text).unwrap().mesh.points().len();
    assert_eq!(points(&format!("{OBJ}v 5 5 5\n")), 0);
    assert_eq!(points(&format!("{OBJ}v 5 5 5\np 5\n")), 1);
    assert_eq!(points("v 0 0 0\nv 1 1 1\n"), 2, "nothing but vertices is a set of points");
    let ply = PLY.replace("vertex 4", "vertex 5").replace("0 0 1\n3", "0 0 1\n9 9 9\n3");
    assert_eq!(is_sixth("a.ply", ply), ["rule: 1 vertices that nothing uses left out"]);
    let off = OFF.replace("4 4 6", "5 4 6").replace("0 0 1\n3", "0 0 1\n9 9 9\n3");
    assert_eq!(is_sixth("a.off", off), ["rule: 1 vertices that nothing uses left out"]);
}

#[test]
fn stl_is_told_from_text_by_its_second_line() {
    for header in ["solid", "solid part made by a program", "Exported", ""] {
        assert_eq!(is_sixth("a.stl", stl_binary(header, 4)), [""; 0]);
        let with_tail = [stl_binary(header, 4), vec![0]].concat();
        assert_eq!(is_sixth("a.stl", with_tail), ["unused: 1 byte(s) after the last triangle left out"]);
        let uncounted = stl_binary(header, 0);
        assert_eq!(
            is_sixth("a.stl", uncounted),
            ["rule: the header announces no triangles, but some follow"]
        );
        let more = [stl_binary(header, 4), vec![0; 50]].concat();
        assert_eq!(
            is_sixth("a.stl", more),
            ["changes the physics: 50 byte(s) after the last triangle left out"],
            "room for a triangle"
        );
    }
    let cut = stl_text().replace("endsolid a part\n", "");
    assert_eq!(is_sixth("a.stl", &cut), ["rule: the text ends without `endsolid`"]);
    assert_eq!(is_sixth("a.stl", stl_text().to_uppercase()), [""; 0]);
    let within = &cut[..cut.len() - 20];
    assert!(refusal("a.stl", within).contains("but the file ends here"));
}

#[test]
fn ply_strips_and_other_elements_are_read_or_told() {
    let strips = PLY.replace("element face 4", "element tristrips 1");
    let strips = &strips[..strips.find("3 0 2 1").unwrap()];
    for strip in ["6 0 2 1 3 0 2", "12 0 2 1 3 -1 1 3 0 -1 0 3 2", "7 0 2 1 3 0 2 -1"] {
        assert_eq!(is_sixth("a.ply", format!("{strips}{strip}\n")), [""; 0], "{strip}");
    }
    let extra = |element: &str, row: &str| {
        let text = PLY.replace("end_header", &format!("element {element}\nend_header"));
        is_sixth("a.ply", format!("{text}{row}\n"))
    };
    assert_eq!(
        extra("range_grid 1\nproperty list uchar int vertex_indices", "1 0"),
        ["changes the physics: 1 element(s) `range_grid` left out"]
    );
    assert_eq!(extra("material 1\nproperty uchar red", "255"), ["unused: 1 element(s) `material` left out"]);
}

#[test]
fn off_headers_of_many_kinds_are_read() {
    for header in
        ["OFF 4 4 6", "off\n4 4 6", "COFF\n4 4 0", "4 4 6", "OFF\n# made by hand\n4 4 6", "OFF\n4\n4\n6"]
    {
        assert_eq!(is_sixth("a.off", OFF.replace("OFF\n4 4 6", header)), [""; 0], "{header}");
    }
    let without = is_sixth("a.off", OFF.replace("4 4 6", "4 4"));
    assert_eq!(without, ["rule: the header has no number of edges"]);
    assert!(refusal("a.off", "OFF BINARY\n1 2 3").contains("binary OFF is not read: save it as text"));
    assert_eq!(
        is_sixth("a.off", format!("{OFF}3 1 2 3\n")),
        ["changes the physics: text after the last face (line 11) left out"]
    );
}

#[test]
fn polygons_of_every_kind_keep_the_surface_closed() {
    // A prism over an L, whose two ends are concave.
    let l = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
    let mut text = String::new();
    for z in 0..2 {
        text.extend(l.iter().map(|[x, y]| format!("v {x} {y} {z}\n")));
    }
    text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
    text.extend((0..6).map(|i| format!("f {} {} {} {}\n", i + 1, (i + 1) % 6 + 1, (i + 1) % 6 + 7, i + 7)));
    let (mass, notes) = weighed("a.obj", &text);
    assert!((mass / 3000.0 - 1.0).abs() < 1e-12 && notes.is_empty(), "{mass} {notes:?}");
    // From every corner of the ends.
    for turn in 1..6 {
        let end: Vec<String> = (0..6).map(|i| (7 + (i + turn) % 6).to_string()).collect();
        let turned = text.replace("f 7 8 9 10 11 12", &format!("f {}", end.join(" ")));
        assert!((weighed("a.obj", turned).0 / 3000.0 - 1.0).abs() < 1e-12);
    }
    // The surface is closed, and a note reports the outline that crosses itself.
    let bow =
        "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 0.5 0.5 1\nf 1 2 3 4\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n";
    let file = read("a.obj", bow).unwrap();
    let told: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("1 polygon(s) with an outline that crosses itself"), "{told:?}");
}

/// The tetrahedron with the corners of each triangle for themselves, with normals and texture coordinates.
fn msh() -> Vec<u8> {
    let [o, x, y, z] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    let corners = [[o, y, x], [o, x, z], [x, y, z], [o, z, y]].concat().concat();
    let integers = |numbers: &[i32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let triangles = integers(&(0..12).collect::<Vec<i32>>());
    [integers(&[12, 12, 12, 4]), floats(&corners), floats(&[0.0; 36]), floats(&[0.5; 24]), triangles].concat()
}

#[test]
fn meshes_of_mujoco_are_read() {
    assert_eq!(is_sixth("a.msh", msh()), [""; 0]);
    let changed = |at: usize, number: i32| {
        let mut bytes = msh();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        refusal("a.msh", &bytes)
    };
    assert!(changed(0, 1_000_000_000).contains("announces 1000000000 vertices"));
    assert!(changed(12, -1).ends_with("byte 12: expected a number of elements, found -1"));
    assert!(changed(16, f32::NAN.to_bits() as i32).contains("byte 16: expected finite coordinates"));
    for length in 0..msh().len() {
        refusal("a.msh", &msh()[..length]);
    }
    let last = msh().len() - 4;
    for corner in [-1, 12, i32::MAX, i32::MIN] {
        changed(last, corner);
    }
    refusal("a.msh", [0; 16]);
}
