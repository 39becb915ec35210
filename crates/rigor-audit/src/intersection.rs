//! Frames in which bodies intersect.

use std::collections::BTreeSet;

use rigor_scene::{BodyId, Scene};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::meeting::Meeting;
use crate::series::Series;

const OBSERVED: Figure = Figure::new("intersection.observed", "1", "number of frames examined");
const FRAMES: Figure =
    Figure::new("intersection.frames", "1", "number of examined frames in which bodies intersect; 0: none");
const PAIRS: Figure = Figure::new(
    "intersection.pairs",
    "1",
    "number of different pairs of bodies that ever intersect; 0: none",
);
const INSIDE_FRAMES: Figure = Figure::new(
    "intersection.inside_frames",
    "1",
    "those of intersection.frames in which, for some pair, no primitives cross but one body is inside the other",
);
const TOUCHING_FRAMES: Figure = Figure::new(
    "intersection.touching_frames",
    "1",
    "number of examined frames in which bodies touch without intersecting: at distance exactly 0, of round parts up to rounding",
);
const FIRST_TIME: Figure = Figure::new(
    "intersection.first_time",
    "s",
    "time of the first frame with an intersection, if there is any",
);

pub(crate) const FIGURES: &[Figure] = &[OBSERVED, FRAMES, PAIRS, INSIDE_FRAMES, TOUCHING_FRAMES, FIRST_TIME];

/// Tests exactly whether the surfaces of bodies that may collide intersect: see [`crate::meeting::meeting`].
///
/// Vertices are those of the mesh, moved by the pose in `f64`. Round parts are balls and capsules, not the meshes that show
/// them, and intersect what they overlap by more than rounding. Touching, i.e. a common point that an
/// arbitrarily small motion removes, is no intersection and is counted separately. Particles are left out.
/// Each dynamic body has findings of `frames` and `first_time`.
#[derive(Debug)]
pub struct Intersection {
    n_frames: u64,
    scene: Count,
    n_inside: u64,
    n_touching: u64,
    pairs: BTreeSet<(usize, usize)>,
    bodies: Vec<Count>,
    series: Series,
}

/// Number of frames, and the first of them.
#[derive(Debug, Clone, Default)]
struct Count {
    n: u64,
    first: Option<(Moment, String)>,
}

impl Count {
    fn add(&mut self, at: Moment, detail: &str) {
        self.n += 1;
        self.first.get_or_insert_with(|| (at, detail.to_owned()));
    }

    fn findings(&self, body: Option<BodyId>) -> Vec<Finding> {
        let frames = Finding { body, ..Finding::of_scene(&FRAMES, self.n as f64) };
        let Some((at, detail)) = &self.first else { return vec![frames] };
        let first = Finding { body, ..Finding::of_scene(&FIRST_TIME, at.time) };
        [frames, first].map(|finding| finding.at(*at).detailed(detail.clone())).into()
    }
}

impl Default for Intersection {
    fn default() -> Self {
        Self {
            n_frames: 0,
            scene: Count::default(),
            n_inside: 0,
            n_touching: 0,
            pairs: BTreeSet::new(),
            bodies: Vec::new(),
            series: Series::new("intersection.pairs", "1"),
        }
    }
}

impl Judge for Intersection {
    fn name(&self) -> &'static str {
        "intersection"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if frame.is_stopped() {
            return;
        }
        self.n_frames += 1;
        self.bodies.resize(frame.scene.bodies.len(), Count::default());
        let (at, surfaces) = (frame.moment(), frame.surfaces());
        let mut met = Vec::new();
        for &(a, b) in surfaces.close_pairs() {
            if frame.is_stopped() {
                return;
            }
            met.push(((a, b), surfaces.meeting(a, b)));
        }
        let hits: Vec<(usize, usize)> =
            met.iter().filter(|(_, meeting)| meeting.is_intersection()).map(|(pair, _)| *pair).collect();
        let any = |wanted| met.iter().any(|(_, meeting)| *meeting == wanted);
        self.n_inside += u64::from(any(Meeting::Inside));
        self.n_touching += u64::from(hits.is_empty() && any(Meeting::Touching));
        self.series.points.push((at.time, hits.len() as f64));
        self.count(frame.scene, at, &hits);
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        if self.n_frames == 0 {
            return Vec::new();
        }
        let numbers = [
            (&OBSERVED, self.n_frames),
            (&PAIRS, self.pairs.len() as u64),
            (&INSIDE_FRAMES, self.n_inside),
            (&TOUCHING_FRAMES, self.n_touching),
        ];
        let numbers = numbers.into_iter().map(|(figure, n)| Finding::of_scene(figure, n as f64));
        let of_body = |(i, count): (usize, &Count)| count.findings(Some(BodyId(i)));
        let bodies = self.bodies.iter().enumerate().filter(|(i, _)| scene.bodies[*i].is_dynamic());
        numbers.chain(self.scene.findings(None)).chain(bodies.flat_map(of_body)).collect()
    }

    fn series(&self) -> Vec<&Series> {
        vec![&self.series]
    }
}

impl Intersection {
    fn count(&mut self, scene: &Scene, at: Moment, hits: &[(usize, usize)]) {
        let name = |&(a, b): &(usize, usize)| format!("{} – {}", scene.bodies[a].name, scene.bodies[b].name);
        self.pairs.extend(hits);
        if let Some(first) = hits.first() {
            self.scene.add(at, &name(first));
        }
        for (i, count) in self.bodies.iter_mut().enumerate() {
            if let Some(first) = hits.iter().find(|(a, b)| *a == i || *b == i) {
                count.add(at, &name(first));
            }
        }
    }
}

#[cfg(test)]
mod tests;
