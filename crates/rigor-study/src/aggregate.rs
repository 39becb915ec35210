//! Aggregates: mean, interval, median and quartiles of a quantity over seeds, samples, scenes or any other key.

use rigor_report::Drawing;
use rigor_report::chart::{Chart, Curve, CurvePoint};
use rigor_report::mark::Mark;
use rigor_report::number::significant;
use rigor_report::table::Table;
use rigor_run::folder::record::Ending;
use toml::Value;

use crate::axis::number;
use crate::error::PlanError;
use crate::order::student;
use crate::plan::{AggregateRequest, Plan};
use crate::point;
use crate::quantity::Quantity;
use crate::results::{Cells, Column};
use crate::row::Row;
use crate::task::{Task, keys};

/// What stands for the scenes among the keys over which a quantity is aggregated.
pub const SCENE: &str = "scene";

/// Maximum number of lines on a page.
const MAX_LINES: usize = 200;

/// An axis is logarithmic if its values are positive and span this factor.
const WIDE: f64 = 30.0;

/// A quantity over several runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// The scene; `None` over all scenes.
    pub scene: Option<String>,
    /// What the method is called.
    pub label: String,
    /// The values of the keys over which it is not aggregated.
    pub point: Vec<(String, Value)>,
    /// The quantity.
    pub quantity: Quantity,
    /// Its values, in ascending order; of a repeated run the smallest.
    pub values: Vec<f64>,
    /// Number of runs that did not end, or lack the quantity.
    pub n_lost: usize,
}

impl Aggregate {
    /// The arithmetic mean; `None` without a value.
    pub fn mean(&self) -> Option<f64> {
        let n = self.values.len();
        (n > 0).then(|| self.values.iter().sum::<f64>() / n as f64)
    }

    /// The standard deviation of the values, √(Σ (x − x̄)²/(n − 1)); `None` with fewer than two.
    pub fn deviation(&self) -> Option<f64> {
        let (n, mean) = (self.values.len(), self.mean()?);
        let square = |x: &f64| (x - mean) * (x - mean);
        (n > 1).then(|| (self.values.iter().map(square).sum::<f64>() / (n - 1) as f64).sqrt())
    }

    /// Half of the width of the 95 % confidence interval of the mean, t s/√n by Student's t; `None` with fewer than two values.
    pub fn half_width(&self) -> Option<f64> {
        let n = self.values.len();
        Some(student(n.checked_sub(1)?) * self.deviation()? / (n as f64).sqrt())
    }

    /// The value below which the part `p` of the values lies, with linear interpolation between them: the seventh definition of
    /// \[Hyndman1996\]. `None` without a value.
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let last = self.values.len().checked_sub(1)?;
        let at = p * last as f64;
        let below = (at as usize).min(last);
        let above = (below + 1).min(last);
        Some(self.values[below] + (at - below as f64) * (self.values[above] - self.values[below]))
    }
}

/// Checks the requests of a plan.
///
/// # Errors
/// A quantity, or a key to aggregate over, that does not exist.
pub fn check(plan: &Plan, tasks: &[Task]) -> Result<(), PlanError> {
    for request in &plan.aggregate {
        let known = known(tasks);
        for name in &request.of {
            crate::reference::check(plan, &Quantity::read(name, &known)?)?;
        }
        if let Some(key) = request.over.iter().find(|key| **key != SCENE && !known.contains(&key.as_str())) {
            let all = known.iter().copied().chain([SCENE]);
            let suggestion = rigor_file::closest(key, all).map(str::to_owned);
            return Err(PlanError::Quantity { name: key.clone(), suggestion });
        }
    }
    Ok(())
}

/// The keys that vary, and Δt.
pub(crate) fn known(tasks: &[Task]) -> Vec<&str> {
    let mut known = keys(tasks);
    known.push("time.dt");
    known
}

/// Returns the aggregates that the plan asks for, in the order of its requests and rows.
pub fn aggregates(plan: &Plan, rows: &[Row]) -> Vec<Aggregate> {
    plan.aggregate.iter().flat_map(|request| of_request(plan, request, rows)).collect()
}

fn of_request(plan: &Plan, request: &AggregateRequest, rows: &[Row]) -> Vec<Aggregate> {
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let known = known(&tasks);
    let over: Vec<&str> = request.over.iter().map(String::as_str).collect();
    let (linked, over_scenes) = (plan.linked(&over), over.contains(&SCENE));
    let mut all: Vec<Aggregate> = Vec::new();
    for quantity in request.of.iter().filter_map(|name| Quantity::read(name, &known).ok()) {
        let first = all.len();
        for (row, value) in once_each(rows, &quantity) {
            let scene = (!over_scenes).then(|| row.scene.clone());
            let rest = row.task.point.iter().filter(|(key, _)| !linked.contains(key));
            let point: Vec<(String, Value)> = rest.cloned().collect();
            let is_same =
                |one: &Aggregate| one.scene == scene && one.label == row.task.label && one.point == point;
            let place = all[first..].iter().position(is_same).map(|k| first + k).unwrap_or_else(|| {
                let label = row.task.label.clone();
                let (quantity, values) = (quantity.clone(), Vec::new());
                all.push(Aggregate { scene, label, point: point.clone(), quantity, values, n_lost: 0 });
                all.len() - 1
            });
            match value.filter(|value| value.is_finite()) {
                Some(value) => all[place].values.push(value),
                None => all[place].n_lost += 1,
            }
        }
        all[first..].iter_mut().for_each(|one| one.values.sort_by(f64::total_cmp));
    }
    all
}

/// Returns each run once with its value, the smallest of its repetitions that ended.
pub(crate) fn once_each<'a>(rows: &'a [Row], quantity: &Quantity) -> Vec<(&'a Row, Option<f64>)> {
    let mut all: Vec<(&Row, Option<f64>)> = Vec::new();
    for row in rows {
        let is_ended = row.record.outcome == Ending::Completed;
        let value = row.value(quantity).filter(|_| is_ended);
        let same = |(other, _): &&mut (&Row, Option<f64>)| {
            row.task.repetition.is_some()
                && (&other.scene, &other.task.label) == (&row.scene, &row.task.label)
                && other.task.point == row.task.point
        };
        match all.iter_mut().find(same) {
            Some((_, least)) => *least = [*least, value].into_iter().flatten().reduce(f64::min),
            None => all.push((row, value)),
        }
    }
    all
}

/// Returns the table of a page; `None` without an aggregate.
pub fn table(aggregates: &[Aggregate]) -> Option<Table> {
    let word = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), significant);
    let row = |one: &Aggregate| {
        let mean = match (one.mean(), one.half_width()) {
            (Some(mean), Some(half)) => format!("{} ± {}", significant(mean), significant(half)),
            (mean, _) => word(mean),
        };
        let quartiles = match (one.quantile(0.25), one.quantile(0.75)) {
            (Some(low), Some(high)) => format!("{} to {}", significant(low), significant(high)),
            _ => word(None),
        };
        let ends = match (one.values.first(), one.values.last()) {
            (Some(low), Some(high)) => format!("{} to {}", significant(*low), significant(*high)),
            _ => word(None),
        };
        let runs = match one.n_lost {
            0 => one.values.len().to_string(),
            n => format!("{} of {}", one.values.len(), one.values.len() + n),
        };
        let scene = one.scene.clone().unwrap_or_else(|| "all".into());
        let at = point::words(&one.point, &[]);
        vec![
            scene,
            one.label.clone(),
            at,
            named(&one.quantity),
            mean,
            word(one.quantile(0.5)),
            quartiles,
            ends,
            runs,
        ]
    };
    let more = match aggregates.len().saturating_sub(MAX_LINES) {
        0 => String::new(),
        n => format!(" {n} more are in aggregates.csv."),
    };
    let heading = ["scene", "method", "at", "quantity", "mean", "median", "quartiles", "range", "runs"];
    (!aggregates.is_empty()).then(|| Table {
        title: "Aggregates".into(),
        note: format!(
            "Over the keys that the plan names. The interval of the mean is that of 95 % confidence by Student's t. Runs that did not end are left \
             out and counted.{more}"
        ),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: heading.map(str::to_owned).to_vec(),
        rows: aggregates.iter().take(MAX_LINES).map(row).collect(),
        plot: None,
    })
}

fn named(quantity: &Quantity) -> String {
    match quantity.unit() {
        "" | "1" => quantity.label(),
        unit => format!("{} [{unit}]", quantity.label()),
    }
}

/// A quantity in words, with its unit.
fn axis(quantity: &Quantity) -> String {
    match quantity.unit() {
        "" | "1" => quantity.words(),
        unit => format!("{} [{unit}]", quantity.words()),
    }
}

/// Returns the aggregates as columns, a row each.
pub fn columns(aggregates: &[Aggregate]) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(&Aggregate) -> String| Column::text(name, aggregates.iter().map(of));
    let numbers = |name: &str, of: &dyn Fn(&Aggregate) -> Option<f64>| Column {
        name: name.to_owned(),
        cells: Cells::Numbers(aggregates.iter().map(of).collect()),
    };
    let mut all = vec![
        text("scene", &|one| one.scene.clone().unwrap_or_default()),
        text("label", &|one| one.label.clone()),
    ];
    all.extend(Column::of_points(&aggregates.iter().map(|one| &one.point[..]).collect::<Vec<_>>()));
    all.extend([
        text("quantity", &|one| one.quantity.label()),
        text("unit", &|one| one.quantity.unit().to_owned()),
        numbers("runs", &|one| Some(one.values.len() as f64)),
        numbers("without", &|one| Some(one.n_lost as f64)),
        numbers("mean", &Aggregate::mean),
        numbers("half_width_95", &Aggregate::half_width),
        numbers("standard_deviation", &Aggregate::deviation),
        numbers("minimum", &|one| one.quantile(0.0)),
        numbers("quartile_1", &|one| one.quantile(0.25)),
        numbers("median", &|one| one.quantile(0.5)),
        numbers("quartile_3", &|one| one.quantile(0.75)),
        numbers("maximum", &|one| one.quantile(1.0)),
    ]);
    all
}

/// The scene, the quantity and the key of a chart.
type Subject = (Option<String>, Quantity, String);

/// Returns a chart per scene and quantity, of medians with their quartiles against the only key that is left and takes several numbers,
/// with a curve per method.
pub fn drawings(aggregates: &[Aggregate]) -> Vec<Drawing> {
    let mut subjects: Vec<Subject> = Vec::new();
    for one in aggregates {
        if let [(key, value)] = &one.point[..]
            && number(value).is_some()
        {
            let subject = (one.scene.clone(), one.quantity.clone(), key.clone());
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
    }
    subjects.into_iter().filter_map(|subject| chart(aggregates, &subject)).collect()
}

fn chart(aggregates: &[Aggregate], (scene, quantity, key): &Subject) -> Option<Drawing> {
    let is_own = |one: &&Aggregate| {
        one.scene == *scene
            && one.quantity == *quantity
            && matches!(&one.point[..], [(name, _)] if name == key)
    };
    let own = || aggregates.iter().filter(is_own);
    let mut labels: Vec<&str> = Vec::new();
    own().for_each(|one| {
        if !labels.contains(&one.label.as_str()) {
            labels.push(&one.label);
        }
    });
    let dot = |one: &Aggregate| {
        let [low, y, high] = [0.25, 0.5, 0.75].map(|p| one.quantile(p));
        let x = number(&one.point[0].1)?;
        Some(CurvePoint { x, y: y?, note: String::new(), spread: Some([low?, high?]) })
    };
    let curve = |(colour, label): (usize, &&str)| {
        let mut dots: Vec<CurvePoint> = own().filter(|one| one.label == **label).filter_map(dot).collect();
        dots.sort_by(|a, b| a.x.total_cmp(&b.x));
        Curve { label: (*label).to_owned(), colour, dots, ..Curve::default() }
    };
    let curves: Vec<Curve> = labels.iter().enumerate().map(curve).collect();
    let dots = || curves.iter().flat_map(|curve| &curve.dots);
    let wide = |values: Vec<f64>| {
        let [low, high] =
            values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(*v), h.max(*v)]);
        low > 0.0 && high >= WIDE * low
    };
    let is_linear = [
        !(wide(dots().map(|dot| dot.x).collect()) || key == "time.dt"),
        !wide(dots().flat_map(|dot| dot.spread.into_iter().flatten()).collect()),
    ];
    if dots().map(|dot| dot.x.to_bits()).collect::<std::collections::BTreeSet<_>>().len() < 2 {
        return None;
    }
    let scene_name = scene.as_deref().unwrap_or("all scenes");
    let x = Quantity::read(key, &[key]).map_or_else(|_| key.clone(), |key| axis(&key));
    let title = format!("{scene_name}: median and quartiles of {} against {key}", quantity.words());
    Drawing::of_chart(Chart { title, x, y: axis(quantity), is_linear, curves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_textbook() {
        let quantity = Quantity::read("cost.iterations", &[]).unwrap();
        let of = |values: &[f64]| Aggregate {
            scene: None,
            label: String::new(),
            point: Vec::new(),
            quantity: quantity.clone(),
            values: values.to_vec(),
            n_lost: 0,
        };
        let one = of(&[1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!((one.mean(), one.quantile(0.5)), (Some(4.0), Some(3.0)));
        assert_eq!([0.0, 0.25, 0.75, 1.0].map(|p| one.quantile(p)), [1.0, 2.0, 4.0, 10.0].map(Some));
        // s² = (9 + 4 + 1 + 0 + 36)/4.
        assert!((one.deviation().unwrap() - 12.5_f64.sqrt()).abs() < 1e-14);
        assert!((one.half_width().unwrap() - 2.776 * 2.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(of(&[1.0, 2.0]).quantile(0.25), Some(1.25));
        let single = of(&[7.0]);
        assert_eq!((single.mean(), single.half_width(), single.quantile(0.9)), (Some(7.0), None, Some(7.0)));
        assert_eq!((of(&[]).mean(), of(&[]).quantile(0.5)), (None, None));
    }
}
