//! What a judge found.

use rigor_scene::{BodyId, State};

use crate::figure::Figure;

/// A frame of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Steps taken since time 0.
    pub step: u64,
    /// Time (s).
    pub time: f64,
}

impl Moment {
    /// When `state` is.
    pub fn of(state: &State) -> Self {
        Self { step: state.step, time: state.time }
    }
}

/// One measured number.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Name of the [`Figure`], as `penetration.deepest`.
    pub figure: &'static str,
    /// The body it is about; `None` when it is about the scene.
    pub body: Option<BodyId>,
    /// The number, in `unit`.
    pub value: f64,
    /// Unit of `value`.
    pub unit: &'static str,
    /// The frame in which it was found, where it belongs to one.
    pub at: Option<Moment>,
    /// Where exactly: names of bodies, joints or features; empty when there is nothing to add.
    pub detail: String,
}

impl Finding {
    /// A finding about the scene.
    pub fn of_scene(figure: &Figure, value: f64) -> Self {
        Self { figure: figure.name, body: None, value, unit: figure.unit, at: None, detail: String::new() }
    }

    /// A finding about a body.
    pub fn of_body(figure: &Figure, body: BodyId, value: f64) -> Self {
        Self { body: Some(body), ..Self::of_scene(figure, value) }
    }

    /// The same, found at `moment`.
    #[must_use]
    pub fn at(self, moment: Moment) -> Self {
        Self { at: Some(moment), ..self }
    }

    /// The same, with more to say.
    #[must_use]
    pub fn detailed(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}
