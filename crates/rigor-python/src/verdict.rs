//! Judgement of a run.

use pyo3::prelude::*;
use rigor_audit::{Finding, Panel, Series, Verdict};
use rigor_run::report_series::ReportSeries;
use rigor_run::verdict::{FindingRecord, VerdictRecord};
use rigor_scene::Expectation;
use serde_json::json;

use crate::finished_run::FinishedRun;
use crate::judge::Written;
use crate::method::RaisedError;
use crate::recorder::Signals;

/// What the judges found in a run.
pub struct Judgement {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The scene's expectations, with verdicts.
    pub verdicts: Vec<(Expectation, Verdict)>,
    /// Values over time, of judges and of reports.
    pub series: Vec<Series>,
    /// Wall time of the phases of a step.
    pub phases: Vec<Series>,
}

/// Returns name, unit and meaning of every figure of the judges.
#[pyfunction]
pub fn figures() -> Vec<(&'static str, &'static str, &'static str)> {
    rigor_audit::figures().map(|figure| (figure.name, figure.unit, figure.meaning)).collect()
}

impl Judgement {
    /// Shows every kept frame to the judges; those of surfaces see each `every`-th step.
    ///
    /// A run without reports faces no judge of contact forces.
    ///
    /// # Errors
    /// What a judge written in Python raised, or Ctrl-C.
    pub fn of(
        finished: &FinishedRun,
        every: u64,
        written: Vec<Written>,
        raised: &RaisedError,
    ) -> PyResult<Self> {
        let scene = &finished.loaded.scene;
        let has_reports = !finished.reports.is_empty();
        let panel =
            Panel::full(every).retain(|name| has_reports || (name != "contact" && name != "friction"));
        let mut panel = written.into_iter().fold(panel, |panel, judge| panel.with(judge, 1));
        let mut reports = ReportSeries::new();
        let mut signals = Signals::new();
        for (i, state) in finished.frames.iter().enumerate() {
            let report = i.checked_sub(1).and_then(|i| finished.reports.get(i));
            panel.observe(scene, state, report);
            report.into_iter().for_each(|report| reports.step(state, report));
            if raised.is_some() || signals.is_raised() {
                break;
            }
        }
        signals.check()?;
        raised.check()?;
        let findings = panel.findings(scene);
        raised.check()?;
        let judged = panel.series().into_iter().cloned();
        let (reported, phases) = reports.into_series();
        let series = judged.chain(reported.into_iter().filter(|_| has_reports)).collect();
        let phases = phases.into_iter().filter(|_| has_reports).collect();
        Ok(Self { verdicts: verdicts(finished, &findings), findings, series, phases })
    }

    /// Findings and verdicts as JSON.
    pub fn json(&self, finished: &FinishedRun) -> String {
        let scene = &finished.loaded.scene;
        let findings: Vec<_> =
            self.findings.iter().map(|finding| FindingRecord::of(finding, scene)).collect();
        let verdict = |(expectation, verdict): &(Expectation, Verdict)| {
            VerdictRecord::of(expectation, verdict, scene, &finished.method)
        };
        let verdicts: Vec<_> = self.verdicts.iter().map(verdict).collect();
        json!({ "findings": findings, "expectations": verdicts }).to_string()
    }
}

/// Verdicts on the scene's expectations, which apply to whole runs.
pub fn verdicts(finished: &FinishedRun, findings: &[Finding]) -> Vec<(Expectation, Verdict)> {
    let is_whole = finished.is_whole();
    let of = |expectation: &Expectation| (expectation.clone(), Verdict::of(expectation, findings, is_whole));
    finished.loaded.scene.expectations.iter().map(of).collect()
}
