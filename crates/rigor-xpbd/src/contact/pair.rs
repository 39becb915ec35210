//! Pairs of bodies that may touch, with everything known about their contacts.

use rigor_contact::{ContactKey, Detection};
use rigor_math::Vec3;
use rigor_scene::{BodyId, Friction, Scene, State};

use super::energy::EnergyBudget;
use super::settled::Settled;
use super::{Contact, PastContact, PushedContact};
use crate::body::SolverBody;
use crate::config::Config;

/// Two bodies that may touch in this step.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    /// The body that a contact pushes along its normal.
    pub a: BodyId,
    /// The body that it pushes against.
    pub b: BodyId,
    pub law: ContactLaw,
    pub detection: Detection,
    /// Contacts of the current substep.
    pub contacts: Vec<Contact>,
    /// Impulses of the last solve in this substep, if it converged.
    pub settled: Option<Settled>,
    pub budget: EnergyBudget,
    pub history: History,
    /// Whether its bodies [rest](super::rest) for the rest of the step.
    pub rests: bool,
    /// Whether an impact of this substep reached bodies on joints through it: its impulses are no forces.
    pub is_struck: bool,
}

/// The coefficients of contact between two bodies.
#[derive(Debug, Clone)]
pub(crate) struct ContactLaw {
    pub friction: Friction,
    pub restitution: f64,
}

/// Contacts of earlier substeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// Contacts that pushed in the previous substep.
    pub past: Vec<PastContact>,
    /// Contacts whose bodies overlapped at the end of the previous substep, without a multiplier, with their points of b (m, its frame).
    pub sunk: Vec<(ContactKey, Vec3)>,
    /// Contacts that have pushed in this step so far.
    pub pushed: Vec<PushedContact>,
}

/// Minimum number of pairs to examine in parallel.
pub(super) const PARALLEL: usize = 128;

impl Pair {
    /// Creates a pair without history.
    pub fn new(a: BodyId, b: BodyId) -> Self {
        Self {
            a,
            b,
            law: ContactLaw { friction: Friction::uniform(0.0), restitution: 0.0 },
            detection: Detection::default(),
            contacts: Vec::new(),
            settled: None,
            budget: EnergyBudget::default(),
            history: History::default(),
            rests: false,
            is_struck: false,
        }
    }

    /// Returns whether there is something to solve.
    pub fn is_active(&self) -> bool {
        !self.contacts.is_empty() && !self.rests
    }

    /// Sets coefficients, margins and the start frame for a step.
    pub fn prepare(&mut self, scene: &Scene, state: &State, config: &Config) {
        let (a, b) = (self.a, self.b);
        self.law = ContactLaw {
            friction: scene.friction_between(a, b),
            restitution: scene.restitution_between(a, b),
        };
        let radius = scene.bodies[a.0].radius.min(scene.bodies[b.0].radius);
        let a_in_b = state.bodies[a.0].pose.relative_to(&state.bodies[b.0].pose);
        self.detection.prepare(&a_in_b, radius, config.overlap);
    }

    /// Does `work` on the positions of the pair in a substep of `h` (s), and adds to the budget the energy
    /// that it takes from the bodies. Without restitution the budget is unused and not tracked.
    pub fn account<R>(
        &mut self,
        a: &mut SolverBody,
        b: &mut SolverBody,
        h: f64,
        work: impl FnOnce(&mut Self, &mut SolverBody, &mut SolverBody) -> R,
    ) -> R {
        if self.law.restitution == 0.0 {
            return work(self, a, b);
        }
        let before = a.work_of_positions(h) + b.work_of_positions(h);
        let result = work(self, a, b);
        self.budget.taken += before - (a.work_of_positions(h) + b.work_of_positions(h));
        result
    }
}
