//! Volume of a tetrahedron.

use rigor_math::Vec3;

use super::{Function, Scalar};

/// C = (x₂ − x₁)·((x₃ − x₁) × (x₄ − x₁))/6 − V (m³).
pub(crate) type Volume = Scalar<SixthOfTriple, 4>;

/// Signed volume of the tetrahedron x₁x₂x₃x₄, less that at rest.
///
/// Source: \[Mueller2007\] eq. (13), for one tetrahedron.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SixthOfTriple {
    /// V (m³).
    pub rest: f64,
}

impl Function<4> for SixthOfTriple {
    fn value_and_gradient(&self, [x1, x2, x3, x4]: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let (p, q, r) = (x2 - x1, x3 - x1, x4 - x1);
        let [g2, g3, g4] = [q.cross(&r), r.cross(&p), p.cross(&q)].map(|g| g / 6.0);
        Some((p.dot(&g2) - self.rest, [-(g2 + g3 + g4), g2, g3, g4]))
    }

    fn scale(&self) -> f64 {
        if self.rest == 0.0 { 1.0 } else { self.rest.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;

    #[test]
    fn gradient_is_that_of_the_volume() {
        checks::gradient(|x| SixthOfTriple { rest: 0.2 }.value_and_gradient(x), 1e-11);
    }

    #[test]
    fn corner_of_a_cube_is_a_sixth_of_it() {
        let x = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 2.0, Vec3::z() * 2.0];
        assert_eq!(SixthOfTriple { rest: 1.0 }.value_and_gradient(&x).unwrap().0, 8.0 / 6.0 - 1.0);
    }
}
