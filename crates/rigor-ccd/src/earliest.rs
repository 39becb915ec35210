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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A pair that meets at a time, or is undecided from then on, or is invalid.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Pair {
        Meets(f64),
        Unclear(f64),
        Invalid,
    }

    fn answer(pair: &Pair, horizon: f64) -> Answer {
        match *pair {
            Pair::Meets(t) | Pair::Unclear(t) if t > horizon => Ok(Impact::Free),
            Pair::Meets(t) => Ok(Impact::At { t_safe: t, t_hit: t }),
            Pair::Unclear(t) => Ok(Impact::Undecided { t_safe: t, boxes: 1 }),
            Pair::Invalid => Err(InvalidQuery::Distance { d_min: -1.0 }),
        }
    }

    fn time(pair: &Pair) -> Option<f64> {
        match *pair {
            Pair::Meets(t) | Pair::Unclear(t) => Some(t),
            Pair::Invalid => None,
        }
    }

    /// Enough for three rounds, with many equal times.
    fn pairs() -> impl Strategy<Value = Vec<Pair>> {
        let time = || (0..40u32).prop_map(|k| f64::from(k) / 16.0);
        let pair = prop_oneof![time().prop_map(Pair::Meets), time().prop_map(Pair::Unclear)];
        // Usually late, so that the earliest is anywhere.
        (prop::collection::vec(pair, 0..1600), 0..40u32).prop_map(|(mut pairs, from)| {
            let from = f64::from(from) / 16.0;
            for pair in &mut pairs {
                match pair {
                    Pair::Meets(t) | Pair::Unclear(t) => *t += from,
                    Pair::Invalid => {}
                }
            }
            pairs
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What one loop over all pairs finds: the least time, of the first pair that has it.
        #[test]
        fn the_earliest_is_that_of_all_pairs(pairs in pairs(), horizon in prop::sample::select(vec![0.125, 0.5, 1.0])) {
            let earliest = earliest(&pairs, &answer, horizon).unwrap();
            let least = pairs.iter().filter_map(time).fold(f64::INFINITY, f64::min);
            prop_assert_eq!(earliest.t_safe, least.min(horizon));
            let first = pairs.iter().position(|pair| time(pair) == Some(least)).filter(|_| least <= horizon);
            prop_assert_eq!(earliest.first.map(|(index, _)| index), first);
            let told = first.map(|index| answer(&pairs[index], horizon).unwrap());
            prop_assert_eq!(earliest.first.map(|(_, impact)| impact), told);
        }

        /// No pair is asked beyond what is proven by the rounds before it, and each is asked once.
        #[test]
        fn every_pair_is_asked_up_to_the_earliest_of_the_rounds_before(pairs in pairs()) {
            let asked = std::sync::Mutex::new(Vec::new());
            let numbered: Vec<(usize, Pair)> = pairs.iter().copied().enumerate().collect();
            let ask = |(index, pair): &(usize, Pair), horizon: f64| {
                asked.lock().unwrap().push((*index, horizon));
                answer(pair, horizon)
            };
            earliest(&numbered, &ask, 1.0).unwrap();
            let mut asked = asked.into_inner().unwrap();
            asked.sort_by_key(|(index, _)| *index);
            for (place, (index, horizon)) in asked.iter().enumerate() {
                let before = &pairs[..index / ROUND * ROUND];
                let least = before.iter().filter_map(time).fold(1.0, f64::min);
                prop_assert_eq!((place, least), (*index, *horizon));
            }
            let least = pairs.iter().filter_map(time).fold(1.0, f64::min);
            prop_assert!(asked.len() == pairs.len() || least == 0.0);
        }

        #[test]
        fn the_first_invalid_pair_is_told(mut pairs in pairs(), places in prop::array::uniform2(0..1600usize)) {
            let n = pairs.len();
            prop_assume!(n > 0);
            // None at 0, after which no further round is asked.
            pairs.iter_mut().filter(|pair| time(pair) == Some(0.0)).for_each(|pair| *pair = Pair::Meets(0.5));
            let places = places.map(|place| place % n);
            places.iter().for_each(|place| pairs[*place] = Pair::Invalid);
            let index = places[0].min(places[1]);
            let source = InvalidQuery::Distance { d_min: -1.0 };
            prop_assert_eq!(earliest(&pairs, &answer, 1.0), Err(InvalidAmong { index, source }));
        }
    }
}
