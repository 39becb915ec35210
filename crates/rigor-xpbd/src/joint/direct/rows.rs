//! Linear equations of one joint.

use rigor_math::{Mat3, Vec3, skew};
use rigor_scene::{HeldRotation, JointFrames, JointKind};

use super::super::SolverJoint;
use super::super::angular;
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
    /// Impulses act at the current levers if `at_now`.
    pub(super) fn rows<const N: usize>(
        &self,
        a: &SolverBody,
        b: &SolverBody,
        at_now: bool,
        h: f64,
    ) -> Rows<N> {
        let frames = self.frames(a, b);
        let levers = self.levers(a, b, at_now);
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

    /// Returns the levers of the origins, both of them current if `at_now`.
    pub(super) fn levers(&self, a: &SolverBody, b: &SolverBody, at_now: bool) -> Levers {
        let point = &self.frame_a.position;
        if at_now { Levers::now(a, b, &a.point(point)) } else { Levers::at_point_of_a(a, b, point) }
    }

    /// Returns ‖c + α̃λ‖² (m²) of the joint's rows, with angles at the lever √(w/tr I⁻¹) of its bodies, and the square of that
    /// lever.
    pub(super) fn residual_sq(&self, a: &SolverBody, b: &SolverBody, h: f64) -> (f64, f64) {
        let (w, turn) = (a.w.max() + b.w.max(), a.inverse_inertia.trace() + b.inverse_inertia.trace());
        let lever_sq = if turn > 0.0 { w / turn } else { 0.0 };
        let frames = self.frames(a, b);
        let per_h_sq = 1.0 / (h * h);
        if let JointKind::Distance { min, max, .. } = self.kind
            && max > 0.0
        {
            let distance = frames.gap().norm();
            let c = distance - distance.max(min).min(max) + self.compliance * per_h_sq * self.lambda.x;
            return (c * c, lever_sq);
        }
        let gap = frames.gap_local() + self.compliance * per_h_sq * self.lambda;
        let angle = match self.kind.held().rotation {
            HeldRotation::None | HeldRotation::Cross => Vec3::zeros(),
            held @ (HeldRotation::All | HeldRotation::Swing) => {
                let all = angular::about_axes(held, &frames.relative())
                    + self.angular_compliance * per_h_sq * self.lambda_angular;
                if held == HeldRotation::Swing { Vec3::new(0.0, all.y, all.z) } else { all }
            }
        };
        (gap.norm_squared() + lever_sq * angle.norm_squared(), lever_sq)
    }

    /// Returns the constrained angles about B's axes; angles without a row are 0 or ignored.
    fn angles<const N: usize>(&self, frames: &JointFrames) -> Vec3 {
        if N == 3 {
            Vec3::zeros()
        } else {
            angular::about_axes(self.kind.held().rotation, &frames.relative())
        }
    }

    /// Returns whether the joint has effects that these rows do not cover.
    pub(in super::super) fn has_more(&self) -> bool {
        let bounded = match &self.kind {
            JointKind::Ball { swing, twist } => swing.is_bounded() || twist.is_bounded(),
            JointKind::Hinge { turn } => turn.range.is_bounded(),
            JointKind::Fixed
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. }
            | JointKind::Gear { .. } => false,
        };
        bounded || self.turn_drive.is_some() || self.slide_drive.is_some()
    }
}
