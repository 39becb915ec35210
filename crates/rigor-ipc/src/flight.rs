//! All bodies over a step: their flight without contact, and their velocities at the end.

use rigor_math::{Mat3, Vec3, rotation_vector};
use rigor_scene::{Body, BodyState, Role, Scene, State};

use crate::body::{Drive, Inertia};
use crate::config::Integrator;
use crate::memory::{self, BodyHistory, BodyMemory, StepMemory, Terms};
use crate::newton::Iterate;
use crate::objective::Objective;
use crate::placement::Placement;
use crate::prediction::{Prediction, Push, VelocityExcess, is_still, weight};
use crate::slip::{Movement, Movements};
use crate::target::Target;

/// Contact acts smoothly on a body if its push changes by at most this fraction of the smaller of two
/// successive pushes.
const SMOOTH: f64 = 0.5;

/// The bodies at the start of a step of `dt` (s).
pub(crate) struct Flights<'a> {
    pub scene: &'a Scene,
    pub state: &'a State,
    pub integrator: Integrator,
    pub past: Vec<BodyHistory>,
    /// Whether each body's impulses use the second-order formula.
    pub is_second: Vec<bool>,
    pub dt: f64,
}

/// States at the end of a step, and what contact did to each body.
pub(crate) struct FlightEnds {
    pub states: Vec<BodyState>,
    pub pushes: Vec<Push>,
}

impl<'a> Flights<'a> {
    pub fn new(scene: &'a Scene, state: &'a State, integrator: Integrator, dt: f64) -> Self {
        let past = memory::past(scene, state);
        // The formula needs two steps of equal length.
        let can_be = integrator == Integrator::Bdf2 && memory::dt(state) == Some(dt);
        let is_second = past.iter().map(|past| can_be && past.before.is_some()).collect();
        Self { scene, state, integrator, past, is_second, dt }
    }

    fn prediction(&self, b: usize, q_dots: &[Mat3]) -> Prediction {
        let (body, now, past) = (&self.scene.bodies[b], &self.state.bodies[b], &self.past[b]);
        let gravity = &self.scene.gravity;
        match (self.integrator, past.before.filter(|_| self.is_second[b])) {
            (Integrator::ImplicitEuler, _) => {
                Prediction::implicit_euler(body, gravity, now, &q_dots[b], self.dt)
            }
            (_, Some(before)) => Prediction::bdf2(body, gravity, now, &before, self.dt),
            _ => Prediction::impulse(body, gravity, now, &self.lead(b), self.dt),
        }
    }

    fn lead(&self, b: usize) -> VelocityExcess {
        let dt_before = memory::dt(self.state).unwrap_or(self.dt);
        self.past[b].push.lead(&weight(&self.scene.bodies[b], &self.scene.gravity), dt_before)
    }

    /// Returns whether the state remembers no previous step.
    pub fn is_first(&self) -> bool {
        memory::dt(self.state).is_none()
    }

    /// Treats bodies that start within reach of others as resting on them, so that their support acts from
    /// the start.
    pub fn begin_resting(&mut self, contacts: &[[usize; 2]]) {
        for body in contacts.iter().flatten().copied() {
            let weight = weight(&self.scene.bodies[body], &self.scene.gravity);
            self.past[body].push = Push::carrying(&weight);
        }
    }

    /// Uses the pushes of a first attempt at the first step as those of the previous step, so that friction,
    /// too, acts evenly from the start. Returns whether contact did anything.
    pub fn begin_with(&mut self, arrivals: &FlightEnds) -> bool {
        for (past, push) in self.past.iter_mut().zip(&arrivals.pushes) {
            past.push = *push;
        }
        arrivals.pushes.iter().any(|push| *push != Push::default())
    }

    /// Returns what determines the motion of each body.
    pub fn drives(&self) -> Vec<Drive> {
        let q_dots = match self.integrator {
            Integrator::ImplicitEuler => memory::q_dots(self.scene, self.state),
            _ => Vec::new(),
        };
        let of = |(b, body): (usize, &Body)| {
            let now = &self.state.bodies[b].pose;
            match body.prescribed(self.state.time + self.dt) {
                None => {
                    let matrix = now.rotation.to_rotation_matrix().into_inner();
                    Drive::Inertia(Inertia::new(body, &matrix, self.prediction(b, &q_dots), self.dt))
                }
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
            Drive::Still => {
                Movement::Led(start[b], self.scene.bodies[b].prescribed(self.state.time + self.dt))
            }
            Drive::Target(_) => Movement::Led(start[b], None),
        };
        Movements { all: drives.iter().enumerate().map(of).collect(), h: self.dt }
    }

    /// Returns which bodies rest unless something else moves them: static ones, and those which the last step,
    /// from the same state and with the same terms, left as they were. The same minimization would leave them there
    /// again.
    pub fn resting(&self, terms: &Terms) -> Vec<bool> {
        let is_same_step = memory::has_terms(self.state, terms);
        let of = |(b, body): (usize, &Body)| match body.role {
            Role::Static => true,
            Role::Dynamic => is_same_step && self.past[b].rests && self.is_at_rest(b, &self.state.bodies[b]),
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
        if is_first_order && now.pose == self.state.bodies[b].pose && is_still(body, &now, gravity, self.dt) {
            (BodyState::at_rest(now.pose), Push::keeping(body, gravity))
        } else {
            (now, push)
        }
    }

    /// Returns the states of the bodies where `iterate` left them.
    pub fn arrivals(&self, iterate: &Iterate, objective: &Objective) -> FlightEnds {
        let mut is_touched = vec![false; self.scene.bodies.len()];
        let touching = iterate.near.pairs.all().chain(objective.friction.all());
        touching.flat_map(|spot| spot.bodies).for_each(|b| is_touched[b] = true);
        let of = |b: usize| {
            let (body, place) = (&self.scene.bodies[b], &iterate.places[b]);
            match &objective.drives[b] {
                Drive::Inertia(inertia) if self.integrator != Integrator::ImplicitEuler => {
                    let gravity = &self.scene.gravity;
                    let arrived = inertia.prediction.arrived(body, place, is_touched[b], gravity, self.dt);
                    if is_touched[b] { self.settled(b, arrived) } else { arrived }
                }
                _ => (self.moved(b, place), Push::default()),
            }
        };
        let (states, pushes) = (0..self.scene.bodies.len()).map(of).unzip();
        FlightEnds { states, pushes }
    }

    /// Returns body `b` at `place` with the mean velocities of the step, or with the prescribed ones if it is
    /// exactly where prescribed.
    fn moved(&self, b: usize, place: &Placement) -> BodyState {
        let before = &self.state.bodies[b].pose;
        let turn = rotation_vector::log(&(place.rotation * before.rotation.inverse()));
        let moved = BodyState {
            pose: place.pose(),
            linear_velocity: (place.position - before.position) / self.dt,
            angular_velocity: turn / self.dt,
        };
        let prescribed = self.scene.bodies[b].prescribed(self.state.time + self.dt);
        prescribed.filter(|then| then.pose == moved.pose).unwrap_or(moved)
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

    /// Returns what this step leaves to the next one.
    pub fn remembered(&self, arrivals: &FlightEnds, iterate: &Iterate, terms: Terms) -> StepMemory {
        let pushes = || arrivals.pushes.clone();
        let of_bodies = match self.integrator {
            Integrator::ImplicitEuler => {
                let rate = |(place, now): (&Placement, &BodyState)| {
                    (place.matrix - now.pose.rotation.to_rotation_matrix().into_inner()) / self.dt
                };
                BodyMemory::QDots(iterate.places.iter().zip(&self.state.bodies).map(rate).collect())
            }
            Integrator::Impulse => {
                // A body whose group moves is not at rest, though its own part may be lost in rounding. If κ rises,
                // all bodies that touch others move.
                let stays = |b: usize| iterate.bodies[b].moves == 0;
                let rests = |(b, now): (usize, &BodyState)| stays(b) && self.is_at_rest(b, now);
                BodyMemory::Pushes(pushes(), arrivals.states.iter().enumerate().map(rests).collect(), terms)
            }
            Integrator::Bdf2 => {
                let smooth = (0..self.past.len()).map(|b| self.is_smooth(b, arrivals)).collect();
                BodyMemory::Smooth(pushes(), smooth, self.state.bodies.clone())
            }
        };
        let [dt, kappa, ..] = terms;
        StepMemory { kappa, dt, of_bodies }
    }
}
