//! Labels of points that neither overlap each other nor leave the panel.

use super::text;

const HEIGHT: f64 = 11.0;
/// Letters are about this wide.
const LETTER: f64 = 5.6;

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// The places that are taken in a panel.
pub(super) struct Labels {
    panel: Area,
    taken: Vec<Area>,
}

impl Labels {
    /// Starts with the points `at`, which no label may cover.
    pub(super) fn new(panel: Area, at: impl Iterator<Item = [f64; 2]>) -> Self {
        Self { panel, taken: at.map(|[x, y]| [x - 4.0, y - 4.0, x + 4.0, y + 4.0]).collect() }
    }

    /// Draws a label beside a point, at the first of eight places that is free; nowhere if none is.
    pub(super) fn draw(&mut self, [x, y]: [f64; 2], label: &str) -> String {
        let width = LETTER * label.chars().count() as f64;
        let lefts = [x + 6.0, x - 6.0 - width, x - 0.5 * width, x + 6.0];
        let tops = [y - 4.0 - HEIGHT, y + 3.0, y - 0.5 * HEIGHT, y - 8.0 - HEIGHT, y + 7.0];
        let places = tops.iter().flat_map(|top| lefts.iter().map(move |left| (*left, *top)));
        let area = |(left, top): (f64, f64)| [left, top, left + width, top + HEIGHT];
        let Some(free) = places.map(area).find(|area| self.is_free(area)) else { return String::new() };
        self.taken.push(free);
        text(free[0], free[3] - 2.0, "p", label)
    }

    fn is_free(&self, area: &Area) -> bool {
        let [left, top, right, bottom] = self.panel;
        let is_inside = area[0] >= left && area[1] >= top && area[2] <= right && area[3] <= bottom;
        let overlaps = |other: &Area| {
            area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]
        };
        is_inside && !self.taken.iter().any(overlaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_equal_points_have_different_places() {
        let mut labels = Labels::new([0.0, 0.0, 200.0, 200.0], [[100.0, 100.0]].into_iter());
        let [a, b] = [0, 1].map(|_| labels.draw([100.0, 100.0], "ten"));
        assert!(!a.is_empty() && !b.is_empty() && a != b);
        assert!(labels.draw([300.0, 100.0], "outside").is_empty());
    }
}
