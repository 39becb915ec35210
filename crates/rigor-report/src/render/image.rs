//! Pictures as pixels and as PNG.

use rayon::prelude::*;
use rigor_scene::{Body, Role, Scene, State};

use super::camera::Camera;
use super::canvas::Canvas;
use super::occlusion::openness;
use super::paint::{paint, thing_of};
use super::shade::Shading;

/// Samples per pixel in each direction.
const SAMPLES: usize = 2;
/// Distance at which surroundings darken, relative to the radius of the framed bodies.
const REACH: f64 = 0.12;

/// A picture, encoded as PNG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png(pub Vec<u8>);

/// Rows of pixels from the top, each as red, green, blue, alpha (sRGB).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Four bytes per pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// Renders `state` in `size` pixels.
    ///
    /// Bodies whose pose is not finite are omitted.
    pub fn of(scene: &Scene, state: &State, camera: &Camera, size: [usize; 2]) -> Self {
        Self::marked(scene, state, camera, size, &[])
    }

    /// Renders `state` with some of its bodies, by index, in red. They show through all that is in front of them, and other bodies that
    /// come nearer to the camera than half way are left out.
    pub fn marked(scene: &Scene, state: &State, camera: &Camera, size: [usize; 2], bodies: &[usize]) -> Self {
        let is_marked = |index: usize, _: &Body| bodies.contains(&index);
        let mut alone = (!bodies.is_empty()).then(|| Layer::new((scene, state), camera, size, is_marked));
        if let Some(alone) = &mut alone {
            alone.light.mark(bodies);
        }
        let half = 0.5 * (camera.focus - camera.eye).dot(&camera.axes[2]);
        let is_far = |index: usize, body: &Body| {
            let at = state.bodies[index].pose.position - camera.eye;
            at.dot(&camera.axes[2]) - body.radius > half
        };
        let keep = |index: usize, body: &Body| {
            bodies.is_empty() || bodies.contains(&index) || body.role == Role::Static || is_far(index, body)
        };
        let whole = Layer::new((scene, state), camera, size, keep);
        Self::made(whole, size, bodies, |whole, samples, pixel| {
            let open = whole.open[pixel];
            let is_hidden = |alone: &&Layer, sample: [usize; 2]| whole.hides(alone, sample, bodies);
            let hidden = alone.as_ref().filter(|alone| samples.iter().any(|at| is_hidden(alone, *at)));
            if hidden.is_none() && whole.light.is_even(&whole.canvas, &samples) {
                return encode(whole.light.color(&whole.canvas, samples[0], open));
            }
            let color = |sample: [usize; 2]| match hidden.filter(|alone| is_hidden(alone, sample)) {
                Some(alone) => {
                    let behind = (&alone.light, &alone.canvas, alone.open[pixel]);
                    whole.light.through((&whole.canvas, open), behind, sample)
                }
                None => whole.light.color(&whole.canvas, sample, open),
            };
            let mut sum = [0.0; 3];
            for sample in samples {
                sum.iter_mut().zip(color(sample)).for_each(|(s, c)| *s += c);
            }
            encode(sum.map(|s| s / (SAMPLES * SAMPLES) as f64))
        })
    }

    /// Renders `state` on nothing: the background is transparent, and static bodies fade into it.
    pub fn on_nothing(scene: &Scene, state: &State, camera: &Camera, size: [usize; 2]) -> Self {
        let whole = Layer::new((scene, state), camera, size, |_, _| true);
        Self::made(whole, size, &[], |whole, samples, pixel| {
            let (mut sum, mut cover) = ([0.0; 3], 0.0);
            let covered = |sample| whole.light.covered(&whole.canvas, sample, whole.open[pixel]);
            for (color, haze) in samples.into_iter().filter_map(covered) {
                let part = 1.0 - haze;
                sum.iter_mut().zip(color).for_each(|(s, c)| *s += part * c);
                cover += part;
            }
            let [r, g, b, _] = if cover > 0.0 { encode(sum.map(|s| s / cover)) } else { [0; 4] };
            [r, g, b, (255.0 * cover / (SAMPLES * SAMPLES) as f64 + 0.5) as u8]
        })
    }

    fn made(
        mut whole: Layer,
        size: [usize; 2],
        marked: &[usize],
        mix: impl Fn(&Layer, Samples, usize) -> [u8; 4] + Sync,
    ) -> Self {
        whole.light.mark(marked);
        let pixel = |index: usize| mix(&whole, samples_of([index % size[0], index / size[0]]), index);
        let pixels: Vec<[u8; 4]> = (0..size[0] * size[1]).into_par_iter().map(pixel).collect();
        Self { size, rgba: pixels.concat() }
    }

    /// Encodes the picture as PNG.
    pub fn png(&self) -> Png {
        let mut bytes = Vec::new();
        let [width, height] = self.size.map(|pixels| pixels as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        let is_opaque = self.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255);
        encoder.set_color(if is_opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let kept = if is_opaque { 3 } else { 4 };
        let bytes_of: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..kept]).copied().collect();
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes_of));
        written.expect("writing to memory cannot fail, and the header has the right size");
        Png(bytes)
    }
}

/// Some of the bodies, drawn in samples, with their light.
struct Layer {
    canvas: Canvas,
    /// The open fraction of the sky, by pixel.
    open: Vec<f64>,
    light: Shading,
}

impl Layer {
    /// Draws the bodies for which `keep` holds, in the light that they leave each other.
    fn new(
        (scene, state): (&Scene, &State),
        camera: &Camera,
        size: [usize; 2],
        keep: impl Fn(usize, &Body) -> bool,
    ) -> Self {
        let samples = size.map(|pixels| pixels * SAMPLES);
        let view = camera.view(samples);
        let mut canvas = Canvas::new(samples);
        paint(&mut canvas, &view, &camera.brush(samples[1]), (scene, state), &keep);
        let open = openness(&canvas, &view, REACH * camera.radius, SAMPLES);
        Self { canvas, open, light: Shading::new((scene, state), camera, &view, keep) }
    }

    /// Whether something hides one of `bodies` at a sample where `alone` shows it.
    fn hides(&self, alone: &Self, [x, y]: [usize; 2], bodies: &[usize]) -> bool {
        let index = y * self.canvas.size[0] + x;
        let thing = alone.canvas.thing[index];
        thing != self.canvas.thing[index] && bodies.iter().any(|body| thing_of(*body) == thing)
    }
}

/// Columns and rows of the samples of a pixel.
type Samples = [[usize; 2]; SAMPLES * SAMPLES];

/// Returns the samples of a pixel.
fn samples_of([x, y]: [usize; 2]) -> Samples {
    std::array::from_fn(|k| [x * SAMPLES + k % SAMPLES, y * SAMPLES + k / SAMPLES])
}

/// Converts a linear colour to opaque sRGB bytes.
fn encode(color: [f64; 3]) -> [u8; 4] {
    let [r, g, b] = color.map(|c| (255.0 * c.clamp(0.0, 1.0).sqrt() + 0.5) as u8);
    [r, g, b, 255]
}
