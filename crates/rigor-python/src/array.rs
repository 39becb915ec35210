//! Conversion between lists of numbers and NumPy arrays.

use numpy::prelude::*;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_math::Vec3;

/// An array of two dimensions in Python.
pub type Matrix<'py> = Bound<'py, PyArray2<f64>>;

/// Returns an array of so many columns.
pub fn matrix(py: Python<'_>, numbers: Vec<f64>, columns: usize) -> PyResult<Matrix<'_>> {
    let rows = numbers.len().checked_div(columns).unwrap_or(0);
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

/// Returns an array of shape n × m × `columns`.
pub fn cube(py: Python<'_>, numbers: Vec<f64>, shape: [usize; 3]) -> PyResult<Bound<'_, PyArray3<f64>>> {
    PyArray1::from_vec(py, numbers).reshape(shape)
}

/// Returns the numbers of an array of this shape.
///
/// # Errors
/// `ValueError` that names `what`, if the shape differs.
pub fn numbers(what: &str, array: &Bound<'_, PyArrayDyn<f64>>, shape: &[usize]) -> PyResult<Vec<f64>> {
    let array = readable(what, array)?;
    check(what, array.shape(), shape)?;
    Ok(array.as_array().iter().copied().collect())
}

/// Borrows an array for reading.
fn readable<'py>(what: &str, array: &Bound<'py, PyArrayDyn<f64>>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    array.try_readonly().map_err(|error| PyValueError::new_err(format!("{what}: {error}")))
}

/// Compares shapes.
///
/// # Errors
/// `ValueError` that names `what`.
pub fn check(what: &str, found: &[usize], expected: &[usize]) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("{what} has the shape {found:?}: expected {expected:?}")))
}

/// Three numbers as a vector.
pub fn vec3(n: &[f64]) -> Vec3 {
    Vec3::new(n[0], n[1], n[2])
}
