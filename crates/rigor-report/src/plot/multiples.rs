//! Small multiples: one small plot per line, over all others in grey, on the same axes.

use maud::{Markup, html};

use super::{Plot, column, path, row, short};
use crate::scale::Scale;

/// Width and height of a small plot, in units.
const SIZE: [f64; 2] = [240.0, 130.0];
/// Left, top, right and bottom margin.
const MARGIN: [f64; 4] = super::MARGIN;

impl Plot {
    /// Renders a small plot per line, named below; `id` is a name that no other element of the page has. `None` if there is nothing
    /// to plot.
    pub fn multiples(&self, id: &str) -> Option<Markup> {
        let (range, y) = (self.range()?, self.scale()?);
        let x = Scale::tight(range, self.across.1, 3);
        let ([left, top, right, bottom], [width, height]) = (MARGIN, SIZE);
        let across = |place: f64| left + place * (width - left - right);
        let down = |place: f64| height - bottom - place * (height - top - bottom);
        let paths: Vec<String> = self.lines.iter().map(|line| path(line, &x, &y, across, down)).collect();
        let few = |k: usize| k.is_multiple_of(y.ticks.len().div_ceil(3).max(1));
        Some(html! {
            figure.multiples {
                figcaption { (self.title) @if !y.unit.is_empty() { " (" (y.unit) ")" } }
                div.small {
                    @for (k, line) in self.lines.iter().enumerate() {
                        figure {
                            svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(format!("{}: {}", self.title, line.name)) {
                                @for (_, tick) in y.ticks.iter().enumerate().filter(|(k, _)| few(*k)) { (row(tick, down(tick.place), width)) }
                                @for tick in &x.ticks { (column(tick, across(tick.place), height)) }
                                text.time x=(width - right) y=(short(height - 4.0)) { (self.across.0) @if !x.unit.is_empty() { " (" (x.unit) ")" } }
                                @if k == 0 {
                                    g id=(id) { @for path in &paths { path.faded d=(path) {} } }
                                } @else {
                                    use href=(format!("#{id}")) {}
                                }
                                path class=(format!("line {}", line.class)) d=(paths[k]) {}
                            }
                            figcaption { (line.name) }
                        }
                    }
                }
            }
        })
    }
}
