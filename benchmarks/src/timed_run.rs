//! A run of `ipc` with its cost, step by step.

use std::ops::ControlFlow;

use rayon::ThreadPoolBuilder;
use rigor_math::Pose;
use rigor_run::{clock, registry};
use rigor_scene::{Observer, Outcome, PhaseTime, Scene, State, StepReport, roll_out};

use crate::cpu;
use crate::error::RunError;

/// Limits at which a run stops before the scene's end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// CPU time (s) of all threads; the step that exceeds it is the last.
    pub seconds: f64,
    /// Number of steps.
    pub steps: u64,
    /// Number of steps from the first one with contacts.
    pub steps_with_contacts: u64,
}

/// Cost and contacts of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepCost {
    /// CPU time (s) of all threads.
    pub cpu: f64,
    /// Wall time (s).
    pub wall: f64,
    /// Newton iterations of the body that needed most.
    pub iterations: u64,
    /// Newton steps taken, summed over the bodies.
    pub moves: f64,
    /// Time (s) of each phase.
    pub phases: Vec<PhaseTime>,
    /// Contacts at its end.
    pub contacts: usize,
    /// The smallest distance in it (m); ∞ if nothing was near.
    pub min_distance: f64,
}

/// A run with the scene's own settings of `ipc`.
#[derive(Debug, Clone)]
pub struct TimedRun {
    /// The steps taken.
    pub steps: Vec<StepCost>,
    /// Poses of all bodies, at the start and after each step.
    pub poses: Vec<Vec<Pose>>,
    /// The radius (m) of each body about its centre of mass.
    pub radii: Vec<f64>,
    /// Steps to the scene's own end.
    pub planned: u64,
    /// The last state.
    pub state: State,
    /// The reason why the run ended.
    pub end: End,
}

/// The reason why a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// It reached the scene's end.
    Completed,
    /// A limit was reached.
    Limit,
    /// The method failed.
    Failed(String),
}

impl Limits {
    /// Creates limits on CPU time only.
    pub fn seconds(seconds: f64) -> Self {
        Self { seconds, steps: u64::MAX, steps_with_contacts: u64::MAX }
    }
}

struct Watch {
    limits: Limits,
    started: f64,
    cpu: f64,
    wall: f64,
    steps: Vec<StepCost>,
    poses: Vec<Vec<Pose>>,
}

impl Watch {
    fn new(limits: Limits) -> Self {
        let (cpu, wall) = (cpu::seconds(), (clock::clock().0)());
        Self { limits, started: cpu, cpu, wall, steps: Vec::new(), poses: Vec::new() }
    }

    fn limit_is_reached(&self) -> bool {
        let touched = self.steps.iter().position(|step| step.contacts > 0).unwrap_or(self.steps.len());
        self.cpu - self.started > self.limits.seconds
            || self.steps.len() as u64 >= self.limits.steps
            || (self.steps.len() - touched) as u64 >= self.limits.steps_with_contacts
    }
}

impl Observer for Watch {
    fn start(&mut self, _scene: &Scene, state: &State) -> ControlFlow<()> {
        self.poses.push(poses(state));
        ControlFlow::Continue(())
    }

    fn step(&mut self, _scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.poses.push(poses(state));
        let (cpu, wall) = (cpu::seconds(), (clock::clock().0)());
        self.steps.push(StepCost {
            cpu: cpu - self.cpu,
            wall: wall - self.wall,
            iterations: report.iterations,
            moves: report.quantity("moves").unwrap_or_default(),
            phases: report.phases.clone(),
            contacts: report.contacts.len(),
            min_distance: report.min_distance.unwrap_or(f64::INFINITY),
        });
        (self.cpu, self.wall) = (cpu, wall);
        if self.limit_is_reached() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn poses(state: &State) -> Vec<Pose> {
    state.bodies.iter().map(|body| body.pose).collect()
}

impl TimedRun {
    /// Runs `scene` on this number of threads. Preparations of the method in its first step count towards
    /// that step.
    ///
    /// # Errors
    /// Invalid settings, or a scene that `ipc` cannot simulate.
    pub fn take(scene: &Scene, threads: usize, limits: Limits) -> Result<Self, RunError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| Self::roll(scene, limits))
    }

    fn roll(scene: &Scene, limits: Limits) -> Result<Self, RunError> {
        let settings = scene.methods.get("ipc").cloned().unwrap_or_default();
        let mut method = registry::find("ipc")?.make(&settings, clock::clock())?.method;
        method.supports(scene)?;
        let radii = scene.bodies.iter().map(|body| body.radius).collect();
        let (mut state, planned) = (State::initial(scene), scene.time.steps());
        let mut watch = Watch::new(limits);
        let outcome = roll_out(scene, method.as_mut(), &mut state, scene.time.dt, planned, &mut watch);
        let end = match outcome {
            Outcome::Stopped { error, .. } => End::Failed(error.to_string()),
            _ if state.step == planned => End::Completed,
            _ => End::Limit,
        };
        Ok(Self { steps: watch.steps, poses: watch.poses, radii, planned, state, end })
    }

    /// Returns the mean CPU time (s) of the first `n` steps, or of all if there are fewer; `None` if there
    /// are none.
    pub fn cpu_per_step(&self, n: usize) -> Option<f64> {
        let steps = &self.steps[..n.min(self.steps.len())];
        (!steps.is_empty()).then(|| steps.iter().map(|step| step.cpu).sum::<f64>() / steps.len() as f64)
    }

    /// Returns the wall time of all steps (s).
    pub fn wall(&self) -> f64 {
        self.steps.iter().map(|step| step.wall).sum()
    }

    /// Returns the maximum number of contacts at the end of a step.
    pub fn contacts_max(&self) -> usize {
        self.steps.iter().map(|step| step.contacts).max().unwrap_or(0)
    }

    /// Returns the Newton iterations per step.
    pub fn iterations_per_step(&self) -> f64 {
        let iterations: u64 = self.steps.iter().map(|step| step.iterations).sum();
        iterations as f64 / self.steps.len().max(1) as f64
    }

    /// Returns the Newton steps of a body per time step, in the mean over the `n` bodies that move.
    pub fn moves_per_body(&self, n: usize) -> f64 {
        let moves: f64 = self.steps.iter().map(|step| step.moves).sum();
        moves / (n * self.steps.len().max(1)) as f64
    }

    /// Returns the share of the time of all phases that these took.
    pub fn share(&self, names: &[&str]) -> f64 {
        let all = || self.steps.iter().flat_map(|step| &step.phases);
        let asked: f64 = all().filter(|phase| names.contains(&phase.phase)).map(|phase| phase.seconds).sum();
        asked / all().map(|phase| phase.seconds).sum::<f64>()
    }

    /// Returns the smallest distance (m); ∞ if nothing was near.
    pub fn min_distance(&self) -> f64 {
        self.steps.iter().map(|step| step.min_distance).fold(f64::INFINITY, f64::min)
    }

    /// Formats the steps taken and planned, and whether the run failed.
    pub fn progress(&self) -> String {
        let (taken, planned) = (self.steps.len(), self.planned);
        match &self.end {
            End::Completed => format!("{taken}"),
            End::Limit => format!("{taken} of {planned}"),
            End::Failed(_) => format!("{taken} of {planned}, failed"),
        }
    }

    /// Returns the maximum deviation from `other`, or `None` if nothing moves in `other`.
    ///
    /// The deviation of a point of a body is its distance from its position in `other` at the same step,
    /// divided by the longest path of a point in `other`. The points of a body are within its radius r of the
    /// centre of mass, so that they move by at most ‖Δx‖ + r Δθ.
    pub fn deviation(&self, other: &Self) -> Option<f64> {
        let n = self.poses.len().min(other.poses.len());
        let between = |a: &[Pose], b: &[Pose]| -> Vec<f64> {
            let turn = |a: &Pose, b: &Pose| a.rotation.angle_to(&b.rotation);
            let pairs = a.iter().zip(b).zip(&self.radii);
            pairs.map(|((a, b), r)| (a.position - b.position).norm() + r * turn(a, b)).collect()
        };
        let (here, there) = (&self.poses[..n], &other.poses[..n]);
        let apart = here.iter().zip(there).flat_map(|(a, b)| between(a, b)).fold(0.0, f64::max);
        let mut lengths = vec![0.0; self.radii.len()];
        for step in there.windows(2) {
            lengths.iter_mut().zip(between(&step[0], &step[1])).for_each(|(length, piece)| *length += piece);
        }
        let longest = lengths.into_iter().fold(0.0, f64::max);
        (longest > 0.0).then(|| apart / longest)
    }

    /// Returns whether two runs ended in the same state, bit for bit.
    pub fn ends_like(&self, other: &Self) -> bool {
        // The shortest decimals that read back as the same number also distinguish 0 from −0.
        format!("{:?}", self.state) == format!("{:?}", other.state)
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;

    use super::*;
    use crate::pile::pile;

    #[test]
    fn steps_are_counted_from_the_first_contact() {
        let limits = Limits { steps_with_contacts: 3, ..Limits::seconds(60.0) };
        let run = TimedRun::take(&pile(3), 1, limits).unwrap();
        let touched = run.steps.iter().position(|step| step.contacts > 0).unwrap();
        // A fall of 5 cm minus half a box's tilt (at most 0.06 · ½ m) takes 0.06 to 0.1 s.
        assert!((5..=10).contains(&touched), "{touched}");
        assert_eq!((run.steps.len(), run.end), (touched + 3, End::Limit));
    }

    #[test]
    fn deviation_is_relative_to_the_longest_path() {
        let at = |x: &[f64]| TimedRun {
            steps: Vec::new(),
            poses: x
                .iter()
                .map(|x| vec![Pose { position: Vec3::new(*x, 0.0, 0.0), ..Pose::default() }])
                .collect(),
            radii: vec![1.0],
            planned: 0,
            state: State::default(),
            end: End::Completed,
        };
        // There and back is a path of 4 m.
        assert_eq!(at(&[0.0, 2.5, 0.1]).deviation(&at(&[0.0, 2.0, 0.0])), Some(0.125));
        assert_eq!(at(&[0.0, 0.0]).deviation(&at(&[1.0, 1.0])), None);
    }

    #[test]
    fn equal_runs_end_alike_and_longer_ones_do_not() {
        let run = |steps, threads| {
            TimedRun::take(&pile(4), threads, Limits { steps, ..Limits::seconds(60.0) }).unwrap()
        };
        assert!(run(20, 1).ends_like(&run(20, 2)));
        assert!(!run(20, 1).ends_like(&run(21, 1)));
    }
}
