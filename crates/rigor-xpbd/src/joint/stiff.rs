//! The rows of joints that hold something without compliance, for solving them together with others.

use rigor_math::Vec3;

use super::Joints;
use super::bound::Bound;
use super::velocity::Row;
use crate::body::SolverBody;
use crate::constraint::position::Levers;

/// The rows of a joint that holds something without compliance, at the present poses.
pub(crate) struct StiffRows {
    pub(super) index: usize,
    /// Its bodies; without b the world.
    pub a: usize,
    pub b: Option<usize>,
    /// From their centres of mass to A's origin (m, world).
    pub levers: [Vec3; 2],
    /// What it holds from both sides, then bounds that push.
    pub rows: Vec<Row>,
    pub n_held: usize,
    /// For each bound the sign of its multiplier and its impulse (N s or N m s) in this substep.
    pub bounds: Vec<(f64, f64)>,
    of_bounds: Vec<Bound>,
}

impl Joints {
    /// Returns the rows of all joints with a body in `group` that hold something without compliance, in a substep of `h` (s).
    pub fn stiff_rows(&self, bodies: &[SolverBody], group: impl Fn(usize) -> bool, h: f64) -> Vec<StiffRows> {
        let stiff = self.list.iter().enumerate().filter(|(_, joint)| joint.is_stiff() && joint.is_in(&group));
        stiff.map(|(index, _)| self.rows_of(index, bodies, h)).collect()
    }

    /// Returns the rows of joint `index`.
    pub(super) fn rows_of(&self, index: usize, bodies: &[SolverBody], h: f64) -> StiffRows {
        let joint = &self.list[index];
        let (a, b) = (&bodies[joint.a], joint.b.map_or(&self.world, |b| &bodies[b]));
        let levers = Levers::now(a, b, &a.point(&joint.frame_a.position));
        let (held, n_held) = joint.held_rows(a, b, true);
        let of_bounds: Vec<Bound> = joint.bounds(a, b).collect();
        let rows = held[..n_held].iter().copied().chain(of_bounds.iter().map(|bound| bound.row));
        StiffRows {
            index,
            a: joint.a,
            b: joint.b,
            levers: [levers.a_now, levers.b_now],
            rows: rows.collect(),
            n_held,
            bounds: of_bounds.iter().map(|bound| (bound.side, joint.pushed(bound, h))).collect(),
            of_bounds,
        }
    }

    /// Adds impulses along what a joint holds from both sides to those that it reports.
    pub fn add_held(&mut self, of_joint: &StiffRows, impulses: impl Iterator<Item = f64>, h: f64) {
        let joint = &mut self.list[of_joint.index];
        for (row, impulse) in of_joint.rows[..of_joint.n_held].iter().zip(impulses) {
            joint.impulse += row.p * (impulse * h);
            joint.angular_impulse += row.torque * (impulse * h);
        }
    }

    /// Adds an impulse to that of a bound.
    pub fn add_bound(&mut self, of_joint: &StiffRows, bound: usize, impulse: f64, h: f64) {
        let (joint, bound) = (&mut self.list[of_joint.index], &of_joint.of_bounds[bound]);
        joint.push_more(bound, impulse, h);
        joint.impulse += bound.row.p * (impulse * h);
        joint.angular_impulse += bound.row.torque * (impulse * h);
    }
}
