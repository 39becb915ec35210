//! The incremental potential with barrier and friction: its value, gradient and Hessian, group by group.

use std::sync::Arc;

use nalgebra::Matrix6;
use rayon::prelude::*;
use rigor_geometry::Aabb;
use rigor_math::{Mat3, Vec3, unskew};

use crate::affine_joint;
use crate::barriers::Barriers;
use crate::body::{Drive, projection, without_fixed};
use crate::body_slots::Step;
use crate::contact::{PrimitivePair, points};
use crate::contact_set::ContactSet;
use crate::ends::Push;
use crate::friction::FrictionContact;
use crate::groups::Groups;
use crate::joint_terms::JointTerms;
use crate::linear_solve::{Block, BlockMatrix};
use crate::pair::{PairBarrier, PairBlocks, PairTerms};
use crate::pair_map::{PairIndex, PairMap};
use crate::placement::{self, Coordinates, Placement, set_matrix};
use crate::positive::{absolute_3, positive_9};
use crate::second_moment::scaled_columns;
use crate::stretch::Stretch;

/// Minimum pairs of bodies per rayon task.
const GRAIN: usize = 4;
/// Rounding error of the distance of two primitives, in ulps of their farthest point: of rotating and moving points, and of the normal.
const POINT_ROUNDING: f64 = 8.0;

/// f(x) = E(x) + κ B(x) + D(x) (J s²), as a function of the coordinates of all bodies that have any.
///
/// E is a sum over bodies, B and D are sums over pairs of bodies. So f is a sum over groups of bodies between
/// which there are no terms, and each group has a value, a gradient and a Hessian of its own.
///
/// Source: \[Ferguson2021\] eq. (11), with the factor h² in E.
#[derive(Debug)]
pub(crate) struct Objective {
    pub drives: Vec<Drive>,
    pub barriers: Barriers,
    pub kappa: f64,
    /// Of each pair of bodies that has any.
    pub friction: PairMap<Vec<FrictionContact>>,
    /// Of what joints hold, bound and pull.
    pub joints: JointTerms,
    /// h² V of each body; empty if bodies are rigid.
    pub stretch: Vec<Stretch>,
}

/// ∇f of one group, and the parts from which ∇²f is assembled.
#[derive(Debug, Default)]
pub(crate) struct Derivatives<const N: usize> {
    /// The bodies of the group, in ascending order.
    pub bodies: Vec<usize>,
    /// For each of them.
    pub gradient: Vec<Step<N>>,
    /// The terms of the group: of its pairs of bodies, and of its bodies with others that stay.
    pairs: Vec<PairTerms>,
    /// For each pair, the places of its bodies among those of the group.
    at: Vec<[Option<usize>; 2]>,
    /// ∂f/∂q and ∂f/∂Q of every body.
    pushes: Vec<Push>,
    /// The part of them by joints with the world, of the bodies that have any.
    alone: Vec<(usize, Push)>,
}

/// The derivatives of the barrier between pairs of bodies.
pub(crate) type Fresh = Vec<(PairIndex, Arc<PairBarrier>)>;

/// What is left of the derivatives of one group when its direction is known: a small part of their memory.
#[derive(Debug)]
pub(crate) struct Slope<const N: usize> {
    /// The bodies of the group, in ascending order.
    pub bodies: Vec<usize>,
    /// ∇f of each of them.
    pub gradient: Vec<Step<N>>,
    /// Rounding error (J s²) of f due to that of the placements.
    pub rounding: f64,
    /// The pairs of bodies with terms.
    pairs: Vec<[usize; 2]>,
}

impl<const N: usize> Derivatives<N> {
    /// Frees what only ∇²f needs.
    pub fn slope(self, places: &[Placement]) -> Slope<N> {
        let (rounding, pairs) = (self.rounding(places), self.pairs.iter().map(|pair| pair.bodies).collect());
        Slope { bodies: self.bodies, gradient: self.gradient, rounding, pairs }
    }

    /// Returns ‖∇f‖ in the coordinates of the bodies (kg m).
    pub fn norm(&self) -> f64 {
        self.gradient.iter().map(Step::norm_squared).sum::<f64>().sqrt()
    }

    /// Returns the rounding error (J s²) of f due to that of the placements: each contact force times an ulp
    /// of the position at which it acts.
    pub fn rounding(&self, places: &[Placement]) -> f64 {
        let of = |(body, (by_q, by_matrix)): (&usize, &Push)| {
            by_q.norm() * places[*body].position.norm() + by_matrix.norm()
        };
        let of_pairs = self.pairs.iter().flat_map(|pair| pair.bodies.iter().zip(&pair.pushes));
        let alone = self.alone.iter().map(|(body, push)| (body, push));
        4.0 * f64::EPSILON * of_pairs.chain(alone).map(of).sum::<f64>()
    }

    /// Returns which bodies of the group are in contact with another.
    pub fn is_touched(&self) -> Vec<bool> {
        let mut touched = vec![false; self.bodies.len()];
        let touching = self.pairs.iter().zip(&self.at).filter(|(pair, _)| pair.is_touching);
        touching.flat_map(|(_, at)| at).flatten().for_each(|&place| touched[place] = true);
        touched
    }
}

impl Objective {
    /// Returns f of one body (J s²).
    pub fn value_of(&self, body: usize, places: &[Placement]) -> f64 {
        let own = self.own_value(body, &places[body]);
        if self.joints.is_empty() { own } else { own + self.joints.value_alone(body, places) }
    }

    /// Returns the part of f (J s²) of one body at `place` that does not depend on others.
    pub fn own_value(&self, body: usize, place: &Placement) -> f64 {
        let own = self.drives[body].energy(&place.position, &place.matrix);
        self.stretch.get(body).map_or(own, |stretch| own + stretch.energy(&place.matrix))
    }

    /// Returns what these contacts and this friction add to f (J s²).
    pub fn value_between(
        &self,
        contacts: &[PrimitivePair],
        friction: &[FrictionContact],
        places: &[Placement],
    ) -> f64 {
        let barrier: f64 =
            contacts.iter().map(|c| c.energy(self.barriers.between(c.bodies), &points(c, places))).sum();
        self.kappa * barrier + friction.iter().map(|f| f.energy(places)).sum::<f64>()
    }

    /// Returns f of a group (J s²) at `places`, where these contacts act.
    pub fn value<const N: usize>(&self, slope: &Slope<N>, places: &[Placement], near: &ContactSet) -> f64 {
        let own: f64 = slope.bodies.iter().map(|&body| self.value_of(body, places)).sum();
        let of = |pair: &[usize; 2]| {
            let terms = near.pairs.get(*pair).map_or(&[][..], |near| &near.terms);
            let joints = self.joints.value_between(*pair, places);
            self.value_between(terms, self.friction_between(*pair), places) + joints
        };
        own + slope.pairs.iter().map(of).sum::<f64>()
    }

    /// Returns a bound on the error (J s²) of f of a group at `places` by the rounding of the points of its contacts, whose primitives
    /// may reach far beyond the contact: each force times what rounding adds to its distance.
    pub fn contact_rounding<const N: usize>(
        &self,
        slope: &Slope<N>,
        places: &[Placement],
        near: &ContactSet,
    ) -> f64 {
        let terms = slope.pairs.iter().filter_map(|pair| near.pairs.get(*pair)).flat_map(|near| &near.terms);
        let of = |term: &PrimitivePair| {
            let x = points(term, places);
            let size = x.iter().map(Vec3::norm).fold(0.0, f64::max) + term.offset();
            term.pressure(self.barriers.between(term.bodies), &x).abs() * size
        };
        POINT_ROUNDING * f64::EPSILON * self.kappa * terms.map(of).sum::<f64>()
    }

    /// Returns the friction of one pair of bodies, given with the smaller index first.
    pub fn friction_between(&self, bodies: [usize; 2]) -> &[FrictionContact] {
        self.friction.get(bodies).map_or(&[], Vec::as_slice)
    }

    /// Returns where the friction of these groups is, in ascending order of the pairs of bodies.
    pub fn friction_of(&self, groups: &Groups) -> Vec<PairIndex> {
        self.friction.of(groups.bodies(), |body| groups.has(body))
    }

    /// Returns the largest displacement (m) of any corner of a body's box, or at its joints, in one step by the unbalanced
    /// forces: ‖M⁻¹∇f‖ measured at a point. `bounds` are the boxes in the frames of the bodies (m).
    pub fn imbalance<const N: usize>(
        &self,
        derivatives: &Derivatives<N>,
        places: &[Placement],
        bounds: &[Aabb],
    ) -> f64 {
        let of = |((&b, (by_q, by_matrix)), gradient): ((&usize, &Push), &Step<N>)| {
            let drive = &self.drives[b];
            let (mass, j) = drive.stiffness();
            let torque = 2.0 * unskew(&(by_matrix * places[b].matrix.transpose()));
            let moments = j.map(|j_k| j.sum() - j_k);
            let local = places[b].matrix.tr_mul(&torque);
            let turn = local.zip_map(&moments, |t, i| if i > 0.0 { t / i } else { 0.0 });
            let turn = places[b].matrix * turn;
            let fixed = drive.fixed();
            let free = |k: usize, v: f64| if fixed[k] { 0.0 } else { v };
            let by = Vec3::from_fn(|k, _| free(k, by_q[k] / mass));
            let turn = Vec3::from_fn(|k, _| free(3 + k, turn[k]));
            let corner = |corner: Vec3| (by + turn.cross(&(places[b].matrix * corner))).norm();
            let strained = self.stretch.get(b).map_or(0.0, |stretch| {
                // The gradient has no components along fixed coordinates.
                let pull = places[b].rotation_matrix().tr_mul(&placement::by_matrix(gradient));
                let strain = Mat3::from_fn(|k, l| {
                    0.5 * (pull[(k, l)] + pull[(l, k)]) / (0.5 * (j[k] + j[l]) + stretch.of_strain())
                });
                corners(&bounds[b]).map(|corner| (strain * corner).norm()).into_iter().fold(0.0, f64::max)
            });
            // A body without extent turns its joints.
            let arm = self.joints.arm(b).map_or(0.0, |arm| by.norm() + arm * turn.norm());
            corners(&bounds[b]).map(corner).into_iter().fold(arm, f64::max) + strained
        };
        let bodies = derivatives.bodies.iter().zip(&derivatives.pushes).zip(&derivatives.gradient);
        bodies.map(of).fold(0.0, f64::max)
    }

    /// Returns ∇f and the parts of ∇²f of one of these groups; friction has its majorizing curvature if it `majorizes`.
    /// Also returns the derivatives of the barrier, which [`ContactSet::keep`] takes.
    pub fn derivatives<const N: usize>(
        &self,
        places: &[Placement],
        near: &ContactSet,
        groups: &Groups,
        group: usize,
        majorizes: bool,
    ) -> (Derivatives<N>, Fresh) {
        let friction = self.friction.of(groups.all[group].iter(), |body| groups.of_body(body) == Some(group));
        let friction = friction.into_iter();
        let friction = friction.filter_map(|spot| Some((spot.bodies, self.friction.at(spot)?.as_slice())));
        self.derivatives_with(friction, places, near, groups, group, majorizes)
    }

    /// Returns the derivatives with `friction`, that of the group in ascending order of the pairs of bodies, in place of
    /// the current one.
    pub fn derivatives_with<'f, const N: usize>(
        &self,
        friction: impl Iterator<Item = ([usize; 2], &'f [FrictionContact])>,
        places: &[Placement],
        near: &ContactSet,
        groups: &Groups,
        group: usize,
        majorizes: bool,
    ) -> (Derivatives<N>, Fresh) {
        let bodies = &groups.all[group];
        let is_among = |body: usize| groups.of_body(body) == Some(group);
        let pressed = near.pressed(bodies, is_among, places, (&self.barriers, self.kappa));
        let joined = self.joints.of(bodies.iter(), is_among);
        let joined = joined.iter().map(|spot| spot.bodies);
        let terms = by_pair(pressed.iter().map(|(spot, pressed)| (spot.bodies, pressed)), friction, joined);
        let of = |(bodies, pressed, friction): &Terms| {
            let joined = self.joints.pushed_between(*bodies, places, majorizes);
            PairTerms::new(*bodies, pressed.cloned(), friction, joined, places, majorizes)
        };
        let pairs: Vec<PairTerms> = if terms.len() < 2 * GRAIN {
            terms.iter().map(of).collect()
        } else {
            terms.par_iter().with_min_len(GRAIN).map(of).collect()
        };
        drop(terms);
        (self.summed(places, pairs, groups, bodies), pressed)
    }

    /// Sums the terms of a group of these bodies.
    fn summed<const N: usize>(
        &self,
        places: &[Placement],
        pairs: Vec<PairTerms>,
        groups: &Groups,
        bodies: &[usize],
    ) -> Derivatives<N> {
        let push = |&b: &usize| {
            let mut push = self.drives[b].gradient(&places[b].position, &places[b].matrix);
            if let Some(stretch) = self.stretch.get(b) {
                push.1 += stretch.gradient(&places[b].matrix);
            }
            push
        };
        let mut pushes: Vec<Push> = bodies.iter().map(push).collect();
        let mut places_of = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let at = pair.bodies.map(|body| groups.place(body));
            for (place, push) in at.into_iter().zip(&pair.pushes) {
                let Some(place) = place else { continue };
                pushes[place].0 += push.0;
                pushes[place].1 += push.1;
            }
            places_of.push(at);
        }
        let mut alone = Vec::new();
        if !self.joints.is_empty() {
            for (&b, push) in bodies.iter().zip(&mut pushes) {
                let Some((more, _)) = self.joints.pushed_alone(b, places, false) else { continue };
                let more = if places[b].is_affine() { affine_joint::push(&more, &places[b]) } else { more };
                push.0 += more.0;
                push.1 += more.1;
                alone.push((b, more));
            }
        }
        let of = |(&b, push): (&usize, &Push)| coordinates(&places[b], push, &self.drives[b].fixed());
        let gradient = bodies.iter().zip(&pushes).map(of).collect();
        Derivatives { bodies: bodies.to_vec(), gradient, pairs, at: places_of, pushes, alone }
    }

    /// Returns ∇²f of a group, and the number of pairs repaired: if `repairs`, the part of each pair and of
    /// each body is made positive semidefinite.
    pub fn hessian<const N: usize>(
        &self,
        places: &[Placement],
        derivatives: &Derivatives<N>,
        repairs: bool,
    ) -> (BlockMatrix<N>, u64) {
        let Derivatives { bodies, pairs, at, pushes, .. } = derivatives;
        let blocks_of = |(pair, at): (&PairTerms, &[Option<usize>; 2])| {
            pair.blocks(at.map(|place| place.is_some()), repairs)
        };
        let mut hessian =
            BlockMatrix { diagonal: vec![Block::zeros(); bodies.len()], ..BlockMatrix::default() };
        hessian.lower.reserve_exact(pairs.len());
        let mut n_repaired = 0;
        let mut add = |at: &[Option<usize>; 2], blocks: &PairBlocks<N>| {
            for (at, own) in at.iter().zip(&blocks.own) {
                at.iter().for_each(|&at| hessian.diagonal[at] += own);
            }
            if let [Some(column), Some(row)] = *at {
                // Pairs are in ascending order, and blocks are numbered as bodies are.
                hessian.lower.push(((column, row), blocks.between));
            }
            n_repaired += u64::from(blocks.is_repaired);
        };
        // Without repairs this is mostly copying, and few pairs are not worth a list of their blocks.
        let grain = if repairs { GRAIN } else { 256 };
        if pairs.len() >= 2 * grain {
            let all = pairs.par_iter().zip(at).with_min_len(grain);
            let all: Vec<PairBlocks<N>> = all.map(blocks_of).collect();
            at.iter().zip(&all).for_each(|(at, blocks)| add(at, blocks));
        } else {
            pairs.iter().zip(at).for_each(|(pair, at)| add(at, &blocks_of((pair, at))));
        }
        for (block, (&b, push)) in hessian.diagonal.iter_mut().zip(bodies.iter().zip(pushes)) {
            *block += match self.stretch.get(b) {
                None => own_block(&self.drives[b], &places[b], &push.1, repairs),
                Some(stretch) => affine_block(&self.drives[b], &places[b], stretch, repairs),
            };
            if let Some((_, hessian)) = self.joints.pushed_alone(b, places, repairs) {
                *block += match places[b].is_affine() {
                    true => widened(&affine_joint::alone(&hessian, &places[b])),
                    false => in_own_coordinates(hessian, &places[b]),
                };
            }
        }
        self.hold_fixed(&mut hessian, bodies, places);
        (hessian, n_repaired)
    }

    /// Replaces the rows and columns of fixed coordinates by those of the identity.
    fn hold_fixed<const N: usize>(
        &self,
        hessian: &mut BlockMatrix<N>,
        bodies: &[usize],
        places: &[Placement],
    ) {
        let fixed: Vec<[bool; 6]> = bodies.iter().map(|&body| self.drives[body].fixed()).collect();
        if fixed.iter().all(|fixed| *fixed == [false; 6]) {
            return;
        }
        if !self.stretch.is_empty() {
            let free = |(fixed, &b): (&[bool; 6], &usize)| projection::<N>(fixed, &places[b]);
            let free: Vec<Option<Block<N>>> = fixed.iter().zip(bodies).map(free).collect();
            for (own, free) in hessian.diagonal.iter_mut().zip(&free) {
                if let Some(p) = free {
                    *own = p * *own * p + (Block::identity() - p);
                }
            }
            for ((column, row), m) in &mut hessian.lower {
                *m = free[*row].map_or(*m, |p| p * *m);
                *m = free[*column].map_or(*m, |p| *m * p);
            }
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

/// The derivatives of the barrier, if there are any, and the friction of a pair of bodies.
type Terms<'p, 'f> = ([usize; 2], Option<&'p Arc<PairBarrier>>, &'f [FrictionContact]);

/// Groups the derivatives of the barrier and friction by pair of bodies, with those that are `joined`; all must be in ascending order of
/// these pairs.
fn by_pair<'p, 'f>(
    pressed: impl Iterator<Item = ([usize; 2], &'p Arc<PairBarrier>)>,
    friction: impl Iterator<Item = ([usize; 2], &'f [FrictionContact])>,
    joined: impl Iterator<Item = [usize; 2]>,
) -> Vec<Terms<'p, 'f>> {
    let (mut pressed, mut friction, mut joined) =
        (pressed.peekable(), friction.peekable(), joined.peekable());
    let mut all = Vec::new();
    loop {
        let next = [pressed.peek().map(|p| p.0), friction.peek().map(|f| f.0), joined.peek().copied()];
        let Some(bodies) = next.into_iter().flatten().min() else { return all };
        let pressed = pressed.next_if(|p| p.0 == bodies).map(|p| p.1);
        let friction = friction.next_if(|f| f.0 == bodies).map(|f| f.1).unwrap_or_default();
        joined.next_if(|pair| *pair == bodies);
        all.push((bodies, pressed, friction));
    }
}

/// Returns (∂f/∂q, ∂f/∂Q : ∂Q/∂θ_k), or (∂f/∂q, ∂f/∂A), 0 for fixed coordinates.
fn coordinates<const N: usize>(
    place: &Placement,
    (by_q, by_matrix): &(Vec3, Mat3),
    fixed: &[bool; 6],
) -> Step<N> {
    let mut all = Step::<N>::zeros();
    all.fixed_rows_mut::<3>(0).copy_from(by_q);
    match place.coordinates {
        Coordinates::Local | Coordinates::RotationVector => {
            let turns = place.gradient();
            (0..3).for_each(|k| all[3 + k] = by_matrix.dot(&turns[k]));
        }
        Coordinates::Affine => set_matrix(&mut all, by_matrix),
    }
    without_fixed(all, fixed, place)
}

/// Transforms a block from rotations about world axes to the coordinates of a body.
fn in_own_coordinates<const N: usize>(block: Matrix6<f64>, place: &Placement) -> Block<N> {
    let mut block: Block<N> = widened(&block);
    if let Some(jacobian) = place.jacobian() {
        let columns = block.fixed_columns::<3>(3) * jacobian;
        block.fixed_columns_mut::<3>(3).copy_from(&columns);
        let rows = jacobian.transpose() * block.fixed_rows::<3>(3);
        block.fixed_rows_mut::<3>(3).copy_from(&rows);
    }
    block
}

/// Returns the body's own block: m 1 and tr(∂_kQ J ∂_lQᵀ) + ∂f/∂Q : ∂_k∂_lQ, made positive definite if
/// `repairs`.
fn own_block<const N: usize>(drive: &Drive, place: &Placement, by_matrix: &Mat3, repairs: bool) -> Block<N> {
    let (mass, j) = drive.stiffness();
    let turns = place.gradient();
    let scaled = turns.map(|turn| scaled_columns(&turn, &j));
    let turning = Mat3::from_fn(|k, l| turns[k].dot(&scaled[l])) + place.curvature(by_matrix);
    let turning = if repairs { absolute_3(&turning) } else { turning };
    let least = if repairs { 1e-9 * turning.trace().max(f64::MIN_POSITIVE) } else { 0.0 };
    let mut block = Block::<N>::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(&(turning + Mat3::identity() * least));
    block
}

/// Returns the own block of an affine body: m 1, J for each row of A, and h² ∂²V/∂A², made positive semidefinite if `repairs`.
fn affine_block<const N: usize>(
    drive: &Drive,
    place: &Placement,
    stretch: &Stretch,
    repairs: bool,
) -> Block<N> {
    let (mass, j) = drive.stiffness();
    let mut own = stretch.hessian(&place.matrix);
    if repairs {
        own = positive_9(&own).0;
    }
    for k in 0..9 {
        own[(k, k)] += j[k % 3];
    }
    let mut block = Block::<N>::zeros();
    block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
    block.fixed_view_mut::<9, 9>(3, 3).copy_from(&own);
    block
}

/// Returns a block of M coordinates as one of N, which are as many.
fn widened<const M: usize, const N: usize>(block: &Block<M>) -> Block<N> {
    let mut wide = Block::<N>::zeros();
    wide.fixed_view_mut::<M, M>(0, 0).copy_from(block);
    wide
}

#[cfg(test)]
mod tests;
