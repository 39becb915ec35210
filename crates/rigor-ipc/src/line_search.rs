//! How far a Newton step may go without contact.

use nalgebra::Vector6;
use rigor_ccd::broad_phase::{Shape, candidates};
use rigor_ccd::{RigidMethod, RigidMotion, earliest};
use rigor_scene::{BodyId, StepError};

use crate::contact::Contact;
use crate::objective::points;
use crate::placement::Placement;

/// What part of its distance a pair of primitives keeps in one step; so that the barrier stays finite.
const KEPT: f64 = 0.2;

/// The way of one Newton step: which primitives may come near each other on it, and how far it is free.
pub(crate) struct Way {
    pub contacts: Vec<Contact>,
    /// The largest α ∈ (0, 1] for which no pair comes nearer than a part of its distance, on all of [0, α].
    pub alpha: f64,
    pub queries: u64,
}

/// The constant part of all ways of a step.
pub(crate) struct Surroundings<'a> {
    pub shapes: &'a [Shape],
    /// Primitives farther apart than this (m) do not feel each other.
    pub reach: f64,
    /// Distance (m) that all surfaces keep.
    pub d_min: f64,
    pub may_collide: &'a (dyn Fn(usize, usize) -> bool + Sync),
}

impl Surroundings<'_> {
    /// The way of `step` from `places`.
    ///
    /// # Errors
    /// [`StepError::Failed`] when bodies are too far away for numbers, or when two primitives are so near that no step can
    /// be proven free.
    pub fn way(&self, places: &[Placement], step: &[Vector6<f64>]) -> Result<Way, StepError> {
        let motions: Vec<RigidMotion> = places.iter().zip(step).map(|(p, s)| p.motion(s)).collect();
        let bodies: Vec<(&Shape, RigidMotion)> = self.shapes.iter().zip(motions).collect();
        let found = candidates(&bodies, 1.0, self.reach, self.may_collide)
            .map_err(|e| StepError::Failed { what: e.to_string(), bodies: Vec::new() })?;
        let mut contacts = Vec::new();
        let mut asked = Vec::new();
        for candidate in &found {
            let contact = Contact::new(candidate, self.shapes);
            let d = contact.distance_sq(&points(&contact, places)).sqrt();
            let least = d - self.approach(&contact, places, step);
            if least < self.reach {
                contacts.push(contact);
            }
            let kept = self.d_min + KEPT * (d - self.d_min).min(self.reach - self.d_min).max(0.0);
            // What is not a number is asked, too.
            if !(least > kept) {
                asked.push((d, contact, candidate.query(&bodies, kept)));
            }
        }
        // The nearest first: they are likely to be the first to meet.
        asked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ordered: Vec<_> = asked.iter().map(|(_, _, query)| *query).collect();
        let first = earliest(&ordered, &RigidMethod::default(), 1.0);
        if first.t_safe > 0.0 {
            return Ok(Way { contacts, alpha: first.t_safe, queries: ordered.len() as u64 });
        }
        let contact = first.first.map(|(i, _)| asked[i].1);
        let bodies = contact.map(|c| c.bodies.map(BodyId).to_vec()).unwrap_or_default();
        let d = contact.map_or(0.0, |c| c.distance_sq(&points(&c, places)).sqrt());
        let what =
            format!("two primitives are {d:e} m apart, too near for any motion to be proven free of contact");
        Err(StepError::Failed { what, bodies })
    }

    /// By how much (m) two primitives may come nearer to each other in `step`, rounding of their distance included:
    /// ‖Δq_a − Δq_b‖ + r_a ‖Δθ_a‖ + r_b ‖Δθ_b‖, lemma 1 of `docs/methods/ccd.md`.
    fn approach(&self, contact: &Contact, places: &[Placement], step: &[Vector6<f64>]) -> f64 {
        let [a, b] = contact.bodies;
        let by = (step[a] - step[b]).fixed_rows::<3>(0).norm();
        let turn = |body: usize| step[body].fixed_rows::<3>(3).norm() * self.shapes[body].radius();
        let size = |body: usize| places[body].position.norm() + self.shapes[body].radius();
        (by + turn(a) + turn(b)) * (1.0 + 1e-12) + 1e-13 * (size(a) + size(b))
    }
}
