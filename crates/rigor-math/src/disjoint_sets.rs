//! Disjoint sets of indices, which are joined until nothing connects them any more.

/// Disjoint sets of 0, 1, …, n − 1 (union–find).
///
/// ```
/// use rigor_math::disjoint_sets::DisjointSets;
/// let mut sets = DisjointSets::new(4);
/// assert!(sets.join(3, 1));
/// assert!(!sets.join(1, 3));
/// assert_eq!([0, 1, 2, 3].map(|i| sets.first(i)), [0, 1, 2, 1]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisjointSets {
    /// For each member another one of its set, which is not larger: the smallest is its own.
    below: Vec<usize>,
}

impl DisjointSets {
    /// n sets of one member each.
    pub fn new(n: usize) -> Self {
        Self { below: (0..n).collect() }
    }

    /// Separates all members again, of which there are now n.
    pub fn reset(&mut self, n: usize) {
        self.below.clear();
        self.below.extend(0..n);
    }

    /// The smallest member of the set of `i`.
    pub fn first(&mut self, mut i: usize) -> usize {
        while self.below[i] != i {
            self.below[i] = self.below[self.below[i]];
            i = self.below[i];
        }
        i
    }

    /// Joins the sets of `a` and `b`; returns whether they were two.
    pub fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.first(a), self.first(b));
        self.below[a.max(b)] = a.min(b);
        a != b
    }
}
