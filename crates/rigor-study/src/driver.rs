//! Carrying out the runs of a plan: each is made once, found again by its identity, and kept as a record.

use std::collections::VecDeque;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rigor_run::error::Fault;
use rigor_run::execute::{self, ExecuteError};
use rigor_run::folder::lock::Lock;
use rigor_run::folder::record::{Ending, Record};
use rigor_run::kept::KeptRun;
use rigor_run::{Folder, RunError};

use crate::error::StudyError;
use crate::plan::Plan;
use crate::task::Task;

/// How long to wait before asking again for a run that another process is making.
const PATIENCE: Duration = Duration::from_millis(200);

/// How to carry out a plan.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folder of the study; runs are in its folder `runs`.
    pub root: PathBuf,
    /// Number of runs at the same time; a timed plan takes one.
    pub jobs: usize,
    /// The part of the runs to make: every `of`-th, from the one with index `index`.
    pub shard: Option<Shard>,
    /// Which of the runs found are made again.
    pub rerun: Rerun,
}

impl Options {
    /// All runs of a plan in `root`, one after another.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), jobs: 1, shard: None, rerun: Rerun::Never }
    }
}

/// A part of the runs of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Index of the part, from 0.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

/// The runs that are made again although they are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rerun {
    /// None, except those that a killed process left.
    #[default]
    Never,
    /// Runs that a limit of wall time cut.
    TimedOut,
    /// Runs that failed or were cut.
    Unfinished,
    /// All.
    All,
}

/// What became of a run.
#[derive(Debug)]
pub struct RunResult {
    /// The record, or why there is none.
    pub record: Result<Record, StudyError>,
    /// The folder of the run.
    pub folder: Folder,
    /// Whether the run was found.
    pub is_found: bool,
}

/// Makes the runs of `tasks` that are not found in the folder, and returns all in the order of the tasks; `None` for runs of
/// other shards that do not exist yet, and for those that `stop` prevented.
///
/// Several processes may carry out one plan in one folder: each run is locked while it is made, and made once.
/// `done` is called after each run.
pub fn carry_out(
    plan: &Plan,
    tasks: &[Task],
    options: &Options,
    stop: &AtomicBool,
    done: &(dyn Fn(&Task, &RunResult) + Sync),
) -> Vec<Option<RunResult>> {
    let jobs = if plan.study.timed { 1 } else { options.jobs.clamp(1, tasks.len().max(1)) };
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..tasks.len()).collect());
    let results: Vec<Mutex<Option<RunResult>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut threads = Threads::default();
                while let Some(i) = take(&queue).filter(|_| !stop.load(Ordering::Relaxed)) {
                    let is_mine = options.shard.is_none_or(|shard| i % shard.of == shard.index);
                    match threads.run(tasks[i].threads, || attempt(plan, &tasks[i], options, is_mine, stop)) {
                        Attempt::Made(made) => {
                            done(&tasks[i], &made);
                            put(&results[i], *made);
                        }
                        Attempt::Absent => {}
                        Attempt::Busy => {
                            // Another process makes it: come back when the others are done.
                            if let Ok(mut queue) = queue.lock() {
                                queue.push_back(i);
                            }
                            std::thread::sleep(PATIENCE);
                        }
                    }
                }
            });
        }
    });
    results.into_iter().map(|cell| cell.into_inner().unwrap_or(None)).collect()
}

fn take(queue: &Mutex<VecDeque<usize>>) -> Option<usize> {
    queue.lock().ok()?.pop_front()
}

fn put(cell: &Mutex<Option<RunResult>>, made: RunResult) {
    if let Ok(mut cell) = cell.lock() {
        *cell = Some(made);
    }
}

enum Attempt {
    Made(Box<RunResult>),
    /// The run belongs to another shard and does not exist.
    Absent,
    /// Another process is making the run.
    Busy,
}

/// The threads of the runs of one worker, kept while the next run wants as many: to start them takes a part of a millisecond.
#[derive(Default)]
struct Threads {
    pool: Option<(usize, rayon::ThreadPool)>,
}

impl Threads {
    /// Runs `work` in a pool of `n` threads.
    fn run<T: Send>(&mut self, n: usize, work: impl FnOnce() -> T + Send) -> T {
        if self.pool.as_ref().is_none_or(|(of, _)| *of != n) {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).stack_size(8 << 20).build();
            self.pool = pool.ok().map(|pool| (n, pool));
        }
        match &self.pool {
            Some((_, pool)) => pool.install(work),
            None => work(),
        }
    }
}

fn attempt(plan: &Plan, task: &Task, options: &Options, is_mine: bool, stop: &AtomicBool) -> Attempt {
    let nowhere = || Folder::new(&options.root);
    let fail = |error: StudyError, folder: Folder| {
        Attempt::Made(Box::new(RunResult { record: Err(error), folder, is_found: false }))
    };
    let mut run = match task.load(plan, nowhere()) {
        Ok(run) => run,
        Err(error) => return fail(error, nowhere()),
    };
    let blank = match execute::identify(&run) {
        Ok(blank) => blank,
        Err(error) => return fail(error.into(), nowhere()),
    };
    run.folder = Folder::new(runs(&options.root).join(&blank.identity));
    let folder = run.folder.clone();
    let made =
        |record, is_found| Attempt::Made(Box::new(RunResult { record, folder: folder.clone(), is_found }));
    if blank.outcome != Ending::Running {
        // The method does not support the scene or was refused: there is nothing to run.
        return made(Ok(blank), false);
    }
    if let Some(found) = find(&folder, options.rerun) {
        return made(Ok(found), true);
    }
    if !is_mine {
        return Attempt::Absent;
    }
    match make(&run, &blank, stop, options.rerun) {
        Err(error) if matches!(error.why, Fault::Busy) => Attempt::Busy,
        Err(error) => made(Err(error.into()), false),
        Ok(Err(ExecuteError::Run { source })) if matches!(source.why, Fault::Busy) => Attempt::Busy,
        Ok(record) => made(record.map_err(StudyError::from), false),
    }
}

/// The folder of the runs.
pub fn runs(root: &Path) -> PathBuf {
    root.join("runs")
}

/// Returns the record of a finished run whose files are unchanged.
fn find(folder: &Folder, rerun: Rerun) -> Option<Record> {
    let record = KeptRun::open(folder).ok()?.record;
    let is_good = match rerun {
        Rerun::Never => record.outcome.is_final(),
        Rerun::TimedOut => record.outcome.is_final() && !matches!(record.outcome, Ending::TimedOut { .. }),
        Rerun::Unfinished => record.outcome == Ending::Completed,
        Rerun::All => false,
    };
    is_good.then_some(record)
}

/// Makes a run from the start; what a killed process left of it is removed. A panic becomes a record.
fn make(
    run: &execute::Plan,
    blank: &Record,
    stop: &AtomicBool,
    rerun: Rerun,
) -> Result<Result<Record, ExecuteError>, RunError> {
    let folder = &run.folder;
    let lock = Lock::take(folder)?;
    // Another process may have finished it meanwhile.
    if let Some(found) = find(folder, rerun) {
        return Ok(Ok(found));
    }
    clear(folder)?;
    drop(lock);
    let attempt = AssertUnwindSafe(|| execute::execute(run, false, stop, &mut |_| {}));
    match catch_unwind(attempt) {
        Ok(result) => Ok(result),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            let error = words.unwrap_or_else(|| "a panic without a message".into());
            let record = Record { outcome: Ending::Failed { error }, ..blank.clone() };
            record.write(&folder.record())?;
            Ok(Ok(record))
        }
    }
}

/// Removes all files of a run except its lock.
fn clear(folder: &Folder) -> Result<(), RunError> {
    let fail = |error| RunError::new(&folder.root, error);
    // Without a record, what is left is no run.
    for first in [true, false] {
        for entry in fs::read_dir(&folder.root).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let name = path.file_name().unwrap_or_default().to_owned();
            if name == "lock" || (first != (name == "run.json")) {
                continue;
            }
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(fail)?;
        }
    }
    Ok(())
}
