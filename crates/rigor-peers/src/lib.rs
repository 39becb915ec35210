//! Third-party engines behind the [`Method`](rigor_scene::Method) trait, to compare them on identical scenes.
//!
//! | module | content |
//! | --- | --- |
//! | [`rapier`] | Rapier, in process |
//! | [`process`] | engines in processes of their own, behind a protocol |
//! | `box3d` | Box3D in process behind the same requests, with the feature `box3d` |
//! | [`engine`] | the engines that come with an adapter, and what each of them means by its numbers |

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

#[cfg(feature = "box3d")]
pub mod box3d;
pub mod engine;
pub mod process;
pub mod rapier;
mod same_scene;
