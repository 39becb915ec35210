//! Threads: distance joints as one row along the line between two ends, which may only pull or only push.

use rigor_math::{Mat3, Vec3};
use rigor_scene::JointKind;

use super::super::SolverJoint;
use super::rows::Rows;
use super::{Column, Tall, Wide};
use crate::body::SolverBody;

/// Relative distance from its bound within which a thread is assumed taut at first.
const NEAR: f64 = 1e-6;

/// Relative violation of its bound beyond which a slack thread becomes taut.
const BEYOND: f64 = 1e-12;

/// A distance joint at the nearer of its bounds.
#[derive(Debug)]
pub(super) struct Thread {
    pub row: Rows<1>,
    /// Whether its row is part of the system.
    pub is_taut: bool,
    /// 1 at the maximum distance, −1 at the minimum; 0 if they are equal, so that it both pulls and pushes.
    side: f64,
    /// The bound (m).
    length: f64,
    /// C (m).
    c: f64,
    /// Accumulated λ (kg m).
    lambda: f64,
}

impl Thread {
    /// Returns Δλ of a slack thread, which takes back its accumulated λ.
    pub fn let_go(&self) -> f64 {
        -self.lambda
    }

    /// Drops the row if Δλ gives it the wrong sign; returns whether it did.
    pub fn loosen(&mut self, delta: f64) -> bool {
        let is_wrong = self.is_taut && self.side * (self.lambda + delta) > 0.0;
        self.is_taut &= !is_wrong;
        is_wrong
    }

    /// Adds the row if the motions ξ of a and b violate its bound; returns whether it did.
    pub fn tighten(&mut self, motion: [&Column; 2]) -> bool {
        let c = self.c + (self.row.moves[0] * motion[0]).x + (self.row.moves[1] * motion[1]).x;
        let is_beyond = !self.is_taut && self.side * c > BEYOND * self.length;
        self.is_taut |= is_beyond;
        is_beyond
    }
}

impl SolverJoint {
    /// Returns its row at the nearer bound. It starts taut if it already pulled, if it is at or beyond its
    /// bound, or if it was there before the substep.
    pub(super) fn thread(&self, a: &SolverBody, b: &SolverBody, at_now: bool, h: f64) -> Option<Thread> {
        let JointKind::Distance { min, max, .. } = self.kind else { return None };
        let (gap, before) = self.gaps(a, b);
        let (distance, earlier) = (gap.norm(), before.norm());
        let (side, length) = match (min < max, min > 0.0 && 2.0 * distance < min + max) {
            (false, _) => (0.0, max),
            (true, true) => (-1.0, min),
            (true, false) => (1.0, max),
        };
        let c = distance - length;
        let reached = (side * c).max(side * (earlier - length));
        let is_taut = side == 0.0 || self.lambda.x != 0.0 || reached >= -NEAR * length;
        let before = if at_now { gap } else { before };
        let row = self.line(a, b, (&gap, &before), at_now, (c, h));
        Some(Thread { row, is_taut, side, length, c, lambda: self.lambda.x })
    }

    fn line(
        &self,
        a: &SolverBody,
        b: &SolverBody,
        gaps: (&Vec3, &Vec3),
        at_now: bool,
        (c, h): (f64, f64),
    ) -> Rows<1> {
        let (n, line) = self.directions(gaps.0, gaps.1, b);
        let levers = self.levers(a, b, at_now);
        let moves = |n: &Vec3, r: &Vec3| {
            let turn = r.cross(n);
            Wide::<1>::new(n.x, n.y, n.z, turn.x, turn.y, turn.z)
        };
        let feels = |n: &Vec3, r: &Vec3| -> Tall<1> { moves(n, r).transpose() };
        let moves = [moves(&n, &levers.a_now), moves(&-n, &levers.b_now)];
        let feels = [feels(&line, &levers.a_prev), feels(&-line, &levers.b_prev)];
        let w = |i: usize, body: &SolverBody| (moves[i] * body.moved_by(&feels[i])).x;
        let alpha_tilde = self.compliance / (h * h);
        Rows {
            rest: nalgebra::Vector1::new(c + alpha_tilde * self.lambda.x),
            alpha_tilde: nalgebra::Vector1::new(alpha_tilde),
            scale: nalgebra::Vector1::new(w(0, a) + w(1, b)),
            moves,
            feels,
            axes: Mat3::from_columns(&[line, Vec3::zeros(), Vec3::zeros()]),
        }
    }
}

impl SolverBody {
    /// Returns ξ for the positional impulse f with everything else at rest.
    pub(super) fn moved_by(&self, f: &Column) -> Column {
        let x = self.w.component_mul(&Vec3::new(f[0], f[1], f[2]));
        let turn = self.inverse_inertia * Vec3::new(f[3], f[4], f[5]);
        Column::new(x.x, x.y, x.z, turn.x, turn.y, turn.z)
    }
}
