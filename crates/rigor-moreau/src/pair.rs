//! Pairs of bodies that may touch, and their contacts.

use rigor_contact::{ContactKey, Found, Frame, Meeting, Meetings, Pace, Pushed, Touch};
use rigor_joint::{Axis, Ends, FlyingBody};
use rigor_math::{Pose, UnitVec3, Vec3, tangent};
use rigor_nonsmooth::Cone;
use rigor_scene::{BodyId, BodyState, Scene, State, StepError};

use crate::body::{Arrived, Flown};
use crate::config::Config;
use crate::row::Block;

/// Memory key: per contact that pushed in the last substep `[body a, body b, key (3), r_N, r_T (3, world)]` (N s).
const IMPULSES: &str = "nonsmooth/impulses";
const NUMBERS: usize = 9;

/// Part of the largest impulse up to which one is rounding.
const ROUNDING: f64 = 1e-9;

/// Memory key of the sightings.
const SIGHTINGS: &str = "nonsmooth/sightings";

/// What is kept of a pair of bodies that may touch.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    /// Contacts of the current substep.
    pub contacts: Vec<Contact>,
    /// Contacts that pushed in the substep before.
    past: Vec<Past>,
    /// Contacts that have pushed in this step so far.
    pub pushed: Vec<Pushed>,
}

/// Two bodies that may touch in this step.
pub(crate) type Pair = Meeting<Touching>;

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
    pub meetings: Meetings<Touching>,
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
        self.meetings.collect(scene, state, dt, (config.safety, config.overlap), SIGHTINGS)?;
        let numbers = state.memory.numbers.get(IMPULSES).map_or(&[][..], Vec::as_slice);
        let bodies = |entry: &[f64]| (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
        let mut impulses = numbers.chunks_exact(NUMBERS).peekable();
        for pair in &mut self.meetings.list {
            pair.own.past.clear();
            pair.own.pushed.clear();
            let ids = (pair.a, pair.b);
            while impulses.next_if(|entry| bodies(entry) < ids).is_some() {}
            while let Some(entry) = impulses.next_if(|entry| bodies(entry) == ids) {
                pair.own.past.push(Past {
                    key: [entry[2] as u32, entry[3] as u32, entry[4] as u32],
                    normal: entry[5],
                    tangential: Vec3::from_column_slice(&entry[6..9]),
                });
            }
        }
        Ok(())
    }

    /// Writes what the next step needs to the memory of the state.
    pub fn store(&self, state: &mut State) {
        let mut impulses = Vec::new();
        for pair in &self.meetings.list {
            for past in &pair.own.past {
                impulses.extend([pair.a.0 as f64, pair.b.0 as f64]);
                impulses.extend(past.key.map(f64::from));
                impulses.push(past.normal);
                impulses.extend(past.tangential.iter());
            }
        }
        state.memory.store(IMPULSES, impulses);
        self.meetings.store(state, SIGHTINGS);
    }

    /// Finds the contacts on the way of bodies that nothing pushes.
    ///
    /// The step has this many `substeps` of `h` (s).
    pub fn detect(&mut self, bodies: &[FlyingBody], config: &Config, (substeps, h): (u32, f64)) {
        let Self { meetings, middles } = self;
        middles.clear();
        middles.extend(bodies.iter().map(|body| Frame::of(&body.middle.pose)));
        let pace = Pace { safety: config.safety, substeps, h, struck: 0.0 };
        let begin = |own: &mut Touching, past: &mut Vec<ContactKey>| {
            own.contacts.clear();
            past.extend(own.past.iter().map(|past| past.key));
        };
        let flown: Vec<Flown<'_>> = bodies.iter().map(Flown).collect();
        meetings.detect(&flown, &pace, begin, |own, [a, b], found| {
            let (a, b) = ((&bodies[a], &middles[a]), (&bodies[b], &middles[b]));
            own.contacts.push(Contact::new(found, a, b, &own.past));
        });
    }

    /// Adds the contacts of features of fast bodies that still cross on the way to where the bodies end. Returns whether there are any.
    pub fn complete(&mut self, bodies: &[FlyingBody], config: &Config, (substeps, h): (u32, f64)) -> bool {
        let Self { meetings, middles } = self;
        let pace = Pace { safety: config.safety, substeps, h, struck: 0.0 };
        meetings.complete(
            |body| Arrived(&bodies[body]),
            &pace,
            |own, [a, b], more| {
                let [in_a, in_b] = &more.frames;
                own.contacts.retain(|contact| {
                    let normal = contact.found.feature.normal(in_a, in_b);
                    !more.opposes(&contact.found.point_b_local, &normal)
                });
                let (a, b) = ((&bodies[a], &middles[a]), (&bodies[b], &middles[b]));
                own.contacts.extend(more.added().iter().map(|found| Contact::new(found, a, b, &[])));
            },
        )
    }

    /// Adds the blocks of all contacts, with static friction, and their impulses of the substep before.
    pub fn blocks(&self, blocks: &mut Vec<Block>, start: &mut Vec<Vec3>) {
        for pair in &self.meetings.list {
            for contact in &pair.own.contacts {
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
        self.meetings
            .list
            .iter()
            .flat_map(|pair| pair.own.contacts.iter().map(move |contact| (pair, contact)))
    }

    /// Keeps the impulses of a substep, one for each contact.
    pub fn keep(&mut self, impulses: &[Vec3]) {
        let mut impulses = impulses.iter();
        for pair in &mut self.meetings.list {
            pair.own.past.clear();
            for contact in &mut pair.own.contacts {
                contact.impulse = impulses.next().copied().unwrap_or_else(Vec3::zeros);
                if contact.impulse.x <= 0.0 {
                    continue;
                }
                let (key, normal, tangential) = (contact.found.key, contact.impulse.x, contact.tangential());
                pair.own.past.push(Past { key, normal, tangential });
                Pushed::add(&mut pair.own.pushed, &contact.found, normal, tangential);
            }
        }
    }

    /// Adds impulses of contacts at the end of a substep, one for each contact, to what the step reports. Of contacts that had not pushed
    /// before, those of rounding are left out.
    pub fn keep_more(&mut self, impulses: &[Vec3]) {
        let pushed = self.meetings.list.iter().flat_map(|pair| &pair.own.pushed).map(|pushed| pushed.normal);
        let least = ROUNDING * pushed.chain(impulses.iter().map(|r| r.x)).fold(0.0, f64::max);
        let mut impulses = impulses.iter();
        for pair in &mut self.meetings.list {
            let Touching { contacts, pushed, .. } = &mut pair.own;
            for contact in contacts {
                let Some(r) = impulses.next() else { return };
                let is_known = pushed.iter().any(|pushed| pushed.found.key == contact.found.key);
                if is_known || r.x > least {
                    let tangential = contact.tangents[0] * r.y + contact.tangents[1] * r.z;
                    Pushed::add(pushed, &contact.found, r.x, tangential);
                }
            }
        }
    }
}
