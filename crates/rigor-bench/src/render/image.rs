//! Pixels.

use rigor_scene::{Scene, State};

use super::Camera;

/// A picture encoded as PNG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Png(pub Vec<u8>);

/// Rows of pixels from the top, each red, green, blue, alpha (sRGB).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Four bytes a pixel.
    pub rgba: Vec<u8>,
}

impl Image {
    /// A picture of `state` in `size` pixels.
    pub fn of(_scene: &Scene, _state: &State, _camera: &Camera, size: [usize; 2]) -> Self {
        Self { size, rgba: vec![0; 4 * size[0] * size[1]] }
    }

    /// The picture as PNG.
    pub fn png(&self) -> Png {
        Png(Vec::new())
    }
}
