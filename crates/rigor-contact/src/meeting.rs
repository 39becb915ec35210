//! The pairs of bodies that may touch in a step, with what a method keeps for each.

use rigor_math::Pose;
use rigor_scene::{BodyId, Flaw, Friction, Scene, State, StepError};

use crate::broad_phase::BroadPhase;
use crate::detection::{Completion, Detection, Pace};
use crate::feature::FeatureCache;
use crate::found::{ContactKey, Found};
use crate::motion::{Moving, Place, Placed, relative_speed};
use crate::sighting_memory;

/// Two bodies that may touch in this step.
#[derive(Debug)]
pub struct Meeting<T> {
    /// The body that normals point to.
    pub a: BodyId,
    /// The other one, with the larger index.
    pub b: BodyId,
    /// Between the two.
    pub friction: Friction,
    /// e.
    pub restitution: f64,
    /// Which of their features touch.
    pub detection: Detection,
    /// What the method keeps.
    pub own: T,
}

/// The pairs of bodies that may touch in a step, and how they are found.
#[derive(Debug)]
pub struct Meetings<T> {
    /// In ascending order of their bodies.
    pub list: Vec<Meeting<T>>,
    /// The features of each body.
    pub features: FeatureCache,
    broad_phase: BroadPhase,
    places: Vec<Place>,
    /// Scratch memory.
    past: Vec<ContactKey>,
}

impl<T> Default for Meetings<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            features: FeatureCache::default(),
            broad_phase: BroadPhase::default(),
            places: Vec::new(),
            past: Vec::new(),
        }
    }
}

impl<T: Default> Meetings<T> {
    /// Finds the pairs of bodies that may touch in a step of `dt` (s), with their sightings under `key` in the state's memory.
    ///
    /// `safety` is k of the [broad phase](BroadPhase::update); overlaps up to `overlap` radii of the smaller body are contacts.
    ///
    /// # Errors
    /// [`StepError`] if a body is not finite.
    pub fn collect(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        (safety, overlap): (f64, f64),
        key: &str,
    ) -> Result<(), StepError> {
        let found = self.broad_phase.update(scene, state, dt, safety, &mut self.features)?;
        let new = |a, b| Meeting {
            a,
            b,
            friction: Friction::uniform(0.0),
            restitution: 0.0,
            detection: Detection::default(),
            own: T::default(),
        };
        found.replace(&mut self.list, |pair| (pair.a, pair.b), new);
        for pair in &mut self.list {
            let (a, b) = (pair.a, pair.b);
            pair.detection.is_near = self.broad_phase.is_near(a, b);
            if pair.detection.is_near {
                pair.friction = scene.friction_between(a, b);
                pair.restitution = scene.restitution_between(a, b);
                let radius = scene.bodies[a.0].radius.min(scene.bodies[b.0].radius);
                let a_in_b = state.bodies[a.0].pose.relative_to(&state.bodies[b.0].pose);
                pair.detection.prepare(&a_in_b, radius, overlap);
            }
        }
        let pairs = self.list.iter_mut().map(|pair| ((pair.a, pair.b), &mut pair.detection));
        sighting_memory::restore(state, key, pairs);
        Ok(())
    }

    /// Returns the flaw of a step, from `before`, in which bodies met that were not looked at: see [`BroadPhase::outrun`].
    pub fn outrun(&self, scene: &Scene, before: &State, after: impl Fn(usize) -> Pose) -> Option<Flaw> {
        self.broad_phase.outrun(scene, before, after, &self.features)
    }

    /// Stores the sightings under `key` in the memory of the state.
    pub fn store(&self, state: &mut State, key: &'static str) {
        let pairs = self.list.iter().map(|pair| ((pair.a, pair.b), &pair.detection));
        sighting_memory::store(state, key, pairs);
    }

    /// Finds the contacts of a substep, at the poses of [`Moving`], and calls `each` with them and what is kept of their pair. `begin` makes what is kept
    /// ready, and appends the contacts that pushed in the substep before.
    pub fn detect<B: Moving + Sync>(
        &mut self,
        bodies: &[B],
        pace: &Pace,
        begin: impl Fn(&mut T, &mut Vec<ContactKey>),
        mut each: impl FnMut(&mut T, [usize; 2], &Found),
    ) {
        let Self { list, features, places, past, .. } = self;
        Place::update(places, bodies, features);
        for pair in list {
            past.clear();
            begin(&mut pair.own, past);
            if !pair.detection.is_near {
                continue;
            }
            let ends = [pair.a.0, pair.b.0];
            let [a, b] = ends.map(|i| (Placed { body: &bodies[i], features: features.of(i) }, &places[i]));
            let own = &mut pair.own;
            pair.detection.detect(a, b, pace, past.iter().copied(), |found| each(own, ends, found));
        }
    }

    /// Finds the contacts of features of fast bodies that still cross on the way to where the bodies end, and calls `each` with them and what is kept of
    /// their pair. Returns whether there are any.
    ///
    /// A kick keeps its contacts apart, not the bodies: one at the first corner of a plate turns it, and may take other corners through.
    pub fn complete<B: Moving>(
        &mut self,
        body: impl Fn(usize) -> B,
        pace: &Pace,
        mut each: impl FnMut(&mut T, [usize; 2], &Completion<'_>),
    ) -> bool {
        let mut was_any = false;
        for pair in self.list.iter_mut().filter(|pair| pair.detection.is_near) {
            let ends = [pair.a.0, pair.b.0];
            let bodies = ends.map(&body);
            let [a, b] = [0, 1].map(|i| Placed { body: &bodies[i], features: self.features.of(ends[i]) });
            let Some(more) = pair.detection.complete(a, b, pace) else { continue };
            was_any = true;
            each(&mut pair.own, ends, &more);
        }
        was_any
    }

    /// Returns the number of substeps of a step of `dt` (s) in which no pair that may meet moves by more than `part` radii of its smaller body, and the pair
    /// that needs them.
    pub fn substeps<B: Moving>(
        &self,
        body: impl Fn(usize) -> B,
        dt: f64,
        part: f64,
    ) -> (f64, Option<(BodyId, BodyId)>) {
        let mut most = (0.0, None);
        for pair in self.list.iter().filter(|pair| pair.detection.is_near) {
            let ends = [pair.a.0, pair.b.0];
            let bodies = ends.map(&body);
            let [a, b] = [0, 1].map(|i| Placed { body: &bodies[i], features: self.features.of(ends[i]) });
            let radius = a.features.radius.min(b.features.radius);
            // A single point has no size, and passes nothing that its path does not cross.
            let n = if radius > 0.0 { (dt * relative_speed(a, b) / (part * radius)).ceil() } else { 0.0 };
            if n > most.0 {
                most = (n, Some((pair.a, pair.b)));
            }
        }
        most
    }
}
