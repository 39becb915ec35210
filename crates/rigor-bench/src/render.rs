//! Pictures of a state: a software rasteriser for meshes of any codimension.
//!
//! ```no_run
//! use rigor_bench::render::{Camera, Image};
//! # fn show(scene: &rigor_scene::Scene, start: &rigor_scene::State, end: &rigor_scene::State) {
//! let camera = Camera::framing(scene, &[start, end]);
//! let png = Image::of(scene, end, &camera, [640, 400]).png();
//! # }
//! ```

mod camera;
mod image;

pub use camera::Camera;
pub use image::{Image, Png};
