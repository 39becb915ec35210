//! The command line of `rigor`.

pub mod accuracy;
pub mod audit;
pub mod ccd;
pub mod compare;
pub mod error;
pub mod exit;
pub mod figure;
mod foreign;
mod frame;
mod http;
mod interrupt;
pub mod methods;
pub mod peers;
pub mod problems;
mod progress;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod scene;
pub mod shell;
mod steps;
pub mod study;
pub mod sweep;
mod table;
pub mod view;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::Serialize;
use serde_json::json;

pub use error::CliError;
pub use exit::Exit;
use rigor_study::shard::quoted;

/// Run, compare and judge methods for rigid-body contact on the same scenes.
#[derive(Debug, Parser)]
#[command(name = "rigor", version, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::RunArgs),
    Compare(compare::CompareArgs),
    Study(study::StudyArgs),
    Sweep(sweep::SweepArgs),
    Audit(audit::AuditArgs),
    Report(report::ReportArgs),
    View(view::ViewArgs),
    Figure(figure::FigureArgs),
    Reproduce(reproduce::ReproduceArgs),
    Accuracy(accuracy::AccuracyArgs),
    /// List, check and export scenes.
    Scene(scene::SceneArgs),
    Methods(methods::MethodsArgs),
    Completions(shell::CompletionArgs),
    Man(shell::ManArgs),
    /// Install and list engines from outside.
    Peers(peers::PeersArgs),
    /// Verify, time and generate queries of continuous collision detection.
    Ccd(ccd::CcdArgs),
    /// Solve friction problems with contact, and compare solvers.
    Problems(problems::ProblemsArgs),
}

impl Command {
    /// The number of threads that the command requires; `None` leaves it to rayon.
    fn threads(&self) -> Option<usize> {
        match self {
            Command::Run(args) => args.threads,
            // CPU time is measured on one thread.
            Command::Accuracy(_) | Command::Problems(_) => Some(1),
            _ => None,
        }
    }
}

const AFTER_HELP: &str = "\
EXAMPLES
  rigor scene list                                     the cases that come with the program
  rigor scene check path/to/*.toml                     are these files valid?
  rigor run erleben/wedges --out out/wedges            simulate, judge and keep one run
  rigor audit out/wedges                               judge a run that was kept
  rigor view out/wedges                                play it in a browser
  rigor figure out/wedges --out out/paper              plots, tables, pictures and video as files
  rigor compare stacks/10 --methods xpbd,rapier --out out/stacks
                                                       several methods side by side, with a report
  rigor study plan.toml --out out/study                a plan of many runs: swept, resumed, shared out
  rigor reproduce ferguson2021 13 --out out/figures    a figure of a paper: does its claim hold?
  rigor accuracy --quick --cases bowl                  error and CPU time of every method
  rigor peers install mujoco                           another engine, to compare with
  rigor ccd verify path/to/queries                     are any answers late, and how fast are they?
  rigor problems solve problem.npz                     impulses of a friction problem, and how exact they are

A SCENE is a file (TOML or JSON) or, if there is no such file, the name of a case.
With --json a command prints one JSON document on standard output, errors included.

EXIT CODES
  0    success
  1    an expectation failed, a scene is invalid, a claim of a paper failed, or a collision query was answered late
  2    the command line is invalid, or a file could not be read or written
  3    a step failed and stopped the run
  130  interrupted";

/// Runs the command given by the arguments of the process, and prints errors.
pub fn main() -> ExitCode {
    #[cfg(feature = "usd")]
    if let Ok(program) = std::env::current_exe() {
        rigor_run::binary_usd::translate_by(program);
    }
    run_with(std::env::args_os()).into()
}

/// Runs the command given by `arguments`, the first of which names the program, and prints errors. Mistakes in the command line and
/// `--help` end the process.
///
/// A program with methods of its own [adds](rigor_run::registry::add) them and calls [`main`].
pub fn run_with<S: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = S>) -> Exit {
    let matches = Cli::command().get_matches_from(arguments);
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let threads = cli.command.threads();
    among_threads(threads, || execute(cli.command)).unwrap_or_else(|error| {
        complain(&error, wants_json(&matches));
        Exit::Refused
    })
}

/// Maximum number of threads. A request for many more may crash the process before it can report an error.
const MAX_THREADS: usize = 1024;

/// Runs `work` on a thread of a rayon pool, so that parallel sections start without waking another thread.
///
/// `threads` is the size of the pool; with `None` rayon chooses, by default one thread per processor.
///
/// # Errors
/// Those of `work`; `threads` is not in 1..=[`MAX_THREADS`]; or the system refuses to start the threads.
fn among_threads(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<Exit, CliError> + Send,
) -> Result<Exit, CliError> {
    if let Some(threads) = threads.filter(|threads| !(1..=MAX_THREADS).contains(threads)) {
        return Err(CliError::new(format!("--threads is {threads}: it must be 1 to {MAX_THREADS}")));
    }
    // Zero lets rayon choose. The stack is as large as the usual stack of a process's main thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).stack_size(8 << 20);
    let pool = pool.build().map_err(|error| CliError::new(format!("threads cannot be started: {error}")))?;
    pool.install(work)
}

fn execute(command: Command) -> Result<Exit, CliError> {
    match command {
        Command::Run(args) => run::execute(&args),
        Command::Compare(args) => compare::execute(&args),
        Command::Study(args) => study::execute(&args),
        Command::Sweep(args) => sweep::execute(&args),
        Command::Methods(args) => methods::execute(&args),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::Man(args) => shell::man(&args, Cli::command()),
        Command::Report(args) => report::execute(&args),
        Command::Audit(args) => audit::execute(&args),
        Command::View(args) => view::execute(&args),
        Command::Figure(args) => figure::execute(&args),
        Command::Reproduce(args) => reproduce::execute(&args),
        Command::Accuracy(args) => accuracy::execute(&args),
        Command::Scene(args) => scene::execute(&args),
        Command::Peers(args) => peers::execute(&args),
        Command::Ccd(args) => ccd::execute(&args),
        Command::Problems(args) => problems::execute(&args),
    }
}

fn wants_json(matches: &ArgMatches) -> bool {
    let here = matches.try_get_one::<bool>("json").ok().flatten().is_some_and(|json| *json);
    here || matches.subcommand().is_some_and(|(_, inner)| wants_json(inner))
}

#[allow(clippy::print_stderr, reason = "errors go to standard error")]
fn complain(error: &CliError, as_json: bool) {
    if !as_json || print_json(&json!({ "error": error.to_json() })).is_err() {
        eprint!("{}", error.render());
    }
}

/// Prints `text` on standard output; a broken pipe, as `head` leaves behind, is not an error.
///
/// # Errors
/// Standard output cannot be written, for example because a disk is full.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("standard output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints `value` as JSON on standard output.
///
/// # Errors
/// Those of [`print()`]; or a map in `value` has keys that are not strings.
pub fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CliError::new(format!("the result cannot be written as JSON: {error}")))?;
    print(&format!("{text}\n"))
}

/// The command line of this process, quoted for a shell.
fn command_line() -> String {
    let program = std::iter::once("rigor".to_owned());
    let arguments = std::env::args_os().skip(1).map(|argument| quoted(&argument.to_string_lossy()));
    program.chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_refused_where_no_machine_has_them() {
        for threads in [0, MAX_THREADS + 1] {
            let refused = among_threads(Some(threads), || Ok(Exit::Ok)).unwrap_err().to_string();
            assert!(refused.contains(&format!("--threads is {threads}")), "{refused}");
        }
        let mine = among_threads(Some(2), || {
            assert_eq!(rayon::current_num_threads(), 2);
            Ok(Exit::Ok)
        });
        assert!(matches!(mine, Ok(Exit::Ok)));
    }

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn json_is_seen_at_any_depth() {
        let wants = |line: &[&str]| wants_json(&Cli::command().try_get_matches_from(line).unwrap());
        assert!(wants(&["rigor", "scene", "list", "--json"]));
        assert!(!wants(&["rigor", "scene", "list"]));
        assert!(!wants(&["rigor", "scene", "schema"]));
    }
}
