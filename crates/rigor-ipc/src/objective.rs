//! The incremental potential with barrier and friction: its value, gradient and Hessian.

use nalgebra::{Matrix3x6, Matrix6, SMatrix, Vector6};
use rigor_math::{Mat3, Vec3};

use crate::barrier::Barrier;
use crate::body::Drive;
use crate::contact::{Contact, Mat12, Vec12};
use crate::friction::FrictionContact;
use crate::linear_solve::BlockMatrix;
use crate::placement::Placement;
use crate::positive::{positive_3, positive_6, positive_12};

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

/// ∇f, and a positive definite matrix near ∇²f.
#[derive(Debug, Default)]
pub(crate) struct Derivatives {
    pub gradient: Vec<Vector6<f64>>,
    pub hessian: BlockMatrix,
    /// Pairs of bodies whose block was not positive semidefinite and has been made so.
    pub repaired: u64,
}

/// What the points of bodies push: Σ f and Σ f x̂ᵀ for each body.
type Pushes = Vec<(Vec3, Mat3)>;

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

    /// ∇E and ∇B, without κ, in the coordinates at `places`.
    pub fn gradients(&self, places: &[Placement], contacts: &[Contact]) -> [Vec<Vector6<f64>>; 2] {
        let mut pushes: Pushes = vec![(Vec3::zeros(), Mat3::zeros()); places.len()];
        for contact in contacts {
            push(&mut pushes, contact, &contact.gradient(&self.barrier, &points(contact, places)));
        }
        let inertia: Pushes =
            self.drives.iter().zip(places).map(|(d, p)| d.gradient(&p.position, &p.matrix)).collect();
        [self.in_coordinates(places, &inertia), self.in_coordinates(places, &pushes)]
    }

    fn in_coordinates(&self, places: &[Placement], pushes: &Pushes) -> Vec<Vector6<f64>> {
        let free = (0..places.len()).filter(|&b| self.blocks[b].is_some());
        free.map(|b| coordinates(&places[b], &pushes[b], &self.drives[b].fixed())).collect()
    }

    pub fn derivatives(&self, places: &[Placement], contacts: &[Contact]) -> Derivatives {
        let mut pushes: Pushes = vec![(Vec3::zeros(), Mat3::zeros()); places.len()];
        let mut out = Derivatives::default();
        out.hessian.diagonal = vec![Matrix6::zeros(); self.n_blocks()];
        let turns: Vec<[Mat3; 3]> = places.iter().map(Placement::gradient).collect();
        let same = |a: &Contact, b: &Contact| sorted(a.bodies) == sorted(b.bodies);
        for group in contacts.chunk_by(same) {
            let derivatives = |c: &Contact| {
                let (g, h) = c.gradient_and_hessian(&self.barrier, &points(c, places));
                (g * self.kappa, h * self.kappa)
            };
            self.add_pair(group.iter().map(|c| (c, derivatives(c))), &turns, &mut pushes, &mut out);
        }
        for group in self.friction.chunk_by(|a, b| same(&a.contact, &b.contact)) {
            let terms =
                group.iter().map(|f| (&f.contact, f.gradient_and_hessian(&points(&f.contact, places))));
            self.add_pair(terms, &turns, &mut pushes, &mut out);
        }
        for (b, drive) in self.drives.iter().enumerate() {
            let Some(block) = self.blocks[b] else { continue };
            let (by_q, by_matrix) = drive.gradient(&places[b].position, &places[b].matrix);
            pushes[b].0 += by_q;
            pushes[b].1 += by_matrix;
            out.hessian.diagonal[block] += own_block(drive, &places[b], &turns[b], &pushes[b].1);
        }
        out.gradient = self.in_coordinates(places, &pushes);
        self.hold_fixed(&mut out.hessian);
        out
    }

    /// Adds the terms between one pair of bodies, their Hessian made positive semidefinite as a whole.
    fn add_pair<'a>(
        &self,
        terms: impl Iterator<Item = (&'a Contact, (Vec12, Mat12))>,
        turns: &[[Mat3; 3]],
        pushes: &mut Pushes,
        out: &mut Derivatives,
    ) {
        let mut pair = SMatrix::<f64, 12, 12>::zeros();
        let mut bodies = None;
        for (contact, (gradient, hessian)) in terms {
            let [a, b] = *bodies.get_or_insert(sorted(contact.bodies));
            push(pushes, contact, &gradient);
            let n = contact.kind.n_points();
            let jacobians: [Matrix3x6<f64>; 4] = std::array::from_fn(|i| {
                let body = contact.bodies[contact.side(i)];
                jacobian(&turns[body], &contact.points_local[i])
            });
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let row = if contact.bodies[contact.side(i)] == a { 0 } else { 6 };
                let column = if contact.bodies[contact.side(j)] == b { 6 } else { 0 };
                let block = hessian.fixed_view::<3, 3>(3 * i, 3 * j);
                let mut part = pair.fixed_view_mut::<6, 6>(row, column);
                part += jacobians[i].transpose() * block * jacobians[j];
            }
        }
        let Some([a, b]) = bodies else { return };
        match (self.blocks[a], self.blocks[b]) {
            (Some(block_a), Some(block_b)) => {
                let (pair, is_repaired) = positive_12(&pair);
                out.repaired += u64::from(is_repaired);
                out.hessian.diagonal[block_a] += pair.fixed_view::<6, 6>(0, 0);
                out.hessian.diagonal[block_b] += pair.fixed_view::<6, 6>(6, 6);
                // a < b, and blocks are numbered as bodies are.
                let lower = out.hessian.lower.entry((block_b, block_a)).or_insert_with(Matrix6::zeros);
                *lower += pair.fixed_view::<6, 6>(6, 0);
            }
            (block_a, block_b) => {
                let (block, from) =
                    if let Some(block) = block_a { (block, 0) } else { (block_b.unwrap_or(0), 6) };
                if block_a.is_none() && block_b.is_none() {
                    return;
                }
                let (own, is_repaired) = positive_6(&pair.fixed_view::<6, 6>(from, from).into_owned());
                out.repaired += u64::from(is_repaired);
                out.hessian.diagonal[block] += own;
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

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
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

fn push(pushes: &mut Pushes, contact: &Contact, gradient: &Vec12) {
    for i in 0..contact.kind.n_points() {
        let f: Vec3 = gradient.fixed_rows::<3>(3 * i).into_owned();
        let (sum, moment) = &mut pushes[contact.bodies[contact.side(i)]];
        *sum += f;
        *moment += f * contact.points_local[i].transpose();
    }
}

/// ∂x/∂(q, θ) of the point x̂: 1 and the columns ∂Q/∂θ_k x̂.
fn jacobian(turns: &[Mat3; 3], x_local: &Vec3) -> Matrix3x6<f64> {
    let columns =
        [Vec3::x(), Vec3::y(), Vec3::z(), turns[0] * x_local, turns[1] * x_local, turns[2] * x_local];
    Matrix3x6::from_columns(&columns)
}

/// (∂f/∂q, ∂f/∂Q : ∂Q/∂θ_k), 0 where nothing may move.
fn coordinates(place: &Placement, (by_q, by_matrix): &(Vec3, Mat3), fixed: &[bool; 6]) -> Vector6<f64> {
    let turns = place.gradient();
    let all = Vector6::from_fn(|k, _| if k < 3 { by_q[k] } else { by_matrix.dot(&turns[k - 3]) });
    crate::body::without_fixed(all, fixed)
}

/// The body's own part: m 1 and tr(∂_kQ J ∂_lQᵀ) + ∂f/∂Q : ∂_k∂_lQ, positive definite.
fn own_block(drive: &Drive, place: &Placement, turns: &[Mat3; 3], by_matrix: &Mat3) -> Matrix6<f64> {
    let (mass, j) = drive.stiffness();
    let scaled = turns.map(|turn| crate::body::scaled_columns(&turn, &j));
    let turning = Mat3::from_fn(|k, l| turns[k].dot(&scaled[l]));
    let (turning, _) = positive_3(&(turning + place.curvature(by_matrix)));
    let least = 1e-9 * turning.trace().max(f64::MIN_POSITIVE);
    let mut block = Matrix6::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turning + Mat3::identity() * least));
    block
}

#[cfg(test)]
mod tests;
