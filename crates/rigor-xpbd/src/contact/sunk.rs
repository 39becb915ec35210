//! Solid bodies that are deep inside each other.

use rayon::prelude::*;
use rigor_contact::round::Ball;
use rigor_contact::{FeatureCache, Features};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, Flaw, FlawKind, Scene, Subject};

use super::pair::{PARALLEL, Pair};
use crate::body::SolverBody;

/// Depth of a corner inside a solid, over the thickness of the thinner body, from which the bodies are told.
const DEEP: f64 = 0.05;

/// Thickness over the radius below which a body is a surface.
const FLAT: f64 = 1e-6;

/// Returns the flaw of a step at whose end a corner of a body is deep inside a solid one: the pair whose depth is largest over
/// the thickness of its thinner dynamic body.
///
/// Contacts that deep may have been given up, and then no force tells of them.
pub(crate) fn flaw(
    scene: &Scene,
    features: &FeatureCache,
    bodies: &[SolverBody],
    pairs: &[Pair],
) -> Option<Flaw> {
    let part = |pair: &Pair| {
        if !pair.detection.is_near || pair.rests {
            return None;
        }
        let ids = [pair.a, pair.b];
        let (a, b) = (features.of(pair.a.0), features.of(pair.b.0));
        if !(a.is_solid() || b.is_solid()) {
            return None;
        }
        let thin = ids.into_iter().map(|id| &scene.bodies[id.0]).filter(|body| body.is_dynamic());
        let thin = thin.map(Body::thickness).fold(f64::INFINITY, f64::min);
        if thin <= FLAT * a.radius.min(b.radius) {
            return None;
        }
        let limit = DEEP * thin;
        let [pose_a, pose_b] = ids.map(|id| bodies[id.0].pose);
        let of_a = depth(a, b, &pose_a.relative_to(&pose_b), limit);
        let of_b = depth(b, a, &pose_b.relative_to(&pose_a), limit);
        let subject = Subject::Pair(pair.a.min(pair.b), pair.a.max(pair.b));
        let depth = of_a.max(of_b);
        (depth > limit).then(|| Flaw::new(FlawKind::Sunk, subject, depth / thin))
    };
    let worse = |one: Flaw, other: Flaw| if other.amount > one.amount { other } else { one };
    if pairs.len() < PARALLEL {
        pairs.iter().filter_map(part).reduce(worse)
    } else {
        let found: Vec<Flaw> = pairs.par_iter().with_min_len(PARALLEL / 4).filter_map(part).collect();
        found.into_iter().reduce(worse)
    }
}

/// Returns the largest depth (m) of a corner or round part of `inner` inside the solid `outer`, or 0 if none is deeper than the `limit` (m).
fn depth(inner: &Features, outer: &Features, pose: &Pose, limit: f64) -> f64 {
    if !outer.is_solid() || !inner.bounds.transformed(pose).grow(-limit).overlaps(&outer.bounds) {
        return 0.0;
    }
    let is_plain = inner.n_round == 0 && outer.n_round == 0;
    let deep = |corner: Vec3| match is_plain {
        true => outer.depth(&corner, limit),
        false => outer.depth_of_ball(&Ball { center: corner, radius: 0.0 }, limit),
    };
    let of_corners = inner.corners.iter().map(|corner| deep(pose.point(&corner.position)));
    let of_ball =
        |ball: &Ball| outer.depth_of_ball(&Ball { center: pose.point(&ball.center), ..*ball }, limit);
    of_corners.chain(inner.balls[..inner.n_round].iter().map(of_ball)).fold(0.0, f64::max)
}
