//! Runs one implementation on millions of queries.

use std::mem::discriminant;

use rayon::prelude::*;

use super::check::{self, Effort, OraclePolicy};
use super::family::Family;
use super::fault::{Fault, FaultKind};
use super::gap;
use super::generate::{Generate, Generated};
use super::report::{Counterexample, Report, Row, Tally};
use super::simpler;
use super::witness::Proof;
use rigor_ccd::{Ccd, Impact};

/// Queries per task; the counts of tasks are added in order.
const CHUNK: u64 = 512;

/// Number of faults that are kept and simplified; all are counted.
const KEPT: usize = 8;

/// A query and its faulty answer.
type Faulty<Q> = (Generated<Q>, Fault<Q>);

/// Asks `ccd` `n_per_family` queries of each family and judges every answer.
///
/// The result does not depend on the number of threads. Queries about which nothing is known in advance are
/// sampled, so false negatives may go unnoticed, but every one reported is proven.
pub fn run<Q: Generate, C: Ccd<Q> + Sync>(
    ccd: &C,
    families: &[Family],
    n_per_family: u64,
    seed: u64,
) -> Report<Q> {
    let mut report = Report { rows: Vec::new(), counterexamples: Vec::new(), seed };
    for &family in families {
        let ask = |chunk: u64| {
            let last = n_per_family.min((chunk + 1) * CHUNK);
            let mut seen = (Tally::default(), Vec::new());
            for index in chunk * CHUNK..last {
                ask(ccd, &Q::generate(family, seed, index), &mut seen);
            }
            seen
        };
        let seen: Vec<_> = (0..n_per_family.div_ceil(CHUNK)).into_par_iter().map(ask).collect();
        let mut tally = Tally::default();
        for (part, faults) in seen {
            tally.add(&part);
            let room = KEPT.saturating_sub(report.counterexamples.len());
            report.counterexamples.extend(faults.into_iter().take(room).map(|faulty| minimal(ccd, faulty)));
        }
        report.rows.push(Row { family, tally });
    }
    report
}

/// Asks one query.
fn ask<Q: Generate>(ccd: &impl Ccd<Q>, case: &Generated<Q>, (tally, faulty): &mut (Tally, Vec<Faulty<Q>>)) {
    let answer = ccd.impact(&case.query, 1.0);
    let bounds = case.query.bounds();
    let free_until = gap::free_until(&case.query, &bounds, Effort::QUICK.steps);
    // Once an implementation has shown a fault, skip the slow oracle.
    let oracle = if faulty.is_empty() { OraclePolicy::IfFree } else { OraclePolicy::Never };
    let verdict = check::judge(case, 1.0, answer, &Effort { oracle, ..Effort::QUICK }, || free_until);
    tally.queries += 1;
    tally.hits += u64::from(case.witness.is_some());
    tally.free += u64::from(free_until >= 1.0);
    tally.false_positives += u64::from(free_until >= 1.0 && matches!(answer, Ok(Impact::At { .. })));
    tally.undecided += u64::from(matches!(answer, Ok(Impact::Undecided { .. })));
    if let Err(fault) = verdict {
        match fault.why {
            FaultKind::Late(_) => tally.false_negatives += 1,
            _ => tally.malformed += 1,
        }
        if faulty.len() < KEPT {
            faulty.push((*case, *fault));
        }
    }
    // The first impact is known to within 1 %: note how much earlier the answer is.
    if let Some(witness) = case.witness.filter(|w| free_until >= 0.99 * w.t && w.t > 1e-6)
        && let Ok(answer) = answer
    {
        tally.lateness.note(answer.t_safe(1.0) / witness.t);
    }
}

/// Returns the simplest query found that shows the same fault.
fn minimal<Q: Generate>(ccd: &impl Ccd<Q>, (case, found): Faulty<Q>) -> Counterexample<Q> {
    let only_oracle_sees = found.why.witness().is_some_and(|witness| witness.proof == Proof::Oracle);
    let oracle = if only_oracle_sees { OraclePolicy::Always } else { OraclePolicy::Never };
    let effort = Effort { oracle, ..Effort::QUICK };
    let fault_of = |query: &Q| {
        let case = case.with_query(*query);
        let fault = check::is_right(&case, 1.0, ccd.impact(query, 1.0), &effort).err()?;
        (discriminant(&fault.why) == discriminant(&found.why)).then_some(*fault)
    };
    let simplest = simpler::simplest(case.query, |query| query.is_valid() && fault_of(query).is_some());
    Counterexample { found, simplest: fault_of(&simplest).unwrap_or(found) }
}
