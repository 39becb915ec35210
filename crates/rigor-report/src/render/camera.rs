//! Choice of the viewpoint.

use rigor_geometry::Aabb;
use rigor_math::{Vec3, elementary};
use rigor_run::output::palette;
use rigor_scene::{Role, Scene, State};

use super::canvas::Canvas;
use super::paint::{Brush, paint};
use super::view::View;

/// Width over height of the framed area; other pictures get margins.
const ASPECT: f64 = 1.6;
/// tan of half the vertical angle of view: 15°.
const SLOPE: f64 = 0.2679;
/// Fraction of the picture that the bodies may fill, in both directions.
const FILL: f64 = 0.86;
/// Candidate directions in degrees about the vertical and above the horizon, in order of preference.
const DIRECTIONS: [[f64; 2]; 9] = [
    [30.0, 22.0],
    [-30.0, 22.0],
    [30.0, 45.0],
    [-30.0, 45.0],
    [150.0, 22.0],
    [-150.0, 22.0],
    [60.0, 30.0],
    [-60.0, 30.0],
    [30.0, 70.0],
];
/// Static bodies up to this multiple of the size of all moving bodies are framed with them.
const STATIC_SIZE: f64 = 0.8;
/// Additional visible fraction of the bodies that a direction needs to be chosen over a preferred one.
const GAIN: f64 = 0.12;

/// A position and orientation, and the region in view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Its position (m, world).
    pub eye: Vec3,
    /// Unit vectors to the right, up and forward (world).
    pub axes: [Vec3; 3],
    /// The upward direction in the world.
    pub up: Vec3,
    /// The centre of the framed region (m, world).
    pub focus: Vec3,
    /// The radius of the framed region (m).
    pub radius: f64,
    /// Static bodies nearer than this (m) are clipped.
    pub near_static: f64,
}

impl Camera {
    /// Chooses the view in which the moving bodies of all `states` are large, and unobstructed in the first
    /// and the last.
    ///
    /// It frames dynamic and kinematic bodies, particles, and static bodies of similar size next to them,
    /// seen slightly from above, with the longer horizontal axis across the picture. Lost bodies (farther
    /// than twice the size of all others, and beyond any static body) do not shrink the others. If static
    /// bodies hide too much, the camera turns; if they hide too much from all directions, they are cut open.
    pub fn framing(scene: &Scene, states: &[&State]) -> Self {
        let points = framed_points(scene, states);
        let up = palette::up(scene);
        let mut best: Option<(f64, Self)> = None;
        for direction in DIRECTIONS {
            let camera = Self::looking(direction, &up, &points);
            let free = camera.visible_part(scene, states);
            if best.is_none_or(|(most, _)| free > most + GAIN) {
                best = Some((free, camera));
            }
            if free > 1.0 - GAIN {
                break;
            }
        }
        let (free, camera) = best.expect("there are directions");
        if free > 0.4 { camera } else { camera.cut_open() }
    }

    /// The camera in a direction (degrees about the vertical, degrees above the horizon) that frames the
    /// points.
    fn looking([around, above]: [f64; 2], up: &Vec3, points: &[Vec3]) -> Self {
        let bounds = Aabb::of_points(points);
        let (focus, radius) = (bounds.center(), 0.5 * bounds.diagonal());
        let [across, towards] = horizontal_axes(up, &bounds.extent());
        let (sin_around, cos_around) = elementary::sin_cos_degrees(around);
        let (sin_above, cos_above) = elementary::sin_cos_degrees(above);
        let level = towards * cos_around + across * sin_around;
        let forward = -(level * cos_above + up * sin_above);
        let right = forward.cross(up).normalize();
        let axes = [right, right.cross(&forward), forward];
        let eye = stand_back(&axes, &focus, points);
        Self { eye, axes, up: *up, focus, radius, near_static: 0.0 }
    }

    /// Returns the camera moved along its direction so that a ball (m, world) fills the picture.
    pub fn towards(&self, center: Vec3, radius: f64) -> Self {
        let radius = radius.clamp(1e-6 * self.radius.max(1e-300), self.radius);
        let eye = center - self.axes[2] * (radius / SLOPE);
        let near_static = if self.near_static > 0.0 { (radius / SLOPE - radius).max(0.0) } else { 0.0 };
        Self { eye, focus: center, radius, near_static, ..*self }
    }

    /// Clips the static bodies in front of the framed region.
    fn cut_open(self) -> Self {
        let depth = (self.focus - self.eye).dot(&self.axes[2]);
        Self { near_static: depth - 0.9 * self.radius, ..self }
    }

    /// Returns its projection onto a picture of `size` pixels.
    pub fn view(&self, size: [usize; 2]) -> View {
        let [width, height] = size.map(|pixels| pixels as f64);
        View {
            eye: self.eye,
            axes: self.axes,
            scale: (0.5 * height).min(0.5 * width / ASPECT) / SLOPE,
            middle: [0.5 * width, 0.5 * height],
            is_parallel: false,
        }
    }

    /// Returns the line widths and clipping distances for a picture with `pixels` rows.
    pub fn brush(&self, pixels: usize) -> Brush {
        let pixels = pixels as f64;
        let depth = (self.focus - self.eye).norm();
        Brush {
            wire: pixels / 320.0,
            point: pixels / 160.0,
            near_static: self.near_static,
            near: 1e-3 * depth,
        }
    }

    /// Returns the fraction of the moving bodies' pixels that no static body hides, the lower of the first
    /// and last state.
    fn visible_part(&self, scene: &Scene, states: &[&State]) -> f64 {
        let size = [160, 100];
        let (view, brush) = (self.view(size), self.brush(size[1]));
        let part = |state: &&State| {
            let [mut alone, mut all] = [Canvas::new(size), Canvas::new(size)];
            paint(&mut alone, &view, &brush, (scene, state), |_, body| body.role != Role::Static);
            paint(&mut all, &view, &brush, (scene, state), |_, _| true);
            let total = alone.thing.iter().filter(|thing| **thing != 0).count();
            let free = alone.thing.iter().zip(&all.thing).filter(|(a, b)| **a != 0 && a == b).count();
            if total == 0 { 1.0 } else { free as f64 / total as f64 }
        };
        let (first, last) = (states.first(), states.last());
        first.into_iter().chain(last).map(part).fold(1.0, f64::min)
    }
}

/// Returns horizontal unit vectors: across the picture, along the longer side of `extent`, and towards the
/// camera.
fn horizontal_axes(up: &Vec3, extent: &Vec3) -> [Vec3; 2] {
    let mut axes = [Vec3::x(), Vec3::z(), Vec3::y()].map(|axis| (axis, axis.dot(up).abs()));
    axes.sort_by(|a, b| a.1.total_cmp(&b.1));
    let [first, second] = [axes[0].0, axes[1].0].map(|axis| (axis - up * axis.dot(up)).normalize());
    let along = |axis: &Vec3| axis.abs().dot(extent);
    let across = if along(&second) > 1.5 * along(&first) { -second } else { first };
    [across, across.cross(up)]
}

/// Returns the nearest position from which all points fit into [`FILL`] of the picture.
fn stand_back(axes: &[Vec3; 3], focus: &Vec3, points: &[Vec3]) -> Vec3 {
    let seen: Vec<Vec3> =
        points.iter().map(|p| Vec3::from(axes.map(|axis| axis.dot(&(p - focus))))).collect();
    let slopes = [FILL * SLOPE * ASPECT, FILL * SLOPE];
    let mut eye = Vec3::zeros();
    for (k, slope) in slopes.iter().enumerate() {
        // The two lines of sight along the rim that touch the points intersect at the required position.
        let rim =
            |sign: f64| seen.iter().map(|s| sign * s[k] - slope * s.z).fold(f64::NEG_INFINITY, f64::max);
        let (plus, minus) = (rim(1.0), rim(-1.0));
        eye[k] = 0.5 * (plus - minus);
        eye.z = eye.z.min(-0.5 * (plus + minus) / slope);
    }
    let (nearest, farthest) =
        seen.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s.z), high.max(s.z)));
    eye.z = eye.z.min(nearest - 0.1 * (farthest - nearest));
    focus + axes[0] * eye.x + axes[1] * eye.y + axes[2] * eye.z
}

/// Returns the corners of boxes around all moving bodies in all states, without lost bodies.
fn framed_points(scene: &Scene, states: &[&State]) -> Vec<Vec3> {
    let boxes: Vec<Vec<Aabb>> = states.iter().map(|state| moving_boxes(scene, state)).collect();
    let around = |boxes: &[Aabb]| boxes.iter().fold(Aabb::EMPTY, |all, one| all.union(one));
    let start = boxes.first().map_or(Aabb::EMPTY, |boxes| around(boxes));
    let place = static_boxes(scene).fold(start, |all, one| all.union(&one));
    if place.is_empty() {
        return corners(&Aabb::new(Vec3::repeat(-1.0), Vec3::repeat(1.0)));
    }
    if start.is_empty() {
        return corners(&place);
    }
    let limit = start.grow(2.0 * start.diagonal()).union(&place);
    let kept = boxes.iter().flatten().filter(|one| limit.contains_point(&one.center())).copied();
    let moving: Vec<Aabb> = kept.collect();
    let size = around(&moving).diagonal();
    let small = static_boxes(scene).filter(|one| one.diagonal() <= STATIC_SIZE * size);
    let near = small.filter(|one| one.overlaps(&around(&moving).grow(0.1 * size)));
    let points: Vec<Vec3> = moving.iter().copied().chain(near).flat_map(|one| corners(&one)).collect();
    let bounds = Aabb::of_points(&points);
    if bounds.diagonal() > 0.0 { points } else { corners(&bounds.grow(0.5)) }
}

fn static_boxes(scene: &Scene) -> impl Iterator<Item = Aabb> {
    let statics = scene.bodies.iter().filter(|body| body.role == Role::Static);
    statics.map(|body| body.mesh.bounds().transformed(&body.initial.pose))
}

fn moving_boxes(scene: &Scene, state: &State) -> Vec<Aabb> {
    let bodies = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.role != Role::Static);
    let particles = scene.particles.iter().zip(&state.particles);
    bodies
        .map(|(body, at)| {
            let world: Vec<Vec3> = body.mesh.vertices().iter().map(|x| at.pose.point(x)).collect();
            Aabb::of_points(&world)
        })
        .chain(particles.map(|(p, at)| Aabb::new(at.position, at.position).grow(p.radius)))
        .filter(Aabb::is_finite)
        .collect()
}

fn corners(bounds: &Aabb) -> Vec<Vec3> {
    let of = |corner: usize, k: usize| if corner >> k & 1 == 1 { bounds.max[k] } else { bounds.min[k] };
    (0..8).map(|corner| Vec3::new(of(corner, 0), of(corner, 1), of(corner, 2))).collect()
}
