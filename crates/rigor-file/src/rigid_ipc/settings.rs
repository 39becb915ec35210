//! Translation of the solver blocks into `[method.ipc]`.

use super::super::error::SceneError;
use super::draft::{Draft, Written};
use super::field::Field;

/// Returns all settings, so that the scene does not depend on any program's defaults.
///
/// # Errors
/// A value of the wrong type.
pub fn ipc(scene: &Field<'_>) -> Result<Draft, SceneError> {
    let barrier = [scene.get("distance_barrier_constraint")];
    let friction = [scene.get("friction_constraints")];
    let solver = [scene.get("ipc_solver"), scene.get("newton_solver")];
    let mut ipc = Draft::new(scene);
    let mut put = Settings { draft: &mut ipc };
    put.one("d_hat", &barrier, "initial_barrier_activation_distance", Field::real, 1e-3)?;
    put.one("minimum_separation", &barrier, "minimum_separation_distance", Field::real, 0.0)?;
    put.one("eps_v", &friction, "static_friction_speed_bound", Field::real, 1e-3)?;
    put.one("friction_iterations", &friction, "iterations", Field::whole, 1)?;
    put.one("velocity_tolerance", &solver, "velocity_conv_tol", Field::real, 1e-2)?;
    put.one("velocity_tolerance_is_absolute", &solver, "is_velocity_conv_tol_abs", Field::flag, false)?;
    put.one("max_newton_iterations", &solver, "max_iterations", Field::whole, 3000)?;
    Ok(ipc)
}

struct Settings<'d> {
    draft: &'d mut Draft,
}

impl Settings<'_> {
    /// Sets `name` to the value of `key` in the first of `tables` that has it, else to `default`.
    fn one<'a, T: Written>(
        &mut self,
        name: &str,
        tables: &[Option<Field<'a>>],
        key: &str,
        read: impl Fn(&Field<'a>) -> Result<T, SceneError>,
        default: T,
    ) -> Result<(), SceneError> {
        let field = tables.iter().flatten().find_map(|table| table.get(key));
        let value = field.as_ref().map_or(Ok(default), read)?;
        self.draft.set(name, value, field.as_ref());
        Ok(())
    }
}
