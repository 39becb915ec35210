//! The numbers of a plot, for the script that shows them under the mouse and draws them larger.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::{Line, MARGIN, PAGE, Plot, thin};
use crate::player::Pack;
use crate::player::script_text;
use crate::scale::Scale;

/// Maximum number of points of a line: four in each pixel column of a plot as wide as a screen. Longer lines keep the first,
/// smallest, largest and last of the points in each 500th of the range.
const POINTS: usize = 2000;
/// Times are even if none is farther than this fraction of their step from where it would be.
const EVEN: f64 = 1e-4;

/// Renders the numbers of `plot`, whose axis is `scale`.
pub fn data(plot: &Plot, range: [f64; 2], scale: &Scale) -> Markup {
    let mut pack = Pack::default();
    let lines: Vec<Value> = plot.lines.iter().map(|line| of_line(line, range, &mut pack)).collect();
    let [low, high] = scale.bounds();
    let file: String = plot.title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let value = json!({
        "title": plot.title, "file": file, "across": [plot.across.0, plot.across.1], "unit": plot.unit,
        "size": PAGE, "margin": MARGIN, "range": range,
        "scale": { "low": low, "high": high, "threshold": scale.threshold() },
        "lines": lines, "numbers": pack.text(),
    });
    html! { script type="application/json" { (PreEscaped(script_text(&value))) } }
}

/// Packs the values of a line, and the times if they are not even: for each column the upper halves of the `f32`, then the
/// lower halves.
fn of_line(line: &Line, [from, to]: [f64; 2], pack: &mut Pack) -> Value {
    let bin = |time: f64| (0.25 * POINTS as f64 * (time - from) / (to - from)) as i64;
    let points = if line.points.len() > POINTS { thin(&line.points, bin) } else { line.points.clone() };
    let even = even(&points);
    if even.is_none() {
        column(points.iter().map(|point| point.0), pack);
    }
    column(points.iter().map(|point| point.1), pack);
    json!({ "name": line.name, "n": points.len(), "even": even })
}

fn column(values: impl Iterator<Item = f64>, pack: &mut Pack) {
    let bits: Vec<u32> = values.map(|value| (value as f32).to_bits()).collect();
    pack.track(bits.iter().map(|bits| (bits >> 16) as u16));
    pack.track(bits.iter().map(|bits| *bits as u16));
}

/// The first time and the step of even times.
fn even(points: &[(f64, f64)]) -> Option<[f64; 2]> {
    let (first, last) = (points.first()?.0, points.last()?.0);
    let step = (last - first) / (points.len().max(2) - 1) as f64;
    let is_even = |(k, point): (usize, &(f64, f64))| (point.0 - first - k as f64 * step).abs() <= EVEN * step;
    points.iter().enumerate().all(is_even).then_some([first, step])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_times_are_told_by_two_numbers_and_others_in_full() {
        let times = |times: &[f64]| times.iter().map(|t| (*t, 1.0)).collect::<Vec<_>>();
        assert_eq!(even(&times(&[0.5, 1.0, 1.5])), Some([0.5, 0.5]));
        assert_eq!(even(&times(&[0.5])), Some([0.5, 0.0]));
        assert_eq!(even(&times(&[0.0, 1.0, 1.5])), None);
        assert_eq!(even(&[]), None);
    }
}
