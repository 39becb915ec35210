//! Pairs of bodies that may touch, and their contacts.

use rigor_contact::{
    BroadPhase, ContactKey, Detection, FeatureCache, Found, Frame, N_NUMBERS, Pace, Place, Placed, Touch,
};
use rigor_math::{Pose, UnitVec3, Vec3, tangent};
use rigor_nonsmooth::Cone;
use rigor_scene::{BodyId, BodyState, Friction, Scene, State, StepError};

use crate::body::{Arrived, FlyingBody};
use crate::config::Config;
use crate::row::{Axis, Block, Ends};

/// Memory key: per contact that pushed in the last substep `[body a, body b, key (3), r_N, r_T (3, world)]` (N s).
const IMPULSES: &str = "nonsmooth/impulses";
const NUMBERS: usize = 9;

/// Memory key of the sightings: per pair with contacts `[body a, body b, …]` as [`Detection::write`] has it.
const SIGHTINGS: &str = "nonsmooth/sightings";

/// Two bodies that may touch in this step.
#[derive(Debug)]
pub(crate) struct Pair {
    pub a: BodyId,
    pub b: BodyId,
    pub friction: Friction,
    pub restitution: f64,
    pub detection: Detection,
    /// Contacts of the current substep.
    pub contacts: Vec<Contact>,
    /// Contacts that pushed in the substep before.
    past: Vec<Past>,
    /// Contacts that have pushed in this step so far.
    pub pushed: Vec<Pushed>,
}

/// A contact in a substep.
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    pub found: Found,
    /// In the middle of the substep.
    pub touch: Touch,
    /// Gap (m) at the start of the substep.
    pub gap_start: f64,
    /// Velocity (m/s) of a against b at the start, in the frame of the normal and the tangents.
    pub velocity_start: Vec3,
    /// How far (m) a moves against b in a flight of the whole substep, in the same frame: of the normal the change of the gap, across the motion of the
    /// points that touch in the middle.
    pub motion_free: Vec3,
    /// Unit tangents (world).
    pub tangents: [Vec3; 2],
    pub axes: [Axis; 3],
    /// r of the substep (N s), in the frame of the normal and the tangents.
    pub impulse: Vec3,
}

#[derive(Debug, Clone, Copy)]
struct Past {
    key: ContactKey,
    normal: f64,
    tangential: Vec3,
}

/// A contact that pushed in some substep of the step.
#[derive(Debug, Clone)]
pub(crate) struct Pushed {
    pub found: Found,
    /// Impulse on a (N s), summed over all substeps: normal, and across (world).
    pub normal: f64,
    pub tangential: Vec3,
}

impl Pair {
    fn new(a: BodyId, b: BodyId) -> Self {
        Self {
            a,
            b,
            friction: Friction::uniform(0.0),
            restitution: 0.0,
            detection: Detection::default(),
            contacts: Vec::new(),
            past: Vec::new(),
            pushed: Vec::new(),
        }
    }
}

impl Contact {
    fn new(found: &Found, a: (&FlyingBody, &Frame), b: (&FlyingBody, &Frame), past: &[Past]) -> Self {
        let touch = found.touch(a.1, b.1);
        let tangents = tangent::basis(&UnitVec3::new_unchecked(touch.normal)).map(UnitVec3::into_inner);
        let levers = [a, b].map(|(body, _)| touch.point - body.middle.pose.position);
        let axis = |n: Vec3| Axis::at(n, levers);
        let impulse = past.iter().find(|past| past.key == found.key).map_or_else(Vec3::zeros, |past| {
            Vec3::new(past.normal, past.tangential.dot(&tangents[0]), past.tangential.dot(&tangents[1]))
        });
        let frames = |of: fn(&FlyingBody) -> &Pose| [a, b].map(|(body, _)| Frame::of(of(body)));
        let [in_a, in_b] = frames(|body| &body.start.pose);
        let start = found.touch(&in_a, &in_b);
        let velocity = |body: &FlyingBody| {
            let BodyState { pose, linear_velocity, angular_velocity } = &body.start;
            linear_velocity + angular_velocity.cross(&(start.point - pose.position))
        };
        let velocity = velocity(a.0) - velocity(b.0);
        let moved = |body: &FlyingBody| {
            let local = body.middle.pose.inverse_point(&touch.point);
            body.free.pose.point(&local) - body.start.pose.point(&local)
        };
        let moved = moved(a.0) - moved(b.0);
        let [in_a, in_b] = frames(|body| &body.free.pose);
        let gap_free = found.touch(&in_a, &in_b).gap;
        let [t1, t2] = &tangents;
        Self {
            gap_start: start.gap,
            velocity_start: Vec3::new(velocity.dot(&start.normal), velocity.dot(t1), velocity.dot(t2)),
            motion_free: Vec3::new(gap_free - start.gap, moved.dot(t1), moved.dot(t2)),
            axes: [axis(touch.normal), axis(tangents[0]), axis(tangents[1])],
            found: found.clone(),
            touch,
            tangents,
            impulse,
        }
    }

    /// The velocities (m/s) at the end of a substep of `h` (s) from which a contact pushes: with them it is where a closed contact stays. `free` are those
    /// without impulses, and contacts up to the gap `closed` (m) are closed.
    ///
    /// A kick Δu in the middle moves a against b by ½ h Δu. So what touches stays, d + ½ h Δu = ½ h u⁻ with the motion d in a free flight and the
    /// velocity u⁻ at the start, and u⁺ = u − 2 d/h + u⁻. On planes that is 0; on curved surfaces it makes positions right to O(h³). An open
    /// contact closes at the end of the substep, u⁺ = u − 2 g/h with the gap g after a free flight, but is not thrown back. The same bounds what
    /// pushes a closed contact that parts.
    pub fn target(&self, free: &Vec3, closed: f64, h: f64) -> Vec3 {
        let stays = free - self.motion_free * (2.0 / h) + self.velocity_start;
        let closes = free.x - 2.0 * (self.gap_start + self.motion_free.x) / h;
        let most = if self.gap_start <= closed { stays.x } else { 0.0 };
        Vec3::new(closes.min(most), stays.y, stays.z)
    }

    /// The friction impulse (N s, world).
    fn tangential(&self) -> Vec3 {
        self.tangents[0] * self.impulse.y + self.tangents[1] * self.impulse.z
    }
}

/// The pairs of bodies that may touch, and how they are found.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// In ascending order of their bodies.
    pub list: Vec<Pair>,
    pub features: FeatureCache,
    broad_phase: BroadPhase,
    places: Vec<Place>,
    middles: Vec<Frame>,
}

impl Pairs {
    /// Finds the pairs of bodies that may touch in the step, with what the state remembers of them.
    pub fn collect(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        config: &Config,
    ) -> Result<(), StepError> {
        let found = self.broad_phase.update(scene, state, dt, config.safety, &mut self.features)?;
        found.replace(&mut self.list, |pair| (pair.a, pair.b), Pair::new);
        for pair in &mut self.list {
            let (a, b) = (pair.a, pair.b);
            pair.past.clear();
            pair.pushed.clear();
            pair.detection.is_near = self.broad_phase.is_near(a, b);
            if pair.detection.is_near {
                pair.friction = scene.friction_between(a, b);
                pair.restitution = scene.restitution_between(a, b);
                let radius = scene.bodies[a.0].radius.min(scene.bodies[b.0].radius);
                let a_in_b = state.bodies[a.0].pose.relative_to(&state.bodies[b.0].pose);
                pair.detection.prepare(&a_in_b, radius, config.overlap);
            }
        }
        self.load(state);
        Ok(())
    }

    fn load(&mut self, state: &State) {
        let numbers = |key: &str| state.memory.numbers.get(key).map_or(&[][..], Vec::as_slice);
        let bodies = |entry: &[f64]| (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
        let mut impulses = numbers(IMPULSES).chunks_exact(NUMBERS).peekable();
        let mut sightings = numbers(SIGHTINGS).chunks_exact(2 + N_NUMBERS).peekable();
        for pair in &mut self.list {
            let ids = (pair.a, pair.b);
            while impulses.next_if(|entry| bodies(entry) < ids).is_some() {}
            while let Some(entry) = impulses.next_if(|entry| bodies(entry) == ids) {
                pair.past.push(Past {
                    key: [entry[2] as u32, entry[3] as u32, entry[4] as u32],
                    normal: entry[5],
                    tangential: Vec3::from_column_slice(&entry[6..9]),
                });
            }
            while sightings.next_if(|entry| bodies(entry) < ids).is_some() {}
            let entry = sightings.next_if(|entry| bodies(entry) == ids);
            pair.detection.restore(entry.filter(|_| pair.detection.is_near).map(|entry| &entry[2..]));
        }
    }

    /// Writes what the next step needs to the memory of the state.
    pub fn store(&self, state: &mut State) {
        let mut impulses = Vec::new();
        let mut sightings = Vec::new();
        for pair in &self.list {
            let ids = [pair.a.0 as f64, pair.b.0 as f64];
            for past in &pair.past {
                impulses.extend(ids);
                impulses.extend(past.key.map(f64::from));
                impulses.push(past.normal);
                impulses.extend(past.tangential.iter());
            }
            pair.detection.write(&ids, &mut sightings);
        }
        state.memory.store(IMPULSES, impulses);
        state.memory.store(SIGHTINGS, sightings);
    }

    /// Finds the contacts on the way of bodies that nothing pushes.
    ///
    /// The step has this many `substeps` of `h` (s).
    pub fn detect(&mut self, bodies: &[FlyingBody], config: &Config, (substeps, h): (u32, f64)) {
        let Self { list, features, places, middles, .. } = self;
        Place::update(places, bodies, features);
        middles.clear();
        middles.extend(bodies.iter().map(|body| Frame::of(&body.middle.pose)));
        let pace = Pace { safety: config.safety, substeps, h };
        for pair in list {
            let Pair { a, b, detection, contacts, past, .. } = pair;
            contacts.clear();
            if !detection.is_near {
                continue;
            }
            let [of_a, of_b] = [a.0, b.0].map(|i| Placed { body: &bodies[i], features: features.of(i) });
            let keys = past.iter().map(|past| past.key);
            detection.detect((of_a, &places[a.0]), (of_b, &places[b.0]), &pace, keys, |found| {
                let (in_a, in_b) = (&middles[a.0], &middles[b.0]);
                contacts.push(Contact::new(found, (of_a.body, in_a), (of_b.body, in_b), past));
            });
        }
    }

    /// Adds the contacts of features of fast bodies that still cross on the way to where the bodies end. Returns whether there are any.
    ///
    /// A kick keeps its contacts apart, not the bodies: one at the first corner of a plate turns it, and may take other corners through.
    pub fn complete(&mut self, bodies: &[FlyingBody], config: &Config, (substeps, h): (u32, f64)) -> bool {
        let Self { list, features, middles, .. } = self;
        let pace = Pace { safety: config.safety, substeps, h };
        let mut was_any = false;
        for pair in list.iter_mut().filter(|pair| pair.detection.is_near) {
            let [a, b] = [pair.a.0, pair.b.0];
            let arrived = [a, b].map(|i| Arrived(&bodies[i]));
            let [of_a, of_b] = [(&arrived[0], a), (&arrived[1], b)]
                .map(|(body, i)| Placed { body, features: features.of(i) });
            let Some(more) = pair.detection.complete(of_a, of_b, &pace) else { continue };
            was_any = true;
            let [in_a, in_b] = &more.frames;
            pair.contacts.retain(|contact| {
                let normal = contact.found.feature.normal(in_a, in_b);
                !more.opposes(&contact.found.point_b_local, &normal)
            });
            let new = |found| Contact::new(found, (&bodies[a], &middles[a]), (&bodies[b], &middles[b]), &[]);
            pair.contacts.extend(more.added().iter().map(new));
        }
        was_any
    }

    /// Adds the blocks of all contacts, with static friction, and their impulses of the substep before.
    pub fn blocks(&self, blocks: &mut Vec<Block>, start: &mut Vec<Vec3>) {
        for pair in &self.list {
            for contact in &pair.contacts {
                blocks.push(Block {
                    ends: Ends { a: pair.a.0, b: Some(pair.b.0) },
                    axes: contact.axes,
                    cone: Cone::Friction(pair.friction.static_),
                    target: Vec3::zeros(),
                    softness: 0.0,
                });
                start.push(contact.impulse);
            }
        }
    }

    /// All contacts with their pairs.
    pub fn contacts(&self) -> impl Iterator<Item = (&Pair, &Contact)> {
        self.list.iter().flat_map(|pair| pair.contacts.iter().map(move |contact| (pair, contact)))
    }

    /// Keeps the impulses of a substep, one for each contact.
    pub fn keep(&mut self, impulses: &[Vec3]) {
        let mut impulses = impulses.iter();
        for pair in &mut self.list {
            pair.past.clear();
            for contact in &mut pair.contacts {
                contact.impulse = impulses.next().copied().unwrap_or_else(Vec3::zeros);
                if contact.impulse.x <= 0.0 {
                    continue;
                }
                let (key, normal, tangential) = (contact.found.key, contact.impulse.x, contact.tangential());
                pair.past.push(Past { key, normal, tangential });
                match pair.pushed.iter_mut().find(|pushed| pushed.found.key == key) {
                    Some(pushed) => {
                        pushed.found = contact.found.clone();
                        pushed.normal += normal;
                        pushed.tangential += tangential;
                    }
                    None => {
                        pair.pushed.push(Pushed { found: contact.found.clone(), normal, tangential });
                    }
                }
            }
        }
    }

    /// Adds impulses of contacts at the end of a substep, one for each contact, to what the step reports.
    pub fn keep_more(&mut self, impulses: &[Vec3]) {
        let mut impulses = impulses.iter();
        for pair in &mut self.list {
            for contact in &pair.contacts {
                let Some(r) = impulses.next() else { return };
                if let Some(pushed) =
                    pair.pushed.iter_mut().find(|pushed| pushed.found.key == contact.found.key)
                {
                    pushed.normal += r.x;
                    pushed.tangential += contact.tangents[0] * r.y + contact.tangents[1] * r.z;
                }
            }
        }
    }
}
