use super::*;
use crate::inertia::rotated;
use crate::rotation_vector;
use proptest::prelude::*;

const EPS: f64 = f64::EPSILON;

/// Known solids of mass 12 kg, with ascending moments.
fn solids() -> Vec<Vec3> {
    let cuboid = |a: f64, b: f64, c: f64| Vec3::new(a * a + b * b, a * a + c * c, b * b + c * c);
    vec![
        cuboid(1.0, 2.0, 3.0),
        cuboid(1.0, 1.0, 5.0),     // square pillar: the larger two repeated
        cuboid(1.0, 3.0, 3.0),     // square tile: the smaller two repeated
        cuboid(2.0, 2.0, 2.0),     // cube
        cuboid(0.0, 1.0, 2.0),     // plate
        cuboid(0.0, 0.0, 1.0),     // rod
        cuboid(1e-6, 2e-6, 1.0),   // needle
        cuboid(1.0, 1.001, 1.002), // nearly a cube
        cuboid(1.0, 1.0 + 1e-9, 1.0 + 2e-9),
        Vec3::new(1.0, 1.0, 1.0) * 4.8, // ball of radius 1
    ]
}

fn orientations() -> Vec<UnitQuaternion> {
    let mut thetas = vec![Vec3::zeros(), Vec3::new(1e-9, -2e-9, 1e-10), Vec3::new(0.0, 0.0, 1.0)];
    thetas.extend((0..40).map(|k| {
        let k = f64::from(k);
        Vec3::new((k * 0.7 + 0.2).sin(), (k * 1.3).cos(), (k * 2.1).sin()) * 3.0
    }));
    thetas.iter().map(rotation_vector::exp).collect()
}

fn assert_decomposes(tensor: &Mat3, moments: &Vec3) {
    let found = diagonalize(tensor);
    let largest = moments.max();
    assert!((found.tensor() - tensor).amax() <= 24.0 * EPS * largest, "{tensor:e}");
    assert!((found.moments - moments).amax() <= 16.0 * EPS * largest, "{moments:e} {:e}", found.moments);
    assert!(found.moments[0] <= found.moments[1] && found.moments[1] <= found.moments[2]);
    assert!((found.axes.coords.norm() - 1.0).abs() < 2.0 * EPS);
}

#[test]
fn known_solids_are_found_in_every_orientation_at_every_scale() {
    for exponent in [-300, -150, -15, -12, -3, 0, 4, 12, 15, 150, 290] {
        for moments in solids() {
            let moments = moments * 10f64.powi(exponent);
            for q in orientations() {
                assert_decomposes(&rotated(&Mat3::from_diagonal(&moments), &q), &moments);
            }
        }
    }
}

#[test]
fn axes_do_not_depend_on_a_scale_that_is_a_power_of_two() {
    for moments in solids() {
        for q in orientations() {
            let tensor = rotated(&Mat3::from_diagonal(&moments), &q);
            let expected = diagonalize(&tensor);
            for exponent in [-100, -40, 1, 50, 100] {
                let scale = 2f64.powi(exponent);
                let found = diagonalize(&(tensor * scale));
                assert_eq!(found.axes, expected.axes);
                assert_eq!(found.moments, expected.moments * scale);
            }
        }
    }
}

#[test]
fn axes_are_the_same_for_a_coin_and_a_planet() {
    let moments = Vec3::new(2.0, 3.0, 4.5);
    for q in orientations() {
        let tensor = rotated(&Mat3::from_diagonal(&moments), &q);
        for scale in [1e-15, 1e-12, 1e-3, 1e12, 1e15] {
            let (one, other) = (diagonalize(&tensor).axes, diagonalize(&(tensor * scale)).axes);
            // Rounding of the entries, divided by the relative gap of the moments, 1/4.5.
            assert!(crate::quaternion::difference(&one, &other).norm() < 32.0 * EPS);
        }
    }
}

#[test]
fn diagonal_tensors_have_signed_permutations_for_axes() {
    for moments in
        [[1.0, 2.0, 2.5], [2.5, 2.0, 1.0], [2.0, 1.0, 2.5], [2.0, 2.5, 1.0], [2.0, 1.0, 2.0], [0.0, 1.0, 0.0]]
    {
        let found = diagonalize(&Mat3::from_diagonal(&Vec3::from(moments)));
        let axes = found.axes.to_rotation_matrix().into_inner();
        assert!(axes.iter().all(|e| e.abs().min((e.abs() - 1.0).abs()) < 4.0 * EPS), "{axes}");
        let mut ascending = moments;
        ascending.sort_by(f64::total_cmp);
        assert_eq!(found.moments, Vec3::from(ascending));
        let back = axes * Mat3::from_diagonal(&found.moments) * axes.transpose();
        assert!((back - Mat3::from_diagonal(&Vec3::from(moments))).amax() < 8.0 * EPS);
    }
}

#[test]
fn ascending_diagonals_and_isotropic_tensors_keep_their_axes() {
    let moments = [[1.0, 2.0, 2.5], [1.0, 1.0, 1.5], [1.0, 1.5, 1.5], [7e-13, 7e-13, 7e-13], [0.0, 0.0, 0.0]];
    for moments in moments.map(Vec3::from) {
        let found = diagonalize(&Mat3::from_diagonal(&moments));
        assert_eq!((found.axes, found.moments), (UnitQuaternion::identity(), moments));
    }
}

#[test]
fn rounding_in_an_isotropic_tensor_does_not_turn_its_axes() {
    let noise = Mat3::new(3.0, 1.0, -2.0, 1.0, -1.0, 2.0, -2.0, 2.0, 1.0) * EPS;
    for scale in [1e-12, 1.0, 1e12] {
        let found = diagonalize(&((Mat3::identity() + noise) * scale));
        assert_eq!(found.axes, UnitQuaternion::identity());
    }
}

#[test]
fn repeated_moments_leave_the_axes_nearest_to_the_given_ones() {
    // A cylinder about z, tilted about an axis in the plane: no rotation about its own axis remains.
    let moments = Vec3::new(1.0, 1.0, 1.6);
    for tilt in [0.0, 1e-6, 0.3, 1.0, 1.5] {
        for about in [Vec3::x(), Vec3::y(), Vec3::new(0.6, -0.8, 0.0)] {
            for spin in [0.0, 0.7, 2.0] {
                let q = rotation_vector::exp(&(about * tilt));
                let spun = q * rotation_vector::exp(&(Vec3::z() * spin));
                let found = diagonalize(&rotated(&Mat3::from_diagonal(&moments), &spun));
                assert!(crate::quaternion::difference(&q, &found.axes).norm() < 32.0 * EPS, "{tilt} {spin}");
            }
        }
    }
}

#[test]
fn distinct_moments_have_the_nearest_signs() {
    // Any turn by less than 60° is nearer to the identity than its three sign variants, half turns away.
    let moments = Vec3::new(1.0, 1.5, 2.0);
    for axis in [Vec3::x(), Vec3::new(0.6, 0.0, 0.8), Vec3::new(-2.0, 3.0, 6.0) / 7.0] {
        let q = rotation_vector::exp(&axis);
        let found = diagonalize(&rotated(&Mat3::from_diagonal(&moments), &q));
        assert!(crate::quaternion::difference(&q, &found.axes).norm() < 32.0 * EPS);
    }
}

#[test]
fn numbers_that_are_not_finite_end_the_search() {
    let mut tensor = Mat3::identity();
    tensor[(0, 1)] = f64::NAN;
    assert!(!diagonalize(&tensor).moments.iter().all(|m| m.is_finite()));
    assert!(!diagonalize(&Mat3::from_element(f64::INFINITY)).moments.iter().all(|m| m.is_finite()));
}

proptest! {
    #[test]
    fn random_tensors_are_decomposed_at_every_scale(
        j in prop::array::uniform3(0.0..1.0f64),
        theta in prop::array::uniform3(-4.0..4.0f64),
        exponent in -15i32..=15,
    ) {
        let mut moments = crate::inertia::from_second_moment(&Mat3::from_diagonal(&j.into())).diagonal();
        moments.as_mut_slice().sort_by(f64::total_cmp);
        moments *= 10f64.powi(exponent);
        let q = rotation_vector::exp(&theta.into());
        assert_decomposes(&rotated(&Mat3::from_diagonal(&moments), &q), &moments);
    }

    #[test]
    fn no_change_of_signs_brings_the_axes_nearer(
        theta in prop::array::uniform3(-4.0..4.0f64),
        moments in prop::array::uniform3(1.0..2.0f64),
    ) {
        let tensor = rotated(&Mat3::from_diagonal(&moments.into()), &rotation_vector::exp(&theta.into()));
        let axes = diagonalize(&tensor).axes.to_rotation_matrix().into_inner();
        prop_assert!(axes.determinant() > 0.0);
        for kept in 0..3 {
            let half_turn = Vec3::from_fn(|i, _| if i == kept { 1.0 } else { -1.0 });
            prop_assert!((axes * Mat3::from_diagonal(&half_turn)).trace() <= axes.trace() + 8.0 * EPS);
        }
    }

    #[test]
    fn any_symmetric_matrix_is_decomposed(e in prop::array::uniform6(-1.0..1.0f64)) {
        let tensor = Mat3::new(e[0], e[1], e[2], e[1], e[3], e[4], e[2], e[4], e[5]);
        let found = diagonalize(&tensor);
        prop_assert!((found.tensor() - tensor).amax() < 32.0 * EPS);
    }
}
