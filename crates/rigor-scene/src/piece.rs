//! The path of the bodies within a step, for methods that can report it.

use rigor_math::{Mat3, Pose, Vec3};

use crate::body::BodyId;

/// One piece of the path of a step: the simultaneous motion of all bodies, t from 0 to 1. Bodies that are not
/// listed do not move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathPiece {
    /// The moving bodies, each once.
    pub travels: Vec<Travel>,
}

/// The motion of one body in a [`PathPiece`].
///
/// x(t) = R(t) x̂ + q + t·`by`, t ∈ [0, 1], with the point x̂ in the principal frame, the position q of
/// `from` and the rotation R(t) of [`Turn`], or its matrix A(t) in place of R(t). By rounding, x(0) and x(1) differ from the stored poses `from`
/// and `to`: the body moves straight from `from` to x(0), then along x(t), then straight from x(1) to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Travel {
    /// The body.
    pub body: BodyId,
    /// Pose at the start.
    pub from: Pose,
    /// Displacement (m, world).
    pub by: Vec3,
    /// Rotation about the centre of mass.
    pub turn: Turn,
    /// Pose stored at the end.
    pub to: Pose,
}

/// A rotation R(t), t ∈ [0, 1], or the matrix A(t) of an affine body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turn {
    /// R(t) = exp(t\[ω\]) Q: rotation about a fixed axis by the rotation vector ω (rad, world) from the
    /// rotation Q of [`Travel::from`].
    About(Vec3),
    /// R(t) = exp([θ + tΔθ]): a straight path in the space of rotation vectors.
    ///
    /// Source: \[Ferguson2021\] eq. (16).
    Straight {
        /// θ (rad, world).
        theta: Vec3,
        /// Δθ (rad, world).
        by: Vec3,
    },
    /// A(t) = A₀ + t ΔA: every point moves uniformly along a straight line. Of the poses of the [`Travel`] only the positions
    /// count. A(0) and A(1) equal the matrices of the body in the states ([`State::matrix`](crate::State::matrix)) up to rounding.
    ///
    /// Source: \[Lan2022\], the linear trajectory of an affine body.
    Affine {
        /// A₀ (principal frame → world).
        from: Mat3,
        /// ΔA.
        by: Mat3,
    },
}

impl Turn {
    /// Returns the rotation vector (rad, world) whose length bounds the angle of rotation: ω or Δθ; zero for an affine body, which has
    /// none.
    pub fn vector(&self) -> Vec3 {
        match *self {
            Self::About(turn) | Self::Straight { by: turn, .. } => turn,
            Self::Affine { .. } => Vec3::zeros(),
        }
    }
}
