//! What of a scene the method does not use as it is given.

use rigor_scene::{Body, Notice, Scene};

use crate::config::Config;
use crate::scale::Scale;

/// Restitution, static friction, and settings that are replaced, in steps of `dt` (s).
pub(crate) fn notices(scene: &Scene, config: &Config, dt: f64) -> Vec<Notice> {
    let all = [restitution(scene), friction(scene, config), tolerance(scene, config, dt)];
    all.into_iter().flatten().collect()
}

/// The barrier is elastic, and implicit Euler takes energy from every impact: nothing sets how much.
fn restitution(scene: &Scene) -> Option<Notice> {
    let asked = scene.bodies.iter().filter(|body| body.restitution > 0.0);
    let asked = asked.map(|body| (name(body), body.restitution));
    Notice::of_all("restitution", "1", asked, "not used: ipc has no coefficient of restitution")
}

/// One coefficient holds and slides; without rounds of friction there is none.
fn friction(scene: &Scene, config: &Config) -> Option<Notice> {
    if config.friction_iterations == 0 {
        let asked = scene.bodies.iter().filter(|body| body.friction.dynamic > 0.0);
        let asked = asked.map(|body| (name(body), body.friction.dynamic));
        return Notice::of_all("friction", "1", asked, "not used: friction_iterations is 0");
    }
    let mut asked =
        scene.bodies.iter().filter(|body| body.friction.static_ != body.friction.dynamic).peekable();
    let dynamic = asked.peek()?.friction.dynamic;
    let asked = asked.map(|body| (name(body), body.friction.static_));
    let instead = format!("ipc uses the dynamic coefficient for both, here {dynamic}");
    Notice::of_all("static friction", "1", asked, instead)
}

/// A tolerance that would hide what gravity does in a step.
fn tolerance(scene: &Scene, config: &Config, dt: f64) -> Option<Notice> {
    let bounds: Vec<_> = scene.bodies.iter().map(|body| body.mesh.bounds()).collect();
    let scale = Scale::new(scene, &bounds, config, dt);
    let asked = scale.asked.filter(|asked| *asked > scale.tolerance)?;
    let instead = format!(
        "ipc uses {:.1e} m/s, so that no force is lost in it (ending = \"balance\")",
        scale.tolerance
    );
    Some(Notice::of_scene("velocity_tolerance", "m/s", asked, instead))
}

fn name(body: &Body) -> String {
    format!("body {:?}", body.name)
}
