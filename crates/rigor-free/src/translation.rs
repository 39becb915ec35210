//! Motion of a point under a constant acceleration.

use rigor_math::Vec3;
use rigor_scene::Body;

/// Advances a point: x ← x + v h + ½ a h², v ← v + a h; exact for constant `acceleration` (m/s²).
///
/// `position` in m, `velocity` in m/s, `h` in s; all in world axes.
pub(crate) fn advance(position: &mut Vec3, velocity: &mut Vec3, acceleration: &Vec3, h: f64) {
    *position += h * *velocity + (0.5 * h * h) * acceleration;
    *velocity += h * acceleration;
}

/// Returns a = g + f/m (m/s², world) of a dynamic body's centre of mass.
pub(crate) fn acceleration(body: &Body, gravity: &Vec3) -> Vec3 {
    gravity + body.force / body.mass
}

/// Returns `v` (world) with its components along `fixed` axes set to 0.
pub(crate) fn along_free_axes(v: &Vec3, fixed: [bool; 3]) -> Vec3 {
    Vec3::from_fn(|i, _| if fixed[i] { 0.0 } else { v[i] })
}
