//! Stages 3 to 5 for a run of grains: forces of their contacts, momenta, positions.
//!
//! A block has the contacts of its grains with later ones. It adds forces on its own grains at once, and
//! lists those on grains of other blocks, which add them in the order of the blocks. Sums so depend on the
//! size of blocks, which is constant, and not on the number of threads.

use rigor_math::Vec3;

use crate::config::Model;
use crate::force::Law;
use crate::friction::Spring;
use crate::grain::batch::{Batch, Constants, ContactEffect, LANES};
use crate::grain::kind::{Kind, Meeting, Pair};
use crate::grain::plane::{Plane, PlaneContact};
use crate::grain::row::{Row, row, square, vector};
use crate::mover::Obstacle;

/// Grains in a block.
pub(crate) const BLOCK: usize = 2048;

/// Flags beside the number of a pair: whether the contact touched in the last substep, and whether it slid.
const TOUCHES: u16 = 1 << 15;
const SLIDES: u16 = 1 << 14;
const NUMBER: u16 = SLIDES - 1;

/// Pairs that a table may have.
pub(crate) const PAIRS: usize = NUMBER as usize + 1;

/// Slots that may touch soon: those nearer than the sum of the radii by this factor.
pub(crate) const SOON: f64 = 1.005;

/// Velocity (m/s) and spin (rad/s) of a grain, world. It fills a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Motion {
    pub v: Row,
    pub omega: Row,
}

/// Force (N) on a grain and its moment (N m) about the centre; world.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Push {
    force: Row,
    moment: Row,
}

impl Push {
    pub const ZERO: Self = Self { force: Row::ZERO, moment: Row::ZERO };

    pub fn new(force: &Vec3, moment: &Vec3) -> Self {
        Self { force: row(force), moment: row(moment) }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.moment += other.moment;
    }
}

/// Two grains that may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// Place of the later grain in the order.
    pub other: u32,
    /// Place of the earlier grain in its block.
    own: u16,
    /// Number of their [`Pair`] in the table of all kinds, and flags.
    pair: u16,
}

impl Slot {
    /// A slot for the grain `own` of a block, with the pair of this number; `slides` if it touched before.
    pub fn new(own: u16, other: u32, pair: u16, slides: Option<bool>) -> Self {
        let flags = slides.map_or(0, |slides| if slides { TOUCHES | SLIDES } else { TOUCHES });
        Self { other, own, pair: pair & NUMBER | flags }
    }

    pub fn own(&self) -> usize {
        usize::from(self.own)
    }

    pub fn touches(&self) -> bool {
        self.pair & TOUCHES != 0
    }

    pub fn slides(&self) -> bool {
        self.pair & SLIDES != 0
    }

    /// The number of its pair.
    fn number(&self) -> usize {
        usize::from(self.pair & NUMBER)
    }
}

/// A force on a grain of this block that another block lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Import {
    pub block: u32,
    pub place: u32,
    /// The grain's place in this block.
    pub grain: u32,
}

/// What all blocks need of a substep.
pub(crate) struct Substep<'a> {
    pub law: &'a Law,
    /// Positions (m, world) and motions of all grains.
    pub x: &'a [Row],
    pub motion: &'a [Motion],
    /// Pairs by number; else blocks have one for each slot.
    pub pairs: &'a [Pair],
    pub planes: &'a [Plane],
    pub obstacles: &'a [Obstacle],
    /// Length (s).
    pub h: f64,
    /// ½ h g (m/s): the velocity at the end of a substep minus the mean one, with which contacts are computed.
    pub fall: Vec3,
    /// Whether slots that touch soon are to be found again.
    pub search: bool,
}

/// A run of grains.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// What may touch: first pairs of grains of this block, then those with grains of later ones; both in the order
    /// of the earlier grains.
    pub slots: Vec<Slot>,
    /// Number of pairs of grains of this block.
    pub inner: usize,
    /// Slots that touch, or may touch until the next search; how many of them are pairs of grains of this block.
    soon: Vec<u32>,
    soon_inner: usize,
    /// ξ (m, world) of each slot.
    pub shears: Vec<Vec3>,
    /// θ (rad, world) of each slot; empty without rolling resistance.
    pub rolls: Vec<Vec3>,
    /// The pair of each slot, if there are too many kinds for a table.
    pub pairs: Vec<Pair>,
    pub planes: Vec<PlaneContact>,
    pub imports: Vec<Import>,
    pub push: Vec<Push>,
    /// Maximum overlap (m), also over the diameter, since the step began.
    pub deepest: f64,
    pub deepest_relative: f64,
    /// Squares of the maximum displacement (m) in the last substep and of the maximum speed (m/s) after it.
    pub moved_sq: f64,
    pub speed_sq: f64,
}

impl Block {
    /// Prepares for a step: nothing is listed, and memory is kept.
    pub fn start(&mut self) {
        self.slots.clear();
        self.shears.clear();
        self.rolls.clear();
        self.pairs.clear();
        self.planes.clear();
        self.imports.clear();
        self.push.clear();
        self.soon.clear();
        (self.inner, self.soon_inner) = (0, 0);
        (self.deepest, self.deepest_relative) = (f64::NEG_INFINITY, 0.0);
    }

    /// Gives memory back that the list of slots does not need.
    pub fn trim(&mut self) {
        let n = self.slots.len();
        if self.slots.capacity() > n + n / 4 {
            self.slots.shrink_to(n + n / 8);
            self.shears.shrink_to(n + n / 8);
        }
    }

    /// The pair of the slot `k`; `table` has those of all kinds.
    #[inline(always)]
    pub fn pair<'a>(&'a self, k: usize, table: &'a [Pair]) -> &'a Pair {
        self.pairs.get(k).unwrap_or_else(|| &table[self.slots[k].number()])
    }

    /// Adds the forces of all contacts; `first` is the place of the first grain. Forces on grains of later
    /// blocks go to `spill`, in the order of their slots.
    pub fn react(&mut self, first: usize, spill: &mut [Push], now: &Substep<'_>) {
        match now.law.model {
            _ if now.law.rolling > 0.0 => self.react_one_by_one(first, spill, now),
            Model::Hooke if now.law.has_spring => self.react_in_batches::<false, true>(first, spill, now),
            Model::Hertz if now.law.has_spring => self.react_in_batches::<true, true>(first, spill, now),
            Model::Hooke => self.react_in_batches::<false, false>(first, spill, now),
            Model::Hertz => self.react_in_batches::<true, false>(first, spill, now),
            Model::Harada => self.react_one_by_one(first, spill, now),
        }
        self.react_to_planes(first, now);
    }

    fn react_in_batches<const HERTZ: bool, const SPRING: bool>(
        &mut self,
        first: usize,
        spill: &mut [Push],
        now: &Substep<'_>,
    ) {
        if now.search {
            // Forces of the slots that are not found stay zero.
            spill.fill(Push::ZERO);
            self.find(first, now);
        }
        let one = match now.pairs {
            [one] if self.pairs.is_empty() => Some((one, Constants::new([one; LANES]))),
            _ => None,
        };
        let mut deepest = [Row::splat(f64::NEG_INFINITY); 2];
        let soon = std::mem::take(&mut self.soon);
        let (inner, outer) = soon.split_at(self.soon_inner);
        for some in inner.chunks(LANES) {
            let batch = self.gather::<HERTZ, SPRING>(some, one.as_ref(), &mut deepest, (first, now));
            self.scatter::<SPRING>(some, &batch, one.as_ref(), now, |block, k, back| {
                block.push[block.slots[k].other as usize - first].add(&back);
            });
        }
        for some in outer.chunks(LANES) {
            let batch = self.gather::<HERTZ, SPRING>(some, one.as_ref(), &mut deepest, (first, now));
            self.scatter::<SPRING>(some, &batch, one.as_ref(), now, |block, k, back| {
                spill[k - block.inner] = back;
            });
        }
        self.soon = soon;
        let [deepest, relative] =
            deepest.map(|row| row.to_array().into_iter().fold(f64::NEG_INFINITY, f64::max));
        self.deepest = self.deepest.max(deepest);
        self.deepest_relative = self.deepest_relative.max(relative);
    }

    /// Finds the slots that touch soon; the others forget that they touched.
    ///
    /// There are no branches, so that processors need not guess: each slot is written to the place of the
    /// next one found, which moves on if it is near enough.
    fn find(&mut self, first: usize, now: &Substep<'_>) {
        let near = &now.x[first..first + self.push.len()];
        let one = (self.pairs.is_empty() && now.pairs.len() == 1).then(|| now.pairs[0].reach_sq);
        let mut soon = std::mem::take(&mut self.soon);
        soon.clear();
        soon.resize(self.slots.len() + 1, 0);
        let mut n = 0;
        for k in 0..self.slots.len() {
            if k == self.inner {
                self.soon_inner = n;
            }
            let slot = self.slots[k];
            let reach_sq = SOON * SOON * one.unwrap_or_else(|| self.pair(k, now.pairs).reach_sq);
            let is_soon = square(near[slot.own()] - now.x[slot.other as usize]) < reach_sq;
            soon[n] = k as u32;
            n += usize::from(is_soon);
            if slot.touches() & !is_soon {
                (self.slots[k].pair, self.shears[k]) = (slot.pair & NUMBER, Vec3::zeros());
            }
        }
        if self.inner == self.slots.len() {
            self.soon_inner = n;
        }
        soon.truncate(n);
        self.soon = soon;
    }

    /// Computes the slots `some`; `one` is the pair of all, if all have the same. Keeps the maximum overlap (m), also
    /// over the diameter, in `deepest`.
    #[inline(always)]
    fn gather<const HERTZ: bool, const SPRING: bool>(
        &self,
        some: &[u32],
        one: Option<&(&Pair, Constants)>,
        deepest: &mut [Row; 2],
        (first, now): (usize, &Substep<'_>),
    ) -> Batch {
        let n = self.push.len();
        let (x, motion) = (&now.x[first..first + n], &now.motion[first..first + n]);
        let fall = row(&now.fall);
        // A batch that is not full repeats its last contact.
        let at: [usize; LANES] = std::array::from_fn(|l| some[l.min(some.len() - 1)] as usize);
        let slots: [Slot; LANES] = std::array::from_fn(|l| self.slots[at[l]]);
        let [mut d, mut velocity, mut swing, mut shear] = [[Row::ZERO; LANES]; 4];
        for l in 0..LANES {
            let (i, j) = (slots[l].own(), slots[l].other as usize);
            let shares = one.map_or_else(|| self.pair(at[l], now.pairs), |one| one.0).shares;
            let (a, b) = (&motion[i], &now.motion[j]);
            d[l] = x[i] - now.x[j];
            velocity[l] = a.v - b.v;
            if one.is_none() {
                velocity[l] -= self.pair(at[l], now.pairs).falls * fall;
            }
            swing[l] = shares[0] * a.omega + shares[1] * b.omega;
            if SPRING {
                shear[l] = row(&self.shears[at[l]]);
            }
        }
        let mut batch = Batch::new([d, velocity, swing, shear], slots.map(|slot| slot.slides()));
        let mut compute = |of: &Constants| {
            let overlap = batch.compute::<HERTZ, SPRING>(of, now.law, now.h);
            deepest[0] = deepest[0].fast_max(overlap);
            deepest[1] = deepest[1].fast_max(overlap * of.per_diameter);
        };
        match one {
            Some((_, constants)) => compute(constants),
            None => compute(&Constants::new(at.map(|k| self.pair(k, now.pairs)))),
        }
        batch
    }

    /// Adds the forces of the slots `some` to the earlier grains, keeps their springs, and calls `back` with the opposite
    /// forces.
    #[inline(always)]
    fn scatter<const SPRING: bool>(
        &mut self,
        some: &[u32],
        batch: &Batch,
        one: Option<&(&Pair, Constants)>,
        now: &Substep<'_>,
        mut back: impl FnMut(&mut Self, usize, Push),
    ) {
        for (k, ContactEffect { force, turn, shear, touches, slides }) in some.iter().zip(batch.effects()) {
            let k = *k as usize;
            let shares = one.map_or_else(|| self.pair(k, now.pairs), |one| one.0).shares;
            let slot = &mut self.slots[k];
            let i = slot.own();
            if SPRING {
                let flags = if touches { TOUCHES } else { 0 } | if slides { SLIDES } else { 0 };
                slot.pair = slot.pair & NUMBER | flags;
                self.shears[k] = vector(shear);
            }
            self.push[i].add(&Push { force, moment: -shares[0] * turn });
            back(self, k, Push { force: -force, moment: -shares[1] * turn });
        }
    }

    fn react_one_by_one(&mut self, first: usize, spill: &mut [Push], now: &Substep<'_>) {
        for k in 0..self.slots.len() {
            let slot = self.slots[k];
            let (i, j) = (slot.own(), slot.other as usize);
            let pair = *self.pair(k, now.pairs);
            let motion = [first + i, j].map(|i| (vector(now.motion[i].v), vector(now.motion[i].omega)));
            let [(v_a, omega_a), (v_b, omega_b)] = motion;
            let d = vector(now.x[first + i] - now.x[j]);
            let square = d.norm_squared();
            let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
            if square < pair.reach_sq {
                let distance = square.sqrt();
                // Two centres at the same place are pushed apart along x, for lack of a direction.
                let normal = if distance > 0.0 { d * (1.0 / distance) } else { Vec3::x() };
                // The contact is at x_i − s_a d, with the levers s_a d and s_b d.
                let swing = pair.shares[0] * omega_a + pair.shares[1] * omega_b;
                let meeting = Meeting {
                    normal,
                    overlap: pair.reach - distance,
                    velocity: v_a - v_b - swing.cross(&d) - pair.falls * now.fall,
                    spin: omega_a - omega_b,
                };
                self.deepest = self.deepest.max(meeting.overlap);
                self.deepest_relative = self.deepest_relative.max(meeting.overlap * pair.per_diameter);
                let mut spring = Spring { stored: self.shears[k], slides: slot.slides() };
                let reaction = pair.react(now.law, &meeting, &mut spring, self.rolls.get_mut(k), now.h);
                let slides = if spring.slides { SLIDES } else { 0 };
                self.slots[k].pair = slot.pair & NUMBER | TOUCHES | slides;
                self.shears[k] = spring.stored;
                let turn = d.cross(&reaction.force);
                let own = reaction.torque - pair.shares[0] * turn;
                self.push[i].add(&Push::new(&reaction.force, &own));
                (force, moment) = (-reaction.force, -reaction.torque - pair.shares[1] * turn);
                if k < self.inner {
                    self.push[j - first].add(&Push::new(&force, &moment));
                }
            } else if slot.touches() {
                (self.slots[k].pair, self.shears[k]) = (slot.pair & NUMBER, Vec3::zeros());
                if let Some(roll) = self.rolls.get_mut(k) {
                    *roll = Vec3::zeros();
                }
            }
            if let Some(place) = k.checked_sub(self.inner) {
                spill[place] = Push::new(&force, &moment);
            }
        }
    }

    fn react_to_planes(&mut self, first: usize, now: &Substep<'_>) {
        for contact in &mut self.planes {
            let place = first + contact.grain as usize;
            let (plane, pair) = (&now.planes[contact.plane as usize], &contact.pair);
            let x = vector(now.x[place]);
            let distance = plane.normal.dot(&x) - plane.offset;
            if distance.abs() >= pair.reach {
                contact.touches = false;
                contact.shear = Spring { stored: Vec3::zeros(), slides: false };
                contact.roll = Vec3::zeros();
                continue;
            }
            let d = distance * plane.normal;
            let point = x - d;
            let (v, omega) = (vector(now.motion[place].v), vector(now.motion[place].omega));
            let obstacle = &now.obstacles[plane.obstacle as usize].now;
            let meeting = Meeting {
                normal: plane.normal,
                overlap: pair.reach - distance,
                velocity: v
                    - pair.shares[0] * omega.cross(&d)
                    - obstacle.velocity_at(&point)
                    - pair.falls * now.fall,
                spin: omega - obstacle.angular_velocity,
            };
            self.deepest = self.deepest.max(meeting.overlap);
            self.deepest_relative = self.deepest_relative.max(meeting.overlap * pair.per_diameter);
            let roll = (now.law.rolling > 0.0).then_some(&mut contact.roll);
            let reaction = pair.react(now.law, &meeting, &mut contact.shear, roll, now.h);
            contact.touches = true;
            let moment = reaction.torque - pair.shares[0] * d.cross(&reaction.force);
            self.push[contact.grain as usize].add(&Push::new(&reaction.force, &moment));
            let tally = &mut contact.tally;
            tally.normal_impulse += now.h * reaction.normal;
            tally.friction_impulse += now.h * reaction.friction;
            (tally.normal, tally.point, tally.gap) = (plane.normal, point, -meeting.overlap);
            tally.slip = meeting.velocity - meeting.velocity.dot(&plane.normal) * plane.normal;
        }
    }

    /// Takes forces from other blocks, then advances the grains by `h` (s): v ← v + h F/m, x ← x + h v + ½ h²
    /// g, v ← v + h g, ω ← ω + h T/I, as [`Mover::kick`](crate::mover::Mover::kick) and
    /// [`Mover::fly`](crate::mover::Mover::fly) do.
    pub fn advance(
        &mut self,
        (x, motion, kinds): (&mut [Row], &mut [Motion], &[u32]),
        (all, gravity): (&[Kind], &Vec3),
        spills: &[Vec<Push>],
        h: f64,
    ) {
        for import in &self.imports {
            self.push[import.grain as usize].add(&spills[import.block as usize][import.place as usize]);
        }
        (self.moved_sq, self.speed_sq) = (0.0, 0.0);
        let (faster, half) = (h * row(gravity), (0.5 * h * h) * row(gravity));
        for (((x, motion), kind), push) in x.iter_mut().zip(motion).zip(kinds).zip(&mut self.push) {
            let kind = &all[*kind as usize];
            if kind.inverse_mass > 0.0 {
                let v = motion.v + (h * kind.inverse_mass) * push.force;
                let step = h * v + half;
                *x += step;
                motion.v = v + faster;
                motion.omega += (h * kind.inverse_moment) * push.moment;
                self.moved_sq = self.moved_sq.max(square(step));
                self.speed_sq = self.speed_sq.max(square(motion.v));
            }
            *push = Push::ZERO;
        }
    }
}
