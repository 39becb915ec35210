//! Matrices of intervals, and enclosures of rotations.

use std::ops::Mul;

use crate::elementary::{sinc, versinc};
use crate::{IVec3, Interval};
use rigor_math::UnitQuaternion;

/// The 3×3 matrices whose entries lie in nine intervals, stored by rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IMat3(pub [IVec3; 3]);

impl IMat3 {
    /// The identity.
    pub fn identity() -> Self {
        let entry = |i: usize, j: usize| Interval::point(if i == j { 1.0 } else { 0.0 });
        Self(std::array::from_fn(|i| IVec3(std::array::from_fn(|j| entry(i, j)))))
    }

    /// An enclosure of {R(θ)} for a box of rotation vectors.
    ///
    /// R(θ) = 1 + s \[θ\] + v \[θ\]², s = sinc(‖θ‖), v = ½ sinc²(‖θ‖/2), by entries: Rᵢᵢ = 1 − v (θⱼ² + θₖ²)
    /// and Rᵢⱼ = v θᵢθⱼ ∓ s θₖ. Entries are cut to [−1, 1], which holds those of every orthogonal matrix.
    ///
    /// Source: \[Ferguson2021\] eq. (14). Deviation: the coefficient of \[θ\]² is printed as 2 sinc²(‖θ‖/2);
    /// see [`rigor_math::rotation_vector::matrix`].
    ///
    /// `theta` in rad.
    ///
    /// ```
    /// use rigor_interval::{IMat3, IVec3, Interval};
    /// let zero = Interval::point(0.0);
    /// let turn = IMat3::rotation(IVec3::new(zero, zero, Interval::new(0.0, 0.1)));
    /// let (sin, cos) = rigor_math::elementary::sin_cos(0.1);
    /// assert!(turn.0[0][0].contains(cos) && turn.0[1][0].contains(sin));
    /// assert_eq!(turn.0[2][2], Interval::point(1.0));
    /// ```
    pub fn rotation(theta: IVec3) -> Self {
        let [x, y, z] = theta.0;
        let [xx, yy, zz] = theta.0.map(Interval::sqr);
        let angle = (xx + yy + zz).sqrt();
        let (s, v) = (sinc(angle), versinc(angle));
        let one = Interval::symmetric(1.0);
        let diagonal = |sum: Interval| (1.0 - v * sum).intersection(one);
        let pair = |product: Interval, axis: Interval| {
            let (even, odd) = (v * product, s * axis);
            ((even - odd).intersection(one), (even + odd).intersection(one))
        };
        let ((xy, yx), (yz, zy), (zx, xz)) = (pair(x * y, z), pair(y * z, x), pair(z * x, y));
        Self([
            IVec3([diagonal(yy + zz), xy, xz]),
            IVec3([yx, diagonal(xx + zz), yz]),
            IVec3([zx, zy, diagonal(xx + yy)]),
        ])
    }

    /// An enclosure of the rotation by a quaternion of any non-zero length, which is divided out.
    ///
    /// For q = (w, u): Q x = x + (2/‖q‖²) u × (w x + u × x), by entries: Qᵢᵢ = 1 − 2 (uⱼ² + uₖ²)/‖q‖² and
    /// Qᵢⱼ = 2 (uᵢuⱼ ∓ w uₖ)/‖q‖².
    ///
    /// ```
    /// use rigor_interval::IMat3;
    /// use rigor_math::UnitQuaternion;
    /// assert_eq!(IMat3::from_quaternion(&UnitQuaternion::identity()), IMat3::identity());
    /// ```
    pub fn from_quaternion(q: &UnitQuaternion) -> Self {
        let u = IVec3::from(q.imag());
        let [x, y, z] = u.0;
        let [xx, yy, zz] = u.0.map(Interval::sqr);
        let scale = 2.0 / (xx + yy + zz + Interval::point(q.w).sqr());
        let pair = |product: Interval, axis: Interval| {
            let odd = q.w * axis;
            ((product - odd) * scale, (product + odd) * scale)
        };
        let diagonal = |sum: Interval| 1.0 - sum * scale;
        let ((xy, yx), (yz, zy), (zx, xz)) = (pair(x * y, z), pair(y * z, x), pair(z * x, y));
        Self([
            IVec3([diagonal(yy + zz), xy, xz]),
            IVec3([yx, diagonal(xx + zz), yz]),
            IVec3([zx, zy, diagonal(xx + yy)]),
        ])
    }

    /// Mᵀ.
    #[must_use]
    pub fn transpose(self) -> Self {
        Self(std::array::from_fn(|i| IVec3(std::array::from_fn(|j| self.0[j][i]))))
    }
}

/// {M a}.
impl Mul<IVec3> for IMat3 {
    type Output = IVec3;

    #[inline]
    fn mul(self, a: IVec3) -> IVec3 {
        IVec3(self.0.map(|row| row.dot(a)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rigor_math::{Mat3, Vec3, rotation_vector};

    fn vector(reach: f64) -> impl Strategy<Value = Vec3> {
        [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
    }

    /// Asserts that each entry of `matrix` is within `tolerance` of its interval.
    fn assert_near(set: IMat3, matrix: &Mat3, tolerance: f64) {
        for i in 0..3 {
            for j in 0..3 {
                let (entry, interval) = (matrix[(i, j)], set.0[i][j]);
                assert!(
                    interval.inf() - tolerance <= entry && entry <= interval.sup() + tolerance,
                    "{i} {j}: {entry} {interval}"
                );
            }
        }
    }

    fn width(set: IMat3) -> f64 {
        set.0.map(IVec3::width).into_iter().fold(0.0, f64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn rotations_are_held_and_narrow(theta in vector(8.0)) {
            let set = IMat3::rotation(IVec3::from(theta));
            assert_near(set, &rotation_vector::matrix(&theta), 1e-14);
            // About 10 units in the last place of products up to ‖θ‖² v ≤ 2.
            prop_assert!(width(set) < 2e-14, "{}", width(set));
        }

        #[test]
        fn boxes_hold_the_rotations_of_their_members(theta in vector(5.0), size in 0.0..1.0f64, s in [0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64]) {
            let member = theta + size * Vec3::from(s);
            let set = IMat3::rotation(IVec3::between(&theta, &theta.add_scalar(size)));
            assert_near(set, &rotation_vector::matrix(&member), 2e-15);
        }

        #[test]
        fn quaternions_of_any_length_turn(theta in vector(3.0), scale in 0.5..2.0f64) {
            let q = rotation_vector::exp(&theta);
            let scaled = UnitQuaternion::new_unchecked(q.into_inner() * scale);
            let set = IMat3::from_quaternion(&scaled);
            assert_near(set, &rotation_vector::matrix(&theta), 3e-15);
            prop_assert!(width(set) < 1e-14);
            prop_assert_eq!(set.transpose().0[0][2], set.0[2][0]);
        }
    }

    #[test]
    fn any_rotation_has_entries_up_to_one() {
        let set = IMat3::rotation(IVec3::ENTIRE);
        assert!(set.0.iter().all(|row| row.0.iter().all(|&entry| entry == Interval::symmetric(1.0))));
        assert!((IMat3::identity() * IVec3::ENTIRE) == IVec3::ENTIRE);
    }
}
