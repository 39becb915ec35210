//! Input of a scene that the method does not use as given.

use rigor_scene::{Notice, Scene};

/// Lists coefficients of restitution: the source has none, and contacts do not rebound.
pub(crate) fn notices(scene: &Scene) -> Vec<Notice> {
    let bouncing = scene.bodies.iter().filter(|body| body.restitution > 0.0);
    let bouncing = bouncing.map(|body| (format!("body {:?}", body.name), body.restitution));
    Notice::of_all("restitution", "1", bouncing, "not used; contacts do not rebound").into_iter().collect()
}
