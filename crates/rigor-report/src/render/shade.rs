//! Light, shadow and edges: converts a canvas to colours.

use rigor_math::Vec3;
use rigor_run::output::palette::{self, Color};
use rigor_scene::{Body, Role, Scene, State};

use super::camera::Camera;
use super::canvas::{Canvas, Thing};
use super::occlusion::surface;
use super::paint::{Brush, paint};
use super::view::View;

/// Samples of the shadow map in each direction.
const SHADOW_SIZE: usize = 1024;
/// Extent of the shadow map as a multiple of the radius of the framed region.
const SHADOW_REACH: f64 = 1.25;
/// Samples in each direction across the soft edge of a shadow, and their spacing in samples of the map.
const SHADOW_TAPS: usize = 4;
const SHADOW_SPREAD: f64 = 1.4;
/// Brightness of the sky, the ground, the main lamp and the other lamp; white is 1.
const SKY: f64 = 0.46;
const GROUND: f64 = 0.26;
const MAIN: f64 = 0.66;
const OTHER: f64 = 0.12;
/// Remaining fraction of the light at an outline between things, and along a crease.
const RIM: f64 = 0.62;
const CREASE: f64 = 0.8;
/// Normals whose cosine is below this form a crease.
const CREASE_COSINE: f64 = 0.8;
/// Static bodies fade into the background between these multiples of the radius of the framed region.
const FADE: [f64; 2] = [1.6, 6.0];
/// Background at the top and at the bottom (sRGB).
const BACKGROUND: [Color; 2] = [[0.975, 0.98, 0.985], [0.925, 0.932, 0.94]];

/// What is left of bodies in front of one that is pointed out.
const VEIL: f64 = 0.3;
/// A body that is pointed out (linear).
const MARKED: Color = [0.85, 0.03, 0.02];

/// The data that determine a sample's colour, besides the canvas.
pub struct Shading {
    camera: Camera,
    view: View,
    /// By [`Thing`], linear.
    colors: Vec<Color>,
    is_static: Vec<bool>,
    main: Vec3,
    other: Vec3,
    shadow_view: View,
    shadow: Canvas,
}

impl Shading {
    /// Prepares the light on `state` for `camera` and its `view`; the bodies for which `keep` holds cast shadows.
    pub fn new(
        (scene, state): (&Scene, &State),
        camera: &Camera,
        view: &View,
        keep: impl Fn(usize, &Body) -> bool,
    ) -> Self {
        let [right, _, forward] = &camera.axes;
        let main = (camera.up * 0.9 - right * 0.75 - forward * 0.35).normalize();
        let other = (camera.up * 0.3 + right - forward * 0.6).normalize();
        let shadow_view = shadow_view(camera, &main);
        let mut shadow = Canvas::new([SHADOW_SIZE; 2]);
        let brush = Brush { wire: 1.5, point: 3.0, near_static: f64::NEG_INFINITY, near: f64::NEG_INFINITY };
        let is_open = camera.near_static > 0.0;
        paint(&mut shadow, &shadow_view, &brush, (scene, state), |index, body| {
            keep(index, body) && !(is_open && body.role == Role::Static)
        });
        let background = [0.0; 3];
        let colors = std::iter::once(background).chain(palette::of_scene(scene).into_iter().map(linear));
        let n_soft = scene.soft_bodies.len();
        let statics = scene.bodies.iter().map(|body| body.role == Role::Static);
        Self {
            camera: *camera,
            view: *view,
            colors: colors.collect(),
            is_static: std::iter::once(false).chain(statics).chain(vec![false; n_soft + 1]).collect(),
            main,
            other,
            shadow_view,
            shadow,
        }
    }

    /// Colours bodies red, by index.
    pub fn mark(&mut self, bodies: &[usize]) {
        for body in bodies {
            if let Some(color) = self.colors.get_mut(body + 1) {
                *color = mix(*color, MARKED, 0.7);
            }
        }
    }

    /// Returns the linear colour of what a sample shows, and how far (0 to 1) it has faded into the background; `None`
    /// where it shows nothing.
    pub fn covered(&self, canvas: &Canvas, [x, y]: [usize; 2], open: f64) -> Option<(Color, f64)> {
        let (place, normal) = surface(canvas, &self.view, [x, y])?;
        let thing = canvas.thing[y * canvas.size[0] + x];
        let own = self.colors[thing as usize];
        let light = self.light(&place, &normal, open) * edge(canvas, [x, y]);
        Some((own.map(|c| c * light), self.haze(thing, &place)))
    }

    /// Returns the linear colour of a sample with an `open` fraction (0 to 1) of the sky.
    pub fn color(&self, canvas: &Canvas, [x, y]: [usize; 2], open: f64) -> Color {
        let background = background(y as f64 / canvas.size[1] as f64);
        match self.covered(canvas, [x, y], open) {
            Some((lit, haze)) => mix(lit, background, haze),
            None => background,
        }
    }

    /// Returns the linear colour of a sample of which `front` hides a part that `behind` shows alone: both, mixed.
    pub fn through(
        &self,
        (front, open): (&Canvas, f64),
        (light, behind, open_behind): (&Self, &Canvas, f64),
        sample: [usize; 2],
    ) -> Color {
        let near = self.color(front, sample, open);
        match light.covered(behind, sample, open_behind) {
            Some((own, _)) => mix(own, near, VEIL),
            None => near,
        }
    }

    /// Returns whether the samples show one plane without an edge, so that one of them represents all.
    pub fn is_even(&self, canvas: &Canvas, samples: &[[usize; 2]]) -> bool {
        let index = |[x, y]: [usize; 2]| y * canvas.size[0] + x;
        let first = index(samples[0]);
        samples.iter().all(|sample| {
            let k = index(*sample);
            canvas.thing[k] == canvas.thing[first]
                && canvas.normal[k] == canvas.normal[first]
                && edge(canvas, *sample) == 1.0
        })
    }

    fn light(&self, place: &Vec3, normal: &Vec3, open: f64) -> f64 {
        let sky = 0.5 + 0.5 * normal.dot(&self.camera.up);
        let ambient = open * (GROUND + (SKY - GROUND) * sky);
        let facing = normal.dot(&self.main);
        let main = if facing > 0.0 { facing * self.lit_part(place, normal) } else { 0.0 };
        ambient + MAIN * main + OTHER * normal.dot(&self.other).max(0.0) * open
    }

    /// Returns the fraction of the main lamp visible from `place`.
    fn lit_part(&self, place: &Vec3, normal: &Vec3) -> f64 {
        let sample = 1.0 / self.shadow_view.scale;
        let spot = self.shadow_view.spot(&self.shadow_view.seen(&(place + normal * (3.0 * sample))));
        let tap = |[u, v]: [usize; 2]| {
            let offset = |k: usize| SHADOW_SPREAD * (k as f64 - 0.5 * (SHADOW_TAPS - 1) as f64);
            self.sees_lamp(spot.x + offset(u), spot.y + offset(v), spot.nearness + sample)
        };
        const END: usize = SHADOW_TAPS - 1;
        let corners = [[0, 0], [END, 0], [0, END], [END, END]].map(tap);
        if corners.iter().all(|lit| *lit == corners[0]) {
            return f64::from(corners[0]);
        }
        let lit = (0..SHADOW_TAPS * SHADOW_TAPS).filter(|k| tap([k % SHADOW_TAPS, k / SHADOW_TAPS])).count();
        lit as f64 / (SHADOW_TAPS * SHADOW_TAPS) as f64
    }

    fn sees_lamp(&self, x: f64, y: f64, nearness: f64) -> bool {
        let inside = 0.0..SHADOW_SIZE as f64;
        !(inside.contains(&x) && inside.contains(&y))
            || f64::from(self.shadow.nearness[y as usize * SHADOW_SIZE + x as usize]) <= nearness
    }

    /// Returns how far a static body has faded into the background, in [0, 1].
    fn haze(&self, thing: Thing, place: &Vec3) -> f64 {
        if !self.is_static[thing as usize] {
            return 0.0;
        }
        let away = (place - self.camera.focus).norm() / self.camera.radius;
        let t = ((away - FADE[0]) / (FADE[1] - FADE[0])).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

/// Returns the view from the lamp towards the framed region.
fn shadow_view(camera: &Camera, main: &Vec3) -> View {
    let forward = -main;
    let right = forward.cross(&camera.axes[1]).normalize();
    let half = 0.5 * SHADOW_SIZE as f64;
    View {
        eye: camera.focus,
        axes: [right, right.cross(&forward), forward],
        scale: half / (SHADOW_REACH * camera.radius),
        middle: [half; 2],
        is_parallel: true,
    }
}

/// Returns the remaining fraction of the light at an edge between this sample and the next one to the right
/// or below.
fn edge(canvas: &Canvas, [x, y]: [usize; 2]) -> f64 {
    let [width, height] = canvas.size;
    let here = y * width + x;
    let mut least = 1.0_f64;
    for (exists, next) in [(x + 1 < width, here + 1), (y + 1 < height, here + width)] {
        if !exists || canvas.thing[next] == 0 {
            continue;
        }
        if canvas.thing[next] != canvas.thing[here] {
            least = least.min(RIM);
        } else {
            let [a, b] = [here, next].map(|k| Vec3::from(canvas.normal[k].map(f64::from)));
            least = least.min(if a.dot(&b) < CREASE_COSINE { CREASE } else { 1.0 });
        }
    }
    least
}

/// Returns the linear colour of the background at `down`, from 0 at the top to 1.
fn background(down: f64) -> Color {
    mix(linear(BACKGROUND[0]), linear(BACKGROUND[1]), down)
}

fn mix(a: Color, b: Color, t: f64) -> Color {
    std::array::from_fn(|k| a[k] + t * (b[k] - a[k]))
}

/// Converts sRGB to (approximately) linear: the curve is approximated by a square, whose inverse is exact.
fn linear(color: Color) -> Color {
    color.map(|c| c * c)
}
