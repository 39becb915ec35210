//! Histories of contacts between grains, by their numbers in the scene.

use std::ops::Range;

use rigor_math::Vec3;

/// The history of a contact of the grains a < b: ξ (m) and θ (rad), world, of a relative to b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactHistory {
    pub a: u32,
    pub b: u32,
    pub slides: bool,
    pub shear: Vec3,
    pub roll: Vec3,
}

/// A record as it is kept, in 32 bytes: b, with a flag where it slid, and ξ (m, world).
#[derive(Debug, Clone, Copy)]
struct Kept {
    a: u32,
    b: u32,
    shear: Vec3,
}

/// Flag beside b. Scenes have fewer than 2³¹ grains.
const SLID: u32 = 1 << 31;

/// Histories in ascending order of their grains.
#[derive(Debug, Default)]
pub(crate) struct ContactHistories {
    /// First record of each grain as the smaller one; one more at the end.
    starts: Vec<u32>,
    kept: Vec<Kept>,
    /// θ (rad, world) of each; empty without rolling resistance.
    rolls: Vec<Vec3>,
}

impl ContactHistories {
    /// Keeps `records` of `n` grains, instead of those before; θ if `with_rolls`. Records of grains that are not
    /// there are left out.
    pub fn keep(
        &mut self,
        n: usize,
        records: impl Iterator<Item = ContactHistory> + Clone,
        with_rolls: bool,
    ) {
        let records = records.filter(|record| record.a < record.b && (record.b as usize) < n);
        self.starts.clear();
        self.starts.resize(n + 2, 0);
        let mut total = 0;
        for record in records.clone() {
            self.starts[record.a as usize + 2] += 1;
            total += 1;
        }
        for i in 2..n + 2 {
            self.starts[i] += self.starts[i - 1];
        }
        self.kept.clear();
        self.kept.resize(total, Kept { a: 0, b: 0, shear: Vec3::zeros() });
        self.rolls.clear();
        self.rolls.resize(if with_rolls { total } else { 0 }, Vec3::zeros());
        // `starts[a + 1]` runs from the first place of a to that of a + 1.
        for ContactHistory { a, b, slides, shear, roll } in records {
            let next = &mut self.starts[a as usize + 1];
            let place = *next as usize;
            *next += 1;
            self.kept[place] = Kept { a, b: if slides { b | SLID } else { b }, shear };
            if let Some(kept) = self.rolls.get_mut(place) {
                *kept = roll;
            }
        }
        for a in 0..n {
            self.sort(self.starts[a] as usize..self.starts[a + 1] as usize);
        }
    }

    /// Sorts the few records of one grain by the other one.
    fn sort(&mut self, range: Range<usize>) {
        for end in range.clone() {
            let mut k = end;
            while k > range.start && self.kept[k - 1].b & !SLID > self.kept[k].b & !SLID {
                self.kept.swap(k - 1, k);
                if !self.rolls.is_empty() {
                    self.rolls.swap(k - 1, k);
                }
                k -= 1;
            }
        }
    }

    /// The history of the contact of a < b.
    pub fn find(&self, a: u32, b: u32) -> Option<ContactHistory> {
        let mut range = self.starts[a as usize] as usize..self.starts[a as usize + 1] as usize;
        range.find(|k| self.kept[*k].b & !SLID == b).map(|k| self.record(k))
    }

    /// All histories, in the order of their grains.
    pub fn records(&self) -> impl ExactSizeIterator<Item = ContactHistory> + Clone {
        (0..self.kept.len()).map(|k| self.record(k))
    }

    fn record(&self, k: usize) -> ContactHistory {
        let Kept { a, b, shear } = self.kept[k];
        let roll = self.rolls.get(k).copied().unwrap_or_default();
        ContactHistory { a, b: b & !SLID, slides: b & SLID != 0, shear, roll }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_their_grains_and_sorted() {
        let record = |(a, b): (u32, u32)| {
            let number = f64::from(a * 10 + b);
            ContactHistory { a, b, slides: b == 3, shear: Vec3::x() * number, roll: Vec3::y() * number }
        };
        let mut recall = ContactHistories::default();
        for (n, with_rolls) in [(4, false), (5, true)] {
            let given = [(2, 3), (0, 3), (1, 2), (0, 1), (3, 9), (0, 2)].into_iter().map(record);
            recall.keep(n, given, with_rolls);
            let expected = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)].map(record).map(|record| {
                ContactHistory { roll: if with_rolls { record.roll } else { Vec3::zeros() }, ..record }
            });
            assert_eq!(recall.records().collect::<Vec<_>>(), expected);
            assert_eq!(recall.find(1, 2), Some(expected[3]));
            assert!(recall.find(1, 3).is_none() && recall.find(3, 3).is_none());
        }
    }
}
