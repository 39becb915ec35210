//! Problems, solvers and laws named on the command line.

use std::path::{Path, PathBuf};

use rigor_file::closest;
use rigor_nonsmooth::solver::{self, Outcome, Solver};
use rigor_nonsmooth::{Law, Problem, file};

use super::CliError;

/// Problems with the names of their files, without ending.
pub type Problems = Vec<(String, Problem)>;

/// Reads all files, and all `.npz` files in folders, in the order of their names.
pub fn read(paths: &[PathBuf]) -> Result<Problems, CliError> {
    let mut problems = Problems::new();
    for path in paths {
        let files = if path.is_dir() { in_folder(path)? } else { vec![path.clone()] };
        for path in files {
            let problem = read_one(&path)?;
            let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let n = problems.iter().filter(|(name, _)| *name == stem).count();
            problems.push((if n == 0 { stem } else { format!("{stem} ({})", path.display()) }, problem));
        }
    }
    if problems.is_empty() {
        return Err(CliError::new(format!("there is no .npz file in {}", shown(paths))));
    }
    Ok(problems)
}

/// Largest file that is read (bytes).
const MAX_BYTES: u64 = 4 << 30;

fn shown(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn read_one(path: &Path) -> Result<Problem, CliError> {
    let failed = |what: &dyn std::fmt::Display| CliError::new(format!("{}: {what}", path.display()));
    // A pipe would be waited for.
    let meta = std::fs::metadata(path).map_err(|error| failed(&error))?;
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return Err(failed(&"it is a folder, a pipe, or larger than 4 GiB: give a .npz file"));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    file::read(&bytes).map_err(|error| failed(&error))
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |error: std::io::Error| CliError::new(format!("{}: {error}", folder.display()));
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).map_err(failed)?.collect();
    let paths = entries.map_err(failed)?.into_iter().map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "npz")).collect();
    found.sort();
    Ok(found)
}

/// The law of this name: `coulomb`, `convex`, `pyramid-8`, `regularised-1e-3`.
pub fn law(name: &str) -> Result<Law, CliError> {
    let number = |start: &str| name.strip_prefix(start).map(str::parse::<f64>);
    match name {
        "coulomb" => return Ok(Law::Coulomb),
        "convex" => return Ok(Law::Convex),
        _ => (),
    }
    if let Some(Ok(faces)) = number("pyramid-")
        && (3.0..=1000.0).contains(&faces)
        && faces.fract() == 0.0
    {
        return Ok(Law::Pyramid { faces: faces as u32 });
    }
    if let Some(Ok(compliance)) = number("regularised-")
        && compliance > 0.0
        && compliance.is_finite()
    {
        return Ok(Law::Regularised { compliance });
    }
    let known = "laws are coulomb, convex, pyramid-N with 3 to 1000 corners, and regularised-R with a compliance R > 0 (1/kg)";
    Err(CliError::new(format!("there is no law {name:?}")).with_help(known))
}

/// The solvers of these names, or all that know the law.
pub fn solvers(names: &[String], law: &Law) -> Result<Vec<Box<dyn Solver>>, CliError> {
    let all = || solver::all().into_iter().filter(|solver| solver.knows(law));
    let known: Vec<String> = all().map(|solver| solver.name().to_owned()).collect();
    if names.is_empty() {
        return Ok(all().collect());
    }
    let find = |name: &String| {
        all().find(|solver| solver.name() == name).ok_or_else(|| {
            let listed = format!("solvers of the law {} are {}", law.name(), known.join(", "));
            let help = closest(name, known.iter().map(String::as_str))
                .map_or(listed, |meant| format!("did you mean {meant:?}?"));
            let is_there = solver::all().iter().any(|solver| solver.name() == name);
            let what = if is_there { "does not know the law" } else { "does not exist" };
            CliError::new(format!("the solver {name:?} {what}")).with_help(help)
        })
    };
    names.iter().map(find).collect()
}

/// How a solver ended, in words.
pub fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Solved => "solved",
        Outcome::Spent => "out of iterations or time",
        Outcome::Stalled => "stalled",
        Outcome::NoSolution { .. } => "no solution",
    }
}

/// Refuses a time that is not positive.
pub fn seconds(seconds: f64) -> Result<f64, CliError> {
    if seconds > 0.0 {
        Ok(seconds)
    } else {
        Err(CliError::new(format!("--seconds is {seconds}: it must be positive")))
    }
}

/// Refuses names or numbers given twice.
pub fn once<T: PartialEq + std::fmt::Debug>(what: &str, all: &[T]) -> Result<(), CliError> {
    let twice = all.iter().enumerate().find(|(i, one)| all[..*i].contains(one));
    twice.map_or(Ok(()), |(_, one)| Err(CliError::new(format!("{what} has {one:?} twice"))))
}

/// Refuses a tolerance that is no positive number.
pub fn tolerance(tolerance: f64) -> Result<f64, CliError> {
    if tolerance > 0.0 && tolerance.is_finite() {
        Ok(tolerance)
    } else {
        Err(CliError::new(format!("the tolerance {tolerance} is none: it must be a positive number")))
    }
}
