//! The smallest distance between bodies.

use rigor_scene::{BodyId, Scene};

use crate::figure::Figure;
use crate::finding::Finding;
use crate::gap;
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use crate::series::Series;
use crate::surface_cache::Surfaces;

const SMALLEST: Figure = Figure::new(
    "distance.smallest",
    "m",
    "smallest distance between surfaces of bodies that may collide; 0: they touch or intersect",
);

pub(crate) const FIGURES: &[Figure] = &[SMALLEST];

/// Measures the smallest distance between bodies that may collide, for the scene and for each body.
///
/// Distances, of round parts as of what they are, are exact to a few ε of the coordinates, and exactly 0 where [`crate::meeting::meeting`] finds that surfaces
/// touch or intersect. Particles are left out. Only pairs whose boxes are closer than the smallest known
/// distance are measured.
#[derive(Debug)]
pub struct Distance {
    smallest: Peaks,
    series: Series,
}

impl Default for Distance {
    fn default() -> Self {
        Self { smallest: Peaks::default(), series: Series::new("distance.smallest", "m") }
    }
}

impl Judge for Distance {
    fn name(&self) -> &'static str {
        "distance"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if frame.is_stopped() {
            return;
        }
        let surfaces = frame.surfaces();
        let mut least_now = f64::INFINITY;
        for (at_least, a, b) in self.promising(frame.scene, &surfaces) {
            let limit = least_now.max(self.best(a, b));
            if at_least >= limit {
                continue;
            }
            if frame.is_stopped() {
                return;
            }
            if let Some(d) = surfaces.distance_below(limit, a, b) {
                least_now = least_now.min(d);
                let pair = || format!("{} – {}", frame.scene.bodies[a].name, frame.scene.bodies[b].name);
                self.smallest.lower(BodyId(a), d, frame.moment(), pair);
                self.smallest.lower(BodyId(b), d, frame.moment(), pair);
            }
        }
        if least_now.is_finite() {
            self.series.points.push((frame.state.time, least_now));
        }
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        self.smallest.findings(&SMALLEST)
    }

    fn series(&self) -> Vec<&Series> {
        vec![&self.series]
    }
}

impl Distance {
    /// Returns the distance (m) below which the pair sets a new minimum for one of its bodies.
    fn best(&self, a: usize, b: usize) -> f64 {
        let of = |body| self.smallest.of(BodyId(body)).unwrap_or(f64::INFINITY);
        of(a).max(of(b))
    }

    /// Returns the pairs that may be the nearest of this frame, or the nearest so far for one of their
    /// bodies: a lower bound on their distance (m) and their indices, closest boxes first.
    fn promising(&self, scene: &Scene, surfaces: &Surfaces) -> Vec<(f64, usize, usize)> {
        let bodies = surfaces.bodies();
        let mut pairs = Vec::new();
        let mut nearest = f64::INFINITY; // upper bound on the distance of the nearest pair
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                let at_least = gap::of_boxes(bodies[a].bounds(), bodies[b].bounds());
                let is_promising = at_least < nearest.max(self.best(a, b));
                if is_promising && at_least.is_finite() && scene.can_collide(BodyId(a), BodyId(b)) {
                    nearest = nearest.min((bodies[a].vertex(0) - bodies[b].vertex(0)).norm());
                    pairs.push((at_least, a, b));
                }
            }
        }
        pairs.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
        pairs
    }
}

#[cfg(test)]
mod tests;
