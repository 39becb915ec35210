//! A body of a scene, for reading.

use std::sync::Arc;

use numpy::prelude::*;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use rigor_file::Loaded;
use rigor_scene::Role;

use crate::array::{Matrix, matrix};

/// One rigid body: its surface in the principal frame, its mass and its material.
///
/// The principal frame has its origin at the centre of mass and its axes along the principal axes of inertia. A vertex X is in the
/// world at x + R(q) X with position x and quaternion q of a state.
#[pyclass(frozen, module = "rigor")]
pub struct Body {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) index: usize,
}

impl Body {
    fn body(&self) -> &rigor_scene::Body {
        &self.loaded.scene.bodies[self.index]
    }
}

#[pymethods]
impl Body {
    /// Index of the body in the scene and in the arrays of a state.
    #[getter]
    fn index(&self) -> usize {
        self.index
    }

    /// Name, unique in the scene.
    #[getter]
    fn name(&self) -> &str {
        &self.body().name
    }

    /// "dynamic", "static" or "kinematic".
    #[getter]
    fn role(&self) -> &'static str {
        match self.body().role {
            Role::Dynamic => "dynamic",
            Role::Static => "static",
            Role::Kinematic(_) => "kinematic",
        }
    }

    /// Whether forces and contact move the body.
    #[getter]
    fn is_dynamic(&self) -> bool {
        self.body().is_dynamic()
    }

    /// Mass (kg).
    #[getter]
    fn mass(&self) -> f64 {
        self.body().mass
    }

    /// Principal moments of inertia (kg m²), ascending.
    #[getter]
    fn inertia<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.body().inertia.as_slice())
    }

    /// Coulomb coefficients: static, dynamic.
    #[getter]
    fn friction(&self) -> (f64, f64) {
        (self.body().friction.static_, self.body().friction.dynamic)
    }

    /// Coefficient of restitution.
    #[getter]
    fn restitution(&self) -> f64 {
        self.body().restitution
    }

    /// Distance of the farthest vertex from the centre of mass (m).
    #[getter]
    fn radius(&self) -> f64 {
        self.body().radius
    }

    /// Constant force at the centre of mass (N, world).
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.body().force.as_slice())
    }

    /// Constant torque (N m, world).
    #[getter]
    fn torque<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.body().torque.as_slice())
    }

    /// The centre of mass in the author's frame (m).
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.body().frame.position.as_slice())
    }

    /// The principal axes in the author's frame, as a quaternion (w, x, y, z).
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let q = &self.body().frame.rotation;
        PyArray1::from_slice(py, &[q.w, q.i, q.j, q.k])
    }

    /// Vertices in the principal frame (m), n × 3.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let numbers = self.body().mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        matrix(py, numbers, 3)
    }

    /// Triangles as indices of vertices, n × 3.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let indices = self.body().mesh.triangles().as_flattened().to_vec();
        let n = indices.len() / 3;
        PyArray1::from_vec(py, indices).reshape([n, 3])
    }

    /// Edges, including those of triangles, as indices of vertices, n × 2.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let indices = self.body().mesh.edges().as_flattened().to_vec();
        let n = indices.len() / 2;
        PyArray1::from_vec(py, indices).reshape([n, 2])
    }

    fn __repr__(&self) -> String {
        format!("<Body {:?}: {}, {} kg>", self.name(), self.role(), self.mass())
    }
}
