//! Distances and meshes over arrays.

use numpy::{PyArray1, PyArray3, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_ccd::Kind;
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_geometry::intersection::containment::winding_number;
use rigor_geometry::intersection::mesh_mesh;
use rigor_geometry::mass::MassModel;
use rigor_geometry::{MassProperties, Mesh};
use rigor_math::Vec3;

use crate::array::{Matrix, check, cube, matrix, vec3};
use crate::kind::kind_of;

fn distance_of(kind: Kind, p: &[Vec3]) -> f64 {
    match kind {
        Kind::PointPoint => point_point::distance_sq(&p[0], &p[1]),
        Kind::PointEdge => point_edge::distance_sq(&p[0], &p[1], &p[2]),
        Kind::PointTriangle => point_triangle::distance_sq(&p[0], &p[1], &p[2], &p[3]),
        Kind::EdgeEdge => edge_edge::distance_sq(&p[0], &p[1], &p[2], &p[3]),
    }
}

fn gradient_of(kind: Kind, p: &[Vec3]) -> Vec<f64> {
    match kind {
        Kind::PointPoint => point_point::distance_sq_gradient(&p[0], &p[1]).as_slice().to_vec(),
        Kind::PointEdge => point_edge::distance_sq_gradient(&p[0], &p[1], &p[2]).as_slice().to_vec(),
        Kind::PointTriangle => {
            point_triangle::distance_sq_gradient(&p[0], &p[1], &p[2], &p[3]).as_slice().to_vec()
        }
        Kind::EdgeEdge => edge_edge::distance_sq_gradient(&p[0], &p[1], &p[2], &p[3]).as_slice().to_vec(),
    }
}

/// The points of an array, in groups of one pair each.
fn groups(kind: &str, points: &PyReadonlyArray3<'_, f64>) -> PyResult<(Kind, Vec<Vec3>)> {
    let kind = kind_of(kind)?;
    check("points", points.shape(), &[points.shape()[0], kind.n_points(), 3])?;
    let points: Vec<Vec3> = points.as_slice()?.chunks_exact(3).map(vec3).collect();
    match points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(i) => {
            let (query, point) = (i / kind.n_points(), i % kind.n_points());
            Err(PyValueError::new_err(format!("points[{query}, {point}] is not finite")))
        }
        None => Ok((kind, points)),
    }
}

/// Squared distances (m²) of pairs of primitives.
#[pyfunction]
pub fn distance_sq<'py>(
    py: Python<'py>,
    kind: &str,
    points: PyReadonlyArray3<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (kind, points) = groups(kind, &points)?;
    let of = || points.chunks_exact(kind.n_points()).map(|p| distance_of(kind, p)).collect();
    Ok(PyArray1::from_vec(py, py.detach(of)))
}

/// Gradients (m) of the squared distances by the points.
#[pyfunction]
pub fn distance_sq_gradient<'py>(
    py: Python<'py>,
    kind: &str,
    points: PyReadonlyArray3<'py, f64>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (kind, points) = groups(kind, &points)?;
    let of = || points.chunks_exact(kind.n_points()).flat_map(|p| gradient_of(kind, p)).collect();
    cube(py, py.detach(of), [points.len() / kind.n_points(), kind.n_points(), 3])
}

fn mesh(vertices: &PyReadonlyArray2<'_, f64>, triangles: &PyReadonlyArray2<'_, u32>) -> PyResult<Mesh> {
    check("vertices", vertices.shape(), &[vertices.shape()[0], 3])?;
    check("triangles", triangles.shape(), &[triangles.shape()[0], 3])?;
    let vertices = vertices.as_slice()?.chunks_exact(3).map(vec3).collect();
    let triangles = triangles.as_slice()?.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Mesh::new(vertices, triangles, Vec::new()).map_err(|why| PyValueError::new_err(why.to_string()))
}

/// Mass (kg), centre of mass (m) and inertia about it (kg m²) of a mesh of uniform density: 1000 kg/m³ by default, if it is closed.
#[pyfunction]
pub fn mass_properties<'py>(
    py: Python<'py>,
    vertices: PyReadonlyArray2<'py, f64>,
    triangles: PyReadonlyArray2<'py, u32>,
    density: Option<f64>,
) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Matrix<'py>)> {
    let mesh = mesh(&vertices, &triangles)?;
    let mass = MassProperties::of(&mesh, density.unwrap_or(1000.0))
        .map_err(|why| PyValueError::new_err(why.to_string()))?;
    if density.is_none() && mass.model != MassModel::Volume {
        let surface = mesh.surface();
        return Err(PyValueError::new_err(format!("the surface is {surface}: give its density in kg/m²")));
    }
    // The matrix is symmetric: rows and columns are the same.
    let inertia = matrix(py, mass.inertia.as_slice().to_vec(), 3)?;
    Ok((mass.mass, PyArray1::from_slice(py, mass.center.as_slice()), inertia))
}

/// Winding numbers of a mesh about points.
#[pyfunction]
pub fn winding_numbers<'py>(
    py: Python<'py>,
    points: PyReadonlyArray2<'py, f64>,
    vertices: PyReadonlyArray2<'py, f64>,
    triangles: PyReadonlyArray2<'py, u32>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    check("points", points.shape(), &[points.shape()[0], 3])?;
    let mesh = mesh(&vertices, &triangles)?;
    let points: Vec<Vec3> = points.as_slice()?.chunks_exact(3).map(vec3).collect();
    let of = |p: &Vec3| winding_number(p, mesh.vertices(), mesh.triangles());
    Ok(PyArray1::from_vec(py, py.detach(|| points.iter().map(of).collect())))
}

/// Whether two surfaces touch or intersect, exactly.
#[pyfunction]
pub fn meshes_touch(
    py: Python<'_>,
    vertices_a: PyReadonlyArray2<'_, f64>,
    triangles_a: PyReadonlyArray2<'_, u32>,
    vertices_b: PyReadonlyArray2<'_, f64>,
    triangles_b: PyReadonlyArray2<'_, u32>,
) -> PyResult<bool> {
    let (a, b) = (mesh(&vertices_a, &triangles_a)?, mesh(&vertices_b, &triangles_b)?);
    Ok(py.detach(|| mesh_mesh::contact(&a, &b).is_some()))
}
