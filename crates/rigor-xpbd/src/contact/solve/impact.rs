//! Which contacts are impacts, and the velocity solve of one pair.

use super::block::Block;
use crate::body::SolverBody;
use crate::contact::Contact;
use crate::contact::pair::Pair;

/// Criteria for an impact: the resting speed 2‖g‖h (m/s), and h (s).
#[derive(Debug, Clone, Copy)]
pub(super) struct ImpactRule {
    pub resting_speed: f64,
    pub h: f64,
}

impl ImpactRule {
    /// Returns whether the contact is an impact. Resting contacts are excluded, so that corrections of
    /// overlaps do not enter the velocities.
    pub fn is_impact(self, contact: &Contact) -> bool {
        contact.lambda_n > 0.0 && !contact.is_resting(self.resting_speed)
    }

    pub fn has_impact(self, pair: &Pair) -> bool {
        pair.contacts.iter().any(|c| self.is_impact(c))
    }

    /// Solves a pair once, for its contacts that approach; returns what [`Self::solve`] does.
    pub fn collide(
        self,
        block: &mut Block,
        pair: &mut Pair,
        bodies: (&mut SolverBody, &mut SolverBody),
    ) -> [f64; 3] {
        let approaches = |c: &Contact| c.lambda_n > 0.0 && c.approach_velocity < 0.0;
        self.solve_those(block, pair, bodies, approaches)
    }

    /// Solves a pair once, for its impacts and, `with_resting`, for all contacts that push. Returns the work
    /// (J), the maximum change and the maximum impulse (N s).
    pub fn solve(
        self,
        block: &mut Block,
        pair: &mut Pair,
        bodies: (&mut SolverBody, &mut SolverBody),
        with_resting: bool,
    ) -> [f64; 3] {
        let taken_in = |c: &Contact| self.is_impact(c) || (with_resting && c.lambda_n > 0.0);
        self.solve_those(block, pair, bodies, taken_in)
    }

    fn solve_those(
        self,
        block: &mut Block,
        pair: &mut Pair,
        bodies: (&mut SolverBody, &mut SolverBody),
        taken_in: impl Fn(&Contact) -> bool,
    ) -> [f64; 3] {
        let done = block.solve_velocities(pair, bodies, taken_in, (self.resting_speed, self.h));
        [done.work, done.change, done.largest]
    }
}
