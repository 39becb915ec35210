//! The order of constraints, and which of them are solved at the same time.

use std::ops::Range;

use super::palette::Palette;
use crate::config::{Config, Solver};

/// Minimum number of constraints to solve in parallel.
const PARALLEL: usize = 32;

/// The order of constraints that move nodes: bodies or particles.
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    /// Constraint indices, grouped by colour.
    order: Vec<usize>,
    /// End of each colour in `order`; empty if the solver uses no colours.
    ends: Vec<usize>,
    /// The colour of each constraint.
    colours: Vec<usize>,
    palette: Palette,
    /// Number of constraints that move each node.
    crowds: Vec<u32>,
}

impl Ranks {
    /// Orders `n` constraints as `config` demands; the i-th moves the nodes `moved(i)` out of `n_nodes`.
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

    /// Returns the constraints in order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the number of colours; 0 if the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.ends.len()
    }

    /// Returns the range of `colour` within the order.
    pub fn of_colour(&self, colour: usize) -> Range<usize> {
        let start = if colour == 0 { 0 } else { self.ends[colour - 1] };
        start..self.ends[colour]
    }

    /// Returns the factor ω/n of Jacobi on the Δλ of a constraint that moves the nodes `moved`, where n is
    /// the maximum number of constraints at one of them, or 1 without averaging.
    pub fn share(&self, config: &Config, moved: impl Iterator<Item = usize>) -> f64 {
        let crowd = moved.map(|node| self.crowds[node]).max().unwrap_or(1);
        config.relaxation / if config.averaging { f64::from(crowd) } else { 1.0 }
    }
}

/// Runs `work` on each of `works`, in parallel if there are enough.
pub(crate) fn for_each<T: Send>(works: &mut [T], work: impl Fn(&mut T) + Sync + Send) {
    use rayon::prelude::*;
    if works.len() < PARALLEL || rayon::current_num_threads() == 1 {
        works.iter_mut().for_each(work);
    } else {
        works.par_iter_mut().with_min_len(PARALLEL / 4).for_each(work);
    }
}
