//! No method is ever late: a short run of each over every family. `docs/performance.md` has the results of
//! long runs.

use rigor_ccd::baseline::{redon, snyder};
use rigor_ccd::curved::{ChordBound, piecewise_linear};
use rigor_ccd::linear::{additive, tight_inclusion};
use rigor_ccd::{BoxSide, Ccd, Length, Limits, LinearQuery, RigidQuery, separating_plane};
use rigor_ccd_test::{self, Family, Generate, check};

const SEED: u64 = 1;

fn assert_clean<Q: Generate>(n_per_family: u64, ccd: impl Ccd<Q> + Sync) {
    let report = rigor_ccd_test::run(&ccd, &Family::ALL, n_per_family, SEED);
    assert!(report.is_clean(), "{report}");
    assert!(2 * report.total().hits > report.total().queries, "{report}");
}

/// Sizes (m) beyond which a method need not make progress, because squares overflow or its tolerance is a length.
const MODERATE: std::ops::Range<f64> = 1e-9..1e50;

/// Any size.
const ALL: std::ops::Range<f64> = 0.0..f64::INFINITY;

/// Invalid input is rejected, hostile input answered, horizons respected, and progress made from every start
/// that is clearly apart and has a size within `sizes`.
fn assert_robust<Q: Generate>(
    n_per_family: u64,
    max_boxes: usize,
    sizes: &std::ops::Range<f64>,
    ccd: impl Ccd<Q>,
) {
    let show = |checked: check::Checked<Q>| checked.unwrap_or_else(|fault| panic!("{fault}"));
    for family in Family::ALL {
        for index in 0..n_per_family {
            let case = Q::generate(family, SEED, index);
            show(check::rejects_nonsense(&ccd, &case));
            show(check::bounded_work(&ccd, &case, max_boxes));
            show(check::shrinks_with_horizon(&ccd, &case));
            let reach = case.query.bounds().reach;
            if sizes.contains(&reach) {
                show(check::is_positive_when_separated(&ccd, &case, 1e-5 * reach));
            }
        }
    }
}

#[test]
fn separating_planes_are_never_late_on_straight_ways() {
    assert_clean(4000, |q: &LinearQuery, horizon: f64| {
        separating_plane::linear(q, horizon, &separating_plane::LIMITS)
    });
}

#[test]
fn separating_planes_are_never_late_on_curved_ways() {
    assert_clean(1000, |q: &RigidQuery, horizon: f64| {
        separating_plane::rigid(q, horizon, &separating_plane::LIMITS)
    });
}

#[test]
fn tight_inclusion_is_never_late() {
    let limits = Limits { max_boxes: 2000, ..tight_inclusion::LIMITS };
    assert_clean(1000, |q: &LinearQuery, horizon: f64| tight_inclusion::impact(q, horizon, &limits));
}

#[test]
fn additive_advancement_is_never_late() {
    assert_clean(2000, |q: &LinearQuery, horizon: f64| additive::impact(q, horizon, &additive::LIMITS));
}

#[test]
fn straight_pieces_are_never_late() {
    let limits = Limits { tolerance: Length(1e-4), max_boxes: 100 };
    assert_clean(60, |q: &RigidQuery, horizon: f64| {
        piecewise_linear::impact(q, horizon, &limits, ChordBound::ClosedForm)
    });
    assert_clean(16, |q: &RigidQuery, horizon: f64| {
        piecewise_linear::impact(q, horizon, &limits, ChordBound::Interval)
    });
}

#[test]
fn the_multivariate_baseline_is_never_late() {
    let limits = Limits { max_boxes: 200, ..snyder::LIMITS };
    assert_clean(100, |q: &RigidQuery, horizon: f64| snyder::impact(q, horizon, &limits));
}

/// The univariate baseline skips pieces without parameters; the kit detects it.
#[test]
fn the_univariate_baseline_is_late_for_parallel_edges() {
    // Coarse, so that it terminates even if every time is a root.
    let limits = Limits { tolerance: BoxSide(1e-2), max_boxes: 1000 };
    let ccd = |q: &RigidQuery, horizon: f64| redon::impact(q, horizon, &limits);
    let report = rigor_ccd_test::run(&ccd, &[Family::NearParallel], 200, SEED);
    assert!(report.total().false_negatives > 0, "{report}");
}

#[test]
fn separating_planes_withstand_hostile_straight_ways() {
    let limits = separating_plane::LIMITS;
    assert_robust(8, limits.max_boxes, &ALL, |q: &LinearQuery, h: f64| {
        separating_plane::linear(q, h, &limits)
    });
}

#[test]
fn separating_planes_withstand_hostile_curved_ways() {
    let limits = separating_plane::LIMITS;
    assert_robust(4, limits.max_boxes, &ALL, |q: &RigidQuery, h: f64| separating_plane::rigid(q, h, &limits));
}

#[test]
fn tight_inclusion_withstands_hostile_ways() {
    let limits = Limits { tolerance: Length(1e-9), max_boxes: 500 };
    assert_robust(4, limits.max_boxes, &MODERATE, |q: &LinearQuery, h: f64| {
        tight_inclusion::impact(q, h, &limits)
    });
}

#[test]
fn additive_advancement_withstands_hostile_ways() {
    let limits = additive::LIMITS;
    assert_robust(4, limits.max_boxes, &MODERATE, |q: &LinearQuery, h: f64| additive::impact(q, h, &limits));
}
