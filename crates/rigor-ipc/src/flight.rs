//! All bodies over a step: their flight without contact, and their velocities at the end.

use rigor_joint::{JoinedFlight, Joints};
use rigor_math::{Mat3, Pose, Vec3, rotation_vector};
use rigor_scene::{Body, BodyId, BodyState, Role, Scene, State};

use crate::body::{Drive, Inertia};
use crate::config::{Bodies, Config, Integrator};
use crate::joined::{Joined, JoinedEnds, JoinedSpan};
use crate::kinematic::{PullEnd, led_to, way};
use crate::memory::{self, BodyHistory, BodyMemory, Sets, StepMemory, Terms};
use crate::newton::Iterate;
use crate::objective::Objective;
use crate::partition::Partition;
use crate::placement::Placement;
use crate::prediction::{self, Prediction, Push, VelocityExcess, is_still, weight};
use crate::slip::{Movement, Movements};
use crate::span::Span;
use crate::stretch::Stretch;
use crate::target::Target;

/// Contact acts smoothly on a body if its push changes by at most this fraction of the smaller of two
/// successive pushes.
const SMOOTH: f64 = 0.5;

/// Pull of kinematic bodies, relative to what moves all others along, from which a body between them has no way out. Forces grow
/// without bound there, and the smallest part of them, sideways, would throw it.
const JAM: f64 = 1000.0;
/// Motion in a step up to which joined bodies rest, over what their pushes keep them from, or over their radius.
const REST: f64 = 1e-4;
const REST_OF_RADIUS: f64 = 1e-10;
/// The same where drives move their targets: their push differs from step to step, and with it the gap that is left.
const REST_OF_LED: f64 = 1e-2;
/// Speed that a body may gain from kinematic bodies that are pulled against contact, relative to theirs.
const THROWN: f64 = 20.0;

/// The bodies at the start of a step, or of a substep.
pub(crate) struct Flights<'a> {
    pub scene: &'a Scene,
    pub state: &'a State,
    pub span: Span<'a>,
    pub integrator: Integrator,
    pub past: Vec<BodyHistory>,
    /// Whether each body's impulses use the second-order formula.
    pub is_second: Vec<bool>,
    /// The sets of bodies that the previous step left; each body alone unless the formulas differ.
    sets: Sets,
    /// Kinematic bodies that stay where they are, because contact keeps them from where they are prescribed.
    pub is_held: Vec<bool>,
    /// The joints.
    pub joined: Joined,
    /// h² V of each body; empty if bodies are rigid.
    pub stretch: Vec<Stretch>,
}

/// Returns the largest speed (m/s) of a point of a body.
fn speed(body: &Body, at: &BodyState) -> f64 {
    at.linear_velocity.norm() + body.radius * at.angular_velocity.norm()
}

/// States at the end of a step, and what contact did to each body.
pub(crate) struct FlightEnds {
    pub states: Vec<BodyState>,
    pub pushes: Vec<Push>,
    /// The part of each push that counts in the velocity.
    pub shares: Vec<f64>,
    /// The dynamic bodies that touch each other or are joined.
    touched: Partition,
    /// Whether anything touched each body, or one that is joined to it.
    pub is_touched: Vec<bool>,
}

impl<'a> Flights<'a> {
    /// Creates the flights of bodies of these `volumes` (m³).
    pub fn new(scene: &'a Scene, state: &'a State, config: &Config, span: Span<'a>, volumes: &[f64]) -> Self {
        let &Config { integrator, joint_substeps, .. } = config;
        let past = memory::past(scene, state);
        // The formula needs two steps of equal length.
        let can_be = |past: &BodyHistory| past.h == Some(span.h) && past.before.is_some();
        let is_second = past.iter().map(|past| integrator == Integrator::Bdf2 && can_be(past)).collect();
        let is_held = vec![false; scene.bodies.len()];
        let sets = if integrator == Integrator::Bdf2 { memory::sets(scene, state) } else { Sets::default() };
        let joined = Joined::new(scene, state, joint_substeps);
        let stretch = match config.bodies {
            Bodies::Rigid => Vec::new(),
            Bodies::Affine => {
                volumes.iter().map(|v| Stretch::new(*v, config.affine_stiffness, span.h)).collect()
            }
        };
        let mut flights =
            Self { scene, state, span, integrator, past, is_second, sets, is_held, joined, stretch };
        let ties = flights.sets.tied.ties().chain(flights.joined.ties.ties());
        let tied = Partition::of(flights.past.len(), ties);
        flights.use_one_formula(&tied);
        flights
    }

    /// Lets all bodies of a set use the first-order formula where one of them does, or takes no part; returns whether any has changed.
    ///
    /// The formulas give a pair of bodies different parts of their common impulse. And the second-order one goes on to give a body a
    /// third of what it got in the last step.
    fn use_one_formula(&mut self, sets: &Partition) -> bool {
        if self.integrator != Integrator::Bdf2 {
            return false;
        }
        let can_be: Vec<bool> = (0..self.past.len()).map(|b| self.is_second[b] && self.span.has(b)).collect();
        let all_are = sets.fold(&can_be, |a, b| a && b);
        let mut has_changed = false;
        for (is_second, all_are) in self.is_second.iter_mut().zip(all_are) {
            has_changed |= *is_second && !all_are;
            *is_second &= all_are;
        }
        has_changed
    }

    /// Switches bodies that touch, or are tied to, one with the first-order formula to that formula; returns whether there are any.
    pub fn first_where_tied(&mut self, arrivals: &FlightEnds) -> bool {
        let ties = self.sets.tied.ties().chain(arrivals.touched.ties()).chain(self.joined.ties.ties());
        let sets = Partition::of(self.past.len(), ties);
        self.use_one_formula(&sets)
    }

    fn prediction(&self, b: usize, q_dots: &[Mat3], joined: Option<&JoinedEnds>) -> Prediction {
        if let Some(joined) = joined.filter(|_| self.joined.has(b)).and_then(|ends| {
            let at = (&self.scene.bodies[b], &self.state.bodies[b]);
            ends.prediction(b, at, self.span.h, self.is_second[b])
        }) {
            return self.stretched(b, joined);
        }
        let (body, now, past) = (&self.scene.bodies[b], &self.state.bodies[b], &self.past[b]);
        let gravity = &self.scene.gravity;
        let flight = match (self.integrator, past.before.filter(|_| self.is_second[b])) {
            (Integrator::ImplicitEuler, _) => {
                let start = (self.state.matrix(BodyId(b)), &q_dots[b]);
                Prediction::implicit_euler(body, gravity, now, start, self.span.h)
            }
            (Integrator::Impulse | Integrator::Bdf2, Some(before)) => {
                Prediction::bdf2(body, gravity, now, &before, self.span.h)
            }
            (Integrator::Impulse | Integrator::Bdf2, None) => {
                Prediction::impulse(body, gravity, now, &self.lead(b), self.span.h)
            }
        };
        self.stretched(b, flight)
    }

    /// Returns the flight of an affine body; that of a rigid one as it is.
    fn stretched(&self, b: usize, flight: Prediction) -> Prediction {
        let Some(stretch) = self.stretch.get(b) else { return flight };
        let (start, strain) = (self.state.matrix(BodyId(b)), self.state.strain(BodyId(b)));
        flight.stretched(&self.scene.bodies[b], stretch, (&start, &strain), self.span.h)
    }

    fn lead(&self, b: usize) -> VelocityExcess {
        self.past[b].push.lead(self.share_before(b), self.past[b].h.unwrap_or(self.span.h))
    }

    /// Returns the part of the push of the previous step that counted in the velocity of a body.
    pub fn share_before(&self, b: usize) -> f64 {
        let past = &self.past[b];
        past.share.unwrap_or_else(|| past.push.share(&weight(&self.scene.bodies[b], &self.scene.gravity)))
    }

    /// Returns what the flight of joined bodies depends on, given [`leads`](Self::leads).
    pub fn joined_span<'b>(&'b self, leads: &'b [VelocityExcess]) -> JoinedSpan<'b> {
        let Self { scene, state, span, joined, is_held, is_second, past, .. } = self;
        JoinedSpan { scene, state, span: *span, joined, is_held, is_second, past, leads }
    }

    /// Returns what the velocity of each body has in advance; joined bodies count the same part of their pushes. Empty without joints.
    pub fn leads(&self) -> Vec<VelocityExcess> {
        if self.joined.is_empty() {
            return Vec::new();
        }
        let shares: Vec<f64> = (0..self.past.len()).map(|b| self.share_before(b)).collect();
        let shares = self.joined.ties.fold(&shares, f64::min);
        let lead = |b: usize| self.past[b].push.lead(shares[b], self.past[b].h.unwrap_or(self.span.h));
        (0..self.past.len()).map(lead).collect()
    }

    /// Makes the velocities of joined bodies that were pushed tangent to what joints hold; returns whether they can be,
    /// given those of prescribed bodies.
    pub fn hold_velocities(&self, states: &mut [BodyState], joints: &mut Joints, is_pushed: &[bool]) -> bool {
        if self.joined.is_empty() || !(0..is_pushed.len()).any(|b| is_pushed[b] && self.joined.has(b)) {
            return true;
        }
        let pushed = self.joined.ties.fold(is_pushed, |a, b| a || b);
        let takes_part: Vec<bool> = (0..states.len()).map(|b| self.span.has(b) && pushed[b]).collect();
        let Self { scene, span, .. } = *self;
        let flight = JoinedFlight { scene, takes_part: &takes_part, h: span.h, end: span.end, substeps: 1 };
        flight.hold(states, joints)
    }

    /// Returns whether the state remembers no previous step of the bodies that take part.
    pub fn is_first(&self) -> bool {
        (0..self.past.len()).any(|b| self.span.has(b) && self.past[b].h.is_none())
    }

    /// Returns what is prescribed for body `b` at the end.
    fn prescribed(&self, b: usize) -> Option<BodyState> {
        self.scene.bodies[b].prescribed(self.span.end)
    }

    /// Returns where body `b` is led in this span, if it is not free.
    pub fn led_to(&self, b: usize) -> Option<BodyState> {
        led_to(&self.scene.bodies[b], &self.state.bodies[b].pose, self.span.end, self.span.h)
    }

    /// Treats bodies that start within reach of others as resting on them, so that their support acts from
    /// the start.
    pub fn begin_resting(&mut self, contacts: &[[usize; 2]]) {
        // What joints hold does not carry its own weight: its first attempt shows what does.
        for body in contacts.iter().flatten().copied().filter(|&body| !self.joined.has(body)) {
            let weight = weight(&self.scene.bodies[body], &self.scene.gravity);
            self.past[body].push = Push::carrying(&weight);
        }
    }

    /// Uses the pushes of a first attempt at the first step as those of the previous step, so that friction,
    /// too, acts evenly from the start. Returns whether contact did anything, or was taken to.
    pub fn begin_with(&mut self, arrivals: &FlightEnds) -> bool {
        let mut acts = false;
        let has_pushes = self.integrator != Integrator::ImplicitEuler;
        for (b, past) in self.past.iter_mut().enumerate() {
            // A body may also have left what it was taken to rest on.
            let was_taken_to =
                has_pushes && self.scene.bodies[b].is_dynamic() && past.push != Push::default();
            acts |= arrivals.pushes[b] != Push::default() || was_taken_to;
            past.push = arrivals.pushes[b];
            let is_kept = self.integrator == Integrator::Bdf2 || self.joined.has(b);
            past.share = is_kept.then_some(arrivals.shares[b]);
        }
        acts
    }

    /// Returns what determines the motion of each body, given where joined bodies fly.
    pub fn drives(&self, joined: Option<&JoinedEnds>) -> Vec<Drive> {
        let q_dots = match self.integrator {
            Integrator::ImplicitEuler => memory::q_dots(self.scene, self.state),
            Integrator::Impulse | Integrator::Bdf2 => Vec::new(),
        };
        let of = |(b, body): (usize, &Body)| {
            let now = &self.state.bodies[b].pose;
            if !self.span.has(b) || self.is_held[b] {
                return Drive::Still;
            }
            match self.led_to(b) {
                None => Drive::Inertia(Inertia::new(
                    body,
                    &self.state.matrix(BodyId(b)),
                    self.prediction(b, &q_dots, joined),
                    self.span.h,
                )),
                Some(then) if then.pose == *now => Drive::Still,
                Some(then) => Drive::Target(Target::new(body.mass, &body.inertia, now, &then.pose)),
            }
        };
        self.scene.bodies.iter().enumerate().map(of).collect()
    }

    /// Returns how each body moves from `start` to the end of the step.
    pub fn movements(&self, drives: &[Drive], start: &[Placement]) -> Movements {
        let of = |(b, drive): (usize, &Drive)| match drive {
            Drive::Inertia(inertia) => Movement::Free(inertia.prediction),
            Drive::Still if self.span.has(b) && !self.is_held[b] => {
                Movement::Led(start[b], self.prescribed(b))
            }
            Drive::Still => Movement::Led(start[b], None),
            Drive::Target(_) => Movement::Led(start[b], None),
        };
        Movements { all: drives.iter().enumerate().map(of).collect(), h: self.span.h }
    }

    /// Returns which bodies rest unless something else moves them: static ones, and those which the last step,
    /// from the same state and with the same terms, left as they were. The same minimization would leave them there
    /// again.
    pub fn resting(&self, terms: &Terms) -> Vec<bool> {
        let is_same_step = memory::has_terms(self.state, terms);
        let of = |(b, body): (usize, &Body)| match body.role {
            Role::Static => true,
            Role::Dynamic => {
                is_same_step
                    && !self.joined.is_led(b)
                    && self.span.has(b)
                    && self.past[b].rests
                    && self.is_at_rest(b, &self.state.bodies[b])
            }
            Role::Kinematic(_) => false,
        };
        self.scene.bodies.iter().enumerate().map(of).collect()
    }

    /// Returns whether body `b` was at rest before the step, and has velocity 0 `now`.
    fn is_at_rest(&self, b: usize, now: &BodyState) -> bool {
        let before = &self.state.bodies[b];
        let rests = |state: &BodyState| {
            state.linear_velocity == Vec3::zeros() && state.angular_velocity == Vec3::zeros()
        };
        let push = Push::keeping(&self.scene.bodies[b], &self.scene.gravity);
        rests(before) && rests(now) && before.pose == now.pose && self.past[b].push == push
    }

    /// Gives a body that contact keeps where it is, up to rounding, the exact velocity and push of rest: the
    /// next steps then repeat each other.
    fn settled(&self, b: usize, (now, push): (BodyState, Push)) -> (BodyState, Push) {
        let (body, gravity) = (&self.scene.bodies[b], &self.scene.gravity);
        let is_first_order = self.integrator == Integrator::Impulse;
        if is_first_order
            && now.pose == self.state.bodies[b].pose
            && is_still(body, &now, gravity, self.span.h)
        {
            (BodyState::at_rest(now.pose), Push::keeping(body, gravity))
        } else {
            (now, push)
        }
    }

    /// Returns the states of the bodies where `iterate` left them.
    pub fn arrivals(&self, iterate: &Iterate, objective: &Objective) -> FlightEnds {
        let mut is_touched = vec![false; self.scene.bodies.len()];
        let touching = || iterate.near.pairs.all().chain(objective.friction.all()).map(|spot| spot.bodies);
        touching().flatten().for_each(|b| is_touched[b] = true);
        objective.joints.loaded().for_each(|b| is_touched[b] = true);
        let is_touched = self.joined.ties.fold(&is_touched, |a, b| a || b);
        let n = self.scene.bodies.len();
        let flown = |b: usize| match &objective.drives[b] {
            Drive::Inertia(inertia) if self.integrator != Integrator::ImplicitEuler => {
                self.span.has(b).then_some(&inertia.prediction)
            }
            Drive::Inertia(_) | Drive::Still | Drive::Target(_) => None,
        };
        let push = |b: usize| match flown(b) {
            Some(prediction) if is_touched[b] => prediction.push(&self.scene.bodies[b], &iterate.places[b]),
            Some(_) => Push::default(),
            None if self.span.has(b) => Push::default(),
            None => self.past[b].push,
        };
        let mut pushes: Vec<Push> = (0..n).map(push).collect();
        let tied = || touching().chain(self.joined.ties.ties());
        if self.span.h < self.span.dt {
            self.balance(&mut pushes, tied);
        }
        let touched = self.touched(tied());
        let mut shares = self.shares(&pushes, &touched, flown);
        let of = |b: usize| {
            let (body, place, push) = (&self.scene.bodies[b], &iterate.places[b], pushes[b]);
            if !self.span.has(b) {
                return (self.state.bodies[b], push);
            }
            match flown(b) {
                Some(prediction) => {
                    let arrived = (prediction.arrived(body, place, &push, shares[b], self.span.h), push);
                    if is_touched[b] && !self.joined.has(b) { self.settled(b, arrived) } else { arrived }
                }
                None => (self.moved(b, place), push),
            }
        };
        let (mut states, pushes): (Vec<BodyState>, Vec<Push>) = (0..n).map(of).unzip();
        self.rest_joined(&mut states, &mut shares, &pushes, &is_touched);
        FlightEnds { states, pushes, shares, touched, is_touched }
    }

    /// Gives joined bodies that something pushes, and that move by next to nothing of what their pushes keep them from, no velocity: that of a constant push along
    /// curved ways, and beside springs, is not exact. Those whose drives move their targets get the mean velocity of their way.
    fn rest_joined(
        &self,
        states: &mut [BodyState],
        shares: &mut [f64],
        pushes: &[Push],
        is_touched: &[bool],
    ) {
        if self.joined.is_empty() || self.integrator != Integrator::Impulse {
            return;
        }
        let h = self.span.h;
        let either = |of: Vec<bool>| self.joined.ties.fold(&of, |a, b| a || b);
        let is_led = either((0..states.len()).map(|b| self.joined.is_led(b)).collect());
        let kept = |b: usize| {
            let body = &self.scene.bodies[b];
            let from = h * h * pushes[b].size(body, &states[b].pose.rotation);
            (REST_OF_RADIUS * body.radius).max(if is_led[b] { REST_OF_LED } else { REST } * from)
        };
        let allowed: Vec<f64> = (0..states.len()).map(kept).collect();
        let allowed = self.joined.ties.fold(&allowed, f64::max);
        let moves = |b: usize| {
            let moved = way(&self.scene.bodies[b], &self.state.bodies[b].pose, &states[b].pose);
            !is_touched[b] || !self.span.has(b) || moved > allowed[b]
        };
        let moves = either((0..states.len()).map(moves).collect());
        for b in (0..states.len()).filter(|&b| self.joined.has(b) && !moves[b]) {
            (states[b], shares[b]) = match is_led[b] {
                true => (self.mean_motion(b, states[b].pose), 1.0),
                false => (BodyState::at_rest(states[b].pose), 1.0),
            };
        }
    }

    /// Takes the mean acceleration Σ m a/Σ m off the pushes of bodies that touch only each other: forces between bodies have no sum.
    ///
    /// In a substep of h, the rounding error ε ‖x‖ of a place, and what Newton's method leaves of a displacement, are velocities of that size
    /// over h, which thousands of substeps would add up.
    fn balance<I: Iterator<Item = [usize; 2]>>(&self, pushes: &mut [Push], touching: impl Fn() -> I) {
        let n = self.scene.bodies.len();
        let is_free = |b: usize| {
            let body = &self.scene.bodies[b];
            self.span.has(b) && body.is_dynamic() && body.fixed.translation == [false; 3]
        };
        let sets = Partition::of(n, touching().filter(|pair| pair.iter().all(|&b| is_free(b))));
        let mut is_held = vec![false; n];
        for pair in touching().filter(|pair| !pair.iter().all(|&b| is_free(b))) {
            pair.iter().for_each(|&b| is_held[b] = true);
        }
        (0..n).filter(|&b| self.joined.is_anchored(b)).for_each(|b| is_held[b] = true);
        let is_held = sets.fold(&is_held, |a, b| a || b);
        let mass = |b: usize| if is_free(b) { self.scene.bodies[b].mass } else { 0.0 };
        let given: Vec<(f64, Vec3)> = (0..n).map(|b| (mass(b), mass(b) * pushes[b].acceleration)).collect();
        let sums = sets.fold(&given, |a, b| (a.0 + b.0, a.1 + b.1));
        for b in (0..n).filter(|&b| is_free(b) && !is_held[b]) {
            pushes[b].acceleration -= sums[b].1 / sums[b].0;
        }
    }

    /// Returns the sets of dynamic bodies of these pairs that touch; each body alone unless the formulas differ, or there are joints.
    fn touched(&self, touching: impl Iterator<Item = [usize; 2]>) -> Partition {
        if self.integrator != Integrator::Bdf2 && self.joined.is_empty() {
            return Partition::default();
        }
        let is_free = |body: &usize| self.span.has(*body) && self.scene.bodies[*body].is_dynamic();
        Partition::of(self.past.len(), touching.filter(|pair| pair.iter().all(is_free)))
    }

    /// Returns 2 h/(h + h₁) for a body that contact carried through the span h₁ before this one h, and 1 for others: the force of a steady support over its
    /// push. The push stops what the body fell by in h₁, ½ g h₁, and carries it through half of h.
    fn of_spans(&self, b: usize) -> f64 {
        let BodyHistory { push, h: before, .. } = self.past[b];
        let h = self.span.h;
        match before {
            Some(before) if self.span.has(b) && push != Push::default() && before != h => {
                2.0 * h / (h + before)
            }
            Some(_) | None => 1.0,
        }
    }

    /// Returns the part of each push that counts in the velocity. With formulas that differ, or joints, it is the same for all bodies that touch
    /// each other: impulses that they give each other then add nothing to their momentum.
    ///
    /// What joints carry and pull counts as weight.
    fn shares<'b>(
        &self,
        pushes: &[Push],
        touched: &Partition,
        flown: impl Fn(usize) -> Option<&'b Prediction>,
    ) -> Vec<f64> {
        let leads = self.leads();
        let bodies = self.scene.bodies.iter().zip(pushes).enumerate();
        let alone = bodies.map(|(b, (body, push))| match self.past[b].share.filter(|_| !self.span.has(b)) {
            Some(share) => share,
            None => {
                let mut weight = weight(body, &self.scene.gravity);
                if let Some(prediction) = flown(b).filter(|_| self.joined.has(b)) {
                    let from = prediction::without(body, &self.state.bodies[b], &leads[b]).linear_velocity;
                    let pulled = prediction.acceleration(&from, self.span.h);
                    weight = if pulled.norm() > weight.norm() { pulled } else { weight };
                }
                let of_spans = self.of_spans(b);
                of_spans * push.times(of_spans).share(&weight)
            }
        });
        let alone: Vec<f64> = alone.collect();
        match self.integrator {
            Integrator::Impulse | Integrator::ImplicitEuler if self.joined.is_empty() => alone,
            Integrator::Impulse | Integrator::ImplicitEuler | Integrator::Bdf2 => {
                touched.fold(&alone, f64::min)
            }
        }
    }

    /// Returns body `b` at `place` with the mean velocities of the step, or with the prescribed ones if it is
    /// exactly where prescribed.
    fn moved(&self, b: usize, place: &Placement) -> BodyState {
        let moved = self.mean_motion(b, place.pose());
        self.prescribed(b).filter(|then| then.pose == moved.pose).unwrap_or(moved)
    }

    /// Returns body `b` at `pose` with the mean velocities of the span.
    fn mean_motion(&self, b: usize, pose: Pose) -> BodyState {
        let before = &self.state.bodies[b].pose;
        let turn = rotation_vector::log(&(pose.rotation * before.rotation.inverse()));
        BodyState {
            pose,
            linear_velocity: (pose.position - before.position) / self.span.h,
            angular_velocity: turn / self.span.h,
        }
    }

    /// Holds the kinematic bodies that did not arrive. If all did, but only by a pull that a body between them could not follow, all
    /// are held. Returns whether there are any.
    pub fn hold(&mut self, end: &PullEnd, arrivals: &FlightEnds) -> bool {
        match end {
            PullEnd::Free => false,
            PullEnd::Arrived { pull } => {
                (*pull > JAM * self.moving_along() || self.has_thrown(arrivals)) && self.hold_all()
            }
            PullEnd::Blocked(absent) => {
                absent.iter().for_each(|&b| self.is_held[b] = true);
                !absent.is_empty()
            }
        }
    }

    /// Returns how far (m) points of the kinematic bodies go in this span.
    fn way_led(&self) -> f64 {
        let motion =
            |b: usize| Some(way(&self.scene.bodies[b], &self.state.bodies[b].pose, &self.led_to(b)?.pose));
        (0..self.past.len()).filter_map(motion).fold(0.0, f64::max)
    }

    /// Returns the pull (kg m, force times h²) that moves all free bodies as far as the kinematic ones go in this span, against
    /// their weight and away from where they were going.
    fn moving_along(&self) -> f64 {
        let (h, way) = (self.span.h, self.way_led());
        let bodies = self.scene.bodies.iter().zip(&self.state.bodies).filter(|(body, _)| body.is_dynamic());
        let needed = bodies.map(|(body, now)| {
            let falls = h * h * weight(body, &self.scene.gravity).norm();
            body.mass * (way + h * speed(body, now) + falls)
        });
        needed.sum()
    }

    /// Returns whether a body has gained more than `THROWN` times the speed of the kinematic bodies and of what falls.
    fn has_thrown(&self, arrivals: &FlightEnds) -> bool {
        let (h, led) = (self.span.h, self.way_led() / self.span.h);
        let is_thrown = |b: usize| {
            let body = &self.scene.bodies[b];
            let gained = speed(body, &arrivals.states[b]) - speed(body, &self.state.bodies[b]);
            body.is_dynamic() && gained > THROWN * (led + h * weight(body, &self.scene.gravity).norm())
        };
        (0..self.past.len()).any(is_thrown)
    }

    /// Returns whether a minimization without end may be that of bodies which kinematic ones pull by joints: in a part of a step, as a whole
    /// one is first divided.
    pub fn may_jam(&self) -> bool {
        self.span.h < self.span.dt && !self.joined.is_empty()
    }

    /// Holds all kinematic bodies; returns whether any was not held.
    pub fn hold_all(&mut self) -> bool {
        let is_led = |b: &usize| !self.is_held[*b] && self.span.has(*b) && self.is_led(*b);
        let led: Vec<usize> = (0..self.past.len()).filter(is_led).collect();
        led.iter().for_each(|&b| self.is_held[b] = true);
        !led.is_empty()
    }

    /// Returns whether body `b` is kinematic, and moves in this span.
    fn is_led(&self, b: usize) -> bool {
        let is_elsewhere = |then: BodyState| then.pose != self.state.bodies[b].pose;
        matches!(self.scene.bodies[b].role, Role::Kinematic(_)) && self.led_to(b).is_some_and(is_elsewhere)
    }

    /// Returns whether contact acts on body `b` smoothly enough for the second-order formula.
    fn is_smooth(&self, b: usize, arrivals: &FlightEnds) -> bool {
        let (body, rotation) = (&self.scene.bodies[b], &arrivals.states[b].pose.rotation);
        let (before, now) = (&self.past[b].push, &arrivals.pushes[b]);
        let size = |push: &Push| push.size(body, rotation);
        let least = size(before).min(size(now));
        least > 0.0 && size(&now.minus(before)) <= SMOOTH * least
    }

    /// Switches bodies that were hit to the first-order formula, as the second-order one would make them
    /// rebound; returns whether there are any.
    pub fn first_where_hit(&mut self, arrivals: &FlightEnds) -> bool {
        let is_hit = |b: usize| {
            let (body, rotation) = (&self.scene.bodies[b], &arrivals.states[b].pose.rotation);
            let (before, now) = (&self.past[b].push, &arrivals.pushes[b]);
            let allowed = before.size(body, rotation) + 2.0 * weight(body, &self.scene.gravity).norm();
            now.minus(before).size(body, rotation) > allowed
        };
        let hit: Vec<usize> = (0..self.is_second.len()).filter(|&b| self.is_second[b] && is_hit(b)).collect();
        hit.iter().for_each(|&b| self.is_second[b] = false);
        !hit.is_empty()
    }

    /// Returns what this span leaves to the next one: κ and the `terms` of a whole step. Of bodies that take no part it
    /// leaves what it found.
    pub fn remembered(
        &self,
        arrivals: &FlightEnds,
        iterate: &Iterate,
        kappa: f64,
        terms: Terms,
    ) -> StepMemory {
        let bodies = || 0..self.past.len();
        let pushes = || arrivals.pushes.clone();
        let of_bodies = match self.integrator {
            Integrator::ImplicitEuler => {
                let known = memory::q_dots(self.scene, self.state);
                let rate = |b: usize| {
                    let before = self.state.matrix(BodyId(b));
                    let has_part = self.span.has(b);
                    if has_part { (iterate.places[b].matrix - before) / self.span.h } else { known[b] }
                };
                BodyMemory::QDots(bodies().map(rate).collect())
            }
            Integrator::Impulse => {
                // A body whose group moves is not at rest, though its own part may be lost in rounding. If κ rises,
                // all bodies that touch others move.
                let stays = |b: usize| iterate.bodies[b].moves == 0;
                let is_whole = self.span.h == self.span.dt;
                let rests = |b: usize| match self.span.has(b) {
                    true => is_whole && stays(b) && self.is_at_rest(b, &arrivals.states[b]),
                    false => self.past[b].rests,
                };
                let is_uneven = || {
                    bodies()
                        .any(|b| self.of_spans(b) != 1.0 || self.past[b].share.is_some() && !self.span.has(b))
                };
                let is_kept = !self.joined.is_empty() || is_uneven();
                let shares = is_kept.then(|| arrivals.shares.clone());
                BodyMemory::Pushes(pushes(), bodies().map(rests).collect(), shares, is_whole.then_some(terms))
            }
            Integrator::Bdf2 => {
                let n = self.past.len();
                let has_part: Vec<bool> = bodies().map(|b| self.span.has(b)).collect();
                // What is tied to a body that takes no part cannot use the formula of two steps in the next one.
                let ties = || self.sets.tied.ties().chain(self.sets.touched.ties());
                let is_whole = Partition::of(n, ties()).fold(&has_part, |a, b| a && b);
                let second = self.sets.tied.ties().filter(|[_, b]| self.is_second[*b] || !has_part[*b]);
                let ties = self.sets.touched.ties().chain(arrivals.touched.ties()).chain(second);
                let tied = Partition::of(n, ties);
                let absent = self.sets.touched.ties().filter(|[_, b]| !has_part[*b]);
                let touched = Partition::of(n, arrivals.touched.ties().chain(absent));
                let is_smooth = bodies().map(|b| !has_part[b] || is_whole[b] && self.is_smooth(b, arrivals));
                let are_smooth = tied.fold(&is_smooth.collect::<Vec<bool>>(), |a, b| a && b);
                let is_smooth = |b: usize| match has_part[b] {
                    true => are_smooth[b],
                    false => self.past[b].before.is_some(),
                };
                let before = |b: usize| {
                    let kept = self.past[b].before.filter(|_| !self.span.has(b));
                    kept.unwrap_or(self.state.bodies[b])
                };
                let smooth = bodies().map(is_smooth).collect();
                let (before, shares) = (bodies().map(before).collect(), arrivals.shares.clone());
                BodyMemory::Smooth(pushes(), smooth, before, shares, Sets { tied, touched })
            }
        };
        let h = |b: usize| if self.span.has(b) { Some(self.span.h) } else { self.past[b].h };
        StepMemory { kappa, h: bodies().map(h).collect(), of_bodies }
    }
}
