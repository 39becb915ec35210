//! Shape functions of tetrahedra with four and with ten nodes.
//!
//! A tetrahedron of ten nodes has its four corners and the middles of its six edges, in the order of [`EDGES`]. With λ the barycentric
//! coordinates of a point,
//!
//! ```text
//! corner a: N = λₐ (2λₐ − 1)    middle of ab: N = 4 λₐ λ_b
//! ```
//!
//! are 1 at their own node and 0 at the others, and x = Σ Nᵢ xᵢ contains every polynomial of the second degree. So it bends, which one of
//! four nodes cannot.

use rigor_math::{Mat3, Vec3};

/// The corners of each edge of a tetrahedron, in the order of the nodes 4 to 9.
pub const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Barycentric coordinates of four points, whose mean is exact for polynomials of the second degree: (5 + 3√5)/20 and (5 − √5)/20.
pub const QUADRATURE: [[f64; 4]; 4] = {
    const FAR: f64 = 0.138_196_601_125_010_5;
    const NEAR: f64 = 1.0 - 3.0 * FAR;
    [[NEAR, FAR, FAR, FAR], [FAR, NEAR, FAR, FAR], [FAR, FAR, NEAR, FAR], [FAR, FAR, FAR, NEAR]]
};

/// The part of the mass that each corner and each middle carries: the integrals of Nᵢ², scaled to a sum of 1. Those of Nᵢ are negative at
/// corners.
///
/// Source: \[Hinton1976\].
pub const LUMPED: [f64; 2] = [1.0 / 36.0, 4.0 / 27.0];

/// Returns ∂λₐ/∂X (1/m) of the corners from D₀⁻¹, D₀ = [X₂ − X₁, X₃ − X₁, X₄ − X₁]: its rows, and what makes their sum zero.
///
/// ```
/// use rigor_geometry::shape_function::linear_gradients;
/// use rigor_math::{Mat3, Vec3};
/// // The corner of a cube, with edges of 1 m.
/// let gradients = linear_gradients(&Mat3::identity());
/// assert_eq!(gradients, [-Vec3::repeat(1.0), Vec3::x(), Vec3::y(), Vec3::z()]);
/// ```
pub fn linear_gradients(inverse_rest: &Mat3) -> [Vec3; 4] {
    let [b2, b3, b4] = [0, 1, 2].map(|i| inverse_rest.row(i).transpose());
    [-(b2 + b3 + b4), b2, b3, b4]
}

/// Returns ∂Nᵢ/∂X (1/m) of the ten nodes at the barycentric coordinates λ, from those of the corners' coordinates:
///
/// ```text
/// corner a: (4λₐ − 1) ∇λₐ    middle of ab: 4 (λₐ ∇λ_b + λ_b ∇λₐ)
/// ```
pub fn quadratic_gradients(linear: &[Vec3; 4], lambda: &[f64; 4]) -> [Vec3; 10] {
    std::array::from_fn(|i| match i.checked_sub(4) {
        None => linear[i] * (4.0 * lambda[i] - 1.0),
        Some(edge) => {
            let [a, b] = EDGES[edge];
            (linear[b] * lambda[a] + linear[a] * lambda[b]) * 4.0
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [Vec3; 4] = [
        Vec3::new(0.1, -0.2, 0.0),
        Vec3::new(1.0, 0.1, 0.2),
        Vec3::new(-0.1, 1.2, 0.1),
        Vec3::new(0.2, 0.1, 0.9),
    ];

    fn linear() -> [Vec3; 4] {
        let [a, b, c, d] = CORNERS;
        linear_gradients(&Mat3::from_columns(&[b - a, c - a, d - a]).try_inverse().unwrap())
    }

    fn nodes() -> [Vec3; 10] {
        std::array::from_fn(|i| match i.checked_sub(4) {
            None => CORNERS[i],
            Some(edge) => 0.5 * (CORNERS[EDGES[edge][0]] + CORNERS[EDGES[edge][1]]),
        })
    }

    /// The gradient of every polynomial of the second degree, and with it a state of bending.
    #[test]
    fn gradients_are_exact_for_polynomials_of_the_second_degree() {
        let (a, b) = (Vec3::new(0.3, -0.7, 1.1), Mat3::new(1.0, 0.2, -0.4, 0.2, 0.5, 0.9, -0.4, 0.9, -2.0));
        let function = |x: &Vec3| 0.7 + a.dot(x) + 0.5 * x.dot(&(b * x));
        for lambda in QUADRATURE {
            let x: Vec3 = CORNERS.iter().zip(lambda).map(|(x, l)| x * l).sum();
            let found: Vec3 = nodes()
                .iter()
                .zip(quadratic_gradients(&linear(), &lambda))
                .map(|(x, g)| g * function(x))
                .sum();
            assert!((found - (a + b * x)).norm() < 1e-14, "{found}");
        }
    }

    /// ∫ λₐ λ_b dV/V = (1 + [a = b])/20.
    #[test]
    fn quadrature_is_exact_for_polynomials_of_the_second_degree() {
        for a in 0..4 {
            for b in 0..4 {
                let mean = QUADRATURE.iter().map(|lambda| 0.25 * lambda[a] * lambda[b]).sum::<f64>();
                assert!((mean - if a == b { 0.1 } else { 0.05 }).abs() < 1e-16);
            }
        }
    }

    /// ∫ λₐ² (2λₐ − 1)² dV/V = 1/70 and ∫ 16 λₐ² λ_b² dV/V = 8/105, from ∫ λₐᵖ λ_bᵠ dV/V = 6 p! q!/(p + q + 3)!.
    #[test]
    fn parts_of_the_mass_are_those_of_the_diagonal() {
        let (corner, middle) = (1.0 / 70.0, 8.0 / 105.0);
        let whole = 4.0 * corner + 6.0 * middle;
        assert!((LUMPED[0] - corner / whole).abs() < 1e-16 && (LUMPED[1] - middle / whole).abs() < 1e-16);
        assert!((4.0 * LUMPED[0] + 6.0 * LUMPED[1] - 1.0).abs() < 1e-15);
    }
}
