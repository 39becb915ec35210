//! The turn of a body between two frames of which the orientations and the angular velocities are known.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::{UnitQuaternion, Vec3, rotation_vector};

/// A motion from one orientation to another: q(s) = exp(s ρ) exp(s θ) q₀ for s from 0 to 1.
///
/// θ is the turn that the angular velocities say, and ρ the shortest one that is then missing. Two orientations alone do not say how
/// often a body turned between them; its mean angular velocity does.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, turning::Turning};
/// // A whole turn in a second: both orientations are the same.
/// let (q, omega) = (UnitQuaternion::identity(), Vec3::z() * std::f64::consts::TAU);
/// let turning = Turning::between((&q, &omega), (&q, &omega), 1.0);
/// let quarter = turning.at(0.25) * Vec3::x();
/// assert!((quarter - Vec3::y()).norm() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turning {
    /// q₀.
    pub start: UnitQuaternion,
    /// θ (rad, world).
    pub steady: Vec3,
    /// ρ (rad, world), of norm at most π.
    pub rest: Vec3,
    /// Whether the angular velocities say the turn: [`MAX_DOUBT`].
    pub is_known: bool,
}

/// The largest |ω₁ − ω₀| Δt (rad) with which a turn by more than a quarter is known: ω bends by half of it from its mean, and a turn
/// by this angle more or less is not mistaken for another one of the same orientations.
pub const MAX_DOUBT: f64 = FRAC_PI_2;

impl Turning {
    /// The motion from the orientation and angular velocity (rad/s, world) `from` to those `to`, `dt` (s) later.
    ///
    /// With g = ½ (ω₀ + ω₁) Δt: θ = 0 and ρ = log(q₁ q₀⁻¹) if |g| ≤ π/2, and θ = g and ρ = log(q₁ q₀⁻¹ exp(−g)) otherwise. If all
    /// turns are about one axis, the turn is the angle congruent to that of q₁ q₀⁻¹ which is nearest to g.
    ///
    /// The turn is *known* if |g| ≤ π/2, or |ω₁ − ω₀| Δt ≤ [`MAX_DOUBT`] and |ρ| ≤ π/2.
    pub fn between(from: (&UnitQuaternion, &Vec3), to: (&UnitQuaternion, &Vec3), dt: f64) -> Self {
        let (start, omega) = from;
        let turn = to.0 * start.inverse();
        let mean = 0.5 * dt * (omega + to.1);
        let doubt = dt.abs() * (to.1 - omega).norm();
        if mean.norm() <= FRAC_PI_2 {
            let is_known = doubt <= 2.0 * MAX_DOUBT;
            return Self {
                start: *start,
                steady: Vec3::zeros(),
                rest: rotation_vector::log(&turn),
                is_known,
            };
        }
        let rest = rotation_vector::log(&(turn * rotation_vector::exp(&-mean)));
        let is_known = doubt <= MAX_DOUBT && rest.norm() <= FRAC_PI_2;
        Self { start: *start, steady: mean, rest, is_known }
    }

    /// q(s); q(0) is q₀, to the bit.
    pub fn at(&self, s: f64) -> UnitQuaternion {
        if self.steady == Vec3::zeros() {
            return rotation_vector::exp(&(s * self.rest)) * self.start;
        }
        rotation_vector::exp(&(s * self.rest)) * rotation_vector::exp(&(s * self.steady)) * self.start
    }

    /// An upper bound of the angle (rad) by which the body turns.
    pub fn most(&self) -> f64 {
        self.steady.norm() + self.rest.norm()
    }
}

/// The rotation vector of `q` that is nearest to `guess` (rad); that of the shortest turn has a norm of at most π.
///
/// The rotation vectors of q are (α + 2πk) n for its angle α and axis n, so that a guess of 2π across n has no rotation vector
/// near; [`Turning`] has no such gap. A rotation by less than 10⁻⁹ rad has any axis: that of the guess is taken.
///
/// ```
/// use rigor_math::{Vec3, rotation_vector, turning};
/// let q = rotation_vector::exp(&Vec3::new(0.0, 0.0, 7.0));
/// assert!((turning::nearest(&q, &Vec3::new(0.1, 0.0, 6.5)) - Vec3::new(0.0, 0.0, 7.0)).norm() < 1e-14);
/// ```
pub fn nearest(q: &UnitQuaternion, guess: &Vec3) -> Vec3 {
    let shortest = rotation_vector::log(q);
    let (angle, size) = (shortest.norm(), guess.norm());
    if angle < 1e-9 {
        let turns = (size / TAU).round();
        return if turns == 0.0 { shortest } else { shortest + guess * (turns * TAU / size) };
    }
    let axis = shortest / angle;
    let turns = ((axis.dot(guess) - angle) / TAU).round();
    if turns == 0.0 { shortest } else { axis * (angle + TAU * turns) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        [-size..size, -size..size, -size..size].prop_map(|[x, y, z]| Vec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn a_turning_begins_and_ends_at_its_orientations(
            a in vector(3.0), b in vector(3.0), omega in vector(30.0), faster in vector(3.0), dt in 0.01..2.0_f64,
        ) {
            let (q0, q1) = (rotation_vector::exp(&a), rotation_vector::exp(&b));
            let turning = Turning::between((&q0, &omega), (&q1, &(omega + faster)), dt);
            prop_assert_eq!(turning.at(0.0), q0);
            prop_assert!(turning.at(1.0).angle_to(&q1) < 1e-13);
        }

        /// A body that turns steadily by any angle, also by a multiple of 2π, takes the turn that it took.
        #[test]
        fn a_steady_turn_of_any_angle_is_followed(
            a in vector(3.0), axis in vector(1.0), turn in prop_oneof![0.01..1000.0_f64, (0..200_u32).prop_map(|k| f64::from(k) * TAU / 2.0)],
            s in 0.0..1.0_f64,
        ) {
            let axis = axis.normalize();
            let (q0, omega) = (rotation_vector::exp(&a), axis * turn);
            let q1 = rotation_vector::exp(&omega) * q0;
            let turning = Turning::between((&q0, &omega), (&q1, &omega), 1.0);
            prop_assert!(turning.is_known);
            let exact = rotation_vector::exp(&(s * omega)) * q0;
            prop_assert!(turning.at(s).angle_to(&exact) < 1e-12 * (1.0 + turn));
            prop_assert!((nearest(&rotation_vector::exp(&omega), &omega) - omega).norm() < 1e-12 * (1.0 + turn));
        }
    }

    #[test]
    fn a_turn_that_changes_too_fast_is_not_known() {
        let q = UnitQuaternion::identity();
        let known =
            |a: f64, b: f64| Turning::between((&q, &(a * Vec3::z())), (&q, &(b * Vec3::z())), 1.0).is_known;
        assert!(known(0.0, 0.0) && known(0.0, 3.0) && known(TAU, TAU + 1.5) && known(-TAU, -TAU));
        assert!(!known(0.0, TAU) && !known(-4.0, 4.0) && !known(TAU, TAU + 1.6));
        // Two orientations that contradict the angular velocities.
        assert!(!known(3.2, 3.2));
    }
}
