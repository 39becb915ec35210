//! The tidy table of results: one line per run, as CSV, Parquet and JSON.

use rigor_run::verdict::VerdictWord;
use serde_json::{Map, Value, json};

use crate::quantity::{COSTS, Quantity, cost};
use crate::row::{Row, outcome};
use crate::task::keys;

/// A column: its name with its unit, and a cell per run.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name with unit in brackets, such as `dt [s]`.
    pub name: String,
    /// Its cells.
    pub cells: Cells,
}

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Words.
    Text(Vec<String>),
    /// Numbers; `None` where a run has none.
    Numbers(Vec<Option<f64>>),
}

/// Returns the table of `rows`: what was run, how it ended, every figure of the judges, the quantities of `extra`, and at the end
/// the costs.
///
/// All columns but those of times have the same bits whatever the machine, the number of jobs or interruptions.
pub fn table(rows: &[Row], extra: &[Quantity]) -> Vec<Column> {
    let text = |name: &str, of: &dyn Fn(&Row) -> String| Column {
        name: name.to_owned(),
        cells: Cells::Text(rows.iter().map(of).collect()),
    };
    let numbers = |name: String, of: &dyn Fn(&Row) -> Option<f64>| Column {
        name,
        cells: Cells::Numbers(rows.iter().map(of).collect()),
    };
    let mut all = vec![
        text("scene", &|row| row.scene.clone()),
        text("label", &|row| row.task.label.clone()),
        text("method", &|row| row.task.method.clone()),
        numbers("dt [s]".into(), &|row| Some(row.record.dt)),
    ];
    let tasks: Vec<_> = rows.iter().map(|row| row.task.clone()).collect();
    for key in keys(&tasks).into_iter().filter(|key| *key != "time.dt") {
        let is_numeric =
            tasks.iter().filter_map(|task| task.value(key)).all(|v| crate::axis::number(v).is_some());
        all.push(if is_numeric {
            numbers(key.to_owned(), &|row| crate::axis::number(row.task.value(key)?))
        } else {
            text(key, &|row| row.task.value(key).map_or(String::new(), plain))
        });
    }
    if tasks.iter().any(|task| task.repetition.is_some()) {
        all.push(numbers("repetition".into(), &|row| row.task.repetition.map(f64::from)));
    }
    all.extend([
        text("outcome", &|row| outcome(&row.record)),
        text("reference", &|row| match (&row.reference, &row.lost_reference) {
            (_, Some(why)) => why.clone(),
            (Some(record), None) => outcome(record),
            (None, None) => String::new(),
        }),
        numbers("steps".into(), &|row| Some(row.record.steps_done as f64)),
        numbers("expectations_held".into(), &|row| Some(row.expectations().0 as f64)),
        numbers("expectations_failed".into(), &|row| Some(row.expectations().1 as f64)),
        numbers("flawed_steps".into(), &|row| Some(row.record.flawed_steps as f64)),
        text("notices", &|row| {
            row.record.notices.iter().map(|n| n.text.clone()).collect::<Vec<_>>().join("; ")
        }),
        text("warnings", &|row| row.record.warnings.join("; ")),
        text("identity", &|row| row.record.identity.clone()),
        text("state_hash", &|row| row.record.state_hash.clone()),
    ]);
    all.extend(settings(rows));
    all.extend([
        text("version", &|row| row.record.versions.commit.clone()),
        text("engine", &|row| row.record.versions.engine.clone().unwrap_or_default()),
    ]);
    for figure in rigor_audit::figures() {
        let of = |row: &Row| match row.deviation.get(figure.name) {
            Some(value) => Some(value),
            None => row.record.findings.iter().find(|f| f.figure == figure.name && f.body.is_none())?.value,
        };
        all.push(numbers(format!("{} [{}]", figure.name, figure.unit), &of));
    }
    for quantity in extra.iter().filter(|q| q.is_error || q.name().contains(':')) {
        all.push(numbers(format!("{} [{}]", quantity.label(), quantity.unit()), &|row| row.value(quantity)));
    }
    for (name, unit) in COSTS {
        all.push(numbers(format!("{name} [{unit}]"), &|row| cost(name, &row.record)));
    }
    all
}

/// A column for each setting of a method that differs between its runs, as `xpbd.substeps`.
fn settings(rows: &[Row]) -> Vec<Column> {
    let of = |row: &Row, key: &str| row.record.settings.get(key).cloned();
    let mut names: Vec<(String, String)> = Vec::new();
    let mut firsts: Vec<&Row> = Vec::new();
    for row in rows {
        match firsts.iter().find(|first| first.record.method == row.record.method) {
            None => firsts.push(row),
            Some(first) => {
                let keys = row.record.settings.as_object().into_iter().flatten().map(|(key, _)| key);
                for key in keys.filter(|key| of(row, key) != of(first, key)) {
                    let name = (row.record.method.clone(), key.clone());
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
    }
    names.sort();
    let column = |(method, key): &(String, String)| {
        let value = |row: &Row| of(row, key).filter(|_| row.record.method == *method);
        let is_numeric = rows.iter().filter_map(value).all(|value| value.is_number() || value.is_null());
        Column {
            name: format!("{method}.{key}"),
            cells: if is_numeric {
                Cells::Numbers(rows.iter().map(|row| value(row)?.as_f64()).collect())
            } else {
                let word = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Cells::Text(rows.iter().map(|row| value(row).map_or(String::new(), word)).collect())
            },
        }
    };
    names.iter().map(column).collect()
}

/// A text without quotation marks, or any other value as TOML.
fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Formats columns as CSV. Numbers are read back bit for bit.
pub fn csv(columns: &[Column]) -> String {
    let head: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let n = columns.first().map_or(0, Column::len);
    text(&head, (0..n).map(|i| columns.iter().map(move |column| column.cell(i))))
}

impl Column {
    /// A column of words.
    pub fn text(name: &str, cells: impl Iterator<Item = String>) -> Self {
        Self { name: name.to_owned(), cells: Cells::Text(cells.collect()) }
    }

    /// A column for each key of these points: numbers if all of its values are numbers, else words.
    pub fn of_points(points: &[&[(String, toml::Value)]]) -> Vec<Self> {
        let mut keys: Vec<&str> = Vec::new();
        for (key, _) in points.iter().copied().flatten() {
            if !keys.contains(&key.as_str()) {
                keys.push(key);
            }
        }
        let column = |key: &str| {
            let values: Vec<Option<&toml::Value>> = points
                .iter()
                .map(|point| point.iter().find(|(name, _)| name == key).map(|(_, v)| v))
                .collect();
            let is_numeric = values.iter().flatten().all(|value| crate::axis::number(value).is_some());
            let cells = if is_numeric {
                Cells::Numbers(values.iter().map(|value| crate::axis::number((*value)?)).collect())
            } else {
                Cells::Text(values.iter().map(|value| value.map_or(String::new(), plain)).collect())
            };
            Self { name: key.to_owned(), cells }
        };
        keys.into_iter().map(column).collect()
    }

    fn len(&self) -> usize {
        match &self.cells {
            Cells::Text(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
        }
    }

    fn cell(&self, i: usize) -> String {
        match &self.cells {
            Cells::Text(cells) => cells[i].clone(),
            Cells::Numbers(cells) => cells[i].map_or(String::new(), rigor_run::folder::table::number),
        }
    }
}

/// Formats a table as CSV (RFC 4180, with line feeds): a heading, then rows of as many cells.
pub fn text<H: AsRef<[u8]>, R: IntoIterator<Item = String>>(
    head: &[H],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(head);
    for row in rows {
        let _ = writer.write_record(row);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Formats the values of keys.
pub fn point_json(point: &[(String, toml::Value)]) -> Value {
    point.iter().map(|(key, value)| (key.clone(), json!(value))).collect::<Map<String, Value>>().into()
}

/// Formats a run with its findings on the whole scene and the verdict on each expectation.
pub fn json(row: &Row) -> Value {
    let Row { record, task, .. } = row;
    let of_scene = record.findings.iter().filter(|finding| finding.body.is_none());
    let findings: Map<_, _> =
        of_scene.map(|f| (f.figure.clone(), json!({ "value": f.value, "unit": f.unit }))).collect();
    let expectation = |e: &rigor_run::verdict::VerdictRecord| {
        let word = match e.verdict {
            VerdictWord::Held => "held",
            VerdictWord::Failed => "failed",
            VerdictWord::NotMeasured => "not measured",
        };
        json!({
            "figure": e.figure, "body": e.body, "expected": e.bound, "is_claimed": e.is_claimed, "verdict": word,
            "value": e.value, "because": e.because,
        })
    };
    json!({
        "scene": row.scene, "label": task.label, "method": record.method, "dt": record.dt, "point": point_json(&task.point),
        "reference": row.reference.as_deref().map(outcome), "lost_reference": row.lost_reference,
        "deviation": row.deviation.figures,
        "outcome": outcome(record), "steps": record.steps_done, "identity": record.identity,
        "seconds_per_step": cost("cost.seconds_per_step", record), "cpu_per_step": cost("cost.cpu_per_step", record),
        "contacts_mean": cost("cost.contacts_mean", record), "notices": record.notices, "warnings": record.warnings,
        "flaws": record.flaws, "findings": findings,
        "expectations": record.expectations.iter().map(expectation).collect::<Vec<_>>(),
    })
}
