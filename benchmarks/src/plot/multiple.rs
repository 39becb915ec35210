//! Small multiples over logarithmic axes: a panel per subject, with the curves of all others in grey behind its own.

use super::axis::{Axis, tick};
use super::{COLOURS, legend, picture, short, text};

/// A point: positive coordinates, and whether y is only an upper bound, drawn hollow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Coordinates.
    pub at: [f64; 2],
    /// Whether the value is at most y.
    pub is_bound: bool,
    /// Whether the dot is large, as that of the longest step.
    pub is_large: bool,
}

/// Points that are joined in their order.
pub struct Line {
    /// Name of the panel that the line belongs to.
    pub panel: String,
    /// Index of its name in the legend.
    pub kind: usize,
    /// The points.
    pub points: Vec<Point>,
}

const COLUMNS: usize = 4;
const WIDTH: f64 = 216.0;
const HEIGHT: f64 = 168.0;
/// Margins: left, top, right, bottom.
const MARGIN: [f64; 4] = [42.0, 24.0, 8.0, 22.0];
/// Height of legend and axis names above the panels.
const HEAD: f64 = 50.0;
/// Maximum numbers of ticks of both axes.
const MAX_TICKS: [usize; 2] = [4, 6];
const GREY: &str = "#d3d8de";

/// Draws a panel for each name of `panels`; all have the same axes. `mark` is a height that is marked, and what it is.
pub fn multiples(
    about: &str,
    names: &[&str],
    axes: [&str; 2],
    panels: &[&str],
    lines: &[Line],
    mark: (f64, &str),
) -> String {
    let (bound, is) = mark;
    let points = || lines.iter().flat_map(|line| &line.points);
    let heights = points().map(|p| p.at[1]).chain([bound]);
    let (Some(x), Some(y)) = (Axis::of(points().map(|p| p.at[0])), Axis::of(heights)) else {
        return picture(COLUMNS as f64 * WIDTH, HEAD, about, "");
    };
    let scales = [&x, &y];
    let drawn = panels.iter().enumerate().map(|(i, panel)| {
        let left = (i % COLUMNS) as f64 * WIDTH;
        let top = HEAD + (i / COLUMNS) as f64 * HEIGHT;
        format!("<g transform=\"translate({left},{top})\">\n{}</g>\n", draw(panel, lines, scales, bound))
    });
    let head = legend(names.iter().copied(), 20.0)
        + &text(16.0, 40.0, "", &format!("up: {}; to the right: {}; dashed: {is}", axes[1], axes[0]));
    let n_rows = panels.len().div_ceil(COLUMNS);
    let size = [COLUMNS as f64 * WIDTH, HEAD + n_rows as f64 * HEIGHT + 4.0];
    picture(size[0], size[1], about, &(head + &drawn.collect::<String>()))
}

fn draw(panel: &str, lines: &[Line], scales: [&Axis; 2], bound: f64) -> String {
    let is_own = |line: &&Line| line.panel == panel;
    let others = lines.iter().filter(|line| !is_own(line)).map(|line| stroke(line, GREY, 1.0, scales));
    let own = lines.iter().filter(is_own).map(|line| {
        let colour = COLOURS[line.kind % COLOURS.len()];
        stroke(line, colour, 1.8, scales) + &dots(line, colour, scales)
    });
    let ends = [MARGIN[0], WIDTH - MARGIN[2]].map(short);
    let level = short(down(scales[1].place(bound)));
    let mark = format!(
        "<line x1=\"{}\" y1=\"{level}\" x2=\"{}\" y2=\"{level}\" stroke=\"#5b6570\" stroke-dasharray=\"4 3\"/>\n",
        ends[0], ends[1]
    );
    frame(scales)
        + &others.collect::<String>()
        + &mark
        + &own.collect::<String>()
        + &text(MARGIN[0], 17.0, "t", panel)
}

fn frame([x, y]: [&Axis; 2]) -> String {
    let [left, top, right, bottom] = MARGIN;
    let (end, floor) = (WIDTH - right, HEIGHT - bottom);
    let columns = thinned(x, MAX_TICKS[0]).into_iter().map(|value| {
        let at = across(x.place(value));
        super::line([at, top], [at, floor]) + &text(at, floor + 13.0, "p m", &tick(value))
    });
    let rows = thinned(y, MAX_TICKS[1]).into_iter().map(|value| {
        let at = down(y.place(value));
        super::line([left, at], [end, at]) + &text(left - 4.0, at + 3.0, "p e", &tick(value))
    });
    columns.chain(rows).collect()
}

/// Ticks, of which every second, third, … is left out until there are few.
fn thinned(axis: &Axis, most: usize) -> Vec<f64> {
    let all = axis.ticks();
    let every = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(every).collect()
}

fn stroke(line: &Line, colour: &str, width: f64, scales: [&Axis; 2]) -> String {
    let place = |point: &Point| {
        let [x, y] = at(point, scales);
        format!("{},{}", short(x), short(y))
    };
    let path: Vec<String> = line.points.iter().map(place).collect();
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>\n",
        path.join(" ")
    )
}

/// Draws the points.
fn dots(line: &Line, colour: &str, scales: [&Axis; 2]) -> String {
    let draw = |point: &Point| {
        let [x, y] = at(point, scales).map(short);
        let radius = if point.is_large { 4.5 } else { 2.8 };
        let fill = if point.is_bound { "#fff" } else { colour };
        format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\"/>\n")
    };
    line.points.iter().map(draw).collect()
}

fn at(point: &Point, [x, y]: [&Axis; 2]) -> [f64; 2] {
    [across(x.place(point.at[0])), down(y.place(point.at[1]))]
}

fn across(fraction: f64) -> f64 {
    MARGIN[0] + fraction * (WIDTH - MARGIN[0] - MARGIN[2])
}

fn down(fraction: f64) -> f64 {
    HEIGHT - MARGIN[3] - fraction * (HEIGHT - MARGIN[1] - MARGIN[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_has_its_own_lines_in_colour_and_all_others_in_grey() {
        let line = |panel: &str, y: f64| Line {
            panel: panel.to_owned(),
            kind: 0,
            points: vec![
                Point { at: [1.0, y], is_bound: false, is_large: true },
                Point { at: [2.0, y], is_bound: true, is_large: false },
            ],
        };
        let lines = [line("a", 1.0), line("b", 10.0)];
        let drawn = multiples("two", &["default"], ["x", "y"], &["a", "b"], &lines, (3.0, "the bound"));
        assert_eq!(drawn.matches(GREY).count(), 2);
        assert_eq!(drawn.matches("r=\"4.5\"").count(), 2);
        assert_eq!(drawn.matches("r=\"2.8\" fill=\"#fff\"").count(), 2);
        assert_eq!(drawn.matches("stroke-dasharray").count(), 2);
    }

    #[test]
    fn an_axis_of_many_decades_has_few_ticks() {
        let axis = Axis::of([1e-15, 1e3].into_iter()).expect("there are values");
        assert!(thinned(&axis, 4).len() <= 4);
    }
}
