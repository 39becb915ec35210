//! `rigor ccd verify`.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::ProgressBar;
use rigor_ccd::{Impact, Labelled, Truth};
use rigor_report::number::{quantity, significant};
use rigor_study::results::text;
use serde_json::{Value, json};

use super::super::table::{Table, headed};
use super::super::{CliError, Exit, interrupt, print, print_json};
use super::choice::choose;
use super::{exit, progress};
use crate::ccd::certify::{certify, n_vague};
use crate::ccd::plot::{self, Panel};
use crate::ccd::score::{Answer, Score, Statistics};
use crate::ccd::verdict::Verdict;
use crate::ccd::{AnsweredQuery, FileError, read};

/// Maximum number of warnings, and of false negatives per method, that are printed.
const MAX_SHOWN: usize = 20;

/// Check methods against query files, with ground truth from the file or from a proof.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd verify crates/rigor-bench/queries
  rigor ccd verify path/to/queries --method separating-plane --csv answers.csv --plot lateness.svg

READS
  .csv and .json files, also in folders: the public sample queries (rational numbers, in folders vertex-face and
  edge-edge), rigid queries in JSON, and the format of `rigor ccd generate`; see docs/ccd-queries.md.

PRINTS
  For each method: the numbers of queries, hits, false negatives (late answers: t_safe is past the time of impact),
  false positives and undecided answers; the time per query on one thread, as the median of several repeats; and
  1 − t_safe/t_true for hits whose time of impact is known to 1e-3. Truth that a file leaves open is first proven
  with exact arithmetic, as far as possible.

EXIT CODES
  0 no conservative method (all but redon) was late; 1 one was; 2 a file could not be read; 130 interrupted")]
pub struct VerifyArgs {
    /// Query files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Methods, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    method: Vec<String>,
    /// Use only every Nth query; generated sets cycle through four kinds, so that an odd N covers all.
    #[arg(long, default_value = "1")]
    every: NonZeroUsize,
    /// Print the results, with every false negative, as JSON.
    #[arg(long)]
    json: bool,
    /// Write every answer to this CSV file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Plot time against lateness, one point per hit, into this SVG file.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

pub fn execute(args: &VerifyArgs) -> Result<Exit, CliError> {
    let chosen = choose(&args.method)?;
    let mut set = read(&args.paths)?.every(args.every);
    if set.is_empty() {
        return Err(CliError::new("there are no queries in these files"));
    }
    let mut warnings: Vec<_> = set.warnings.iter().map(FileError::to_string).collect();
    let bar = progress((n_vague(&set.linear) + n_vague(&set.rigid)) as u64, "proofs");
    warnings.extend(certify(&mut set.linear, &|| bar.inc(1)));
    warnings.extend(certify(&mut set.rigid, &|| bar.inc(1)));
    bar.finish_and_clear();
    let linear = VerifiedQueries::new(set.linear, &chosen.linear);
    let rigid = VerifiedQueries::new(set.rigid, &chosen.rigid);
    if let Some(path) = &args.csv {
        write(path, &text(&CSV_HEAD, linear.records().chain(rigid.records())))?;
    }
    if let Some(path) = &args.plot {
        let panels = [
            Panel { title: "linear", scores: &linear.scores },
            Panel { title: "rigid", scores: &rigid.scores },
        ];
        write(path, &plot::svg(&panels))?;
    }
    if args.json {
        print_json(&json!({ "linear": linear.to_json(), "rigid": rigid.to_json(), "warnings": warnings }))?;
    } else {
        print(&format!("{}{}{}", warned(&warnings), linear.show(), rigid.show()))?;
    }
    let is_broken = linear.scores.iter().chain(&rigid.scores).any(Score::is_broken);
    Ok(exit(is_broken))
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| CliError::file(path, "written", &error))
}

fn warned(warnings: &[String]) -> String {
    let shown = warnings.iter().take(MAX_SHOWN).map(|warning| format!("warning: {warning}\n"));
    let more = warnings.len().saturating_sub(MAX_SHOWN);
    let rest = if more > 0 { format!("… and {more} more\n") } else { String::new() };
    shown.chain([rest]).collect()
}

const CSV_HEAD: [&str; 14] = [
    "type",
    "label",
    "kind",
    "truth",
    "t_lo",
    "t_hi",
    "method",
    "answer",
    "t_safe",
    "t_hit",
    "boxes",
    "verdict",
    "lateness",
    "seconds [s]",
];

/// Queries of one type, and the answers of the methods.
struct VerifiedQueries<Q> {
    queries: Vec<Labelled<Q>>,
    scores: Vec<Score>,
}

impl<Q: AnsweredQuery> VerifiedQueries<Q> {
    fn new(queries: Vec<Labelled<Q>>, methods: &[Q::Method]) -> Self {
        let bar = progress((queries.len() * methods.len()) as u64, "queries");
        let mut scores = Vec::new();
        for method in methods {
            bar.set_message(Q::name(*method));
            scores.push(Score { answers: answers(&queries, method, &bar), ..Score::new::<Q>(*method) });
        }
        bar.finish_and_clear();
        Self { queries, scores }
    }

    fn count(&self, is: impl Fn(&Truth) -> bool) -> usize {
        self.queries.iter().filter(|query| is(&query.truth)).count()
    }

    fn hits(&self) -> usize {
        self.count(|truth| matches!(truth, Truth::First { .. } | Truth::Hit))
    }

    fn show(&self) -> String {
        if self.queries.is_empty() {
            return String::new();
        }
        let (hits, free) = (self.hits(), self.count(|truth| *truth == Truth::Free));
        let (all, unknown) = (self.queries.len(), self.queries.len() - hits - free);
        let mut text =
            format!("{all} {} queries: {hits} hits, {free} misses, {unknown} of unknown truth\n", Q::TYPE);
        let _ = writeln!(text, "{}", self.table());
        for score in &self.scores {
            self.late(score).take(MAX_SHOWN).for_each(|(query, answer)| {
                let (method, label, t_safe) = (score.method, &query.label, answer.impact.t_safe(1.0));
                let _ =
                    writeln!(text, "LATE  {method}: {label}: t_safe = {t_safe:e}, truth {:?}", query.truth);
            });
        }
        text + "\n"
    }

    fn late<'a>(&'a self, score: &'a Score) -> impl Iterator<Item = (&'a Labelled<Q>, &'a Answer)> {
        let pairs = self.queries.iter().zip(&score.answers);
        pairs.filter(|(_, answer)| answer.verdict == Verdict::FalseNegative)
    }

    fn table(&self) -> Table {
        let mut table = headed([
            "method",
            "queries",
            "hits",
            "false −",
            "false +",
            "undecided",
            "time: mean, median, 99 %",
            "late: median, worst",
        ]);
        for score in &self.scores {
            let time =
                |of: fn(&Statistics) -> f64| score.seconds().map_or("–".into(), |s| quantity(of(&s), "s"));
            let late =
                |of: fn(&Statistics) -> f64| score.lateness().map_or("–".into(), |s| significant(of(&s)));
            table.add_row([
                score.method.to_owned(),
                score.answers.len().to_string(),
                self.hits().to_string(),
                score.count(Verdict::FalseNegative).to_string(),
                score.count(Verdict::FalsePositive).to_string(),
                score.count(Verdict::Undecided).to_string(),
                [time(|s| s.mean), time(|s| s.median), time(|s| s.percentile_99)].join(", "),
                [late(|s| s.median), late(|s| s.largest)].join(", "),
            ]);
        }
        table
    }

    fn to_json(&self) -> Value {
        let spread = |spread: Option<Statistics>| {
            spread.map(|s| {
                json!({ "mean": s.mean, "median": s.median, "percentile_99": s.percentile_99, "largest": s.largest })
            })
        };
        let method = |score: &Score| {
            let late = self.late(score).map(|(query, answer)| {
                json!({ "label": query.label, "t_safe": answer.impact.t_safe(1.0), "truth": format!("{:?}", query.truth) })
            });
            json!({
                "method": score.method,
                "queries": score.answers.len(),
                "false_negatives": score.count(Verdict::FalseNegative),
                "false_positives": score.count(Verdict::FalsePositive),
                "undecided": score.count(Verdict::Undecided),
                "seconds": spread(score.seconds()),
                "lateness": spread(score.lateness()),
                "late": late.collect::<Vec<_>>(),
            })
        };
        json!({
            "queries": self.queries.len(),
            "hits": self.hits(),
            "misses": self.count(|truth| *truth == Truth::Free),
            "methods": self.scores.iter().map(method).collect::<Vec<_>>(),
        })
    }

    fn records(&self) -> impl Iterator<Item = [String; CSV_HEAD.len()]> {
        self.scores.iter().flat_map(|score| {
            let pairs = self.queries.iter().zip(&score.answers);
            pairs.map(|(query, answer)| record(score.method, query, answer))
        })
    }
}

/// The answers in order; fewer than queries if the user interrupts.
fn answers<Q: AnsweredQuery>(queries: &[Labelled<Q>], method: &Q::Method, bar: &ProgressBar) -> Vec<Answer> {
    let go_on = |_: &&Labelled<Q>| !interrupt::flag().load(Ordering::SeqCst);
    let each = queries.iter().take_while(go_on).map(|query| {
        bar.inc(1);
        Answer::timed(method, query)
    });
    each.collect()
}

fn record<Q: AnsweredQuery>(method: &str, query: &Labelled<Q>, answer: &Answer) -> [String; CSV_HEAD.len()] {
    let (truth, lo, hi) = match query.truth {
        Truth::Free => ("free", None, None),
        Truth::First { lo, hi } => ("first", Some(lo), Some(hi)),
        Truth::Hit => ("hit", None, None),
        Truth::Unknown { lo } => ("unknown", Some(lo), None),
    };
    let (word, t_hit, boxes) = match answer.impact {
        Impact::Free => ("free", None, None),
        Impact::At { t_hit, .. } => ("at", Some(t_hit), None),
        Impact::Undecided { boxes, .. } => ("undecided", None, Some(boxes)),
    };
    let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x:e}"));
    [
        Q::TYPE.to_owned(),
        query.label.clone(),
        Q::kind(&query.query).name().to_owned(),
        truth.to_owned(),
        number(lo),
        number(hi),
        method.to_owned(),
        word.to_owned(),
        number(Some(answer.impact.t_safe(1.0))),
        number(t_hit),
        boxes.map_or(String::new(), |n| n.to_string()),
        answer.verdict.name().to_owned(),
        number(answer.lateness),
        number(answer.seconds),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::kept;
    use rigor_ccd::{LinearMethod, LinearQuery};

    fn verified(spoil: impl Fn(&mut Labelled<LinearQuery>)) -> VerifiedQueries<LinearQuery> {
        let mut queries = kept::kept().unwrap().every(NonZeroUsize::new(101).unwrap()).linear;
        queries.iter_mut().for_each(spoil);
        VerifiedQueries::new(queries, LinearMethod::ALL)
    }

    #[test]
    fn every_answer_is_a_record() {
        let all = verified(|_| ());
        assert_eq!(all.records().count(), all.queries.len() * LinearMethod::ALL.len());
        assert!(!all.show().contains("LATE") && !all.scores.iter().any(Score::is_broken));
    }

    #[test]
    fn late_answers_are_counted_and_named() {
        // The stated truth is far earlier than any impact.
        let all = verified(|query| query.truth = Truth::First { lo: 0.0, hi: 1e-9 });
        let late = all.scores[0].count(Verdict::FalseNegative);
        assert!(late > 0 && all.scores[0].is_broken());
        assert_eq!(all.to_json()["methods"][0]["late"].as_array().map(Vec::len), Some(late));
        assert!(all.show().contains(&format!("LATE  separating-plane: {}", all.queries[0].label)));
    }
}
