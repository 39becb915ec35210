//! Figures of papers.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_papers::attempt::{Attempt, Outcome, attempt, check};
use rigor_papers::catalogue;
use rigor_papers::extent::Extent;
use rigor_papers::file;
use rigor_papers::form::Form;
use rigor_papers::paper::{Paper, PaperFigure};
use rigor_papers::request::Request;
use rigor_papers::{page, table};
use rigor_report::table::Table;
use rigor_study::results;
use serde_json::{Value, json};

use crate::error;
use crate::page::frame;
use crate::signal::interruptible;

/// Returns all papers with their figures, as JSON.
#[pyfunction]
pub fn papers() -> String {
    let figure = |figure: &PaperFigure| json!({ "id": figure.id, "title": figure.title, "claim": figure.claim, "cases": figure.cases, "lacking": figure.lacking });
    let paper = |paper: &Paper| {
        let figures: Vec<_> = paper.figures.iter().map(figure).collect();
        json!({ "name": paper.name, "title": paper.title, "method": paper.method, "figures": figures })
    };
    Value::from(catalogue::papers().iter().map(paper).collect::<Vec<_>>()).to_string()
}

/// Runs figures of a paper (all if none is named), writes their pages to `out` and returns the outcomes as JSON.
///
/// # Errors
/// There is no such paper or figure, a scene cannot be read, or a page cannot be written.
#[pyfunction]
#[pyo3(signature = (paper, figures, out, form, changes, data, steps, time, is_timed))]
#[allow(clippy::too_many_arguments, reason = "the package passes them by name")]
pub fn reproduce(
    py: Python<'_>,
    paper: &str,
    figures: Vec<String>,
    out: PathBuf,
    form: &str,
    changes: Vec<String>,
    data: Option<PathBuf>,
    steps: Option<u64>,
    time: Option<f64>,
    is_timed: bool,
) -> PyResult<String> {
    let paper = &*find(paper)?;
    let figures = chosen(paper, &figures)?;
    let forms = forms(form)?;
    if let Some(data) = data.as_deref().filter(|data| !data.is_dir()) {
        return Err(error::study(format!("data: there is no folder {}", data.display())));
    }
    let extent = extent(steps, time)?;
    let (data, root) = (data.as_deref(), out.as_path());
    let request =
        Request { data, overrides: &changes, extent, forms, change: None, seconds: None, is_timed, root };
    let attempts = py.detach(|| interruptible(|stop| make(paper, &figures, request, stop)))??;
    Ok(Value::from(attempts.iter().map(told).collect::<Vec<_>>()).to_string())
}

/// The paper with this name, or in this file.
fn find(name: &str) -> PyResult<Cow<'static, Paper>> {
    if let Some(paper) = catalogue::find(name) {
        return Ok(Cow::Borrowed(paper));
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) {
        return file::read(path).map(Cow::Owned).map_err(error::study);
    }
    let known = catalogue::papers().iter().map(|paper| paper.name.as_str()).collect::<Vec<_>>().join(", ");
    Err(error::study(format!(
        "there is no paper {name:?}; the papers are {known}, and files that end in `.toml`"
    )))
}

fn forms(name: &str) -> PyResult<&'static [Form]> {
    match name {
        "both" => Ok(&Form::BOTH),
        "printed" => Ok(&[Form::Printed]),
        "here" => Ok(&[Form::Here]),
        _ => Err(PyValueError::new_err(format!(
            "form is {name:?}: expected \"both\", \"printed\" or \"here\""
        ))),
    }
}

fn chosen<'a>(paper: &'a Paper, wanted: &[String]) -> PyResult<Vec<&'a PaperFigure>> {
    let mut chosen: Vec<&PaperFigure> = Vec::new();
    for id in wanted {
        let found = paper.figures(id);
        if found.is_empty() {
            let known = paper.figures.iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>().join(", ");
            return Err(error::study(format!("there is no figure {id:?}; the figures are {known}")));
        }
        chosen.extend(found);
    }
    Ok(if wanted.is_empty() { paper.figures.iter().collect() } else { chosen })
}

fn extent(steps: Option<u64>, time: Option<f64>) -> PyResult<Extent> {
    match (steps, time) {
        (None, None) => Ok(Extent::Whole),
        (Some(steps), None) => Ok(Extent::Steps(steps)),
        (None, Some(time)) if time.is_finite() && time >= 0.0 => Ok(Extent::Until(time)),
        (None, Some(time)) => {
            Err(PyValueError::new_err(format!("time is {time} s: it must be finite and at least 0")))
        }
        (Some(_), Some(_)) => Err(PyValueError::new_err("give steps or time, not both")),
    }
}

fn make(
    paper: &Paper,
    figures: &[&PaperFigure],
    request: Request<'_>,
    stop: &AtomicBool,
) -> PyResult<Vec<Attempt>> {
    let root = request.root;
    figures.iter().try_for_each(|figure| check(paper, figure, request)).map_err(error::study)?;
    std::fs::create_dir_all(root).map_err(|why| error::study(format!("{}: {why}", root.display())))?;
    let frame = frame();
    let mut made = Vec::new();
    for figure in figures.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
        let one = attempt(paper, figure, request, stop, &|_| {}).map_err(error::study)?;
        write(&root.join(page::file_name(&one)), &page::figure(paper, &one, &frame))?;
        made.push(one);
    }
    write(&root.join("index.html"), &page::index(paper, &made, &frame))?;
    Ok(made)
}

fn write(path: &Path, text: &str) -> PyResult<()> {
    std::fs::write(path, text).map_err(|why| error::study(format!("{}: {why}", path.display())))
}

fn told(attempt: &Attempt) -> Value {
    let across = attempt.gathered.iter().flat_map(|one| one.tables.clone());
    let tables = attempt.studies.iter().map(table::of).chain(across);
    json!({
        "figure": attempt.figure.id,
        "title": attempt.figure.title,
        "claim": attempt.figure.claim,
        "outcome": attempt.verdict(Form::Here).map(Outcome::word),
        "outcome_as_printed": attempt.verdict(Form::Printed).map(Outcome::word),
        "why": attempt.remarks(),
        "page": page::file_name(attempt),
        "rows": attempt.rows.iter().map(results::json).collect::<Vec<_>>(),
        "tables": tables.map(|table| numbers(&table)).collect::<Vec<_>>(),
    })
}

fn numbers(table: &Table) -> Value {
    json!({
        "title": table.title, "note": table.note, "complaints": table.complaints, "heading": table.heading, "rows": table.rows,
    })
}
