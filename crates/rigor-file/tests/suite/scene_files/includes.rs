//! Scenes of several files.

use std::path::Path;

use rigor_file::{self, LoadOptions, Loaded, SceneError};
use rigor_math::Vec3;
use rigor_scene::Setting;

use super::{Memory, cube, told};

fn load(path: &str, files: &[(&str, &str)]) -> Result<Loaded, SceneError> {
    rigor_file::load(Path::new(path), &Memory::new(files), &LoadOptions::default())
}

#[test]
fn included_bodies_come_first_and_keys_hold_unless_set() {
    let common = format!(
        "gravity = [0, 0, -1]\n[time]\ndt = 0.5\nduration = 3\n[method.m]\na = 1\nb = 2\n{}",
        cube("")
    );
    let main = format!(
        "include = [\"parts/common.toml\"]\n[time]\ndt = 0.25\n[method.m]\nb = 3\n{}",
        cube("").replace("cube", "b")
    );
    let loaded = load("x/main.toml", &[("x/main.toml", &main), ("x/parts/common.toml", &common)]).unwrap();
    let scene = loaded.scene;
    assert_eq!(scene.gravity, -Vec3::z());
    assert_eq!((scene.time.dt, scene.time.duration), (0.25, 3.0));
    assert_eq!(scene.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>(), ["cube", "b"]);
    assert_eq!(scene.methods["m"]["a"], Setting::Integer(1));
    assert_eq!(scene.methods["m"]["b"], Setting::Integer(3));
    assert!(loaded.document.include.is_empty(), "what was included is part of the document");
}

#[test]
fn mesh_paths_are_relative_to_the_file_that_names_them() {
    let part = "[[body]]\nname = \"b\"\n[[body.shape]]\nmesh = { file = \"../meshes/tet.obj\" }\n";
    let tet = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let files = [
        ("x/main.toml", "include = [\"parts/p.toml\"]\n"),
        ("x/parts/p.toml", part),
        ("x/meshes/tet.obj", tet),
    ];
    let loaded = load("x/main.toml", &files).unwrap();
    assert_eq!(loaded.meshes["meshes/tet.obj"].path, Path::new("x/meshes/tet.obj"));
    assert_eq!(loaded.meshes["meshes/tet.obj"].bytes, tet.as_bytes());
}

#[test]
fn errors_name_the_included_file() {
    let files = [("m.toml", "include = [\"p.toml\"]\n"), ("p.toml", &*cube("density = -1"))];
    let error = load("m.toml", &files).unwrap_err();
    assert_eq!(error.to_string(), "p.toml:3:11: body[0].density: expected a positive number, found -1.0");
    let twice = format!("include = [\"p.toml\"]\n{}", cube(""));
    let files = [("m.toml", &*twice), ("p.toml", &*cube(""))];
    let error = load("m.toml", &files).unwrap_err();
    assert_eq!(error.to_string(), "m.toml:3:8: body[1].name: the body `cube` already exists, at p.toml:2");
}

#[test]
fn cycles_are_named() {
    let files = [
        ("d/a.toml", "include = [\"b.toml\"]\n"),
        ("d/b.toml", "name = \"b\"\ninclude = [\"../d/c.toml\"]\n"),
        ("d/c.toml", "include = [\"./b.toml\"]\n"),
    ];
    let error = load("d/a.toml", &files).unwrap_err();
    assert_eq!(
        error.to_string(),
        "d/c.toml:1:12: include[0]: the include is cyclic: d/b.toml → d/c.toml → d/b.toml"
    );
    let own = load("./a.toml", &[("./a.toml", "include = [\"a.toml\"]\n"), ("a.toml", "")]).unwrap_err();
    assert_eq!(own.message, "the include is cyclic: a.toml → a.toml");
}

#[test]
fn missing_and_countless_includes_are_refused() {
    let error = told(load("x/a.toml", &[("x/a.toml", "include = [\"q.toml\"]\n")]).unwrap_err());
    assert_eq!(error, (1, 12, "include[0]".into(), "cannot include x/q.toml: there is no such file".into()));
    let many = format!("include = [{}]\n", "\"p.toml\", ".repeat(100));
    let error = load("a.toml", &[("a.toml", &many), ("p.toml", "name = \"p\"")]).unwrap_err();
    assert_eq!(error.message, "the scene has more than 64 files");
    let error = told(load("a.toml", &[("a.toml", "include = [1]\n")]).unwrap_err());
    assert_eq!(error, (1, 12, "include[0]".into(), "expected a string, found 1".into()));
}
