//! Input of a scene that the method does not use as given.

use rigor_scene::{Notice, Scene};

/// Lists coefficients of restitution, which the source does not have, and joints, about which implicit Euler damps motion.
pub(crate) fn notices(scene: &Scene) -> Vec<Notice> {
    let bouncing = scene.bodies.iter().filter(|body| body.restitution > 0.0);
    let bouncing = bouncing.map(|body| (format!("body {:?}", body.name), body.restitution));
    let restitution = Notice::of_all("restitution", "1", bouncing, "not used; contacts do not rebound");
    let joints = scene.joints.iter().map(|joint| format!("joint {:?}", joint.name));
    let damped =
        "damped: a swing or turn at ω (rad/s) loses about the part ½ ω² h of it per second in substeps of h";
    restitution.into_iter().chain(Notice::of_named("motion", joints, damped)).collect()
}
