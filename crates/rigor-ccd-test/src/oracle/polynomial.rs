//! Polynomials of one variable with integer coefficients.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use dashu_base::Gcd;
use dashu_int::IBig;

/// Σ cᵢ tⁱ, where the last coefficient is not 0; the zero polynomial has none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Polynomial(Vec<IBig>);

/// A vector of polynomials.
pub(super) type Vector = [Polynomial; 3];

pub(super) fn sign(n: &IBig) -> Ordering {
    n.cmp(&IBig::ZERO)
}

/// Counts the sign changes in a sequence, ignoring zeros.
fn sign_changes(numbers: &[IBig]) -> usize {
    let signs: Vec<_> = numbers.iter().map(sign).filter(|s| s.is_ne()).collect();
    signs.windows(2).filter(|s| s[0] != s[1]).count()
}

/// Replaces the coefficients of c(t) by those of c(t + k).
fn translate(c: &mut [IBig], k: &IBig) {
    for i in 0..c.len() {
        for j in (i..c.len() - 1).rev() {
            let step = k * &c[j + 1];
            c[j] += step;
        }
    }
}

impl Polynomial {
    pub fn new(mut coefficients: Vec<IBig>) -> Self {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// (1 − t) a + t b.
    pub fn between(a: &IBig, b: &IBig) -> Self {
        Self::new(vec![a.clone(), b - a])
    }

    pub fn constant(c: IBig) -> Self {
        Self::new(vec![c])
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub fn square(&self) -> Self {
        self * self
    }

    /// Returns the sign at k/2ᵐ.
    pub fn sign_at(&self, k: &IBig, m: usize) -> Ordering {
        let Some((last, rest)) = self.0.split_last() else { return Ordering::Equal };
        let mut sum = last.clone();
        for (power, c) in rest.iter().rev().enumerate() {
            sum = sum * k + (c << (m * (power + 1)));
        }
        sign(&sum)
    }

    /// Returns the coefficients of 2ᵐⁿ (1 + u)ⁿ p((k + 1/(1 + u))/2ᵐ): multiples of the Bernstein
    /// coefficients of p on [k/2ᵐ, (k + 1)/2ᵐ], in reverse order.
    fn on_piece(&self, k: &IBig, m: usize) -> Vec<IBig> {
        let n = self.degree();
        let mut c: Vec<IBig> = self.0.iter().enumerate().map(|(i, c)| c << (m * (n - i))).collect();
        translate(&mut c, k);
        c.reverse();
        translate(&mut c, &IBig::ONE);
        c
    }

    /// Returns the number of roots in the open piece (k/2ᵐ, (k + 1)/2ᵐ), possibly plus an even number:
    /// Descartes' rule of signs.
    pub fn roots_on_piece(&self, k: &IBig, m: usize) -> usize {
        sign_changes(&self.on_piece(k, m))
    }

    /// Returns the sign on the open piece (k/2ᵐ, (k + 1)/2ᵐ) if Descartes' rule shows that it is constant.
    pub fn sign_on_piece(&self, k: &IBig, m: usize) -> Option<Ordering> {
        let c = self.on_piece(k, m);
        if sign_changes(&c) > 0 {
            return None;
        }
        Some(c.iter().map(sign).find(|s| s.is_ne()).unwrap_or(Ordering::Equal))
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * IBig::from(i)).collect())
    }

    /// Divides out the common factor of the coefficients.
    fn primitive(mut self) -> Self {
        let factor =
            self.0.iter().fold(IBig::ZERO, |g, c| if g.is_zero() { c.clone() } else { g.gcd(c).into() });
        if !factor.is_zero() {
            self.0.iter_mut().for_each(|c| *c /= &factor);
        }
        self
    }

    /// Returns the quotient and remainder of aᵏ p by `divisor` with leading coefficient a, for some k.
    fn pseudo_divide(&self, divisor: &Self) -> (Self, Self) {
        let (lead, degree) = (divisor.0.last().expect("no division by 0"), divisor.degree());
        let (mut rest, mut quotient) = (self.0.clone(), Vec::new());
        while rest.len() > degree {
            let top = rest.pop().expect("longer than the divisor");
            rest.iter_mut().chain(&mut quotient).for_each(|c: &mut IBig| *c *= lead);
            let from = rest.len() - degree;
            for (c, d) in rest[from..].iter_mut().zip(&divisor.0) {
                *c -= &top * d;
            }
            quotient.push(top);
        }
        quotient.reverse();
        (Self::new(quotient), Self::new(rest))
    }

    /// Returns the greatest common divisor, up to a constant factor.
    pub fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let (_, rest) = a.pseudo_divide(&b);
            (a, b) = (b, rest.primitive());
        }
        a
    }

    /// Returns a polynomial with the same roots, all simple.
    pub fn square_free(&self) -> Self {
        let divisor = self.common_divisor(&self.derivative());
        if divisor.degree() == 0 { self.clone() } else { self.pseudo_divide(&divisor).0.primitive() }
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: Self) -> Polynomial {
        let (long, short) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        let mut sum = long.0.clone();
        sum.iter_mut().zip(&short.0).for_each(|(a, b)| *a += b);
        Polynomial::new(sum)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: Self) -> Polynomial {
        let mut difference = self.0.clone();
        difference.resize(self.0.len().max(other.0.len()), IBig::ZERO);
        difference.iter_mut().zip(&other.0).for_each(|(a, b)| *a -= b);
        Polynomial::new(difference)
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: Self) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }
}

pub(super) fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| &a[i] - &b[i])
}

pub(super) fn dot(a: &Vector, b: &Vector) -> Polynomial {
    &(&(&a[0] * &b[0]) + &(&a[1] * &b[1])) + &(&a[2] * &b[2])
}

pub(super) fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &(&a[j] * &b[k]) - &(&a[k] * &b[j])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(c: &[i64]) -> Polynomial {
        Polynomial::new(c.iter().map(|&c| c.into()).collect())
    }

    #[test]
    fn common_roots_are_found() {
        // (t − 2)²(t + 3) and (t − 2)(t − 5).
        let (a, b) = (polynomial(&[12, -8, -1, 1]), polynomial(&[10, -7, 1]));
        let divisor = a.common_divisor(&b);
        assert_eq!(divisor.degree(), 1);
        assert_eq!(divisor.sign_at(&2.into(), 0), Ordering::Equal);
        let simple = a.square_free();
        assert_eq!(simple.degree(), 2);
        assert_eq!(simple.sign_at(&(-3).into(), 0), Ordering::Equal);
        assert_eq!(a.common_divisor(&polynomial(&[1, 1])).degree(), 0);
    }

    #[test]
    fn signs_on_pieces_are_those_of_values() {
        // (4t − 1)(2t − 1): roots at 1/4 and 1/2.
        let p = polynomial(&[1, -6, 8]);
        assert_eq!(p.roots_on_piece(&0.into(), 0), 2);
        assert_eq!(p.roots_on_piece(&0.into(), 1), 1);
        assert_eq!(p.sign_on_piece(&1.into(), 1), Some(Ordering::Greater));
        assert_eq!(p.sign_on_piece(&1.into(), 2), Some(Ordering::Less));
        assert_eq!(p.sign_at(&3.into(), 3), Ordering::Less);
    }
}
