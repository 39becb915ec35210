//! J, the second moments of the mass of a body.

use rigor_math::{Mat3, Vec3};

/// J of \[Ferguson2021\] §4.1: ½ diag(−I_x + I_y + I_z, I_x − I_y + I_z, I_x + I_y − I_z) (kg m²).
pub(crate) fn j_of(inertia: &Vec3) -> Vec3 {
    inertia.map(|i| 0.5 * inertia.sum() - i)
}

/// Returns M diag(j).
pub(crate) fn scaled_columns(m: &Mat3, j: &Vec3) -> Mat3 {
    Mat3::from_fn(|r, c| m[(r, c)] * j[c])
}
