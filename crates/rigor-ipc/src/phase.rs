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
    watch: Stopwatch,
    seconds: [f64; NAMES.len()],
}

impl Phases {
    pub fn start(clock: Clock) -> Self {
        Self { watch: Stopwatch::start(clock), seconds: [0.0; NAMES.len()] }
    }

    /// Adds the time since the last call to `phase`.
    pub fn lap(&mut self, phase: Phase) {
        self.seconds[phase as usize] += self.watch.lap();
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
    fn every_phase_has_its_own_name() {
        assert!(NAMES.iter().enumerate().all(|(number, (phase, _))| *phase as usize == number));
    }
}
