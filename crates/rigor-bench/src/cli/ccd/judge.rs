//! `rigor ccd judge`.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use rigor_ccd::{Ccd, Labelled, Truth};
use rigor_ccd_test::ruling::{OutsideAnswer, Verdict};
use rigor_ccd_test::{Family, MotionClass};
use rigor_peers::process::Launch;
use rigor_report::number::quantity;
use rigor_study::results::text;
use serde_json::{Value, json};

use super::super::table::{Table, headed};
use super::super::{CliError, Exit, command_line, interrupt, print, print_json};
use super::choice::{Choice, choose};
use super::generate::Type;
use super::{exit, families, progress};
use crate::ccd::answer_file::{self, AnswerFile};
use crate::ccd::certify::{certify, n_vague};
use crate::ccd::generated::generated;
use crate::ccd::guest::{self, AskedQuery, Guest, Response};
use crate::ccd::judgement::{Counts, FAULT_COLUMNS, Judged, fault_line, fault_record, groups, judge};
use crate::ccd::smoke::{self, SmokeQuery, SmokeReport};
use crate::ccd::{FileError, QuerySet, native, parry, read, stopwatch};

/// Maximum number of faults that are printed; all are written.
const MAX_SHOWN: usize = 20;

/// Judge the collision detection of others: answers in a file, or a process that is asked.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor ccd judge queries.csv answers.csv
  rigor ccd judge queries.csv --out judged -- python3 my_ccd.py
  rigor ccd judge --generate rigid --n 50 --motion fixed-axis-short -- ./my_ccd
  rigor ccd judge crates/rigor-bench/queries --method separating-plane
  rigor ccd judge crates/rigor-bench/queries --guest ipctk-additive

READS
  QUERIES  query files, or a folder of them, see docs/ccd-queries.md
  ANSWERS  a CSV with the columns label and answer (free, hit, undecided, timed out, failed, skipped), and t_safe, t_hit,
           seconds, type and why where they apply, see docs/ccd-protocol.md
  A process answers in lines of JSON, see docs/ccd-protocol.md. It first gets queries with answers known by hand: if a
  mistake of its adapter explains the answers, or more than half are wrong, the command says so in words, and stops.

PRINTS
  For all queries, and per kind, class of motion and family: late answers beyond rounding (a miss: free for a proven
  contact), how deep the primitives are by then in units of d_min, how far they have moved since contact in units of
  their size, late answers by rounding, false hits, early ratios t_safe/t_true, times, failures. Every fault is printed.

WRITES
  With --out: answers.csv, judgement.json, faults.csv, and the queries of the faults in linear.csv and rigid.csv, which
  the same command judges again.

EXIT CODES
  0 no fault; 1 an answer was late beyond rounding, malformed, missing, missing after the limit, or failed, a request of
  several queries was, or nothing was judged; 2 a file could not be read, or the process does not start; 130 interrupted")]
pub struct JudgeArgs {
    /// Query files or a folder, then a file of answers unless a process or a method answers.
    #[arg(value_name = "QUERIES [ANSWERS]")]
    paths: Vec<PathBuf>,
    /// Generate certified queries of this type in place of files.
    #[arg(long, value_enum, value_name = "TYPE")]
    generate: Option<Type>,
    /// Families to generate, separated by commas [default: all].
    #[arg(long, value_delimiter = ',', requires = "generate")]
    family: Vec<String>,
    /// Number of queries per family to generate.
    #[arg(long, default_value_t = 20)]
    n: u64,
    /// Seed of the generated queries.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Judge only rigid queries of these classes of motion, separated by commas [default: all].
    #[arg(long, value_delimiter = ',')]
    motion: Vec<String>,
    /// Judge only the query with this label.
    #[arg(long)]
    label: Option<String>,
    /// Time limit (s) of a query; a process that exceeds it is killed and started again.
    #[arg(long, default_value_t = 10.0)]
    limit: f64,
    /// Go on where the adapter seems to err.
    #[arg(long)]
    anyway: bool,
    /// Ask a method of this program.
    #[arg(long, conflicts_with_all = ["command", "guest"])]
    method: Option<String>,
    /// Ask an implementation that `rigor ccd install` installs.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    guest: Option<String>,
    /// Write answers, rulings and faults into this folder, which must be empty or absent.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print the judgement as JSON.
    #[arg(long)]
    json: bool,
    /// The command of a process that answers.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Who answers.
enum Source {
    File(AnswerFile),
    Process(Box<Guest>),
    Method(Choice),
}

pub fn execute(args: &JudgeArgs) -> Result<Exit, CliError> {
    let (paths, file) = split(args)?;
    let classes = classes(&args.motion)?;
    if !(args.limit > 0.0 && args.limit <= 1e6) {
        return Err(CliError::new(format!(
            "--limit is {}: it must be above 0 and at most 1e6 s",
            args.limit
        )));
    }
    if let Some(out) = &args.out {
        check_empty(out)?;
    }
    let mut source = source(args, file)?;
    let (mut set, warnings) = queries(args, paths)?;
    set.rigid.retain(|query| classes.contains(&query.query.motion_class()));
    if let Some(label) = &args.label {
        set.linear.retain(|query| query.label == *label);
        set.rigid.retain(|query| query.label == *label);
    }
    if set.is_empty() {
        return Err(CliError::new("there are no queries to judge"));
    }
    let (who, smoke) = introduce(&mut source, args);
    if let Some(smoke) = smoke.as_ref().filter(|smoke| smoke.blames_adapter() && !args.anyway) {
        let help = "\nNothing else was asked: `--anyway` goes on.\n";
        if args.json {
            print_json(&json!({ "name": who.name, "version": who.version, "smoke": smoke_json(smoke) }))?;
        } else {
            print(&format!("{} {}\n{}{help}", who.name, who.version, smoke.show()))?;
        }
        return Ok(exit(true));
    }
    let linear = respond(&mut source, &set.linear)?;
    let rigid = respond(&mut source, &set.rigid)?;
    let mut warnings = warnings;
    if let Source::File(file) = &source {
        let labels = (labels(&set.linear), labels(&set.rigid));
        let strangers = file.strangers(&labels.0, &labels.1);
        if let Some(first) = strangers.first().filter(|_| args.label.is_none() && args.motion.is_empty()) {
            warnings.push(format!("{} answers to no query, the first of them {first:?}", strangers.len()));
        }
    }
    let lost = match &source {
        Source::Process(guest) => guest.lost(),
        Source::File(_) | Source::Method(_) => (0, ""),
    };
    if lost.0 > 0 {
        warnings.push(format!(
            "{} requests of several queries failed and were asked again one by one; the last: {}",
            lost.0, lost.1
        ));
    }
    let unanswered = linear.iter().chain(&rigid).filter(|answer| answer.is_none()).count();
    let mut judged = judge(&set.linear, linear);
    judged.extend(judge(&set.rigid, rigid));
    let report = Report { who, smoke, judged, unanswered, lost: lost.0, warnings };
    if let Some(out) = &args.out {
        report.write(out, &set)?;
    }
    if args.json {
        print_json(&report.to_json())?;
    } else {
        print(&report.show())?;
    }
    Ok(exit(report.is_broken()))
}

fn labels<Q>(queries: &[Labelled<Q>]) -> Vec<String> {
    queries.iter().map(|query| query.label.clone()).collect()
}

/// Tells the file of answers from the files of queries.
fn split(args: &JudgeArgs) -> Result<(&[PathBuf], Option<&Path>), CliError> {
    let has_answerer = args.method.is_some() || args.guest.is_some() || !args.command.is_empty();
    match (&args.paths[..], has_answerer, args.generate) {
        ([], true, Some(_)) => Ok((&[], None)),
        ([_, .., last], true, None) if is_answers(last) => {
            let what =
                format!("{} has answers, and a process or method is to answer as well", last.display());
            Err(CliError::new(what).with_help("name one of them"))
        }
        (queries @ [_, ..], true, None) => Ok((queries, None)),
        ([queries @ .., answers], false, None) if !queries.is_empty() => Ok((queries, Some(answers))),
        (_, _, Some(_)) => Err(CliError::new("--generate needs a process or a method to ask, and no files")
            .with_help("`rigor ccd generate --certify --out FILE` writes the queries for answers in a file")),
        ([], _, None) => Err(CliError::new("there are no queries: name query files, or use --generate")),
        (_, false, None) => Err(CliError::new("nobody answers")
            .with_help("name a file of answers after the queries, a method, or a command after `--`")),
    }
}

/// Whether a file looks like one of answers: a column of its first line has that name.
fn is_answers(path: &Path) -> bool {
    let text = std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let head = text.unwrap_or_default();
    let head = head.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    head.split(',').any(|cell| cell.trim() == "answer")
}

fn classes(names: &[String]) -> Result<Vec<MotionClass>, CliError> {
    if names.is_empty() {
        return Ok(MotionClass::ALL.to_vec());
    }
    let known = || format!("classes are {}", MotionClass::ALL.map(MotionClass::name).join(", "));
    let unknown = |name: &String| CliError::new(format!("there is no class {name:?}")).with_help(known());
    names.iter().map(|name| MotionClass::named(name).ok_or_else(|| unknown(name))).collect()
}

/// Refuses a path that is no empty folder, before anything is asked.
fn check_empty(out: &Path) -> Result<(), CliError> {
    let is_taken = match std::fs::read_dir(out) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => out.exists(),
    };
    if is_taken {
        let what = format!("{} is not an empty folder", out.display());
        return Err(CliError::new(what).with_help("take another folder, or remove what is there"));
    }
    Ok(())
}

fn source(args: &JudgeArgs, file: Option<&Path>) -> Result<Source, CliError> {
    if let Some(path) = file {
        let bytes = std::fs::read(path).map_err(|error| CliError::file(path, "read", &error))?;
        let file = AnswerFile::read(path, &bytes).map_err(|why| {
            CliError::new(why.to_string()).with_help("docs/ccd-protocol.md describes the format")
        })?;
        return Ok(Source::File(file));
    }
    if let Some(name) = &args.method {
        return choose(std::slice::from_ref(name)).map(Source::Method);
    }
    let launch = match &args.guest {
        Some(name) => guest::launch(name).map_err(CliError::new)?,
        None => Launch {
            program: args.command.first().map(PathBuf::from).unwrap_or_default(),
            arguments: args.command.iter().skip(1).cloned().collect(),
            variables: Vec::new(),
        },
    };
    let guest = Guest::start(launch, args.limit).map_err(|fault| {
        CliError::new(fault.to_string())
            .with_help("docs/ccd-protocol.md describes what the process must reply")
    })?;
    Ok(Source::Process(Box::new(guest)))
}

/// The queries with proven truth, and warnings about them.
fn queries(args: &JudgeArgs, paths: &[PathBuf]) -> Result<(QuerySet, Vec<String>), CliError> {
    let Some(kind) = args.generate else {
        let mut set = read(paths)?;
        let mut warnings: Vec<_> = set.warnings.iter().map(FileError::to_string).collect();
        let bar = progress((n_vague(&set.linear) + n_vague(&set.rigid)) as u64, "proofs");
        warnings.extend(certify(&mut set.linear, &|| bar.inc(1)));
        warnings.extend(certify(&mut set.rigid, &|| bar.inc(1)));
        bar.finish_and_clear();
        return Ok((set, warnings));
    };
    let families = families(&args.family)?;
    let n = families.len() as u64 * args.n;
    if args.n > 100_000 {
        return Err(CliError::new(format!("--n is {}: it must be at most 100000", args.n)));
    }
    let bar = progress(n, "queries");
    let mut set = QuerySet::default();
    match kind {
        Type::Linear => set.linear = certified(&families, args, &|| bar.inc(1)),
        Type::Rigid => set.rigid = certified(&families, args, &|| bar.inc(1)),
    }
    bar.finish_and_clear();
    Ok((set, Vec::new()))
}

fn certified<Q: AskedQuery>(
    families: &[Family],
    args: &JudgeArgs,
    progress: &(impl Fn() + Sync),
) -> Vec<Labelled<Q>> {
    let mut queries: Vec<Labelled<Q>> = generated(families, args.n, args.seed, true, progress);
    queries.retain(|query| !matches!(query.truth, Truth::Unknown { .. }));
    queries
}

/// The name and version of who answers.
#[derive(Debug, Clone, Default)]
struct Who {
    name: String,
    version: String,
    about: String,
}

/// Asks a process for its name and the queries known by hand.
fn introduce(source: &mut Source, args: &JudgeArgs) -> (Who, Option<SmokeReport>) {
    match source {
        Source::File(_) => (Who { name: "answers from a file".into(), ..Who::default() }, None),
        Source::Method(_) => {
            let version = env!("CARGO_PKG_VERSION").to_owned();
            (Who { name: args.method.clone().unwrap_or_default(), version, about: String::new() }, None)
        }
        Source::Process(guest) => {
            let it = guest.introduction();
            let who = Who { name: it.name.clone(), version: it.version.clone(), about: it.about.clone() };
            (who, Some(smoke::examine(&smoke_answers(guest))))
        }
    }
}

/// The answers of a process to the queries known by hand.
pub fn smoke_answers(guest: &mut Guest) -> Vec<OutsideAnswer> {
    let (go_on, quiet) = (|| false, || ());
    let answer = |smoke: &smoke::Smoke| match &smoke.query {
        SmokeQuery::Linear(query) => guest.ask_all([query].into_iter(), &go_on, &quiet).remove(0).answer,
        SmokeQuery::Rigid(query) => guest.ask_all([query].into_iter(), &go_on, &quiet).remove(0).answer,
    };
    smoke::queries().iter().map(answer).collect()
}

/// The answers to `queries` in their order; `None` where there is none.
fn respond<Q: AskedQuery>(
    source: &mut Source,
    queries: &[Labelled<Q>],
) -> Result<Vec<Option<Response>>, CliError>
where
    Choice: MethodOf<Q>,
{
    let bar = progress(queries.len() as u64, "queries");
    let stops = || interrupt::flag().load(Ordering::SeqCst);
    let answers = match source {
        Source::File(file) => file.answers_to(queries).map_err(|why| CliError::new(why.to_string()))?,
        Source::Process(guest) => {
            let asked = queries.iter().map(|query| &query.query);
            guest.ask_all(asked, &stops, &|| bar.inc(1)).into_iter().map(Some).collect()
        }
        Source::Method(choice) => {
            let method = choice.method();
            let answer = |query: &Labelled<Q>| {
                bar.inc(1);
                (!stops()).then(|| own_answer(method, &query.query))
            };
            queries.iter().map(answer).collect()
        }
    };
    bar.finish_and_clear();
    Ok(answers)
}

/// The chosen method for one type of query.
pub trait MethodOf<Q: AskedQuery> {
    /// The method, if the name is one for this type.
    fn method(&self) -> Option<Q::Method>;
}

impl MethodOf<rigor_ccd::LinearQuery> for Choice {
    fn method(&self) -> Option<rigor_ccd::LinearMethod> {
        self.linear.first().copied()
    }
}

impl MethodOf<rigor_ccd::RigidQuery> for Choice {
    fn method(&self) -> Option<rigor_ccd::RigidMethod> {
        self.rigid.first().copied()
    }
}

/// The answer of a method of this program, timed; skipped without a method.
pub fn own_answer<Q: AskedQuery>(method: Option<Q::Method>, query: &Q) -> Response {
    let Some(method) = method else {
        return Response { answer: OutsideAnswer::Skipped, seconds: None, wall: None };
    };
    let answer = parry::ours(method.impact(query, 1.0));
    let seconds = stopwatch::seconds(|| method.impact(std::hint::black_box(query), 1.0));
    Response { answer, seconds: Some(seconds), wall: None }
}

/// All rulings on one implementation.
struct Report {
    who: Who,
    smoke: Option<SmokeReport>,
    judged: Vec<Judged>,
    /// Number of queries without a row in a file of answers.
    unanswered: usize,
    /// Number of requests of several queries that failed.
    lost: usize,
    warnings: Vec<String>,
}

impl Report {
    fn all(&self) -> Counts {
        Counts::of(self.judged.iter())
    }

    /// Number of queries whose answers were judged.
    fn answered(&self) -> usize {
        self.all().queries
    }

    /// Whether something is wrong, or nothing was judged.
    fn is_broken(&self) -> bool {
        self.all().faults() > 0 || self.unanswered > 0 || self.lost > 0 || self.answered() == 0
    }

    fn faults(&self) -> impl Iterator<Item = &Judged> {
        self.judged.iter().filter(|one| one.ruling.verdict.is_fault())
    }

    fn show(&self) -> String {
        let mut text = format!("{} {}\n", self.who.name, self.who.version);
        if !self.who.about.is_empty() {
            let _ = writeln!(text, "{}", self.who.about);
        }
        self.warnings.iter().take(MAX_SHOWN).for_each(|warning| {
            let _ = writeln!(text, "warning: {warning}");
        });
        if let Some(smoke) = &self.smoke {
            text += &smoke.show();
        }
        let all = self.all();
        let skipped = all.count(Verdict::Skipped);
        let _ = writeln!(
            text,
            "{} answers: {} known hits, {} known free; {skipped} skipped, {} without an answer\n\n{}",
            all.queries,
            all.hits,
            all.free,
            self.unanswered,
            self.table()
        );
        if self.answered() == 0 {
            text += "Nothing was judged.\n";
        }
        for fault in self.faults().take(MAX_SHOWN) {
            let _ = writeln!(text, "{}", fault_line(fault));
        }
        let more = self.faults().count().saturating_sub(MAX_SHOWN);
        if more > 0 {
            let _ = writeln!(text, "… and {more} more: --out writes all");
        }
        text
    }

    /// Rows for all answers, and for each type, kind, class and family.
    fn rows(&self) -> Vec<(String, Counts)> {
        let mut rows = vec![("all".to_owned(), self.all())];
        let named = |of: &'static str, groups: Vec<(String, Counts)>| {
            groups.into_iter().map(move |(name, counts)| (format!("{of}: {name}"), counts))
        };
        let of_types = groups(&self.judged, ["linear", "rigid"], |one| Some(one.of));
        rows.extend(named("type", of_types.into_iter().map(|(k, c)| (k.to_owned(), c)).collect()));
        let of_kinds =
            groups(&self.judged, rigor_ccd::Kind::ALL.map(rigor_ccd::Kind::name), |one| Some(one.kind));
        rows.extend(named("kind", of_kinds.into_iter().map(|(k, c)| (k.to_owned(), c)).collect()));
        let of_classes =
            groups(&self.judged, MotionClass::ALL, |one| (one.of == "rigid").then_some(one.class));
        rows.extend(named("rigid motion", of_classes.into_iter().map(|(k, c)| (k.to_string(), c)).collect()));
        let of_families = groups(&self.judged, Family::ALL, |one| one.family);
        rows.extend(named("family", of_families.into_iter().map(|(k, c)| (k.to_string(), c)).collect()));
        rows
    }

    fn table(&self) -> Table {
        let mut table = headed([
            "",
            "queries",
            "hits, free",
            "late",
            "of these misses",
            "deepest, d_min",
            "farthest, size",
            "late by rounding",
            "false hits",
            "undecided",
            "malformed, failed",
            "timed out",
            "t_safe/t_true: 1 %, median",
            "CPU: median, 99.9 %",
        ]);
        for (name, counts) in self.rows() {
            table.add_row([vec![name], cells(&counts)].concat());
        }
        table
    }

    fn to_json(&self) -> Value {
        let rows = self.rows().into_iter().map(|(name, counts)| (name, counts.to_json()));
        let faults = self.faults().map(|fault| {
            let cells = FAULT_COLUMNS.iter().zip(fault_record(fault));
            cells.map(|(name, cell)| ((*name).to_owned(), json!(cell))).collect::<serde_json::Map<_, _>>()
        });
        json!({
            "name": self.who.name, "version": self.who.version, "about": self.who.about,
            "smoke": self.smoke.as_ref().map(smoke_json),
            "unanswered": self.unanswered, "lost_requests": self.lost, "warnings": self.warnings,
            "groups": rows.collect::<serde_json::Map<_, _>>(),
            "faults": faults.collect::<Vec<_>>(),
        })
    }

    fn write(&self, out: &Path, set: &QuerySet) -> Result<(), CliError> {
        std::fs::create_dir_all(out).map_err(|error| CliError::file(out, "made", &error))?;
        let write = |name: &str, text: String| {
            let path = out.join(name);
            std::fs::write(&path, text).map_err(|error| CliError::file(&path, "written", &error))
        };
        let answers = self.judged.iter().map(|one| match one.of {
            "linear" => answer_file::record::<rigor_ccd::LinearQuery>(&one.label, &one.response),
            _ => answer_file::record::<rigor_ccd::RigidQuery>(&one.label, &one.response),
        });
        write("answers.csv", text(&answer_file::COLUMNS, answers))?;
        write("faults.csv", text(&FAULT_COLUMNS, self.faults().map(fault_record)))?;
        let json = serde_json::to_string_pretty(&self.to_json()).unwrap_or_default();
        write("judgement.json", json + "\n")?;
        self.write_queries("linear", &set.linear, &write)?;
        self.write_queries("rigid", &set.rigid, &write)
    }

    /// Writes the queries of one type that were answered with a fault.
    fn write_queries<Q: AskedQuery>(
        &self,
        of: &str,
        queries: &[Labelled<Q>],
        write: &impl Fn(&str, String) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let labels: std::collections::HashSet<&str> =
            self.faults().filter(|fault| fault.of == of).map(|fault| fault.label.as_str()).collect();
        if labels.is_empty() {
            return Ok(());
        }
        let faulty: Vec<Labelled<Q>> =
            queries.iter().filter(|query| labels.contains(query.label.as_str())).cloned().collect();
        let comment =
            format!("Queries with faults of {} {}: {}", self.who.name, self.who.version, command_line());
        write(&format!("{of}.csv"), native::write(&faulty, &comment))
    }
}

/// The cells of a row after its name.
fn cells(counts: &Counts) -> Vec<String> {
    let number = |n: usize| n.to_string();
    let measure = |x: f64| if x > 0.0 { format!("{x:.2e}") } else { "–".to_owned() };
    let ratio = |share| counts.ratio(share).map_or("–".to_owned(), |r| format!("{r:.4}"));
    let time = |share| {
        let seconds = counts.seconds(share).or_else(|| counts.wall(share));
        seconds.map_or("–".to_owned(), |s| quantity(s, "s"))
    };
    vec![
        number(counts.queries),
        format!("{}, {}", counts.hits, counts.free),
        number(counts.late()),
        number(counts.count(Verdict::Miss)),
        measure(counts.deepest),
        measure(counts.farthest),
        number(counts.count(Verdict::LateByRounding)),
        number(counts.count(Verdict::FalseHit)),
        number(counts.count(Verdict::Undecided)),
        format!("{}, {}", counts.count(Verdict::Malformed), counts.count(Verdict::Failed)),
        number(counts.count(Verdict::TimedOut)),
        format!("{}, {}", ratio(0.01), ratio(0.5)),
        format!("{}, {}", time(0.5), time(0.999)),
    ]
}

fn smoke_json(smoke: &SmokeReport) -> Value {
    json!({ "answered": smoke.answered, "wrong": smoke.wrong, "mistakes": smoke.mistakes })
}
