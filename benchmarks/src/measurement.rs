//! Accuracy and cost of a run.

use std::ops::ControlFlow;

use rayon::ThreadPoolBuilder;
use rigor_audit::Panel;
use rigor_audit::{constraint::Constraint, motion::Motion, penetration::Penetration};
use rigor_file::setting::{from_json, to_json};
use rigor_run::{clock, registry};
use rigor_scene::{Observer, Outcome, PhaseTime, Scene, Settings, State, StepReport, roll_out};
use serde_json::Value;

use crate::cpu;
use crate::error::RunError;

/// A method with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// The method's name.
    pub method: &'static str,
    /// Its Δt relative to that of the scene.
    pub stretch: f64,
    /// Settings that differ from its defaults.
    pub settings: Settings,
}

impl Variant {
    /// Creates the pair of `method` and `settings` (an object), with steps of `stretch` times the scene's Δt.
    ///
    /// # Panics
    /// If `settings` is not an object.
    pub fn new(method: &'static str, stretch: f64, settings: &Value) -> Self {
        let settings = from_json(settings.as_object().expect("settings are a table"));
        Self { method, stretch, settings }
    }

    /// Formats a label such as "rapier, 0.25 Δt, solver_iterations 8".
    pub fn label(&self) -> String {
        let mut words = vec![self.method.to_owned()];
        if self.stretch != 1.0 {
            words.push(format!("{} Δt", self.stretch));
        }
        words.extend(to_json(&self.settings).iter().map(|(key, value)| format!("{key} {value}")));
        words.join(", ")
    }
}

/// Cost and errors of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// CPU time (s) per step of the scene, over all threads, in the method alone.
    pub cpu: f64,
    /// Wall time (s) per step of the scene, in the method alone.
    pub wall: f64,
    /// Deepest penetration (m) in the frames at the scene's steps, as measured by the judge.
    pub deepest: f64,
    /// Largest distance by which a rigid joint came apart (m).
    pub joint: f64,
    /// Largest displacement of a body (m).
    pub moved: f64,
    /// Contacts at the end.
    pub contacts: usize,
    /// Wall time (s) of each phase that the method reports, per step of the scene.
    pub phases: Vec<PhaseTime>,
    /// The reason why the run stopped early, if it did.
    pub failed: Option<String>,
}

struct Watch {
    panel: Panel,
    from: u64,
    started: (f64, f64),
    spent: (f64, f64),
    contacts: usize,
    phases: Vec<PhaseTime>,
}

impl Watch {
    fn add(&mut self, phases: &[PhaseTime]) {
        if self.phases.is_empty() {
            self.phases = phases.to_vec();
        } else {
            self.phases.iter_mut().zip(phases).for_each(|(sum, phase)| sum.seconds += phase.seconds);
        }
    }
}

fn now() -> (f64, f64) {
    (cpu::seconds(), (clock::clock().0)())
}

impl Observer for Watch {
    fn start(&mut self, scene: &Scene, state: &State) -> ControlFlow<()> {
        let _ = self.panel.start(scene, state);
        self.started = now();
        ControlFlow::Continue(())
    }

    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        let (cpu, wall) = now();
        if state.step > self.from {
            self.spent.0 += cpu - self.started.0;
            self.spent.1 += wall - self.started.1;
            self.add(&report.phases);
        }
        self.contacts = report.contacts.len();
        let _ = self.panel.step(scene, state, report);
        self.started = now();
        ControlFlow::Continue(())
    }
}

/// Simulates `steps` steps of the scene's Δt with `threads` threads. The first `untimed` steps are not timed;
/// the judges receive every `every`-th step of the scene.
///
/// # Errors
/// Invalid settings, or a scene that the method cannot simulate.
pub fn work(
    scene: &Scene,
    variant: &Variant,
    threads: usize,
    (steps, untimed): (u64, u64),
    every: u64,
) -> Result<Measurement, RunError> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| roll(scene, variant, (steps, untimed), every))
}

fn roll(
    scene: &Scene,
    variant: &Variant,
    (steps, untimed): (u64, u64),
    every: u64,
) -> Result<Measurement, RunError> {
    let mut method = registry::find(variant.method)?.make(&variant.settings, clock::clock())?.method;
    method.supports(scene)?;
    // Converts a number of the scene's steps to the method's steps.
    let steps_for = |n: u64| ((n as f64 / variant.stretch).round() as u64).max(1);
    let seen = steps_for(every);
    let panel = Panel::new()
        .with(Penetration::default(), seen)
        .with(Constraint::default(), seen)
        .with(Motion::default(), seen);
    let from = if untimed == 0 { 0 } else { steps_for(untimed) };
    let mut watch =
        Watch { panel, from, started: (0.0, 0.0), spent: (0.0, 0.0), contacts: 0, phases: Vec::new() };
    let mut state = State::initial(scene);
    let dt = scene.time.dt * variant.stretch;
    let outcome = roll_out(scene, method.as_mut(), &mut state, dt, steps_for(steps), &mut watch);
    let timed = (state.step.saturating_sub(from).max(1)) as f64 * variant.stretch;
    let mean = |p: &PhaseTime| PhaseTime { seconds: p.seconds / timed, ..*p };
    let findings = watch.panel.findings(scene);
    let value = |figure: &str| {
        findings.iter().find(|f| f.figure == figure && f.body.is_none()).map_or(0.0, |f| f.value)
    };
    Ok(Measurement {
        cpu: watch.spent.0 / timed,
        wall: watch.spent.1 / timed,
        deepest: value("penetration.deepest"),
        joint: value("constraint.joint_position"),
        moved: value("motion.displacement_max"),
        contacts: watch.contacts,
        phases: watch.phases.iter().map(mean).collect(),
        failed: match outcome {
            Outcome::Stopped { error, .. } => Some(error.to_string()),
            _ => None,
        },
    })
}
