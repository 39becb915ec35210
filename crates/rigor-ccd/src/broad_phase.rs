//! Which primitives of which bodies may come near each other.
//!
//! First pairs of bodies, by boxes around what they sweep; then, for each pair, the tree of the one body, moved,
//! against the tree of the other in its own frame, which is built once. A point of A is at
//!
//! s(t) = R_bᵀ (R_a x + q_a − q_b)
//!
//! in the frame of B. Source: [Ferguson2021] eq. (15) at rest and eq. (17) in motion. Deviation: enclosures do not come from
//! interval arithmetic over the whole step. The time in which the bodies can come near is cut into pieces, so many that
//! points go no farther than the size of a primitive in each; in a piece a point stays near the chord between its ends, by a
//! bound in closed form. A body that turns more often than that pays gets boxes around the rings in which its points turn;
//! if both do, distances from their centres decide. The bounds, with their proof, are in `approach.rs`.
//!
//! Guarantee: a pair of primitives that is in no list stays farther apart than the margin, all numbers taken as exact reals.
//! So if every candidate stays farther apart than d_min ≤ margin up to a time, the bodies do.
//!
//! Of meshes of triangles, the first touch is one of a vertex and a triangle or of two edges. The same holds of wires
//! (edges of no triangle): their ends against triangles, and edges against edges. Points of no edge touch triangles,
//! wires and each other. These are the candidates; each stands once in the list.

mod approach;
mod candidate;
mod primitives;
mod shape;
mod sweep;
mod tree;

use rayon::prelude::*;
use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Pose, UnitQuaternion, Vec3};

use crate::RigidMotion;
use approach::Approach;
use primitives::{Gathering, Pair};
use sweep::Chord;
use tree::Sweep;

pub use candidate::Candidate;
pub use shape::Shape;

/// What cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BroadPhaseError {
    /// A body whose numbers are not finite, or so large that their squares and cubes would not be.
    #[error("body {body} must be placed by numbers of at most {LARGEST:e}, and a rotation of length 1")]
    Body {
        /// Its index.
        body: usize,
    },
    /// A margin that is no distance.
    #[error("the margin is {margin} m: it must lie between 0 and {LARGEST:e}")]
    Margin {
        /// As given (m).
        margin: f64,
    },
    /// A horizon outside of (0, 1].
    #[error("the horizon is {horizon}: it must lie in (0, 1]")]
    Horizon {
        /// As given.
        horizon: f64,
    },
}

/// The largest length (m) and angle (rad).
const LARGEST: f64 = 1e100;

/// How many pieces the time is cut into at most.
const MAX_PIECES: usize = 64;

/// A body that turns by more (rad) has its points bounded by rings: pieces of half a radian.
const MANY_TURNS: f64 = 0.5 * MAX_PIECES as f64;

/// How many times the size of a primitive points may go in a piece.
const STRIDE: f64 = 1.5;

/// The primitives that may come within `margin` (m) of each other on [0, `horizon`], of all pairs of bodies for which
/// `may_collide`, called with i < j.
///
/// In ascending order of the pair of bodies, the kind, the body and index of A, the index of B; the same for any number of
/// threads.
///
/// ```
/// use rigor_ccd::broad_phase::{Shape, candidates};
/// use rigor_ccd::{Kind, RigidMotion};
/// use rigor_geometry::Mesh;
/// use rigor_math::{UnitQuaternion, Vec3};
/// // A point falls on a triangle.
/// let point = Shape::new(Mesh::new(vec![Vec3::zeros()], vec![], vec![])?);
/// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
/// let triangle = Shape::new(Mesh::new(corners, vec![[0, 1, 2]], vec![])?);
/// let fall = |x: f64| {
///     let path = [Vec3::new(x, 0.2, 1.0), Vec3::new(x, 0.2, -1.0)];
///     RigidMotion::about_axis(path, UnitQuaternion::identity(), Vec3::zeros())
/// };
/// let rest = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
/// let found = candidates(&[(&triangle, rest), (&point, fall(0.3))], 1.0, 1e-3, |_, _| true)?;
/// assert_eq!((found.len(), found[0].kind, found[0].body_a), (1, Kind::PointTriangle, 1));
/// assert!(candidates(&[(&triangle, rest), (&point, fall(1.5))], 1.0, 1e-3, |_, _| true)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BroadPhaseError`] for numbers that are not finite or larger than 1e100, a negative margin, a horizon outside of (0, 1].
pub fn candidates(
    bodies: &[(&Shape, RigidMotion)],
    horizon: f64,
    margin: f64,
    may_collide: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Vec<Candidate>, BroadPhaseError> {
    check_horizon(horizon)?;
    check(bodies, margin)?;
    let bounds: Vec<Aabb> = bodies.par_iter().map(|(s, m)| swept_bounds(s, m, horizon)).collect();
    Ok(of_pairs(&bounds, margin, may_collide, |[i, j]| in_motion(bodies, [i, j], horizon, margin)))
}

/// The primitives that may be within `margin` (m) of each other now: those that the barrier needs for `margin` = d̂.
///
/// Source: [Ferguson2021] eq. (15). Otherwise as [`candidates`].
///
/// # Errors
/// [`BroadPhaseError`] for numbers that are not finite or larger than 1e100 and a negative margin.
pub fn proximity(
    bodies: &[(&Shape, Pose)],
    margin: f64,
    may_collide: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Vec<Candidate>, BroadPhaseError> {
    let bodies: Vec<_> =
        bodies.iter().map(|(s, pose)| (*s, RigidMotion::at_rest(pose.position, pose.rotation))).collect();
    check(&bodies, margin)?;
    let bounds: Vec<Aabb> = bodies.par_iter().map(|(s, m)| swept_bounds(s, m, 1.0)).collect();
    Ok(of_pairs(&bounds, margin, may_collide, |[i, j]| at_rest(&bodies, [i, j], margin)))
}

/// The pairs of bodies, the smaller index first, in ascending order, that may come within `margin` (m) of each other on
/// [0, `horizon`]: where to look with [`candidates_between`] or [`proximity_between`], for those who keep what they
/// found.
///
/// ```
/// use rigor_ccd::RigidMotion;
/// use rigor_ccd::broad_phase::{Shape, candidates, candidates_between, near_bodies};
/// use rigor_shapes::Icosphere;
/// use rigor_math::{UnitQuaternion, Vec3};
/// let ball = Shape::new(Icosphere { radius: 1.0, subdivisions: 1 }.mesh()?);
/// let at = |x: f64| RigidMotion::at_rest(Vec3::new(x, 0.0, 0.0), UnitQuaternion::identity());
/// let bodies = [(&ball, at(0.0)), (&ball, at(2.01)), (&ball, at(9.0))];
/// let pairs = near_bodies(&bodies, 1.0, 0.1, |_, _| true)?;
/// assert_eq!(pairs, [[0, 1]]);
/// let found = candidates_between(&bodies, pairs[0], 1.0, 0.1)?;
/// assert_eq!(found, candidates(&bodies, 1.0, 0.1, |_, _| true)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`candidates`].
pub fn near_bodies(
    bodies: &[(&Shape, RigidMotion)],
    horizon: f64,
    margin: f64,
    may_collide: impl Fn(usize, usize) -> bool + Sync,
) -> Result<Vec<[usize; 2]>, BroadPhaseError> {
    check_horizon(horizon)?;
    check(bodies, margin)?;
    let bounds: Vec<Aabb> = bodies.par_iter().map(|(s, m)| swept_bounds(s, m, horizon)).collect();
    Ok(overlapping(&bounds, margin).into_iter().filter(|[i, j]| may_collide(*i, *j)).collect())
}

/// The [`candidates`] of one pair of bodies.
///
/// # Errors
/// As [`candidates`].
pub fn candidates_between(
    bodies: &[(&Shape, RigidMotion)],
    pair: [usize; 2],
    horizon: f64,
    margin: f64,
) -> Result<Vec<Candidate>, BroadPhaseError> {
    check_horizon(horizon)?;
    check_pair(bodies, pair, margin)?;
    Ok(in_motion(bodies, pair, horizon, margin))
}

/// What [`proximity`] finds between two bodies, numbered 0 and 1.
///
/// # Errors
/// As [`proximity`].
pub fn proximity_between(
    bodies: [(&Shape, Pose); 2],
    margin: f64,
) -> Result<Vec<Candidate>, BroadPhaseError> {
    let bodies = bodies.map(|(s, pose)| (s, RigidMotion::at_rest(pose.position, pose.rotation)));
    check(&bodies, margin)?;
    Ok(at_rest(&bodies, [0, 1], margin))
}

fn check_horizon(horizon: f64) -> Result<(), BroadPhaseError> {
    if horizon > 0.0 && horizon <= 1.0 { Ok(()) } else { Err(BroadPhaseError::Horizon { horizon }) }
}

fn check_pair(
    bodies: &[(&Shape, RigidMotion)],
    pair: [usize; 2],
    margin: f64,
) -> Result<(), BroadPhaseError> {
    check(&[], margin)?;
    let is_wrong = |body: &usize| !is_moderate(bodies[*body].0, &bodies[*body].1);
    pair.into_iter().find(is_wrong).map_or(Ok(()), |body| Err(BroadPhaseError::Body { body }))
}

fn check(bodies: &[(&Shape, RigidMotion)], margin: f64) -> Result<(), BroadPhaseError> {
    if !(0.0..=LARGEST).contains(&margin) {
        return Err(BroadPhaseError::Margin { margin });
    }
    match bodies.iter().position(|(shape, motion)| !is_moderate(shape, motion)) {
        Some(body) => Err(BroadPhaseError::Body { body }),
        None => Ok(()),
    }
}

fn is_moderate(shape: &Shape, motion: &RigidMotion) -> bool {
    let vectors = [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1];
    motion.is_valid() && shape.radius() <= LARGEST && vectors.iter().all(|v| v.amax() <= LARGEST)
}

/// The candidates of all pairs of bodies whose bounds come within `margin` of each other, in the order of the pairs.
fn of_pairs(
    bounds: &[Aabb],
    margin: f64,
    may_collide: impl Fn(usize, usize) -> bool + Sync,
    of_pair: impl Fn([usize; 2]) -> Vec<Candidate> + Sync,
) -> Vec<Candidate> {
    let found: Vec<Vec<Candidate>> = overlapping(bounds, margin)
        .into_par_iter()
        .map(|[i, j]| if may_collide(i, j) { of_pair([i, j]) } else { Vec::new() })
        .collect();
    found.concat()
}

/// The pairs of boxes that come within `margin` of each other, in ascending order.
fn overlapping(bounds: &[Aabb], margin: f64) -> Vec<[usize; 2]> {
    let bounds: Vec<Aabb> = bounds.iter().map(|b| b.grow(0.5 * margin)).collect();
    let tree = Bvh::new(&bounds).expect("bounds of numbers that are not too large are finite");
    tree.overlapping_pairs().into_iter().map(|pair| pair.map(|i| i as usize)).collect()
}

/// A box around where a body goes (m, world): both of what its box sweeps and of what its ball does.
fn swept_bounds(shape: &Shape, motion: &RigidMotion, horizon: f64) -> Aabb {
    let world = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
    let approach = Approach::new((shape, motion), (f64::INFINITY, &world), 0.0, horizon)
        .expect("everything is within an infinite distance");
    let [angle, _] = approach.angles();
    let boxes = if angle > MANY_TURNS {
        approach.ring([0.0, horizon]).of_box(shape.tree().bounds()).bounds
    } else {
        let mut all = Aabb::EMPTY;
        chords(&approach, n_pieces(angle, 0.5), |chord| {
            all = all.union(&chord.of_box(shape.tree().bounds()));
        });
        all
    };
    let ball = approach.ball();
    Aabb { min: boxes.min.sup(&ball.min), max: boxes.max.inf(&ball.max) }
}

/// Of two bodies, the one that is best moved through the frame of the other: the faster to turn, then the smaller.
fn moved_first(bodies: &[(&Shape, RigidMotion)], pair: [usize; 2]) -> [usize; 2] {
    let key = |i: usize| (-approach::rate(&bodies[i].1), bodies[i].0.radius());
    let [i, j] = pair;
    if key(i) <= key(j) { [i, j] } else { [j, i] }
}

fn gathering<'a>(bodies: &[(&'a Shape, RigidMotion)], [a, b]: [usize; 2]) -> Gathering<'a> {
    Gathering::new(Pair { bodies: [a as u32, b as u32], shapes: [bodies[a].0, bodies[b].0] })
}

fn in_motion(
    bodies: &[(&Shape, RigidMotion)],
    pair: [usize; 2],
    horizon: f64,
    margin: f64,
) -> Vec<Candidate> {
    let [a, b] = moved_first(bodies, pair);
    let ((shape_a, motion_a), (shape_b, motion_b)) = (&bodies[a], &bodies[b]);
    let known_b = (shape_b.radius(), motion_b);
    let Some(approach) = Approach::new((shape_a, motion_a), known_b, margin, horizon) else {
        return Vec::new();
    };
    let mut gathering = gathering(bodies, [a, b]);
    let [angle_a, angle_b] = approach.angles();
    if angle_b > MANY_TURNS {
        gathering.add(&approach.shell());
    } else if angle_a > MANY_TURNS {
        let n =
            n_pieces(approach.travel(false), STRIDE * size(shape_a, shape_b).max(0.25 * shape_a.radius()));
        let times: Vec<f64> = approach.times(n).collect();
        times.windows(2).for_each(|piece| gathering.add(&approach.ring([piece[0], piece[1]])));
    } else {
        let n = n_pieces(approach.travel(true), STRIDE * size(shape_a, shape_b));
        chords(&approach, n, |chord| gathering.add(chord));
    }
    gathering.finish()
}

fn at_rest(bodies: &[(&Shape, RigidMotion)], pair: [usize; 2], margin: f64) -> Vec<Candidate> {
    let [a, b] = moved_first(bodies, pair);
    let known_b = (bodies[b].0.radius(), &bodies[b].1);
    let Some(approach) = Approach::new((bodies[a].0, &bodies[a].1), known_b, margin, 1.0) else {
        return Vec::new();
    };
    let mut gathering = gathering(bodies, [a, b]);
    gathering.add(&approach.still());
    gathering.finish()
}

/// Calls `f` with the chords of each of `n` pieces.
fn chords(approach: &Approach, n: usize, mut f: impl FnMut(&Chord<2>)) {
    let mut placed = approach.times(n).map(|t| (t, approach.placed(t)));
    let mut from = placed.next().expect("a piece has two ends");
    for to in placed {
        f(&approach.chord([from, to]));
        from = to;
    }
}

/// How long (m) a primitive of the finer shape is, but not too short against the smaller body.
fn size(a: &Shape, b: &Shape) -> f64 {
    a.grain().min(b.grain()).max(a.radius().min(b.radius()) / 16.0)
}

/// So many that each goes no farther than `stride`, within bounds.
fn n_pieces(travel: f64, stride: f64) -> usize {
    // Zero pieces for zero travel, or 0/0; as many as allowed for a stride of zero.
    ((travel / stride).ceil() as usize).clamp(1, MAX_PIECES)
}

#[cfg(test)]
mod tests;
