//! The path that bodies took through a step, for methods that can tell it.

use rigor_math::{Pose, Vec3};

use crate::body::BodyId;

/// One piece of the path of a step: what all bodies did at the same time, t from 0 to 1. Bodies that are not listed stay
/// where they are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Piece {
    /// The bodies that moved, each once.
    pub travels: Vec<Travel>,
}

/// How one body moved in a [`Piece`].
///
/// x(t) = R(t) x̂ + q + t·`by`, t ∈ [0, 1], with q the position of `from` and R(t) as [`Turn`] has it. A point x̂ is given in
/// the principal frame. Both ends of x(t) differ from what was stored as `from` and `to` by rounding: a body goes straight
/// from `from` to x(0), along x(t), and straight from x(1) to `to`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Travel {
    /// The body.
    pub body: BodyId,
    /// Where it was before.
    pub from: Pose,
    /// Its displacement (m, world).
    pub by: Vec3,
    /// How it turned about its centre of mass.
    pub turn: Turn,
    /// Where it was put afterwards.
    pub to: Pose,
}

/// A rotation R(t), t ∈ [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turn {
    /// R(t) = exp(t[ω]) Q about a fixed axis, with the rotation vector ω (rad, world) and Q the rotation of
    /// [`Travel::from`].
    About(Vec3),
    /// R(t) = exp([θ + tΔθ]), a straight way in rotation vectors.
    ///
    /// Source: [Ferguson2021] eq. (16).
    Straight {
        /// θ (rad, world).
        theta: Vec3,
        /// Δθ (rad, world).
        by: Vec3,
    },
}

impl Turn {
    /// The rotation vector (rad, world) whose length bounds the angle: ω or Δθ.
    pub fn vector(&self) -> Vec3 {
        match *self {
            Self::About(turn) | Self::Straight { by: turn, .. } => turn,
        }
    }
}
