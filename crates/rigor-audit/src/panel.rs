//! Several judges of one run.

use std::ops::ControlFlow;

use rigor_scene::{Expectation, Observer, Scene, State, StepReport};

use crate::eye::Eye;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::series::Series;
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
    seats: Vec<Seat>,
    eye: Eye,
}

struct Seat {
    judge: Box<dyn Judge>,
    every: u64,
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
        self.seats.push(Seat { judge: Box::new(judge), every });
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

    /// Passes a frame, with the report of the step that ended in it, to the judges that are due.
    pub fn observe(&mut self, scene: &Scene, state: &State, report: Option<&StepReport>) {
        let frame = Frame::new(scene, state, report, &self.eye);
        for seat in self.seats.iter_mut().filter(|seat| state.step.is_multiple_of(seat.every)) {
            seat.judge.observe(&frame);
        }
    }

    /// Returns the findings so far, judge by judge.
    pub fn findings(&self, scene: &Scene) -> Vec<Finding> {
        self.seats.iter().flat_map(|seat| seat.judge.findings(scene)).collect()
    }

    /// Returns the series measured so far, judge by judge.
    pub fn series(&self) -> Vec<&Series> {
        self.seats.iter().flat_map(|seat| seat.judge.series()).collect()
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
