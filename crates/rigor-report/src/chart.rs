//! Charts of one number against another, with one curve per method: work–precision plots, sweeps, heat maps.
//!
//! The SVG is self-contained and has no background; its colours are visible on white and on black.
//!
//! ```
//! use rigor_report::chart::{Chart, Curve, CurvePoint};
//! let dots = [(0.1, 1e-2), (0.2, 5e-3)].map(|(x, y)| CurvePoint { x, y, ..CurvePoint::default() }).to_vec();
//! let chart = Chart {
//!     title: "Error of a fall".into(),
//!     x: "CPU time [s]".into(),
//!     y: "error [m]".into(),
//!     curves: vec![Curve { label: "xpbd".into(), colour: 0, dots, ..Curve::default() }],
//!     ..Chart::default()
//! };
//! assert!(chart.svg().unwrap().starts_with("<svg"));
//! ```

mod notes;

use maud::{Markup, PreEscaped, html};
use rigor_math::elementary;

use crate::number::{power, significant, ten_to};
use crate::scale::Scale;

/// Width and height in a page, in units.
const PAGE: [f64; 2] = [640.0, 360.0];
/// Left, top, right and bottom margins around the axes.
const MARGIN: [f64; 4] = [62.0, 52.0, 24.0, 40.0];
/// Smallest value on a logarithmic axis; smaller ones, which are rounding, are drawn here.
const FLOOR: f64 = 1e-15;
/// Minimum length of a logarithmic axis (decades).
const NARROW: f64 = 0.35;
/// A logarithmic axis shorter than this (decades) also has ticks at 2 and 5.
const FEW_DECADES: f64 = 2.0;
/// Distance of 0 from the smallest other value on a logarithmic axis, in parts of the length of the others.
const ABOVE_ZERO: f64 = 0.15;
/// Minimum distance of another tick from that of 0, in parts of the axis.
const NEAR_ZERO: f64 = 0.06;
const GREY: &str = "#808080";
/// Colours of the curves.
const COLOURS: [&str; 9] =
    ["#7a8b99", "#1e88e5", "#9c6ade", "#e4572e", "#2e9e5b", "#c9a227", "#d64f9e", "#17a2b8", "#8d6e63"];
/// The colours of a heat map are logarithmic if its values are positive and span this factor.
const WIDE: f64 = 30.0;
/// Room for the label of a column and of a row of a heat map, in units; where cells are smaller, some have none.
const LABEL: [f64; 2] = [44.0, 13.0];
/// Colour of empty cells of a heat map.
const NOTHING: &str = "#80808040";

/// Curves over two axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// What is plotted.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x: String,
    /// Label of the vertical axis, with its unit.
    pub y: String,
    /// Whether the horizontal and the vertical axis are linear instead of logarithmic.
    pub is_linear: [bool; 2],
    /// The curves.
    pub curves: Vec<Curve>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Its name in the legend.
    pub label: String,
    /// Index of its colour; colours repeat.
    pub colour: usize,
    /// Its points, in the order in which they are joined.
    pub dots: Vec<CurvePoint>,
    /// Whether it keeps the height of a point until the next one, with marks at its ends alone.
    pub is_step: bool,
}

/// One point of a curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CurvePoint {
    /// Horizontal value.
    pub x: f64,
    /// Vertical value.
    pub y: f64,
    /// A word beside the point, such as its Δt; may be empty.
    pub note: String,
    /// The ends of a bar through the point, such as the quartiles about a median.
    pub spread: Option<[f64; 2]>,
}

impl Chart {
    /// Renders the chart; `None` without a point that can be drawn.
    pub fn svg(&self) -> Option<String> {
        self.sized(PAGE)
    }

    /// Renders the chart in `size` units, whose letters are 11 high. A legend of several lines makes it higher.
    pub fn sized(&self, size: [f64; 2]) -> Option<String> {
        let x = Axis::of(self.values(|dot| dot.x), self.is_linear[0])?;
        let mut heights = self.values(|dot| dot.y);
        let ends = self.curves.iter().flat_map(|curve| &curve.dots).filter_map(|dot| dot.spread);
        heights.extend(ends.flatten().filter(|end| end.is_finite()));
        let y = Axis::of(heights, self.is_linear[1])?;
        let places = places(self.curves.iter().map(|curve| &*curve.label), size[0]);
        let [left, least_top, right, bottom] = MARGIN;
        let top = least_top.max(places.last().map_or(0.0, |place| place.1 + 30.0));
        let [width, height] = [size[0], size[1] + top - least_top];
        let frame = Frame { size: [width, height], top };
        let column = |place: f64| left + place * (width - left - right);
        let row = |place: f64| height - bottom - place * (height - top - bottom);
        let (across, down) = (|value: f64| column(x.place(value)), |value: f64| row(y.place(value)));
        let is_drawn = |dot: &&CurvePoint| dot.x.is_finite() && dot.y.is_finite();
        let drawn: Vec<Vec<&CurvePoint>> =
            self.curves.iter().map(|curve| curve.dots.iter().filter(is_drawn).collect()).collect();
        let points: Vec<Vec<(f64, f64)>> =
            drawn.iter().map(|dots| dots.iter().map(|dot| (across(dot.x), down(dot.y))).collect()).collect();
        let words: Vec<Vec<&str>> =
            drawn.iter().map(|dots| dots.iter().map(|dot| &*dot.note).collect()).collect();
        let beside = notes::places(&points, &words, [left, top, width - right, height - bottom]);
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}"))
                font-family="sans-serif" font-size="11" role="img" aria-label=(self.title) {
                rect x=(left) y=(top) width=(width - left - right) height=(height - top - bottom) fill="none" stroke=(GREY) {}
                @for (place, text) in y.ticks() { (frame.row_line(row(place), &text)) }
                @for (place, text) in x.ticks() { (frame.column_line(column(place), &text)) }
                text x=(width - right) y=(height - 6.0) text-anchor="end" fill=(GREY) { (self.x) }
                text x="4" y=(top - 8.0) fill=(GREY) { (self.y) }
                @for (k, at) in places.into_iter().enumerate() {
                    @let curve = &self.curves[k];
                    @if !curve.label.is_empty() { (legend(at, &curve.label, curve.colour)) }
                    polyline points=(path(line(&points[k], curve.is_step).into_iter())) fill="none"
                        stroke=(colour(curve.colour)) stroke-width="1.8" {}
                    @for (dot, &(px, _)) in drawn[k].iter().zip(&points[k]) {
                        @if let Some([low, high]) = dot.spread.filter(|ends| ends.iter().all(|end| end.is_finite())) {
                            polyline points=(path([(px, down(low)), (px, down(high))].into_iter())) fill="none"
                                stroke=(colour(curve.colour)) stroke-width="1" {}
                        }
                    }
                    @let last = points[k].len().saturating_sub(1);
                    @for (_, (dot, &(px, py))) in drawn[k].iter().zip(&points[k]).enumerate()
                        .filter(|(i, _)| !curve.is_step || *i == 0 || *i == last) {
                        (marker(curve.colour, (px, py), &tip(curve, dot)))
                    }
                }
                // On top of all lines.
                @for (k, curve) in self.curves.iter().enumerate() {
                    @for (dot, place) in drawn[k].iter().zip(&beside[k]) {
                        @if let Some((x, y)) = place {
                            text x=(short(*x)) y=(short(*y)) font-size="10" fill=(colour(curve.colour)) { (dot.note) }
                        }
                    }
                }
            }
        };
        Some(picture.into_string() + "\n")
    }

    /// Renders the chart as markup for a page.
    pub fn markup(&self) -> Option<Markup> {
        self.svg().map(PreEscaped)
    }

    fn values(&self, of: impl Fn(&CurvePoint) -> f64) -> Vec<f64> {
        self.curves.iter().flat_map(|curve| &curve.dots).map(of).filter(|value| value.is_finite()).collect()
    }
}

/// A table of numbers over two axes as coloured cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatMap {
    /// What is plotted.
    pub title: String,
    /// Label of the horizontal axis, and its values as text.
    pub columns: (String, Vec<String>),
    /// Label of the vertical axis, and its values as text, from the top.
    pub rows: (String, Vec<String>),
    /// The numbers, row by row; NaN where there is none.
    pub cells: Vec<Vec<f64>>,
    /// Label of the colours, with its unit.
    pub unit: String,
}

impl HeatMap {
    /// Renders the map; `None` without a number.
    pub fn svg(&self) -> Option<String> {
        self.sized(PAGE)
    }

    /// Renders the map in `size` units, whose letters are 11 high.
    pub fn sized(&self, size: [f64; 2]) -> Option<String> {
        let finite = || self.cells.iter().flatten().copied().filter(|value| value.is_finite());
        let [low, high] = finite().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v), h.max(v)]);
        if low > high {
            return None;
        }
        let ([left, top, right, bottom], [whole_width, whole_height]) = (MARGIN, size);
        let width = (whole_width - left - right) / self.columns.1.len().max(1) as f64;
        let height = (whole_height - top - bottom) / self.rows.1.len().max(1) as f64;
        // From blue over grey to orange, by the logarithm where values span decades; the value is written in the cell where it fits.
        let is_log = low > 0.0 && high >= WIDE * low;
        let at = |value: f64| if is_log { elementary::ln(value) } else { value };
        let stride = |size: f64, needed: f64| (needed / size).ceil().max(1.0) as usize;
        let (every_column, every_row) = (stride(width, LABEL[0]), stride(height, LABEL[1]));
        let colour = |value: f64| {
            let part = if high > low { (at(value) - at(low)) / (at(high) - at(low)) } else { 0.5 };
            let mix = |from: f64, to: f64| (from + part * (to - from)).round();
            format!("rgb({},{},{})", mix(33.0, 255.0), mix(120.0, 152.0), mix(210.0, 30.0))
        };
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {whole_width} {whole_height}"))
                font-family="sans-serif" font-size="11" role="img" aria-label=(self.title) {
                text x="4" y="14" fill=(GREY) { (format!("{}: {} to {}", self.unit, significant(low), significant(high))) }
                text x="4" y=(top - 8.0) fill=(GREY) { (self.rows.0) }
                text x=(whole_width - right) y=(whole_height - 6.0) text-anchor="end" fill=(GREY) { (self.columns.0) }
                @for (i, row) in self.cells.iter().enumerate() {
                    @let y = top + height * i as f64;
                    @if i % every_row == 0 {
                        text x=(left - 6.0) y=(short(y + 0.5 * height + 4.0)) text-anchor="end" fill=(GREY) { (self.rows.1[i]) }
                    }
                    @for (k, value) in row.iter().enumerate() {
                        @let x = left + width * k as f64;
                        rect x=(short(x)) y=(short(y)) width=(short(width)) height=(short(height))
                            fill=(if value.is_finite() { colour(*value) } else { NOTHING.to_owned() }) {
                            title { (format!("{}, {}: {}", self.columns.1[k], self.rows.1[i], significant(*value))) }
                        }
                        @if width > 44.0 && height > 14.0 && value.is_finite() {
                            text x=(short(x + 0.5 * width)) y=(short(y + 0.5 * height + 4.0)) text-anchor="middle"
                                fill="#000" { (significant(*value)) }
                        }
                    }
                }
                @for (k, name) in self.columns.1.iter().enumerate().filter(|(k, _)| k % every_column == 0) {
                    text x=(short(left + width * (k as f64 + 0.5))) y=(whole_height - bottom + 15.0) text-anchor="middle"
                        fill=(GREY) { (name) }
                }
            }
        };
        Some(picture.into_string() + "\n")
    }
}

/// An axis from 0 to 1.
enum Axis {
    /// Logarithmic, from 10^`low` to 10^`high`, with the value 0 at 10^`zero` below the others.
    Decades {
        low: f64,
        high: f64,
        zero: Option<f64>,
    },
    Linear(Scale),
}

impl Axis {
    fn of(values: Vec<f64>, is_linear: bool) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
        };
        if is_linear {
            let [least, most] = bounds(&mut values.iter().copied());
            let half = if least < most { 0.0 } else { 0.5 * least.abs().max(1.0) };
            return Some(Self::Linear(Scale::linear([least - half, most + half], "1", 6)));
        }
        let has_zero = values.iter().any(|v| is_zero(*v));
        let mut others = values.iter().filter(|v| !is_zero(**v)).map(|v| log10(v.abs().max(FLOOR)));
        let [least, high] = bounds(&mut others);
        let [least, high] = if least > high { [0.0; 2] } else { [least, high] };
        let zero = has_zero.then(|| least - (ABOVE_ZERO * (high - least)).max(NARROW));
        let low = zero.unwrap_or(least);
        // Room beside the points, and at least a third of a decade in all.
        let room = (0.06 * (high - low)).max(0.5 * (NARROW - (high - low)));
        Some(Self::Decades { low: low - room, high: high + room, zero })
    }

    fn place(&self, value: f64) -> f64 {
        match self {
            Self::Decades { low, high, zero } => {
                let exponent =
                    zero.filter(|_| is_zero(value)).unwrap_or_else(|| log10(value.abs().max(FLOOR)));
                (exponent - low) / (high - low)
            }
            Self::Linear(scale) => scale.place(value),
        }
    }

    /// Places of the grid lines, at most about eight, and their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Decades { low, high, zero } => {
                // No power of ten at or below the tick of 0.
                let lowest = zero.map_or(0.0, |_| self.place(0.0) + NEAR_ZERO);
                let (first, last) = (low.floor() as i32, high.ceil() as i32);
                let stride = ((high - low) / 8.0) as i32 + 1;
                let factors: &[u8] = if high - low < FEW_DECADES { &[1, 2, 5] } else { &[1] };
                let exponents = (first..=last).filter(|k| k.rem_euclid(stride) == 0);
                let ticks = exponents.flat_map(|k| factors.iter().map(move |factor| (*factor, k)));
                let label = |factor: u8, k: i32| match factor {
                    1 => power(k),
                    _ => format!("{factor}·{}", power(k)),
                };
                let ticks =
                    ticks.map(|(factor, k)| (self.place(f64::from(factor) * ten_to(k)), label(factor, k)));
                let ticks = ticks.filter(|(place, _)| (lowest..=1.0).contains(place));
                zero.map(|_| (self.place(0.0), "0".to_owned())).into_iter().chain(ticks).collect()
            }
            Self::Linear(scale) => scale.ticks.iter().map(|tick| (tick.place, tick.label.clone())).collect(),
        }
    }
}

fn is_zero(value: f64) -> bool {
    value.abs() < f64::MIN_POSITIVE
}

fn log10(value: f64) -> f64 {
    elementary::ln(value) / std::f64::consts::LN_10
}

/// Where the axes are.
struct Frame {
    size: [f64; 2],
    top: f64,
}

impl Frame {
    fn row_line(&self, y: f64, text: &str) -> Markup {
        html! {
            line x1=(MARGIN[0]) x2=(self.size[0] - MARGIN[2]) y1=(short(y)) y2=(short(y)) stroke=(GREY) stroke-opacity="0.3" {}
            text x=(MARGIN[0] - 6.0) y=(short(y + 4.0)) text-anchor="end" fill=(GREY) { (text) }
        }
    }

    fn column_line(&self, x: f64, text: &str) -> Markup {
        let bottom = self.size[1] - MARGIN[3];
        html! {
            line x1=(short(x)) x2=(short(x)) y1=(self.top) y2=(bottom) stroke=(GREY) stroke-opacity="0.3" {}
            text x=(short(x)) y=(bottom + 15.0) text-anchor="middle" fill=(GREY) { (text) }
        }
    }
}

/// Positions of the entries of the legend, side by side on as many lines as they need.
fn places<'a>(labels: impl Iterator<Item = &'a str>, whole: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (MARGIN[0], 14.0);
    let next = |label: &str| {
        // Points without a name have no entry.
        if label.is_empty() {
            return (x, y);
        }
        // A line sample, gaps, and letters about six units wide.
        let width = 36.0 + 6.0 * label.chars().count() as f64;
        if x > MARGIN[0] && x + width > whole {
            (x, y) = (MARGIN[0], y + 15.0);
        }
        let at = (x, y);
        x += width;
        at
    };
    labels.map(next).collect()
}

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// What is shown of a point under the mouse.
fn tip(curve: &Curve, dot: &CurvePoint) -> String {
    let note = if dot.note.is_empty() { String::new() } else { format!(" ({})", dot.note) };
    format!("{}: {} , {}{note}", curve.label, significant(dot.x), significant(dot.y))
}

fn legend((x, y): (f64, f64), label: &str, index: usize) -> Markup {
    let colour = colour(index);
    html! {
        (marker(index, (x + 8.0, y), label))
        line x1=(short(x)) x2=(short(x + 16.0)) y1=(y) y2=(y) stroke=(colour) stroke-width="1.8" {}
        text x=(short(x + 20.0)) y=(y + 4.0) fill=(colour) { (label) }
    }
}

/// A mark: a disc, a square, a diamond or a triangle, so that curves differ in print too. `tip` is shown under the mouse.
fn marker(curve: usize, (x, y): (f64, f64), tip: &str) -> Markup {
    let (x, y) = (short(x), short(y));
    let corners = match curve % 4 {
        0 => return html! { circle cx=(x) cy=(y) r="3.2" fill=(colour(curve)) { title { (tip) } } },
        1 => format!("M{x},{y}m-3,-3h6v6h-6z"),
        2 => format!("M{x},{y}m0,-4.2l4.2,4.2l-4.2,4.2l-4.2,-4.2z"),
        _ => format!("M{x},{y}m0,-4l4,7h-8z"),
    };
    html! { path d=(corners) fill=(colour(curve)) { title { (tip) } } }
}

/// The points through which a curve goes: for steps, with a corner before each but the first.
fn line(points: &[(f64, f64)], is_step: bool) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::with_capacity(2 * points.len());
    for &(x, y) in points {
        if let Some(&(_, before)) = line.last().filter(|_| is_step) {
            line.push((x, before));
        }
        line.push((x, y));
    }
    line
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    points.map(|(x, y)| format!("{},{}", short(x), short(y))).collect::<Vec<_>>().join(" ")
}

/// Rounds a coordinate to one decimal.
fn short(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_corners_and_spreads_have_bars_within_the_axis() {
        assert_eq!(line(&[(0.0, 1.0), (2.0, 3.0)], false), [(0.0, 1.0), (2.0, 3.0)]);
        assert_eq!(line(&[(0.0, 1.0), (2.0, 3.0)], true), [(0.0, 1.0), (2.0, 1.0), (2.0, 3.0)]);
        let dot = |x: f64, spread| CurvePoint { x, y: 2.0, spread, ..CurvePoint::default() };
        let chart = |spread| Chart {
            is_linear: [true; 2],
            curves: vec![Curve { dots: vec![dot(0.0, spread), dot(1.0, None)], ..Curve::default() }],
            ..Chart::default()
        };
        let (plain, barred) = (chart(None).svg().unwrap(), chart(Some([-5.0, 9.0])).svg().unwrap());
        let lines = |svg: &str| svg.matches("<polyline").count();
        assert_eq!(lines(&barred), lines(&plain) + 1);
        assert!(barred.contains(">-5<") || barred.contains(">−5<"), "the axis reaches the ends of the bar");
        assert!(chart(Some([f64::NAN, 1.0])).svg().is_some_and(|svg| lines(&svg) == lines(&plain)));
    }

    #[test]
    fn a_heat_map_of_decades_has_colours_between_and_labels_that_do_not_touch() {
        let names: Vec<String> = (0..40).map(|k| format!("{k}")).collect();
        let map = HeatMap {
            columns: ("x".into(), names.clone()),
            rows: ("y".into(), names),
            cells: (0..40).map(|i| (0..40).map(|k| ten_to(-i) * f64::from(k + 1)).collect()).collect(),
            ..HeatMap::default()
        };
        let svg = map.svg().expect("it has numbers");
        let colours: std::collections::BTreeSet<&str> =
            svg.split("fill=\"rgb(").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(colours.len() > 100, "{} colours", colours.len());
        let labels = svg.matches("text-anchor=\"middle\"").count();
        assert!(labels <= 14, "{labels} labels of columns on 640 units");
    }

    #[test]
    fn zero_stands_below_the_other_values_of_a_logarithmic_axis() {
        let axis = Axis::of(vec![0.0, 3.0, 500.0], false).expect("it has values");
        let [zero, least, most] = [0.0, 3.0, 500.0].map(|v| axis.place(v));
        assert!(0.0 < zero && zero < least && least < most && most < 1.0, "{zero} {least} {most}");
        assert!(least < 0.4, "{least}: zero takes most of the axis");
        let labels: Vec<String> = axis.ticks().into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels[0], "0");
        assert_eq!(labels.iter().filter(|label| *label == "0").count(), 1);
        // Rounding errors keep their size down to 1e-15, and zeros alone have an axis.
        let rounding = Axis::of(vec![1e-20, 1.0], false).expect("it has values");
        assert!(rounding.place(1e-20) < 0.1 && rounding.place(1e-10) > 0.2);
        assert_eq!(rounding.ticks().iter().filter(|(_, label)| label == "0").count(), 0);
        let zeros = Axis::of(vec![0.0, 0.0], false).expect("it has values");
        assert!((0.0..=1.0).contains(&zeros.place(0.0)));
        assert!(Axis::of(vec![], false).is_none());
    }
}
