//! The contacts where the bodies are, and what the barrier does there.

use rayon::prelude::*;

use crate::contact::{PrimitivePair, points, sorted};
use crate::pair::{Law, PairTerms};
use crate::placement::Placement;
use crate::terms::merged;

/// Minimum pairs of bodies per rayon task.
const GRAIN: usize = 8;

/// The contacts of bodies at some placements. All of it follows from the placements, so it is kept from
/// iteration to iteration, from round to round and from step to step, pair by pair, while the bodies stay.
#[derive(Debug, Default)]
pub(crate) struct Near {
    /// In ascending order of the bodies; each has a contact.
    pub pairs: Vec<NearPair>,
}

/// The contacts between two bodies.
#[derive(Debug)]
pub(crate) struct NearPair {
    /// The smaller index first.
    pub bodies: [usize; 2],
    /// All pairs of primitives within reach.
    pub contacts: Vec<PrimitivePair>,
    /// The same sum of barriers, each nearest feature once.
    pub terms: Vec<PrimitivePair>,
    /// The smallest distance (m).
    min_distance: f64,
    /// κ, and the derivatives of the barrier with it.
    pressed: Option<(f64, Box<PairTerms>)>,
}

impl NearPair {
    /// Creates the contacts of two bodies from `contacts`, those of them that are closer than `reach` (m);
    /// `None` if there are none.
    fn new(mut contacts: Vec<PrimitivePair>, places: &[Placement], reach: f64) -> Option<Self> {
        let mut least = f64::INFINITY;
        contacts.retain(|contact| {
            let d_sq = contact.distance_sq(&points(contact, places));
            let is_near = d_sq < reach * reach;
            least = if is_near { least.min(d_sq) } else { least };
            is_near
        });
        let bodies = sorted(contacts.first()?.bodies);
        let terms = merged(&contacts, places);
        Some(Self { bodies, contacts, terms, min_distance: least.sqrt(), pressed: None })
    }

    /// Computes the derivatives of the barrier, unless they are known for this κ.
    pub fn press(&mut self, places: &[Placement], law: Law) {
        if self.pressed.as_ref().is_none_or(|(known, _)| *known != law.1) {
            self.pressed = Some((law.1, Box::new(PairTerms::pressed(self.bodies, &self.terms, places, law))));
        }
    }

    /// Returns the derivatives of the barrier, if they have been computed.
    pub fn pressed(&self) -> Option<&PairTerms> {
        self.pressed.as_ref().map(|(_, terms)| terms.as_ref())
    }
}

impl Near {
    /// Returns the contacts at `places` after some bodies have moved, from those `contacts` of each pair in
    /// ascending order that may act; the pairs of bodies that both stayed keep theirs.
    pub fn renewed(
        self,
        has_moved: impl Fn(usize) -> bool,
        contacts: Vec<Vec<PrimitivePair>>,
        places: &[Placement],
        reach: f64,
    ) -> Self {
        let of = |contacts| NearPair::new(contacts, places, reach);
        let fresh: Vec<Option<NearPair>> = contacts.into_par_iter().with_min_len(GRAIN).map(of).collect();
        let kept = self.pairs.into_iter().filter(|pair| !pair.bodies.iter().any(|&body| has_moved(body)));
        let mut pairs: Vec<NearPair> = kept.collect();
        let n_kept = pairs.len();
        pairs.extend(fresh.into_iter().flatten());
        if n_kept > 0 && n_kept < pairs.len() {
            pairs.sort_by_key(|pair| pair.bodies);
        }
        Self { pairs }
    }

    /// Returns all contacts, pair by pair.
    pub fn contacts(&self) -> impl Iterator<Item = &PrimitivePair> {
        self.pairs.iter().flat_map(|pair| &pair.contacts)
    }

    /// Returns the smallest distance (m); infinity without contacts.
    pub fn min_distance(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.min_distance).fold(f64::INFINITY, f64::min)
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
