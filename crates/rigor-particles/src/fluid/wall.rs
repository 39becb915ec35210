//! Pressure in walls.

use rayon::prelude::*;

use crate::fluid::law::Law;
use crate::fluid::parcel::FluidParticle;
use crate::neighbourhood::Neighbourhood;

/// Parcels handled by one task. The result does not depend on it.
const CHUNK: usize = 256;

/// Computes the pressures (Pa) of the parcels of walls, which come after all fluid; `mass` returns that of a parcel
/// of fluid (kg).
///
/// p_w = max(0, Σ_f (p_f + ρ_f g·(x_w − x_f)) W/Σ_f W). Source: \[Adami2012\] eq. (27). Deviation: the
/// acceleration of the wall is left out: a floating body would be driven by its own acceleration, which is
/// unstable for light ones.
pub(crate) fn extrapolate(
    law: &Law,
    near: &Neighbourhood,
    parcels: &[FluidParticle],
    mass: impl Fn(usize) -> f64 + Sync,
    pressures: &mut [f64],
) {
    let n = parcels.len() - pressures.len();
    let pressure = |w: usize| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &f in near.of(w) {
            let (f, fluid) = (f as usize, &parcels[f as usize]);
            let r = parcels[w].x - fluid.x;
            let value = law.kernel.value(r.norm_squared());
            weight += value;
            sum += value * (fluid.pressure + mass(f) / fluid.volume * law.gravity.dot(&r));
        }
        if weight > 0.0 { (sum / weight).max(0.0) } else { 0.0 }
    };
    pressures.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, pressures)| {
        for (k, value) in pressures.iter_mut().enumerate() {
            *value = pressure(n + chunk * CHUNK + k);
        }
    });
}
