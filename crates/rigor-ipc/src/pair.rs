//! Contribution of the contacts between one pair of bodies to gradient and Hessian.
//!
//! A common translation of both bodies changes nothing between them: besides the rotations only
//! u = δq_a − δq_b matters, so nine coordinates δ = (u, θ_a, θ_b) suffice. A point x of a body at q moves by
//! δq + θ × r, r = x − q, and the separation of the nearest points changes by
//!
//! W δ = u + θ_a × a − θ_b × b, with their lever arms a and b.
//!
//! With the slopes gᵢ of the weights of the nearest points, which move along the features, and the projection
//! P normal to the features ([`rigor_geometry::distance`]),
//!
//! ½ ∇²d² = Wᵀ W − Mᵀ M, M = (1 − P) W + Σᵢ gᵢ (r·Xᵢ), Xᵢ θ = θ × rᵢ:
//!
//! Each squared distance adds seven rank-one 9 × 9 terms to the Hessian of the barrier.

use std::sync::Arc;

use nalgebra::{Matrix6, SMatrix};
use rigor_geometry::distance::SmoothPiece;
use rigor_math::{Mat3, Vec3, skew};

use crate::affine_joint;
use crate::affine_pair::{self, Mat24};
use crate::contact::{PrimitivePair, points};
use crate::crossing::MOST;
use crate::edge_mollifier::MollifierDerivatives;
use crate::ends::{Ends, JoinedPush, Law, Mat9, NO_PUSH, Push, Vec9, push};
use crate::friction::{FrictionContact, Slip};
use crate::linear_solve::Block;
use crate::placement::Placement;
use crate::positive::{positive_6, positive_9, positive_12, positive_24};

/// The barrier between one pair of bodies, the one with the smaller index first.
#[derive(Debug)]
pub(crate) struct PairBarrier {
    pushes: [Push; 2],
    /// Its Hessian, without the curvature of the coordinates.
    hessian: PairHessian,
}

/// The second derivatives of a function of the places of two bodies.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is shared or boxed as a whole")]
enum PairHessian {
    /// In (u, θ_a, θ_b).
    Rigid(Mat9),
    /// In the coordinates of both bodies.
    Affine(Box<Mat24>),
}

/// The terms between one pair of bodies, the one with the smaller index first.
#[derive(Debug)]
pub(crate) struct PairTerms {
    pub bodies: [usize; 2],
    /// Those of the barrier, of friction and of joints.
    pub pushes: [Push; 2],
    /// Whether they touch each other.
    pub is_touching: bool,
    barrier: Option<Arc<PairBarrier>>,
    /// The Hessian of friction and joints, without the curvature of the coordinates: positive semidefinite.
    convex: Option<Box<PairHessian>>,
}

/// The blocks that a pair adds to the matrix of all bodies.
pub(crate) struct PairBlocks<const N: usize> {
    pub own: [Block<N>; 2],
    /// Rows of the second body, columns of the first.
    pub between: Block<N>,
    pub is_repaired: bool,
}

impl PairBarrier {
    /// Sums the barriers of `contacts`, all between these two bodies.
    pub fn new(bodies: [usize; 2], contacts: &[PrimitivePair], places: &[Placement], law: Law) -> Self {
        let mut pushes = [NO_PUSH; 2];
        if places[bodies[0]].is_affine() {
            let mut hessian = Box::new(Mat24::zeros());
            for contact in contacts {
                affine_pair::press((&mut pushes, &mut hessian), bodies, contact, places, law);
            }
            return Self { pushes, hessian: PairHessian::Affine(hessian) };
        }
        let mut pressed = RigidPair { bodies, pushes, hessian: Mat9::zeros() };
        contacts.iter().for_each(|contact| pressed.press(contact, places, law));
        let RigidPair { pushes, mut hessian, .. } = pressed;
        in_coordinates(&mut hessian, bodies, places);
        Self { pushes, hessian: PairHessian::Rigid(hessian) }
    }
}

/// A sum of terms between two rigid bodies.
struct RigidPair {
    bodies: [usize; 2],
    pushes: [Push; 2],
    /// In (u, θ_a, θ_b).
    hessian: Mat9,
}

impl RigidPair {
    /// Adds κ w m G.
    fn press(&mut self, contact: &PrimitivePair, places: &[Placement], (barrier, kappa): Law) {
        let x = points(contact, places);
        let Some(felt) = contact.felt(barrier, &x) else { return };
        let weight = kappa * contact.weight;
        let m = contact.fade(&x);
        // ½ ∇d² of each squared distance.
        let mut halves = [Vec9::zeros(); MOST];
        let mut by_delta = Vec9::zeros();
        for i in 0..felt.n {
            let ends = Ends::new(contact, self.bodies, &contact.piece(felt.which[i], &x));
            let (first, r) = (2.0 * weight * felt.first[i], ends.piece.separation);
            let levers = Levers::new(self.bodies, &ends.points_local, places);
            halves[i] = levers.spread(&r);
            by_delta += halves[i] * first;
            push(&mut self.pushes, &(r * (first * m)), &ends.points_local);
            for k in 0..3 {
                add_square(&mut self.hessian, first * m, &levers.spread(&Vec3::ith(k, 1.0)));
                add_square(&mut self.hessian, -first * m, &levers.along(&ends, &x, k));
            }
            for j in 0..i {
                let second = 4.0 * weight * m * felt.second[i][j];
                self.hessian.ger(second, &halves[i], &halves[j], 1.0);
                self.hessian.ger(second, &halves[j], &halves[i], 1.0);
            }
            add_square(&mut self.hessian, 4.0 * weight * m * felt.second[i][i], &halves[i]);
        }
        if let Some(fade) = contact.fade_derivatives(&x) {
            self.fade(contact, &x, &fade, weight * felt.value, &by_delta);
        }
    }

    /// Adds the derivatives of m of two edges, which only rotations change; κ w G is `g` and its derivative
    /// `g_by_delta`.
    fn fade(
        &mut self,
        contact: &PrimitivePair,
        x: &[Vec3; 4],
        fade: &MollifierDerivatives,
        g: f64,
        g_by_delta: &Vec9,
    ) {
        let [side_a, side_b] = contact.bodies.map(|body| usize::from(body == self.bodies[1]));
        let [u, v] = [x[1] - x[0], x[3] - x[2]];
        let local = &contact.points_local;
        let mut by_delta = Vec9::zeros();
        let edges =
            [(u, local[1] - local[0], fade.by_u, side_a), (v, local[3] - local[2], fade.by_v, side_b)];
        for (edge, edge_local, f, side) in edges {
            self.pushes[side].1 += f * g * edge_local.transpose();
            by_delta.fixed_rows_mut::<3>(3 + 3 * side).copy_from(&edge.cross(&f));
        }
        let second = [
            (u, u, fade.uu, side_a, side_a),
            (u, v, fade.uv, side_a, side_b),
            (v, u, fade.uv.transpose(), side_b, side_a),
            (v, v, fade.vv, side_b, side_b),
        ];
        for (edge_i, edge_j, h, side_i, side_j) in second {
            let mut part = self.hessian.fixed_view_mut::<3, 3>(3 + 3 * side_i, 3 + 3 * side_j);
            part += skew(&edge_i) * h * skew(&edge_j) * -g;
        }
        // ∇G ∇mᵀ + ∇m ∇Gᵀ.
        self.hessian.ger(1.0, g_by_delta, &by_delta, 1.0);
        self.hessian.ger(1.0, &by_delta, g_by_delta, 1.0);
    }
}

impl PairTerms {
    /// Sums the barrier of two bodies and their joints, if there are any, and `friction`, all between them.
    pub fn new(
        bodies: [usize; 2],
        barrier: Option<Arc<PairBarrier>>,
        friction: &[FrictionContact],
        joined: Option<JoinedPush>,
        places: &[Placement],
        majorizes: bool,
    ) -> Self {
        let pushes = barrier.as_ref().map_or([NO_PUSH; 2], |barrier| barrier.pushes);
        let is_touching = barrier.is_some() || !friction.is_empty();
        let mut terms = Self { bodies, pushes, is_touching, barrier, convex: None };
        if friction.is_empty() && joined.is_none() {
            return terms;
        }
        if places[bodies[0]].is_affine() {
            let mut hessian = Box::new(Mat24::zeros());
            for friction in friction {
                let (slip, points_local) = terms.rubbed(friction, places, majorizes);
                affine_pair::rub(&mut hessian, &slip, &points_local);
            }
            if let Some(joined) = joined {
                let (pushes, more) = affine_joint::joined(&joined, bodies, places);
                terms.add(&pushes);
                *hessian += *more;
            }
            terms.convex = Some(Box::new(PairHessian::Affine(hessian)));
            return terms;
        }
        let mut hessian = Mat9::zeros();
        for friction in friction {
            let (slip, points_local) = terms.rubbed(friction, places, majorizes);
            let levers = Levers::new(bodies, &points_local, places);
            for (stiffness, along) in slip.stiffness {
                add_square(&mut hessian, stiffness, &levers.spread(&along));
            }
        }
        if let Some(joined) = joined {
            terms.add(&joined.pushes);
            hessian += joined.hessian;
        }
        in_coordinates(&mut hessian, bodies, places);
        terms.convex = Some(Box::new(PairHessian::Rigid(hessian)));
        terms
    }

    fn add(&mut self, pushes: &[Push; 2]) {
        for (sum, more) in self.pushes.iter_mut().zip(pushes) {
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }

    /// Adds the gradient of `friction`; returns its derivatives and its points in the frames of the bodies (m), the first body's first.
    fn rubbed(
        &mut self,
        friction: &FrictionContact,
        places: &[Placement],
        majorizes: bool,
    ) -> (Slip, [Vec3; 2]) {
        let is_swapped = friction.at.bodies[0] as usize != self.bodies[0];
        let slip = friction.derivatives(places, majorizes);
        let mut points_local = friction.points_local;
        if is_swapped {
            points_local.reverse();
        }
        push(&mut self.pushes, &(slip.gradient * if is_swapped { -1.0 } else { 1.0 }), &points_local);
        (slip, points_local)
    }

    /// Returns the blocks of the bodies; if `repairs`, that of the barrier is made positive semidefinite in
    /// the coordinates of the bodies that are `free`.
    pub fn blocks<const N: usize>(&self, free: [bool; 2], repairs: bool) -> PairBlocks<N> {
        let barrier = self.barrier.as_ref().map(|barrier| &barrier.hessian);
        match (barrier, self.convex.as_deref()) {
            (Some(PairHessian::Affine(_)), _) | (None, Some(PairHessian::Affine(_))) => {
                self.affine_blocks(free, repairs)
            }
            (Some(PairHessian::Rigid(_)) | None, _) => self.rigid_blocks(free, repairs),
        }
    }

    /// Returns those of affine bodies.
    fn affine_blocks<const N: usize>(&self, free: [bool; 2], repairs: bool) -> PairBlocks<N> {
        let (mut all, mut is_repaired) = (Mat24::zeros(), false);
        if let Some(PairHessian::Affine(barrier)) = self.barrier.as_ref().map(|barrier| &barrier.hessian) {
            (all, is_repaired) = if repairs { positive_free(barrier, free) } else { (**barrier, false) };
        }
        if let Some(PairHessian::Affine(convex)) = self.convex.as_deref() {
            all += **convex;
        }
        let part = |r: usize, c: usize| {
            let mut block = Block::<N>::zeros();
            block.fixed_view_mut::<12, 12>(0, 0).copy_from(&all.fixed_view::<12, 12>(12 * r, 12 * c));
            block
        };
        PairBlocks { own: [part(0, 0), part(1, 1)], between: part(1, 0), is_repaired }
    }

    /// Returns those of rigid bodies.
    fn rigid_blocks<const N: usize>(&self, free: [bool; 2], repairs: bool) -> PairBlocks<N> {
        let rigid = |hessian: &PairHessian| match hessian {
            PairHessian::Rigid(hessian) => *hessian,
            PairHessian::Affine(_) => Mat9::zeros(),
        };
        let barrier = self.barrier.as_ref().map(|barrier| rigid(&barrier.hessian));
        let (barrier, is_repaired) = match (&barrier, free) {
            (None, _) => (Mat9::zeros(), false),
            (Some(barrier), [true, true]) if repairs => positive_between(barrier),
            (Some(barrier), [is_first, is_second]) if repairs && (is_first || is_second) => {
                positive_of(barrier, usize::from(!is_first))
            }
            (Some(barrier), _) => (*barrier, false),
        };
        let all = self.convex.as_ref().map_or(barrier, |convex| barrier + rigid(convex));
        let part = |r: usize, c: usize| all.fixed_view::<3, 3>(3 * r, 3 * c).into_owned();
        let stacked = |q: Mat3, q_theta: Mat3, theta_q: Mat3, theta: Mat3| {
            let mut m = Block::<N>::zeros();
            for (r, c, part) in [(0, 0, q), (0, 3, q_theta), (3, 0, theta_q), (3, 3, theta)] {
                m.fixed_view_mut::<3, 3>(r, c).copy_from(&part);
            }
            m
        };
        // u = δq_a − δq_b.
        PairBlocks {
            own: [
                stacked(part(0, 0), part(0, 1), part(1, 0), part(1, 1)),
                stacked(part(0, 0), -part(0, 2), -part(2, 0), part(2, 2)),
            ],
            between: stacked(-part(0, 0), -part(0, 1), part(2, 0), part(2, 1)),
            is_repaired,
        }
    }
}

/// W, given by the lever arms a and b (m, world) of the two points, and the positions of the bodies.
struct Levers {
    arms: [Vec3; 2],
    centers: [Vec3; 2],
}

impl Levers {
    fn new(bodies: [usize; 2], points_local: &[Vec3; 2], places: &[Placement]) -> Self {
        Self {
            arms: std::array::from_fn(|k| places[bodies[k]].matrix * points_local[k]),
            centers: bodies.map(|body| places[body].position),
        }
    }

    /// Returns Wᵀ f.
    fn spread(&self, f: &Vec3) -> Vec9 {
        stack(f, &self.arms[0].cross(f), &f.cross(&self.arms[1]))
    }

    /// Returns row k of M.
    fn along(&self, ends: &Ends, x: &[Vec3; 4], k: usize) -> Vec9 {
        let SmoothPiece { slopes, separation, normal_projection, .. } = &ends.piece;
        let turn = |side: usize| {
            ends.ranges[side].clone().fold(Vec3::zeros(), |sum, i| {
                sum + (x[i] - self.centers[side]).cross(separation) * slopes[i][k]
            })
        };
        let along: Vec3 = Vec3::ith(k, 1.0) - normal_projection.column(k);
        self.spread(&along) + stack(&Vec3::zeros(), &turn(0), &turn(1))
    }
}

pub(crate) fn stack(u: &Vec3, theta_a: &Vec3, theta_b: &Vec3) -> Vec9 {
    Vec9::from_column_slice(&[
        u.x, u.y, u.z, theta_a.x, theta_a.y, theta_a.z, theta_b.x, theta_b.y, theta_b.z,
    ])
}

/// Adds s v vᵀ to `m`.
pub(crate) fn add_square(m: &mut Mat9, s: f64, v: &Vec9) {
    m.ger(s, v, v, 1.0);
}

/// Transforms `m` from rotations about world axes to the coordinates of the bodies.
fn in_coordinates(m: &mut Mat9, bodies: [usize; 2], places: &[Placement]) {
    for (k, body) in bodies.into_iter().enumerate() {
        if let Some(jacobian) = places[body].jacobian() {
            change_coordinates(m, 3 + 3 * k, &jacobian);
        }
    }
}

/// Transforms the three coordinates from `k` on from δ to θ, δ̇ = J θ̇.
fn change_coordinates(m: &mut Mat9, k: usize, jacobian: &Mat3) {
    let columns: SMatrix<f64, 9, 3> = m.fixed_columns::<3>(k) * jacobian;
    m.fixed_columns_mut::<3>(k).copy_from(&columns);
    let rows: SMatrix<f64, 3, 9> = jacobian.transpose() * m.fixed_rows::<3>(k);
    m.fixed_rows_mut::<3>(k).copy_from(&rows);
}

/// Repairs `m` in the coordinates of both bodies: with u/√2 in place of u, the nine coordinates are
/// orthonormal among those twelve.
fn positive_between(m: &Mat9) -> (Mat9, bool) {
    let scaled = |m: &Mat9, by: f64| {
        let mut m = *m;
        m.fixed_rows_mut::<3>(0).scale_mut(by);
        m.fixed_columns_mut::<3>(0).scale_mut(by);
        m
    };
    let (repaired, is_repaired) = positive_9(&scaled(m, std::f64::consts::SQRT_2));
    (scaled(&repaired, std::f64::consts::FRAC_1_SQRT_2), is_repaired)
}

/// Repairs `m` in the coordinates of the affine bodies that are `free`; the others stay.
fn positive_free(m: &Mat24, free: [bool; 2]) -> (Mat24, bool) {
    match free {
        [true, true] => positive_24(m),
        [false, false] => (*m, false),
        [is_first, _] => {
            let at = if is_first { 0 } else { 12 };
            let (repaired, is_repaired) = positive_12(&m.fixed_view::<12, 12>(at, at).into_owned());
            let mut out = Mat24::zeros();
            out.fixed_view_mut::<12, 12>(at, at).copy_from(&repaired);
            (out, is_repaired)
        }
    }
}

/// Repairs `m` in the coordinates of the body `side`; the other body stays.
fn positive_of(m: &Mat9, side: usize) -> (Mat9, bool) {
    let at = |k: usize| if k < 3 { k } else { 3 * side + k };
    let (repaired, is_repaired) = positive_6(&Matrix6::from_fn(|r, c| m[(at(r), at(c))]));
    let mut out = Mat9::zeros();
    for (r, c) in (0..6).flat_map(|r| (0..6).map(move |c| (r, c))) {
        out[(at(r), at(c))] = repaired[(r, c)];
    }
    (out, is_repaired)
}
