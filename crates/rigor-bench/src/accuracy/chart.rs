//! A log-log plot of error against CPU time as SVG, with one curve per variant and Δt at each point.
//!
//! The SVG is self-contained and has no background; its colours are visible on white and on black.

use maud::{Markup, html};
use rigor_math::elementary;
use rigor_report::number::{power, quantity, ten_to};

use super::results::{AccuracyRow, Outcome};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Left, top, right and bottom margins around the axes.
const MARGIN: [f64; 4] = [56.0, 52.0, 24.0, 40.0];
/// Smallest error drawn; smaller ones, which are rounding, are drawn here.
const FLOOR: f64 = 1e-15;
const GREY: &str = "#808080";
/// Colours of the variants, in their order.
const COLOURS: [&str; 9] =
    ["#7a8b99", "#1e88e5", "#9c6ade", "#e4572e", "#2e9e5b", "#c9a227", "#d64f9e", "#17a2b8", "#8d6e63"];

/// Plots the runs of one case; `None` if no run completed.
///
/// `labels` are those of all variants; their order determines the colours.
pub fn svg(title: &str, rows: &[&AccuracyRow], labels: &[String]) -> Option<String> {
    let points: Vec<Point> = rows.iter().filter_map(|row| Point::of(row, labels)).collect();
    let x = Axis::of(points.iter().map(|p| p.cpu))?;
    let y = Axis::of(points.iter().map(|p| p.error))?;
    let [left, top, right, bottom] = MARGIN;
    let across = |cpu: f64| left + x.place(cpu) * (WIDTH - left - right);
    let down = |error: f64| HEIGHT - bottom - y.place(error) * (HEIGHT - top - bottom);
    let curve = |k: usize| -> Vec<(f64, f64, f64)> {
        points.iter().filter(|p| p.variant == k).map(|p| (across(p.cpu), down(p.error), p.dt)).collect()
    };
    let curves: Vec<_> =
        (0..labels.len()).map(|k| (k, curve(k))).filter(|(_, curve)| !curve.is_empty()).collect();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}"))
            font-family="sans-serif" font-size="11" role="img" aria-label=(title) {
            @for k in y.decades() { (row_line(down(ten_to(k)), k)) }
            @for k in x.decades() { (column_line(across(ten_to(k)), k)) }
            text x=(WIDTH - right) y=(HEIGHT - 6.0) text-anchor="end" fill=(GREY) { "CPU time (s)" }
            text x="4" y=(top - 8.0) fill=(GREY) { "error" }
            @for ((k, curve), at) in curves.iter().zip(places(curves.iter().map(|(k, _)| &*labels[*k]))) {
                (legend(at, &labels[*k], colour(*k)))
                polyline points=(path(curve)) fill="none" stroke=(colour(*k)) stroke-width="1.8" {}
                @for (px, py, dt) in curve {
                    circle cx=(short(*px)) cy=(short(*py)) r="3" fill=(colour(*k)) {}
                    text x=(short(px + 4.0)) y=(short(py - 4.0)) font-size="8.5" fill=(colour(*k)) { (quantity(*dt, "s")) }
                }
            }
        }
    };
    Some(picture.into_string() + "\n")
}

struct Point {
    variant: usize,
    cpu: f64,
    error: f64,
    dt: f64,
}

impl Point {
    fn of(row: &AccuracyRow, labels: &[String]) -> Option<Self> {
        let variant = labels.iter().position(|label| *label == row.variant)?;
        let is_run = row.outcome == Outcome::Completed;
        let (cpu, error) = row.cpu.zip(row.error).filter(|(_, error)| is_run && error.is_finite())?;
        Some(Self { variant, cpu: cpu.max(1e-9), error: error.max(FLOOR), dt: row.dt })
    }
}

fn colour(k: usize) -> &'static str {
    COLOURS[k % COLOURS.len()]
}

/// A logarithmic axis over whole decades, from 10^`low` to 10^`high`.
struct Axis {
    low: i32,
    high: i32,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let [least, most] = values.fold([f64::INFINITY, 0.0_f64], |[low, high], v| [low.min(v), high.max(v)]);
        if least > most {
            return None;
        }
        let (low, high) = (log10(least).floor() as i32, log10(most).ceil() as i32);
        Some(Self { low, high: high.max(low + 1) })
    }

    fn place(&self, value: f64) -> f64 {
        (log10(value) - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    /// Exponents of the decades with a grid line, at most about eight.
    fn decades(&self) -> impl Iterator<Item = i32> {
        let stride = (self.high - self.low) / 8 + 1;
        (self.low..=self.high).filter(move |k| k.rem_euclid(stride) == 0)
    }
}

fn log10(value: f64) -> f64 {
    elementary::ln(value) / std::f64::consts::LN_10
}

fn row_line(y: f64, decade: i32) -> Markup {
    html! {
        line x1=(MARGIN[0]) x2=(WIDTH - MARGIN[2]) y1=(short(y)) y2=(short(y)) stroke=(GREY) stroke-opacity="0.3" {}
        text x=(MARGIN[0] - 6.0) y=(short(y + 4.0)) text-anchor="end" fill=(GREY) { (power(decade)) }
    }
}

fn column_line(x: f64, decade: i32) -> Markup {
    html! {
        line x1=(short(x)) x2=(short(x)) y1=(MARGIN[1]) y2=(HEIGHT - MARGIN[3]) stroke=(GREY) stroke-opacity="0.3" {}
        text x=(short(x)) y=(HEIGHT - MARGIN[3] + 15.0) text-anchor="middle" fill=(GREY) { (power(decade)) }
    }
}

/// Positions of the entries of the legend, side by side on as many lines as they need.
fn places<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (MARGIN[0], 14.0);
    let next = |label: &str| {
        // A line sample, gaps, and letters about six units wide.
        let width = 36.0 + 6.0 * label.chars().count() as f64;
        if x > MARGIN[0] && x + width > WIDTH {
            (x, y) = (MARGIN[0], y + 15.0);
        }
        let at = (x, y);
        x += width;
        at
    };
    labels.map(next).collect()
}

fn legend((x, y): (f64, f64), label: &str, colour: &str) -> Markup {
    html! {
        line x1=(short(x)) x2=(short(x + 16.0)) y1=(y) y2=(y) stroke=(colour) stroke-width="3" {}
        text x=(short(x + 20.0)) y=(y + 4.0) fill=(colour) { (label) }
    }
}

fn path(curve: &[(f64, f64, f64)]) -> String {
    curve.iter().map(|(x, y, _)| format!("{},{}", short(*x), short(*y))).collect::<Vec<_>>().join(" ")
}

/// Rounds a coordinate to one decimal.
fn short(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}
