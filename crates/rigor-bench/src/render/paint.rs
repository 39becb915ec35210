//! A scene and state on a canvas.

use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, Role, Scene, State};

use super::canvas::{Canvas, Thing};
use super::view::View;

/// How thick what has no thickness is drawn, and how near one may look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brush {
    /// Radius of wires in pixels.
    pub wire: f64,
    /// Radius of points in pixels.
    pub point: f64,
    /// Static bodies are cut off nearer than this (m).
    pub near_static: f64,
    /// Everything else is cut off nearer than this (m).
    pub near: f64,
}

/// The number under which body `index` is painted; particles share the next number after the last body.
pub fn thing_of(index: usize) -> Thing {
    index as Thing + 1
}

/// Paints bodies and particles, those for which `keep` holds.
pub fn paint(
    canvas: &mut Canvas,
    view: &View,
    brush: &Brush,
    (scene, state): (&Scene, &State),
    keep: impl Fn(&Body) -> bool,
) {
    for (index, (body, at)) in scene.bodies.iter().zip(&state.bodies).enumerate() {
        if keep(body) && at.pose.is_finite() {
            paint_body(canvas, view, brush, body, &at.pose, thing_of(index));
        }
    }
    for (particle, at) in scene.particles.iter().zip(&state.particles) {
        let seen = view.seen(&at.position);
        if seen.z >= brush.near && seen.iter().all(|c| c.is_finite()) {
            let spot = view.spot(&seen);
            let radius = (particle.radius * view.pixels_per_metre(spot.nearness)).max(brush.point);
            canvas.disc(view, spot, radius, thing_of(scene.bodies.len()));
        }
    }
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
