//! What the conclusions of a study lack: runs and references that did not end, searches without an answer, flawed steps,
//! interpolation.

use rigor_report::mark::Mark;
use rigor_report::number::quantity;
use rigor_report::table::Table;
use rigor_run::folder::record::Ending;

use crate::conduct::Results;
use crate::row::{Row, outcome};

/// Maximum number of lines; the table of results has all.
const MAX_LINES: usize = 40;

/// Returns the table of a page; `None` if nothing is missing.
pub fn table(results: &Results) -> Option<Table> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (task, why) in &results.lost_references {
        let at = crate::point::words(&task.point, &[]);
        let lost = "no deviation from it and no difference is measured";
        lines.push([&task.scene, &task.label, &at, why, lost].map(ToString::to_string).to_vec());
    }
    for (task, error) in &results.errors {
        let at = crate::point::words(&task.point, &[]);
        lines.push(vec![
            task.scene.clone(),
            task.label.clone(),
            at,
            error.to_string(),
            "it is in no result".into(),
        ]);
    }
    let line = |row: &Row, what: String, so: &str| {
        let dt = format!("Δt {}", quantity(row.record.dt, "s"));
        let at = [dt, row.point()].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        vec![row.scene.clone(), row.task.label.clone(), at, what, so.to_owned()]
    };
    let is_searched = !results.criticals.is_empty();
    for row in &results.rows {
        let steps = row.record.flawed_steps;
        match &row.record.outcome {
            Ending::Skipped { .. } => {}
            Ending::Completed if steps > 0 => {
                lines.push(line(
                    row,
                    format!("{steps} of {} steps are flawed", row.record.steps_done),
                    "its values are used",
                ));
            }
            Ending::Completed => {}
            Ending::Stopped { .. }
            | Ending::Refused { .. }
            | Ending::Failed { .. }
            | Ending::Running
            | Ending::Interrupted
            | Ending::TimedOut { .. } => {
                let so =
                    if is_searched { "its search is unknown" } else { "it is in no plot and in no order" };
                lines.push(line(row, outcome(&row.record), so));
            }
        }
        let bound = row.deviation.get("compare.position_bound").unwrap_or(0.0);
        if bound > 0.0 {
            let what = format!("compared between its frames, by a cubic: up to {}", quantity(bound, "m"));
            lines.push(line(row, what, "its deviations may be wrong by so much"));
        }
    }
    if results.n_missing > 0 {
        let what = format!("{} runs are not made yet", results.n_missing);
        lines.push(["", "", "", &what, "all results lack them"].map(str::to_owned).to_vec());
    }
    let (n, more) = (lines.len(), lines.len().saturating_sub(MAX_LINES));
    lines.truncate(MAX_LINES);
    let told = if more > 0 { format!(" {more} more are in results.csv.") } else { String::new() };
    (n > 0).then(|| Table {
        title: "What the conclusions lack".into(),
        note: format!(
            "Runs that did not end, and what that means for plots, orders and critical values.{told}"
        ),
        mark: Mark::Plain,
        complaints: Vec::new(),
        heading: ["scene", "method", "at", "what happened", "so"].map(str::to_owned).to_vec(),
        rows: lines,
        plot: None,
    })
}
