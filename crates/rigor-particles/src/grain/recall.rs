//! Histories of contacts between grains, by their numbers in the scene.

use rigor_math::Vec3;

/// The history of a contact of the grains a < b: ξ (m) and θ (rad), world, of a relative to b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Record {
    pub a: u32,
    pub b: u32,
    pub slides: bool,
    pub shear: Vec3,
    pub roll: Vec3,
}

/// Histories in ascending order of their grains.
#[derive(Debug, Default)]
pub(crate) struct Recall {
    /// First record of each grain as the smaller one; one more at the end.
    starts: Vec<u32>,
    pub records: Vec<Record>,
}

const VOID: Record =
    Record { a: 0, b: 0, slides: false, shear: Vec3::new(0.0, 0.0, 0.0), roll: Vec3::new(0.0, 0.0, 0.0) };

impl Recall {
    /// Keeps `records` of `n` grains, instead of those before. Records of grains that are not there are left out.
    pub fn keep(&mut self, n: usize, records: impl Iterator<Item = Record> + Clone) {
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
        self.records.clear();
        self.records.resize(total, VOID);
        // `starts[a + 1]` runs from the first place of a to that of a + 1.
        for record in records {
            let next = &mut self.starts[record.a as usize + 1];
            self.records[*next as usize] = record;
            *next += 1;
        }
        for a in 0..n {
            let range = self.starts[a] as usize..self.starts[a + 1] as usize;
            self.records[range].sort_unstable_by_key(|record| record.b);
        }
    }

    /// The history of the contact of a < b.
    pub fn find(&self, a: u32, b: u32) -> Option<&Record> {
        let range = self.starts[a as usize] as usize..self.starts[a as usize + 1] as usize;
        self.records[range].iter().find(|record| record.b == b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_by_their_grains_and_sorted() {
        let record = |(a, b): (u32, u32)| Record { a, b, shear: Vec3::x() * f64::from(a * 10 + b), ..VOID };
        let mut recall = Recall::default();
        for n in [4, 5] {
            recall.keep(n, [(2, 3), (0, 3), (1, 2), (0, 1), (3, 9)].into_iter().map(record));
            assert_eq!(
                recall.records.iter().map(|r| (r.a, r.b)).collect::<Vec<_>>(),
                [(0, 1), (0, 3), (1, 2), (2, 3)]
            );
            assert_eq!(recall.find(1, 2).map(|r| r.shear.x), Some(12.0));
            assert!(recall.find(1, 3).is_none() && recall.find(3, 3).is_none());
        }
    }
}
