//! The motion of a body that nothing touches.

use rigor_math::Vec3;
use rigor_math::driven_rotation::DrivenRotation;

use crate::body::Body;
use crate::placement::BodyState;

impl Body {
    /// Returns where a dynamic body is `h` (s) after `from` under `gravity` (m/s²) and its own force and torque, and the estimated error of
    /// its orientation (rad).
    ///
    /// The translation is exact up to rounding: x + h v + ½ h² a with a = g + f/m. The rotation is that of [`DrivenRotation`]. Velocities along
    /// and about fixed axes become 0.
    ///
    /// ```
    /// use rigor_math::Vec3;
    /// use rigor_scene::{Body, BodyState};
    /// fn fall(body: &Body, from: &BodyState) -> f64 {
    ///     // 4.905 m in the first second from rest.
    ///     body.fly(from, &(Vec3::y() * -9.81), 1.0).0.pose.position.y - from.pose.position.y
    /// }
    /// ```
    pub fn fly(&self, from: &BodyState, gravity: &Vec3, h: f64) -> (BodyState, f64) {
        let held = self.fixed.translation;
        let free = |v: &Vec3| Vec3::from_fn(|i, _| if held[i] { 0.0 } else { v[i] });
        let acceleration = free(&(gravity + self.force / self.mass));
        let mut to = *from;
        to.linear_velocity = free(&from.linear_velocity);
        to.pose.position += h * to.linear_velocity + (0.5 * h * h) * acceleration;
        to.linear_velocity += h * acceleration;
        let (q, omega) = (&from.pose.rotation, &from.angular_velocity);
        let law = DrivenRotation::new(self.inertia, self.fixed.rotation, q, omega, self.torque);
        let arrival = law.fly(q, omega, h);
        to.pose.rotation = arrival.rotation;
        to.angular_velocity = arrival.angular_velocity;
        (to, arrival.error)
    }
}
