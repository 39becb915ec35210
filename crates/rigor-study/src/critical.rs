//! Critical values: as a table, as rows, and against a key that varies.

use rigor_report::Drawing;
use rigor_report::chart::{Chart, Curve, CurvePoint};
use rigor_report::mark::Mark;
use rigor_report::table::Table;
use serde_json::{Value as Json, json};
use toml::Value;

use crate::axis::number;
use crate::bisect::{Answer, Critical, Found};
use crate::plan::{Bisection, Plan};
use crate::point;
use crate::results::{Cells, Column, point_json};

/// Label and values of the other keys of a series.
type Series = (String, Vec<(String, Value)>);

/// An axis is logarithmic if its values are positive and span this factor.
const WIDE: f64 = 30.0;

impl Found {
    /// In words, with what is known where the value is not.
    pub fn words(&self) -> String {
        match self {
            Self::Between(a, b) => {
                format!("{} ± {}", point::number(0.5 * (a + b)), point::number(0.5 * (b - a).abs()))
            }
            Self::Nowhere { holds: true } => "holds in the whole range".into(),
            Self::Nowhere { holds: false } => "holds nowhere in the range".into(),
            Self::Unknown { at, why, between } => {
                let known = between.map_or(String::new(), |[a, b]| {
                    format!("; the change is between {} and {}", point::number(a), point::number(b))
                });
                format!("unknown: the run at {} is no answer, {why}{known}", point::number(*at))
            }
        }
    }

    /// The smaller and the larger end of what is known.
    fn ends(&self) -> Option<[f64; 2]> {
        match self {
            Self::Between(a, b) => Some([a.min(*b), a.max(*b)]),
            Self::Unknown { between, .. } => between.map(|[a, b]| [a.min(b), a.max(b)]),
            Self::Nowhere { .. } => None,
        }
    }

    /// The kind of result in one word or two.
    fn kind(&self) -> &'static str {
        match self {
            Self::Between(..) => "found",
            Self::Nowhere { holds: true } => "holds everywhere",
            Self::Nowhere { holds: false } => "holds nowhere",
            Self::Unknown { .. } => "unknown",
        }
    }
}

impl Critical {
    /// Number of its runs with flawed steps.
    pub fn flawed(&self) -> usize {
        self.asked.iter().flat_map(|asked| &asked.row).filter(|row| row.record.flawed_steps > 0).count()
    }

    fn runs(&self) -> String {
        match self.flawed() {
            0 => self.asked.len().to_string(),
            n => format!("{}, {n} of them with flawed steps", self.asked.len()),
        }
    }
}

/// Returns the table of a page; `None` if the plan searches nothing.
pub fn table(plan: &Plan, criticals: &[Critical]) -> Option<Table> {
    let bisection = plan.bisect.as_ref()?;
    let row = |critical: &Critical| {
        let task = &critical.task;
        let at = point::words(&task.point, &[]);
        vec![critical.scene.clone(), task.label.clone(), at, critical.found.words(), critical.runs()]
    };
    let n_unknown = criticals.iter().filter(|critical| critical.found.is_unknown()).count();
    let told = match n_unknown {
        0 => String::new(),
        n => format!("; {n} of {} are unknown", criticals.len()),
    };
    Some(Table {
        title: format!("Critical {}", bisection.key),
        note: format!("where `{}` begins or ceases to hold{told}", bisection.when),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: ["scene", "method", "at", bisection.key.as_str(), "runs"].map(str::to_owned).to_vec(),
        rows: criticals.iter().map(row).collect(),
        plot: None,
    })
}

/// Returns the critical values as columns, a row per search.
pub fn columns(bisection: &Bisection, criticals: &[Critical]) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(&Critical) -> String| Column::text(name, criticals.iter().map(of));
    let numbers = |name: &str, of: &dyn Fn(&Critical) -> Option<f64>| Column {
        name: name.to_owned(),
        cells: Cells::Numbers(criticals.iter().map(of).collect()),
    };
    let mut all = vec![
        text("scene", &|one| one.scene.clone()),
        text("label", &|one| one.task.label.clone()),
        text("method", &|one| one.task.method.clone()),
    ];
    all.extend(Column::of_points(&criticals.iter().map(|one| &one.task.point[..]).collect::<Vec<_>>()));
    all.extend([
        text("key", &|_| bisection.key.clone()),
        text("condition", &|_| bisection.when.clone()),
        text("result", &|one| one.found.kind().to_owned()),
        numbers("value", &|one| one.found.value()),
        numbers("low", &|one| one.found.ends().map(|ends| ends[0])),
        numbers("high", &|one| one.found.ends().map(|ends| ends[1])),
        numbers("runs", &|one| Some(one.asked.len() as f64)),
        numbers("flawed_runs", &|one| Some(one.flawed() as f64)),
        text("words", &|one| one.found.words()),
    ]);
    all
}

/// Formats a search with its answers.
pub fn json(bisection: &Bisection, critical: &Critical) -> Json {
    let asked = |asked: &crate::bisect::Asked| {
        let (holds, why) = match &asked.answer {
            Answer::Holds(holds) => (Some(*holds), None),
            Answer::Unknown(why) => (None, Some(why)),
        };
        let record = asked.row.as_ref().map(|row| &row.record);
        json!({
            "value": asked.value, "holds": holds, "unknown": why,
            "outcome": record.map(crate::row::outcome), "identity": record.map(|record| &record.identity),
            "flawed_steps": record.map(|record| record.flawed_steps),
        })
    };
    let task = &critical.task;
    json!({
        "scene": critical.scene, "label": task.label, "method": task.method, "point": point_json(&task.point),
        "key": bisection.key, "condition": bisection.when, "result": critical.found.kind(),
        "critical": critical.found.value(), "bracket": critical.found.ends(), "words": critical.found.words(),
        "runs": critical.asked.iter().map(asked).collect::<Vec<_>>(),
    })
}

/// Returns a plot per scene of the critical value against each key that takes several numbers, with a curve per method and per combination
/// of the others.
pub fn drawings(plan: &Plan, criticals: &[Critical]) -> Vec<Drawing> {
    let Some(bisection) = &plan.bisect else { return Vec::new() };
    let mut keys: Vec<&str> = Vec::new();
    let mut scenes: Vec<&str> = Vec::new();
    for critical in criticals {
        keys.extend(critical.task.point.iter().map(|(key, _)| key.as_str()));
        scenes.push(&critical.scene);
    }
    for names in [&mut keys, &mut scenes] {
        let mut seen: Vec<&str> = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(name);
                true
            }
        });
    }
    let of = |key: &str, scene: &str| {
        let at = |critical: &Critical| critical.task.value(key).and_then(number);
        let own: Vec<&Critical> = criticals.iter().filter(|c| c.scene == scene && at(c).is_some()).collect();
        let xs: Vec<f64> = own.iter().filter_map(|critical| at(critical)).collect();
        let [low, high] = ends(&xs);
        if low >= high {
            return None;
        }
        let series = |critical: &Critical| -> Series {
            let rest = critical.task.point.iter().filter(|(name, _)| name != key).cloned();
            (critical.task.label.clone(), rest.collect())
        };
        let mut all: Vec<(Series, Vec<CurvePoint>)> = Vec::new();
        for critical in &own {
            let Some(y) = critical.found.value() else { continue };
            let dot =
                CurvePoint { x: at(critical).unwrap_or(f64::NAN), y, note: String::new(), spread: None };
            let name = series(critical);
            match all.iter_mut().find(|(other, _)| *other == name) {
                Some((_, dots)) => dots.push(dot),
                None => all.push((name, vec![dot])),
            }
        }
        let curve = |(colour, ((label, rest), mut dots)): (usize, (Series, Vec<CurvePoint>))| {
            dots.sort_by(|a, b| a.x.total_cmp(&b.x));
            let words = [label, point::words(&rest, &[])].into_iter().filter(|word| !word.is_empty());
            Curve { label: words.collect::<Vec<_>>().join(", "), colour, dots, ..Curve::default() }
        };
        let lost = own.iter().filter(|critical| critical.found.value().is_none()).count();
        let without =
            if lost > 0 { format!(" ({lost} of {} without a value)", own.len()) } else { String::new() };
        Drawing::of_chart(Chart {
            title: format!("{scene}: critical {} against {key}{without}", bisection.key),
            x: key.to_owned(),
            y: format!("critical {}", bisection.key),
            is_linear: [low <= 0.0 || high < WIDE * low, true],
            curves: all.into_iter().enumerate().map(curve).collect(),
        })
    };
    keys.iter().flat_map(|key| scenes.iter().filter_map(|scene| of(key, scene)).collect::<Vec<_>>()).collect()
}

fn ends(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)])
}
