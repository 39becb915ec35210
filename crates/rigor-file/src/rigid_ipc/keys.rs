//! Warnings about keys that the reference program does not know, and about values that have no effect here.

use super::super::closest::closest;
use super::super::error::{SceneError, Warning};
use super::super::tree::shortened;
use super::field::Field;
use super::is_comment;

/// A table by its path, with the keys that it may have.
type Known = (&'static [&'static str], &'static [&'static str]);

const TABLES: [Known; 8] = [
    (
        &[],
        &[
            "timestep",
            "max_time",
            "max_iterations",
            "scene_type",
            "solver",
            "viewport_bbox",
            "volume_constraint",
            "ncp_solver",
            "rigid_body_problem",
            "ipc_solver",
            "newton_solver",
            "homotopy_solver",
            "distance_barrier_constraint",
            "friction_constraints",
        ],
    ),
    (
        &["rigid_body_problem"],
        &[
            "gravity",
            "coefficient_friction",
            "coefficient_restitution",
            "collision_eps",
            "time_stepper",
            "orthogonality_stiffness",
            "linear_constraints",
            "do_intersection_check",
            "rigid_bodies",
        ],
    ),
    (&["ipc_solver"], &IPC_SOLVER),
    (&["newton_solver"], &IPC_SOLVER),
    (
        &["distance_barrier_constraint"],
        &[
            "initial_barrier_activation_distance",
            "minimum_separation_distance",
            "detection_method",
            "trajectory_type",
            "barrier_type",
        ],
    ),
    (&["friction_constraints"], &["static_friction_speed_bound", "iterations"]),
    (&["homotopy_solver"], &["e_b", "t_inc", "t_init", "m", "c"]),
    (&["rigid_body_problem", "rigid_bodies"], &BODY),
];

const IPC_SOLVER: [&str; 9] = [
    "max_iterations",
    "convergence_criteria",
    "velocity_conv_tol",
    "is_velocity_conv_tol_abs",
    "energy_conv_tol",
    "line_search_lower_bound",
    "linear_solver",
    "dhat_epsilon",
    "min_barrier_stiffness_scale",
];

const BODY: [&str; 21] = [
    "mesh",
    "vertices",
    "edges",
    "faces",
    "density",
    "scale",
    "dimensions",
    "rotation",
    "position",
    "linear_velocity",
    "angular_velocity",
    "force",
    "torque",
    "is_dof_fixed",
    "type",
    "kinematic_max_time",
    "kinematic_poses",
    "group_id",
    "oriented",
    "enabled",
    "split_components",
];

/// Strings that select features not available here: table, key, and the values equivalent to the default.
const CHOICES: [(&str, &str, &[&str]); 6] = [
    ("", "scene_type", &["distance_barrier_rb_problem"]),
    ("", "solver", &["ipc_solver"]),
    ("rigid_body_problem", "time_stepper", &["default", "implicit_euler"]),
    ("ipc_solver", "convergence_criteria", &["velocity"]),
    ("newton_solver", "convergence_criteria", &["velocity"]),
    ("distance_barrier_constraint", "barrier_type", &["ipc"]),
];

/// Warns about content of `scene` that has no effect.
///
/// # Errors
/// A value that should be a table, or one that should be a string.
pub fn check(scene: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<(), SceneError> {
    for (path, known) in TABLES {
        let table = path.iter().try_fold(scene.clone(), |field, key| field.get(key));
        match (table, path) {
            (None, _) => {}
            (Some(bodies), ["rigid_body_problem", _]) => {
                bodies.items()?.iter().try_for_each(|body| warn_of_unknown(body, known, warnings))?;
            }
            (Some(table), _) => warn_of_unknown(&table, known, warnings)?,
        }
    }
    for (table, key, usual) in CHOICES {
        let table = if table.is_empty() { Some(scene.clone()) } else { scene.get(table) };
        let Some(choice) = table.and_then(|table| table.get(key)) else { continue };
        if !usual.contains(&choice.text()?) {
            warnings.push(
                choice.finding(format!("this choice is ignored: the scene is read as with `{}`", usual[0])),
            );
        }
    }
    warn_of_stiffness(scene, warnings);
    warn_of_restitution(scene, warnings)
}

/// Warns about the stiffness of affine bodies.
fn warn_of_stiffness(scene: &Field<'_>, warnings: &mut Vec<Warning>) {
    let stiffness =
        scene.get("rigid_body_problem").and_then(|problem| problem.get("orthogonality_stiffness"));
    warnings.extend(
        stiffness
            .map(|field| field.finding("ignored: bodies are rigid here, the limit of infinite stiffness")),
    );
}

fn warn_of_unknown(
    table: &Field<'_>,
    known: &[&'static str],
    warnings: &mut Vec<Warning>,
) -> Result<(), SceneError> {
    let unknown = |key: &&str| !known.contains(key) && !is_comment(key);
    for key in table.keys()?.into_iter().filter(unknown) {
        let finding = table.finding_at_key(key, format!("unknown key `{}`: it is ignored", shortened(key)));
        warnings.push(match closest(key, known.iter().copied()) {
            Some(meant) => finding.with_help(format!("did you mean `{meant}`?")),
            None => finding,
        });
    }
    Ok(())
}

/// Warns about a coefficient of restitution, which the reference program reads but does not use; its scenes
/// have 0 or −1.
fn warn_of_restitution(scene: &Field<'_>, warnings: &mut Vec<Warning>) -> Result<(), SceneError> {
    let restitution =
        scene.get("rigid_body_problem").and_then(|problem| problem.get("coefficient_restitution"));
    if let Some(field) = restitution {
        let e = field.real()?;
        if e != 0.0 && e != -1.0 {
            let message = format!("the restitution {e} is ignored, as in the reference program");
            warnings.push(field.finding(message));
        }
    }
    Ok(())
}
