//! The Markdown page, from the table of results.

use std::collections::BTreeSet;
use std::fmt::Write;

use rigor_report::number::{quantity, significant};

use super::case::Case;
use super::results::{AccuracyRow, Outcome};
use rigor_report::chart::{Chart, Curve, CurvePoint};
use rigor_study::order::{Trend, trend};

/// Folder of the plots, next to the page.
pub const FOLDER: &str = "accuracy";

/// A file of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Path relative to the folder of the page.
    pub path: String,
    /// Contents.
    pub text: String,
}

/// Returns the page and a plot per case with completed runs; cases without rows are omitted.
pub fn files(cases: &[Case], labels: &[String], rows: &[AccuracyRow]) -> Vec<PageFile> {
    let shown: Vec<CaseResults> =
        cases.iter().filter_map(|case| CaseResults::of(case, labels, rows)).collect();
    let plots = shown.iter().filter_map(|shown| Some((shown.case.name.clone(), shown.plot.clone()?)));
    let mut files: Vec<PageFile> =
        plots.map(|(name, text)| PageFile { path: format!("{FOLDER}/{name}.svg"), text }).collect();
    files.insert(0, PageFile { path: "accuracy.md".into(), text: page(&shown, labels, rows) });
    files
}

/// A case with its results.
struct CaseResults<'a> {
    case: &'a Case,
    /// One result per variant that has rows, in the order of the variants.
    results: Vec<VariantResult<'a>>,
    plot: Option<String>,
}

/// The results of a variant on a case.
struct VariantResult<'a> {
    label: &'a str,
    rows: Vec<&'a AccuracyRow>,
    trend: Trend,
}

impl<'a> CaseResults<'a> {
    fn of(case: &'a Case, labels: &'a [String], rows: &'a [AccuracyRow]) -> Option<Self> {
        let own: Vec<&AccuracyRow> = rows.iter().filter(|row| row.case == case.name).collect();
        let result = |label: &'a String| {
            let mut rows: Vec<&AccuracyRow> =
                own.iter().copied().filter(|row| row.variant == *label).collect();
            rows.sort_by_key(|row| row.steps);
            let points: Vec<(f64, f64)> =
                rows.iter().filter_map(|row| row.error.map(|error| (row.dt, error))).collect();
            (!rows.is_empty()).then(|| VariantResult { label, trend: trend(&points), rows })
        };
        let results: Vec<VariantResult> = labels.iter().filter_map(result).collect();
        let plot = chart(&case.title, &own, labels).svg();
        (!results.is_empty()).then_some(Self { case, results, plot })
    }
}

/// Error against CPU time, with Δt at each point; the order of `labels` determines the colours.
fn chart(title: &str, rows: &[&AccuracyRow], labels: &[String]) -> Chart {
    let dot = |row: &&AccuracyRow| {
        let (cpu, error) = row.cpu.zip(row.error).filter(|_| row.outcome == Outcome::Completed)?;
        Some(CurvePoint { x: cpu.max(1e-9), y: error, note: quantity(row.dt, "s"), spread: None })
    };
    let curve = |(colour, label): (usize, &String)| {
        let dots: Vec<CurvePoint> = rows.iter().filter(|row| row.variant == *label).filter_map(dot).collect();
        (!dots.is_empty()).then(|| Curve { label: label.clone(), colour, dots, ..Curve::default() })
    };
    Chart {
        title: title.to_owned(),
        x: "CPU time (s)".into(),
        y: "error".into(),
        is_linear: [false; 2],
        curves: labels.iter().enumerate().filter_map(curve).collect(),
    }
}

impl VariantResult<'_> {
    /// The completed run with the shortest time step, and its error.
    fn finest(&self) -> Option<(&AccuracyRow, f64)> {
        self.rows.iter().rev().find_map(|row| row.error.map(|error| (*row, error)))
    }

    /// Returns the reason why no run completed, if none did.
    fn reason(&self) -> Option<&str> {
        let row = self.rows.first().filter(|_| self.finest().is_none())?;
        Some(&row.why)
    }

    fn is_skipped(&self) -> bool {
        self.rows.iter().all(|row| row.outcome == Outcome::Skipped)
    }

    /// Runs that did not complete, other than skipped ones.
    fn broken(&self) -> impl Iterator<Item = &&AccuracyRow> {
        self.rows.iter().filter(|row| !matches!(row.outcome, Outcome::Completed | Outcome::Skipped))
    }

    /// Minimum CPU time (s) of the runs whose error is at most `bound`.
    fn cost(&self, bound: f64) -> Option<f64> {
        let good = self.rows.iter().filter(|row| row.error.is_some_and(|error| error <= bound));
        good.filter_map(|row| row.cpu).min_by(f64::total_cmp)
    }
}

const INTRODUCTION: &str = "\
Every method on cases with known answers: from a formula, from the converged integration of the equations of motion, or from
measurements. Each case runs at several time steps, each at most half as long as the one before; plots show error against CPU time.

This page is generated from a table of results, [accuracy.csv](../benchmarks/results/accuracy.csv); see [commands and
rules](reproduce.md#the-table-of-accuracy).

* **Error**: the difference from the exact answer, divided by the stated scale: 1 is total failure, 10⁻² is one percent. With several
  bodies, the largest error counts.
* **Order**: the slope p of the least-squares line through log error over log Δt, error ≈ C Δtᵖ. A ~ marks a slope that is not
  positive, or a line that some point misses by more than a factor of 1.6. The order is 0 if the errors differ by at most the fourth
  root of the ratio of the time steps. Errors up to 10⁻¹¹ count as rounding.
* **CPU time**: the whole run on one thread, including the set-up of the method for the scene; the minimum over repeated runs.
* Methods run with their default settings. The exact answers use the masses and moments of inertia of the simulated bodies, but
  ignore that round bodies are polyhedra, and initial gaps at contacts.
";

fn page(shown: &[CaseResults], labels: &[String], rows: &[AccuracyRow]) -> String {
    let mut text = format!("# Accuracy\n\n{INTRODUCTION}\n{}\n{}", origin(rows), overview(shown, labels));
    let mut group = "";
    for one in shown {
        if one.case.group != group {
            group = &one.case.group;
            let _ = write!(text, "\n## {group}\n");
        }
        text += &section(one);
    }
    text
}

/// Days, commits and processors of the runs.
fn origin(rows: &[AccuracyRow]) -> String {
    let distinct = |of: fn(&AccuracyRow) -> &String| {
        let all: BTreeSet<&str> =
            rows.iter().map(|row| of(row).as_str()).filter(|text| !text.is_empty()).collect();
        all.into_iter().collect::<Vec<_>>().join(", ")
    };
    format!(
        "Runs of {}, commit {}, on one thread of: {}.\n",
        distinct(|row| &row.origin.day),
        distinct(|row| &row.origin.commit),
        distinct(|row| &row.origin.processor),
    )
}

/// The table of all cases: error at the shortest time step, and order.
fn overview(shown: &[CaseResults], labels: &[String]) -> String {
    let mut text = "## All cases\n\nError at the shortest time step, with the order in brackets. Bold: the error is at most the bound of the \
                    case. – : the method cannot run the case. ✗: no run completed.\n\n"
        .to_owned();
    let _ = write!(
        text,
        "| case | bound | {} |\n| --- | --- |{}\n",
        labels.join(" | "),
        " --- |".repeat(labels.len())
    );
    for one in shown {
        let cell = |label: &String| {
            let Some(result) = one.results.iter().find(|result| result.label == label) else {
                return " ".into();
            };
            match result.finest() {
                Some((_, error)) => {
                    let number = format!("{} ({})", small(error), result.trend.cell());
                    if error <= one.case.bound { format!("**{number}**") } else { number }
                }
                None if result.is_skipped() => "–".into(),
                None => "✗".to_owned(),
            }
        };
        let cells: Vec<String> = labels.iter().map(cell).collect();
        let _ = writeln!(
            text,
            "| [{}](#{}) | {} | {} |",
            one.case.title,
            anchor(&one.case.title),
            small(one.case.bound),
            cells.join(" | ")
        );
    }
    text
}

fn section(one: &CaseResults) -> String {
    let case = one.case;
    let mut text = format!("\n### {}\n\n", case.title);
    let reading = case.reading.words();
    let _ =
        writeln!(text, "Exact answer: {} Error of the {reading}, divided by {}.", case.truth, case.scale_is);
    if !case.note.is_empty() {
        let _ = writeln!(text, "{}", case.note);
    }
    if one.plot.is_some() {
        let _ = write!(text, "\n![{}: error against CPU time]({FOLDER}/{}.svg)\n", case.title, case.name);
    }
    text += &table(one);
    let _ = write!(text, "\n**Results:** {}\n", seen(one));
    text
}

/// The table of errors and CPU times of one case: variants × time steps.
fn table(one: &CaseResults) -> String {
    let ran: Vec<&VariantResult> = one.results.iter().filter(|result| result.finest().is_some()).collect();
    let mut steps: Vec<(u64, f64)> =
        ran.iter().flat_map(|result| result.rows.iter().map(|row| (row.steps, row.dt))).collect();
    steps.sort_by_key(|step| step.0);
    steps.dedup_by_key(|step| step.0);
    if steps.is_empty() {
        return String::new();
    }
    let heads: Vec<String> = steps.iter().map(|(_, dt)| quantity(*dt, "s")).collect();
    let mut text =
        format!("\n| Δt | {} | order |\n| --- |{}\n", heads.join(" | "), " --- |".repeat(steps.len() + 1));
    for result in ran {
        let cell = |(n, _): &(u64, f64)| match result.rows.iter().find(|row| row.steps == *n) {
            None => " ".to_owned(),
            Some(row) => match (row.error, row.cpu) {
                (Some(error), Some(cpu)) => format!("{} ({})", small(error), quantity(cpu, "s")),
                _ => row.outcome.word().to_owned(),
            },
        };
        let cells: Vec<String> = steps.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} | {} |", result.label, cells.join(" | "), result.trend.cell());
    }
    text
}

/// Summary of the results of a case in one line.
fn seen(one: &CaseResults) -> String {
    let bound = one.case.bound;
    let mut told: Vec<String> = one.results.iter().map(|result| verdict(result, bound)).collect();
    let costs = one.results.iter().filter_map(|result| Some((result.label, result.cost(bound)?)));
    let cheapest = costs.min_by(|a, b| a.1.total_cmp(&b.1));
    told.push(match cheapest {
        Some((label, cpu)) => {
            format!(
                "`{label}` reaches the bound {} at the lowest cost ({})",
                small(bound),
                quantity(cpu, "s")
            )
        }
        None => format!("no run reaches the bound {}", small(bound)),
    });
    format!("{}.", told.join("; "))
}

fn verdict(result: &VariantResult, bound: f64) -> String {
    let label = result.label;
    if let Some(why) = result.reason() {
        let word = if result.is_skipped() { "not run" } else { "no result" };
        return format!("`{label}`: {word} ({})", why.trim_end_matches('.'));
    }
    let mut text = format!("`{label}`: {}", result.trend.words());
    if let Some((row, error)) = result.finest().filter(|_| result.trend != Trend::Exact) {
        let _ = write!(text, ", {} at {}", small(error), quantity(row.dt, "s"));
        if error > bound {
            text += " (above the bound)";
        }
    }
    if let Some(row) = result.broken().next() {
        let more = result.broken().count();
        let _ = write!(text, ", {more} of {} runs did not finish ({})", result.rows.len(), row.why);
    }
    text
}

/// An error with two significant digits.
fn small(error: f64) -> String {
    if error < 1e-15 { "0".into() } else { significant(format!("{error:.1e}").parse().unwrap_or(error)) }
}

/// The Markdown anchor of a heading.
fn anchor(title: &str) -> String {
    let kept = title
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    kept.replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::{case, results::Origin};

    #[test]
    fn the_page_has_every_case_with_its_plot_and_says_what_is_seen() {
        let case = case::all().unwrap().remove(0);
        let row = |variant: &str, steps: u64, error: f64| AccuracyRow {
            case: case.name.clone(),
            variant: variant.into(),
            settings: String::new(),
            dt: 1.0 / steps as f64,
            steps,
            outcome: Outcome::Completed,
            error: Some(error),
            cpu: Some(1e-3 * steps as f64),
            why: String::new(),
            origin: Origin::default(),
        };
        let skip = AccuracyRow {
            outcome: Outcome::Skipped,
            error: None,
            cpu: None,
            why: "no luck".into(),
            ..row("free", 0, 0.0)
        };
        let mut rows: Vec<AccuracyRow> = [10, 20, 40].map(|n| row("xpbd", n, 1.0 / (n * n) as f64)).to_vec();
        rows.push(skip);
        let labels = ["free".to_owned(), "xpbd".to_owned()];
        let files = files(std::slice::from_ref(&case), &labels, &rows);
        assert_eq!(files.len(), 2);
        assert!(files[1].path.ends_with(&format!("{}.svg", case.name)) && files[1].text.contains("polyline"));
        let page = &files[0].text;
        assert!(page.contains("`xpbd`: order 2.00 (fit within ×1.00)"), "{page}");
        assert!(page.contains("`free`: not run (no luck)"), "{page}");
        assert!(page.contains(&format!("(accuracy/{}.svg)", case.name)));
    }
}
