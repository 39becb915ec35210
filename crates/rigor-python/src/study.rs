//! Plans of many runs.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rigor_study::{Options, Plan, Results, conduct, parquet, report, results, tables};
use serde_json::json;

use crate::error;
use crate::page::frame;
use crate::signal::interruptible;

/// Carries out a plan, a TOML file or JSON text, and writes table and report to `out`. Returns the rows as JSON.
///
/// # Errors
/// The plan is invalid, a run could not be made, or a file cannot be written.
#[pyfunction]
#[pyo3(signature = (plan, is_text, out, jobs))]
pub fn study(py: Python<'_>, plan: &str, is_text: bool, out: PathBuf, jobs: usize) -> PyResult<String> {
    if jobs == 0 {
        return Err(PyValueError::new_err("jobs is 0: it must be at least 1"));
    }
    let plan = read(plan, is_text)?;
    let options = Options { jobs, ..Options::new(&out) };
    let results = py.detach(|| interruptible(|stop| conduct(&plan, &options, stop, &|_, _| {})))?;
    let mut results = results.map_err(error::study)?;
    if let Some((task, why)) = results.errors.pop() {
        return Err(error::study(format!("{} with {}: {why}", task.scene, task.label)));
    }
    py.detach(|| write(&plan, &results, &out))?;
    let rows: Vec<_> = results.rows.iter().map(results::json).collect();
    let criticals = plan.bisect.as_ref().map(|_| tables::json(&plan, &results)).unwrap_or_default();
    Ok(json!({ "rows": rows, "found": results.n_found, "criticals": criticals }).to_string())
}

fn read(plan: &str, is_text: bool) -> PyResult<Plan> {
    if !is_text {
        return Plan::read(Path::new(plan)).map_err(error::study);
    }
    let plan: Plan = serde_json::from_str(plan).map_err(|why| error::study(format!("the plan: {why}")))?;
    plan.check().map_err(error::study)?;
    Ok(plan)
}

fn write(plan: &Plan, results: &Results, out: &Path) -> PyResult<()> {
    let page = report::page_within(plan, results, &frame()).map_err(error::study)?;
    let put = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        std::fs::write(&path, bytes).map_err(|why| error::study(format!("{}: {why}", path.display())))
    };
    for (name, columns) in tables::all(plan, results).map_err(error::study)? {
        put(&format!("{name}.csv"), results::csv(&columns).as_bytes())?;
        put(&format!("{name}.parquet"), &parquet::bytes(&columns).map_err(error::study)?)?;
    }
    put("report.html", rigor_report::html(&page).as_bytes())
}
