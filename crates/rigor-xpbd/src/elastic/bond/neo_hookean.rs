//! Elements of neo-Hookean rubber.

use nalgebra::SMatrix;
use rigor_math::{Mat3, Vec3};
use rigor_scene::Material;

use super::element::{Element, cofactors};
use super::{Constraint, Rule, Violation};
use crate::particle::positions::Positions;

/// A pivot of B below this part of its trace is zero: pinned particles leave no motion in its direction.
const ZERO_PIVOT: f64 = 1e-14;

/// Rounding of the objective, relative to the sum of its terms' sizes.
const ROUNDING: f64 = 1e-14;

/// Number of times that a step which makes the objective larger is halved.
const HALVINGS: usize = 30;

type Matrix9 = SMatrix<f64, 9, 9>;

/// The energy V Ψ(F), Ψ = μ/2 (tr FᵀF − 3) + λ/2 (det F − 1 − μ/λ)².
///
/// Source: \[Macklin2021\] §4, which has two constraints with this energy,
///
/// ```text
/// C_H = det F − 1 − μ/λ    α_H = 1/(λ V)        C_D = √(tr FᵀF)    α_D = 1/(μ V)
/// ```
///
/// Deviations: at rest neither constraint vanishes; only their forces cancel. Projected in turn, as in the
/// source, they pull the element back and forth in every substep. The system of \[Macklin2016\] eq. (16) for both
/// is nearly singular in long substeps, because the gradients are parallel, and throws particles away. Both
/// gradients are multiples of 1 at rest, so that no shear is resisted to first order but by the neighbours. Here the whole stress P (nine
/// multipliers, those of the entries of F) is solved for. With bᵢ such that F = Σ xᵢ bᵢᵀ, B = Σ wᵢ bᵢ bᵢᵀ = L Lᵀ and bᵢ = L cᵢ, an element
/// has moved each particle by wᵢ Q cᵢ, Q = P L. One projection adds Y to Q, a step of Newton's method for the energy of
/// inertia and elasticity ½‖x − s‖²_M + h² E in the motions F → F + Y Lᵀ that the element can make, over h² V μ:
///
/// ```text
/// φ(Y) = α̃ (½ |Y|² + ⟨Q, Y⟩) + ½ |F|² − J + ½ r (J − 1)²        α̃ = 1/(h² V μ)   r = λ/μ   J = det F
/// K Y = −(α̃ Q + (F + χ cof F) L)                                χ = r (J − 1) − 1
/// K_jk = (α̃ δ_jk + (LᵀL)_jk) 1 + r gⱼ g_kᵀ − χ [F (lⱼ × l_k)]×      g = (cof F) L
/// ```
///
/// by columns j, k of Y, L and g. Where K is not positive definite, its last term is left out. A step that would make φ larger is made again
/// without that term, then halved. φ is a part of the objective of implicit Euler, so no projection makes that larger.
#[derive(Debug, Clone)]
pub(crate) struct NeoHookean<const N: usize> {
    element: Element<N>,
    /// λ, μ (Pa) of the material.
    material: Material,
    /// Q: each particle has been moved by wᵢ Q cᵢ.
    applied: Mat3,
}

/// What an element can do: how its particles follow from Y.
struct Motions<const N: usize> {
    /// L.
    factor: Mat3,
    /// wᵢ cᵢ.
    shifts: [Vec3; N],
}

impl<const N: usize> NeoHookean<N> {
    /// Creates the element without a force.
    pub fn new(element: Element<N>, material: Material) -> Self {
        Self { element, material, applied: Mat3::zeros() }
    }

    /// Returns r.
    fn ratio(&self) -> f64 {
        self.material.lambda / self.material.mu
    }

    /// Returns α̃.
    fn alpha_tilde(&self, per_h_sq: f64) -> f64 {
        per_h_sq / (self.element.volume * self.material.mu)
    }

    fn motions<P: Positions + ?Sized>(&self, particles: &P) -> Motions<N> {
        let w = self.element.inverse_masses(particles);
        let gradients = &self.element.gradients;
        let factor = factor(&gradients.iter().zip(w).map(|(b, w)| b * b.transpose() * w).sum());
        Motions { factor, shifts: std::array::from_fn(|i| forward(&factor, &gradients[i]) * w[i]) }
    }

    /// Returns the gradient of φ at Y = 0: what is left of all forces, as a strain times L.
    fn left(&self, f: &Mat3, l: &Mat3, alpha_tilde: f64) -> Mat3 {
        self.applied * alpha_tilde + (f + cofactors(f) * self.pull(f)) * l
    }

    /// Returns the small strain of a `stress`, in units of μ: (stress − Λ/(3Λ + 2μ) tr stress 1)/2 with Lamé's Λ.
    fn strain(&self, stress: &Mat3) -> Mat3 {
        let lame = self.material.lame_lambda();
        (stress - Mat3::identity() * (stress.trace() * lame / (3.0 * lame + 2.0 * self.material.mu))) * 0.5
    }

    /// Returns χ.
    fn pull(&self, f: &Mat3) -> f64 {
        self.ratio() * (f.determinant() - 1.0) - 1.0
    }

    /// Returns the blocks of K on and below its diagonal, without its last term unless `curved`.
    fn system(&self, f: &Mat3, l: &Mat3, alpha_tilde: f64, curved: bool) -> Matrix9 {
        let g = cofactors(f) * l;
        let spread = l.transpose() * l;
        let mut system = Matrix9::zeros();
        for j in 0..3 {
            for k in 0..=j {
                let diagonal = spread[(j, k)] + if j == k { alpha_tilde } else { 0.0 };
                let mut block =
                    g.column(j) * g.column(k).transpose() * self.ratio() + Mat3::identity() * diagonal;
                if curved && j != k {
                    block -= (f * l.column(j).cross(&l.column(k))).cross_matrix() * self.pull(f);
                }
                system.fixed_view_mut::<3, 3>(3 * j, 3 * k).copy_from(&block);
            }
        }
        system
    }

    /// Returns φ(Y) and the sum of the sizes of its terms.
    fn objective(&self, f: &Mat3, l: &Mat3, alpha_tilde: f64, y: &Mat3) -> (f64, f64) {
        let f = f + y * l.transpose();
        let (j, ratio) = (f.determinant(), self.ratio());
        let inertia = [0.5 * y.norm_squared(), self.applied.dot(y)].map(|term| term * alpha_tilde);
        let elastic = [0.5 * f.norm_squared(), -j, 0.5 * ratio * (j - 1.0) * (j - 1.0)];
        let terms = || inertia.into_iter().chain(elastic);
        (terms().sum(), terms().map(f64::abs).sum())
    }

    /// Returns Y.
    fn step(&self, f: &Mat3, l: &Mat3, alpha_tilde: f64) -> Option<Mat3> {
        let right = -self.left(f, l, alpha_tilde);
        let (before, size) = self.objective(f, l, alpha_tilde, &Mat3::zeros());
        let descends = |y: &Mat3| self.objective(f, l, alpha_tilde, y).0 <= before + ROUNDING * size;
        let newton = |curved: bool| {
            let factors = self.system(f, l, alpha_tilde, curved).cholesky()?;
            let y = factors.solve(&SMatrix::<f64, 9, 1>::from_column_slice(right.as_slice()));
            Some(Mat3::from_column_slice(y.as_slice()))
        };
        if let Some(y) = newton(true).filter(descends) {
            return Some(y);
        }
        let y = newton(false)?;
        let mut halved = std::iter::successors(Some(y), |y| Some(y * 0.5));
        halved.by_ref().take(HALVINGS).find(descends)
    }
}

/// Returns the lower triangle L with L Lᵀ = `b`, positive semidefinite.
fn factor(b: &Mat3) -> Mat3 {
    let mut l = Mat3::zeros();
    let zero = ZERO_PIVOT * b.trace();
    for k in 0..3 {
        let pivot = b[(k, k)] - (0..k).map(|m| l[(k, m)] * l[(k, m)]).sum::<f64>();
        if pivot <= zero {
            continue;
        }
        let root = pivot.sqrt();
        l[(k, k)] = root;
        for i in k + 1..3 {
            l[(i, k)] = (b[(i, k)] - (0..k).map(|m| l[(i, m)] * l[(k, m)]).sum::<f64>()) / root;
        }
    }
    l
}

/// Returns c with `l` c = `b`, for `b` in the range of `l`.
fn forward(l: &Mat3, b: &Vec3) -> Vec3 {
    let mut c = Vec3::zeros();
    for k in 0..3 {
        if l[(k, k)] > 0.0 {
            c[k] = (b[k] - (0..k).map(|m| l[(k, m)] * c[m]).sum::<f64>()) / l[(k, k)];
        }
    }
    c
}

/// Returns X with X `l` = `y`, zero where `l` is.
fn divided(y: &Mat3, l: &Mat3) -> Mat3 {
    let mut x = Mat3::zeros();
    for k in (0..3).rev() {
        if l[(k, k)] > 0.0 {
            let known: Vec3 = (k + 1..3).map(|m| x.column(m) * l[(m, k)]).sum();
            x.set_column(k, &((y.column(k) - known) / l[(k, k)]));
        }
    }
    x
}

impl<const N: usize> Constraint for NeoHookean<N> {
    fn particles(&self) -> &[u32] {
        &self.element.particles
    }

    fn reset(&mut self) {
        self.applied = Mat3::zeros();
    }

    fn project<P: Positions + ?Sized>(&mut self, particles: &mut P, rule: Rule) {
        let f = self.element.deformation(particles);
        let Motions { factor, shifts } = self.motions(particles);
        let Some(y) = self.step(&f, &factor, self.alpha_tilde(rule.per_h_sq)) else { return };
        let y = y * rule.share;
        self.applied += y;
        for (i, shift) in self.element.particles.into_iter().zip(&shifts) {
            particles.shift(i, y * shift);
        }
    }

    /// The error is the maximum of the strains ½(FᵀF − 1) and the change of volume det F − 1. The residual is the small strain that would
    /// make up for the forces that are left.
    fn violation<P: Positions + ?Sized>(&self, particles: &P, per_h_sq: f64) -> Violation {
        let f = self.element.deformation(particles);
        let strain = 0.5 * (f.transpose() * f - Mat3::identity()).amax();
        let l = self.motions(particles).factor;
        let stress = divided(&self.left(&f, &l, self.alpha_tilde(per_h_sq)), &l);
        let residual = self.strain(&stress).amax();
        Violation { error: strain.max((f.determinant() - 1.0).abs()), residual, length: 0.0 }
    }

    fn is_inverted<P: Positions + ?Sized>(&self, particles: &P) -> bool {
        self.element.deformation(particles).determinant() <= 0.0
    }

    fn energy<P: Positions + ?Sized>(&self, particles: &P) -> f64 {
        let f = self.element.deformation(particles);
        let Material { lambda, mu, .. } = self.material;
        let growth = f.determinant() - 1.0;
        // λ/2 (J − 1 − μ/λ)² less its value at rest, without a division by λ.
        let density = 0.5 * mu * (f.norm_squared() - 3.0) + 0.5 * lambda * growth * growth - mu * growth;
        self.element.volume * density
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::bond::checks;
    use rigor_math::finite_difference::Differences;
    use rigor_scene::Law;

    fn rubber() -> NeoHookean<4> {
        NeoHookean::new(checks::tetrahedron(), Material { law: Law::NeoHookean, lambda: 3.0, mu: 2.0 })
    }

    /// Particles at `x`, of which the first `n_pinned` are pinned.
    fn pinned(x: [Vec3; 4], n_pinned: usize) -> Vec<crate::particle::SolverParticle> {
        let mut particles = checks::particles(x);
        particles[..n_pinned].iter_mut().for_each(|p| p.w = 0.0);
        particles
    }

    #[test]
    fn the_system_and_the_gradient_are_those_of_the_objective() {
        checks::at_random(|x: [Vec3; 4]| {
            let (mut bond, particles) = (rubber(), checks::particles(x));
            bond.applied = Mat3::new(0.1, -0.2, 0.3, 0.0, 0.2, -0.1, 0.4, 0.1, -0.3);
            let f = bond.element.deformation(&particles[..]);
            let l = bond.motions(&particles[..]).factor;
            let at = |y: &SMatrix<f64, 9, 1>| Mat3::from_column_slice(y.as_slice());
            let value = |y: &SMatrix<f64, 9, 1>| bond.objective(&f, &l, 0.7, &at(y)).0;
            let gradient = SMatrix::<f64, 9, 1>::from_column_slice(bond.left(&f, &l, 0.7).as_slice());
            let zero = SMatrix::<f64, 9, 1>::zeros();
            Differences::with_step(0.02).check_gradient(value, &gradient, &zero).assert_within(1e-9);
            let gradient_at = |y: &SMatrix<f64, 9, 1>| {
                let mut moved = bond.clone();
                moved.applied += at(y);
                let left = moved.left(&(f + at(y) * l.transpose()), &l, 0.7);
                SMatrix::<f64, 9, 1>::from_column_slice(left.as_slice())
            };
            let mut system = bond.system(&f, &l, 0.7, true);
            system.fill_upper_triangle_with_lower_triangle();
            for k in 0..9 {
                let mut h = zero;
                h[k] = 1e-5;
                let column = (gradient_at(&h) - gradient_at(&-h)) / 2e-5;
                assert!(
                    (column - system.column(k)).amax() < 1e-8,
                    "column {k}: {column} {}",
                    system.column(k)
                );
            }
        });
    }

    /// Sweeps of one bond end where inertia and all forces balance: α̃ P + F + χ cof F = 0, for the particles that move.
    #[test]
    fn sweeps_end_where_forces_balance() {
        let rule = Rule { per_h_sq: 3.0, share: 1.0 };
        for n_pinned in 0..4 {
            checks::at_random(|x: [Vec3; 4]| {
                let (mut bond, mut particles) = (rubber(), pinned(x, n_pinned));
                (0..30).for_each(|_| bond.project(&mut particles[..], rule));
                let residual = bond.violation(&particles[..], rule.per_h_sq).residual;
                assert!(residual < 1e-9, "{n_pinned} pinned: {residual}");
                let f = bond.element.deformation(&particles[..]);
                let stress = (f + cofactors(&f) * bond.pull(&f)) * (bond.element.volume * bond.material.mu);
                for (i, b) in bond.element.gradients.iter().enumerate() {
                    let force = -stress * b;
                    let needed = (particles[i].x - x[i]) * rule.per_h_sq;
                    let off = needed - force * particles[i].w;
                    assert!(off.norm() < 1e-8, "{n_pinned} pinned: particle {i} is off by {}", off.norm());
                }
            });
        }
    }

    #[test]
    fn no_projection_makes_the_objective_larger() {
        for (k, per_h_sq) in [0.0, 1e-3, 1.0, 1e3].into_iter().enumerate() {
            checks::at_random(|x: [Vec3; 4]| {
                // Flat, turned inside out and blown up elements, too.
                let x = x.map(|x| Vec3::new(x.x, x.y, x.z * [1.0, 0.0, -2.0, 30.0][k]));
                let (mut bond, mut particles) = (rubber(), checks::particles(x));
                let objective = |particles: &[crate::particle::SolverParticle]| {
                    let kinetic: f64 =
                        particles.iter().zip(&x).map(|(p, x)| (p.x - x).norm_squared() / p.w).sum();
                    0.5 * per_h_sq * kinetic + bond_energy(particles)
                };
                let mut before = objective(&particles);
                for _ in 0..20 {
                    bond.project(&mut particles[..], Rule { per_h_sq, share: 1.0 });
                    let after = objective(&particles);
                    assert!(after <= before + 1e-10 * (1.0 + before.abs()), "{before} to {after}");
                    before = after;
                }
            });
        }
    }

    fn bond_energy(particles: &[crate::particle::SolverParticle]) -> f64 {
        rubber().energy(particles)
    }

    #[test]
    fn energy_is_that_of_the_constraints_and_vanishes_at_rest() {
        let bond = rubber();
        checks::at_random(|x: [Vec3; 4]| {
            let particles = checks::particles(x);
            let f = bond.element.deformation(&particles[..]);
            let Material { lambda, mu, .. } = bond.material;
            let (c_d, c_h) = (f.norm(), f.determinant() - 1.0 - mu / lambda);
            let squares = 0.5 * bond.element.volume * (mu * c_d * c_d + lambda * c_h * c_h);
            let rest = 0.5 * (4.0 / 3.0 + 6.0) * bond.element.volume;
            let energy = bond.energy(&particles[..]);
            assert!((energy - (squares - rest)).abs() < 1e-13 * (1.0 + squares), "{energy}, {squares}");
        });
        assert!(bond.energy(&checks::particles(checks::REST)[..]).abs() < 1e-16);
    }

    #[test]
    fn rest_stays() {
        for per_h_sq in [1.0, 1e4, 1e10] {
            let mut particles = checks::particles(checks::REST);
            rubber().project(&mut particles[..], Rule { per_h_sq, share: 1.0 });
            for (p, x) in particles.iter().zip(checks::REST) {
                assert!((p.x - x).norm() < 1e-14, "moved by {}", (p.x - x).norm());
            }
        }
    }

    #[test]
    fn collapsed_and_pinned_tetrahedra_make_no_nonsense() {
        for n_pinned in 0..=4 {
            for x in [[Vec3::zeros(); 4], checks::REST] {
                for per_h_sq in [0.0, 1e4] {
                    let mut particles = pinned(x, n_pinned);
                    rubber().project(&mut particles[..], Rule { per_h_sq, share: 1.0 });
                    assert!(particles.iter().all(|p| p.x.iter().all(|c| c.is_finite())));
                    assert!((0..n_pinned).all(|i| particles[i].x == x[i]));
                }
            }
        }
    }
}
