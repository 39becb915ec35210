//! How a rigid body moves, over an interval of time.

use crate::elementary::{sinc_derivatives, versinc_derivatives};
use crate::{IMat3, IVec3, Interval};
use rigor_math::Vec3;

/// A motion along which the position and the rotation vector change at constant rates, for t ∈ T.
///
/// x(t) = R(θ(t)) x̂ + q(t), θ(t) = (1 − t) θ₀ + t θ₁, q(t) = (1 − t) q₀ + t q₁, of the given numbers taken as exact reals.
///
/// Source: [Ferguson2021] eq. (16).
///
/// Points x̂ are boxes, so that a point that was turned before with rounding may be given with its error. A t outside
/// [0, 1] is where the same rates lead.
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
    /// From the positions (m, world) and the rotation vectors (rad) at t = 0 and t = 1.
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

    /// {x(t)} (m, world), every operation of eq. (16) done on intervals: the natural extension. Its width falls with that of
    /// T, but is several times what the point covers.
    pub fn position_natural(&self, t: Interval, x_local: IVec3) -> IVec3 {
        self.rotation(t) * x_local + self.translation(t)
    }

    /// {x(t)} (m, world): the natural extension and the mean-value form, whichever is narrower in each component.
    ///
    /// x(T) ⊂ x(c) + ẋ(T) (T − c), c the middle of T. What it is wider than the true range falls with the square of T's width.
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
    /// ẋ = (θ·δ) (Ds a + Dv θ × a) + s δ × x̂ + v (δ × a + θ × (δ × x̂)) + q̇ with a = θ × x̂, and s, v and their derivatives
    /// of [`rigor_math::sinc`] at ‖θ‖.
    ///
    /// Source: [Ferguson2021] eq. (16) with eq. (14), differentiated by t.
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

    /// max ‖ẋ‖ over T at most (m per step), for any point of the box.
    pub fn speed_max(&self, t: Interval, x_local: IVec3) -> f64 {
        self.velocity(t, x_local).norm().sup()
    }

    /// How far the point may leave its chord over T = [t₀, t₁] at most (m): the deviation on intervals.
    ///
    /// e(t) = ‖φ(t) − ((1 − u) φ(t₀) + u φ(t₁))‖, u = (t − t₀)/(t₁ − t₀), with t ∈ T and u ∈ [0, 1] taken for unrelated.
    ///
    /// Source: [Ferguson2021] eq. (20). Deviation: q(t) is its own chord and left out. As t and u are unrelated, the bound
    /// falls only in proportion to the width of T; see [`Self::chord_deviation_mean_value`]. ∞ if T is empty or unbounded.
    pub fn chord_deviation(&self, t: Interval, x_local: IVec3) -> f64 {
        let Some([start, end]) = self.turned_ends(t, x_local) else { return f64::INFINITY };
        let chord = start + (end - start) * Interval::new(0.0, 1.0);
        (self.rotation(t) * x_local - chord).norm().sup()
    }

    /// How far the point may leave its chord over T = [t₀, t₁] at most (m), from its velocity on intervals.
    ///
    /// g = φ − chord vanishes at t₀ and t₁, so that |gᵢ(t)| ≤ min(t − t₀, t₁ − t) max |gᵢ′| ≤ ½ (t₁ − t₀) max |gᵢ′|, and gᵢ′ is ẋᵢ less
    /// its mean, which is in ẋᵢ(T) as well. So the bound falls with the square of the width of T. ∞ if T is empty or
    /// unbounded.
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

    /// R(θ) x̂ at both ends of T.
    fn turned_ends(&self, t: Interval, x_local: IVec3) -> Option<[IVec3; 2]> {
        let at = |t: f64| self.rotation(Interval::point(t)) * x_local;
        t.is_bounded().then(|| [at(t.inf()), at(t.sup())])
    }
}
