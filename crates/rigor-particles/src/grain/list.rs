//! The list of contacts of a block, with their histories.

use rigor_math::Vec3;
use rigor_scene::Scene;

use crate::config::Config;
use crate::grain::block::{BLOCK, Block, PAIRS, Push, Slot};
use crate::grain::kind::{Kinds, Pair};
use crate::grain::order::Order;
use crate::grain::plane::{self, NearbyObstacle};
use crate::grain::recall::{ContactHistories, ContactHistory};
use crate::grain::row::{Row, square, vector};
use crate::mover::Obstacle;
use crate::world::Dampers;

/// Kinds up to which constants of all pairs are in a table.
const TABLE: usize = 64;
const _: () = assert!(TABLE * TABLE <= PAIRS);

/// What lists are made from; all in the order of cells.
pub(crate) struct Sources<'a> {
    pub scene: &'a Scene,
    pub config: &'a Config,
    pub dampers: &'a Dampers,
    pub order: &'a Order,
    pub kinds: &'a Kinds,
    pub kind: &'a [u32],
    pub x: &'a [Row],
    pub recall: &'a ContactHistories,
    pub skin: f64,
}

/// Returns the constants of all pairs of kinds; none if there are too many.
pub(crate) fn table(kinds: &Kinds, scene: &Scene, config: &Config, dampers: &Dampers) -> Vec<Pair> {
    let all = &kinds.all;
    if all.len() > TABLE {
        return Vec::new();
    }
    all.iter().flat_map(|a| all.iter().map(|b| Pair::new(a, Ok(b), scene, config, dampers))).collect()
}

impl Sources<'_> {
    /// Lists the grains that those of `block` may touch, from the place `first` on; returns how many of them
    /// belong to other blocks.
    ///
    /// Near means within both radii and the skin. Contacts that touch come first, which processors predict.
    pub fn list(&self, block: &mut Block, first: usize) -> usize {
        let some = first..(first + BLOCK).min(self.x.len());
        let n = some.len();
        let mut crossing: Vec<(usize, usize)> = Vec::new();
        let (mut touching, mut apart) = (Vec::new(), Vec::new());
        block.slots.clear();
        block.shears.clear();
        block.rolls.clear();
        block.pairs.clear();
        block.push.clear();
        block.push.resize(n, Push::ZERO);
        self.order.visit(some.clone(), self.x, |i, near| {
            let a = &self.kinds.all[self.kind[i] as usize];
            for j in near.iter().cloned().flatten() {
                let b = &self.kinds.all[self.kind[j] as usize];
                let (square, reach) = (square(self.x[i] - self.x[j]), a.radius + b.radius);
                if square <= (reach + self.skin) * (reach + self.skin) && a.may_touch(b) {
                    let list = if square < reach * reach { &mut touching } else { &mut apart };
                    list.push(j);
                }
            }
            for j in touching.drain(..).chain(apart.drain(..)) {
                if j < some.end {
                    self.add(block, first, (i, j));
                } else {
                    crossing.push((i, j));
                }
            }
        });
        block.inner = block.slots.len();
        crossing.iter().for_each(|pair| self.add(block, first, *pair));
        block.trim();
        crossing.len()
    }

    /// Adds the pair of the grains at the places i and j to the list of `block`.
    fn add(&self, block: &mut Block, first: usize, (i, j): (usize, usize)) {
        let record = self.history(i, j);
        let number = self.number(block, i, j);
        block.slots.push(Slot::new((i - first) as u16, j as u32, number, record.map(|r| r.slides)));
        block.shears.push(record.map_or_else(Vec3::zeros, |r| r.shear));
        if self.config.rolling > 0.0 {
            block.rolls.push(record.map_or_else(Vec3::zeros, |r| r.roll));
        }
    }

    /// The history of the contact of the grains at the places i and j, seen from i.
    fn history(&self, i: usize, j: usize) -> Option<ContactHistory> {
        let (a, b) = (self.order.sorted[i].1, self.order.sorted[j].1);
        let record = self.recall.find(a.min(b), a.max(b))?;
        Some(if a < b {
            record
        } else {
            ContactHistory { shear: -record.shear, roll: -record.roll, ..record }
        })
    }

    /// The number of their pair in the table; without one, the pair is added to those of the block.
    fn number(&self, block: &mut Block, i: usize, j: usize) -> u16 {
        let (a, b) = (self.kind[i], self.kind[j]);
        let n = self.kinds.all.len();
        if n <= TABLE {
            return (a * n as u32 + b) as u16;
        }
        let (a, b) = (&self.kinds.all[a as usize], &self.kinds.all[b as usize]);
        block.pairs.push(Pair::new(a, Ok(b), self.scene, self.config, self.dampers));
        0
    }

    /// Finds the obstacles near the grains of a block.
    pub fn surroundings(&self, first: usize, obstacles: &[Obstacle]) -> Vec<NearbyObstacle> {
        let mut all = Vec::new();
        for i in first..(first + BLOCK).min(self.x.len()) {
            let kind = &self.kinds.all[self.kind[i] as usize];
            if kind.inverse_mass == 0.0 {
                continue;
            }
            for (k, obstacle) in obstacles.iter().enumerate() {
                let reach = kind.radius + self.skin;
                let (triangles, flat) = plane::near(obstacle, &vector(self.x[i]), kind.radius, reach);
                if !triangles.is_empty() {
                    let (place, id) = (i as u32, self.order.sorted[i].1);
                    all.push(NearbyObstacle { place, id, obstacle: k as u32, triangles, flat });
                }
            }
        }
        all
    }
}

/// The histories of all contacts in `blocks` that touch; `order` has the numbers of the grains.
pub(crate) fn histories(blocks: &[Block], order: &Order) -> impl Iterator<Item = ContactHistory> + Clone {
    blocks.iter().enumerate().flat_map(move |(b, block)| {
        block.slots.iter().enumerate().filter(|(_, slot)| slot.touches()).map(move |(k, slot)| {
            let (a, b) = (order.sorted[b * BLOCK + slot.own()].1, order.sorted[slot.other as usize].1);
            let roll = block.rolls.get(k).copied().unwrap_or_default();
            let (sign, slides) = (if a < b { 1.0 } else { -1.0 }, slot.slides());
            let shear = sign * block.shears[k];
            ContactHistory { a: a.min(b), b: a.max(b), slides, shear, roll: sign * roll }
        })
    })
}
