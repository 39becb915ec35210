//! Contacts of all pairs: those near in a step, and those that touch in a substep.

use rayon::prelude::*;
use rigor_contact::{BroadPhase, FeatureCache, Frame, Moving, Pace, Place, Placed, sighting_memory};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Flaw, Scene, State, StepError};

use super::Contact;
use super::pair::{PARALLEL, Pair};
use crate::body::SolverBody;
use crate::config::Config;

/// Memory key of the sightings.
const SIGHTINGS: &str = "xpbd/sighting";

/// The pairs of bodies that may touch, and how they are found.
#[derive(Debug, Default)]
pub(crate) struct Collisions {
    /// Pairs in ascending order of their bodies.
    pub pairs: Vec<Pair>,
    pub features: FeatureCache,
    broad_phase: BroadPhase,
    /// Scratch memory.
    places: Vec<Place>,
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
        let Self { pairs, features, places, .. } = self;
        Place::update(places, bodies, features);
        let places = &places[..];
        let pace = Pace { safety: config.safety, substeps, h };
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
                let past = pair.history.past.iter().map(|past| past.key);
                let [of_a, of_b] = placed(bodies, features, pair);
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
        let pace = Pace { safety: config.safety, substeps: config.substeps, h };
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

/// Returns the bodies of a pair with their features.
fn placed<'a>(
    bodies: &'a [SolverBody],
    features: &'a FeatureCache,
    pair: &Pair,
) -> [Placed<'a, SolverBody>; 2] {
    [pair.a.0, pair.b.0].map(|i| Placed { body: &bodies[i], features: features.of(i) })
}
