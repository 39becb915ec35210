//! `rigor sweep`: the short form of a study.

use std::path::PathBuf;

use clap::Args;
use rigor_study::axis::Axis;
use rigor_study::plan::{Head, PlotRequest};
use rigor_study::{Options, Plan};
use toml::Value;

use super::progress::LogArgs;
use super::{CliError, Exit, compare, study};

/// Run methods on scenes over values of keys, without a plan file.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor sweep friction/incline-mu-0.49 --methods ipc,xpbd --vary body.box.friction=0.4..0.6/21 --out out/slope
  rigor sweep bouncing/ball --methods xpbd --vary time.dt=1e-2,5e-3,1e-3 --vary set.substeps=1,10 \\
      --plot cost.cpu_seconds,energy.drift --out out/ball

WRITES
  report.html, results.csv, results.parquet, runs/

EXIT CODES
  0 the report was written and every run ended; 2 an argument is invalid, or a file cannot be read or written; 3 a run
  stopped, failed or was cut; 130 interrupted")]
pub struct SweepArgs {
    /// Scene files, or names of cases; `*` and `?` are wildcards.
    #[arg(required = true)]
    scenes: Vec<String>,
    /// Methods, separated by commas, each with settings if wanted: xpbd,xpbd:substeps=40.
    #[arg(long, value_delimiter = ',', default_value = "xpbd")]
    methods: Vec<String>,
    /// Values of a key: KEY=V1,V2,… or KEY=FROM..TO/COUNT; repeatable. `set.KEY` is a setting of every method.
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    vary: Vec<String>,
    /// A plot of one quantity against another: X,Y; repeatable.
    #[arg(long, value_name = "X,Y")]
    plot: Vec<String>,
    /// Change a key of every scene; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Simulated time (s) [default: each scene's own duration].
    #[arg(long)]
    time: Option<f64>,
    /// Maximum wall time of one run (s).
    #[arg(long)]
    seconds: Option<f64>,
    /// Number of parallel runs [default: one per processor].
    #[arg(long)]
    jobs: Option<usize>,
    /// Run one after another, so that times are comparable.
    #[arg(long, conflicts_with = "jobs")]
    timed: bool,
    /// Folder of the study.
    #[arg(long)]
    out: PathBuf,
    /// Heading of the report.
    #[arg(long, default_value = "Sweep")]
    title: String,
    #[command(flatten)]
    log: LogArgs,
}

/// Sweeps, writes the report and prints its path.
///
/// # Errors
/// An argument is invalid, a scene cannot be loaded, or a file cannot be written.
pub fn execute(args: &SweepArgs) -> Result<Exit, CliError> {
    let head = Head {
        title: args.title.clone(),
        scenes: args.scenes.clone(),
        set: study::changes(&args.overrides)?,
        duration: args.time,
        seconds: args.seconds,
        timed: args.timed,
        ..Head::default()
    };
    let mut plan = Plan { study: head, method: compare::contenders(&args.methods)?, ..Plan::default() };
    for line in &args.vary {
        let (key, values) = values(line)?;
        Axis::read(&key, &values)?;
        plan.sweep.insert(key, values);
    }
    plan.plot = args.plot.iter().map(|text| plot(text)).collect::<Result<_, _>>()?;
    plan.check()?;
    let options = Options { jobs: study::jobs(args.jobs)?, ..Options::new(&args.out) };
    let mut results = study::carry_out(&plan, &options, args.log.form())?;
    if let Some((_, error)) = results.errors.pop() {
        return Err(error.into());
    }
    let report = study::write(&plan, &results, &args.out)?;
    super::print(&format!("{} runs\n{}\n", results.rows.len(), report.display()))?;
    Ok(study::exit(&results, true))
}

/// Reads `KEY=V1,V2,…` or `KEY=FROM..TO/COUNT`.
fn values(line: &str) -> Result<(String, Value), CliError> {
    let wrong = || {
        let help = "write KEY=V1,V2,… or KEY=FROM..TO/COUNT, as `body.box.friction=0.4..0.6/21`";
        CliError::new(format!("--vary {line}: no values")).with_help(help)
    };
    let (key, text) = line.split_once('=').ok_or_else(wrong)?;
    if let Some((from, rest)) = text.split_once("..") {
        let (to, count) = rest.split_once('/').ok_or_else(wrong)?;
        let range = [("from", from), ("to", to), ("count", count)];
        let table = range.map(|(name, text)| (name.to_owned(), study::value_of(text)));
        return Ok((key.to_owned(), Value::Table(table.into_iter().collect())));
    }
    let list = text.split(',').map(study::value_of).collect();
    Ok((key.to_owned(), Value::Array(list)))
}

/// Reads `X,Y`.
fn plot(text: &str) -> Result<PlotRequest, CliError> {
    let wrong = || CliError::new(format!("--plot {text}: write X,Y, as `cost.cpu_seconds,energy.drift`"));
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    Ok(PlotRequest { title: None, x: x.to_owned(), y: y.to_owned(), z: None, linear: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_lists_or_ranges() {
        let read = |line: &str| {
            let (key, values) = values(line).unwrap();
            Axis::read(&key, &values).unwrap().values
        };
        assert_eq!(read("a=1,2.5,x"), [Value::Integer(1), Value::Float(2.5), Value::String("x".into())]);
        assert_eq!(read("a=0..1/3"), [0.0, 0.5, 1.0].map(Value::Float));
        assert!(values("a").is_err() && values("a=1..2").is_err());
    }
}
