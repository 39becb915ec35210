//! A table of numbers, with a plot.

use maud::{Markup, html};

use crate::mark::Mark;
use crate::plot::Plot;

/// A table of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// Explanatory note.
    pub note: String,
    /// The mark of the table.
    pub mark: Mark,
    /// The mistakes, if any.
    pub complaints: Vec<String>,
    /// Heading of each column.
    pub heading: Vec<String>,
    /// A word or a number for each column.
    pub rows: Vec<Vec<String>>,
    /// The numbers as curves.
    pub plot: Option<Plot>,
}

impl Table {
    /// Renders the table with its heading and its plot.
    pub fn section(&self) -> Markup {
        html! {
            section.scene {
                h2 { (self.title) }
                @if !self.note.is_empty() { p.source { (self.note) } }
                @if self.mark != Mark::Plain {
                    p class=(self.mark.class()) {
                        span.sign { (self.mark.sign()) }
                        (if self.complaints.is_empty() { "as claimed" } else { "not as claimed" })
                        @for complaint in &self.complaints { div.because { (complaint) } }
                    }
                }
                div.wide { table.expectations {
                    thead { tr { @for (k, name) in self.heading.iter().enumerate() { (self.head(k, name)) } } }
                    tbody { @for row in &self.rows { tr {
                        @for (k, cell) in row.iter().enumerate() {
                            @if k == 0 { th scope="row" { (cell) } } @else { td class=(self.class(k)) { (cell) } }
                        }
                    } } }
                } }
                (self.curves())
            }
        }
    }

    /// A column with a sentence is set as text, any other as numbers.
    fn class(&self, column: usize) -> &'static str {
        let is_sentence = |cell: &String| cell.len() > MAX_NUMBER_LENGTH;
        if self.rows.iter().filter_map(|row| row.get(column)).any(is_sentence) { "words" } else { "number" }
    }

    fn head(&self, column: usize, name: &str) -> Markup {
        html! { @if column == 0 { th { (name) } } @else { th class=(self.class(column)) { (name) } } }
    }

    fn curves(&self) -> Markup {
        html! {
            @if let Some(figure) = self.plot.as_ref().and_then(|plot| plot.figure(true)) { div.plots { (figure) } }
        }
    }
}

/// Length (bytes) of the longest cell that is set as a number.
const MAX_NUMBER_LENGTH: usize = 32;
