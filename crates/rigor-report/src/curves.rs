//! The plots of a scene over time, from judges and from methods.

use maud::{Markup, html};

use crate::comparison::{MethodRow, SceneSection};
use crate::naming::{anchor, row_name};
use crate::plot::{Layout, Line, Plot, TIME, key};

/// Numbers of colours and dash patterns in the style sheet.
const COLORS: usize = 7;
const DASHES: usize = 4;
/// Maximum number of lines that a reader can tell apart in one plot.
const FEW: usize = 6;

/// A series, its heading and layout.
struct Curve {
    series: &'static str,
    title: &'static str,
    unit: &'static str,
    layout: Layout,
    /// Whether to plot its change since the start.
    is_change: bool,
}

const fn curve(series: &'static str, title: &'static str, unit: &'static str, layout: Layout) -> Curve {
    Curve { series, title, unit, layout, is_change: false }
}

const CURVES: [Curve; 10] = [
    Curve {
        is_change: true,
        ..curve("energy.total", "Total energy, change since the start", "J", Layout::Linear)
    },
    curve("distance.smallest", "Smallest distance between bodies", "m", Layout::Decades),
    curve("penetration.deepest", "Deepest penetration", "m", Layout::Decades),
    curve("joint_error", "Largest error of a joint", "m", Layout::Decades),
    curve("bond_error", "Largest error of a bond, over its size at rest", "1", Layout::Decades),
    curve("step.contacts", "Contacts", "1", Layout::Linear),
    curve("step.normal_force", "Contact forces, sum of their sizes", "N", Layout::Decades),
    curve("step.iterations", "Iterations in a step", "1", Layout::Linear),
    curve("kappa", "Stiffness κ of the barrier", "J s²/m⁴", Layout::Decades),
    curve("step.seconds", "Wall time of a step", "s", Layout::Decades),
];

/// Renders one plot per curve, with a line for each row that has it, then the phases of each row. `methods`
/// lists all methods of the comparison, which determine the colours.
pub fn plots(section: &SceneSection, methods: &[&str]) -> Markup {
    let drawn: Vec<Markup> = CURVES
        .iter()
        .filter_map(|curve| of_rows(curve, section, methods))
        .enumerate()
        .filter_map(|(k, plot)| match plot.lines.len() {
            _ if plot.is_zero() => Some(nothing(&plot)),
            0..=FEW => plot.figure(false),
            _ => many(&plot, &format!("{}-{k}", anchor(section))),
        })
        .collect();
    html! {
        @if !drawn.is_empty() {
            p.keys { @for row in section.rows.iter().filter(|row| !row.series.is_empty()) {
                (key(&line_class(section, row, methods), &row_name(section, row)))
            } }
            div.plots {
                @for figure in drawn { (figure) }
                @for row in &section.rows { @if let Some(figure) = of_phases(section, row).and_then(|p| p.figure(true)) { (figure) } }
            }
        }
    }
}

/// Returns all plots of a section that show anything.
pub fn all(section: &SceneSection, methods: &[&str]) -> Vec<Plot> {
    let of_rows =
        CURVES.iter().filter_map(|curve| of_rows(curve, section, methods)).filter(|plot| !plot.is_zero());
    of_rows.chain(section.rows.iter().filter_map(|row| of_phases(section, row))).collect()
}

/// A small plot per line, and on request all in one.
fn many(plot: &Plot, id: &str) -> Option<Markup> {
    let (small, whole) = (plot.multiples(id)?, plot.figure(true)?);
    Some(html! { div.multiples { (small) details { summary { "All in one" } (whole) } } })
}

fn nothing(plot: &Plot) -> Markup {
    html! { figure { figcaption { (plot.title) } p.nothing { "0 in every frame" } } }
}

fn of_rows(curve: &Curve, section: &SceneSection, methods: &[&str]) -> Option<Plot> {
    let line = |row: &MethodRow| {
        let points = &row.series.iter().find(|series| series.name == curve.series)?.points;
        let start = if curve.is_change { points.first()?.1 } else { 0.0 };
        let points = points.iter().map(|(time, value)| (*time, value - start)).collect();
        Some(Line { class: line_class(section, row, methods), name: row_name(section, row), points })
    };
    let lines = section.rows.iter().filter_map(line).collect();
    let plot =
        Plot { title: curve.title.into(), across: TIME, unit: curve.unit, layout: curve.layout, lines };
    // In a scene without joints or bonds, their errors are not plotted.
    let is_void = plot.lines.is_empty() || (curve.series.ends_with("_error") && plot.is_zero());
    (!is_void).then_some(plot)
}

/// The cumulative time of each phase of a row, if there are several.
fn of_phases(section: &SceneSection, row: &MethodRow) -> Option<Plot> {
    let phases = row.phases.iter().filter(|phase| phase.points.last().is_some_and(|point| point.1 > 0.0));
    let lines: Vec<Line> = phases
        .enumerate()
        .map(|(i, phase)| Line {
            class: phase_class(i),
            name: phase.name.to_string(),
            points: phase.points.clone(),
        })
        .collect();
    let title = format!("Wall time by phase, added up: {}", row_name(section, row));
    let plot = Plot { title, across: TIME, unit: "s", layout: Layout::Linear, lines };
    (plot.lines.len() > 1).then_some(plot)
}

/// Returns a colour for the phase, and a different dash pattern once the colours are used up.
fn phase_class(phase: usize) -> String {
    format!("c{} d{}", phase % COLORS, phase / COLORS % DASHES)
}

/// Returns a colour for the method and a dash pattern for the time step.
pub fn line_class(section: &SceneSection, row: &MethodRow, methods: &[&str]) -> String {
    let color = methods.iter().position(|method| *method == row.label).unwrap_or(0);
    let mut steps: Vec<f64> = section.rows.iter().map(|row| row.dt).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let dash = steps.iter().rev().position(|dt| *dt == row.dt).unwrap_or(0);
    format!("c{} d{}", color % COLORS, dash % DASHES)
}
