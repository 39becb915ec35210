//! What joints push, in the coordinates of affine bodies.
//!
//! Joints hold the rotation Q nearest to A = Q S. With A it turns by w = Q G vee(Qᵀ ΔA − ΔAᵀ Q), G = (tr S 1 − S)⁻¹: from
//! Qᵀ ΔA = \[w_b\] S + ΔS and \[w_b\] S + S \[w_b\] = \[(tr S 1 − S) w_b\]. So a torque τ has the gradient Q \[G Qᵀ τ\] with respect to A, and a
//! Hessian in (u, θ_a, θ_b) is pulled back by u = δq_a − δq_b and θ = w, without the curvature of w.

use nalgebra::SMatrix;
use rigor_math::{Mat3, skew, unskew};

use crate::affine_pair::Mat24;
use crate::ends::{JoinedPush, Push};
use crate::placement::Placement;

/// w of each component of ΔA, row by row.
type Turns = SMatrix<f64, 3, 9>;

/// Returns G.
fn g(place: &Placement) -> Mat3 {
    let s = place.strains() + Mat3::identity();
    let resisting = Mat3::identity() * s.trace() - s;
    // S is near 1 unless the body is crushed.
    resisting.try_inverse().unwrap_or_else(|| Mat3::identity() * 0.5)
}

/// Returns the push of a torque on the rotation nearest to A; `push` is that on a rigid body with this rotation.
pub(crate) fn push(push: &Push, place: &Placement) -> Push {
    let q = place.rotation_matrix();
    let torque = 2.0 * unskew(&(push.1 * q.transpose()));
    (push.0, q * skew(&(g(place) * q.tr_mul(&torque))))
}

/// Returns w for each component of ΔA.
fn turns(place: &Placement) -> Turns {
    let (q, g) = (place.rotation_matrix(), g(place));
    let mut turns = Turns::zeros();
    for n in 0..9 {
        let by = Mat3::from_fn(|r, c| if 3 * r + c == n { 1.0 } else { 0.0 });
        turns.set_column(n, &(q * (g * (unskew(&q.tr_mul(&by)) * 2.0))));
    }
    turns
}

/// Returns the derivatives of joints between two affine bodies.
pub(crate) fn joined(
    joined: &JoinedPush,
    bodies: [usize; 2],
    places: &[Placement],
) -> ([Push; 2], Box<Mat24>) {
    let places = bodies.map(|body| &places[body]);
    let pushes = [0, 1].map(|side| push(&joined.pushes[side], places[side]));
    let mut by = SMatrix::<f64, 9, 24>::zeros();
    for (side, (place, sign)) in places.into_iter().zip([1.0, -1.0]).enumerate() {
        by.fixed_view_mut::<3, 3>(0, 12 * side).copy_from(&(Mat3::identity() * sign));
        by.fixed_view_mut::<3, 9>(3 + 3 * side, 12 * side + 3).copy_from(&turns(place));
    }
    (pushes, Box::new(by.transpose() * joined.hessian * by))
}

/// Returns the Hessian of joints of an affine body with the world from that in (q, θ).
pub(crate) fn alone(hessian: &SMatrix<f64, 6, 6>, place: &Placement) -> SMatrix<f64, 12, 12> {
    let mut by = SMatrix::<f64, 6, 12>::zeros();
    by.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::identity());
    by.fixed_view_mut::<3, 9>(3, 3).copy_from(&turns(place));
    by.transpose() * hessian * by
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3, rotation_vector};

    use super::*;
    use crate::body_slots::Step;

    #[test]
    fn torques_turn_the_nearest_rotation() {
        let pose = Pose::from_rotation_vector(Vec3::new(1.0, 2.0, 3.0), &Vec3::new(0.3, -1.1, 0.4));
        let stretched =
            pose.rotation_matrix() * Mat3::new(1.1, 0.02, -0.05, 0.02, 0.9, 0.03, -0.05, 0.03, 1.02);
        let place = Placement::affine(&pose, stretched);
        let torque = Vec3::new(0.5, -0.2, 0.7);
        // ½ [τ] Q is the gradient of a torque with respect to a rotation matrix.
        let rigid = (Vec3::zeros(), skew(&(0.5 * torque)) * pose.rotation_matrix());
        let (turns, (_, by_matrix)) = (turns(&place), push(&rigid, &place));
        let h = 1e-6;
        for n in 0..9 {
            let moved = |by: f64| {
                let mut step = Step::<12>::zeros();
                step[3 + n] = by;
                place.moved(&step).rotation
            };
            let turn = rotation_vector::log(&(moved(h) * moved(-h).inverse())) / (2.0 * h);
            assert!((turn - turns.column(n)).norm() < 1e-9, "{n}: {turn} {}", turns.column(n));
            assert!((torque.dot(&turn) - by_matrix[(n / 3, n % 3)]).abs() < 1e-9);
        }
        // Its torque is that of the rigid body.
        let kept = 2.0 * unskew(&(by_matrix * stretched.transpose()));
        assert!((kept - torque).norm() < 1e-14);
    }
}
