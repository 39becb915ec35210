//! Where the time of a step goes.

use rigor_scene::{Clock, PhaseTime, Stopwatch};

/// A part of a step, in which it is again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Which primitives are near each other, and how far apart.
    Contacts,
    /// Normal forces and directions of friction.
    Friction,
    /// ∇f and the parts of ∇²f.
    Derivatives,
    /// ∇²f put together, factorized and solved with.
    LinearSolve,
    /// How far a step is free of contact.
    CollisionDetection,
    /// f along the step.
    LineSearch,
    /// Set-up and the report.
    Rest,
}

use Phase::{CollisionDetection, Contacts, Derivatives, Friction, LineSearch, LinearSolve, Rest};

/// All phases, by their numbers, with their names.
const NAMES: [(Phase, &str); 7] = [
    (Contacts, "contacts"),
    (Friction, "friction"),
    (Derivatives, "derivatives"),
    (LinearSolve, "linear solve"),
    (CollisionDetection, "collision detection"),
    (LineSearch, "line search"),
    (Rest, "rest"),
];

/// Seconds of each phase so far.
#[derive(Debug)]
pub(crate) struct Phases {
    watch: Stopwatch,
    seconds: [f64; NAMES.len()],
}

impl Phases {
    pub fn start(clock: Clock) -> Self {
        Self { watch: Stopwatch::start(clock), seconds: [0.0; NAMES.len()] }
    }

    /// What passed since the last call belongs to `phase`.
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
