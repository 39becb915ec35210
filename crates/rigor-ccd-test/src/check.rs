//! Checks of one implementation on one query.

use super::fault::{Fault, FaultKind};
use super::gap;
use super::generate::{Generated, Label};
use super::query::Query;
use super::witness::{Proof, Witness};
use rigor_ccd::{Answer, Ccd, Impact, Truth};

/// Result of a check.
pub type Checked<Q> = Result<(), Box<Fault<Q>>>;

/// Effort that a check spends on finding a false negative where no witness is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Steps of conservative advancement, which finds the time up to which no search is needed.
    pub steps: usize,
    /// Number of times sampled from there to `t_safe`.
    pub samples: usize,
    /// Policy for the exact oracle on samples that are too close to call.
    pub oracle: OraclePolicy,
}

/// Policy for the exact oracle. A call takes about 1 ms, and 100 ms for grazing curved motions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OraclePolicy {
    /// Never.
    Never,
    /// If the answer is [`Impact::Free`].
    IfFree,
    /// Always.
    Always,
}

impl Effort {
    /// For millions of queries: a few microseconds each.
    pub const QUICK: Self = Self { steps: 24, samples: 8, oracle: OraclePolicy::IfFree };
    /// For thousands of queries.
    pub const THOROUGH: Self = Self { steps: 64, samples: 256, oracle: OraclePolicy::Always };
}

/// Whether the answer to `case` is well-formed and not late according to its witness and to samples.
///
/// Everything reported is proven: by the witness, by a sample whose distance is below d_min by more than all
/// rounding, or by the exact oracle.
///
/// # Errors
/// [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn is_conservative<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>, horizon: f64) -> Checked<Q> {
    let answer = ccd.impact(&case.query, horizon);
    is_right(case, horizon, answer, &Effort::THOROUGH)
}

/// Same as [`is_conservative`], for an existing answer.
///
/// # Errors
/// [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn is_right<Q: Query>(case: &Generated<Q>, horizon: f64, answer: Answer, effort: &Effort) -> Checked<Q> {
    let free_until = || gap::free_until(&case.query, &case.query.bounds(), effort.steps);
    judge(case, horizon, answer, effort, free_until)
}

/// Same as [`is_right`], with `free_until` computed only when it is needed.
pub(super) fn judge<Q: Query>(
    case: &Generated<Q>,
    horizon: f64,
    answer: Answer,
    effort: &Effort,
    free_until: impl FnOnce() -> f64,
) -> Checked<Q> {
    let answer = accepted(case, horizon, answer)?;
    let fault = |why| Err(Fault::new(case, horizon, Ok(answer), why));
    if !is_well_formed(&answer, horizon) {
        return fault(FaultKind::Malformed);
    }
    let t_safe = answer.t_safe(horizon);
    if !proves_something(&answer, t_safe) {
        return Ok(());
    }
    if let Some(witness) = case.witness.filter(|w| w.t <= t_safe) {
        return fault(FaultKind::Late(witness));
    }
    match meeting(&case.query, free_until(), t_safe, effort, answer.is_free()) {
        Some(witness) => fault(FaultKind::Late(witness)),
        None => Ok(()),
    }
}

/// Returns the answer to a valid query, which must not be an error.
fn accepted<Q: Query>(case: &Generated<Q>, horizon: f64, answer: Answer) -> Result<Impact, Box<Fault<Q>>> {
    answer.map_err(|_| Fault::new(case, horizon, answer, FaultKind::Refused))
}

/// A `t_safe` of 0 claims nothing, not even that they are apart at the start.
fn proves_something(answer: &Impact, t_safe: f64) -> bool {
    answer.is_free() || t_safe > 0.0
}

fn is_well_formed(answer: &Impact, horizon: f64) -> bool {
    let is_time = (0.0..=horizon).contains(&answer.t_safe(horizon));
    match *answer {
        Impact::At { t_safe, t_hit } => is_time && t_hit >= t_safe && t_hit.is_finite(),
        _ => is_time,
    }
}

/// Returns a proof that they meet in (`from`, `t_safe`] if the samples lead to one.
fn meeting<Q: Query>(query: &Q, from: f64, t_safe: f64, effort: &Effort, is_free: bool) -> Option<Witness> {
    if from >= t_safe {
        return None;
    }
    let bounds = query.bounds();
    let mut is_close = false;
    for i in 1..=effort.samples {
        let t = from + (t_safe - from) * (i as f64 / effort.samples as f64);
        let gap = gap::at(query, &bounds, t.min(t_safe));
        if gap.upper <= query.d_min() {
            return Some(Witness { t: t.min(t_safe), proof: Proof::Within });
        }
        is_close |= gap.lower <= query.d_min();
    }
    let asks = effort.oracle == OraclePolicy::Always || (effort.oracle == OraclePolicy::IfFree && is_free);
    if is_close && asks { oracle(query).filter(|witness| witness.t <= t_safe) } else { None }
}

/// Returns what the exact oracle knows, as a witness.
pub(super) fn oracle<Q: Query>(query: &Q) -> Option<Witness> {
    let t = match query.truth() {
        Truth::First { hi, .. } => hi,
        Truth::Hit => 1.0,
        Truth::Free | Truth::Unknown { .. } => return None,
    };
    Some(Witness { t, proof: Proof::Oracle })
}

/// Whether the answer agrees with the truth.
///
/// # Errors
/// [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn agrees<Q: Query>(ccd: &impl Ccd<Q>, query: &Q, truth: &Truth) -> Checked<Q> {
    let witness = match *truth {
        Truth::First { hi, .. } => Some(hi),
        Truth::Hit => Some(1.0),
        Truth::Free | Truth::Unknown { .. } => None,
    };
    let witness = witness.map(|t| Witness { t, proof: Proof::Oracle });
    let case = Generated { query: *query, witness, hint: None, label: Label::Own };
    judge(
        &case,
        1.0,
        ccd.impact(query, 1.0),
        &Effort { steps: 0, samples: 0, oracle: OraclePolicy::Never },
        || 1.0,
    )
}

/// Whether `t_safe` is positive if the primitives start farther apart than d_min + `margin` (m). The margin
/// must exceed the distance that the implementation treats as touching.
///
/// # Errors
/// [`FaultKind::NoProgress`] and [`FaultKind::Refused`].
pub fn is_positive_when_separated<Q: Query>(
    ccd: &impl Ccd<Q>,
    case: &Generated<Q>,
    margin: f64,
) -> Checked<Q> {
    let query = &case.query;
    if gap::at(query, &query.bounds(), 0.0).lower <= query.d_min() + margin {
        return Ok(());
    }
    let answer = accepted(case, 1.0, ccd.impact(query, 1.0))?;
    if answer.t_safe(1.0) > 0.0 {
        Ok(())
    } else {
        Err(Fault::new(case, 1.0, Ok(answer), FaultKind::NoProgress))
    }
}

/// Whether the answers for horizons of ¾, ½, ¼ and 2·10⁻⁶ are not late and claim nothing beyond the horizon.
///
/// # Errors
/// [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn shrinks_with_horizon<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>) -> Checked<Q> {
    [0.75, 0.5, 0.25, 2e-6].into_iter().try_for_each(|horizon| is_conservative(ccd, case, horizon))
}

/// Whether exchanging two points, two edges or the points of each primitive changes `t_safe` by at most
/// `slack` and keeps the answers conservative.
///
/// # Errors
/// [`FaultKind::Asymmetric`], [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn is_symmetric<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>, slack: f64) -> Checked<Q> {
    let answer = accepted(case, 1.0, ccd.impact(&case.query, 1.0))?;
    for query in [Some(case.query.reversed()), case.query.swapped()].into_iter().flatten() {
        let other = Generated { query, ..*case };
        let other_answer = accepted(&other, 1.0, ccd.impact(&query, 1.0))?;
        is_right(&other, 1.0, Ok(other_answer), &Effort::QUICK)?;
        let other = other_answer.t_safe(1.0);
        if (answer.t_safe(1.0) - other).abs() > slack {
            return Err(Fault::new(case, 1.0, Ok(answer), FaultKind::Asymmetric { other }));
        }
    }
    Ok(())
}

/// Whether an exchange of the axes and another unit of length change `t_safe` by at most `slack` and keep the answers
/// conservative.
///
/// The axes are exchanged in turn, x to y to z to x, and lengths are multiplied by 2¹⁰ and 2⁻¹⁰: both are exact, so that the time
/// of contact is the same real number.
///
/// # Errors
/// [`FaultKind::Variant`], [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn is_invariant<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>, slack: f64) -> Checked<Q> {
    let answer = accepted(case, 1.0, ccd.impact(&case.query, 1.0))?;
    let cycled = case.query.cycled();
    for query in [cycled, cycled.cycled(), case.query.scaled(1024.0), case.query.scaled(1.0 / 1024.0)] {
        let other = Generated { query, ..*case };
        let other_answer = accepted(&other, 1.0, ccd.impact(&query, 1.0))?;
        is_right(&other, 1.0, Ok(other_answer), &Effort::QUICK)?;
        let found = other_answer.t_safe(1.0);
        if (answer.t_safe(1.0) - found).abs() > slack {
            let why = FaultKind::Variant { before: answer.t_safe(1.0) };
            return Err(Fault::new(&other, 1.0, Ok(other_answer), why));
        }
    }
    Ok(())
}

/// Whether a single number that is not finite, a negative d_min, and an orientation that is not a unit quaternion are answered
/// with an [`InvalidQuery`](rigor_ccd::InvalidQuery), and points that the kind of `case` does not use are ignored.
///
/// # Errors
/// [`FaultKind::Nonsense`] and [`FaultKind::Garbage`].
pub fn rejects_nonsense<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>) -> Checked<Q> {
    for query in nonsense(&case.query).chain(case.query.disoriented()) {
        let answer = ccd.impact(&query, 1.0);
        if answer.is_ok() {
            return Err(Fault::new(&Generated { query, ..*case }, 1.0, answer, FaultKind::Nonsense));
        }
    }
    let query = case.query.with_garbage();
    let answer = ccd.impact(&query, 1.0);
    if answer == ccd.impact(&case.query, 1.0) {
        Ok(())
    } else {
        Err(Fault::new(&Generated { query, ..*case }, 1.0, answer, FaultKind::Garbage))
    }
}

/// Returns copies of `query` with one number replaced by an invalid one, for each number.
fn nonsense<Q: Query>(query: &Q) -> impl Iterator<Item = Q> {
    let numbers = query.numbers();
    let last = numbers.len() - 1;
    let replaced = (0..=last).flat_map(|i| [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|x| (i, x)));
    replaced.chain([(last, -1.0), (last, -f64::MIN_POSITIVE)]).map(move |(i, x)| {
        let mut numbers = numbers.clone();
        numbers[i] = x;
        query.with_numbers(&numbers)
    })
}

/// Whether the implementation answers the most hostile variations of `case`, with well-formed answers that
/// report at most `max_boxes`.
///
/// An implementation that never returns shows as a test that never ends.
///
/// # Errors
/// [`FaultKind::Unbounded`], [`FaultKind::Refused`], [`FaultKind::Malformed`] and [`FaultKind::Late`].
pub fn bounded_work<Q: Query>(ccd: &impl Ccd<Q>, case: &Generated<Q>, max_boxes: usize) -> Checked<Q> {
    for query in hostile(&case.query) {
        let answer = ccd.impact(&query, 1.0);
        let case = Generated { query, witness: None, hint: None, label: case.label };
        if matches!(answer, Ok(Impact::Undecided { boxes, .. }) if boxes > max_boxes) {
            return Err(Fault::new(&case, 1.0, answer, FaultKind::Unbounded));
        }
        is_right(&case, 1.0, answer, &Effort { oracle: OraclePolicy::Never, ..Effort::QUICK })?;
    }
    Ok(())
}

/// Returns variations: everything at one point, huge or tiny, some numbers 0, or a single huge or tiny
/// number.
fn hostile<Q: Query>(query: &Q) -> impl Iterator<Item = Q> {
    let numbers = query.numbers();
    let n = numbers.len();
    let scales = [0.0, 1e-300, 1e-150, 1e-30, 1e30, 1e100, 1e150, 1e300];
    let scaled: Vec<Q> = scales.map(|s| each(query, |_, x| x * s)).to_vec();
    let zeros = [2, 3, 5].map(|every| each(query, move |i, x| if i % every == 0 { 0.0 } else { x }));
    let single = (0..n).flat_map(move |i| [1e16, f64::MAX, 5e-324].map(|x| (i, x)));
    let query = *query;
    let single = single.map(move |(i, large)| each(&query, |j, x| if i == j { large } else { x }));
    scaled.into_iter().chain(zeros).chain(single).filter(Q::is_valid)
}

fn each<Q: Query>(query: &Q, f: impl Fn(usize, f64) -> f64) -> Q {
    let numbers: Vec<f64> = query.numbers().into_iter().enumerate().map(|(i, x)| f(i, x)).collect();
    query.with_numbers(&numbers)
}
