//! The table of implementations of continuous collision detection, ours among them, as a page and as files.

use std::fmt::Write;

use rigor_ccd_test::MotionClass;
use rigor_ccd_test::ruling::Verdict;
use rigor_report::number::quantity;
use rigor_study::results::text;

use super::judgement::{Counts, FAULT_COLUMNS, Judged, fault_record, groups};

/// One implementation and the rulings on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name on the command line.
    pub name: String,
    /// Its name in text.
    pub title: String,
    /// Its version.
    pub version: String,
    /// How it was called.
    pub notes: String,
    /// The option of `rigor ccd judge` that asks it.
    pub option: String,
    /// The rulings on queries of one type.
    pub judged: Vec<Judged>,
    /// Wrong answers to queries known by hand.
    pub smoke: Vec<String>,
}

/// What the tables are made from, for the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The date.
    pub date: String,
    /// The command that made the page.
    pub command: String,
    /// The time limit (s) of a query.
    pub limit: f64,
    /// The queries, in words.
    pub queries: String,
    /// Implementations that could not be asked, and why.
    pub absent: Vec<(String, String)>,
}

/// The entries that answered queries of the type `of`, each with its rulings on them.
fn of_type<'a>(entries: &'a [Entry], of: &str) -> Vec<(&'a Entry, Vec<Judged>)> {
    let own = |entry: &'a Entry| {
        let is_asked = |one: &&Judged| one.of == of && one.ruling.verdict != Verdict::Skipped;
        (entry, entry.judged.iter().filter(is_asked).cloned().collect::<Vec<Judged>>())
    };
    entries.iter().map(own).filter(|(_, judged)| !judged.is_empty()).collect()
}

const HEAD: &str = "| | answers | hits | **late** | misses | deepest, d_min | farthest, sizes | late by rounding | false hits | \
undecided | failed | timed out | t_safe/t_true: 1 % | median | time: median | 99.9 % |\n\
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

fn row(name: &str, counts: &Counts) -> String {
    let bold = |n: usize| if n > 0 { format!("**{n}**") } else { "0".to_owned() };
    let measure = |x: f64| if x > 0.0 { format!("{x:.2e}") } else { "–".to_owned() };
    let ratio = |share| counts.ratio(share).map_or("–".to_owned(), |r| format!("{r:.4}"));
    let time = |share| counts.seconds(share).map_or("–".to_owned(), |s| quantity(s, "s"));
    let cells = [
        counts.queries.to_string(),
        counts.hits.to_string(),
        bold(counts.late()),
        bold(counts.count(Verdict::Miss)),
        measure(counts.deepest),
        measure(counts.farthest),
        counts.count(Verdict::LateByRounding).to_string(),
        counts.count(Verdict::FalseHit).to_string(),
        counts.count(Verdict::Undecided).to_string(),
        bold(counts.count(Verdict::Failed) + counts.count(Verdict::Malformed)),
        bold(counts.count(Verdict::TimedOut)),
        ratio(0.01),
        ratio(0.5),
        time(0.5),
        time(0.999),
    ];
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// The page, in Markdown.
pub fn page(entries: &[Entry], facts: &Facts) -> String {
    let Facts { date, command, limit, queries, absent } = facts;
    let mut text = format!(
        "# Collision detection compared\n\n\
         How often, and how deep, is continuous collision detection late? This page is made by `{command}` ({date}), from \
         {queries}. Their truth is proven by exact arithmetic.\n\n\
         *Late* counts answers that call a time safe by which the primitives have met, beyond rounding; *misses* are those of them \
         that say that nothing meets. *Deepest* is how far the primitives are below d_min by then, in units of d_min (1 if they touch); \
         *farthest* how far points may have moved since contact, in units of the size of the primitives. [The test \
         kit](methods/ccd-testing.md#rulings-on-answers-from-outside) defines these, and what counts as rounding. *False hits* and small \
         ratios cost time, and are no faults.\n\n"
    );
    for (of, heading) in [("linear", "## Straight motions"), ("rigid", "## Rigid motions")] {
        let _ = write!(text, "{heading}\n\n{HEAD}");
        for (entry, judged) in of_type(entries, of) {
            text += &row(&entry.title, &Counts::of(judged.iter()));
        }
        text.push('\n');
        for class in MotionClass::ALL.into_iter().filter(|_| of == "rigid") {
            let rows = of_type(entries, of).into_iter().filter_map(|(entry, judged)| {
                let own = groups(&judged, [class], |one| Some(one.class));
                own.first().map(|(_, counts)| row(&entry.title, counts))
            });
            let rows: String = rows.collect();
            if !rows.is_empty() {
                let _ = write!(text, "### {class}\n\n{HEAD}{rows}\n");
            }
        }
    }
    text += "## Rules of fairness\n\n";
    let _ = write!(
        text,
        "- Each implementation is judged on the queries that it says it can answer: kinds, classes of motion, d_min. The numbers of \
         answers therefore differ, and rows are compared within a class.\n\
         - Settings are the defaults of the version in the table below, which is what a newcomer gets.\n\
         - A query has {limit} s. A process that takes longer is killed and started again, and the query counts as timed out.\n\
         - A time that is given as the time of impact is taken as t_safe, since that is how far a simulator would step.\n\
         - Times are those that an adapter states for the call, with what it converts: CPU time in Python, the median of repeats for the \
         methods of Rigor. The machine was shared. They tell orders of magnitude.\n\
         - Methods of Rigor run by the same rules. `redon` is a baseline with known blind spots.\n\
         - Authors are invited to correct an adapter: `crates/rigor-bench/guests`.\n\n"
    );
    text += "| | version | how it is called |\n| --- | --- | --- |\n";
    for entry in entries {
        let _ = writeln!(text, "| {} | {} | {} |", entry.title, entry.version, entry.notes);
    }
    for (name, why) in absent {
        let _ = writeln!(text, "| {name} | – | not asked: {why} |");
    }
    let wrong: Vec<String> = entries
        .iter()
        .flat_map(|entry| entry.smoke.iter().map(move |wrong| format!("- {}: {wrong}\n", entry.title)))
        .collect();
    if !wrong.is_empty() {
        let _ = write!(
            text,
            "\nOf the queries with answers known by hand these were answered wrong:\n\n{}",
            wrong.concat()
        );
    }
    text += "\n## Reproduce a fault\n\n\
             Every late, failed, malformed or missing answer is a row of `benchmarks/results/ccd/faults.csv`, with its times and depths. \
             Its type, label and option ask it again:\n\n```text\n";
    for entry in entries {
        let first = entry.judged.iter().find(|one| one.ruling.verdict.is_fault());
        if let Some(fault) = first {
            let _ = writeln!(
                text,
                "rigor ccd judge crates/rigor-bench/queries/{}.csv --label \"{}\" {}",
                fault.of, fault.label, entry.option
            );
        }
    }
    text + "```\n\n`--out FOLDER` writes the query as a file, with every bit, to send to the authors.\n"
}

/// The columns of [`table_csv`] before those of counts.
const TABLE_COLUMNS: [&str; 20] = [
    "name",
    "version",
    "type",
    "class",
    "answers",
    "hits",
    "free",
    "late",
    "misses",
    "deepest [d_min]",
    "farthest [size]",
    "late by rounding",
    "false hits",
    "undecided",
    "malformed",
    "failed",
    "timed out",
    "ratio p1",
    "ratio median",
    "seconds median [s]",
];

/// The table as CSV: a row for each implementation, type and class of motion.
pub fn table_csv(entries: &[Entry]) -> String {
    let mut rows = Vec::new();
    for entry in entries {
        for of in ["linear", "rigid"] {
            let own: Vec<Judged> = entry.judged.iter().filter(|one| one.of == of).cloned().collect();
            for (class, counts) in groups(&own, MotionClass::ALL, |one| Some(one.class)) {
                let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
                let count = |verdict| counts.count(verdict).to_string();
                rows.push([
                    entry.name.clone(),
                    entry.version.clone(),
                    of.to_owned(),
                    class.name().to_owned(),
                    counts.queries.to_string(),
                    counts.hits.to_string(),
                    counts.free.to_string(),
                    counts.late().to_string(),
                    count(Verdict::Miss),
                    number(Some(counts.deepest)),
                    number(Some(counts.farthest)),
                    count(Verdict::LateByRounding),
                    count(Verdict::FalseHit),
                    count(Verdict::Undecided),
                    count(Verdict::Malformed),
                    count(Verdict::Failed),
                    count(Verdict::TimedOut),
                    number(counts.ratio(0.01)),
                    number(counts.ratio(0.5)),
                    number(counts.seconds(0.5)),
                ]);
            }
        }
    }
    text(&TABLE_COLUMNS, rows)
}

/// Every fault of every implementation as CSV.
pub fn faults_csv(entries: &[Entry]) -> String {
    let head: Vec<&str> = ["name", "version"].into_iter().chain(FAULT_COLUMNS).chain(["option"]).collect();
    let rows = entries.iter().flat_map(|entry| {
        let faults = entry.judged.iter().filter(|one| one.ruling.verdict.is_fault());
        faults.map(move |fault| {
            let own = [entry.name.clone(), entry.version.clone()].into_iter();
            own.chain(fault_record(fault)).chain([entry.option.clone()]).collect::<Vec<_>>()
        })
    });
    text(&head, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::guest::Response;
    use crate::ccd::judgement::judge;
    use crate::ccd::kept;
    use rigor_ccd_test::ruling::OutsideAnswer;

    #[test]
    fn every_red_cell_is_a_row_that_reproduces_it() {
        let queries = kept::kept().unwrap().every(std::num::NonZeroUsize::new(31).unwrap()).rigid;
        let free = |_| Some(Response { answer: OutsideAnswer::Free, seconds: Some(1e-6), wall: None });
        let entry = Entry {
            name: "never".into(),
            title: "Never".into(),
            version: "1".into(),
            notes: "it says free".into(),
            option: "--guest never".into(),
            judged: judge(&queries, queries.iter().map(free).collect()),
            smoke: vec!["wrong".into()],
        };
        let faults = entry.judged.iter().filter(|one| one.ruling.verdict.is_fault()).count();
        let facts = Facts {
            date: "2000-01-01".into(),
            command: "rigor".into(),
            limit: 1.0,
            queries: "a few".into(),
            absent: vec![("other".into(), "not installed".into())],
        };
        let entries = [entry];
        let page = page(&entries, &facts);
        assert!(
            page.contains("--guest never") && page.contains("| Never | ") && page.contains("- Never: wrong")
        );
        assert!(!page.contains("### free-axis-short\n\n|\n") && page.contains("not asked: not installed"));
        assert_eq!(faults_csv(&entries).lines().count(), faults + 1);
        assert!(table_csv(&entries).lines().count() > 2);
    }
}
