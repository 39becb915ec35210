//! Files and scenes that are empty, unreadable or too large.

use super::*;

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
        rigor_file::load(Path::new("x.toml"), &files, &LoadOptions::default()).unwrap_err().to_string()
    };
    let help = "(scene files are TOML or JSON; meshes belong in `mesh.file`)";
    assert_eq!(load(b"ab\0"), format!("x.toml: this is not a text file: byte 2 is not UTF-8 {help}"));
    assert_eq!(load(b"abc\xff"), format!("x.toml: this is not a text file: byte 3 is not UTF-8 {help}"));
    let absent =
        rigor_file::load(Path::new("y.toml"), &Memory::default(), &LoadOptions::default()).unwrap_err();
    assert_eq!(absent.to_string(), "y.toml: there is no such file");
}

#[test]
fn enormous_files_are_refused_at_once() {
    let long = format!("name = \"{}\"", "x".repeat(50 << 20));
    let error = load(&long).unwrap_err();
    assert_eq!(error.message, "the scene is 50.0 MiB long: at most 16 MiB are allowed");
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
        told(rigor_file::load(Path::new("s.json"), &files, &LoadOptions::default()).unwrap_err());
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
    let wire = "[[body]]\nname = \"rod\"\nline_density = 2\n[[body.shape]]\nmesh = { vertices = [[0, 0, 0], [1, 0, 0]], edges = [[0, 1]] }\n";
    let (line, _, key, message) = refused(wire);
    assert_eq!((line, key.as_str()), (1, "body[0]"));
    assert!(message.starts_with("body \"rod\" has principal moments of inertia"), "{message}");
    let (.., key, _) = refused(&cube("").replace("[1, 1, 1]", "[1e200, 1e200, 1e200]"));
    assert!(key.starts_with("body[0]"), "{key}");
}
