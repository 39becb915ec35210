//! The contacts where the bodies are, and what the barrier does there.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::barriers::Barriers;
use crate::contact::{PrimitivePair, points, sorted};
use crate::pair::PairBarrier;
use crate::pair_map::{PairIndex, PairMap};
use crate::placement::Placement;
use crate::terms::merged;

/// Minimum pairs of bodies per rayon task.
const GRAIN: usize = 8;
/// The same where derivatives are computed.
const FINE: usize = 4;

/// The contacts of bodies at some placements. All of it follows from the placements, so it is kept from
/// iteration to iteration, from round to round and from step to step, pair by pair, while the bodies stay.
#[derive(Debug, Default)]
pub(crate) struct ContactSet {
    /// Each has a contact.
    pub pairs: PairMap<Box<PairContacts>>,
}

/// The contacts between two bodies.
#[derive(Debug)]
pub(crate) struct PairContacts {
    /// The smaller index first.
    pub bodies: [usize; 2],
    /// The pairs of primitives within reach, each nearest feature once.
    pub terms: Vec<PrimitivePair>,
    /// The smallest distance (m) of all pairs of primitives.
    pub min_distance: f64,
    /// κ, and the derivatives of the barrier with it.
    pressed: Option<(f64, Arc<PairBarrier>)>,
    /// The barrier (m⁴), without κ.
    stored: OnceLock<f64>,
}

/// The smallest distances (m) before and after a change; infinity if there are no contacts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MinDistances {
    pub before: f64,
    pub now: f64,
}

impl PairContacts {
    /// Creates the contacts of two bodies from `contacts`, those of them that are closer than `reach` (m);
    /// `None` if there are none. `scratch` is room for a list.
    fn new(
        mut contacts: Vec<PrimitivePair>,
        places: &[Placement],
        reach: f64,
        scratch: &mut Vec<PrimitivePair>,
    ) -> Option<Box<Self>> {
        let mut least = f64::INFINITY;
        contacts.retain(|contact| {
            let d_sq = contact.distance_sq(&points(contact, places));
            let is_near = d_sq < reach * reach;
            least = if is_near { least.min(d_sq) } else { least };
            is_near
        });
        let bodies = sorted(contacts.first()?.bodies);
        let terms = merged(&contacts, places, scratch);
        Some(Box::new(Self {
            bodies,
            terms,
            min_distance: least.sqrt(),
            pressed: None,
            stored: OnceLock::new(),
        }))
    }

    /// Returns the barrier (m⁴) of the contacts, without κ: that at the first `places` for which it was asked, as a pair is made anew when
    /// one of its bodies moves.
    pub fn barrier(&self, barriers: &Barriers, places: &[Placement]) -> f64 {
        let barrier = barriers.between(self.bodies);
        let energy = |term: &PrimitivePair| term.energy(barrier, &points(term, places));
        *self.stored.get_or_init(|| self.terms.iter().map(energy).sum())
    }

    /// Returns the derivatives of the barrier, if they are known for this κ.
    pub fn pressed(&self, kappa: f64) -> Option<&Arc<PairBarrier>> {
        self.pressed.as_ref().filter(|(known, _)| *known == kappa).map(|(_, pressed)| pressed)
    }
}

impl ContactSet {
    /// Creates the contacts at `places` from those `contacts` of each pair that may act there.
    pub fn new(contacts: Vec<Vec<PrimitivePair>>, places: &[Placement], reach: f64) -> Self {
        let mut near = Self::default();
        near.renew(&[], |_| false, contacts, places, reach, 0.0);
        near
    }

    /// Changes to the contacts at `places` after the bodies `moved` have moved, from those `contacts` of each pair
    /// that may act; the pairs of bodies that both stayed keep theirs. Returns the smallest distances, if they can
    /// have fallen below `low` (m).
    pub fn renew(
        &mut self,
        moved: &[usize],
        has_moved: impl Fn(usize) -> bool,
        contacts: Vec<Vec<PrimitivePair>>,
        places: &[Placement],
        reach: f64,
        low: f64,
    ) -> Option<MinDistances> {
        let of = |scratch: &mut Vec<_>, contacts| PairContacts::new(contacts, places, reach, scratch);
        let fresh: Vec<Option<Box<PairContacts>>> =
            contacts.into_par_iter().with_min_len(GRAIN).map_init(Vec::new, of).collect();
        let is_low = fresh.iter().flatten().any(|pair| pair.min_distance < low);
        let before = is_low.then(|| self.min_distance());
        let spots = self.pairs.of(moved.iter(), has_moved);
        let fresh = fresh.into_iter().flatten().map(|pair| (pair.bodies, pair));
        self.pairs.exchange(spots, fresh);
        before.map(|before| MinDistances { before, now: self.min_distance() })
    }

    /// Returns where the pairs of these bodies are, and the derivatives of the barrier there: those known for this κ, or
    /// computed now. `is_among` returns whether a body is one of them.
    pub fn pressed(
        &self,
        bodies: &[usize],
        is_among: impl Fn(usize) -> bool,
        places: &[Placement],
        (barriers, kappa): (&Barriers, f64),
    ) -> Vec<(PairIndex, Arc<PairBarrier>)> {
        let of = |spot: PairIndex| {
            let pair = self.pairs.at(spot)?;
            let known = pair.pressed(kappa).cloned();
            let law = || (barriers.between(pair.bodies), kappa);
            let pressed =
                known.unwrap_or_else(|| Arc::new(PairBarrier::new(pair.bodies, &pair.terms, places, law())));
            Some((spot, pressed))
        };
        let spots = self.pairs.of(bodies.iter(), is_among);
        if spots.len() < 2 * FINE {
            return spots.into_iter().filter_map(of).collect();
        }
        let all: Vec<_> = spots.into_par_iter().with_min_len(FINE).map(of).collect();
        all.into_iter().flatten().collect()
    }

    /// Keeps derivatives of the barrier for this κ.
    pub fn keep(&mut self, pressed: Vec<(PairIndex, Arc<PairBarrier>)>, kappa: f64) {
        for (spot, pressed) in pressed {
            if let Some(pair) = self.pairs.at_mut(spot) {
                pair.pressed = Some((kappa, pressed));
            }
        }
    }

    /// Returns the smallest distance (m); infinity without contacts.
    pub fn min_distance(&self) -> f64 {
        self.pairs.values().map(|pair| pair.min_distance).fold(f64::INFINITY, f64::min)
    }
}

/// The contacts at the end of a step, for the next one.
#[derive(Debug)]
pub(crate) struct StoredContacts {
    places: Vec<Placement>,
    reach: f64,
    near: ContactSet,
}

impl StoredContacts {
    /// Keeps the contacts within `reach` (m) of bodies at `places`.
    pub fn new(places: Vec<Placement>, reach: f64, near: ContactSet) -> Self {
        Self { places, reach, near }
    }

    /// Returns the contacts if they are those at `places`.
    pub fn at(self, places: &[Placement], reach: f64) -> Option<ContactSet> {
        (self.places == places && self.reach == reach).then_some(self.near)
    }
}
