//! What went wrong, first on the page: each run with its worst moment, from near.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use rigor_audit::{Finding, Verdict};
use rigor_scene::Expectation;

use crate::comparison::{Comparison, Ending, MethodRow, SceneSection};
use crate::mark::Mark;
use crate::moment::{moments, worst};
use crate::naming::row_name;
use crate::number::quantity;
use crate::playback::jump;
use crate::summary::verdict;

/// Maximum number of runs that are shown; the table below has all.
const MAX_RUNS: usize = 12;

/// Renders the runs that are wrong, then those that are slightly off; nothing if none is.
pub fn faults(comparison: &Comparison) -> Markup {
    let mut all: Vec<(Mark, String, &SceneSection, &MethodRow)> = Vec::new();
    for section in &comparison.scenes {
        for row in &section.rows {
            let (mark, text) = verdict(section, row);
            let is_fault = mark >= Mark::Slight && !matches!(row.ending, Ending::Skipped { .. });
            if is_fault && (mark == Mark::Bad || row.departure.is_some()) {
                all.push((mark, text, section, row));
            }
        }
    }
    all.sort_by_key(|(mark, ..)| std::cmp::Reverse(*mark));
    let (n, more) = (all.len(), all.len().saturating_sub(MAX_RUNS));
    html! {
        @if !all.is_empty() {
            section #faults {
                h2 { "What went wrong" }
                p.source { (n) " of " (runs(comparison)) " runs. “at …” shows the moment; bodies of the moment are red." }
                div.faults { @for (mark, text, section, row) in all.iter().take(MAX_RUNS) { (card(*mark, text, section, row)) } }
                @if more > 0 { p.source { (more) " more are in the table below." } }
            }
        }
    }
}

/// The expectations that the method claims to meet and does not, with what was found.
fn failed(row: &MethodRow) -> impl Iterator<Item = (&Expectation, &Finding)> {
    row.claims().filter_map(|(expectation, verdict)| match verdict {
        Verdict::Failed(found) => Some((expectation, found)),
        _ => None,
    })
}

fn runs(comparison: &Comparison) -> usize {
    comparison.scenes.iter().map(|section| section.rows.len()).sum()
}

fn card(mark: Mark, text: &str, section: &SceneSection, row: &MethodRow) -> Markup {
    let all = moments(section, row);
    let moment = worst(&all).map(|k| &all[k]);
    let look = moment.and_then(|moment| row.closeup(moment.time));
    let png = look.and_then(|look| look.picture.as_ref());
    let bodies = moment.map(|moment| moment.bodies.join(" – ")).unwrap_or_default();
    let name = format!("{} by {}", section.name, row_name(section, row));
    html! {
        figure.fault {
            @if let Some(png) = png {
                img src=(format!("data:image/png;base64,{}", STANDARD.encode(&png.0))) alt=(format!("{name}, from near")) loading="lazy";
            }
            figcaption {
                b { (name) }
                div class=(format!("verdict {}", mark.class())) { span.sign { (mark.sign()) } span { (text) (jump(section, row)) } }
                @if let Some(moment) = moment {
                    div.because {
                        (moment.what) " at " (quantity(moment.time, "s"))
                        @if !bodies.is_empty() { ": " (bodies) }
                    }
                }
                @for (expectation, found) in failed(row) {
                    div.because { "expected " (expectation.figure) " otherwise: it is " (quantity(found.value, found.unit)) }
                }
                @if let Ending::Stopped { why } | Ending::Failed { why } = &row.ending { div.because { (why) } }
            }
        }
    }
}
