//! Whether an engine's world still belongs to a scene.

use std::sync::Arc;

use rigor_scene::{Body, Scene};

/// Returns whether nothing has changed that was passed to the engine when its world was built.
///
/// Meshes are compared by address: the world holds a reference to its scene's meshes, so that no address is
/// reused.
pub(crate) fn same_scene(a: &Scene, b: &Scene) -> bool {
    let same_body = |(a, b): (&Body, &Body)| {
        Arc::ptr_eq(&a.mesh, &b.mesh)
            && (a.mass, a.inertia, a.friction, a.restitution)
                == (b.mass, b.inertia, b.friction, b.restitution)
            && (&a.role, a.fixed, a.force, a.torque) == (&b.role, b.fixed, b.force, b.torque)
            && (a.group, a.layers, a.meets) == (b.group, b.layers, b.meets)
            && (&a.initial, &a.parts) == (&b.initial, &b.parts)
    };
    a.bodies.len() == b.bodies.len()
        && a.bodies.iter().zip(&b.bodies).all(same_body)
        && (a.gravity, a.friction_rule, a.restitution_rule)
            == (b.gravity, b.friction_rule, b.restitution_rule)
        && a.joints == b.joints
        && a.contact_free == b.contact_free
}
