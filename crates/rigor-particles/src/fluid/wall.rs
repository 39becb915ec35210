//! Pressure in walls.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::fluid::law::Law;
use crate::fluid::parcel::FluidParticle;
use crate::neighbourhood::Neighbourhood;

/// Parcels handled by one task. The result does not depend on it.
const CHUNK: usize = 256;

/// What fluid says about the pressure of a parcel of a wall: p_w = max(0, `still` − `lever`·a_w) where the parcel has the
/// acceleration a_w (m/s²).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WallPressure {
    /// Σ_f (p_f + ρ_f g·(x_w − x_f)) W/Σ_f W (Pa).
    pub still: f64,
    /// Σ_f ρ_f (x_w − x_f) W/Σ_f W (kg/m²).
    pub lever: Vec3,
    /// Σ_f W (1/m³).
    pub weight: f64,
}

impl WallPressure {
    /// p_w (Pa) at the acceleration a_w (m/s²).
    pub fn at(&self, acceleration: &Vec3) -> f64 {
        (self.still - self.lever.dot(acceleration)).max(0.0)
    }
}

/// Computes the pressures of the parcels of walls, which come after all fluid; `mass` returns that of a parcel of
/// fluid (kg).
///
/// p_w = max(0, Σ_f (p_f + ρ_f (g − a_w)·(x_w − x_f)) W/Σ_f W). Source: \[Adami2012\] eq. (27). Walls on which there is no fluid have none.
pub(crate) fn extrapolate(
    law: &Law,
    near: &Neighbourhood,
    parcels: &[FluidParticle],
    mass: impl Fn(usize) -> f64 + Sync,
    walls: &mut [WallPressure],
) {
    let n = parcels.len() - walls.len();
    let pressure = |w: usize| {
        let mut sum = WallPressure::default();
        for &f in near.of(w) {
            let (f, fluid) = (f as usize, &parcels[f as usize]);
            let r = parcels[w].x - fluid.x;
            let value = law.kernel.value(r.norm_squared());
            let density = mass(f) / fluid.volume;
            sum.weight += value;
            sum.still += value * (fluid.pressure + density * law.gravity.dot(&r));
            sum.lever += (value * density) * r;
        }
        let weight = sum.weight;
        if weight > 0.0 {
            WallPressure { still: sum.still / weight, lever: sum.lever / weight, weight }
        } else {
            WallPressure::default()
        }
    };
    walls.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, walls)| {
        for (k, wall) in walls.iter_mut().enumerate() {
            *wall = pressure(n + chunk * CHUNK + k);
        }
    });
}
