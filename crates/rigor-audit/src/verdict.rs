//! Expectations compared with findings.

use rigor_scene::{Expectation, Scene};

use crate::finding::Finding;
use crate::growth::Growth;

/// The result of an expectation.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The figure meets its bound.
    Held(Finding),
    /// The figure violates its bound.
    Failed(Finding),
    /// No finding of that figure for that body, as the judge was not in the panel or had nothing to measure; or the run did not
    /// reach its end, and the bound is not broken yet.
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

    /// Compares `expectation` with the finding on a run that did not reach its end: a bound that stays broken however the run
    /// would go on has failed, and any other is not judged.
    ///
    /// ```
    /// use rigor_audit::{Figure, Finding, Verdict};
    /// use rigor_scene::{Bound, Expectation};
    /// let expectation = |figure: &str, bound| Expectation {
    ///     figure: figure.into(),
    ///     body: None,
    ///     bound,
    ///     methods: vec![],
    ///     methods_because: String::new(),
    ///     because: String::new(),
    /// };
    /// let deepest = Figure::named("penetration.deepest").unwrap();
    /// let limit = expectation(deepest.name, Bound::AtMost(1e-3));
    /// let found = |value| vec![Finding::of_scene(deepest, value)];
    /// assert_eq!(Verdict::on_part(&limit, &found(0.0)), Verdict::NotMeasured);
    /// assert!(matches!(Verdict::on_part(&limit, &found(0.5)), Verdict::Failed(_)));
    /// ```
    pub fn on_part(expectation: &Expectation, findings: &[Finding]) -> Self {
        match Self::on(expectation, findings) {
            Self::Failed(finding)
                if Growth::of(finding.figure).is_broken(&expectation.bound, finding.value) =>
            {
                Self::Failed(finding)
            }
            Self::Held(_) | Self::Failed(_) | Self::NotMeasured => Self::NotMeasured,
        }
    }

    /// [`Verdict::on`] of a run that reached its end, else [`Verdict::on_part`].
    pub fn of(expectation: &Expectation, findings: &[Finding], is_whole: bool) -> Self {
        if is_whole { Self::on(expectation, findings) } else { Self::on_part(expectation, findings) }
    }
}

/// Returns a verdict on each of the scene's expectations, in the order of the scene.
///
/// Every method is measured against all of them. Whether a violation is a failure depends on the method:
/// [`Expectation::is_claimed_by`].
pub fn verdicts<'a>(scene: &'a Scene, findings: &[Finding]) -> Vec<(&'a Expectation, Verdict)> {
    scene.expectations.iter().map(|e| (e, Verdict::on(e, findings))).collect()
}
