//! κ: how stiff the barrier is.

use crate::barrier::Barrier;

/// How many times the mean body's weight the barrier bears in the middle of its reach.
const FIRMNESS: f64 = 1000.0;
/// κ grows by no more than this in all.
const RANGE: f64 = 1e9;

/// Where κ starts, and when it is raised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stiffness {
    pub least: f64,
    largest: f64,
    /// κ is doubled while some pair comes nearer than this (m) and still approaches.
    too_near: f64,
}

impl Stiffness {
    /// For bodies of the mean mass `mass` (kg) under the weight of `fall` = h² ‖g‖ (m).
    ///
    /// κ ∂b/∂d = 1000 m̄ max(h² ‖g‖, ½ d̂) at d = ½ d̂: one body rests near the end of the barrier's reach, and where weight is little against d̂
    /// the barrier is still far stiffer than inertia. Surfaces that begin nearer than that, at w = `near` − d_min (m), would fly
    /// apart: there it is 1000 m̄ max(h² ‖g‖, w) 2w/d̂ at d = w. Below 10⁻³ d̂ κ is doubled.
    ///
    /// Deviation: [Li2020] supplement §5 estimates κ anew from −∇B·∇E/‖∇B‖² at every start, with a lower bound that makes the barrier as stiff
    /// as 10¹¹ m̄ at 10⁻⁸ of the scene. Both push what rests to the very edge of d̂, where the barrier is a wall that Newton's
    /// method enters and leaves: several times the iterations in impacts. A softer one lets impacts rebound, and frictionless stacks slip.
    pub fn new(mass: f64, fall: f64, d_hat: f64, d_min: f64, near: f64) -> Self {
        let width = (0.5 * d_hat).min(near - d_min);
        let d = d_min + width;
        let (by_square, _) = Barrier::new(d_hat, d_min).derivatives(d * d);
        let firmness = FIRMNESS * 2.0 * width / d_hat;
        let least = firmness * mass * fall.max(width) / (2.0 * d * by_square.abs());
        Self { least, largest: RANGE * least, too_near: d_min + 1e-3 * d_hat }
    }

    /// κ after an iteration in which the smallest distance went from `before` to `now` (m).
    pub fn raised(&self, kappa: f64, before: f64, now: f64) -> f64 {
        if now < before && now < self.too_near { (2.0 * kappa).min(self.largest) } else { kappa }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_bodies_rest_in_the_middle_of_the_reach() {
        for (d_hat, d_min) in [(1e-3, 0.0), (0.02, 0.1)] {
            let (mass, fall) = (3.0, 2.0 * d_hat);
            let kappa = Stiffness::new(mass, fall, d_hat, d_min, f64::INFINITY).least;
            let energy = |d: f64| 1000.0 * mass * fall * d + kappa * Barrier::new(d_hat, d_min).value(d * d);
            let (middle, h) = (d_min + 0.5 * d_hat, 1e-3 * d_hat);
            assert!(energy(middle - h) > energy(middle) && energy(middle + h) > energy(middle));
        }
    }

    #[test]
    fn kappa_rises_while_surfaces_come_too_near() {
        let stiffness = Stiffness::new(1.0, 1e-3, 1e-3, 0.0, f64::INFINITY);
        let kappa = stiffness.least;
        assert!(stiffness.raised(kappa, 1e-3, 0.9e-6) == 2.0 * kappa);
        assert!(
            stiffness.raised(kappa, 0.8e-6, 0.9e-6) == kappa && stiffness.raised(kappa, 1e-3, 1e-5) == kappa
        );
    }
}
