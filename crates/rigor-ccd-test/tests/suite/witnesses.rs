//! Checks the kit's knowledge about its queries against the exact oracle.

use rigor_ccd::Truth;
use rigor_ccd::{Impact, LinearQuery, RigidQuery};
use rigor_ccd_test::{Family, Generate, Generated, Proof, Query, check, witness};

/// Percentage of a family's queries that are known to meet.
fn per_cent_known<Q: Generate>(family: Family) -> u64 {
    let n = 400;
    (0..n).filter(|&index| Q::generate(family, 3, index).witness.is_some()).count() as u64 * 100 / n
}

#[test]
fn most_queries_built_around_a_contact_are_known_to_meet() {
    for family in Family::ALL {
        let [linear, rigid] = [per_cent_known::<LinearQuery>(family), per_cent_known::<RigidQuery>(family)];
        let least = match family {
            Family::Far => {
                assert_eq!([linear, rigid], [0, 0]);
                continue;
            }
            // Fewer by design: gaps, tangential contact without a proof, or contact by the last digits.
            Family::TinyGap => [20, 0],
            Family::Sliding | Family::Grazing => [55, 45],
            Family::Growing => [35, 20],
            Family::Immediate => [40, 30],
            Family::Together => [55, 45],
            Family::Independent | Family::Largest => [55, 50],
            Family::Transversal
            | Family::Spinning
            | Family::NearParallel
            | Family::Coplanar
            | Family::Needle
            | Family::Scaled
            | Family::Separated
            | Family::AtStart
            | Family::AtEnd
            | Family::Fast
            | Family::Distant
            | Family::Tip
            | Family::ManyTurns => [70, 65],
        };
        assert!(linear >= least[0] && rigid >= least[1], "{family}: {linear} {rigid}");
    }
}

/// Asserts that the witness is possible: not before `lo`, and only for queries that meet.
fn assert_true<Q: Generate>(case: &Generated<Q>) {
    let Some(witness) = case.witness else { return };
    match case.query.truth() {
        Truth::First { lo, .. } => assert!(lo < witness.t || witness.t == 0.0, "{case:?}"),
        Truth::Free => panic!("{case:?}"),
        Truth::Hit => {}
        Truth::Unknown { lo } => assert!(lo <= witness.t, "{case:?}"),
    }
}

#[test]
fn witnesses_of_straight_ways_are_true() {
    for family in Family::ALL {
        for index in 0..60 {
            assert_true(&LinearQuery::generate(family, 11, index));
        }
    }
}

#[test]
fn witnesses_of_curved_ways_are_true() {
    for family in Family::ALL {
        for index in 0..8 {
            assert_true(&RigidQuery::generate(family, 11, index));
        }
    }
}

/// The search for witnesses of custom queries finds true ones, and finds those that the generator proved by a
/// crossing.
#[test]
fn searching_finds_what_was_planted() {
    for index in 0..40 {
        let known = LinearQuery::generate(Family::Transversal, 5, index);
        if known.witness.is_some_and(|w| w.proof == Proof::Crossing) {
            let found = witness::search(&known.query, 256).expect("they cross");
            assert!(found.proof == Proof::Crossing);
            assert_true(&Generated::of(known.query));
        }
    }
}

/// An answer just before the first impact is right and one just after it is late, even for a contact without
/// a witness or sample that shows it.
#[test]
fn the_oracle_decides_what_is_too_close_to_call() {
    let mut n_late = 0;
    for index in 0..200 {
        let mut case = LinearQuery::generate(Family::Sliding, 6, index);
        let Truth::First { lo, hi } = case.query.truth() else { continue };
        case.witness = None;
        let answer = |t_safe: f64| Ok(Impact::At { t_safe, t_hit: 1.0 });
        let judged = |t_safe| check::is_right(&case, 1.0, answer(t_safe), &check::Effort::THOROUGH);
        assert!(judged(lo).is_ok(), "{case:?}");
        n_late += usize::from(hi > 0.0 && judged(hi).is_err());
    }
    assert!(n_late > 50, "{n_late}");
}
