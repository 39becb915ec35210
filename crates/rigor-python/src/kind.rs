//! Kinds of pairs of primitives by name.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_ccd::Kind;

/// Returns the kind of this name.
///
/// # Errors
/// `ValueError` that lists the kinds.
pub fn kind_of(name: &str) -> PyResult<Kind> {
    let known = || Kind::ALL.map(Kind::name).join(", ");
    let wrong = || PyValueError::new_err(format!("there is no kind {name:?}; the kinds are {}", known()));
    Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(wrong)
}
