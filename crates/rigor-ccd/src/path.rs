//! The trajectory of one point during a step: its position and bounds on its motion.
//!
//! Speed and deviation from the chord are bounded twice: in closed form, which is cheap, and by interval
//! evaluation, which takes the motion on the given piece of time into account. The two are independent and
//! check each other.

use rigor_interval::{IMat3, IRigidMotion, IVec3, Interval};
use rigor_math::Vec3;

use crate::motion::RigidMotion;
use crate::relative::U;

/// The trajectory x(t) of a point, t ∈ [0, 1].
///
/// ```
/// use rigor_ccd::path::{Path, RigidPath};
/// use rigor_ccd::RigidMotion;
/// use rigor_interval::Interval;
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A point 2 m from the axis turns by 1 rad: it travels 2 m and is up to 2 (1 − cos ½) = 0.2448 m off its chord.
/// let motion = RigidMotion::about_axis([Vec3::zeros(); 2], UnitQuaternion::identity(), Vec3::z());
/// let path = RigidPath::new(motion, Vec3::x() * 2.0);
/// let all = Interval::new(0.0, 1.0);
/// assert!((path.speed_max(all) - 2.0).abs() < 1e-12);
/// assert!(path.chord_deviation(all) >= 0.2448 && path.chord_deviation(all) < 0.26);
/// ```
pub trait Path {
    /// Returns x(t) (m, world), rounded.
    fn position(&self, t: f64) -> Vec3;

    /// Returns a box that contains x(t) (m, world) for every t ∈ T.
    fn enclosure(&self, t: Interval) -> IVec3;

    /// Returns an upper bound on ‖ẋ‖ (m per step) over T, in closed form.
    fn speed_max(&self, t: Interval) -> f64;

    /// Returns an upper bound on ‖ẋ‖ (m per step) over T, by interval arithmetic.
    fn speed_max_interval(&self, t: Interval) -> f64;

    /// Returns an upper bound on the distance (m) between x(t), t ∈ T, and the point that moves at constant
    /// velocity from x(inf T) to x(sup T), in closed form.
    fn chord_deviation(&self, t: Interval) -> f64;

    /// Same as [`Path::chord_deviation`], by interval arithmetic.
    fn chord_deviation_interval(&self, t: Interval) -> f64;
}

/// x(t) = (1 − t) x(0) + t x(1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightPath {
    /// x(0) (m, world).
    pub start: Vec3,
    /// x(1) (m, world).
    pub end: Vec3,
}

impl Path for StraightPath {
    fn position(&self, t: f64) -> Vec3 {
        self.start * (1.0 - t) + self.end * t
    }

    fn enclosure(&self, t: Interval) -> IVec3 {
        let start = IVec3::from(self.start);
        start + (IVec3::from(self.end) - start) * t
    }

    fn speed_max(&self, _: Interval) -> f64 {
        (self.end - self.start).norm() * (1.0 + 8.0 * U)
    }

    fn speed_max_interval(&self, _: Interval) -> f64 {
        (IVec3::from(self.end) - IVec3::from(self.start)).norm().sup()
    }

    fn chord_deviation(&self, _: Interval) -> f64 {
        0.0
    }

    fn chord_deviation_interval(&self, _: Interval) -> f64 {
        0.0
    }
}

/// The trajectory x(t) = R(θ(t)) Q x̂ + q(t) of a point of a rigid body.
///
/// Source: [Ferguson2021] eq. (16).
#[derive(Debug, Clone, Copy)]
pub struct RigidPath {
    motion: RigidMotion,
    x_local: Vec3,
    curve: IRigidMotion,
    /// Q x̂.
    arm: IVec3,
}

impl RigidPath {
    /// The trajectory of the point `x_local` (m, body) under `motion`.
    pub fn new(motion: RigidMotion, x_local: Vec3) -> Self {
        let curve =
            IRigidMotion::new([motion.position_t0, motion.position_t1], [motion.theta_t0, motion.theta_t1]);
        let arm = IMat3::from_quaternion(&motion.orientation) * IVec3::from(x_local);
        Self { motion, x_local, curve, arm }
    }

    /// Returns ‖δ‖ (rad) and the distance (m) of the point from the centre, or from the axis if that is
    /// fixed. Both are rounded up.
    fn turn(&self) -> (f64, f64) {
        let delta = self.motion.theta_t1 - self.motion.theta_t0;
        let rate = delta.norm() * (1.0 + 8.0 * U);
        let arm = self.arm.mid();
        let from_centre = arm.norm() * (1.0 + 64.0 * U);
        let has_axis = self.motion.theta_t0 == Vec3::zeros() && rate > 0.0;
        let r = if has_axis {
            delta.cross(&arm).norm() / delta.norm() + 64.0 * U * from_centre
        } else {
            from_centre
        };
        (rate, r)
    }
}

impl Path for RigidPath {
    fn position(&self, t: f64) -> Vec3 {
        self.motion.point(t, &self.x_local)
    }

    fn enclosure(&self, t: Interval) -> IVec3 {
        self.curve.position(t, self.arm)
    }

    /// ‖q̇‖ + r ‖δ‖: lemma 1 of `docs/methods/ccd.md`.
    fn speed_max(&self, _: Interval) -> f64 {
        let (rate, r) = self.turn();
        let straight = (self.motion.position_t1 - self.motion.position_t0).norm();
        (straight + r * rate) * (1.0 + 16.0 * U)
    }

    fn speed_max_interval(&self, t: Interval) -> f64 {
        self.curve.speed_max(t, self.arm)
    }

    /// r ‖δ‖² |T|²/8: lemma 2 of `docs/methods/ccd.md`.
    fn chord_deviation(&self, t: Interval) -> f64 {
        let (rate, r) = self.turn();
        let turn = rate * (t.sup() - t.inf()) * (1.0 + 4.0 * U);
        r * turn * turn * 0.125 * (1.0 + 16.0 * U)
    }

    /// The smaller of eq. (20) of [Ferguson2021] and the mean-value bound, which uses the velocity.
    fn chord_deviation_interval(&self, t: Interval) -> f64 {
        let plain = self.curve.chord_deviation(t, self.arm);
        plain.min(self.curve.chord_deviation_mean_value(t, self.arm))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::rotation_vector;

    use super::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn rigid_path() -> impl Strategy<Value = RigidPath> {
        (prop::array::uniform2(vector(2.0)), vector(3.0), vector(3.0), vector(1.0), prop::bool::ANY).prop_map(
            |(position, first, second, x, has_axis)| {
                let orientation = rotation_vector::exp(&first);
                let motion = if has_axis {
                    RigidMotion::about_axis(position, orientation, second)
                } else {
                    RigidMotion { orientation, ..RigidMotion::between(position, [first, second]) }
                };
                RigidPath::new(motion, x)
            },
        )
    }

    fn piece() -> impl Strategy<Value = Interval> {
        (0.0..1.0f64, 0.0..1.0f64).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b)))
    }

    /// Every bound of `path` on `t` holds at the fraction `s` of `t`, up to the `rounding` of the compared
    /// positions.
    fn holds(path: &impl Path, t: Interval, s: f64, rounding: f64) -> Result<(), TestCaseError> {
        let at = |s: f64| t.inf() + s * (t.sup() - t.inf());
        let x = path.position(at(s));
        let enclosure = path.enclosure(t);
        for (x, range) in x.iter().zip(&enclosure.0) {
            prop_assert!(range.inf() - rounding <= *x && *x <= range.sup() + rounding);
        }
        let h = 1e-4 * (t.sup() - t.inf());
        let (behind, ahead) = (at(s * 0.999), at(s * 0.999) + h);
        let speed = (path.position(ahead) - path.position(behind)).norm() - rounding;
        prop_assert!(speed <= path.speed_max(t) * h);
        prop_assert!(speed <= path.speed_max_interval(t) * h);
        let chord = path.position(at(0.0)) * (1.0 - s) + path.position(at(1.0)) * s;
        let deviation = (x - chord).norm() - rounding;
        prop_assert!(deviation <= path.chord_deviation(t), "{} {}", deviation, path.chord_deviation(t));
        prop_assert!(deviation <= path.chord_deviation_interval(t));
        Ok(())
    }

    proptest! {
        #[test]
        fn rigid_points_keep_to_their_bounds(path in rigid_path(), t in piece(), s in 0.0..1.0) {
            holds(&path, t, s, 1e-14)?;
        }

        #[test]
        fn straight_points_keep_to_their_bounds(start in vector(2.0), end in vector(2.0), t in piece(), s in 0.0..1.0) {
            holds(&StraightPath { start, end }, t, s, 1e-14)?;
        }

        /// At a single time the interval speed is exact up to rounding: the closed form must not be below it,
        /// and on short pieces neither bound may be far too large.
        #[test]
        fn closed_forms_and_intervals_check_each_other(path in rigid_path(), t in 0.0..0.999) {
            let now = Interval::point(t);
            prop_assert!(path.speed_max_interval(now) <= path.speed_max(now) * (1.0 + 1e-12) + 1e-12);
            // Over a short piece the velocity changes by at most r‖δ‖²|T|, which intervals bound per
            // component. Their bound is half of that times |T|, four times the closed form, times √3 for the
            // components.
            let piece = Interval::new(t, t + 1e-3);
            let (closed, interval) = (path.chord_deviation(piece), path.chord_deviation_interval(piece));
            let rate = (path.motion.theta_t1 - path.motion.theta_t0).norm();
            let largest = path.x_local.norm() * rate * rate * 1e-6 / 8.0;
            prop_assert!(closed <= largest * (1.0 + 1e-12));
            prop_assert!(interval <= 16.0 * largest + 1e-15, "{interval} {closed} {largest}");
        }
    }
}
