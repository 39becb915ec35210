//! Features of a scene that the method ignores.

use rigor_scene::{BodyId, Notice, ParticleId, Scene};

/// Lists contact, and with it friction and restitution, of everything that could touch something.
pub(crate) fn notices(scene: &Scene) -> Vec<Notice> {
    let instead = "not simulated: bodies and particles pass through each other";
    let touching: Vec<BodyId> = if can_touch(scene) {
        scene.body_ids().filter(|id| scene.bodies[id.0].is_dynamic()).collect()
    } else {
        Vec::new()
    };
    let named = |id: &BodyId| format!("body {:?}", scene.bodies[id.0].name);
    let friction = |id: &BodyId| scene.bodies[id.0].friction.static_;
    let restitution = |id: &BodyId| scene.bodies[id.0].restitution;
    let positive = |of: &dyn Fn(&BodyId) -> f64| -> Vec<(String, f64)> {
        touching.iter().map(|id| (named(id), of(id))).filter(|(_, value)| *value > 0.0).collect()
    };
    let with_radius = scene.particles.len() > 1 && scene.particles.iter().any(|p| p.radius > 0.0);
    let n_particles = if scene.bodies.is_empty() && !with_radius { 0 } else { scene.particles.len() };
    let particles = (0..n_particles).map(|i| scene.particle_name(ParticleId(i)));
    let all = [
        Notice::of_named("contact", touching.iter().map(named), instead),
        Notice::of_named("contact", particles, instead),
        Notice::of_all("friction", "1", positive(&friction), "not used: there is no contact"),
        Notice::of_all("restitution", "1", positive(&restitution), "not used: there is no contact"),
    ];
    all.into_iter().flatten().collect()
}

/// Returns whether any two bodies could touch.
fn can_touch(scene: &Scene) -> bool {
    let is_dynamic = |id: &BodyId| scene.bodies[id.0].is_dynamic();
    let Some(first) = scene.bodies.first() else { return false };
    if scene.bodies.iter().all(|body| body.group == first.group) {
        return false;
    }
    scene.body_ids().filter(is_dynamic).any(|a| scene.body_ids().any(|b| scene.can_collide(a, b)))
}
