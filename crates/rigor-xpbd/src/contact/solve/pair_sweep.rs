//! Sweeps over pairs of bodies: in order, colour by colour, or all at once.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rigor_math::Vec3;
use rigor_scene::BodyId;

use super::block::Block;
use super::precedence::{Direction, Precedence};
use super::sequential;
use crate::body::SolverBody;
use crate::config::{Config, ContactSolver, Solver};
use crate::contact::pair::Pair;
use crate::contact::settled::Settled;
use crate::order::palette::Palette;

/// Minimum number of pairs to solve in parallel.
const PARALLEL: usize = 32;

/// Scratch memory.
#[derive(Debug, Default)]
pub(crate) struct PairSweep {
    palette: Palette,
    /// One entry per pair, of solvers that work on copies.
    works: Vec<PairWork>,
    n_colours: usize,
    /// Per body, the number of pairs that touch it, and their summed effect: p (kg m), r × p (kg m²).
    sums: Vec<(u32, Vec3, Vec3)>,
}

/// A pair solved on copies of its bodies.
#[derive(Debug, Default)]
struct PairWork {
    colour: usize,
    bodies: Option<(SolverBody, SolverBody)>,
    block: Block,
    /// λ_n, λ_t of its contacts before the solve.
    lambda: Vec<(f64, Vec3)>,
    /// Energy (J) that the pair had taken before the solve.
    taken: f64,
}

impl PairWork {
    /// Solves `pair` on copies of its bodies, unless it is settled.
    fn solve(&mut self, pair: &mut Pair, bodies: &[SolverBody], contacts: ContactSolver, h: f64) {
        if is_settled(pair, &bodies[pair.a.0], &bodies[pair.b.0]) {
            return;
        }
        let (mut a, mut b) = (bodies[pair.a.0].clone(), bodies[pair.b.0].clone());
        solve(contacts, &mut self.block, pair, &mut a, &mut b, h);
        self.bodies = Some((a, b));
    }

    /// Does the same, after saving the current multipliers.
    fn try_out(&mut self, pair: &mut Pair, bodies: &[SolverBody], contacts: ContactSolver, h: f64) {
        self.lambda.clear();
        self.lambda.extend(pair.contacts.iter().map(|c| (c.lambda_n, c.lambda_t)));
        self.taken = pair.budget.taken;
        self.solve(pair, bodies, contacts, h);
    }
}

/// Returns whether another solve of the pair in this substep would change nothing.
fn is_settled(pair: &Pair, a: &SolverBody, b: &SolverBody) -> bool {
    pair.settled.as_ref().is_some_and(|settled| settled.holds(a, b))
}

/// Solves the contacts of one pair.
fn solve(
    contacts: ContactSolver,
    block: &mut Block,
    pair: &mut Pair,
    a: &mut SolverBody,
    b: &mut SolverBody,
    h: f64,
) {
    pair.account(a, b, h, |pair, a, b| match contacts {
        ContactSolver::Block => {
            let is_solved = block.solve_pair(pair, a, b);
            pair.settled = is_solved.then(|| Settled::new(&pair.contacts, a, b));
        }
        ContactSolver::Sequential => sequential::solve_pair(pair, a, b),
    });
}

impl PairSweep {
    /// Prepares the scratch memory of solvers that work on copies, and colours the pairs with contacts if the
    /// solver uses colours.
    pub fn prepare(&mut self, pairs: &[Pair], bodies: &[SolverBody], config: &Config) {
        self.n_colours = 0;
        if matches!(config.solver, Solver::GaussSeidel | Solver::Symmetric) {
            return;
        }
        self.works.resize_with(pairs.len(), PairWork::default);
        self.works.iter_mut().for_each(|work| work.block.sweeps = config.contact_sweeps);
        if config.solver == Solver::Jacobi {
            return;
        }
        self.palette.clear(bodies.len());
        for (work, pair) in self.works.iter_mut().zip(pairs).filter(|(_, pair)| pair.is_active()) {
            let moved = [pair.a, pair.b].into_iter().map(|id| id.0).filter(|&i| is_moved(&bodies[i]));
            work.colour = self.palette.pick(moved);
            self.n_colours = self.n_colours.max(work.colour + 1);
        }
    }

    /// Returns the number of colours in the last substep; 0 if the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.n_colours
    }

    /// Sweeps once over all pairs that are not settled; returns whether there were any. `iteration` counts
    /// the sweeps.
    pub fn sweep(
        &mut self,
        precedence: &mut Precedence,
        (pairs, bodies): (&mut [Pair], &mut [SolverBody]),
        config: &Config,
        iteration: u32,
        h: f64,
    ) -> bool {
        match config.solver {
            Solver::Coloured | Solver::RedBlack => self.by_colour(pairs, bodies, config.contacts, h),
            Solver::Jacobi => self.at_once(pairs, bodies, config, h),
            Solver::Symmetric if !iteration.is_multiple_of(2) => {
                in_order(precedence, pairs, bodies, Direction::Descending, config.contacts, h)
            }
            Solver::GaussSeidel | Solver::Symmetric => {
                in_order(precedence, pairs, bodies, Direction::Ascending, config.contacts, h)
            }
        }
    }

    /// Sweeps colour by colour. Pairs of one colour share no movable body, so each works on copies and writes
    /// them back.
    fn by_colour(
        &mut self,
        pairs: &mut [Pair],
        bodies: &mut [SolverBody],
        contacts: ContactSolver,
        h: f64,
    ) -> bool {
        let mut was_any = false;
        for colour in 0..self.n_colours {
            let before = &bodies[..];
            for_each(pairs, &mut self.works, |pair, work| {
                if work.colour == colour {
                    work.solve(pair, before, contacts, h);
                }
            });
            for (pair, work) in pairs.iter().zip(&mut self.works) {
                let Some((a, b)) = work.bodies.take() else { continue };
                put_back(bodies, pair.a, a);
                put_back(bodies, pair.b, b);
                was_any = true;
            }
        }
        was_any
    }

    /// Solves all pairs from the same poses, and applies a share of each pair's impulses and multipliers:
    /// `relaxation`, divided by the maximum number of pairs that touch one of its bodies.
    ///
    /// Source: \[Macklin2014\] §4.2. Deviation: both bodies of a pair use the same share, so that one loses
    /// what the other gains.
    fn at_once(&mut self, pairs: &mut [Pair], bodies: &mut [SolverBody], config: &Config, h: f64) -> bool {
        let mut was_any = false;
        let before = &bodies[..];
        for_each(pairs, &mut self.works, |pair, work| work.try_out(pair, before, config.contacts, h));
        self.sums.clear();
        self.sums.resize(bodies.len(), (0, Vec3::zeros(), Vec3::zeros()));
        for pair in pairs.iter().filter(|pair| pair.is_active()) {
            for id in [pair.a, pair.b].into_iter().filter(|id| is_moved(&bodies[id.0])) {
                self.sums[id.0].0 += 1;
            }
        }
        for (pair, work) in pairs.iter_mut().zip(&mut self.works) {
            let Some((a, b)) = work.bodies.take() else { continue };
            was_any = true;
            let crowd = if config.averaging { self.sums[pair.a.0].0.max(self.sums[pair.b.0].0) } else { 1 };
            let share = config.relaxation / f64::from(crowd.max(1));
            for (id, after) in [(pair.a, a), (pair.b, b)] {
                let (_, p, torque) = &mut self.sums[id.0];
                *p += (after.impulse - bodies[id.0].impulse) * share;
                *torque += (after.angular_impulse - bodies[id.0].angular_impulse) * share;
            }
            // Energy is convex in the impulses: all shares together take at least the sum of the shares of
            // what each takes.
            pair.budget.taken = work.taken + share * (pair.budget.taken - work.taken);
            for (contact, (lambda_n, lambda_t)) in pair.contacts.iter_mut().zip(&work.lambda) {
                contact.lambda_n = lambda_n + share * (contact.lambda_n - lambda_n);
                contact.lambda_t = lambda_t + share * (contact.lambda_t - lambda_t);
            }
        }
        for (body, (_, p, torque)) in bodies.iter_mut().zip(&self.sums) {
            if *p != Vec3::zeros() || *torque != Vec3::zeros() {
                body.apply_positional_sum(p, torque);
            }
        }
        was_any
    }
}

/// Sweeps over the pairs one after another, on several threads with the result of one.
fn in_order(
    precedence: &mut Precedence,
    pairs: &mut [Pair],
    bodies: &mut [SolverBody],
    direction: Direction,
    contacts: ContactSolver,
    h: f64,
) -> bool {
    let was_any = AtomicBool::new(false);
    precedence.run(pairs, bodies, direction, |block, pair, a, b| {
        if !is_settled(pair, a, b) {
            was_any.store(true, Ordering::Relaxed);
            solve(contacts, block, pair, a, b, h);
        }
    });
    was_any.into_inner()
}

/// Returns whether a contact can move or rotate the body.
fn is_moved(body: &SolverBody) -> bool {
    body.w != Vec3::zeros() || body.inverse_inertia != rigor_math::Mat3::zeros()
}

fn put_back(bodies: &mut [SolverBody], id: BodyId, after: SolverBody) {
    // Pairs of one colour may share a static body.
    if is_moved(&after) {
        bodies[id.0] = after;
    }
}

/// Runs `work` on every pair with something to solve, in parallel if there are enough pairs.
fn for_each(pairs: &mut [Pair], works: &mut [PairWork], work: impl Fn(&mut Pair, &mut PairWork) + Sync) {
    let run = |(pair, own): (&mut Pair, &mut PairWork)| {
        if pair.is_active() {
            work(pair, own);
        }
    };
    if pairs.len() < PARALLEL || rayon::current_num_threads() == 1 {
        pairs.iter_mut().zip(works).for_each(run);
    } else {
        pairs.par_iter_mut().zip(works).with_min_len(PARALLEL / 4).for_each(run);
    }
}
