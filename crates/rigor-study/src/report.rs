//! The report of a study: a section per scene, and plots of the quantities that its plan names.

use rigor_report::chart::{Chart, Curve, CurvePoint, HeatMap};
use rigor_report::closeup::Closeup;
use rigor_report::moment::{moments, worst};
use rigor_report::number::{quantity, significant};
use rigor_report::player::{Budget, PlayerScene};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::table::Table;
use rigor_report::{Comparison, Drawing, MethodRow, SceneSection};
use rigor_run::disk::{load_run, load_scene};
use rigor_run::folder::record::Ending;
use rigor_scene::{Scene, State};

use crate::conduct::Results;
use crate::engines::engines;
use crate::error::StudyError;
use crate::plan::{Plan, PlotRequest};
use crate::quantity::Quantity;
use crate::row::{FindingMoment, Row, method_row};
use crate::task::{Task, keys};
use crate::{aggregate, convergence, critical, point, profile, unfinished};

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];
/// Maximum number of runs of a scene that are shown with pictures and values over time.
const MAX_SHOWN: usize = 24;

/// Deviations below this part of what is compared are rounding: a plot of nothing else says nothing.
const ROUNDING: f64 = 1e-12;
/// Maximum number of runs of a scene whose worst moment is shown from near.
const MAX_CLOSEUPS: usize = 3;

/// Returns the page of a study; `frame` supplies date, command line, machine and versions.
///
/// # Errors
/// A file of a run cannot be read.
pub fn page(plan: &Plan, results: &Results, frame: &Comparison) -> Result<Comparison, StudyError> {
    page_of(plan, results, &results.rows, frame)
}

/// The page with sections of `rows`.
fn page_of(
    plan: &Plan,
    results: &Results,
    rows: &[Row],
    frame: &Comparison,
) -> Result<Comparison, StudyError> {
    Ok(Comparison {
        title: plan.study.title.clone(),
        description: plan.study.description.clone(),
        tables: unfinished::table(results)
            .into_iter()
            .chain(tables(plan, results))
            .chain(engines(&results.rows))
            .collect(),
        drawings: drawings(plan, results),
        scenes: sections(rows)?,
        ..frame.clone()
    })
}

/// Maximum number of runs on a page, for its size: all are in the table of results, the plots and the tables.
const MAX_RUNS: usize = 200;

/// Returns the page of a study with at most 200 runs on it: those that did not end, broke an expectation, or had flawed steps come
/// first, then the others, each in the order of the plan. The description counts what is left out and names the table that has it.
///
/// # Errors
/// A file of a run cannot be read.
pub fn page_within(plan: &Plan, results: &Results, frame: &Comparison) -> Result<Comparison, StudyError> {
    let n = results.rows.len();
    if n <= MAX_RUNS {
        return page(plan, results, frame);
    }
    let is_fault = |row: &Row| {
        row.record.outcome != Ending::Completed || row.expectations().1 > 0 || row.record.flawed_steps > 0
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|k| !is_fault(&results.rows[*k]));
    let mut kept = order[..MAX_RUNS].to_vec();
    kept.sort_unstable();
    let rows: Vec<Row> = kept.iter().map(|k| results.rows[*k].clone()).collect();
    let told = format!(
        "{MAX_RUNS} of {n} runs are on this page, those with faults first; plots and tables are of all, and results.csv has them."
    );
    let description = [plan.study.description.trim(), &told].join(" ").trim().to_owned();
    Ok(Comparison { description, ..page_of(plan, results, &rows, frame)? })
}

/// Returns the critical values that the plan searches, the orders of convergence and the aggregates.
pub fn tables(plan: &Plan, results: &Results) -> Vec<Table> {
    let orders = convergence::table(&convergence::orders(plan, &results.rows));
    let aggregates = aggregate::table(&aggregate::aggregates(plan, &results.rows));
    critical::table(plan, &results.criticals).into_iter().chain(orders).chain(aggregates).collect()
}

/// Returns a section per scene, with pictures from the same camera for all its runs.
///
/// # Errors
/// A file of a run cannot be read.
pub fn sections(rows: &[Row]) -> Result<Vec<SceneSection>, StudyError> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.scene.as_str()) {
            names.push(&row.scene);
        }
    }
    let of = |name: &str| rows.iter().filter(|row| row.scene == name).collect::<Vec<_>>();
    let budget = if rows.len() == 1 { Budget::VIEW } else { Budget::of_page(rows.len()) };
    names.into_iter().map(|name| section(&of(name), budget)).collect()
}

fn section(rows: &[&Row], budget: Budget) -> Result<SceneSection, StudyError> {
    let scene = scene_of(rows)?;
    let is_shown = rows.len() <= MAX_SHOWN;
    let mut shown: Vec<(MethodRow, Option<State>)> = Vec::new();
    let mut looks: Vec<Vec<FindingMoment>> = Vec::new();
    for row in rows {
        let (row, last, of_row) = method_row(row, &scene, Some(budget).filter(|_| is_shown))?;
        looks.push(of_row);
        shown.push((row, last.filter(|_| is_shown)));
    }
    let name = named(rows);
    let start = State::initial(&scene);
    let ends = shown.iter().filter_map(|(_, last)| last.as_ref());
    let states: Vec<&State> = std::iter::once(&start).chain(ends).collect();
    let camera = Camera::framing(&scene, &states);
    let picture = |state: &State| -> Png { Image::of(&scene, state, &camera, PICTURE).png() };
    let pictured = |(row, last): (MethodRow, Option<State>)| MethodRow {
        end_picture: last.as_ref().map(&picture),
        ..row
    };
    let rows = shown.into_iter().map(pictured).collect();
    let stage = is_shown.then(|| PlayerScene::new(&scene, &camera));
    let mut section =
        SceneSection { name, start_picture: Some(picture(&start)), stage, rows, ..SceneSection::of(&scene) };
    take_closeups(&mut section, &looks, &scene, &camera);
    Ok(section)
}

/// The name of the scene of the runs, which are not empty.
fn named(rows: &[&Row]) -> String {
    rows.first().map_or_else(String::new, |row| row.scene.clone())
}

/// Takes pictures of the worst moments of the first rows that have any.
fn take_closeups(section: &mut SceneSection, looks: &[Vec<FindingMoment>], scene: &Scene, camera: &Camera) {
    let mut taken = Vec::new();
    for (k, (row, looks)) in section.rows.iter().zip(looks).enumerate() {
        let all = moments(section, row);
        let Some(time) = worst(&all).map(|first| all[first].time) else { continue };
        let away = |state: &State| (state.time - time).abs();
        let nearest =
            (0..looks.len()).min_by(|a, b| away(&looks[*a].state).total_cmp(&away(&looks[*b].state)));
        let Some(at) = nearest.filter(|at| away(&looks[*at].state) <= 1.5 * row.dt) else { continue };
        taken.push((k, at, Closeup::of(scene, &looks[at].state, &looks[at].bodies, Some(camera))));
        if taken.len() == MAX_CLOSEUPS {
            break;
        }
    }
    for (row, at, closeup) in taken {
        match section.rows[row].closeups.get_mut(at) {
            Some(other) => *other = closeup,
            None => section.rows[row].closeups.push(closeup),
        }
    }
}

/// The scene of the runs, which is not empty; values of keys may differ between runs.
pub(crate) fn scene_of(rows: &[&Row]) -> Result<Scene, StudyError> {
    if let Some(loaded) = &rows[0].task.loaded {
        return Ok(loaded.scene.clone());
    }
    match rows.iter().find(|row| row.folder.scene().is_file()) {
        Some(row) => Ok(load_run(&row.folder)?.scene),
        None => Ok(load_scene(&rows[0].task.scene, &rows[0].task.overrides)?.scene),
    }
}

/// Returns the plots of a plan, and those of critical values, aggregates and performance profiles.
pub fn drawings(plan: &Plan, results: &Results) -> Vec<Drawing> {
    let rows = &results.rows;
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let mut names = keys(&tasks);
    names.push("time.dt");
    let read = |name: &str| Quantity::read(name, &names).ok();
    let draw = |request: &PlotRequest| -> Vec<Drawing> {
        let (Some(x), Some(y)) = (read(&request.x), read(&request.y)) else { return Vec::new() };
        match request.z.as_deref().map(read) {
            Some(Some(z)) => heat_maps(request, rows, &x, &y, &z),
            Some(None) => Vec::new(),
            None => charts(plan, request, rows, &x, &y),
        }
    };
    let of_plots = plan.plot.iter().flat_map(draw).chain(critical::drawings(plan, &results.criticals));
    let of_aggregates = aggregate::drawings(&aggregate::aggregates(plan, rows));
    of_plots.chain(of_aggregates).chain(profile::drawings(plan, rows)).collect()
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.fold(Vec::new(), |mut all, item| {
        if !all.contains(&item) {
            all.push(item);
        }
        all
    })
}

fn axis(quantity: &Quantity) -> String {
    match quantity.unit() {
        "" | "1" => quantity.words(),
        unit => format!("{} [{unit}]", quantity.words()),
    }
}

fn heading(request: &PlotRequest, scene: &str, what: &str) -> String {
    format!("{scene}: {}", request.title.as_deref().unwrap_or(what))
}

/// One chart per scene: a curve per method and per combination of values of the keys that are on neither axis.
///
/// Keys that advance together with one on the horizontal axis tell no curves apart. Repetitions are one point: their minimum for times.
/// Runs that did not end have no point, and the title counts them. A scene all of whose deviations are rounding has none.
fn charts(plan: &Plan, request: &PlotRequest, rows: &[Row], x: &Quantity, y: &Quantity) -> Vec<Drawing> {
    let along = plan.linked(&[x.name(), y.name(), "time.dt"]);
    let series = |row: &Row| -> (String, Vec<(String, toml::Value)>) {
        let others = row.task.point.iter().filter(|(key, _)| !along.contains(key));
        (row.task.label.clone(), others.cloned().collect())
    };
    let all = distinct(rows.iter().map(series));
    let name = |(label, point): &(String, Vec<(String, toml::Value)>)| {
        let words = [label.clone(), point::words(point, &[])];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let of_scene = |scene: &str| {
        let here = || rows.iter().filter(|row| row.scene == scene);
        let mut n_shown = 0;
        let mut curves = Vec::new();
        for (colour, one) in all.iter().enumerate() {
            let own: Vec<&Row> =
                here().filter(|row| row.record.outcome == Ending::Completed && series(row) == *one).collect();
            let points = distinct(own.iter().map(|row| row.task.point.clone()));
            let dot = |point: &Vec<(String, toml::Value)>| {
                let same: Vec<&&Row> = own.iter().filter(|row| row.task.point == *point).collect();
                let [x, y] = [x, y].map(|quantity| least(&same, quantity));
                let note =
                    same.first().filter(|_| request.x != "time.dt").map(|row| quantity(row.record.dt, "s"));
                Some((CurvePoint { x: x?, y: y?, note: note.unwrap_or_default(), spread: None }, same.len()))
            };
            let (mut dots, counts): (Vec<CurvePoint>, Vec<usize>) = points.iter().filter_map(dot).unzip();
            n_shown += counts.iter().sum::<usize>();
            // Where Δt varies beside the axes, a curve joins its points in that order, and names the first and the last Δt.
            if distinct(dots.iter().map(|dot| dot.note.clone())).len() < 2 {
                dots.sort_by(|a, b| a.x.total_cmp(&b.x));
                dots.iter_mut().for_each(|dot| dot.note.clear());
            }
            let last = dots.len().saturating_sub(1);
            let inner = dots.iter_mut().enumerate().filter(|(k, _)| *k > 0 && *k < last);
            inner.for_each(|(_, dot)| dot.note.clear());
            if !dots.is_empty() {
                curves.push(Curve { label: name(one), colour, dots, ..Curve::default() });
            }
        }
        let what = format!("{} against {}", y.label(), x.label());
        let without = match here().count() - n_shown {
            0 => String::new(),
            n => format!(" (without {n} of {} runs)", here().count()),
        };
        let values = |of: fn(&CurvePoint) -> f64| -> Vec<f64> {
            curves.iter().flat_map(|curve| &curve.dots).map(of).collect()
        };
        let is_linear = request
            .linear
            .unwrap_or_else(|| [is_linear(x, &values(|dot| dot.x)), is_linear(y, &values(|dot| dot.y))]);
        let chart = Chart {
            title: heading(request, scene, &what) + &without,
            x: axis(x),
            y: axis(y),
            is_linear,
            curves,
        };
        let is_small = |row: &Row| {
            let value = row.value(y).map(f64::abs);
            row.record.outcome != Ending::Completed
                || value.is_none_or(|value| value < ROUNDING * row.scale(y))
        };
        let is_rounding = y.needs_reference() && here().all(is_small);
        if is_rounding { None } else { Drawing::of_chart(chart) }
    };
    distinct(rows.iter().map(|row| row.scene.as_str())).into_iter().filter_map(of_scene).collect()
}

/// An axis is logarithmic if its values span this factor.
const WIDE: f64 = 30.0;

/// Whether an axis of these values is linear unless the plan says otherwise: what is negative has no logarithm.
fn is_linear(quantity: &Quantity, values: &[f64]) -> bool {
    let bounds = |[low, high]: [f64; 2], v: &f64| [low.min(*v), high.max(*v)];
    let [low, high] = values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], bounds);
    let has_decades = quantity.needs_reference() || quantity.is_time() || quantity.name() == "time.dt";
    low < 0.0 || !(has_decades || (low > 0.0 && high >= WIDE * low))
}

/// The minimum over repetitions: other processes only ever add time; all else is the same in each.
fn least(rows: &[&&Row], quantity: &Quantity) -> Option<f64> {
    rows.iter().filter_map(|row| row.value(quantity)).reduce(f64::min)
}

/// Maximum part of the cells of a grid that may be empty: points that fill less are drawn where they are.
const MAX_EMPTY: f64 = 0.5;

/// One heat map per scene and method, or, where the points are no grid, as those of a sample, one plot of points with their values.
///
/// Runs that did not end have no cell.
fn heat_maps(request: &PlotRequest, rows: &[Row], x: &Quantity, y: &Quantity, z: &Quantity) -> Vec<Drawing> {
    let map = |scene: &str, label: &str| {
        let is_own = |row: &&Row| row.scene == scene && row.task.label == label;
        let own: Vec<&Row> =
            rows.iter().filter(is_own).filter(|row| row.record.outcome == Ending::Completed).collect();
        let values = |quantity: &Quantity| {
            let mut all = distinct(own.iter().filter_map(|row| row.value(quantity)));
            all.sort_by(f64::total_cmp);
            all
        };
        let (columns, lines) = (values(x), values(y));
        let cell = |at_x: f64, at_y: f64| {
            let is_it = |row: &&&Row| row.value(x) == Some(at_x) && row.value(y) == Some(at_y);
            let here: Vec<&&Row> = own.iter().filter(is_it).collect();
            least(&here, z).unwrap_or(f64::NAN)
        };
        let what = format!("{} of {label}", z.label());
        let n_all = rows.iter().filter(is_own).count();
        let n_lost = n_all - own.len();
        let without = if n_lost > 0 { format!(" (without {n_lost} of {n_all} runs)") } else { String::new() };
        let title = heading(request, scene, &what) + &without;
        let n_cells = columns.len() * lines.len();
        let points: Vec<[f64; 3]> =
            own.iter().filter_map(|row| Some([row.value(x)?, row.value(y)?, row.value(z)?])).collect();
        if (points.len() as f64) < (1.0 - MAX_EMPTY) * n_cells as f64 {
            let dot = |p: &[f64; 3]| CurvePoint { x: p[0], y: p[1], note: significant(p[2]), spread: None };
            let [xs, ys]: [Vec<f64>; 2] = [0, 1].map(|k| points.iter().map(|p| p[k]).collect());
            return Drawing::of_chart(Chart {
                title: format!("{title}: {label}, {}", axis(z)),
                x: axis(x),
                y: axis(y),
                is_linear: request.linear.unwrap_or_else(|| [is_linear(x, &xs), is_linear(y, &ys)]),
                // A curve per point: no line joins them.
                curves: points
                    .iter()
                    .map(|p| Curve {
                        label: String::new(),
                        colour: 1,
                        dots: vec![dot(p)],
                        ..Curve::default()
                    })
                    .collect(),
            });
        }
        let text = |all: &[f64]| all.iter().map(|value| significant(*value)).collect::<Vec<_>>();
        let map = HeatMap {
            columns: (axis(x), text(&columns)),
            rows: (axis(y), text(&lines)),
            cells: lines.iter().map(|at_y| columns.iter().map(|at_x| cell(*at_x, *at_y)).collect()).collect(),
            unit: axis(z),
            title,
        };
        Drawing::of_heat_map(format!("{}: {label}", map.title), map)
    };
    let pairs = distinct(rows.iter().map(|row| (row.scene.as_str(), row.task.label.as_str())));
    pairs.into_iter().filter_map(|(scene, label)| map(scene, label)).collect()
}
