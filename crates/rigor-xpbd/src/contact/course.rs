//! The substeps of a step, whose number may rise within it.

/// Where a step is: its rest, or all of it, consists of equal substeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    /// Time (s) at which these substeps begin.
    since: f64,
    /// What they take together (s).
    span: f64,
    /// Their number, and how many are over.
    n: u32,
    over: u32,
    /// The substeps before them.
    before: u32,
}

impl Course {
    /// A step of `span` (s) from time `since` (s), of `n` substeps.
    pub fn new(since: f64, span: f64, n: u32) -> Self {
        Self { since, span, n, over: 0, before: 0 }
    }

    /// Length of a substep (s).
    pub fn h(&self) -> f64 {
        self.span / f64::from(self.n)
    }

    /// Number of substeps that would take the time of the present ones.
    pub fn substeps(&self) -> u32 {
        self.n
    }

    /// Number of substeps of the step.
    pub fn total(&self) -> u32 {
        self.before + self.n
    }

    /// Number of substeps that are not over.
    pub fn left(&self) -> u32 {
        self.n - self.over
    }

    /// Time (s) at the end of the next substep.
    pub fn next(&self) -> f64 {
        self.since + self.span * (f64::from(self.over + 1) / f64::from(self.n))
    }

    /// What is left of the step (s).
    pub fn rest(&self) -> f64 {
        self.span - self.h() * f64::from(self.over)
    }

    /// Ends a substep.
    pub fn advance(&mut self) {
        self.over += 1;
    }

    /// Number of substeps that are over.
    pub fn over(&self) -> u32 {
        self.before + self.over
    }

    /// Lets the rest consist of `n` substeps.
    pub fn divide(&mut self, n: u32) {
        let since = self.since + self.span * (f64::from(self.over) / f64::from(self.n));
        *self = Self { since, span: self.rest(), n, over: 0, before: self.over() };
    }
}
