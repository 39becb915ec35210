//! Elastic constraints between particles, as data.

use rigor_math::{Mat3, Vec3};

use crate::particle::ParticleId;

/// An elastic constraint C(x₁, …, xₙ) between particles: its energy is C²/(2α).
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// The constrained quantity.
    pub kind: BondKind,
    /// The constrained particles: their number and order depend on the kind.
    pub particles: Vec<ParticleId>,
    /// Compliance α ≥ 0, the inverse of the stiffness, in the unit of C² divided by J; 0 is rigid.
    pub compliance: f64,
}

/// The quantity that a bond constrains.
#[derive(Debug, Clone, PartialEq)]
pub enum BondKind {
    /// C = ‖x₁ − x₂‖ − ℓ (m), two particles; α in m/N.
    ///
    /// Source: \[Mueller2007\] §3.3.
    Distance {
        /// ℓ (m).
        rest: f64,
    },
    /// C = θ − θ₀ (rad), with θ ∈ (−π, π] the angle between the triangles (x₁, x₂, x₃) and (x₁, x₂, x₄) about
    /// their common edge x₁x₂; θ = 0 where they are coplanar, on opposite sides of the edge; α in rad/(N m).
    ///
    /// Source: \[Mueller2007\] §4.1 and appendix A. Deviation: the angle is signed and measured from the flat
    /// state, so that its sign is the direction of a fold, and a flat sheet is not singular; see
    /// [`angle`](rigor_geometry::dihedral::angle).
    Bending {
        /// θ₀ (rad).
        rest: f64,
    },
    /// C = (x₂ − x₁)·((x₃ − x₁) × (x₄ − x₁))/6 − V (m³), four particles; α in m⁶/J.
    ///
    /// Source: \[Mueller2007\] §4.2, for one tetrahedron.
    Volume {
        /// V (m³).
        rest: f64,
    },
    /// An elastic tetrahedron of four particles with energy V Ψ(F); `compliance` is not used.
    ///
    /// F = D D₀⁻¹ with D = [x₂ − x₁, x₃ − x₁, x₄ − x₁]; D₀ is D at rest and V the volume at rest.
    Tetrahedron {
        /// Constitutive law and Lamé parameters.
        material: Material,
        /// D₀⁻¹ (1/m).
        inverse_rest: Mat3,
        /// V (m³).
        volume: f64,
    },
    /// A quadrature point of an elastic tetrahedron of ten particles with energy V Ψ(F); `compliance` is not used.
    ///
    /// F = Σ xᵢ bᵢᵀ. The particles are the corners and the middles of the edges, as
    /// [`shape_function`](rigor_geometry::shape_function) orders them; four such points make the tetrahedron.
    QuadraturePoint {
        /// Constitutive law and Lamé parameters.
        material: Material,
        /// bᵢ (1/m): gradients of the shape functions at the point.
        gradients: Box<[Vec3; 10]>,
        /// V (m³): a quarter of the volume at rest.
        volume: f64,
    },
    /// Shape matching: all particles keep their rest shape up to a rigid motion, xᵢ = R x̄ᵢ + t for the best
    /// fit R and t; α in m/N for the distance of each particle from its goal.
    ///
    /// Source: \[Mueller2005\] §3.
    Shape {
        /// x̄ᵢ (m): rest position of each particle relative to their centre of mass.
        rest: Vec<Vec3>,
    },
}

impl BondKind {
    /// The kind in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Distance { .. } => "distance",
            Self::Bending { .. } => "bending",
            Self::Volume { .. } => "volume",
            Self::Tetrahedron { .. } => "tetrahedron",
            Self::QuadraturePoint { .. } => "quadrature point",
            Self::Shape { .. } => "shape",
        }
    }
}

/// Elastic material of a tetrahedron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// The energy density.
    pub law: Law,
    /// The coefficient λ (Pa) of the law: Lamé's first parameter for St. Venant–Kirchhoff, Lamé's plus μ for
    /// neo-Hookean.
    pub lambda: f64,
    /// μ (Pa), the shear modulus.
    pub mu: f64,
}

/// The energy density Ψ(F) of a material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Law {
    /// Ψ = μ/2 (tr FᵀF − 3) + λ/2 (det F − 1 − μ/λ)², minus its value at rest.
    ///
    /// For small strains ε it is μ ε:ε + (λ − μ)/2 (tr ε)²: Lamé's first parameter is λ − μ.
    ///
    /// Source: \[Macklin2021\] §4.
    #[default]
    NeoHookean,
    /// Ψ = μ E:E + λ/2 (tr E)², E = ½ (FᵀF − 1).
    StVenantKirchhoff,
}

impl Material {
    /// Computes the coefficients with which `law` has Young's modulus E (Pa) and Poisson's ratio ν in (−1, ½)
    /// for small strains.
    ///
    /// ```text
    /// μ = E/(2(1 + ν))     neo-Hookean: λ = E/(2(1 + ν)(1 − 2ν))     St. Venant–Kirchhoff: λ = E ν/((1 + ν)(1 − 2ν))
    /// ```
    ///
    /// The second λ is Lamé's first parameter, the first is Lamé's plus μ. Derived in `docs/methods/xpbd.md`.
    ///
    /// ```
    /// use rigor_scene::{Law, Material};
    /// let rubber = Material::from_young(Law::NeoHookean, 1e5, 0.25);
    /// assert_eq!((rubber.lambda, rubber.mu), (8e4, 4e4));
    /// let steel = Material::from_young(Law::StVenantKirchhoff, 1e5, 0.25);
    /// assert_eq!((steel.lambda, steel.mu), (4e4, 4e4));
    /// ```
    pub fn from_young(law: Law, young: f64, poisson: f64) -> Self {
        let mu = young / (2.0 * (1.0 + poisson));
        let share = match law {
            Law::NeoHookean => 0.5,
            Law::StVenantKirchhoff => poisson,
        };
        Self { law, lambda: young * share / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), mu }
    }

    /// Returns Lamé's first parameter (Pa) of the material for small strains, which fixes its bulk modulus
    /// λ + ⅔ μ.
    ///
    /// ```
    /// use rigor_scene::{Law, Material};
    /// let rubber = Material::from_young(Law::NeoHookean, 1e5, 0.25);
    /// assert_eq!(rubber.lame_lambda(), 4e4);
    /// ```
    pub fn lame_lambda(&self) -> f64 {
        match self.law {
            Law::NeoHookean => self.lambda - self.mu,
            Law::StVenantKirchhoff => self.lambda,
        }
    }
}
