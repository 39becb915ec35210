//! A plot as SVG. Colours come from the page's style sheet, by the class of each line.

mod data;
mod multiples;
mod overlap;

use std::borrow::Cow;
use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use crate::paper::grid::{Cell, Grid};
use crate::scale::{Scale, Tick};

/// Size of the picture in a page, in the units of its own view box.
const PAGE: [f64; 2] = [480.0, 250.0];
/// Left, top, right and bottom margin around the axes.
const MARGIN: [f64; 4] = [62.0, 26.0, 12.0, 34.0];
/// If values differ by less than this factor, a logarithmic axis is pointless.
const FEW: f64 = 30.0;

/// The time axis.
pub const TIME: (Cow<'static, str>, &str) = (Cow::Borrowed("time"), "s");

/// A plot of several curves, usually over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// The title.
    pub title: String,
    /// Quantity and unit of the horizontal axis.
    pub across: (Cow<'static, str>, &'static str),
    /// Unit of the values.
    pub unit: &'static str,
    /// Layout of the value axis.
    pub layout: Layout,
    /// The curves, one per run.
    pub lines: Vec<Line>,
}

/// The layout of a value axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Linear, unless one run's values are so much larger than the others' that those would appear flat.
    Linear,
    /// Logarithmic, including zero, unless all values are of similar size.
    Decades,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Style classes.
    pub class: String,
    /// Name of the run.
    pub name: String,
    /// Pairs of time (or another increasing quantity) and value.
    pub points: Vec<(f64, f64)>,
}

impl Plot {
    /// Returns whether every value is 0.
    pub fn is_zero(&self) -> bool {
        self.lines.iter().flat_map(|line| &line.points).all(|point| point.1 == 0.0)
    }

    /// Renders the plot; `None` if there is nothing to plot.
    pub fn svg(&self) -> Option<Markup> {
        Some(self.drawn(self.range()?, &self.scale()?, PAGE))
    }

    /// Renders the plot in `size` units (of 1/96 inch, the letters are 11.5 high) with its title, and the names of its lines below,
    /// for print; `None` if there is nothing to plot.
    pub fn printed(&self, size: [f64; 2]) -> Option<String> {
        let (range, scale) = (self.range()?, self.scale()?);
        let plot = self.drawn(range, &scale, size).into_string();
        let keys = keys(&self.lines, size);
        let height = size[1] + keys.1;
        let title = html! { text x="0" y="10" font-size="11.5" { (self.title) @if !scale.unit.is_empty() { " (" (scale.unit) ")" } } };
        let inner = plot.split_once('>')?.1.strip_suffix("</svg>")?;
        let body = html! { (title) (PreEscaped(inner)) (keys.0) };
        Some(format!("<svg viewBox=\"0 0 {} {height}\">{}</svg>", size[0], body.into_string()))
    }

    /// Returns the numbers as a table: a column for the horizontal axis, and one per line.
    pub fn numbers(&self) -> Grid {
        let mut times: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.0).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let name = |name: &str, unit: &str| {
            if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
        };
        let names = self.lines.iter().map(|line| name(&line.name, self.unit));
        let mut next = vec![0; self.lines.len()];
        let row = |time: &f64| {
            let values = self.lines.iter().zip(&mut next).map(|(line, k)| match line.points.get(*k) {
                Some((at, value)) if at == time => {
                    *k += 1;
                    Cell::number(*value)
                }
                _ => Cell::text(""),
            });
            std::iter::once(Cell::number(*time)).chain(values).collect()
        };
        Grid {
            title: self.title.clone(),
            heading: std::iter::once(name(&self.across.0, self.across.1)).chain(names).collect(),
            rows: times.iter().map(row).collect(),
        }
    }

    /// Renders the plot as a figure that the script of a page serves, with its title, its numbers and, with `has_keys`, what
    /// its lines stand for; `None` if there is nothing to plot.
    pub fn figure(&self, has_keys: bool) -> Option<Markup> {
        let (range, scale) = (self.range()?, self.scale()?);
        Some(html! {
            figure.plot {
                figcaption { (self.title) }
                (self.drawn(range, &scale, PAGE))
                (data::data(self, range, &scale))
                @if has_keys { p.keys { @for line in &self.lines { (key(&line.class, &line.name)) } } }
            }
        })
    }

    /// The range of the horizontal axis.
    fn range(&self) -> Option<[f64; 2]> {
        let [low, high] = range(self.lines.iter().flat_map(|line| &line.points).map(|point| point.0))?;
        Some([low, if high > low { high } else { low + 1.0 }])
    }

    fn drawn(&self, range: [f64; 2], y: &Scale, size: [f64; 2]) -> Markup {
        let x = Scale::tight(range, self.across.1, if size[0] < PAGE[0] { 4 } else { 6 });
        let ([left, top, right, bottom], [width, height]) = (MARGIN, size);
        let across = |place: f64| left + place * (width - left - right);
        let down = |place: f64| height - bottom - place * (height - top - bottom);
        let stripes = overlap::stripes(&self.lines, range, |value| down(y.place(value)));
        // Elsewhere the unit stands in the title.
        let is_on_page = (width - PAGE[0]).abs() < 0.5;
        let paths = self
            .lines
            .iter()
            .zip(stripes)
            .map(|(line, dashes)| (line, dashes, path(line, &x, y, across, down)));
        html! {
            svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(self.title) {
                g.axes {
                    @for tick in &y.ticks { (row(tick, down(tick.place), width)) }
                    @for tick in &x.ticks { (column(tick, across(tick.place), height)) }
                    @if is_on_page { (unit(&y.unit)) }
                    text.time x=(width - right) y=(height - 4.0) {
                        (self.across.0) @if !x.unit.is_empty() { " (" (x.unit) ")" }
                    }
                    @for place in y.breaks() { (break_mark(down(place))) }
                }
                @for (line, dashes, path) in paths {
                    path class=(format!("line {}", line.class)) style=[dashes] d=(path) { title { (line.name) } }
                }
            }
        }
    }

    /// Chooses the value axis; `None` if there are no values.
    fn scale(&self) -> Option<Scale> {
        let values = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let [low, high] = range(values())?;
        let largest = low.abs().max(high.abs());
        let least = values().map(f64::abs).filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        match self.layout {
            _ if largest == 0.0 => Some(Scale::linear([0.0, 1.0], self.unit, 4)),
            Layout::Decades if low == 0.0 || largest > FEW * least => {
                Some(Scale::decades([low, high], least, self.unit))
            }
            Layout::Linear if largest > FEW * self.typical_size() => {
                Some(Scale::decades([low, high], 0.1 * self.typical_size(), self.unit))
            }
            _ => Some(Scale::linear([low, high], self.unit, 5)),
        }
    }

    /// Returns the lower median of the lines' largest magnitudes.
    fn typical_size(&self) -> f64 {
        let size =
            |line: &Line| line.points.iter().map(|p| p.1.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let mut sizes: Vec<f64> = self.lines.iter().map(size).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    }
}

/// Renders the unit above the numbers of the axis; a long one starts at the edge of the picture.
fn unit(unit: &str) -> Markup {
    let is_long = unit.chars().count() > 6;
    html! {
        @if !unit.is_empty() {
            text.unit.long[is_long] x=(if is_long { 0.0 } else { MARGIN[0] }) y="10" { "(" (unit) ")" }
        }
    }
}

/// Two strokes across the axis: between 0 and the first power of ten it is not logarithmic.
fn break_mark(y: f64) -> Markup {
    html! { path.break d=(format!("M{} {}l10 -4m-10 7l10 -4", MARGIN[0] - 5.0, short(y + 1.0))) {} }
}

fn row(tick: &Tick, y: f64, width: f64) -> Markup {
    let [left, _, right, _] = MARGIN;
    html! {
        line class=(if tick.label == "0" { "grid zero" } else { "grid" })
            x1=(left) x2=(width - right) y1=(short(y)) y2=(short(y)) {}
        @if !tick.label.is_empty() { text.y x=(left - 6.0) y=(short(y + 4.0)) { (tick.label) } }
    }
}

fn column(tick: &Tick, x: f64, height: f64) -> Markup {
    let [_, top, _, bottom] = MARGIN;
    html! {
        line.grid x1=(short(x)) x2=(short(x)) y1=(top) y2=(height - bottom) {}
        text.x x=(short(x)) y=(height - bottom + 15.0) { (tick.label) }
    }
}

/// Returns the curve as path data; a non-finite value breaks it.
fn path(line: &Line, x: &Scale, y: &Scale, across: impl Fn(f64) -> f64, down: impl Fn(f64) -> f64) -> String {
    let mut data = String::new();
    let mut is_drawing = false;
    for (time, value) in thin(&line.points, |time| (2.0 * across(x.place(time))) as i64) {
        if !value.is_finite() {
            is_drawing = false;
            continue;
        }
        let command = if is_drawing { 'L' } else { 'M' };
        let (px, py) = (short(across(x.place(time))), short(down(y.place(value))));
        write!(data, "{command}{px} {py}").expect("strings grow");
        is_drawing = true;
    }
    data
}

/// Keeps the first, smallest, largest and last of consecutive points that fall into one `bin`, in order.
fn thin(points: &[(f64, f64)], bin: impl Fn(f64) -> i64) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for group in points.chunk_by(|a, b| bin(a.0) == bin(b.0)) {
        let by_value = |a: &(usize, &(f64, f64)), b: &(usize, &(f64, f64))| a.1.1.total_cmp(&b.1.1);
        let least = group.iter().enumerate().min_by(by_value).map_or(0, |(k, _)| k);
        let largest = group.iter().enumerate().max_by(by_value).map_or(0, |(k, _)| k);
        let mut indices = vec![0, least, largest, group.len() - 1];
        indices.sort_unstable();
        indices.dedup();
        kept.extend(indices.into_iter().map(|k| group[k]));
    }
    kept
}

/// Returns the smallest and the largest finite value.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|v| v.is_finite());
    let [low, high] =
        finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
    (low <= high).then_some([low, high])
}

/// Rounds a coordinate to a tenth.
fn short(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

/// The names of lines below a plot of `size`, side by side as far as they fit, and the height that they take.
fn keys(lines: &[Line], [width, height]: [f64; 2]) -> (Markup, f64) {
    let (mut x, mut y) = (0.0, height + 12.0);
    let mut places = Vec::new();
    for line in lines {
        // A stroke of 20 units, a gap, and letters about seven units wide.
        let needed = 40.0 + 7.0 * line.name.chars().count() as f64;
        if x > 0.0 && x + needed > width {
            (x, y) = (0.0, y + 16.0);
        }
        places.push((x, y));
        x += needed;
    }
    let markup = html! {
        @for (line, (x, y)) in lines.iter().zip(places) {
            path class=(format!("line {}", line.class)) d=(format!("M{} {}h20", short(x), short(y - 4.0))) {}
            text x=(short(x + 26.0)) y=(short(y)) font-size="11.5" fill="#1c2024" { (line.name) }
        }
    };
    (markup, y + 6.0 - height)
}

/// A stroke and what it stands for.
pub(crate) fn key(class: &str, name: &str) -> Markup {
    html! {
        span.key {
            svg viewBox="0 0 28 10" width="28" height="10" aria-hidden="true" {
                path class=(format!("line {class}")) d="M0 5L28 5" {}
            }
            (name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(layout: Layout, lines: &[&[f64]]) -> Plot {
        let line = |values: &&[f64]| Line {
            class: "c0".into(),
            name: "run <1>".into(),
            points: values.iter().enumerate().map(|(k, v)| (k as f64, *v)).collect(),
        };
        Plot { title: "t".into(), across: TIME, unit: "m", layout, lines: lines.iter().map(line).collect() }
    }

    #[test]
    fn thinning_keeps_every_peak() {
        let points: Vec<_> = (0..10_000).map(|k| (f64::from(k), if k == 4321 { 1.0 } else { 0.0 })).collect();
        let kept = thin(&points, |time| (time / 100.0) as i64);
        assert!(kept.len() <= 400 && kept.contains(&(4321.0, 1.0)), "{}", kept.len());
        assert!(kept.windows(2).all(|w| w[0].0 < w[1].0));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9_999]));
    }

    #[test]
    fn curves_break_where_values_are_not_finite() {
        let svg = plot(Layout::Linear, &[&[0.0, 1.0, f64::NAN, 1.0, 0.0]]).svg().unwrap().into_string();
        let data = svg.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!((data.matches('M').count(), data.matches('L').count()), (2, 2), "{data}");
        assert!(svg.contains("run &lt;1&gt;"));
    }

    #[test]
    fn values_from_zero_over_many_decades_get_decades_and_others_do_not() {
        let is_linear = |layout, lines: &[&[f64]]| !plot(layout, lines).scale().unwrap().unit.is_empty();
        assert!(!is_linear(Layout::Decades, &[&[0.0, 1e-9, 1e-3]]));
        assert!(is_linear(Layout::Decades, &[&[0.2, 0.3, 0.4]]));
        assert!(is_linear(Layout::Linear, &[&[0.0, -3.0], &[0.0, -4.0]]));
        assert!(!is_linear(Layout::Linear, &[&[0.0, -3.0], &[0.0, 1e6]]));
    }

    #[test]
    fn nothing_is_no_plot() {
        assert!(plot(Layout::Linear, &[]).svg().is_none());
        assert!(plot(Layout::Linear, &[&[f64::NAN]]).svg().is_none());
        let zero = plot(Layout::Decades, &[&[0.0, 0.0]]);
        assert!(zero.is_zero() && zero.svg().is_some());
    }
}
