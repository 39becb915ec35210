//! Key frames of the animation.

use rigor_scene::State;

/// Minimum time between keys (s).
const MIN_INTERVAL: f64 = 1.0 / 60.0;
/// Maximum number of keys of a file.
const MAX_KEYS: usize = 2000;
/// Maximum size in bytes of the poses in memory and in the file.
const MAX_BYTES: usize = 1 << 30;

/// A position (m, world) and a quaternion x, y, z, w.
pub type NodePose = ([f32; 3], [f32; 4]);

/// Poses of all nodes at increasing times.
#[derive(Debug, Clone)]
pub struct Keys {
    interval: f64,
    limit: usize,
    kept: Vec<Key>,
    /// The newest frame, unless it is kept.
    last: Option<Key>,
}

#[derive(Debug, Clone)]
struct Key {
    time: f64,
    places: Vec<NodePose>,
}

impl Keys {
    /// Creates the keys of `n_nodes` nodes.
    pub fn for_nodes(n_nodes: usize) -> Self {
        let affordable = MAX_BYTES / (size_of::<NodePose>() * n_nodes.max(1));
        Self { interval: MIN_INTERVAL, limit: affordable.clamp(4, MAX_KEYS), kept: vec![], last: None }
    }

    /// Keeps the frame if it is at least an interval later than the last one kept, else only until the next
    /// one.
    pub fn push(&mut self, state: &State) {
        let newest = self.last.as_ref().or(self.kept.last());
        if newest.is_some_and(|key| state.time <= key.time) {
            return;
        }
        // Frames at exactly the interval must count despite rounding.
        let due = |kept: &Key| state.time >= kept.time + self.interval * (1.0 - 1e-6);
        if self.kept.last().is_none_or(due) {
            self.kept.push(Key::of(state));
            self.last = None;
        } else {
            self.last = Some(Key::of(state));
        }
        if self.kept.len() >= self.limit {
            self.thin_out();
        }
    }

    /// Drops every other key and doubles the interval.
    fn thin_out(&mut self) {
        let newest = self.kept.last().filter(|_| self.kept.len().is_multiple_of(2)).cloned();
        let mut index = 0;
        self.kept.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.last = self.last.take().or(newest);
        self.interval = self.kept[1].time - self.kept[0].time;
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.kept.len() + usize::from(self.last.is_some())
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the pose of a node at the first key.
    ///
    /// # Panics
    /// If there are no keys.
    pub fn first(&self, node: usize) -> NodePose {
        self.kept[0].places[node]
    }

    /// Returns the times (s) of all keys, increasing.
    pub fn times(&self) -> Vec<[f32; 1]> {
        self.all().map(|key| [key.time as f32]).collect()
    }

    /// Returns the positions (m) of a node, if they ever change.
    pub fn translations(&self, node: usize) -> Option<Vec<[f32; 3]>> {
        let translations: Vec<_> = self.all().map(|key| key.places[node].0).collect();
        translations.iter().any(|t| *t != translations[0]).then_some(translations)
    }

    /// Returns the quaternions of a node, with the sign of each nearer to the previous one, if they ever
    /// change.
    pub fn rotations(&self, node: usize) -> Option<Vec<[f32; 4]>> {
        let mut rotations: Vec<_> = self.all().map(|key| key.places[node].1).collect();
        for k in 1..rotations.len() {
            let cosine: f32 = rotations[k - 1].iter().zip(&rotations[k]).map(|(a, b)| a * b).sum();
            if cosine < 0.0 {
                rotations[k] = rotations[k].map(|c| -c);
            }
        }
        rotations.iter().any(|q| *q != rotations[0]).then_some(rotations)
    }

    fn all(&self) -> impl Iterator<Item = &Key> {
        self.kept.iter().chain(&self.last)
    }
}

impl Key {
    fn of(state: &State) -> Self {
        let bodies = state.bodies.iter().map(|body| {
            let q = body.pose.rotation.coords;
            (body.pose.position.map(|c| c as f32).into(), q.map(|c| c as f32).into())
        });
        let particles =
            state.particles.iter().map(|p| (p.position.map(|c| c as f32).into(), [0.0, 0.0, 0.0, 1.0]));
        Self { time: state.time, places: bodies.chain(particles).collect() }
    }
}
