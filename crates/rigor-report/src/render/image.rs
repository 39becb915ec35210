//! Pictures as pixels and as PNG.

use rayon::prelude::*;
use rigor_scene::{Scene, State};

use super::camera::Camera;
use super::canvas::Canvas;
use super::occlusion::openness;
use super::paint::paint;
use super::shade::Light;

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

    /// Renders `state` with some of its bodies, by index, in red.
    pub fn marked(scene: &Scene, state: &State, camera: &Camera, size: [usize; 2], bodies: &[usize]) -> Self {
        Self::made(scene, state, camera, size, bodies, |light, canvas, samples, open| {
            if light.is_even(canvas, &samples) {
                return encode(light.color(canvas, samples[0], open));
            }
            let mut sum = [0.0; 3];
            for sample in samples {
                let color = light.color(canvas, sample, open);
                sum.iter_mut().zip(color).for_each(|(s, c)| *s += c);
            }
            encode(sum.map(|s| s / (SAMPLES * SAMPLES) as f64))
        })
    }

    /// Renders `state` on nothing: the background is transparent, and static bodies fade into it.
    pub fn on_nothing(scene: &Scene, state: &State, camera: &Camera, size: [usize; 2]) -> Self {
        Self::made(scene, state, camera, size, &[], |light, canvas, samples, open| {
            let (mut sum, mut cover) = ([0.0; 3], 0.0);
            for (color, haze) in samples.into_iter().filter_map(|sample| light.covered(canvas, sample, open))
            {
                let part = 1.0 - haze;
                sum.iter_mut().zip(color).for_each(|(s, c)| *s += part * c);
                cover += part;
            }
            let [r, g, b, _] = if cover > 0.0 { encode(sum.map(|s| s / cover)) } else { [0; 4] };
            [r, g, b, (255.0 * cover / (SAMPLES * SAMPLES) as f64 + 0.5) as u8]
        })
    }

    fn made(
        scene: &Scene,
        state: &State,
        camera: &Camera,
        size: [usize; 2],
        marked: &[usize],
        mix: impl Fn(&Light, &Canvas, Samples, f64) -> [u8; 4] + Sync,
    ) -> Self {
        let samples = size.map(|pixels| pixels * SAMPLES);
        let view = camera.view(samples);
        let mut canvas = Canvas::new(samples);
        paint(&mut canvas, &view, &camera.brush(samples[1]), (scene, state), |_| true);
        let open = openness(&canvas, &view, REACH * camera.radius, SAMPLES);
        let mut light = Light::new(scene, state, camera, &view);
        light.mark(marked);
        let pixel =
            |index: usize| mix(&light, &canvas, samples_of([index % size[0], index / size[0]]), open[index]);
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
