//! Stage 3, collision detection and reaction: from near pairs to the sums of forces on each mover.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::config::Model;
use crate::contact::{ContactGeometry, ContactPartner, Link, Patch, Tally};
use crate::force::{Law, Response};
use crate::neighbours::{Neighbours, Wall};
use crate::wall::{self, MOST};
use crate::world::World;

/// Pairs handled by one task. The result does not depend on it.
const CHUNK: usize = 1024;

/// Contacts of the current substep; kept to reuse memory.
#[derive(Debug, Default)]
pub(crate) struct Collision {
    touches: Vec<ContactGeometry>,
    /// Links that touched in the last substep.
    before: Vec<u32>,
    /// Maximum overlap (m) and maximum overlap over the diameter so far in this step.
    pub deepest: f64,
    pub deepest_relative: f64,
}

impl Collision {
    /// Prepares for a step.
    pub fn start(&mut self) {
        (self.deepest, self.deepest_relative) = (f64::NEG_INFINITY, 0.0);
    }

    /// Rebuilds the list of links that touched in the last substep, after those of `near` changed.
    pub fn relist(&mut self, near: &Neighbours) {
        self.before.clear();
        self.before.extend((0..near.links.len() as u32).filter(|&i| near.links[i as usize].history.touches));
    }

    /// Finds all contacts, and adds the forces of a substep of `h` (s) to the movers.
    ///
    /// All sums run over contacts in the order of their particles.
    pub fn react(&mut self, world: &mut World, near: &mut Neighbours, law: &Law, h: f64) {
        self.detect(world, near, law, h);
        gather(world, &mut near.patches, &self.touches, &near.links);
        let respond = |touch: &ContactGeometry| {
            let link = &near.links[touch.link as usize];
            law.respond(touch, link, &near.patches[link.patch as usize], h)
        };
        let responses: Vec<Response> = if self.touches.len() > CHUNK {
            self.touches.par_iter().with_min_len(CHUNK / 4).map(respond).collect()
        } else {
            self.touches.iter().map(respond).collect()
        };
        for &i in &self.before {
            near.links[i as usize].history.touches = false;
        }
        self.before.clear();
        for (touch, response) in self.touches.iter().zip(&responses) {
            let link = &mut near.links[touch.link as usize];
            let patch = &near.patches[link.patch as usize];
            link.history = response.history;
            add_up(&mut link.tally, touch, response, h);
            let points = match law.model {
                Model::Harada => centres(world, link, touch),
                Model::Hooke | Model::Hertz => [touch.point; 2],
            };
            push(world, patch, &points, response);
            self.before.push(touch.link);
            self.deepest = self.deepest.max(touch.overlap);
            let radius = world.particles.radius[link.particle as usize];
            self.deepest_relative = self.deepest_relative.max(0.5 * touch.overlap / radius);
        }
    }

    fn detect(&mut self, world: &World, near: &Neighbours, law: &Law, h: f64) {
        self.touches.clear();
        let at_centres = law.model == Model::Harada;
        let of_pair = |i: usize| pair_touch(world, near, i, (at_centres, h));
        let n = near.n_pairs;
        if n > CHUNK {
            let chunk =
                |k: usize| (k * CHUNK..((k + 1) * CHUNK).min(n)).filter_map(of_pair).collect::<Vec<_>>();
            let found: Vec<Vec<ContactGeometry>> =
                (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
            self.touches.extend(found.into_iter().flatten());
        } else {
            self.touches.extend((0..n).filter_map(of_pair));
        }
        let mut scratch = Vec::new();
        for k in 0..near.walls.len() {
            self.wall_touches(world, near, &near.walls[k], (at_centres, h), &mut scratch);
        }
    }

    fn wall_touches(
        &mut self,
        world: &World,
        near: &Neighbours,
        wall: &Wall,
        (at_centres, h): (bool, f64),
        scratch: &mut Vec<wall::WallPoint>,
    ) {
        let obstacle = &world.obstacles[wall.obstacle as usize];
        let i = wall.particle as usize;
        let (radius, centre) = (world.particles.radius[i], world.particles.position[i]);
        let local = obstacle.now.pose.inverse_point(&centre);
        let triangles = &near.triangles[wall.triangles.clone()];
        let count = wall::contacts(&obstacle.mesh, triangles, obstacle.is_solid, &local, radius, scratch);
        if count == 0 {
            return;
        }
        let found = &scratch[..count];
        let normals =
            [0, 1, 2].map(|k| found.get(k).map_or(Vec3::zeros(), |w| obstacle.now.pose.vector(&w.normal)));
        let places = settle(near, wall.link, &normals[..count]);
        for k in 0..count {
            let point = obstacle.now.pose.point(&found[k].point);
            let link = wall.link + places[k] as u32;
            let overlap = radius - found[k].distance;
            let touch = ContactGeometry {
                link,
                overlap,
                normal: normals[k],
                point,
                velocity: Vec3::zeros(),
                spin: Vec3::zeros(),
            };
            let a = world.particles.owner[i];
            let mut touch = with_motion(world, a, ContactPartner::Obstacle(wall.obstacle), touch, h);
            if at_centres {
                let obstacle = obstacle.now.velocity_at(&touch.point);
                touch.velocity = world.movers[a as usize].velocity_at(&centre) - obstacle;
            }
            self.touches.push(touch);
        }
    }
}

/// Assigns contacts with these normals to the places of a wall, each to the place whose last normal is
/// nearest.
///
/// So the history of a contact follows it from triangle to triangle.
fn settle(near: &Neighbours, first: u32, normals: &[Vec3]) -> [usize; MOST] {
    let mut places = [usize::MAX; MOST];
    let mut taken = [false; MOST];
    let history = |k: usize| &near.links[first as usize + k].history;
    for (place, normal) in places.iter_mut().zip(normals) {
        let alike = |k: &usize| !taken[*k] && history(*k).touches && history(*k).normal.dot(normal) > 0.9;
        let best = (0..MOST)
            .filter(alike)
            .max_by(|&j, &k| history(j).normal.dot(normal).total_cmp(&history(k).normal.dot(normal)));
        if let Some(k) = best {
            *place = k;
            taken[k] = true;
        }
    }
    for place in places.iter_mut().take(normals.len()).filter(|place| **place == usize::MAX) {
        // An empty place first, so that no other contact's history is taken.
        let free = |k: &usize| !taken[*k];
        let k = (0..MOST).filter(free).min_by_key(|&k| history(k).touches).unwrap_or(0);
        *place = k;
        taken[k] = true;
    }
    places
}

fn pair_touch(
    world: &World,
    near: &Neighbours,
    index: usize,
    (at_centres, h): (bool, f64),
) -> Option<ContactGeometry> {
    let link = &near.links[index];
    let (i, j) = (link.particle as usize, link.other as usize);
    let particles = &world.particles;
    let (p, q) = (particles.position[i], particles.position[j]);
    let (r, s) = (particles.radius[i], particles.radius[j]);
    let separation = p - q;
    let square = separation.norm_squared();
    if square >= (r + s) * (r + s) {
        return None;
    }
    let distance = square.sqrt();
    // Two centres at the same place are pushed apart along x, for lack of a direction.
    let normal = if distance > 0.0 { separation / distance } else { Vec3::x() };
    let overlap = r + s - distance;
    let point = q + (s - overlap * s / (r + s)) * normal;
    let (a, b) = (particles.owner[i], particles.owner[j]);
    let touch = ContactGeometry {
        link: index as u32,
        overlap,
        normal,
        point,
        velocity: Vec3::zeros(),
        spin: Vec3::zeros(),
    };
    let mut touch = with_motion(world, a, ContactPartner::Mover(b), touch, h);
    if at_centres {
        touch.velocity = world.movers[a as usize].velocity_at(&p) - world.movers[b as usize].velocity_at(&q);
    }
    Some(touch)
}

/// Adds the relative motion, with the mean velocity of a substep of `h` (s).
///
/// Velocities are those at the end of a substep, v = v̄ + ½ h a, where v̄ is the mean, with which the body moved. A spring that summed
/// up v would carry a body at rest against its weight by ½ h² a in each substep.
fn with_motion(world: &World, a: u32, b: ContactPartner, touch: ContactGeometry, h: f64) -> ContactGeometry {
    let mover = &world.movers[a as usize];
    let (velocity, spin) = world.motion_of(b, &touch.point);
    let acceleration = match b {
        ContactPartner::Mover(b) => mover.acceleration - world.movers[b as usize].acceleration,
        ContactPartner::Obstacle(_) => mover.acceleration,
    };
    ContactGeometry {
        velocity: mover.velocity_at(&touch.point) - velocity - 0.5 * h * acceleration,
        spin: mover.omega - spin,
        ..touch
    }
}

/// Counts the contacts of each patch, and finds the mass that each of them stops.
///
/// The N contacts of a patch share the generalised mass 1/(w_a + w_b) at their mean point along their mean
/// normal, so that a body that lands on many particles rebounds as one that lands on one.
fn gather(world: &World, patches: &mut [Patch], touches: &[ContactGeometry], links: &[Link]) {
    for touch in touches {
        patches[links[touch.link as usize].patch as usize].count = 0;
    }
    for touch in touches {
        let patch = &mut patches[links[touch.link as usize].patch as usize];
        if patch.count == 0 {
            (patch.points, patch.normals) = (Vec3::zeros(), Vec3::zeros());
        }
        patch.count += 1;
        patch.points += touch.point;
        patch.normals += touch.normal;
        // 0 marks a patch whose mass is not yet known.
        patch.mass = 0.0;
    }
    for touch in touches {
        let patch = &mut patches[links[touch.link as usize].patch as usize];
        if patch.mass != 0.0 {
            continue;
        }
        let n = f64::from(patch.count);
        let (point, normal) = (patch.points / n, patch.normals.try_normalize(0.0).unwrap_or(touch.normal));
        let of_mover = |k: u32| world.movers[k as usize].inverse_mass_at(&point, &normal);
        let second = match patch.b {
            ContactPartner::Mover(b) => of_mover(b),
            ContactPartner::Obstacle(_) => 0.0,
        };
        let inverse = of_mover(patch.a) + second;
        // Two sides that nothing moves in this direction, but for rounding, need no damping.
        let least = 1e-9 * world.movers[patch.a as usize].inverse_mass;
        patch.mass = if inverse > least { 1.0 / (inverse * n) } else { f64::MIN_POSITIVE };
    }
}

fn add_up(tally: &mut Tally, touch: &ContactGeometry, response: &Response, h: f64) {
    tally.normal_impulse += h * response.normal_force;
    tally.friction_impulse += h * response.friction;
    tally.normal = touch.normal;
    tally.point = touch.point;
    tally.gap = -touch.overlap;
    tally.slip = touch.velocity - touch.velocity.dot(&touch.normal) * touch.normal;
}

/// Returns the centres (m, world) of both particles; of the first one alone at an obstacle.
fn centres(world: &World, link: &Link, touch: &ContactGeometry) -> [Vec3; 2] {
    let centre = |i: u32| world.particles.position[i as usize];
    [centre(link.particle), if link.place == 0 { centre(link.other) } else { touch.point }]
}

/// Adds the force f at these points (m, world) to both sides: F ± f and T ± (c − x) × f.
///
/// Source: \[Harada2007\], F_c = Σ f and T_c = Σ r_i × f. Deviation: both sides take the force at the same
/// point, so that angular momentum is conserved too. `harada` takes it at each centre, as printed.
fn push(world: &mut World, patch: &Patch, points: &[Vec3; 2], response: &Response) {
    let Response { force, torque, .. } = response;
    let mover = &mut world.movers[patch.a as usize];
    mover.force += force;
    mover.moment += (points[0] - mover.x).cross(force) + torque;
    if let ContactPartner::Mover(b) = patch.b {
        let mover = &mut world.movers[b as usize];
        mover.force -= force;
        mover.moment -= (points[1] - mover.x).cross(force) + torque;
    }
}
