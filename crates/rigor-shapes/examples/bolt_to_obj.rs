//! Writes a bolt and its nut as OBJ files to a folder, by default that for temporary files.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use rigor_geometry::Mesh;
use rigor_shapes::{Bolt, Nut, Thread};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let (thread, segments) = (Thread { radius: 3e-3, pitch: 1e-3 }, 48);
    let bolt = Bolt { thread, length: 10e-3, head_radius: 5.5e-3, head_height: 4e-3, segments };
    let nut = Nut { thread, clearance: 0.05e-3, height: 5e-3, radius: 5.5e-3, segments };
    for (name, mesh) in [("bolt.obj", bolt.mesh()?), ("nut.obj", nut.mesh()?)] {
        let path = folder.join(name);
        std::fs::write(&path, obj(&mesh))?;
        let (triangles, volume) = (mesh.triangles().len(), 1e9 * mesh.signed_volume());
        println!("{}: {triangles} triangles, closed: {}, {volume:.1} mm³", path.display(), mesh.is_closed());
    }
    Ok(())
}

/// Formats a mesh as OBJ, which counts vertices from 1.
fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for v in mesh.vertices() {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in mesh.triangles() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}
