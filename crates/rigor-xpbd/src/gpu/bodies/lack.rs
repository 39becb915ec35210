//! What the device lacks for scenes of bodies.

use rigor_scene::{BodyId, FixedAxes, Joint, JointDamping, JointKind, Role, Scene};

use crate::config::{Config, ContactSolver, JointSolver, Solver};
use crate::joint;

/// Maximum number of triangles of a body that can touch others: each is compared with each corner.
const TRIANGLES: usize = 64;

/// Returns what the device lacks for bodies and joints, apart from the shapes of bodies.
pub(super) fn of_motion(scene: &Scene, config: &Config) -> Option<String> {
    if !scene.particles.is_empty() {
        return Some("bodies beside particles".into());
    }
    for body in &scene.bodies {
        let name = &body.name;
        if matches!(body.role, Role::Kinematic(_)) {
            return Some(format!("the prescribed motion of body {name:?}"));
        }
        if body.fixed != FixedAxes::default() {
            return Some(format!("the fixed axes of body {name:?}"));
        }
        if !body.skeleton.is_plain() {
            return Some(format!("the round shape of body {name:?}"));
        }
    }
    if !scene.joints.is_empty() && config.joints == JointSolver::Direct {
        return Some("joints = \"direct\"".into());
    }
    if config.joints == JointSolver::Balanced && joint::are_tangled(scene) {
        let what = "joints = \"balanced\" where three joints meet at a body or bodies are in a loop (there is \"sweep\")";
        return Some(what.into());
    }
    if let Some(error) = scene.start_errors().first() {
        return Some(format!("joints that do not hold at the start: {error}"));
    }
    let lacking = scene.joints.iter().find_map(|joint| Some((joint, of_joint(joint)?)));
    if let Some((joint, what)) = lacking {
        return Some(format!("{what} of joint {:?}", joint.name));
    }
    if can_touch(scene) { of_contact(scene, config) } else { None }
}

fn of_joint(joint: &Joint) -> Option<&'static str> {
    if joint.damping != JointDamping::default() {
        return Some("the damping");
    }
    match &joint.kind {
        JointKind::Fixed => None,
        JointKind::Ball { swing, twist } => {
            (swing.is_bounded() || twist.is_bounded()).then_some("the limits")
        }
        JointKind::Hinge { turn } => {
            if turn.drive.is_some() {
                return Some("the drive");
            }
            turn.range.is_bounded().then_some("the limits")
        }
        JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Distance { .. }
        | JointKind::Gear { .. } => Some("the kind (there are balls, hinges and fixed joints)"),
    }
}

fn of_contact(scene: &Scene, config: &Config) -> Option<String> {
    if config.contacts != ContactSolver::Sequential {
        return Some("contacts = \"block\" (there is \"sequential\")".into());
    }
    if config.solver != Solver::GaussSeidel {
        return Some("contact of bodies with another solver than \"gauss_seidel\"".into());
    }
    let bouncing = scene.bodies.iter().find(|body| body.restitution > 0.0);
    bouncing.map(|body| format!("the restitution of body {:?}", body.name))
}

/// Returns what the device lacks for the shapes of bodies that can touch.
pub(super) fn of_shapes(scene: &Scene) -> Option<String> {
    if !can_touch(scene) {
        return None;
    }
    let has = |i: usize| {
        let mesh = &scene.bodies[i].mesh;
        // Copies share their mesh.
        let is_known = i > 0 && std::sync::Arc::ptr_eq(mesh, &scene.bodies[i - 1].mesh);
        is_known || (mesh.triangles().len() <= TRIANGLES && mesh.is_convex())
    };
    let odd = (0..scene.bodies.len()).find(|&i| !has(i))?;
    let name = &scene.bodies[odd].name;
    Some(format!("contact of body {name:?}, which is not one convex solid of at most {TRIANGLES} triangles"))
}

/// Returns whether any two bodies can touch.
pub(super) fn can_touch(scene: &Scene) -> bool {
    let n = scene.bodies.len();
    let is_one_group = scene.bodies.windows(2).all(|two| two[0].group == two[1].group);
    !is_one_group && (0..n).any(|a| (a + 1..n).any(|b| scene.can_collide(BodyId(a), BodyId(b))))
}
