//! Vectors, rotations and matrices of the engine, which have single precision.

use box3d_rust::{Matrix3, Quat, Transform, Vec3 as Vector};
use rigor_math::{Mat3, UnitQuaternion, Vec3};

/// Converts a vector to the engine's type.
pub(super) fn vector(v: [f64; 3]) -> Vector {
    let [x, y, z] = v.map(|x| x as f32);
    Vector { x, y, z }
}

/// Converts a vector of the engine.
pub(super) fn from_vector(v: Vector) -> Vec3 {
    Vec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// Converts a quaternion (w, x, y, z) to the engine's type.
pub(super) fn rotation([w, x, y, z]: [f64; 4]) -> Quat {
    Quat { v: vector([x, y, z]), s: w as f32 }
}

/// Converts a rotation of the engine.
pub(super) fn from_rotation(q: Quat) -> UnitQuaternion {
    let v = from_vector(q.v);
    UnitQuaternion::new_normalize(nalgebra::Quaternion::new(f64::from(q.s), v.x, v.y, v.z))
}

/// A frame of the engine.
pub(super) fn frame(position: [f64; 3], q: [f64; 4]) -> Transform {
    Transform { p: vector(position), q: rotation(q) }
}

/// Converts a symmetric matrix to the engine's type.
pub(super) fn symmetric(m: &Mat3) -> Matrix3 {
    let column = |i: usize| vector([m[(0, i)], m[(1, i)], m[(2, i)]]);
    Matrix3 { cx: column(0), cy: column(1), cz: column(2) }
}

/// The elements xx, yy, zz, xy, xz, yz of a symmetric matrix.
pub(super) fn elements(m: &Matrix3) -> [f64; 6] {
    [m.cx.x, m.cy.y, m.cz.z, m.cx.y, m.cx.z, m.cy.z].map(f64::from)
}
