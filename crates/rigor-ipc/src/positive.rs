//! Positive semidefinite approximations of symmetric matrices.

use nalgebra::{Matrix3, Matrix6, SMatrix, SymmetricEigen};

macro_rules! positive {
    ($name:ident, $matrix:ty) => {
        #[doc = "Returns the nearest positive semidefinite matrix, Σ max(λ_k, 0) v_k v_kᵀ, and whether it differs from `m`."]
        pub(crate) fn $name(m: &$matrix) -> ($matrix, bool) {
            let symmetric = 0.5 * (m + m.transpose());
            // By far the cheaper test.
            if symmetric.cholesky().is_some() {
                return (symmetric, false);
            }
            let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(symmetric);
            let mut scaled = eigenvectors;
            for (k, value) in eigenvalues.iter().enumerate() {
                scaled.column_mut(k).scale_mut(value.max(0.0));
            }
            (scaled * eigenvectors.transpose(), eigenvalues.iter().any(|value| *value < 0.0))
        }
    };
}

positive!(positive_6, Matrix6<f64>);
positive!(positive_9, SMatrix<f64, 9, 9>);
positive!(positive_12, SMatrix<f64, 12, 12>);
positive!(positive_24, SMatrix<f64, 24, 24>);

/// Returns Σ |λ_k| v_k v_kᵀ: a step along a direction of negative curvature is as long as if the curvature
/// were positive. With the curvature set to 0 it would be unbounded.
pub(crate) fn absolute_3(m: &Matrix3<f64>) -> Matrix3<f64> {
    let symmetric = 0.5 * (m + m.transpose());
    if symmetric.cholesky().is_some() {
        return symmetric;
    }
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(symmetric);
    eigenvectors * Matrix3::from_diagonal(&eigenvalues.abs()) * eigenvectors.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_directions_are_flattened_and_others_kept() {
        let v = nalgebra::Vector3::new(1.0, 2.0, -2.0) / 3.0;
        let m = Matrix3::identity() - 3.0 * v * v.transpose();
        let mut wide = Matrix6::identity();
        wide.fixed_view_mut::<3, 3>(0, 0).copy_from(&m);
        let (near, differs) = positive_6(&wide);
        let expected = Matrix3::identity() - v * v.transpose();
        assert!(differs && (near.fixed_view::<3, 3>(0, 0) - expected).norm() < 1e-14);
        assert_eq!(positive_6(&Matrix6::identity()), (Matrix6::identity(), false));
    }

    #[test]
    fn the_absolute_matrix_bends_upwards_as_much_as_the_other_bends() {
        let v = nalgebra::Vector3::new(1.0, 2.0, -2.0) / 3.0;
        let m = Matrix3::identity() - 3.0 * v * v.transpose();
        let expected = Matrix3::identity() + v * v.transpose();
        assert!((absolute_3(&m) - expected).norm() < 1e-14);
        assert_eq!(absolute_3(&Matrix3::identity()), Matrix3::identity());
    }
}
