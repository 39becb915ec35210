//! What the scene requests and the engine lacks.

use rigor_math::Vec3;
use rigor_scene::{Body, Feature, Joint, PartKind, Role, Scene};

use super::capabilities::{Capabilities, Surface};
use super::joint::kind;
use super::load::is_open;

/// Returns the first feature of `scene` that an engine behind the protocol lacks, if any.
pub(super) fn lacks(scene: &Scene, can: &Capabilities) -> Option<Feature> {
    if !scene.particles.is_empty() {
        return Some(Feature::Particles);
    }
    if let Some(feature) = scene.joints.iter().find_map(|joint| joint_lacks(joint, can)) {
        return Some(feature);
    }
    if scene.has_pairs_apart() && !can.pair_filter {
        return Some(Feature::Other { what: "pairs of bodies without contact".to_owned() });
    }
    scene.bodies.iter().find_map(|body| body_lacks(body, can))
}

fn joint_lacks(joint: &Joint, can: &Capabilities) -> Option<Feature> {
    if can.joints.is_empty() {
        return Some(Feature::Joints);
    }
    match kind(joint) {
        Some((kind, _)) if can.joints.contains(&kind) => None,
        Some((kind, _)) => {
            Some(Feature::Other { what: format!("joints of the kind {kind:?} ({:?})", joint.name) })
        }
        None => Some(Feature::Other {
            what: format!(
                "joints with compliance, damping, bounds, drives or strength, or of rare kinds ({:?})",
                joint.name
            ),
        }),
    }
}

fn body_lacks(body: &Body, can: &Capabilities) -> Option<Feature> {
    let other = |what: &str| Some(Feature::Other { what: format!("{what} (in {:?})", body.name) });
    let is_kinematic = matches!(body.role, Role::Kinematic(_));
    let is_loaded = body.force != Vec3::zeros() || body.torque != Vec3::zeros();
    let is_thin = !body.mesh.wires().is_empty() || !body.mesh.points().is_empty();
    if is_thin && !body.is_out_of_contact() {
        Some(Feature::OpenMesh { body: body.name.clone() })
    } else if is_kinematic && !can.kinematic {
        other("bodies that move as prescribed")
    } else if body.is_dynamic() && !body.fixed.is_none() && !can.fixed_axes {
        other("locked degrees of freedom")
    } else if body.is_dynamic() && is_loaded && !can.loads {
        other("a constant force or torque")
    } else if body.is_dynamic()
        && can.dynamic_concave == Surface::None
        && body.parts.iter().any(|part| part.kind == PartKind::Concave)
    {
        other("moving bodies that are not convex")
    } else if body.role != Role::Static && body.parts.iter().any(|part| is_open(body, part)) {
        other("moving bodies with an open surface")
    } else {
        None
    }
}
