//! The bodies that move in an iteration of Newton's method, and their steps.

use nalgebra::SVector;

use crate::groups::Groups;

/// A step of one body in its N coordinates.
pub(crate) type Step<const N: usize> = SVector<f64, N>;

/// Some of the bodies, numbered by slots in ascending order, so that what is known of them takes no room for others.
#[derive(Debug, Clone)]
pub(crate) struct BodySlots {
    pub bodies: Vec<usize>,
    /// The slot of each body; `NONE` for bodies that do not move.
    slots: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl BodySlots {
    /// Creates the bodies of these groups, out of `n`.
    pub fn of(groups: &Groups, n: usize) -> Self {
        let mut bodies: Vec<usize> = groups.all.iter().flatten().copied().collect();
        bodies.sort_unstable();
        let mut slots = vec![NONE; n];
        bodies.iter().zip(0..).for_each(|(&body, slot)| slots[body] = slot);
        Self { bodies, slots }
    }

    pub fn slot(&self, body: usize) -> Option<usize> {
        self.slots.get(body).filter(|slot| **slot != NONE).map(|slot| *slot as usize)
    }
}

/// The steps that bodies make: by their slots those of some bodies, or those of all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps<'a, const N: usize> {
    movers: Option<&'a BodySlots>,
    p: &'a [Step<N>],
}

impl<'a, const N: usize> Steps<'a, N> {
    /// No body moves.
    pub const NONE: Self = Self { movers: None, p: &[] };

    /// Creates the steps of the movers; other bodies stay.
    pub fn of(movers: &'a BodySlots, p: &'a [Step<N>]) -> Self {
        Self { movers: Some(movers), p }
    }

    /// Creates the steps of all bodies.
    pub fn all(p: &'a [Step<N>]) -> Self {
        Self { movers: None, p }
    }

    /// Returns the step of a body: zero if it stays.
    #[inline]
    pub fn step(&self, body: usize) -> Step<N> {
        let slot = match self.movers {
            Some(movers) => movers.slot(body),
            None => Some(body),
        };
        slot.and_then(|slot| self.p.get(slot)).copied().unwrap_or_else(Step::zeros)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector6;

    use super::*;

    #[test]
    fn bodies_without_a_slot_stay() {
        let groups = Groups::of(vec![vec![1, 4], vec![2]], 5);
        let movers = BodySlots::of(&groups, 5);
        assert_eq!(movers.bodies, [1, 2, 4]);
        assert_eq!([0, 1, 2, 3, 4].map(|body| movers.slot(body)), [None, Some(0), Some(1), None, Some(2)]);
        let p = [1.0, 2.0, 3.0].map(Vector6::repeat);
        let steps = Steps::of(&movers, &p);
        assert_eq!([0, 1, 2, 3, 4].map(|body| steps.step(body)[0]), [0.0, 1.0, 2.0, 0.0, 3.0]);
        assert_eq!((Steps::all(&p).step(2), Steps::NONE.step(2)), (p[2], Vector6::zeros()));
    }
}
