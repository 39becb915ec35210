//! Event counts.

use rigor_scene::{BodyId, Scene};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};

/// Number of events, in total and for each body, with the first event.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    scene: u64,
    bodies: Vec<u64>,
    first: Option<(Moment, String)>,
}

impl Counts {
    pub(super) fn of(n_bodies: usize) -> Self {
        Self { bodies: vec![0; n_bodies], ..Self::default() }
    }

    pub(super) fn add(&mut self, (a, b): (usize, usize), at: Moment, names: impl FnOnce() -> String) {
        self.scene += 1;
        self.bodies[a] += 1;
        self.bodies[b] += 1;
        self.first.get_or_insert_with(|| (at, names()));
    }

    /// Counts an event of one body.
    pub(super) fn add_one(&mut self, body: usize, at: Moment, name: impl FnOnce() -> String) {
        self.scene += 1;
        self.bodies[body] += 1;
        self.first.get_or_insert_with(|| (at, name()));
    }

    pub(super) fn findings(&self, figure: &Figure, scene: &Scene) -> Vec<Finding> {
        let overall = Finding::of_scene(figure, self.scene as f64);
        let overall = match &self.first {
            Some((at, names)) => overall.at(*at).detailed(names.clone()),
            None => overall,
        };
        let dynamic = self.bodies.iter().enumerate().filter(|(i, _)| scene.bodies[*i].is_dynamic());
        let of_body = dynamic.map(|(i, n)| Finding::of_body(figure, BodyId(i), *n as f64));
        std::iter::once(overall).chain(of_body).collect()
    }
}
