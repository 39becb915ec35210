//! In which order constraints are taken, and which of them at once.

use std::ops::Range;

use super::palette::Palette;
use crate::config::{Config, Solver};

/// Constraints below this count are not worth sharing among threads.
const PARALLEL: usize = 32;

/// The order of constraints that move nodes: bodies or particles.
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    /// The constraints, those of one colour together.
    order: Vec<usize>,
    /// Where each colour ends in `order`; none where the solver has no colours.
    ends: Vec<usize>,
    /// The colour of each constraint.
    colours: Vec<usize>,
    palette: Palette,
    /// How many constraints move each node.
    crowds: Vec<u32>,
}

impl Ranks {
    /// Puts `n` constraints, the i-th of which moves the nodes `moved(i)` of `n_nodes`, in the order that `config` wants.
    pub fn arrange<I: Iterator<Item = usize> + Clone>(
        &mut self,
        config: &Config,
        n: usize,
        n_nodes: usize,
        moved: impl Fn(usize) -> I,
    ) {
        self.order.clear();
        self.order.extend(0..n);
        config.order.arrange(&mut self.order);
        self.ends.clear();
        match config.solver {
            Solver::GaussSeidel | Solver::Symmetric => {}
            Solver::Coloured | Solver::RedBlack => self.colour(n_nodes, moved),
            Solver::Jacobi => {
                self.crowds.clear();
                self.crowds.resize(n_nodes, 0);
                (0..n).flat_map(moved).for_each(|node| self.crowds[node] += 1);
            }
        }
    }

    fn colour<I: Iterator<Item = usize> + Clone>(&mut self, n_nodes: usize, moved: impl Fn(usize) -> I) {
        self.palette.clear(n_nodes);
        self.colours.clear();
        self.colours.resize(self.order.len(), 0);
        for &i in &self.order {
            self.colours[i] = self.palette.pick(moved(i));
        }
        let colours = &self.colours;
        self.order.sort_by_key(|&i| colours[i]);
        let mut end = 0;
        for same in self.order.chunk_by(|&i, &j| colours[i] == colours[j]) {
            end += same.len();
            self.ends.push(end);
        }
    }

    /// The constraints in their order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// How many colours there are; 0 where the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.ends.len()
    }

    /// Where the constraints of `colour` are in the order.
    pub fn of_colour(&self, colour: usize) -> Range<usize> {
        let start = if colour == 0 { 0 } else { self.ends[colour - 1] };
        start..self.ends[colour]
    }

    /// By what Jacobi multiplies the Δλ of a constraint that moves the nodes `moved`: ω/n, n being the largest number of
    /// constraints at one of them.
    pub fn share(&self, config: &Config, moved: impl Iterator<Item = usize>) -> f64 {
        let crowd = moved.map(|node| self.crowds[node]).max().unwrap_or(1);
        config.relaxation / if config.averaging { f64::from(crowd) } else { 1.0 }
    }
}

/// Does `work` with each of `works`, by as many threads as are worth it.
pub(crate) fn for_each<T: Send>(works: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    use rayon::prelude::*;
    if works.len() < PARALLEL || rayon::current_num_threads() == 1 {
        works.iter_mut().for_each(work);
    } else {
        works.par_iter_mut().with_min_len(PARALLEL / 4).for_each(work);
    }
}
