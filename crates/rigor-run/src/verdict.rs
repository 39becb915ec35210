//! Findings and verdicts as data of `run.json`.

use rigor_audit::{Figure, Finding, Moment, Verdict};
use rigor_scene::{BodyId, Expectation, Scene};
use serde::{Deserialize, Serialize};

/// A [`Finding`] in the form of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingRecord {
    /// Name of the figure.
    pub figure: String,
    /// Name of the body it concerns; absent if it concerns the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The number, in `unit`; absent if it is not finite.
    pub value: Option<f64>,
    /// Unit of `value`.
    pub unit: String,
    /// Step of the frame in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// Time of that frame (s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Names of the bodies, joints or features involved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl FindingRecord {
    /// Converts a finding on `scene`.
    pub fn of(finding: &Finding, scene: &Scene) -> Self {
        Self {
            figure: finding.figure.to_owned(),
            body: finding.body.map(|id| scene.bodies[id.0].name.clone()),
            value: Some(finding.value).filter(|value| value.is_finite()),
            unit: finding.unit.to_owned(),
            step: finding.at.map(|at| at.step),
            time: finding.at.map(|at| at.time),
            detail: finding.detail.clone(),
        }
    }

    /// Converts back; `None` for a figure or a body that does not exist.
    pub fn finding(&self, scene: &Scene) -> Option<Finding> {
        let figure = Figure::named(&self.figure)?;
        let body = match &self.body {
            None => None,
            Some(name) => Some(BodyId(scene.bodies.iter().position(|body| body.name == *name)?)),
        };
        Some(Finding {
            figure: figure.name,
            body,
            value: self.value.unwrap_or(f64::NAN),
            unit: figure.unit,
            at: self.step.zip(self.time).map(|(step, time)| Moment { step, time }),
            detail: self.detail.clone(),
        })
    }
}

/// An expectation with its verdict in the form of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictRecord {
    /// Name of the figure.
    pub figure: String,
    /// Name of the body it concerns; absent if it concerns the scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The condition, such as "≤ 0.001".
    pub bound: String,
    /// Whether the method claims to meet it, so that a violation is a failure.
    pub is_claimed: bool,
    /// The verdict.
    pub verdict: VerdictWord,
    /// The reason for the expectation.
    pub because: String,
    /// The value found, if one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

/// The verdict on an expectation in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// The figure meets its bound.
    Held,
    /// The figure violates its bound.
    Failed,
    /// There is no finding, or the run did not reach its end and the bound is not broken yet.
    NotMeasured,
}

impl VerdictRecord {
    /// Converts a verdict on `scene` for `method`.
    pub fn of(expectation: &Expectation, verdict: &Verdict, scene: &Scene, method: &str) -> Self {
        let (word, value) = match verdict {
            Verdict::Held(finding) => (VerdictWord::Held, Some(finding.value)),
            Verdict::Failed(finding) => (VerdictWord::Failed, Some(finding.value)),
            Verdict::NotMeasured => (VerdictWord::NotMeasured, None),
        };
        Self {
            figure: expectation.figure.clone(),
            body: expectation.body.map(|id| scene.bodies[id.0].name.clone()),
            bound: expectation.bound.to_string(),
            is_claimed: expectation.is_claimed_by(method),
            verdict: word,
            because: expectation.because.clone(),
            value: value.filter(|value| value.is_finite()),
        }
    }
}
