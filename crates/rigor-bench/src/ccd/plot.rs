//! A plot of time against lateness with one point per query, as a self-contained SVG.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use rigor_math::elementary;
use rigor_report::number::{power, ten_to};

use super::score::Score;

/// Width and height of a panel (SVG units).
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 330.0;
/// Left, top, right and bottom margins around the axes; the right one holds the legend.
const MARGIN: [f64; 4] = [58.0, 34.0, 160.0, 46.0];
/// Colours of the methods, distinguishable with red-green colour blindness.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#000000"];
/// Maximum number of points per method; more are thinned evenly.
const MAX_POINTS: usize = 1500;
/// Smallest lateness drawn, the unit roundoff u; smaller values are drawn at u.
const MIN_LATENESS: f64 = 0.5 * f64::EPSILON;

/// A panel with several methods on the same queries.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a> {
    /// Title, such as the type of the queries.
    pub title: &'a str,
    /// The methods.
    pub scores: &'a [Score],
}

/// Draws the panels side by side, without those that have no point.
pub fn svg(panels: &[Panel]) -> String {
    let drawn: Vec<Markup> = panels.iter().filter_map(draw).collect();
    let width = WIDTH * drawn.len().max(1) as f64;
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {HEIGHT}")) width=(width) height=(HEIGHT) {
            style { (PreEscaped("text{font:11px sans-serif;fill:#333}.grid{stroke:#ddd}.title{font-weight:bold}.y{text-anchor:end}.x{text-anchor:middle}")) }
            rect width="100%" height="100%" fill="#fff" {}
            @for (k, panel) in drawn.iter().enumerate() {
                g transform=(format!("translate({} 0)", WIDTH * k as f64)) { (panel) }
            }
        }
    };
    picture.into_string()
}

/// Time (s) and lateness of the queries that have both, thinned to at most [`MAX_POINTS`].
fn points(score: &Score) -> Vec<(f64, f64)> {
    let all: Vec<_> =
        score.answers.iter().filter_map(|a| Some((a.seconds?, a.lateness?.max(MIN_LATENESS)))).collect();
    let stride = all.len().div_ceil(MAX_POINTS).max(1);
    all.into_iter().step_by(stride).collect()
}

fn draw(panel: &Panel) -> Option<Markup> {
    let clouds: Vec<_> = panel.scores.iter().map(|score| (score.method, points(score))).collect();
    let all = || clouds.iter().flat_map(|(_, points)| points);
    let (x, y) = (Decades::over(all().map(|p| p.0))?, Decades::over(all().map(|p| p.1))?);
    let [left, top, right, bottom] = MARGIN;
    let across = |value: f64| left + x.place(value) * (WIDTH - left - right);
    let down = |value: f64| HEIGHT - bottom - y.place(value) * (HEIGHT - top - bottom);
    Some(html! {
        text.title x=(left) y="14" { (panel.title) }
        @for k in y.ticks() {
            line.grid x1=(left) x2=(WIDTH - right) y1=(short(down(ten_to(k)))) y2=(short(down(ten_to(k)))) {}
            text.y x=(left - 6.0) y=(short(down(ten_to(k)) + 4.0)) { (power(k)) }
        }
        @for k in x.ticks() {
            line.grid x1=(short(across(ten_to(k)))) x2=(short(across(ten_to(k)))) y1=(top) y2=(HEIGHT - bottom) {}
            text.x x=(short(across(ten_to(k)))) y=(HEIGHT - bottom + 15.0) { (power(k)) }
        }
        text.x x=(0.5 * (left + WIDTH - right)) y=(HEIGHT - bottom + 31.0) { "time per query (s)" }
        text x=(left) y=(top - 6.0) { "1 − t_safe/t_true" }
        @for (k, (method, points)) in clouds.iter().enumerate().filter(|(_, (_, points))| !points.is_empty()) {
            path d=(dots(points, across, down)) stroke=(COLOURS[k % COLOURS.len()]) stroke-opacity="0.6"
                stroke-width="3" stroke-linecap="round" { title { (method) } }
            (name(k, method))
        }
    })
}

/// Entry `k` of the legend, counted from the top.
fn name(k: usize, method: &str) -> Markup {
    let (x, y) = (WIDTH - MARGIN[2] + 14.0, MARGIN[1] + 10.0 + 16.0 * k as f64);
    html! {
        circle cx=(x) cy=(y - 4.0) r="4" fill=(COLOURS[k % COLOURS.len()]) {}
        text x=(x + 9.0) y=(y) { (method) }
    }
}

/// Path data of lines of length 0, which round caps turn into dots.
fn dots(points: &[(f64, f64)], across: impl Fn(f64) -> f64, down: impl Fn(f64) -> f64) -> String {
    let mut data = String::new();
    for (x, y) in points {
        write!(data, "M{} {}h0", short(across(*x)), short(down(*y))).expect("strings grow");
    }
    data
}

/// An axis over whole decades, from 10^`low` to 10^`high`.
struct Decades {
    low: i32,
    high: i32,
}

impl Decades {
    /// The smallest axis that holds the positive values; `None` if there are none.
    fn over(values: impl Iterator<Item = f64>) -> Option<Self> {
        let logs = values.filter(|v| *v > 0.0).map(log10);
        let (least, largest) =
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let low = least.floor() as i32;
        (least <= largest).then(|| Self { low, high: (largest.ceil() as i32).max(low + 1) })
    }

    /// Position of `value` on the axis, from 0 at the low end to 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        (log10(value) - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    /// Exponents of the labelled decades, at most nine, from the highest.
    fn ticks(&self) -> impl Iterator<Item = i32> {
        let stride = (self.high - self.low) / 9 + 1;
        (self.low..=self.high).rev().step_by(stride as usize)
    }
}

fn log10(value: f64) -> f64 {
    elementary::ln(value) / std::f64::consts::LN_10
}

/// Rounds a coordinate to one decimal.
fn short(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::super::score::Answer;
    use super::super::verdict::Verdict;
    use super::*;
    use rigor_ccd::Impact;

    fn score(points: &[(f64, f64)]) -> Score {
        let answer = |(seconds, lateness): &(f64, f64)| Answer {
            impact: Impact::Free,
            verdict: Verdict::Right,
            lateness: Some(*lateness),
            seconds: Some(*seconds),
        };
        Score { method: "a<b", is_conservative: true, answers: points.iter().map(answer).collect() }
    }

    #[test]
    fn axes_hold_all_points_between_whole_decades() {
        let axis = Decades::over([2e-7, 3e-5].into_iter()).unwrap();
        assert_eq!((axis.low, axis.high), (-7, -4));
        assert!((axis.place(1e-7)).abs() < 1e-12 && (axis.place(1e-4) - 1.0).abs() < 1e-12);
        assert_eq!(
            Decades { low: -16, high: 0 }.ticks().collect::<Vec<_>>(),
            [0, -2, -4, -6, -8, -10, -12, -14, -16]
        );
    }

    #[test]
    fn each_query_is_a_dot_and_names_are_escaped() {
        let scores = [score(&[(1e-6, 0.1), (2e-6, 0.0)]), score(&[])];
        let picture =
            svg(&[Panel { title: "linear", scores: &scores }, Panel { title: "rigid", scores: &[] }]);
        assert_eq!(picture.matches("h0").count(), 2);
        assert!(picture.contains("a&lt;b") && picture.contains("10⁻¹⁶") && !picture.contains("NaN"));
        assert!(picture.contains("viewBox=\"0 0 600 330\"") && !picture.contains("rigid"));
    }

    #[test]
    fn many_points_are_thinned() {
        assert!(points(&score(&vec![(1e-6, 0.5); 10 * MAX_POINTS + 1])).len() <= MAX_POINTS);
    }
}
