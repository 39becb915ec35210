//! Contacts of all pairs: those near in a step, and those that touch in a substep.

use rayon::prelude::*;
use rigor_contact::{BroadPhase, FeatureCache, Frame, Moving, Pace, Place, Placed, sighting_memory};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Flaw, Scene, State, StepError};

use super::Contact;
use super::pair::{History, PARALLEL, Pair};
use crate::body::SolverBody;
use crate::config::Config;
use crate::joint::Gain;

/// Memory key of the sightings.
const SIGHTINGS: &str = "xpbd/sighting";

/// Speed of a struck body over the speed at which it was met, at most: (1 + e) m/(m + m′).
const STRUCK: f64 = 2.0;

/// Part of the thickness of the thinner of two bodies below which motions are slow.
const THIN: f64 = 0.1;

/// The pairs of bodies that may touch, and how they are found.
#[derive(Debug, Default)]
pub(crate) struct Collisions {
    /// Pairs in ascending order of their bodies.
    pub pairs: Vec<Pair>,
    pub features: FeatureCache,
    broad_phase: BroadPhase,
    /// Scratch memory.
    places: Vec<Place>,
    /// Per body, how far (m) its points may move in the next substep; scratch memory.
    ahead: Vec<f64>,
}

impl Moving for SolverBody {
    fn pose(&self) -> &Pose {
        &self.pose
    }

    fn pose_prev(&self) -> &Pose {
        &self.pose_prev
    }

    fn linear_velocity(&self) -> &Vec3 {
        &self.linear_velocity
    }

    fn angular_velocity(&self) -> &Vec3 {
        &self.angular_velocity
    }

    fn rests(&self) -> bool {
        self.rests
    }
}

impl Collisions {
    /// CollectCollisionPairs: finds the pairs of bodies that may touch in the step, and prepares those that are near.
    ///
    /// Source: \[Mueller2020\] §3.4.
    pub fn collect(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        config: &Config,
    ) -> Result<(), StepError> {
        let found = self.broad_phase.update(scene, state, dt, config.safety, &mut self.features)?;
        found.replace(&mut self.pairs, |pair| (pair.a, pair.b), Pair::new);
        for pair in &mut self.pairs {
            pair.history.past.clear();
            pair.history.sunk.clear();
            pair.history.pushed.clear();
            pair.rests = false;
            pair.detection.is_near = self.broad_phase.is_near(pair.a, pair.b);
            if pair.detection.is_near {
                pair.prepare(scene, state, config);
            }
        }
        Ok(())
    }

    /// Returns the flaw of a step, from `before`, in which bodies met that were not looked at: see [`BroadPhase::outrun`].
    pub fn outrun(&self, scene: &Scene, before: &State, bodies: &[SolverBody]) -> Option<Flaw> {
        self.broad_phase.outrun(scene, before, |i| bodies[i].pose, &self.features)
    }

    /// Looks for more pairs in the middle of a step that still takes `rest` (s): where the next substep of `h` (s) may take bodies, with what forces and drives
    /// may give them in it and what the bodies that they may meet may give them, out of the boxes in which pairs were looked for. Returns whether there are any.
    ///
    /// # Errors
    /// [`rigor_scene::StepError`] if a body is not finite.
    pub fn widen(
        &mut self,
        (scene, state, config): (&Scene, &State, &Config),
        bodies: &[SolverBody],
        gains: &[Gain],
        (rest, h): (f64, f64),
    ) -> Result<bool, StepError> {
        let Self { pairs, features, broad_phase, ahead, .. } = self;
        ahead.clear();
        ahead.extend(scene.bodies.iter().zip(bodies).enumerate().map(|(i, (body, solver))| {
            if !body.is_dynamic() {
                return 0.0;
            }
            let gain = gains.get(i).copied().unwrap_or_default();
            let speed = solver.linear_velocity.norm() + body.radius * solver.angular_velocity.norm();
            h * (speed.max(gain.speed) + h * (scene.gravity.norm() + gain.acceleration))
        }));
        // A body that is struck may leave with up to twice the speed at which it was met, and strike a third one in the same substep.
        let mut strike = |pair: &Pair| {
            let (a, b) = (pair.a.0, pair.b.0);
            let most = ahead[a].max(ahead[b]);
            for id in [a, b].into_iter().filter(|&id| scene.bodies[id].is_dynamic()) {
                ahead[id] = most;
            }
        };
        let near = || pairs.iter().filter(|pair| pair.detection.is_near);
        near().for_each(&mut strike);
        near().rev().for_each(&mut strike);
        let is_stray = |(i, body): (usize, &SolverBody)| {
            !body.rests
                && scene.bodies[i].is_dynamic()
                && !broad_phase.holds(i, &body.pose, STRUCK * ahead[i], features)
        };
        if !bodies.iter().enumerate().any(is_stray) {
            return Ok(false);
        }
        let reach = |i: usize| {
            let (body, solver) = (&scene.bodies[i], &bodies[i]);
            let speed = solver.linear_velocity.norm() + body.radius * solver.angular_velocity.norm();
            let gained = rest * (scene.gravity.norm() + body.force.norm() / body.mass);
            let own = config.safety * rest * (speed + if body.is_dynamic() { gained } else { 0.0 });
            own.max(2.0 * STRUCK * ahead[i])
        };
        let found = broad_phase.widen(scene, |i| bodies[i].pose, reach, features)?;
        let mut is_any = false;
        let mut known = std::mem::take(pairs).into_iter().peekable();
        for (a, b) in found {
            while let Some(pair) = known.next_if(|pair| (pair.a, pair.b) < (a, b)) {
                pairs.push(pair);
            }
            let mut pair =
                known.next_if(|pair| (pair.a, pair.b) == (a, b)).unwrap_or_else(|| Pair::new(a, b));
            if !pair.detection.is_near && broad_phase.is_near(a, b) {
                pair.detection.is_near = true;
                pair.prepare(scene, state, config);
                is_any = true;
            }
            pairs.push(pair);
        }
        pairs.extend(known);
        Ok(is_any)
    }

    /// Restores the sightings of near pairs.
    pub fn load(&mut self, state: &State) {
        let pairs = self.pairs.iter_mut().map(|pair| ((pair.a, pair.b), &mut pair.detection));
        sighting_memory::restore(state, SIGHTINGS, pairs);
    }

    /// Stores the sightings.
    pub fn store(&self, state: &mut State) {
        let pairs = self.pairs.iter().map(|pair| ((pair.a, pair.b), &pair.detection));
        sighting_memory::store(state, SIGHTINGS, pairs);
    }

    /// Finds the contacts of every pair at the predicted poses.
    ///
    /// The step has this many `substeps` of `h` (s).
    ///
    /// Source: \[Mueller2020\] §3.4: once per substep, over the pairs collected once per step.
    pub fn detect(&mut self, bodies: &[SolverBody], config: &Config, (substeps, h): (u32, f64)) {
        let Self { pairs, features, places, ahead, .. } = self;
        Place::update(places, bodies, features);
        let places = &places[..];
        let safety = config.safety;
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
                let (place_a, place_b) = (&places[pair.a.0], &places[pair.b.0]);
                let History { past, sunk, .. } = &pair.history;
                let past = past.iter().map(|past| past.key).chain(sunk.iter().map(|sunk| sunk.0));
                let [of_a, of_b] = placed(bodies, features, pair);
                let ahead = |i: usize| ahead.get(i).copied().unwrap_or(0.0);
                let struck = struck(ahead(pair.a.0).max(ahead(pair.b.0)), [of_a, of_b]);
                let pace = Pace { safety, substeps, h, struck };
                let contacts = &mut pair.contacts;
                pair.detection.detect((of_a, place_a), (of_b, place_b), &pace, past, |found| {
                    let [in_a, in_b] = [place_a, place_b].map(|place| [&place.now, &place.before]);
                    contacts.push(Contact::new(found, (a, in_a), (b, in_b)));
                });
            }
        };
        if pairs.len() < PARALLEL {
            pairs.iter_mut().for_each(detect);
        } else {
            pairs.par_iter_mut().with_min_len(PARALLEL / 4).for_each(detect);
        }
    }

    /// Adds the contacts of features of fast bodies that still cross on the way to the current poses, those of a
    /// solution. Returns whether there are any.
    pub fn complete(&mut self, bodies: &[SolverBody], config: &Config, h: f64) -> bool {
        let pace = Pace { safety: config.safety, substeps: config.substeps, h, struck: 0.0 };
        let mut was_any = false;
        for pair in self.pairs.iter_mut().filter(|pair| pair.detection.is_near && !pair.rests) {
            let [a, b] = placed(bodies, &self.features, pair);
            let Some(more) = pair.detection.complete(a, b, &pace) else { continue };
            was_any = true;
            pair.settled = None;
            let [in_a, in_b] = more.frames;
            pair.contacts.retain(|c| !more.opposes(&c.point_b_local, &c.feature.normal(&in_a, &in_b)));
            let before = [a, b].map(|of| Frame::of(&of.body.pose_prev));
            pair.contacts.extend(more.added().iter().map(|found| {
                Contact::new(found, (a.body, [&in_a, &before[0]]), (b.body, [&in_b, &before[1]]))
            }));
        }
        was_any
    }
}

/// Returns how far (m) a pair of bodies moves at most that are struck by one that moves by `ahead` (m): 0 up to a tenth of the thinner one, where
/// contacts are found whether bodies overlap or not.
fn struck(ahead: f64, [a, b]: [Placed<'_, SolverBody>; 2]) -> f64 {
    let far = STRUCK * ahead;
    let is_far = far > THIN * a.features.thickness.min(b.features.thickness);
    if is_far { far.min(a.features.radius.min(b.features.radius)) } else { 0.0 }
}

/// Returns the bodies of a pair with their features.
fn placed<'a>(
    bodies: &'a [SolverBody],
    features: &'a FeatureCache,
    pair: &Pair,
) -> [Placed<'a, SolverBody>; 2] {
    [pair.a.0, pair.b.0].map(|i| Placed { body: &bodies[i], features: features.of(i) })
}
