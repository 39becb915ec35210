//! The principal frame of an inertia tensor.

use crate::quaternion::from_rotation_matrix;
use crate::{Mat3, UnitQuaternion, Vec3};

/// Principal moments and axes: I = R diag(moments) Rᵀ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrincipalInertia {
    /// The principal moments (kg m²), ascending.
    pub moments: Vec3,
    /// R, from principal components to those of the frame in which the tensor is given.
    pub axes: UnitQuaternion,
}

impl PrincipalInertia {
    /// The tensor R diag(moments) Rᵀ (kg m²).
    ///
    /// ```
    /// use rigor_math::{Mat3, Vec3, inertia};
    /// let tensor = Mat3::from_diagonal(&Vec3::new(3.0, 1.0, 2.0));
    /// assert!((inertia::diagonalize(&tensor).tensor() - tensor).amax() < 2e-15);
    /// ```
    pub fn tensor(&self) -> Mat3 {
        let r = self.axes.to_rotation_matrix().into_inner();
        symmetric_part(&(r * Mat3::from_diagonal(&self.moments) * r.transpose()))
    }
}

/// Returns (m + mᵀ)/2.
pub(crate) fn symmetric_part(m: &Mat3) -> Mat3 {
    (m + m.transpose()) * 0.5
}

/// Two moments that differ by less than this, relative to the larger, count as one repeated moment.
const REPEATED: f64 = 64.0 * f64::EPSILON;
/// Jacobi's method converges in about six sweeps; this bounds it for input that is not finite.
const MAX_SWEEPS: usize = 30;

/// Finds the principal moments and axes of an inertia tensor (kg m²).
///
/// I = R diag(moments) Rᵀ with ascending moments and right-handed axes. Only the symmetric part of `inertia`
/// is used.
///
/// Of all such frames, the one nearest to the given axes is returned: the signs maximise tr R; if two moments
/// are repeated (agree to 64 ε), their axes are turned in their plane to the same end; if all three are
/// repeated, R = 1. So a diagonal tensor has a signed permutation for R.
///
/// The error is a few ε of the largest moment, at every scale: the tensor is first divided by a power of two,
/// and no threshold is absolute. Tensors that differ by a power of two have exactly the same axes. Input that
/// is not finite gives results that are not finite; see [`crate::inertia::check_moments`].
///
/// Source: the cyclic method of Jacobi (1846) for symmetric eigenproblems.
///
/// ```
/// use rigor_math::{Mat3, UnitQuaternion, Vec3, inertia};
/// let principal = inertia::diagonalize(&Mat3::from_diagonal(&Vec3::new(1e-12, 2e-12, 2e-12)));
/// assert_eq!(principal.moments, Vec3::new(1e-12, 2e-12, 2e-12));
/// assert_eq!(principal.axes, UnitQuaternion::identity());
/// ```
pub fn diagonalize(inertia: &Mat3) -> PrincipalInertia {
    let scale = power_of_two(inertia.amax());
    let (mut moments, mut axes) = jacobi(symmetric_part(&(inertia / scale)));
    sort(&mut moments, &mut axes);
    align(&moments, &mut axes);
    // Repeated moments were ordered only up to their tolerance.
    moments.as_mut_slice().sort_by(f64::total_cmp);
    PrincipalInertia { moments: moments * scale, axes: from_rotation_matrix(&axes) }
}

/// The largest power of two that is at most `x`, or the smallest normal number if `x` is below it.
fn power_of_two(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.max(f64::MIN_POSITIVE).to_bits() & EXPONENT)
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, in no particular order.
fn jacobi(mut a: Mat3) -> (Vec3, Mat3) {
    let mut v = Mat3::identity();
    for _ in 0..MAX_SWEEPS {
        if a[(0, 1)] == 0.0 && a[(0, 2)] == 0.0 && a[(1, 2)] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            annihilate(&mut a, &mut v, p, q);
        }
    }
    (a.diagonal(), v)
}

/// One Jacobi rotation: zeroes a_pq by the smaller of the two possible angles, and turns `v` with it.
fn annihilate(a: &mut Mat3, v: &mut Mat3, p: usize, q: usize) {
    let a_pq = a[(p, q)];
    if a_pq == 0.0 {
        return;
    }
    let r = 3 - p - q;
    let cot_2phi = (a[(q, q)] - a[(p, p)]) / (2.0 * a_pq);
    let t = cot_2phi.signum() / (cot_2phi.abs() + (1.0 + cot_2phi * cot_2phi).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    a[(p, p)] -= t * a_pq;
    a[(q, q)] += t * a_pq;
    let (a_rp, a_rq) = (a[(r, p)], a[(r, q)]);
    for (i, j, value) in [(p, q, 0.0), (r, p, c * a_rp - s * a_rq), (r, q, s * a_rp + c * a_rq)] {
        a[(i, j)] = value;
        a[(j, i)] = value;
    }
    turn(v, p, q, c, s);
}

/// Turns two columns in their plane: (v_p, v_q) ← (c v_p − s v_q, s v_p + c v_q).
fn turn(v: &mut Mat3, p: usize, q: usize, c: f64, s: f64) {
    let (v_p, v_q) = (v.column(p).into_owned(), v.column(q).into_owned());
    v.set_column(p, &(v_p * c - v_q * s));
    v.set_column(q, &(v_p * s + v_q * c));
}

/// Sorts the moments ascending, and the axes with them; repeated moments keep their order.
fn sort(moments: &mut Vec3, axes: &mut Mat3) {
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if moments[p] > moments[q] && !repeated(moments[q], moments[p]) {
            moments.swap_rows(p, q);
            axes.swap_columns(p, q);
        }
    }
}

fn repeated(a: f64, b: f64) -> bool {
    (b - a).abs() <= REPEATED * a.abs().max(b.abs())
}

/// Makes the frame right-handed and, within the freedom that the moments leave, nearest to the identity.
fn align(moments: &Vec3, axes: &mut Mat3) {
    match (repeated(moments[0], moments[1]), repeated(moments[1], moments[2])) {
        (true, true) => *axes = Mat3::identity(),
        (true, false) => align_pair(axes, 0, 1),
        (false, true) => align_pair(axes, 1, 2),
        (false, false) => align_signs(axes),
    }
}

/// Chooses the signs that maximise tr R with det R = 1.
fn align_signs(axes: &mut Mat3) {
    for i in 0..3 {
        if axes[(i, i)] < 0.0 {
            axes.column_mut(i).neg_mut();
        }
    }
    if axes.determinant() < 0.0 {
        let weakest = axes.diagonal().iamin();
        axes.column_mut(weakest).neg_mut();
    }
}

/// Turns the axes `p` and `q` in their plane to maximise tr R with det R = 1, the third axis pointing
/// forward.
fn align_pair(axes: &mut Mat3, p: usize, q: usize) {
    let third = 3 - p - q;
    if axes[(third, third)] < 0.0 {
        axes.column_mut(third).neg_mut();
    }
    if axes.determinant() < 0.0 {
        axes.column_mut(p).neg_mut();
    }
    let (along, across) = (axes[(p, p)] + axes[(q, q)], axes[(q, p)] - axes[(p, q)]);
    let norm = (along * along + across * across).sqrt();
    if norm > 0.0 {
        turn(axes, p, q, along / norm, across / norm);
    }
}

#[cfg(test)]
mod tests;
