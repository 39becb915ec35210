//! `bodies.json` and `surfaces/`: what a reader of the trajectory needs to know about the bodies.
//!
//! A point X of a body in its author's frame is at x = p + R(q) (X − c) in the world, with p = `position` and
//! q = `quaternion` of `trajectory.npz`, and c = `centre_of_mass` of `bodies.json`. The principal frame of `frames.bin` has
//! its origin in c and the axes of the rotation `principal_axes` in the author's frame. The surfaces, as OBJ, are in the
//! author's frame.

use rigor_math::{Vec3, quaternion};
use rigor_scene::{Body, Role, Scene};
use serde_json::{Value, json};

use crate::error::{Fault, RunError};
use crate::folder::{Folder, write_whole};

/// Writes `bodies.json` and one OBJ file per body.
///
/// # Errors
/// [`RunError`] when a file cannot be written.
pub fn write(folder: &Folder, scene: &Scene) -> Result<(), RunError> {
    let surfaces = folder.root.join("surfaces");
    let fail = |source| RunError::new(&surfaces, Fault::Unwritten { source });
    std::fs::create_dir_all(&surfaces).map_err(fail)?;
    let mut bodies = Vec::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        let file = format!("surfaces/{i}.obj");
        let mesh = body.mesh.map_vertices(|x| body.frame.point(x));
        write_whole(&folder.root.join(&file), rigor_file::mesh::write_obj(&mesh).as_bytes())?;
        bodies.push(describe(body, &file));
    }
    let path = folder.bodies();
    let text = serde_json::to_string_pretty(&bodies).map_err(|error| RunError::new(&path, error))?;
    write_whole(&path, (text + "\n").as_bytes())
}

fn describe(body: &Body, surface: &str) -> Value {
    let vector = |v: &Vec3| [v.x, v.y, v.z];
    let role = match body.role {
        Role::Dynamic => "dynamic",
        Role::Static => "static",
        Role::Kinematic(_) => "kinematic",
    };
    json!({
        "name": body.name,
        "role": role,
        "mass": body.mass,
        "principal_inertia": vector(&body.inertia),
        "centre_of_mass": vector(&body.frame.position),
        "principal_axes": quaternion::to_wxyz(&body.frame.rotation),
        "friction": { "static": body.friction.static_, "dynamic": body.friction.dynamic },
        "restitution": body.restitution,
        "surface": surface,
    })
}
