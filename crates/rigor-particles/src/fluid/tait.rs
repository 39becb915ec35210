//! The equation of state.

/// Pressure of a weakly compressible liquid: p = B ((ρ/ρ₀)⁷ − 1), B = ρ₀ c²/7, without tension.
///
/// Source: \[Monaghan1994\] eq. (2.2), with γ = 7. Deviation: negative pressures are 0, so that particles of a
/// free surface do not clump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tait {
    rest: f64,
    stiffness: f64,
}

impl Tait {
    /// A liquid of the density `rest` (kg/m³) without pressure and the speed of sound `c` (m/s).
    pub fn new(rest: f64, c: f64) -> Self {
        Self { rest, stiffness: rest * c * c / 7.0 }
    }

    /// Pressure (Pa, at least 0) at a density (kg/m³).
    pub fn pressure(&self, density: f64) -> f64 {
        let ratio = density / self.rest;
        let cube = ratio * ratio * ratio;
        (self.stiffness * (cube * cube * ratio - 1.0)).max(0.0)
    }

    /// Density (kg/m³) at a pressure (Pa, at least 0): ρ = ρ₀ (1 + p/B)^{1/7}, by Newton's method, with the same
    /// bits on every target.
    pub fn density(&self, pressure: f64) -> f64 {
        let power = 1.0 + pressure / self.stiffness;
        // Above the root the iteration descends to it: (1 + p/B) ≥ (1 + p/B)^{1/7}, and 1 + p/(7 B) is above it too.
        let mut root = 1.0 + (power - 1.0) / 7.0;
        for _ in 0..30 {
            let sixth = (root * root * root) * (root * root * root);
            root -= (sixth * root - power) / (7.0 * sixth);
        }
        self.rest * root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_and_density_are_inverse() {
        let tait = Tait::new(1000.0, 20.0);
        for pressure in [0.0, 1.0, 3e3, 1e6] {
            let back = tait.pressure(tait.density(pressure));
            assert!((back - pressure).abs() <= 1e-9 * (1e5 + pressure), "{pressure} {back}");
        }
        // dp/dρ = c² at rest.
        assert!((tait.pressure(1000.001) / (400.0 * 0.001) - 1.0).abs() < 1e-5);
        assert_eq!(tait.pressure(990.0), 0.0);
    }
}
