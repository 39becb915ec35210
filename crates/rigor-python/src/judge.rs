//! Judges written in Python.

use pyo3::prelude::*;
use rigor_audit::{Finding, Frame, Judge, Moment, Series};
use rigor_scene::{BodyId, Scene};

use crate::array::matrix;
use crate::method::RaisedError;
use crate::report::{CONTACT, contact_row};
use crate::state::State;
use crate::word::word;

/// A judge written in Python: an object with `_observe(scene, state, contacts)`, `_findings(scene)` and `_series()`.
pub struct Written {
    name: &'static str,
    object: Py<PyAny>,
    scene: Py<PyAny>,
    raised: RaisedError,
    series: Vec<Series>,
}

/// A finding as Python gives it: figure, unit, value, body, (step, time), detail.
type Told = (String, String, f64, Option<usize>, Option<(u64, f64)>, String);

impl Written {
    /// Takes a judge and the scene that it gets.
    ///
    /// # Errors
    /// It has no name.
    pub fn new(object: &Bound<'_, PyAny>, scene: &Bound<'_, PyAny>, raised: RaisedError) -> PyResult<Self> {
        let name: String = object.getattr("name")?.extract()?;
        let (object, scene) = (object.clone().unbind(), scene.clone().unbind());
        Ok(Self { name: word(&name), object, scene, raised, series: Vec::new() })
    }

    fn see(&mut self, py: Python<'_>, frame: &Frame<'_>) -> PyResult<()> {
        let state = Bound::new(py, State::of(py, frame.state)?)?;
        let rows = |report: &rigor_scene::StepReport| {
            matrix(py, report.contacts.iter().flat_map(contact_row).collect(), CONTACT)
        };
        let contacts = frame.report.map(rows).transpose()?;
        let told = self.object.bind(py).call_method1("_observe", (self.scene.bind(py), state, contacts))?;
        let values: Vec<(String, String, f64)> = told.extract()?;
        for (name, unit, value) in values {
            let point = (frame.state.time, value);
            match self.series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push(point),
                None => self.series.push(Series { points: vec![point], ..Series::new(name, unit) }),
            }
        }
        Ok(())
    }

    fn find(&self, py: Python<'_>, scene: &Scene) -> PyResult<Vec<Finding>> {
        let told: Vec<Told> =
            self.object.bind(py).call_method1("_findings", (self.scene.bind(py),))?.extract()?;
        let finding = |(figure, unit, value, body, at, detail): Told| Finding {
            figure: word(&figure),
            body: body.filter(|index| *index < scene.bodies.len()).map(BodyId),
            value,
            unit: word(&unit),
            at: at.map(|(step, time)| Moment { step, time }),
            detail,
        };
        Ok(told.into_iter().map(finding).collect())
    }
}

impl Judge for Written {
    fn name(&self) -> &'static str {
        self.name
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if self.raised.is_some() {
            return;
        }
        if let Err(error) = Python::attach(|py| self.see(py, frame)) {
            self.raised.put(error);
        }
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        Python::attach(|py| self.find(py, scene)).unwrap_or_else(|error| {
            self.raised.put(error);
            Vec::new()
        })
    }

    fn series(&self) -> Vec<&Series> {
        self.series.iter().collect()
    }
}
