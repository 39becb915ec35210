//! Whether bodies went through each other between frames.

mod path;

use rigor_geometry::Aabb;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::winding;
use rigor_math::Vec3;
use rigor_scene::{BodyId, BodyState, Scene};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use crate::surface::{Surface, Surfaces, overlapping_pairs};

use path::{Passage, View};

const CENTRE_CROSSINGS: Figure = Figure::new(
    "tunnelling.centre_crossings",
    "1",
    "how often, counted by pair and step, a centre of mass went through the surface of another body; 0: never",
);
const PASSES: Figure = Figure::new(
    "tunnelling.passes",
    "1",
    "how often, counted by pair and step, a place on a body went into a solid and out of it in one step; 0: never",
);
const CHORD: Figure = Figure::new(
    "tunnelling.chord",
    "m",
    "longest way of such a place through the solid, as the solid sees it; 0: none",
);

pub(crate) const FIGURES: &[Figure] = &[CENTRE_CROSSINGS, PASSES, CHORD];

/// Looks for bodies that got through each other between consecutive observed frames.
///
/// Between frames all bodies are taken to move uniformly: centres in straight lines, turning at a constant rate along
/// the shorter arc. A few places of each body, its centre of mass and up to 14 vertices (those farthest along ± the
/// principal axes and the diagonals between them), are followed *as the other body sees them*, that is, in its moving
/// frame, along chords of the true path of at most 0.1 rad each. Every chord is tested against the other surface
/// exactly, with its ends as rounded. How far the true path can be from its chords is the *sag*: what turning bends it,
/// and, since contact changes velocities at any time between frames, a quarter of what the velocities of the two frames
/// differ by times the time between them.
///
/// - The centre of mass must not get through a surface. For a sheet: its path crosses it an odd number of times (beginning
///   on it does not count). For a solid: one end is inside and the other is not, or the path goes through as below; this
///   is asked only if the centre is inside the body's own solid, or, for a sheet, on the body, since the centre of a ring or of a cloud of
///   points may well be crossed.
/// - A place must not go through a solid: both ends of its path are outside, and the middle of what is inside is deeper
///   than the sag. What slides off over an edge has not gone through: in one of the frames a place of either body is on the surface of the
///   other, and from the middle it is outside again within half the path's length to some side.
///
/// What it can see: jumps through walls, floors and other bodies, swaps of sides. What it cannot: parts that get
/// through while none of the places does; a vertex that goes in and stays in (that is penetration); a body that turns
/// by more than half a turn between frames, or in truth does not move uniformly; what passes while it is thrown off;
/// and how often a pair passes within one step.
#[derive(Debug, Default)]
pub struct Tunnelling {
    places: Vec<Places>,
    prev: Option<Before>,
    centre_crossings: Counts,
    passes: Counts,
    chord: Peaks,
}

/// The frame before.
#[derive(Debug)]
struct Before {
    /// When that was (s).
    time: f64,
    bodies: Vec<(BodyState, Aabb)>,
}

/// The places of one body that are followed, in its principal frame.
#[derive(Debug)]
struct Places {
    /// Whether the centre of mass is strictly inside the body's own solid.
    centre_is_inside: bool,
    /// Whether it is inside or, but for rounding, on the surface.
    centre_is_its_own: bool,
    vertices: Vec<Vec3>,
}

/// Numbers of events, with the first of them.
#[derive(Debug, Clone, Default)]
struct Counts {
    scene: u64,
    bodies: Vec<u64>,
    first: Option<(Moment, String)>,
}

impl Judge for Tunnelling {
    fn name(&self) -> &'static str {
        "tunnelling"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let surfaces = frame.surfaces();
        if self.places.is_empty() {
            self.places = surfaces.bodies().iter().map(Places::new).collect();
            let n_bodies = surfaces.bodies().len();
            self.centre_crossings.bodies = vec![0; n_bodies];
            self.passes.bodies = vec![0; n_bodies];
        }
        if let Some(prev) = self.prev.take() {
            for (a, b) in swept_pairs(frame, &surfaces, &prev) {
                self.follow(frame, &surfaces, &prev, (a, b));
            }
        }
        let bounds = surfaces.bodies().iter().map(|surface| *surface.bounds());
        let bodies = frame.state.bodies.iter().copied().zip(bounds).collect();
        self.prev = Some(Before { time: frame.state.time, bodies });
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        if self.prev.is_none() {
            return Vec::new();
        }
        let mut findings = self.centre_crossings.findings(&CENTRE_CROSSINGS, scene);
        findings.extend(self.passes.findings(&PASSES, scene));
        if self.chord.scene.is_none() {
            findings.push(Finding::of_scene(&CHORD, 0.0));
        }
        findings.extend(self.chord.findings(&CHORD));
        findings
    }
}

impl Tunnelling {
    fn follow(&mut self, frame: &Frame<'_>, surfaces: &Surfaces, prev: &Before, (a, b): (usize, usize)) {
        let at = frame.moment();
        let names = || format!("{} – {}", frame.scene.bodies[a].name, frame.scene.bodies[b].name);
        let mut passages = Vec::new();
        let mut is_crossed = false;
        for (i, j) in [(a, b), (b, a)] {
            let (places, other) = (&self.places[i], &surfaces.bodies()[j]);
            let view = View::new(frame, prev, i, j);
            if places.centre_is_inside || places.centre_is_its_own && other.is_sheet() {
                is_crossed |= view.path(&Vec3::zeros()).gets_through(other);
            }
            passages.extend(places.vertices.iter().filter_map(|v| view.path(v).passage(other)));
        }
        let is_near_an_edge = |passage: &Passage| passage.is_near_an_edge;
        if passages.iter().any(is_near_an_edge) && self.touch(frame, surfaces, prev, (a, b)) {
            passages.retain(|passage| !is_near_an_edge(passage));
        }
        let longest = passages.iter().map(|passage| passage.length).fold(0.0, f64::max);
        if is_crossed {
            self.centre_crossings.add((a, b), at, names);
        }
        if longest > 0.0 {
            self.passes.add((a, b), at, names);
            self.chord.raise(BodyId(a), longest, at, names);
            self.chord.raise(BodyId(b), longest, at, names);
        }
    }
}

impl Tunnelling {
    /// Whether a place of one of the two is on the surface of the other in either frame.
    fn touch(&self, frame: &Frame<'_>, surfaces: &Surfaces, prev: &Before, (a, b): (usize, usize)) -> bool {
        [(a, b), (b, a)].into_iter().any(|(i, j)| {
            let view = View::new(frame, prev, i, j);
            self.places[i].vertices.iter().any(|v| view.path(v).touches(&surfaces.bodies()[j]))
        })
    }
}

impl Places {
    fn new(surface: &Surface) -> Self {
        let vertices = surface.mesh().vertices();
        let mut chosen: Vec<usize> = directions().filter_map(|d| farthest(vertices, &d)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        let centre_is_inside = surface.is_solid() && holds_origin(surface);
        Self {
            centre_is_inside,
            centre_is_its_own: centre_is_inside || is_on_origin(surface),
            vertices: chosen.into_iter().map(|v| vertices[v]).collect(),
        }
    }
}

impl Counts {
    fn add(&mut self, (a, b): (usize, usize), at: Moment, names: impl FnOnce() -> String) {
        self.scene += 1;
        self.bodies[a] += 1;
        self.bodies[b] += 1;
        self.first.get_or_insert_with(|| (at, names()));
    }

    fn findings(&self, figure: &Figure, scene: &Scene) -> Vec<Finding> {
        let overall = Finding::of_scene(figure, self.scene as f64);
        let overall = match &self.first {
            Some((at, names)) => overall.at(*at).detailed(names.clone()),
            None => overall,
        };
        let dynamic = self.bodies.iter().enumerate().filter(|(i, _)| scene.bodies[*i].is_dynamic());
        let of_body = dynamic.map(|(i, n)| Finding::of_body(figure, BodyId(i), *n as f64));
        std::iter::once(overall).chain(of_body).collect()
    }
}

/// Pairs that may collide, of which one moved, and whose paths may meet: by the boxes around the balls that hold the
/// bodies at both ends of the step, or around the surface itself if it kept still.
fn swept_pairs(frame: &Frame<'_>, surfaces: &Surfaces, prev: &Before) -> Vec<(usize, usize)> {
    let moved = |i: usize| prev.bodies[i].0.pose != frame.state.bodies[i].pose;
    let swept = |i: usize| {
        let ends = [prev.bodies[i].0.pose.position, frame.state.bodies[i].pose.position];
        if moved(i) {
            Aabb::of_points(&ends).grow(frame.scene.bodies[i].radius)
        } else {
            *surfaces.bodies()[i].bounds()
        }
    };
    let is_placed = |i: &usize| prev.bodies[*i].1.is_finite() && surfaces.bodies()[*i].bounds().is_finite();
    let ids: Vec<usize> = (0..prev.bodies.len()).filter(is_placed).collect();
    let boxes: Vec<Aabb> = ids.iter().map(|i| swept(*i)).collect();
    let mut pairs = overlapping_pairs(frame.scene, &ids, &boxes);
    pairs.retain(|&(a, b)| moved(a) || moved(b));
    pairs
}

/// The six directions along the axes and the eight along the diagonals between them.
fn directions() -> impl Iterator<Item = Vec3> {
    let grid = (0..27).map(|k| Vec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9)));
    grid.map(|d| d - Vec3::repeat(1.0)).filter(|d| matches!(d.norm_squared() as u8, 1 | 3))
}

/// The vertex farthest along `direction`, the first of several.
fn farthest(vertices: &[Vec3], direction: &Vec3) -> Option<usize> {
    let farther = |best: usize, v: usize| {
        if vertices[v].dot(direction) > vertices[best].dot(direction) { v } else { best }
    };
    (0..vertices.len()).reduce(farther)
}

/// Whether the centre of mass is strictly inside the body's own solid.
fn holds_origin(surface: &Surface) -> bool {
    let mesh = surface.mesh();
    let turns = winding(&Vec3::zeros(), mesh.vertices(), mesh.triangles());
    turns.is_some_and(|turns| turns != 0)
}

/// Whether the centre of mass is on one of the body's triangles, but for rounding.
fn is_on_origin(surface: &Surface) -> bool {
    let vertices = surface.mesh().vertices();
    let rounding_sq = 1e-18 * vertices.iter().map(Vec3::norm_squared).fold(0.0, f64::max);
    surface.mesh().triangles().iter().any(|corners| {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        point_triangle::distance_sq(&Vec3::zeros(), &a, &b, &c) <= rounding_sq
    })
}

#[cfg(test)]
mod tests;
