//! `rigor ccd bench`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::Args;
use rigor_ccd::{Kind, Labelled, LinearQuery, RigidQuery};
use rigor_report::number::{quantity, significant};
use serde_json::{Value, json};

use super::super::table::headed;
use super::super::{CliError, Exit, interrupt, print, print_json};
use super::choice::choose;
use super::{exit, progress};
use crate::ccd::score::{Answer, Score, Statistics};
use crate::ccd::{AnsweredQuery, kept, read};

/// Time methods side by side on the same queries.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd bench
  rigor ccd bench --every 21
  rigor ccd bench path/to/queries --method separating-plane,additive --json

On one thread, each query goes to every method in turn: once to check the answer, then repeatedly; the median of the
repeats is the time of the query. Ratios divide the mean and median times by those of the first method shown.
Run it on an otherwise idle machine.

EXIT CODES
  0 timed; 1 a conservative method answered late; 2 a file could not be read; 130 interrupted")]
pub struct BenchArgs {
    /// Query files, or folders of them [default: the built-in set].
    paths: Vec<PathBuf>,
    /// Methods, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    method: Vec<String>,
    /// Use only every Nth query; generated sets cycle through four kinds, so that an odd N covers all.
    #[arg(long, default_value = "1")]
    every: NonZeroUsize,
    /// Print the times as JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &BenchArgs) -> Result<Exit, CliError> {
    let chosen = choose(&args.method)?;
    let set = if args.paths.is_empty() { kept::kept()? } else { read(&args.paths)? }.every(args.every);
    if set.is_empty() {
        return Err(CliError::new("there are no queries in these files"));
    }
    let mut timed = time::<LinearQuery>(&set.linear, &chosen.linear);
    timed.extend(time::<RigidQuery>(&set.rigid, &chosen.rigid));
    if args.json {
        print_json(&timed.iter().map(TimedMethods::to_json).collect::<Vec<_>>())?;
    } else {
        print(&timed.iter().map(TimedMethods::show).collect::<String>())?;
    }
    let is_broken = timed.iter().flat_map(|t| &t.scores).any(Score::is_broken);
    Ok(exit(is_broken))
}

/// Times of all methods on queries of one type and kind.
struct TimedMethods {
    of: &'static str,
    kind: Kind,
    scores: Vec<Score>,
}

fn time<Q: AnsweredQuery>(queries: &[Labelled<Q>], methods: &[Q::Method]) -> Vec<TimedMethods> {
    let bar = progress(queries.len() as u64, "queries");
    bar.set_message(Q::TYPE);
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let mut scores: Vec<_> = methods.iter().map(|method| Score::new::<Q>(*method)).collect();
        for query in queries.iter().filter(|query| query.query.kind() == kind) {
            if interrupt::flag().load(Ordering::SeqCst) {
                break;
            }
            for (method, score) in methods.iter().zip(&mut scores) {
                score.answers.push(Answer::timed(method, query));
            }
            bar.inc(1);
        }
        if scores.iter().any(|score| !score.answers.is_empty()) {
            all.push(TimedMethods { of: Q::TYPE, kind, scores });
        }
    }
    bar.finish_and_clear();
    all
}

/// A method, its times (s), and the ratios of its mean and median times to those of the first method.
type TimeRow = (&'static str, Option<Statistics>, Option<[f64; 2]>);

impl TimedMethods {
    fn rows(&self) -> Vec<TimeRow> {
        let first = self.scores.first().and_then(Score::seconds);
        let row = |score: &Score| {
            let own = score.seconds();
            let ratio = first.zip(own).map(|(first, own)| [own.mean / first.mean, own.median / first.median]);
            (score.method, own, ratio)
        };
        self.scores.iter().map(row).collect()
    }

    fn show(&self) -> String {
        let mut table = headed(["method", "mean", "median", "99 %", "worst", "mean, ratio", "median, ratio"]);
        for (method, seconds, ratio) in self.rows() {
            let time = |of: fn(&Statistics) -> f64| seconds.map_or("–".into(), |s| quantity(of(&s), "s"));
            let times =
                [time(|s| s.mean), time(|s| s.median), time(|s| s.percentile_99), time(|s| s.largest)];
            let ratios = [0, 1].map(|k| ratio.map_or("–".into(), |r| significant(r[k])));
            table.add_row([method.to_owned()].into_iter().chain(times).chain(ratios));
        }
        let n = self.scores.first().map_or(0, |score| score.answers.len());
        format!("{} {}, {n} queries\n{}\n\n", self.of, self.kind.name(), table)
    }

    fn to_json(&self) -> Value {
        let row = |(method, seconds, ratio): &TimeRow| {
            json!({
                "method": method,
                "mean": seconds.map(|s| s.mean), "median": seconds.map(|s| s.median),
                "percentile_99": seconds.map(|s| s.percentile_99), "largest": seconds.map(|s| s.largest),
                "mean_ratio": ratio.map(|r| r[0]), "median_ratio": ratio.map(|r| r[1]),
            })
        };
        let n = self.scores.first().map_or(0, |score| score.answers.len());
        json!({ "type": self.of, "kind": self.kind.name(), "queries": n, "methods": self.rows().iter().map(row).collect::<Vec<_>>() })
    }
}
