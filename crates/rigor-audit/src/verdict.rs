//! Expectations compared with findings.

use rigor_scene::{Expectation, Scene};

use crate::finding::Finding;

/// The result of an expectation.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The figure meets its bound.
    Held(Finding),
    /// The figure violates its bound.
    Failed(Finding),
    /// No finding of that figure for that body: the judge was not in the panel or had nothing to measure.
    NotMeasured,
}

impl Verdict {
    /// Compares `expectation` with the finding of its figure and body.
    pub fn on(expectation: &Expectation, findings: &[Finding]) -> Self {
        let same = |f: &&Finding| f.figure == expectation.figure && f.body == expectation.body;
        match findings.iter().find(same) {
            None => Self::NotMeasured,
            Some(finding) if expectation.bound.holds(finding.value) => Self::Held(finding.clone()),
            Some(finding) => Self::Failed(finding.clone()),
        }
    }
}

/// Returns a verdict on each of the scene's expectations, in the order of the scene.
///
/// Every method is measured against all of them. Whether a violation is a failure depends on the method:
/// [`Expectation::is_claimed_by`].
pub fn verdicts<'a>(scene: &'a Scene, findings: &[Finding]) -> Vec<(&'a Expectation, Verdict)> {
    scene.expectations.iter().map(|e| (e, Verdict::on(e, findings))).collect()
}
