//! The number of substeps that fast bodies need.
//!
//! A contact is found on the straight path of a substep and solved by one small rotation of each body. Both
//! lose their sense once a body moves by about its own size: a corner that is 4 radii deep would turn it by 4
//! radians.

use rigor_scene::Flaw;

use super::feature::{FeatureCache, Features};
use crate::body::SolverBody;
use crate::config::Config;
use crate::contact::pair::Pair;

/// Maximum number of substeps that fast bodies get.
const LARGEST: f64 = 2_000.0;

/// The step of a pair that would need more than that.
const TOO_FAST: Flaw = Flaw {
    name: "too_fast",
    what: "bodies would need more than 2000 substeps to move by at most `max_motion` in each: contact may be missed",
};

/// Returns the number of substeps of a step of `dt` (s): at least that of `config`, and enough that no pair
/// that may meet moves by more than `max_motion` radii of its smaller body in one. If this takes more than
/// 2000, the step keeps the number of `config` and has a flaw.
pub(crate) fn substeps(
    features: &FeatureCache,
    bodies: &[SolverBody],
    pairs: &[Pair],
    config: &Config,
    dt: f64,
) -> (u32, Option<Flaw>) {
    let needed = |pair: &Pair| {
        let [a, b] = [pair.a.0, pair.b.0].map(|i| (&bodies[i], features.of(i)));
        let radius = a.1.radius.min(b.1.radius);
        // A single point has no size, and passes nothing that its path does not cross.
        if radius > 0.0 { (dt * relative_speed(a, b) / (config.max_motion * radius)).ceil() } else { 0.0 }
    };
    let near = pairs.iter().filter(|pair| pair.detection.is_near);
    let most = near.map(needed).fold(f64::from(config.substeps), f64::max);
    let is_possible = most <= LARGEST.max(f64::from(config.substeps));
    if is_possible { (most as u32, None) } else { (config.substeps, Some(TOO_FAST)) }
}

/// Returns an upper bound on the speed (m/s) of any point of the smaller body in the frame of the larger one.
pub(super) fn relative_speed(
    (a, features_a): (&SolverBody, &Features),
    (b, features_b): (&SolverBody, &Features),
) -> f64 {
    let (small, large, radius) = if features_a.radius <= features_b.radius {
        (a, b, features_a.radius)
    } else {
        (b, a, features_b.radius)
    };
    let turning = (small.angular_velocity - large.angular_velocity).norm();
    (small.linear_velocity - large.velocity_at(&small.pose.position)).norm() + radius * turning
}
