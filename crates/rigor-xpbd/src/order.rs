//! The order in which constraints are solved, and which of them are solved at the same time.

pub(crate) mod palette;
pub(crate) mod rank;

use crate::config::Order;

impl Order {
    /// Permutes `items` from the given order into this one.
    pub(crate) fn arrange<T>(self, items: &mut [T]) {
        match self {
            Self::Given => {}
            Self::Reversed => items.reverse(),
            Self::Shuffled(seed) => shuffle(items, seed),
        }
    }
}

/// Fisher–Yates shuffle with the generator of \[Steele2014\].
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for i in (1..items.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        items.swap(i, ((z ^ (z >> 31)) % (i as u64 + 1)) as usize);
    }
}
