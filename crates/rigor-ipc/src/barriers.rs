//! The barriers of pairs of bodies.

use crate::barrier::Barrier;
use crate::contact::sorted;

/// The barrier of each pair of bodies.
#[derive(Debug)]
pub(crate) struct Barriers {
    common: Barrier,
    /// Those of the pairs that have a width, in ascending order.
    own: Vec<([usize; 2], Barrier)>,
}

impl Barriers {
    /// Creates the barriers of pairs with these `widths` (m), in ascending order, and of all others, given d̂ and d_min (m).
    pub fn new(d_hat: f64, d_min: f64, widths: &[([usize; 2], f64)]) -> Self {
        let common = Barrier::new(d_hat, d_min);
        let own = |(bodies, width): &([usize; 2], f64)| (*bodies, common.narrowed(d_hat, *width, d_min));
        Self { common, own: widths.iter().map(own).collect() }
    }

    /// Returns the barrier between two bodies.
    #[inline]
    pub fn between(&self, bodies: [usize; 2]) -> &Barrier {
        if self.own.is_empty() {
            return &self.common;
        }
        let at = self.own.binary_search_by_key(&sorted(bodies), |(bodies, _)| *bodies);
        at.map_or(&self.common, |at| &self.own[at].1)
    }

    /// Distance (m) from which all barriers are 0.
    pub fn reach(&self) -> f64 {
        self.common.reach_sq().sqrt()
    }
}
