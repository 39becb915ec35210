use proptest::prelude::*;
use rigor_math::rotation_vector;

use super::*;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

proptest! {
    /// Also about the axes of the frame, and by angles whose cosine rounds to 1.
    #[test]
    fn orient_rotates(axis in vector(1.0), only in prop::option::of(0..3usize), exponent in -12..1i32, x in vector(1.0)) {
        let axis = only.map_or(axis, |k| Vec3::ith(k, axis[k]));
        let theta = axis * 10f64.powi(exponent);
        let expected = rotation_vector::exp(&theta).to_rotation_matrix() * x;
        prop_assert!((orient(&rotation_vector::exp(&theta), &x) - expected).norm() < 1e-15);
    }

    /// Validity allows lengths of the quaternion that differ from 1 by 10⁻⁹.
    #[test]
    fn the_length_of_an_orientation_does_not_matter(theta in vector(3.0), stretch in -1e-9..1e-9, x in vector(1.0)) {
        let unit = rotation_vector::exp(&theta);
        let longer = UnitQuaternion::new_unchecked(unit.into_inner() * (1.0 + stretch));
        prop_assert!((orient(&longer, &x) - orient(&unit, &x)).norm() < 1e-14);
    }

    #[test]
    fn omega_is_the_left_jacobian_times_the_rate(theta in vector(3.0), exponent in -6..1i32, rate in vector(1.0)) {
        let theta = theta * 10f64.powi(exponent);
        let omega = Turn::new(&theta).omega(&rate);
        prop_assert!((omega - rotation_vector::left_jacobian(&theta) * rate).norm() < 1e-9);
    }
}
