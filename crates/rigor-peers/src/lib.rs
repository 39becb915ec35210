//! Third-party engines behind the [`Method`](rigor_scene::Method) trait, to compare them on identical scenes.

// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod rapier;
