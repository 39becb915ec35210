//! The report of a study: a section per scene, and plots of the quantities that its plan names.

use rigor_report::chart::{Chart, Curve, CurvePoint, HeatMap};
use rigor_report::closeup::Closeup;
use rigor_report::mark::Mark;
use rigor_report::moment::{moments, worst};
use rigor_report::number::{quantity, significant};
use rigor_report::player::{Budget, PlayerScene};
use rigor_report::render::{Camera, Image, Png};
use rigor_report::table::Table;
use rigor_report::{Comparison, Drawing, MethodRow, SceneSection};
use rigor_run::disk::{load_run, load_scene};
use rigor_run::folder::record::Ending;
use rigor_scene::{Scene, State};

use crate::bisect::{Critical, Found};
use crate::conduct::{Results, quantities};
use crate::engines::engines;
use crate::error::StudyError;
use crate::order::{Trend, trend};
use crate::plan::{Plan, PlotRequest};
use crate::quantity::Quantity;
use crate::row::{FindingMoment, Row, method_row};
use crate::task::{Task, keys};

/// Width and height of a picture in pixels.
const PICTURE: [usize; 2] = [640, 400];
/// Maximum number of runs of a scene that are shown with pictures and values over time.
const MAX_SHOWN: usize = 24;

/// Deviations below this, in their unit, are rounding: a plot of nothing else says nothing.
const ROUNDING: f64 = 1e-12;
/// Maximum number of runs of a scene whose worst moment is shown from near.
const MAX_CLOSEUPS: usize = 3;

/// Returns the page of a study; `frame` supplies date, command line, machine and versions.
///
/// # Errors
/// A file of a run cannot be read.
pub fn page(plan: &Plan, results: &Results, frame: &Comparison) -> Result<Comparison, StudyError> {
    Ok(Comparison {
        title: plan.study.title.clone(),
        description: plan.study.description.clone(),
        tables: tables(plan, results).into_iter().chain(engines(&results.rows)).collect(),
        drawings: drawings(plan, &results.rows),
        scenes: sections(&results.rows)?,
        ..frame.clone()
    })
}

/// Returns the critical values that the plan searches, and the orders of convergence.
pub fn tables(plan: &Plan, results: &Results) -> Vec<Table> {
    criticals(plan, &results.criticals).into_iter().chain(orders(plan, &results.rows)).collect()
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

/// Returns the plots of a plan.
pub fn drawings(plan: &Plan, rows: &[Row]) -> Vec<Drawing> {
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let mut names = keys(&tasks);
    names.push("time.dt");
    let read = |name: &str| Quantity::read(name, &names).ok();
    let draw = |request: &PlotRequest| -> Vec<Drawing> {
        let (Some(x), Some(y)) = (read(&request.x), read(&request.y)) else { return Vec::new() };
        match request.z.as_deref().map(read) {
            Some(Some(z)) => heat_maps(request, rows, &x, &y, &z),
            Some(None) => Vec::new(),
            None => charts(request, rows, &x, &y),
        }
    };
    plan.plot.iter().flat_map(draw).collect()
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
/// Repetitions are one point: their minimum for times. A scene all of whose deviations are rounding has none.
fn charts(request: &PlotRequest, rows: &[Row], x: &Quantity, y: &Quantity) -> Vec<Drawing> {
    let is_free = |key: &str| key != x.name() && key != y.name() && key != "time.dt";
    let name = |row: &Row| {
        let others = row.task.point.iter().filter(|(key, _)| is_free(key));
        let words = others.map(|(key, value)| format!("{} {value}", key.rsplit('.').next().unwrap_or(key)));
        std::iter::once(row.task.label.clone()).chain(words).collect::<Vec<_>>().join(", ")
    };
    let complete = || rows.iter().filter(|row| row.record.outcome == Ending::Completed);
    let names = distinct(rows.iter().map(name));
    let of_scene = |scene: &str| {
        let curve = |(colour, label): (usize, &String)| {
            let own: Vec<&Row> = complete().filter(|row| row.scene == scene && name(row) == *label).collect();
            let points = distinct(own.iter().map(|row| row.task.point.clone()));
            let dot = |point: &Vec<(String, toml::Value)>| {
                let same: Vec<&&Row> = own.iter().filter(|row| row.task.point == *point).collect();
                let [x, y] = [x, y].map(|quantity| least(&same, quantity));
                let note =
                    same.first().filter(|_| request.x != "time.dt").map(|row| quantity(row.record.dt, "s"));
                Some(CurvePoint { x: x?, y: y?, note: note.unwrap_or_default() })
            };
            let mut dots: Vec<CurvePoint> = points.iter().filter_map(dot).collect();
            // Where Δt varies beside the axes, a curve joins its points in that order, and names the first and the last Δt.
            if distinct(dots.iter().map(|dot| dot.note.clone())).len() < 2 {
                dots.sort_by(|a, b| a.x.total_cmp(&b.x));
                dots.iter_mut().for_each(|dot| dot.note.clear());
            }
            let last = dots.len().saturating_sub(1);
            let inner = dots.iter_mut().enumerate().filter(|(k, _)| *k > 0 && *k < last);
            inner.for_each(|(_, dot)| dot.note.clear());
            (!dots.is_empty()).then(|| Curve { label: label.clone(), colour, dots })
        };
        let what = format!("{} against {}", y.label(), x.label());
        let chart = Chart {
            title: heading(request, scene, &what),
            x: axis(x),
            y: axis(y),
            is_linear: request.linear,
            curves: names.iter().enumerate().filter_map(curve).collect(),
        };
        let dots = || chart.curves.iter().flat_map(|curve| &curve.dots);
        let is_rounding = (y.is_error || y.is_comparison()) && dots().all(|dot| dot.y.abs() < ROUNDING);
        if is_rounding { None } else { Drawing::of_chart(chart) }
    };
    distinct(rows.iter().map(|row| row.scene.as_str())).into_iter().filter_map(of_scene).collect()
}

/// The minimum over repetitions: other processes only ever add time; all else is the same in each.
fn least(rows: &[&&Row], quantity: &Quantity) -> Option<f64> {
    rows.iter().filter_map(|row| row.value(quantity)).reduce(f64::min)
}

/// One heat map per scene and method.
fn heat_maps(request: &PlotRequest, rows: &[Row], x: &Quantity, y: &Quantity, z: &Quantity) -> Vec<Drawing> {
    let values = |quantity: &Quantity| {
        let mut all = distinct(rows.iter().filter_map(|row| row.value(quantity)));
        all.sort_by(f64::total_cmp);
        all
    };
    let (columns, lines) = (values(x), values(y));
    let map = |scene: &str, label: &str| {
        let own: Vec<&Row> =
            rows.iter().filter(|row| row.scene == scene && row.task.label == label).collect();
        let cell = |at_x: f64, at_y: f64| {
            let is_it = |row: &&&Row| row.value(x) == Some(at_x) && row.value(y) == Some(at_y);
            let here: Vec<&&Row> = own.iter().filter(is_it).collect();
            least(&here, z).unwrap_or(f64::NAN)
        };
        let text = |all: &[f64]| all.iter().map(|value| significant(*value)).collect::<Vec<_>>();
        let what = format!("{} of {label}", z.label());
        let map = HeatMap {
            title: heading(request, scene, &what),
            columns: (axis(x), text(&columns)),
            rows: (axis(y), text(&lines)),
            cells: lines.iter().map(|at_y| columns.iter().map(|at_x| cell(*at_x, *at_y)).collect()).collect(),
            unit: axis(z),
        };
        Drawing::of_heat_map(format!("{}: {label}", map.title), map)
    };
    let pairs = distinct(rows.iter().map(|row| (row.scene.as_str(), row.task.label.as_str())));
    pairs.into_iter().filter_map(|(scene, label)| map(scene, label)).collect()
}

/// The critical values that a search found.
fn criticals(plan: &Plan, criticals: &[Critical]) -> Option<Table> {
    let bisection = plan.bisect.as_ref()?;
    let row = |critical: &Critical| {
        let found = match critical.found {
            Found::Between(a, b) => {
                format!("{} ± {}", significant(0.5 * (a + b)), significant(0.5 * (b - a).abs()))
            }
            Found::Nowhere { holds: true } => "holds in the whole range".into(),
            Found::Nowhere { holds: false } => "holds nowhere in the range".into(),
            Found::Unknown => "unknown: a run was cut, failed, or lacks the quantity".into(),
        };
        let point = critical.task.point.iter().map(|(key, value)| format!("{key} {value}"));
        let point = point.collect::<Vec<_>>().join(", ");
        vec![
            critical.task.scene.clone(),
            critical.task.label.clone(),
            point,
            found,
            critical.runs.to_string(),
        ]
    };
    Some(Table {
        title: format!("Critical {}", bisection.key),
        note: format!("where `{}` begins or ceases to hold", bisection.when),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: ["scene", "method", "at", bisection.key.as_str(), "runs"].map(str::to_owned).to_vec(),
        rows: criticals.iter().map(row).collect(),
        plot: None,
    })
}

/// Orders of convergence of the errors that the plan plots, where Δt varies.
fn orders(plan: &Plan, rows: &[Row]) -> Option<Table> {
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let errors: Vec<Quantity> =
        quantities(plan, &tasks).ok()?.into_iter().filter(|q| q.is_error || q.is_comparison()).collect();
    if errors.is_empty() || !keys(&tasks).contains(&"time.dt") {
        return None;
    }
    let mut lines = Vec::new();
    for (scene, label) in distinct(rows.iter().map(|row| (row.scene.as_str(), row.task.label.as_str()))) {
        for error in &errors {
            let own = rows.iter().filter(|row| row.scene == scene && row.task.label == label);
            let complete = own.filter(|row| row.record.outcome == Ending::Completed);
            let points: Vec<(f64, f64)> =
                distinct(complete.filter_map(|row| Some((row.record.dt, row.value(error)?))));
            lines.push(vec![scene.to_owned(), label.to_owned(), error.label(), order(&points)]);
        }
    }
    Some(Table {
        title: "Orders of convergence".into(),
        note: "slope of ln error over ln Δt, least squares, with its 95 % confidence interval".into(),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: ["scene", "method", "error", "order"].map(str::to_owned).to_vec(),
        rows: lines,
        plot: None,
    })
}

fn order(points: &[(f64, f64)]) -> String {
    let confidence = crate::order::confidence(points);
    let interval = confidence.map_or(String::new(), |half| format!(" ± {half:.2}"));
    match trend(points) {
        Trend::Exact => "error is rounding".into(),
        Trend::Power { order, .. } => format!("{order:.2}{interval}"),
        Trend::Level([low, high]) => {
            format!("none: error stays {} to {}", significant(low), significant(high))
        }
        Trend::Irregular { order, scatter } => {
            format!("irregular: {order:.2}{interval}, points miss the line by up to a factor of {scatter:.1}")
        }
        Trend::Unknown => "too few points".into(),
    }
}
