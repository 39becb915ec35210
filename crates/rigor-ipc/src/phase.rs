//! Timing of the phases of a step.

use rigor_scene::{Clock, PhaseTime, Stopwatch};

/// A phase of a step, usually entered many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Finding nearby primitives and their distances.
    Contacts,
    /// Computing normal forces and directions of friction.
    Friction,
    /// Computing ∇f and the parts of ∇²f.
    Derivatives,
    /// Assembling and factorizing ∇²f, and solving with it.
    LinearSolve,
    /// Computation of the part of a step that is free of contact.
    CollisionDetection,
    /// Evaluating f along the step.
    LineSearch,
    /// Set-up and the report.
    Rest,
}

use Phase::{CollisionDetection, Contacts, Derivatives, Friction, LineSearch, LinearSolve, Rest};

/// All phases with their names, in the order of their numbers.
const NAMES: [(Phase, &str); 7] = [
    (Contacts, "contacts"),
    (Friction, "friction"),
    (Derivatives, "derivatives"),
    (LinearSolve, "linear solve"),
    (CollisionDetection, "collision detection"),
    (LineSearch, "line search"),
    (Rest, "rest"),
];

/// Seconds spent in each phase so far.
#[derive(Debug)]
pub(crate) struct Phases {
    clock: Clock,
    watch: Stopwatch,
    seconds: [f64; NAMES.len()],
}

impl Phases {
    pub fn start(clock: Clock) -> Self {
        Self { clock, watch: Stopwatch::start(clock), seconds: [0.0; NAMES.len()] }
    }

    /// Adds the time since the last call to `phase`.
    pub fn lap(&mut self, phase: Phase) {
        self.seconds[phase as usize] += self.watch.lap();
    }

    /// Returns a new watch, for a thread of its own.
    pub fn watch(&self) -> Stopwatch {
        Stopwatch::start(self.clock)
    }

    /// Divides the time since the last call among phases, in proportion to these seconds, which threads have measured.
    pub fn divide(&mut self, shares: [(Phase, f64); 2]) {
        let (lap, sum) = (self.watch.lap(), shares.iter().map(|(_, seconds)| seconds).sum::<f64>());
        for (phase, seconds) in shares {
            self.seconds[phase as usize] += if sum > 0.0 { lap * seconds / sum } else { 0.0 };
        }
    }

    pub fn times(&self) -> Vec<PhaseTime> {
        let times = NAMES.iter().zip(&self.seconds);
        times.map(|((_, phase), seconds)| PhaseTime { phase, seconds: *seconds }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_divided_as_threads_have_measured() {
        use std::cell::Cell;
        thread_local!(static NOW: Cell<f64> = const { Cell::new(0.0) });
        let mut phases = Phases::start(Clock(|| NOW.get()));
        NOW.set(4.0);
        phases.divide([(Derivatives, 6.0), (LinearSolve, 2.0)]);
        NOW.set(5.0);
        phases.divide([(Derivatives, 0.0), (LinearSolve, 0.0)]);
        assert_eq!((phases.seconds[Derivatives as usize], phases.seconds[LinearSolve as usize]), (3.0, 1.0));
    }

    #[test]
    fn every_phase_has_its_own_name() {
        assert!(NAMES.iter().enumerate().all(|(number, (phase, _))| *phase as usize == number));
    }
}
