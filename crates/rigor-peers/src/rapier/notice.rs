//! Notices about requests of the scene that the engine ignores.

use rigor_scene::{Body, Notice, PartKind, Scene};

use super::config::{Concave, Config};

/// Lists notices on static friction and on surfaces that the engine replaces.
pub(super) fn notices(scene: &Scene, config: &Config) -> Vec<Notice> {
    let all = [static_friction(scene), surfaces(scene, config)];
    all.into_iter().flatten().collect()
}

/// Returns the notice that the engine has only one friction coefficient.
fn static_friction(scene: &Scene) -> Option<Notice> {
    let mut asked =
        scene.bodies.iter().filter(|body| body.friction.static_ != body.friction.dynamic).peekable();
    let dynamic = asked.peek()?.friction.dynamic;
    let asked = asked.map(|body| (name(body), body.friction.static_));
    let instead = format!("the engine uses the dynamic coefficient for both, here {dynamic}");
    Notice::of_all("static friction", "1", asked, instead)
}

/// Returns the notice that convex pieces replace the surface of the mesh.
fn surfaces(scene: &Scene, config: &Config) -> Option<Notice> {
    let is_concave = |body: &&Body| body.parts.iter().any(|part| part.kind == PartKind::Concave);
    let asked = scene.bodies.iter().filter(|_| config.concave == Concave::Decomposition).filter(is_concave);
    Notice::of_named("surface", asked.map(name), "replaced by convex pieces: concave is decomposition")
}

fn name(body: &Body) -> String {
    format!("body {:?}", body.name)
}
