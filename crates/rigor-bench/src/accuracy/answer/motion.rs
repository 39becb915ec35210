//! Free and jointed motion, integrated until converged.
//!
//! Bodies have maximal coordinates. With M the masses and inertia tensors, f the forces and gyroscopic
//! torques, and the joint constraints C = 0 differentiated twice to J a + γ = 0, the accelerations are a =
//! M⁻¹ (f + Jᵀ λ), where (J M⁻¹ Jᵀ) λ = −γ − J M⁻¹ f. Nothing corrects the drift of C, so that it measures
//! the error of the integration. Springs and dampers of hinges and of distances are forces in f; a turn is in (−π, π].

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind of joint must be thought of everywhere")]

use nalgebra::{DMatrix, DVector};
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};
use rigor_scene::{
    Body, BodyState, Drive, Goal, Joint, JointDamping, JointFrames, JointKind, Scene, State, Strength,
};

use crate::accuracy::error::AnswerError;
use crate::accuracy::extrapolation::integrate;

/// Maximum time step of the integration (s).
const STEP: f64 = 4e-3;
/// Numbers per body: position, quaternion (w, x, y, z), velocity, angular velocity.
const WIDTH: usize = 13;

/// The state of `scene` at time `duration` (s) under gravity, constant forces and joints, without contact.
///
/// # Errors
/// The scene has a joint that is not modelled here, or a body with fixed axes.
pub fn end(scene: &Scene, duration: f64) -> Result<State, AnswerError> {
    end_with(scene, duration, (duration / STEP).ceil().max(1.0) as usize)
}

/// [`end()`] with `n_steps` time steps.
fn end_with(scene: &Scene, duration: f64, n_steps: usize) -> Result<State, AnswerError> {
    check(scene)?;
    let initial = State::initial(scene);
    let mut y = pack(&initial);
    integrate(|time, y, dy| derivative(scene, time, y, dy), &mut y, 0.0, duration, n_steps);
    Ok(State { step: n_steps as u64, time: duration, bodies: unpack(scene, duration, &y), ..initial })
}

fn check(scene: &Scene) -> Result<(), AnswerError> {
    if let Some(body) = scene.bodies.iter().find(|body| !body.fixed.is_none()) {
        return Err(AnswerError::FixedAxes { body: body.name.clone() });
    }
    // A drive that is a force: a spring or a damper of unlimited strength.
    let is_force = |drive: &Drive| {
        let is_fixed = matches!(drive.goal, Goal::Position(_));
        is_fixed && !drive.law.is_rigid() && drive.max_effort == f64::INFINITY
    };
    let is_plain = |joint: &Joint| {
        let is_rigid = joint.compliance == 0.0 && joint.angular_compliance == 0.0;
        let is_undamped = joint.damping == JointDamping::default();
        is_rigid && is_undamped && joint.strength == Strength::default() && joint.kind.drives().all(is_force)
    };
    let is_known = |joint: &&Joint| match &joint.kind {
        JointKind::Ball { swing, twist } => is_plain(joint) && !swing.is_bounded() && !twist.is_bounded(),
        JointKind::Hinge { turn } => is_plain(joint) && !turn.range.is_bounded(),
        JointKind::Universal => is_plain(joint),
        JointKind::Distance { min, max, drive: None } => is_plain(joint) && min == max,
        JointKind::Distance { drive: Some(_), .. } => is_plain(joint) && joint.kind.is_loose(),
        JointKind::Fixed
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => false,
    };
    match scene.joints.iter().find(|joint| !is_known(joint)) {
        Some(joint) => Err(AnswerError::UnknownJoint { joint: joint.name.clone() }),
        None => Ok(()),
    }
}

fn pack(state: &State) -> Vec<f64> {
    let numbers = |body: &BodyState| {
        let q = rigor_math::quaternion::to_wxyz(&body.pose.rotation);
        let [x, v, w] = [body.pose.position, body.linear_velocity, body.angular_velocity];
        [x.x, x.y, x.z, q[0], q[1], q[2], q[3], v.x, v.y, v.z, w.x, w.y, w.z]
    };
    state.bodies.iter().flat_map(numbers).collect()
}

/// The states of the bodies from packed numbers; bodies with a prescribed motion have their state at `time`.
fn unpack(scene: &Scene, time: f64, y: &[f64]) -> Vec<BodyState> {
    let body = |(body, n): (&Body, &[f64])| {
        let q = nalgebra::Quaternion::new(n[3], n[4], n[5], n[6]);
        let moving = BodyState {
            pose: Pose::new(Vec3::new(n[0], n[1], n[2]), UnitQuaternion::from_quaternion(q)),
            linear_velocity: Vec3::new(n[7], n[8], n[9]),
            angular_velocity: Vec3::new(n[10], n[11], n[12]),
        };
        body.prescribed(time).unwrap_or(moving)
    };
    scene.bodies.iter().zip(y.chunks_exact(WIDTH)).map(body).collect()
}

fn derivative(scene: &Scene, time: f64, y: &[f64], dy: &mut [f64]) {
    let states = unpack(scene, time, y);
    let accelerations = accelerations(scene, &states);
    dy.fill(0.0);
    for (i, (state, [a, alpha])) in states.iter().zip(&accelerations).enumerate() {
        if !scene.bodies[i].is_dynamic() {
            continue;
        }
        let (own, rate) = (&y[WIDTH * i..WIDTH * (i + 1)], &mut dy[WIDTH * i..WIDTH * (i + 1)]);
        let w = state.angular_velocity;
        // q̇ = ½ ω q
        let q = nalgebra::Quaternion::new(own[3], own[4], own[5], own[6]);
        let q_dot = nalgebra::Quaternion::new(0.0, w.x, w.y, w.z) * q * 0.5;
        rate[..3].copy_from_slice(state.linear_velocity.as_slice());
        rate[3..7].copy_from_slice(&[q_dot.w, q_dot.i, q_dot.j, q_dot.k]);
        rate[7..10].copy_from_slice(a.as_slice());
        rate[10..13].copy_from_slice(alpha.as_slice());
    }
}

/// Linear (m/s²) and angular (rad/s²) acceleration of each body (world).
fn accelerations(scene: &Scene, states: &[BodyState]) -> Vec<[Vec3; 2]> {
    let inverse_inertia = |(body, state): (&Body, &BodyState)| {
        let r = state.pose.rotation_matrix();
        r * Mat3::from_diagonal(&body.inverse_inertia()) * r.transpose()
    };
    let inverse_inertias: Vec<Mat3> = scene.bodies.iter().zip(states).map(inverse_inertia).collect();
    let free = |((body, state), inverse): ((&Body, &BodyState), &Mat3)| {
        if !body.is_dynamic() {
            return [Vec3::zeros(); 2];
        }
        let w = state.angular_velocity;
        let gyroscopic = w.cross(&(body.inertia_world(&state.pose) * w));
        [scene.gravity + body.force / body.mass, inverse * (body.torque - gyroscopic)]
    };
    let mut accelerations: Vec<[Vec3; 2]> =
        scene.bodies.iter().zip(states).zip(&inverse_inertias).map(free).collect();
    for push in scene.joints.iter().flat_map(|joint| drive_pushes(joint, states)) {
        if let Some(i) = push.body {
            accelerations[i][0] += push.linear * scene.bodies[i].inverse_mass();
            accelerations[i][1] += inverse_inertias[i] * push.angular;
        }
    }
    let rows: Vec<ConstraintRow> = scene.joints.iter().flat_map(|joint| rows(joint, states)).collect();
    if rows.is_empty() {
        return accelerations;
    }
    // M⁻¹ Jᵀ, one entry per row of J.
    let answers: Vec<[Push; 2]> = rows
        .iter()
        .map(|row| {
            row.pushes.map(|push| Push {
                linear: push.linear * push.body.map_or(0.0, |i| scene.bodies[i].inverse_mass()),
                angular: push.body.map_or(Vec3::zeros(), |i| inverse_inertias[i] * push.angular),
                ..push
            })
        })
        .collect();
    let couples = |row: &ConstraintRow, answer: &[Push; 2]| -> f64 {
        let pairs = row.pushes.iter().flat_map(|p| answer.iter().map(move |a| (p, a)));
        let same = pairs.filter(|(p, a)| p.body.is_some() && p.body == a.body);
        same.map(|(p, a)| p.linear.dot(&a.linear) + p.angular.dot(&a.angular)).sum()
    };
    let n = rows.len();
    let matrix = DMatrix::from_fn(n, n, |i, j| couples(&rows[i], &answers[j]));
    let moved = |row: &ConstraintRow| -> f64 {
        let of = |push: &Push| {
            push.body.map_or(0.0, |i| {
                push.linear.dot(&accelerations[i][0]) + push.angular.dot(&accelerations[i][1])
            })
        };
        row.pushes.iter().map(of).sum::<f64>() + row.gamma
    };
    let right = DVector::from_iterator(n, rows.iter().map(|row| -moved(row)));
    let Some(lambda) = matrix.lu().solve(&right) else {
        // Redundant joints make the matrix singular; NaN reports it.
        accelerations.iter_mut().for_each(|a| *a = [Vec3::repeat(f64::NAN); 2]);
        return accelerations;
    };
    for (answer, lambda) in answers.iter().zip(lambda.iter()) {
        for push in answer {
            if let Some(i) = push.body {
                accelerations[i][0] += push.linear * *lambda;
                accelerations[i][1] += push.angular * *lambda;
            }
        }
    }
    accelerations
}

/// Gradient of a constraint with respect to the velocities of one body; or a force (N) and a torque (N m) on it.
#[derive(Debug, Clone, Copy)]
struct Push {
    body: Option<usize>,
    linear: Vec3,
    angular: Vec3,
}

/// A row of J a + γ = 0.
struct ConstraintRow {
    pushes: [Push; 2],
    gamma: f64,
}

/// A frame of a joint in the world, and its motion.
struct Frame {
    body: Option<usize>,
    /// Vector from the centre of mass to the origin (m).
    arm: Vec3,
    origin: Vec3,
    velocity: Vec3,
    omega: Vec3,
    rotation: UnitQuaternion,
}

impl Frame {
    fn new(body: Option<usize>, local: &Pose, states: &[BodyState]) -> Self {
        let still = BodyState::default();
        let state = body.map_or(&still, |i| &states[i]);
        let world = state.pose.compose(local);
        Self {
            body,
            arm: world.position - state.pose.position,
            origin: world.position,
            velocity: state.velocity_at(&world.position),
            omega: state.angular_velocity,
            rotation: world.rotation,
        }
    }

    /// ω × (ω × r): the part of the origin's acceleration that does not depend on the body's accelerations.
    fn centripetal(&self) -> Vec3 {
        self.omega.cross(&self.omega.cross(&self.arm))
    }
}

fn frames(joint: &Joint, states: &[BodyState]) -> [Frame; 2] {
    let a = Frame::new(Some(joint.body_a.0), &joint.frame_a, states);
    [a, Frame::new(joint.body_b.map(|id| id.0), &joint.frame_b, states)]
}

/// The forces −(R(c) + d ċ) of the drives of a joint on its bodies: along the line between the ends, or about the axis.
fn drive_pushes(joint: &Joint, states: &[BodyState]) -> Vec<Push> {
    let [a, b] = frames(joint, states);
    let pull = |drive: &Drive, x: f64, rate: f64| match drive.goal {
        Goal::Position(goal) => -(drive.law.force(x - goal) + drive.damping * rate),
        Goal::Velocity(_) => f64::NAN,
    };
    let mut pushes = Vec::new();
    if let Some(drive) = joint.kind.length_drive() {
        let gap = a.origin - b.origin;
        if let Some(n) = gap.try_normalize(0.0) {
            let force = n * pull(drive, gap.norm(), n.dot(&(a.velocity - b.velocity)));
            let push = |frame: &Frame, linear: Vec3| Push {
                body: frame.body,
                linear,
                angular: frame.arm.cross(&linear),
            };
            pushes.extend([push(&a, force), push(&b, -force)]);
        }
    }
    if let Some(drive) = joint.kind.turn_drive() {
        let turn = JointFrames::of(joint, |body| states[body.0].pose).turn();
        let n = b.rotation * Vec3::x();
        let torque = n * pull(drive, turn, n.dot(&(a.omega - b.omega)));
        let push = |frame: &Frame, angular: Vec3| Push { body: frame.body, linear: Vec3::zeros(), angular };
        pushes.extend([push(&a, torque), push(&b, -torque)]);
    }
    pushes
}

fn rows(joint: &Joint, states: &[BodyState]) -> Vec<ConstraintRow> {
    let [a, b] = frames(joint, states);
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let ball = || axes.iter().map(|axis| along(&a, &b, axis, 0.0));
    match joint.kind {
        JointKind::Hinge { .. } => {
            let square = [Vec3::y(), Vec3::z()].map(|e| right_angle(&a, &b, &Vec3::x(), &e));
            ball().chain(square).collect()
        }
        JointKind::Universal => ball().chain([right_angle(&a, &b, &Vec3::y(), &Vec3::x())]).collect(),
        JointKind::Distance { drive: Some(_), .. } => Vec::new(),
        JointKind::Distance { drive: None, .. } => {
            // C = ½ (d·d − L²): C̈ = d·d̈ + ḋ·ḋ.
            let d = a.origin - b.origin;
            vec![along(&a, &b, &d, (a.velocity - b.velocity).norm_squared())]
        }
        JointKind::Fixed
        | JointKind::Ball { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => ball().collect(),
    }
}

/// The row n·(p̈_a − p̈_b) + `gamma` = 0.
fn along(a: &Frame, b: &Frame, n: &Vec3, gamma: f64) -> ConstraintRow {
    let push = |frame: &Frame, sign: f64| Push {
        body: frame.body,
        linear: n * sign,
        angular: frame.arm.cross(n) * sign,
    };
    ConstraintRow {
        pushes: [push(a, 1.0), push(b, -1.0)],
        gamma: n.dot(&(a.centripetal() - b.centripetal())) + gamma,
    }
}

/// The row of C = u·e, with u fixed in a and e fixed in b.
///
/// Ċ = (ω_a − ω_b)·(u × e), and C̈ contains (u × e)˙ = (ω_a × u) × e + u × (ω_b × e).
fn right_angle(a: &Frame, b: &Frame, u: &Vec3, e: &Vec3) -> ConstraintRow {
    let (u, e) = (a.rotation * u, b.rotation * e);
    let n = u.cross(&e);
    let push = |frame: &Frame, sign: f64| Push { body: frame.body, linear: Vec3::zeros(), angular: n * sign };
    let n_dot = a.omega.cross(&u).cross(&e) + u.cross(&b.omega.cross(&e));
    ConstraintRow { pushes: [push(a, 1.0), push(b, -1.0)], gamma: (a.omega - b.omega).dot(&n_dot) }
}

#[cfg(test)]
mod tests;
