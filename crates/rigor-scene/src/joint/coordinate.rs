//! The coordinates of a joint: slide, turn and swing of one frame relative to another.

use std::f64::consts::{PI, TAU};

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, elementary};

use super::Joint;
use crate::body::BodyId;

/// Frame A of body a and frame B of body b (world), with the coordinates of A relative to B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrames {
    /// A.
    pub a: Pose,
    /// B.
    pub b: Pose,
}

impl JointFrames {
    /// Returns the frames of `joint` with the principal frame of each body at `pose` of it (world).
    pub fn of(joint: &Joint, pose: impl Fn(BodyId) -> Pose) -> Self {
        let a = pose(joint.body_a).compose(&joint.frame_a);
        let b = joint.body_b.map_or(joint.frame_b, |body| pose(body).compose(&joint.frame_b));
        Self { a, b }
    }

    /// Returns the vector (m, world) from B's origin to A's.
    pub fn gap(&self) -> Vec3 {
        self.a.position - self.b.position
    }

    /// Returns the same vector along B's axes.
    pub fn gap_local(&self) -> Vec3 {
        self.b.inverse_vector(&self.gap())
    }

    /// Returns the slide (m): the position of A's origin along B's x axis.
    pub fn slide(&self) -> f64 {
        self.gap().dot(&self.axis_b())
    }

    /// Returns the rotation of A relative to B.
    pub fn relative(&self) -> UnitQuaternion {
        self.b.rotation.inverse() * self.a.rotation
    }

    /// Returns A's x axis (world).
    pub fn axis_a(&self) -> Vec3 {
        self.a.vector(&Vec3::x())
    }

    /// Returns B's x axis (world).
    pub fn axis_b(&self) -> Vec3 {
        self.b.vector(&Vec3::x())
    }

    /// Returns B's axes as columns (world).
    pub fn axes_b(&self) -> Mat3 {
        self.b.rotation_matrix()
    }

    /// Returns the turn (rad, in (−π, π]): the twist about x of the relative rotation, without the swing.
    ///
    /// ```
    /// use rigor_math::{Pose, Vec3, rotation_vector};
    /// use rigor_scene::JointFrames;
    /// let turned = Pose::new(Vec3::zeros(), rotation_vector::exp(&(Vec3::x() * 0.5)));
    /// let frames = JointFrames { a: turned, b: Pose::identity() };
    /// assert!((frames.turn() - 0.5).abs() < 1e-15);
    /// ```
    pub fn turn(&self) -> f64 {
        turn_of(&self.relative())
    }

    /// Returns the swing (rad): the rotation vector across x, in B's axes, of the shortest rotation from B's x axis to A's.
    pub fn swing(&self) -> Vec3 {
        swing_of(&self.relative())
    }

    /// Returns the cosine of the angle between B's x axis and A's y axis, which a universal joint keeps at 0.
    pub fn cross(&self) -> f64 {
        self.a.vector(&Vec3::y()).dot(&self.axis_b())
    }

    /// Returns the gradient of [`turn`](Self::turn): its rate as a rotates against b (world); `None` near a
    /// swing of π.
    ///
    /// (a₁ + b₁)/(1 + a₁·b₁) with the x axes a₁ and b₁: the mean axis n of the twist in \[Mueller2020\]
    /// §3.3.1, except for its length, 1/cos(swing/2).
    pub fn turn_gradient(&self) -> Option<Vec3> {
        let (a, b) = (self.axis_a(), self.axis_b());
        let scale = 1.0 + a.dot(&b);
        (scale > 1e-4).then(|| (a + b) / scale)
    }
}

/// Returns the turn (rad, in (−π, π]) of a relative rotation: 2 atan2(q_x, q_w).
pub fn turn_of(relative: &UnitQuaternion) -> f64 {
    let angle = 2.0 * elementary::atan2(relative.i, relative.w);
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Returns the angle that equals `angle` up to whole turns and is nearest to `near` (rad).
///
/// A turn that is followed from place to place, each less than half a turn from the last, is counted over whole turns.
///
/// ```
/// use rigor_scene::joint::unwrapped;
/// assert!((unwrapped(-3.0, 3.0) - (std::f64::consts::TAU - 3.0)).abs() < 1e-15);
/// assert_eq!(unwrapped(0.5, 0.0), 0.5);
/// ```
pub fn unwrapped(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// Bound on sin² below which asin(s)/s = 1 + s²/6 + 3s⁴/40 to rounding: the next term is s⁶ · 5/112.
const SMALL: f64 = 1e-6;

/// Returns the rotation vector (rad, across x) of the shortest rotation from B's x axis to A's, in B's axes.
///
/// Its length is the swing. Source: \[Mueller2020\] §3.3.1, Δq = a₁ × b₁. Deviation: its length is the angle
/// instead of the sine, so that axes in opposite directions are corrected too.
pub fn swing_of(relative: &UnitQuaternion) -> Vec3 {
    let u = relative * Vec3::x();
    let sine_sq = u.y * u.y + u.z * u.z;
    if sine_sq < SMALL && u.x > 0.0 {
        return Vec3::new(0.0, -u.z, u.y) * (1.0 + sine_sq * (1.0 / 6.0 + sine_sq * (3.0 / 40.0)));
    }
    let sine = sine_sq.sqrt();
    if sine > 0.0 {
        Vec3::new(0.0, -u.z, u.y) * (elementary::atan2(sine, u.x) / sine)
    } else {
        Vec3::new(0.0, PI, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_math::{quaternion, rotation_vector};

    fn frames(relative: UnitQuaternion) -> JointFrames {
        let b = Pose::new(Vec3::new(1.0, 2.0, 3.0), rotation_vector::exp(&Vec3::new(0.3, -0.8, 0.5)));
        JointFrames { a: b.compose(&Pose::new(Vec3::new(0.5, 0.0, 0.0), relative)), b }
    }

    #[test]
    fn swing_and_turn_make_the_rotation() {
        for (swing, turn) in [(0.3, 0.2), (2.9, -3.0), (1e-9, 1.0), (9e-4, 0.1), (1.1e-3, 0.1), (0.0, PI)] {
            let across = Vec3::new(0.0, 0.6, -0.8) * swing;
            let relative = rotation_vector::exp(&across) * rotation_vector::exp(&(Vec3::x() * turn));
            assert!((swing_of(&relative) - across).norm() < 1e-14, "{swing}");
            assert!((turn_of(&relative) - turn).abs() < 1e-14, "{turn}");
        }
    }

    #[test]
    fn turn_gradient_is_the_derivative_at_any_swing() {
        for swing in [0.0, 0.7, 2.0] {
            let relative =
                rotation_vector::exp(&(Vec3::y() * swing)) * rotation_vector::exp(&(Vec3::x() * 0.4));
            let here = frames(relative);
            let gradient = here.turn_gradient().unwrap();
            for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let at = |step: f64| {
                    let a = Pose { rotation: quaternion::rotate(&here.a.rotation, &(axis * step)), ..here.a };
                    JointFrames { a, b: here.b }.turn()
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - gradient.dot(&axis)).abs() < 1e-9, "{slope} against {gradient}");
            }
        }
    }

    #[test]
    fn a_turn_followed_in_small_parts_is_counted() {
        let (mut counted, mut exact) = (0.0, 0.0);
        for _ in 0..100 {
            exact += 2.9;
            let seen = frames(rotation_vector::exp(&(Vec3::x() * exact))).turn();
            counted = unwrapped(seen, counted);
        }
        assert!((counted - exact).abs() < 1e-12, "{counted} against {exact}");
    }
}
