//! What a judge is: a fold over the frames of a run.

use rigor_scene::{Scene, State, StepReport};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::series::Series;
use crate::surface::{Eye, Surfaces};
use crate::{
    constraint, contact, determinism, distance, energy, friction, intersection, momentum, motion,
    penetration, tunnelling,
};

/// Measures a run frame by frame, in memory that does not grow with the number of frames (but for the plotted
/// [`Series`]: two numbers a frame).
///
/// A judge knows neither the method nor how the run was made: its findings are a function of the scene and of the
/// frames and reports that it was shown, in their order. "Start" in its figures is the first frame shown.
pub trait Judge: Send {
    /// The part of its figures' names before the dot.
    fn name(&self) -> &'static str;

    /// Takes in one more frame.
    fn observe(&mut self, frame: &Frame<'_>);

    /// What it found so far.
    fn findings(&self, scene: &Scene) -> Vec<Finding>;

    /// What it measured in each frame so far.
    fn series(&self) -> Vec<&Series> {
        Vec::new()
    }
}

/// What a judge sees of one frame.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// The scene; the same in every frame.
    pub scene: &'a Scene,
    /// Poses and velocities.
    pub state: &'a State,
    /// The report of the step that ended in this frame; `None` for the first frame, or if there is none.
    pub report: Option<&'a StepReport>,
    eye: &'a Eye,
}

impl<'a> Frame<'a> {
    /// A frame whose surfaces `eye` sees: the same eye for every frame of a run.
    pub fn new(scene: &'a Scene, state: &'a State, report: Option<&'a StepReport>, eye: &'a Eye) -> Self {
        Self { scene, state, report, eye }
    }

    /// When the frame is.
    pub fn moment(&self) -> Moment {
        Moment::of(self.state)
    }

    /// The bodies' surfaces in the world, placed when a judge first asks for them in this frame.
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
