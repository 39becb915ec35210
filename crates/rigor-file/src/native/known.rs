//! Bodies that were just built, so that many of one shape are measured and tested once, and share one mesh.

use std::collections::VecDeque;

use rigor_scene::body::Body;
use rigor_scene::build::{BodyError, BodySpec, PlacedShape};

/// Number of shapes that are remembered, the last ones.
const MOST: usize = 8;

/// Two triangles of a shape that cross each other, per shape of a body; `None` where none were found.
pub type Crossings = Vec<Option<[usize; 2]>>;

/// The last bodies.
#[derive(Default)]
pub struct Known {
    bodies: VecDeque<(BodySpec, Body)>,
    crossings: VecDeque<(Vec<PlacedShape>, Crossings)>,
}

impl Known {
    /// Builds the body of `spec`, like an earlier one if it has its shapes and its weight.
    ///
    /// # Errors
    /// Those of [`BodySpec::build`].
    pub fn build(&mut self, spec: BodySpec) -> Result<Body, BodyError> {
        if let Some((_, body)) = self.bodies.iter().find(|(other, _)| spec.is_same_solid(other)) {
            return Ok(spec.build_like(body));
        }
        let body = spec.clone().build()?;
        self.bodies.truncate(MOST - 1);
        self.bodies.push_front((spec, body.clone()));
        Ok(body)
    }

    /// Returns what `find` finds in `shapes`, or had found.
    pub fn crossings(&mut self, shapes: &[PlacedShape], find: impl FnOnce() -> Crossings) -> Crossings {
        if let Some((_, crossings)) = self.crossings.iter().find(|(other, _)| other == shapes) {
            return crossings.clone();
        }
        let crossings = find();
        self.crossings.truncate(MOST - 1);
        self.crossings.push_front((shapes.to_vec(), crossings.clone()));
        crossings
    }
}
