//! `rigor ccd stress`.

use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use rigor_ccd::{LinearQuery, RigidQuery};
use rigor_ccd_test::report::{Counterexample, Tally};
use rigor_ccd_test::{self, Family};
use serde_json::{Value, json};

use super::super::table::headed;
use super::super::{CliError, Exit, interrupt, print, print_json};
use super::choice::choose;
use super::{exit, families, progress};
use crate::ccd::AnsweredQuery;

/// Queries per family and round; each round has its own seed, and Ctrl-C is checked between rounds.
const ROUND: u64 = 4096;
/// Maximum number of faults shown per method; all are counted.
const MAX_SHOWN: usize = 8;

/// Run methods on millions of generated queries, and count late answers.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd stress --n 10000000 --seed 1 --method separating-plane
  rigor ccd stress --family grazing,at-start --n 100000

Each family contributes up to 4096 queries per round; the seeds of the rounds are SEED, SEED + 1, …, so that the numbers are the
same on every machine and for any number of threads. An answer is late if the primitives provably meet by t_safe.

EXIT CODES
  0 no conservative method answered late; 1 one did, or an answer was malformed; 130 interrupted")]
pub struct StressArgs {
    /// Methods, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "separating-plane")]
    method: Vec<String>,
    /// Families, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    family: Vec<String>,
    /// Number of queries per method, over all families.
    #[arg(long, default_value_t = 1_000_000)]
    n: u64,
    /// Seed of the first round.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also print a row for each family.
    #[arg(long)]
    by_family: bool,
    /// Print the results, with those of each family, as JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &StressArgs) -> Result<Exit, CliError> {
    let chosen = choose(&args.method)?;
    let families = families(&args.family)?;
    let n_methods = (chosen.linear.len() + chosen.rigid.len()) as u64;
    let bar = progress(args.n.saturating_mul(n_methods), "queries");
    let mut results: Vec<MethodResult> = Vec::new();
    results.extend(chosen.linear.iter().map(|method| stress::<LinearQuery>(*method, args, &families, &bar)));
    results.extend(chosen.rigid.iter().map(|method| stress::<RigidQuery>(*method, args, &families, &bar)));
    bar.finish_and_clear();
    if args.json {
        print_json(&results.iter().map(MethodResult::to_json).collect::<Vec<_>>())?;
    } else {
        print(&show(&results, args.by_family))?;
    }
    Ok(exit(results.iter().any(|result| !result.is_clean())))
}

/// The results of one method.
struct MethodResult {
    kind: &'static str,
    method: &'static str,
    is_conservative: bool,
    /// One tally per family.
    tallies: Vec<(Family, Tally)>,
    /// The first faults, each as found and as simplified, ready to paste into a test.
    faults: Vec<String>,
    seconds: f64,
}

fn stress<Q: AnsweredQuery>(
    method: Q::Method,
    args: &StressArgs,
    families: &[Family],
    bar: &ProgressBar,
) -> MethodResult {
    let start = Instant::now();
    bar.set_message(format!("{} {}", Q::TYPE, Q::name(method)));
    let mut tallies: Vec<_> = families.iter().map(|family| (*family, Tally::default())).collect();
    let mut faults = Vec::new();
    let per_family = args.n.div_ceil(families.len() as u64);
    for round in 0..per_family.div_ceil(ROUND) {
        if interrupt::flag().load(Ordering::SeqCst) {
            break;
        }
        let n = ROUND.min(per_family - round * ROUND);
        let report = rigor_ccd_test::run::<Q, _>(&method, families, n, args.seed.wrapping_add(round));
        tallies.iter_mut().zip(&report.rows).for_each(|((_, tally), row)| tally.add(&row.tally));
        let told =
            |example: &Counterexample<Q>| format!("{}\nsimplest:\n{}", example.found, example.simplest);
        let room = MAX_SHOWN - faults.len();
        faults.extend(report.counterexamples.iter().take(room).map(told));
        bar.inc(n * families.len() as u64);
    }
    let seconds = start.elapsed().as_secs_f64();
    let is_conservative = Q::is_conservative(method);
    MethodResult { kind: Q::TYPE, method: Q::name(method), is_conservative, tallies, faults, seconds }
}

impl MethodResult {
    fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.tallies.iter().for_each(|(_, tally)| total.add(tally));
        total
    }

    /// Whether no answer was malformed and, for a conservative method, none was late.
    fn is_clean(&self) -> bool {
        let total = self.total();
        total.malformed == 0 && (total.false_negatives == 0 || !self.is_conservative)
    }

    fn to_json(&self) -> Value {
        let families =
            self.tallies.iter().map(|(family, tally)| (family.name().to_owned(), tally_json(tally)));
        json!({
            "type": self.kind, "method": self.method, "seconds": self.seconds, "faults": self.faults,
            "total": tally_json(&self.total()), "families": families.collect::<serde_json::Map<_, _>>(),
        })
    }
}

fn tally_json(tally: &Tally) -> Value {
    let Tally { queries, hits, free, false_negatives, false_positives, undecided, malformed, lateness } =
        tally;
    json!({
        "queries": queries, "hits": hits, "free": free, "false_negatives": false_negatives, "malformed": malformed,
        "false_positives": false_positives, "undecided": undecided,
        "reached_by_half": lateness.reached_by_all_but(0.5), "reached_by_99_of_100": lateness.reached_by_all_but(0.01),
    })
}

fn show(results: &[MethodResult], by_family: bool) -> String {
    let mut table = headed([
        "type, method, family",
        "queries",
        "known hits, free",
        "late",
        "malformed",
        "false +",
        "undecided",
        "t_safe/t_true: median, of 99 %",
        "s",
    ]);
    for result in results {
        for (family, tally) in result.tallies.iter().filter(|_| by_family) {
            table.add_row(row(result, family.name(), tally, String::new()));
        }
        table.add_row(row(result, "all", &result.total(), format!("{:.0}", result.seconds)));
    }
    let faults =
        results.iter().flat_map(|r| r.faults.iter().map(|fault| format!("\n{}: {fault}\n", r.method)));
    format!("{}\n{}", table, faults.collect::<String>())
}

fn row(result: &MethodResult, family: &str, tally: &Tally, seconds: String) -> Vec<String> {
    let Tally { queries, hits, free, false_negatives, false_positives, undecided, malformed, lateness } =
        tally;
    let ratio = |share| lateness.reached_by_all_but(share).map_or("–".into(), |r| format!("{r:.3}"));
    let known = format!("{hits}, {free}");
    let [queries, late, malformed, false_positives, undecided] =
        [queries, false_negatives, malformed, false_positives, undecided].map(u64::to_string);
    let ratios = [ratio(0.5), ratio(0.01)].join(", ");
    let what = [result.kind, result.method, family].join(", ");
    vec![what, queries, known, late, malformed, false_positives, undecided, ratios, seconds]
}
