//! The earliest impact among many pairs of primitives.

use rayon::prelude::*;

use crate::{Answer, Ccd, Impact, InvalidQuery};

/// The earliest impact among many queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Earliest {
    /// Proven: no pair meets on [0, `t_safe`].
    pub t_safe: f64,
    /// The index and answer of the query that determines `t_safe`; `None` if all are free up to the horizon.
    pub first: Option<(usize, Impact)>,
}

/// An invalid query among many.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("query {index}: {source}")]
pub struct InvalidAmong {
    /// The index of the query.
    pub index: usize,
    /// The reason why it is invalid.
    pub source: InvalidQuery,
}

/// Queries per round; all queries of a round share one horizon. A constant, so that the result does not
/// depend on the number of threads.
const ROUND: usize = 512;

/// Returns the time up to which all `queries` are free, at most `horizon`.
///
/// Each answer shortens the search of later queries: they are asked only up to the earliest `t_safe` so far,
/// and most are then free at once. Put queries that are likely to impact early first.
///
/// Source: \[Ferguson2021\] §4.3, the shared earliest impact. Deviation: it is shared after every 512
/// queries, not after each.
///
/// ```
/// use rigor_ccd::{LinearMethod, LinearQuery, StraightMotion, earliest};
/// use rigor_math::Vec3;
/// // Points that fly at each other and meet after 1/2 and 1/4 of the step.
/// let query = |speed: f64| {
///     let a = StraightMotion::between(Vec3::zeros(), Vec3::x() * speed);
///     let b = StraightMotion::between(Vec3::x(), Vec3::x() * (1.0 - speed));
///     LinearQuery::point_point(a, b, 0.0)
/// };
/// let found = earliest(&[query(1.0), query(2.0)], &LinearMethod::default(), 1.0)?;
/// assert!(found.first.unwrap().0 == 1 && (found.t_safe - 0.25).abs() < 1e-9);
/// # Ok::<(), rigor_ccd::InvalidAmong>(())
/// ```
///
/// # Errors
/// The first invalid query asked, with its index.
pub fn earliest<Q: Sync>(
    queries: &[Q],
    method: &(impl Ccd<Q> + Sync),
    horizon: f64,
) -> Result<Earliest, InvalidAmong> {
    let mut earliest = Earliest { t_safe: horizon, first: None };
    for (round, queries) in queries.chunks(ROUND).enumerate() {
        let horizon = earliest.t_safe;
        let answers: Vec<Answer> =
            queries.par_iter().with_min_len(64).map(|query| method.impact(query, horizon)).collect();
        for (index, answer) in (round * ROUND..).zip(answers) {
            let answer = answer.map_err(|source| InvalidAmong { index, source })?;
            let is_first =
                !answer.is_free() && (earliest.first.is_none() || answer.t_safe(horizon) < earliest.t_safe);
            if is_first {
                earliest = Earliest { t_safe: answer.t_safe(horizon), first: Some((index, answer)) };
            }
        }
        if earliest.t_safe <= 0.0 {
            break;
        }
    }
    Ok(earliest)
}
