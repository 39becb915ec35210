//! A cross product without cancellation.

use rigor_math::Vec3;

/// a × b, accurate to about one unit in the last place of every component.
///
/// A fused multiply-add recovers the rounding errors of both products of each component, so that nearly
/// parallel vectors still give the right direction, and exactly parallel ones give exactly zero. Guarantees
/// `cross(b, a) == -cross(a, b)` bit for bit.
#[inline]
pub(crate) fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    Vec3::new(
        difference_of_products(a.y, b.z, a.z, b.y),
        difference_of_products(a.z, b.x, a.x, b.z),
        difference_of_products(a.x, b.y, a.y, b.x),
    )
}

/// a b − c d.
#[inline]
fn difference_of_products(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let (ab, cd) = (a * b, c * d);
    (ab - cd) + (a.mul_add(b, -ab) - c.mul_add(d, -cd))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_parallel_vectors_keep_their_normal() {
        // Every component is ± (1 + 2ε) − (1 + ε)² = ∓ ε², which a product rounded to 53 bits loses.
        let eps = f64::EPSILON;
        let a = Vec3::new(1.0, 1.0 + eps, 0.0);
        let b = Vec3::new(1.0 + eps, 1.0 + 2.0 * eps, 0.0);
        assert_eq!(cross(&a, &b), Vec3::new(0.0, 0.0, -eps * eps));
        assert_eq!(cross(&b, &a), -cross(&a, &b));
        assert_eq!(a.cross(&b), Vec3::zeros());
    }

    #[test]
    fn parallel_vectors_have_no_normal() {
        let a = Vec3::new(0.1, 0.7, -0.3);
        assert_eq!(cross(&a, &(a * 4.0)), Vec3::zeros());
    }
}
