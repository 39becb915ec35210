//! Barriers of their own for pairs of bodies that start within d̂, so that none pushes at the start.

use rigor_scene::{Memory, State};

use crate::barriers::Barriers;
use crate::config::{Config, StartWithin};
use crate::contact_set::ContactSet;
use crate::memory;

/// Three numbers per pair: the indices of its bodies and its width (m).
const WIDTHS: &str = "ipc/widths";
/// Smallest width, relative to d̂: κ is raised below 10⁻³ d̂, so that what rests within it must stay above.
pub(crate) const MIN_WIDTH: f64 = 1e-2;
/// Part of a distance that is its width: the barrier is 0 at that distance also where it is rounded.
const WITHIN: f64 = 1.0 - 1e-9;

/// For each pair of bodies that started within d̂, its width w (m): its barrier acts from d_min + w on.
///
/// w is the largest distance, beyond d_min, that the pair has had since the start, until it exceeds d̂. A width changes only where the pair
/// is that far apart: there the old barrier and the new one are 0, so a change gives no energy. At the start w is the distance itself, but
/// at least 10⁻² d̂; what such a barrier stores below that is all that becomes motion. The barrier has the force κ |∂b/∂d| at θ w that the
/// common one has at θ d̂.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Widths(Vec<([usize; 2], f64)>);

impl Widths {
    /// Returns the widths in a step from `state`, where bodies are `near`, given d̂ (m): none if d̂ is the default, which is at most the
    /// distance at the start, or so small that nothing narrower can be solved.
    pub fn new(config: &Config, state: &State, near: &ContactSet, d_hat: f64) -> Self {
        match (config.start_within, config.d_hat) {
            (StartWithin::Pushed, _) | (StartWithin::Narrowed, None) => Self::default(),
            (StartWithin::Narrowed, Some(_)) if memory::is_empty(state) => {
                Self::at_start(near, d_hat, config.minimum_separation)
            }
            // The state may be that of a run with a larger d̂.
            (StartWithin::Narrowed, Some(_)) => Self::read(state, d_hat),
        }
    }

    /// Returns the widths of the pairs that are `near` at the start, given d̂ and d_min (m).
    fn at_start(near: &ContactSet, d_hat: f64, d_min: f64) -> Self {
        let width = |distance: f64| (WITHIN * (distance - d_min)).max(MIN_WIDTH * d_hat);
        let all = near.pairs.values().map(|pair| (pair.bodies, width(pair.min_distance)));
        Self(all.filter(|(_, width)| *width < d_hat).collect())
    }

    fn read(state: &State, d_hat: f64) -> Self {
        let numbers = state.memory.numbers.get(WIDTHS).map_or(&[][..], Vec::as_slice);
        let all = numbers.chunks_exact(3).map(|n| ([n[0] as usize, n[1] as usize], n[2]));
        Self(all.filter(|(_, width)| *width < d_hat).collect())
    }

    pub fn store(&self, memory: &mut Memory) {
        match self.0.is_empty() {
            true => _ = memory.numbers.remove(WIDTHS),
            false => {
                let numbers = |([a, b], width): &([usize; 2], f64)| [*a as f64, *b as f64, *width];
                memory.store(WIDTHS, self.0.iter().flat_map(numbers));
            }
        }
    }

    /// Returns the widths after bodies have come to where they are `near`.
    pub fn after(&self, near: &ContactSet, d_hat: f64, d_min: f64) -> Self {
        let grown = |(bodies, width): &([usize; 2], f64)| {
            let distance = near.pairs.get(*bodies)?.min_distance;
            let width = width.max(WITHIN * (distance - d_min));
            (width < d_hat).then_some((*bodies, width))
        };
        Self(self.0.iter().filter_map(grown).collect())
    }

    /// Returns the smallest distance (m) of bodies that are `near`, those of each pair that has a width in units of it instead of d̂.
    pub fn nearest(&self, near: &ContactSet, d_hat: f64, d_min: f64) -> f64 {
        let scaled = |(bodies, distance): ([usize; 2], f64)| match self.width_between(bodies) {
            Some(width) => d_min + (distance - d_min) / width * d_hat,
            None => distance,
        };
        let all = near.pairs.values().map(|pair| (pair.bodies, pair.min_distance));
        all.map(scaled).fold(f64::INFINITY, f64::min)
    }

    /// Returns the barriers of all pairs, given d̂ and d_min (m).
    pub fn barriers(&self, d_hat: f64, d_min: f64) -> Barriers {
        Barriers::new(d_hat, d_min, &self.0)
    }

    /// Returns the width (m) of a pair, given with the smaller index first; `None` if its barrier is the common one.
    fn width_between(&self, bodies: [usize; 2]) -> Option<f64> {
        let at = self.0.binary_search_by_key(&bodies, |(bodies, _)| *bodies).ok()?;
        Some(self.0[at].1)
    }
}
