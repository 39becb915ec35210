//! The number of substeps that fast bodies need.
//!
//! A contact is found on the straight path of a substep and solved by one small rotation of each body. Both
//! lose their sense once a body moves by about its own size: a corner that is 4 radii deep would turn it by 4
//! radians.

use rigor_contact::{FeatureCache, Placed, relative_speed};
use rigor_scene::{Flaw, FlawKind, Subject};

use super::pair::Pair;
use crate::body::SolverBody;
use crate::config::Config;

/// Motion over the radius of the smaller body from which a substep of fixed length, as in `pbd`, may miss a contact.
const WHOLE: f64 = 1.0;

/// Largest turn (rad) of a body about a joint in a substep: one projection of a joint whose lever turns by θ is off by θ²/2 of
/// that lever.
const TURN: f64 = 0.25;

/// Number of substeps that a joint may need, over the most that there may be, up to which the step takes these.
const NEAR: f64 = 4.0;

/// Returns the number of substeps of a step of `dt` (s): at least that of `config`, and enough that no pair
/// that may meet moves by more than `max_motion` radii of its smaller body in one, and no body turns by more than ¼ rad about
/// a joint, at the rate `turning` (rad/s) of this joint. If this takes more than
/// `max_substeps`, the step keeps the number of `config`, or takes `max_substeps` where a joint needs up to four times as many, and has
/// a flaw. Without a bound on `max_motion`, as in `pbd`, the number stays, and
/// the step has the flaw where a body moves by more than its radius, or turns by more than ¼ rad about a joint, in a substep.
pub(crate) fn substeps(
    features: &FeatureCache,
    bodies: &[SolverBody],
    pairs: &[Pair],
    turning: Option<(f64, usize)>,
    config: &Config,
    dt: f64,
) -> (u32, Option<Flaw>) {
    let is_fixed = config.max_motion == f64::MAX;
    let (part, least) =
        if is_fixed { (WHOLE, 0.0) } else { (config.max_motion, f64::from(config.max_substeps)) };
    let needed = |pair: &Pair| {
        let [a, b] = [pair.a.0, pair.b.0].map(|i| Placed { body: &bodies[i], features: features.of(i) });
        let radius = a.features.radius.min(b.features.radius);
        // A single point has no size, and passes nothing that its path does not cross.
        if radius > 0.0 { (dt * relative_speed(a, b) / (part * radius)).ceil() } else { 0.0 }
    };
    let near = pairs.iter().filter(|pair| pair.detection.is_near);
    let (mut most, mut subject) = (f64::from(config.substeps), Subject::Scene);
    for pair in near {
        let n = needed(pair);
        if n > most {
            (most, subject) = (n, Subject::Pair(pair.a, pair.b));
        }
    }
    let mut turns = false;
    if let Some((rate, joint)) = turning
        && (dt * rate / TURN).ceil() > most
    {
        (most, subject, turns) = ((dt * rate / TURN).ceil(), Subject::Joint(joint), true);
    }
    let limit = f64::from(config.substeps).max(least);
    if most <= limit {
        return (most as u32, None);
    }
    // A joint that turns a little too fast is held better by the most that there may be than by the number that is set.
    let is_near = turns && most <= NEAR * limit;
    let taken = if is_near { limit } else { f64::from(config.substeps) };
    (taken as u32, Some(Flaw::new(FlawKind::TooFast, subject, most / taken)))
}
