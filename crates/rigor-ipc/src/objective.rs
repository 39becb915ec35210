//! The incremental potential with barrier and friction: its value, gradient and Hessian.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use rigor_math::{Mat3, Vec3};

use crate::barrier::Barrier;
use crate::body::Drive;
use crate::contact::{Contact, Mat12};
use crate::friction::FrictionContact;
use crate::linear_solve::BlockMatrix;
use crate::pair::{PairTerms, Push, sorted};
use crate::placement::Placement;
use crate::positive::{absolute_3, positive_6, positive_12};

/// f(x) = E(x) + κ B(x) + D(x) (J s²) of the bodies that have coordinates.
///
/// Source: [Ferguson2021] eq. (11), with the factor h² in E.
#[derive(Debug)]
pub(crate) struct Objective {
    pub drives: Vec<Drive>,
    /// The place of each body's coordinates; none for those that stay.
    pub blocks: Vec<Option<usize>>,
    pub barrier: Barrier,
    pub kappa: f64,
    pub friction: Vec<FrictionContact>,
}

/// ∇f, and of what ∇²f is made.
#[derive(Debug)]
pub(crate) struct Derivatives {
    pub gradient: Vec<Vector6<f64>>,
    pairs: Vec<PairTerms>,
    /// ∂f/∂q and ∂f/∂Q of every body.
    pushes: Vec<Push>,
}

impl Objective {
    pub fn new(drives: Vec<Drive>, barrier: Barrier, kappa: f64) -> Self {
        let mut objective = Self { drives, blocks: Vec::new(), barrier, kappa, friction: Vec::new() };
        objective.number_blocks();
        objective
    }

    /// Gives every body that is free a place for its coordinates, in the order of the bodies.
    pub fn number_blocks(&mut self) {
        let mut n = 0;
        let numbers = self.drives.iter().map(|drive| drive.is_free().then(|| (n, n += 1).0));
        self.blocks = numbers.collect();
    }

    pub fn n_blocks(&self) -> usize {
        self.blocks.iter().flatten().count()
    }

    /// f (J s²).
    pub fn value(&self, places: &[Placement], contacts: &[Contact]) -> f64 {
        let inertia: f64 =
            self.drives.iter().zip(places).map(|(d, p)| d.energy(&p.position, &p.matrix)).sum();
        let barrier: f64 = contacts.iter().map(|c| c.energy(&self.barrier, &points(c, places))).sum();
        let friction: f64 = self.friction.iter().map(|f| f.energy(&points(&f.contact, places))).sum();
        inertia + self.kappa * barrier + friction
    }

    fn in_coordinates(&self, places: &[Placement], pushes: &[Push]) -> Vec<Vector6<f64>> {
        let free = (0..places.len()).filter(|&b| self.blocks[b].is_some());
        free.map(|b| coordinates(&places[b], &pushes[b], &self.drives[b].fixed())).collect()
    }

    /// ∇f and the parts of ∇²f, friction with its majorizing curvature if asked for.
    pub fn derivatives(&self, places: &[Placement], contacts: &[Contact], majorizes: bool) -> Derivatives {
        let same = |a: &Contact, b: &Contact| sorted(a.bodies) == sorted(b.bodies);
        let groups: Vec<&[Contact]> = contacts.chunk_by(same).collect();
        let barrier = groups.par_iter().with_min_len(8).map(|group| {
            let derivatives = |c: &Contact| {
                let (g, h) = c.gradient_and_hessian(&self.barrier, &points(c, places));
                (g * self.kappa, h * self.kappa)
            };
            PairTerms::new(group.iter().map(|c| (c, derivatives(c))), sorted(group[0].bodies), places)
        });
        let mut pairs: Vec<PairTerms> = barrier.collect();
        for group in self.friction.chunk_by(|a, b| same(&a.contact, &b.contact)) {
            let derivatives =
                |f: &FrictionContact| f.gradient_and_hessian(&points(&f.contact, places), majorizes);
            let terms = group.iter().map(|f| (&f.contact, derivatives(f)));
            pairs.push(PairTerms::new(terms, sorted(group[0].contact.bodies), places));
        }
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

    /// ∇²f as it is, or with every pair's and every body's part made positive semidefinite; and how many of them were not.
    pub fn hessian(
        &self,
        places: &[Placement],
        derivatives: &Derivatives,
        repairs: bool,
    ) -> (BlockMatrix, u64) {
        let mut hessian =
            BlockMatrix { diagonal: vec![Matrix6::zeros(); self.n_blocks()], ..BlockMatrix::default() };
        let mut repaired = 0;
        for pair in &derivatives.pairs {
            repaired += u64::from(self.add_pair(pair, repairs, &mut hessian));
        }
        for (b, drive) in self.drives.iter().enumerate() {
            let Some(block) = self.blocks[b] else { continue };
            hessian.diagonal[block] += own_block(drive, &places[b], &derivatives.pushes[b].1, repairs);
        }
        self.hold_fixed(&mut hessian);
        (hessian, repaired)
    }

    /// Adds the terms between one pair of bodies; whether they had to be repaired.
    fn add_pair(&self, pair: &PairTerms, repairs: bool, hessian: &mut BlockMatrix) -> bool {
        let part = |r: usize, c: usize, m: &Mat12| m.fixed_view::<6, 6>(6 * r, 6 * c).into_owned();
        match pair.bodies.map(|body| self.blocks[body]) {
            [Some(block_a), Some(block_b)] => {
                let (m, is_repaired) = if repairs { positive_12(&pair.block) } else { (pair.block, false) };
                hessian.diagonal[block_a] += part(0, 0, &m);
                hessian.diagonal[block_b] += part(1, 1, &m);
                // Blocks are numbered as bodies are.
                *hessian.lower.entry((block_b, block_a)).or_insert_with(Matrix6::zeros) += part(1, 0, &m);
                is_repaired
            }
            [None, None] => false,
            [block_a, block_b] => {
                let side = usize::from(block_a.is_none());
                let own = part(side, side, &pair.block);
                let (own, is_repaired) = if repairs { positive_6(&own) } else { (own, false) };
                if let Some(block) = block_a.or(block_b) {
                    hessian.diagonal[block] += own;
                }
                is_repaired
            }
        }
    }

    /// Rows and columns of what may not move become those of the identity.
    fn hold_fixed(&self, hessian: &mut BlockMatrix) {
        for (drive, block) in self.drives.iter().zip(&self.blocks) {
            let Some(block) = *block else { continue };
            for k in (0..6).filter(|&k| drive.fixed()[k]) {
                let own = &mut hessian.diagonal[block];
                own.row_mut(k).fill(0.0);
                own.column_mut(k).fill(0.0);
                own[(k, k)] = 1.0;
                for ((row, column), m) in &mut hessian.lower {
                    if *row == block {
                        m.row_mut(k).fill(0.0);
                    }
                    if *column == block {
                        m.column_mut(k).fill(0.0);
                    }
                }
            }
        }
    }
}

/// x (m, world).
pub(crate) fn points(contact: &Contact, places: &[Placement]) -> [Vec3; 4] {
    let n = contact.kind.n_points();
    std::array::from_fn(|i| {
        if i < n {
            places[contact.bodies[contact.side(i)]].point(&contact.points_local[i])
        } else {
            Vec3::zeros()
        }
    })
}

/// (∂f/∂q, ∂f/∂Q : ∂Q/∂θ_k), 0 where nothing may move.
fn coordinates(place: &Placement, (by_q, by_matrix): &(Vec3, Mat3), fixed: &[bool; 6]) -> Vector6<f64> {
    let turns = place.gradient();
    let all = Vector6::from_fn(|k, _| if k < 3 { by_q[k] } else { by_matrix.dot(&turns[k - 3]) });
    crate::body::without_fixed(all, fixed)
}

/// The body's own part: m 1 and tr(∂_kQ J ∂_lQᵀ) + ∂f/∂Q : ∂_k∂_lQ; positive definite if repaired.
fn own_block(drive: &Drive, place: &Placement, by_matrix: &Mat3, repairs: bool) -> Matrix6<f64> {
    let (mass, j) = drive.stiffness();
    let turns = place.gradient();
    let scaled = turns.map(|turn| crate::body::scaled_columns(&turn, &j));
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
