//! `rigor ccd generate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rigor_ccd::{Labelled, LinearQuery, RigidQuery, Truth};
use rigor_ccd_test::Family;
use serde_json::json;

use super::super::{CliError, Exit, command_line, print, print_json};
use super::{families, progress};
use crate::ccd::generated::generated;
use crate::ccd::{AnsweredQuery, native};

/// Generate queries from a seed, the same on every machine.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd generate --type linear --n 100 --seed 1 --certify --out linear.csv
  rigor ccd generate --type rigid --family grazing,spinning --n 1000 --out hard.csv

WRITES
  CSV as described in docs/ccd-queries.md. With --certify, each query has a proven bracket of its time of impact or
  is proven free; queries for which neither can be proven are left out.")]
pub struct GenerateArgs {
    /// Motion of the primitives.
    #[arg(long = "type", value_enum)]
    kind: Type,
    /// Families, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    family: Vec<String>,
    /// Number of queries per family.
    #[arg(long, default_value_t = 100)]
    n: u64,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write.
    #[arg(long)]
    out: PathBuf,
    /// Prove the ground truth of each query with exact arithmetic.
    #[arg(long)]
    certify: bool,
    /// Print the numbers of queries as JSON.
    #[arg(long)]
    json: bool,
}

/// Motion of the primitives of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Type {
    /// Each point moves along a straight line.
    Linear,
    /// Points move with rigid bodies.
    Rigid,
}

/// Maximum number of queries of a file, all of which are in memory (about 1 GB).
const MAX_QUERIES: u64 = 1_000_000;

pub fn execute(args: &GenerateArgs) -> Result<Exit, CliError> {
    let families = families(&args.family)?;
    let n_families = families.len().max(1) as u64;
    if args.n.checked_mul(n_families).is_none_or(|n| n > MAX_QUERIES) {
        let what = format!(
            "--n is {} for each of {n_families} families: a file has at most {MAX_QUERIES} queries",
            args.n
        );
        return Err(CliError::new(what)
            .with_help("take a smaller --n, fewer families, or several files with another --seed each"));
    }
    let (text, counts) = match args.kind {
        Type::Linear => make::<LinearQuery>(args, &families),
        Type::Rigid => make::<RigidQuery>(args, &families),
    };
    std::fs::write(&args.out, text).map_err(|error| CliError::file(&args.out, "written", &error))?;
    let Counts { hits, free, unknown } = counts;
    if args.json {
        print_json(&json!({ "file": args.out, "hits": hits, "free": free, "unknown": unknown }))?;
    } else {
        let left = if args.certify { "left out" } else { "of unknown truth" };
        print(&format!("{}: {hits} hits, {free} free, {unknown} {left}\n", args.out.display()))?;
    }
    Ok(Exit::Ok)
}

struct Counts {
    hits: usize,
    free: usize,
    unknown: usize,
}

fn make<Q: AnsweredQuery>(args: &GenerateArgs, families: &[Family]) -> (String, Counts) {
    let bar = progress(families.len() as u64 * args.n, "queries");
    let mut queries: Vec<Labelled<Q>> = generated(families, args.n, args.seed, args.certify, &|| bar.inc(1));
    bar.finish_and_clear();
    let all = queries.len();
    let is_known = |query: &Labelled<Q>| !matches!(query.truth, Truth::Unknown { .. });
    let known = queries.iter().filter(|query| is_known(query)).count();
    let free = queries.iter().filter(|query| query.truth == Truth::Free).count();
    if args.certify {
        queries.retain(is_known);
    }
    let text = native::write(&queries, &format!("Made by: {}", command_line()));
    (text, Counts { hits: known - free, free, unknown: all - known })
}
