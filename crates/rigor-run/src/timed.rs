//! The timing of the steps of a method.

use std::time::Instant;

use rigor_scene::{Method, Notice, Quantity, Scene, State, StepError, StepReport, Unsupported};

use crate::account::median;
use crate::cpu;

/// A method that measures the time of its steps.
pub struct Timed {
    method: Box<dyn Method>,
    /// Wall time of all steps so far (s), without that in which an engine was started and its world made.
    pub seconds: f64,
    /// CPU time of all steps so far (s); that of the engine alone for an engine in a process of its own.
    pub cpu_seconds: f64,
    /// Number of steps so far.
    pub steps: u64,
    /// CPU time (s) of all steps but the first outside of an engine in a process of its own: of that process and of ours.
    transport: Option<f64>,
    /// Wall time of each step (s).
    laps: Vec<f64>,
}

impl Timed {
    /// Times `method`.
    pub fn new(method: Box<dyn Method>) -> Self {
        Self { method, seconds: 0.0, cpu_seconds: 0.0, steps: 0, transport: None, laps: Vec::new() }
    }

    /// Median wall time per step (s); `None` before the first step.
    pub fn median(&self) -> Option<f64> {
        median(&self.laps)
    }

    /// Mean CPU time (s) per step of the transport to and from an engine in a process of its own. The first step, which
    /// also starts and loads the engine, is left out; other work of this process at the same time counts.
    pub fn transport_per_step(&self) -> Option<f64> {
        self.transport.map(|seconds| seconds / (self.steps - 1) as f64)
    }

    /// CPU time (s) of the transport to and from an engine in a process of its own, and the number of steps that it covers; see
    /// [`Timed::transport_per_step`].
    pub fn transport(&self) -> Option<(f64, u64)> {
        self.transport.map(|seconds| (seconds, self.steps - 1))
    }

    /// Wall time of each step (s).
    pub fn laps(&self) -> &[f64] {
        &self.laps
    }

    /// Mean wall time per step (s); `None` before the first step.
    pub fn seconds_per_step(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.seconds / self.steps as f64)
    }
}

impl Method for Timed {
    fn name(&self) -> &str {
        self.method.name()
    }

    fn supports(&self, scene: &Scene) -> Result<(), Unsupported> {
        self.method.supports(scene)
    }

    fn notices(&self, scene: &Scene, dt: f64) -> Vec<Notice> {
        self.method.notices(scene, dt)
    }

    fn derived(&mut self, scene: &Scene, dt: f64) -> Vec<Quantity> {
        self.method.derived(scene, dt)
    }

    fn step(&mut self, scene: &Scene, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let (start, cpu, of_process) = (Instant::now(), cpu::here(), cpu::seconds());
        let mut report = self.method.step(scene, state, dt);
        let loading = report.as_ref().map_or(0.0, cpu::loading);
        let seconds = (start.elapsed().as_secs_f64() - loading).max(0.0);
        self.seconds += seconds;
        let there = report.as_ref().ok().and_then(cpu::elsewhere);
        self.cpu_seconds += there.unwrap_or_else(|| cpu::here() - cpu);
        self.laps.push(seconds);
        self.steps += 1;
        if let Ok(report) = &mut report {
            let transport = cpu::add_transport(report, cpu::seconds() - of_process);
            if let Some(seconds) = transport.filter(|_| self.steps > 1) {
                *self.transport.get_or_insert(0.0) += seconds;
            }
        }
        report
    }

    fn save(&mut self, state: &mut State) -> Result<(), StepError> {
        self.method.save(state)
    }
}

#[cfg(test)]
mod tests {
    use rigor_peers::process::peer::{ENGINE, TRANSPORT};
    use rigor_scene::PhaseTime;

    use super::*;

    /// An engine that says it took 3 s, and 2 s besides, after it was loaded for longer than the test takes.
    struct Slow;

    impl Method for Slow {
        fn name(&self) -> &str {
            "slow"
        }

        fn supports(&self, _: &Scene) -> Result<(), Unsupported> {
            Ok(())
        }

        fn step(&mut self, _: &Scene, _: &mut State, _: f64) -> Result<StepReport, StepError> {
            let phases = [("load", 1e3), (ENGINE, 3.0)].map(|(phase, seconds)| PhaseTime { phase, seconds });
            let quantities = vec![Quantity { name: TRANSPORT, unit: "s", value: 2.0 }];
            Ok(StepReport { phases: phases.to_vec(), quantities, ..StepReport::default() })
        }
    }

    #[test]
    fn an_engine_elsewhere_is_charged_what_it_reports() {
        let mut timed = Timed::new(Box::new(Slow));
        let (scene, mut state) = (Scene::default(), State::default());
        for _ in 0..2 {
            timed.step(&scene, &mut state, 0.1).expect("it never fails");
        }
        assert_eq!(timed.cpu_seconds.to_bits(), 6f64.to_bits());
        assert!(timed.seconds <= 0.0, "loading is no part of {} s", timed.seconds);
        let transport = timed.transport_per_step().expect("the engine tells");
        assert!((2.0..3.0).contains(&transport), "{transport}");
    }
}
