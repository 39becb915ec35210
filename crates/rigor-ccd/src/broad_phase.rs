//! Candidate pairs of primitives that may come near each other.
//!
//! First the boxes around the volumes that bodies sweep select pairs of bodies. Then, for each pair, the
//! moving tree of one body is tested against the tree of the other in its own frame, which is built once. A
//! point of A is at
//!
//! s(t) = R_bᵀ (R_a x + q_a − q_b)
//!
//! in the frame of B. Source: \[Ferguson2021\] eq. (15) at rest and eq. (17) in motion. Deviation: enclosures
//! do not come from interval arithmetic over the whole step, except in [`interval_candidates_between`]. The time
//! in which the bodies can come near each other is cut into at most 64 pieces, enough for points to travel about
//! 1.5 primitive sizes in each unless the maximum is reached; in a piece a point stays near the chord between its
//! ends, within a closed-form bound. A body that makes too many turns for that gets boxes around the rings in
//! which its points turn; if both do, the distances from their centres decide. The bounds and their proof are in
//! `approach.rs`.
//!
//! Guarantee: a pair of primitives that is in no list stays farther apart than the margin and the offsets of both
//! ([`Shape::rounded`]), with all numbers taken as exact reals. So if every candidate stays farther apart than d_min ≤ margin up to some time, the
//! bodies do, too.
//!
//! The first contact of triangle meshes is between a vertex and a triangle or between two edges. This also
//! holds for wires (edges that belong to no triangle): their ends touch triangles, and their edges touch
//! edges. Points that belong to no edge touch triangles, wires and each other. These pairs are the
//! candidates; each occurs once in the list.

mod approach;
mod candidate;
mod interval;
mod primitives;
mod shape;
mod sweep;
mod tree;

use rayon::prelude::*;
use rigor_geometry::{Aabb, Bvh};
use rigor_math::{Pose, UnitQuaternion, Vec3};

use crate::RigidMotion;
use approach::Approach;
use interval::IntervalSweep;
use primitives::{CandidateCollector, Pair};
use sweep::Chord;
use tree::Sweep;

pub use candidate::Candidate;
pub use shape::Shape;

/// Invalid input of the broad phase.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BroadPhaseError {
    /// A body with an orientation that is not of unit length, or with numbers that are not finite or so large
    /// that their squares and cubes would overflow.
    #[error("body {body}: numbers must be at most {MAX_MOTION:e} and the orientation must have unit length")]
    Body {
        /// Index of the body.
        body: usize,
    },
    /// A margin that is negative, too large or NaN.
    #[error("the margin is {margin} m: it must lie between 0 and {MAX_MOTION:e}")]
    Margin {
        /// The given margin (m).
        margin: f64,
    },
    /// A horizon outside (0, 1].
    #[error("the horizon is {horizon}: it must lie in (0, 1]")]
    Horizon {
        /// The given horizon.
        horizon: f64,
    },
}

/// Maximum length (m) and angle (rad).
const MAX_MOTION: f64 = 1e100;

/// Maximum number of pieces of time.
const MAX_PIECES: usize = 64;

/// Angle (rad) beyond which the points of a turning body are bounded by rings: half a radian per piece.
const MANY_TURNS: f64 = 0.5 * MAX_PIECES as f64;

/// Maximum travel of points in a piece, in primitive sizes.
const STRIDE: f64 = 1.5;

/// Returns the pairs of primitives that may come within `margin` (m) of each other on [0, `horizon`], of all
/// pairs of bodies for which `may_collide`, called with i < j.
///
/// Sorted by the pair of bodies, the kind, the body and index of A, and the index of B. The result does not
/// depend on the number of threads.
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
/// [`BroadPhaseError`] for numbers that are not finite or larger than 1e100, an orientation that is not of
/// unit length, a negative margin, or a horizon outside (0, 1].
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

/// Returns the pairs of primitives that may be within `margin` (m) of each other now. With `margin` = d̂
/// these are the pairs that the barrier needs.
///
/// Source: \[Ferguson2021\] eq. (15). Same order and guarantees as [`candidates`].
///
/// # Errors
/// [`BroadPhaseError`] for numbers that are not finite or larger than 1e100, an orientation that is not of
/// unit length, or a negative margin.
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

/// Returns the pairs of bodies that may come within `margin` (m) of each other on [0, `horizon`], in
/// ascending order, the smaller index first. Callers that cache candidates pass these pairs to
/// [`candidates_between`] or [`proximity_between`].
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
/// Same as [`candidates`].
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

/// Returns the [`candidates`] of one pair of bodies.
///
/// # Errors
/// Same as [`candidates`].
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

/// Returns the pairs of primitives of one pair of bodies that may come within `margin` (m) of each other on
/// [0, `horizon`], by boxes from interval arithmetic over all of that time.
///
/// Source: \[Ferguson2021\] eqs. (15) and (17). Same order and guarantee as [`candidates_between`], which finds
/// fewer pairs where bodies move by more than the size of their primitives.
///
/// ```
/// use rigor_ccd::RigidMotion;
/// use rigor_ccd::broad_phase::{Shape, candidates_between, interval_candidates_between};
/// use rigor_shapes::Icosphere;
/// use rigor_math::{UnitQuaternion, Vec3};
/// // One of two balls turns by half a radian, 0.01 m beside the other.
/// let ball = Shape::new(Icosphere { radius: 1.0, subdivisions: 2 }.mesh()?);
/// let turn = |x: f64, by: f64| {
///     RigidMotion::about_axis([Vec3::x() * x; 2], UnitQuaternion::identity(), Vec3::y() * by)
/// };
/// let bodies = [(&ball, turn(0.0, 0.5)), (&ball, turn(2.01, 0.0))];
/// let [found, fewer] = [interval_candidates_between, candidates_between].map(|of| of(&bodies, [0, 1], 1.0, 0.1));
/// assert!(found?.len() > fewer?.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Same as [`candidates`].
pub fn interval_candidates_between(
    bodies: &[(&Shape, RigidMotion)],
    pair: [usize; 2],
    horizon: f64,
    margin: f64,
) -> Result<Vec<Candidate>, BroadPhaseError> {
    check_horizon(horizon)?;
    check_pair(bodies, pair, margin)?;
    let [a, b] = moved_first(bodies, pair);
    let mut gathering = gathering(bodies, [a, b]);
    let margin = margin + offsets(bodies, pair);
    gathering.add(&IntervalSweep::new(&bodies[a].1, &bodies[b].1, horizon, margin));
    Ok(gathering.finish())
}

/// Returns the [`proximity`] candidates of two bodies, numbered 0 and 1.
///
/// # Errors
/// Same as [`proximity`].
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
    if !(0.0..=MAX_MOTION).contains(&margin) {
        return Err(BroadPhaseError::Margin { margin });
    }
    match bodies.iter().position(|(shape, motion)| !is_moderate(shape, motion)) {
        Some(body) => Err(BroadPhaseError::Body { body }),
        None => Ok(()),
    }
}

/// Returns whether the broad phase takes this motion: its numbers are finite and at most 1e100, and its orientation has
/// unit length.
pub fn is_moderate(shape: &Shape, motion: &RigidMotion) -> bool {
    let vectors = [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1];
    motion.is_valid()
        && shape.radius().max(shape.max_offset()) <= MAX_MOTION
        && vectors.iter().all(|v| v.amax() <= MAX_MOTION)
}

/// Returns the candidates of all pairs of bodies whose bounds come within `margin` of each other, in the
/// order of the pairs.
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

/// Returns the pairs of boxes that come within `margin` of each other, in ascending order.
fn overlapping(bounds: &[Aabb], margin: f64) -> Vec<[usize; 2]> {
    let bounds: Vec<Aabb> = bounds.iter().map(|b| b.grow(0.5 * margin)).collect();
    let tree = Bvh::new(&bounds).expect("bounds of numbers up to 1e100 are finite");
    tree.overlapping_pairs().into_iter().map(|pair| pair.map(|i| i as usize)).collect()
}

/// Returns a box around the swept volume of a body (m, world): the intersection of the volumes that its box
/// and its ball sweep.
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
    Aabb { min: boxes.min.sup(&ball.min), max: boxes.max.inf(&ball.max) }.grow(shape.max_offset())
}

/// Orders two bodies: first the one to be moved through the frame of the other, which is the faster to turn,
/// then the smaller.
fn moved_first(bodies: &[(&Shape, RigidMotion)], pair: [usize; 2]) -> [usize; 2] {
    let key = |i: usize| (-approach::rate(&bodies[i].1), bodies[i].0.radius());
    let [i, j] = pair;
    if key(i) <= key(j) { [i, j] } else { [j, i] }
}

fn gathering<'a>(bodies: &[(&'a Shape, RigidMotion)], [a, b]: [usize; 2]) -> CandidateCollector<'a> {
    CandidateCollector::new(Pair { bodies: [a as u32, b as u32], shapes: [bodies[a].0, bodies[b].0] })
}

fn in_motion(
    bodies: &[(&Shape, RigidMotion)],
    pair: [usize; 2],
    horizon: f64,
    margin: f64,
) -> Vec<Candidate> {
    let [a, b] = moved_first(bodies, pair);
    let margin = margin + offsets(bodies, pair);
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
    let margin = margin + offsets(bodies, pair);
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

/// Returns the largest offsets of both shapes (m), rounded up.
fn offsets(bodies: &[(&Shape, RigidMotion)], [a, b]: [usize; 2]) -> f64 {
    (bodies[a].0.max_offset() + bodies[b].0.max_offset()) * (1.0 + 8.0 * f64::EPSILON)
}

/// Returns the size (m) of the finer shape's primitives, but at least 1/16 of the smaller body's radius, and the offsets of both.
fn size(a: &Shape, b: &Shape) -> f64 {
    let smallest = a.radius().min(b.radius()) / 16.0;
    a.grain().min(b.grain()).max(smallest).max(a.max_offset() + b.max_offset())
}

/// Returns the number of pieces such that none travels farther than `stride`, clamped to [1, `MAX_PIECES`].
fn n_pieces(travel: f64, stride: f64) -> usize {
    // The clamp maps zero travel and 0/0 to 1, and a stride of zero to the maximum.
    ((travel / stride).ceil() as usize).clamp(1, MAX_PIECES)
}

#[cfg(test)]
mod tests;
