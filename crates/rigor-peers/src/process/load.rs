//! A scene in the author's frame, as a request.

use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_scene::{Body, BodyState, Part, PartKind, Role, Scene};

use super::capabilities::Capabilities;
use super::coefficient::{Chosen, Rule, choose};
use super::config::Config;
use super::joint::joints;
use super::message::{Load, LoadedBody, LoadedPart, Row, Surface, wxyz};

/// Returns the request to load `scene` with the bodies in these states.
pub(super) fn load(
    scene: &Scene,
    bodies: &[BodyState],
    dt: f64,
    can: &Capabilities,
    config: &Config,
) -> Load {
    let friction = dynamic_friction(scene, can);
    let static_friction = static_friction(scene, can);
    let restitution = restitution(scene, can);
    let body = |(i, (body, now)): (usize, (&Body, &BodyState))| LoadedBody {
        name: body.name.clone(),
        role: match body.role {
            Role::Static => "static",
            Role::Dynamic => "dynamic",
            Role::Kinematic(_) => "kinematic",
        },
        mass: body.mass,
        com: body.frame.position.into(),
        axes: wxyz(&body.frame.rotation),
        inertia: body.inertia.into(),
        friction: friction.values[i],
        static_friction: static_friction.values[i],
        restitution: restitution.values[i],
        group: body.group,
        fixed_translation: body.fixed.translation,
        fixed_rotation: body.fixed.rotation,
        force: body.force.into(),
        torque: body.torque.into(),
        parts: body.parts.iter().map(|part| loaded_part(body, part)).collect(),
        state: row(body, now),
    };
    Load {
        dt,
        gravity: scene.gravity.into(),
        setting: config.setting,
        tuning: config.tuning.clone(),
        concave: config.concave,
        bodies: scene.bodies.iter().zip(bodies).enumerate().map(body).collect(),
        apart: scene.contact_free.iter().map(|(a, b)| [a.0, b.0]).collect(),
        joints: joints(scene),
    }
}

/// Chooses friction coefficients for sliding.
pub(super) fn dynamic_friction(scene: &Scene, can: &Capabilities) -> Chosen {
    choose(scene, can.friction, |body| body.friction.dynamic, |a, b| scene.friction_between(a, b).dynamic)
}

fn static_friction(scene: &Scene, can: &Capabilities) -> Chosen {
    choose(scene, can.friction, |body| body.friction.static_, |a, b| scene.friction_between(a, b).static_)
}

/// Chooses coefficients of restitution; those of the bodies for an engine that has none.
pub(super) fn restitution(scene: &Scene, can: &Capabilities) -> Chosen {
    let rule = can.restitution.unwrap_or(Rule::Average);
    choose(scene, rule, |body| body.restitution, |a, b| scene.restitution_between(a, b))
}

/// Returns the row of a body: its orientation is that of the author's frame.
pub(super) fn row(body: &Body, now: &BodyState) -> Row {
    let p = now.pose.position;
    let [w, x, y, z] = wxyz(&(now.pose.rotation * body.frame.rotation.inverse()));
    let (v, omega) = (now.linear_velocity, now.angular_velocity);
    [p.x, p.y, p.z, w, x, y, z, v.x, v.y, v.z, omega.x, omega.y, omega.z]
}

/// Returns whether a part has a boundary: an edge that does not belong to two triangles.
pub(super) fn is_open(body: &Body, part: &Part) -> bool {
    part.kind == PartKind::Concave
        && !Mesh::new(body.mesh.vertices()[part.vertices.clone()].to_vec(), triangles(body, part), Vec::new())
            .is_ok_and(|mesh| mesh.is_closed())
}

fn loaded_part(body: &Body, part: &Part) -> LoadedPart {
    if let PartKind::Box { half_extents } = part.kind {
        let pose = body.frame.compose(&part.pose);
        return LoadedPart::Box {
            half_extents: half_extents.into(),
            position: pose.position.into(),
            rotation: wxyz(&pose.rotation),
        };
    }
    let in_authors_frame = |v: &Vec3| body.frame.point(v).into();
    let vertices = body.mesh.vertices()[part.vertices.clone()].iter().map(in_authors_frame).collect();
    let surface = Surface { vertices, triangles: triangles(body, part) };
    match part.kind {
        PartKind::Box { .. } | PartKind::Ball { .. } | PartKind::Capsule { .. } | PartKind::Convex => {
            LoadedPart::Convex(surface)
        }
        PartKind::Concave if is_open(body, part) => LoadedPart::Open(surface),
        PartKind::Concave => LoadedPart::Concave(surface),
    }
}

fn triangles(body: &Body, part: &Part) -> Vec<[u32; 3]> {
    let first = part.vertices.start as u32;
    body.mesh.triangles()[part.triangles.clone()].iter().map(|t| t.map(|v| v - first)).collect()
}
