//! Real roots of polynomials in (0, 1], represented exactly.

use std::cmp::Ordering;

use dashu_base::BitTest;
use dashu_int::IBig;

use super::integer::{round_down, round_up};
use super::polynomial::Polynomial;

/// The only root of a polynomial between k/2ᵐ and (k + 1)/2ᵐ, which are not roots themselves; or k/2ᵐ itself.
#[derive(Debug, Clone)]
pub(super) struct Root {
    polynomial: Polynomial,
    k: IBig,
    m: usize,
    is_exact: bool,
}

/// Bits to which a root is refined before signs are evaluated at it, and bits added per further attempt.
const BITS: usize = 64;

/// No f64 distinguishes times that differ by less than 2⁻¹¹⁰⁰.
const BITS_MAX: usize = 1100;

impl Root {
    /// t = 0.
    pub fn zero() -> Self {
        Self::exact(IBig::ZERO, 0)
    }

    fn exact(k: IBig, m: usize) -> Self {
        Self { polynomial: Polynomial::constant(IBig::ZERO), k, m, is_exact: true }
    }

    /// Returns all roots in (0, 1] of a nonzero polynomial.
    ///
    /// Pieces are halved until Descartes' rule gives 0 or 1, which eventually happens because all roots are
    /// simple.
    pub fn all(polynomial: &Polynomial) -> Vec<Self> {
        let mut roots = Vec::new();
        if polynomial.sign_at(&IBig::ONE, 0).is_eq() {
            roots.push(Self::exact(IBig::ONE, 0));
        }
        let changes = polynomial.roots_on_piece(&IBig::ZERO, 0);
        let polynomial = if changes > 1 { polynomial.square_free() } else { polynomial.clone() };
        let mut pieces = vec![(IBig::ZERO, 0)];
        while let Some((k, m)) = pieces.pop() {
            let changes = polynomial.roots_on_piece(&k, m);
            if changes == 0 {
                continue;
            }
            let is_root = |k: &IBig| polynomial.sign_at(k, m).is_eq();
            if changes == 1 && !is_root(&k) && !is_root(&(&k + 1)) {
                roots.push(Self { polynomial: polynomial.clone(), k, m, is_exact: false });
                continue;
            }
            let left: IBig = k << 1;
            let middle = &left + 1;
            if polynomial.sign_at(&middle, m + 1).is_eq() {
                roots.push(Self::exact(middle.clone(), m + 1));
            }
            pieces.extend([(left, m + 1), (middle, m + 1)]);
        }
        roots
    }

    /// Halves the piece.
    fn refine(&mut self) {
        let left = self.polynomial.sign_at(&self.k, self.m);
        self.m += 1;
        self.k <<= 1;
        let middle = &self.k + 1;
        let sign = self.polynomial.sign_at(&middle, self.m);
        self.is_exact = sign.is_eq();
        if sign == left || sign.is_eq() {
            self.k = middle;
        }
    }

    fn refine_to(&mut self, m: usize) {
        while !self.is_exact && self.m < m {
            self.refine();
        }
    }

    /// Returns the sign of `other` at the root.
    pub fn sign_of(&mut self, other: &Polynomial) -> Ordering {
        if *other == self.polynomial || other.is_zero() {
            return Ordering::Equal;
        }
        self.refine_to(BITS);
        let mut may_be_root = true;
        while !self.is_exact {
            if let Some(sign) = other.sign_on_piece(&self.k, self.m) {
                return sign;
            }
            if may_be_root && self.is_root_of(other) {
                return Ordering::Equal;
            }
            may_be_root = false;
            self.refine_to(self.m + BITS);
        }
        other.sign_at(&self.k, self.m)
    }

    /// Whether `other` has this root, too: then the common divisor has it as a simple root, because its piece
    /// contains only one.
    fn is_root_of(&self, other: &Polynomial) -> bool {
        let divisor = self.polynomial.common_divisor(other);
        divisor.sign_at(&self.k, self.m) != divisor.sign_at(&(&self.k + 1), self.m)
    }

    /// Returns adjacent, or nearly adjacent, f64 numbers lo < t ≤ hi around the root t; both are 0 for the
    /// root 0.
    pub fn bracket(&mut self) -> (f64, f64) {
        while !self.is_exact && self.k.bit_len() < BITS && self.m < BITS_MAX {
            self.refine();
        }
        let e = -i32::try_from(self.m).expect("a few thousand at most");
        let end = if self.is_exact { self.k.clone() } else { &self.k + 1 };
        let (lo, hi) = (round_down(&self.k, e), round_up(&end, e));
        (if lo == hi { lo.next_down().max(0.0) } else { lo }, hi)
    }

    /// Returns a lower bound, to sort roots by.
    pub fn lower(&mut self) -> f64 {
        self.refine_to(BITS);
        round_down(&self.k, -i32::try_from(self.m).expect("a few thousand at most"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(c: &[i64]) -> Polynomial {
        Polynomial::new(c.iter().map(|&c| c.into()).collect())
    }

    fn brackets(p: &Polynomial) -> Vec<(f64, f64)> {
        let mut found: Vec<_> = Root::all(p).iter_mut().map(Root::bracket).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found
    }

    #[test]
    fn roots_are_bracketed_by_neighbours() {
        // 2t² − 1.
        let found = brackets(&polynomial(&[-1, 0, 2]));
        assert_eq!(found.len(), 1);
        let (lo, hi) = found[0];
        assert!(lo < hi && hi <= lo.next_up() && (lo - 0.5_f64.sqrt()).abs() < 2e-16);
    }

    #[test]
    fn multiple_roots_and_ends_are_roots() {
        // t² (t − 1) (3t − 1)² (2t − 1): the caller handles the root 0.
        let line = |a, b| polynomial(&[a, b]);
        let (zero, third) = (line(0, 1).square(), line(-1, 3).square());
        let p = &(&(&zero * &line(-1, 1)) * &third) * &line(-1, 2);
        let found = brackets(&p);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].0 < 1.0 / 3.0 + 1e-16 && found[0].1 > 1.0 / 3.0 - 1e-16);
        assert_eq!(found[1], (0.5_f64.next_down(), 0.5));
        assert_eq!(found[2], (1.0_f64.next_down(), 1.0));
    }

    #[test]
    fn a_sign_at_a_root_is_exact() {
        // At √½, any multiple of 2t² − 1 is 0, and 2³⁰⁰(2t² − 1) + 1 is positive.
        let p = polynomial(&[-1, 0, 2]);
        let mut root = Root::all(&p).remove(0);
        assert_eq!(root.sign_of(&(&p * &polynomial(&[5, 7]))), Ordering::Equal);
        let near = Polynomial::new(vec![IBig::ONE - (IBig::ONE << 300), 0.into(), IBig::ONE << 301]);
        assert_eq!(root.sign_of(&near), Ordering::Greater);
    }
}
