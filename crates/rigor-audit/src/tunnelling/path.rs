//! The paths of places on one body as another body sees them.

use rigor_geometry::Aabb;
use rigor_geometry::intersection::{Contact, edge_triangle, point_triangle};
use rigor_math::{Pose, Vec3};

use crate::angle;
use crate::depth::depth_of;
use crate::judge::Frame;
use crate::surface::{Primitive, Surface};
use crate::tunnelling::Before;

/// A place nearer to a surface than this part of its way is on it.
const TOUCHING: f64 = 0.02;

/// How the places of one body move as another sees them, which is taken to be where it is now.
pub(super) struct View {
    /// At equal intervals of time, the two frames included.
    stations: Vec<Pose>,
    /// φ (rad): how far the two bodies turn, added up.
    turn: f64,
    /// ‖Δ‖ (m): how far the centres move against each other.
    way: f64,
    /// The larger distance (m) between the centres in the two frames.
    apart: f64,
    /// By how much what velocities changed can have led a centre (m), and the rest of i and of j (rad), off their ways.
    thrown: f64,
    thrown_turns: [f64; 2],
}

impl View {
    /// The view of body `i` from body `j`.
    pub(super) fn new(frame: &Frame<'_>, prev: &Before, i: usize, j: usize) -> Self {
        let (then, now) = (|body: usize| &prev.bodies[body].0, |body: usize| &frame.state.bodies[body]);
        let ends = |body: usize| (then(body).pose, now(body).pose);
        let ((i_then, i_now), (j_then, j_now)) = (ends(i), ends(j));
        let angle = |then: &Pose, now: &Pose| angle::between_rotations(&then.rotation, &now.rotation);
        let turn = angle(&i_then, &i_now) + angle(&j_then, &j_now);
        let n_chords = (turn / 0.1).ceil().clamp(1.0, 64.0) as u32;
        let seen = |i_at: &Pose, j_at: &Pose| j_now.compose(&j_at.inverse()).compose(i_at);
        let station = |k: u32| match k {
            0 => seen(&i_then, &j_then),
            k if k == n_chords => i_now,
            k => {
                let t = f64::from(k) / f64::from(n_chords);
                seen(&i_then.interpolate(&i_now, t), &j_then.interpolate(&j_now, t))
            }
        };
        let gain = |body: usize| now(body).linear_velocity - then(body).linear_velocity;
        let turn_gain = |body: usize| (now(body).angular_velocity - then(body).angular_velocity).norm();
        // What goes from one velocity to another, whenever, is off the uniform motion by no more than a quarter of the
        // difference times the time: both begin and end at the same places.
        let quarter = 0.25 * (frame.state.time - prev.time);
        let (offset_then, offset_now) = (i_then.position - j_then.position, i_now.position - j_now.position);
        Self {
            stations: (0..=n_chords).map(station).collect(),
            turn,
            way: (offset_now - offset_then).norm(),
            apart: offset_then.norm().max(offset_now.norm()),
            thrown: quarter * (gain(i) - gain(j)).norm(),
            thrown_turns: [i, j].map(|body| quarter * turn_gain(body)),
        }
    }

    pub(super) fn path(&self, local: &Vec3) -> Path {
        // The true path is R_jᵀ(t) (d(t) + R_i(t) X) with d linear: ‖second derivative‖ ≤ (‖d‖ + ‖X‖) φ² + 2 ‖Δ‖ φ, and
        // a chord over a time τ leaves a path by at most ‖second derivative‖ τ²/8.
        let bend = (self.apart + local.norm()) * self.turn * self.turn + 2.0 * self.way * self.turn;
        let n_chords = (self.stations.len() - 1) as f64;
        let [own, of_viewer] = self.thrown_turns;
        let thrown = self.thrown + own * local.norm() + of_viewer * (self.apart + local.norm());
        Path {
            points: self.stations.iter().map(|pose| pose.point(local)).collect(),
            sag: bend / (8.0 * n_chords * n_chords) + thrown,
        }
    }
}

/// What of a path is inside a solid.
pub(super) struct Passage {
    /// Its length (m).
    pub length: f64,
    pub is_near_an_edge: bool,
}

/// The chords of the path of one place.
pub(super) struct Path {
    /// Their ends (m).
    points: Vec<Vec3>,
    /// How far the path can be from them (m).
    sag: f64,
}

impl Path {
    /// Whether the place gets from one side of the surface to the other, or through the solid.
    pub(super) fn gets_through(&self, surface: &Surface) -> bool {
        if !surface.is_solid() {
            return self.crossings(surface).len() % 2 == 1;
        }
        let [was_inside, is_inside] = self.ends().map(|p| surface.contains(p));
        was_inside != is_inside || self.passage(surface).is_some()
    }

    /// The part of the path inside the solid if it goes in and comes out again.
    pub(super) fn passage(&self, solid: &Surface) -> Option<Passage> {
        if !solid.is_solid() {
            return None;
        }
        let at = self.crossings(solid);
        let (first, last) = (*at.first()?, *at.last()?);
        let is_through = last > first && self.ends().iter().all(|p| !solid.contains(p));
        // The middle of the whole may be in a hollow; then the passage is not seen.
        let middle = 0.5 * (first + last);
        let is_deep = || depth_of(&self.point(middle), solid) > self.sag;
        (is_through && is_deep()).then(|| Passage {
            length: self.length(first, last),
            is_near_an_edge: self.has_short_way_out(middle, solid),
        })
    }

    /// Whether the place is on the surface at one end.
    pub(super) fn touches(&self, solid: &Surface) -> bool {
        let near = TOUCHING * self.whole_length();
        self.ends().into_iter().any(|p| solid.nearest(p, near * near).is_some())
    }

    /// Whether from `middle`, which counts chords from the start, it is outside again within half the path's length to
    /// some side.
    fn has_short_way_out(&self, middle: f64, solid: &Surface) -> bool {
        let k = (middle as usize).min(self.points.len() - 2);
        let along = self.points[k + 1] - self.points[k];
        let aside = 0.5 * self.whole_length();
        sides(&along).into_iter().any(|side| !solid.contains(&(self.point(middle) + side * aside)))
    }

    fn whole_length(&self) -> f64 {
        self.length(0.0, (self.points.len() - 1) as f64)
    }

    fn ends(&self) -> [&Vec3; 2] {
        [&self.points[0], &self.points[self.points.len() - 1]]
    }

    /// The point at `at`, which counts chords from the start.
    fn point(&self, at: f64) -> Vec3 {
        let k = (at as usize).min(self.points.len() - 2);
        self.points[k].lerp(&self.points[k + 1], at - k as f64)
    }

    /// The length (m) of the part between `first` and `last`, which count chords from the start.
    fn length(&self, first: f64, last: f64) -> f64 {
        let part = |(k, ends): (usize, &[Vec3])| {
            let k = k as f64;
            (last.min(k + 1.0) - first.max(k)).max(0.0) * (ends[1] - ends[0]).norm()
        };
        self.points.windows(2).enumerate().map(part).sum()
    }

    /// Where the path meets triangles of `surface` on which it does not begin, ascending, in chords from the start; once
    /// for all triangles met in one place.
    fn crossings(&self, surface: &Surface) -> Vec<f64> {
        let mut at: Vec<f64> = Vec::new();
        if !surface.bounds().overlaps(&Aabb::of_points(&self.points)) {
            return at;
        }
        for (k, ends) in self.points.windows(2).enumerate() {
            let chord = [ends[0], ends[1]];
            let met = met(&chord, surface);
            at.extend(met.iter().map(|triangle| k as f64 + fraction(&chord, triangle)));
        }
        at.sort_by(f64::total_cmp);
        // Triangles that share the place differ by the rounding of the fraction, places on a real surface by more.
        at.dedup_by(|t, earlier| *t - *earlier <= 1e-9);
        at
    }
}

/// Eight directions across `along`.
fn sides(along: &Vec3) -> [Vec3; 8] {
    let mut axis = Vec3::zeros();
    axis[along.iamin()] = 1.0;
    let u = along.cross(&axis).normalize();
    let v = along.cross(&u).normalize();
    let (w, z) = ((u + v).normalize(), (u - v).normalize());
    [u, -u, v, -v, w, -w, z, -z]
}

/// The triangles of `surface` that the chord meets without beginning on them.
fn met(chord: &[Vec3; 2], surface: &Surface) -> Vec<[Vec3; 3]> {
    let on_the_way = surface.primitives().overlapping(&Aabb::of_points(chord)).into_iter();
    let is_met = |triangle: &[Vec3; 3]| {
        edge_triangle::contact(chord, triangle) != Contact::Disjoint
            && point_triangle::contact(&chord[0], triangle) == Contact::Disjoint
    };
    on_the_way
        .filter_map(|index| match surface.primitive(index) {
            Primitive::Triangle(triangle) => Some(triangle),
            _ => None,
        })
        .filter(is_met)
        .collect()
}

/// Where along the chord, from 0 to 1, it meets the plane of the triangle; 1 for a chord in the plane.
fn fraction(chord: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let (from, to) = (normal.dot(&(chord[0] - a)), normal.dot(&(chord[1] - a)));
    if from == to { 1.0 } else { (from / (from - to)).clamp(0.0, 1.0) }
}
