//! Constraints that can be solved at the same time, with the result of one after another.

use std::ops::Range;

/// Constraints in batches: those of one batch share no body that moves.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Batches {
    /// Constraints, batch by batch, in the given order within each.
    pub order: Vec<usize>,
    /// Places of each batch in `order`.
    pub ranges: Vec<Range<u32>>,
}

impl Batches {
    /// Puts each of `constraints` into the batch behind the last one that has an earlier constraint on one of its bodies. The
    /// i-th constraint moves the bodies `moved(i)` out of `n_bodies`.
    ///
    /// A body thus meets its constraints in the given order, so that the result is that of a sweep over one after another.
    pub fn new<I: Iterator<Item = usize> + Clone>(
        constraints: impl Iterator<Item = usize>,
        n_bodies: usize,
        moved: impl Fn(usize) -> I,
    ) -> Self {
        // For each body, the first batch without it.
        let mut free = vec![0; n_bodies];
        let mut batches: Vec<(usize, usize)> = Vec::new();
        for constraint in constraints {
            let bodies = moved(constraint);
            let batch = bodies.clone().map(|body| free[body]).max().unwrap_or(0);
            bodies.for_each(|body| free[body] = batch + 1);
            batches.push((batch, constraint));
        }
        batches.sort_by_key(|(batch, _)| *batch);
        let mut ranges = Vec::new();
        let mut start = 0;
        for same in batches.chunk_by(|(a, _), (b, _)| a == b) {
            let end = start + same.len() as u32;
            ranges.push(start..end);
            start = end;
        }
        Self { order: batches.into_iter().map(|(_, constraint)| constraint).collect(), ranges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_meet_their_constraints_in_order_and_once_per_batch() {
        // A chain, a constraint apart from it, and one that closes a loop.
        let ends = [[0, 1], [1, 2], [2, 3], [4, 5], [3, 0], [5, 5]];
        let batches = Batches::new(0..ends.len(), 6, |i| ends[i].into_iter());
        assert_eq!(batches.order, [0, 3, 1, 5, 2, 4]);
        assert_eq!(batches.ranges, [0..2, 2..4, 4..5, 5..6]);
        assert_eq!(Batches::new(0..0, 3, |i| ends[i].into_iter()), Batches::default());
    }
}
