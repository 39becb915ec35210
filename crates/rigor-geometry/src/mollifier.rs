//! The factor that fades out the barrier of two edges as they become parallel.
//!
//! Source: \[Li2020\], edge–edge mollifier. With u = a1 − a0, v = b1 − b0, c = ‖u × v‖² and the threshold
//! e_x: m = −c²/e_x² + 2c/e_x for c < e_x, else 1. The gradient of the edge–edge distance jumps at parallel
//! edges ([`crate::distance::edge_edge`]); there m = 0, so that barrier times mollifier has no jump.

use nalgebra::{SMatrix, SVector};
use rigor_math::{Mat3, Vec3};

use crate::cross::cross;

/// The threshold e_x = 10⁻³ ‖u_rest‖² ‖v_rest‖² (m⁴).
///
/// Edges at rest length are mollified up to sin²α = 10⁻³ (1.8°).
///
/// ```
/// use rigor_geometry::mollifier;
/// use rigor_math::Vec3;
/// let e_x = mollifier::threshold(&Vec3::zeros(), &Vec3::x(), &Vec3::zeros(), &(2.0 * Vec3::y()));
/// assert_eq!(e_x, 4e-3);
/// ```
#[inline]
pub fn threshold(a0_rest: &Vec3, a1_rest: &Vec3, b0_rest: &Vec3, b1_rest: &Vec3) -> f64 {
    1e-3 * (a1_rest - a0_rest).norm_squared() * (b1_rest - b0_rest).norm_squared()
}

/// The mollifier m ∈ [0, 1] for threshold e_x (m⁴): 0 for parallel edges, 1 from c = e_x on, 1 if e_x = 0.
///
/// ```
/// use rigor_geometry::mollifier;
/// use rigor_math::Vec3;
/// // c = 1: half of the threshold gives −1/4 + 1.
/// let m = mollifier::value(&Vec3::zeros(), &Vec3::x(), &Vec3::zeros(), &Vec3::y(), 2.0);
/// assert_eq!(m, 0.75);
/// ```
#[inline]
pub fn value(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3, e_x: f64) -> f64 {
    let c = cross(&(a1 - a0), &(b1 - b0)).norm_squared();
    if c < e_x { (c / e_x) * (2.0 - c / e_x) } else { 1.0 }
}

/// ∂m/∂(a0, a1, b0, b1) (1/m) = m′(c) ∂c, m′ = 2 (1 − c/e_x)/e_x, ∂c/∂u = 2 v × n, ∂c/∂v = 2 n × u, n = u × v.
#[inline]
pub fn gradient(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3, e_x: f64) -> SVector<f64, 12> {
    let (u, v) = (a1 - a0, b1 - b0);
    let n = cross(&u, &v);
    let c = n.norm_squared();
    let mut out = SVector::<f64, 12>::zeros();
    if c < e_x {
        let slope = 2.0 * (1.0 - c / e_x) / e_x;
        let (by_u, by_v) = (v.cross(&n) * (2.0 * slope), n.cross(&u) * (2.0 * slope));
        for (row, block) in [(0, -by_u), (3, by_u), (6, -by_v), (9, by_v)] {
            out.fixed_rows_mut::<3>(row).copy_from(&block);
        }
    }
    out
}

/// ∂²m/∂(a0, a1, b0, b1)² (1/m²) = m′ ∂²c + m″ ∂c ∂cᵀ, m″ = −2/e_x².
///
/// From c = ‖u‖²‖v‖² − (u·v)²: ∂²c/∂u² = 2 (‖v‖² I − v vᵀ), ∂²c/∂v² likewise, ∂²c/∂u∂v = 2 (2 u vᵀ − v uᵀ − (u·v) I).
/// The Hessian jumps at c = e_x, where m″ drops to 0.
#[inline]
pub fn hessian(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3, e_x: f64) -> SMatrix<f64, 12, 12> {
    let (u, v) = (a1 - a0, b1 - b0);
    let n = cross(&u, &v);
    if n.norm_squared() >= e_x {
        return SMatrix::zeros();
    }
    let x = n.norm_squared() / e_x;
    let slope = 4.0 * (1.0 - x) / e_x;
    let curvature = -8.0 / e_x / e_x;
    let (c_u, c_v) = (v.cross(&n), n.cross(&u));
    let eye = Mat3::identity();
    let uu = (eye * v.norm_squared() - v * v.transpose()) * slope + c_u * c_u.transpose() * curvature;
    let vv = (eye * u.norm_squared() - u * u.transpose()) * slope + c_v * c_v.transpose() * curvature;
    let mixed = u * v.transpose() * 2.0 - v * u.transpose() - eye * u.dot(&v);
    from_edge_blocks(&uu, &(mixed * slope + c_u * c_v.transpose() * curvature), &vv)
}

/// The 12×12 matrix of second derivatives by the vertices, from those by u = a1 − a0 and v = b1 − b0.
#[inline]
fn from_edge_blocks(uu: &Mat3, uv: &Mat3, vv: &Mat3) -> SMatrix<f64, 12, 12> {
    let blocks = [[*uu, *uv], [uv.transpose(), *vv]];
    let mut out = SMatrix::<f64, 12, 12>::zeros();
    for i in 0..4 {
        for j in 0..4 {
            let block = blocks[i / 2][j / 2];
            let signed = if (i + j) % 2 == 0 { block } else { -block };
            out.fixed_view_mut::<3, 3>(3 * i, 3 * j).copy_from(&signed);
        }
    }
    out
}

#[cfg(test)]
mod tests;
