//! A page for each figure, and an index.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};
use rigor_report::mark::Mark;
use rigor_report::table::Table;
use rigor_report::{Comparison, Preface, html};

use crate::attempt::{Attempt, Outcome};
use crate::form::Form;
use crate::paper::Paper;
use crate::table;

/// Returns the file name of the figure's page, in the folder of the index.
pub fn file_name(attempt: &Attempt) -> String {
    format!("figure-{}.html", attempt.figure.id)
}

/// Renders the figure's page: claim, outcome, studies and runs. `frame` supplies machine, versions, date and
/// command line.
pub fn figure(paper: &Paper, attempt: &Attempt, frame: &Comparison) -> String {
    let Attempt { figure, sections, .. } = attempt;
    let preface = Preface {
        text: figure.claim.clone(),
        source: format!("[{}] {}, in our words", paper.key, place(&figure.id)),
        mark: mark(attempt.outcome()),
        verdict: verdicts(attempt),
        reasons: attempt.remarks(),
    };
    html(&Comparison {
        title: heading(attempt),
        preface: Some(preface),
        tables: attempt.studies.iter().map(table::of).chain(across(attempt)).collect(),
        drawings: attempt.gathered.iter().flat_map(|one| one.drawings.clone()).collect(),
        scenes: sections.clone(),
        ..frame.clone()
    })
}

/// The verdict in each form.
fn verdicts(attempt: &Attempt) -> String {
    let words = |(form, outcome): &(Form, Outcome)| format!("{}: {}", form.words(), outcome.word());
    match &attempt.verdicts[..] {
        [(Form::Here, outcome)] => outcome.word().to_owned(),
        all => all.iter().map(words).collect::<Vec<_>>().join("; "),
    }
}

/// The tables across methods.
fn across(attempt: &Attempt) -> impl Iterator<Item = Table> + '_ {
    attempt.gathered.iter().flat_map(|one| one.tables.clone())
}

/// Renders the index: all figures with claims, outcomes and links to their pages, then all studies.
pub fn index(paper: &Paper, attempts: &[Attempt], frame: &Comparison) -> String {
    let title = format!("{} [{}]", paper.title, paper.key);
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(rigor_report::STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.date { (frame.date) }
                    pre.command { code { (frame.command_line) } }
                }
                section { (outcomes(attempts)) }
                @for studied in attempts.iter().flat_map(|attempt| &attempt.studies) { (table::of(studied).section()) }
                @for table in attempts.iter().flat_map(across) { (table.section()) }
            }
        }
    };
    page.into_string()
}

fn outcomes(attempts: &[Attempt]) -> Markup {
    let forms: Vec<Form> =
        attempts.first().map_or(vec![], |first| first.verdicts.iter().map(|one| one.0).collect());
    markup! {
        div.wide { table.expectations {
            thead { tr { th { "Figure" } th { "Claim" } @for form in &forms { th { (form.words()) } } @if forms.len() > 1 { th { "CPU, printed / here" } } } }
            tbody { @for attempt in attempts {
                tr {
                    th scope="row" { a href=(file_name(attempt)) { (heading(attempt)) } }
                    td { (attempt.figure.claim) }
                    @for (form, outcome) in &attempt.verdicts {
                        td class=(mark(outcome).class()) {
                            span.sign { (mark(outcome).sign()) }
                            b { (outcome.word()) }
                            @for reason in attempt.reasons(*form) { div.because { (reason) } }
                            @if *form == Form::Here && !attempt.note.is_empty() { div.because { (attempt.note) } }
                        }
                    }
                    @if forms.len() > 1 { td { (ratio(attempt)) } }
                }
            } }
        } }
    }
}

/// The CPU time as printed over that as here, with two digits, or "–".
pub fn ratio(attempt: &Attempt) -> String {
    attempt.cpu_ratio().map_or_else(|| "–".into(), |ratio| format!("{ratio:.2}"))
}

fn heading(attempt: &Attempt) -> String {
    format!("{}: {}", place(&attempt.figure.id), attempt.figure.title)
}

/// Returns "figure 2a" for a numbered figure; otherwise the id itself.
fn place(id: &str) -> String {
    let is_number = id.starts_with(|c: char| c.is_ascii_digit());
    if is_number { format!("figure {id}") } else { id.to_owned() }
}

fn mark(outcome: &Outcome) -> Mark {
    match outcome {
        Outcome::Held => Mark::Good,
        Outcome::Failed { .. } => Mark::Bad,
        Outcome::NotJudged { .. } => Mark::Slight,
        Outcome::NotRun { .. } => Mark::Plain,
    }
}
