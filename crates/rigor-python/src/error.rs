//! Errors as exceptions, with the text of the program.

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use rigor_run::disk::DiskError;
use rigor_run::error::RunError as FileError;
use rigor_run::execute::ExecuteError;
use rigor_run::kept::KeptError;
use rigor_run::registry::RegistryError;
use rigor_scene::Unsupported;

create_exception!(rigor, RigorError, PyException, "An error of Rigor; the base of the others.");
create_exception!(
    rigor,
    SceneError,
    RigorError,
    "A scene cannot be loaded: its text says file, line, key and remedy."
);
create_exception!(rigor, MethodError, RigorError, "There is no such method, or a setting is not allowed.");
create_exception!(rigor, UnsupportedError, RigorError, "The method cannot simulate the scene.");
create_exception!(rigor, StepError, RigorError, "A step could not be completed.");
create_exception!(rigor, RunError, RigorError, "The files of a run cannot be read or written.");
create_exception!(
    rigor,
    StudyError,
    RigorError,
    "A study or a figure of a paper is not as it must be, or one of its runs could not be made."
);

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("RigorError", py.get_type::<RigorError>())?;
    module.add("SceneError", py.get_type::<SceneError>())?;
    module.add("MethodError", py.get_type::<MethodError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())?;
    module.add("StepError", py.get_type::<StepError>())?;
    module.add("RunError", py.get_type::<RunError>())?;
    module.add("StudyError", py.get_type::<StudyError>())
}

/// A scene that cannot be used.
pub fn scene(error: impl Display) -> PyErr {
    SceneError::new_err(error.to_string())
}

/// A scene that cannot be loaded by its name.
pub fn disk(error: &DiskError) -> PyErr {
    match error {
        DiskError::Nothing { meant: Some(meant), .. } => scene(format!("{error} (did you mean {meant:?}?)")),
        other => scene(other),
    }
}

/// A method that cannot be made.
pub fn method(error: &RegistryError) -> PyErr {
    MethodError::new_err(error.to_string())
}

/// A scene that a method does not support.
pub fn unsupported(error: &Unsupported) -> PyErr {
    UnsupportedError::new_err(error.to_string())
}

/// A step that failed.
pub fn step(error: impl Display) -> PyErr {
    StepError::new_err(error.to_string())
}

/// A file of a run.
pub fn file(error: &FileError) -> PyErr {
    RunError::new_err(error.to_string())
}

/// A run that cannot be read.
pub fn kept(error: &KeptError) -> PyErr {
    match error {
        KeptError::Scene { source } => disk(source),
        other => RunError::new_err(other.to_string()),
    }
}

/// A run that cannot be executed.
pub fn execute(error: &ExecuteError) -> PyErr {
    match error {
        ExecuteError::Registry { source } => method(source),
        ExecuteError::Unsupported { source } => unsupported(source),
        ExecuteError::Save { source } => step(source),
        ExecuteError::Export { source } => scene(source),
        other => RunError::new_err(other.to_string()),
    }
}

/// A study that cannot be carried out.
pub fn study(error: impl Display) -> PyErr {
    StudyError::new_err(error.to_string())
}
