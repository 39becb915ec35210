//! The rate of density.

use rayon::prelude::*;
use rigor_math::Vec3;

use crate::fluid::law::Law;
use crate::fluid::parcel::FluidParticle;
use crate::neighbourhood::Neighbourhood;

/// Parcels handled by one task. The result does not depend on it.
const CHUNK: usize = 256;

/// Computes dρ/dt (kg/m³/s) of the first `rates.len()` parcels, which are fluid of these `kinds` and `densities`
/// (kg/m³); the others are walls.
///
/// dρ_i/dt = ρ_i Σ_j V_j (v_i − v_j)·∇W + 2 δ c h Σ_j V_j (ρ_j − ρ_i − ρ₀ e·(x_j − x_i)/c²) (−F) with
/// ∇W = F (x_i − x_j) and `layering` = e/c² (1/m) of each kind, e what its walls make it weigh (m/s²). Source: continuity \[Monaghan1994\]; diffusion
/// \[Molteni2009\], of the difference to fluid at rest \[Fourtakas2019\]. Deviations: the density of fluid at rest is linear in the pressure, and
/// rest is that beside the walls, e = g − a with their mean acceleration a: fluid in free flight has e = 0.
pub(crate) fn rates(
    law: &Law,
    near: &Neighbourhood,
    parcels: &[FluidParticle],
    (kinds, densities, layering): (&[u32], &[f64], &[Vec3]),
    rates: &mut [f64],
) {
    let n = rates.len();
    let rate = |i: usize| {
        let (a, density, kind) = (&parcels[i], densities[i], kinds[i]);
        let (rest, layering) = (law.kinds[kind as usize].rest, layering[kind as usize]);
        let (mut divergence, mut diffusion) = (0.0, 0.0);
        for &j in near.of(i) {
            let (j, b) = (j as usize, &parcels[j as usize]);
            let r = a.x - b.x;
            let factor = b.volume * law.kernel.factor(r.norm_squared());
            divergence += factor * (a.v - b.v).dot(&r);
            if j < n && kinds[j] == kind {
                diffusion -= factor * (densities[j] - density + rest * layering.dot(&r));
            }
        }
        density * divergence + law.diffusion * diffusion
    };
    rates.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, rates)| {
        for (k, value) in rates.iter_mut().enumerate() {
            *value = rate(chunk * CHUNK + k);
        }
    });
}
