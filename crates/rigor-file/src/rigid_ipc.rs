//! Translation of scenes of the reference program of \[Ferguson2021\] (ipc-sim/rigid-ipc) into native ones.
//!
//! The translation is from tree to tree: every value keeps the place where the author wrote it, so that later
//! errors are still reported by line and column, and overrides, checks and export work as for a native scene.
//! It follows the program's treatment of each key exactly, except where noted:
//!
//! | reference program | native scene |
//! | --- | --- |
//! | `position`, `rotation` (degrees, about x, then y, then z) place the mesh | the same for the body frame |
//! | `dimensions` over the extents of the mesh, else `scale` | `scale` of the shape |
//! | `angular_velocity` (degrees/s) | `angular_velocity_deg` |
//! | `torque`, which the program multiplies by π/180 like an angle | `torque` (N m), multiplied likewise |
//! | `is_dof_fixed`, all: the body is static | `role = "static"` |
//! | `is_dof_fixed`, two rotations: the body rotates only about the third world axis | `fixed.rotation` |
//! | `is_dof_fixed`, one rotation: a component of the rotation vector in the principal frame | `fixed.rotation` about that world axis, with a warning |
//! | `type = "kinematic"`, `kinematic_max_time`, `kinematic_poses` | `role = "kinematic"`, `motion` |
//! | `group_id`; non-dynamic bodies and all bodies that share an explicit id with one of them form one group | `group` |
//! | one `coefficient_friction` | `friction` of every body |
//! | `max_time`, else `max_iterations` (1000 if not positive) | `time.duration` |
//! | solver blocks | `[method.ipc]`, as below |
//!
//! | `[method.ipc]` | from | default |
//! | --- | --- | --- |
//! | `d_hat` (m) | `distance_barrier_constraint.initial_barrier_activation_distance` | 1e-3 |
//! | `minimum_separation` (m) | `distance_barrier_constraint.minimum_separation_distance` | 0 |
//! | `eps_v` (m/s) | `friction_constraints.static_friction_speed_bound` | 1e-3 |
//! | `friction_iterations` (−1: until converged, 0: no friction) | `friction_constraints.iterations` | 1 |
//! | `velocity_tolerance` (m/s; or 1/s, a fraction of the diagonal of the initial bounding box of all bodies) | `ipc_solver.velocity_conv_tol` | 1e-2 |
//! | `velocity_tolerance_is_absolute` | `ipc_solver.is_velocity_conv_tol_abs` | false |
//! | `max_newton_iterations` | `ipc_solver.max_iterations` | 3000 |
//!
//! Values missing in `ipc_solver` are taken from `newton_solver`. All settings are written, so that a scene
//! depends on no program's defaults.
//!
//! Scenes of Affine Body Dynamics \[Lan2022\] have the same format; they are recognised by `linear_constraints` or
//! `orthogonality_stiffness`, and differ in these keys:
//!
//! | Affine Body Dynamics | native scene |
//! | --- | --- |
//! | `rotation` (radians), `angular_velocity` (rad/s) | `rotation_deg`, `angular_velocity_deg` |
//! | `torque`, in principal axes that turn with the body | `torque` in the world, along those axes at the start, with a warning |
//! | `is_dof_fixed`, `orthogonality_stiffness` | ignored, with a warning |
//! | `mesh`, with `\\` or `/` between folders | the file with `/` |
//! | `pin_world`: points of a body that stay where they are | three off a line: `role = "static"`; on a line: a hinge; one: a ball joint |
//! | `pin_joint`: points of two bodies that stay together | on a line: a hinge; one: a ball joint; else a fixed joint |
//!
//! Points of constraints are those of the mesh after `scale` and `rotation`, before `position`.
//!
//! `split_components` names bodies `NAME-partNNN`. Deviation: parts that share a vertex stay together; the
//! program requires a shared edge. Deviation: a duration of 7.000000000000001 steps is 7 steps; the program
//! takes 8.

mod body;
mod constraint;
mod dialect;
mod draft;
mod field;
mod group;
mod keys;
mod mass;
mod settings;
mod shape;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::error::{SceneError, Warning};
use super::include::tidy;
use super::native::Library;
use super::tree::{Tree, Value};
use body::Bodies;
use draft::Draft;
use field::Field;

/// Whether `tree` is such a scene, i.e. has a `rigid_body_problem`.
pub(super) fn is_one(tree: &Tree) -> bool {
    tree.root.get("rigid_body_problem").is_some()
}

/// Returns the folders searched for meshes in addition to the folder of the scene file at the absolute
/// `path`: the working directory, then the folder `meshes` in the scene's folder and in each of its
/// ancestors.
pub(super) fn mesh_folders(path: &Path) -> Vec<PathBuf> {
    let path = tidy(path);
    let around = path.ancestors().skip(1).map(|folder| folder.join("meshes"));
    std::iter::once(PathBuf::new()).chain(around).collect()
}

/// Returns the native scene equivalent to `tree`, with warnings about ignored content.
///
/// # Errors
/// A value of the wrong type, a two-dimensional scene, or a mesh that cannot be read.
pub(super) fn translate(tree: Tree, library: &mut Library<'_>) -> Result<(Tree, Vec<Warning>), SceneError> {
    let mut warnings = Vec::new();
    let scene = Field::root(&tree);
    keys::check(&scene, &mut warnings)?;
    let root = translated(&scene, library, &mut warnings)?;
    Ok((Tree { texts: tree.texts.clone(), root: root.node() }, warnings))
}

fn translated(
    scene: &Field<'_>,
    library: &mut Library<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Draft, SceneError> {
    let problem = scene.get("rigid_body_problem").unwrap_or_else(|| scene.clone());
    let mut native = Draft::new(scene);
    let gravity = problem.get("gravity");
    native.set("gravity", gravity.as_ref().map_or(Ok([0.0; 3]), Field::vector)?, gravity.as_ref());
    let dt = scene.real_or("timestep", 0.01)?;
    native.set("time", time(scene, dt)?, None);
    let mut bodies = Bodies::new(&problem, dt, library, warnings)?;
    let joints = bodies.joints();
    native.set("body", bodies.all()?, problem.get("rigid_bodies").as_ref());
    if !joints.is_empty() {
        native.set("joint", joints, problem.get("linear_constraints").as_ref());
    }
    let mut method = Draft::new(scene);
    method.set("ipc", settings::ipc(scene)?, None);
    native.set("method", method, None);
    Ok(native)
}

/// Time step and duration: `max_time` if it is not negative, else `max_iterations` steps if positive, else
/// 1000 steps.
fn time(scene: &Field<'_>, dt: f64) -> Result<Draft, SceneError> {
    let mut time = Draft::new(scene);
    time.set("dt", dt, scene.get("timestep").as_ref());
    let max_time = scene.real_or("max_time", -1.0)?;
    if max_time >= 0.0 {
        time.set("duration", max_time, scene.get("max_time").as_ref());
    } else {
        let steps = scene.whole_or("max_iterations", -1)?;
        let steps = if steps > 0 { steps as f64 } else { 1000.0 };
        time.set("duration", steps * dt, scene.get("max_iterations").as_ref());
    }
    Ok(time)
}

/// Whether a key is a comment, i.e. starts with `#`.
fn is_comment(key: &str) -> bool {
    key.starts_with('#')
}

/// Whether a value stands for its default: in the reference program null removes a key.
fn is_absent(value: &Value) -> bool {
    *value == Value::Null
}
