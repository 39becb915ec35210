//! Panels of curves over logarithmic axes.

use super::axis::{Axis, tick};
use super::label::Labels;
use super::{COLOURS, dot, legend, line, picture, short, text};

/// Labelled points (x, y, label), and a line through those that no point to their left lies below.
pub struct Curve {
    /// The name, which determines the colour.
    pub name: &'static str,
    /// Positive coordinates, and the label at the point; empty for none.
    pub points: Vec<(f64, f64, String)>,
}

/// A plot of several curves.
pub struct Panel {
    /// The heading.
    pub title: String,
    /// The labels of both axes, with units.
    pub axes: [&'static str; 2],
    /// The curves.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 300.0;
/// Margins: left, top, right, bottom.
const MARGIN: [f64; 4] = [58.0, 46.0, 16.0, 44.0];

/// Draws panels side by side, `columns` in a row, below a legend of `names`.
pub fn panels(about: &str, names: &[&str], panels: &[Panel], columns: usize) -> String {
    let n_rows = panels.len().div_ceil(columns);
    let drawn = panels.iter().enumerate().map(|(i, panel)| {
        let (x, y) = ((i % columns) as f64 * WIDTH, 30.0 + (i / columns) as f64 * HEIGHT);
        format!("<g transform=\"translate({x},{y})\">\n{}</g>\n", draw(panel, names))
    });
    let content = legend(names.iter().copied(), 22.0) + &drawn.collect::<String>();
    picture(columns as f64 * WIDTH, 30.0 + n_rows as f64 * HEIGHT, about, &content)
}

fn draw(panel: &Panel, names: &[&str]) -> String {
    let points = || panel.curves.iter().flat_map(|curve| &curve.points);
    let (Some(x), Some(y)) = (Axis::of(points().map(|p| p.0)), Axis::of(points().map(|p| p.1))) else {
        return text(MARGIN[0], 20.0, "t", &panel.title);
    };
    let place = |point: &(f64, f64, String)| [across(x.place(point.0)), down(y.place(point.1))];
    let [left, top, right, bottom] = MARGIN;
    let area = [left, top - 6.0, WIDTH - 0.3 * right, HEIGHT - bottom];
    let mut labels = Labels::new(area, points().map(place));
    let curves = panel.curves.iter().map(|curve| {
        let k = names.iter().position(|name| *name == curve.name).unwrap_or_default();
        draw_curve(curve, COLOURS[k % COLOURS.len()], place, &mut labels)
    });
    frame(panel, &x, &y) + &curves.collect::<String>()
}

fn frame(panel: &Panel, x: &Axis, y: &Axis) -> String {
    let [left, top, right, bottom] = MARGIN;
    let (end, floor) = (WIDTH - right, HEIGHT - bottom);
    let columns = x.ticks().into_iter().map(|value| {
        let at = across(x.place(value));
        line([at, top], [at, floor]) + &text(at, floor + 16.0, "m", &tick(value))
    });
    let rows = y.ticks().into_iter().map(|value| {
        let at = down(y.place(value));
        line([left, at], [end, at]) + &text(left - 6.0, at + 4.0, "e", &tick(value))
    });
    let names = text(end, floor + 33.0, "e", panel.axes[0]) + &text(8.0, top - 8.0, "", panel.axes[1]);
    text(8.0, 20.0, "t", &panel.title) + &names + &columns.chain(rows).collect::<String>()
}

fn draw_curve(
    curve: &Curve,
    colour: &str,
    place: impl Fn(&(f64, f64, String)) -> [f64; 2],
    labels: &mut Labels,
) -> String {
    let path: Vec<String> =
        front(&curve.points).map(&place).map(|[x, y]| format!("{},{}", short(x), short(y))).collect();
    let stroke = format!("<polyline points=\"{}\" class=\"c\" stroke=\"{colour}\"/>\n", path.join(" "));
    let dots: String = curve.points.iter().map(|point| dot(place(point), colour, false)).collect();
    let named = curve.points.iter().filter(|point| !point.2.is_empty());
    stroke + &dots + &named.map(|point| labels.draw(place(point), &point.2)).collect::<String>()
}

/// Returns the points to join: all if y rises with x, else those that no point to their left lies below.
fn front(points: &[(f64, f64, String)]) -> impl Iterator<Item = &(f64, f64, String)> {
    let rises = points.is_sorted_by(|a, b| a.1 <= b.1);
    let is_best = move |i: usize| points[..i].iter().all(|before| before.1 > points[i].1);
    points.iter().enumerate().filter(move |(i, _)| rises || is_best(*i)).map(|(_, point)| point)
}

fn across(fraction: f64) -> f64 {
    MARGIN[0] + fraction * (WIDTH - MARGIN[0] - MARGIN[2])
}

fn down(fraction: f64) -> f64 {
    HEIGHT - MARGIN[3] - fraction * (HEIGHT - MARGIN[1] - MARGIN[3])
}
