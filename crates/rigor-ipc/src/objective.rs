//! The incremental potential with barrier and friction: its value, gradient and Hessian.

use std::borrow::Cow;

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use rigor_geometry::Aabb;
use rigor_math::{Mat3, Vec3, unskew};

use crate::barrier::Barrier;
use crate::body::{Drive, without_fixed};
use crate::contact::{PrimitivePair, points, sorted};
use crate::friction::FrictionContact;
use crate::linear_solve::BlockMatrix;
use crate::near::Near;
use crate::pair::{PairBlocks, PairTerms, Push};
use crate::placement::Placement;
use crate::positive::absolute_3;
use crate::second_moment::scaled_columns;

/// Number of terms that are always summed in sequence, so that sums do not depend on the number of threads.
const CHUNK: usize = 64;
/// Minimum body pairs, or chunks, per rayon task.
const GRAIN: usize = 4;

/// f(x) = E(x) + κ B(x) + D(x) (J s²), as a function of the coordinates of all bodies that have any.
///
/// Source: \[Ferguson2021\] eq. (11), with the factor h² in E.
#[derive(Debug)]
pub(crate) struct Objective {
    pub drives: Vec<Drive>,
    /// Index of each body's block of coordinates; `None` for bodies that stay.
    pub blocks: Vec<Option<usize>>,
    pub barrier: Barrier,
    pub kappa: f64,
    pub friction: Vec<FrictionContact>,
}

/// ∇f, and the parts from which ∇²f is assembled.
#[derive(Debug)]
pub(crate) struct Derivatives {
    pub gradient: Vec<Vector6<f64>>,
    pairs: Vec<PairTerms>,
    /// ∂f/∂q and ∂f/∂Q of every body.
    pushes: Vec<Push>,
}

impl Derivatives {
    /// Returns ‖∇f‖ in the coordinates of the bodies (kg m).
    pub fn norm(&self) -> f64 {
        self.gradient.iter().map(Vector6::norm_squared).sum::<f64>().sqrt()
    }

    /// Returns the rounding error (J s²) of f due to that of the placements: each contact force times an ulp
    /// of the position at which it acts.
    pub fn rounding(&self, places: &[Placement]) -> f64 {
        let of = |(body, (by_q, by_matrix)): (&usize, &Push)| {
            by_q.norm() * places[*body].position.norm() + by_matrix.norm()
        };
        let pairs = self.pairs.iter();
        4.0 * f64::EPSILON * pairs.flat_map(|pair| pair.bodies.iter().zip(&pair.pushes)).map(of).sum::<f64>()
    }

    /// Returns which of `n` bodies are in contact with another.
    pub fn is_touched(&self, n: usize) -> Vec<bool> {
        let mut touched = vec![false; n];
        self.pairs.iter().flat_map(|pair| pair.bodies).for_each(|body| touched[body] = true);
        touched
    }
}

impl Objective {
    pub fn new(drives: Vec<Drive>, barrier: Barrier, kappa: f64) -> Self {
        let mut objective = Self { drives, blocks: Vec::new(), barrier, kappa, friction: Vec::new() };
        objective.number_blocks();
        objective
    }

    /// Numbers the blocks of coordinates of the free bodies, in the order of the bodies.
    pub fn number_blocks(&mut self) {
        let mut n = 0;
        let numbers = self.drives.iter().map(|drive| drive.is_free().then(|| (n, n += 1).0));
        self.blocks = numbers.collect();
    }

    pub fn n_blocks(&self) -> usize {
        self.blocks.iter().flatten().count()
    }

    /// f (J s²).
    pub fn value(&self, places: &[Placement], contacts: &[PrimitivePair]) -> f64 {
        let inertia: f64 =
            self.drives.iter().zip(places).map(|(d, p)| d.energy(&p.position, &p.matrix)).sum();
        let barrier = sum(contacts, |c| c.energy(&self.barrier, &points(c, places)));
        let friction = sum(&self.friction, |f| f.energy(places));
        inertia + self.kappa * barrier + friction
    }

    /// Returns the largest displacement (m) of any corner of a body's box in one step by the unbalanced
    /// forces: ‖M⁻¹∇f‖ measured at a point. `bounds` are the boxes in the frames of the bodies (m).
    pub fn imbalance(&self, derivatives: &Derivatives, places: &[Placement], bounds: &[Aabb]) -> f64 {
        let of = |b: usize| {
            let drive = &self.drives[b];
            if !drive.is_free() {
                return 0.0;
            }
            let (by_q, by_matrix) = &derivatives.pushes[b];
            let (mass, j) = drive.stiffness();
            let torque = 2.0 * unskew(&(by_matrix * places[b].matrix.transpose()));
            let moments = j.map(|j_k| j.sum() - j_k);
            let local = places[b].matrix.tr_mul(&torque);
            let turn = local.zip_map(&moments, |t, i| if i > 0.0 { t / i } else { 0.0 });
            let turn = places[b].matrix * turn;
            let by = without_fixed(
                Vector6::from_fn(|k, _| if k < 3 { by_q[k] / mass } else { turn[k - 3] }),
                &drive.fixed(),
            );
            let (by, turn) = (by.fixed_rows::<3>(0).into_owned(), by.fixed_rows::<3>(3).into_owned());
            let corner = |corner: Vec3| (by + turn.cross(&(places[b].matrix * corner))).norm();
            corners(&bounds[b]).map(corner).into_iter().fold(0.0, f64::max)
        };
        (0..places.len()).map(of).fold(0.0, f64::max)
    }

    /// Returns the derivatives with `friction` in place of the current friction.
    pub fn derivatives_with(
        &mut self,
        friction: &[FrictionContact],
        places: &[Placement],
        near: &mut Near,
    ) -> Derivatives {
        let own = std::mem::replace(&mut self.friction, friction.to_vec());
        let derivatives = self.derivatives(places, near, false);
        self.friction = own;
        derivatives
    }

    fn in_coordinates(&self, places: &[Placement], pushes: &[Push]) -> Vec<Vector6<f64>> {
        let free = (0..places.len()).filter(|&b| self.blocks[b].is_some());
        free.map(|b| coordinates(&places[b], &pushes[b], &self.drives[b].fixed())).collect()
    }

    /// Returns the derivatives of the barrier for each pair of bodies, from contacts of which each nearest
    /// feature occurs once.
    pub fn pressed(&self, places: &[Placement], terms: &[PrimitivePair]) -> Vec<PairTerms> {
        let groups: Vec<&[PrimitivePair]> = terms.chunk_by(PrimitivePair::has_same_bodies).collect();
        let law = (&self.barrier, self.kappa);
        let of = |group: &&[PrimitivePair]| PairTerms::pressed(group, places, law);
        groups.par_iter().with_min_len(GRAIN).map(of).collect()
    }

    /// Returns ∇f and the parts of ∇²f; friction has its majorizing curvature if `majorizes`.
    pub fn derivatives(&self, places: &[Placement], near: &mut Near, majorizes: bool) -> Derivatives {
        let of = |(pressed, friction): &(Cow<PairTerms>, &[FrictionContact])| {
            pressed.as_ref().clone().rubbed(friction, places, majorizes)
        };
        let pressed = near.pressed(self.kappa, |terms| self.pressed(places, terms));
        let pairs = by_pair(pressed, &self.friction);
        let pairs: Vec<PairTerms> = pairs.par_iter().with_min_len(GRAIN).map(of).collect();
        let mut pushes: Vec<Push> =
            self.drives.iter().zip(places).map(|(d, p)| d.gradient(&p.position, &p.matrix)).collect();
        for pair in &pairs {
            for (body, push) in pair.bodies.iter().zip(&pair.pushes) {
                pushes[*body].0 += push.0;
                pushes[*body].1 += push.1;
            }
        }
        Derivatives { gradient: self.in_coordinates(places, &pushes), pairs, pushes }
    }

    /// Returns ∇²f, and the number of pairs repaired: if `repairs`, the part of each pair and of each body is
    /// made positive semidefinite.
    pub fn hessian(
        &self,
        places: &[Placement],
        derivatives: &Derivatives,
        repairs: bool,
    ) -> (BlockMatrix, u64) {
        let block = |body: usize| self.blocks[body];
        let blocks_of =
            |pair: &PairTerms| pair.blocks(pair.bodies.map(|body| block(body).is_some()), repairs);
        // Without repairs this is mostly copying.
        let grain = if repairs { GRAIN } else { 256 };
        let blocks: Vec<PairBlocks> =
            derivatives.pairs.par_iter().with_min_len(grain).map(blocks_of).collect();
        let mut hessian =
            BlockMatrix { diagonal: vec![Matrix6::zeros(); self.n_blocks()], ..BlockMatrix::default() };
        for (pair, blocks) in derivatives.pairs.iter().zip(&blocks) {
            let at = pair.bodies.map(block);
            for (at, own) in at.into_iter().zip(&blocks.own) {
                at.into_iter().for_each(|at| hessian.diagonal[at] += own);
            }
            if let [Some(column), Some(row)] = at {
                // Pairs are in ascending order, and blocks are numbered as bodies are.
                hessian.lower.push(((column, row), blocks.between));
            }
        }
        for (b, drive) in self.drives.iter().enumerate() {
            let Some(block) = self.blocks[b] else { continue };
            hessian.diagonal[block] += own_block(drive, &places[b], &derivatives.pushes[b].1, repairs);
        }
        self.hold_fixed(&mut hessian);
        (hessian, blocks.iter().filter(|blocks| blocks.is_repaired).count() as u64)
    }

    /// Replaces the rows and columns of fixed coordinates by those of the identity.
    fn hold_fixed(&self, hessian: &mut BlockMatrix) {
        let free = self.drives.iter().filter(|drive| drive.is_free());
        let fixed: Vec<[bool; 6]> = free.map(Drive::fixed).collect();
        if fixed.iter().all(|fixed| *fixed == [false; 6]) {
            return;
        }
        let held = |block: usize| fixed[block].iter().enumerate().filter_map(|(k, held)| held.then_some(k));
        for (block, own) in hessian.diagonal.iter_mut().enumerate() {
            for k in held(block) {
                own.row_mut(k).fill(0.0);
                own.column_mut(k).fill(0.0);
                own[(k, k)] = 1.0;
            }
        }
        for ((column, row), m) in &mut hessian.lower {
            held(*row).for_each(|k| m.row_mut(k).fill(0.0));
            held(*column).for_each(|k| m.column_mut(k).fill(0.0));
        }
    }
}

/// Returns the corners of a box.
fn corners(bounds: &Aabb) -> [Vec3; 8] {
    let pick = |number: usize, axis: usize| {
        if number >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
    };
    std::array::from_fn(|number| Vec3::from_fn(|axis, _| pick(number, axis)))
}

/// Returns Σ f, each chunk summed separately.
fn sum<T: Sync>(terms: &[T], f: impl Fn(&T) -> f64 + Sync) -> f64 {
    let chunks = terms.par_chunks(CHUNK).with_min_len(GRAIN);
    let sums: Vec<f64> = chunks.map(|chunk| chunk.iter().map(&f).sum()).collect();
    sums.iter().sum()
}

/// Groups the derivatives of the barrier and friction by pair of bodies; both must be in ascending order of
/// these pairs.
fn by_pair<'a>(
    pressed: &'a [PairTerms],
    friction: &'a [FrictionContact],
) -> Vec<(Cow<'a, PairTerms>, &'a [FrictionContact])> {
    let of = |f: &FrictionContact| sorted(f.contact.bodies);
    let mut pressed = pressed.iter().peekable();
    let mut friction = friction.chunk_by(|a, b| a.contact.has_same_bodies(&b.contact)).peekable();
    let mut all = Vec::with_capacity(pressed.len());
    loop {
        let next = (pressed.peek().map(|p| p.bodies), friction.peek().map(|f| of(&f[0])));
        let bodies = match next {
            (None, None) => return all,
            (Some(bodies), None) | (None, Some(bodies)) => bodies,
            (Some(a), Some(b)) => a.min(b),
        };
        let own = pressed.next_if(|p| p.bodies == bodies);
        let own = own.map_or_else(|| Cow::Owned(PairTerms::none(bodies)), Cow::Borrowed);
        all.push((own, friction.next_if(|f| of(&f[0]) == bodies).unwrap_or_default()));
    }
}

/// Returns (∂f/∂q, ∂f/∂Q : ∂Q/∂θ_k), 0 for fixed coordinates.
fn coordinates(place: &Placement, (by_q, by_matrix): &(Vec3, Mat3), fixed: &[bool; 6]) -> Vector6<f64> {
    let turns = place.gradient();
    let all = Vector6::from_fn(|k, _| if k < 3 { by_q[k] } else { by_matrix.dot(&turns[k - 3]) });
    without_fixed(all, fixed)
}

/// Returns the body's own block: m 1 and tr(∂_kQ J ∂_lQᵀ) + ∂f/∂Q : ∂_k∂_lQ, made positive definite if
/// `repairs`.
fn own_block(drive: &Drive, place: &Placement, by_matrix: &Mat3, repairs: bool) -> Matrix6<f64> {
    let (mass, j) = drive.stiffness();
    let turns = place.gradient();
    let scaled = turns.map(|turn| scaled_columns(&turn, &j));
    let turning = Mat3::from_fn(|k, l| turns[k].dot(&scaled[l])) + place.curvature(by_matrix);
    let turning = if repairs { absolute_3(&turning) } else { turning };
    let least = if repairs { 1e-9 * turning.trace().max(f64::MIN_POSITIVE) } else { 0.0 };
    let mut block = Matrix6::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turning + Mat3::identity() * least));
    block
}

#[cfg(test)]
mod tests;
