//! One step at a time.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use rigor_file::Loaded;
use rigor_scene::{
    Flaw, Method, Observer, Outcome, Scene as SceneData, State as SceneState, StepReport, roll_out,
};
use serde_json::json;

use crate::array::{Matrix, matrix};
use crate::error;
use crate::method::{RaisedError, choose, settings};
use crate::recorder::Signals;
use crate::report::{CONTACT, STEP, contact_row, step_row};
use crate::run::{check_time, with_settings};
use crate::scene::Scene;
use crate::state::{self, State};

/// A scene and a method, advanced step by step. Its state can be read, kept and set back at any time.
#[pyclass(subclass, module = "rigor._rigor")]
pub struct Simulation {
    loaded: Arc<Loaded>,
    /// A method cannot be shared between threads; the lock is never contended, since each call has the simulation to itself.
    method: Mutex<Box<dyn Method>>,
    raised: RaisedError,
    state: SceneState,
    report: StepReport,
    dt: f64,
}

/// Keeps the last report.
struct LastReport<'a> {
    report: &'a mut StepReport,
    signals: Signals,
}

impl Observer for LastReport<'_> {
    fn step(&mut self, _: &SceneData, _: &SceneState, report: &StepReport) -> ControlFlow<()> {
        self.report.clone_from(report);
        if self.signals.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[pymethods]
impl Simulation {
    #[new]
    fn new(
        py: Python<'_>,
        scene: &Bound<'_, Scene>,
        method: &Bound<'_, PyAny>,
        settings: &str,
        dt: f64,
    ) -> PyResult<Self> {
        check_time(dt, dt)?;
        let own = self::settings(settings)?;
        let name: String = method.extract().or_else(|_| method.getattr("name")?.extract())?;
        let loaded = with_settings(&scene.borrow().loaded, &name, &own);
        let own = loaded.scene.methods.get(&name).cloned().unwrap_or_default();
        let chosen = choose(py, method, scene.as_any(), &loaded.scene, &own, dt)?;
        let state = SceneState::initial(&loaded.scene);
        let report = StepReport::default();
        Ok(Self { loaded, method: Mutex::new(chosen.method), raised: chosen.raised, state, report, dt })
    }

    /// Takes `n` steps.
    #[pyo3(signature = (n = 1))]
    fn step(&mut self, py: Python<'_>, n: u64) -> PyResult<()> {
        let Self { loaded, method, raised, state, report, dt } = self;
        let method = method.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (outcome, mut signals) = py.detach(|| {
            let mut last = LastReport { report, signals: Signals::new() };
            let end = state.step.saturating_add(n);
            let outcome = roll_out(&loaded.scene, method.as_mut(), state, *dt, end, &mut last);
            (outcome, last.signals)
        });
        signals.check()?;
        raised.check()?;
        match outcome {
            Outcome::Stopped { error, .. } => Err(error::step(error)),
            Outcome::Completed | Outcome::Interrupted { .. } => Ok(()),
        }
    }

    /// A copy of the state, with all that the method remembers.
    #[getter]
    fn state(&mut self, py: Python<'_>) -> PyResult<State> {
        let method = self.method.get_mut().unwrap_or_else(PoisonError::into_inner);
        method.save(&mut self.state).map_err(error::step)?;
        State::of(py, &self.state)
    }

    /// Sets the state.
    #[setter]
    fn set_state(&mut self, py: Python<'_>, state: &State) -> PyResult<()> {
        let state = state.read(py, &self.loaded.scene)?;
        if !state.is_finite() {
            return Err(pyo3::exceptions::PyValueError::new_err("the state has a number that is not finite"));
        }
        self.state = state;
        Ok(())
    }

    /// Time (s).
    #[getter]
    fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps taken since time 0.
    #[getter]
    fn steps(&self) -> u64 {
        self.state.step
    }

    /// Δt (s).
    #[getter]
    fn dt(&self) -> f64 {
        self.dt
    }

    /// Hash of the bits of the state.
    #[getter]
    fn state_hash(&self) -> String {
        state::hash(&self.state)
    }

    /// Rows of the contacts of the last step.
    fn contact_rows<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.report.contacts.iter().flat_map(contact_row).collect(), CONTACT)
    }

    /// Flaws of the last step, as JSON.
    fn flaws_json(&self) -> String {
        let flaw = |flaw: &Flaw| {
            json!({
                "name": flaw.kind.name(),
                "what": flaw.kind.what(),
                "amount": flaw.amount,
                "unit": flaw.kind.unit(),
                "subject": flaw.subject.name(&self.loaded.scene).unwrap_or_default(),
            })
        };
        serde_json::Value::from(self.report.flaws.iter().map(flaw).collect::<Vec<_>>()).to_string()
    }

    /// Iterations, residual, smallest distance and queries of the last step.
    fn report_row(&self) -> [f64; STEP] {
        step_row(&self.report)
    }
}
