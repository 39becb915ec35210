//! The trait of judges: a fold over the frames of a run.

use rigor_scene::{Scene, State, StepReport};

use crate::eye::{Eye, Surfaces};
use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::series::Series;
use crate::{
    constraint, contact, determinism, distance, energy, friction, intersection, momentum, motion,
    penetration, tunnelling,
};

/// Measures a run frame by frame, in memory that does not grow with the number of frames, except for the
/// plotted [`Series`] of two numbers per frame.
///
/// A judge knows neither the method nor the source of the run: its findings depend only on the scene and on
/// the frames and reports it was given, in order. "Start" in its figures refers to the first frame given.
pub trait Judge: Send {
    /// Returns the part of its figures' names before the dot.
    fn name(&self) -> &'static str;

    /// Processes one more frame.
    fn observe(&mut self, frame: &Frame<'_>);

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
    eye: &'a Eye,
}

impl<'a> Frame<'a> {
    /// Creates a frame whose surfaces come from `eye`, which must be the same for every frame of a run.
    pub fn new(scene: &'a Scene, state: &'a State, report: Option<&'a StepReport>, eye: &'a Eye) -> Self {
        Self { scene, state, report, eye }
    }

    /// Returns the step and time of the frame.
    pub fn moment(&self) -> Moment {
        Moment::of(self.state)
    }

    /// Returns the bodies' surfaces in the world, placed on the first call in each frame.
    pub fn surfaces(&self) -> std::cell::Ref<'_, Surfaces> {
        self.eye.look(self.scene, self.state)
    }
}

/// Every judge by name, with its figures.
pub(crate) const REGISTER: &[(&str, &[Figure])] = &[
    ("energy", energy::FIGURES),
    ("momentum", momentum::FIGURES),
    ("motion", motion::FIGURES),
    ("constraint", constraint::FIGURES),
    ("contact", contact::FIGURES),
    ("friction", friction::FIGURES),
    ("intersection", intersection::FIGURES),
    ("distance", distance::FIGURES),
    ("penetration", penetration::FIGURES),
    ("tunnelling", tunnelling::FIGURES),
    ("compare", crate::compare::FIGURES),
    ("determinism", determinism::FIGURES),
];
