//! Penetration depths of particles in bodies.

use std::collections::BTreeSet;

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
    let ignores = ignored(scene);
    let mut deepest = first;
    for (i, (particle, at)) in scene.particles.iter().zip(&state.particles).enumerate() {
        for (b, surface) in surfaces.bodies().iter().enumerate() {
            let reach = surface.bounds().grow(particle.radius);
            if !reach.contains_point(&at.position) {
                continue;
            }
            let depth = depth(&at.position, particle.radius, surface);
            if depth > deepest.0 && !ignores(i, b) {
                deepest = (depth, Pair { particle: ParticleId(i), body: Some(BodyId(b)) });
            }
        }
    }
    Some(deepest)
}

/// Returns whether a particle, by its index, may be in a body: it is attached to it, or neither can move.
pub(super) fn ignored(scene: &Scene) -> impl Fn(usize, usize) -> bool + use<'_> {
    let attached: BTreeSet<(usize, usize)> =
        scene.attachments.iter().map(|a| (a.particle.0, a.body.0)).collect();
    move |i, b| {
        let nothing_moves = scene.particles[i].is_pinned() && !scene.bodies[b].is_dynamic();
        nothing_moves || attached.contains(&(i, b))
    }
}

/// Returns max(0, r − d), the depth (m) in the body of a sphere of radius r = `radius` (m) about `p` (m),
/// where d is the distance of p from its surface, negative inside a solid or a round part. A sheet is a surface with two
/// sides.
pub fn depth(p: &Vec3, radius: f64, surface: &Surface) -> f64 {
    let is_inside = surface.encloses(p);
    let limit_sq = if is_inside { f64::INFINITY } else { radius * radius };
    let distance = surface.nearest(p, limit_sq).map_or(radius, |(_, d_sq)| d_sq.sqrt());
    let in_rounds = surface.round_depth(p, radius).map_or(0.0, |depth| radius + depth);
    (radius - if is_inside { -distance } else { distance }).max(0.0).max(in_rounds)
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Attachment, Particle};

    use super::super::Penetration;
    use super::*;
    use crate::testing::{ball, capsule, cube, judge, picture, scene, sheet, value};

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

    /// The depth and the number of passes of a particle that moves past a body.
    fn past(body: &rigor_scene::Body, radius: f64, x: &[[f64; 3]]) -> (f64, f64) {
        let mut scene = scene(vec![body.clone()]);
        scene.particles = vec![Particle { radius, ..Particle::new(1.0, Vec3::from(x[0])) }];
        let moved = Vec3::from(x[x.len() - 1]) - Vec3::from(x[0]);
        let frame = |at: &[f64; 3]| {
            let mut state = State::initial(&scene);
            state.particles[0].position = Vec3::from(*at);
            state.particles[0].velocity = moved * 100.0;
            state
        };
        let frames: Vec<State> = x.iter().map(frame).collect();
        let findings = judge(&scene, &mut Penetration::default(), frames.into_iter());
        (value(&findings, "penetration.particle"), value(&findings, "penetration.particle_passes"))
    }

    #[test]
    fn a_sphere_is_as_deep_in_a_round_part_as_their_radii_and_their_distance() {
        let away = Vec3::new(0.3, 0.5, 0.7).normalize();
        let depth = |body: &rigor_scene::Body, radius: f64, x: Vec3| past(body, radius, &[x.into()]).0;
        for (radius, d, expected) in
            [(0.25, 0.75, 0.0), (0.25, 0.7, 0.05), (0.0, 0.49, 0.01), (0.25, 0.1, 0.65)]
        {
            for away in [away, Vec3::x(), -Vec3::z()] {
                let found = depth(&ball("b", 0.5), radius, away * d);
                assert!((found - expected).abs() < 1e-14, "{found} {expected}");
            }
            for away in [Vec3::new(0.6, 0.0, 0.8), Vec3::x()] {
                let found = depth(&capsule("b", 0.5, 1.0), radius, away * d + Vec3::y() * 0.3);
                assert!((found - expected).abs() < 1e-14, "{found} {expected}");
            }
        }
        assert_eq!(depth(&picture(&ball("b", 0.5)), 0.0, away * 0.499), 0.0, "what shows it is too small");
    }

    #[test]
    fn fast_points_through_round_parts_are_found() {
        for body in [ball("b", 0.5), capsule("b", 0.5, 1.0)] {
            let passes = |z: f64| past(&body, 0.0, &[[4.0, 0.1, z], [-4.0, 0.1, z]]).1;
            assert_eq!((passes(0.1), passes(0.6)), (1.0, 0.0));
        }
    }

    #[test]
    fn a_sheet_has_two_sides() {
        for y in [4.75, 5.25] {
            assert_eq!(found(0.5, Vec3::new(0.1, y, 0.2), false), 0.25);
        }
    }

    /// Returns the depth and the number of passes of a particle that is at `x` in successive frames, with a cube of
    /// 2 m at the origin and a sheet of 2 m at y = 5 that moves along y by `sheet_moves` in every frame.
    fn followed(radius: f64, x: &[[f64; 3]], sheet_moves: f64) -> (f64, f64) {
        let mut scene = scene(vec![cube("cube", Vec3::zeros()), sheet(1.0)]);
        scene.bodies[1].initial.pose.position.y = 5.0;
        let at: Vec<Vec3> = x.iter().map(|x| Vec3::from(*x)).collect();
        scene.particles = vec![Particle { radius, ..Particle::new(1.0, at[0]) }];
        let frames: Vec<State> = (0..at.len())
            .map(|k| {
                let mut state = State::initial(&scene);
                state.particles[0].position = at[k];
                // The mean velocities before and after.
                let next = at[(k + 1).min(at.len() - 1)] - at[k.saturating_sub(1)];
                state.particles[0].velocity = next * if k == 0 || k + 1 == at.len() { 100.0 } else { 50.0 };
                state.bodies[1].pose.position.y += sheet_moves * k as f64;
                state.bodies[1].linear_velocity.y = 100.0 * sheet_moves;
                state
            })
            .collect();
        let findings = judge(&scene, &mut Penetration::default(), frames.into_iter());
        (value(&findings, "penetration.particle"), value(&findings, "penetration.particle_passes"))
    }

    #[test]
    fn a_point_that_fell_through_a_sheet_is_found() {
        let x = |y: f64| [0.1, y, 0.2];
        let (depth, passes) = followed(0.0, &[x(5.2), x(5.0), x(4.9), x(4.7)], 0.0);
        assert!((depth - 0.3).abs() < 1e-12 && passes == 1.0, "{depth} {passes}");
        // Rounding on the sheet is nothing, on either side.
        let (depth, passes) = followed(0.0, &[x(5.2), x(5.0 - 1e-15), x(5.0 + 1e-15), x(5.0), x(5.4)], 0.0);
        assert!(depth < 1e-12 && passes == 0.0, "{depth} {passes}");
        let (depth, passes) = followed(0.0, &[x(5.2), x(5.0 - 1e-15), x(5.0 - 1e-15), x(4.5)], 0.0);
        assert!((depth - 0.5).abs() < 1e-12 && passes == 1.0, "{depth} {passes}");
        // Through along the diagonal and the border between both triangles, and back up.
        let (depth, passes) =
            followed(0.0, &[[0.2, 5.3, 0.2], [0.2, 4.9, 0.2], [0.2, 5.3, 0.2], [0.2, 5.4, 0.2]], 0.0);
        assert!((depth - 0.1).abs() < 1e-12 && passes == 1.0, "{depth} {passes}");
        // The sheet moves through a particle at rest.
        let (depth, passes) = followed(0.0, &[x(5.25); 4], 0.1);
        assert!((depth - 0.05).abs() < 1e-12 && passes == 1.0, "{depth} {passes}");
    }

    #[test]
    fn a_way_around_the_border_is_no_passage() {
        let path = [[0.5, 5.2, 0.1], [1.5, 5.2, 0.1], [1.5, 4.6, 0.1], [0.5, 4.6, 0.1], [0.4, 4.9, 0.1]];
        assert_eq!(followed(0.0, &path, 0.0), (0.0, 0.0));
    }

    #[test]
    fn fast_points_through_small_bodies_are_found() {
        // Through the sheet and the whole cube between two frames.
        let (_, passes) = followed(0.0, &[[0.1, 9.0, 0.2], [0.1, -5.0, 0.2], [0.1, -19.0, 0.2]], 0.0);
        assert_eq!(passes, 2.0);
        // Beside the cube, and around its corner after a blow.
        let (_, passes) = followed(0.0, &[[1.3, 4.0, 0.2], [1.3, 0.0, 0.2], [1.3, -4.0, 0.2]], 0.0);
        assert_eq!(passes, 0.0);
        let (_, passes) = followed(0.0, &[[0.8, 1.1, 0.2], [1.1, 0.8, 0.2], [2.0, 0.8, 0.2]], 0.0);
        assert_eq!(passes, 0.0);
    }
}
