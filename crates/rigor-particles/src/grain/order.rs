//! Grains in the order of their cells, and the pairs of near ones.
//!
//! Source: \[Harada2007\]: the edge of a cell is the diameter of a particle. Deviation: cells follow the
//! Z-order curve \[Morton1966\], so that neighbours in space are neighbours in memory, and each pair is found
//! once.

use std::ops::Range;

use rayon::prelude::*;

use rigor_math::Vec3;

use crate::config::Cells;
use crate::grain::row::Row;

/// Bits of a cell's coordinate. Coordinates wrap beyond; a pair that meets so is too far apart to be near.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;
const NONE: u32 = u32::MAX;

/// A place in space (m).
pub(crate) trait Point {
    fn coordinates(&self) -> [f64; 3];
}

impl Point for Vec3 {
    fn coordinates(&self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }
}

impl Point for Row {
    fn coordinates(&self) -> [f64; 3] {
        let [x, y, z, _] = self.to_array();
        [x, y, z]
    }
}

/// A cell with at least one grain: its place on the curve, and its first grain.
#[derive(Debug, Clone, Copy)]
struct Cell {
    key: u64,
    start: u32,
}

/// The order of grains by cell.
#[derive(Debug, Default)]
pub(crate) struct Order {
    edge: f64,
    /// Key of the cell and number in the scene of each grain, ascending.
    pub sorted: Vec<(u64, u32)>,
    cells: Vec<Cell>,
    /// Places of cells by hash of their keys, with open addressing.
    table: Vec<u32>,
    keep_four: bool,
}

impl Order {
    /// Sorts grains with these numbers and positions (m) into cells with this `edge` (m).
    pub fn sort(&mut self, ids: &[u32], positions: &[impl Point], edge: f64, keep: Cells) {
        (self.edge, self.keep_four) = (edge, keep == Cells::Four);
        self.sorted.clear();
        self.sorted.extend(ids.iter().zip(positions).map(|(id, x)| (morton(coordinates(x, edge)), *id)));
        self.sorted.par_sort_unstable();
        self.cells.clear();
        for (i, (key, _)) in self.sorted.iter().enumerate() {
            if self.cells.last().is_none_or(|cell| cell.key != *key) {
                self.cells.push(Cell { key: *key, start: i as u32 });
            }
        }
        self.table.clear();
        self.table.resize((2 * self.cells.len()).next_power_of_two(), NONE);
        for (c, cell) in self.cells.iter().enumerate() {
            let mut place = self.place(cell.key);
            while self.table[place] != NONE {
                place = (place + 1) & (self.table.len() - 1);
            }
            self.table[place] = c as u32;
        }
    }

    /// Number of grains that found no place in their cell.
    pub fn dropped(&self) -> usize {
        let of = |c: usize| self.range(c).len().saturating_sub(4);
        if self.keep_four { (0..self.cells.len()).map(of).sum() } else { 0 }
    }

    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.table.len() - 1)
    }

    fn find(&self, key: u64) -> Option<usize> {
        let mut place = self.place(key);
        loop {
            let c = self.table[place];
            if c == NONE {
                return None;
            }
            if self.cells[c as usize].key == key {
                return Some(c as usize);
            }
            place = (place + 1) & (self.table.len() - 1);
        }
    }

    /// The grains of a cell.
    fn range(&self, c: usize) -> Range<usize> {
        let end = self.cells.get(c + 1).map_or(self.sorted.len(), |cell| cell.start as usize);
        self.cells[c].start as usize..end
    }

    /// Those of its grains that have a place.
    fn members(&self, c: usize) -> Range<usize> {
        let range = self.range(c);
        if self.keep_four { range.start..range.end.min(range.start + 4) } else { range }
    }

    /// Calls `visit` with each grain i of `some` and ranges of all later grains j > i in its own and the 26
    /// neighbouring cells; `positions` are in the sorted order.
    pub fn visit(
        &self,
        some: Range<usize>,
        positions: &[impl Point],
        mut visit: impl FnMut(usize, &[Range<usize>]),
    ) {
        let mut c = self.cells.partition_point(|cell| cell.start as usize <= some.start).max(1) - 1;
        let mut near: Vec<Range<usize>> = Vec::with_capacity(27);
        while c < self.cells.len() && (self.cells[c].start as usize) < some.end {
            let members = self.members(c);
            near.clear();
            near.push(0..0);
            let [x, y, z] = coordinates(&positions[members.start], self.edge);
            for k in (0..27_u64).filter(|k| *k != 13) {
                let step = |c: u64, d: u64| c.wrapping_add(d).wrapping_sub(1) & MASK;
                let key = morton([step(x, k / 9), step(y, k / 3 % 3), step(z, k % 3)]);
                near.extend(self.find(key).filter(|other| *other > c).map(|other| self.members(other)));
            }
            for i in members.clone().filter(|i| some.contains(i)) {
                near[0] = i + 1..members.end;
                visit(i, &near);
            }
            c += 1;
        }
    }
}

/// Integer coordinates of the cell of a point, wrapped.
fn coordinates(point: &impl Point, edge: f64) -> [u64; 3] {
    point.coordinates().map(|x| (x / edge).floor() as i64 as u64 & MASK)
}

/// The place of a cell on the Z-order curve: the bits of its coordinates, interleaved.
fn morton(cell: [u64; 3]) -> u64 {
    let spread = |mut x: u64| {
        x = (x | x << 32) & 0x001f_0000_0000_ffff;
        x = (x | x << 16) & 0x001f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(cell[0]) << 2 | spread(cell[1]) << 1 | spread(cell[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_near_pair_is_found_once() {
        let part = |i: usize, step: f64| 6.0 * ((i as f64 * step).fract() - 0.5);
        let steps = [0.754_877_666_246_693, 0.569_840_290_998_053, 0.430_159_709_001_946];
        for offset in [0.0, 1e7] {
            let points: Vec<Vec3> =
                (1..=2000).map(|i| Vec3::from(steps.map(|step| part(i, step) + offset))).collect();
            let ids: Vec<u32> = (0..points.len() as u32).collect();
            let mut order = Order::default();
            order.sort(&ids, &points, 0.5, Cells::All);
            let sorted: Vec<Vec3> = order.sorted.iter().map(|(_, id)| points[*id as usize]).collect();
            let is_near = |i: usize, j: usize| (sorted[i] - sorted[j]).norm_squared() <= 0.25;
            let mut found = Vec::new();
            for some in [0..700, 700..2000] {
                order.visit(some, &sorted, |i, near| {
                    found.extend(near.iter().cloned().flatten().filter(|j| is_near(i, *j)).map(|j| (i, j)));
                });
            }
            found.sort_unstable();
            let all = (0..2000).flat_map(|i| (i + 1..2000).map(move |j| (i, j)));
            assert_eq!(found, all.filter(|(i, j)| is_near(*i, *j)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_curve_interleaves_bits() {
        assert_eq!([[1, 0, 0], [0, 1, 0], [0, 0, 1], [3, 0, 2]].map(morton), [4, 2, 1, 4 + 32 + 8]);
        assert_eq!(morton([MASK; 3]), (1 << 63) - 1);
    }
}
