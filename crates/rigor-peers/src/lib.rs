//! Other people's engines behind the [`Method`](rigor_scene::Method) trait, so that they are compared on identical scenes.

pub mod rapier;
