//! References for the tests: binary floats of any precision, and sines by their series.

use std::sync::OnceLock;

use dashu::base::Abs;
use dashu::float::FBig;
use dashu::float::round::mode::HalfEven;
use proptest::prelude::*;

use crate::Interval;

/// A binary float of any precision.
pub type Big = FBig<HalfEven, 2>;

/// Bits for every sum and product of two `f64` to be exact, and for reducing any `f64` modulo 2π.
const EXACT: usize = 2200;
/// Bits for everything else.
const BITS: usize = 300;

/// `x` with enough precision for exact sums and products of such numbers.
pub fn exact(x: f64) -> Big {
    Big::try_from(x).unwrap().with_precision(EXACT).value()
}

fn short(x: Big) -> Big {
    x.with_precision(BITS).value()
}

/// Whether `x` is in `set`; its ends are compared without rounding.
pub fn holds(set: Interval, x: &Big) -> bool {
    (set.inf() == f64::NEG_INFINITY || exact(set.inf()) <= *x)
        && (set.sup() == f64::INFINITY || *x <= exact(set.sup()))
}

/// Number of steps between adjacent `f64` from the lower end to the upper.
pub fn steps(set: Interval) -> i64 {
    let rank = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    rank(set.sup()) - rank(set.inf())
}

/// arctan(1/n) = Σ (−1)ᵏ/((2k+1) n²ᵏ⁺¹).
fn arctan_of_inverse(n: f64) -> Big {
    let n_sq = exact(n * n);
    let (mut power, mut sum) = (exact(1.0) / exact(n), exact(0.0));
    for k in 0..EXACT as u32 / 4 {
        let term = &power / exact(f64::from(2 * k + 1));
        sum = if k % 2 == 0 { sum + term } else { sum - term };
        power /= &n_sq;
    }
    sum
}

/// 2π, by Machin's formula.
fn turn() -> &'static Big {
    static TURN: OnceLock<Big> = OnceLock::new();
    TURN.get_or_init(|| (exact(4.0) * arctan_of_inverse(5.0) - arctan_of_inverse(239.0)) * exact(8.0))
}

/// π.
pub fn pi() -> Big {
    turn() / exact(2.0)
}

/// Σ (−x²)ᵏ cₖ with c₀ = `first`, cₖ/cₖ₋₁ = 1/((2k + p)(2k + q)), |x| ≤ 4.
fn series(x_sq: &Big, first: Big, p: i32, q: i32) -> Big {
    let (mut sum, mut term) = (first.clone(), first);
    for k in 1..45 {
        term = term * -x_sq / exact(f64::from((2 * k + p) * (2 * k + q)));
        sum += &term;
    }
    sum
}

/// (sin x, cos x) to about 290 bits.
pub fn sin_cos(x: &Big) -> (Big, Big) {
    let turns = (x / turn()).round();
    let x = short(x - turns * turn());
    let x_sq = &x * &x;
    let one = short(exact(1.0));
    (&x * series(&x_sq, one.clone(), 0, 1), series(&x_sq, one, 0, -1))
}

/// [s, Ds], s = sin x/x, D = (1/x) d/dx.
pub fn sinc_derivatives(x: &Big) -> [Big; 2] {
    if x.clone().abs() < exact(2.0) {
        let x = short(x.clone());
        let x_sq = &x * &x;
        let one = short(exact(1.0));
        let third = &one / exact(3.0);
        return [series(&x_sq, one, 0, 1), -series(&x_sq, third, 0, 3)];
    }
    let (sin, cos) = sin_cos(x);
    let x = short(x.clone());
    let s = sin / &x;
    let ds = (cos - &s) / (&x * &x);
    [s, ds]
}

/// [v, Dv], v = (1 − cos x)/x².
pub fn versinc_derivatives(x: &Big) -> [Big; 2] {
    let [s, ds] = sinc_derivatives(&(x / exact(2.0)));
    [&s * &s / exact(2.0), s * ds / exact(4.0)]
}

/// x(t) = R(θ(t)) x̂ + q(t).
pub fn position(t: f64, q: [[f64; 3]; 2], theta: [[f64; 3]; 2], x: [f64; 3]) -> [Big; 3] {
    let t = exact(t);
    let at = |[start, end]: [[f64; 3]; 2]| -> [Big; 3] {
        std::array::from_fn(|i| short(exact(start[i]) + &t * (exact(end[i]) - exact(start[i]))))
    };
    let (q, theta, x) = (at(q), at(theta), x.map(|x| short(exact(x))));
    let angle = theta.iter().map(|c| c * c).fold(short(exact(0.0)), |sum, c| sum + c).sqrt();
    let ([s, _], [v, _]) = (sinc_derivatives(&angle), versinc_derivatives(&angle));
    let once = cross(&theta, &x);
    let twice = cross(&theta, &once);
    std::array::from_fn(|i| &x[i] + &s * &once[i] + &v * &twice[i] + &q[i])
}

fn cross(a: &[Big; 3], b: &[Big; 3]) -> [Big; 3] {
    [&a[1] * &b[2] - &a[2] * &b[1], &a[2] * &b[0] - &a[0] * &b[2], &a[0] * &b[1] - &a[1] * &b[0]]
}

/// The extremes, zeros and their neighbours, and some ordinary numbers.
pub const SPECIAL: [f64; 15] = [
    f64::MIN,
    -3.0,
    -1.0,
    -1e-160,
    -f64::MIN_POSITIVE,
    -5e-324,
    0.0,
    5e-324,
    f64::MIN_POSITIVE,
    1e-160,
    1.0 / 3.0,
    1.0,
    1.0 + f64::EPSILON,
    1e160,
    f64::MAX,
];

/// Finite numbers of every magnitude, the special ones, and simple ones.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        prop::sample::select(&SPECIAL[..]),
        -10.0..10.0f64,
        (-50i32..50, -1.0..1.0f64).prop_map(|(e, x)| x * 2f64.powi(e)),
    ]
}

/// Intervals of every kind except the empty one.
pub fn interval() -> impl Strategy<Value = Interval> {
    let bounded = (number(), number()).prop_map(|(a, b)| Interval::new(a.min(b), a.max(b)));
    let narrow = (number(), 0..4u32)
        .prop_map(|(a, n)| Interval::new(a, (0..n).fold(a, |x, _| x.next_up().min(f64::MAX))));
    let half = (number(), any::<bool>()).prop_map(|(a, up)| {
        if up { Interval::new(a, f64::INFINITY) } else { Interval::new(f64::NEG_INFINITY, a) }
    });
    prop_oneof![4 => bounded, 3 => narrow, 1 => half]
}
