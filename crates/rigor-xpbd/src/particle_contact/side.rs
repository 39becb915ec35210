//! On which side of a surface a particle is.
//!
//! A position shows the side only where it is farther from the sheet than rounding, and only until a push moves
//! the particle through. Therefore every particle has a point from which its path is followed: its position
//! before the substep, or beside that an *anchor* on the side from which it came. A new anchor is reached from the
//! previous one by a straight way, in the body's frame, that does not pass through the sheet; so a particle that
//! has been pushed through remains a particle of its side, however deep, until it is back or has gone around the
//! border. A particle that starts on a sheet is on the side of [`Doubt`].
//!
//! Solids show their side by the front of their faces. Only a particle that has been pushed into one has an anchor, so
//! that it comes out where it went in, not through the nearest face behind a thin plate or rod.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{Scene, State};

use super::shell::{Doubt, Path, Search, Shell, Shells};
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Memory key: each `[particle, body, anchor (body's frame, 3)]`, by particle and body.
const MEMORY: &str = "xpbd/particle_side";
const NUMBERS: usize = 5;

/// Rounding of a position in a body's frame, relative to the distances of particle and body from the origin.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Sides of the particles near bodies.
#[derive(Debug, Default)]
pub(super) struct Sides {
    /// Anchors (m, body's frame) by particle and body, ascending.
    anchors: Vec<((usize, usize), Vec3)>,
    /// Ways of this substep, by particle and body, ascending.
    ways: Vec<Way>,
    /// Votes of soft bodies, by soft body and body.
    votes: BTreeMap<(usize, usize), f64>,
}

/// The way of a particle in a body's frame, in one substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub pair: (usize, usize),
    pub path: Path,
    /// Distance (m) from `path.x` within which there is no surface.
    pub clear: f64,
}

impl Way {
    /// Returns the way to the present position of the particle; `None` if it passes no surface for certain.
    pub fn now(&self, particle: &SolverParticle, body: &SolverBody, margin: f64) -> Option<Path> {
        let x = body.pose.inverse_point(&particle.x);
        // The way lies in the ball around `path.x` that has no surface in it.
        let is_clear = (x - self.path.x).norm() + margin <= self.clear;
        (!is_clear).then_some(Path { x, ..self.path })
    }
}

impl Sides {
    /// Loads the anchors from `state`.
    pub fn load(&mut self, state: &State) {
        self.ways.clear();
        self.votes.clear();
        self.anchors.clear();
        let numbers = state.memory.numbers.get(MEMORY).map_or(&[][..], |numbers| &numbers[..]);
        self.anchors.extend(
            numbers.chunks_exact(NUMBERS).map(|entry| {
                ((entry[0] as usize, entry[1] as usize), Vec3::new(entry[2], entry[3], entry[4]))
            }),
        );
    }

    /// Writes the anchors to `state`.
    pub fn store(&self, state: &mut State) {
        if self.anchors.is_empty() {
            state.memory.numbers.remove(MEMORY);
            return;
        }
        let numbers = self.anchors.iter().flat_map(|((i, b), a)| [*i as f64, *b as f64, a.x, a.y, a.z]);
        state.memory.numbers.insert(MEMORY.into(), numbers.collect());
    }

    /// Returns the pairs of particle and body with an anchor, ascending.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.anchors.iter().map(|(pair, _)| *pair)
    }

    /// Starts a substep.
    pub fn begin(&mut self) {
        self.ways.clear();
        self.votes.clear();
    }

    /// Returns the way of a particle in the frame of a body, to its predicted position.
    pub fn way(
        &mut self,
        scene: &Scene,
        pair: (usize, usize),
        (particles, bodies): (&[SolverParticle], &[SolverBody]),
        shell: &Shell,
        search: &mut Search,
    ) -> Path {
        let (at, on) = (&particles[pair.0], &bodies[pair.1]);
        let x = on.pose.inverse_point(&at.x);
        let x_prev = on.pose_prev.inverse_point(&at.x_prev);
        let margin = shell.rounding() + ROUNDING * (at.x_prev.norm() + on.pose_prev.position.norm());
        let gravity = on.pose_prev.inverse().vector(&scene.gravity);
        let doubt = Doubt { vote: 0.0, gravity, motion: x - x_prev };
        let path = Path { from: x_prev, x_prev, x, doubt, margin };
        if let Ok(place) = self.anchors.binary_search_by_key(&pair, |(pair, _)| *pair) {
            return Path { from: self.anchors[place].1, ..path };
        }
        if !shell.is_sheet() || !shell.is_near(&x_prev, 0.5 * margin, search) {
            return path;
        }
        let vote = self.vote(scene, pair, particles, on, shell, margin);
        let path = Path { doubt: Doubt { vote, ..doubt }, ..path };
        let from = shell.anchor(&Path { x: x_prev, ..path }, search).unwrap_or(x_prev);
        Path { from, ..path }
    }

    /// Returns the number of particles of the soft body of a particle that are in front of the sheet, minus that of
    /// those behind.
    fn vote(
        &mut self,
        scene: &Scene,
        (particle, body): (usize, usize),
        particles: &[SolverParticle],
        on: &SolverBody,
        shell: &Shell,
        margin: f64,
    ) -> f64 {
        let Some(soft) = scene.soft_bodies.iter().position(|soft| soft.particles.contains(&particle)) else {
            return 0.0;
        };
        *self.votes.entry((soft, body)).or_insert_with(|| {
            let places = scene.soft_bodies[soft].particles.clone();
            places.map(|i| shell.vote(&on.pose_prev.inverse_point(&particles[i].x_prev), margin)).sum()
        })
    }

    /// Notes the way of a pair, in ascending order.
    pub fn note(&mut self, way: Way) {
        self.ways.push(way);
    }

    /// Returns the ways of this substep.
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// Adds the ways of `pairs`, ascending, that have none.
    pub fn complete(
        &mut self,
        scene: &Scene,
        pairs: &[(usize, usize)],
        both: (&[SolverParticle], &[SolverBody]),
        shells: &Shells,
        search: &mut Search,
    ) {
        let n_known = self.ways.len();
        for &pair in pairs {
            if self.ways[..n_known].binary_search_by_key(&pair, |way| way.pair).is_err() {
                let path = self.way(scene, pair, both, shells.of_body(pair.1), search);
                self.ways.push(Way { pair, path, clear: 0.0 });
            }
        }
        self.ways.sort_by_key(|way| way.pair);
    }

    /// Places the anchors at the end of the substep.
    pub fn remember(
        &mut self,
        shells: &Shells,
        particles: &[SolverParticle],
        bodies: &[SolverBody],
        search: &mut Search,
    ) {
        self.anchors.clear();
        for way in &self.ways {
            let shell = shells.of_body(way.pair.1);
            let (particle, body) = (&particles[way.pair.0], &bodies[way.pair.1]);
            let margin = way.path.margin;
            let Some(path) = way.now(particle, body, 2.0 * margin) else { continue };
            // On a solid the front of its faces shows the side, except from inside.
            let is_inside = |(point, n): (Vec3, Vec3)| (path.x - point).dot(&n) < -margin;
            if shell.is_sheet() || shell.entry(&path).is_some_and(is_inside) {
                let anchor = shell.anchor(&path, search);
                self.anchors.extend(anchor.map(|anchor| (way.pair, anchor)));
            }
        }
    }
}
