//! `rigor problems profile`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rigor_nonsmooth::solver::{Goal, Outcome, Solver, Work};
use rigor_nonsmooth::{Law, Problem, Vec3};
use rigor_report::Drawing;
use rigor_report::number::significant;
use rigor_study::profile::{Profile, drawing};

use super::super::table::headed;
use super::super::{CliError, Exit, interrupt, print};
use super::input;

/// Compare solvers on friction problems: how many each solves, at which cost.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor problems profile folder --out out/solvers
  rigor problems profile folder --solvers relay,gauss-seidel --tolerances 1e-4,1e-12 --out out/solvers
  rigor problems profile folder --with siconos.csv --out out/solvers

On one thread, each solver goes from zero impulses to each tolerance; times below 20 ms are the least of five. --out gets
profile.csv, a row per problem, solver and tolerance, and for each tolerance a performance profile [Dolan2002] of the time
and one of the work: products with W, where a factorization counts as n/9 of them for n blocks.

EXIT CODES
  0 compared; 2 a file could not be read or written, or a name does not exist; 130 interrupted")]
pub struct ProfileArgs {
    /// Problem files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Solvers, separated by commas [default: all that know the law].
    #[arg(long, value_delimiter = ',')]
    solvers: Vec<String>,
    /// The law: coulomb, convex, pyramid-N, regularised-R.
    #[arg(long, default_value = "coulomb")]
    law: String,
    /// Residuals that solve a problem, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1e-4,1e-8,1e-12")]
    tolerances: Vec<f64>,
    /// Maximum number of iterations.
    #[arg(long, default_value_t = 100_000)]
    iterations: u64,
    /// Maximum time (s) for a problem.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Tables of other programs' solvers on the same problems, in the form of profile.csv.
    #[arg(long, value_name = "CSV")]
    with: Vec<PathBuf>,
    /// The folder to make.
    #[arg(long)]
    out: PathBuf,
}

/// One solver on one problem to one tolerance.
struct Measured {
    problem: usize,
    solver: usize,
    tolerance: f64,
    outcome: Outcome,
    residual: f64,
    work: Work,
    seconds: f64,
}

pub fn execute(args: &ProfileArgs) -> Result<Exit, CliError> {
    let law = input::law(&args.law)?;
    let solvers = input::solvers(&args.solvers, &law)?;
    for tolerance in &args.tolerances {
        input::tolerance(*tolerance)?;
    }
    let seconds = input::seconds(args.seconds)?;
    input::once("--tolerances", &args.tolerances)?;
    input::once("--solvers", &args.solvers)?;
    let problems = input::read(&args.paths)?;
    let failed = |error: std::io::Error| CliError::new(format!("{}: {error}", args.out.display()));
    if args.out.exists() {
        return Err(CliError::new(format!("{} is there already", args.out.display()))
            .with_help("--out makes a folder: give a new name"));
    }
    let style = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len}  {eta} left  {msg}");
    let n = problems.len() * solvers.len() * args.tolerances.len();
    let bar = ProgressBar::new(n as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let names: Vec<&str> = problems.iter().map(|(name, _)| name.as_str()).collect();
    let mut solver_names: Vec<String> = solvers.iter().map(|solver| solver.name().to_owned()).collect();
    let mut all = Vec::new();
    for path in &args.with {
        read_csv(path, (&names, &args.tolerances), solvers.len(), &mut solver_names, &mut all)?;
    }
    'problems: for (i, (name, problem)) in problems.iter().enumerate() {
        bar.set_message(name.clone());
        for (k, solver) in solvers.iter().enumerate() {
            for &tolerance in &args.tolerances {
                if interrupt::flag().load(Ordering::SeqCst) {
                    break 'problems;
                }
                let goal =
                    Goal { tolerance, iterations: args.iterations, seconds, clock: rigor_run::cpu::here };
                all.push(measure((i, problem), (k, &**solver), &law, &goal));
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    if interrupt::flag().load(Ordering::SeqCst) {
        return Ok(Exit::Interrupted);
    }
    fs::create_dir_all(&args.out).map_err(failed)?;
    write_csv(&args.out.join("profile.csv"), &names, &solver_names, &problems, &all)?;
    let sizes: Vec<usize> = problems.iter().map(|(_, problem)| problem.len()).collect();
    let mut text = String::new();
    for &tolerance in &args.tolerances {
        let of = |cost: &dyn Fn(&Measured) -> f64| {
            let solved = |k: usize| -> Vec<(usize, f64)> {
                let of_solver = all.iter().filter(|one| one.solver == k && one.tolerance == tolerance);
                let of_solver = of_solver.filter(|one| one.outcome == Outcome::Solved);
                let costs = of_solver.map(|one| (one.problem, cost(one)));
                costs.filter(|(_, cost)| cost.is_finite()).collect()
            };
            let rows = solver_names.iter().enumerate().map(|(k, name)| (name.clone(), solved(k))).collect();
            Profile::of(rows, problems.len())
        };
        let time = of(&|one| one.seconds.max(1e-6));
        // Other programs may not count their work.
        let work = of(&|one| match one.work {
            Work { products: 0, factorizations: 0, .. } => f64::INFINITY,
            work => cost(&work, sizes[one.problem]),
        });
        for (what, profiles) in [("CPU time", &time), ("work", &work)] {
            let condition = format!(", residual {tolerance:e}, law {}", law.name());
            // Solvers without counts are left out.
            let drawn: Vec<Profile> = profiles.iter().filter(|one| !one.ratios.is_empty()).cloned().collect();
            if let Some(Drawing { svg, .. }) = drawing(&drawn, what, &condition) {
                let file = format!("{}-{tolerance:e}.svg", if what == "work" { "work" } else { "time" });
                fs::write(args.out.join(file), svg).map_err(failed)?;
            }
        }
        text += &format!("residual {tolerance:e}\n{}\n", table(&time, &work));
    }
    print(&text)?;
    Ok(Exit::Ok)
}

/// Products with W, where a factorization of n blocks counts as n/9: (3 n)³/3 additions against 9 n² of a full product.
fn cost(work: &Work, n_blocks: usize) -> f64 {
    work.products as f64 + work.factorizations as f64 * (n_blocks as f64 / 9.0).max(1.0)
}

fn measure(
    (i, problem): (usize, &Problem),
    (k, solver): (usize, &dyn Solver),
    law: &Law,
    goal: &Goal,
) -> Measured {
    let start = vec![Vec3::zeros(); problem.len()];
    let run = || {
        let begin = rigor_run::cpu::here();
        let found = solver.solve(problem, law, &start, goal);
        (found, rigor_run::cpu::here() - begin)
    };
    let (found, mut seconds) = run();
    if seconds < 0.02 {
        seconds = (0..4).map(|_| run().1).fold(seconds, f64::min);
    }
    Measured {
        problem: i,
        solver: k,
        tolerance: goal.tolerance,
        outcome: found.outcome,
        residual: found.residual,
        work: found.work,
        seconds,
    }
}

/// A row per solver: the parts of problems solved at all, with the least cost, and within ten times that.
fn table(time: &[Profile], work: &[Profile]) -> String {
    let mut table = headed([
        "solver",
        "solved",
        "fastest",
        "within 10 × the least time",
        "least work",
        "within 10 × the least work",
    ]);
    let percent = |part: f64| format!("{} %", significant(100.0 * part));
    for (time, work) in time.iter().zip(work) {
        table.add_row([
            time.solver.clone(),
            format!("{} of {}", time.ratios.len(), time.n_problems),
            percent(time.part(1.0)),
            percent(time.part(10.0)),
            if work.ratios.is_empty() { "–".into() } else { percent(work.part(1.0)) },
            if work.ratios.is_empty() { "–".into() } else { percent(work.part(10.0)) },
        ]);
    }
    table.to_string()
}

/// The columns of profile.csv.
const COLUMNS: [&str; 10] = [
    "problem",
    "blocks",
    "solver",
    "tolerance",
    "outcome",
    "residual",
    "iterations",
    "products",
    "factorizations",
    "cpu_s",
];

/// Reads the rows of another program: those of problems that are compared.
fn read_csv(
    path: &Path,
    (problems, tolerances): (&[&str], &[f64]),
    n_own: usize,
    solvers: &mut Vec<String>,
    all: &mut Vec<Measured>,
) -> Result<(), CliError> {
    if !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return Err(CliError::new(format!("{}: there is no such file", path.display())));
    }
    let failed = |line: u64, what: &str| CliError::new(format!("{}, line {line}: {what}", path.display()));
    let mut csv = csv::Reader::from_path(path)
        .map_err(|error| CliError::new(format!("{}: {error}", path.display())))?;
    let head = csv.headers().map_err(|error| failed(1, &error.to_string()))?.clone();
    if head.iter().ne(COLUMNS) {
        return Err(failed(1, &format!("the columns must be {}", COLUMNS.join(","))));
    }
    for row in csv.records() {
        let row = row.map_err(|error| CliError::new(format!("{}: {error}", path.display())))?;
        let line = row.position().map_or(0, csv::Position::line);
        let number = |k: usize| {
            let number = row[k].parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            number.ok_or_else(|| {
                failed(line, &format!("{} is {:?}: it must be a number from 0 on", COLUMNS[k], &row[k]))
            })
        };
        let (tolerance, residual, seconds) = (number(3)?, number(5)?, number(9)?);
        let counts = [number(6)?, number(7)?, number(8)?].map(|x| x as u64);
        let Some(problem) = problems.iter().position(|name| *name == &row[0]) else { continue };
        if !tolerances.contains(&tolerance) {
            continue;
        }
        if solvers[..n_own].contains(&row[2].to_owned()) {
            return Err(failed(line, &format!("{:?} is run here as well: give it another name", &row[2])));
        }
        let solver = solvers.iter().position(|name| *name == row[2]).unwrap_or_else(|| {
            solvers.push(row[2].to_owned());
            solvers.len() - 1
        });
        let outcome = if residual <= tolerance { Outcome::Solved } else { Outcome::Spent };
        let work = Work { iterations: counts[0], products: counts[1], factorizations: counts[2] };
        let is_there =
            |one: &Measured| (one.problem, one.solver, one.tolerance) == (problem, solver, tolerance);
        if all.iter().any(is_there) {
            return Err(failed(line, "this problem, solver and tolerance have a row already"));
        }
        all.push(Measured { problem, solver, tolerance, outcome, residual, work, seconds });
    }
    Ok(())
}

fn write_csv(
    path: &Path,
    names: &[&str],
    solvers: &[String],
    problems: &input::Problems,
    all: &[Measured],
) -> Result<(), CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::new(format!("{}: {error}", path.display()));
    let file = File::create_new(path).map_err(|error| failed(&error))?;
    let mut csv = csv::Writer::from_writer(file);
    csv.write_record(COLUMNS).map_err(|error| failed(&error))?;
    for one in all {
        let row = [
            names[one.problem].to_owned(),
            problems[one.problem].1.len().to_string(),
            solvers[one.solver].clone(),
            format!("{:e}", one.tolerance),
            input::outcome(&one.outcome).to_owned(),
            format!("{:e}", one.residual),
            one.work.iterations.to_string(),
            one.work.products.to_string(),
            one.work.factorizations.to_string(),
            format!("{:e}", one.seconds),
        ];
        csv.write_record(row).map_err(|error| failed(&error))?;
    }
    csv.flush().map_err(|error| failed(&error))
}
