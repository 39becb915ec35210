//! A bound on the work of a search, which does not depend on the machine.

/// The work that may still be done, in comparisons of two primitives: some 0.1 µs each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort(u64);

impl Effort {
    /// No bound.
    pub(crate) const UNLIMITED: Self = Self(u64::MAX);

    pub(crate) fn new(comparisons: u64) -> Self {
        Self(comparisons)
    }

    /// Counts work that was done, or is done next.
    pub(crate) fn spend(&mut self, comparisons: usize) {
        self.0 = self.0.saturating_sub(comparisons as u64);
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(self) -> bool {
        self.0 == 0
    }

    /// What is left.
    pub(crate) fn left(self) -> u64 {
        self.0
    }
}
