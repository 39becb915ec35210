//! Whether bodies went through each other between frames.

use rigor_geometry::Aabb;
use rigor_geometry::intersection::{Contact, edge_triangle, point_triangle};
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodyId, Scene};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use crate::surface::{Primitive, Surface, Surfaces, overlapping_pairs};

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
/// A few places of each body, its centre of mass and up to 14 vertices (those farthest along ± the principal axes and the
/// diagonals between them), are taken to move in straight lines between frames *as the other body sees them*, that is, in
/// its moving frame. Each line is tested against the other surface exactly, with its ends as rounded; a line that begins
/// on the surface does not cross it there.
///
/// - The centre of mass must not get through a surface: of a sheet never, and of a solid not if the centre is inside
///   the body's own solid (the centre of a ring may well be crossed).
/// - A vertex must not be outside a solid in both frames and inside in between.
///
/// What it can see: jumps through walls, floors and other bodies, swaps of sides. What it cannot: parts that get through
/// while none of the places does; a vertex that goes in and stays in (that is penetration); motion that leaves the
/// straight line by more than the body's size, as at a large fraction of a turn per frame; and, since crossing points are
/// not counted but pairs, how often within one step.
#[derive(Debug, Default)]
pub struct Tunnelling {
    places: Vec<Places>,
    prev: Option<Vec<(Pose, Aabb)>>,
    centre_crossings: Counts,
    passes: Counts,
    chord: Peaks,
}

/// The places of one body that are followed, in its principal frame.
#[derive(Debug)]
struct Places {
    centre_is_inside: bool,
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
        let poses = frame.state.bodies.iter().map(|body| body.pose);
        self.prev = Some(poses.zip(surfaces.bodies().iter().map(|surface| *surface.bounds())).collect());
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
    fn follow(
        &mut self,
        frame: &Frame<'_>,
        surfaces: &Surfaces,
        prev: &[(Pose, Aabb)],
        (a, b): (usize, usize),
    ) {
        let at = frame.moment();
        let names = || format!("{} – {}", frame.scene.bodies[a].name, frame.scene.bodies[b].name);
        let mut longest = 0.0_f64;
        let mut is_crossed = false;
        for (i, j) in [(a, b), (b, a)] {
            let (places, other) = (&self.places[i], &surfaces.bodies()[j]);
            let now = (&frame.state.bodies[i].pose, &frame.state.bodies[j].pose);
            // Where body j is now, what was at i then is where j saw it then.
            let then = now.1.compose(&prev[j].0.inverse()).compose(&prev[i].0);
            let path = |local: &Vec3| [then.point(local), now.0.point(local)];
            if places.centre_is_inside || other.is_sheet() {
                is_crossed |= !crossings(&path(&Vec3::zeros()), other).is_empty();
            }
            let chords = places.vertices.iter().map(|v| chord(&path(v), other));
            longest = chords.fold(longest, f64::max);
        }
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

impl Places {
    fn new(surface: &Surface) -> Self {
        let vertices = surface.mesh().vertices();
        let mut chosen: Vec<usize> = directions().filter_map(|d| farthest(vertices, &d)).collect();
        chosen.sort_unstable();
        chosen.dedup();
        Self {
            centre_is_inside: surface.is_solid() && holds_origin(surface),
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
fn swept_pairs(frame: &Frame<'_>, surfaces: &Surfaces, prev: &[(Pose, Aabb)]) -> Vec<(usize, usize)> {
    let moved = |i: usize| prev[i].0 != frame.state.bodies[i].pose;
    let swept = |i: usize| {
        let ends = [prev[i].0.position, frame.state.bodies[i].pose.position];
        if moved(i) {
            Aabb::of_points(&ends).grow(frame.scene.bodies[i].radius)
        } else {
            *surfaces.bodies()[i].bounds()
        }
    };
    let is_placed = |i: &usize| prev[*i].1.is_finite() && surfaces.bodies()[*i].bounds().is_finite();
    let ids: Vec<usize> = (0..prev.len()).filter(is_placed).collect();
    let boxes: Vec<Aabb> = ids.iter().map(|i| swept(*i)).collect();
    let mut pairs = overlapping_pairs(frame.scene, &ids, &boxes);
    pairs.retain(|&(a, b)| moved(a) || moved(b));
    pairs
}

/// Where along `path`, from 0 to 1, it meets triangles of `surface` on which it does not begin.
fn crossings(path: &[Vec3; 2], surface: &Surface) -> Vec<f64> {
    let on_the_way = surface.primitives().overlapping(&Aabb::of_points(path));
    let triangles = on_the_way.into_iter().filter_map(|index| match surface.primitive(index) {
        Primitive::Triangle(triangle) => Some(triangle),
        _ => None,
    });
    let met = triangles.filter(|triangle| {
        edge_triangle::contact(path, triangle) != Contact::Disjoint
            && point_triangle::contact(&path[0], triangle) == Contact::Disjoint
    });
    met.map(|triangle| fraction(path, &triangle)).collect()
}

/// Where along `path`, from 0 to 1, it meets the plane of the triangle; 1 for a path in the plane.
fn fraction(path: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let (from, to) = (normal.dot(&(path[0] - a)), normal.dot(&(path[1] - a)));
    if from == to { 1.0 } else { (from / (from - to)).clamp(0.0, 1.0) }
}

/// The length (m) of `path` between its first and last crossing of the solid, if both its ends are outside.
fn chord(path: &[Vec3; 2], solid: &Surface) -> f64 {
    if !solid.is_solid() {
        return 0.0;
    }
    let at = crossings(path, solid);
    let (first, last) = at.iter().fold((1.0_f64, 0.0_f64), |(first, last), t| (first.min(*t), last.max(*t)));
    let is_through = last > first && path.iter().all(|p| solid.winding(p) == Some(0));
    if is_through { (last - first) * (path[1] - path[0]).norm() } else { 0.0 }
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
    let turns =
        rigor_geometry::intersection::containment::winding(&Vec3::zeros(), mesh.vertices(), mesh.triangles());
    turns.is_some_and(|turns| turns != 0)
}

#[cfg(test)]
mod tests;
