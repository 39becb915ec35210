//! The results of a comparison as CSV and JSON.

use rigor_audit::Verdict;
use rigor_report::{Ending, MethodRow, SceneSection};
use rigor_run::notice::NoticeRecord;
use rigor_scene::Expectation;
use serde_json::{Map, Value, json};

/// The columns before those of the figures.
const HEAD: [&str; 11] = [
    "scene",
    "method",
    "dt [s]",
    "outcome",
    "steps",
    "seconds_per_step [s]",
    "contacts_mean",
    "expectations_held",
    "expectations_failed",
    "flawed_steps",
    "notices",
];

/// Formats one line per run, with one column per figure of the scene and its unit in the heading.
pub fn csv(sections: &[SceneSection]) -> String {
    let figures = rigor_audit::figures().map(|figure| format!("{} [{}]", figure.name, figure.unit));
    let head: Vec<String> = HEAD.map(str::to_owned).into_iter().chain(figures).collect();
    let rows = sections.iter().flat_map(|section| section.rows.iter().map(move |row| cells(section, row)));
    table(&head, rows)
}

/// Formats a table as CSV (RFC 4180, with line feeds): a heading, then rows with the same number of cells.
pub fn table<H: AsRef<[u8]>, R: IntoIterator<Item = String>>(
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

fn cells(section: &SceneSection, row: &MethodRow) -> Vec<String> {
    let optional = |v: Option<f64>| v.map_or(String::new(), |v| format!("{v:e}"));
    let count = |is: fn(&Verdict) -> bool| {
        row.expectations.iter().filter(|(_, verdict)| is(verdict)).count().to_string()
    };
    let cells = [
        section.name.clone(),
        row.method.clone(),
        format!("{:e}", row.dt),
        outcome(&row.ending),
        row.steps.to_string(),
        optional(row.seconds_per_step),
        optional(row.contacts_mean),
        count(|verdict| matches!(verdict, Verdict::Held(_))),
        count(|verdict| matches!(verdict, Verdict::Failed(_))),
        row.flawed_steps.to_string(),
        row.notices.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    ];
    let figures = rigor_audit::figures().map(|figure| optional(row.value(figure.name)));
    cells.into_iter().chain(figures).collect()
}

/// Formats a run with its findings on the whole scene and the verdict on each expectation.
pub fn json(section: &SceneSection, row: &MethodRow) -> Value {
    let of_scene = row.findings.iter().filter(|finding| finding.body.is_none());
    let findings: Map<_, _> =
        of_scene.map(|f| (f.figure.to_owned(), json!({ "value": f.value, "unit": f.unit }))).collect();
    let expectation = |(expected, verdict): &(Expectation, Verdict)| {
        let (word, value) = match verdict {
            Verdict::Held(found) => ("held", Some(found.value)),
            Verdict::Failed(found) => ("failed", Some(found.value)),
            Verdict::NotMeasured => ("not measured", None),
        };
        json!({
            "figure": expected.figure, "body": expected.body.map(|id| section.body_name(id)),
            "expected": expected.bound.to_string(), "verdict": word, "value": value, "because": expected.because,
        })
    };
    json!({
        "scene": section.name, "method": row.method, "dt": row.dt, "outcome": outcome(&row.ending), "steps": row.steps,
        "seconds_per_step": row.seconds_per_step, "contacts_mean": row.contacts_mean,
        "notices": row.notices.iter().map(NoticeRecord::from).collect::<Vec<_>>(), "flaws": row.flaws, "findings": findings,
        "expectations": row.expectations.iter().map(expectation).collect::<Vec<_>>(),
    })
}

/// Describes how a run ended, with the reason.
pub fn outcome(ending: &Ending) -> String {
    match ending {
        Ending::Completed => "completed".into(),
        Ending::Stopped { why } => format!("stopped: {why}"),
        Ending::Skipped { why } => format!("skipped: no {why}"),
        Ending::Interrupted { why } => format!("interrupted: {why}"),
        Ending::Failed { why } => format!("failed: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use rigor_audit::{Figure, Finding};
    use rigor_run::notice::FlawCount;
    use rigor_scene::{Bound, Notice};

    use super::*;

    fn section() -> SceneSection {
        let finding = Finding::of_scene(Figure::named("penetration.deepest").unwrap(), 0.0125);
        let expected = |figure: &str| Expectation {
            figure: figure.into(),
            body: None,
            bound: Bound::AtMost(1e-3),
            methods: vec![],
            because: String::new(),
        };
        let failed = (expected("penetration.deepest"), Verdict::Failed(finding.clone()));
        let missing = (expected("energy.drift"), Verdict::NotMeasured);
        let why = "\"box\" is gone".to_owned();
        let row = MethodRow {
            steps: 17,
            findings: vec![finding],
            expectations: vec![failed, missing],
            notices: vec![
                Notice::of_scene("e", "1", 0.5, "not used"),
                Notice::of_named("f", ["body \"g\"".to_owned()], "not used").unwrap(),
            ],
            flaws: vec![FlawCount { name: "late".into(), what: "it was late".into(), steps: 3, of: 17 }],
            flawed_steps: 3,
            ..MethodRow::new("xpbd", 0.1, Ending::Stopped { why })
        };
        SceneSection { name: "a, b".into(), rows: vec![row], ..SceneSection::default() }
    }

    #[test]
    fn a_line_has_a_cell_for_every_heading_and_quotes_survive() {
        let text = csv(&[section()]);
        let [head, line] = text.lines().collect::<Vec<_>>()[..] else { panic!("{text}") };
        assert!(line.starts_with("\"a, b\",xpbd,1e-1,\"stopped: \"\"box\"\" is gone\",17,,,0,1,3,\"e 0.5: not used; f of body \"\"g\"\": not used\","), "{line}");
        // One comma is in the name of the scene.
        assert_eq!(line.matches(',').count(), head.matches(',').count() + 1);
        let at = head.split(',').position(|cell| cell == "penetration.deepest [m]").unwrap();
        assert_eq!(line.split(',').nth(at + 1), Some("1.25e-2"));
    }

    #[test]
    fn json_tells_what_became_of_each_expectation() {
        let section = section();
        let told = json(&section, &section.rows[0]);
        let verdicts: Vec<_> =
            told["expectations"].as_array().unwrap().iter().map(|e| (&e["verdict"], &e["value"])).collect();
        assert_eq!(told["notices"][0]["text"], "e 0.5: not used");
        assert_eq!((&told["notices"][0]["value"], &told["flaws"][0]["steps"]), (&json!(0.5), &json!(3)));
        assert_eq!(verdicts, [(&json!("failed"), &json!(0.0125)), (&json!("not measured"), &Value::Null)]);
    }
}
