//! Jacobi sweeps: corrections of all bonds from one state, then gathered by particle.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::elastic::bond::{Constraint, Rule};
use crate::elastic::bond_set::{BondSet, Kind, Run, with_table};
use crate::particle::SolverParticle;

/// Minimum number of bonds or particles to process in parallel.
const PARALLEL: usize = 512;

/// Incidence of bonds and particles, and scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Jacobi {
    /// Factor on Δλ of each bond before relaxation, in the order of the runs.
    shares: Vec<f64>,
    /// Δx (m) of each particle of each bond, in the order of the runs.
    corrections: Vec<Vec3>,
    /// Indices into `corrections` that belong to particle i: `places[starts[i]..starts[i + 1]]`.
    places: Vec<u32>,
    starts: Vec<u32>,
}

impl Jacobi {
    /// Computes which bonds move which particles. With `averaging`, the share of a bond is 1/n, where n is
    /// the maximum number of bonds at one of its particles.
    ///
    /// The iteration matrix of all Δλ has row sums |A_jk| ≤ Σᵢ wᵢ |∇ᵢC_j| Σ_k |∇ᵢC_k|, which for distances is
    /// at most n A_jj. With Δλ_j times 1/n its spectral radius is at most 1, so the iteration converges for
    /// any relaxation below 2. Since Δx = M⁻¹ ∇C Δλ still holds, forces agree with λ and momentum is
    /// conserved. If corrections were divided particle by particle, neither would be true.
    pub fn prepare(&mut self, set: &mut BondSet, runs: &[Run], n_particles: usize, averaging: bool) {
        let mut owners: Vec<u32> = Vec::new();
        let mut arities: Vec<usize> = Vec::new();
        for run in runs {
            with_table!(set, run.kind, table => for bond in &table[run.range.clone()] {
                owners.extend_from_slice(bond.particles());
                arities.push(bond.particles().len());
            });
        }
        self.corrections = vec![Vec3::zeros(); owners.len()];
        self.index(&owners, n_particles);
        let mut first = 0;
        self.shares = arities
            .iter()
            .map(|&n| {
                let mine = &owners[first..first + n];
                first += n;
                let crowd = mine.iter().map(|&i| self.starts[i as usize + 1] - self.starts[i as usize]).max();
                if averaging { 1.0 / f64::from(crowd.unwrap_or(1)) } else { 1.0 }
            })
            .collect();
    }

    /// The factor on Δλ of each bond before relaxation.
    #[cfg(feature = "gpu")]
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// For each particle the first of its places and at last their number; then the places, indices of corrections.
    #[cfg(feature = "gpu")]
    pub fn incidence(&self) -> (&[u32], &[u32]) {
        (&self.starts, &self.places)
    }

    /// Sorts the indices of corrections by particle.
    fn index(&mut self, owners: &[u32], n_particles: usize) {
        self.starts = vec![0; n_particles + 1];
        for &owner in owners {
            self.starts[owner as usize + 1] += 1;
        }
        for i in 0..n_particles {
            self.starts[i + 1] += self.starts[i];
        }
        let mut next = self.starts.clone();
        self.places = vec![0; owners.len()];
        for (place, &owner) in owners.iter().enumerate() {
            self.places[next[owner as usize] as usize] = place as u32;
            next[owner as usize] += 1;
        }
    }

    /// Sweeps once: Δλ and Δx of every bond from the same positions, then x ← x + Σ Δx in the order of the
    /// bonds.
    ///
    /// Source: \[Macklin2016\] §4 (eq. (17) summed over constraints); the averaging of \[Macklin2014\] §4.2.
    /// Deviation: see [`Jacobi::prepare`].
    pub fn sweep(&mut self, set: &mut BondSet, runs: &[Run], particles: &mut [SolverParticle], rule: Rule) {
        let (mut corrections, mut shares) = (&mut self.corrections[..], &self.shares[..]);
        for run in runs {
            let n = run.range.len();
            let here;
            (here, shares) = shares.split_at(n);
            let used = with_table!(set, run.kind, table => {
                note(&mut table[run.range.clone()], run.kind, corrections, here, particles, rule)
            });
            corrections = &mut corrections[used..];
        }
        let (corrections, places, starts) = (&self.corrections, &self.places, &self.starts);
        let gather = |(i, particle): (usize, &mut SolverParticle)| {
            for &place in &places[starts[i] as usize..starts[i + 1] as usize] {
                particle.x += corrections[place as usize];
            }
        };
        if particles.len() < PARALLEL || rayon::current_num_threads() == 1 {
            particles.iter_mut().enumerate().for_each(gather);
        } else {
            particles.par_iter_mut().enumerate().with_min_len(PARALLEL / 2).for_each(gather);
        }
    }
}

/// Records the corrections of `bonds`; returns their number.
fn note<C: Constraint>(
    bonds: &mut [C],
    kind: Kind,
    corrections: &mut [Vec3],
    shares: &[f64],
    particles: &[SolverParticle],
    rule: Rule,
) -> usize {
    let solve = |bond: &mut C, corrections: &mut [Vec3], share: f64| {
        let mut notes = crate::particle::positions::CorrectionRecorder::new(particles, corrections);
        bond.project(&mut notes, Rule { share: rule.share * share, ..rule });
    };
    if kind == Kind::Shape || bonds.len() < PARALLEL || rayon::current_num_threads() == 1 {
        let mut first = 0;
        for (bond, share) in bonds.iter_mut().zip(shares) {
            let n = bond.particles().len();
            solve(bond, &mut corrections[first..first + n], *share);
            first += n;
        }
        return first;
    }
    // All other kinds have a fixed number of particles.
    let n = bonds[0].particles().len();
    let used = n * bonds.len();
    let work = bonds.par_iter_mut().zip(corrections[..used].par_chunks_mut(n)).zip(shares);
    work.with_min_len(PARALLEL / 2).for_each(|((bond, corrections), share)| solve(bond, corrections, *share));
    used
}
