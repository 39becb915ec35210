//! All neighbours of every point of a cloud, as smoothed-particle hydrodynamics needs them.
//!
//! Source: \[Harada2007\] names neighbour search as a use of its grid. Cells have the edge of the search
//! radius and are filled by counting sort; each cell collects its candidates once for all of its points.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::config::Cells;
use crate::grid::Grid;

/// Points handled by one task. The result does not depend on it.
const CHUNK: usize = 512;

/// The neighbours of each point: lists one after the other.
///
/// ```
/// use rigor_math::Vec3;
/// use rigor_particles::Neighbourhood;
/// let points = [0.0, 0.4, 0.9, 5.0].map(|x| Vec3::new(x, 0.0, 0.0));
/// let near = Neighbourhood::find(&points, 0.6, |_, _| true);
/// assert_eq!([near.of(0), near.of(1), near.of(2), near.of(3)], [&[1][..], &[0, 2], &[1], &[]]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Neighbourhood {
    /// First place of each point in `list`; one more at the end.
    starts: Vec<usize>,
    list: Vec<u32>,
}

impl Neighbourhood {
    /// Finds, for each point i, all other points j that are at most `reach` (m > 0) away and `wanted(i, j)`, in
    /// ascending order. The search is fastest where points that are near in space are near in the list.
    pub fn find(points: &[Vec3], reach: f64, wanted: impl Fn(u32, u32) -> bool + Sync) -> Self {
        Self::of_first(points.len(), points, reach, wanted)
    }

    /// Finds, for each of the first `n` points, all points at most `reach` (m > 0) away, and for each of the others those of the
    /// first `n`: the same lists as those of a search for all, without the time of a search for the others.
    pub(crate) fn find_around(n: usize, points: &[Vec3], reach: f64) -> Self {
        let mut near = Self::of_first(n, points, reach, |_, _| true);
        let others =
            || (0..n).flat_map(|i| near.of(i).iter().map(move |j| (i, *j as usize))).filter(|(_, j)| *j >= n);
        let mut starts = vec![0; points.len() - n + 1];
        others().for_each(|(_, j)| starts[j - n + 1] += 1);
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let (mut next, mut list) = (starts.clone(), vec![0; starts.last().copied().unwrap_or(0)]);
        for (i, j) in others() {
            list[next[j - n]] = i as u32;
            next[j - n] += 1;
        }
        let end = near.list.len();
        near.starts.extend(starts[1..].iter().map(|start| end + start));
        near.list.extend_from_slice(&list);
        near
    }

    /// Finds the lists of the first `n` points.
    fn of_first(n: usize, points: &[Vec3], reach: f64, wanted: impl Fn(u32, u32) -> bool + Sync) -> Self {
        let grid = Grid::new(points, reach, Cells::All);
        let of_chunk = |chunk: usize| {
            let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(n);
            lists(&grid, points, range, reach * reach, &wanted)
        };
        let chunks: Vec<(Vec<u32>, Vec<u32>)> =
            (0..n.div_ceil(CHUNK)).into_par_iter().map(of_chunk).collect();
        let mut starts = Vec::with_capacity(points.len() + 1);
        let mut list = Vec::with_capacity(chunks.iter().map(|(_, list)| list.len()).sum());
        starts.push(0);
        for (counts, found) in chunks {
            let mut end = list.len();
            starts.extend(counts.iter().map(|count| {
                end += *count as usize;
                end
            }));
            list.extend_from_slice(&found);
        }
        Self { starts, list }
    }

    /// The neighbours of point `i`, in ascending order.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn of(&self, i: usize) -> &[u32] {
        &self.list[self.starts[i]..self.starts[i + 1]]
    }

    /// Number of entries of all lists.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no point has a neighbour.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Returns the number of neighbours of each point in `range`, and their lists.
fn lists(
    grid: &Grid,
    points: &[Vec3],
    range: std::ops::Range<usize>,
    reach_sq: f64,
    wanted: &impl Fn(u32, u32) -> bool,
) -> (Vec<u32>, Vec<u32>) {
    let (mut counts, mut list) = (Vec::with_capacity(range.len()), Vec::new());
    let mut candidates: Vec<u32> = Vec::new();
    let mut home = None;
    for i in range {
        if home != Some(grid.cell_of(i)) {
            home = Some(grid.cell_of(i));
            candidates.clear();
            grid.collect_around(i, &mut candidates);
            candidates.sort_unstable();
        }
        let before = list.len();
        let is_near = |j: u32| (points[j as usize] - points[i]).norm_squared() <= reach_sq;
        let near = candidates.iter().filter(|j| is_near(**j) && **j as usize != i && wanted(i as u32, **j));
        list.extend(near);
        counts.push((list.len() - before) as u32);
    }
    (counts, list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_neighbour_is_listed_once_in_order() {
        let part = |i: usize, step: f64| 4.0 * (i as f64 * step).fract() - 2.0;
        let steps = [0.754_877_666_246_693, 0.569_840_290_998_053, 0.430_159_709_001_946];
        let points: Vec<Vec3> = (1..=1300).map(|i| Vec3::from(steps.map(|step| part(i, step)))).collect();
        let near = Neighbourhood::find(&points, 0.5, |i, j| !(i + j).is_multiple_of(3));
        let mut total = 0;
        for i in 0..points.len() {
            let is_near = |j: &usize| {
                *j != i && !(i + j).is_multiple_of(3) && (points[i] - points[*j]).norm_squared() <= 0.25
            };
            let expected: Vec<u32> = (0..points.len()).filter(is_near).map(|j| j as u32).collect();
            assert_eq!(near.of(i), expected);
            total += expected.len();
        }
        assert_eq!((near.len(), near.is_empty()), (total, false));
        assert!(Neighbourhood::find(&[], 1.0, |_, _| true).is_empty());
        for n in [0, 1, 500, points.len()] {
            let is_first = |i: u32| (i as usize) < n;
            let all = Neighbourhood::find(&points, 0.5, |i, j| is_first(i) || is_first(j));
            assert_eq!(Neighbourhood::find_around(n, &points, 0.5), all);
        }
    }
}
