//! Key frames of the animation.

use rigor_math::turning::Turning;
use rigor_math::{UnitQuaternion, Vec3};
use rigor_scene::State;

/// Minimum time between keys (s).
const MIN_INTERVAL: f64 = 1.0 / 60.0;
/// Maximum number of keys of a file.
const MAX_KEYS: usize = 2000;
/// Maximum size in bytes of the poses in memory and in the file.
const MAX_BYTES: usize = 1 << 30;

/// The largest turn between two keys of a rotation (rad): glTF takes the shortest way from one to the next.
const MAX_TURN: f64 = std::f64::consts::FRAC_PI_2;
/// Maximum number of keys of a rotation that are added between two others.
const MAX_ADDED: u32 = 64;

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
    /// Angular velocities of bodies (rad/s, world).
    spins: Vec<[f32; 3]>,
}

/// The quaternions of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotations {
    /// Times (s) of the quaternions, unless they are those of all keys.
    pub times: Option<Vec<[f32; 1]>>,
    /// x, y, z, w, with the sign of each nearer to the previous one.
    pub quaternions: Vec<[f32; 4]>,
}

impl Keys {
    /// Creates the keys of `n_nodes` nodes.
    pub fn for_nodes(n_nodes: usize) -> Self {
        let affordable = MAX_BYTES / ((size_of::<NodePose>() + size_of::<[f32; 3]>()) * n_nodes.max(1));
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

    /// Returns the quaternions of a node, if they ever change, or the node turns by more than a quarter from one key to the next.
    ///
    /// Between two such keys quaternions are added, at most 64, along the turn that the angular velocities say ([`Turning`]).
    pub fn rotations(&self, node: usize) -> Option<Rotations> {
        let mut quaternions: Vec<[f32; 4]> = Vec::new();
        let mut times: Vec<[f32; 1]> = Vec::new();
        let mut before: Option<&Key> = None;
        for key in self.all() {
            if let Some(from) = before {
                for (time, q) in turn_between(from, key, node) {
                    times.push([time as f32]);
                    quaternions.push(q);
                }
            }
            times.push([key.time as f32]);
            quaternions.push(key.places[node].1);
            before = Some(key);
        }
        for k in 1..quaternions.len() {
            let cosine: f32 = quaternions[k - 1].iter().zip(&quaternions[k]).map(|(a, b)| a * b).sum();
            if cosine < 0.0 {
                quaternions[k] = quaternions[k].map(|c| -c);
            }
        }
        let has_more = quaternions.len() > self.len();
        let times = has_more.then_some(times);
        quaternions.iter().any(|q| *q != quaternions[0]).then_some(Rotations { times, quaternions })
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
        let spins = state.bodies.iter().map(|body| body.angular_velocity.map(|c| c as f32).into());
        Self { time: state.time, places: bodies.chain(particles).collect(), spins: spins.collect() }
    }
}

/// The quaternions (x, y, z, w) between two keys with their times (s), if the node turns by more than a quarter.
fn turn_between(from: &Key, to: &Key, node: usize) -> Vec<(f64, [f32; 4])> {
    let (Some(then), Some(now)) = (from.spins.get(node), to.spins.get(node)) else { return Vec::new() };
    let vector = |v: &[f32; 3]| Vec3::from(v.map(f64::from));
    let rotation = |key: &Key| {
        let [x, y, z, w] = key.places[node].1.map(f64::from);
        UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z))
    };
    let dt = to.time - from.time;
    let ends = [(rotation(from), vector(then)), (rotation(to), vector(now))];
    let turning = Turning::between((&ends[0].0, &ends[0].1), (&ends[1].0, &ends[1].1), dt);
    if turning.steady == Vec3::zeros() || !turning.most().is_finite() {
        return Vec::new();
    }
    let n = ((turning.most() / MAX_TURN).ceil() as u32).min(MAX_ADDED + 1);
    let at = |k: u32| {
        let t = f64::from(k) / f64::from(n);
        (from.time + t * dt, turning.at(t).coords.map(|c| c as f32).into())
    };
    (1..n).map(at).collect()
}
