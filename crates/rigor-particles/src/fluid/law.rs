//! Constants of all fluids of a scene.

use rigor_math::{Pose, Vec3, quaternion};
use rigor_scene::{KinematicPath, Role, Scene};

use crate::config::Config;
use crate::fluid::kernel::Kernel;
use crate::fluid::tait::Tait;

/// Largest substep over h²/ν that viscosity allows.
///
/// Source: \[Morris1997\] eq. (34).
const VISCOUS: f64 = 0.125;

/// One fluid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// ρ₀ (kg/m³).
    pub rest: f64,
    /// μ (Pa s).
    pub viscosity: f64,
    /// Mass (kg) of a particle.
    pub mass: f64,
    pub tait: Tait,
}

/// The fluids of a scene and the settings of their sums.
#[derive(Debug, Default, Clone)]
pub(crate) struct Law {
    pub kinds: Vec<Kind>,
    pub kernel: Kernel,
    /// Smoothing length h (m).
    pub h: f64,
    /// c (m/s).
    pub sound: f64,
    /// Courant number.
    courant: f64,
    /// α c h (m²/s).
    pub artificial: f64,
    /// 2 δ c h (m²/s).
    pub diffusion: f64,
    /// g (m/s²).
    pub gravity: Vec3,
}

impl Law {
    /// The law of a scene with at least one fluid, whose particles move with up to `speed` (m/s).
    pub fn new(scene: &Scene, config: &Config, speed: f64) -> Self {
        let spacing = scene.fluids.first().map_or(1.0, |fluid| fluid.spacing);
        // As the stiffness of bodies: a scene without motion is one of a spacing per second.
        let derived = speed.max(prescribed_speed(scene)).max(spacing) / config.compression.sqrt();
        let (sound, h) = (config.sound_speed.unwrap_or(derived), config.smoothing * spacing);
        let kinds = scene.fluids.iter().map(|fluid| Kind {
            rest: fluid.density,
            viscosity: fluid.viscosity,
            mass: fluid.density * fluid.spacing * fluid.spacing * fluid.spacing,
            tait: Tait::new(fluid.density, sound),
        });
        Self {
            kinds: kinds.collect(),
            kernel: Kernel::new(h),
            h,
            sound,
            courant: config.courant,
            artificial: config.artificial_viscosity * sound * h,
            diffusion: 2.0 * config.density_diffusion * sound * h,
            gravity: scene.gravity,
        }
    }

    /// The longest substep (s) where nothing is faster than `speed` (m/s).
    ///
    /// h_t ≤ C h/(c + v) and h_t ≤ 0.125 h² ρ/μ. Source: \[Monaghan1994\], \[Morris1997\] eqs. (32) and (34).
    pub fn substep(&self, speed: f64) -> f64 {
        let viscous = self.kinds.iter().map(|kind| kind.viscosity / kind.rest).fold(0.0, f64::max);
        let of_sound = self.courant * self.h / (self.sound + speed);
        if viscous > 0.0 { of_sound.min(VISCOUS * self.h * self.h / viscous) } else { of_sound }
    }

    /// Force (N) on the first of two parcels, with `kinds` of which the second is `None` in a wall.
    ///
    /// f = −V_a V_b (p_a + p_b) ∇W + V_a V_b K (v·r)/(r² + 0.01 h²) ∇W with r and v of a relative to b. The
    /// pressure follows from the virtual work of the rate of density \[Monaghan2005\]; K = 10 μ is viscosity in
    /// three dimensions \[Monaghan2005\] eq. (8.8), with the harmonic mean of two μ; parcels of fluid that approach
    /// have K = 10 μ + α c h ρ₀ \[Monaghan1992\]. Both forces lie on the line through the centres, and
    /// exchanging the sides changes the sign of every component exactly: linear and angular momentum are
    /// conserved.
    pub fn push(
        &self,
        a: &super::parcel::FluidParticle,
        b: &super::parcel::FluidParticle,
        kinds: (&Kind, Option<&Kind>),
    ) -> Vec3 {
        let r = a.x - b.x;
        let r_sq = r.norm_squared();
        if r_sq >= self.kernel.support_sq {
            return Vec3::zeros();
        }
        let approach = (a.v - b.v).dot(&r);
        let k = match kinds {
            (a, None) => 10.0 * a.viscosity,
            (a, Some(b)) => {
                let sum = a.viscosity + b.viscosity;
                let mu = if sum > 0.0 { 2.0 * a.viscosity * b.viscosity / sum } else { 0.0 };
                let artificial = if approach < 0.0 { 0.5 * self.artificial * (a.rest + b.rest) } else { 0.0 };
                10.0 * mu + artificial
            }
        };
        let drag = k * approach / (r_sq + 0.01 * self.h * self.h);
        let scale = (a.volume * b.volume) * (drag - (a.pressure + b.pressure));
        (scale * self.kernel.factor(r_sq)) * r
    }
}

/// Returns the largest speed (m/s) of any point of a body between two of its keyframes.
fn prescribed_speed(scene: &Scene) -> f64 {
    let mut fastest: f64 = 0.0;
    for body in &scene.bodies {
        let Role::Kinematic(motion) = &body.role else { continue };
        let KinematicPath::Keyframes(keyframes) = &motion.path else { continue };
        let mut last: (f64, Pose) = (0.0, body.initial.pose);
        for next in keyframes.iter().filter(|(time, _)| *time > 0.0) {
            let span = next.0 - last.0;
            let shift = (next.1.position - last.1.position).norm();
            let turn = quaternion::difference(&last.1.rotation, &next.1.rotation).norm();
            let speed = (shift + body.radius * turn) / span;
            if span > 0.0 && last.0 <= motion.stops_at && speed.is_finite() {
                fastest = fastest.max(speed);
            }
            last = *next;
        }
    }
    fastest
}
