//! Particles that went through surfaces between frames.
//!
//! Between two frames a particle is taken to move straight, and a body uniformly. In the body's frame the path is
//! then a chain of chords, along which the body turns by at most 0.1 rad each.
//!
//! **Sheets.** Every chord counts its crossings, with the sign of their direction. A particle whose sum is not 0 has
//! gone through, and is as deep as its distance from the sheet, until it comes back or until the border of the sheet
//! is nearest to it. A position within rounding of the sheet is lifted to the side on which the particle was.
//! A particle that starts on a sheet has a side once it has left it.
//!
//! **Solids and round parts.** The path between two positions outside may lead through a solid: around a corner in truth, or through.
//! It counts if its deepest middle of a piece inside is deeper than the detour that the velocities of particle and
//! body in both frames allow: the sum of their differences from the mean velocity, times the time between the frames.

use std::collections::BTreeMap;

use rigor_geometry::Aabb;
use rigor_geometry::intersection::{Relation, edge_triangle};
use rigor_math::{Pose, Vec3};
use rigor_scene::{BodyState, ParticleState, Scene, State};

use crate::depth::{self, Side};
use crate::surface::{Primitive, Surface};
use crate::surface_cache::Surfaces;

/// Maximum turn (rad) of a body along a chord, and maximum number of chords.
const TURN: f64 = 0.1;
const MAX_CHORDS: f64 = 64.0;
/// Distance from a sheet, relative to its radius, that counts as on it.
const ROUNDING: f64 = 1e-9;
/// Depth behind a sheet, relative to its radius, from which a particle counts as passed.
const PASSED: f64 = 1e-3;

/// Follows the particles of a run from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Passages {
    prev: Option<(f64, Vec<ParticleState>, Vec<BodyState>)>,
    /// By particle and sheet: what the position alone does not tell.
    tracks: BTreeMap<(usize, usize), Track>,
    /// Number of passages so far.
    pub count: u64,
}

/// A particle at a sheet, or behind it.
#[derive(Debug, Clone, Copy)]
struct Track {
    /// Position (m, frame of the sheet) off the sheet, on the particle's side.
    reference: Option<Vec3>,
    /// Crossings in the direction of the normals, minus those against.
    crossings: i32,
    is_counted: bool,
}

/// What happened to particles up to a frame.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// Particle, body and depth (m) of the particle that is deepest behind a sheet.
    pub deepest: Option<(usize, usize, f64)>,
    /// Particle and body of the first passage since the previous frame.
    pub first: Option<(usize, usize)>,
}

impl Passages {
    /// Follows particles to the frame `state`; pairs that `ignores` names may be in each other.
    pub fn follow(
        &mut self,
        scene: &Scene,
        state: &State,
        surfaces: &Surfaces,
        ignores: impl Fn(usize, usize) -> bool,
    ) -> Passed {
        let mut passed = Passed::default();
        if scene.particles.is_empty() {
            return passed;
        }
        let prev = self.prev.take();
        let all = surfaces.bodies().iter().enumerate().filter(|(_, s)| s.bounds().is_finite());
        let has_volume = |s: &Surface| s.is_solid() || !s.rounds().is_empty();
        for (b, surface) in all.filter(|(_, s)| s.is_sheet() || has_volume(s)) {
            let now = &state.bodies[b];
            let before = prev.as_ref().map_or(now, |(_, _, bodies)| &bodies[b]);
            let swept = swept(surface, &before.pose, &now.pose);
            for (i, at) in state.particles.iter().enumerate() {
                let start = prev.as_ref().map_or(at, |(_, particles, _)| &particles[i]);
                let is_finite = start.position.iter().chain(&at.position).all(|c| c.is_finite());
                let meets = Aabb::of_points(&[start.position, at.position]).overlaps(&swept);
                if !is_finite || ignores(i, b) || !(meets || self.tracks.contains_key(&(i, b))) {
                    continue;
                }
                let way = Way { from: (start, before), to: (at, now) };
                if surface.is_sheet() {
                    self.behind((i, b), &way, surface, &mut passed);
                }
                if has_volume(surface)
                    && let Some((time, ..)) = &prev
                    && way.is_through(surface, state.time - time)
                {
                    self.count += 1;
                    passed.first.get_or_insert((i, b));
                }
            }
        }
        self.prev = Some((state.time, state.particles.clone(), state.bodies.clone()));
        passed
    }

    /// Follows one particle beside the sheet `surface`.
    fn behind(&mut self, pair: (usize, usize), way: &Way, surface: &Surface, passed: &mut Passed) {
        let known = self.tracks.remove(&pair);
        let x = way.to.0.position;
        let margin = ROUNDING * surface.radius() + surface.noise(&x);
        let side = depth::side_of(&x, surface);
        let (is_beyond, distance) = match side {
            Side::Front(d) | Side::Back(d) => (false, d),
            Side::On => (false, 0.0),
            Side::Beyond => (true, surface.nearest(&x, f64::INFINITY).map_or(0.0, |(_, d_sq)| d_sq.sqrt())),
        };
        let mut places = way.places();
        let mut track = known.unwrap_or(Track { reference: None, crossings: 0, is_counted: false });
        let is_first = known.is_none();
        if let Some(reference) = track.reference {
            places[0] = reference;
        } else if is_first && lies_on(&way.from, surface, margin) {
            // It started on the sheet: no side yet.
            places = vec![*places.last().expect("two places")];
        }
        let end = *places.last().expect("a place");
        let lifted = (distance <= margin).then(|| lift(&end, surface, 2.0 * margin));
        let (end, crossed) = match lifted {
            None => (end, crossings(&places, surface)),
            Some(options) => {
                let n = places.len() - 1;
                let try_end = |end: Vec3| {
                    let mut places = places.clone();
                    places[n] = end;
                    (end, crossings(&places, surface))
                };
                let [front, back] = options.map(try_end);
                if front.1 == 0 || back.1 != 0 { front } else { back }
            }
        };
        if places.len() > 1 {
            track.crossings += crossed;
        }
        let has_side = places.len() > 1 || distance > margin;
        track.reference = (distance <= margin && has_side).then_some(end);
        if is_beyond && distance > margin {
            (track.crossings, track.is_counted) = (0, false);
        }
        if track.crossings != 0 && distance > margin {
            if passed.deepest.is_none_or(|(.., most)| distance > most) {
                passed.deepest = Some((pair.0, pair.1, distance));
            }
            if !track.is_counted && distance > PASSED * surface.radius() {
                track.is_counted = true;
                self.count += 1;
                passed.first.get_or_insert(pair);
            }
        }
        if track.crossings == 0 {
            track.is_counted = false;
        }
        if track.crossings != 0 || track.reference.is_some() {
            self.tracks.insert(pair, track);
        }
    }
}

/// The ways of a particle and a body between two frames.
struct Way<'a> {
    from: (&'a ParticleState, &'a BodyState),
    to: (&'a ParticleState, &'a BodyState),
}

impl Way<'_> {
    /// Returns positions of the particle (m) in the frame of the body, from one frame to the next.
    fn places(&self) -> Vec<Vec3> {
        let (a, b) = (&self.from.1.pose, &self.to.1.pose);
        let n = (turn(a, b) / TURN).ceil().clamp(1.0, MAX_CHORDS);
        let at = |k: f64| {
            let t = k / n;
            let pose = if t < 1.0 { a.interpolate(b, t) } else { *b };
            pose.inverse_point(&self.from.0.position.lerp(&self.to.0.position, t))
        };
        (0..=n as usize).map(|k| at(k as f64)).collect()
    }

    /// Returns whether the path leads through the solid, deeper than a detour avoids.
    fn is_through(&self, surface: &Surface, dt: f64) -> bool {
        let places = self.places();
        let pose = surface.pose();
        let ends = [places[0], *places.last().expect("two places")];
        if ends.iter().any(|x| surface.contains(&pose.point(x))) {
            return false;
        }
        let depth = |x: &Vec3| depth::depth_of(&pose.point(x), surface);
        let mut deepest: f64 = 0.0;
        for chord in places.windows(2) {
            let mut times: Vec<f64> = met(chord, surface).into_iter().map(|(t, _)| t).collect();
            times.extend([0.0, 1.0]);
            times.sort_by(f64::total_cmp);
            let middles = times.windows(2).map(|t| chord[0].lerp(&chord[1], 0.5 * (t[0] + t[1])));
            deepest = middles.map(|x| depth(&x)).fold(deepest, f64::max);
            let ends = [0, 1].map(|k| pose.point(&chord[k]));
            deepest = surface.round_depth_along(&ends).map_or(deepest, |depth| deepest.max(depth));
        }
        deepest > self.detour(surface, dt)
    }

    /// Returns the distance (m) from the straight path that the velocities in both frames allow.
    fn detour(&self, surface: &Surface, dt: f64) -> f64 {
        let deviation =
            |v0: &Vec3, v1: &Vec3, moved: Vec3| (v0 * dt - moved).norm() + (v1 * dt - moved).norm();
        let ((p, a), (q, b)) = (self.from, self.to);
        let of_particle = deviation(&p.velocity, &q.velocity, q.position - p.position);
        let (v0, v1) = (&a.linear_velocity, &b.linear_velocity);
        let of_body = deviation(v0, v1, b.pose.position - a.pose.position);
        of_particle + of_body + 4.0 * surface.noise(&q.position)
    }
}

/// Returns an upper bound on the angle (rad) between two poses: 2 asin s ≤ π s.
fn turn(a: &Pose, b: &Pose) -> f64 {
    std::f64::consts::PI * (b.rotation * a.rotation.inverse()).imag().norm()
}

/// Returns a box around the surface on its way from `before` to `now`.
fn swept(surface: &Surface, before: &Pose, now: &Pose) -> Aabb {
    let first = Surface::new(surface.shape(), before);
    let angle = turn(before, now);
    let bulge = surface.radius() * (0.125 * angle * angle).min(2.0);
    first.bounds().union(surface.bounds()).grow(bulge + surface.noise(&now.position))
}

/// Returns whether the particle lies on the sheet, within `margin` (m).
fn lies_on((particle, body): &(&ParticleState, &BodyState), surface: &Surface, margin: f64) -> bool {
    let before = Surface::new(surface.shape(), &body.pose);
    before.nearest(&particle.position, margin * margin).is_some()
}

/// Returns `x` (m, frame of the sheet) on both sides, `by` (m) off the nearest triangle.
fn lift(x: &Vec3, surface: &Surface, by: f64) -> [Vec3; 2] {
    let near = surface.nearest(&surface.pose().point(x), f64::INFINITY);
    let normal = near.map(|(index, _)| match surface.primitive(index) {
        Primitive::Triangle([a, b, c]) => (b - a).cross(&(c - a)).normalize(),
        Primitive::Point(_) | Primitive::Wire(_) => Vec3::zeros(),
    });
    let n = surface.pose().inverse_vector(&normal.unwrap_or_else(Vec3::zeros));
    [x + n * by, x - n * by]
}

/// Returns the number of crossings of the sheet along `places` (m, its frame) in the direction of the normals, minus
/// those against.
fn crossings(places: &[Vec3], surface: &Surface) -> i32 {
    let of_chord = |chord: &[Vec3]| met(chord, surface).into_iter().map(|(_, sign)| sign).sum::<i32>();
    places.windows(2).map(of_chord).sum()
}

/// Returns the fractions of a chord (m, frame of the body) at which it passes through triangles, and its direction
/// there. A chord through an edge or a corner is shifted a little, so that it counts once.
fn met(chord: &[Vec3], surface: &Surface) -> Vec<(f64, i32)> {
    const SHIFTS: [[f64; 3]; 4] = [[0.0; 3], [0.61, 0.37, -0.53], [-0.29, 0.83, 0.41], [0.47, -0.71, 0.67]];
    let small = 0.1 * ROUNDING * surface.radius();
    let mesh = surface.mesh();
    let mut found = Vec::new();
    for shift in SHIFTS.map(|shift| Vec3::from(shift) * small) {
        let edge = [chord[0] + shift, chord[1] + shift];
        let ends = edge.map(|x| surface.pose().point(&x));
        let near = surface.overlapping(&Aabb::of_points(&ends).grow(surface.noise(&ends[1])));
        let mut is_clear = true;
        found.clear();
        for index in near.into_iter().map(|i| i as usize).filter(|i| *i < mesh.triangles().len()) {
            let corners @ [a, b, c] = mesh.corners(index);
            match edge_triangle::contact(&edge, &corners) {
                Relation::Disjoint => continue,
                Relation::Touching => is_clear = false,
                Relation::Crossing => {}
            }
            let normal = (b - a).cross(&(c - a));
            let (from, to) = (normal.dot(&(edge[0] - a)), normal.dot(&(edge[1] - a)));
            let t = if from == to { 0.5 } else { (from / (from - to)).clamp(0.0, 1.0) };
            found.push((t, if to > from { 1 } else { -1 }));
        }
        if is_clear {
            break;
        }
    }
    found
}
