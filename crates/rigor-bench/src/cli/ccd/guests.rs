//! `rigor ccd install`, `rigor ccd serve` and `rigor ccd leaderboard`: implementations of others.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use rigor_ccd::Labelled;
use rigor_run::clock;

use super::super::{CliError, Exit, interrupt, print};
use super::judge::{own_answer, smoke_answers};
use super::{exit, progress};
use crate::ccd::guest::{self, AskedQuery, Guest, Response};
use crate::ccd::judgement::judge;
use crate::ccd::leaderboard::{Entry, Facts, faults_csv, page, table_csv};
use crate::ccd::{AnsweredQuery, QuerySet, kept, parry, smoke};

/// Install implementations of others, each with pinned packages in an environment of its own.
#[derive(Debug, Args)]
pub struct InstallArgs {
    /// The implementations [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub fn install(args: &InstallArgs) -> Result<Exit, CliError> {
    let all: Vec<String> = guest::table().iter().map(|entry| entry.name.clone()).collect();
    for name in if args.names.is_empty() { &all } else { &args.names } {
        match guest::install(name).map_err(CliError::new)? {
            Some(folder) => print(&format!("{name} is in {}\n", folder.display()))?,
            None => print(&format!("{name} is part of this program\n"))?,
        }
    }
    Ok(Exit::Ok)
}

/// Answer queries on standard input by the protocol of `rigor ccd judge`: linear or rigid by the default method, or Parry.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// `linear`, `rigid`, `parry-linear` or `parry-nonlinear`.
    name: String,
}

pub fn serve(args: &ServeArgs) -> Result<Exit, CliError> {
    let unknown = || {
        CliError::new(format!("there is no {:?} to serve", args.name))
            .with_help(format!("there are {}", parry::NAMES.join(", ")))
    };
    let replier = parry::replier(&args.name).ok_or_else(unknown)?;
    let (requests, replies) = (std::io::stdin().lock(), std::io::stdout().lock());
    match guest::serve(&*replier, requests, replies) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("a stream failed: {error}")))
        }
        _ => Ok(Exit::Ok),
    }
}

/// Judge every installed implementation and our own methods on the built-in queries, and write the table of all.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd install
  rigor ccd leaderboard --page docs/ccd-leaderboard.md --results benchmarks/results/ccd

WRITES
  The page in Markdown, and table.csv and faults.csv in the folder of results; these files are replaced.

EXIT CODES
  0 written, whatever the faults of others; 1 a conservative method of this program was late; 130 interrupted")]
pub struct LeaderboardArgs {
    /// The page to write.
    #[arg(long, value_name = "FILE")]
    page: PathBuf,
    /// The folder of results.
    #[arg(long, value_name = "FOLDER")]
    results: PathBuf,
    /// Time limit (s) of a query.
    #[arg(long, default_value_t = 2.0)]
    limit: f64,
    /// Use only every Nth query.
    #[arg(long, default_value = "1")]
    every: NonZeroUsize,
}

pub fn leaderboard(args: &LeaderboardArgs) -> Result<Exit, CliError> {
    if !(args.limit > 0.0 && args.limit <= 1e6) {
        return Err(CliError::new(format!(
            "--limit is {}: it must be above 0 and at most 1e6 s",
            args.limit
        )));
    }
    let set = kept::kept()?.every(args.every);
    check_folder(&args.page)?;
    check_folder(&args.results)?;
    let mut entries: Vec<Entry> = Vec::new();
    entries.extend(own::<rigor_ccd::LinearQuery>(&set.linear));
    entries.extend(own::<rigor_ccd::RigidQuery>(&set.rigid));
    let ours = entries.len();
    let mut absent = Vec::new();
    for entry in guest::table() {
        match ask(&entry.name, args.limit, &set) {
            Ok(mut asked) => {
                asked.title.clone_from(&entry.title);
                asked.notes.clone_from(&entry.notes);
                entries.push(asked);
            }
            Err(why) => absent.push((entry.title.clone(), why)),
        }
        if interrupt::flag().load(Ordering::SeqCst) {
            return Ok(Exit::Interrupted);
        }
    }
    let facts = Facts {
        date: clock::date(),
        command: "rigor ccd leaderboard".to_owned(),
        limit: args.limit,
        queries: format!(
            "{} linear and {} rigid queries of all families (`crates/rigor-bench/queries`)",
            set.linear.len(),
            set.rigid.len()
        ),
        absent,
    };
    std::fs::create_dir_all(&args.results).map_err(|error| CliError::file(&args.results, "made", &error))?;
    write(&args.results.join("table.csv"), &table_csv(&entries))?;
    write(&args.results.join("faults.csv"), &faults_csv(&entries))?;
    write(&args.page, &page(&entries, &facts))?;
    let is_late = |entry: &Entry| {
        !entry.name.ends_with("redon") && entry.judged.iter().any(|one| one.ruling.verdict.is_late())
    };
    Ok(exit(entries[..ours].iter().any(is_late)))
}

fn write(path: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(|error| CliError::file(path, "written", &error))
}

/// Our methods for one type of query.
fn own<Q: AskedQuery>(queries: &[Labelled<Q>]) -> Vec<Entry> {
    let bar = progress((queries.len() * Q::methods().len()) as u64, "queries");
    let entry = |method: &Q::Method| {
        let name = Q::name(*method);
        bar.set_message(name);
        let answer = |query: &Labelled<Q>| {
            bar.inc(1);
            Some(own_answer(Some(*method), &query.query))
        };
        Entry {
            name: format!("{} {name}", <Q as AnsweredQuery>::TYPE),
            title: format!("Rigor, `{name}`"),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            notes: format!("method `{name}` for {} queries with its default limits", Q::TYPE),
            option: format!("--method {name}"),
            judged: judge(queries, queries.iter().map(answer).collect()),
            smoke: Vec::new(),
        }
    };
    let entries = Q::methods().iter().map(entry).collect();
    bar.finish_and_clear();
    entries
}

/// Asks the guest called `name` all queries.
fn ask(name: &str, limit: f64, set: &QuerySet) -> Result<Entry, String> {
    let mut guest = Guest::start(guest::launch(name)?, limit).map_err(|fault| fault.to_string())?;
    let report = smoke::examine(&smoke_answers(&mut guest));
    let bar = progress(set.len() as u64, "queries");
    bar.set_message(name.to_owned());
    let stops = || interrupt::flag().load(Ordering::SeqCst);
    let some = |answers: Vec<Response>| answers.into_iter().map(Some).collect();
    let linear = guest.ask_all(set.linear.iter().map(|query| &query.query), &stops, &|| bar.inc(1));
    let rigid = guest.ask_all(set.rigid.iter().map(|query| &query.query), &stops, &|| bar.inc(1));
    bar.finish_and_clear();
    let mut judged = judge(&set.linear, some(linear));
    judged.extend(judge(&set.rigid, some(rigid)));
    Ok(Entry {
        name: name.to_owned(),
        title: name.to_owned(),
        version: guest.introduction().version.clone(),
        notes: String::new(),
        option: format!("--guest {name}"),
        judged,
        smoke: report.wrong,
    })
}

/// Refuses a path in no folder, before anything is asked or written.
fn check_folder(path: &Path) -> Result<(), CliError> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir()) {
        Some(parent) => {
            let what =
                format!("{} cannot be written: there is no folder {}", path.display(), parent.display());
            Err(CliError::new(what).with_help("make the folder, or name another one"))
        }
        None => Ok(()),
    }
}
