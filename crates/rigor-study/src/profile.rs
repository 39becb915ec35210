//! Performance profiles \[Dolan2002\]: which part of all problems a method solves within τ times the least cost.

use rigor_report::Drawing;
use rigor_report::chart::{Chart, Curve, CurvePoint};
use toml::Value;

use crate::aggregate::{known, once_each};
use crate::bisect::{Answer, Condition};
use crate::error::PlanError;
use crate::plan::{Plan, ProfileRequest};
use crate::point;
use crate::quantity::Quantity;
use crate::results::{Cells, Column};
use crate::row::Row;
use crate::task::Task;

/// The profile of one solver: a method with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The method, with the values of those keys that belong to it.
    pub solver: String,
    /// r = cost/least cost of each problem that it solves, in ascending order.
    pub ratios: Vec<f64>,
    /// Number of problems.
    pub n_problems: usize,
}

impl Profile {
    /// The profiles of solvers with the costs of those of `n_problems` problems that each solves: (problem, cost).
    pub fn of(solvers: Vec<(String, Vec<(usize, f64)>)>, n_problems: usize) -> Vec<Self> {
        let mut least = vec![f64::INFINITY; n_problems];
        for (problem, cost) in solvers.iter().flat_map(|(_, solved)| solved) {
            least[*problem] = least[*problem].min(*cost);
        }
        let profile = |(solver, solved): (String, Vec<(usize, f64)>)| {
            let mut ratios: Vec<f64> =
                solved.into_iter().map(|(problem, cost)| cost / least[problem]).collect();
            ratios.sort_by(f64::total_cmp);
            Self { solver, ratios, n_problems }
        };
        solvers.into_iter().map(profile).collect()
    }

    /// ρ(τ): the part of all problems with r ≤ τ.
    ///
    /// ```
    /// use rigor_study::profile::Profile;
    /// let profile = Profile { solver: "xpbd".into(), ratios: vec![1.0, 1.0, 3.0], n_problems: 4 };
    /// assert_eq!([1.0, 2.9, 3.0, 1e9].map(|tau| profile.part(tau)), [0.5, 0.5, 0.75, 0.75]);
    /// ```
    pub fn part(&self, tau: f64) -> f64 {
        self.ratios.partition_point(|r| *r <= tau) as f64 / self.n_problems as f64
    }
}

/// Checks the requests of a plan.
///
/// # Errors
/// A quantity or a key that does not exist, or a condition that is none.
pub fn check(plan: &Plan, tasks: &[Task]) -> Result<(), PlanError> {
    for request in &plan.profile {
        let known = known(tasks);
        crate::reference::check(plan, &Quantity::read(&request.cost, &known)?)?;
        if let Some(text) = &request.when {
            crate::reference::check(plan, Condition::read(text, &known)?.quantity())?;
        }
        if let Some(key) = request.solver_keys.iter().find(|key| !known.contains(&key.as_str())) {
            let suggestion = rigor_file::closest(key, known.iter().copied()).map(str::to_owned);
            return Err(PlanError::Quantity { name: key.clone(), suggestion });
        }
    }
    Ok(())
}

/// Returns the profiles of a request, in the order of the rows.
///
/// A problem is a scene with the values of all keys but settings of methods (`set.…`, `method.…`) and `solver_keys`, which tell solvers
/// apart. A run that did not end, lacks the cost or misses the condition does not solve its problem. A problem that no solver
/// solves counts.
pub fn profiles(plan: &Plan, request: &ProfileRequest, rows: &[Row]) -> Vec<Profile> {
    let tasks: Vec<Task> = rows.iter().map(|row| row.task.clone()).collect();
    let known = known(&tasks);
    let Ok(cost) = Quantity::read(&request.cost, &known) else { return Vec::new() };
    let condition = request.when.as_ref().and_then(|text| Condition::read(text, &known).ok());
    let asked: Vec<&str> = request.solver_keys.iter().map(String::as_str).collect();
    let linked = plan.linked(&asked);
    let is_of_solver = |key: &str| {
        key.starts_with("set.") || key.starts_with("method.") || linked.iter().any(|one| one == key)
    };
    let part = |row: &Row, of_solver: bool| -> Vec<(String, Value)> {
        row.task.point.iter().filter(|(key, _)| is_of_solver(key) == of_solver).cloned().collect()
    };
    let mut problems: Vec<(&str, Vec<(String, Value)>)> = Vec::new();
    let mut solvers: Vec<(String, Vec<(usize, f64)>)> = Vec::new();
    for (row, value) in once_each(rows, &cost) {
        let problem = (row.scene.as_str(), part(row, false));
        let place = problems.iter().position(|other| *other == problem).unwrap_or_else(|| {
            problems.push(problem);
            problems.len() - 1
        });
        let words = [row.task.label.clone(), point::words(&part(row, true), &[])];
        let name = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ");
        let solver = solvers.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            solvers.push((name, Vec::new()));
            solvers.len() - 1
        });
        let holds = condition.as_ref().is_none_or(|one| one.answer(row) == Answer::Holds(true));
        if let Some(value) = value.filter(|value| holds && value.is_finite() && *value > 0.0) {
            solvers[solver].1.push((place, value));
        }
    }
    Profile::of(solvers, problems.len())
}

/// Returns a chart per request.
pub fn drawings(plan: &Plan, rows: &[Row]) -> Vec<Drawing> {
    plan.profile.iter().filter_map(|request| chart(request, &profiles(plan, request, rows))).collect()
}

fn chart(request: &ProfileRequest, profiles: &[Profile]) -> Option<Drawing> {
    let condition = request.when.as_ref().map_or(String::new(), |text| format!(", where {text}"));
    drawing(profiles, &words(&request.cost), &condition)
}

/// Returns the plot of profiles of the `cost`; the `condition` ends its title.
pub fn drawing(profiles: &[Profile], cost: &str, condition: &str) -> Option<Drawing> {
    let n_problems = profiles.first()?.n_problems;
    let last = profiles.iter().filter_map(|one| one.ratios.last()).copied().fold(2.0, f64::max);
    let curve = |(colour, one): (usize, &Profile)| {
        let dot = |x: f64, y: f64| CurvePoint { x, y, ..CurvePoint::default() };
        let mut dots = vec![dot(1.0, one.part(1.0))];
        for r in one.ratios.iter().filter(|r| **r > 1.0) {
            if dots.last().is_some_and(|before| one.part(*r) > before.y) {
                dots.push(dot(*r, one.part(*r)));
            }
        }
        dots.push(dot(last, one.part(last)));
        Curve { label: one.solver.clone(), colour, dots, is_step: true }
    };
    Drawing::of_chart(Chart {
        title: format!(
            "Part of {n_problems} problems solved within a multiple of the least {cost}{condition}"
        ),
        x: format!("{cost} over the least of all"),
        y: "part of problems".into(),
        is_linear: [false, true],
        curves: profiles.iter().enumerate().map(curve).collect(),
    })
}

/// A quantity in words.
fn words(name: &str) -> String {
    Quantity::read(name, &[name]).map_or_else(|_| name.to_owned(), |quantity| quantity.words())
}

/// A problem that a solver solves.
struct Solved<'a> {
    request: &'a ProfileRequest,
    solver: String,
    ratio: f64,
    part: f64,
    n_problems: usize,
}

/// Returns all profiles of a plan as columns: a row per request, solver and problem that it solves.
pub fn columns(plan: &Plan, rows: &[Row]) -> Vec<Column> {
    let mut all: Vec<Solved<'_>> = Vec::new();
    for request in &plan.profile {
        for one in profiles(plan, request, rows) {
            let (n_problems, solver) = (one.n_problems, &one.solver);
            let solved = |&ratio: &f64| {
                let part = one.part(ratio);
                Solved { request, solver: solver.clone(), ratio, part, n_problems }
            };
            all.extend(one.ratios.iter().map(solved));
        }
    }
    let numbers = |name: &str, of: &dyn Fn(&Solved<'_>) -> f64| Column {
        name: name.to_owned(),
        cells: Cells::Numbers(all.iter().map(|one| Some(of(one))).collect()),
    };
    vec![
        Column::text("cost", all.iter().map(|one| one.request.cost.clone())),
        Column::text("when", all.iter().map(|one| one.request.when.clone().unwrap_or_default())),
        Column::text("solver", all.iter().map(|one| one.solver.clone())),
        numbers("ratio", &|one| one.ratio),
        numbers("part", &|one| one.part),
        numbers("problems", &|one| one.n_problems as f64),
    ]
}
