//! Input of a scene that the method does not use as given.

use rigor_scene::{Body, Notice, Scene};

use crate::config::Config;
use crate::scale::Scale;

/// Lists restitution, static friction, and settings that are replaced, in steps of `dt` (s).
pub(crate) fn notices(scene: &Scene, config: &Config, dt: f64) -> Vec<Notice> {
    let all = [restitution(scene), friction(scene, config), tolerance(scene, config, dt)];
    all.into_iter().flatten().collect()
}

/// Lists restitution: the barrier is elastic, implicit Euler takes energy from every impact, and no setting
/// controls how much.
fn restitution(scene: &Scene) -> Option<Notice> {
    let asked = scene.bodies.iter().filter(|body| body.restitution > 0.0);
    let asked = asked.map(|body| (name(body), body.restitution));
    Notice::of_all("restitution", "1", asked, "not used: ipc has no coefficient of restitution")
}

/// Lists static friction, as one coefficient serves for sticking and sliding; all friction if there are no
/// friction rounds.
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

/// Lists a tolerance that would hide the effect of gravity in a step.
fn tolerance(scene: &Scene, config: &Config, dt: f64) -> Option<Notice> {
    let bounds: Vec<_> = scene.bodies.iter().map(|body| body.mesh.bounds()).collect();
    let scale = Scale::new(scene, &bounds, config, dt);
    let asked = scale.asked.filter(|asked| *asked > scale.tolerance)?;
    let instead = format!(
        "ipc uses {:.1e} m/s, so that the tolerance hides no force (ending = \"balance\")",
        scale.tolerance
    );
    Some(Notice::of_scene("velocity_tolerance", "m/s", asked, instead))
}

fn name(body: &Body) -> String {
    format!("body {:?}", body.name)
}
