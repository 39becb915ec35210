//! Linear equations of one joint.

use rigor_math::{Mat3, Vec3, skew};
use rigor_scene::JointKind;

use super::super::SolverJoint;
use super::super::angular;
use super::super::frames::Frames;
use super::{Tall, Wide};
use crate::body::SolverBody;
use crate::constraint::position::Levers;

/// Rows of one joint.
#[derive(Debug)]
pub(super) struct Rows<const N: usize> {
    /// Residual r.
    pub rest: nalgebra::SVector<f64, N>,
    pub alpha_tilde: nalgebra::SVector<f64, N>,
    /// Mobility along each row of the joint's bodies alone.
    pub scale: nalgebra::SVector<f64, N>,
    /// J and G of a, then of b.
    pub moves: [Wide<N>; 2],
    pub feels: [Tall<N>; 2],
    pub axes: Mat3,
}

impl SolverJoint {
    /// Builds the rows: the origins along the world's axes; with N = 5 also the axes across B's x, with N = 6
    /// all axes.
    pub(super) fn rows<const N: usize>(&self, a: &SolverBody, b: &SolverBody, h: f64) -> Rows<N> {
        let frames = self.frames(a, b);
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let axes = frames.axes_b();
        let per_h_sq = 1.0 / (h * h);
        let (soft, soft_angle) = (self.compliance * per_h_sq, self.angular_compliance * per_h_sq);
        let c = frames.gap() + axes * (soft * self.lambda);
        let angle = self.angles::<N>(&frames) + soft_angle * self.lambda_angular;
        let (w, turn) = (a.w.max() + b.w.max(), a.inverse_inertia.trace() + b.inverse_inertia.trace());
        // Rows from 3 on are about the axes from 6 − N on.
        let axis = |row: usize| row + 3 - N;
        let pick = |origin: &dyn Fn(usize) -> f64, other: &dyn Fn(usize) -> f64| {
            nalgebra::SVector::from_fn(|row, _| if row < 3 { origin(row) } else { other(axis(row)) })
        };
        let moves = |sign: f64, now: &Vec3| {
            let mut moves = Wide::<N>::zeros();
            moves.fixed_view_mut::<3, 3>(0, 0).copy_from(&Mat3::from_diagonal_element(sign));
            moves.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-sign * skew(now)));
            (3..N).for_each(|row| (0..3).for_each(|k| moves[(row, 3 + k)] = sign * axes[(k, axis(row))]));
            moves
        };
        Rows {
            rest: pick(&|i| c[i], &|i| angle[i]),
            alpha_tilde: pick(&|_| soft, &|_| soft_angle),
            scale: pick(&|_| w, &|_| turn),
            moves: [moves(1.0, &levers.a_now), moves(-1.0, &levers.b_now)],
            feels: [moves(1.0, &levers.a_prev).transpose(), moves(-1.0, &levers.b_prev).transpose()],
            axes,
        }
    }

    /// Returns the constrained angles about B's axes; angles without a row are 0 or ignored.
    fn angles<const N: usize>(&self, frames: &Frames) -> Vec3 {
        if N == 3 { Vec3::zeros() } else { angular::about_axes(&self.kind, &frames.relative()) }
    }

    /// Returns whether the joint has effects that these rows do not cover.
    pub(in super::super) fn has_more(&self) -> bool {
        let bounded = match self.kind {
            JointKind::Ball { swing, twist } => swing.is_bounded() || twist.is_bounded(),
            JointKind::Hinge { turn } => turn.range.is_bounded() || turn.drive.is_some(),
            _ => false,
        };
        bounded || self.turn_drive.is_some()
    }
}
