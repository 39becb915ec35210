//! Elliptic integrals and Jacobi's elliptic functions, from square roots and [`elementary`](crate::elementary) alone: the same bits
//! on every platform.
//!
//! Moduli are given as k² and k′² = 1 − k² both, so that nothing cancels near k = 1.

use crate::elementary::{atan2, sin_cos};

/// Duplication stops when the arguments differ from their mean by less than this part: the first dropped term is
/// of the order of its sixth power.
const SPREAD: f64 = 1.5e-3;
/// More than any arguments within f64 need.
const MAX_DUPLICATIONS: u32 = 600;

/// Carlson's integral of the first kind: R_F(x, y, z) = ½ ∫₀^∞ dt/√((t + x)(t + y)(t + z)).
///
/// Source: \[Carlson1995\] eq. (1.4) and algorithm 1, by duplication. Deviation: none.
///
/// x, y, z ≥ 0, at most one of them 0; of any unit. Relative error below 10⁻¹⁵. NaN in, NaN out.
///
/// ```
/// use rigor_math::elliptic::carlson_rf;
/// assert_eq!(carlson_rf(4.0, 4.0, 4.0), 0.5); // 1/√x
/// assert!((carlson_rf(0.0, 1.0, 1.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// ```
pub fn carlson_rf(x: f64, y: f64, z: f64) -> f64 {
    let mut v = [x, y, z];
    for _ in 0..MAX_DUPLICATIONS {
        let mean = (v[0] + v[1] + v[2]) / 3.0;
        let [dx, dy, dz] = v.map(|c| (mean - c) / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < SPREAD {
            let (e2, e3) = (dx * dy + dy * dz + dz * dx, dx * dy * dz);
            let series = 1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0;
            return series / mean.sqrt();
        }
        let [rx, ry, rz] = v.map(f64::sqrt);
        let shift = rx * ry + ry * rz + rz * rx;
        v = v.map(|c| 0.25 * (c + shift));
    }
    f64::NAN
}

/// Carlson's degenerate integral: R_C(x, y) = ½ ∫₀^∞ dt/(√(t + x) (t + y)).
///
/// Source: \[Carlson1995\] algorithm 2. Deviation: y > 0 only.
///
/// x ≥ 0 and y > 0. Relative error below 10⁻¹⁵. NaN in, NaN out.
///
/// ```
/// use rigor_math::elliptic::carlson_rc;
/// assert!((carlson_rc(0.0, 0.25) - std::f64::consts::PI).abs() < 1e-14);
/// ```
pub fn carlson_rc(mut x: f64, mut y: f64) -> f64 {
    for _ in 0..MAX_DUPLICATIONS {
        let mean = (x + y + y) / 3.0;
        let s = (y - mean) / mean;
        if s.abs() < SPREAD {
            let tail = 3.0 / 8.0 + s * (9.0 / 22.0 + s * (159.0 / 208.0));
            return (1.0 + s * s * (0.3 + s * (1.0 / 7.0 + s * tail))) / mean.sqrt();
        }
        let shift = 2.0 * (x * y).sqrt() + y;
        (x, y) = (0.25 * (x + shift), 0.25 * (y + shift));
    }
    f64::NAN
}

/// Carlson's integral of the third kind: R_J(x, y, z, p) = 3/2 ∫₀^∞ dt/(√((t + x)(t + y)(t + z)) (t + p)).
///
/// Source: \[Carlson1995\] algorithm 3, with the sum of R_C(1, 1 + e) of \[DLMF\] §19.36(i). Deviation: p > 0 only.
///
/// x, y, z ≥ 0, at most one of them 0, and p > 0. Relative error below 10⁻¹⁴. NaN in, NaN out.
///
/// ```
/// use rigor_math::elliptic::carlson_rj;
/// assert!((carlson_rj(4.0, 4.0, 4.0, 4.0) - 0.125).abs() < 1e-16); // x^(−3/2)
/// ```
pub fn carlson_rj(x: f64, y: f64, z: f64, p: f64) -> f64 {
    let (mut v, mut weight, mut sum) = ([x, y, z, p], 1.0, 0.0);
    for _ in 0..MAX_DUPLICATIONS {
        let mean = (v[0] + v[1] + v[2] + v[3] + v[3]) / 5.0;
        let [dx, dy, dz, dp] = v.map(|c| (mean - c) / mean);
        if [dx, dy, dz, dp].iter().all(|d| d.abs() < SPREAD) {
            let xyz = dx * dy * dz;
            let e2 = dx * dy + dy * dz + dz * dx - 3.0 * dp * dp;
            let e3 = xyz + 2.0 * e2 * dp + 4.0 * dp * dp * dp;
            let e4 = (2.0 * xyz + e2 * dp + 3.0 * dp * dp * dp) * dp;
            let e5 = xyz * dp * dp;
            let series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0
                - 3.0 * e4 / 22.0
                - 9.0 * e2 * e3 / 52.0
                + 3.0 * e5 / 26.0;
            return weight * series / (mean * mean.sqrt()) + 6.0 * sum;
        }
        let [rx, ry, rz, rp] = v.map(f64::sqrt);
        let d = (rp + rx) * (rp + ry) * (rp + rz);
        let e = (rp - rx) * (rp - ry) * (rp - rz) / d;
        sum += weight / d * carlson_rc(1.0, 1.0 + e);
        let shift = rx * ry + ry * rz + rz * rx;
        v = v.map(|c| 0.25 * (c + shift));
        weight *= 0.25;
    }
    f64::NAN
}

/// A modulus k in [0, 1), held as k² and k′² = 1 − k².
///
/// ```
/// use rigor_math::elliptic::Modulus;
/// let circular = Modulus { k_sq: 0.0, complement_sq: 1.0 };
/// let a = circular.amplitude(7.0);
/// assert!((a.sn_cn().0 - 0.656_986_598_718_789_1).abs() < 1e-15 && a.delta == 1.0); // sin 7
/// assert!((circular.first_kind(&a) - 7.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modulus {
    /// k².
    pub k_sq: f64,
    /// k′² = 1 − k², above 0.
    pub complement_sq: f64,
}

/// An amplitude φ = π `half_turns` + φ′ with |φ′| ≤ π/2, by the values there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amplitude {
    /// Half turns in φ.
    pub half_turns: f64,
    /// sin φ′.
    pub s: f64,
    /// cos φ′, not negative.
    pub c: f64,
    /// √(1 − k² sin² φ) = dn u.
    pub delta: f64,
}

impl Amplitude {
    /// The amplitude in \[−π, π\] of the point (`cos`, `sin`) on the unit circle, where `delta` is
    /// √(1 − k² sin² φ).
    pub fn at(sin: f64, cos: f64, delta: f64) -> Self {
        let half_turns = match (cos < 0.0, sin < 0.0) {
            (false, _) => return Self { half_turns: 0.0, s: sin, c: cos, delta },
            (true, false) => 1.0,
            (true, true) => -1.0,
        };
        Self { half_turns, s: -sin, c: -cos, delta }
    }

    /// sin φ = sn u and cos φ = cn u.
    pub fn sn_cn(&self) -> (f64, f64) {
        if self.half_turns.rem_euclid(2.0) == 1.0 { (-self.s, -self.c) } else { (self.s, self.c) }
    }

    /// atan(tan(φ)/r) on the branch that is 0 at φ = 0 and continuous: the angle of the point (r cos φ, sin φ).
    pub fn stretched(&self, r: f64) -> f64 {
        std::f64::consts::PI * self.half_turns + atan2(self.s, r * self.c)
    }
}

impl Modulus {
    /// K = R_F(0, k′², 1), a quarter of the period of sn.
    pub fn quarter_period(&self) -> f64 {
        carlson_rf(0.0, self.complement_sq, 1.0)
    }

    /// F(φ, k) = ∫₀^φ dφ/√(1 − k² sin² φ), the u whose amplitude is φ.
    ///
    /// Source: \[DLMF\] eq. 19.25.5. Deviation: none.
    pub fn first_kind(&self, a: &Amplitude) -> f64 {
        let (s, c) = (a.s, a.c);
        let within = s * carlson_rf(c * c, a.delta * a.delta, 1.0);
        if a.half_turns == 0.0 { within } else { 2.0 * a.half_turns * self.quarter_period() + within }
    }

    /// G(φ, β, k) = ∫₀^u dn² u/(1 + β sn² u) du = ((k² + β) Π(φ, −β, k) − k² F(φ, k))/β for β > 0, with φ the amplitude of u.
    ///
    /// With N = (k² + β)/(1 + β):
    /// ```text
    /// G = k′²/(1 + β) Π(φ, N, k) + √((k² + β)/(β (1 + β))) atan(√(β (k² + β)/(1 + β)) sin φ cos φ/√(1 − k² sin² φ))
    /// ```
    /// in which both terms have the sign of φ: nothing cancels, however large or small β is.
    ///
    /// Source: \[Abramowitz1964\] eq. 17.7.15–17.7.17 for Π(−β), inserted; Π(N) by \[DLMF\] eq. 19.25.14. Deviation: none.
    pub fn third_kind_of_dn_sq(&self, a: &Amplitude, beta: f64) -> f64 {
        let within = self.third_kind_within(a.s, a.c, a.delta, beta);
        if a.half_turns == 0.0 {
            return within;
        }
        let complete = self.third_kind_within(1.0, 0.0, self.complement_sq.sqrt(), beta);
        2.0 * a.half_turns * complete + within
    }

    /// [`third_kind_of_dn_sq`](Self::third_kind_of_dn_sq) for |φ| ≤ π/2.
    fn third_kind_within(&self, s: f64, c: f64, delta: f64, beta: f64) -> f64 {
        let Self { k_sq, complement_sq } = *self;
        let (sum, one) = (k_sq + beta, 1.0 + beta);
        let n = sum / one;
        let p = c * c + s * s * (complement_sq / one);
        let f = s * carlson_rf(c * c, delta * delta, 1.0);
        let third = f + n / 3.0 * s * s * s * carlson_rj(c * c, delta * delta, 1.0, p);
        let angle = atan2((beta * n).sqrt() * s * c, delta);
        complement_sq / one * third + (n / beta).sqrt() * angle
    }

    /// The amplitude of `u` and with it sn u, cn u and dn u.
    ///
    /// The argument is reduced by multiples of K, and the descending Landen transformation is taken from the nearer
    /// of 0 and K.
    ///
    /// Source: \[DLMF\] §22.20(ii), and §22.4(iii) for the shift by K. Deviation: the arcsine is an arctangent whose
    /// second argument does not cancel near k = 1.
    pub fn amplitude(&self, u: f64) -> Amplitude {
        let quarter = self.quarter_period();
        let half_turns = (u / (2.0 * quarter)).round();
        let within = u - 2.0 * quarter * half_turns;
        if within.abs() <= 0.5 * quarter {
            let (s, c) = self.landen(within);
            return Amplitude { half_turns, s, c, delta: self.delta(s, c) };
        }
        // sn(K − v) = cn v/dn v, cn(K − v) = k′ sn v/dn v, dn(K − v) = k′/dn v.
        let (s, c) = self.landen((quarter - within.abs()).max(0.0));
        let (k_prime, delta) = (self.complement_sq.sqrt(), self.delta(s, c));
        Amplitude {
            half_turns,
            s: (c / delta).copysign(within),
            c: k_prime * s / delta,
            delta: k_prime / delta,
        }
    }

    /// √(cos² φ + k′² sin² φ).
    fn delta(&self, s: f64, c: f64) -> f64 {
        (c * c + self.complement_sq * (s * s)).sqrt()
    }

    /// sn u and cn u for |u| ≤ K/2.
    fn landen(&self, u: f64) -> (f64, f64) {
        const MAX: usize = 16;
        let (mut a, mut b, mut c) = (1.0, self.complement_sq.sqrt(), self.k_sq.sqrt());
        let mut levels = [(1.0, 0.0); MAX];
        let (mut n, mut scale) = (0, 1.0);
        while n < MAX && c > 1e-17 * a {
            let next = 0.5 * (a + b);
            c = c * c / (4.0 * next);
            b = (a * b).sqrt();
            a = next;
            // c/a, and b/a with a² = b² + c² at this level.
            levels[n] = (c / a, b / a);
            n += 1;
            scale *= 2.0;
        }
        let mut phi = scale * a * u;
        for (c_over_a, b_over_a) in levels[..n].iter().rev() {
            let (s, c) = sin_cos(phi);
            phi = 0.5 * (phi + atan2(c_over_a * s, (c * c + b_over_a * b_over_a * (s * s)).sqrt()));
        }
        sin_cos(phi)
    }
}

#[cfg(test)]
mod tests;
