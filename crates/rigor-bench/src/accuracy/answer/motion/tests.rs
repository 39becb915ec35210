//! Tests of the converged answers against conservation laws and closed forms.

use rigor_math::{Vec3, elementary, inertia};
use rigor_scene::{Scene, State};

use super::{end, end_with};
use crate::accuracy::scene::load_scene;

fn scene(name: &str) -> Scene {
    load_scene(name, &[]).expect("it comes with the program").scene
}

/// Kinetic and potential energy (J).
fn energy(scene: &Scene, state: &State) -> f64 {
    let of = |(body, state): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        let w = state.angular_velocity;
        0.5 * body.mass * state.linear_velocity.norm_squared()
            + 0.5 * w.dot(&(body.inertia_world(&state.pose) * w))
            - body.mass * scene.gravity.dot(&state.pose.position)
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

/// Angular momentum about the origin (kg m²/s).
fn angular_momentum(scene: &Scene, state: &State) -> Vec3 {
    let of = |(body, state): (&rigor_scene::Body, &rigor_scene::BodyState)| {
        inertia::angular_momentum(&body.inertia, &state.pose.rotation, &state.angular_velocity)
            + state.pose.position.cross(&(state.linear_velocity * body.mass))
    };
    scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic()).map(of).sum()
}

/// Maximum constraint drift of the joints (m).
fn drift(scene: &Scene, state: &State) -> f64 {
    let gap = |joint: &rigor_scene::Joint| {
        let a = state.bodies[joint.body_a.0].pose.point(&joint.frame_a.position);
        let frame_b = joint.frame_b.position;
        let b = joint.body_b.map_or(frame_b, |id| state.bodies[id.0].pose.point(&frame_b));
        use rigor_scene::JointKind;
        match joint.kind {
            JointKind::Distance { min, .. } => ((a - b).norm() - min).abs(),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => (a - b).norm(),
        }
    };
    scene.joints.iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn jointed_motion_keeps_energy_and_joints_and_has_converged() {
    for name in ["heavy-top", "double-pendulum", "gyroscope-on-string", "falling-chain"] {
        let scene = scene(name);
        let duration = scene.time.duration;
        let state = end(&scene, duration).unwrap();
        let (start, stop) = (energy(&scene, &State::initial(&scene)), energy(&scene, &state));
        let scale = energy(&Scene { gravity: Vec3::zeros(), ..scene.clone() }, &state).max(1e-3);
        assert!((stop - start).abs() < 1e-8 * scale, "{name}: {start} {stop}");
        assert!(drift(&scene, &state) < 1e-8, "{name}: {}", drift(&scene, &state));
        let finer = end_with(&scene, duration, (duration / super::STEP * 2.0) as usize).unwrap();
        for (a, b) in state.bodies.iter().zip(&finer.bodies) {
            let off = (a.pose.position - b.pose.position).norm();
            assert!(off < 1e-7, "{name}: {off}");
        }
    }
}

#[test]
fn a_top_on_a_joint_keeps_its_momentum_about_the_vertical_and_about_its_axis() {
    let scene = scene("heavy-top");
    let state = end(&scene, scene.time.duration).unwrap();
    let [before, after] = [State::initial(&scene), state].map(|state| {
        let axis = scene.bodies[0].authored_pose(&state.bodies[0].pose).vector(&Vec3::y());
        let momentum = angular_momentum(&scene, &state);
        [momentum.y, momentum.dot(&axis)]
    });
    for (a, b) in before.iter().zip(after) {
        assert!((a - b).abs() < 1e-8 * a.abs(), "{a} {b}");
    }
}

/// The heavy top from its integrals: u = cos θ satisfies the equation in the body below, \[Landau1976\] §35.
#[test]
fn the_top_turns_back_where_its_integrals_say() {
    let scene = scene("heavy-top");
    let body = &scene.bodies[0];
    let about = |state: &State| scene.bodies[0].authored_pose(&state.bodies[0].pose).vector(&Vec3::y());
    let initial = State::initial(&scene);
    let d = initial.bodies[0].pose.position.norm();
    let axial = body.inertia_world(&initial.bodies[0].pose);
    let axis = about(&initial);
    let i_3 = axis.dot(&(axial * axis));
    let i_1 = (body.inertia.sum() - i_3) / 2.0 + body.mass * d * d;
    let momentum = angular_momentum(&scene, &initial);
    let (m_z, m_3) = (momentum.y, momentum.dot(&axis));
    let weight = body.mass * scene.gravity.norm() * d;
    let energy = energy(&scene, &initial) - 0.5 * m_3 * m_3 / i_3;
    for k in 1..=10 {
        let state = end(&scene, 0.1 * f64::from(k)).unwrap();
        let axis = about(&state);
        let rate = state.bodies[0].angular_velocity.cross(&axis).y;
        let u = axis.y;
        // I₁ u̇² = 2 (E′ − m g d u)(1 − u²) − (M_z − M₃ u)²/I₁
        let squared = (2.0 * (energy - weight * u) * (1.0 - u * u) - (m_z - m_3 * u).powi(2) / i_1) / i_1;
        assert!((rate * rate - squared).abs() < 1e-7 * (1.0 + squared), "{k}: {} {squared}", rate * rate);
    }
}

/// The axis of a free symmetric body precesses about its angular momentum M at the rate M/I₁ \[Landau1976\]
/// §33.
#[test]
fn a_free_symmetric_body_precesses_regularly() {
    let scene = scene("symmetric-top");
    let (body, time) = (&scene.bodies[0], scene.time.duration);
    let initial = State::initial(&scene);
    let momentum = angular_momentum(&scene, &initial);
    let axis = body.authored_pose(&initial.bodies[0].pose).vector(&Vec3::y());
    let i_3 = axis.dot(&(body.inertia_world(&initial.bodies[0].pose) * axis));
    let i_1 = (body.inertia.sum() - i_3) / 2.0;
    let about = nalgebra::Unit::new_normalize(momentum);
    let turn = rigor_math::quaternion::from_axis_angle(&about, momentum.norm() / i_1 * time);
    let state = end(&scene, time).unwrap();
    let found = body.authored_pose(&state.bodies[0].pose).vector(&Vec3::y());
    assert!((found - turn * axis).norm() < 1e-10, "{found} {}", turn * axis);
}

#[test]
fn an_asymmetric_body_keeps_energy_and_momentum() {
    let scene = scene("dzhanibekov");
    let initial = State::initial(&scene);
    let state = end(&scene, scene.time.duration).unwrap();
    let [a, b] = [&initial, &state].map(|state| angular_momentum(&scene, state));
    assert!((a - b).norm() < 1e-10 * a.norm());
    let [a, b] = [&initial, &state].map(|state| energy(&scene, state));
    assert!((a - b).abs() < 1e-10 * a);
}

#[test]
fn a_small_swing_has_the_period_of_the_formula() {
    // A quarter of the period after release the pendulum is at its lowest point.
    let scene = scene("pendula");
    let axes: Vec<[f64; 3]> = scene.joints.iter().map(|joint| joint.frame_b.position.into()).collect();
    let periods = super::super::swing::periods(&scene, &axes).unwrap();
    for (k, value) in periods.iter().enumerate() {
        let crate::accuracy::reading::Value::Number(period) = value else { panic!("{value:?}") };
        let state = end(&scene, 0.25 * period).unwrap();
        let arm = state.bodies[k].pose.position - Vec3::from(axes[k]);
        let angle = elementary::atan2(arm.x, -arm.y);
        assert!(angle.abs() < 1e-9, "{k}: {angle}");
    }
}

/// Stretch (m) of the spring of a scene at `time` (s).
fn stretch(name: &str, time: f64) -> f64 {
    end(&scene(name), time).unwrap().bodies[0].pose.position.x - 1.0
}

#[test]
fn a_spring_that_hardens_moves_by_an_elliptic_cosine() {
    // k₁ = 20 N/m, k₃ = 80 N/m³, A = ½ m, 1 kg: Ω² = 40/s², k² = ¼.
    let omega = 40.0_f64.sqrt();
    let quarter = rigor_math::elliptic::carlson_rf(0.0, 0.75, 1.0);
    for (periods, x) in [(1.0, 0.5), (0.25, 0.0), (2.5, -0.5), (3.75, 0.0)] {
        let deviation = stretch("spring-cubic", periods * 4.0 * quarter / omega);
        assert!((deviation - x).abs() < 1e-10, "after {periods} periods: {deviation}");
    }
}

#[test]
fn a_damped_spring_decays_by_the_closed_form() {
    // k = 100 N/m, d = 2 N s/m, 1 kg.
    let (delta, nu) = (1.0, 99.0_f64.sqrt());
    for time in [0.1, 0.7, 2.0] {
        let (s, c) = elementary::sin_cos(nu * time);
        let exact = 0.5 * elementary::exp(-delta * time) * (c + delta / nu * s);
        let deviation = stretch("spring-damped", time);
        assert!((deviation - exact).abs() < 1e-11, "after {time} s: {deviation} for {exact}");
    }
}

#[test]
fn springs_of_hinges_and_between_points_keep_the_energy_that_they_store() {
    for name in ["adams-rotspring-2", "adams-transpring-2", "spring-cubic"] {
        let mut scene = scene(name);
        let kind = &mut scene.joints[0].kind;
        if let rigor_scene::JointKind::Hinge { turn } = kind {
            turn.drive.as_mut().unwrap().damping = 0.0;
        } else if let rigor_scene::JointKind::Distance { drive, .. } = kind {
            drive.as_mut().unwrap().damping = 0.0;
        }
        let stored = |state: &State| {
            let error = rigor_scene::JointError::of(&scene.joints[0], state);
            energy(&scene, state) + error.energy(&scene.joints[0])
        };
        let start = stored(&State::initial(&scene));
        for time in [0.3, 0.9, 2.0] {
            let now = stored(&end(&scene, time).unwrap());
            assert!((now - start).abs() < 1e-8, "{name} after {time} s: {now} J from {start} J");
        }
    }
}

#[test]
fn joints_that_are_not_modelled_are_refused() {
    let mut scene = scene("spring-cubic");
    scene.joints[0].damping.linear = 1.0;
    assert!(end(&scene, 0.1).is_err());
    scene.joints[0].damping.linear = 0.0;
    assert!(end(&scene, 0.1).is_ok());
    scene.joints[0].kind = rigor_scene::JointKind::distance(0.0, 2.0);
    assert!(end(&scene, 0.1).is_err());
}
