//! Time measurement provided to methods, which do not read the clock themselves.

/// A source of elapsed seconds. The default always returns 0, so that results cannot depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Clock(pub fn() -> f64);

impl Default for Clock {
    fn default() -> Self {
        Self(|| 0.0)
    }
}

/// Measures consecutive phases of a step.
#[derive(Debug)]
pub struct Stopwatch {
    clock: Clock,
    last: f64,
}

impl Stopwatch {
    /// Starts measuring.
    pub fn start(clock: Clock) -> Self {
        Self { clock, last: (clock.0)() }
    }

    /// Returns the seconds since the last lap, or since the start.
    pub fn lap(&mut self) -> f64 {
        let now = (self.clock.0)();
        let elapsed = now - self.last;
        self.last = now;
        elapsed
    }
}
