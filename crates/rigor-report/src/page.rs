//! The entire page.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use crate::comparison::{Comparison, Preface};
use crate::faults::faults;
use crate::files::files;
use crate::mark::Mark;
use crate::naming::methods;
use crate::player;
use crate::section::section;
use crate::summary::summary;

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("style.css");

/// Formats the comparison as one self-contained HTML page.
///
/// Plots and tables of a study stand first, then the summary with a row per run, then a section per scene.
/// It can be opened from a file without a network, in light and dark mode, on narrow screens and on paper.
/// Its scripts sort the summary when a heading is clicked, serve the plots and play the runs; they fetch nothing.
pub fn html(comparison: &Comparison) -> String {
    let methods = methods(comparison);
    // A run that goes on has no figures yet.
    let is_followed = comparison.live.as_deref() == Some("one");
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(concat!("rigor ", env!("CARGO_PKG_VERSION")));
                title { (comparison.title) }
                style { (PreEscaped(STYLE)) (PreEscaped(player::STYLE)) }
            }
            body data-live=[comparison.live.as_ref()] {
                (header(comparison))
                (faults(comparison))
                @if !comparison.drawings.is_empty() { (drawings(comparison)) }
                @for table in &comparison.tables { (table.section()) }
                @if is_followed { p.source role="status" { "The run goes on. It is judged when it has ended; this page then has its figures and plots." } }
                @if !comparison.scenes.is_empty() && !is_followed { (summary(comparison)) }
                @for scene in &comparison.scenes { (section(scene, &methods)) }
                (provenance(comparison))
                script { (PreEscaped(include_str!("sort.js"))) }
                @for script in player::SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}

fn header(comparison: &Comparison) -> Markup {
    markup! {
        header {
            h1 { (comparison.title) }
            @if let Some(told) = &comparison.preface { (preface(told)) }
            @if !comparison.description.is_empty() { p.description { (comparison.description) } }
            @if !comparison.date.is_empty() { p.date { (comparison.date) } }
        }
    }
}

/// Renders what one needs to make the page again.
fn provenance(comparison: &Comparison) -> Markup {
    markup! {
        footer {
            @if !comparison.command_line.is_empty() {
                h2 { "How this page was made" }
                pre.command { code { (comparison.command_line) } }
            }
            div.facts {
                (facts("Machine", &comparison.machine))
                (facts("Versions", &comparison.versions))
            }
            (settings(comparison))
            (files(comparison))
        }
    }
}

/// Renders the plots made elsewhere.
fn drawings(comparison: &Comparison) -> Markup {
    markup! {
        section { div.plots {
            @for drawing in &comparison.drawings {
                figure { figcaption { (drawing.title) } (PreEscaped(&drawing.svg)) }
            }
        } }
    }
}

/// Renders the claim and its verdict.
fn preface(preface: &Preface) -> Markup {
    markup! {
        blockquote { (preface.text) footer.source { (preface.source) } }
        div class=(format!("verdict {}", preface.mark.class())) {
            @if preface.mark != Mark::Plain { span.sign { (preface.mark.sign()) } }
            div {
                b { (preface.verdict) }
                @for reason in &preface.reasons { div.because { (reason) } }
            }
        }
    }
}

fn facts(title: &str, facts: &[(String, String)]) -> Markup {
    markup! {
        @if !facts.is_empty() {
            details {
                summary { (title) }
                dl { @for (name, value) in facts { dt { (name) } dd { (value) } } }
            }
        }
    }
}

/// Lists each distinct text of settings of each method, with the scenes that used it.
fn settings(comparison: &Comparison) -> Markup {
    let mut all: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for scene in &comparison.scenes {
        for row in scene.rows.iter().filter(|row| !row.settings.is_empty()) {
            match all.iter_mut().find(|(method, text, _)| *method == row.label && *text == row.settings) {
                Some((_, _, scenes)) if scenes.contains(&scene.name.as_str()) => {}
                Some((_, _, scenes)) => scenes.push(&scene.name),
                None => all.push((&row.label, &row.settings, vec![&scene.name])),
            }
        }
    }
    let n_scenes = comparison.scenes.len();
    markup! {
        @if !all.is_empty() {
            details {
                summary { "Settings of the methods" }
                @for (method, text, scenes) in all {
                    h3 { (method) }
                    @if scenes.len() < n_scenes { p.source { "on " (scenes.join(", ")) } }
                    pre { code { (text) } }
                }
            }
        }
    }
}
