//! Deformation of an elastic tetrahedron.

use rigor_math::{Mat3, Vec3};

use crate::particle::positions::Positions;

/// Four particles with their rest shape.
#[derive(Debug, Clone)]
pub(crate) struct Tetrahedron {
    pub particles: [u32; 4],
    /// D₀⁻¹ (1/m).
    pub inverse_rest: Mat3,
    /// V (m³).
    pub volume: f64,
}

impl Tetrahedron {
    /// Returns F = D D₀⁻¹ with D = [x₂ − x₁, x₃ − x₁, x₄ − x₁].
    pub fn deformation<P: Positions + ?Sized>(&self, particles: &P) -> Mat3 {
        let x = self.particles.map(|i| particles.x(i));
        Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]) * self.inverse_rest
    }

    /// Returns ∂C/∂xᵢ from P = ∂C/∂F: the columns of P D₀⁻ᵀ belong to x₂, x₃, x₄; all four sum to zero.
    pub fn gradient(&self, p: &Mat3) -> [Vec3; 4] {
        let g = p * self.inverse_rest.transpose();
        let [g2, g3, g4] = [0, 1, 2].map(|i| g.column(i).into_owned());
        [-(g2 + g3 + g4), g2, g3, g4]
    }

    /// Returns bᵢ (1/m) with F = Σ xᵢ bᵢᵀ: the rows of D₀⁻¹ for x₂, x₃, x₄; all four sum to zero.
    pub fn directions(&self) -> [Vec3; 4] {
        let [b2, b3, b4] = [0, 1, 2].map(|i| self.inverse_rest.row(i).transpose());
        [-(b2 + b3 + b4), b2, b3, b4]
    }

    /// Returns w of each particle (1/kg).
    pub fn inverse_masses<P: Positions + ?Sized>(&self, particles: &P) -> [f64; 4] {
        self.particles.map(|i| particles.w(i))
    }
}

/// Returns ∂ det F/∂F, the cofactor matrix.
pub(crate) fn cofactors(f: &Mat3) -> Mat3 {
    let [a, b, c] = [0, 1, 2].map(|i| f.column(i).into_owned());
    Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}
