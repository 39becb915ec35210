//! All grains of a scene: their arrays, and what is done with them in a substep.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rigor_geometry::{Aabb, Bvh};
use rigor_math::Vec3;
use rigor_scene::{BodyId, ParticleState, Scene, State};

use crate::config::{Config, Model};
use crate::contact::{History, Tally};
use crate::force::Law;
use crate::friction::Spring;
use crate::grain::block::{self, BLOCK, Block, Import, Motion, Push, Substep};
use crate::grain::kind::{Kinds, Pair};
use crate::grain::list::{self, Sources};
use crate::grain::order::Order;
use crate::grain::plane::{NearbyObstacle, Plane, PlaneContact};
use crate::grain::recall::{ContactHistories, ContactHistory};
use crate::grain::row::{Row, row, square, vector};
use crate::mover::Mover;
use crate::world::World;

/// A grain near a dynamic body, or near an obstacle where that is not flat.
#[derive(Debug, Clone)]
pub(crate) struct NearbyGrain {
    /// Its number in the scene, and its place in the order.
    pub id: u32,
    pub place: u32,
    /// Obstacles, with the triangles that it may touch.
    pub walls: Vec<(u32, Vec<u32>)>,
}

/// The key of a contact with an obstacle, its normal and its history.
pub(crate) type WallHistory = ((u32, u32, u8), History);

/// The grains of a scene.
#[derive(Debug, Default)]
pub(crate) struct Granular {
    pub kinds: Kinds,
    /// In the order of cells: number in the scene, kind, position (m, world) and motion.
    pub ids: Vec<u32>,
    pub kind: Vec<u32>,
    pub x: Vec<Row>,
    pub motion: Vec<Motion>,
    order: Order,
    blocks: Vec<Block>,
    /// Forces on grains of other blocks, in the order of the slots of each block.
    spills: Vec<Vec<Push>>,
    /// Constants of all pairs of kinds, if there are few.
    pairs: Vec<Pair>,
    planes: Vec<Plane>,
    recall: ContactHistories,
    /// What contacts with planes did that are no longer near: grain, obstacle, (μ_s, μ_d).
    gone: Vec<(u32, BodyId, (f64, f64), Tally)>,
    pub dropped: usize,
    /// How far (m) grains may still move until slots that blocks left out may touch.
    leeway: f64,
}

impl Granular {
    /// Loads the particles of `scene` as they are in `state`, with the spins (rad/s) and the histories of the
    /// last step.
    pub fn load(
        &mut self,
        scene: &Scene,
        state: &State,
        config: &Config,
        world: &mut World,
        spins: &[f64],
        records: impl Iterator<Item = ContactHistory> + Clone,
    ) {
        let n = scene.dry_particles().len();
        self.kinds.find(scene);
        self.kinds.stiffen(scene, config, world.speed);
        let materials = self.kinds.all.iter().map(|kind| kind.material);
        let materials = materials.chain(world.obstacles.iter().map(|o| o.material)).collect::<Vec<_>>();
        world.dampers.prepare(scene, &materials, config.model);
        self.pairs = list::table(&self.kinds, scene, config, &world.dampers);
        self.ids.clear();
        self.ids.extend(0..n as u32);
        self.kind.clone_from(&self.kinds.of);
        self.x.clear();
        self.x.extend(state.particles[..n].iter().map(|particle| row(&particle.position)));
        self.motion.clear();
        for (i, ParticleState { velocity, .. }) in state.particles[..n].iter().enumerate() {
            let is_free = self.kinds.all[self.kind[i] as usize].inverse_mass > 0.0;
            let v = if is_free { row(velocity) } else { Row::ZERO };
            let omega = spins.get(3 * i..3 * i + 3).map_or(Row::ZERO, |w| Row::new([w[0], w[1], w[2], 0.0]));
            self.motion.push(Motion { v, omega });
        }
        self.recall.keep(n, records, config.rolling > 0.0);
        self.gone.clear();
        self.blocks.resize_with(n.div_ceil(BLOCK), Block::default);
        self.spills.resize_with(self.blocks.len(), Vec::new);
        self.blocks.iter_mut().for_each(Block::start);
        self.dropped = 0;
        let speeds = self.motion.chunks(BLOCK).map(|m| m.iter().map(|m| square(m.v)).fold(0.0, f64::max));
        for (block, speed_sq) in self.blocks.iter_mut().zip(speeds) {
            block.speed_sq = speed_sq;
        }
    }

    /// Adds the histories of contacts with planes to `walls`; `offset` is the name of grain 0.
    pub fn recall_planes(&self, offset: u32, walls: &mut Vec<WallHistory>) {
        for contact in self.blocks.iter().flat_map(|block| &block.planes).filter(|contact| contact.touches) {
            let plane = &self.planes[contact.plane as usize];
            let Spring { stored, slides } = contact.shear;
            let (normal, roll) = (plane.normal, contact.roll);
            let history = History { touches: true, slides, normal, shear: stored, roll };
            walls.push(((offset + contact.id, plane.obstacle, 1), history));
        }
    }

    /// Sorts the grains and lists what they may touch within `skin` (m); `walls` are the histories of contacts with
    /// obstacles. Returns grains that need a mover, by their numbers.
    pub fn rebuild(
        &mut self,
        scene: &Scene,
        config: &Config,
        world: &World,
        skin: f64,
        walls: &[WallHistory],
    ) -> Vec<NearbyGrain> {
        if self.x.is_empty() {
            return Vec::new();
        }
        self.remember(config);
        let gone =
            self.blocks.iter().flat_map(|block| &block.planes).filter(|c| c.tally.normal_impulse != 0.0);
        let obstacle = |c: &PlaneContact| world.obstacles[self.planes[c.plane as usize].obstacle as usize].id;
        let gone: Vec<_> = gone.map(|c| (c.id, obstacle(c), c.pair.friction, c.tally)).collect();
        self.gone.extend(gone);
        self.sort(config, skin);
        let mut blocks = std::mem::take(&mut self.blocks);
        let sources = Sources {
            scene,
            config,
            dampers: &world.dampers,
            order: &self.order,
            kinds: &self.kinds,
            kind: &self.kind,
            x: &self.x,
            recall: &self.recall,
            skin,
        };
        let each = blocks.par_iter_mut().zip(&mut self.spills).enumerate().map(|(b, (block, spill))| {
            let crossing = sources.list(block, b * BLOCK);
            spill.clear();
            spill.resize(crossing, Push::ZERO);
            sources.surroundings(b * BLOCK, &world.obstacles)
        });
        let around: Vec<Vec<NearbyObstacle>> = each.collect();
        self.blocks = blocks;
        // The lists have the histories now.
        self.recall = ContactHistories::default();
        self.link_blocks();
        self.leeway = -1.0;
        let (flat, other): (Vec<_>, Vec<_>) = around.into_iter().flatten().partition(|s| s.flat.is_some());
        self.set_planes(scene, config, world, &flat, walls);
        self.guests(world, other, skin)
    }

    fn remember(&mut self, config: &Config) {
        // Blocks are empty at the start of a step, when the histories are those of the state.
        if self.blocks.iter().any(|block| !block.push.is_empty()) {
            let histories = list::histories(&self.blocks, &self.order);
            self.recall.keep(self.ids.len(), histories, config.rolling > 0.0);
        }
    }

    fn sort(&mut self, config: &Config, skin: f64) {
        let largest = self.kinds.all.iter().map(|kind| 2.0 * kind.radius).fold(0.0, f64::max);
        let mut place = vec![0_u32; self.ids.len()];
        for (i, id) in self.ids.iter().enumerate() {
            place[*id as usize] = i as u32;
        }
        self.order.sort(&self.ids, &self.x, largest + skin, config.cells);
        self.dropped = self.order.dropped();
        let before = |id: &u32| place[*id as usize] as usize;
        let ids: Vec<u32> = self.order.sorted.iter().map(|(_, id)| *id).collect();
        self.x = ids.iter().map(|id| self.x[before(id)]).collect();
        self.motion = ids.iter().map(|id| self.motion[before(id)]).collect();
        self.kind = ids.iter().map(|id| self.kinds.of[*id as usize]).collect();
        self.ids = ids;
    }

    /// Tells each block which forces on its grains others list.
    fn link_blocks(&mut self) {
        let mut imports: Vec<Vec<Import>> =
            self.blocks.iter_mut().map(|b| std::mem::take(&mut b.imports)).collect();
        imports.iter_mut().for_each(Vec::clear);
        for (b, block) in self.blocks.iter().enumerate() {
            for (place, slot) in block.slots[block.inner..].iter().enumerate() {
                let j = slot.other as usize;
                let (block, place, grain) = (b as u32, place as u32, (j % BLOCK) as u32);
                imports[j / BLOCK].push(Import { block, place, grain });
            }
        }
        for (block, imports) in self.blocks.iter_mut().zip(imports) {
            block.imports = imports;
        }
    }

    fn set_planes(
        &mut self,
        scene: &Scene,
        config: &Config,
        world: &World,
        flat: &[NearbyObstacle],
        walls: &[WallHistory],
    ) {
        self.planes.clear();
        self.blocks.iter_mut().for_each(|block| block.planes.clear());
        let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let known: BTreeMap<(u32, u32, u8), History> = walls.iter().copied().collect();
        for near in flat {
            let (Some(local), obstacle) = (near.flat, &world.obstacles[near.obstacle as usize]) else {
                continue;
            };
            let number = *numbers.entry((near.obstacle, near.triangles[0])).or_insert_with(|| {
                self.planes.push(Plane::new(near.obstacle, obstacle, local));
                self.planes.len() as u32 - 1
            });
            let kind = &self.kinds.all[self.kind[near.place as usize] as usize];
            let name = world.n_body_particles as u32 + near.id;
            let n = self.planes[number as usize].normal;
            let alike = known.range((name, near.obstacle, 1)..=(name, near.obstacle, u8::MAX));
            let alike = alike.map(|(_, history)| history).filter(|history| history.normal.dot(&n) > 0.9);
            let history = alike.max_by(|a, b| a.normal.dot(&n).total_cmp(&b.normal.dot(&n)));
            let History { touches, slides, shear, roll, .. } = history.copied().unwrap_or_default();
            self.blocks[near.place as usize / BLOCK].planes.push(PlaneContact {
                grain: (near.place as usize % BLOCK) as u32,
                id: near.id,
                plane: number,
                pair: Pair::new(kind, Err(&obstacle.material), scene, config, &world.dampers),
                touches,
                shear: Spring { stored: shear, slides },
                roll,
                tally: Tally::default(),
            });
        }
    }

    /// Grains near dynamic bodies, and those near obstacles that are not flat there.
    fn guests(&self, world: &World, other: Vec<NearbyObstacle>, skin: f64) -> Vec<NearbyGrain> {
        let mut guests: BTreeMap<u32, NearbyGrain> = BTreeMap::new();
        let guest = |id: u32, place: u32| NearbyGrain { id, place, walls: Vec::new() };
        for near in other {
            let entry = guests.entry(near.id).or_insert_with(|| guest(near.id, near.place));
            entry.walls.push((near.obstacle, near.triangles));
        }
        let around = |mover: &Mover| Aabb::new(mover.x, mover.x).grow(mover.radius + skin);
        let boxes: Vec<Aabb> = world.movers.iter().map(around).collect();
        if let (false, Ok(tree)) = (boxes.is_empty(), Bvh::new(&boxes)) {
            let reach = |i: usize| {
                Aabb::new(self.position(i), self.position(i))
                    .grow(self.kinds.all[self.kind[i] as usize].radius)
            };
            let is_near = |i: &usize| !tree.overlapping(&reach(*i)).is_empty();
            let near: Vec<usize> = (0..self.x.len()).into_par_iter().filter(is_near).collect();
            for i in near {
                guests.entry(self.ids[i]).or_insert_with(|| guest(self.ids[i], i as u32));
            }
        }
        guests.into_values().collect()
    }

    /// Adds the forces of all contacts in a substep of `h` (s).
    pub fn react(&mut self, world: &World, gravity: &Vec3, law: &Law, h: f64) {
        for plane in &mut self.planes {
            plane.follow(&world.obstacles[plane.obstacle as usize]);
        }
        let (x, motion, pairs, planes) = (&self.x, &self.motion, &self.pairs, &self.planes);
        let search = self.leeway < 0.0;
        let fall = if law.model == Model::Harada { Vec3::zeros() } else { 0.5 * h * gravity };
        let now = Substep { law, x, motion, pairs, planes, obstacles: &world.obstacles, h, fall, search };
        if search {
            // Both grains of a pair may move by half of what is left of the smallest sum of radii.
            let smallest = self.kinds.all.iter().map(|kind| kind.radius).fold(f64::INFINITY, f64::min);
            self.leeway = 0.999 * (block::SOON - 1.0) * smallest;
        }
        let react =
            |(b, (block, spill)): (usize, (&mut Block, &mut Vec<Push>))| block.react(b * BLOCK, spill, &now);
        if self.blocks.len() == 1 {
            self.blocks.iter_mut().zip(&mut self.spills).enumerate().for_each(react);
        } else {
            self.blocks.par_iter_mut().zip(&mut self.spills).enumerate().for_each(react);
        }
    }

    /// Adds a force to the grain at `place`.
    pub fn push(&mut self, place: usize, push: &Push) {
        self.blocks[place / BLOCK].push[place % BLOCK].add(push);
    }

    /// Advances all grains by `h` (s); returns the maximum displacement (m).
    pub fn advance(&mut self, gravity: &Vec3, h: f64) -> f64 {
        let (all, spills) = (&self.kinds.all, &self.spills);
        let parts = self.x.par_chunks_mut(BLOCK).zip(self.motion.par_chunks_mut(BLOCK));
        let parts = parts.zip(self.kind.par_chunks(BLOCK)).zip(&mut self.blocks);
        parts.for_each(|(((x, motion), kind), block)| {
            block.advance((x, motion, kind), (all, gravity), spills, h);
        });
        let moved = self.blocks.iter().map(|block| block.moved_sq).fold(0.0, f64::max).sqrt();
        self.leeway -= moved;
        moved
    }

    /// Position (m, world) of the grain at `place`.
    pub fn position(&self, place: usize) -> Vec3 {
        vector(self.x[place])
    }

    /// Maximum speed (m/s) of any grain.
    pub fn fastest(&self) -> f64 {
        self.blocks.iter().map(|block| block.speed_sq).fold(0.0, f64::max).sqrt()
    }

    /// Maximum overlap (m) in this step, also over the diameter.
    pub fn deepest(&self) -> (f64, f64) {
        let max = |(a, b): (f64, f64), block: &Block| (a.max(block.deepest), b.max(block.deepest_relative));
        self.blocks.iter().fold((f64::NEG_INFINITY, 0.0), max)
    }

    /// Calls `visit` with the places of each near pair.
    pub fn each_pair(&self, mut visit: impl FnMut(usize, usize, &Pair)) {
        for (b, block) in self.blocks.iter().enumerate() {
            for (k, slot) in block.slots.iter().enumerate() {
                visit(b * BLOCK + slot.own(), slot.other as usize, block.pair(k, &self.pairs));
            }
        }
    }

    /// Calls `visit` with the place of each grain near a plane.
    pub fn each_plane(&self, mut visit: impl FnMut(usize, &Plane, &PlaneContact)) {
        for (b, block) in self.blocks.iter().enumerate() {
            for contact in &block.planes {
                visit(b * BLOCK + contact.grain as usize, &self.planes[contact.plane as usize], contact);
            }
        }
    }

    /// Calls `visit` with the number of each grain that an obstacle pushed in this step, and what the contact did.
    pub fn each_tally(&self, world: &World, mut visit: impl FnMut(u32, BodyId, (f64, f64), &Tally)) {
        for (id, body, friction, tally) in &self.gone {
            visit(*id, *body, *friction, tally);
        }
        self.each_plane(|_, plane, contact| {
            if contact.tally.normal_impulse != 0.0 {
                visit(
                    contact.id,
                    world.obstacles[plane.obstacle as usize].id,
                    contact.pair.friction,
                    &contact.tally,
                );
            }
        });
    }

    /// Stores positions and velocities in `state`; returns the spins (rad/s) by number.
    pub fn store(&self, state: &mut State) -> Vec<f64> {
        let mut spins = vec![0.0; 3 * self.ids.len()];
        for ((id, x), motion) in self.ids.iter().zip(&self.x).zip(&self.motion) {
            let i = *id as usize;
            state.particles[i] = ParticleState { position: vector(*x), velocity: vector(motion.v) };
            spins[3 * i..3 * i + 3].copy_from_slice(&motion.omega.to_array()[..3]);
        }
        spins
    }

    /// The histories of all contacts of grains that touch, by their numbers.
    pub fn records(&mut self, config: &Config) -> impl ExactSizeIterator<Item = ContactHistory> + Clone {
        self.remember(config);
        self.recall.records()
    }
}
