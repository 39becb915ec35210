//! Third-party engines behind the [`Method`](rigor_scene::Method) trait, to compare them on identical scenes.

pub mod rapier;
