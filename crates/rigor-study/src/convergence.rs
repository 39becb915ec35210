//! Observed orders of convergence: one per scene, method and combination of the values of all keys but Δt.

use rigor_report::mark::Mark;
use rigor_report::number::{quantity, significant};
use rigor_report::table::Table;
use rigor_run::folder::record::Ending;
use toml::Value;

use crate::conduct::quantities;
use crate::order::{ROUNDING, Trend, confidence, trend};
use crate::plan::Plan;
use crate::point;
use crate::quantity::Quantity;
use crate::results::{Cells, Column};
use crate::row::{Row, outcome};
use crate::task::{Task, keys};

/// The key of Δt.
const DT: &str = "time.dt";
/// Interpolation spoils an order if it may add more than this part of an error.
const RESOLVED: f64 = 0.1;

/// Maximum number of lines on a page.
const MAX_LINES: usize = 200;

/// The order of one error.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// The scene.
    pub scene: String,
    /// What the method is called.
    pub label: String,
    /// The values of the keys that vary, but for Δt and keys that go with it.
    pub point: Vec<(String, Value)>,
    /// The error.
    pub error: Quantity,
    /// Pairs of Δt (s) and error, the longest Δt first.
    pub points: Vec<(f64, f64)>,
    /// Runs without an error: Δt (s), and why.
    pub left_out: Vec<(f64, String)>,
    /// How the error depends on Δt.
    pub trend: Trend,
    /// Half of the width of the 95 % confidence interval of the order; `None` with fewer than three points.
    pub half_width: Option<f64>,
    /// The largest error that interpolation between frames may have added, if that spoils the order.
    pub unresolved: Option<f64>,
}

/// Scene, label, values of the other keys, and rows of one series.
type Group<'a> = (&'a str, &'a str, Vec<(String, Value)>, Vec<&'a Row>);

/// Returns the orders of all errors that the plan's plots name, where Δt varies; empty where it does not.
pub fn orders(plan: &Plan, rows: &[Row]) -> Vec<Convergence> {
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let asked = quantities(plan, &tasks).unwrap_or_default();
    let errors: Vec<Quantity> =
        asked.into_iter().filter(|q| (q.is_error && !q.is_time()) || q.is_comparison()).collect();
    if errors.is_empty() || !keys(&tasks).contains(&DT) {
        return Vec::new();
    }
    let linked = plan.linked(&[DT]);
    let rest = |row: &Row| -> Vec<(String, Value)> {
        row.task.point.iter().filter(|(key, _)| !linked.contains(key)).cloned().collect()
    };
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in rows {
        let (scene, label, point) = (row.scene.as_str(), row.task.label.as_str(), rest(row));
        match groups.iter_mut().find(|(s, l, p, _)| (*s, *l) == (scene, label) && *p == point) {
            Some((.., own)) => own.push(row),
            None => groups.push((scene, label, point, vec![row])),
        }
    }
    let of = |(scene, label, point, own): &Group<'_>| {
        let one = |error: &Quantity| Convergence::new(scene, label, point, own, error);
        errors.iter().map(one).collect::<Vec<_>>()
    };
    groups.iter().flat_map(of).collect()
}

impl Convergence {
    fn new(scene: &str, label: &str, point: &[(String, Value)], rows: &[&Row], error: &Quantity) -> Self {
        let (mut points, mut relative) = (Vec::<(f64, f64)>::new(), Vec::<(f64, f64)>::new());
        let mut left_out = Vec::new();
        let mut added = 0.0_f64;
        let mut is_spoiled = false;
        for row in rows {
            let dt = row.record.dt;
            let value = match row.value(error) {
                _ if row.record.outcome != Ending::Completed => Err(outcome(&row.record)),
                None => Err(row.why_no_error(error)),
                Some(value) if !value.is_finite() => Err(format!("the error is {value}")),
                Some(value) => Ok(value),
            };
            match value {
                Err(why) => left_out.push((dt, why)),
                Ok(value) if !points.contains(&(dt, value)) => {
                    points.push((dt, value));
                    relative.push((dt, value / row.scale(error)));
                    let bound = if error.is_comparison() { row.deviation.bound(error.name()) } else { 0.0 };
                    is_spoiled |= bound > RESOLVED * value && bound > ROUNDING * row.scale(error);
                    added = added.max(bound);
                }
                Ok(_) => {}
            }
        }
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self {
            scene: scene.to_owned(),
            label: label.to_owned(),
            point: point.to_vec(),
            error: error.clone(),
            trend: trend(&relative),
            half_width: confidence(&relative),
            unresolved: is_spoiled.then_some(added),
            points,
            left_out,
        }
    }

    /// The order, if errors follow a power law.
    pub fn order(&self) -> Option<f64> {
        match self.trend {
            Trend::Power { order, .. } if self.unresolved.is_none() => Some(order),
            Trend::Power { .. }
            | Trend::Irregular { .. }
            | Trend::Exact
            | Trend::Level(_)
            | Trend::Unknown => None,
        }
    }

    /// The order in words, with its interval.
    pub fn words(&self) -> String {
        if let Some(added) = self.unresolved {
            let added = quantity(added, self.error.unit());
            return format!("not resolved: interpolation between frames may add {added}");
        }
        let errors = || self.points.iter().map(|point| point.1);
        let (low, high) = (errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max));
        let interval = self.half_width.map(|half| match half {
            half if half < 0.005 => format!(" ± {half:.0e}"),
            half => format!(" ± {half:.2}"),
        });
        match self.trend {
            Trend::Exact => "error is rounding".into(),
            Trend::Power { order, .. } => match interval {
                Some(interval) => format!("{order:.2}{interval}"),
                None => format!("{order:.2}, of two points: no interval"),
            },
            Trend::Level(_) => format!("none: error stays {} to {}", significant(low), significant(high)),
            Trend::Irregular { order, scatter } => {
                let interval = interval.unwrap_or_default();
                format!(
                    "irregular: {order:.2}{interval}, points miss the line by up to a factor of {scatter:.1}"
                )
            }
            Trend::Unknown => format!("too few points above rounding: {}", self.above_rounding()),
        }
    }

    fn above_rounding(&self) -> String {
        match (self.points.len(), self.left_out.len()) {
            (0, _) => "none".into(),
            (n, 0) => format!("{n} of {n}, with two different Δt needed"),
            (n, lost) => format!("{n} of {}", n + lost),
        }
    }

    /// The runs that are left out, in words.
    pub fn without(&self) -> String {
        let word = |(dt, why): &(f64, String)| format!("{}: {why}", quantity(*dt, "s"));
        self.left_out.iter().map(word).collect::<Vec<_>>().join("; ")
    }
}

/// Returns the table of a page; `None` without an order.
pub fn table(orders: &[Convergence]) -> Option<Table> {
    let row = |one: &Convergence| {
        let n = format!("{} of {}", one.points.len(), one.points.len() + one.left_out.len());
        let at = point::words(&one.point, &[]);
        vec![one.scene.clone(), one.label.clone(), at, one.error.label(), one.words(), n, one.without()]
    };
    let more = match orders.len().saturating_sub(MAX_LINES) {
        0 => String::new(),
        n => format!(" {n} more are in orders.csv."),
    };
    (!orders.is_empty()).then(|| Table {
        title: "Orders of convergence".into(),
        note: format!(
            "Slope of ln error over ln Δt for each combination of the other keys: least squares, with its 95 % confidence interval by \
             Student's t.{more}"
        ),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: ["scene", "method", "at", "error", "order", "points", "without"].map(str::to_owned).to_vec(),
        rows: orders.iter().take(MAX_LINES).map(row).collect(),
        plot: None,
    })
}

/// Returns the orders as columns, a row per order.
pub fn columns(orders: &[Convergence]) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(&Convergence) -> String| Column::text(name, orders.iter().map(of));
    let numbers = |name: &str, of: &dyn Fn(&Convergence) -> Option<f64>| Column {
        name: name.to_owned(),
        cells: Cells::Numbers(orders.iter().map(of).collect()),
    };
    let mut all = vec![text("scene", &|one| one.scene.clone()), text("label", &|one| one.label.clone())];
    all.extend(Column::of_points(&orders.iter().map(|one| &one.point[..]).collect::<Vec<_>>()));
    all.extend([
        text("error", &|one| one.error.label()),
        text("unit", &|one| one.error.unit().to_owned()),
        numbers("order", &Convergence::order),
        numbers("half_width_95", &|one| one.order().and(one.half_width)),
        numbers("points", &|one| Some(one.points.len() as f64)),
        numbers("runs", &|one| Some((one.points.len() + one.left_out.len()) as f64)),
        text("verdict", &Convergence::words),
        text("without", &Convergence::without),
    ]);
    all
}
