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
        let samples = size.map(|pixels| pixels * SAMPLES);
        let view = camera.view(samples);
        let mut canvas = Canvas::new(samples);
        paint(&mut canvas, &view, &camera.brush(samples[1]), (scene, state), |_| true);
        let open = openness(&canvas, &view, REACH * camera.radius, SAMPLES);
        let light = Light::new(scene, state, camera, &view);
        let pixel = |index: usize| {
            let samples = samples_of([index % size[0], index / size[0]]);
            if light.is_even(&canvas, &samples) {
                return encode(light.color(&canvas, samples[0], open[index]));
            }
            let mut sum = [0.0; 3];
            for sample in samples {
                let color = light.color(&canvas, sample, open[index]);
                sum.iter_mut().zip(color).for_each(|(s, c)| *s += c);
            }
            encode(sum.map(|s| s / (SAMPLES * SAMPLES) as f64))
        };
        let pixels: Vec<[u8; 4]> = (0..size[0] * size[1]).into_par_iter().map(pixel).collect();
        Self { size, rgba: pixels.concat() }
    }

    /// Encodes the picture as PNG.
    pub fn png(&self) -> Png {
        let mut bytes = Vec::new();
        let [width, height] = self.size.map(|pixels| pixels as u32);
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let opaque: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&opaque));
        written.expect("memory takes all bytes, and there are three a pixel");
        Png(bytes)
    }
}

/// Returns the samples of a pixel.
fn samples_of([x, y]: [usize; 2]) -> [[usize; 2]; SAMPLES * SAMPLES] {
    std::array::from_fn(|k| [x * SAMPLES + k % SAMPLES, y * SAMPLES + k / SAMPLES])
}

/// Converts a linear colour to opaque sRGB bytes.
fn encode(color: [f64; 3]) -> [u8; 4] {
    let [r, g, b] = color.map(|c| (255.0 * c.clamp(0.0, 1.0).sqrt() + 0.5) as u8);
    [r, g, b, 255]
}
