//! κ, the stiffness of the barrier.

use crate::barrier::Barrier;

/// Number of mean bodies whose weight the barrier carries at half its reach.
const FIRMNESS: f64 = 1000.0;
/// Lower bound of that number when gravity moves a body farther than d̂ in one step.
const MIN_FIRMNESS: f64 = 10.0;
/// Maximum κ, relative to that of surfaces that start far apart.
const RANGE: f64 = 1e9;

/// Initial value of κ, and when it is raised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stiffness {
    barrier: Barrier,
    /// Mean mass m̄ (kg); then h² ‖g‖, d̂ and d_min (m).
    mass: f64,
    fall: f64,
    d_hat: f64,
    d_min: f64,
}

impl Stiffness {
    /// Creates κ for bodies of mean mass `mass` (kg) that fall by `fall` = h² ‖g‖ (m) in one step.
    pub fn new(mass: f64, fall: f64, d_hat: f64, d_min: f64) -> Self {
        Self { barrier: Barrier::new(d_hat, d_min), mass, fall, d_hat, d_min }
    }

    /// Returns κ for a simulation whose smallest initial distance is `near` (m) > d_min, infinity without
    /// contacts.
    ///
    /// κ |∂b/∂d| = 1000 m̄ max(h² ‖g‖, ½ d̂) at d = ½ d̂: a single body rests near the end of the barrier's
    /// reach, and where the fall h² ‖g‖ is small compared with d̂ the barrier is still far stiffer than
    /// inertia. Surfaces that start closer, at w = `near` − d_min (m), would fly apart: there it is 1000 m̄
    /// max(h² ‖g‖, w) 2w/d̂ at d = w.
    ///
    /// If h² ‖g‖ exceeds d̂, d̂ replaces it, but at least ten bodies must rest at ½ d̂. A softer barrier does
    /// little harm there: the energy that it stores, and with it the rebound of impacts and the yielding of
    /// piles, shrinks with d̂. A stiff one would act only in the outermost hundredths of d̂, which Newton
    /// steps, as long as the fall, enter and leave again and again.
    ///
    /// Deviation: \[Li2020\] supplement §5 estimates κ from −∇B·∇E/‖∇B‖² at every start, with a lower bound
    /// that makes the barrier as stiff as 10¹¹ m̄ at 10⁻⁸ of the scene. Both push resting bodies to the very
    /// edge of d̂, where the barrier is a wall that Newton's method enters and leaves, and impacts take
    /// several times the iterations. A softer barrier lets impacts rebound and frictionless stacks slip.
    pub fn at_start(&self, near: f64) -> f64 {
        let width = (0.5 * self.d_hat).min(near - self.d_min);
        let d = self.d_min + width;
        let (by_square, _) = self.barrier.derivatives(d * d);
        let weight = self.fall.min(self.d_hat.max(MIN_FIRMNESS / FIRMNESS * self.fall));
        let firmness = FIRMNESS * 2.0 * width / self.d_hat;
        firmness * self.mass * weight.max(width) / (2.0 * d * by_square.abs())
    }

    /// Returns the distance (m) below which κ may be raised.
    pub fn low(&self) -> f64 {
        self.d_min + 1e-3 * self.d_hat
    }

    /// Returns κ after an iteration that changed the smallest distance from `before` to `now` (m): doubled
    /// below 10⁻³ d̂, up to a bound that does not depend on where bodies are.
    pub fn raised(&self, kappa: f64, before: f64, now: f64) -> f64 {
        let is_too_near = now < before && now < self.low();
        let can_rise = 2.0 * kappa <= RANGE * self.at_start(f64::INFINITY);
        if is_too_near && can_rise { 2.0 * kappa } else { kappa }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that `bodies` times the weight of h² ‖g‖ = `fall` d̂ rests at d_min + ½ d̂.
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
