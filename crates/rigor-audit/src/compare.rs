//! The deviation of a run from a reference.

use rigor_math::{UnitQuaternion, Vec3, angle};
use rigor_scene::{BodyId, BodyState, Scene, State};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::passage::Passage;
use crate::peak::Peaks;

const POSITION_MAX: Figure =
    Figure::new("compare.position_max", "m", "largest distance of a centre of mass from the reference");
const POSITION_RMS: Figure = Figure::new(
    "compare.position_rms",
    "m",
    "root mean square distance of centres of mass from the reference",
);
const ROTATION_MAX: Figure =
    Figure::new("compare.rotation_max", "rad", "largest angle between an orientation and the reference");
const ROTATION_RMS: Figure =
    Figure::new("compare.rotation_rms", "rad", "root mean square angle of orientations from the reference");
const SAMPLES: Figure =
    Figure::new("compare.samples", "1", "how many samples of the reference were compared");
const POSITION_BOUND: Figure = Figure::new(
    "compare.position_bound",
    "m",
    "largest error that interpolation between frames may add to a distance; 0 at common instants",
);
const ROTATION_BOUND: Figure = Figure::new(
    "compare.rotation_bound",
    "rad",
    "largest error that interpolation between frames may add to an angle; 0 at common instants",
);

pub(crate) const FIGURES: &[Figure] =
    &[POSITION_MAX, POSITION_RMS, ROTATION_MAX, ROTATION_RMS, SAMPLES, POSITION_BOUND, ROTATION_BOUND];

/// Frames are at one instant if their times differ by at most this part of the time between frames.
const COMMON: f64 = 1e-9;

/// The place of one body at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time (s).
    pub time: f64,
    /// Centre of mass (m, world).
    pub position: Vec3,
    /// Rotation *from the initial placement*, q(t) q(0)⁻¹ in world axes, which is independent of the frame
    /// that a program chooses for a body.
    pub rotation: UnitQuaternion,
}

/// The motion of some or all bodies of a scene, from any source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reference {
    samples: Vec<Vec<Sample>>,
}

/// The reason why samples are no valid reference.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// A number that is NaN or infinite.
    #[error("sample {sample} of {body} is not finite")]
    NotFinite {
        /// The body.
        body: BodyId,
        /// Index of the sample among those of its body.
        sample: usize,
    },
    /// A time that is not later than the one before.
    #[error("sample {sample} of {body} is at {time} s, which is not later than the one before")]
    Order {
        /// The body.
        body: BodyId,
        /// Index of the sample among those of its body.
        sample: usize,
        /// Its time (s).
        time: f64,
    },
}

impl Reference {
    /// Builds a reference from the samples of each body, in the scene's order and ascending in time. A body
    /// without samples is not compared.
    ///
    /// # Errors
    /// [`ReferenceError`] when a number is not finite or times do not ascend.
    pub fn new(samples: Vec<Vec<Sample>>) -> Result<Self, ReferenceError> {
        for (i, of_body) in samples.iter().enumerate() {
            let is_finite = |s: &Sample| {
                s.time.is_finite() && s.position.iter().chain(s.rotation.coords.iter()).all(|c| c.is_finite())
            };
            let body = BodyId(i);
            if let Some(sample) = of_body.iter().position(|s| !is_finite(s)) {
                return Err(ReferenceError::NotFinite { body, sample });
            }
            if let Some(k) = of_body.windows(2).position(|w| w[0].time >= w[1].time) {
                return Err(ReferenceError::Order { body, sample: k + 1, time: of_body[k + 1].time });
            }
        }
        Ok(Self { samples })
    }

    /// Returns the largest distance (m) of a sample from the origin, to which rounding errors of positions are relative.
    pub fn reach(&self) -> f64 {
        self.samples.iter().flatten().map(|sample| sample.position.norm()).fold(0.0, f64::max)
    }

    /// Returns the reference with the samples at `times` (s, ascending) only, to 10⁻⁹ of the time between them.
    #[must_use]
    pub fn at(&self, times: &[f64]) -> Self {
        let of_body = |samples: &Vec<Sample>| {
            let is_common = |sample: &&Sample| {
                let k = times.partition_point(|time| *time < sample.time);
                let near = k.saturating_sub(1)..(k + 1).min(times.len());
                let slack = |j: usize| {
                    let beside = if j > 0 {
                        times[j] - times[j - 1]
                    } else {
                        times.get(1).map_or(0.0, |t| t - times[0])
                    };
                    COMMON * beside
                };
                near.into_iter().any(|j| (times[j] - sample.time).abs() <= slack(j))
            };
            samples.iter().filter(is_common).copied().collect()
        };
        Self { samples: self.samples.iter().map(of_body).collect() }
    }

    /// Returns the number of samples of the body that has most.
    pub fn len(&self) -> usize {
        self.samples.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns whether no body has a sample.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Builds a reference from the motion of all bodies in `frames`, a run of `scene`.
    ///
    /// # Errors
    /// [`ReferenceError`] when a number is not finite or times do not ascend.
    pub fn of_frames<'a>(
        scene: &Scene,
        frames: impl IntoIterator<Item = &'a State>,
    ) -> Result<Self, ReferenceError> {
        let mut samples = vec![Vec::new(); scene.bodies.len()];
        for state in frames {
            for (i, (at, body)) in state.bodies.iter().zip(&scene.bodies).enumerate() {
                samples[i].push(sample(state.time, at, &body.initial));
            }
        }
        Self::new(samples)
    }
}

/// Compares a run with a [`Reference`] at the times of the reference.
///
/// Where a frame's time equals that of the sample, to 10⁻⁹ of the time between frames, nothing is interpolated: a *common instant*.
/// Between two frames the run follows the cubic that poses and velocities of both define; x(s) = x₀ + s d + s (1 − s) \[(1 − s)
/// (v₀ Δt − d) − s (v₁ Δt − d)\] with d = x₁ − x₀ and s from 0 to 1, and rotations alike. `compare.position_bound` and
/// `compare.rotation_bound` tell by how much this may miss the motion: of the order of Δt³ where it is smooth, and Δt |Δv|/4 where
/// the velocity jumps by Δv.
///
/// Samples before the first and after the last frame are not compared; `compare.samples` is the number of those compared.
#[derive(Debug)]
pub struct Compare {
    reference: Reference,
    /// For each body, the first sample not yet reached.
    next: Vec<usize>,
    prev: Option<(Moment, Vec<BodyState>)>,
    position: Peaks,
    rotation: Peaks,
    /// What interpolation may have added.
    bounds: [Peaks; 2],
    /// For each body, its last passage.
    passages: Vec<Option<LastPassage>>,
    sums: Vec<Sums>,
}

/// The last passage of a body between two frames.
#[derive(Debug, Clone, Copy)]
struct LastPassage {
    passage: Passage,
    /// Whether no passage is before it and samples were compared within it: what the next one says of it is awaited.
    is_awaiting: bool,
}

/// Sums over the samples compared.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    n: usize,
    distance_sq: f64,
    angle_sq: f64,
}

impl Compare {
    /// Creates a judge of the deviation from `reference`.
    pub fn new(reference: Reference) -> Self {
        let n_bodies = reference.samples.len();
        Self {
            reference,
            next: vec![0; n_bodies],
            prev: None,
            position: Peaks::default(),
            rotation: Peaks::default(),
            bounds: [Peaks::default(), Peaks::default()],
            passages: vec![None; n_bodies],
            sums: vec![Sums::default(); n_bodies],
        }
    }

    /// Compares the samples of body `i` up to the time of `frame`.
    fn follow(&mut self, frame: &Frame<'_>, i: usize) {
        let (Some(body), Some(now)) = (frame.scene.bodies.get(i), frame.state.bodies.get(i)) else { return };
        let at = frame.moment();
        let (prev_at, prev) = self.prev.as_ref().map_or((at, now), |(at, bodies)| (*at, &bodies[i]));
        let dt = at.time - prev_at.time;
        let slack = COMMON * dt;
        let passage = (dt > 0.0).then(|| Passage::new(prev, now, dt));
        let before = self.passages[i];
        if let (Some(passage), Some(before)) = (&passage, before.filter(|before| before.is_awaiting)) {
            raise(&mut self.bounds, i, before.passage.bounds(Some(passage)), prev_at, &body.name);
        }
        let mut is_inside = false;
        while let Some(wanted) = self.reference.samples[i].get(self.next[i]) {
            if wanted.time > at.time + slack {
                break;
            }
            self.next[i] += 1;
            if wanted.time < prev_at.time - slack {
                continue; // before the first frame
            }
            let is_common = |time: f64| (time - wanted.time).abs() <= slack;
            let sampled = match passage.as_ref().filter(|_| !is_common(at.time)) {
                _ if is_common(prev_at.time) => sample(wanted.time, prev, &body.initial),
                None => sample(wanted.time, now, &body.initial),
                Some(passage) => {
                    is_inside = true;
                    let pose = passage.at((wanted.time - prev_at.time) / dt);
                    sample(wanted.time, &BodyState::at_rest(pose), &body.initial)
                }
            };
            let distance = (sampled.position - wanted.position).norm();
            let angle = angle::between_rotations(&wanted.rotation, &sampled.rotation);
            self.position.raise(BodyId(i), distance, at, || body.name.clone());
            self.rotation.raise(BodyId(i), angle, at, || body.name.clone());
            self.sums[i].add(Sums { n: 1, distance_sq: distance * distance, angle_sq: angle * angle });
            raise(&mut self.bounds, i, [0.0, 0.0], at, &body.name);
        }
        let Some(passage) = passage else { return };
        if let Some(before) = before.filter(|_| is_inside) {
            raise(&mut self.bounds, i, passage.bounds(Some(&before.passage)), at, &body.name);
        }
        self.passages[i] = Some(LastPassage { passage, is_awaiting: is_inside && before.is_none() });
    }
}

/// Raises what interpolation may have added to the distance and to the angle of body `i`.
fn raise(peaks: &mut [Peaks; 2], i: usize, values: [f64; 2], at: Moment, name: &str) {
    for (peaks, value) in peaks.iter_mut().zip(values) {
        peaks.raise(BodyId(i), value, at, || name.to_owned());
    }
}

impl Sums {
    fn add(&mut self, other: Self) {
        self.n += other.n;
        self.distance_sq += other.distance_sq;
        self.angle_sq += other.angle_sq;
    }

    fn findings(&self, body: Option<BodyId>) -> Vec<Finding> {
        if self.n == 0 {
            return Vec::new();
        }
        let n = self.n as f64;
        let values = [(self.distance_sq / n).sqrt(), (self.angle_sq / n).sqrt(), n];
        let figures = [&POSITION_RMS, &ROTATION_RMS, &SAMPLES];
        let one = |(figure, value)| Finding { body, ..Finding::of_scene(figure, value) };
        figures.into_iter().zip(values).map(one).collect()
    }
}

/// Converts `state` at `time` to a sample, with its rotation relative to that of `initial`.
fn sample(time: f64, state: &BodyState, initial: &BodyState) -> Sample {
    let rotation = state.pose.rotation * initial.pose.rotation.inverse();
    Sample { time, position: state.pose.position, rotation }
}

impl Judge for Compare {
    fn name(&self) -> &'static str {
        "compare"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        for i in 0..self.next.len() {
            self.follow(frame, i);
        }
        self.prev = Some((frame.moment(), frame.state.bodies.clone()));
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        let mut findings = self.position.findings(&POSITION_MAX);
        findings.extend(self.rotation.findings(&ROTATION_MAX));
        let mut bounds = self.bounds.clone();
        let last = self.prev.as_ref().map(|(at, _)| *at);
        for (i, (body, passage)) in scene.bodies.iter().zip(&self.passages).enumerate() {
            // A run of one passage says nothing beside it.
            let alone = passage.filter(|passage| passage.is_awaiting);
            if let Some((alone, at)) = alone.zip(last) {
                raise(&mut bounds, i, alone.passage.bounds(None), at, &body.name);
            }
        }
        findings.extend(bounds[0].findings(&POSITION_BOUND));
        findings.extend(bounds[1].findings(&ROTATION_BOUND));
        let mut all = Sums::default();
        self.sums.iter().for_each(|sums| all.add(*sums));
        findings.extend(all.findings(None));
        let of_body = |(i, sums): (usize, &Sums)| sums.findings(Some(BodyId(i)));
        findings.extend(self.sums.iter().enumerate().flat_map(of_body));
        findings
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, rotation_vector};

    use super::*;
    use crate::testing::{cube, judge, scene, value, value_of};

    const SPIN: f64 = 2.0;

    /// A tilted cube that flies along x at 3 m/s and turns about z, with frames every `dt` (s).
    fn run(dt: f64, n: u32) -> (Scene, Vec<State>) {
        let mut scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::y() * 5.0)]);
        scene.bodies[0].initial.pose.rotation = rotation_vector::exp(&Vec3::new(1.0, 0.5, -0.3));
        let at = |k: u32| {
            let time = dt * f64::from(k);
            let mut state = State { time, ..State::initial(&scene) };
            let turn = rotation_vector::exp(&(Vec3::z() * (SPIN * time)));
            let start = state.bodies[0].pose;
            state.bodies[0].pose = Pose::new(Vec3::x() * (3.0 * time), turn * start.rotation);
            state
        };
        let frames = (0..=n).map(at).collect();
        (scene, frames)
    }

    /// The exact motion of that cube, relative to its placement.
    fn truth(dt: f64, n: u32, shift: Vec3, turn: f64) -> Reference {
        let at = |k: u32| {
            let time = dt * f64::from(k);
            let rotation = rotation_vector::exp(&(Vec3::z() * (SPIN * time + turn)));
            Sample { time, position: Vec3::x() * (3.0 * time) + shift, rotation }
        };
        Reference::new(vec![(0..=n).map(at).collect(), vec![]]).unwrap()
    }

    #[test]
    fn a_run_agrees_with_the_truth_at_other_times_too() {
        let (scene, frames) = run(0.1, 10);
        for (dt, n) in [(0.1, 10), (0.03, 33), (0.25, 4)] {
            let mut compare = Compare::new(truth(dt, n, Vec3::zeros(), 0.0));
            let found = judge(&scene, &mut compare, frames.clone().into_iter());
            // Interpolation is exact for straight motion at constant spin, up to rounding.
            assert!(value(&found, "compare.position_max") < 1e-14, "{dt}");
            assert!(value(&found, "compare.rotation_max") < 1e-14, "{dt}");
            assert_eq!(value(&found, "compare.samples"), f64::from(n + 1), "{dt}");
            assert!(!found.iter().any(|f| f.body == Some(BodyId(1))));
        }
    }

    /// A cube that falls freely and turns, with frames every 12 ms, against its own motion every 10 ms.
    #[test]
    fn an_exact_fall_is_exact_between_its_frames_too_and_an_impact_is_told() {
        let scene = scene(vec![cube("a", Vec3::zeros())]);
        let fall = |time: f64, lost: f64| {
            let mut state = State { time, ..State::initial(&scene) };
            let v = Vec3::new(1.0, -10.0 * time, 0.0);
            let body = &mut state.bodies[0];
            body.pose.position = Vec3::new(time, -5.0 * time * time, 0.0);
            body.pose.rotation = rotation_vector::exp(&(Vec3::z() * (SPIN * time)));
            (body.linear_velocity, body.angular_velocity) = (v * (1.0 - lost), Vec3::z() * SPIN);
            state
        };
        let wanted: Vec<State> = (0..=60).map(|k| fall(0.01 * f64::from(k), 0.0)).collect();
        let reference = Reference::of_frames(&scene, &wanted).unwrap();
        let frames =
            |lost: f64| (0..=50).map(move |k| fall(0.012 * f64::from(k), if k > 20 { lost } else { 0.0 }));
        let found = judge(&scene, &mut Compare::new(reference.clone()), frames(0.0));
        assert_eq!(value(&found, "compare.samples"), 61.0);
        assert!(value(&found, "compare.position_max") < 1e-14, "{}", value(&found, "compare.position_max"));
        assert!(value(&found, "compare.rotation_max") < 1e-13);
        assert!(value(&found, "compare.position_bound") < 1e-14);
        // Half of the velocity is gone at once: the bound is Δt |Δv|/4.
        let found = judge(&scene, &mut Compare::new(reference.clone()), frames(0.5));
        let bound = value(&found, "compare.position_bound");
        assert!(bound > 0.25 * 0.012 * 1.0, "{bound}");
        // At common instants nothing is interpolated.
        let times: Vec<f64> = frames(0.0).map(|state| state.time).collect();
        let common = reference.at(&times);
        assert_eq!(common.len(), 11);
        let found = judge(&scene, &mut Compare::new(common), frames(0.5));
        assert_eq!((value(&found, "compare.samples"), value(&found, "compare.position_bound")), (11.0, 0.0));
        assert!(value(&found, "compare.position_max") < 1e-15);
    }

    #[test]
    fn a_deviation_is_measured() {
        let (scene, frames) = run(0.1, 10);
        let mut compare = Compare::new(truth(0.1, 10, Vec3::new(0.0, 3.0, 4.0), -0.25));
        let found = judge(&scene, &mut compare, frames.into_iter());
        for figure in ["compare.position_max", "compare.position_rms"] {
            assert!((value_of(&found, figure, 0) - 5.0).abs() < 1e-14);
        }
        for figure in ["compare.rotation_max", "compare.rotation_rms"] {
            assert!((value(&found, figure) - 0.25).abs() < 1e-14);
        }
    }

    #[test]
    fn a_run_agrees_with_itself_and_bad_samples_are_refused() {
        let (scene, frames) = run(0.1, 10);
        let mut compare = Compare::new(Reference::of_frames(&scene, &frames).unwrap());
        let mut moved = frames.clone();
        moved[7].bodies[1].pose.position.x += 0.125;
        let found = judge(&scene, &mut compare, moved.into_iter());
        assert_eq!(value_of(&found, "compare.position_max", 0), 0.0);
        assert_eq!(value_of(&found, "compare.position_max", 1), 0.125);
        let twice = vec![&frames[3], &frames[3]];
        let error = Reference::of_frames(&scene, twice).unwrap_err();
        assert!(matches!(error, ReferenceError::Order { sample: 1, .. }));
    }
}
