//! The passage of a body from one frame to the next: where it was between them.

use rigor_math::turning::Turning;
use rigor_math::{Pose, Vec3, rotation_vector};
use rigor_scene::BodyState;

/// The largest value of s (1 − s) |1 − 2s| for s from 0 to 1, at s = ½ (1 ± 1/√3).
const TANGENT: f64 = 0.096_225_044_864_937_63;
/// Velocities say nothing about a passage whose way they miss by more than this part of it.
const CONTRADICTION: f64 = 0.5;

/// The passage of a body between two frames, Δt (s) apart, by the cubic that poses and velocities at both ends define.
///
/// With s from 0 to 1 and d = x₁ − x₀: x(s) = x₀ + s d + s (1 − s) \[(1 − s) (v₀ Δt − d) − s (v₁ Δt − d)\], the cubic of Hermite.
/// Rotations are R(s) = exp(ρ(s)) exp(s θ) R₀ with θ and ρ(1) of [`Turning`] and the cubic ρ(s) of which ω₀ and ω₁ are the angular
/// velocities at the ends: ρ'(0) = ω₀ Δt − θ and ρ'(1) = J(ρ)⁻¹ (ω₁ Δt − exp(ρ) θ).
///
/// Velocities that miss the way d by more than half of it, as those of a file that has none, say nothing: the passage is then straight,
/// with a constant rate of turning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passage {
    start: Vec3,
    way: Curve,
    turning: Turning,
    turn: Curve,
    dt: f64,
}

/// A cubic from 0 to `whole`, with its derivatives at both ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Curve {
    whole: Vec3,
    rates: [Vec3; 2],
    /// The change of the rate.
    bend: Vec3,
    /// The way, also the part that is not in `whole`.
    total: Vec3,
    /// Whether the rates are used.
    is_cubic: bool,
}

impl Curve {
    /// The curve with `said`, the derivatives at its ends in the same frame as `total`, the whole way; `base` is the part of the way
    /// that is not in `whole`.
    fn new(whole: Vec3, rates: [Vec3; 2], base: Vec3, said: [Vec3; 2]) -> Self {
        let missed = (whole - 0.5 * (rates[0] + rates[1])).norm();
        let size = (whole + base).norm().max(0.5 * (said[0].norm() + said[1].norm()));
        let is_cubic = missed <= CONTRADICTION * size;
        Self { whole, rates, bend: said[1] - said[0], total: whole + base, is_cubic }
    }

    fn at(&self, s: f64) -> Vec3 {
        let straight = s * self.whole;
        if !self.is_cubic {
            return straight;
        }
        let [first, last] = self.rates.map(|rate| rate - self.whole);
        straight + s * (1.0 - s) * ((1.0 - s) * first - s * last)
    }

    /// By how much the curve may miss the passage: a quarter of the change of the rate that the neighbour's does not explain, and what end
    /// rates that contradict the way can make. A straight line may miss by a quarter of the whole change, and of that of the way.
    fn bound(&self, beside: Option<&Self>, ratio: f64) -> f64 {
        let same = beside.filter(|beside| beside.is_cubic == self.is_cubic);
        if !self.is_cubic {
            let unexplained = same.map_or(self.total, |beside| self.total - ratio * beside.total);
            return 0.25 * (unexplained.norm() + self.bend.norm());
        }
        // A change of the rate in a passage grows with Δt²: as the rate and as the time.
        let unexplained = same.map_or(self.bend, |beside| self.bend - ratio * ratio * beside.bend);
        let missed = self.whole - 0.5 * (self.rates[0] + self.rates[1]);
        0.25 * unexplained.norm() + TANGENT * missed.norm()
    }
}

impl Passage {
    /// The passage from `then` to `now`, `dt` (s) later.
    pub(crate) fn new(then: &BodyState, now: &BodyState, dt: f64) -> Self {
        let way = now.pose.position - then.pose.position;
        let speeds = [then, now].map(|state| dt * state.linear_velocity);
        let spins = [then, now].map(|state| dt * state.angular_velocity);
        let of = |state: &'_ BodyState| (state.pose.rotation, state.angular_velocity);
        let ((q0, w0), (q1, w1)) = (of(then), of(now));
        let turning = Turning::between((&q0, &w0), (&q1, &w1), dt);
        let (steady, rest) = (turning.steady, turning.rest);
        let rates = [
            spins[0] - steady,
            rotation_vector::left_jacobian_inverse(&rest) * (spins[1] - rotation_vector::exp(&rest) * steady),
        ];
        Self {
            start: then.pose.position,
            way: Curve::new(way, speeds, Vec3::zeros(), speeds),
            turning,
            turn: Curve::new(rest, rates, steady, spins),
            dt,
        }
    }

    /// The pose at `s` from 0 to 1.
    pub(crate) fn at(&self, s: f64) -> Pose {
        let steady = rotation_vector::exp(&(s * self.turning.steady)) * self.turning.start;
        Pose::new(self.start + self.way.at(s), rotation_vector::exp(&self.turn.at(s)) * steady)
    }

    /// By how much [`Passage::at`] may miss the passage: a distance (m) and an angle (rad).
    ///
    /// `beside` is the passage before or after. What it says of the acceleration is taken for granted, and a velocity that changes
    /// otherwise is taken to have changed at once, at the worst moment: Δt |Δv − Δv′|/4. For a motion that is smooth this is of the order
    /// of Δt³, and for the free fall 0; for an impact it is larger than the error.
    pub(crate) fn bounds(&self, beside: Option<&Self>) -> [f64; 2] {
        let ratio = beside.map_or(1.0, |beside| self.dt / beside.dt);
        [
            self.way.bound(beside.map(|beside| &beside.way), ratio),
            self.turn.bound(beside.map(|beside| &beside.turn), ratio),
        ]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::UnitQuaternion;

    use super::*;

    fn state(position: Vec3, velocity: Vec3) -> BodyState {
        let pose = Pose::new(position, UnitQuaternion::identity());
        BodyState { linear_velocity: velocity, ..BodyState::at_rest(pose) }
    }

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        [-size..size, -size..size, -size..size].prop_map(|[x, y, z]| Vec3::new(x, y, z))
    }

    proptest! {
        /// Polynomials of the third degree are passages, to the bit but for rounding.
        #[test]
        fn a_cubic_is_its_own_passage(
            x in vector(3.0), v in vector(5.0), a in vector(9.0), jerk in vector(9.0), dt in 0.01..0.5_f64, s in 0.0..1.0_f64,
        ) {
            let place = |t: f64| x + v * t + 0.5 * a * t * t + jerk * (t * t * t / 6.0);
            let speed = |t: f64| v + a * t + 0.5 * jerk * t * t;
            let passage = Passage::new(&state(place(0.0), speed(0.0)), &state(place(dt), speed(dt)), dt);
            prop_assume!(passage.way.is_cubic);
            prop_assert!((passage.at(s).position - place(s * dt)).norm() < 1e-13);
        }

        /// A ball that bounces at any moment between two frames, and falls freely in those before: the bound holds.
        #[test]
        fn the_bound_holds_for_an_impact_at_any_moment(
            v in vector(5.0), rebound in vector(5.0), dt in 0.001..0.1_f64, part in 0.0..1.0_f64, s in 0.0..1.0_f64,
        ) {
            let g = Vec3::new(0.0, -9.81, 0.0);
            let fall = |t: f64| state(v * t + 0.5 * g * t * t, v + g * t);
            let at = fall(part * dt);
            let after = |t: f64| {
                let t = t - part * dt;
                state(at.pose.position + rebound * t + 0.5 * g * t * t, rebound + g * t)
            };
            let truth = |t: f64| if t < part * dt { fall(t) } else { after(t) };
            let before = Passage::new(&fall(-dt), &fall(0.0), dt);
            let passage = Passage::new(&truth(0.0), &truth(dt), dt);
            let error = (passage.at(s).position - truth(s * dt).pose.position).norm();
            let [bound, _] = passage.bounds(Some(&before));
            prop_assert!(error <= bound + 1e-12, "{error} {bound} {}", passage.way.is_cubic);
        }

        /// The angular velocity of the passage at its ends is that of the frames.
        #[test]
        fn a_turn_has_the_angular_velocities_of_its_ends(
            a in vector(2.0), omega in vector(6.0), faster in vector(1.0), fast in prop_oneof![Just(0.0), Just(40.0)],
        ) {
            let dt = 0.1;
            let (w0, w1) = (omega + fast * Vec3::z(), omega + faster + fast * Vec3::z());
            let q0 = rotation_vector::exp(&a);
            let q1 = rotation_vector::exp(&(0.5 * dt * (w0 + w1))) * q0;
            let of = |q, w| BodyState { angular_velocity: w, ..BodyState::at_rest(Pose::new(Vec3::zeros(), q)) };
            let passage = Passage::new(&of(q0, w0), &of(q1, w1), dt);
            prop_assume!(passage.turn.is_cubic);
            let h = 1e-5;
            for (s, w) in [(0.0, w0), (1.0, w1)] {
                let turn = passage.at(s + h).rotation * passage.at(s - h).rotation.inverse();
                let found = rotation_vector::log(&turn) / (2.0 * h * dt);
                prop_assert!((found - w).norm() < 1e-5 * (1.0 + w.norm()), "{found} {w}");
            }
        }
    }

    #[test]
    fn free_fall_has_no_error_and_none_is_told() {
        let g = Vec3::new(0.0, -9.81, 0.0);
        let fall = |t: f64| state(0.5 * g * t * t, g * t);
        let [one, two] = [0.0, 0.02].map(|t| Passage::new(&fall(t), &fall(t + 0.02), 0.02));
        assert!((two.at(0.5).position - fall(0.03).pose.position).norm() < 1e-15);
        assert!(two.bounds(Some(&one))[0] < 1e-15 && one.bounds(Some(&two))[0] < 1e-15);
        assert!(one.bounds(None)[0] > 1e-4);
    }

    #[test]
    fn frames_without_velocities_are_joined_by_straight_lines() {
        let at = |x: f64| BodyState::at_rest(Pose::new(Vec3::x() * x, UnitQuaternion::identity()));
        let [one, two] = [0.0, 1.0].map(|x| Passage::new(&at(x), &at(x + 1.0), 0.1));
        assert_eq!(two.at(0.25).position, Vec3::x() * 1.25);
        assert_eq!(two.bounds(Some(&one)), [0.0, 0.0]);
    }
}
