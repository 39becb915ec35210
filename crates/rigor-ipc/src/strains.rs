//! What affine bodies leave in the state, and which of them cannot be.

use rigor_scene::{Body, BodyId, Scene, State, StepError};

use crate::placement::Placement;
use crate::stretch::MAX_STRAIN;

/// Whether one component of the angular velocity of a body is held at 0, which is no condition on its A.
pub(crate) fn turns_about_two_axes(body: &Body) -> bool {
    body.is_dynamic() && body.fixed.rotation.iter().filter(|is_fixed| **is_fixed).count() == 1
}

/// # Errors
/// [`StepError::Failed`] where an affine body is crushed: it is far from the stiff body that it stands for.
pub(crate) fn refuse_crushed(scene: &Scene, places: &[Placement]) -> Result<(), StepError> {
    let strain =
        |(b, place): (usize, &Placement)| Some((b, place.strains().norm())).filter(|(_, e)| *e > MAX_STRAIN);
    match places.iter().enumerate().filter(|(_, place)| place.is_affine()).find_map(strain) {
        Some((b, strain)) => {
            let name = &scene.bodies[b].name;
            let what = format!(
                "affine body {name:?} is crushed, its strain is {strain:.2}: raise `affine_stiffness`"
            );
            Err(StepError::Failed { what, bodies: vec![BodyId(b)] })
        }
        None => Ok(()),
    }
}

/// Stores E of affine bodies, A = Q (1 + E), which are still where they were in `state` or at these places; none of rigid ones.
pub(crate) fn store(state: &mut State, places: &[Placement]) {
    let affine = places.iter().enumerate().filter(|(_, place)| place.is_affine());
    let strain = |(b, place): (usize, &Placement)| match state.matrix(BodyId(b)) == place.matrix {
        true => state.strain(BodyId(b)),
        false => place.strains(),
    };
    state.strains = affine.map(strain).collect();
}
