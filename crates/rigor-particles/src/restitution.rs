//! The damping of a contact with a given coefficient of restitution.

use crate::config::Model;

/// Maximum ζ: more damping needs ever shorter substeps for ever less rebound.
const MAXIMUM: f64 = 2.0;

/// The ratio ζ of damping that gives a coefficient of restitution `e`, for a contact that never pulls.
///
/// In units of time and length in which mass and κ are 1, the overlap obeys x″ = −max(0, x^p + 2 ζ √(p
/// x^{p−1}) x′) from x = 0, x′ = 1, and e is −x′ when the force vanishes; neither depends on the speed.
/// Source: the damping c = 2 ζ √(m S) with the slope S of the spring, as in \[Tsuji1992\] for p = 3/2.
/// Deviation: calibrated with the cut-off at zero force, by solving this equation, since the closed form
/// −ln e/√(ln² e + π²) lets contacts pull.
///
/// Returns the smallest e and ζ that are possible where `e` is smaller.
pub(crate) fn damping_ratio(e: f64, model: Model) -> f64 {
    if e >= 1.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, MAXIMUM);
    if rebound(high, model) >= e {
        return high;
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if rebound(middle, model) > e { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The smallest coefficient of restitution that the method can give.
pub(crate) fn smallest(model: Model) -> f64 {
    rebound(MAXIMUM, model)
}

/// Returns e for the ratio `zeta`, by classical Runge–Kutta steps.
fn rebound(zeta: f64, model: Model) -> f64 {
    let force = |x: f64, v: f64| {
        let x = x.max(0.0);
        match model {
            Model::Hertz => x * x.sqrt() + 2.0 * zeta * (1.5 * x.sqrt()).sqrt() * v,
            Model::Hooke | Model::Harada => x + 2.0 * zeta * v,
        }
    };
    let h = 1.0 / 256.0;
    let (mut x, mut v) = (0.0, 1.0);
    // Whatever ζ ≤ 2, the contact ends before t = 20.
    for _ in 0..20 * 256 {
        let (k1, l1) = (v, -force(x, v));
        let (k2, l2) = (v + 0.5 * h * l1, -force(x + 0.5 * h * k1, v + 0.5 * h * l1));
        let (k3, l3) = (v + 0.5 * h * l2, -force(x + 0.5 * h * k2, v + 0.5 * h * l2));
        let (k4, l4) = (v + h * l3, -force(x + h * k3, v + h * l3));
        let next = (x + h * (k1 + 2.0 * (k2 + k3) + k4) / 6.0, v + h * (l1 + 2.0 * (l2 + l3) + l4) / 6.0);
        if next.1 < 0.0 && force(next.0, next.1) <= 0.0 {
            break;
        }
        (x, v) = next;
    }
    -v
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_contacts_follow_the_closed_form_with_a_cut_off() {
        // x″ = −x − 2 ζ x′: the force vanishes at t with tan ω t = −2 ζ ω/(1 − 2 ζ²), ω = √(1 − ζ²), and
        // e = exp(−ζ t) there.
        for zeta in [0.05_f64, 0.2, 0.5] {
            let omega = (1.0 - zeta * zeta).sqrt();
            let t = (std::f64::consts::PI - (2.0 * zeta * omega).atan2(1.0 - 2.0 * zeta * zeta)) / omega;
            assert!((rebound(zeta, Model::Hooke) - (-zeta * t).exp()).abs() < 2e-3, "{zeta}");
        }
    }

    #[test]
    fn damping_is_monotonic_and_inverts_the_rebound() {
        for model in [Model::Hooke, Model::Hertz] {
            assert!(rebound(0.0, model) > 0.999, "{model:?}");
            assert_eq!(damping_ratio(1.0, model), 0.0);
            for e in [0.1, 0.3, 0.5, 0.9] {
                assert!((rebound(damping_ratio(e, model), model) - e).abs() < 5e-3, "{model:?} {e}");
            }
            assert!(smallest(model) < 0.1 && damping_ratio(0.0, model) >= MAXIMUM, "{}", smallest(model));
        }
    }
}
