//! Every check on queries of every family.
//!
//! [`run`](mod@super::run) asks for late answers within the whole step only. An implementation that ignores its horizon, depends on
//! the order of points or on the axes of the world, or answers NaN passes it.

use std::fmt;

use rayon::prelude::*;
use rigor_ccd::Ccd;

use super::check::{self, Checked};
use super::family::Family;
use super::fault::Fault;
use super::generate::{Generate, Generated};
use super::query::Query;

/// What is demanded beyond answers that are not late.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demands {
    /// An answer must be positive if the primitives start farther apart than d_min by this share of the largest distance of a
    /// point from the origin.
    pub margin: f64,
    /// How much t_safe may depend on the order of points, the axes of the world and the unit of length, in plain queries.
    pub slack: f64,
    /// Maximum number of boxes, pieces or steps of an answer that is undecided.
    pub max_boxes: usize,
}

impl Default for Demands {
    fn default() -> Self {
        Self { margin: 1e-3, slack: 1e-3, max_boxes: usize::MAX }
    }
}

/// A check of [`run_all`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Check {
    /// [`check::is_conservative`] with the horizon 1.
    Conservative,
    /// [`check::shrinks_with_horizon`].
    Horizon,
    /// [`check::is_positive_when_separated`].
    Progress,
    /// [`check::is_symmetric`], in plain families.
    Symmetry,
    /// [`check::is_invariant`], in plain families.
    Invariance,
    /// [`check::rejects_nonsense`].
    Nonsense,
    /// [`check::bounded_work`].
    BoundedWork,
}

/// Families in which the time of contact depends on the numbers of the query without cliffs.
const PLAIN: [Family; 2] = [Family::Transversal, Family::Far];

impl Check {
    /// All checks.
    pub const ALL: [Self; 7] = [
        Self::Conservative,
        Self::Horizon,
        Self::Progress,
        Self::Symmetry,
        Self::Invariance,
        Self::Nonsense,
        Self::BoundedWork,
    ];

    /// The name used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Horizon => "horizon",
            Self::Progress => "progress",
            Self::Symmetry => "symmetry",
            Self::Invariance => "invariance",
            Self::Nonsense => "nonsense",
            Self::BoundedWork => "bounded work",
        }
    }

    /// Whether the check applies to queries of this family.
    fn applies_to(self, family: Family) -> bool {
        match self {
            Self::Symmetry | Self::Invariance => PLAIN.contains(&family),
            Self::Conservative | Self::Horizon | Self::Progress | Self::Nonsense | Self::BoundedWork => true,
        }
    }

    fn of<Q: Generate>(self, ccd: &impl Ccd<Q>, case: &Generated<Q>, demands: &Demands) -> Checked<Q> {
        match self {
            Self::Conservative => check::is_conservative(ccd, case, 1.0),
            Self::Horizon => check::shrinks_with_horizon(ccd, case),
            Self::Progress => {
                check::is_positive_when_separated(ccd, case, demands.margin * case.query.bounds().reach)
            }
            Self::Symmetry => check::is_symmetric(ccd, case, demands.slack),
            Self::Invariance => check::is_invariant(ccd, case, demands.slack),
            Self::Nonsense => check::rejects_nonsense(ccd, case),
            Self::BoundedWork => check::bounded_work(ccd, case, demands.max_boxes),
        }
    }
}

/// The result of one check over all queries.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckRow<Q> {
    /// The check.
    pub check: Check,
    /// Number of queries.
    pub queries: u64,
    /// Number of queries with a fault.
    pub faults: u64,
    /// The first fault.
    pub first: Option<Fault<Q>>,
}

/// The results of all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct AllChecks<Q> {
    /// One row for each check, in the order of [`Check::ALL`].
    pub rows: Vec<CheckRow<Q>>,
}

impl<Q> AllChecks<Q> {
    /// Whether no check found a fault.
    pub fn is_clean(&self) -> bool {
        self.rows.iter().all(|row| row.faults == 0)
    }

    /// The row of a check.
    pub fn row(&self, check: Check) -> Option<&CheckRow<Q>> {
        self.rows.iter().find(|row| row.check == check)
    }
}

impl<Q: Query> fmt::Display for AllChecks<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14} {:>10} {:>10}", "check", "queries", "faults")?;
        for CheckRow { check, queries, faults, .. } in &self.rows {
            writeln!(f, "{:<14} {queries:>10} {faults:>10}", check.name())?;
        }
        for CheckRow { check, first, .. } in &self.rows {
            if let Some(fault) = first {
                writeln!(f, "\n{}: {fault}", check.name())?;
            }
        }
        Ok(())
    }
}

/// Runs every check on the queries 0 to `n_per_family` − 1 of each family.
///
/// The result does not depend on the number of threads.
///
/// ```
/// use rigor_ccd::{Ccd, LinearMethod, LinearQuery};
/// use rigor_ccd_test::run_all::{Check, Demands};
/// use rigor_ccd_test::{Family, run, run_all};
/// let method = LinearMethod::default();
/// let all = run_all(&method, &Family::ALL, 2, 1, &Demands::default());
/// assert!(all.is_clean(), "{all}");
/// // One that ignores its horizon is never late within the whole step.
/// let deaf = |query: &LinearQuery, _horizon: f64| method.impact(query, 1.0);
/// assert!(run(&deaf, &[Family::AtEnd], 16, 1).is_clean());
/// let all = run_all(&deaf, &[Family::AtEnd], 16, 1, &Demands::default());
/// assert!(all.row(Check::Horizon).unwrap().faults > 0);
/// ```
pub fn run_all<Q: Generate, C: Ccd<Q> + Sync>(
    ccd: &C,
    families: &[Family],
    n_per_family: u64,
    seed: u64,
    demands: &Demands,
) -> AllChecks<Q> {
    let rows = Check::ALL.into_iter().map(|check| {
        let asked: Vec<(Family, u64)> = families
            .iter()
            .filter(|family| check.applies_to(**family))
            .flat_map(|family| (0..n_per_family).map(move |index| (*family, index)))
            .collect();
        let fault = |&(family, index): &(Family, u64)| {
            check.of(ccd, &Q::generate(family, seed, index), demands).err().map(|fault| *fault)
        };
        let faults: Vec<Fault<Q>> =
            asked.par_iter().map(fault).collect::<Vec<_>>().into_iter().flatten().collect();
        CheckRow {
            check,
            queries: asked.len() as u64,
            faults: faults.len() as u64,
            first: faults.into_iter().next(),
        }
    });
    AllChecks { rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_ccd::{Answer, Impact, LinearMethod, LinearQuery, RigidMethod, RigidQuery};

    fn faulty(ccd: impl Fn(&LinearQuery, f64) -> Answer + Sync) -> Vec<Check> {
        let demands = Demands { max_boxes: 1_000_000, ..Demands::default() };
        let all = run_all(&ccd, &[Family::Transversal, Family::Far, Family::AtEnd], 12, 4, &demands);
        all.rows.iter().filter(|row| row.faults > 0).map(|row| row.check).collect()
    }

    fn honest(query: &LinearQuery, horizon: f64) -> Answer {
        LinearMethod::default().impact(query, horizon)
    }

    #[test]
    fn our_methods_pass() {
        assert_eq!(faulty(honest), []);
        let all = run_all(&RigidMethod::default(), &Family::ALL, 4, 2, &Demands::default());
        assert!(all.is_clean(), "{all}");
        let counts: Vec<u64> = all.rows.iter().map(|row: &CheckRow<RigidQuery>| row.queries).collect();
        assert_eq!(counts, [88, 88, 88, 8, 8, 88, 88]);
    }

    #[test]
    fn each_planted_fault_is_seen_by_its_check() {
        let shifted = |answer: Answer, by: f64| {
            answer.map(|impact| match impact {
                Impact::At { t_safe, .. } => Impact::At { t_safe: t_safe * by, t_hit: 1.0 },
                other => other,
            })
        };
        assert_eq!(faulty(|q, _| honest(q, 1.0)), [Check::Horizon]);
        assert!(faulty(|q, h| honest(&q.with_d_min(0.0), h)).contains(&Check::Nonsense));
        // It trusts the first axis more than the others.
        let lopsided = move |q: &LinearQuery, h: f64| {
            shifted(honest(q, h), if q.start[0].x.abs() > q.start[0].y.abs() { 1.0 } else { 0.5 })
        };
        assert!(faulty(lopsided).contains(&Check::Invariance));
        // It trusts small coordinates more than large ones.
        let absolute = move |q: &LinearQuery, h: f64| {
            shifted(honest(q, h), if q.start[0].norm() > 1.0 { 1.0 } else { 0.5 })
        };
        assert!(faulty(absolute).contains(&Check::Invariance));
        let ordered = move |q: &LinearQuery, h: f64| {
            shifted(honest(q, h), if q.start[0].x > q.start[1].x { 1.0 } else { 0.5 })
        };
        assert!(faulty(ordered).contains(&Check::Symmetry));
        let idle = |q: &LinearQuery, h: f64| honest(q, h).map(|_| Impact::At { t_safe: 0.0, t_hit: h });
        assert_eq!(faulty(idle), [Check::Progress]);
        let endless = |q: &LinearQuery, h: f64| {
            let boxes = if q.start[0].amax() > 1e100 { usize::MAX } else { 1 };
            honest(q, h).map(|answer| Impact::Undecided { t_safe: answer.t_safe(h) * 0.999, boxes })
        };
        assert_eq!(faulty(endless), [Check::BoundedWork]);
        let careless = |q: &LinearQuery, h: f64| honest(q, h).map(|_| Impact::Free);
        assert!(faulty(careless).contains(&Check::Conservative));
    }
}
