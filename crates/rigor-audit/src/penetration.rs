//! Penetration depths of bodies and particles in bodies.

pub mod particle;
mod passage;

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{BodyId, ParticleId, Scene};

use crate::depth::{self, Side, segment};
use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::peak::{Peak, Peaks};
use crate::series::Series;
use crate::surface::{Primitive, Surface};
use crate::surface_cache::Surfaces;

use passage::Passages;

const DEEPEST: Figure = Figure::new(
    "penetration.deepest",
    "m",
    "greatest depth of a body's surface inside or behind another that was found, a lower bound; 0: none found",
);

const PARTICLE: Figure = Figure::new(
    "penetration.particle",
    "m",
    "greatest depth of a particle's sphere inside a solid body, or of a particle behind a sheet through which it went; 0: none",
);

const PARTICLE_PASSES: Figure = Figure::new(
    "penetration.particle_passes",
    "1",
    "how often a particle went through a sheet, or between frames through a solid body; 0: never",
);

pub(crate) const FIGURES: &[Figure] = &[DEEPEST, PARTICLE, PARTICLE_PASSES];

/// Measures the largest penetration, for the scene and for each body.
///
/// **Solids** (closed meshes): the depth of some points of the surface of one body inside the other, a lower
/// bound on the maximum depth. [`depth::deepest`] states which points.
///
/// **Round parts** (balls and capsules): how far they overlap other parts, and how far they are in solids, from their centres and axes
/// ([`depth::between`]). Behind a sheet they are ρ deeper than the deepest point of the centre or axis.
///
/// **Sheets** (triangles that bound no volume, such as a ground plane) have two sides, and a border around
/// which a body may reach. Consider the ball around a body's centre of mass with the body's radius. In the
/// first frame in which it touches no border, the body is assigned the side on which its centre lies. From
/// then on, a vertex on the other side is as deep as its distance from the sheet; a body that fell through
/// gets deeper as long as it stays below. When the border comes within the ball, or another piece of the
/// sheet becomes nearest to the centre, the body has no side until its ball is clear of the border again. A
/// body of several pieces, between which a sheet may have come, is assigned a side only once all of it is on
/// that side. Vertices nearest to the border or to another piece do not count. The part of a small sheet
/// inside a large solid does count.
///
/// **Particles** have their own figures: their depth in each frame ([`particle`]), and passages along their straight
/// paths between frames, in which the depth behind a sheet grows until they come back or its border is nearest. A path
/// through a solid counts if it is deeper than the detour that the velocities in both frames allow.
#[derive(Debug)]
pub struct Penetration {
    /// For each pair of (body, sheet), the piece of the sheet near the body, and whether the body belongs in
    /// front.
    sides: BTreeMap<(usize, usize), (usize, bool)>,
    deepest: Peaks,
    particle: Option<Peak>,
    passages: Passages,
    /// The first passage.
    passed: Option<Peak>,
    series: Series,
    /// The solids that were deepest in each other.
    last: Option<(usize, usize)>,
}

/// The greatest depths in one frame.
struct FrameDepths {
    /// The depth (m) of each body and the other body.
    bodies: Vec<(f64, Option<usize>)>,
    is_dynamic: Vec<bool>,
    /// The maximum depth (m) of a dynamic body.
    overall: f64,
}

impl FrameDepths {
    fn new(scene: &Scene) -> Self {
        let is_dynamic: Vec<bool> = scene.bodies.iter().map(rigor_scene::Body::is_dynamic).collect();
        Self { bodies: vec![(0.0, None); is_dynamic.len()], is_dynamic, overall: 0.0 }
    }

    /// Returns whether this is the maximum of the dynamic bodies so far.
    fn raise(&mut self, a: usize, b: usize, depth: f64) -> bool {
        for (body, other) in [(a, b), (b, a)] {
            if depth > self.bodies[body].0 {
                self.bodies[body] = (depth, Some(other));
            }
        }
        let is_worst = depth > self.overall && (self.is_dynamic[a] || self.is_dynamic[b]);
        if is_worst {
            self.overall = depth;
        }
        is_worst
    }

    fn of_dynamic(&self) -> impl Iterator<Item = (usize, (f64, Option<usize>))> {
        self.bodies.iter().copied().enumerate().filter(|(i, _)| self.is_dynamic[*i])
    }
}

impl Default for Penetration {
    fn default() -> Self {
        Self {
            sides: BTreeMap::new(),
            deepest: Peaks::default(),
            particle: None,
            passages: Passages::default(),
            passed: None,
            series: Series::new("penetration.deepest", "m"),
            last: None,
        }
    }
}

impl Judge for Penetration {
    fn name(&self) -> &'static str {
        "penetration"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if frame.is_stopped() {
            return;
        }
        let surfaces = frame.surfaces();
        let mut worst = FrameDepths::new(frame.scene);
        let last = self.last.filter(|pair| surfaces.close_pairs().binary_search(pair).is_ok());
        let known = last.and_then(|(a, b)| surfaces.depth_above(0.0, a, b));
        worst.overall = known.unwrap_or(0.0);
        for &(a, b) in surfaces.close_pairs() {
            if frame.is_stopped() {
                return;
            }
            let depth = if last == Some((a, b)) {
                known
            } else {
                surfaces.depth_above(self.floor(&worst, [a, b]), a, b)
            };
            if depth.is_some_and(|depth| worst.raise(a, b, depth)) {
                self.last = Some((a, b));
            }
        }
        for (a, sheet) in sheet_pairs(frame.scene, &surfaces) {
            if frame.is_stopped() {
                return;
            }
            worst.raise(a, sheet, self.behind(frame, &surfaces, a, sheet));
        }
        for (i, (depth, other)) in worst.of_dynamic() {
            let name = |j: usize| frame.scene.bodies[j].name.as_str();
            let pair = || other.map_or(String::new(), |other| format!("{} – {}", name(i), name(other)));
            self.deepest.raise(BodyId(i), depth, frame.moment(), pair);
        }
        let overall = worst.overall;
        self.series.points.push((frame.state.time, overall));
        if let Some((depth, pair)) = particle::deepest(frame.scene, frame.state, &surfaces) {
            Peak::raise(&mut self.particle, depth, frame.moment(), || pair.told(frame.scene));
            self.follow(frame, &surfaces);
        }
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        let depth = self.particle.iter().map(|peak| peak.finding(&PARTICLE, None));
        let passes = self.passed.iter().map(|peak| Finding {
            value: self.passages.count as f64,
            ..peak.finding(&PARTICLE_PASSES, None)
        });
        let of_particles = depth.chain(passes);
        self.deepest.findings(&DEEPEST).into_iter().chain(of_particles).collect()
    }

    fn series(&self) -> Vec<&Series> {
        vec![&self.series]
    }
}

impl Penetration {
    /// Follows the particles from the previous frame.
    fn follow(&mut self, frame: &Frame<'_>, surfaces: &Surfaces) {
        let ignores = particle::ignored(frame.scene);
        let told = |i: usize, b: usize| {
            particle::Pair { particle: ParticleId(i), body: Some(BodyId(b)) }.told(frame.scene)
        };
        let passed = self.passages.follow(frame.scene, frame.state, surfaces, ignores);
        if let Some((i, b, depth)) = passed.deepest {
            Peak::raise(&mut self.particle, depth, frame.moment(), || told(i, b));
        }
        let first = passed.first;
        let value = if first.is_some() { 1.0 } else { 0.0 };
        Peak::raise(&mut self.passed, value, frame.moment(), || {
            first.map_or(String::new(), |(i, b)| told(i, b))
        });
    }

    /// Returns the depth (m) up to which the pair changes neither the maximum of the frame nor that of one of its bodies.
    fn floor(&self, worst: &FrameDepths, pair: [usize; 2]) -> f64 {
        let best = |i: usize| self.deepest.of(BodyId(i)).unwrap_or(0.0).max(worst.bodies[i].0);
        let dynamic = pair.into_iter().filter(|i| worst.is_dynamic[*i]);
        dynamic.map(best).fold(worst.overall, f64::min)
    }

    /// Returns the depth (m) of body `a` behind the sheet, relative to its assigned side.
    fn behind(&mut self, frame: &Frame<'_>, surfaces: &Surfaces, a: usize, sheet: usize) -> f64 {
        let (body, surface) = (&surfaces.bodies()[a], &surfaces.bodies()[sheet]);
        let (centre, radius) = (&frame.state.bodies[a].pose.position, frame.scene.bodies[a].radius);
        let piece = surface.piece_near(centre);
        let known = self.sides.remove(&(a, sheet)).filter(|(near, _)| Some(*near) == piece);
        let Some(piece) = piece.filter(|_| surface.border_distance_sq(centre) > radius * radius) else {
            return 0.0;
        };
        let (is_front, distance) = match (depth::side_of(centre, surface), known) {
            (Side::Front(distance), _) => (true, distance),
            (Side::Back(distance), _) => (false, distance),
            (Side::On, Some((_, side))) => (side, 0.0),
            _ => return 0.0,
        };
        let belongs_in_front = known.map_or(is_front, |(_, side)| side);
        let is_clear = is_front == belongs_in_front && distance > radius;
        let depth = if is_clear { 0.0 } else { deepest_behind(body, (surface, piece), belongs_in_front) };
        let has_side = known.is_some() || depth == 0.0 || body.n_pieces() == 1;
        if !has_side {
            return 0.0;
        }
        self.sides.insert((a, sheet), (piece, belongs_in_front));
        depth
    }
}

/// Returns the pairs of a body and a sheet that may collide.
fn sheet_pairs(scene: &Scene, surfaces: &Surfaces) -> Vec<(usize, usize)> {
    let bodies = surfaces.bodies();
    let sheets = (0..bodies.len()).filter(|i| bodies[*i].is_sheet() && bodies[*i].bounds().is_finite());
    let collides = |a: usize, sheet: usize| {
        bodies[a].bounds().is_finite() && scene.can_collide(BodyId(a), BodyId(sheet))
    };
    sheets
        .flat_map(|sheet| (0..bodies.len()).map(move |a| (a, sheet)))
        .filter(|&(a, sheet)| collides(a, sheet))
        .collect()
}

/// Returns the maximum distance (m) from a piece of `sheet` of vertices of `body` on the wrong side, of round parts with what they
/// are round it.
fn deepest_behind(body: &Surface, (sheet, piece): (&Surface, usize), belongs_in_front: bool) -> f64 {
    let behind = |p: &Vec3| match depth::side_of(p, sheet) {
        Side::Back(distance) if belongs_in_front => Some(distance),
        Side::Front(distance) if !belongs_in_front => Some(distance),
        Side::Back(distance) | Side::Front(distance) => Some(-distance),
        Side::On => Some(0.0),
        Side::Beyond => None,
    };
    let is_of_piece = |p: &Vec3| sheet.n_pieces() == 1 || sheet.piece_near(p) == Some(piece);
    let depth = |p: &Vec3, rho: f64| behind(p).filter(|_| is_of_piece(p)).map_or(0.0, |d| (rho + d).max(0.0));
    let ends = (0..).zip(body.vertices()).map(|(v, p)| depth(&p, body.offset_of_vertex(v)));
    let inner = body.rounds().iter().filter_map(|i| match body.primitive(*i) {
        Primitive::Wire(ends) => {
            let p = segment::farthest(&ends, sheet, |p| behind(p).is_some_and(|d| d > 0.0))?;
            Some(depth(&p, body.offset(*i)))
        }
        Primitive::Point(_) | Primitive::Triangle(_) => None,
    });
    ends.chain(inner).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
