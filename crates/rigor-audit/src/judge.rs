//! The trait of judges: a fold over the frames of a run.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use rigor_scene::{Scene, State, StepReport};

use crate::finding::{Finding, Moment};
use crate::series::Series;
use crate::surface_cache::{SurfaceCache, Surfaces};

/// Measures a run frame by frame, in memory that does not grow with the number of frames, except for the
/// plotted [`Series`] of two numbers per frame.
///
/// A judge knows neither the method nor the source of the run: its findings depend only on the scene and on
/// the frames and reports it was given, in order. "Start" in its figures refers to the first frame given.
pub trait Judge: Send {
    /// Returns the part of its figures' names before the dot.
    fn name(&self) -> &'static str;

    /// Processes one more frame.
    ///
    /// A judge whose frame may take long asks [`Frame::is_stopped`] between bodies or pairs and returns when told to
    /// stop. It has then not seen the whole frame, and [`Panel`](crate::Panel) leaves out its findings.
    fn observe(&mut self, frame: &Frame<'_>);

    /// Returns whether the figures need the report of every step, so that a run that goes on from its kept frames cannot
    /// measure them again. Such a judge must implement [`Judge::resume`], and its findings must be all that it remembers
    /// besides the last frame.
    fn needs_reports(&self) -> bool {
        false
    }

    /// Goes on from `last`, the frame after which it had `findings`. Findings of other judges are ignored.
    fn resume(&mut self, _findings: &[Finding], _last: &State) {}

    /// Returns the findings so far.
    fn findings(&self, scene: &Scene) -> Vec<Finding>;

    /// Returns the values measured in each frame so far.
    fn series(&self) -> Vec<&Series> {
        Vec::new()
    }
}

/// A frame as judges see it.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The scene, the same in every frame.
    pub scene: &'a Scene,
    /// Poses and velocities.
    pub state: &'a State,
    /// The report of the step that ended in this frame, if there is one; the first frame has none.
    pub report: Option<&'a StepReport>,
    surface_cache: &'a SurfaceCache,
    stop: Option<&'a Stop<'a>>,
    breaks: Option<&'a [Option<u64>]>,
}

/// A request to stop judging, and whether a judge followed it.
#[derive(Debug)]
pub(crate) struct Stop<'a> {
    is_wanted: &'a AtomicBool,
    was_told: Cell<bool>,
}

impl<'a> Stop<'a> {
    pub(crate) fn new(is_wanted: &'a AtomicBool) -> Self {
        Self { is_wanted, was_told: Cell::new(false) }
    }

    /// Returns whether a judge was told to stop since the last call.
    pub(crate) fn take(&self) -> bool {
        self.was_told.take()
    }
}

impl<'a> Frame<'a> {
    /// Creates a frame whose surfaces come from `surface_cache`, which must be the same for every frame of a run.
    pub fn new(
        scene: &'a Scene,
        state: &'a State,
        report: Option<&'a StepReport>,
        surface_cache: &'a SurfaceCache,
    ) -> Self {
        Self { scene, state, report, surface_cache, stop: None, breaks: None }
    }

    /// Returns the frame with a request to stop that judges ask for.
    pub(crate) fn stopping_at(self, stop: Option<&'a Stop<'a>>) -> Self {
        Self { stop, ..self }
    }

    /// Returns the frame with the step at whose end each joint broke: [`Panel::tell_breaks`](crate::Panel::tell_breaks).
    pub(crate) fn with_breaks(self, breaks: Option<&'a [Option<u64>]>) -> Self {
        Self { breaks, ..self }
    }

    /// Returns whether the joint with this index is broken in this frame; `None` where neither a report nor a record of the breaks tells,
    /// and the joint may have broken since the start.
    pub fn is_broken(&self, joint: usize) -> Option<bool> {
        let reported = self.report.and_then(|report| report.joints.get(joint));
        let recorded = || Some(self.breaks?.get(joint)?.is_some_and(|step| step <= self.state.step));
        let is_whole = self.state.step == 0 || !self.scene.joints[joint].can_break();
        reported.map(|joint| joint.broken).or_else(recorded).or(is_whole.then_some(false))
    }

    /// Returns whether the judge shall abandon this frame: [`Panel::observe_until`](crate::Panel::observe_until).
    pub fn is_stopped(&self) -> bool {
        let is_wanted = self.stop.filter(|stop| stop.is_wanted.load(Ordering::Relaxed));
        is_wanted.inspect(|stop| stop.was_told.set(true)).is_some()
    }

    /// Returns the step and time of the frame.
    pub fn moment(&self) -> Moment {
        Moment::of(self.state)
    }

    /// Returns the bodies' surfaces in the world, placed on the first call in each frame.
    pub fn surfaces(&self) -> std::cell::Ref<'_, Surfaces> {
        self.surface_cache.look(self.scene, self.state)
    }
}
