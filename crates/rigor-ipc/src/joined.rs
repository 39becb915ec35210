//! Bodies that joints hold together, in a span: their sets, their flights, and the terms of their joints.

use rigor_joint::{JoinedFlight, Joints, ends_of};
use rigor_math::Pose;
use rigor_scene::joint::unwrapped;
use rigor_scene::{BodyState, Drive, Flaw, Goal, Joint, JointFrames, Scene, State};

use crate::flight::Flights;
use crate::joint_term::{JointTerm, TermInput};
use crate::joint_terms::JointTerms;
use crate::partition::Partition;
use crate::prediction::{self, Prediction, VelocityExcess};

/// Memory key: what each joint remembers.
const JOINTS: &str = "ipc/joints";
/// Memory key: the forces (N) of the multipliers of all joints.
const FORCES: &str = "ipc/joint_forces";

/// The joints at the start of a span, and the bodies that they hold together.
pub(crate) struct Joined {
    pub joints: Joints,
    /// Substeps of their flight in a whole step.
    pub substeps: u32,
    /// Sets of dynamic bodies that joints tie to each other.
    pub ties: Partition,
    /// Dynamic bodies with joints, and those of them with a joint with the world or with a body that is not dynamic.
    is_joined: Vec<bool>,
    is_anchored: Vec<bool>,
    /// Those of them with a drive whose target moves.
    is_led: Vec<bool>,
}

impl Joined {
    pub fn new(scene: &Scene, state: &State, substeps: u32) -> Self {
        let n = scene.bodies.len();
        let mut joints = Joints::default();
        if !scene.joints.is_empty() {
            joints.load(scene, state, JOINTS);
        }
        let (mut is_joined, mut is_anchored, mut is_led) = (vec![false; n], vec![false; n], vec![false; n]);
        let acting =
            || scene.joints.iter().zip(&joints.list).filter(|(_, at)| !at.broken).map(|(joint, _)| joint);
        for joint in acting() {
            let ends: Vec<usize> = dynamic_ends(scene, joint).collect();
            let is_moving = joint.kind.drives().any(|drive| matches!(drive.goal, Goal::Velocity(_)));
            for &b in &ends {
                is_joined[b] = true;
                is_led[b] |= is_moving;
            }
            if let [b] = ends[..] {
                is_anchored[b] = true;
            }
        }
        let ties = acting().filter_map(|joint| match dynamic_ends(scene, joint).collect::<Vec<_>>()[..] {
            [a, b] => Some([a, b]),
            _ => None,
        });
        let ties = Partition::of(n, ties);
        Self { joints, substeps, ties, is_joined, is_anchored, is_led }
    }

    /// Returns which bodies these pairs reach, themselves or by joints.
    pub fn reached(&self, pairs: impl Iterator<Item = [usize; 2]>) -> Vec<bool> {
        let mut is_reached = vec![false; self.is_joined.len()];
        pairs.flatten().for_each(|b| is_reached[b] = true);
        self.ties.fold(&is_reached, |a, b| a || b)
    }

    /// Returns whether a body is dynamic and has a joint.
    pub fn has(&self, body: usize) -> bool {
        self.is_joined[body]
    }

    /// Returns whether a joint ties a body to what is not dynamic.
    pub fn is_anchored(&self, body: usize) -> bool {
        self.is_anchored[body]
    }

    /// Returns whether a joint of a body has a drive whose target moves: it may do more in the next step than in this one.
    pub fn is_led(&self, body: usize) -> bool {
        self.is_led[body]
    }

    pub fn is_empty(&self) -> bool {
        !self.is_joined.contains(&true)
    }

    /// Returns the flaw of a first step whose joints do not hold.
    pub fn start_flaw(&self, scene: &Scene, state: &State) -> Option<Flaw> {
        if scene.joints.is_empty() { None } else { self.joints.start_flaw(scene, state, JOINTS) }
    }
}

fn dynamic_ends<'a>(scene: &'a Scene, joint: &Joint) -> impl Iterator<Item = usize> + use<'a> {
    ends_of(joint).bodies().map(|end| end.0).filter(|&b| scene.bodies[b].is_dynamic())
}

/// Returns whether a joint gives its bodies energy, or keeps some.
pub(crate) fn is_driven(joint: &Joint) -> bool {
    let is_soft = joint.compliance > 0.0 || joint.angular_compliance > 0.0;
    is_soft || joint.kind.drives().next().is_some()
}

/// Where joined bodies fly in a span.
pub(crate) struct JoinedEnds {
    /// From states without lead, for the first-order formula; where there is such a body.
    first: Option<Vec<BodyState>>,
    /// The flights b and a of the second-order formula, where a body uses it.
    second: Option<[Vec<BodyState>; 2]>,
    /// The joints at the end.
    pub joints: Joints,
}

impl JoinedEnds {
    /// Returns where joined bodies fly; `None` if there are none.
    pub fn new(flights: &Flights) -> Option<Self> {
        let Flights { scene, state, span, joined, .. } = flights;
        if joined.is_empty() {
            return None;
        }
        let n = scene.bodies.len();
        let takes_part: Vec<bool> = (0..n).map(|b| span.has(b) && !flights.is_held[b]).collect();
        let still = |b: usize, at: &BodyState| match takes_part[b] {
            true => *at,
            false => BodyState::at_rest(at.pose),
        };
        let flies = |b: &usize| joined.has(*b) && takes_part[*b];
        let is_second = |b: &usize| flies(b) && flights.is_second[*b];
        let fly = |h: f64, from: &[BodyState], mut joints: Joints| {
            let substeps = (f64::from(joined.substeps) * h / span.dt).ceil() as u32;
            let flight = JoinedFlight { scene, takes_part: &takes_part, h, end: span.end, substeps };
            (flight.fly(from, &mut joints), joints)
        };
        let mut ends = Self { first: None, second: None, joints: joined.joints.clone() };
        if (0..n).any(|b| flies(&b) && !flights.is_second[b]) {
            let leads = flights.leads();
            let from = |b: usize| {
                let at = still(b, &state.bodies[b]);
                if flies(&b) { prediction::without(&scene.bodies[b], &at, &leads[b]) } else { at }
            };
            let from: Vec<BodyState> = (0..n).map(from).collect();
            let (states, joints) = fly(span.h, &from, joined.joints.clone());
            (ends.first, ends.joints) = (Some(states), joints);
        }
        if (0..n).any(|b| is_second(&b)) {
            let from: Vec<BodyState> = (0..n).map(|b| still(b, &state.bodies[b])).collect();
            let before = |b: usize| {
                let known = flights.past[b].before.filter(|_| is_second(&b));
                let led = || scene.bodies[b].prescribed(span.end - 2.0 * span.h).filter(|_| takes_part[b]);
                known.or_else(led).unwrap_or(from[b])
            };
            let before: Vec<BodyState> = (0..n).map(before).collect();
            let (a, _) = fly(2.0 * span.h, &before, earlier(scene, &joined.joints, &before, span.h));
            let (b, joints) = fly(span.h, &from, joined.joints.clone());
            for (i, joint) in scene.joints.iter().enumerate() {
                if dynamic_ends(scene, joint).any(|b| is_second(&b)) {
                    ends.joints.list[i] = joints.list[i].clone();
                }
            }
            ends.second = Some([b, a]);
        }
        Some(ends)
    }

    /// Returns the prediction of a joined body.
    pub fn prediction(&self, b: usize, flights: &Flights) -> Option<Prediction> {
        let (body, now, h) = (&flights.scene.bodies[b], &flights.state.bodies[b], flights.span.h);
        match (&self.first, &self.second) {
            (_, Some([to, from_before])) if flights.is_second[b] => {
                Some(Prediction::bdf2_joined(body, now, [&to[b], &from_before[b]], h))
            }
            (Some(to), _) => Some(Prediction::impulse_joined(body, now, &to[b], h)),
            (None, _) => None,
        }
    }

    /// Returns the terms of the joints.
    pub fn terms(&self, flights: &Flights) -> JointTerms {
        let Flights { scene, state, span, joined, .. } = flights;
        let flown = |b: usize| {
            let second = self.second.as_ref().filter(|_| flights.is_second[b]).map(|[to, _]| to[b].pose);
            let first = || self.first.as_ref().map(|to| to[b].pose);
            second
                .or_else(first)
                .or_else(|| self.second.as_ref().map(|[to, _]| to[b].pose))
                .unwrap_or(state.bodies[b].pose)
        };
        let flown_pose: &dyn Fn(usize) -> Pose = &flown;
        let acts = |i: &usize| {
            let joint = &scene.joints[*i];
            !joined.joints.list[*i].broken && dynamic_ends(scene, joint).any(|b| span.has(b))
        };
        let term = |i: usize| {
            JointTerm::new(i, &TermInput { scene, flown: &self.joints.list[i], flown_pose, h: span.h })
        };
        JointTerms::new((0..scene.joints.len()).filter(acts).map(term).collect())
    }
}

/// Returns the joints as they were with bodies in these states, `h` (s) before: moving targets were behind.
fn earlier(scene: &Scene, joints: &Joints, before: &[BodyState], h: f64) -> Joints {
    let mut joints = joints.clone();
    let back = |drive: Option<&Drive>| match drive {
        Some(Drive { goal: Goal::Velocity(rate), .. }) => h * rate,
        Some(Drive { goal: Goal::Position(_), .. }) | None => 0.0,
    };
    for (joint, progress) in scene.joints.iter().zip(&mut joints.list) {
        let frames = JointFrames::of(joint, |b| before[b.0].pose);
        progress.turn = unwrapped(frames.turn(), progress.turn);
        progress.turn_target -= back(joint.kind.turn_drive());
        progress.length_target -= back(joint.kind.length_drive());
    }
    joints
}

impl Flights<'_> {
    /// Returns what the velocity of each body has in advance; joined bodies count the same part of their pushes.
    pub fn leads(&self) -> Vec<VelocityExcess> {
        let shares: Vec<f64> = (0..self.past.len()).map(|b| self.share_before(b)).collect();
        let shares = self.joined.ties.fold(&shares, f64::min);
        let lead = |b: usize| self.past[b].push.lead(shares[b], self.past[b].h.unwrap_or(self.span.h));
        (0..self.past.len()).map(lead).collect()
    }

    /// Makes the velocities of joined bodies that were pushed tangent to what joints hold.
    pub fn hold_velocities(&self, states: &mut [BodyState], joints: &mut Joints, is_pushed: &[bool]) {
        if self.joined.is_empty() || !(0..is_pushed.len()).any(|b| is_pushed[b] && self.joined.has(b)) {
            return;
        }
        let pushed = self.joined.ties.fold(is_pushed, |a, b| a || b);
        let takes_part: Vec<bool> = (0..states.len()).map(|b| self.span.has(b) && pushed[b]).collect();
        let Self { scene, span, .. } = *self;
        let flight = JoinedFlight { scene, takes_part: &takes_part, h: span.h, end: span.end, substeps: 1 };
        flight.hold(states, joints);
    }
}

/// The forces (N) of the multipliers of each joint.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointForces(Vec<Vec<f64>>);

impl JointForces {
    /// Reads those that the state remembers: for each joint their number, and they.
    pub fn read(scene: &Scene, state: &State) -> Self {
        let mut known = state.memory.numbers.get(FORCES).map_or(&[][..], Vec::as_slice);
        let mut of_joint = || {
            let (count, rest) = known.split_first()?;
            let (forces, rest) = rest.split_at_checked(*count as usize)?;
            known = rest;
            Some(forces.to_vec())
        };
        Self(scene.joints.iter().map(|_| of_joint().unwrap_or_default()).collect())
    }

    pub fn of(&self, joint: usize) -> &[f64] {
        self.0.get(joint).map_or(&[], Vec::as_slice)
    }

    /// Replaces those of a joint.
    pub fn set(&mut self, joint: usize, forces: Vec<f64>) {
        self.0[joint] = forces;
    }

    /// Stores them with the joints.
    pub fn store(&self, joints: &Joints, state: &mut State) {
        if self.0.is_empty() {
            return;
        }
        joints.store(state, JOINTS);
        let numbers =
            self.0.iter().flat_map(|all| std::iter::once(all.len() as f64).chain(all.iter().copied()));
        state.memory.store(FORCES, numbers);
    }
}
