//! Pictures of a state: a software rasteriser for meshes of any codimension.
//!
//! ```
//! use rigor_report::render::{Camera, Image};
//! # fn show(scene: &rigor_scene::Scene, start: &rigor_scene::State, end: &rigor_scene::State) {
//! let camera = Camera::framing(scene, &[start, end]);
//! let png = Image::of(scene, end, &camera, [640, 400]).png();
//! # }
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`camera`] | a view in which the moving bodies are large and visible |
//! | [`view`] | projection from the world to the picture, perspective or parallel |
//! | [`canvas`] | depth buffer for triangles, wires and discs |
//! | [`paint`] | drawing of a scene and state on a canvas |
//! | [`shade`] | light, shadow and edges |
//! | [`image`](mod@image) | pixels, and PNG |
//!
//! Bodies have the colours of [`rigor_run::output::palette`].
//!
//! All computation is serial or per pixel, so a picture has the same bytes on every machine and with any
//! number of threads.

pub mod camera;
pub mod canvas;
pub mod image;
mod occlusion;
pub mod paint;
pub mod shade;
pub mod view;

pub use camera::Camera;
pub use image::{Image, Png};

#[cfg(test)]
mod tests;
