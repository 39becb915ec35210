//! `rigor problems solve`.

use std::path::PathBuf;

use clap::Args;
use rigor_nonsmooth::Vec3;
use rigor_nonsmooth::solver::{Goal, Outcome, Solution};
use rigor_report::number::{quantity, significant};
use serde_json::{Value, json};

use super::super::table::headed;
use super::super::{CliError, Exit, print, print_json};
use super::input;

/// Solve friction problems from files, and say how well.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  rigor problems solve problem.npz
  rigor problems solve folder --solver gauss-seidel --tolerance 1e-6
  rigor problems solve problem.npz --law pyramid-8 --solver lemke --json

A problem is a .npz file with the arrays dimension, row, column, value, q and mu: docs/solvers.md. The residual is
that of the natural map, over 1 + |q|. --json has the impulses r and the velocities u.

EXIT CODES
  0 all solved; 1 a problem is not solved; 2 a file could not be read, or a name does not exist")]
pub struct SolveArgs {
    /// Problem files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The solver [default: the first that knows the law].
    #[arg(long)]
    solver: Option<String>,
    /// The law: coulomb, convex, pyramid-N, regularised-R.
    #[arg(long, default_value = "coulomb")]
    law: String,
    /// Residual that solves a problem.
    #[arg(long, default_value_t = 1e-8)]
    tolerance: f64,
    /// Maximum number of iterations.
    #[arg(long, default_value_t = 20_000)]
    iterations: u64,
    /// Maximum CPU time (s) for a problem.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Print solutions as JSON.
    #[arg(long)]
    json: bool,
}

pub fn execute(args: &SolveArgs) -> Result<Exit, CliError> {
    let law = input::law(&args.law)?;
    let solvers = input::solvers(args.solver.as_slice(), &law)?;
    let tolerance = input::tolerance(args.tolerance)?;
    let seconds = input::seconds(args.seconds)?;
    let problems = input::read(&args.paths)?;
    let goal = Goal { tolerance, iterations: args.iterations, seconds, clock: rigor_run::cpu::here };
    let mut table = headed([
        "problem",
        "contacts",
        "outcome",
        "residual",
        "iterations",
        "products",
        "factorizations",
        "time",
    ]);
    let mut documents = Vec::new();
    let mut notes = String::new();
    let mut n_solved = 0;
    for (name, problem) in &problems {
        let begin = rigor_run::cpu::here();
        let found = solvers[0].solve(problem, &law, &vec![Vec3::zeros(); problem.len()], &goal);
        let seconds = rigor_run::cpu::here() - begin;
        n_solved += usize::from(found.outcome == Outcome::Solved);
        let n_contacts = problem.cones().iter().filter(|cone| cone.is_contact()).count();
        if n_contacts < problem.len() {
            notes +=
                &format!("{name}: the rows after those of {n_contacts} contacts hold both ways, as joints\n");
        }
        let numbers = [found.work.iterations, found.work.products, found.work.factorizations];
        let texts = [input::outcome(&found.outcome).to_owned(), significant(found.residual)];
        let row = [name.clone(), n_contacts.to_string()].into_iter().chain(texts);
        table.add_row(row.chain(numbers.map(|n| n.to_string())).chain([quantity(seconds, "s")]));
        if let Outcome::NoSolution { resistance, pull } = found.outcome {
            notes += &format!(
                "{name}: nothing resists some impulses ({} of their size) on which velocities of {} push: only impulses beyond {} could solve it\n",
                quantity(resistance, "1/kg"),
                quantity(-pull, "m/s"),
                quantity(-pull / resistance, "N s"),
            );
        }
        if problem.asymmetry() > 1e-12 {
            notes += &format!(
                "{name}: W − Wᵀ reaches {} of the largest |W|; solved with (W + Wᵀ)/2\n",
                significant(problem.asymmetry())
            );
        }
        documents.push(document(name, problem, &found, seconds));
    }
    if args.json {
        print_json(&documents)?;
    } else {
        print(&format!(
            "{table}\n{n_solved} of {} solved to {}\n{notes}",
            problems.len(),
            significant(tolerance)
        ))?;
    }
    Ok(if n_solved == problems.len() { Exit::Ok } else { Exit::Failed })
}

fn document(name: &str, problem: &rigor_nonsmooth::Problem, found: &Solution, seconds: f64) -> Value {
    let rows = |x: &[Vec3]| x.iter().map(|x| <[f64; 3]>::from(*x)).collect::<Vec<_>>();
    json!({
        "problem": name, "blocks": problem.len(), "asymmetry": problem.asymmetry(),
        "outcome": input::outcome(&found.outcome), "residual": found.residual,
        "iterations": found.work.iterations, "products": found.work.products,
        "factorizations": found.work.factorizations, "seconds": seconds,
        "gap": problem.gap(&found.r), "energy": problem.energy(&found.r),
        "r": rows(&found.r), "u": rows(&problem.velocities(&found.r)),
    })
}
