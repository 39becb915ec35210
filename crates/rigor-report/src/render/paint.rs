//! Drawing of a scene and state on a canvas.

use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, BondKind, ParticleId, Role, Scene, SoftBody, State};

use super::canvas::{Canvas, Thing};
use super::view::View;

/// Line widths of features without thickness, and clipping distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brush {
    /// Radius of wires in pixels.
    pub wire: f64,
    /// Radius of points in pixels.
    pub point: f64,
    /// Static bodies nearer than this (m) are clipped.
    pub near_static: f64,
    /// Everything else nearer than this (m) is clipped.
    pub near: f64,
}

/// Returns the number of body `index`. Ropes, cloths and blocks follow the last body, and all other particles
/// share the next number.
pub fn thing_of(index: usize) -> Thing {
    index as Thing + 1
}

/// Paints all particles and the bodies for which `keep` holds, given their index.
pub fn paint(
    canvas: &mut Canvas,
    view: &View,
    brush: &Brush,
    (scene, state): (&Scene, &State),
    keep: impl Fn(usize, &Body) -> bool,
) {
    for (index, (body, at)) in scene.bodies.iter().zip(&state.bodies).enumerate() {
        if keep(index, body) && at.pose.is_finite() {
            paint_body(canvas, view, brush, body, &at.pose, thing_of(index));
        }
    }
    let particles = Particles { scene, state, view, brush };
    for (index, soft) in scene.soft_bodies.iter().enumerate() {
        particles.paint_soft_body(canvas, soft, thing_of(scene.bodies.len() + index));
    }
    particles.paint_loose(canvas, thing_of(scene.bodies.len() + scene.soft_bodies.len()));
}

/// Particles and soft bodies.
struct Particles<'a> {
    scene: &'a Scene,
    state: &'a State,
    view: &'a View,
    brush: &'a Brush,
}

impl Particles<'_> {
    /// Paints triangles as they are, and lines as thick as their particles, with round ends.
    fn paint_soft_body(&self, canvas: &mut Canvas, soft: &SoftBody, thing: Thing) {
        for triangle in &soft.triangles {
            let [a, b, c] = triangle.map(|id| self.state.particles[id.0].position);
            let corners = [a, b, c].map(|x| self.view.seen(&x));
            if corners.iter().all(is_finite) && corners.iter().any(|x| x.z > self.brush.near) {
                let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
                canvas.triangle(self.view, corners, self.brush.near, thing, normal.map(|x| x as f32).into());
            }
        }
        for edge in &soft.edges {
            self.paint_line(canvas, *edge, thing);
        }
        if soft.triangles.is_empty() {
            soft.particles.clone().for_each(|i| self.paint_ball(canvas, i, self.brush.wire, thing));
        }
    }

    /// Paints loose particles, and distance bonds between one of them and any other particle.
    fn paint_loose(&self, canvas: &mut Canvas, thing: Thing) {
        let is_loose = |i: usize| !self.scene.soft_bodies.iter().any(|soft| soft.particles.contains(&i));
        let loose: Vec<bool> = (0..self.scene.particles.len()).map(is_loose).collect();
        for bond in &self.scene.bonds {
            if let (BondKind::Distance { .. }, &[a, b]) = (&bond.kind, &bond.particles[..])
                && (loose[a.0] || loose[b.0])
            {
                self.paint_wire(canvas, [a, b], 0.0, thing);
            }
        }
        let loose = loose.iter().enumerate().filter(|(_, is_loose)| **is_loose);
        loose.for_each(|(i, _)| self.paint_ball(canvas, i, self.brush.point, thing));
    }

    /// Paints a bar as thick as the thinner of its ends.
    fn paint_line(&self, canvas: &mut Canvas, edge: [ParticleId; 2], thing: Thing) {
        let [a, b] = edge.map(|id| self.scene.particles[id.0].radius);
        self.paint_wire(canvas, edge, a.min(b), thing);
    }

    fn paint_wire(&self, canvas: &mut Canvas, edge: [ParticleId; 2], radius: f64, thing: Thing) {
        let ends = edge.map(|id| self.view.seen(&self.state.particles[id.0].position));
        if ends.iter().all(|end| is_finite(end) && end.z > self.brush.near) {
            let ends = ends.map(|end| self.view.spot(&end));
            let nearness = 0.5 * (ends[0].nearness + ends[1].nearness);
            let radius = (radius * self.view.pixels_per_metre(nearness)).max(self.brush.wire);
            canvas.wire(self.view, ends, radius, thing);
        }
    }

    /// Paints particle `i` with a radius of at least `least` pixels.
    fn paint_ball(&self, canvas: &mut Canvas, i: usize, least: f64, thing: Thing) {
        let seen = self.view.seen(&self.state.particles[i].position);
        if seen.z >= self.brush.near && is_finite(&seen) {
            let spot = self.view.spot(&seen);
            let radius = self.scene.particles[i].radius * self.view.pixels_per_metre(spot.nearness);
            canvas.disc(self.view, spot, radius.max(least), thing);
        }
    }
}

fn is_finite(x: &Vec3) -> bool {
    x.iter().all(|c| c.is_finite())
}

fn paint_body(canvas: &mut Canvas, view: &View, brush: &Brush, body: &Body, pose: &Pose, thing: Thing) {
    let near = if body.role == Role::Static { brush.near_static.max(brush.near) } else { brush.near };
    let mesh = &body.mesh;
    let seen: Vec<Vec3> = mesh.vertices().iter().map(|x| view.seen(&pose.point(x))).collect();
    for (index, corners) in mesh.triangles().iter().enumerate() {
        let corners = corners.map(|v| seen[v as usize]);
        if corners.iter().any(|c| c.z > near) {
            let normal = pose.vector(&mesh.area_vector(index)).try_normalize(0.0).unwrap_or_default();
            canvas.triangle(view, corners, near, thing, [normal.x as f32, normal.y as f32, normal.z as f32]);
        }
    }
    for ends in mesh.wires() {
        let ends = ends.map(|v| seen[v as usize]);
        if ends.iter().all(|end| end.z > near) {
            canvas.wire(view, ends.map(|end| view.spot(&end)), brush.wire, thing);
        }
    }
    for point in mesh.points().iter().map(|v| seen[*v as usize]).filter(|point| point.z > near) {
        canvas.disc(view, view.spot(&point), brush.point, thing);
    }
}
