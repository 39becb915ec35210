use super::*;
use crate::{angular_velocity, rotation_vector};
use proptest::prelude::*;

const EPS: f64 = f64::EPSILON;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Moments of a random mass distribution, from its second moment.
fn moments() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(0.0..2.0f64)
        .prop_map(|j| from_second_moment(&Mat3::from_diagonal(&j.into())).diagonal())
}

/// Eight point masses at (±a, ±b, ±c) have the tensor m diag(b² + c², a² + c², a² + b²).
#[test]
fn points_add_up_to_a_box_of_points() {
    let (a, b, c, mass) = (0.5, 1.0, 2.0, 3.0);
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
        Vec3::new(a * sign(0), b * sign(1), c * sign(2))
    };
    let tensor = (0..8).fold(Mat3::zeros(), |sum, k| sum + of_point(mass / 8.0, &corner(k)));
    let expected = Vec3::new(b * b + c * c, a * a + c * c, a * a + b * b) * mass;
    assert!((tensor - Mat3::from_diagonal(&expected)).amax() < 16.0 * EPS);
}

#[test]
fn rod_about_its_end_is_four_times_the_rod_about_its_middle() {
    let (mass, length) = (2.0, 3.0);
    let middle = Mat3::from_diagonal(&(Vec3::new(0.0, 1.0, 1.0) * (mass * length * length / 12.0)));
    let end = about_point(&middle, mass, &Vec3::new(0.5 * length, 0.0, 0.0));
    assert!((end - middle * 4.0).amax() < 4.0 * EPS);
}

#[test]
fn second_moment_is_that_of_the_source() {
    let [x, y, z] = [2.0, 3.0, 4.0];
    let j = to_second_moment(&Mat3::from_diagonal(&Vec3::new(x, y, z)));
    let printed = Vec3::new(-x + y + z, x - y + z, x + y - z) * 0.5;
    assert_eq!(j, Mat3::from_diagonal(&printed));
}

#[test]
fn moments_of_solids_are_accepted_and_impossible_ones_refused() {
    let solids = [[0.4, 0.4, 0.4], [0.0, 1.0, 1.0], [0.25, 0.25, 0.5], [0.1 + 0.2, 0.1, 0.2], [0.0; 3]];
    for scale in [1e-15, 1.0, 1e15] {
        for solid in solids {
            assert_eq!(check_moments(&(Vec3::from(solid) * scale)), Ok(()));
        }
        let impossible = check_moments(&(Vec3::new(1.0, 3.5, 2.0) * scale));
        assert!(matches!(impossible, Err(InertiaError::Triangle { index: 1, .. })));
        let negative = check_moments(&(Vec3::new(1.0, 1.0, -1e-3) * scale));
        assert_eq!(negative, Err(InertiaError::Negative { index: 2, moment: -1e-3 * scale }));
    }
    let unbounded = check_moments(&Vec3::new(1.0, f64::INFINITY, f64::NAN));
    assert!(matches!(unbounded, Err(InertiaError::NotFinite { .. })));
}

proptest! {
    #[test]
    fn random_distributions_pass_the_check(moments in moments()) {
        prop_assert_eq!(check_moments(&moments), Ok(()));
    }

    #[test]
    fn turned_point_is_the_point_of_the_turned_position(p in vector(3.0), theta in vector(4.0)) {
        let q = rotation_vector::exp(&theta);
        prop_assert!((rotated(&of_point(2.0, &p), &q) - of_point(2.0, &(q * p))).amax() < 1e-13);
    }

    #[test]
    fn parallel_axis_agrees_with_points(p in vector(3.0), r in vector(3.0), d in vector(3.0)) {
        // Two masses about their centre, then about the point at −d.
        let center = (p + r * 2.0) / 3.0;
        let own = of_point(1.0, &(p - center)) + of_point(2.0, &(r - center));
        let direct = of_point(1.0, &(p - center + d)) + of_point(2.0, &(r - center + d));
        prop_assert!((about_point(&own, 3.0, &d) - direct).amax() < 1e-12);
        prop_assert!((about_center_of_mass(&direct, 3.0, &d) - own).amax() < 1e-12);
    }

    #[test]
    fn second_moment_and_tensor_undo_each_other(moments in moments(), theta in vector(4.0)) {
        let tensor = rotated(&Mat3::from_diagonal(&moments), &rotation_vector::exp(&theta));
        prop_assert!((from_second_moment(&to_second_moment(&tensor)) - tensor).amax() < 16.0 * EPS);
    }

    #[test]
    fn momentum_and_energy_agree_with_the_turned_tensor(
        moments in moments(), theta in vector(4.0), omega in vector(3.0), v in vector(2.0),
    ) {
        let q = rotation_vector::exp(&theta);
        let tensor = rotated(&Mat3::from_diagonal(&moments), &q);
        prop_assert!((angular_momentum(&moments, &q, &omega) - tensor * omega).norm() < 1e-13);
        let energy = 0.5 * omega.dot(&(tensor * omega)) + 0.75 * v.norm_squared();
        prop_assert!((kinetic_energy(1.5, &v, &moments, &q, &omega) - energy).abs() < 1e-12);
    }

    #[test]
    fn rotational_energy_is_half_the_trace_of_the_matrix_rate(
        moments in moments(), theta in vector(4.0), omega in vector(3.0),
    ) {
        // [Ferguson2021] section 4.1: ½ tr(Q̇ J Q̇ᵀ) with J in the principal frame.
        let q = rotation_vector::exp(&theta);
        let rate = angular_velocity::to_matrix_rate(&omega, &q.to_rotation_matrix().into_inner());
        let j = to_second_moment(&Mat3::from_diagonal(&moments));
        let energy = 0.5 * (rate * j * rate.transpose()).trace();
        prop_assert!((kinetic_energy(0.0, &Vec3::zeros(), &moments, &q, &omega) - energy).abs() < 1e-12);
    }

    #[test]
    fn inverse_moments_undo_moments(moments in moments(), theta in vector(4.0), v in vector(3.0)) {
        prop_assume!(moments.min() > 1e-3);
        let q = rotation_vector::exp(&theta);
        let back = apply(&moments.map(|m| 1.0 / m), &q, &apply(&moments, &q, &v));
        // The condition number is at most 4/10⁻³.
        prop_assert!((back - v).norm() < 1e-10);
    }
}
