//! Pairs of bodies on several threads, with the result of one thread.
//!
//! A pair waits for the pairs that come before it at its two bodies, and for no other. So every body meets its
//! pairs in their order, and reads and writes the same numbers as on one thread, whichever thread does it and
//! when. Bodies that pairs only read make nobody wait.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::Scope;
use rigor_math::Vec3;

use super::block::Block;
use crate::body::{SolverBody, two};
use crate::contact::pair::Pair;

/// Minimum number of pairs with contacts to solve in parallel.
const PARALLEL: usize = 256;

/// Pairs without predecessors that one task starts with.
const GRAIN: usize = 4;

/// No pair.
const NONE: u32 = u32::MAX;

/// The pairs with contacts, each with its neighbours in the order of pairs; and scratch memory per thread.
#[derive(Debug, Default)]
pub(crate) struct Precedence {
    /// Pairs with contacts, in order; empty on one thread.
    nodes: Vec<Node>,
    /// Per body, the last pair so far.
    last: Vec<u32>,
    blocks: Vec<Mutex<Block>>,
    sweeps: u32,
}

/// A pair with contacts. Places are indices into [`Precedence::nodes`].
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The index of the pair.
    pair: usize,
    /// The previous and the next pair at a and at b.
    before: [u32; 2],
    after: [u32; 2],
}

/// The order in which pairs are met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Ascending,
    Descending,
}

impl Node {
    /// Returns the neighbours that this one waits for, and those that wait for it.
    fn neighbours(&self, direction: Direction) -> ([u32; 2], [u32; 2]) {
        match direction {
            Direction::Ascending => (self.before, self.after),
            Direction::Descending => (self.after, self.before),
        }
    }
}

impl Precedence {
    /// Creates scratch memory for solvers with this maximum number of `sweeps` over the contacts of a pair.
    pub fn new(sweeps: u32) -> Self {
        let mut new = Self { sweeps, ..Self::default() };
        new.provide(1);
        new
    }

    fn provide(&mut self, n_threads: usize) {
        let sweeps = self.sweeps;
        self.blocks.resize_with(n_threads, || Mutex::new(Block::new(sweeps)));
    }

    /// Returns the scratch memory of one thread.
    pub fn block(&mut self) -> &mut Block {
        self.blocks[0].get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out which pairs with contacts wait for which, if there are enough of them for several threads.
    pub fn arrange(&mut self, pairs: &[Pair], bodies: &[SolverBody]) {
        self.nodes.clear();
        let n_threads = rayon::current_num_threads();
        let touching = || pairs.iter().enumerate().filter(|(_, pair)| pair.is_active());
        if n_threads == 1 || touching().nth(PARALLEL).is_none() {
            return;
        }
        self.provide(n_threads);
        self.last.clear();
        self.last.resize(bodies.len(), NONE);
        for (index, pair) in touching() {
            let place = self.nodes.len() as u32;
            let mut node = Node { pair: index, before: [NONE; 2], after: [NONE; 2] };
            for (side, id) in [pair.a.0, pair.b.0].into_iter().enumerate() {
                if is_inert(&bodies[id]) {
                    continue;
                }
                let last = std::mem::replace(&mut self.last[id], place);
                node.before[side] = last;
                if let Some(last) = self.nodes.get_mut(last as usize) {
                    let its_side = usize::from(pairs[last.pair].b.0 == id);
                    last.after[its_side] = place;
                }
            }
            self.nodes.push(node);
        }
    }

    /// Does `work` on all pairs with contacts and on their bodies.
    ///
    /// Every body meets its pairs in the order of `direction`, so the result is that of one thread.
    pub fn run(
        &mut self,
        pairs: &mut [Pair],
        bodies: &mut [SolverBody],
        direction: Direction,
        work: impl Fn(&mut Block, &mut Pair, &mut SolverBody, &mut SolverBody) + Sync,
    ) {
        if self.nodes.is_empty() {
            let block = self.block();
            let each = |pair: &mut Pair| {
                if pair.is_active() {
                    let (a, b) = two(bodies, pair.a.0, pair.b.0);
                    work(block, pair, a, b);
                }
            };
            match direction {
                Direction::Ascending => pairs.iter_mut().for_each(each),
                Direction::Descending => pairs.iter_mut().rev().for_each(each),
            }
            return;
        }
        let mut nodes = self.nodes.iter().peekable();
        let pairs = pairs.iter_mut().enumerate();
        let pairs = pairs.filter(|(i, _)| nodes.next_if(|node| node.pair == *i).is_some());
        let run = Run {
            nodes: &self.nodes,
            direction,
            pairs: pairs.map(|(_, pair)| Mutex::new(pair)).collect(),
            seats: bodies.iter_mut().map(SharedBody::new).collect(),
            waits: self.nodes.iter().map(|node| AtomicU8::new(count(node.neighbours(direction).0))).collect(),
            blocks: &self.blocks,
            work,
        };
        run.all();
    }
}

fn count(places: [u32; 2]) -> u8 {
    places.into_iter().map(|place| u8::from(place != NONE)).sum()
}

/// Returns whether impulses leave the body exactly as it is, but for their sum, which nobody reads there: it
/// has no velocity and does not yield, and its pose has no rounding error that normalisation removes.
fn is_inert(body: &SolverBody) -> bool {
    let is_zero = |x: f64| x.to_bits() == 0;
    if body.is_moved()
        || !body.linear_velocity.iter().chain(body.angular_velocity.iter()).all(|x| is_zero(*x))
    {
        return false;
    }
    let mut pushed = body.clone();
    pushed.apply_positional_sum(&Vec3::zeros(), &Vec3::zeros());
    let bits = |body: &SolverBody| {
        let (p, q) = (body.pose.position, body.pose.rotation.coords);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w].map(f64::to_bits)
    };
    bits(&pushed) == bits(body)
}

/// A body during a run.
enum SharedBody<'a> {
    /// One pair after another changes it.
    Shared(Mutex<&'a mut SolverBody>),
    /// Pairs read it.
    Inert(&'a SolverBody),
}

impl<'a> SharedBody<'a> {
    fn new(body: &'a mut SolverBody) -> Self {
        if is_inert(body) { Self::Inert(body) } else { Self::Shared(Mutex::new(body)) }
    }

    fn visit<R>(&self, work: impl FnOnce(&mut SolverBody) -> R) -> R {
        match self {
            Self::Shared(body) => work(&mut lock(body)),
            Self::Inert(body) => work(&mut (*body).clone()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One run over all pairs.
struct Run<'a, W> {
    nodes: &'a [Node],
    direction: Direction,
    pairs: Vec<Mutex<&'a mut Pair>>,
    seats: Vec<SharedBody<'a>>,
    /// Per pair, the number of pairs that it still waits for.
    waits: Vec<AtomicU8>,
    blocks: &'a [Mutex<Block>],
    work: W,
}

impl<W: Fn(&mut Block, &mut Pair, &mut SolverBody, &mut SolverBody) + Sync> Run<'_, W> {
    fn all(&self) {
        let is_first = |place: &u32| count(self.nodes[*place as usize].neighbours(self.direction).0) == 0;
        let first: Vec<u32> = (0..self.nodes.len() as u32).filter(is_first).collect();
        rayon::scope(|scope| {
            for places in first.chunks(GRAIN) {
                scope.spawn(move |scope| {
                    for &place in places {
                        self.follow(scope, place);
                    }
                });
            }
        });
    }

    /// Works on the pair at `place`, then on one that waited for it alone, and so on; other such pairs are
    /// left to any thread.
    fn follow<'s>(&'s self, scope: &Scope<'s>, mut place: u32) {
        let mut block = lock(&self.blocks[rayon::current_thread_index().unwrap_or(0)]);
        loop {
            let pair = &mut *lock(&self.pairs[place as usize]);
            let (a, b) = (pair.a.0, pair.b.0);
            self.seats[a].visit(|a| self.seats[b].visit(|b| (self.work)(&mut block, pair, a, b)));
            let mut next = NONE;
            for after in self.nodes[place as usize].neighbours(self.direction).1 {
                if after == NONE || self.waits[after as usize].fetch_sub(1, Ordering::AcqRel) != 1 {
                    continue;
                }
                if next == NONE {
                    next = after;
                } else {
                    scope.spawn(move |scope| self.follow(scope, after));
                }
            }
            if next == NONE {
                return;
            }
            place = next;
        }
    }
}
