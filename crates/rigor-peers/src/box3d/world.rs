//! An engine world: construction, steps, and reading back.

use box3d_rust::body::{
    body_apply_force_to_center, body_apply_torque, body_get_angular_velocity, body_get_linear_velocity,
    body_get_mass_data, body_get_transform, body_get_world_center, body_get_world_inverse_rotational_inertia,
    body_set_angular_velocity, body_set_linear_velocity, body_set_mass_data, body_set_motion_locks,
    body_set_target_transform, create_body,
};
use box3d_rust::geometry::MassData;
use box3d_rust::shape::shape_get_friction;
use box3d_rust::types::{BodyDef, BodyType, MotionLocks, default_body_def};
use box3d_rust::world::{World as Engine, world_get_gravity, world_set_gravity};
use box3d_rust::{BodyId, ShapeId};
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};

use super::contact::Step;
use super::convert::{elements, from_rotation, from_vector, rotation, symmetric, vector};
use super::tuning::Tuning;
use super::{joint, refuse, shape};
use crate::process::message::{Goal, Load, Loaded, LoadedBody, Refusal, Row, UsedBody, wxyz};

/// An engine world.
pub(super) struct World {
    engine: Engine,
    /// The engine's bodies, in the order of the scene.
    ids: Vec<BodyId>,
    /// Δt (s).
    dt: f64,
    substeps: i32,
    /// The dynamic bodies: index, constant force (N) and torque (N m).
    dynamic: Vec<(usize, [f64; 3], [f64; 3])>,
    /// The centre of mass in the author's frame of each body (m).
    centres: Vec<Vec3>,
    /// The bodies before the last step.
    before: Vec<Pose>,
    /// What it uses, read back.
    used: Vec<UsedBody>,
}

impl World {
    /// Builds a world for `scene`.
    pub(super) fn build(scene: &Load) -> Result<Self, Refusal> {
        let tuning = Tuning::of(scene.setting);
        let mut engine = tuning.world();
        world_set_gravity(&mut engine, vector(scene.gravity));
        let (mut ids, mut used) = (Vec::new(), Vec::new());
        for (index, body) in scene.bodies.iter().enumerate() {
            let id = create_body(&mut engine, &tuning.body(definition(body)));
            let group = -1 - i32::try_from(body.group).unwrap_or(i32::MAX - 1);
            let shapes = shape::add(&mut engine, id, (index, body), group, scene.concave)?;
            used.push(set_mass(&mut engine, id, (index, body), &shapes)?);
            ids.push(id);
        }
        let ground = create_body(&mut engine, &default_body_def());
        for joint in &scene.joints {
            let b = joint.body_b.map_or(ground, |b| ids[b]);
            joint::add(&mut engine, joint, ids[joint.body_a], b);
        }
        for [a, b] in &scene.apart {
            joint::part(&mut engine, ids[*a], ids[*b]);
        }
        let dynamic = |(_, body): &(usize, &LoadedBody)| body.role == "dynamic";
        let bodies = scene.bodies.iter().enumerate();
        Ok(Self {
            engine,
            ids,
            dt: scene.dt,
            substeps: tuning.substeps,
            dynamic: bodies.filter(dynamic).map(|(i, body)| (i, body.force, body.torque)).collect(),
            centres: scene.bodies.iter().map(|body| body.com.into()).collect(),
            before: Vec::new(),
            used,
        })
    }

    /// What it uses.
    pub(super) fn used(&self) -> Loaded {
        Loaded {
            gravity: from_vector(world_get_gravity(&self.engine)).into(),
            dt: f64::from(self.dt as f32),
            bodies: self.used.clone(),
            process: None,
        }
    }

    /// Takes one step.
    pub(super) fn step(&mut self, goals: &[Goal]) {
        for goal in goals {
            let (id, q) = (self.ids[goal.body], quaternion(&goal.state));
            // The row has the centre of mass, the engine wants the author's origin.
            let position = Vec3::new(goal.state[0], goal.state[1], goal.state[2]);
            let origin = position - q * self.centres[goal.body];
            let target = super::convert::frame(origin.into(), wxyz(&q));
            body_set_target_transform(&mut self.engine, id, target, self.dt as f32, true);
        }
        for (body, force, torque) in &self.dynamic {
            body_apply_force_to_center(&mut self.engine, self.ids[*body], vector(*force), true);
            body_apply_torque(&mut self.engine, self.ids[*body], vector(*torque), true);
        }
        self.before = self.poses();
        self.engine.step(self.dt as f32, self.substeps);
    }

    /// The rows of the dynamic bodies.
    pub(super) fn rows(&self) -> Vec<f64> {
        self.dynamic.iter().flat_map(|(body, ..)| self.row(self.ids[*body])).collect()
    }

    fn row(&self, id: BodyId) -> Row {
        let pose = self.pose(id);
        let (p, [w, x, y, z]) = (pose.position, wxyz(&pose.rotation));
        let v = from_vector(body_get_linear_velocity(&self.engine, id));
        let omega = from_vector(body_get_angular_velocity(&self.engine, id));
        [p.x, p.y, p.z, w, x, y, z, v.x, v.y, v.z, omega.x, omega.y, omega.z]
    }

    /// The contacts of the last step.
    pub(super) fn contacts(&self) -> Vec<f64> {
        let substep = self.dt / f64::from(self.substeps);
        let after = self.poses();
        Step { ids: &self.ids, before: &self.before, after: &after, dt: self.dt, substep }
            .contacts(&self.engine)
    }

    fn poses(&self) -> Vec<Pose> {
        self.ids.iter().map(|id| self.pose(*id)).collect()
    }

    /// Centre of mass and orientation of the author's frame.
    fn pose(&self, id: BodyId) -> Pose {
        let centre = from_vector(body_get_world_center(&self.engine, id));
        Pose::new(centre, from_rotation(body_get_transform(&self.engine, id).q))
    }
}

fn definition(body: &LoadedBody) -> BodyDef {
    let q = quaternion(&body.state);
    let centre = Vec3::new(body.state[0], body.state[1], body.state[2]);
    BodyDef {
        type_: match body.role {
            "static" => BodyType::Static,
            "kinematic" => BodyType::Kinematic,
            _ => BodyType::Dynamic,
        },
        position: vector((centre - q * Vec3::from(body.com)).into()),
        rotation: rotation(wxyz(&q)),
        ..default_body_def()
    }
}

/// Gives a body its mass and velocity, and returns what the engine then uses.
///
/// A body that cannot turn has no inertia in the engine, so that it is read back before axes are locked.
fn set_mass(
    engine: &mut Engine,
    id: BodyId,
    (index, body): (usize, &LoadedBody),
    shapes: &[ShapeId],
) -> Result<UsedBody, Refusal> {
    let friction = shapes.first().map(|shape| f64::from(shape_get_friction(engine, *shape)));
    if body.role != "dynamic" {
        return Ok(UsedBody { mass: None, com: None, inertia: None, friction });
    }
    let mass =
        MassData { mass: body.mass as f32, center: vector(body.com), inertia: symmetric(&tensor(body)) };
    body_set_mass_data(engine, id, mass);
    let used = body_get_mass_data(engine, id);
    let inverse = elements(&body_get_world_inverse_rotational_inertia(engine, id));
    if inverse.iter().all(|x| *x == 0.0) {
        let why = format!("{:?}: the determinant of its inertia is 0 in single precision", body.name);
        return Err(refuse(&why, vec![index]));
    }
    let [linear_x, linear_y, linear_z] = body.fixed_translation;
    let [angular_x, angular_y, angular_z] = body.fixed_rotation;
    let locks = MotionLocks { linear_x, linear_y, linear_z, angular_x, angular_y, angular_z };
    body_set_motion_locks(engine, id, locks);
    // Locks make the engine compute mass from shapes again.
    body_set_mass_data(engine, id, mass);
    let [.., vx, vy, vz, wx, wy, wz] = body.state;
    body_set_linear_velocity(engine, id, vector([vx, vy, vz]));
    body_set_angular_velocity(engine, id, vector([wx, wy, wz]));
    Ok(UsedBody {
        mass: Some(f64::from(used.mass)),
        com: Some(from_vector(used.center).into()),
        inertia: Some(elements(&used.inertia)),
        friction,
    })
}

/// I = q diag(I) qᵀ in author's axes (kg m²).
fn tensor(body: &LoadedBody) -> Mat3 {
    let [w, x, y, z] = body.axes;
    let q = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(w, x, y, z));
    let r = q.to_rotation_matrix().into_inner();
    r * Mat3::from_diagonal(&Vec3::from(body.inertia)) * r.transpose()
}

fn quaternion(row: &Row) -> UnitQuaternion {
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(row[3], row[4], row[5], row[6]))
}
