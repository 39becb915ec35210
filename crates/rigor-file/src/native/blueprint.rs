//! A rope, a cloth or a block without its mass.

use std::collections::BTreeMap;

use rigor_geometry::{dihedral, shape_function};
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
        let (inverse_rest, volume) = self.rest(among, at)?;
        let kind = BondKind::Tetrahedron { material, inverse_rest, volume };
        self.bonds.push((kind, among.to_vec(), 0.0));
        Ok(())
    }

    /// Adds a particle in the middle of each of `edges`, in their order, to the positions, the triangles and those places to which both of
    /// its ends belong, and makes `tetrahedra` of ten particles from them: elastic ones of `material`, with the shares of
    /// [`LUMPED`](shape_function::LUMPED).
    ///
    /// # Errors
    /// A tetrahedron is degenerate in f64.
    pub fn fill_quadratically(
        &mut self,
        tetrahedra: &[[u32; 4]],
        edges: &[[u32; 2]],
        material: Material,
        at: &At<'_>,
    ) -> Result<(), SceneError> {
        let n = self.positions.len() as u32;
        let middles: BTreeMap<[u32; 2], u32> = edges.iter().copied().zip(n..).collect();
        let middle = |a: u32, b: u32| middles[&[a.min(b), a.max(b)]];
        for place in self.places.values_mut() {
            let is_in = |end: &u32| place.contains(end);
            let inner: Vec<u32> =
                edges.iter().filter(|ends| ends.iter().all(is_in)).map(|[a, b]| middle(*a, *b)).collect();
            place.extend(inner);
        }
        self.triangles = std::mem::take(&mut self.triangles)
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
        let halves = edges.iter().map(|ends| {
            let [a, b] = ends.map(|i| self.positions[i as usize]);
            0.5 * (a + b)
        });
        let halves: Vec<Vec3> = halves.collect();
        self.positions.extend(halves);
        self.shares = vec![0.0; self.positions.len()];
        for &corners in tetrahedra {
            let (inverse_rest, volume) = self.rest(corners, at)?;
            let linear = shape_function::linear_gradients(&inverse_rest);
            let of_edges = shape_function::EDGES.map(|[a, b]| middle(corners[a], corners[b]));
            let nodes: Vec<u32> = corners.into_iter().chain(of_edges).collect();
            for (k, node) in nodes.iter().enumerate() {
                self.shares[*node as usize] += volume * shape_function::LUMPED[usize::from(k >= 4)];
            }
            for lambda in shape_function::QUADRATURE {
                let gradients = Box::new(shape_function::quadratic_gradients(&linear, &lambda));
                let kind = BondKind::QuadraturePoint { material, gradients, volume: 0.25 * volume };
                self.bonds.push((kind, nodes.clone(), 0.0));
            }
        }
        Ok(())
    }

    /// Returns D₀⁻¹ (1/m) and the volume (m³) of a tetrahedron.
    fn rest(&self, among: [u32; 4], at: &At<'_>) -> Result<(Mat3, f64), SceneError> {
        let x = among.map(|i| self.positions[i as usize]);
        let rest = Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let volume = volume(&x);
        let inverse = rest.try_inverse().filter(|m| m.iter().all(|c| c.is_finite()) && volume > 0.0);
        let too_small = || at.error("its tetrahedra are too small or too large for floating-point numbers");
        Ok((inverse.ok_or_else(too_small)?, volume))
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
