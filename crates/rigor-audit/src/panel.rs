//! Several judges of one run.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use rigor_scene::{Expectation, Observer, Scene, State, StepReport};

use crate::finding::Finding;
use crate::judge::{Frame, Judge, Stop};
use crate::series::Series;
use crate::surface_cache::SurfaceCache;
use crate::verdict::{Verdict, verdicts};
use crate::{
    constraint::Constraint, contact::ContactForces, determinism::Determinism, distance::Distance,
    energy::Energy, friction::Friction, intersection::Intersection, momentum::Momentum, motion::Motion,
    penetration::Penetration, tunnelling::Tunnelling,
};

/// Several judges, each of which sees the frames whose step is a multiple of its interval.
///
/// A panel is an [`Observer`], so it can watch a run as it happens.
///
/// ```
/// use rigor_audit::Panel;
/// let panel = Panel::full(10);
/// assert_eq!(panel.names().last(), Some("determinism"));
/// ```
#[derive(Default)]
pub struct Panel {
    seats: Vec<ScheduledJudge>,
    surface_cache: SurfaceCache,
    breaks: Option<Vec<Option<u64>>>,
}

struct ScheduledJudge {
    judge: Box<dyn Judge>,
    every: u64,
    /// Whether the judge abandoned a frame.
    is_cut: bool,
    /// Whether the judge went on from its findings, so that it has seen all frames before.
    is_resumed: bool,
}

impl Panel {
    /// Creates a panel without judges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a panel of every judge that needs no reference. Judges of surfaces see the frames whose step
    /// is a multiple of `every`, the others see all.
    ///
    /// # Panics
    /// If `every` is zero.
    pub fn full(every: u64) -> Self {
        Self::new()
            .with(Energy::default(), 1)
            .with(Momentum::default(), 1)
            .with(Motion::default(), 1)
            .with(Constraint::default(), 1)
            .with(ContactForces::default(), 1)
            .with(Friction::default(), 1)
            .with(Intersection::default(), every)
            .with(Distance::default(), every)
            .with(Penetration::default(), every)
            .with(Tunnelling::default(), every)
            .with(Determinism::default(), 1)
    }

    /// Adds a judge that sees the frames whose step is a multiple of `every`.
    ///
    /// # Panics
    /// If `every` is zero.
    #[must_use]
    pub fn with(mut self, judge: impl Judge + 'static, every: u64) -> Self {
        assert!(every > 0, "a judge sees every k-th frame with k ≥ 1");
        self.seats.push(ScheduledJudge { judge: Box::new(judge), every, is_cut: false, is_resumed: false });
        self
    }

    /// Removes the judges for whose name `keep` is false.
    #[must_use]
    pub fn retain(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.seats.retain(|seat| keep(seat.judge.name()));
        self
    }

    /// Returns the names of the judges in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.seats.iter().map(|seat| seat.judge.name())
    }

    /// Tells at the end of which step each joint of the scene broke, `None` if none. Judges go by it in frames without a report.
    ///
    /// Without it, scenes with joints that can break have no figures of joints where frames after the start have no report: nothing tells
    /// whether they hold.
    pub fn tell_breaks(&mut self, steps: Vec<Option<u64>>) {
        self.breaks = Some(steps);
    }

    /// Passes a frame, with the report of the step that ended in it, to the judges that are due.
    pub fn observe(&mut self, scene: &Scene, state: &State, report: Option<&StepReport>) {
        self.show(scene, state, report, None, |_| true);
    }

    /// As [`Panel::observe`], but stops soon after `flag` is raised, also within a frame.
    ///
    /// A judge that abandons a frame, or does not see it, has no findings and no series from then on, so that what
    /// was expected of its figures counts as not measured. Judges that need no surfaces see every frame.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use rigor_audit::Panel;
    /// use rigor_scene::{Scene, State};
    /// let (mut panel, scene) = (Panel::full(1), Scene::default());
    /// panel.observe_until(&scene, &State::initial(&scene), None, &AtomicBool::new(false));
    /// let n_findings = panel.findings(&scene).len();
    /// let next = State { step: 1, ..State::initial(&scene) };
    /// panel.observe_until(&scene, &next, None, &AtomicBool::new(true));
    /// assert!(panel.findings(&scene).len() < n_findings);
    /// ```
    pub fn observe_until(
        &mut self,
        scene: &Scene,
        state: &State,
        report: Option<&StepReport>,
        flag: &AtomicBool,
    ) {
        self.show(scene, state, report, Some(&Stop::new(flag)), |_| true);
    }

    /// Passes a frame from before a run was interrupted to the judges that did not [`resume`](Panel::resume).
    pub fn observe_again(&mut self, scene: &Scene, state: &State) {
        self.show(scene, state, None, None, |seat| !seat.is_resumed);
    }

    /// Lets the judges that need the report of every step go on from `last`, the frame after which they had `findings`:
    /// those of [`Panel::resumable`].
    pub fn resume(&mut self, findings: &[Finding], last: &State) {
        for seat in self.seats.iter_mut().filter(|seat| seat.judge.needs_reports()) {
            seat.judge.resume(findings, last);
            seat.is_resumed = true;
        }
    }

    /// Returns the findings of the judges that need the report of every step.
    pub fn resumable(&self, scene: &Scene) -> Vec<Finding> {
        self.complete()
            .filter(|judge| judge.needs_reports())
            .flat_map(|judge| judge.findings(scene))
            .collect()
    }

    fn show(
        &mut self,
        scene: &Scene,
        state: &State,
        report: Option<&StepReport>,
        stop: Option<&Stop<'_>>,
        sees: impl Fn(&ScheduledJudge) -> bool,
    ) {
        let frame = Frame::new(scene, state, report, &self.surface_cache)
            .stopping_at(stop)
            .with_breaks(self.breaks.as_deref());
        let is_due = |seat: &&mut ScheduledJudge| state.step.is_multiple_of(seat.every) && sees(seat);
        for seat in self.seats.iter_mut().filter(is_due) {
            seat.judge.observe(&frame);
            seat.is_cut |= stop.is_some_and(Stop::take);
        }
    }

    /// Returns the findings so far, judge by judge.
    pub fn findings(&self, scene: &Scene) -> Vec<Finding> {
        self.complete().flat_map(|judge| judge.findings(scene)).collect()
    }

    /// Returns the series measured so far, judge by judge.
    pub fn series(&self) -> Vec<&Series> {
        self.complete().flat_map(Judge::series).collect()
    }

    /// Returns the judges that abandoned no frame.
    fn complete(&self) -> impl Iterator<Item = &dyn Judge> {
        self.seats.iter().filter(|seat| !seat.is_cut).map(|seat| seat.judge.as_ref())
    }

    /// Returns a verdict on each of the scene's expectations.
    pub fn verdicts<'a>(&self, scene: &'a Scene) -> Vec<(&'a Expectation, Verdict)> {
        verdicts(scene, &self.findings(scene))
    }
}

impl Observer for Panel {
    fn start(&mut self, scene: &Scene, state: &State) -> ControlFlow<()> {
        self.observe(scene, state, None);
        ControlFlow::Continue(())
    }

    fn step(&mut self, scene: &Scene, state: &State, report: &StepReport) -> ControlFlow<()> {
        self.observe(scene, state, Some(report));
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests;
