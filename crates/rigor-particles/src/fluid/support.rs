//! Which scenes with fluids can be simulated.

use rigor_scene::{Feature, Scene};

use crate::config::Config;
use crate::fluid::boundary::Boundary;

/// Returns what the method lacks for the fluids of a scene.
pub(crate) fn unsupported(scene: &Scene, config: &Config) -> Option<Feature> {
    let first = scene.fluids.first()?;
    let other = |what: &str| Some(Feature::Other { what: what.into() });
    if !scene.dry_particles().is_empty() {
        return other("grains in a scene with fluids");
    }
    let mut next = 0;
    for fluid in &scene.fluids {
        if fluid.particles.start != next || fluid.particles.is_empty() {
            return other("fluids whose particles do not follow each other");
        }
        next = fluid.particles.end;
        if fluid.spacing != first.spacing {
            return other("fluids of different spacing");
        }
        let is_positive = |x: f64| x > 0.0 && x.is_finite();
        let resists = fluid.viscosity >= 0.0 && fluid.viscosity.is_finite();
        if !is_positive(fluid.spacing) || !is_positive(fluid.density) || !resists {
            return other("fluids without a positive spacing and density and a viscosity of at least 0");
        }
    }
    if next != scene.particles.len() {
        return other("fluids whose particles are not the last of the scene");
    }
    Boundary::default().prepare(scene, config).err().map(Feature::from)
}
