//! Vectors of grains in rows of four numbers, which processors load, add and store at once.

use rigor_math::Vec3;

/// A vector, and a zero that is not used.
pub(crate) type Row = wide::f64x4;

/// The row of a vector.
#[inline(always)]
pub(crate) fn row(v: &Vec3) -> Row {
    Row::new([v.x, v.y, v.z, 0.0])
}

/// The vector of a row.
#[inline(always)]
pub(crate) fn vector(row: Row) -> Vec3 {
    let [x, y, z, _] = row.to_array();
    Vec3::new(x, y, z)
}

/// ‖v‖² of the vector of a row.
#[inline(always)]
pub(crate) fn square(row: Row) -> f64 {
    let [x, y, z, _] = (row * row).to_array();
    x + y + z
}
