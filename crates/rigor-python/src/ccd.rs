//! Continuous collision detection over arrays of queries.

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use rigor_ccd::{Answer, Ccd, Impact, LinearMethod, LinearQuery, RigidMethod, RigidMotion, RigidQuery};
use rigor_math::{UnitQuaternion, Vec3};

use crate::array::{check, vec3};
use crate::kind::kind_of;

/// Numbers of a rigid motion: two positions, two rotation vectors, a quaternion.
const MOTION: usize = 16;

/// Proven time, estimated time of impact (NaN if there is none), and the answer as a number.
type Answers<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u8>>);

/// Returns the names of the methods for linear and for rigid motions, the default first.
#[pyfunction]
pub fn ccd_methods() -> (Vec<&'static str>, Vec<&'static str>) {
    let linear = LinearMethod::ALL.iter().map(|method| method.name()).collect();
    (linear, RigidMethod::ALL.iter().map(|method| method.name()).collect())
}

/// Answers queries of points that move along straight lines.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the package passes them by name")]
pub fn ccd_linear<'py>(
    py: Python<'py>,
    kind: &str,
    start: PyReadonlyArray3<'py, f64>,
    end: PyReadonlyArray3<'py, f64>,
    d_min: PyReadonlyArray1<'py, f64>,
    horizon: f64,
    method: &str,
    threads: usize,
) -> PyResult<Answers<'py>> {
    let kind = kind_of(kind)?;
    let method = LinearMethod::from_name(method).ok_or_else(|| no_method(method, &ccd_methods().0))?;
    let (n, k) = (start.shape()[0], kind.n_points());
    check("start", start.shape(), &[n, k, 3])?;
    check("end", end.shape(), &[n, k, 3])?;
    check("d_min", d_min.shape(), &[n])?;
    let (start, end, d_min) = (start.as_slice()?, end.as_slice()?, d_min.as_slice()?);
    let answer = |i: usize| {
        let query = LinearQuery::new(kind, four(start, i, k), four(end, i, k), d_min[i]);
        method.impact(&query, horizon)
    };
    answered(py, n, threads, horizon, answer)
}

/// Answers queries of points of rigid bodies.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "the package passes them by name")]
pub fn ccd_rigid<'py>(
    py: Python<'py>,
    kind: &str,
    motion_a: PyReadonlyArray2<'py, f64>,
    motion_b: PyReadonlyArray2<'py, f64>,
    points: PyReadonlyArray3<'py, f64>,
    d_min: PyReadonlyArray1<'py, f64>,
    horizon: f64,
    method: &str,
    threads: usize,
) -> PyResult<Answers<'py>> {
    let kind = kind_of(kind)?;
    let method = RigidMethod::from_name(method).ok_or_else(|| no_method(method, &ccd_methods().1))?;
    let (n, k) = (points.shape()[0], kind.n_points());
    check("points", points.shape(), &[n, k, 3])?;
    check("motion_a", motion_a.shape(), &[n, MOTION])?;
    check("motion_b", motion_b.shape(), &[n, MOTION])?;
    check("d_min", d_min.shape(), &[n])?;
    let (a, b) = (motion_a.as_slice()?, motion_b.as_slice()?);
    let (points, d_min) = (points.as_slice()?, d_min.as_slice()?);
    let answer = |i: usize| {
        let query = RigidQuery::new(kind, [motion(a, i), motion(b, i)], four(points, i, k), d_min[i]);
        method.impact(&query, horizon)
    };
    answered(py, n, threads, horizon, answer)
}

fn no_method(name: &str, known: &[&str]) -> PyErr {
    PyValueError::new_err(format!("there is no method {name:?}; the methods are {}", known.join(", ")))
}

/// The `k` points of query `i`, then zeros.
fn four(numbers: &[f64], i: usize, k: usize) -> [Vec3; 4] {
    let own = &numbers[3 * k * i..3 * k * (i + 1)];
    std::array::from_fn(|j| own.get(3 * j..).filter(|rest| !rest.is_empty()).map_or_else(Vec3::zeros, vec3))
}

fn motion(numbers: &[f64], i: usize) -> RigidMotion {
    let n = &numbers[MOTION * i..MOTION * (i + 1)];
    RigidMotion {
        position_t0: vec3(n),
        position_t1: vec3(&n[3..]),
        theta_t0: vec3(&n[6..]),
        theta_t1: vec3(&n[9..]),
        orientation: UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(n[12], n[13], n[14], n[15])),
    }
}

/// Asks all queries, on so many threads, and returns the answers in their order.
fn answered<'py>(
    py: Python<'py>,
    n: usize,
    threads: usize,
    horizon: f64,
    answer: impl Fn(usize) -> Answer + Sync,
) -> PyResult<Answers<'py>> {
    let ask = |i: usize| answer(i).map_err(|why| PyValueError::new_err(format!("query {i}: {why}")));
    let answers: PyResult<Vec<Impact>> = py.detach(|| {
        if threads < 2 {
            return (0..n).map(ask).collect();
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|why| PyRuntimeError::new_err(why.to_string()))?;
        let answers: Vec<PyResult<Impact>> = pool.install(|| (0..n).into_par_iter().map(ask).collect());
        answers.into_iter().collect()
    });
    let answers = answers?;
    let hit = |impact: &Impact| if let Impact::At { t_hit, .. } = impact { *t_hit } else { f64::NAN };
    let number = |impact: &Impact| match impact {
        Impact::Free => 0,
        Impact::At { .. } => 1,
        Impact::Undecided { .. } => 2,
    };
    Ok((
        PyArray1::from_iter(py, answers.iter().map(|impact| impact.t_safe(horizon))),
        PyArray1::from_iter(py, answers.iter().map(hit)),
        PyArray1::from_iter(py, answers.iter().map(number)),
    ))
}
