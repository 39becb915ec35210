//! The bonds of a scene and how they are swept.

use rayon::prelude::*;
use rigor_scene::{Bond, Scene, StepError};

use crate::bond::{Constraint, Rule, Violation};
use crate::bond_set::{self, BondSet, Run, with_table};
use crate::colour;
use crate::config::{Config, Order, Solver};
use crate::jacobi::Jacobi;
use crate::particle::SolverParticle;
use crate::positions::SharedParticle;

/// Bonds of one colour below this count are not worth sharing among threads.
const PARALLEL: usize = 256;

/// The bonds of the scene last seen, in the order in which its solver takes them.
#[derive(Debug, Default)]
pub(crate) struct Bonds {
    set: BondSet,
    runs: Vec<Run>,
    /// Where the runs of each colour end.
    colour_ends: Vec<usize>,
    jacobi: Jacobi,
    shared: Vec<SharedParticle>,
    /// What all this was made from: bonds, and the masses (kg) of particles.
    bonds: Vec<Bond>,
    masses: Vec<f64>,
}

impl Bonds {
    /// Looks at the scene's bonds anew if they are not those last seen.
    ///
    /// # Errors
    /// If one makes no sense.
    pub fn prepare(&mut self, scene: &Scene, config: &Config, rigid_strain: bool) -> Result<(), StepError> {
        let masses = || scene.particles.iter().map(|p| p.mass);
        if self.bonds == scene.bonds && masses().eq(self.masses.iter().copied()) {
            return Ok(());
        }
        self.bonds.clear();
        bond_set::check(scene)?;
        self.arrange(scene, config, rigid_strain);
        self.bonds.clone_from(&scene.bonds);
        self.masses = masses().collect();
        Ok(())
    }

    /// Fills the tables in the order that the solver wants.
    fn arrange(&mut self, scene: &Scene, config: &Config, rigid_strain: bool) {
        let mut order: Vec<&Bond> = scene.bonds.iter().filter(|bond| bond.compliance.is_finite()).collect();
        config.order.arrange(&mut order);
        self.colour_ends.clear();
        if !matches!(config.solver, Solver::Coloured | Solver::RedBlack) {
            self.set.fill(scene, order.into_iter(), rigid_strain, &mut self.runs);
            if config.solver == Solver::Jacobi {
                let averaging = config.averaging;
                self.jacobi.prepare(&mut self.set, &self.runs, scene.particles.len(), averaging);
            }
            return;
        }
        let colours = colour::colours(scene, &order, config.solver == Solver::RedBlack);
        let n_colours = colours.iter().max().map_or(0, |last| last + 1);
        let mut by_colour: Vec<(usize, bond_set::Kind, &Bond)> = colours
            .into_iter()
            .zip(order)
            .map(|(colour, bond)| (colour, bond_set::Kind::of(bond, rigid_strain), bond))
            .collect();
        by_colour.sort_by_key(|&(colour, kind, _)| (colour, kind));
        let mut sizes = vec![0; n_colours];
        by_colour.iter().for_each(|(colour, ..)| sizes[*colour] += 1);
        self.set.fill(scene, by_colour.iter().map(|(.., bond)| *bond), rigid_strain, &mut self.runs);
        self.cut_runs(&sizes);
    }

    /// Cuts the runs where a colour ends, for colours of these `sizes`.
    fn cut_runs(&mut self, sizes: &[usize]) {
        let whole = std::mem::take(&mut self.runs);
        let (mut next, mut used) = (0, 0);
        for &size in sizes {
            let mut missing = size;
            while missing > 0 {
                let Run { kind, range } = &whole[next];
                let start = range.start + used;
                let n = missing.min(range.end - start);
                self.runs.push(Run { kind: *kind, range: start..start + n });
                missing -= n;
                (next, used) = if start + n == range.end { (next + 1, 0) } else { (next, used + n) };
            }
            self.colour_ends.push(self.runs.len());
        }
    }

    /// λ ← 0, as at the start of every substep.
    pub fn reset(&mut self) {
        self.set.reset();
    }

    /// The sweep number `iteration` over all bonds.
    ///
    /// Source: [Macklin2016] algorithm 1, lines 7–11; Gauss–Seidel of [Mueller2007] §3.2.
    pub fn sweep(&mut self, particles: &mut [SolverParticle], config: &Config, iteration: u32, rule: Rule) {
        match config.solver {
            Solver::GaussSeidel => self.forwards(particles, rule),
            Solver::Symmetric if iteration.is_multiple_of(2) => self.forwards(particles, rule),
            Solver::Symmetric => self.backwards(particles, rule),
            Solver::Coloured | Solver::RedBlack => self.by_colour(particles, rule),
            Solver::Jacobi => {
                let rule = Rule { share: rule.share * config.relaxation, ..rule };
                self.jacobi.sweep(&mut self.set, &self.runs, particles, rule);
            }
        }
    }

    fn forwards(&mut self, particles: &mut [SolverParticle], rule: Rule) {
        for run in &self.runs {
            with_table!(self.set, run.kind, table => for bond in &mut table[run.range.clone()] {
                bond.project(particles, rule);
            });
        }
    }

    fn backwards(&mut self, particles: &mut [SolverParticle], rule: Rule) {
        for run in self.runs.iter().rev() {
            with_table!(self.set, run.kind, table => for bond in table[run.range.clone()].iter_mut().rev() {
                bond.project(particles, rule);
            });
        }
    }

    /// Colour after colour; the bonds of one on all threads, on copies that threads may share.
    fn by_colour(&mut self, particles: &mut [SolverParticle], rule: Rule) {
        let largest = self.runs.iter().map(|run| run.range.len()).max().unwrap_or(0);
        if largest < PARALLEL || rayon::current_num_threads() == 1 {
            return self.forwards(particles, rule);
        }
        self.shared.clear();
        self.shared.extend(particles.iter().map(SharedParticle::of));
        let shared = &self.shared[..];
        for run in &self.runs {
            with_table!(self.set, run.kind, table => {
                let bonds = table[run.range.clone()].par_iter_mut().with_min_len(PARALLEL / 2);
                bonds.for_each(|bond| bond.project(&mut &*shared, rule));
            });
        }
        for (particle, shared) in particles.iter_mut().zip(&self.shared) {
            particle.x = shared.x();
        }
    }

    /// How many colours there are; 0 where the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.colour_ends.len()
    }

    /// How far the bonds are from being met.
    pub fn violation(&mut self, particles: &[SolverParticle], per_h_sq: f64) -> Violation {
        self.set.violation(particles, per_h_sq)
    }

    /// What they store (J).
    pub fn energy(&mut self, particles: &[SolverParticle]) -> f64 {
        self.set.energy(particles)
    }
}

impl Order {
    /// Puts what is in the given order into this one.
    pub(crate) fn arrange<T>(self, items: &mut [T]) {
        match self {
            Self::Given => {}
            Self::Reversed => items.reverse(),
            Self::Shuffled(seed) => shuffle(items, seed),
        }
    }
}

/// Fisher–Yates with the generator of [Steele2014].
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for i in (1..items.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        items.swap(i, ((z ^ (z >> 31)) % (i as u64 + 1)) as usize);
    }
}
