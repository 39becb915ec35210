//! Deformation of an elastic element.

use rigor_math::{Mat3, Vec3};

use crate::particle::positions::Positions;

/// N particles whose deformation gradient at one point is F = Σ xᵢ bᵢᵀ: a tetrahedron of four, or a quadrature point of one of ten.
#[derive(Debug, Clone)]
pub(crate) struct Element<const N: usize> {
    pub particles: [u32; N],
    /// bᵢ (1/m), the gradients of the shape functions; they sum to zero.
    pub gradients: [Vec3; N],
    /// V (m³), the volume at rest for which the point stands.
    pub volume: f64,
}

impl Element<4> {
    /// The tetrahedron with this D₀⁻¹ (1/m), D₀ = [x₂ − x₁, x₃ − x₁, x₄ − x₁] at rest, and this volume (m³).
    pub fn tetrahedron(particles: [u32; 4], inverse_rest: &Mat3, volume: f64) -> Self {
        Self { particles, gradients: rigor_geometry::shape_function::linear_gradients(inverse_rest), volume }
    }
}

impl<const N: usize> Element<N> {
    /// Returns F.
    pub fn deformation<P: Positions + ?Sized>(&self, particles: &P) -> Mat3 {
        let first = particles.x(self.particles[0]);
        let rest = self.particles.iter().zip(&self.gradients).skip(1);
        rest.map(|(i, b)| (particles.x(*i) - first) * b.transpose()).sum()
    }

    /// Returns ∂C/∂xᵢ = P bᵢ from P = ∂C/∂F; they sum to zero.
    pub fn gradient(&self, p: &Mat3) -> [Vec3; N] {
        let mut gradient = self.gradients.map(|b| p * b);
        gradient[0] = -gradient[1..].iter().sum::<Vec3>();
        gradient
    }

    /// Returns w of each particle (1/kg).
    pub fn inverse_masses<P: Positions + ?Sized>(&self, particles: &P) -> [f64; N] {
        self.particles.map(|i| particles.w(i))
    }
}

/// Returns ∂ det F/∂F, the cofactor matrix.
pub(crate) fn cofactors(f: &Mat3) -> Mat3 {
    let [a, b, c] = [0, 1, 2].map(|i| f.column(i).into_owned());
    Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}
