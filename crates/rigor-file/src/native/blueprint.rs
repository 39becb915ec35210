//! A rope, a cloth or a block without its mass.

use std::collections::BTreeMap;

use rigor_geometry::dihedral;
use rigor_math::{Mat3, Vec3};

use super::super::at::At;
use super::super::error::SceneError;
use rigor_scene::bond::{BondKind, Material};

/// Named sets of particles of one rope, cloth or block, as indices from 0 among its own.
pub type Places = BTreeMap<&'static str, Vec<u32>>;

/// Positions of the particles and the bonds between them, by index from 0.
#[derive(Default)]
pub struct Blueprint {
    /// Positions at rest and at time 0 (m, world).
    pub positions: Vec<Vec3>,
    /// The share of each particle in the length (m), area (m²) or volume (m³).
    pub shares: Vec<f64>,
    /// Lines to draw.
    pub edges: Vec<[u32; 2]>,
    /// Triangles to draw.
    pub triangles: Vec<[u32; 3]>,
    /// Bonds: the kind, the particles and the compliance α.
    pub bonds: Vec<(BondKind, Vec<u32>, f64)>,
    /// Named sets of particles.
    pub places: Places,
}

impl Blueprint {
    /// Adds a bond for the distance of each of `pairs`.
    ///
    /// # Errors
    /// Two neighbouring particles coincide or are too far apart for f64; the error is reported at `at`.
    pub fn keep_distances(
        &mut self,
        pairs: &[[u32; 2]],
        compliance: f64,
        at: &At<'_>,
    ) -> Result<(), SceneError> {
        for [a, b] in pairs {
            let rest = distance(&self.positions[*a as usize], &self.positions[*b as usize], at)?;
            self.bonds.push((BondKind::Distance { rest }, vec![*a, *b], compliance));
        }
        Ok(())
    }

    /// Adds a bond for the angle between two triangles.
    pub fn keep_angle(&mut self, among: [u32; 4], compliance: f64) {
        let rest = dihedral::angle(&among.map(|i| self.positions[i as usize]));
        self.bonds.push((BondKind::Bending { rest }, among.to_vec(), compliance));
    }

    /// Adds a bond for the volume of a tetrahedron.
    pub fn keep_volume(&mut self, among: [u32; 4], compliance: f64) {
        let rest = volume(&among.map(|i| self.positions[i as usize]));
        self.bonds.push((BondKind::Volume { rest }, among.to_vec(), compliance));
    }

    /// Adds an elastic tetrahedron of `material`.
    ///
    /// # Errors
    /// The tetrahedron is degenerate in f64.
    pub fn fill(&mut self, among: [u32; 4], material: Material, at: &At<'_>) -> Result<(), SceneError> {
        let x = among.map(|i| self.positions[i as usize]);
        let rest = Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let volume = volume(&x);
        let inverse_rest = rest.try_inverse().filter(|m| m.iter().all(|c| c.is_finite()) && volume > 0.0);
        let Some(inverse_rest) = inverse_rest else {
            return Err(at.error("its tetrahedra are too small or too large for floating-point numbers"));
        };
        let kind = BondKind::Tetrahedron { material, inverse_rest, volume };
        self.bonds.push((kind, among.to_vec(), 0.0));
        Ok(())
    }

    /// Adds one bond for the shape of the whole.
    pub fn keep_shape(&mut self, compliance: f64) {
        let total: f64 = self.shares.iter().sum();
        let weighted = self.positions.iter().zip(&self.shares).map(|(x, share)| x * (share / total));
        let centre: Vec3 = weighted.sum();
        let rest = self.positions.iter().map(|x| x - centre).collect();
        let all = (0..).take(self.positions.len()).collect();
        self.bonds.push((BondKind::Shape { rest }, all, compliance));
    }
}

/// Returns the distance of two particles (m).
///
/// # Errors
/// The particles coincide or are too far apart for f64.
pub fn distance(a: &Vec3, b: &Vec3, at: &At<'_>) -> Result<f64, SceneError> {
    let distance = (a - b).norm();
    if distance > 0.0 && distance.is_finite() {
        return Ok(distance);
    }
    let why =
        if distance == 0.0 { "at the same position" } else { "too far apart for floating-point numbers" };
    Err(at.error(format!("two neighbouring particles are {why}")))
}

/// Computes (x₂ − x₁)·((x₃ − x₁) × (x₄ − x₁))/6 (m³).
pub fn volume(x: &[Vec3; 4]) -> f64 {
    (x[1] - x[0]).dot(&(x[2] - x[0]).cross(&(x[3] - x[0]))) / 6.0
}
