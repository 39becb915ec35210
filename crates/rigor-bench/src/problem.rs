//! Friction problems of the steps of a run.

use rigor_math::{Mat3, UnitVec3, Vec3, tangent};
use rigor_nonsmooth::{Cone, Delassus, Problem, ProblemError};
use rigor_scene::{BodyId, ContactReport, Scene, State};

/// What the bodies of a scene must not have so that a step is a friction problem.
///
/// # Errors
/// The first thing that a problem of contacts alone leaves out.
pub fn check(scene: &Scene) -> Result<(), String> {
    if let Some(joint) = scene.joints.first() {
        return Err(format!("the joint {:?} would be left out: problems have contacts only", joint.name));
    }
    if let Some(body) = scene.bodies.iter().find(|body| !body.fixed.is_none()) {
        return Err(format!(
            "the locked axes of {:?} would be left out: problems have contacts only",
            body.name
        ));
    }
    if !scene.particles.is_empty() {
        return Err("the particles would be left out: problems have contacts of bodies only".into());
    }
    Ok(())
}

/// The problem of the step of `dt` (s) that begins at `state`, with the contacts at that time.
///
/// The step is that of Moreau and Jean: M (v⁺ − v) = dt F + H r, with u = Hᵀ v⁺ + e Hᵀ v in normal direction (Newton's impact law) and a gap
/// d > 0 added as d/dt. W = Hᵀ M⁻¹ H and q = Hᵀ (v + dt M⁻¹ F) + e Hᵀ v + max(d, 0)/dt. F is gravity, the loads of the scene, and −ω × I ω. Component
/// 0 is along the normal, 1 and 2 along [`tangent::basis`]; μ is that of sliding. Source: \[Jean1999\].
///
/// # Errors
/// Numbers that are no problem, as of a state that is not finite.
pub fn of_step(
    scene: &Scene,
    state: &State,
    contacts: &[ContactReport],
    dt: f64,
) -> Result<Problem, ProblemError> {
    let free: Vec<[Vec3; 2]> = (0..scene.bodies.len()).map(|i| free_velocity(scene, state, i, dt)).collect();
    let rows: Vec<Rows> = contacts.iter().map(|contact| Rows::new(state, contact)).collect();
    let mut blocks = Vec::new();
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate() {
            let mut block = Mat3::zeros();
            for (sign_a, body, arm_a) in &a.ends {
                for (sign_b, _, arm_b) in b.ends.iter().filter(|end| end.1 == *body) {
                    block +=
                        mobility(scene, state, *body, (&a.axes, arm_a), (&b.axes, arm_b)) * (sign_a * sign_b);
                }
            }
            if i == j || block != Mat3::zeros() {
                blocks.push((i, j, block));
            }
        }
    }
    let mut q = Vec::with_capacity(rows.len());
    let mut cones = Vec::with_capacity(rows.len());
    for (row, contact) in rows.iter().zip(contacts) {
        let (a, b) = (contact.body_a, contact.body_b);
        let mut velocity = row.velocity(|id| free[id.0]);
        let before =
            row.velocity(|id| [state.bodies[id.0].linear_velocity, state.bodies[id.0].angular_velocity]);
        // Only what approaches rebounds.
        velocity.x += scene.restitution_between(a, b) * before.x.min(0.0) + contact.distance.max(0.0) / dt;
        q.push(velocity);
        cones.push(Cone::Friction(contact.friction.1));
    }
    Problem::new(Delassus::new(rows.len(), blocks), q, cones)
}

/// v + dt M⁻¹ F.
fn free_velocity(scene: &Scene, state: &State, i: usize, dt: f64) -> [Vec3; 2] {
    let (body, at) = (&scene.bodies[i], &state.bodies[i]);
    if !body.is_dynamic() {
        return [at.linear_velocity, at.angular_velocity];
    }
    let linear = at.linear_velocity + (scene.gravity + body.force * body.inverse_mass()) * dt;
    let inertia = body.inertia_world(&at.pose);
    let torque = body.torque - at.angular_velocity.cross(&(inertia * at.angular_velocity));
    let turned =
        at.pose.rotation.inverse_transform_vector(&(torque * dt)).component_mul(&body.inverse_inertia());
    [linear, at.angular_velocity + at.pose.rotation * turned]
}

/// The rows of Hᵀ of a contact: its axes, and the ends at which they act.
struct Rows {
    axes: [Vec3; 3],
    /// Sign, body, and lever from its centre of mass (m).
    ends: [(f64, BodyId, Vec3); 2],
}

impl Rows {
    fn new(state: &State, contact: &ContactReport) -> Self {
        let normal = UnitVec3::new_normalize(contact.normal_world);
        let [t1, t2] = tangent::basis(&normal);
        let end = |sign: f64, id: BodyId| (sign, id, contact.point_world - state.bodies[id.0].pose.position);
        Self {
            axes: [normal.into_inner(), t1.into_inner(), t2.into_inner()],
            ends: [end(1.0, contact.body_a), end(-1.0, contact.body_b)],
        }
    }

    fn velocity(&self, of: impl Fn(BodyId) -> [Vec3; 2]) -> Vec3 {
        let relative: Vec3 = (self.ends.iter())
            .map(|(sign, id, arm)| {
                let [linear, angular] = of(*id);
                (linear + angular.cross(arm)) * *sign
            })
            .sum();
        Vec3::from(self.axes.map(|axis| axis.dot(&relative)))
    }
}

/// The velocities along the axes of one contact that unit impulses along those of another give the body.
fn mobility(
    scene: &Scene,
    state: &State,
    id: BodyId,
    (axes_a, arm_a): (&[Vec3; 3], &Vec3),
    (axes_b, arm_b): (&[Vec3; 3], &Vec3),
) -> Mat3 {
    let (body, rotation) = (&scene.bodies[id.0], &state.bodies[id.0].pose.rotation);
    let turn = |arm: &Vec3, axis: &Vec3| rotation.inverse_transform_vector(&arm.cross(axis));
    let turns_b = axes_b.map(|axis| turn(arm_b, &axis).component_mul(&body.inverse_inertia()));
    Mat3::from_fn(|a, b| {
        body.inverse_mass() * axes_a[a].dot(&axes_b[b]) + turn(arm_a, &axes_a[a]).dot(&turns_b[b])
    })
}

#[cfg(test)]
mod tests {
    use rigor_math::Pose;
    use rigor_nonsmooth::Law;
    use rigor_nonsmooth::solver::{Goal, Relay, Solver};
    use rigor_scene::{BodySpec, Role};

    use super::*;

    /// A box that slides down onto a floor at four corners: the impulses carry its weight and what it falls with, and friction slows it.
    #[test]
    fn a_box_on_four_corners_keeps_its_momentum_but_for_the_impulses() {
        let mesh = || rigor_shapes::Cuboid::new(Vec3::new(1.0, 1.0, 1.0)).mesh().unwrap();
        let part = || {
            vec![rigor_scene::PlacedShape {
                mesh: mesh(),
                kind: rigor_scene::PartKind::Convex,
                pose: Pose::identity(),
            }]
        };
        let floor = BodySpec {
            role: Role::Static,
            pose: Pose::translation(-Vec3::y()),
            ..BodySpec::new("floor", part())
        };
        let cube = BodySpec {
            restitution: 0.5,
            linear_velocity: Vec3::new(2.0, -1.0, 0.0),
            ..BodySpec::new("box", part())
        };
        let scene = Scene {
            gravity: Vec3::new(0.0, -10.0, 0.0),
            bodies: [floor, cube].into_iter().map(|spec| spec.build().unwrap()).collect(),
            ..Scene::default()
        };
        let state = State::initial(&scene);
        let corner = |k: u32| ContactReport {
            body_a: BodyId(1),
            body_b: BodyId(0),
            point_world: Vec3::new(f64::from(k % 2) - 0.5, -0.5, f64::from(k / 2) - 0.5),
            normal_world: Vec3::y(),
            distance: 0.0,
            normal_force: 1.0,
            friction_force_world: Vec3::zeros(),
            slip_velocity_world: Vec3::zeros(),
            friction: (0.5, 0.25),
        };
        let contacts = [0, 1, 2, 3].map(corner);
        let problem = of_step(&scene, &state, &contacts, 0.01).unwrap();
        let start = vec![Vec3::zeros(); 4];
        let found = Relay::default().solve(
            &problem,
            &Law::Coulomb,
            &start,
            &Goal { tolerance: 1e-12, ..Goal::default() },
        );
        let total: Vec3 = contacts
            .iter()
            .zip(&found.r)
            .map(|(contact, r)| {
                let [t1, t2] = tangent::basis(&UnitVec3::new_normalize(contact.normal_world));
                contact.normal_world * r.x + t1.into_inner() * r.y + t2.into_inner() * r.z
            })
            .sum();
        let e = scene.restitution_between(BodyId(0), BodyId(1));
        let mass = scene.bodies[1].mass;
        // v_y⁺ = e · 1 m/s, and μ = 0.25 takes as much of the sliding.
        let due = mass * (1.0 + e + 0.1);
        assert!((total.y / due - 1.0).abs() < 1e-9, "{total} {due}");
        assert!((total.x / (-0.25 * due) - 1.0).abs() < 1e-9, "{total} {due}");
    }
}
