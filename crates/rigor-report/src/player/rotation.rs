//! A rotation in three numbers of 16 bits.
//!
//! Of the four components of the unit quaternion, the one largest in magnitude follows from the others, which lie in
//! [−1/√2, 1/√2] once the largest is positive. Each of the three takes 15 bits; the first bits of the first two
//! numbers name the one left out.

use std::f64::consts::SQRT_2;

use rigor_math::UnitQuaternion;

/// Steps from 0 to 1/√2. A component is at most half a step off, which turns a body by at most 0.15 mrad.
const STEPS: f64 = 16383.0;
/// The number of the component 0.
const ZERO: f64 = 16384.0;

/// Returns the three numbers; those of no rotation if a component is not finite.
pub fn numbers(rotation: &UnitQuaternion) -> [u16; 3] {
    let q = [rotation.w, rotation.i, rotation.j, rotation.k];
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !(norm.is_finite() && norm > 0.0) {
        return numbers(&UnitQuaternion::identity());
    }
    let mut largest = 0;
    for k in 1..4 {
        if q[k].abs() > q[largest].abs() {
            largest = k;
        }
    }
    let unit = if q[largest] < 0.0 { -norm } else { norm };
    let mut three = [0; 3];
    let others = (0..4).filter(|k| *k != largest);
    for (number, k) in three.iter_mut().zip(others) {
        *number = (ZERO + (STEPS * SQRT_2 * q[k] / unit).round()).clamp(0.0, 32767.0) as u16;
    }
    three[0] |= (largest as u16 & 1) << 15;
    three[1] |= (largest as u16 >> 1) << 15;
    three
}

/// Returns the rotation of three numbers, as the page computes it: (w, x, y, z).
#[cfg(test)]
pub fn of_numbers(three: [u16; 3]) -> [f64; 4] {
    let largest = usize::from(three[0] >> 15) | usize::from(three[1] >> 15) << 1;
    let part = three.map(|n| (f64::from(n & 32767) - ZERO) / (STEPS * SQRT_2));
    let rest = (1.0 - part.iter().map(|c| c * c).sum::<f64>()).max(0.0).sqrt();
    let mut parts = part.into_iter();
    std::array::from_fn(|k| if k == largest { rest } else { parts.next().unwrap_or(0.0) })
}
