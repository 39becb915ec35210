//! Bodies that leave the scene.

use std::fmt;

use rigor_geometry::Aabb;
use rigor_scene::{Role, Scene, State};

use crate::number::quantity;

/// A body is gone once its centre is outside of the box of all bodies at the start, grown on all sides by this multiple of
/// the diagonal of the box of the moving ones.
const REACH: f64 = 2.0;

/// Bodies that left the scene and were outside at the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Departure {
    /// How many are outside at the end.
    pub bodies: usize,
    /// How many move.
    pub of: usize,
    /// The name of the first of them to leave.
    pub first: String,
    /// When it left (s).
    pub time: f64,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bodies, of, first) = (self.bodies, self.of, &self.first);
        let time = quantity(self.time, "s");
        match of {
            1 => write!(f, "{first} left the scene at {time}"),
            _ => write!(f, "{bodies} of {of} bodies left the scene, {first} first, at {time}"),
        }
    }
}

/// Watches a run for bodies that leave.
#[derive(Debug, Clone)]
pub struct Border {
    inside: Aabb,
    /// Moving bodies, each with the time (s) since when it is outside.
    moving: Vec<(usize, Option<f64>)>,
}

impl Border {
    /// Draws the border around `scene` at the start. A scene without gravity or without static bodies has none: nothing
    /// holds its bodies together.
    pub fn new(scene: &Scene) -> Self {
        let around = |is_wanted: &dyn Fn(&Role) -> bool| {
            let bodies = scene.bodies.iter().filter(|body| is_wanted(&body.role));
            bodies.fold(Aabb::EMPTY, |all, b| all.union(&b.mesh.bounds().transformed(&b.initial.pose)))
        };
        let still = around(&|role| *role == Role::Static);
        let start = around(&|role| *role != Role::Static);
        let is_open = still.is_empty() || start.is_empty() || scene.gravity.norm_squared() == 0.0;
        let is_dynamic = |k: &usize| !is_open && scene.bodies[*k].is_dynamic();
        let moving = (0..scene.bodies.len()).filter(is_dynamic).map(|k| (k, None)).collect();
        let inside = if is_open { still } else { start.union(&still).grow(REACH * start.diagonal()) };
        Self { inside, moving }
    }

    /// Looks at a state.
    pub fn observe(&mut self, state: &State) {
        for (body, since) in &mut self.moving {
            let is_inside =
                state.bodies.get(*body).is_none_or(|body| self.inside.contains_point(&body.pose.position));
            *since = if is_inside { None } else { since.or(Some(state.time)) };
        }
    }

    /// Returns what left, if anything.
    pub fn departure(&self, scene: &Scene) -> Option<Departure> {
        let gone = self.moving.iter().filter_map(|(body, since)| Some((*body, (*since)?)));
        let (first, time) = gone.clone().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let first = scene.bodies[first].name.clone();
        Some(Departure { bodies: gone.count(), of: self.moving.len(), first, time })
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3};
    use rigor_scene::{BodySpec, PartKind, PlacedShape};
    use rigor_shapes::Cuboid;

    use super::*;

    fn scene(gravity: f64) -> Scene {
        let body = |name: &str, role, height| {
            let mesh = Cuboid::cube(1.0).mesh().expect("a cube is a mesh");
            let shape = PlacedShape { mesh, kind: PartKind::Concave, pose: Pose::identity() };
            let pose = Pose::translation(Vec3::new(0.0, height, 0.0));
            BodySpec { role, pose, ..BodySpec::new(name, vec![shape]) }.build().expect("a cube is a body")
        };
        Scene {
            gravity: Vec3::new(0.0, gravity, 0.0),
            bodies: vec![
                body("floor", Role::Static, -1.0),
                body("a", Role::Dynamic, 0.0),
                body("b", Role::Dynamic, 1.0),
            ],
            ..Scene::default()
        }
    }

    fn departure(scene: &Scene, heights: &[f64]) -> Option<Departure> {
        let mut border = Border::new(scene);
        for (step, height) in heights.iter().enumerate() {
            let mut state = State::initial(scene);
            state.time = step as f64;
            state.bodies[2].pose.position.y = *height;
            border.observe(&state);
        }
        border.departure(scene)
    }

    #[test]
    fn a_body_far_below_the_floor_has_left_and_one_that_comes_back_has_not() {
        let scene = scene(-10.0);
        let gone = departure(&scene, &[1.0, -5.0, -50.0, -60.0]).expect("it is below the floor");
        assert_eq!(gone.to_string(), "1 of 2 bodies left the scene, b first, at 2 s");
        assert_eq!(departure(&scene, &[1.0, -50.0, 1.0]), None);
        let gone = departure(&scene, &[1.0, f64::NAN]).expect("nowhere is not in the scene");
        assert_eq!((gone.bodies, gone.time), (1, 1.0));
    }

    #[test]
    fn without_gravity_bodies_may_fly_away() {
        assert_eq!(departure(&scene(0.0), &[1.0, 1e9]), None);
    }
}
