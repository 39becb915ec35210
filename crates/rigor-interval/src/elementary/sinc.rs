//! sinc and versinc, the coefficients of a rotation matrix.

use super::{around, ends_around, sine};
use crate::Interval;
use crate::rounding::{add_down, add_up, div_down, div_up};

/// An enclosure of {s(x)}, s(x) = sin x / x, and 1 at 0.
///
/// s is even. It decreases on [0, x₁], where x₁ = 4.4934… is the first positive root of tan x = x. Its other
/// extrema are the further roots xₖ, one in each (kπ, (k + ½)π); there s = cos xₖ = (−1)ᵏ/√(1 + xₖ²), so that
/// they alternate and shrink, and the first two within X bound all the others.
///
/// At a point: for x² ≤ 1 as 1 − x² d(x²) with the series d(z) = Σ (−z)ᵏ/(2k+3)!; beyond as sin x / x. The
/// width is at most 4 units in the last place below 1, at most 6 beyond.
///
/// # Proof for the series
/// u = 2⁻⁵³. Horner's scheme dₖ = cₖ − z dₖ₊₁ from d₈ = c₈ has 0 < z dₖ₊₁ ≤ cₖ/20 and hence dₖ ≥ 0.95 cₖ. The
/// relative error eₖ of dₖ comes from cₖ (u cₖ/dₖ ≤ 1.053 u), from the subtraction (u), and from z dₖ₊₁
/// (eₖ₊₁, u for z and u for the product), which is at most 0.053 dₖ: eₖ ≤ 2.053 u + 0.053 (2u + eₖ₊₁) ≤ 2.3
/// u. The product z d₀ adds 2u. The terms left out alternate and decrease, so that they are below z⁹/21! <
/// 0.002 u d. Altogether p = z d is off by less than 5 u p, or, where something underflows, by less than
/// 2⁻¹⁰²² more; p (1 ± 6u) ± 2⁻¹⁰²² leaves another u p for its own rounding.
///
/// Source: \[Ferguson2021\], unnumbered after eq. (14), and §4.2 for the use of monotone pieces. Deviation:
/// also correct beyond the first monotone piece.
///
/// `x` in rad.
///
/// ```
/// use rigor_interval::{Interval, elementary::sinc};
/// assert_eq!(sinc(Interval::point(0.0)), Interval::point(1.0));
/// let s = sinc(Interval::new(-1.0, 2.0));
/// assert!(s.sup() == 1.0 && s.contains(0.4547) && !s.contains(0.4546));
/// assert!((sinc(Interval::ENTIRE).inf() + 0.217_233_628_211_221_66).abs() < 1e-15);
/// ```
pub fn sinc(x: Interval) -> Interval {
    let x = x.abs();
    if x.is_empty() {
        return x;
    }
    let (near, far) = (x.inf(), x.sup());
    if x.is_point() {
        return sinc_at(near);
    }
    let ends = sinc_at(near).hull(sinc_at(far));
    if far <= SINC_FALLS_TO { ends } else { extrema_of_sinc(x).hull(ends) }
}

/// Enclosures of {s(x)} and {Ds(x)}, D = (1/x) d/dx: see [`rigor_math::sinc`].
///
/// Ds = (cos x − s)/x² is even, −1/3 at 0, and increases on [0, 5.7634…], up to the first positive root of
/// D²s = j₂(x)/x².
/// Beyond, the formula itself is evaluated on X.
///
/// At a point: for x² ≤ 2 by the series −Σ (−z)ᵏ (2k+2)/(2k+3)!; beyond by the formula.
///
/// # Proof for the series
/// As for [`sinc`], with 11 terms: z d₁ ≤ d₀/4, and from k = 1 on z dₖ₊₁ ≤ 0.077 dₖ. So e₁ ≤ 2.5 u and e₀ ≤
/// 2.25 u + ¼ (2u + e₁) ≤ 3.4 u. The terms left out are below 2¹¹ · 24/25! < 10⁻³ u d₀. d₀ (1 ± 5u) leaves a
/// u for its own rounding.
///
/// Source of the zeros: NIST Digital Library of Mathematical Functions, §10.51 and §10.58.
///
/// ```
/// use rigor_interval::{Interval, elementary::sinc_derivatives};
/// let [_, ds] = sinc_derivatives(Interval::new(0.0, 1.0));
/// assert!(ds.contains(-1.0 / 3.0) && ds.contains(-0.3011687) && !ds.contains(-0.3011));
/// ```
pub fn sinc_derivatives(x: Interval) -> [Interval; 2] {
    let s = sinc(x);
    let x = x.abs();
    if x.is_empty() {
        return [x, x];
    }
    if x.is_point() {
        return [s, d_sinc_at(x.inf())];
    }
    let rising = x.intersection(Interval::new(0.0, D_SINC_RISES_TO));
    let rest = x.intersection(Interval::new(D_SINC_RISES_TO, f64::INFINITY));
    let range = if rising.is_empty() {
        Interval::EMPTY
    } else {
        d_sinc_at(rising.inf()).hull(d_sinc_at(rising.sup()))
    };
    [s, if rest.is_empty() { range } else { range.hull(d_sinc_closed(rest)) }]
}

/// An enclosure of {v(x)}, v(x) = (1 − cos x)/x² = ½ s(x/2)², and ½ at 0: the coefficient of \[θ\]² in R(θ).
///
/// ½ s² is monotone on either side of s = 0, so its range over the range of s is that of v.
///
/// Source: \[Ferguson2021\] eq. (14). Deviation: the coefficient is printed as 2 sinc²; see
/// [`rigor_math::rotation_vector::matrix`].
///
/// ```
/// use rigor_interval::{Interval, elementary::versinc};
/// assert_eq!(versinc(Interval::point(0.0)), Interval::point(0.5));
/// assert_eq!(versinc(Interval::new(1.0, 7.0)).inf(), 0.0);
/// ```
pub fn versinc(x: Interval) -> Interval {
    sinc(0.5 * x).sqr() * 0.5
}

/// Enclosures of {v(x)} and {Dv(x)}, Dv = ¼ s Ds with s and Ds at x/2.
///
/// For |x| ≤ 2π both factors shrink towards 0 with |x|, so their product over X is tight.
///
/// ```
/// use rigor_interval::{Interval, elementary::versinc_derivatives};
/// let [_, dv] = versinc_derivatives(Interval::point(0.0));
/// assert!(dv.contains(-1.0 / 12.0));
/// ```
pub fn versinc_derivatives(x: Interval) -> [Interval; 2] {
    let [s, ds] = sinc_derivatives(0.5 * x);
    [s.sqr() * 0.5, s * ds * 0.25]
}

/// Below x₁ = 4.493409….
const SINC_FALLS_TO: f64 = 4.4934;
/// Below the first positive root 5.763459… of j₂.
const D_SINC_RISES_TO: f64 = 5.7634;
/// From here on the envelope 1/x of s bounds it, without locating its extrema.
const FAR: f64 = 1e9;

/// cₖ = 1/(2k+3)!.
const DEFECT: [f64; 9] = coefficients(1.0 / 6.0, 2, 3);
/// cₖ = (2k+2)/(2k+3)!.
const MINUS_D_SINC: [f64; 11] = coefficients(1.0 / 3.0, 0, 3);

/// c₀ = `first`, cₖ = cₖ₋₁/((2k + p)(2k + q)).
const fn coefficients<const N: usize>(first: f64, p: usize, q: usize) -> [f64; N] {
    let mut c = [first; N];
    let mut k = 1;
    while k < N {
        c[k] = c[k - 1] / ((2 * k + p) * (2 * k + q)) as f64;
        k += 1;
    }
    c
}

/// Σ (−z)ᵏ cₖ.
#[inline]
fn alternating(c: &[f64], z: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| c - z * sum)
}

/// u = 2⁻⁵³.
const U: f64 = 0.5 * f64::EPSILON;

/// An enclosure of s at `x` ≥ 0, including ∞.
fn sinc_at(x: f64) -> Interval {
    if x == 0.0 {
        return Interval::point(1.0);
    }
    if x == f64::INFINITY {
        return Interval::point(0.0);
    }
    let z = x * x;
    if z <= 1.0 {
        let p = z * alternating(&DEFECT, z);
        let (low, high) = (p * (1.0 - 6.0 * U) - f64::MIN_POSITIVE, p * (1.0 + 6.0 * U) + f64::MIN_POSITIVE);
        return Interval::new(add_down(1.0, -high), add_up(1.0, -low.max(0.0)));
    }
    let (inf, sup) = ends_around(rigor_math::elementary::sin(x));
    Interval::new(div_down(inf, x), div_up(sup, x))
}

/// An enclosure of Ds at `x` ≥ 0.
fn d_sinc_at(x: f64) -> Interval {
    let z = x * x;
    if z > 2.0 {
        return d_sinc_closed(Interval::point(x));
    }
    let d = alternating(&MINUS_D_SINC, z);
    Interval::new(-d * (1.0 + 5.0 * U), -d * (1.0 - 5.0 * U))
}

/// (cos x − s)/x² on an interval without 0.
fn d_sinc_closed(x: Interval) -> Interval {
    (sine::cos(x) - sinc(x)) / x.sqr()
}

/// The hull of the first two extrema of s that X, 0 ≤ X, may contain.
///
/// With k₀ = ⌊inf X/π⌋, xₖ < (k₀ + ½)π − π < inf X for k < k₀. The computed floor may come out one too low;
/// of the four k from there, at most two lie before X.
fn extrema_of_sinc(x: Interval) -> Interval {
    if x.inf() >= FAR {
        return Interval::symmetric(1.0) / x.inf();
    }
    let first = (Interval::point(x.inf()) / Interval::PI).inf().floor().max(1.0);
    (0..4)
        .map(|i| first + f64::from(i))
        .map(|k| (k, extremum_of_sinc(k)))
        .filter(|(_, place)| !place.intersection(x).is_empty())
        .take(2)
        .map(|(k, place)| if k % 2.0 == 0.0 { depth(place) } else { -depth(place) })
        .fold(Interval::EMPTY, Interval::hull)
}

/// 1/√(1 + x²) = |s| at an extremum in `place`.
fn depth(place: Interval) -> Interval {
    1.0 / (1.0 + place.sqr()).sqrt()
}

/// An enclosure of xₖ, the root of tan x = x in (kπ, (k + ½)π), k ≥ 1.
///
/// With δ = (k + ½)π − x the equation is cot δ = x, so x = (k + ½)π − atan(1/x). The right side increases
/// with x at the rate 1/(1 + x²) < 1/10: every interval that contains the root is mapped to one that contains
/// it, at most a tenth as wide up to rounding.
fn extremum_of_sinc(k: f64) -> Interval {
    let asymptote = Interval::PI * (k + 0.5);
    let mut x = Interval::new((Interval::PI * k).inf(), asymptote.sup());
    // The width shrinks at least tenfold each time, as x > π: after 14 times only rounding is left of it.
    for _ in 0..14 {
        let arc = |x: f64| around(rigor_math::elementary::atan2(1.0, x));
        x = asymptote - arc(x.sup()).hull(arc(x.inf()));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{self, Big, exact, holds, number, steps};
    use proptest::prelude::*;
    use std::f64::consts::{PI, TAU};

    /// All magnitudes, the seams between formulas, and the zeros and extrema.
    fn argument() -> impl Strategy<Value = f64> {
        let seams = [1.0, std::f64::consts::SQRT_2, SINC_FALLS_TO, D_SINC_RISES_TO, PI, TAU, 9.0, FAR];
        let near_seam = (prop::sample::select(seams.to_vec()), -1e-3..1e-3f64, 0..50i32)
            .prop_map(|(x, d, e)| x * (1.0 + d * 2f64.powi(-e)));
        prop_oneof![number(), near_seam, -2.0..2.0f64, -50.0..50.0f64]
    }

    type Enclosure = (&'static str, fn(Interval) -> Interval, fn(&Big) -> Big);

    const ALL: [Enclosure; 4] = [
        ("s", sinc, |x| oracle::sinc_derivatives(x)[0].clone()),
        ("Ds", |x| sinc_derivatives(x)[1], |x| oracle::sinc_derivatives(x)[1].clone()),
        ("v", versinc, |x| oracle::versinc_derivatives(x)[0].clone()),
        ("Dv", |x| versinc_derivatives(x)[1], |x| oracle::versinc_derivatives(x)[1].clone()),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn values_at_points_are_held(x in argument()) {
            for (name, enclose, value) in ALL {
                let set = enclose(Interval::point(x));
                prop_assert!(holds(set, &value(&exact(x))), "{} at {:e}: {}", name, x, set);
            }
        }

        #[test]
        fn values_on_intervals_are_held(a in argument(), width in prop_oneof![0.0..1e-6f64, 0.0..1.0f64, 0.0..40.0f64]) {
            let b = (a + width).min(f64::MAX);
            for (name, enclose, value) in ALL {
                let set = enclose(Interval::new(a, b));
                for i in 0..=6 {
                    let x = (a + width * f64::from(i) / 6.0).clamp(a, b);
                    prop_assert!(holds(set, &value(&exact(x))), "{} on [{:e}, {:e}] at {:e}: {}", name, a, b, x, set);
                }
            }
        }
    }

    /// The maximum width at points of [`from`, `to`], in units in the last place.
    fn worst_steps(enclose: fn(Interval) -> Interval, from: f64, to: f64) -> i64 {
        let points = (0..20_000).map(|i| from + (to - from) * (f64::from(i) + 0.31) / 20_000.0);
        points.map(|x| steps(enclose(Interval::point(x)))).max().unwrap()
    }

    #[test]
    fn points_are_a_few_units_wide() {
        let [s, ds, v, dv] = ALL.map(|(_, enclose, _)| enclose);
        for (name, worst, limit) in [
            ("s below 1", worst_steps(s, 0.0, 1.0), 4),
            ("s beyond", worst_steps(s, 1.0, 50.0), 6),
            ("Ds in the series", worst_steps(ds, 0.0, 1.414), 8),
            ("Ds up to π", worst_steps(ds, 1.415, PI), 12),
            ("v below 2", worst_steps(v, 0.0, 2.0), 8),
            ("v beyond", worst_steps(v, 2.0, 50.0), 15),
            ("Dv up to π", worst_steps(dv, 0.0, PI), 16),
        ] {
            println!("{name}: {worst}");
            assert!(worst <= limit, "{name}: {worst}");
        }
    }

    #[test]
    fn ranges_on_intervals_are_tight() {
        // Against the values at 2000 places: between two of them a maximum is at most h²/8 · max |f″| ≤ h²/24
        // higher.
        for (a, b) in [
            (0.0, 1.0),
            (0.5, 4.0),
            (3.0, 6.0),
            (-2.0, 9.0),
            (5.0, 8.0),
            (7.0, 12.0),
            (20.0, 31.0),
            (100.0, 101.0),
        ] {
            let value = [rigor_math::sinc::sinc, rigor_math::sinc::versinc];
            for (enclose, value) in [sinc, versinc].into_iter().zip(value) {
                let set = enclose(Interval::new(a, b));
                let h = (b - a) / 2000.0;
                let values = (0..=2000).map(|i| value(a + f64::from(i) * h));
                let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), y| (y.min(l), y.max(h)));
                let slack = h * h / 24.0 + 1e-15;
                assert!(
                    set.inf() >= low - slack && set.sup() <= high + slack,
                    "[{a}, {b}]: {set}, [{low}, {high}]"
                );
            }
        }
    }

    #[test]
    fn extrema_are_where_the_slope_changes_its_sign() {
        for k in [1.0, 2.0, 3.0, 17.0, 1e6] {
            let place = extremum_of_sinc(k);
            assert!(steps(place) < 40, "{place}");
            let slope = |x: f64| oracle::sinc_derivatives(&exact(x))[1].clone() > exact(0.0);
            assert_ne!(slope(place.inf()), slope(place.sup()), "{place}");
        }
        assert!(extremum_of_sinc(1.0).inf() > SINC_FALLS_TO);
        assert!((extremum_of_sinc(2.0).mid() - 7.725_251_836_937_707).abs() < 1e-14);
    }

    #[test]
    fn second_derivative_has_its_sign_up_to_where_it_is_said() {
        // D²s = −(3 Ds + s)/x² > 0.
        for x in [D_SINC_RISES_TO, 5.0, 3.0, 1.0, 0.1] {
            let [s, ds] = oracle::sinc_derivatives(&exact(x));
            assert!(exact(3.0) * ds + s < exact(0.0));
        }
        let [s, ds] = oracle::sinc_derivatives(&exact(5.7635));
        assert!(exact(3.0) * ds + s > exact(0.0));
    }

    #[test]
    fn nothing_and_everything() {
        for (_, enclose, _) in ALL {
            assert!(enclose(Interval::EMPTY).is_empty());
            let everywhere = enclose(Interval::ENTIRE);
            assert!(everywhere.contains(0.0) && everywhere.width() < 1.6, "{everywhere}");
            assert_eq!(enclose(Interval::new(-2.0, 1.0)), enclose(Interval::new(-1.0, 2.0)));
        }
        assert!(sinc(Interval::new(1e300, f64::INFINITY)).mag() <= 1.001e-300);
    }
}
