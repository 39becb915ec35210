//! Bodies that joints hold together, in a span: their sets, their flights, and the terms of their joints.

use rigor_joint::{JoinedFlight, Joints, ends_of};
use rigor_math::Pose;
use rigor_scene::joint::unwrapped;
use rigor_scene::{Body, BodyState, Drive, Flaw, Goal, Joint, JointFrames, Scene, State};

use crate::joint_term::{JointTerm, TermInput};
use crate::joint_terms::JointTerms;
use crate::memory::BodyHistory;
use crate::partition::Partition;
use crate::prediction::{self, Prediction, VelocityExcess};
use crate::span::Span;

/// Memory key: what each joint remembers.
const JOINTS: &str = "ipc/joints";

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

    /// Returns whether a joint holds a body to the world, or to a static or kinematic body.
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

/// Stores what joints remember.
pub(crate) fn store(joints: &Joints, state: &mut State) {
    joints.store(state, JOINTS);
}

fn dynamic_ends<'a>(scene: &'a Scene, joint: &Joint) -> impl Iterator<Item = usize> + use<'a> {
    ends_of(joint).bodies().map(|end| end.0).filter(|&b| scene.bodies[b].is_dynamic())
}

/// Returns whether a joint gives its bodies energy, or keeps some.
pub(crate) fn is_driven(joint: &Joint) -> bool {
    let is_soft = joint.compliance > 0.0 || joint.angular_compliance > 0.0;
    is_soft || joint.kind.drives().next().is_some()
}

/// What the flight of joined bodies in a span depends on.
pub(crate) struct JoinedSpan<'a> {
    pub scene: &'a Scene,
    pub state: &'a State,
    pub span: Span<'a>,
    pub joined: &'a Joined,
    /// Kinematic bodies that stay where they are.
    pub is_held: &'a [bool],
    /// Whether each body's impulses use the second-order formula.
    pub is_second: &'a [bool],
    pub past: &'a [BodyHistory],
    /// What the velocity of each body has in advance.
    pub leads: &'a [VelocityExcess],
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
    pub fn new(of: &JoinedSpan) -> Option<Self> {
        let &JoinedSpan { scene, state, span, joined, is_held, leads, past, .. } = of;
        if joined.is_empty() {
            return None;
        }
        let n = scene.bodies.len();
        let takes_part: Vec<bool> = (0..n).map(|b| span.has(b) && !is_held[b]).collect();
        let still = |b: usize, at: &BodyState| match takes_part[b] {
            true => *at,
            false => BodyState::at_rest(at.pose),
        };
        let flies = |b: &usize| joined.has(*b) && takes_part[*b];
        let is_second = |b: &usize| flies(b) && of.is_second[*b];
        let fly = |h: f64, from: &[BodyState], mut joints: Joints| {
            let substeps = (f64::from(joined.substeps) * h / span.dt).ceil() as u32;
            let flight = JoinedFlight { scene, takes_part: &takes_part, h, end: span.end, substeps };
            (flight.fly(from, &mut joints), joints)
        };
        let mut ends = Self { first: None, second: None, joints: joined.joints.clone() };
        if (0..n).any(|b| flies(&b) && !of.is_second[b]) {
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
                let known = past[b].before.filter(|_| is_second(&b));
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

    /// Returns the prediction of the joined body `b`, which is `now` in this state, over `h` (s).
    pub fn prediction(
        &self,
        b: usize,
        (body, now): (&Body, &BodyState),
        h: f64,
        is_second: bool,
    ) -> Option<Prediction> {
        match (&self.first, &self.second) {
            (_, Some([to, from_before])) if is_second => {
                Some(Prediction::bdf2_joined(body, now, [&to[b], &from_before[b]], h))
            }
            (Some(to), _) => Some(Prediction::impulse_joined(body, now, &to[b], h)),
            (None, _) => None,
        }
    }

    /// Returns the terms of the joints.
    pub fn terms(&self, of: &JoinedSpan) -> JointTerms {
        let &JoinedSpan { scene, state, span, joined, .. } = of;
        let flown = |b: usize| {
            let second = self.second.as_ref().filter(|_| of.is_second[b]).map(|[to, _]| to[b].pose);
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
