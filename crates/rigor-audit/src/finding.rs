//! The findings of judges.

use rigor_scene::{BodyId, State};

use crate::figure::Figure;

/// The step and time of a frame of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Steps taken since time 0.
    pub step: u64,
    /// Time (s).
    pub time: f64,
}

impl Moment {
    /// Returns the moment of `state`.
    pub fn of(state: &State) -> Self {
        Self { step: state.step, time: state.time }
    }
}

/// One measured number.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Name of the [`Figure`], such as `penetration.deepest`.
    pub figure: &'static str,
    /// The body it concerns; `None` if it concerns the scene.
    pub body: Option<BodyId>,
    /// The number, in `unit`.
    pub value: f64,
    /// Unit of `value`.
    pub unit: &'static str,
    /// The frame in which it was found, if it belongs to one.
    pub at: Option<Moment>,
    /// Names of the bodies, joints or features involved; may be empty.
    pub detail: String,
}

impl Finding {
    /// Creates a finding about the scene.
    pub fn of_scene(figure: &Figure, value: f64) -> Self {
        Self { figure: figure.name, body: None, value, unit: figure.unit, at: None, detail: String::new() }
    }

    /// Creates a finding about a body.
    pub fn of_body(figure: &Figure, body: BodyId, value: f64) -> Self {
        Self { body: Some(body), ..Self::of_scene(figure, value) }
    }

    /// Returns the finding, located at `moment`.
    #[must_use]
    pub fn at(self, moment: Moment) -> Self {
        Self { at: Some(moment), ..self }
    }

    /// Returns the finding with this detail.
    #[must_use]
    pub fn detailed(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}
