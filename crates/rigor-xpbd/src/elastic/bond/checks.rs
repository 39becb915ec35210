//! Checks shared by the tests of all constraints.

use nalgebra::SVector;
use rigor_math::finite_difference::Differences;
use rigor_math::{Mat3, Vec3};

use super::element::Element;
use super::{Constraint, Rule};
use crate::particle::SolverParticle;

/// A tetrahedron without symmetry.
pub(crate) const REST: [Vec3; 4] = [
    Vec3::new(0.1, -0.2, 0.0),
    Vec3::new(1.0, 0.1, 0.2),
    Vec3::new(-0.1, 1.2, 0.1),
    Vec3::new(0.2, 0.1, 0.9),
];

/// Masses (kg) of particles.
pub(crate) const MASSES: [f64; 4] = [1.0, 2.0, 0.5, 3.0];

/// Returns the tetrahedron of [`REST`].
pub(crate) fn tetrahedron() -> Element<4> {
    let d = Mat3::from_columns(&[REST[1] - REST[0], REST[2] - REST[0], REST[3] - REST[0]]);
    Element::tetrahedron([0, 1, 2, 3], &d.try_inverse().unwrap(), d.determinant() / 6.0)
}

/// Returns particles with the masses [`MASSES`] at `x`.
pub(crate) fn particles<const N: usize>(x: [Vec3; N]) -> Vec<SolverParticle> {
    let at = |(x, mass): (Vec3, f64)| SolverParticle { x, w: 1.0 / mass, x_prev: x, v: Vec3::zeros() };
    x.into_iter().zip(MASSES).map(at).collect()
}

/// Calls `test` with random positions: each coordinate within 0.4 m of [`REST`].
pub(crate) fn at_random<const N: usize>(test: impl Fn([Vec3; N])) {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 * 0.8 - 0.4
    };
    for _ in 0..20 {
        test(std::array::from_fn(|i| REST[i] + Vec3::from_fn(|_, _| random())));
    }
}

/// Checks that the gradient of `function` matches its value, and that translations and rotations about the
/// origin leave the value unchanged: Σ ∇ᵢC = 0 and Σ xᵢ × ∇ᵢC = 0.
pub(crate) fn gradient<const N: usize>(
    function: impl Fn(&[Vec3; N]) -> Option<(f64, [Vec3; N])>,
    tolerance: f64,
) {
    at_random(|x: [Vec3; N]| {
        let unpack = |y: &SVector<f64, 12>| -> [Vec3; N] {
            std::array::from_fn(|i| Vec3::new(y[3 * i], y[3 * i + 1], y[3 * i + 2]))
        };
        let mut packed = SVector::<f64, 12>::zeros();
        let mut analytic = SVector::<f64, 12>::zeros();
        let (_, g) = function(&x).unwrap();
        for i in 0..N {
            packed.fixed_rows_mut::<3>(3 * i).copy_from(&x[i]);
            analytic.fixed_rows_mut::<3>(3 * i).copy_from(&g[i]);
        }
        let value = |y: &SVector<f64, 12>| function(&unpack(y)).map_or(f64::NAN, |(c, _)| c);
        Differences::with_step(0.02).check_gradient(value, &analytic, &packed).assert_within(tolerance);

        let size: f64 = g.iter().map(Vec3::norm).sum();
        let force: Vec3 = g.iter().sum();
        let torque: Vec3 = x.iter().zip(&g).map(|(x, g)| x.cross(g)).sum();
        assert!(force.norm() < 1e-13 * size, "the gradients sum to {force}");
        assert!(torque.norm() < 1e-12 * size, "their moments sum to {torque}");
    });
}

/// Checks two projections of `bond` against its gradient: Δλ = −(C + α̃λ)/(Σ w|∇C|² + α̃), Δx = w ∇C Δλ.
pub(crate) fn projection<const N: usize>(
    bond: &mut (impl Constraint + Clone),
    function: impl Fn(&[Vec3; N]) -> Option<(f64, [Vec3; N])>,
    alpha: f64,
) {
    let rule = Rule { per_h_sq: 10.0, share: 0.7 };
    at_random(|x: [Vec3; N]| {
        let (mut moved, mut expected, mut lambda) = (particles(x), x, 0.0);
        let mut bond = bond.clone();
        for _ in 0..2 {
            let (c, g) = function(&expected).unwrap();
            let w: f64 = g.iter().zip(MASSES).map(|(g, m)| g.norm_squared() / m).sum();
            let step = -rule.share * (c + 10.0 * alpha * lambda) / (w + 10.0 * alpha);
            lambda += step;
            for i in 0..N {
                expected[i] += g[i] * (step / MASSES[i]);
            }
            bond.project(&mut moved[..], rule);
        }
        for (p, x) in moved.iter().zip(&expected) {
            assert!((p.x - x).norm() < 1e-13, "{} instead of {x}", p.x);
        }
    });
}
