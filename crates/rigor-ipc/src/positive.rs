//! Positive semidefinite matrices near symmetric ones.

use nalgebra::{Matrix3, Matrix6, SMatrix, SymmetricEigen};

macro_rules! positive {
    ($name:ident, $matrix:ty) => {
        #[doc = "The nearest positive semidefinite matrix, Σ max(λ_k, 0) v_k v_kᵀ, and whether it is another."]
        pub(crate) fn $name(m: &$matrix) -> ($matrix, bool) {
            let symmetric = 0.5 * (m + m.transpose());
            // By far the cheaper question.
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

positive!(positive_3, Matrix3<f64>);
positive!(positive_6, Matrix6<f64>);
positive!(positive_12, SMatrix<f64, 12, 12>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_directions_are_flattened_and_others_kept() {
        let v = nalgebra::Vector3::new(1.0, 2.0, -2.0) / 3.0;
        let m = Matrix3::identity() - 3.0 * v * v.transpose();
        let (near, differs) = positive_3(&m);
        assert!(differs && (near - (Matrix3::identity() - v * v.transpose())).norm() < 1e-14);
        assert_eq!(positive_3(&Matrix3::identity()), (Matrix3::identity(), false));
    }
}
