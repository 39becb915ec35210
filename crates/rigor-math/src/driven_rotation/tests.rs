use std::f64::consts::{FRAC_PI_2, PI};

use super::*;
use crate::elementary;
use proptest::prelude::*;

const FREE: [bool; 3] = [false; 3];

/// A top with moments 1, 2, 3 kg m² whose angular velocity in its own frame is `omega_local` (rad/s).
fn top(omega_local: Vec3, torque: Vec3) -> (UnitQuaternion, DrivenRotation) {
    let q = rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7));
    let moments = Vec3::new(1.0, 2.0, 3.0);
    let momentum = q * moments.component_mul(&omega_local);
    (q, DrivenRotation { moments, fixed: FREE, momentum, torque })
}

/// A top spinning near its unstable middle axis, so that it will tumble.
fn tumbling(torque: Vec3) -> (UnitQuaternion, DrivenRotation) {
    top(Vec3::new(0.4, 5.0, 0.3), torque)
}

fn run(q: &UnitQuaternion, rotation: &DrivenRotation, duration: f64, steps: u32) -> UnitQuaternion {
    let h = duration / f64::from(steps);
    (0..steps).fold(*q, |q, k| rotation.advance(&q, f64::from(k) * h, h))
}

/// The same motion by other equations: Euler's in the body frame, I ω̇ = I ω × ω + Rᵀτ, with q̇ = ½ q ω; all
/// seven unknowns by the classical Runge–Kutta method.
fn run_euler_equations(
    q: &UnitQuaternion,
    rotation: &DrivenRotation,
    duration: f64,
    steps: u32,
) -> UnitQuaternion {
    use nalgebra::Quaternion;
    type Unknowns = (Quaternion<f64>, Vec3);
    let DrivenRotation { moments, torque, .. } = rotation;
    let rate = |(q, omega): &Unknowns| {
        let torque_local = UnitQuaternion::new_normalize(*q).inverse_transform_vector(torque);
        let omega_dot = (moments.component_mul(omega).cross(omega) + torque_local).component_div(moments);
        (q * Quaternion::from_imag(0.5 * omega), omega_dot)
    };
    let plus = |(q, omega): &Unknowns, (dq, domega): &Unknowns, s: f64| (q + dq * s, omega + domega * s);
    let omega = q.inverse_transform_vector(&rotation.angular_velocity(q, 0.0));
    let h = duration / f64::from(steps);
    let mut y = (q.into_inner(), omega);
    for _ in 0..steps {
        let k1 = rate(&y);
        let k2 = rate(&plus(&y, &k1, 0.5 * h));
        let k3 = rate(&plus(&y, &k2, 0.5 * h));
        let k4 = rate(&plus(&y, &k3, h));
        for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
            y = plus(&y, &k, weight * h / 6.0);
        }
    }
    UnitQuaternion::new_normalize(y.0)
}

/// The angle (rad) of the rotation from `a` to `b`.
fn angle(a: &UnitQuaternion, b: &UnitQuaternion) -> f64 {
    rotation_vector::log(&(b * a.inverse())).norm()
}

/// Asserts that halving the step divides `error(steps)` by about 2⁴.
fn assert_order_4(error: impl Fn(u32) -> f64, steps: u32) {
    let (coarse, fine) = (error(steps), error(2 * steps));
    let ratio = coarse / fine;
    assert!((14.5..17.5).contains(&ratio), "{coarse:e} / {fine:e} = {ratio}, and 16 was expected");
}

/// Kinetic energy (J) of a torque-free top.
fn energy(rotation: &DrivenRotation, q: &UnitQuaternion) -> f64 {
    0.5 * rotation.momentum.dot(&rotation.angular_velocity(q, 0.0))
}

/// The largest relative energy error within `duration`.
fn worst_energy_error(q: &UnitQuaternion, rotation: &DrivenRotation, duration: f64, steps: u32) -> f64 {
    let (start, h) = (energy(rotation, q), duration / f64::from(steps));
    let mut q = *q;
    (0..steps).fold(0.0, |worst: f64, _| {
        q = rotation.advance(&q, 0.0, h);
        worst.max((energy(rotation, &q) / start - 1.0).abs())
    })
}

#[test]
fn tumbling_top_is_followed_with_order_4() {
    let (q, rotation) = tumbling(Vec3::zeros());
    // At 2¹⁴ steps the reference's own error is (2¹⁴/2⁸)⁻⁴ ≈ 6e-8 of that of 2⁸ steps.
    let reference = run_euler_equations(&q, &rotation, 2.0, 1 << 14);
    assert_order_4(|n| angle(&run(&q, &rotation, 2.0, n), &reference), 256);
}

#[test]
fn tumbling_top_under_torque_is_followed_with_order_4() {
    let (q, rotation) = tumbling(Vec3::new(3.0, -2.0, 4.0));
    let reference = run_euler_equations(&q, &rotation, 2.0, 1 << 14);
    assert_order_4(|n| angle(&run(&q, &rotation, 2.0, n), &reference), 256);
}

/// ω = L/A + (1 − C/A) ω₃ e₃ for moments (A, A, C): the axis precesses about L at the rate |L|/A while the body turns
/// about it, q(t) = exp(t L/A) q₀ exp(t (1 − C/A) ω₃ e₃).
#[test]
fn symmetric_top_precesses_as_the_closed_form_says() {
    let q = rotation_vector::exp(&Vec3::new(-1.0, 0.4, 0.2));
    let (a, c, omega_local) = (2.0, 3.0, Vec3::new(1.0, 2.0, 6.0));
    let moments = Vec3::new(a, a, c);
    let momentum = q * moments.component_mul(&omega_local);
    let rotation = DrivenRotation { moments, fixed: FREE, momentum, torque: Vec3::zeros() };
    let duration = 3.0;
    let spin = Vec3::z() * (duration * (1.0 - c / a) * omega_local.z);
    let exact = rotation_vector::exp(&(momentum * (duration / a))) * q * rotation_vector::exp(&spin);
    // One step of any length is exact.
    assert!(angle(&run(&q, &rotation, duration, 1), &exact) < 1e-13);
    // Moments that are only nearly equal are integrated, with order four.
    let nearly = DrivenRotation { moments: moments + Vec3::new(1e-12, 0.0, 0.0), ..rotation };
    assert_order_4(|n| angle(&run(&q, &nearly, duration, n), &exact), 128);
}

/// K(k) by the arithmetic–geometric mean, from 1 − k².
fn complete_elliptic_integral(complement_sq: f64) -> f64 {
    let (mut a, mut b) = (1.0, complement_sq.sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// In Jacobi's solution ω₂ is an odd sn of period 4K(k)/λ, so that the middle axis flips every half period.
///
/// λ² = (I₃ − I₂)(L² − 2E I₁)/(I₁ I₂ I₃), k² = (I₂ − I₁)(2E I₃ − L²)/((I₃ − I₂)(L² − 2E I₁)) for L² > 2E I₂.
#[test]
fn middle_axis_turns_over_after_half_a_period_of_the_elliptic_solution() {
    let (q, rotation) = top(Vec3::new(0.01, 5.0, 0.1), Vec3::zeros());
    let (i, l_sq) = (rotation.moments, rotation.momentum.norm_squared());
    let two_e = 2.0 * energy(&rotation, &q);
    assert!(l_sq > two_e * i.y);
    let outer = (i.z - i.y) * (l_sq - two_e * i.x);
    // 1 − k², expanded so that it does not cancel: L² − 2E I₂ is the small number.
    let complement_sq = (i.z - i.x) * (l_sq - two_e * i.y) / outer;
    let period = 4.0 * complete_elliptic_integral(complement_sq) / (outer / (i.x * i.y * i.z)).sqrt();

    let local = |q: &UnitQuaternion| q.inverse_transform_vector(&rotation.angular_velocity(q, 0.0));
    let flipped = local(&run(&q, &rotation, 0.5 * period, 1 << 13));
    let back = local(&run(&q, &rotation, period, 1 << 14));
    assert!((flipped.y + local(&q).y).abs() < 1e-9, "{flipped}");
    assert!((back - local(&q)).norm() < 1e-8, "{back}");
}

#[test]
fn constant_torque_about_a_principal_axis_turns_by_the_closed_form_in_one_step() {
    for axis in 0..3 {
        let moments = Vec3::new(1.0, 2.0, 3.0);
        let (omega, torque, t) = (0.7, 1.5, 0.8);
        let e = Vec3::ith(axis, 1.0);
        let momentum = e * (moments[axis] * omega);
        let rotation = DrivenRotation { moments, fixed: FREE, momentum, torque: e * torque };
        let q = rotation.advance(&UnitQuaternion::identity(), 0.0, t);
        let exact = e * (omega * t + 0.5 * torque / moments[axis] * t * t);
        assert!((rotation_vector::log(&q) - exact).norm() < 4.0 * f64::EPSILON);
        let omega_end = e * (omega + torque / moments[axis] * t);
        assert!((rotation.angular_velocity(&q, t) - omega_end).norm() < 4.0 * f64::EPSILON);
    }
}

#[test]
fn energy_error_of_a_free_top_falls_with_order_4() {
    let (q, rotation) = tumbling(Vec3::zeros());
    assert_order_4(|n| worst_energy_error(&q, &rotation, 2.0, n), 256);
    let error = worst_energy_error(&q, &rotation, 10.0, 1000);
    assert!(error < 1e-7, "at h = 10 ms, 5 rad/s: {error:e}");
}

#[test]
fn momentum_and_norm_are_kept_to_rounding_over_ten_thousand_steps() {
    let (q, rotation) = tumbling(Vec3::zeros());
    let after = run(&q, &rotation, 100.0, 10_000);
    let omega = rotation.angular_velocity(&after, 0.0);
    let momentum = inertia::angular_momentum(&rotation.moments, &after, &omega);
    assert!((momentum - rotation.momentum).norm() < 1e-14 * rotation.momentum.norm());
    assert!((after.into_inner().norm() - 1.0).abs() < 4.0 * f64::EPSILON);
}

/// A tilted body that may turn about world y alone: its moment about y is constant, so the angle is a
/// parabola in time.
#[test]
fn one_free_axis_is_a_plane_pendulum_without_gravity() {
    let q = rotation_vector::exp(&Vec3::new(0.9, -0.3, 0.5));
    let moments = Vec3::new(1.0, 2.0, 3.0);
    let about_y = inertia::rotated(&Mat3::from_diagonal(&moments), &q)[(1, 1)];
    let (omega, torque, t) = (0.6, Vec3::new(7.0, 2.0, -5.0), 0.5);
    let momentum = inertia::angular_momentum(&moments, &q, &Vec3::new(0.0, omega, 0.0));
    let rotation = DrivenRotation { moments, fixed: [true, false, true], momentum, torque };
    let turned = run(&q, &rotation, t, 4);
    let exact = Vec3::y() * (omega * t + 0.5 * torque.y / about_y * t * t);
    assert!((rotation_vector::log(&(turned * q.inverse())) - exact).norm() < 1e-15);
}

#[test]
fn two_free_axes_keep_energy_and_never_spin_about_the_third() {
    let (q, mut rotation) = tumbling(Vec3::zeros());
    rotation.fixed = [false, true, false];
    assert_eq!(rotation.angular_velocity(&run(&q, &rotation, 4.0, 100), 4.0).y, 0.0);
    assert_order_4(|n| worst_energy_error(&q, &rotation, 2.0, n), 256);
}

#[test]
fn two_free_axes_are_followed_with_order_4() {
    let (q, mut rotation) = tumbling(Vec3::new(1.0, 2.0, 3.0));
    rotation.fixed = [true, false, false];
    let reference = run(&q, &rotation, 2.0, 1 << 13);
    assert_order_4(|n| angle(&run(&q, &rotation, 2.0, n), &reference), 256);
}

#[test]
fn no_free_axis_does_not_turn() {
    let (q, mut rotation) = tumbling(Vec3::x());
    rotation.fixed = [true; 3];
    assert!(angle(&rotation.advance(&q, 0.0, 1.0), &q) < 2.0 * f64::EPSILON);
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

proptest! {
    /// Rotating the whole experiment rotates its result.
    #[test]
    fn motion_does_not_depend_on_the_orientation_of_the_world(
        theta in vector(PI), momentum in vector(10.0), torque in vector(10.0), turn in vector(PI), h in 0.0..0.2,
    ) {
        let moments = Vec3::new(1.0, 1.5, 2.2);
        let (q, turn) = (rotation_vector::exp(&theta), rotation_vector::exp(&turn));
        let here = DrivenRotation { moments, fixed: FREE, momentum, torque };
        let there = DrivenRotation { moments, fixed: FREE, momentum: turn * momentum, torque: turn * torque };
        let expected = turn * here.advance(&q, 0.0, h);
        prop_assert!(angle(&there.advance(&(turn * q), 0.0, h), &expected) < 1e-14);
    }

    /// Equal moments: ω = L/I for any orientation, so every step is exact without torque.
    #[test]
    fn a_ball_turns_uniformly(momentum in vector(20.0), h in 0.0..1.0) {
        let rotation = DrivenRotation { moments: Vec3::repeat(2.0), fixed: FREE, momentum, torque: Vec3::zeros() };
        let q = rotation.advance(&UnitQuaternion::identity(), 0.0, h);
        let half_angle = 0.25 * h * momentum.norm();
        prop_assert!((q.w - elementary::cos(half_angle)).abs() < 2e-15);
        prop_assert!(q.imag().cross(&momentum).norm() < 1e-14 * (1.0 + momentum.norm()));
    }
}

const FIXED: [[bool; 3]; 5] =
    [FREE, [true, false, false], [false, true, false], [true, true, false], [false, true, true]];

fn component() -> impl Strategy<Value = f64> {
    prop_oneof![-3.0..3.0_f64, Just(0.0)]
}

fn sparse() -> impl Strategy<Value = Vec3> {
    [component(), component(), component()].prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// With and without torque, on all axes and on some, however long: many short flights, and tiny steps of order four.
    #[test]
    fn a_long_flight_is_many_short_ones(
        a in sparse(), moments in [0.2..3.0_f64, 0.2..3.0, 0.2..3.0], omega in sparse(), torque in sparse(),
        fixed in 0..5_usize, h in 0.0..20.0_f64,
    ) {
        let (moments, fixed) = (Vec3::from(moments), FIXED[fixed]);
        let q = rotation_vector::exp(&a);
        let law = DrivenRotation::new(moments, fixed, &q, &omega, torque);
        let omega = law.angular_velocity(&q, 0.0);
        let whole = law.fly(&q, &omega, h);
        prop_assert!(whole.error < 1e-11);
        let parts = 64_u32;
        let (mut at, mut w, mut turn) = (q, omega, 0.0);
        for k in 0..parts {
            let h = h / f64::from(parts);
            let rest = DrivenRotation { momentum: law.momentum_at(f64::from(k) * h), ..law };
            let arrival = rest.fly(&at, &w, h);
            turn += arrival.turn.norm();
            (at, w) = (arrival.rotation, arrival.angular_velocity);
        }
        // By how much an error of one part in 10¹³ of the start grows.
        let grown = [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| {
            let nudged = rotation_vector::exp(&(1e-13 * e)) * q;
            angle(&law.fly(&nudged, &law.angular_velocity(&nudged, 0.0), h).rotation, &whole.rotation)
        });
        // Each of the 64 flights ends with a rounding error of some 10⁻¹⁴.
        let slack = 1e-11 + 1e-12 * turn + 10.0 * grown.into_iter().fold(0.0, f64::max);
        prop_assert!(angle(&at, &whole.rotation) < slack, "{:e} {slack:e}", angle(&at, &whole.rotation));
        prop_assert!((w - whole.angular_velocity).norm() < slack * (1.0 + w.norm()));
        // L(h) is known.
        let exact = law.angular_velocity(&whole.rotation, h);
        prop_assert!((exact - whole.angular_velocity).norm() <= 1e-11 * (1.0 + exact.norm()));
        prop_assert!(angle(&(rotation_vector::exp(&whole.turn) * q), &whole.rotation) < 1e-12 * (1.0 + turn));
    }
}

#[test]
fn a_flight_converges_as_order_four_does_towards_it() {
    for fixed in FIXED {
        let (q, law) = tumbling(Vec3::new(3.0, -2.0, 4.0));
        let law = DrivenRotation::new(law.moments, fixed, &q, &law.angular_velocity(&q, 0.0), law.torque);
        let exact = law.fly(&q, &law.angular_velocity(&q, 0.0), 2.0).rotation;
        let error = |n: u32| angle(&run(&q, &law, 2.0, n), &exact);
        // About one axis order four is exact.
        if fixed.iter().filter(|is_fixed| **is_fixed).count() == 2 {
            assert!(error(64) < 1e-12, "{}", error(64));
        } else {
            assert_order_4(error, 256);
        }
    }
}

/// What `free` and `ipc` did before: one step of order four at 2 rad per step gains energy about the stable axis.
#[test]
fn a_flight_keeps_energy_where_one_step_of_order_four_gains_it() {
    let q = rotation_vector::exp(&Vec3::new(0.3, -0.2, 0.7));
    // A block of 0.4 × 0.05 × 0.1 m.
    let moments = Vec3::new(0.0125, 0.17, 0.1625);
    let law = DrivenRotation::new(moments, FREE, &q, &(q * Vec3::new(0.0, 200.0, 0.0)), Vec3::zeros());
    let (mut by_flight, mut omega, mut by_step) = (q, law.angular_velocity(&q, 0.0), q);
    for _ in 0..100 {
        let arrival = law.fly(&by_flight, &omega, 0.01);
        (by_flight, omega) = (arrival.rotation, arrival.angular_velocity);
        by_step = law.advance(&by_step, 0.0, 0.01);
    }
    let start = energy(&law, &q);
    assert!((energy(&law, &by_flight) / start - 1.0).abs() < 1e-11);
    assert!(energy(&law, &by_step) / start > 1.5, "{}", energy(&law, &by_step) / start);
}

/// A torque that turns a body by a hundred thousand radians in one step ends, with an error that is told.
#[test]
fn a_flight_beyond_the_substeps_ends_and_tells_its_error() {
    let (q, law) = tumbling(Vec3::new(30.0, -20.0, 40.0));
    let omega = law.angular_velocity(&q, 0.0);
    for (fixed, h) in [(FREE, 2e2), ([false, true, false], 1e3)] {
        let arrival = DrivenRotation { fixed, ..law }.fly(&q, &omega, h);
        assert!(arrival.rotation.norm().is_finite() && arrival.error > 1e-11, "{arrival:?}");
    }
}

#[test]
fn a_flight_about_no_free_axis_stays_and_numbers_beyond_f64_end() {
    let (q, law) = tumbling(Vec3::new(1.0, 2.0, 3.0));
    let none = DrivenRotation { fixed: [true; 3], ..law }.fly(&q, &Vec3::zeros(), 1.0);
    assert_eq!((none.rotation, none.turn, none.error), (q, Vec3::zeros(), 0.0));
    let wild = DrivenRotation { momentum: Vec3::repeat(1e300), ..law };
    assert!(!wild.fly(&q, &wild.angular_velocity(&q, 0.0), 1e300).angular_velocity.norm().is_finite());
}
