//! Forces on fluid, walls and bodies.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::fluid::law::Law;
use crate::fluid::parcel::FluidParticle;
use crate::fluid::tally::Tally;
use crate::neighbourhood::Neighbourhood;

/// Parcels handled by one task. The result does not depend on it.
const CHUNK: usize = 256;

/// What all sums read.
pub(crate) struct Sources<'a> {
    pub law: &'a Law,
    pub near: &'a Neighbourhood,
    pub parcels: &'a [FluidParticle],
    /// Kind of each parcel of fluid.
    pub kinds: &'a [u32],
    /// Side of each parcel of a wall.
    pub owners: &'a [u32],
}

impl Sources<'_> {
    /// Computes the forces (N, world) on all parcels of fluid, and adds the impulses of bodies in `h` (s) to
    /// `tallies`.
    pub fn on_fluid(&self, forces: &mut [Vec3], tallies: &mut [Tally], h: f64) {
        let parts = forces.par_chunks_mut(CHUNK).zip(tallies.par_chunks_mut(CHUNK));
        parts.enumerate().for_each(|(chunk, (forces, tallies))| {
            for (k, (force, tally)) in forces.iter_mut().zip(tallies).enumerate() {
                *force = self.on_parcel(chunk * CHUNK + k, tally, h);
            }
        });
    }

    fn on_parcel(&self, i: usize, tally: &mut Tally, h: f64) -> Vec3 {
        let n = self.kinds.len();
        let (a, kind) = (&self.parcels[i], &self.law.kinds[self.kinds[i] as usize]);
        let list = self.near.of(i);
        // Lists ascend, and walls come after all fluid.
        let (fluid, walls) = list.split_at(list.partition_point(|j| (*j as usize) < n));
        let mut force = Vec3::zeros();
        for &j in fluid {
            let other = &self.law.kinds[self.kinds[j as usize] as usize];
            force += self.law.push(a, &self.parcels[j as usize], (kind, Some(other)));
        }
        for of_side in walls.chunk_by(|j, k| self.owner(*j) == self.owner(*k)) {
            let pushes = of_side.iter().map(|j| self.law.push(a, &self.parcels[*j as usize], (kind, None)));
            let push = pushes.fold(Vec3::zeros(), |sum, push| sum + push);
            tally.add(self.owner(of_side[0]), h * push);
            force += push;
        }
        force
    }

    fn owner(&self, j: u32) -> u32 {
        self.owners[j as usize - self.kinds.len()]
    }

    /// Returns the force (N, world) on a parcel of a wall per pressure (Pa) of its own: Σ_f V_f V_w ∇W.
    pub fn per_pressure(&self, w: usize) -> Vec3 {
        let wall = &self.parcels[w];
        let of_fluid = self.near.of(w).iter().map(|f| {
            let fluid = &self.parcels[*f as usize];
            let r = fluid.x - wall.x;
            (fluid.volume * wall.volume * self.law.kernel.factor(r.norm_squared())) * r
        });
        of_fluid.fold(Vec3::zeros(), |sum, part| sum + part)
    }

    /// Returns the forces (N, world) on the parcels of walls in `range`: the opposites of those on the fluid.
    pub fn on_walls(&self, range: std::ops::Range<usize>) -> Vec<Vec3> {
        let push = |w: usize| {
            let wall = &self.parcels[w];
            let pushes = self.near.of(w).iter().map(|f| {
                let kind = &self.law.kinds[self.kinds[*f as usize] as usize];
                self.law.push(&self.parcels[*f as usize], wall, (kind, None))
            });
            pushes.fold(Vec3::zeros(), |sum, push| sum - push)
        };
        range.into_par_iter().with_min_len(CHUNK).map(push).collect()
    }
}
