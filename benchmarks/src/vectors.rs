//! Pseudorandom vectors.

use rigor_math::Vec3;

/// Returns a generator of vectors in [−1, 1]³ from a linear congruential sequence, identical in every run.
pub fn vectors() -> impl FnMut() -> Vec3 {
    let mut state: u64 = 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    move || Vec3::new(next(), next(), next())
}
