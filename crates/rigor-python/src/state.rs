//! The state as arrays.

use std::collections::BTreeMap;

use numpy::prelude::*;
use numpy::{PyArray1, PyArray2, PyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use rigor_math::{Mat3, Pose, UnitQuaternion};
use rigor_run::folder::frames;
use rigor_scene::{BodyState, Memory, ParticleState, Scene};

use crate::array::{cube, matrix, numbers, vec3};

/// The complete state: positions, velocities, and what the method remembers. Equal states have equal futures.
///
/// The arrays may be changed in place. Poses are those of the principal frames in world axes.
#[pyclass(module = "rigor")]
pub struct State {
    /// Steps taken since time 0.
    #[pyo3(get, set)]
    step: u64,
    /// Time (s).
    #[pyo3(get, set)]
    time: f64,
    /// Centres of mass (m), n × 3.
    #[pyo3(get, set)]
    x: Py<PyArrayDyn<f64>>,
    /// Quaternions (w, x, y, z): principal frame → world, n × 4.
    #[pyo3(get, set)]
    q: Py<PyArrayDyn<f64>>,
    /// Velocities of the centres of mass (m/s), n × 3.
    #[pyo3(get, set)]
    v: Py<PyArrayDyn<f64>>,
    /// Angular velocities (rad/s, world), n × 3.
    #[pyo3(get, set)]
    omega: Py<PyArrayDyn<f64>>,
    /// Positions of particles (m), p × 3.
    #[pyo3(get, set)]
    particle_x: Py<PyArrayDyn<f64>>,
    /// Velocities of particles (m/s), p × 3.
    #[pyo3(get, set)]
    particle_v: Py<PyArrayDyn<f64>>,
    /// Strains E of affine bodies (principal frames), n × 3 × 3, symmetric: points are at R(q) (1 + E) x̂ + x. 0 × 3 × 3 if all bodies are
    /// rigid.
    #[pyo3(get, set)]
    strains: Py<PyArrayDyn<f64>>,
    /// What the method remembers between steps: arrays and bytes by name.
    #[pyo3(get, set)]
    memory: Py<PyDict>,
}

/// Deviation of the norm of a quaternion from 1 that is taken for rounding: its bits are kept.
const ROUNDING: f64 = 1e-14;
/// Maximum deviation of the norm of a quaternion from 1; it is normalised.
const SLACK: f64 = 1e-3;

fn dynamic(array: Bound<'_, PyArray2<f64>>) -> Py<PyArrayDyn<f64>> {
    array.to_dyn().clone().unbind()
}

impl State {
    /// Copies a state to arrays.
    pub fn of(py: Python<'_>, state: &rigor_scene::State) -> PyResult<Self> {
        let bodies = || state.bodies.iter();
        let each = |numbers: Vec<f64>, columns| matrix(py, numbers, columns).map(dynamic);
        let position = |b: &BodyState| <[f64; 3]>::from(b.pose.position);
        let quaternion = |b: &BodyState| {
            let q = &b.pose.rotation;
            [q.w, q.i, q.j, q.k]
        };
        let memory = PyDict::new(py);
        for (name, values) in &state.memory.numbers {
            memory.set_item(name, PyArray1::from_slice(py, values))?;
        }
        for (name, image) in &state.memory.images {
            memory.set_item(name, PyBytes::new(py, image))?;
        }
        Ok(Self {
            step: state.step,
            time: state.time,
            x: each(bodies().flat_map(position).collect(), 3)?,
            q: each(bodies().flat_map(quaternion).collect(), 4)?,
            v: each(bodies().flat_map(|b| <[f64; 3]>::from(b.linear_velocity)).collect(), 3)?,
            omega: each(bodies().flat_map(|b| <[f64; 3]>::from(b.angular_velocity)).collect(), 3)?,
            particle_x: each(state.particles.iter().flat_map(|p| <[f64; 3]>::from(p.position)).collect(), 3)?,
            particle_v: each(state.particles.iter().flat_map(|p| <[f64; 3]>::from(p.velocity)).collect(), 3)?,
            strains: strains_of(py, &state.strains)?,
            memory: memory.unbind(),
        })
    }

    /// Copies the arrays to a state of `scene`.
    ///
    /// # Errors
    /// `ValueError` for a wrong shape, a quaternion that is not a unit one, strains that are not symmetric, or memory that is neither numbers nor bytes.
    pub fn read(&self, py: Python<'_>, scene: &Scene) -> PyResult<rigor_scene::State> {
        let (n, p) = (scene.bodies.len(), scene.particles.len());
        let get = |what: &str, array: &Py<PyArrayDyn<f64>>, shape: [usize; 2]| {
            numbers(what, array.bind(py), &shape)
        };
        let get3 = |what: &str, array: &Py<PyArrayDyn<f64>>, shape: [usize; 3]| {
            numbers(what, array.bind(py), &shape)
        };
        let (x, q) = (get("x", &self.x, [n, 3])?, get("q", &self.q, [n, 4])?);
        let (v, omega) = (get("v", &self.v, [n, 3])?, get("omega", &self.omega, [n, 3])?);
        let px = get("particle_x", &self.particle_x, [p, 3])?;
        let pv = get("particle_v", &self.particle_v, [p, 3])?;
        let body = |i: usize| -> PyResult<BodyState> {
            let rotation = unit(&q[4 * i..4 * i + 4], &scene.bodies[i].name)?;
            Ok(BodyState {
                pose: Pose::new(vec3(&x[3 * i..]), rotation),
                linear_velocity: vec3(&v[3 * i..]),
                angular_velocity: vec3(&omega[3 * i..]),
            })
        };
        let particle =
            |i: usize| ParticleState { position: vec3(&px[3 * i..]), velocity: vec3(&pv[3 * i..]) };
        let is_rigid = self.strains.bind(py).shape().first() == Some(&0);
        let e = get3("strains", &self.strains, [if is_rigid { 0 } else { n }, 3, 3])?;
        let state = rigor_scene::State {
            step: self.step,
            time: self.time,
            bodies: (0..n).map(body).collect::<PyResult<_>>()?,
            particles: (0..p).map(particle).collect(),
            strains: e.chunks_exact(9).map(Mat3::from_row_slice).collect(),
            memory: self.remembered(py)?,
        };
        state.check_strains().map_err(|why| PyValueError::new_err(why.to_string()))?;
        Ok(state)
    }

    fn remembered(&self, py: Python<'_>) -> PyResult<Memory> {
        let mut memory = Memory { numbers: BTreeMap::new(), images: BTreeMap::new() };
        for (name, value) in self.memory.bind(py) {
            let name: String = name.extract()?;
            if let Ok(image) = value.cast::<PyBytes>() {
                memory.images.insert(name, image.as_bytes().to_vec());
                continue;
            }
            let fail = |_| {
                let what =
                    format!("memory[{name:?}] is neither an array of float64 of one dimension nor bytes");
                PyValueError::new_err(what)
            };
            let array = value.cast::<PyArray1<f64>>().map_err(|_| fail(()))?;
            let array = array.try_readonly().map_err(|_| fail(()))?;
            let values = array.as_array().iter().copied().collect();
            memory.numbers.insert(name, values);
        }
        Ok(memory)
    }
}

/// Returns strains as an array of n × 3 × 3.
fn strains_of(py: Python<'_>, strains: &[Mat3]) -> PyResult<Py<PyArrayDyn<f64>>> {
    // Symmetric, so rows are columns.
    let numbers = strains.iter().flat_map(|strain| strain.iter().copied()).collect();
    Ok(cube(py, numbers, [strains.len(), 3, 3])?.to_dyn().clone().unbind())
}

/// Returns a unit quaternion from (w, x, y, z).
fn unit(q: &[f64], body: &str) -> PyResult<UnitQuaternion> {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !norm.is_finite() || (norm - 1.0).abs() > SLACK {
        let what = format!("the quaternion of {body:?} has the norm {norm}: it must be 1 to within {SLACK}");
        return Err(PyValueError::new_err(what));
    }
    let quaternion = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
    Ok(if (norm - 1.0).abs() < ROUNDING {
        UnitQuaternion::new_unchecked(quaternion)
    } else {
        UnitQuaternion::new_normalize(quaternion)
    })
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (x, q, v, omega, step = 0, time = 0.0, particle_x = None, particle_v = None, memory = None, strains = None))]
    #[allow(clippy::too_many_arguments, reason = "the parts of a state, by name in Python")]
    fn new(
        py: Python<'_>,
        x: Py<PyArrayDyn<f64>>,
        q: Py<PyArrayDyn<f64>>,
        v: Py<PyArrayDyn<f64>>,
        omega: Py<PyArrayDyn<f64>>,
        step: u64,
        time: f64,
        particle_x: Option<Py<PyArrayDyn<f64>>>,
        particle_v: Option<Py<PyArrayDyn<f64>>>,
        memory: Option<Py<PyDict>>,
        strains: Option<Py<PyArrayDyn<f64>>>,
    ) -> PyResult<Self> {
        let none = || matrix(py, Vec::new(), 3).map(dynamic);
        Ok(Self {
            step,
            time,
            x,
            q,
            v,
            omega,
            particle_x: particle_x.map_or_else(none, Ok)?,
            particle_v: particle_v.map_or_else(none, Ok)?,
            strains: strains.map_or_else(|| strains_of(py, &[]), Ok)?,
            memory: memory.unwrap_or_else(|| PyDict::new(py).unbind()),
        })
    }

    /// Returns a copy with arrays of its own.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copied = |array: &Py<PyArrayDyn<f64>>| -> PyResult<Py<PyArrayDyn<f64>>> {
            Ok(array.bind(py).call_method0("copy")?.cast_into::<PyArrayDyn<f64>>()?.unbind())
        };
        let memory = PyDict::new(py);
        for (name, value) in self.memory.bind(py) {
            let is_bytes = value.cast::<PyBytes>().is_ok();
            memory.set_item(name, if is_bytes { value } else { value.call_method0("copy")? })?;
        }
        Ok(Self {
            step: self.step,
            time: self.time,
            x: copied(&self.x)?,
            q: copied(&self.q)?,
            v: copied(&self.v)?,
            omega: copied(&self.omega)?,
            particle_x: copied(&self.particle_x)?,
            particle_v: copied(&self.particle_v)?,
            strains: copied(&self.strains)?,
            memory: memory.unbind(),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let state = slf.borrow();
        let arrays =
            [&state.x, &state.q, &state.v, &state.omega].map(|array| array.bind(py).clone().into_any());
        let [x, q, v, omega] = arrays;
        let particles = (&state.particle_x, &state.particle_v);
        let (step, time, memory, strains) = (state.step, state.time, &state.memory, &state.strains);
        let parts = (x, q, v, omega, step, time, particles.0, particles.1, memory, strains);
        (slf.get_type(), parts.into_pyobject(py)?).into_pyobject(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<State: step {}, {} s, {} bodies>", self.step, self.time, self.x.bind(py).shape()[0])
    }
}

/// Hash of the bits of a state, without the memory of the method.
pub fn hash(state: &rigor_scene::State) -> String {
    frames::hash(state)
}
