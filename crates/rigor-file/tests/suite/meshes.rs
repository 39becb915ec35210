//! Mesh files of other programs: masses, notes, and errors for any content.

mod arbitrary;
mod gltf;
mod readers;
mod scenes;
mod vocabulary;

use std::io;
use std::path::Path;

use rigor_file::mesh::{self, MeshFile, MeshFileError, Nested};
use rigor_file::{Files, Grade};
use rigor_geometry::MassProperties;

/// No files.
pub struct Nothing;

impl Files for Nothing {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

pub fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<MeshFile, MeshFileError> {
    mesh::read(Path::new(name), bytes.as_ref(), &Nothing)
}

/// Returns the mass (kg) at 1000 kg/m³, and the notes with their grades.
pub fn weighed(name: &str, bytes: impl AsRef<[u8]>) -> (f64, Vec<String>) {
    let read = read(name, bytes).unwrap_or_else(|error| panic!("{error}"));
    let (mesh, nested) =
        mesh::resolve(&read.mesh, Nested::Solid).unwrap_or_else(|error| panic!("{name}: {error}"));
    let notes = read.warnings.iter().chain(&nested);
    let notes = notes.map(|note| format!("{}: {note}", note.grade().name())).collect();
    (MassProperties::of(&mesh, 1000.0).unwrap_or_else(|error| panic!("{name}: {error}")).mass, notes)
}

pub fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    match read(name, bytes) {
        Ok(file) => panic!("{name} is read: {:?}", file.warnings),
        Err(error) => error.to_string(),
    }
}

/// Files with a fault of their own: mass (kg) at 1000 kg/m³, and the beginning of each note.
const FAULTS: [(&str, &[u8], f64, &[&str]); 14] = [
    (
        "stray.obj",
        include_bytes!("../meshes/stray.obj"),
        8.0,
        &["rule: 1 vertices that nothing uses left out"],
    ),
    ("strip.ply", include_bytes!("../meshes/strip.ply"), 1000.0, &[]),
    (
        "seam.obj",
        include_bytes!("../meshes/seam.obj"),
        1000.0,
        &["rule: 28 vertices at open edges joined with others in the same places"],
    ),
    (
        "noise.stl",
        include_bytes!("../meshes/noise.stl"),
        1.0,
        &["rule: 17 vertices at open edges joined with others at most 4.2e-17 m away"],
    ),
    (
        "obj_dupface.obj",
        include_bytes!("../meshes/obj_dupface.obj"),
        1000.0,
        &["rule: 12 triangle(s) given again used once"],
    ),
    (
        "obj_insideout.obj",
        include_bytes!("../meshes/obj_insideout.obj"),
        1000.0,
        &["rule: 1 closed part(s) that faced inwards turned"],
    ),
    (
        "obj_bent_quad.obj",
        include_bytes!("../meshes/obj_bent_quad.obj"),
        1000.5,
        &["rule: 1 polygon(s) bent by up to 7.500e-4 m"],
    ),
    ("obj_cr.obj", include_bytes!("../meshes/obj_cr.obj"), 1000.0, &[]),
    ("obj_bom.obj", include_bytes!("../meshes/obj_bom.obj"), 1000.0, &[]),
    ("stl_a_cr.stl", include_bytes!("../meshes/stl_a_cr.stl"), 1000.0, &[]),
    (
        "off_noedges.off",
        include_bytes!("../meshes/off_noedges.off"),
        1000.0,
        &["rule: the header has no number of edges"],
    ),
    (
        "stl_b_solid_tail.stl",
        include_bytes!("../meshes/stl_b_solid_tail.stl"),
        1000.0,
        &["unused: 1 byte(s) after the last triangle left out"],
    ),
    (
        "gl_req_unlit.gltf",
        include_bytes!("../meshes/gl_req_unlit.gltf"),
        1000.0,
        &["changes the look: extension KHR_materials_unlit left out"],
    ),
    ("gl_instancing.gltf", include_bytes!("../meshes/gl_instancing.gltf"), 8000.0, &[]),
];

/// Files without an inside, and the beginning of their note.
pub const OPEN: [(&str, &[u8], &str); 2] = [
    ("obj_hole1.obj", include_bytes!("../meshes/obj_hole1.obj"), "the surface is open: 3 edge(s)"),
    (
        "obj_internalwall.obj",
        include_bytes!("../meshes/obj_internalwall.obj"),
        "the surface is not a manifold: more than two triangles meet at 3 edge(s)",
    ),
];

#[test]
fn files_with_faults_weigh_what_they_mean_and_are_told() {
    for (name, bytes, mass, expected) in FAULTS {
        let (found, notes) = weighed(name, bytes);
        // 0.1 in f32 is off by 1.5e-8.
        assert!((found / mass - 1.0).abs() < 1e-7, "{name}: {found} kg for {mass}");
        assert_eq!(notes.len(), expected.len(), "{name}: {notes:?}");
        for (note, expected) in notes.iter().zip(expected) {
            assert!(note.starts_with(expected), "{name}: {note}");
        }
    }
    for (name, bytes, expected) in OPEN {
        let file = read(name, bytes).unwrap();
        let [note] = &file.warnings[..] else { panic!("{name}: {:?}", file.warnings) };
        assert!(note.to_string().starts_with(expected), "{note}");
        assert_eq!(note.grade(), Grade::Rule);
    }
}
