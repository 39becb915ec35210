//! Contacts: the energy of a normal and two tangents.

use rigor_contact::{ContactKey, Found, Frame, Meeting, Meetings, Pace, Pushed};
use rigor_joint::{Axis, Ends};
use rigor_math::{UnitVec3, Vec3, tangent};
use rigor_scene::{BodyId, ContactReport, Friction, Scene, State, StepError};

use crate::block::Block;
use crate::body::{Arrived, SolverBody};
use crate::config::Config;
use crate::penalty::{Penalty, Scale};

/// Memory key: per contact that pushed in the last substep `[body a, body b, key (3), λ_N, λ_T (3, world), k_N, k_T, anchor (3, world)]`.
const PUSHED: &str = "avbd/contacts";
const NUMBERS: usize = 14;

/// Memory key of the sightings.
const SIGHTINGS: &str = "avbd/sightings";

/// A contact in a substep.
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    pub found: Found,
    pub ends: [usize; 2],
    friction: Friction,
    /// The points that touch, in the frames of a and b (m).
    points: [Vec3; 2],
    /// Unit tangents (world).
    tangents: [Vec3; 2],
    /// Gap at the start of the substep (m).
    gap_start: f64,
    /// How far (m, along the tangents) a had been dragged along b before, while they stuck.
    anchor: [f64; 2],
    /// Where a is against b at the start (m, world).
    start: Vec3,
    scale: Scale,
    normal: Penalty,
    /// λ along both tangents, and the k of both.
    tangential: [Penalty; 2],
    /// Whether friction held it when last looked at.
    sticks: bool,
}

/// A contact at some poses.
struct Touching {
    normal: Vec3,
    /// From the centres of mass to the contact (m).
    levers: [Vec3; 2],
    /// C of the normal and the tangents (m).
    errors: [f64; 3],
}

/// The forces of a contact (N): f ≤ 0 of the normal, and those of the tangents.
struct Forces {
    normal: f64,
    tangential: [f64; 2],
    sticks: bool,
}

/// What a pair remembers of a contact that pushed.
#[derive(Debug, Clone, Copy)]
struct Past {
    key: ContactKey,
    normal: Penalty,
    tangential: Vec3,
    stiffness: f64,
    anchor: Vec3,
}

/// What is kept of a pair of bodies that may touch.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    past: Vec<Past>,
    pushed: Vec<Pushed>,
    found: Vec<Found>,
}

/// The contacts of a scene.
#[derive(Debug, Default)]
pub(crate) struct Contacts {
    pub meetings: Meetings<Touched>,
    /// Those of the current substep.
    pub list: Vec<Contact>,
}

impl Contact {
    fn new(found: &Found, pair: &Meeting<Touched>, bodies: &[SolverBody], h: f64, config: &Config) -> Self {
        let ends = [pair.a.0, pair.b.0];
        let of = ends.map(|i| &bodies[i]);
        let touch = found.touch(&Frame::of(&of[0].free.pose), &Frame::of(&of[1].free.pose));
        let before = found.touch(&Frame::of(&of[0].before.pose), &Frame::of(&of[1].before.pose));
        let points = of.map(|body| body.free.pose.inverse_point(&touch.point));
        let tangents = tangent::basis(&UnitVec3::new_unchecked(touch.normal)).map(UnitVec3::into_inner);
        let axis = Axis::at(touch.normal, of.map(|body| touch.point - body.free.pose.position));
        let w: f64 = (0..2)
            .filter(|&end| of[end].moves())
            .map(|end| {
                let rotating = axis.turns[end].dot(&(of[end].mobility.inverse_inertia * axis.turns[end]));
                of[end].mobility.w.dot(&axis.linear.component_mul(&axis.linear)) + rotating
            })
            .sum();
        let [a, b] = of.map(|body| &body.before.pose);
        let start = a.point(&points[0]) - b.point(&points[1]);
        let mut contact = Self {
            found: found.clone(),
            ends,
            friction: pair.friction,
            points,
            tangents,
            gap_start: before.gap,
            anchor: [0.0; 2],
            start,
            scale: Scale::new(w, h, pair.detection.margins.radius, config),
            normal: Penalty::default(),
            tangential: [Penalty::default(); 2],
            sticks: true,
        };
        if let Some(past) = pair.own.past.iter().find(|past| past.key == found.key) {
            contact.normal = past.normal;
            for i in 0..2 {
                let t = &tangents[i];
                let lambda = past.tangential.dot(t);
                contact.tangential[i] = Penalty { lambda, stiffness: past.stiffness };
                contact.anchor[i] = past.anchor.dot(t);
            }
        }
        let kept = kept(config);
        contact.normal.begin(&contact.scale, kept, config);
        for row in &mut contact.tangential {
            row.begin(&contact.scale, kept, config);
        }
        contact
    }

    /// Where it is now. `left` is the fraction of errors before the substep that is left.
    fn touch(&self, bodies: &[SolverBody], left: f64) -> Touching {
        let [a, b] = self.ends.map(|i| &bodies[i]);
        let touch = self.found.touch(&a.frame, &b.frame);
        let moved = a.frame.point(&self.points[0]) - b.frame.point(&self.points[1]) - self.start;
        let gap = touch.gap - left * self.gap_start.min(0.0);
        let tangential = [0, 1].map(|i| moved.dot(&self.tangents[i]) + (1.0 - left) * self.anchor[i]);
        Touching {
            normal: touch.normal,
            levers: [a, b].map(|body| touch.point - body.now.pose.position),
            errors: [gap, tangential[0], tangential[1]],
        }
    }

    /// f = k C + λ, that of the normal at most 0, those of the tangents within Coulomb's disc.
    fn forces(&self, errors: &[f64; 3]) -> Forces {
        let normal = (self.normal.stiffness * errors[0] + self.normal.lambda).min(0.0);
        let tangential = [0, 1].map(|i| {
            let row = &self.tangential[i];
            row.stiffness * errors[i + 1] + row.lambda
        });
        let size = (tangential[0] * tangential[0] + tangential[1] * tangential[1]).sqrt();
        let most = -normal * if self.sticks { self.friction.static_ } else { self.friction.dynamic };
        if size <= most {
            return Forces { normal, tangential, sticks: true };
        }
        let part = -normal * self.friction.dynamic / size;
        Forces { normal, tangential: tangential.map(|f| f * part), sticks: false }
    }

    /// Adds what it does to one end.
    pub fn add(&self, block: &mut Block, end: usize, bodies: &[SolverBody], left: f64) {
        let at = self.touch(bodies, left);
        let forces = self.forces(&at.errors);
        let lever = at.levers[end];
        let normals = [at.normal, self.tangents[0], self.tangents[1]];
        let fs = [forces.normal, forces.tangential[0], forces.tangential[1]];
        let rows = [&self.normal, &self.tangential[0], &self.tangential[1]];
        let stiffness = rows.map(|row| row.stiffness);
        let sign = [1.0, -1.0][end];
        for i in 0..3 {
            block.row(&(normals[i] * sign), &(lever.cross(&normals[i]) * sign), fs[i], stiffness[i]);
            block.curve(&lever, &normals[i], fs[i], 0.0);
        }
    }

    /// Ends a sweep.
    pub fn update(&mut self, bodies: &mut [SolverBody], left: f64, config: &Config) {
        let at = self.touch(bodies, left);
        let forces = self.forces(&at.errors);
        let on_a = -(at.normal * forces.normal + self.across(forces.tangential));
        for end in 0..2 {
            let force = on_a * [1.0, -1.0][end];
            bodies[self.ends[end]].push(&force, &at.levers[end].cross(&force));
        }
        self.sticks = forces.sticks;
        self.normal.lambda = forces.normal;
        if forces.normal < 0.0 {
            self.normal.grow(at.errors[0], &self.scale, f64::INFINITY, config);
        }
        for i in 0..2 {
            self.tangential[i].lambda = forces.tangential[i];
            if forces.sticks && forces.normal < 0.0 {
                self.tangential[i].grow(at.errors[i + 1], &self.scale, f64::INFINITY, config);
            }
        }
    }

    /// The bodies between which it acts.
    pub fn ends(&self) -> Ends {
        Ends { a: self.ends[0], b: Some(self.ends[1]) }
    }

    /// Whether it pushed after the last sweep.
    fn pushes(&self) -> bool {
        self.normal.lambda < 0.0
    }

    fn across(&self, of: [f64; 2]) -> Vec3 {
        self.tangents[0] * of[0] + self.tangents[1] * of[1]
    }
}

/// What is left of multipliers at the start of a substep.
pub(crate) fn kept(config: &Config) -> f64 {
    match config.stabilization {
        crate::config::Stabilization::Alpha => config.alpha * config.gamma,
        // Errors that were there before push nothing, so forces that balanced still do.
        crate::config::Stabilization::Post => 1.0,
    }
}

impl Contacts {
    /// Finds the pairs of bodies that may touch in the step, with what the state remembers of them.
    pub fn collect(
        &mut self,
        scene: &Scene,
        state: &State,
        dt: f64,
        config: &Config,
    ) -> Result<(), StepError> {
        self.meetings.collect(scene, state, dt, (config.safety, config.overlap), SIGHTINGS)?;
        let numbers = state.memory.numbers.get(PUSHED).map_or(&[][..], Vec::as_slice);
        let bodies = |entry: &[f64]| (BodyId(entry[0] as usize), BodyId(entry[1] as usize));
        let mut entries = numbers.chunks_exact(NUMBERS).peekable();
        for pair in &mut self.meetings.list {
            pair.own.past.clear();
            pair.own.pushed.clear();
            let ids = (pair.a, pair.b);
            while entries.next_if(|entry| bodies(entry) < ids).is_some() {}
            while let Some(entry) = entries.next_if(|entry| bodies(entry) == ids) {
                pair.own.past.push(Past {
                    key: [entry[2] as u32, entry[3] as u32, entry[4] as u32],
                    normal: Penalty { lambda: entry[5], stiffness: entry[9] },
                    tangential: Vec3::from_column_slice(&entry[6..9]),
                    stiffness: entry[10],
                    anchor: Vec3::from_column_slice(&entry[11..14]),
                });
            }
        }
        Ok(())
    }

    /// Writes what the next step needs.
    pub fn store(&self, state: &mut State) {
        let mut entries = Vec::new();
        for pair in &self.meetings.list {
            for past in &pair.own.past {
                entries.extend([pair.a.0 as f64, pair.b.0 as f64]);
                entries.extend(past.key.map(f64::from));
                entries.push(past.normal.lambda);
                entries.extend(past.tangential.iter());
                entries.extend([past.normal.stiffness, past.stiffness]);
                entries.extend(past.anchor.iter());
            }
        }
        state.memory.store(PUSHED, entries);
        self.meetings.store(state, SIGHTINGS);
    }

    /// Finds the contacts on the way of bodies that nothing pushes; the step has this many `substeps` of `h` (s).
    pub fn detect(&mut self, bodies: &[SolverBody], config: &Config, (substeps, h): (u32, f64)) {
        let pace = Pace { safety: config.safety, substeps, h, struck: 0.0 };
        let begin = |own: &mut Touched, past: &mut Vec<ContactKey>| {
            own.found.clear();
            past.extend(own.past.iter().map(|past| past.key));
        };
        self.meetings.detect(bodies, &pace, begin, |own, _, found| own.found.push(found.clone()));
        self.make(bodies, h, config);
    }

    /// Adds the contacts of features of fast bodies that still cross on the way to where the bodies are. Returns whether there are any.
    pub fn complete(&mut self, bodies: &[SolverBody], config: &Config, (substeps, h): (u32, f64)) -> bool {
        let pace = Pace { safety: config.safety, substeps, h, struck: 0.0 };
        let was_any = self.meetings.complete(
            |body| Arrived(&bodies[body]),
            &pace,
            |own, _, more| {
                let [in_a, in_b] = &more.frames;
                own.found
                    .retain(|found| !more.opposes(&found.point_b_local, &found.feature.normal(in_a, in_b)));
                own.found.extend(more.added().iter().cloned());
            },
        );
        if was_any {
            self.make(bodies, h, config);
        }
        was_any
    }

    fn make(&mut self, bodies: &[SolverBody], h: f64, config: &Config) {
        let Self { meetings, list } = self;
        list.clear();
        for pair in &meetings.list {
            // A pair that is not near keeps those of an earlier step.
            if pair.detection.is_near {
                list.extend(pair.own.found.iter().map(|found| Contact::new(found, pair, bodies, h, config)));
            }
        }
    }

    /// Keeps what contacts did in a substep of `h` (s).
    pub fn keep(&mut self, bodies: &[SolverBody], h: f64) {
        let Self { meetings, list } = self;
        let mut list = list.iter().peekable();
        for pair in &mut meetings.list {
            pair.own.past.clear();
            while let Some(contact) = list.next_if(|contact| contact.ends == [pair.a.0, pair.b.0]) {
                if !contact.pushes() {
                    continue;
                }
                let key = contact.found.key;
                let anchor = if contact.sticks {
                    let at = contact.touch(bodies, 0.0);
                    contact.across([at.errors[1], at.errors[2]])
                } else {
                    Vec3::zeros()
                };
                let across = contact.across([0, 1].map(|i| contact.tangential[i].lambda));
                let stiffness = contact.tangential[0].stiffness.max(contact.tangential[1].stiffness);
                pair.own.past.push(Past {
                    key,
                    normal: contact.normal,
                    tangential: across,
                    stiffness,
                    anchor,
                });
                let (normal, tangential) = (-contact.normal.lambda * h, -across * h);
                Pushed::add(&mut pair.own.pushed, &contact.found, normal, tangential);
            }
        }
    }

    /// The contacts that pushed in a step of `dt` (s), with their mean forces over it.
    pub fn reports(&self, bodies: &[SolverBody], dt: f64) -> Vec<ContactReport> {
        let of_pair = |pair: &Meeting<Touched>| {
            let ends = [pair.a.0, pair.b.0].map(|i| &bodies[i]);
            let velocity = |end: usize, point: &Vec3| {
                let at = &ends[end].now;
                at.linear_velocity + at.angular_velocity.cross(&(point - at.pose.position))
            };
            let frames = ends.map(|body| &body.frame);
            let report =
                |pushed: &Pushed| pushed.report((pair.a, pair.b), &pair.friction, frames, velocity, dt);
            pair.own.pushed.iter().map(report).collect::<Vec<_>>()
        };
        self.meetings.list.iter().flat_map(of_pair).collect()
    }

    /// The smallest gap (m) of the contacts of a substep at its end; infinity without contacts.
    pub fn smallest_gap(&self, bodies: &[SolverBody]) -> f64 {
        let gap = |contact: &Contact| {
            let [a, b] = contact.ends.map(|i| &bodies[i].frame);
            contact.found.touch(a, b).gap
        };
        self.list.iter().map(gap).fold(f64::INFINITY, f64::min)
    }
}
