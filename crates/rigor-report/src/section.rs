//! The section of one scene: description, pictures, plots, expectations and all figures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use rigor_audit::{Figure, Verdict};
use rigor_scene::{Bound, Expectation};

use crate::comparison::{MethodRow, SceneSection};
use crate::curves::plots;
use crate::figure::{COLUMNS, place};
use crate::mark::Mark;
use crate::naming::{anchor, row_name};
use crate::number::{quantity, significant};
use crate::playback::playback;
use crate::render::Png;

/// Renders the section of a scene; `methods` lists all methods of the comparison, which determine the
/// colours.
pub fn section(section: &SceneSection, methods: &[&str]) -> Markup {
    html! {
        section.scene id=(anchor(section)) {
            h2 { (section.name) " " a.up href="#summary" title="to the summary" { "↑" } }
            @if !section.description.is_empty() { p.description { (section.description) } }
            (source(section))
            (playback(section, methods))
            div.pictures {
                @if let Some(png) = &section.start_picture {
                    figure { (picture(png, &format!("{} at the start", section.name))) figcaption { "start" } }
                }
                @for row in &section.rows { (end_picture(section, row)) }
            }
            (plots(section, methods))
            (notices(section))
            (expectations(section))
            (figures(section))
        }
    }
}

fn source(section: &SceneSection) -> Markup {
    html! {
        @if let Some(source) = &section.source {
            p.source {
                "Source: [" (source.key) "]"
                @if !source.place.is_empty() { ", " (source.place) }
                @if !source.note.is_empty() { ". " (source.note) }
            }
        }
    }
}

fn picture(png: &Png, alt: &str) -> Markup {
    let data = STANDARD.encode(&png.0);
    html! { img src=(format!("data:image/png;base64,{data}")) alt=(alt) loading="lazy"; }
}

/// Renders the last state of a row and how it ended; without a picture, the reason alone.
fn end_picture(section: &SceneSection, row: &MethodRow) -> Markup {
    let outcome = (COLUMNS[0].cell)(section, row);
    let name = row_name(section, row);
    html! {
        figure {
            @if let Some(png) = &row.end_picture {
                (picture(png, &format!("{} at the end, by {name}", section.name)))
            } @else {
                div.nothing { (outcome.text) }
            }
            figcaption {
                b { (name) }
                " "
                span class=(outcome.mark.class()) {
                    @if outcome.mark != Mark::Plain { span.sign { (outcome.mark.sign()) } }
                    (outcome.text)
                }
                @if !matches!(row.ending, crate::comparison::Ending::Completed) && !outcome.detail.is_empty() {
                    ": " (outcome.detail)
                }
            }
        }
    }
}

/// Lists requests of the scene that methods ignore, and flaws of their steps.
fn notices(section: &SceneSection) -> Markup {
    let mut all: Vec<(String, String)> = Vec::new();
    for row in &section.rows {
        // A notice that does not depend on the time step is shown once.
        let of_row = row.notices.iter().map(|notice| (row.label.clone(), notice.text.clone()));
        let of_scene = row.warnings.iter().map(|warning| ("scene".to_owned(), warning.clone()));
        let of_row = of_scene.chain(of_row);
        for notice in of_row.chain(row.flaws.iter().map(|flaw| (row_name(section, row), flaw.to_string()))) {
            if !all.contains(&notice) {
                all.push(notice);
            }
        }
    }
    html! {
        @if !all.is_empty() {
            h3 { "Warnings, ignored requests and flawed steps" }
            ul.notices { @for (who, what) in &all { li { b { (who) } ": " (what) } } }
        }
    }
}

fn expectations(section: &SceneSection) -> Markup {
    let mut all: Vec<&Expectation> = Vec::new();
    for (expectation, _) in section.rows.iter().flat_map(|row| &row.expectations) {
        if !all.contains(&expectation) {
            all.push(expectation);
        }
    }
    let rows: Vec<&MethodRow> = section.rows.iter().filter(|row| !row.expectations.is_empty()).collect();
    html! {
        @if !all.is_empty() {
            h3 { "Expectations" }
            div.wide { table.expectations {
                thead { tr { th { "Expected" } @for row in &rows { th.number { (row_name(section, row)) } } } }
                tbody { @for expectation in all { tr {
                    th scope="row" {
                        (condition(section, expectation))
                        @if !expectation.because.is_empty() { div.because { (expectation.because) } }
                        @if !expectation.methods.is_empty() {
                            div.because { "Claimed by " (expectation.methods.join(", ")) ". " (expectation.methods_because) }
                        }
                    }
                    @for row in &rows { (verdict(row, expectation)) }
                } } }
            } }
        }
    }
}

/// "penetration.deepest of box ≤ 1 mm".
fn condition(section: &SceneSection, expectation: &Expectation) -> Markup {
    let figure = Figure::named(&expectation.figure);
    let number = |value| quantity(value, figure.map_or("1", |figure| figure.unit));
    let bound = match expectation.bound {
        Bound::AtMost(limit) => format!("≤ {}", number(limit)),
        Bound::AtLeast(limit) => format!("≥ {}", number(limit)),
        Bound::Near { target, tolerance } => format!("= {} ± {}", number(target), number(tolerance)),
    };
    html! {
        code title=(figure.map_or("", |figure| figure.meaning)) { (expectation.figure) }
        @if let Some(body) = expectation.body { " of " (section.body_name(body)) }
        " " span.bound { (bound) }
    }
}

fn verdict(row: &MethodRow, expectation: &Expectation) -> Markup {
    let verdict = row.expectations.iter().find(|(other, _)| other == expectation).map(|(_, verdict)| verdict);
    let is_claimed = expectation.is_claimed_by(&row.method);
    let (mark, text, detail) = match verdict {
        None => (Mark::Plain, "not applicable".to_owned(), String::new()),
        Some(Verdict::NotMeasured) => (Mark::Slight, "not measured".to_owned(), String::new()),
        Some(Verdict::Held(found)) => (Mark::Good, quantity(found.value, found.unit), place(found)),
        Some(Verdict::Failed(found)) => (Mark::Bad, quantity(found.value, found.unit), place(found)),
    };
    html! {
        td class=(format!("number {}", if is_claimed { mark.class() } else { Mark::Plain.class() })) title=(detail) {
            @if mark != Mark::Plain { span.sign { (mark.sign()) } }
            (text)
            @if !is_claimed { div.because { "no claim of the method" } }
        }
    }
}

/// Renders all findings on the scene as a whole.
fn figures(section: &SceneSection) -> Markup {
    let rows: Vec<&MethodRow> = section.rows.iter().filter(|row| !row.findings.is_empty()).collect();
    let is_found = |figure: &&Figure| rows.iter().any(|row| row.finding(figure.name).is_some());
    let figures: Vec<&Figure> = rigor_audit::figures().filter(is_found).collect();
    html! {
        @if !figures.is_empty() {
            details {
                summary { "Every figure of the scene" }
                div.wide { table.every {
                    thead { tr {
                        th { "Figure" } th { "Unit" }
                        @for row in &rows { th.number { (row_name(section, row)) } }
                    } }
                    tbody { @for figure in figures { tr {
                        th scope="row" title=(figure.meaning) { code { (figure.name) } }
                        td { (figure.unit) }
                        @for row in &rows { (every_cell(row, figure)) }
                    } } }
                } }
            }
        }
    }
}

fn every_cell(row: &MethodRow, figure: &Figure) -> Markup {
    let found = row.finding(figure.name);
    html! {
        td.number title=(found.map(place).unwrap_or_default()) {
            (found.map_or_else(|| "–".to_owned(), |found| significant(found.value)))
        }
    }
}
