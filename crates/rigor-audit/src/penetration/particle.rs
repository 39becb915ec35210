//! Penetration depths of particles in bodies.

use rigor_math::Vec3;
use rigor_scene::{BodyId, ParticleId, Scene, State};

use crate::surface::Surface;
use crate::surface_cache::Surfaces;

/// A particle and the body that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// The particle.
    pub particle: ParticleId,
    /// The body; `None` if no body contains it.
    pub body: Option<BodyId>,
}

impl Pair {
    /// Names the particle and the body.
    pub(super) fn told(self, scene: &Scene) -> String {
        self.body.map_or(String::new(), |body| format!("{} – {}", self.particle, scene.bodies[body.0].name))
    }
}

/// Returns the largest [`depth`] (m) of any particle in any body, and which; `None` without particles.
///
/// A particle attached to a body may be inside it.
pub fn deepest(scene: &Scene, state: &State, surfaces: &Surfaces) -> Option<(f64, Pair)> {
    let first = scene.particles.first().map(|_| (0.0, Pair { particle: ParticleId(0), body: None }))?;
    let attached = |i: usize, b: usize| {
        scene.attachments.iter().any(|a| a.particle == ParticleId(i) && a.body == BodyId(b))
    };
    let mut deepest = first;
    for (i, (particle, at)) in scene.particles.iter().zip(&state.particles).enumerate() {
        for (b, surface) in surfaces.bodies().iter().enumerate() {
            let nothing_moves = particle.is_pinned() && !scene.bodies[b].is_dynamic();
            let reach = surface.bounds().grow(particle.radius);
            if nothing_moves || !reach.contains_point(&at.position) {
                continue;
            }
            let depth = depth(&at.position, particle.radius, surface);
            if depth > deepest.0 && !attached(i, b) {
                deepest = (depth, Pair { particle: ParticleId(i), body: Some(BodyId(b)) });
            }
        }
    }
    Some(deepest)
}

/// Returns max(0, r − d), the depth (m) in the body of a sphere of radius r = `radius` (m) about `p` (m),
/// where d is the distance of p from its surface, negative inside a solid. A sheet is a surface with two
/// sides.
pub fn depth(p: &Vec3, radius: f64, surface: &Surface) -> f64 {
    let is_inside = surface.contains(p);
    let limit_sq = if is_inside { f64::INFINITY } else { radius * radius };
    let distance = surface.nearest(p, limit_sq).map_or(radius, |(_, d_sq)| d_sq.sqrt());
    (radius - if is_inside { -distance } else { distance }).max(0.0)
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Attachment, Particle};

    use super::super::Penetration;
    use super::*;
    use crate::testing::{cube, judge, scene, sheet, value};

    fn found(radius: f64, position: Vec3, attach: bool) -> f64 {
        let mut scene = scene(vec![cube("cube", Vec3::zeros()), sheet(1.0)]);
        scene.bodies[1].initial.pose.position.y = 5.0;
        scene.particles = vec![Particle { radius, ..Particle::new(1.0, position) }];
        if attach {
            let (particle, body) = (ParticleId(0), BodyId(0));
            scene.attachments = vec![Attachment { particle, body, point_local: position, compliance: 0.0 }];
        }
        let start = State::initial(&scene);
        value(&judge(&scene, &mut Penetration::default(), [start].into_iter()), "penetration.particle")
    }

    #[test]
    fn a_sphere_is_as_deep_as_its_centre_and_radius() {
        let y = |y: f64| Vec3::new(0.1, y, 0.2);
        assert_eq!(found(0.0, y(1.5), false), 0.0);
        assert_eq!(found(0.5, y(1.5), false), 0.0);
        assert_eq!(found(0.5, y(1.25), false), 0.25);
        assert_eq!(found(0.5, y(0.75), false), 0.75);
        assert_eq!(found(0.0, y(0.75), false), 0.25);
        assert_eq!(found(0.0, y(0.75), true), 0.0, "what is attached may be inside");
    }

    #[test]
    fn a_sheet_has_two_sides() {
        for y in [4.75, 5.25] {
            assert_eq!(found(0.5, Vec3::new(0.1, y, 0.2), false), 0.25);
        }
    }
}
