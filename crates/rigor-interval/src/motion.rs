//! The motion of a rigid body over an interval of time.

use crate::elementary::{sinc_derivatives, versinc_derivatives};
use crate::{IMat3, IVec3, Interval};
use rigor_math::Vec3;

/// A motion for t ∈ T along which the position and the rotation vector change at constant rates.
///
/// x(t) = R(θ(t)) x̂ + q(t), θ(t) = (1 − t) θ₀ + t θ₁, q(t) = (1 − t) q₀ + t q₁, with the given numbers taken
/// as exact reals.
///
/// Source: \[Ferguson2021\] eq. (16).
///
/// Points x̂ are boxes, so that a point computed with rounding can be given with its error. Outside t ∈ [0,
/// 1] the motion continues at the same rates.
///
/// ```
/// use rigor_interval::{IRigidMotion, IVec3, Interval};
/// use rigor_math::Vec3;
/// let half_turn = Vec3::z() * std::f64::consts::PI;
/// let motion = IRigidMotion::new([Vec3::zeros(), Vec3::x()], [Vec3::zeros(), half_turn]);
/// let x = motion.position(Interval::point(0.5), IVec3::from(Vec3::x()));
/// assert!((x.mid() - Vec3::new(0.5, 1.0, 0.0)).norm() < 1e-15 && x.width() < 1e-14);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IRigidMotion {
    /// q₀ (m, world).
    pub position_t0: IVec3,
    /// q₁ − q₀.
    pub position_rate: IVec3,
    /// θ₀ (rad).
    pub theta_t0: IVec3,
    /// δ = θ₁ − θ₀.
    pub theta_rate: IVec3,
}

impl IRigidMotion {
    /// The motion between the positions (m, world) and rotation vectors (rad) at t = 0 and t = 1.
    pub fn new(position: [Vec3; 2], theta: [Vec3; 2]) -> Self {
        let [position_t0, position_t1] = position.map(IVec3::from);
        let [theta_t0, theta_t1] = theta.map(IVec3::from);
        Self {
            position_t0,
            position_rate: position_t1 - position_t0,
            theta_t0,
            theta_rate: theta_t1 - theta_t0,
        }
    }

    /// {q(t)} (m, world).
    pub fn translation(&self, t: Interval) -> IVec3 {
        self.position_t0 + self.position_rate * t
    }

    /// {θ(t)} (rad).
    pub fn theta(&self, t: Interval) -> IVec3 {
        self.theta_t0 + self.theta_rate * t
    }

    /// {R(θ(t))}.
    pub fn rotation(&self, t: Interval) -> IMat3 {
        IMat3::rotation(self.theta(t))
    }

    /// {x(t)} (m, world) with every operation of eq. (16) evaluated on intervals: the natural extension.
    ///
    /// Its width falls with that of T, but is several times that of the true range.
    pub fn position_natural(&self, t: Interval, x_local: IVec3) -> IVec3 {
        self.rotation(t) * x_local + self.translation(t)
    }

    /// {x(t)} (m, world): the intersection of the natural extension and the mean-value form.
    ///
    /// x(T) ⊂ x(c) + ẋ(T) (T − c), c the middle of T. The excess of its width over the true range falls with
    /// the square of T's width.
    pub fn position(&self, t: Interval, x_local: IVec3) -> IVec3 {
        let natural = self.position_natural(t, x_local);
        if t.is_point() || !t.is_bounded() {
            return natural;
        }
        let middle = Interval::point(t.mid());
        let mean = self.position_natural(middle, x_local) + self.velocity(t, x_local) * (t - middle);
        natural.intersection(mean)
    }

    /// {ẋ(t)} (m per step, world).
    ///
    /// ẋ = (θ·δ) (Ds a + Dv θ × a) + s δ × x̂ + v (δ × a + θ × (δ × x̂)) + q̇ with a = θ × x̂, and s, v and
    /// their derivatives from [`rigor_math::sinc`] at ‖θ‖.
    ///
    /// Source: \[Ferguson2021\] eq. (16) with eq. (14), differentiated by t.
    pub fn velocity(&self, t: Interval, x_local: IVec3) -> IVec3 {
        self.turning_velocity(t, x_local) + self.position_rate
    }

    /// {ẋ − q̇}.
    fn turning_velocity(&self, t: Interval, x_local: IVec3) -> IVec3 {
        let (theta, delta) = (self.theta(t), self.theta_rate);
        let angle = theta.norm();
        let [s, ds] = sinc_derivatives(angle);
        let [v, dv] = versinc_derivatives(angle);
        let (a, rate) = (theta.cross(x_local), delta.cross(x_local));
        let radial = (a * ds + theta.cross(a) * dv) * theta.dot(delta);
        radial + rate * s + (delta.cross(a) + theta.cross(rate)) * v
    }

    /// Upper bound on ‖ẋ‖ over T (m per step), for any point of the box.
    pub fn speed_max(&self, t: Interval, x_local: IVec3) -> f64 {
        self.velocity(t, x_local).norm().sup()
    }

    /// Upper bound (m) on the distance of the point from its chord over T = [t₀, t₁], evaluated on intervals.
    ///
    /// e(t) = ‖φ(t) − ((1 − u) φ(t₀) + u φ(t₁))‖, u = (t − t₀)/(t₁ − t₀), with t ∈ T and u ∈ [0, 1] treated
    /// as independent.
    ///
    /// Source: \[Ferguson2021\] eq. (20). Deviation: q(t) is its own chord and left out. As t and u are
    /// treated as independent, the bound falls only in proportion to the width of T; see
    /// [`Self::chord_deviation_mean_value`]. ∞ if T is empty or unbounded.
    pub fn chord_deviation(&self, t: Interval, x_local: IVec3) -> f64 {
        let Some([start, end]) = self.turned_ends(t, x_local) else { return f64::INFINITY };
        let chord = start + (end - start) * Interval::new(0.0, 1.0);
        (self.rotation(t) * x_local - chord).norm().sup()
    }

    /// Upper bound (m) on how far the point leaves its chord over T = [t₀, t₁], from its velocity on
    /// intervals.
    ///
    /// g = φ − chord vanishes at t₀ and t₁, so |gᵢ(t)| ≤ min(t − t₀, t₁ − t) max |gᵢ′| ≤ ½ (t₁ − t₀) max
    /// |gᵢ′|, and gᵢ′ is ẋᵢ minus its mean, which is in ẋᵢ(T) as well. So the bound falls with the square of
    /// the width of T. ∞ if T is empty or unbounded.
    pub fn chord_deviation_mean_value(&self, t: Interval, x_local: IVec3) -> f64 {
        let Some([start, end]) = self.turned_ends(t, x_local) else { return f64::INFINITY };
        let duration = Interval::point(t.sup()) - Interval::point(t.inf());
        if duration.sup() == 0.0 {
            return 0.0;
        }
        let velocity = self.turning_velocity(t, x_local);
        let mean = IVec3((end - start).0.map(|d| d / duration)).intersection(velocity);
        ((velocity - mean) * (0.5 * duration)).norm().sup()
    }

    /// R(θ) x̂ at both ends of T; `None` if T is empty or unbounded.
    fn turned_ends(&self, t: Interval, x_local: IVec3) -> Option<[IVec3; 2]> {
        let at = |t: f64| self.rotation(Interval::point(t)) * x_local;
        t.is_bounded().then(|| [at(t.inf()), at(t.sup())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{Big, exact, holds, position};
    use proptest::prelude::*;
    use rigor_math::rotation_vector;

    #[derive(Debug, Clone)]
    struct Case {
        q: [Vec3; 2],
        theta: [Vec3; 2],
        x: Vec3,
        t: [f64; 2],
    }

    impl Case {
        fn motion(&self) -> IRigidMotion {
            IRigidMotion::new(self.q, self.theta)
        }

        fn time(&self) -> Interval {
            Interval::new(self.t[0], self.t[1])
        }

        fn exact(&self, t: f64) -> [Big; 3] {
            let numbers = |v: [Vec3; 2]| v.map(|v| [v.x, v.y, v.z]);
            position(t, numbers(self.q), numbers(self.theta), [self.x.x, self.x.y, self.x.z])
        }

        /// r ‖δ‖², which bounds the acceleration.
        fn acceleration(&self) -> f64 {
            self.x.norm() * (self.theta[1] - self.theta[0]).norm_squared()
        }

        fn size(&self) -> f64 {
            self.x.norm() + self.q[0].norm() + self.q[1].norm()
        }
    }

    fn vector(reach: f64) -> impl Strategy<Value = Vec3> {
        [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
    }

    /// Turns from almost none to several, from θ₀ = 0 or not, over parts of the step of any length.
    fn case() -> impl Strategy<Value = Case> {
        let reach = prop_oneof![Just(1e-9), Just(0.1), Just(2.0), Just(12.0)];
        let angles = (reach, any::<bool>()).prop_flat_map(|(r, from_zero)| {
            (vector(r), vector(r)).prop_map(move |(a, b)| [if from_zero { Vec3::zeros() } else { a }, b])
        });
        let times = (0.0..1.0f64, 0..40i32).prop_map(|(t, e)| [t, (t + 2f64.powi(-e)).min(1.0)]);
        ([vector(3.0), vector(3.0)], angles, vector(2.0), times).prop_map(|(q, theta, x, t)| Case {
            q,
            theta,
            x,
            t,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(250))]

        #[test]
        fn positions_are_held(case in case(), s in 0.0..=1.0f64) {
            let (motion, x) = (case.motion(), IVec3::from(case.x));
            let (natural, tight) = (motion.position_natural(case.time(), x), motion.position(case.time(), x));
            for t in [case.t[0], (case.t[0] + s * (case.t[1] - case.t[0])).min(case.t[1]), case.t[1]] {
                let exact = case.exact(t);
                let point = motion.position(Interval::point(t), x);
                for i in 0..3 {
                    prop_assert!(holds(natural[i], &exact[i]) && holds(tight[i], &exact[i]) && holds(point[i], &exact[i]));
                }
                // About 16 units in the last place of every term; angles up to 42 rad.
                prop_assert!(point.width() < 1e-13 * case.size(), "{:e}", point.width());
            }
        }

        #[test]
        fn the_mean_of_the_velocity_is_among_velocities(case in case()) {
            let velocity = case.motion().velocity(case.time(), IVec3::from(case.x));
            let (start, end) = (case.exact(case.t[0]), case.exact(case.t[1]));
            let duration = exact(case.t[1]) - exact(case.t[0]);
            for i in 0..3 {
                let displacement = &end[i] - &start[i];
                prop_assert!(exact(velocity[i].inf()) * &duration <= displacement && displacement <= exact(velocity[i].sup()) * &duration);
            }
        }

        #[test]
        fn velocities_are_those_of_the_gradient(case in case()) {
            let (t, delta) = (case.t[0], case.theta[1] - case.theta[0]);
            let gradient = rotation_vector::matrix_gradient(&(case.theta[0] + t * delta));
            let rate = gradient[0] * delta.x + gradient[1] * delta.y + gradient[2] * delta.z;
            let velocity = rate * case.x + case.q[1] - case.q[0];
            let set = case.motion().velocity(Interval::point(t), IVec3::from(case.x));
            // Terms up to ‖θ‖² v ‖δ‖ r before they cancel: 42² · 42 · 3.5 / 42².
            let slack = 1e-13 * (case.size() + 100.0 * case.acceleration().min(case.x.norm() * delta.norm()));
            prop_assert!((set.mid() - velocity).norm() < slack && set.width() < slack, "{} {:e}", set.mid() - velocity, set.width());
        }

        #[test]
        fn closed_forms_and_intervals_bound_the_same_speed(case in case(), s in 0.0..=1.0f64) {
            let t = case.t[0] + s * (case.t[1] - case.t[0]);
            let (motion, x) = (case.motion(), IVec3::from(case.x));
            let delta = case.theta[1] - case.theta[0];
            let closed = (case.q[1] - case.q[0]).norm() + case.x.norm() * delta.norm();
            let at_point = motion.velocity(Interval::point(t), x);
            prop_assert!(at_point.mid().norm() <= closed * (1.0 + 1e-12) + 1e-300);
            prop_assert!(motion.speed_max(case.time(), x) >= at_point.mid().norm() * (1.0 - 1e-12));
        }

        #[test]
        fn chords_are_left_by_less_than_every_bound(case in case(), s in 0.0..=1.0f64) {
            let (motion, x, time) = (case.motion(), IVec3::from(case.x), case.time());
            let (natural, mean_value) = (motion.chord_deviation(time, x), motion.chord_deviation_mean_value(time, x));
            let (start, end) = (case.exact(case.t[0]), case.exact(case.t[1]));
            let t = (case.t[0] + s * (case.t[1] - case.t[0])).min(case.t[1]);
            let u = (exact(t) - exact(case.t[0])) / (exact(case.t[1]) - exact(case.t[0]));
            let at = case.exact(t);
            let deviation: Vec<Big> = (0..3).map(|i| &at[i] - (&start[i] + &u * (&end[i] - &start[i]))).collect();
            let square = &deviation[0] * &deviation[0] + &deviation[1] * &deviation[1] + &deviation[2] * &deviation[2];
            let duration = case.t[1] - case.t[0];
            let closed = case.acceleration() * duration * duration / 8.0 * (1.0 + 1e-12);
            for bound in [natural, mean_value, closed] {
                prop_assert!(square <= exact(bound) * exact(bound), "{:e}", bound);
            }
        }
    }

    /// A tumbling point: the motion, the time from t = 0.4 over `duration`, and the point.
    fn tumble(duration: f64) -> (IRigidMotion, Interval, IVec3) {
        let motion = IRigidMotion::new(
            [Vec3::zeros(), Vec3::x()],
            [Vec3::new(0.3, -0.2, 0.5), Vec3::new(-0.4, 0.8, 1.1)],
        );
        (motion, Interval::new(0.4, 0.4 + duration), IVec3::from(Vec3::new(1.0, 0.5, -0.7)))
    }

    #[test]
    fn tight_forms_gain_with_the_square_of_the_piece() {
        let excess = |duration: f64| {
            let (motion, t, x) = tumble(duration);
            let at = |s: f64| motion.position_natural(Interval::point(t.inf() + s * duration), x);
            let covered = (0..=100).map(|i| at(f64::from(i) / 100.0)).reduce(IVec3::hull).unwrap();
            motion.position(t, x).width() - covered.width()
        };
        let ratio = excess(1e-2) / excess(1e-3);
        assert!((80.0..125.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn chord_bounds_fall_as_they_are_said_to() {
        let bounds = |duration: f64| {
            let (motion, t, x) = tumble(duration);
            let delta = Vec3::new(-0.7, 1.0, 0.6);
            let closed = x.mid().norm() * delta.norm_squared() * duration * duration / 8.0;
            [motion.chord_deviation(t, x), motion.chord_deviation_mean_value(t, x), closed]
        };
        let ([natural, mean_value, closed], [natural_later, mean_value_later, _]) =
            (bounds(1e-2), bounds(1e-3));
        assert!((9.0..11.0).contains(&(natural / natural_later)), "{natural} {natural_later}");
        assert!((90.0..110.0).contains(&(mean_value / mean_value_later)), "{mean_value} {mean_value_later}");
        println!(
            "chord bounds over 0.01: {natural:.3e} as printed, {mean_value:.3e} mean value, {closed:.3e} closed form"
        );
        // Half the width of the velocity instead of an eighth of its change, plus interval overestimation.
        assert!(mean_value > closed && mean_value < 16.0 * closed);
    }

    #[test]
    fn no_time_and_no_end_of_time_are_answered() {
        let (motion, _, x) = tumble(0.1);
        assert_eq!(motion.chord_deviation(Interval::ENTIRE, x), f64::INFINITY);
        assert_eq!(motion.chord_deviation_mean_value(Interval::EMPTY, x), f64::INFINITY);
        assert_eq!(motion.chord_deviation_mean_value(Interval::point(0.3), x), 0.0);
        assert!(motion.position(Interval::EMPTY, x).is_empty());
        let anywhere = motion.position(Interval::ENTIRE, x);
        assert!(!anywhere.is_empty() && anywhere[1].is_bounded() && !anywhere[0].is_bounded());
    }
}
