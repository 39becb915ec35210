//! Friction: smoothed Coulomb, with normal force and directions from before.

use nalgebra::{Matrix2, Vector2};
use rigor_math::{UnitVec3, Vec3, tangent};

use crate::barrier::Barrier;
use crate::contact::{Contact, Mat12, Vec12};

/// D = μ λ f₀(‖u‖), u = Tᵀ Σ wᵢ (xᵢ − xᵢᵗ): the slip since the step began, in the plane across the contact.
///
/// f₀(y) = y − … beyond ε = ε_v h, and −y³/(3ε²) + y²/ε + ε/3 below, so that f₁ = f₀′ = 2y/ε − y²/ε² rises smoothly to 1.
/// λ = −κ ∂(m b)/∂d (kg m) is the normal force times h², T and w those of the iterate at which friction was last found.
///
/// Source: [Li2020] eqs. (10)–(13), [Ferguson2021] eq. (1).
#[derive(Debug, Clone)]
pub(crate) struct FrictionContact {
    pub contact: Contact,
    /// wᵢ.
    weights: [f64; 4],
    /// T.
    tangents: [Vec3; 2],
    /// Where the points were when the step began (m, world).
    start: [Vec3; 4],
    /// μ λ (kg m).
    strength: f64,
    /// ε_v h (m).
    eps: f64,
}

impl FrictionContact {
    /// Where the contact's points are at `x` and were at `start`; none if nothing presses.
    pub fn new(
        contact: &Contact,
        barrier: &Barrier,
        kappa: f64,
        mu: f64,
        eps: f64,
        x: &[Vec3; 4],
        start: [Vec3; 4],
    ) -> Option<Self> {
        let (weights, separation) = contact.nearest(x);
        let strength = mu * kappa * normal_impulse(contact, barrier, x, &weights, &separation);
        let normal = UnitVec3::try_new(separation, 0.0)?;
        let is_felt = strength > 0.0 && strength.is_finite();
        let tangents = tangent::basis(&normal).map(UnitVec3::into_inner);
        is_felt.then_some(Self { contact: *contact, weights, tangents, start, strength, eps })
    }

    fn slip(&self, x: &[Vec3; 4]) -> Vector2<f64> {
        let by = (0..4).fold(Vec3::zeros(), |sum, i| sum + self.weights[i] * (x[i] - self.start[i]));
        Vector2::new(self.tangents[0].dot(&by), self.tangents[1].dot(&by))
    }

    /// D (J s²).
    pub fn energy(&self, x: &[Vec3; 4]) -> f64 {
        let y = self.slip(x).norm();
        let eps = self.eps;
        self.strength * if y < eps { y * y * (1.0 / eps - y / (3.0 * eps * eps)) + eps / 3.0 } else { y }
    }

    /// The force of friction on A times h² (kg m, world).
    pub fn force(&self, x: &[Vec3; 4]) -> Vec3 {
        let u = self.slip(x);
        let f = -self.strength * self.rate(u.norm()) * u;
        self.tangents[0] * f.x + self.tangents[1] * f.y
    }

    /// f₁(y)/y.
    fn rate(&self, y: f64) -> f64 {
        if y < self.eps { (2.0 - y / self.eps) / self.eps } else { 1.0 / y }
    }

    /// ∂D, and ∂²D, or, if `majorizes`, the larger μλ f₁(y)/y in place of it: f₀ is concave in y², so that a parabola of that
    /// curvature lies above D, and a step to its minimum never leads past where friction changes its sign.
    pub fn gradient_and_hessian(&self, x: &[Vec3; 4], majorizes: bool) -> (Vec12, Mat12) {
        let u = self.slip(x);
        let y = u.norm();
        let rate = self.rate(y);
        // f₁′ − f₁/y, over y².
        let bend = if y == 0.0 || majorizes {
            0.0
        } else if y < self.eps {
            -1.0 / (self.eps * self.eps * y)
        } else {
            -1.0 / (y * y * y)
        };
        let gradient = u * (self.strength * rate);
        let hessian = (Matrix2::identity() * rate + u * u.transpose() * bend) * self.strength;
        (self.spread(&gradient), self.spread_square(&hessian))
    }

    /// Along each tangent, on each point.
    fn spread(&self, v: &Vector2<f64>) -> Vec12 {
        let by = self.tangents[0] * v.x + self.tangents[1] * v.y;
        Vec12::from_fn(|row, _| self.weights[row / 3] * by[row % 3])
    }

    fn spread_square(&self, m: &Matrix2<f64>) -> Mat12 {
        let t = nalgebra::Matrix3x2::from_columns(&self.tangents);
        let block = t * m * t.transpose();
        Mat12::from_fn(|r, c| self.weights[r / 3] * self.weights[c / 3] * block[(r % 3, c % 3)])
    }
}

/// −∂(m b)/∂d (m³), by moving A along the separation: −Σ_A ∇ᵢ(m b)·n.
fn normal_impulse(
    contact: &Contact,
    barrier: &Barrier,
    x: &[Vec3; 4],
    weights: &[f64; 4],
    separation: &Vec3,
) -> f64 {
    let gradient = contact.gradient(barrier, x);
    let on_a = (0..4).filter(|&i| weights[i] > 0.0 || contact.side(i) == 0);
    let sum = on_a.fold(Vec3::zeros(), |sum, i| sum + gradient.fixed_rows::<3>(3 * i));
    let length = separation.norm();
    if length > 0.0 { -sum.dot(separation) / length } else { 0.0 }
}
