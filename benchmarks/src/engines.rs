//! The tables and plots of `docs/engines.md`, from the committed rows of `benchmarks/results/engines`.

mod page;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::plot::{self, Line, Point};
use page::{CPU, CPU_OF_ALL, ERROR};
pub use page::{Growth, Measure, Page, Take, pages};

/// A row: cells by the name of their column.
pub type Row = BTreeMap<String, String>;

/// The legend of the plots, in the order of [`Line::kind`].
const KINDS: [&str; 2] = ["default, or a method of ours", "best"];

/// Reads a table with a heading.
///
/// # Errors
/// The text is no CSV.
pub fn read(text: &[u8]) -> io::Result<Vec<Row>> {
    let mut reader = csv::Reader::from_reader(text);
    let names = reader.headers().map_err(io::Error::other)?.clone();
    let row = |record: Result<csv::StringRecord, csv::Error>| -> io::Result<Row> {
        let record = record.map_err(io::Error::other)?;
        Ok(names.iter().zip(record.iter()).map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect())
    };
    reader.records().map(row).collect()
}

/// Returns the columns of a page from the table that `rigor study` writes: its `label` is the method.
///
/// # Errors
/// The text is no CSV, or lacks a column.
pub fn kept(page: &Page, results: &[u8]) -> io::Result<Vec<u8>> {
    let mut rows = read(results)?;
    rows.sort_by(|a, b| a["scene"].cmp(&b["scene"]));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = page.columns();
    writer.write_record(&columns)?;
    for row in &rows {
        let cell = |name: &&str| {
            let source = if *name == "method" { "label" } else { name };
            let text = row.get(source).ok_or_else(|| io::Error::other(format!("no column {source:?}")))?;
            Ok(shortened(text))
        };
        writer.write_record(columns.iter().map(cell).collect::<io::Result<Vec<_>>>()?)?;
    }
    writer.into_inner().map_err(|why| io::Error::other(why.to_string()))
}

/// Returns the rows of the page of tosses from the table that `rigor accuracy` writes. Of the methods with several variants it keeps one,
/// with bodies that do not fall asleep.
///
/// # Errors
/// The text is no CSV, or lacks a column.
pub fn kept_tosses(accuracy: &[u8]) -> io::Result<Vec<u8>> {
    let mut rows = read(accuracy)?;
    rows.sort_by(|a, b| a["case"].cmp(&b["case"]));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["scene", "method", "dt [s]", "outcome", "steps", ERROR, CPU_OF_ALL])?;
    for row in &rows {
        let cell = |name: &str| {
            row.get(name).map(String::as_str).ok_or_else(|| io::Error::other(format!("no column {name:?}")))
        };
        let Some(method) = tossed(cell("variant")?) else { continue };
        let outcome = [cell("outcome")?, cell("why")?].join(": ");
        let numbers = ["steps", ERROR, CPU_OF_ALL].map(|name| cell(name).map(shortened));
        let [steps, error, cpu] = numbers;
        writer.write_record([
            cell("case")?,
            &method,
            &shortened(cell("dt [s]")?),
            outcome.trim_end_matches(": "),
            &steps?,
            &error?,
            &cpu?,
        ])?;
    }
    writer.into_inner().map_err(|why| io::Error::other(why.to_string()))
}

/// The name on the page of a variant of `rigor accuracy`; `None` for one that the page leaves out.
fn tossed(variant: &str) -> Option<String> {
    match variant {
        "ipc" | "xpbd" => Some(variant.to_owned()),
        "rapier (awake)" => Some("rapier".to_owned()),
        _ if variant.contains(' ') || ["free", "pbd", "rapier"].contains(&variant) => None,
        _ => Some(match variant.split_once(":setting=") {
            Some((engine, setting)) => format!("{engine}, {setting}"),
            None => format!("{variant}, default"),
        }),
    }
}

/// Rounds a number to six digits; other text stays.
fn shortened(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if text.len() > 8 => {
            let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
            if rounded == 0.0 || (1e-4..1e7).contains(&rounded.abs()) {
                format!("{rounded}")
            } else {
                format!("{rounded:e}")
            }
        }
        _ => text.to_owned(),
    }
}

/// Returns a verdict matrix in Markdown: a row per method, and a cell per measure with a value per time step from the
/// longest to the shortest. Values that miss the bound are bold.
pub fn matrix(measures: &[Measure], rows: &[Row]) -> String {
    let titles: Vec<String> = measures.iter().map(Measure::heading).collect();
    let mut text = format!("| | {} |\n|{}\n", titles.join(" | "), " --- |".repeat(titles.len() + 1));
    for method in methods(rows) {
        let cells: Vec<String> = measures.iter().map(|measure| cell(measure, &method, rows)).collect();
        text += &format!("| {method} | {} |\n", cells.join(" | "));
    }
    text
}

/// The methods, in the order in which they first appear in the first scene.
fn methods(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        if !names.contains(&row["method"]) {
            names.push(row["method"].clone());
        }
    }
    names
}

fn cell(measure: &Measure, method: &str, rows: &[Row]) -> String {
    let taken = take(measure, method, rows);
    let words: Vec<String> = taken.iter().map(|(_, value)| value.word(measure)).collect();
    match words.first() {
        None => "–".to_owned(),
        Some(first) if words.iter().all(|word| word == "–") => first.clone(),
        Some(_) => words.join(" · "),
    }
}

/// What a method reaches at a time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reached {
    /// The value.
    Value(f64),
    /// The run stopped with an error, or its value is not finite.
    Failed,
    /// The run was cut off by the clock.
    Cut,
    /// The method lacks something.
    Skipped,
}

impl Reached {
    fn of(row: &Row, column: &str) -> Self {
        let outcome = row["outcome"].as_str();
        match row[column].parse() {
            Ok(value) if outcome == "completed" => Self::Value(value),
            _ if outcome.starts_with("interrupted") => Self::Cut,
            _ if outcome.starts_with("skipped") || outcome.contains("at \"load\"") => Self::Skipped,
            _ => Self::Failed,
        }
    }

    fn word(self, measure: &Measure) -> String {
        match self {
            Self::Skipped => "–".to_owned(),
            Self::Cut => "cut".to_owned(),
            Self::Failed if measure.is_cost() => "–".to_owned(),
            Self::Failed => "**fails**".to_owned(),
            Self::Value(value) => {
                let text = short(measure.scale * value);
                if measure.holds(value) { text } else { format!("**{text}**") }
            }
        }
    }
}

/// Returns the time steps (s) of a method from the longest to the shortest, with what it reaches.
fn take(measure: &Measure, method: &str, rows: &[Row]) -> Vec<(f64, Reached)> {
    let of: Vec<&Row> =
        rows.iter().filter(|row| row["method"] == method && measure.is_about(&row["scene"])).collect();
    let mut steps: Vec<f64> = of.iter().filter_map(|row| row["dt [s]"].parse().ok()).collect();
    steps.sort_by(|a, b| b.total_cmp(a));
    steps.dedup();
    let at = |dt: f64| -> Reached {
        let same = of.iter().filter(|row| row["dt [s]"].parse() == Ok(dt));
        let all: Vec<Reached> = same.map(|row| Reached::of(row, measure.column)).collect();
        measure.take.apply(&all)
    };
    steps.into_iter().map(|dt| (dt, at(dt))).collect()
}

/// Returns the mean CPU time (s) of the runs of a measure at a time step.
fn cpu(measure: &Measure, method: &str, rows: &[Row], dt: f64) -> Option<f64> {
    let is_it = |row: &&Row| {
        row["method"] == method && measure.is_about(&row["scene"]) && row["dt [s]"].parse() == Ok(dt)
    };
    let time = |row: &Row| -> Option<f64> {
        if let Some(all) = row.get(CPU_OF_ALL) {
            return all.parse().ok();
        }
        let [per_step, steps] = [CPU, "steps"].map(|name| row[name].parse::<f64>().ok());
        Some(per_step? * steps?)
    };
    let times: Vec<f64> = rows.iter().filter(is_it).filter_map(time).collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Returns the name and the text of the plots of a page: error against CPU time.
pub fn plots(page: &Page, rows: &[Row]) -> Vec<(String, String)> {
    let names = methods(rows);
    let mut panels: Vec<&str> = Vec::new();
    for name in &names {
        let engine = engine_of(name);
        if !panels.contains(&engine) {
            panels.push(engine);
        }
    }
    let draw = |measure: &&Measure| {
        let (name, what) = measure.plot.expect("only measures with a plot are drawn");
        let lines: Vec<Line> = names.iter().filter_map(|method| line(measure, method, rows)).collect();
        let drawn: Vec<&str> =
            panels.iter().copied().filter(|panel| lines.iter().any(|line| line.panel == *panel)).collect();
        let about = format!("{what} against CPU time, a panel per engine");
        let text = plot::multiples(
            &about,
            &KINDS,
            [&format!("CPU time of {} (s)", page.run), what],
            &drawn,
            &lines,
            (measure.scale * measure.bound, "the bound"),
        );
        (format!("{name}.svg"), text)
    };
    let errors = page.measures.iter().filter(|measure| measure.plot.is_some());
    errors.map(|measure| draw(&measure)).chain(page.growth.iter().map(|growth| grown(growth, rows))).collect()
}

/// Returns the name and the text of a plot of a cost against the number of bodies, with a line per time step.
fn grown(growth: &Growth, rows: &[Row]) -> (String, String) {
    let (name, what) = growth.plot;
    let methods = methods(rows);
    let mut steps: Vec<f64> = rows.iter().filter_map(|row| row["dt [s]"].parse().ok()).collect();
    steps.sort_by(|a, b| b.total_cmp(a));
    steps.dedup();
    let line = |method: &String, kind: usize| {
        let point = |(n, measure): &(f64, Measure)| {
            let taken = take(measure, method, rows).into_iter().find(|(dt, _)| *dt == steps[kind]);
            let (_, Reached::Value(value)) = taken? else { return None };
            Some(Point { at: [*n, measure.scale * value], is_bound: false, is_large: false })
        };
        let points: Vec<Point> = growth.costs.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Line { panel: engine_of(method).to_owned(), kind, points })
    };
    let all = methods.iter().flat_map(|method| (0..steps.len()).map(move |kind| (method, kind)));
    let lines: Vec<Line> = all.filter_map(|(method, kind)| line(method, kind)).collect();
    let is_drawn = |panel: &&str| lines.iter().any(|line| line.panel == *panel);
    let panels: Vec<&str> = methods.iter().map(|method| engine_of(method)).filter(is_drawn).collect();
    let legend: Vec<String> = steps.iter().map(|dt| format!("Δt = {} ms", short(1e3 * dt))).collect();
    let legend: Vec<&str> = legend.iter().map(String::as_str).collect();
    let about = format!("{what} against the number of boxes, a panel per engine");
    let text = plot::multiples(&about, &legend, ["number of boxes", what], &panels, &lines, growth.mark);
    (format!("{name}.svg"), text)
}

/// The engine of a method with a setting: that of `mujoco, best` is `mujoco`.
fn engine_of(method: &str) -> &str {
    method.split(',').next().unwrap_or(method)
}

fn line(measure: &Measure, method: &str, rows: &[Row]) -> Option<Line> {
    let taken = take(measure, method, rows);
    let longest = taken.first()?.0;
    let point = |(dt, reached): (f64, Reached)| {
        let Reached::Value(value) = reached else { return None };
        let error = measure.scale * measure.error(value);
        let floor = measure.scale * measure.floor;
        let x = cpu(measure, method, rows, dt)?.max(1e-6);
        Some(Point { at: [x, error.max(floor)], is_bound: error < floor, is_large: dt >= longest })
    };
    let points: Vec<Point> = taken.into_iter().filter_map(point).collect();
    let kind = usize::from(method.ends_with("best"));
    (!points.is_empty()).then(|| Line { panel: engine_of(method).to_owned(), kind, points })
}

/// Formats a number to three digits at most: `0.638`, `21`, `4e-7`.
///
/// ```
/// use rigor_benchmarks::engines::short;
/// assert_eq!([0.6381, 21.0, 1234.0, 0.0].map(short), ["0.638", "21", "1230", "0"]);
/// assert_eq!([4.2e-7, 1e-5, 3.06e9].map(short), ["4.2e-7", "1e-5", "3.1e9"]);
/// ```
pub fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&value.abs()) {
        let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
        return format!("{rounded:e}");
    }
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    format!("{rounded}")
}

/// Replaces what stands between `<!-- matrix NAME -->` and `<!-- end -->` by the matrices of all pages, and between
/// `<!-- costs NAME -->` and `<!-- end -->` by those of costs.
///
/// # Errors
/// The page lacks a mark.
pub fn renewed(document: &str, folder: &Path) -> io::Result<String> {
    let mut text = document.to_owned();
    for page in pages() {
        let rows = read(&std::fs::read(folder.join(format!("{}.csv", page.name)))?)?;
        let matrices = [("matrix", &page.measures), ("costs", &page.costs)];
        for (kind, measures) in matrices.into_iter().filter(|(_, measures)| !measures.is_empty()) {
            let mark = format!("<!-- {kind} {} -->\n", page.name);
            let lacking = |what: &str| io::Error::other(format!("docs/engines.md lacks {what:?}"));
            let start = text.find(&mark).ok_or_else(|| lacking(&mark))? + mark.len();
            let end = start + text[start..].find("<!-- end -->").ok_or_else(|| lacking("<!-- end -->"))?;
            text.replace_range(start..end, &format!("\n{}\n", matrix(measures, &rows)));
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn rows_of(page: &Page) -> Vec<Row> {
        let path = workspace().join(format!("benchmarks/results/engines/{}.csv", page.name));
        read(&std::fs::read(path).expect("the rows are committed")).expect("they are a table")
    }

    #[test]
    fn the_page_has_the_matrices_of_the_rows() {
        let page = std::fs::read_to_string(workspace().join("docs/engines.md")).expect("the page is there");
        let renewed =
            renewed(&page, &workspace().join("benchmarks/results/engines")).expect("marks are there");
        assert!(page == renewed, "run `cargo run --release -p rigor-benchmarks --example engines`");
    }

    #[test]
    fn every_page_has_its_plots_and_they_are_those_of_the_rows() {
        for page in pages() {
            let plots = plots(&page, &rows_of(&page));
            assert!(!plots.is_empty(), "{} has no plot", page.name);
            for (name, text) in plots {
                let file = workspace().join("docs/images/engines").join(&name);
                let kept = std::fs::read_to_string(&file).expect("the plot is committed");
                assert!(
                    kept == text,
                    "{name}: run `cargo run --release -p rigor-benchmarks --example engines`"
                );
            }
        }
    }

    #[test]
    fn a_value_that_misses_its_bound_is_bold() {
        let text = b"scene,method,dt [s],outcome,steps,motion.bounce [m],cost.cpu_per_step [s]\n\
            ball,a,1e-2,completed,10,0.5,1e-5\nball,a,5e-3,completed,20,0.641,1e-5\n\
            ball,b,1e-2,\"stopped: no, it is NaN\",3,,1e-5\nball,b,5e-3,skipped: no joints,0,,\n";
        let rows = read(text).expect("it is a table");
        let measure = Measure { exact: 0.64, ..Measure::one("ball", "ball", "motion.bounce [m]", 0.02) };
        assert_eq!(cell(&measure, "a", &rows), "**0.5** · 0.641");
        assert_eq!(cell(&measure, "b", &rows), "**fails** · –");
        assert_eq!(cell(&measure, "c", &rows), "–");
    }

    #[test]
    fn columns_of_a_study_are_kept_with_six_digits() {
        let page = Page::new("test", vec![Measure::one("ball", "ball", "motion.bounce [m]", 0.02)]);
        let results =
            b"scene,label,method,dt [s],outcome,steps,other,motion.bounce [m],cost.cpu_per_step [s]\n\
            ball,\"mujoco, best\",mujoco,1e-2,completed,10,7,0.123456789,0.00000123456789\n";
        let text = String::from_utf8(kept(&page, results).expect("it has the columns")).expect("it is text");
        assert_eq!(
            text,
            "scene,method,dt [s],outcome,steps,motion.bounce [m],cost.cpu_per_step [s]\n\
             ball,\"mujoco, best\",1e-2,completed,10,0.123457,1.23457e-6\n"
        );
        assert!(kept(&page, b"scene,label\nball,a\n").is_err());
    }

    #[test]
    fn tosses_are_kept_under_the_names_of_the_pages() {
        let accuracy =
            b"case,variant,settings,dt [s],steps,outcome,error [1],cpu [s],why,commit,processor,day\n\
            toss,ipc,,6.756756756756757e-3,74,completed,1.3654331e-1,2.1618174e-1,,a,b,c\n\
            toss,ipc bdf2,,6.756756756756757e-3,74,completed,1.4e-1,2e-1,,a,b,c\n\
            toss,rapier,,6.756756756756757e-3,74,completed,1.6e-1,2e-2,,a,b,c\n\
            toss,rapier (awake),,6.756756756756757e-3,74,completed,1.7e-1,2e-2,,a,b,c\n\
            toss,mujoco:setting=best,,6.756756756756757e-3,74,completed,1.2e-1,3e-2,,a,b,c\n\
            toss,jolt,,6.756756756756757e-3,74,stopped,,,\"jolt at \"\"load\"\": no\",a,b,c\n";
        let text = String::from_utf8(kept_tosses(accuracy).expect("it has the columns")).expect("it is text");
        assert_eq!(
            text,
            "scene,method,dt [s],outcome,steps,error [1],cpu [s]\n\
             toss,ipc,0.00675676,completed,74,0.136543,0.216182\n\
             toss,rapier,0.00675676,completed,74,1.7e-1,2e-2\n\
             toss,\"mujoco, best\",0.00675676,completed,74,1.2e-1,3e-2\n\
             toss,\"jolt, default\",0.00675676,\"stopped: jolt at \"\"load\"\": no\",74,,\n"
        );
        let rows = read(text.as_bytes()).expect("it is a table");
        let measure = Measure::one("position", "toss", ERROR, 0.15);
        assert_eq!(cell(&measure, "rapier", &rows), "**0.17**");
        assert_eq!(cell(&measure, "jolt, default", &rows), "–");
        assert_eq!(cpu(&measure, "ipc", &rows, 0.00675676), Some(0.216182));
    }

    #[test]
    fn a_cost_has_no_bound_and_grows_with_a_line_per_step() {
        let text = b"scene,method,dt [s],outcome,steps,cost.cpu_per_step [s]\n\
            ten,a,1e-2,completed,10,2e-3\nten,a,5e-3,completed,20,1e-3\n\
            hundred,a,1e-2,completed,10,3e-2\nhundred,a,5e-3,interrupted: time limit,3,1e-1\n\
            ten,b,1e-2,completed,10,\n";
        let rows = read(text).expect("it is a table");
        let costs = [
            (10.0, Measure::cost("10", "ten", CPU, 1e3)),
            (100.0, Measure::cost("100", "hundred", CPU, 1e3)),
        ];
        assert_eq!(
            matrix(&[costs[0].1.clone(), costs[1].1.clone()], &rows),
            "| | 10 | 100 |\n| --- | --- | --- |\n| a | 2 · 1 | 30 · cut |\n| b | – | – |\n"
        );
        let growth = Growth { plot: ("grown", "CPU time"), costs: costs.into(), mark: (10.0, "real time") };
        let (name, text) = grown(&growth, &rows);
        assert_eq!((name.as_str(), text.matches("<circle").count()), ("grown.svg", 2 + 3));
        assert!(text.contains("Δt = 10 ms") && text.contains("dashed: real time"), "{text}");
    }
}
