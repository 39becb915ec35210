//! The extreme of a stream of numbers, with its moment.

use rigor_scene::BodyId;

use crate::figure::Figure;
use crate::finding::{Finding, Moment};

/// The extreme number so far, with its moment and detail.
///
/// NaN counts as the worst value and is kept, so that no bound on the figure can hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Peak {
    pub(crate) value: f64,
    at: Moment,
    detail: String,
}

impl Peak {
    /// Keeps `value` in `peak` if it is larger; of equal numbers the earlier is kept.
    pub(crate) fn raise(peak: &mut Option<Self>, value: f64, at: Moment, detail: impl FnOnce() -> String) {
        if peak.as_ref().is_none_or(|p| value > p.value || (value.is_nan() && !p.value.is_nan())) {
            *peak = Some(Self { value, at, detail: detail() });
        }
    }

    /// Keeps `value` in `peak` if it is smaller; of equal numbers the earlier is kept.
    pub(crate) fn lower(peak: &mut Option<Self>, value: f64, at: Moment, detail: impl FnOnce() -> String) {
        if peak.as_ref().is_none_or(|p| value < p.value || (value.is_nan() && !p.value.is_nan())) {
            *peak = Some(Self { value, at, detail: detail() });
        }
    }

    /// Returns this peak as a finding on `figure`, of the scene or of `body`.
    pub(crate) fn finding(&self, figure: &Figure, body: Option<BodyId>) -> Finding {
        Finding { body, ..Finding::of_scene(figure, self.value) }.at(self.at).detailed(self.detail.clone())
    }
}

/// One peak for the scene and one for each of its bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peaks {
    pub(crate) scene: Option<Peak>,
    bodies: Vec<Option<Peak>>,
}

impl Peaks {
    /// Raises the peaks of `body` and of the scene.
    pub(crate) fn raise(&mut self, body: BodyId, value: f64, at: Moment, detail: impl Fn() -> String) {
        Peak::raise(self.slot(body), value, at, &detail);
        Peak::raise(&mut self.scene, value, at, &detail);
    }

    /// Raises the peak of `body` only.
    pub(crate) fn raise_body(
        &mut self,
        body: BodyId,
        value: f64,
        at: Moment,
        detail: impl FnOnce() -> String,
    ) {
        Peak::raise(self.slot(body), value, at, detail);
    }

    /// Lowers the peaks of `body` and of the scene.
    pub(crate) fn lower(&mut self, body: BodyId, value: f64, at: Moment, detail: impl Fn() -> String) {
        Peak::lower(self.slot(body), value, at, &detail);
        Peak::lower(&mut self.scene, value, at, &detail);
    }

    /// Returns the peak of `body`.
    pub(crate) fn of(&self, body: BodyId) -> Option<f64> {
        self.bodies.get(body.0)?.as_ref().map(|peak| peak.value)
    }

    /// Returns the scene's finding, then those of the bodies that have one.
    pub(crate) fn findings(&self, figure: &Figure) -> Vec<Finding> {
        let scene = self.scene.iter().map(|peak| peak.finding(figure, None));
        let of_body =
            |(i, peak): (usize, &Option<Peak>)| Some(peak.as_ref()?.finding(figure, Some(BodyId(i))));
        scene.chain(self.bodies.iter().enumerate().filter_map(of_body)).collect()
    }

    /// Raises the peaks to the findings on `figure`.
    pub(crate) fn resume(&mut self, figure: &Figure, findings: &[Finding]) {
        for finding in findings.iter().filter(|finding| finding.figure == figure.name) {
            let Some(at) = finding.at else { continue };
            let peak = match finding.body {
                Some(body) => self.slot(body),
                None => &mut self.scene,
            };
            Peak::raise(peak, finding.value, at, || finding.detail.clone());
        }
    }

    fn slot(&mut self, body: BodyId) -> &mut Option<Peak> {
        if self.bodies.len() <= body.0 {
            self.bodies.resize(body.0 + 1, None);
        }
        &mut self.bodies[body.0]
    }
}
