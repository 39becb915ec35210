//! Counts over all runs of a method: runs, outcomes, verdicts and intersections.

use maud::{Markup, html};
use rigor_audit::Verdict;

use crate::comparison::{Comparison, Ending, MethodRow};
use crate::naming::methods;
use crate::number::count;

/// Counts over the runs of one method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Runs that took every step.
    pub completed: u64,
    /// Runs that stopped early: the method failed or the run was interrupted.
    pub unfinished: u64,
    /// Runs that could not start or crashed.
    pub failed: u64,
    /// Scenes that the method does not support.
    pub skipped: u64,
    /// Expectations that held.
    pub held: u64,
    /// Expectations that failed.
    pub broken: u64,
    /// Runs with intersecting bodies in at least one frame.
    pub intersecting: u64,
    /// Frames with intersecting bodies.
    pub frames: u64,
    /// Runs in which a body passed through another between frames.
    pub passing: u64,
}

impl Tally {
    /// Counts `rows`.
    pub fn of<'a>(rows: impl Iterator<Item = &'a MethodRow>) -> Self {
        rows.fold(Self::default(), Self::with)
    }

    fn with(mut self, row: &MethodRow) -> Self {
        *match row.ending {
            Ending::Completed => &mut self.completed,
            Ending::Stopped { .. } | Ending::Running | Ending::Interrupted { .. } => &mut self.unfinished,
            Ending::Failed { .. } | Ending::Refused { .. } => &mut self.failed,
            Ending::Skipped { .. } => &mut self.skipped,
        } += 1;
        for (_, verdict) in row.claims() {
            match verdict {
                Verdict::Held(_) => self.held += 1,
                Verdict::Failed(_) => self.broken += 1,
                Verdict::NotMeasured => {}
            }
        }
        let frames = row.value("intersection.frames").unwrap_or(0.0) as u64;
        self.frames += frames;
        self.intersecting += u64::from(frames > 0);
        self.passing += u64::from(row.passes().is_some_and(|passes| passes > 0));
        self
    }

    /// Returns all counts with their headings.
    pub fn columns(&self) -> [(&'static str, u64); 9] {
        [
            ("completed", self.completed),
            ("not finished", self.unfinished),
            ("failed", self.failed),
            ("skipped", self.skipped),
            ("expectations held", self.held),
            ("expectations broken", self.broken),
            ("runs with intersections", self.intersecting),
            ("frames with intersections", self.frames),
            ("runs with tunnelling", self.passing),
        ]
    }
}

/// Renders one row per method, if there is more than one scene.
pub fn tallies(comparison: &Comparison) -> Markup {
    let methods = methods(comparison);
    let rows = |method| {
        let all = comparison.scenes.iter().flat_map(|section| &section.rows);
        all.filter(move |row: &&MethodRow| row.label == method)
    };
    html! {
        @if comparison.scenes.len() > 1 {
            div.wide { table.tally {
                thead { tr {
                    th { "Method" }
                    @for (heading, _) in Tally::default().columns() { th.number { (heading) } }
                } }
                tbody { @for method in methods { tr {
                    th scope="row" { (method) }
                    @for (_, number) in Tally::of(rows(method)).columns() { td.number { (count(number)) } }
                } } }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_audit::{Figure, Finding};
    use rigor_scene::{Bound, Expectation};

    use super::*;

    #[test]
    fn every_row_is_counted_once_and_every_verdict_too() {
        let found = |value| Finding::of_scene(Figure::named("intersection.frames").unwrap(), value);
        let expectation = Expectation {
            figure: "intersection.frames".into(),
            body: None,
            bound: Bound::AtMost(0.0),
            methods: vec![],
            methods_because: String::new(),
            because: String::new(),
        };
        let why = String::new;
        let verdicts = [Verdict::Held(found(0.0)), Verdict::Failed(found(7.0)), Verdict::NotMeasured];
        let crossing = MethodRow {
            findings: vec![found(7.0)],
            expectations: verdicts.map(|verdict| (expectation.clone(), verdict)).to_vec(),
            ..MethodRow::new("m", 0.01, Ending::Completed)
        };
        let passes = |name, value| Finding::of_scene(Figure::named(name).unwrap(), value);
        let through = [passes("tunnelling.centre_crossings", 0.0), passes("tunnelling.passes", 2.0)];
        let findings = std::iter::once(found(0.0)).chain(through).collect();
        let clean = MethodRow { findings, ..MethodRow::new("m", 0.01, Ending::Completed) };
        let late = MethodRow {
            findings: vec![found(2.0)],
            ..MethodRow::new("m", 0.01, Ending::Interrupted { why: why() })
        };
        let skipped = MethodRow::new("m", 0.01, Ending::Skipped { why: why() });
        let tally = Tally::of([crossing, clean, late, skipped].iter());
        assert_eq!(tally.columns().map(|(_, number)| number), [2, 1, 0, 1, 1, 1, 2, 9, 1]);
    }
}
