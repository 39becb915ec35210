//! Forces between two bodies, and the points at which they act.

use nalgebra::{SMatrix, SVector};
use rigor_geometry::distance::SmoothPiece;
use rigor_math::{Mat3, Vec3};

use crate::barrier::Barrier;
use crate::contact::PrimitivePair;

/// Σ f and Σ f x̂ᵀ: ∂f/∂q and ∂f/∂Q of a body.
pub(crate) type Push = (Vec3, Mat3);
/// b and κ.
pub(crate) type Law<'a> = (&'a Barrier, f64);
pub(crate) const NO_PUSH: Push =
    (Vec3::new(0.0, 0.0, 0.0), Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0));

/// A vector in the coordinates (u, θ_a, θ_b).
pub(crate) type Vec9 = SVector<f64, 9>;
pub(crate) type Mat9 = SMatrix<f64, 9, 9>;

/// What joints add to the derivatives of f, with the body of smaller index first; of a joint with the world, its body is first.
pub(crate) struct JoinedPush {
    pub pushes: [Push; 2],
    /// Positive semidefinite, in (u, θ_a, θ_b).
    pub hessian: Mat9,
}

/// Adds f to the gradient of the first body at one point, and −f to that of the second body at the other.
pub(crate) fn push(pushes: &mut [Push; 2], f: &Vec3, points_local: &[Vec3; 2]) {
    for (side, f) in [*f, -f].into_iter().enumerate() {
        pushes[side].0 += f;
        pushes[side].1 += f * points_local[side].transpose();
    }
}

/// The nearest points of a contact, that of the pair's first body first.
pub(crate) struct Ends {
    pub piece: SmoothPiece<4>,
    /// Indices of the points of the first body and of the second.
    pub ranges: [std::ops::Range<usize>; 2],
    pub points_local: [Vec3; 2],
}

impl Ends {
    pub fn new(contact: &PrimitivePair, bodies: [usize; 2], piece: &SmoothPiece<4>) -> Self {
        let (n_a, n) = (contact.kind.sizes().0, contact.kind.n_points());
        let (of_a, of_b) = (0..n_a, n_a..n);
        let is_swapped = contact.bodies[0] != bodies[0];
        let (piece, ranges) = if is_swapped { (piece.swap(), [of_b, of_a]) } else { (*piece, [of_a, of_b]) };
        let sum = |range: &std::ops::Range<usize>| {
            range.clone().fold(Vec3::zeros(), |sum, i| sum + contact.points_local[i] * piece.weights[i])
        };
        let points_local = [sum(&ranges[0]), -sum(&ranges[1])];
        Self { piece, ranges, points_local }
    }
}
