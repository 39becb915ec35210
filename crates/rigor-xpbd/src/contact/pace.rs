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
use crate::joint::Gain;

/// Motion over the radius of the smaller body from which a substep of fixed length, as in `pbd`, may miss a contact.
const WHOLE: f64 = 1.0;

/// Largest turn (rad) of a body about a joint in a substep: one projection of a joint whose lever turns by θ is off by θ²/2 of
/// that lever.
const TURN: f64 = 0.25;

/// How many times as many substeps the rest of a step must need as it has, for it to get them.
const MORE: f64 = 1.5;

/// What decides the number of substeps of a step, or of the rest of one.
pub(crate) struct Motion<'a> {
    pub features: &'a FeatureCache,
    pub bodies: &'a [SolverBody],
    pub pairs: &'a [Pair],
    /// The largest rate (rad/s) at which a body turns about a joint, and the joint.
    pub turning: Option<(f64, usize)>,
    /// What forces and drives may give each body in a substep; empty if speeds tell all.
    pub gains: &'a [Gain],
}

impl Motion<'_> {
    /// Returns how many substeps `dt` (s) needs, if they are more than `least` and what needs them: so many that no pair that may
    /// meet moves by more than `part` radii of its smaller body in one, neither by its speed nor from rest by its acceleration, and no body turns by more than ¼ rad
    /// about a joint.
    fn needed(&self, part: f64, least: f64, dt: f64) -> Option<(f64, Subject)> {
        let Self { features, bodies, pairs, turning, gains } = self;
        let gain = |i: usize| gains.get(i).copied().unwrap_or_default();
        let needed = |pair: &Pair| {
            let [a, b] = [pair.a.0, pair.b.0].map(|i| Placed { body: &bodies[i], features: features.of(i) });
            let radius = a.features.radius.min(b.features.radius);
            // A single point has no size, and passes nothing that its path does not cross.
            if radius <= 0.0 {
                return 0.0;
            }
            let (of_a, of_b) = (gain(pair.a.0), gain(pair.b.0));
            let speed = relative_speed(a, b).max(of_a.speed + of_b.speed);
            let by_speed = (dt * speed / (part * radius)).ceil();
            let acceleration = of_a.acceleration + of_b.acceleration;
            if acceleration > 0.0 {
                by_speed.max((dt * (acceleration / (part * radius)).sqrt()).ceil())
            } else {
                by_speed
            }
        };
        let mut most: Option<(f64, Subject)> = None;
        let known = |most: &Option<(f64, Subject)>| most.as_ref().map_or(least, |most| most.0);
        for pair in pairs.iter().filter(|pair| pair.detection.is_near) {
            let n = needed(pair);
            if n > known(&most) {
                most = Some((n, Subject::Pair(pair.a, pair.b)));
            }
        }
        if let Some((rate, joint)) = *turning
            && (dt * rate / TURN).ceil() > known(&most)
        {
            most = Some(((dt * rate / TURN).ceil(), Subject::Joint(joint)));
        }
        most
    }

    /// Returns the number of substeps of a step of `dt` (s): at least that of `config`, and [enough](Self::needed). If this takes more than
    /// `max_substeps`, the step takes `max_substeps` and has a flaw. Without a bound on `max_motion`, as in `pbd`, the number stays, and
    /// the step has the flaw where a body moves by more than its radius, or turns by more than ¼ rad about a joint, in a substep.
    pub fn substeps(&self, config: &Config, dt: f64) -> (u32, Option<Flaw>) {
        let is_fixed = config.max_motion == f64::MAX;
        let part = if is_fixed { WHOLE } else { config.max_motion };
        let Some((most, subject)) = self.needed(part, f64::from(config.substeps), dt) else {
            return (config.substeps, None);
        };
        let limit = if is_fixed { config.substeps } else { config.substeps.max(config.max_substeps) };
        if most <= f64::from(limit) {
            return (most as u32, None);
        }
        (limit, Some(Flaw::new(FlawKind::TooFast, subject, most / f64::from(limit))))
    }

    /// Returns the number of substeps of the rest `span` (s) of a step, if bodies have become so fast that it should be more than [`MORE`] times the `left` ones: up to
    /// `limit`, beyond which the step has a flaw.
    pub fn more(&self, config: &Config, span: f64, (left, limit): (u32, u32)) -> Option<(u32, Option<Flaw>)> {
        let (most, subject) = self.needed(config.max_motion, MORE * f64::from(left), span)?;
        if most <= f64::from(limit) {
            return Some((most as u32, None));
        }
        let taken = left.max(limit);
        Some((taken, Some(Flaw::new(FlawKind::TooFast, subject, most / f64::from(taken)))))
    }
}
