//! Motion of a point under a constant acceleration.

use rigor_math::Vec3;

/// Advances a point: x ← x + v h + ½ a h², v ← v + a h; exact for constant `acceleration` (m/s²).
///
/// `position` in m, `velocity` in m/s, `h` in s; all in world axes.
pub(crate) fn advance(position: &mut Vec3, velocity: &mut Vec3, acceleration: &Vec3, h: f64) {
    *position += h * *velocity + (0.5 * h * h) * acceleration;
    *velocity += h * acceleration;
}
