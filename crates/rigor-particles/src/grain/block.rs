//! Stages 3 to 5 for a run of grains: forces of their contacts, momenta, positions.
//!
//! A block has the contacts of its grains with later ones. It adds forces on its own grains at once, and
//! lists those on grains of other blocks, which add them in the order of the blocks. Sums so depend on the
//! size of blocks, which is constant, and not on the number of threads.

use rigor_math::Vec3;

use crate::config::Model;
use crate::force::Law;
use crate::friction::Spring;
use crate::grain::batch::{Batch, LANES};
use crate::grain::kind::{Kind, Meeting, Pair};
use crate::grain::plane::{Plane, PlaneContact};
use crate::mover::Obstacle;

/// Grains in a block.
pub(crate) const BLOCK: usize = 2048;

/// Flags beside the number of a pair: whether the contact touched in the last substep, and whether it slid.
const TOUCHES: u16 = 1 << 15;
const SLIDES: u16 = 1 << 14;
const NUMBER: u16 = SLIDES - 1;

/// Target of the first force on a grain of another block; the next ones count down.
const NONE: u32 = u32::MAX;

/// Velocity (m/s) and spin (rad/s) of a grain, world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    pub v: Vec3,
    pub omega: Vec3,
}

/// Force (N) on a grain and its moment (N m) about the centre; world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Push {
    pub force: Vec3,
    pub moment: Vec3,
}

impl Push {
    pub const ZERO: Self = Self { force: Vec3::new(0.0, 0.0, 0.0), moment: Vec3::new(0.0, 0.0, 0.0) };

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
    pub x: &'a [Vec3],
    pub motion: &'a [Motion],
    /// Pairs by number; else blocks have one for each slot.
    pub pairs: &'a [Pair],
    pub planes: &'a [Plane],
    pub obstacles: &'a [Obstacle],
    /// Length (s).
    pub h: f64,
}

/// A run of grains.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// What may touch, in the order of the earlier grains.
    pub slots: Vec<Slot>,
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
    /// blocks go to `spill`, in the order of slots.
    pub fn react(&mut self, first: usize, spill: &mut [Push], now: &Substep<'_>) {
        match now.law.model {
            Model::Hooke if now.law.rolling == 0.0 => self.react_in_batches::<false>(first, spill, now),
            Model::Hertz if now.law.rolling == 0.0 => self.react_in_batches::<true>(first, spill, now),
            _ => self.react_one_by_one(first, spill, now),
        }
        self.react_to_planes(first, now);
    }

    /// Contacts are found without branches, so that processors need not guess which slots touch: each one is
    /// written to the place of the next contact, which moves on if it touches.
    fn react_in_batches<const HERTZ: bool>(&mut self, first: usize, spill: &mut [Push], now: &Substep<'_>) {
        let (one, is_one) = match (self.pairs.as_slice(), now.pairs) {
            ([], [one, rest @ ..]) => (*one, rest.is_empty()),
            ([one, ..], _) => (*one, false),
            ([], []) => return,
        };
        spill.fill(Push::ZERO);
        let near = &now.x[first..first + self.push.len()];
        let mut batch = Batch::new(&one);
        // Of each contact: its slot, the place of the first grain, and the target of the force on the other.
        let (mut places, mut n, mut crossed) = ([[0_u32; 3]; LANES], 0, 0_u32);
        for k in 0..self.slots.len() {
            let slot = self.slots[k];
            let (i, j) = (slot.own(), slot.other as usize);
            let reach_sq = if is_one { one.reach_sq } else { self.pair(k, now.pairs).reach_sq };
            let d = near[i] - now.x[j];
            let square = d.norm_squared();
            let is_here = j - first < near.len();
            let target = if is_here { (j - first) as u32 } else { NONE - crossed };
            crossed += u32::from(!is_here);
            batch.set_separation(n, &d, square);
            places[n] = [k as u32, i as u32, target];
            let touches = square < reach_sq;
            if !touches && slot.touches() {
                (self.slots[k].pair, self.shears[k]) = (slot.pair & NUMBER, Vec3::zeros());
            }
            n += usize::from(touches);
            if n == LANES {
                self.react_at_once::<HERTZ>(&mut batch, &places, is_one, (first, spill, now));
                n = 0;
            }
        }
        self.react_at_once::<HERTZ>(&mut batch, &places[..n], is_one, (first, spill, now));
    }

    /// Adds the forces of the contacts at `places`, whose distances are in `batch`.
    #[inline(always)]
    fn react_at_once<const HERTZ: bool>(
        &mut self,
        batch: &mut Batch,
        places: &[[u32; 3]],
        is_one: bool,
        (first, spill, now): (usize, &mut [Push], &Substep<'_>),
    ) {
        let motion = &now.motion[first..first + self.push.len()];
        for (l, [k, i, _]) in places.iter().enumerate() {
            let k = *k as usize;
            let slot = &self.slots[k];
            let (a, b) = (&motion[*i as usize], &now.motion[slot.other as usize]);
            if !is_one {
                batch.set_pair(l, self.pair(k, now.pairs));
            }
            batch.set_motion(l, a, b);
            batch.set_spring(l, &self.shears[k], slot.slides());
        }
        batch.compute::<HERTZ>(now.law, now.h);
        self.scatter(batch, places, spill);
    }

    /// Adds the forces of the first contacts of `batch` to both sides, and keeps their springs.
    fn scatter(&mut self, batch: &Batch, places: &[[u32; 3]], spill: &mut [Push]) {
        for (l, [k, i, target]) in places.iter().enumerate() {
            let effect = batch.effect(l);
            let k = *k as usize;
            let flags = if effect.slides { TOUCHES | SLIDES } else { TOUCHES };
            let slot = &mut self.slots[k];
            slot.pair = slot.pair & NUMBER | flags;
            self.shears[k] = effect.shear;
            self.push[*i as usize].add(&Push { force: effect.force, moment: effect.moments[0] });
            let back = Push { force: -effect.force, moment: effect.moments[1] };
            match self.push.get_mut(*target as usize) {
                Some(push) => push.add(&back),
                None => spill[(NONE - target) as usize] = back,
            }
        }
        let (deepest, relative) = batch.deepest(places.len());
        self.deepest = self.deepest.max(deepest);
        self.deepest_relative = self.deepest_relative.max(relative);
    }

    fn react_one_by_one(&mut self, first: usize, spill: &mut [Push], now: &Substep<'_>) {
        let end = first + self.push.len();
        let mut crossed = 0;
        for k in 0..self.slots.len() {
            let slot = self.slots[k];
            let (i, j) = (slot.own(), slot.other as usize);
            let pair = *self.pair(k, now.pairs);
            let (motion, other) = (&now.motion[first + i], &now.motion[j]);
            let d = now.x[first + i] - now.x[j];
            let square = d.norm_squared();
            let mut back = Push::ZERO;
            if square < pair.reach_sq {
                let distance = square.sqrt();
                // Two centres at the same place are pushed apart along x, for lack of a direction.
                let normal = if distance > 0.0 { d * (1.0 / distance) } else { Vec3::x() };
                // The contact is at x_i − s_a d, with the levers s_a d and s_b d.
                let swing = pair.shares[0] * motion.omega + pair.shares[1] * other.omega;
                let meeting = Meeting {
                    normal,
                    overlap: pair.reach - distance,
                    velocity: motion.v - other.v - swing.cross(&d),
                    spin: motion.omega - other.omega,
                };
                self.deepest = self.deepest.max(meeting.overlap);
                self.deepest_relative = self.deepest_relative.max(meeting.overlap * pair.per_diameter);
                let mut spring = Spring { stored: self.shears[k], slides: slot.slides() };
                let reaction = pair.react(now.law, &meeting, &mut spring, self.rolls.get_mut(k), now.h);
                let slides = if spring.slides { SLIDES } else { 0 };
                self.slots[k].pair = slot.pair & NUMBER | TOUCHES | slides;
                self.shears[k] = spring.stored;
                let turn = d.cross(&reaction.force);
                let moment = reaction.torque - pair.shares[0] * turn;
                self.push[i].add(&Push { force: reaction.force, moment });
                back.force = -reaction.force;
                back.moment = -reaction.torque - pair.shares[1] * turn;
                if j < end {
                    self.push[j - first].add(&back);
                }
            } else if slot.touches() {
                (self.slots[k].pair, self.shears[k]) = (slot.pair & NUMBER, Vec3::zeros());
                if let Some(roll) = self.rolls.get_mut(k) {
                    *roll = Vec3::zeros();
                }
            }
            if j >= end {
                spill[crossed] = back;
                crossed += 1;
            }
        }
    }

    fn react_to_planes(&mut self, first: usize, now: &Substep<'_>) {
        for contact in &mut self.planes {
            let place = first + contact.grain as usize;
            let (plane, pair, motion) =
                (&now.planes[contact.plane as usize], &contact.pair, &now.motion[place]);
            let distance = plane.normal.dot(&now.x[place]) - plane.offset;
            if distance.abs() >= pair.reach {
                contact.touches = false;
                contact.shear = Spring { stored: Vec3::zeros(), slides: false };
                contact.roll = Vec3::zeros();
                continue;
            }
            let d = distance * plane.normal;
            let point = now.x[place] - d;
            let obstacle = &now.obstacles[plane.obstacle as usize].now;
            let meeting = Meeting {
                normal: plane.normal,
                overlap: pair.reach - distance,
                velocity: motion.v - pair.shares[0] * motion.omega.cross(&d) - obstacle.velocity_at(&point),
                spin: motion.omega - obstacle.angular_velocity,
            };
            self.deepest = self.deepest.max(meeting.overlap);
            self.deepest_relative = self.deepest_relative.max(meeting.overlap * pair.per_diameter);
            let roll = (now.law.rolling > 0.0).then_some(&mut contact.roll);
            let reaction = pair.react(now.law, &meeting, &mut contact.shear, roll, now.h);
            contact.touches = true;
            let moment = reaction.torque - pair.shares[0] * d.cross(&reaction.force);
            self.push[contact.grain as usize].add(&Push { force: reaction.force, moment });
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
        (x, motion, kinds): (&mut [Vec3], &mut [Motion], &[u32]),
        (all, gravity): (&[Kind], &Vec3),
        spills: &[Vec<Push>],
        h: f64,
    ) {
        for import in &self.imports {
            self.push[import.grain as usize].add(&spills[import.block as usize][import.place as usize]);
        }
        (self.moved_sq, self.speed_sq) = (0.0, 0.0);
        for (((x, motion), kind), push) in x.iter_mut().zip(motion).zip(kinds).zip(&mut self.push) {
            let kind = &all[*kind as usize];
            if kind.inverse_mass > 0.0 {
                let v = motion.v + (h * kind.inverse_mass) * push.force;
                let step = h * v + (0.5 * h * h) * gravity;
                *x += step;
                motion.v = v + h * gravity;
                motion.omega += (h * kind.inverse_moment) * push.moment;
                self.moved_sq = self.moved_sq.max(step.norm_squared());
                self.speed_sq = self.speed_sq.max(motion.v.norm_squared());
            }
            *push = Push::ZERO;
        }
    }
}
