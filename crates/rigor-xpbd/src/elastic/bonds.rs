//! Bonds of a scene and their sweeps.

use rayon::prelude::*;
use rigor_scene::{Bond, BondKind, Scene, StepError};

use crate::config::{Config, Solver};
#[cfg(feature = "gpu")]
use crate::elastic::bond::Distance;
use crate::elastic::bond::{Constraint, LANES, Rule, Violation};
use crate::elastic::bond_set::{self, BondSet, Kind, Run, Slot, with_table};
use crate::elastic::colour;
use crate::elastic::jacobi::Jacobi;
use crate::elastic::schedule;
use crate::particle::SolverParticle;
use crate::particle::positions::SharedParticle;

/// Minimum number of bonds of one colour to solve in parallel.
const PARALLEL: usize = 256;

/// Bonds of the last prepared scene, in solving order.
#[derive(Debug, Default)]
pub(crate) struct Bonds {
    set: BondSet,
    runs: Vec<Run>,
    /// Number of colours; 0 if the solver uses none.
    n_colours: usize,
    jacobi: Jacobi,
    shared: Vec<SharedParticle>,
    /// Number of times that bonds were put in order.
    #[cfg(feature = "gpu")]
    version: u64,
    /// Scene data for which this was prepared: bonds, and masses (kg) of particles.
    bonds: Vec<Bond>,
    masses: Vec<f64>,
}

/// Distance bonds in solving order, for a solver elsewhere.
#[cfg(feature = "gpu")]
#[derive(Debug)]
pub(crate) struct Arrangement<'a> {
    /// Another number after each change.
    pub version: u64,
    pub distance: &'a mut [Distance],
    /// Bonds that share no particle that moves; with `jacobi` all bonds.
    pub colours: Vec<std::ops::Range<u32>>,
    pub jacobi: Option<&'a Jacobi>,
}

impl Bonds {
    /// Returns the distance bonds as they were prepared with a solver that has colours, or with `jacobi`.
    #[cfg(feature = "gpu")]
    pub fn arrangement(&mut self) -> Arrangement<'_> {
        let range = |run: &Run| run.range.start as u32..run.range.end as u32;
        Arrangement {
            version: self.version,
            colours: self.runs.iter().map(range).collect(),
            jacobi: (self.n_colours == 0 && !self.runs.is_empty()).then_some(&self.jacobi),
            distance: &mut self.set.distance,
        }
    }

    /// Prepares the scene's bonds, unless they are unchanged; returns whether they are new.
    ///
    /// # Errors
    /// Returns an error if a bond is invalid.
    pub fn prepare(&mut self, scene: &Scene, config: &Config, rigid_strain: bool) -> Result<bool, StepError> {
        let masses = || scene.particles.iter().map(|p| p.mass);
        if self.bonds == scene.bonds && masses().eq(self.masses.iter().copied()) {
            return Ok(false);
        }
        self.bonds.clear();
        bond_set::check(scene)?;
        self.arrange(scene, config, rigid_strain);
        self.bonds.clone_from(&scene.bonds);
        self.masses = masses().collect();
        Ok(true)
    }

    /// Fills the tables in solving order.
    fn arrange(&mut self, scene: &Scene, config: &Config, rigid_strain: bool) {
        let mut order: Vec<&Bond> = scene.bonds.iter().filter(|bond| bond.compliance.is_finite()).collect();
        config.order.arrange(&mut order);
        let placed = match config.solver {
            Solver::GaussSeidel | Solver::Symmetric => side_by_side(scene, &order),
            Solver::Coloured | Solver::RedBlack => {
                let colours = colour::colours(scene, &order, config.solver == Solver::RedBlack);
                let slot = |colour| Slot { colour, apart: true };
                let mut placed: Vec<_> = colours.into_iter().map(slot).zip(order).collect();
                placed.sort_by_key(|(slot, bond)| (slot.colour, Kind::of(bond, rigid_strain)));
                placed
            }
            Solver::Jacobi => order.into_iter().map(|bond| (Slot::default(), bond)).collect(),
        };
        #[cfg(feature = "gpu")]
        {
            self.version += 1;
        }
        self.n_colours = match config.solver {
            Solver::Coloured | Solver::RedBlack => placed.last().map_or(0, |(slot, _)| slot.colour + 1),
            Solver::GaussSeidel | Solver::Symmetric | Solver::Jacobi => 0,
        };
        self.set.fill(scene, placed.into_iter(), rigid_strain, &mut self.runs);
        if config.solver == Solver::Jacobi {
            self.jacobi.prepare(&mut self.set, &self.runs, scene.particles.len(), config.averaging);
        }
    }

    /// Resets λ to 0 at the start of a substep.
    pub fn reset(&mut self) {
        self.set.reset();
    }

    /// Sweeps once over all bonds; `iteration` counts the sweeps.
    ///
    /// Source: \[Macklin2016\] algorithm 1, lines 7–11; Gauss–Seidel of \[Mueller2007\] §3.2.
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
        for Run { kind, slot, range } in &self.runs {
            with_table!(self.set, kind, table => {
                let bonds = &mut table[range.clone()];
                if slot.apart {
                    Constraint::project_apart(bonds, particles, rule);
                } else {
                    bonds.iter_mut().for_each(|bond| bond.project(particles, rule));
                }
            });
        }
    }

    fn backwards(&mut self, particles: &mut [SolverParticle], rule: Rule) {
        for Run { kind, slot, range } in self.runs.iter().rev() {
            with_table!(self.set, kind, table => {
                let bonds = &mut table[range.clone()];
                if slot.apart {
                    bonds.rchunks_mut(LANES).for_each(|bonds| Constraint::project_apart(bonds, particles, rule));
                } else {
                    bonds.iter_mut().rev().for_each(|bond| bond.project(particles, rule));
                }
            });
        }
    }

    /// Sweeps colour by colour. The bonds of one colour run in parallel, on copies that threads may share.
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
                let parts = table[run.range.clone()].par_chunks_mut(PARALLEL / 2);
                parts.for_each(|bonds| Constraint::project_apart(bonds, &mut &*shared, rule));
            });
        }
        for (particle, shared) in particles.iter_mut().zip(&self.shared) {
            particle.x = shared.x();
        }
    }

    /// Returns the number of colours; 0 if the solver uses none.
    pub fn n_colours(&self) -> usize {
        self.n_colours
    }

    /// Returns the maximum violation of the bonds.
    pub fn violation(&mut self, particles: &[SolverParticle], per_h_sq: f64) -> Violation {
        self.set.violation(particles, per_h_sq)
    }

    /// Returns the largest residual of the bonds, and the particles of that bond.
    pub fn worst(&mut self, particles: &[SolverParticle], per_h_sq: f64) -> (f64, Vec<u32>) {
        self.set.worst(particles, per_h_sq)
    }

    /// Returns the largest residual above `least` of an element relative to the largest strain of what is bonded to it, and its particles.
    pub fn strain_error(
        &mut self,
        particles: &[SolverParticle],
        per_h_sq: f64,
        least: f64,
        first: &[u32],
    ) -> (f64, Vec<u32>) {
        self.set.strain_error(particles, per_h_sq, least, first)
    }

    /// Returns the largest error of the tension of a bond that started stretched, and its particles.
    pub fn tension_error(&self, particles: &[SolverParticle], per_h_sq: f64) -> (f64, [u32; 2]) {
        self.set.tension_error(particles, per_h_sq)
    }

    /// Returns the number of elements that are turned inside out, and the particles of the first.
    pub fn inverted(&mut self, particles: &[SolverParticle]) -> (usize, Vec<u32>) {
        self.set.inverted(particles)
    }

    /// Returns the stored energy (J).
    pub fn energy(&mut self, particles: &[SolverParticle]) -> f64 {
        self.set.energy(particles)
    }
}

/// Reorders each stretch of distance bonds in `order` into the groups of [`schedule::groups`].
fn side_by_side<'a>(scene: &Scene, order: &[&'a Bond]) -> Vec<(Slot, &'a Bond)> {
    let is_distance = |bond: &Bond| matches!(bond.kind, BondKind::Distance { .. });
    let mut placed = Vec::with_capacity(order.len());
    for stretch in order.chunk_by(|a, b| is_distance(a) == is_distance(b)) {
        if !is_distance(stretch[0]) {
            placed.extend(stretch.iter().map(|bond| (Slot::default(), *bond)));
            continue;
        }
        for group in schedule::groups(scene, stretch) {
            let slot = Slot { colour: 0, apart: group.len() == LANES };
            placed.extend(group.into_iter().map(|i| (slot, stretch[i])));
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_scene::{Particle, ParticleId};

    use super::*;
    use crate::config::Order;
    use crate::elastic::bond::Distance;

    /// Returns a net of 6 × 6 particles, one of them pinned, with interleaved rows and columns.
    fn net() -> Scene {
        let place = |i: usize| Vec3::new((i % 6) as f64, 0.1 * (i * i % 5) as f64, (i / 6) as f64);
        let ends = (0..6)
            .flat_map(|i| (0..5).flat_map(move |j| [[6 * i + j, 6 * i + j + 1], [6 * j + i, 6 * j + i + 6]]));
        let bond = |ends: [usize; 2]| Bond {
            kind: BondKind::Distance { rest: 0.9 },
            particles: ends.map(ParticleId).to_vec(),
            compliance: 1e-4,
        };
        let mut particles: Vec<Particle> = (0..36).map(|i| Particle::new(1.0 + i as f64, place(i))).collect();
        particles[14].mass = f64::INFINITY;
        Scene { particles, bonds: ends.map(bond).collect(), ..Scene::default() }
    }

    #[test]
    fn side_by_side_is_to_the_bit_one_after_the_other() {
        let scene = net();
        let rule = Rule { per_h_sq: 1e3, share: 1.0 };
        let start: Vec<SolverParticle> = scene
            .particles
            .iter()
            .map(|p| SolverParticle {
                x: p.position,
                w: p.inverse_mass(),
                x_prev: p.position,
                v: Vec3::zeros(),
            })
            .collect();
        let config = Config { solver: Solver::Symmetric, order: Order::Shuffled(3), ..Config::default() };
        let (mut swept, mut bonds) = (start.clone(), Bonds::default());
        bonds.prepare(&scene, &config, false).unwrap();
        assert!(bonds.runs.iter().any(|run| run.slot.apart));
        (0..4).for_each(|iteration| bonds.sweep(&mut swept, &config, iteration, rule));

        let mut order: Vec<&Bond> = scene.bonds.iter().collect();
        config.order.arrange(&mut order);
        let plain =
            |bond: &&Bond| Distance::new([0, 1].map(|i| bond.particles[i].0 as u32), 0.9, bond.compliance);
        let (mut plainly, mut plain): (_, Vec<Distance>) = (start, order.iter().map(plain).collect());
        for iteration in 0..4 {
            for i in 0..plain.len() {
                let i = if iteration % 2 == 0 { i } else { plain.len() - 1 - i };
                plain[i].project(&mut plainly[..], rule);
            }
        }
        assert_eq!(swept, plainly);
    }
}
