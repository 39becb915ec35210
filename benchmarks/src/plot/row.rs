//! Dots in labelled rows over one logarithmic axis.

use super::axis::{Axis, tick};
use super::{COLOURS, dot, legend, line, picture, text};

/// A value of a row.
pub struct Dot {
    /// The series, an index into the legend.
    pub series: usize,
    /// The value, positive.
    pub value: f64,
    /// Whether the value is only a lower bound.
    pub is_bound: bool,
}

/// A labelled row.
pub struct Row {
    /// The label.
    pub label: String,
    /// The dots.
    pub dots: Vec<Dot>,
}

const WIDTH: f64 = 840.0;
const LEFT: f64 = 300.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 24.0;
const PITCH: f64 = 19.0;

/// Draws `rows` below a legend of `names`, over an axis called `axis`.
pub fn rows(about: &str, names: &[&str], axis: &str, rows: &[Row]) -> String {
    let bottom = TOP + rows.len() as f64 * PITCH;
    let Some(scale) = Axis::of(rows.iter().flat_map(|row| &row.dots).map(|dot| dot.value)) else {
        return picture(WIDTH, bottom, about, "");
    };
    let across = |value: f64| LEFT + scale.place(value) * (WIDTH - LEFT - RIGHT);
    let columns = scale.ticks().into_iter().map(|value| {
        let x = across(value);
        line([x, TOP], [x, bottom]) + &text(x, bottom + 17.0, "m", &tick(value))
    });
    let drawn = rows.iter().enumerate().map(|(i, row)| {
        let y = TOP + (i as f64 + 0.5) * PITCH;
        let dots = row.dots.iter().map(|d| dot([across(d.value), y], COLOURS[d.series], d.is_bound));
        line([LEFT, y], [WIDTH - RIGHT, y])
            + &text(LEFT - 10.0, y + 4.0, "e", &row.label)
            + &dots.collect::<String>()
    });
    let content = legend(names.iter().copied(), 22.0)
        + &columns.chain(drawn).collect::<String>()
        + &text(WIDTH - RIGHT, bottom + 36.0, "e", axis);
    picture(WIDTH, bottom + 46.0, about, &content)
}
