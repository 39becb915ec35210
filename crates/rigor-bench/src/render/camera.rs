//! From where a picture is taken.

use rigor_scene::{Scene, State};

/// A place and a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {}

impl Camera {
    /// The view in which the bodies that move are seen as large and as free as possible in all of `states`.
    pub fn framing(_scene: &Scene, _states: &[&State]) -> Self {
        Self {}
    }
}
