//! The incremental potential with barrier and friction: its value, gradient and Hessian.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use rigor_geometry::Aabb;
use rigor_math::{Mat3, Vec3, unskew};

use crate::barrier::Barrier;
use crate::body::Drive;
use crate::contact::Contact;
use crate::friction::FrictionContact;
use crate::linear_solve::BlockMatrix;
use crate::newton::Iterate;
use crate::pair::{PairBlocks, PairTerms, Push, sorted};
use crate::placement::Placement;
use crate::positive::absolute_3;
use crate::terms::merged;

/// As many terms are summed one after the other, wherever that is done: sums are the same for any number of threads.
const CHUNK: usize = 64;
/// As many pairs of bodies, or chunks, are worth a thread of their own.
const GRAIN: usize = 4;

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

impl Derivatives {
    /// ‖∇f‖ in the coordinates of the bodies (kg m).
    pub fn norm(&self) -> f64 {
        self.gradient.iter().map(Vector6::norm_squared).sum::<f64>().sqrt()
    }

    /// How far (J s²) rounding of the bodies' coordinates moves f: each force of contact times an ulp of the place where it acts.
    pub fn rounding(&self, places: &[Placement]) -> f64 {
        let of = |(body, (by_q, by_matrix)): (&usize, &Push)| {
            by_q.norm() * places[*body].position.norm() + by_matrix.norm()
        };
        let pairs = self.pairs.iter();
        4.0 * f64::EPSILON * pairs.flat_map(|pair| pair.bodies.iter().zip(&pair.pushes)).map(of).sum::<f64>()
    }

    /// Whether each of `n` bodies feels any other.
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
        let barrier = sum(contacts, |c| c.energy(&self.barrier, &points(c, places)));
        let friction = sum(&self.friction, |f| f.energy(places));
        inertia + self.kappa * barrier + friction
    }

    /// How far (m) the forces that are not balanced move any corner of the body's box in one step: the largest ‖M⁻¹∇f‖, as the
    /// way of a point. `bounds` are the boxes in the bodies' own frames (m).
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
            let by = crate::body::without_fixed(
                Vector6::from_fn(|k, _| if k < 3 { by_q[k] / mass } else { turn[k - 3] }),
                &drive.fixed(),
            );
            let (by, turn) = (by.fixed_rows::<3>(0).into_owned(), by.fixed_rows::<3>(3).into_owned());
            let corner = |corner: Vec3| (by + turn.cross(&(places[b].matrix * corner))).norm();
            corners(&bounds[b]).map(corner).into_iter().fold(0.0, f64::max)
        };
        (0..places.len()).map(of).fold(0.0, f64::max)
    }

    /// The derivatives where `iterate` is, with `friction` in place of what there is.
    pub fn derivatives_with(&mut self, friction: &[FrictionContact], iterate: &Iterate) -> Derivatives {
        let own = std::mem::replace(&mut self.friction, friction.to_vec());
        let derivatives = self.derivatives(&iterate.places, &iterate.contacts, false);
        self.friction = own;
        derivatives
    }

    fn in_coordinates(&self, places: &[Placement], pushes: &[Push]) -> Vec<Vector6<f64>> {
        let free = (0..places.len()).filter(|&b| self.blocks[b].is_some());
        free.map(|b| coordinates(&places[b], &pushes[b], &self.drives[b].fixed())).collect()
    }

    /// ∇f and the parts of ∇²f, friction with its majorizing curvature if asked for.
    pub fn derivatives(&self, places: &[Placement], contacts: &[Contact], majorizes: bool) -> Derivatives {
        let law = (&self.barrier, self.kappa);
        let of = |(bodies, contacts, friction): &(_, &[Contact], &[FrictionContact])| {
            PairTerms::new(*bodies, &merged(contacts, places), friction, places, law, majorizes)
        };
        let pairs: Vec<PairTerms> =
            by_pair(contacts, &self.friction).par_iter().with_min_len(GRAIN).map(of).collect();
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
        let block = |body: usize| self.blocks[body];
        let blocks_of =
            |pair: &PairTerms| pair.blocks(pair.bodies.map(|body| block(body).is_some()), repairs);
        // Without repairs it is little but copying.
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

    /// Rows and columns of what may not move become those of the identity.
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

/// The corners of a box.
fn corners(bounds: &Aabb) -> [Vec3; 8] {
    let pick = |number: usize, axis: usize| {
        if number >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] }
    };
    std::array::from_fn(|number| Vec3::from_fn(|axis, _| pick(number, axis)))
}

/// Σ f, in chunks of which each is summed on its own.
fn sum<T: Sync>(terms: &[T], f: impl Fn(&T) -> f64 + Sync) -> f64 {
    let chunks = terms.par_chunks(CHUNK).with_min_len(GRAIN);
    let sums: Vec<f64> = chunks.map(|chunk| chunk.iter().map(&f).sum()).collect();
    sums.iter().sum()
}

/// Contacts and friction of each pair of bodies. Both are in ascending order of these.
fn by_pair<'a>(
    contacts: &'a [Contact],
    friction: &'a [FrictionContact],
) -> Vec<([usize; 2], &'a [Contact], &'a [FrictionContact])> {
    let (of, of_friction) = (|c: &Contact| sorted(c.bodies), |f: &FrictionContact| sorted(f.contact.bodies));
    let mut contacts = contacts.chunk_by(Contact::has_same_bodies).peekable();
    let mut friction = friction.chunk_by(|a, b| a.contact.has_same_bodies(&b.contact)).peekable();
    let mut all = Vec::new();
    loop {
        let (next, next_friction) =
            (contacts.peek().map(|c| of(&c[0])), friction.peek().map(|f| of_friction(&f[0])));
        let bodies = match (next, next_friction) {
            (None, None) => return all,
            (Some(bodies), None) | (None, Some(bodies)) => bodies,
            (Some(a), Some(b)) => a.min(b),
        };
        let contacts = contacts.next_if(|c| of(&c[0]) == bodies).unwrap_or_default();
        let friction = friction.next_if(|f| of_friction(&f[0]) == bodies).unwrap_or_default();
        all.push((bodies, contacts, friction));
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
