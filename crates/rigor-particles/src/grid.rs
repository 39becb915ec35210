//! A uniform grid over particles, in an unbounded domain.
//!
//! Source: \[Harada2007\]: the edge of a cell is the diameter of a particle, so that a particle touches only
//! particles of its own and the 26 neighbouring cells. Deviations: cells are found by hashing, so that the
//! domain needs no bounds, and filled by counting sort, so that no particle is dropped; the edge may have another
//! length, in which case particles touch those of up to ⌈diameter/edge⌉ cells away.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::config::Cells;

/// Particles handled by one task. The result does not depend on it.
const CHUNK: usize = 512;

/// The cell of a point: integer coordinates.
type Cell = [i64; 3];

/// A grid over a list of points.
///
/// ```
/// use rigor_math::Vec3;
/// use rigor_particles::{Cells, Grid};
/// let points = [0.0, 0.9, 5.0].map(|x| Vec3::new(x, 0.0, 0.0));
/// let grid = Grid::new(&points, 1.0, Cells::All);
/// assert_eq!(grid.pairs(&points, |_, _| true), [[0, 1]]);
/// ```
#[derive(Debug, Default)]
pub struct Grid {
    reach: f64,
    /// The farthest cells, along each axis, that hold points within reach.
    rings: i64,
    /// First place of each bucket in `sorted`; one more at the end.
    starts: Vec<u32>,
    /// Indices of points by bucket, ascending within each.
    sorted: Vec<u32>,
    cells: Vec<Cell>,
    mask: u64,
    dropped: usize,
}

impl Grid {
    /// Sorts `points` (m) into cells whose edge is `reach` (m > 0), the distance of the farthest pairs to be found.
    pub fn new(points: &[Vec3], reach: f64, keep: Cells) -> Self {
        Self::with_edge(points, reach, 1.0, keep)
    }

    /// Sorts `points` (m) into cells whose edge is `edge` (> 0) times `reach` (m > 0).
    pub fn with_edge(points: &[Vec3], reach: f64, edge: f64, keep: Cells) -> Self {
        let (rings, edge) = ((1.0 / edge).ceil() as i64, edge * reach);
        let n_buckets = points.len().max(1).next_power_of_two();
        let mask = n_buckets as u64 - 1;
        let cells: Vec<Cell> = points.iter().map(|point| cell(point, edge)).collect();
        let buckets: Vec<usize> = cells.iter().map(|cell| bucket(cell, mask)).collect();
        let mut starts = vec![0_u32; n_buckets + 1];
        for &bucket in &buckets {
            starts[bucket + 1] += 1;
        }
        for i in 0..n_buckets {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0_u32; points.len()];
        for (i, &bucket) in buckets.iter().enumerate() {
            sorted[next[bucket] as usize] = i as u32;
            next[bucket] += 1;
        }
        let mut grid = Self { reach, rings, starts, sorted, cells, mask, dropped: 0 };
        if keep == Cells::Four {
            grid.keep_four();
        }
        grid
    }

    /// Number of points that found no place in their cell.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Moves all but the first four points of every cell to a cell of their own, far away.
    ///
    /// Source: \[Harada2007\]: a texel has four channels.
    fn keep_four(&mut self) {
        for bucket in 0..self.starts.len() - 1 {
            let members = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for k in members.clone() {
                let cell = self.cells[self.sorted[k] as usize];
                let before = self.sorted[members.start..k].iter();
                if before.filter(|&&i| self.cells[i as usize] == cell).count() >= 4 {
                    self.cells[self.sorted[k] as usize] = [i64::MAX; 3];
                    self.dropped += 1;
                }
            }
        }
    }

    /// All pairs [i, j], i < j, of points within reach of each other that `may_touch`, in ascending order.
    pub fn pairs(&self, points: &[Vec3], may_touch: impl Fn(u32, u32) -> bool + Sync) -> Vec<[u32; 2]> {
        let of_chunk = |chunk: usize| {
            let mut pairs = Vec::new();
            for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(points.len()) {
                self.pairs_of(i as u32, points, &may_touch, &mut pairs);
            }
            pairs
        };
        let n_chunks = points.len().div_ceil(CHUNK);
        if n_chunks < 2 {
            return (0..n_chunks).flat_map(of_chunk).collect();
        }
        let chunks: Vec<Vec<[u32; 2]>> = (0..n_chunks).into_par_iter().map(of_chunk).collect();
        chunks.concat()
    }

    /// The cell of point `i`.
    pub(crate) fn cell_of(&self, i: usize) -> Cell {
        self.cells[i]
    }

    /// Adds all points in the cell of point `i` and in those that hold points within reach to `found`, `i` included.
    pub(crate) fn collect_around(&self, i: usize, found: &mut Vec<u32>) {
        for cell in self.around(self.cells[i]) {
            let bucket = bucket(&cell, self.mask);
            let members = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            found.extend(self.sorted[members].iter().filter(|&&j| self.cells[j as usize] == cell));
        }
    }

    /// The cells that hold points within reach of the points of the cell `home`: itself and its neighbours.
    fn around(&self, home: Cell) -> impl Iterator<Item = Cell> {
        let (far, side) = (self.rings, 2 * self.rings + 1);
        (0..side * side * side).map(move |k| {
            [home[0] + k / (side * side) - far, home[1] + k / side % side - far, home[2] + k % side - far]
        })
    }

    fn pairs_of(
        &self,
        i: u32,
        points: &[Vec3],
        may_touch: &impl Fn(u32, u32) -> bool,
        pairs: &mut Vec<[u32; 2]>,
    ) {
        let (point, home, first) = (points[i as usize], self.cells[i as usize], pairs.len());
        if home[0] == i64::MAX {
            return;
        }
        for cell in self.around(home) {
            let bucket = bucket(&cell, self.mask);
            let members = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for &j in &self.sorted[members] {
                let is_near = || (points[j as usize] - point).norm_squared() <= self.reach * self.reach;
                // Several cells share a bucket.
                if j > i && self.cells[j as usize] == cell && may_touch(i, j) && is_near() {
                    pairs.push([i, j]);
                }
            }
        }
        pairs[first..].sort_unstable();
    }
}

/// Returns the cell of a point; coordinates that no integer can hold end up at the ends of the range.
fn cell(point: &Vec3, edge: f64) -> Cell {
    // A quarter of the range leaves room for neighbours and for the cell of dropped points.
    let limit = (i64::MAX / 4) as f64;
    [0, 1, 2].map(|k| (point[k] / edge).floor().clamp(-limit, limit) as i64)
}

/// Returns the bucket of a cell: the finaliser of SplitMix64 \[Steele2014\] over its coordinates.
fn bucket(cell: &Cell, mask: u64) -> usize {
    let mix = |mut x: u64| {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let combine = |hash: u64, c: &i64| mix(hash.wrapping_add(*c as u64).wrapping_add(0x9e37_79b9_7f4a_7c15));
    (cell.iter().fold(0, combine) & mask) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of the Weyl sequence with irrational steps: evenly spread, without a pattern.
    fn cloud(n: usize, size: f64) -> Vec<Vec3> {
        let part = |i: usize, step: f64| size * ((i as f64 * step).fract() - 0.5);
        let steps = [0.754_877_666_246_693, 0.569_840_290_998_053, 0.430_159_709_001_946];
        (1..=n).map(|i| Vec3::from(steps.map(|step| part(i, step)))).collect()
    }

    fn brute(points: &[Vec3], reach: f64) -> Vec<[u32; 2]> {
        let n = points.len();
        let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
        let near = |[i, j]: &[usize; 2]| (points[*i] - points[*j]).norm_squared() <= reach * reach;
        all.filter(near).map(|[i, j]| [i as u32, j as u32]).collect()
    }

    #[test]
    fn every_near_pair_is_found_once_in_order_wherever_it_lies() {
        for (size, offset) in [(4.0, 0.0), (20.0, 0.0), (4.0, 1e9)] {
            let points: Vec<Vec3> = cloud(1500, size).iter().map(|p| p + Vec3::repeat(offset)).collect();
            let expected = brute(&points, 0.5);
            let grid = Grid::new(&points, 0.5, Cells::All);
            assert_eq!(grid.pairs(&points, |_, _| true), expected, "{size} {offset}");
            let odd = |i: u32, j: u32| (i + j) % 2 == 1;
            let filtered: Vec<_> = expected.into_iter().filter(|[i, j]| odd(*i, *j)).collect();
            assert_eq!(grid.pairs(&points, odd), filtered);
            for edge in [0.2, 0.3, 0.5, 0.9, 1.1, 2.0, 5.0] {
                let grid = Grid::with_edge(&points, 0.5, edge, Cells::All);
                assert_eq!(grid.pairs(&points, odd), filtered, "edge {edge}");
            }
        }
    }

    #[test]
    fn four_per_cell_lose_contacts_and_count_them() {
        let points = cloud(1500, 2.0);
        let (all, four) = (Grid::new(&points, 0.5, Cells::All), Grid::new(&points, 0.5, Cells::Four));
        assert_eq!(all.dropped(), 0);
        assert!(four.dropped() > 1000);
        assert!(four.pairs(&points, |_, _| true).len() < all.pairs(&points, |_, _| true).len() / 4);
    }

    #[test]
    fn positions_at_the_ends_of_the_range_do_no_harm() {
        let far = [Vec3::repeat(1e300), Vec3::repeat(-1e300), Vec3::zeros()];
        assert!(Grid::new(&far, 1e-3, Cells::All).pairs(&far, |_, _| true).is_empty());
    }
}
