//! The path of a point of one body relative to another body.

use rigor_geometry::Aabb;
use rigor_geometry::intersection::{Relation, edge_triangle, point_triangle};
use rigor_math::{Pose, Vec3};

use crate::judge::Frame;
use crate::surface::{Primitive, Surface};
use crate::tunnelling::PreviousFrame;
use crate::turn::TurnBetween;
use rigor_math::angle;

/// The motion of one body relative to another, which is placed where it is now.
pub(super) struct View {
    /// Poses at equal intervals of time, including both frames.
    stations: Vec<Pose>,
}

impl View {
    /// The motion of body `i` relative to body `j`.
    pub(super) fn new(frame: &Frame<'_>, prev: &PreviousFrame, i: usize, j: usize) -> Self {
        let ends = |body: usize| (prev.bodies[body].0.pose, frame.state.bodies[body].pose);
        let ((i_then, i_now), (j_then, j_now)) = (ends(i), ends(j));
        let dt = frame.state.time - prev.time;
        let turn_of = |body: usize| TurnBetween::new(&prev.bodies[body].0, &frame.state.bodies[body], dt);
        let (i_turn, j_turn) = (turn_of(i), turn_of(j));
        let angle = |turn: &TurnBetween, then: &Pose, now: &Pose| {
            if turn.is_fast() { turn.said() } else { angle::between_rotations(&then.rotation, &now.rotation) }
        };
        let turn = angle(&i_turn, &i_then, &i_now) + angle(&j_turn, &j_then, &j_now);
        let most = if i_turn.is_fast() || j_turn.is_fast() { 8192.0 } else { 64.0 };
        let n_chords = (turn / 0.1).ceil().clamp(1.0, most) as u32;
        let between = |turn: &TurnBetween, then: &Pose, now: &Pose, t: f64| {
            let pose = then.interpolate(now, t);
            if turn.is_fast() { Pose::new(pose.position, turn.at(t)) } else { pose }
        };
        let seen = |i_at: &Pose, j_at: &Pose| j_now.compose(&j_at.inverse()).compose(i_at);
        let station = |k: u32| match k {
            0 => seen(&i_then, &j_then),
            k if k == n_chords => i_now,
            k => {
                let t = f64::from(k) / f64::from(n_chords);
                seen(&between(&i_turn, &i_then, &i_now, t), &between(&j_turn, &j_then, &j_now, t))
            }
        };
        Self { stations: (0..=n_chords).map(station).collect() }
    }

    pub(super) fn path(&self, local: &Vec3) -> PointPath {
        PointPath { points: self.stations.iter().map(|pose| pose.point(local)).collect() }
    }
}

/// The path of one point, as chords.
pub(super) struct PointPath {
    /// The ends of the chords (m).
    points: Vec<Vec3>,
}

impl PointPath {
    /// Returns whether the point gets from one side of the surface to the other, or through the solid or round parts.
    pub(super) fn gets_through(&self, surface: &Surface) -> bool {
        self.gets_through_triangles(surface) || self.gets_through_rounds(surface)
    }

    fn gets_through_rounds(&self, surface: &Surface) -> bool {
        let is_in = |depth: Option<f64>| depth.is_some_and(|depth| depth > surface.noise(self.ends()[1]));
        let [was_inside, is_inside] = self.ends().map(|p| is_in(surface.round_depth(p, 0.0)));
        let enters = |chord: &[Vec3]| is_in(surface.round_depth_along(&[chord[0], chord[1]]));
        was_inside != is_inside || !was_inside && self.points.windows(2).any(enters)
    }

    fn gets_through_triangles(&self, surface: &Surface) -> bool {
        let crossings = self.crossings(surface).len();
        if !surface.is_solid() {
            return crossings % 2 == 1;
        }
        let [was_inside, is_inside] = self.ends().map(|p| surface.encloses(p));
        was_inside != is_inside || !was_inside && crossings > 1
    }

    fn ends(&self) -> [&Vec3; 2] {
        [&self.points[0], &self.points[self.points.len() - 1]]
    }

    /// Returns where the path meets triangles of `surface` on which the chord does not start, ascending, in
    /// chords from the start; once for all triangles met at one point.
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
        // The fractions of triangles that share the point differ by rounding, those of separate points by
        // more.
        at.dedup_by(|t, earlier| *t - *earlier <= 1e-9);
        at
    }
}

/// Returns the triangles of `surface` that the chord meets but does not start on.
fn met(chord: &[Vec3; 2], surface: &Surface) -> Vec<[Vec3; 3]> {
    let on_the_way = surface.overlapping(&Aabb::of_points(chord)).into_iter();
    let is_met = |triangle: &[Vec3; 3]| {
        edge_triangle::contact(chord, triangle) != Relation::Disjoint
            && point_triangle::contact(&chord[0], triangle) == Relation::Disjoint
    };
    on_the_way
        .filter_map(|index| match surface.primitive(index) {
            Primitive::Triangle(triangle) => Some(triangle),
            Primitive::Point(_) | Primitive::Wire(_) => None,
        })
        .filter(is_met)
        .collect()
}

/// Returns where along the chord, from 0 to 1, it meets the plane of the triangle; 1 for a chord in the
/// plane.
fn fraction(chord: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let (from, to) = (normal.dot(&(chord[0] - a)), normal.dot(&(chord[1] - a)));
    if from == to { 1.0 } else { (from / (from - to)).clamp(0.0, 1.0) }
}
