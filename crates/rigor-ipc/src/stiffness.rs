//! κ: how stiff the barrier is.

use crate::barrier::Barrier;

/// How many times the mean body's weight the barrier bears in the middle of its reach.
const FIRMNESS: f64 = 1000.0;
/// As many times at the least, where d̂ is little against what weight does in a step.
const LEAST: f64 = 10.0;
/// κ is never more than this times what it is for surfaces that begin far apart.
const RANGE: f64 = 1e9;

/// Where κ starts, and when it is raised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stiffness {
    barrier: Barrier,
    /// m̄ (kg), h² ‖g‖ (m).
    mass: f64,
    fall: f64,
    d_hat: f64,
    d_min: f64,
}

impl Stiffness {
    /// For bodies of the mean mass `mass` (kg) under the weight of `fall` = h² ‖g‖ (m).
    pub fn new(mass: f64, fall: f64, d_hat: f64, d_min: f64) -> Self {
        Self { barrier: Barrier::new(d_hat, d_min), mass, fall, d_hat, d_min }
    }

    /// κ for a simulation that begins with the smallest distance `near` (m) > d_min, infinity without contacts.
    ///
    /// κ ∂b/∂d = 1000 m̄ max(h² ‖g‖, ½ d̂) at d = ½ d̂: one body rests near the end of the barrier's reach, and where
    /// weight is little against d̂ the barrier is still far stiffer than inertia. Surfaces that begin nearer than that,
    /// at w = `near` − d_min (m), would fly apart: there it is 1000 m̄ max(h² ‖g‖, w) 2w/d̂ at d = w.
    ///
    /// Where h² ‖g‖ is more than d̂, d̂ takes its place, but not so that fewer than ten bodies rest at ½ d̂: what the
    /// barrier stores, and with it how far impacts rebound and piles give way, shrinks with d̂, and a stiff one is felt
    /// only in the last hundredths of it, which Newton's steps, as long as what weight does, enter and leave.
    ///
    /// Deviation: [Li2020] supplement §5 estimates κ anew from −∇B·∇E/‖∇B‖² at every start, with a lower bound that
    /// makes the barrier as stiff as 10¹¹ m̄ at 10⁻⁸ of the scene. Both push what rests to the very edge of d̂, where
    /// the barrier is a wall that Newton's method enters and leaves: several times the iterations in impacts. A softer
    /// one lets impacts rebound, and frictionless stacks slip.
    pub fn at_start(&self, near: f64) -> f64 {
        let width = (0.5 * self.d_hat).min(near - self.d_min);
        let d = self.d_min + width;
        let (by_square, _) = self.barrier.derivatives(d * d);
        let weight = self.fall.min(self.d_hat.max(LEAST / FIRMNESS * self.fall));
        let firmness = FIRMNESS * 2.0 * width / self.d_hat;
        firmness * self.mass * weight.max(width) / (2.0 * d * by_square.abs())
    }

    /// κ after an iteration in which the smallest distance went from `before` to `now` (m): doubled below 10⁻³ d̂, up
    /// to a bound that does not depend on where bodies are.
    pub fn raised(&self, kappa: f64, before: f64, now: f64) -> f64 {
        let is_too_near = now < before && now < self.d_min + 1e-3 * self.d_hat;
        let can_rise = 2.0 * kappa <= RANGE * self.at_start(f64::INFINITY);
        if is_too_near && can_rise { 2.0 * kappa } else { kappa }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether as much as `bodies` times the weight of h² ‖g‖ = `fall` d̂ rests at d_min + ½ d̂.
    fn rest_in_the_middle(bodies: f64, fall: f64) {
        for (d_hat, d_min) in [(1e-3, 0.0), (0.02, 0.1)] {
            let (mass, fall) = (3.0, fall * d_hat);
            let kappa = Stiffness::new(mass, fall, d_hat, d_min).at_start(f64::INFINITY);
            let energy = |d: f64| bodies * mass * fall * d + kappa * Barrier::new(d_hat, d_min).value(d * d);
            let (middle, h) = (d_min + 0.5 * d_hat, 1e-3 * d_hat);
            assert!(energy(middle - h) > energy(middle) && energy(middle + h) > energy(middle));
        }
    }

    #[test]
    fn a_thousand_bodies_rest_in_the_middle_of_the_reach() {
        rest_in_the_middle(1000.0, 0.8);
    }

    #[test]
    fn fewer_do_where_the_reach_is_short_against_weight_but_ten_always() {
        rest_in_the_middle(250.0, 4.0);
        rest_in_the_middle(10.0, 100.0);
        rest_in_the_middle(10.0, 1e4);
    }

    #[test]
    fn kappa_rises_while_surfaces_come_too_near() {
        let stiffness = Stiffness::new(1.0, 1e-3, 1e-3, 0.0);
        let kappa = stiffness.at_start(f64::INFINITY);
        assert!(stiffness.raised(kappa, 1e-3, 0.9e-6) == 2.0 * kappa);
        assert!(
            stiffness.raised(kappa, 0.8e-6, 0.9e-6) == kappa && stiffness.raised(kappa, 1e-3, 1e-5) == kappa
        );
    }
}
