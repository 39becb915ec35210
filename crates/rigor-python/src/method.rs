//! Methods by name, and methods written in Python.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_file::setting::from_json;
use rigor_run::clock::clock;
use rigor_run::registry;
use rigor_scene::{
    Feature, Flaw, FlawKind, Method, Scene, Settings, State as SceneState, StepError as SceneStepError,
    StepReport, Subject, Unsupported,
};
use serde_json::Value;

use crate::error::{self, StepError};
use crate::report::{CONTACT, contacts_of};
use crate::state::State;

/// Returns names and one-line descriptions of all methods.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, &'static str)> {
    registry::entries().iter().map(|entry| (entry.name, entry.summary)).collect()
}

/// An exception that a method or a judge raised; it is raised again where the run was asked for.
#[derive(Clone, Default)]
pub struct RaisedError(Arc<Mutex<Option<PyErr>>>);

impl RaisedError {
    /// Keeps the first exception.
    pub fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Whether there is one.
    pub fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Raises the exception, if there is one.
    pub fn check(&self) -> PyResult<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

/// A method, ready to run.
pub struct Chosen {
    /// The method.
    pub method: Box<dyn Method>,
    /// Its name in tables.
    pub name: String,
    /// All its settings.
    pub settings: Value,
    /// What a method written in Python says that it ignores.
    pub notices: Vec<String>,
    /// Its exception.
    pub raised: RaisedError,
}

/// Reads settings from JSON.
///
/// # Errors
/// `ValueError` for anything but an object.
pub fn settings(text: &str) -> PyResult<Settings> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(from_json(&object)),
        _ => Err(PyValueError::new_err("settings must be names with values")),
    }
}

/// Makes the method of a name, or takes the one written in Python. `scene` is the Python object that a method written in Python gets.
///
/// # Errors
/// The name is unknown, a setting is invalid, or the method does not support the scene.
pub fn choose(
    py: Python<'_>,
    method: &Bound<'_, PyAny>,
    scene_object: &Bound<'_, PyAny>,
    scene: &Scene,
    own: &Settings,
    dt: f64,
) -> PyResult<Chosen> {
    let chosen = if let Ok(name) = method.extract::<String>() {
        let entry = registry::find(&name).map_err(|why| error::method(&why))?;
        let chosen = entry.make(own, clock()).map_err(|why| error::method(&why))?;
        let (settings, notices) = (chosen.settings, Vec::new());
        Chosen { method: chosen.method, name, settings, notices, raised: RaisedError::default() }
    } else {
        let written = Written::new(method, scene_object)?;
        let notices = method.call_method1("notices", (scene_object, dt))?.extract()?;
        let settings: String = method.call_method0("_settings")?.extract()?;
        Chosen {
            name: written.name.clone(),
            settings: serde_json::from_str(&settings).unwrap_or(Value::Null),
            notices,
            raised: written.raised.clone(),
            method: Box::new(written),
        }
    };
    let (chosen, support) = py.detach(move || {
        let support = chosen.method.supports(scene);
        (chosen, support)
    });
    chosen.raised.check()?;
    support.map_err(|why| error::unsupported(&why))?;
    Ok(chosen)
}

/// A method written in Python.
struct Written {
    name: String,
    object: Py<PyAny>,
    scene: Py<PyAny>,
    raised: RaisedError,
}

impl Written {
    fn new(object: &Bound<'_, PyAny>, scene: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            name: object.getattr("name")?.extract()?,
            object: object.clone().unbind(),
            scene: scene.clone().unbind(),
            raised: RaisedError::default(),
        })
    }

    /// Calls `_step(scene, state, dt)`, which returns iterations, residual, smallest distance, contacts,
    /// flaws and released energy.
    fn call(&self, py: Python<'_>, scene: &Scene, state: &mut SceneState, dt: f64) -> PyResult<StepReport> {
        let given = Bound::new(py, State::of(py, state)?)?;
        let result = self.object.bind(py).call_method1("_step", (self.scene.bind(py), &given, dt))?;
        let (iterations, residual, min_distance, contacts, flaws, released): StepResult<'_> =
            result.extract()?;
        let shape = contacts.shape().to_vec();
        let n = shape.first().copied().unwrap_or(0);
        let rows = crate::array::numbers("contacts", &contacts, &[n, CONTACT])?;
        let end = state.time + dt;
        let mut next = given.borrow().read(py, scene)?;
        for (body, next) in scene.bodies.iter().zip(&mut next.bodies) {
            if let Some(prescribed) = body.prescribed(end) {
                *next = prescribed;
            }
        }
        (next.step, next.time) = (state.step, state.time);
        let report = StepReport {
            iterations,
            residual,
            min_distance,
            contacts: contacts_of(&rows, scene)?,
            released,
            flaws: flaws.into_iter().map(flaw).collect::<PyResult<_>>()?,
            ..StepReport::default()
        };
        *state = next;
        Ok(report)
    }
}

/// Iterations, residual, smallest distance, contacts, flaws and released energy.
type StepResult<'py> =
    (u64, Option<f64>, Option<f64>, Bound<'py, PyArrayDyn<f64>>, Vec<FlawWords>, Option<f64>);

/// Name, what, unit and amount of a flaw.
type FlawWords = (String, String, String, f64);

/// Returns the flaw of this name, what, unit and amount.
fn flaw((name, what, unit, amount): FlawWords) -> PyResult<Flaw> {
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        let why = format!("the name of a flaw is {name:?}: it must be one word of letters, digits and \"_\"");
        return Err(PyValueError::new_err(why));
    }
    if !amount.is_finite() {
        return Err(PyValueError::new_err(format!(
            "the amount of the flaw {name} is {amount}: it must be finite"
        )));
    }
    let known = FlawKind::named(&name);
    let own = || FlawKind::Other { name: name.into(), what: what.into(), unit: unit.into() };
    Ok(Flaw::new(known.unwrap_or_else(own), Subject::Scene, amount))
}

impl Method for Written {
    fn name(&self) -> &str {
        &self.name
    }

    fn supports(&self, _: &Scene) -> Result<(), Unsupported> {
        let lack = Python::attach(|py| {
            let lack = self.object.bind(py).call_method1("supports", (self.scene.bind(py),))?;
            lack.extract::<Option<String>>()
        });
        match lack {
            Ok(None) => Ok(()),
            Ok(Some(what)) => Err(Unsupported { method: self.name.clone(), what: Feature::Other { what } }),
            Err(error) => {
                self.raised.put(error);
                Ok(())
            }
        }
    }

    fn step(&mut self, scene: &Scene, state: &mut SceneState, dt: f64) -> Result<StepReport, SceneStepError> {
        Python::attach(|py| {
            self.call(py, scene, state, dt).map_err(|error| {
                let what = error.value(py).to_string();
                // A step that fails is a result; any other exception is a mistake in the method.
                if !error.is_instance_of::<StepError>(py) {
                    self.raised.put(error);
                }
                SceneStepError::Failed { what, bodies: Vec::new() }
            })
        })
    }
}
