//! Contact detection: which features touch in a substep, at the predicted poses.
//!
//! Two solids touch where a corner of one meets a face of the other, or where two edges meet. A candidate is
//! a contact if its features face each other (each *supports* the direction of the other), if the nearest
//! points lie inside both features, and if no other candidate explains the overlap with less depth. Features
//! that crossed on the way to the predicted poses are added ([`crossing`]).

mod ball;
pub(crate) mod broad_phase;
pub(crate) mod candidate;
pub(crate) mod corner_face;
pub(crate) mod crossing;
mod edge_edge;
pub(crate) mod feature;
mod found;
pub(crate) mod pace;
mod round;
pub(crate) mod sighting;
pub(crate) mod sighting_memory;
mod tolerance;
pub(crate) mod window;

use rayon::prelude::*;
use rigor_geometry::Aabb;

use crate::body::SolverBody;
use crate::config::Config;
use crate::contact::frame::Frame;
use crate::contact::pair::{Detection, Margins, PARALLEL, Pair};
use crate::contact::{Contact, NormalFeature};
use ball::BallView;
use corner_face::CornerView;
use crossing::Course;
use feature::{FeatureCache, Features};
use found::{BodyFrames, Footing, Found};
use pace::relative_speed;
use sighting::DetectionInput;
use tolerance::INSIDE;
use window::Window;

/// Allowed overlap in substeps of motion: a contact that one substep missed is still seen in the next.
const SUBSTEPS_DEEP: f64 = 2.0;

/// Finds the contacts of every pair at the predicted poses.
///
/// The step has this many `substeps` of `h` (s).
///
/// Source: \[Mueller2020\] §3.4: once per substep, over the pairs collected once per step.
pub(crate) fn detect(
    features: &FeatureCache,
    bodies: &[SolverBody],
    places: &mut Vec<Place>,
    pairs: &mut [Pair],
    config: &Config,
    (substeps, h): (u32, f64),
) {
    let place = |(i, (place, body)): (usize, (&mut Place, &SolverBody))| {
        if !body.rests {
            *place = Place::new(body, features.of(i));
        }
    };
    places.resize_with(bodies.len(), Place::default);
    if bodies.len() < PARALLEL {
        places.iter_mut().zip(bodies).enumerate().for_each(place);
    } else {
        places.par_iter_mut().zip(bodies).enumerate().with_min_len(PARALLEL / 2).for_each(place);
    }
    let places = &places[..];
    let detect = |pair: &mut Pair| {
        if pair.rests {
            return;
        }
        pair.contacts.clear();
        pair.settled = None;
        pair.is_struck = false;
        pair.budget.taken = 0.0;
        if pair.detection.is_near {
            let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
            let (features_a, features_b) = (features.of(pair.a.0), features.of(pair.b.0));
            let (place_a, place_b) = (&places[pair.a.0], &places[pair.b.0]);
            let travel = config.safety * h * relative_speed((a, features_a), (b, features_b));
            let travel = travel.min(features_a.radius.min(features_b.radius));
            let window = Window {
                depth: SUBSTEPS_DEEP * travel + pair.margins.overlap,
                reach: travel + pair.margins.overlap / f64::from(substeps),
            };
            if pair.detection.findings.are_none()
                && !crossing::are_possible(features_a, features_b, travel)
                && are_apart((place_a, features_a), (place_b, features_b), window.far() + pair.margins.same)
            {
                pair.detection.clear();
            } else {
                detect_pair((a, features_a, place_a), (b, features_b, place_b), pair, &window, travel);
            }
        }
    };
    if pairs.len() < PARALLEL {
        pairs.iter_mut().for_each(detect);
    } else {
        pairs.par_iter_mut().with_min_len(PARALLEL / 4).for_each(detect);
    }
}

/// A body's frames at the predicted pose and before the substep, and its bounding box (world) at the former.
#[derive(Debug)]
pub(crate) struct Place {
    now: Frame,
    before: Frame,
    bounds: Aabb,
}

impl Default for Place {
    fn default() -> Self {
        Self { now: Frame::default(), before: Frame::default(), bounds: Aabb::EMPTY }
    }
}

impl Place {
    fn new(body: &SolverBody, features: &Features) -> Self {
        let bounds = features.bounds.transformed(&body.pose);
        Self { now: Frame::of(&body.pose), before: Frame::of(&body.pose_prev), bounds }
    }
}

/// Returns whether the boxes of two convex bodies are so far apart that no contact is within `far` (m).
///
/// A corner past the rim of a face, or of points past the ends of edges, are at most a fraction [`INSIDE`] of
/// their lengths past them, and no length exceeds twice the radius of its body.
fn are_apart((a, features_a): (&Place, &Features), (b, features_b): (&Place, &Features), far: f64) -> bool {
    let past = 2.0 * INSIDE * (features_a.radius + features_b.radius);
    !a.bounds.grow(far + past).overlaps(&b.bounds)
}

/// Finds the contacts within this `window`; `travel` (m) bounds the relative motion of the bodies in a
/// substep.
fn detect_pair(
    (a, features_a, place_a): (&SolverBody, &Features, &Place),
    (b, features_b, place_b): (&SolverBody, &Features, &Place),
    pair: &mut Pair,
    window: &Window,
    travel: f64,
) {
    let a_in_b = place_b.now.inverse().compose(&place_a.now);
    let radii = (features_a.radius, features_b.radius);
    if let Some(sighting) =
        pair.detection.findings.missing(&a_in_b, &pair.detection.start, radii, window, pair.margins.still)
    {
        let DetectionInput { frames, window, .. } = &sighting;
        if !pair.detection.candidates.are_good_for(features_a, features_b, frames, window) {
            let a_in_b = a.pose.relative_to(&b.pose);
            pair.detection.candidates.find(features_a, features_b, &a_in_b, window, travel);
        }
        find(features_a, features_b, (&mut pair.detection, &pair.margins), &sighting);
        pair.detection.findings.settle();
    }
    let others = &pair.detection.findings.found;
    pair.detection.crossings.forget();
    if crossing::are_possible(features_a, features_b, travel) {
        let course =
            Course::new((a, features_a), (b, features_b), a_in_b, pair.margins.slop, pair.margins.same);
        pair.detection.crossings.find(
            &course,
            || a.pose.relative_to(&b.pose),
            others,
            &pair.history.past,
            window,
        );
    }
    // A sheet has no thickness, and no face that is behind another.
    let is_thin = features_a.thickness.min(features_b.thickness) > 0.0;
    let is_thin = is_thin && crossing::exceeds_thickness(features_a, features_b, travel);
    let deep = crossing::SLOPS * pair.margins.slop;
    if others.is_empty() && pair.detection.crossings.found.is_empty() {
        return;
    }
    let (a, b) = (BodyFrames::of(a, place_a), BodyFrames::of(b, place_b));
    let others = others.iter().filter(|found| !pair.detection.crossings.overrule(found));
    let past = &pair.history.past;
    let is_new = |found: &Found| past.iter().all(|past| past.key != found.key);
    let others = others.filter(|found| !(is_thin && is_new(found) && found.was_behind(&a, &b, deep)));
    for found in others.chain(&pair.detection.crossings.found) {
        pair.contacts.push(found.contact(&a, &b));
    }
}

/// Adds the contacts of features of fast bodies that still cross on the way to the current poses, those of a
/// solution. Returns whether there are any.
///
/// A contact keeps its features apart, not the bodies: the push at the first corner of a box that strikes a
/// plate turns the box, and may take other corners through.
pub(crate) fn complete(
    features: &FeatureCache,
    bodies: &[SolverBody],
    pairs: &mut [Pair],
    config: &Config,
    h: f64,
) -> bool {
    let mut was_any = false;
    for pair in pairs.iter_mut().filter(|pair| pair.detection.is_near && !pair.rests) {
        let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
        let (features_a, features_b) = (features.of(pair.a.0), features.of(pair.b.0));
        let travel = config.safety * h * relative_speed((a, features_a), (b, features_b));
        if crossing::are_fast(features_a, features_b, travel) {
            was_any |= complete_pair((a, features_a), (b, features_b), pair);
        }
    }
    was_any
}

fn complete_pair(
    (a, features_a): (&SolverBody, &Features),
    (b, features_b): (&SolverBody, &Features),
    pair: &mut Pair,
) -> bool {
    let frames = [Frame::of(&a.pose), Frame::of(&b.pose)];
    let a_in_b = frames[1].inverse().compose(&frames[0]);
    let course = Course::new((a, features_a), (b, features_b), a_in_b, pair.margins.slop, pair.margins.same);
    let crossings = &mut pair.detection.crossings;
    let n_known = crossings.found.len();
    if !crossings.find_more(&course, || a.pose.relative_to(&b.pose)) {
        return false;
    }
    pair.settled = None;
    let b_from_world = frames[1].inverse();
    let is_opposed = |c: &Contact| {
        let normal = b_from_world.vector(&c.feature.normal(&frames[0], &frames[1]));
        crossings.oppose(&c.point_b_local, &normal)
    };
    pair.contacts.retain(|contact| !is_opposed(contact));
    let (a, b) = (BodyFrames::new(a, frames[0]), BodyFrames::new(b, frames[1]));
    pair.contacts.extend(crossings.found[n_known..].iter().map(|found| found.contact(&a, &b)));
    true
}

/// Finds the contacts in a `sighting` of two bodies.
fn find(
    features_a: &Features,
    features_b: &Features,
    (detection, margins): (&mut Detection, &Margins),
    sighting: &DetectionInput,
) {
    let Detection { candidates, overlaps, findings, .. } = detection;
    let Margins { slop, same, .. } = margins;
    let found = &mut findings.found;
    found.clear();
    if candidates.are_none() {
        return;
    }
    let DetectionInput { frames: [a_in_b, b_in_a], start, window, .. } = sighting;
    let from_a = CornerView { frame: *a_in_b, start: *start, slop: *slop, window: *window };
    corner_face::find(features_a, features_b, &from_a, &candidates.corners_a, overlaps, |met| {
        if !found.iter().any(|f| f.is_at(&met.foot, &met.normal, *same)) {
            found.push(Found {
                key: [0, met.candidate.corner, met.candidate.face],
                point_a_local: met.corner,
                point_b_local: met.foot,
                feature: NormalFeature::FaceOfB(met.normal),
                normal_b_local: met.normal,
                footing: met.circle.map_or(Footing::Midpoint, Footing::CircleOfA),
            });
        }
    });
    let from_b = CornerView { frame: *b_in_a, start: start.inverse(), slop: *slop, window: *window };
    corner_face::find(features_b, features_a, &from_b, &candidates.corners_b, overlaps, |met| {
        let normal = -a_in_b.vector(&met.normal);
        if !found.iter().any(|f| f.is_at(&met.corner, &normal, *same)) {
            found.push(Found {
                key: [1, met.candidate.corner, met.candidate.face],
                point_a_local: met.foot,
                point_b_local: met.corner,
                feature: NormalFeature::FaceOfA(met.normal),
                normal_b_local: normal,
                footing: met.circle.map_or(Footing::Midpoint, Footing::CircleOfB),
            });
        }
    });
    let from_a =
        edge_edge::EdgeView { a_in_b, start, window, a: features_a, b: features_b, slop: *slop, same: *same };
    edge_edge::find(features_a, features_b, &from_a, &candidates.edges, found);
    let [of_a, of_b] = &candidates.balls;
    let from_a = BallView { frame: a_in_b, start, window, slop: *slop, of_a: true };
    ball::find(features_a, features_b, &from_a, of_a, *same, found);
    let from_b = BallView { frame: b_in_a, start: &start.inverse(), window, slop: *slop, of_a: false };
    ball::find(features_b, features_a, &from_b, of_b, *same, found);
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

    use rigor_math::{Pose, Vec3};
    use rigor_shapes::Cuboid;

    use super::*;

    #[test]
    fn boxes_are_apart_only_beyond_the_distance_at_which_they_may_touch() {
        let features = Features::of(&Cuboid::new(Vec3::repeat(1.0)).mesh().expect("positive sizes"));
        let at = |height: f64, turn: f64| {
            let pose = Pose::from_rotation_vector(Vec3::y() * height, &(Vec3::z() * turn));
            Place::new(&SolverBody { pose, pose_prev: pose, ..SolverBody::world() }, &features)
        };
        let below = at(0.0, 0.0);
        for gap in [1e-4, 1e-2, 0.3] {
            // On a face, and on an edge.
            for (height, turn) in [(1.0, 0.0), (0.5 + FRAC_1_SQRT_2, FRAC_PI_4)] {
                let above = at(height + gap, turn);
                let apart = |far: f64| are_apart((&above, &features), (&below, &features), far);
                assert!(!apart(gap) && apart(0.5 * gap), "gap {gap}, turned by {turn}");
            }
        }
    }
}
