//! How far the points of a body moved between two poses.

use rigor_math::Pose;

/// Returns an upper bound on the distance (m) between the places of any point within `radius` (m) of the centre
/// of mass at two poses.
///
/// For x(t) = R(t) x̂ + p(t), ‖x₁ − x₀‖ ≤ ‖p₁ − p₀‖ + ‖R₁R₀ᵀ − 1‖ ‖x̂‖. A rotation by the angle θ, from 0 to π,
/// moves a point at the distance ρ ≤ ‖x̂‖ from its axis by the chord 2 ρ sin(θ/2). With the unit quaternions q₀ and
/// q₁, sin(θ/2) is the length of the vector part of q₁ q̄₀. If ‖qᵢ‖² = 1 + δᵢ, points are off by 2 |δᵢ| r, as
/// [`crate::surface`] states, and the vector part by as much.
///
/// It bounds the displacement from one pose to the other, not the path: there is a motion between them in which no
/// point ever gets farther from its place in the first pose than that.
pub(crate) fn bound(then: &Pose, now: &Pose, radius: f64) -> f64 {
    if then == now {
        return 0.0;
    }
    let turn = now.rotation.into_inner() * then.rotation.into_inner().conjugate();
    let stretch = |pose: &Pose| (pose.rotation.coords.norm_squared() - 1.0).abs();
    let off = 4.0 * (stretch(then) + stretch(now)) * radius;
    let size = then.position.norm() + now.position.norm() + radius;
    (now.position - then.position).norm()
        + 2.0 * radius * turn.vector().norm()
        + off
        + 64.0 * f64::EPSILON * size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::{UnitQuaternion, Vec3, rotation_vector};

    use super::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    proptest! {
        /// Points on the sphere of the radius, with turns from tiny to several, and quaternions of other norms.
        #[test]
        fn no_point_moves_farther(
            p in vector(5.0), by in vector(1.0), theta in vector(6.0), turn in vector(6.0), small in 0..40i32,
            x in vector(1.0), stretch in 0.0..1e-3f64,
        ) {
            let scale = 0.5f64.powi(small);
            let then = Pose::from_rotation_vector(p, &theta);
            let rotation = rotation_vector::exp(&(turn * scale)) * then.rotation;
            let rotation = UnitQuaternion::new_unchecked(rotation.into_inner() * (1.0 + stretch));
            let now = Pose::new(p + by * scale, rotation);
            let moved = (now.point(&x) - then.point(&x)).norm();
            prop_assert!(moved <= bound(&then, &now, x.norm()));
        }
    }

    #[test]
    fn the_bound_is_reached_by_a_point_that_moves_along_with_its_centre() {
        // Half of it would be too little: a quarter turn about z moves (1, 0, 0) to (0, 1, 0).
        let quarter = rotation_vector::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
        let turned = bound(&Pose::identity(), &Pose::new(Vec3::zeros(), quarter), 1.0);
        assert!((turned - 2.0_f64.sqrt()).abs() < 1e-12, "{turned}");
        let full = rotation_vector::exp(&(Vec3::z() * std::f64::consts::TAU));
        let (there, back) = (Pose::new(Vec3::y() * 3.0, full), Pose::identity());
        assert!((bound(&back, &there, 5.0) - 3.0).abs() < 1e-12);
        assert_eq!(bound(&there, &there, 5.0), 0.0);
    }
}
