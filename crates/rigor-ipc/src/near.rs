//! The contacts where the bodies are, and what the barrier does there.

use rayon::prelude::*;

use crate::contact::{PrimitivePair, points};
use crate::pair::PairTerms;
use crate::placement::Placement;
use crate::terms::merged;

/// Minimum contacts per rayon task.
const GRAIN: usize = 256;

/// The contacts of bodies at some placements. All of it follows from the placements, so it is kept from round
/// to round and from step to step while the bodies stay.
#[derive(Debug)]
pub(crate) struct Near {
    /// All pairs of primitives within reach.
    pub contacts: Vec<PrimitivePair>,
    /// The same sum of barriers, each nearest feature once.
    pub terms: Vec<PrimitivePair>,
    /// The smallest distance (m); infinity without contacts.
    pub min_distance: f64,
    /// κ, and the derivatives of the barrier with it.
    pressed: Option<(f64, Vec<PairTerms>)>,
}

impl Near {
    /// Creates the contacts at `places` from `contacts`, those of them that are closer than `reach` (m).
    pub fn new(mut contacts: Vec<PrimitivePair>, places: &[Placement], reach: f64) -> Self {
        let d_sq = |contact: &PrimitivePair| contact.distance_sq(&points(contact, places));
        let squares: Vec<f64> = contacts.par_iter().with_min_len(GRAIN).map(d_sq).collect();
        let is_near = |d_sq: &f64| *d_sq < reach * reach;
        let mut each = squares.iter();
        contacts.retain(|_| each.next().is_some_and(is_near));
        let least = squares.iter().copied().filter(is_near).fold(f64::INFINITY, f64::min);
        let terms = merged(&contacts, places);
        Self { contacts, terms, min_distance: least.sqrt(), pressed: None }
    }

    /// Returns the derivatives of the barrier, which `of` computes from the terms if `kappa` has changed.
    pub fn pressed(
        &mut self,
        kappa: f64,
        of: impl FnOnce(&[PrimitivePair]) -> Vec<PairTerms>,
    ) -> &[PairTerms] {
        if !self.pressed.as_ref().is_some_and(|(known, _)| *known == kappa) {
            self.pressed = None;
        }
        let compute = || (kappa, of(&self.terms));
        &self.pressed.get_or_insert_with(compute).1
    }
}

/// The contacts at the end of a step, for the next one.
#[derive(Debug)]
pub(crate) struct Kept {
    places: Vec<Placement>,
    reach: f64,
    near: Near,
}

impl Kept {
    /// Keeps the contacts within `reach` (m) of bodies at `places`.
    pub fn new(places: Vec<Placement>, reach: f64, near: Near) -> Self {
        Self { places, reach, near }
    }

    /// Returns the contacts if they are those at `places`.
    pub fn at(self, places: &[Placement], reach: f64) -> Option<Near> {
        (self.places == places && self.reach == reach).then_some(self.near)
    }
}
