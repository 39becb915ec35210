//! The time and the bodies of one minimization.

/// The span of one minimization: a step, or one of the substeps of some bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'a> {
    /// Length h (s).
    pub h: f64,
    /// Time (s) at the end.
    pub end: f64,
    /// Length (s) of the whole step.
    pub dt: f64,
    /// The bodies that take part, in ascending order; the others stay as they are. `None`: all.
    pub bodies: Option<&'a [usize]>,
    /// Number of impacts at which the step was split for it.
    pub impacts: u32,
}

impl Span<'_> {
    /// Returns (h/Δt)²: with this part of κ, the forces of the barrier, κ ∇b/h², are those of a whole step.
    pub fn share(&self) -> f64 {
        (self.h / self.dt) * (self.h / self.dt)
    }

    /// Returns whether a body takes part.
    pub fn has(&self, body: usize) -> bool {
        self.bodies.is_none_or(|bodies| bodies.binary_search(&body).is_ok())
    }
}
