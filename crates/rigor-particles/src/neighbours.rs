//! Which particles may touch: pairs by the grid, obstacles by their trees.

use rayon::prelude::*;
use rigor_geometry::{Aabb, Bvh};
use rigor_math::Vec3;
use rigor_scene::{Scene, StepError};

use crate::config::{Cells, Config};
use crate::contact::{ContactPartner, History, Link, Patch, Tally};
use crate::grain::granular::WallHistory;
use crate::grid::Grid;
use crate::mover::Origin;
use crate::stiffness::effective_radius;
use crate::wall::MOST;
use crate::world::World;

/// The particle of a grain's mover near an obstacle: both indices, and the triangles that it may touch.
pub(crate) type GrainWall = (u32, u32, Vec<u32>);

/// A particle near an obstacle, with the triangles that it may touch.
#[derive(Debug, Clone)]
pub(crate) struct Wall {
    pub particle: u32,
    pub obstacle: u32,
    /// A range of [`Neighbours::triangles`].
    pub triangles: std::ops::Range<usize>,
    /// Index of the first of its [`MOST`] links.
    pub link: u32,
}

/// Everything that may touch until something has moved by half of the skin.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    /// First those of pairs, ascending; from `n_pairs` on, [`MOST`] for each wall, ascending.
    pub links: Vec<Link>,
    pub n_pairs: usize,
    pub walls: Vec<Wall>,
    pub triangles: Vec<u32>,
    pub patches: Vec<Patch>,
    /// Links of the step that are no longer near, with their patches.
    pub gone: Vec<(Link, Patch)>,
    /// Length (m) that everything may move together before the lists are void.
    pub slack: f64,
    /// Particles that found no place in the grid.
    pub dropped: usize,
    /// Links of the lists before, with their patches.
    before: Vec<(Link, Patch)>,
    /// Histories from the last step and of planes, by particle, other and place.
    pub recalled: Vec<WallHistory>,
}

impl Neighbours {
    /// Finds all pairs within `skin` (m); `of_grains` are the walls near the movers of grains, ascending, without links.
    pub fn rebuild(
        &mut self,
        scene: &Scene,
        config: &Config,
        world: &World,
        skin: f64,
        of_grains: &[GrainWall],
    ) {
        let before = std::mem::take(&mut self.before);
        let pairs = self.find_pairs(scene, config, world, skin);
        self.find_walls(scene, world, skin);
        for (particle, obstacle, triangles) in of_grains {
            self.add_wall(*particle, *obstacle, triangles);
        }
        let mut sides: Vec<(u32, ContactPartner)> =
            pairs.iter().map(|pair| pair_sides(world, pair)).collect();
        sides.extend(self.walls.iter().map(|wall| wall_sides(world, wall)));
        sides.sort_unstable();
        sides.dedup();
        self.patches.extend(sides.iter().map(|&(a, b)| world.patch(scene, config, a, b)));
        let patch_of = |side: (u32, ContactPartner)| sides.binary_search(&side).unwrap_or(0) as u32;
        let (radius, name) = (&world.particles.radius, &world.particles.name);
        for pair in &pairs {
            let r = effective_radius(radius[pair[0] as usize], Some(radius[pair[1] as usize]));
            let names = (name[pair[0] as usize], name[pair[1] as usize]);
            self.links.push(link((pair[0], pair[1], 0), names, patch_of(pair_sides(world, pair)), r));
        }
        self.n_pairs = pairs.len();
        for wall in &mut self.walls {
            wall.link = self.links.len() as u32;
            let patch = patch_of(wall_sides(world, wall));
            for place in 1..=MOST as u8 {
                let key = (wall.particle, wall.obstacle, place);
                let names = (name[wall.particle as usize], wall.obstacle);
                self.links.push(link(key, names, patch, radius[wall.particle as usize]));
            }
        }
        self.carry_over(before);
        self.slack = 0.5 * skin;
    }

    /// Empties the lists, but keeps links that are worth it for [`Neighbours::rebuild`]. Returns the histories of
    /// contacts with obstacles.
    pub fn take_links(&mut self) -> Vec<WallHistory> {
        let is_worth = |link: &&Link| link.history.touches || link.tally.normal_impulse != 0.0;
        let patches = &self.patches;
        let kept = self.links.iter().filter(is_worth);
        self.before = kept.map(|link| (link.clone(), patches[link.patch as usize].clone())).collect();
        self.links.clear();
        self.patches.clear();
        let of_walls = self.before.iter().filter(|(link, _)| link.place > 0 && link.history.touches);
        of_walls.map(|(link, _)| (link.key(), link.history)).collect()
    }

    /// Gives the links of the new lists what those of the old ones remember.
    fn carry_over(&mut self, before: Vec<(Link, Patch)>) {
        let (pairs, walls) = self.links.split_at_mut(self.n_pairs);
        let find = |key: (u32, u32, u8)| -> Option<usize> {
            let (list, offset) = if key.2 == 0 { (&*pairs, 0) } else { (&*walls, pairs.len()) };
            list.binary_search_by_key(&key, Link::key).ok().map(|i| i + offset)
        };
        let found: Vec<Option<usize>> = before.iter().map(|(link, _)| find(link.key())).collect();
        let recalled: Vec<_> = self.recalled.drain(..).map(|(key, h)| (find(key), h)).collect();
        for (place, history) in recalled {
            if let Some(i) = place {
                self.links[i].history = history;
            }
        }
        for ((old, patch), place) in before.into_iter().zip(found) {
            match place {
                Some(i) => (self.links[i].history, self.links[i].tally) = (old.history, old.tally),
                None if old.tally.normal_impulse != 0.0 => self.gone.push((old, patch)),
                None => {}
            }
        }
    }

    fn find_pairs(&mut self, scene: &Scene, config: &Config, world: &World, skin: f64) -> Vec<[u32; 2]> {
        let particles = &world.particles;
        let active = match config.cells {
            // Which particles a full cell drops depends on all that are in it.
            Cells::Four => world.movers.iter().filter(|m| m.is_active).flat_map(|m| m.first..m.end).collect(),
            Cells::All => particles_near_others(scene, world, world.largest + skin),
        };
        let points: Vec<Vec3> = active.iter().map(|&i| particles.position[i as usize]).collect();
        self.dropped = 0;
        if points.is_empty() {
            return Vec::new();
        }
        let grid = Grid::with_edge(&points, world.largest + skin, config.cell_edge, config.cells);
        self.dropped = grid.dropped();
        let may_touch = |i: u32, j: u32| {
            let (i, j) = (active[i as usize] as usize, active[j as usize] as usize);
            let (a, b) = (particles.owner[i], particles.owner[j]);
            let reach = particles.radius[i] + particles.radius[j] + skin;
            let both_grains = a.max(b) as usize >= world.n_bodies && a.min(b) as usize >= world.n_bodies;
            a != b
                && !both_grains
                && (particles.position[i] - particles.position[j]).norm_squared() <= reach * reach
                && world.movers[a as usize].origin.may_touch(world.movers[b as usize].origin, scene)
        };
        let pairs = grid.pairs(&points, may_touch);
        pairs.into_iter().map(|[i, j]| [active[i as usize], active[j as usize]]).collect()
    }

    fn find_walls(&mut self, scene: &Scene, world: &World, skin: f64) {
        self.walls.clear();
        self.triangles.clear();
        let of_mover = |a: usize| {
            let mut found: Vec<(u32, u32, Vec<u32>)> = Vec::new();
            let mover = &world.movers[a];
            if !mover.is_active || mover.inverse_mass == 0.0 {
                return found;
            }
            for (k, obstacle) in world.obstacles.iter().enumerate() {
                let local = obstacle.now.pose.inverse_point(&mover.x);
                let reach = mover.radius + skin;
                let is_near = obstacle.tree.bounds().distance_sq(&local) <= reach * reach;
                if !is_near || !mover.origin.may_touch(Origin::Body(obstacle.id), scene) {
                    continue;
                }
                for i in mover.first..mover.end {
                    let centre = obstacle.now.pose.inverse_point(&world.particles.position[i as usize]);
                    let near = Aabb::new(centre, centre).grow(world.particles.radius[i as usize] + skin);
                    let triangles = obstacle.tree.overlapping(&near);
                    if !triangles.is_empty() {
                        found.push((i, k as u32, triangles));
                    }
                }
            }
            // By particle, then obstacle.
            found.sort_unstable();
            found
        };
        let all: Vec<_> = (0..world.n_bodies).into_par_iter().with_min_len(64).map(of_mover).collect();
        for (particle, obstacle, triangles) in all.into_iter().flatten() {
            self.add_wall(particle, obstacle, &triangles);
        }
    }

    fn add_wall(&mut self, particle: u32, obstacle: u32, triangles: &[u32]) {
        let start = self.triangles.len();
        self.triangles.extend(triangles);
        self.walls.push(Wall { particle, obstacle, triangles: start..self.triangles.len(), link: 0 });
    }

    /// The links that touched in the last substep.
    pub fn touching(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| link.history.touches)
    }
}

fn pair_sides(world: &World, pair: &[u32; 2]) -> (u32, ContactPartner) {
    let owner = &world.particles.owner;
    (owner[pair[0] as usize], ContactPartner::Mover(owner[pair[1] as usize]))
}

fn wall_sides(world: &World, wall: &Wall) -> (u32, ContactPartner) {
    (world.particles.owner[wall.particle as usize], ContactPartner::Obstacle(wall.obstacle))
}

fn link((particle, other, place): (u32, u32, u8), names: (u32, u32), patch: u32, radius: f64) -> Link {
    let (history, tally) = (History::default(), Tally::default());
    Link { particle, other, place, names, patch, radius, history, tally }
}

/// Maximum number of boxes against which the particles of one mover are tested.
const MAX_BOXES: usize = 32;

/// Returns the particles of active movers, ascending, without those that are farther than `reach` (m) from the box around
/// the particles of every other mover.
fn particles_near_others(scene: &Scene, world: &World, reach: f64) -> Vec<u32> {
    let position = &world.particles.position;
    let active: Vec<u32> =
        (0..world.movers.len() as u32).filter(|&a| world.movers[a as usize].is_active).collect();
    let mover = |k: usize| &world.movers[active[k] as usize];
    let range = |k: usize| mover(k).first as usize..mover(k).end as usize;
    let boxes: Vec<Aabb> =
        (0..active.len()).into_par_iter().map(|k| Aabb::of_points(&position[range(k)])).collect();
    // Differences and sums of coordinates are rounded.
    let farthest = boxes.iter().map(|b| b.max.amax().max(b.min.amax())).fold(0.0, f64::max);
    let margin = 1.001 * reach + 1e-12 * farthest;
    let grown: Vec<Aabb> = boxes.iter().map(|b| b.grow(0.5 * margin)).collect();
    let all = || (0..active.len()).flat_map(range).map(|i| i as u32).collect();
    // A coordinate that is not finite is an error of the step, which others report.
    let Ok(tree) = Bvh::new(&grown) else { return all() };
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); active.len()];
    for [a, b] in tree.overlapping_pairs() {
        let both_grains = active[a as usize].min(active[b as usize]) as usize >= world.n_bodies;
        if !both_grains && mover(a as usize).origin.may_touch(mover(b as usize).origin, scene) {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
    }
    let of_mover = |(k, near): (usize, Vec<u32>)| -> Vec<u32> {
        let boxes: Vec<Aabb> = near.iter().map(|&b| boxes[b as usize].grow(margin)).collect();
        let is_near =
            |i: &usize| boxes.len() > MAX_BOXES || boxes.iter().any(|b| b.contains_point(&position[*i]));
        range(k).filter(is_near).map(|i| i as u32).collect()
    };
    let found: Vec<Vec<u32>> = near.into_par_iter().enumerate().map(of_mover).collect();
    found.concat()
}

/// Marks movers that may touch something within `rest` (s), and returns how far (m) each may move until the
/// marks are void.
///
/// With grains every mover is marked: there are many of them, and the grid is cheaper.
pub(crate) fn mark_active(scene: &Scene, world: &mut World, rest: f64) -> Result<Vec<f64>, StepError> {
    let travel = |speed: f64, acceleration: f64| 1.5 * rest * (speed + rest * acceleration);
    if !scene.particles.is_empty() {
        world.movers.iter_mut().for_each(|mover| mover.is_active = true);
        return Ok(vec![f64::INFINITY; world.movers.len()]);
    }
    let margin = if world.largest > 0.0 { world.largest } else { 0.0 };
    let mut allowances: Vec<f64> =
        world.movers.iter().map(|m| margin + travel(m.speed(), m.acceleration.norm())).collect();
    let mut boxes: Vec<Aabb> = Vec::with_capacity(world.movers.len() + world.obstacles.len());
    for (mover, allowance) in world.movers.iter().zip(&allowances) {
        boxes.push(Aabb::new(mover.x, mover.x).grow(mover.radius + allowance));
    }
    for obstacle in &world.obstacles {
        let allowance = margin + travel(obstacle.speed(), 0.0);
        boxes.push(obstacle.tree.bounds().transformed(&obstacle.now.pose).grow(allowance));
        allowances.push(allowance);
    }
    world.movers.iter_mut().for_each(|mover| mover.is_active = false);
    let origin = |world: &World, i: usize| match world.movers.get(i) {
        Some(mover) => mover.origin,
        None => Origin::Body(world.obstacles[i - world.movers.len()].id),
    };
    let tree = Bvh::new(&boxes).map_err(|error| match origin(world, error.index) {
        Origin::Body(id) => StepError::not_finite(scene, id, rigor_scene::Attribute::Extent),
        Origin::Grain(id) => {
            StepError::particle_not_finite(scene, id, rigor_scene::Attribute::PositionOrVelocity)
        }
    })?;
    for [i, j] in tree.overlapping_pairs() {
        let (i, j) = (i as usize, j as usize);
        if origin(world, i).may_touch(origin(world, j), scene) {
            for k in [i, j] {
                if let Some(mover) = world.movers.get_mut(k) {
                    mover.is_active = true;
                }
            }
        }
    }
    Ok(allowances)
}
