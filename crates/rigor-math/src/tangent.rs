//! Two directions that span the plane perpendicular to a normal.

use crate::{UnitVec3, Vec3};

/// Unit vectors (t₁, t₂) with t₁ × t₂ = n, for a direction n.
///
/// t₁ is the normalised projection of the coordinate axis least aligned with n; t₂ = n × t₁. The choice jumps
/// where that axis changes, as every choice must somewhere on the sphere.
///
/// ```
/// use rigor_math::{Vec3, tangent};
/// let [t1, t2] = tangent::basis(&Vec3::z_axis());
/// assert_eq!((t1.into_inner(), t2.into_inner()), (Vec3::x(), Vec3::y()));
/// ```
pub fn basis(normal: &UnitVec3) -> [UnitVec3; 2] {
    let axis = Vec3::ith(normal.iamin(), 1.0);
    let t1 = UnitVec3::new_normalize(axis - normal.into_inner() * normal.dot(&axis));
    [t1, UnitVec3::new_normalize(normal.cross(&t1))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mat3;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn basis_is_a_right_handed_frame(x in -1.0..1.0, y in -1.0..1.0, z in -1.0..1.0, flat in -20i32..0) {
            let v = Vec3::new(x, y, z * 10f64.powi(flat));
            prop_assume!(v.norm() > 1e-3);
            let n = UnitVec3::new_normalize(v);
            let [t1, t2] = basis(&n);
            let frame = Mat3::from_columns(&[t1.into_inner(), t2.into_inner(), n.into_inner()]);
            prop_assert!((frame.transpose() * frame - Mat3::identity()).amax() < 1e-15);
            prop_assert!((frame.determinant() - 1.0).abs() < 2e-15);
        }
    }
}
