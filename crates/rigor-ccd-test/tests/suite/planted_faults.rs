//! The kit detects planted faults and accepts correct implementations.
//!
//! `advancement.rs` is a correct implementation, slow and short, to start your own from. Every fault is one
//! change to it or a classical mistake.

mod advancement;
mod cubic;
mod pieces;

use advancement::{CAREFUL, Settings, linear, rigid};
use rigor_ccd::{Answer, Ccd, Impact, InvalidQuery, LinearQuery, RigidQuery};
use rigor_ccd_test::{self, Family, FaultKind, Generate, Report, check, generate};
use rigor_math::Vec3;

/// Queries per family.
const N: u64 = 400;

fn report<Q: Generate>(ccd: &(impl Ccd<Q> + Sync)) -> Report<Q> {
    rigor_ccd_test::run(ccd, &Family::ALL, N, 5)
}

/// Asserts that the kit finds false negatives in each of `families`, and that every counterexample is late.
fn assert_caught<Q: Generate>(ccd: impl Ccd<Q> + Sync, families: &[Family]) {
    let report = report(&ccd);
    for family in families {
        let row = report.rows.iter().find(|row| row.family == *family).expect("it was asked");
        assert!(row.tally.false_negatives > 0, "{family} saw nothing\n{report}");
    }
    for counterexample in &report.counterexamples {
        let fault = &counterexample.simplest;
        assert!(matches!(fault.why, FaultKind::Late(_)), "{fault}");
        let witness = fault.why.witness().expect("it is late");
        assert!(
            witness.t <= ccd.impact(&fault.query, 1.0).expect("the query of a fault is valid").t_safe(1.0),
            "{fault}"
        );
        assert!(n_digits(&fault.query) <= n_digits(&counterexample.found.query));
    }
}

/// Total significant binary digits of all numbers.
fn n_digits<Q: Generate>(query: &Q) -> u32 {
    let digits = |x: f64| if x == 0.0 { 0 } else { 53 - x.to_bits().trailing_zeros().min(52) };
    query.numbers().into_iter().map(digits).sum()
}

#[test]
fn a_correct_implementation_passes() {
    let report = report(&|q: &LinearQuery, horizon: f64| linear(q, horizon, &CAREFUL));
    assert!(report.is_clean(), "{report}");
    assert!(report.total().lateness.reached_by_all_but(0.5) >= Some(0.95), "{report}");
    let report = self::report(&|q: &RigidQuery, horizon: f64| rigid(q, horizon, &CAREFUL));
    assert!(report.is_clean(), "{report}");
}

#[test]
fn a_correct_implementation_passes_every_check() {
    let ccd = |q: &LinearQuery, horizon: f64| linear(q, horizon, &CAREFUL);
    let ccd_rigid = |q: &RigidQuery, horizon: f64| rigid(q, horizon, &CAREFUL);
    for family in Family::ALL {
        for index in 0..8 {
            every_check(&ccd, &generate::linear(family, 2, index));
            every_check(&ccd_rigid, &generate::rigid(family, 2, index));
        }
    }
}

fn every_check<Q: Generate>(ccd: &impl Ccd<Q>, case: &rigor_ccd_test::Generated<Q>) {
    let show = |checked: check::Checked<Q>| checked.unwrap_or_else(|fault| panic!("{fault}"));
    show(check::is_conservative(ccd, case, 1.0));
    // The example gives up where squares overflow.
    if (1e-50..1e50).contains(&case.query.bounds().reach) {
        show(check::is_positive_when_separated(ccd, case, 1e-3 * case.query.bounds().reach));
    }
    show(check::shrinks_with_horizon(ccd, case));
    show(check::rejects_nonsense(ccd, case));
    show(check::bounded_work(ccd, case, CAREFUL.max_steps));
}

#[test]
fn a_correct_implementation_is_symmetric() {
    let ccd = |q: &LinearQuery, horizon: f64| linear(q, horizon, &CAREFUL);
    for index in 0..200 {
        let case = generate::linear(Family::Transversal, 4, index);
        check::is_symmetric(&ccd, &case, 1e-3).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

#[test]
fn a_cubic_solver_in_floating_point_is_caught() {
    let ccd = |q: &LinearQuery, horizon: f64| cubic::impact(q, horizon);
    assert_caught(ccd, &[Family::Coplanar, Family::Needle]);
}

#[test]
fn a_box_around_the_ends_of_a_turn_is_caught() {
    assert_caught(pieces::boxes_around_ends, &[Family::Spinning]);
}

#[test]
fn a_chord_bound_off_by_a_factor_is_caught() {
    let right = report(&|q: &RigidQuery, horizon: f64| pieces::chords(q, horizon, 64, 1.0));
    assert!(right.is_clean(), "{right}");
    assert_caught(|q: &RigidQuery, horizon: f64| pieces::chords(q, horizon, 64, 0.125), &[Family::Spinning]);
}

/// A bound on the acceleration that is too small by 3 % shows only where a tip dips by less than that.
#[test]
fn a_chord_bound_short_by_three_per_cent_is_caught() {
    let right = report(&|q: &RigidQuery, horizon: f64| pieces::chords(q, horizon, 1, 1.0));
    assert!(right.is_clean(), "{right}");
    assert_caught(|q: &RigidQuery, horizon: f64| pieces::chords(q, horizon, 1, 0.97), &[Family::Tip]);
}

#[test]
fn transforms_taken_as_exact_are_caught() {
    let exact = Settings { margin: 0.0, share: 1.0, ..CAREFUL };
    assert_caught(move |q: &RigidQuery, horizon: f64| rigid(q, horizon, &exact), &[Family::Transversal]);
    assert_caught(move |q: &LinearQuery, horizon: f64| linear(q, horizon, &exact), &[Family::Distant]);
}

#[test]
fn a_lost_minimum_distance_is_caught() {
    let lost = |q: &LinearQuery, horizon: f64| linear(&q.with_d_min(0.0), horizon, &CAREFUL);
    assert_caught(lost, &[Family::Separated, Family::Sliding, Family::Grazing]);
    let lost = |q: &RigidQuery, horizon: f64| rigid(&q.with_d_min(0.0), horizon, &CAREFUL);
    assert_caught(lost, &[Family::Separated, Family::Sliding, Family::Grazing]);
}

#[test]
fn an_exit_at_the_limit_that_says_free_is_caught() {
    let hasty = Settings { max_steps: 8, ..CAREFUL };
    let free = |answer: Answer| {
        if matches!(answer, Ok(Impact::Undecided { .. })) { Ok(Impact::Free) } else { answer }
    };
    assert_caught(
        move |q: &LinearQuery, horizon: f64| free(linear(q, horizon, &hasty)),
        &[Family::NearParallel],
    );
    assert_caught(move |q: &RigidQuery, horizon: f64| free(rigid(q, horizon, &hasty)), &[Family::Spinning]);
}

#[test]
fn the_time_of_impact_given_as_safe_is_caught() {
    let late = |q: &LinearQuery, horizon: f64| match linear(q, horizon, &CAREFUL) {
        Ok(Impact::At { t_safe, .. }) => {
            Ok(Impact::At { t_safe: (t_safe * 1.001 + 1e-6).min(horizon), t_hit: horizon })
        }
        answer => answer,
    };
    assert_caught(late, &[Family::Transversal, Family::AtEnd, Family::Scaled]);
}

#[test]
fn single_precision_is_caught() {
    let single = |q: &LinearQuery, horizon: f64| -> Answer {
        let round = |x: Vec3| x.map(|c| f64::from(c as f32));
        q.check()?;
        linear(&LinearQuery::new(q.kind, q.start.map(round), q.end.map(round), q.d_min), horizon, &CAREFUL)
    };
    assert_caught(single, &[Family::Distant]);
}

#[test]
fn motion_taken_as_straight_is_caught() {
    let straight = |q: &RigidQuery, horizon: f64| {
        let chord = LinearQuery::new(q.kind, q.points(0.0), q.points(1.0), q.d_min);
        linear(&chord, horizon, &CAREFUL)
    };
    assert_caught(straight, &[Family::Spinning, Family::Sliding]);
}

/// Every check other than `is_conservative` can fail, too, and that one reports malformed answers.
#[test]
fn checks_see_what_they_are_for() {
    let case = generate::linear(Family::Transversal, 1, 3);
    let far = generate::linear(Family::Far, 1, 3);
    let unchecked = |_: &LinearQuery, _: f64| Ok(Impact::At { t_safe: 0.0, t_hit: 0.0 });
    let why = |checked: check::Checked<LinearQuery>| checked.unwrap_err().why;
    assert_eq!(why(check::rejects_nonsense(&unchecked, &case)), FaultKind::Nonsense);
    assert_eq!(why(check::is_positive_when_separated(&unchecked, &far, 1e-3)), FaultKind::NoProgress);

    let curious = |q: &LinearQuery, horizon: f64| -> Answer {
        q.check()?;
        let t_hit = if q.start.iter().all(|x| x.x.is_finite()) { horizon } else { 0.5 * horizon };
        Ok(Impact::At { t_safe: 0.0, t_hit })
    };
    let points = generate::linear(Family::Transversal, 1, 0);
    assert_eq!(why(check::rejects_nonsense(&curious, &points)), FaultKind::Garbage);

    let endless = |_: &LinearQuery, _: f64| Ok(Impact::Undecided { t_safe: 0.0, boxes: 1_000_000 });
    assert_eq!(why(check::bounded_work(&endless, &case, 1000)), FaultKind::Unbounded);

    let first_point =
        |q: &LinearQuery, _: f64| Ok(Impact::At { t_safe: 0.01 * q.start[0].x.abs().min(1.0), t_hit: 1.0 });
    assert!(matches!(why(check::is_symmetric(&first_point, &case, 1e-9)), FaultKind::Asymmetric { .. }));

    let beyond = |_: &LinearQuery, _: f64| Ok(Impact::At { t_safe: 0.9, t_hit: 1.0 });
    assert_eq!(why(check::shrinks_with_horizon(&beyond, &far)), FaultKind::Malformed);
    let not_a_number = |_: &LinearQuery, _: f64| Ok(Impact::At { t_safe: f64::NAN, t_hit: 0.5 });
    assert_eq!(why(check::is_conservative(&not_a_number, &far, 1.0)), FaultKind::Malformed);
    let backwards = |_: &LinearQuery, _: f64| Ok(Impact::At { t_safe: 0.5, t_hit: 0.25 });
    assert_eq!(why(check::is_conservative(&backwards, &far, 1.0)), FaultKind::Malformed);
    let shy = |_: &LinearQuery, horizon: f64| Err::<Impact, _>(InvalidQuery::Distance { d_min: horizon });
    assert_eq!(why(check::is_conservative(&shy, &far, 1.0)), FaultKind::Refused);
    assert!(
        check::rejects_nonsense(&shy, &far).is_ok()
            && !rigor_ccd_test::run(&shy, &[Family::Far], 1, 1).is_clean()
    );
}
