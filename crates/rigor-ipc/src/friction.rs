//! Smoothed Coulomb friction, with normal forces and directions from a previous iterate.

use nalgebra::Vector2;
use rigor_math::{UnitVec3, Vec3, tangent};

use crate::barrier::Barrier;
use crate::contact::{Identity, PrimitivePair, points};
use crate::placement::Placement;
use crate::slip::Movements;

/// D = μ λ f₀(‖u‖), where u = Tᵀ Σ wᵢ (xᵢ − xᵢᵗ) is the slip since the start of the step, in the plane
/// tangent to the contact.
///
/// f₀(y) = y for y ≥ ε = ε_v h and −y³/(3ε²) + y²/ε + ε/3 below, so that f₁ = f₀′ = 2y/ε − y²/ε² rises
/// smoothly to 1. λ = −κ ∂(m b)/∂d (kg m) is the normal force times h²; λ, T and w are those of the iterate
/// at which friction was last computed.
///
/// Source: \[Li2020\] eqs. (10)–(13), \[Ferguson2021\] eq. (1).
#[derive(Debug, Clone)]
pub(crate) struct FrictionContact {
    /// The contact at which it acts. Its coordinates are not kept: they would double the memory of a pile's friction.
    pub at: Identity,
    /// The contact point on the surface of A and of B, each in the frame of its body (m).
    pub points_local: [Vec3; 2],
    /// T.
    tangents: [Vec3; 2],
    /// Separation of the two points at the start of the step (m, world).
    start: Vec3,
    /// μ λ (kg m).
    strength: f64,
    /// ε_v h (m), or ε_v h_b where impulses count for h_b.
    eps: f64,
}

/// ∂D with respect to the separation of the two points (kg m, world), and ∂²D as Σ s v vᵀ, s ≥ 0.
pub(crate) struct Slip {
    pub gradient: Vec3,
    pub stiffness: [(f64, Vec3); 2],
}

impl FrictionContact {
    /// Creates the friction of `contact` between bodies at `places`, that came there by these `movements`; `None` if nothing presses.
    pub fn new(
        contact: &PrimitivePair,
        barrier: &Barrier,
        kappa: f64,
        mu: f64,
        eps: f64,
        places: &[Placement],
        movements: &Movements,
    ) -> Option<Self> {
        let x = points(contact, places);
        let (weights, separation) = contact.nearest(&x);
        let strength = mu * kappa * contact.pressure(barrier, &x);
        let normal = UnitVec3::try_new(separation, 0.0)?;
        let is_felt = strength > 0.0 && strength.is_finite();
        let points_local = contact.surface_points(&weights, &normal, places);
        let tangents = tangent::basis(&normal).map(UnitVec3::into_inner);
        let start = movements.separation(contact, &weights, &points_local, places);
        is_felt.then_some(Self { at: contact.identity(), points_local, tangents, start, strength, eps })
    }

    /// μ λ (kg m).
    pub fn strength(&self) -> f64 {
        self.strength
    }

    /// Returns the same with another strength μ λ (kg m).
    pub fn with_strength(self, strength: f64) -> Self {
        Self { strength, ..self }
    }

    /// u (m).
    fn slip(&self, places: &[Placement]) -> Vector2<f64> {
        let [a, b] = std::array::from_fn(|k| places[self.at.bodies[k] as usize].point(&self.points_local[k]));
        let by = a - b - self.start;
        Vector2::new(self.tangents[0].dot(&by), self.tangents[1].dot(&by))
    }

    /// D (J s²).
    pub fn energy(&self, places: &[Placement]) -> f64 {
        let y = self.slip(places).norm();
        let eps = self.eps;
        self.strength * if y < eps { y * y * (1.0 / eps - y / (3.0 * eps * eps)) + eps / 3.0 } else { y }
    }

    /// Returns the friction force on A times h² (kg m, world).
    pub fn force(&self, places: &[Placement]) -> Vec3 {
        let u = self.slip(places);
        self.along(&(-self.strength * self.rate(u.norm()) * u))
    }

    /// T v.
    fn along(&self, v: &Vector2<f64>) -> Vec3 {
        self.tangents[0] * v.x + self.tangents[1] * v.y
    }

    /// f₁(y)/y.
    fn rate(&self, y: f64) -> f64 {
        if y < self.eps { (2.0 - y / self.eps) / self.eps } else { 1.0 / y }
    }

    /// f₁′(y).
    fn rise(&self, y: f64) -> f64 {
        if y < self.eps { 2.0 * (1.0 - y / self.eps) / self.eps } else { 0.0 }
    }

    /// Returns ∂D, and ∂²D = μλ (f₁′ along u, f₁/y across).
    ///
    /// If `majorizes`, the larger μλ f₁/y replaces both: f₀ is concave in y², so a parabola of that curvature
    /// lies above D, and a step to its minimum never overshoots the point where friction changes sign.
    pub fn derivatives(&self, places: &[Placement], majorizes: bool) -> Slip {
        let u = self.slip(places);
        let y = u.norm();
        let along = if y > 0.0 { u / y } else { Vector2::x() };
        let across = Vector2::new(-along.y, along.x);
        let rate = self.rate(y);
        let rise = if majorizes { rate } else { self.rise(y) };
        let stiffness = [(rise, along), (rate, across)].map(|(s, v)| (self.strength * s, self.along(&v)));
        Slip { gradient: self.along(&(u * (self.strength * rate))), stiffness }
    }
}

#[cfg(test)]
pub(crate) mod tests;
