//! No method is ever late: a short run of each over every family. The long runs are told in `docs/performance.md`.

use rigor_ccd::linear::{additive, tight_inclusion};
use rigor_ccd::testing::{self, Family, Generate};
use rigor_ccd::{Ccd, Limits, LinearQuery, RigidQuery, separating_plane};

const SEED: u64 = 1;

fn assert_clean<Q: Generate>(n_per_family: u64, ccd: impl Ccd<Q> + Sync) {
    let report = testing::run(&ccd, &Family::ALL, n_per_family, SEED);
    assert!(report.is_clean(), "{report}");
    assert!(2 * report.total().hits > report.total().queries, "{report}");
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
