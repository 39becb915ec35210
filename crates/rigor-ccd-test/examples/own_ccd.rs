//! Tests your own continuous collision detection: `cargo run -p rigor-ccd-test --example own_ccd`.
#![allow(clippy::print_stdout)]

use rigor_ccd::{Answer, Impact, LinearQuery};
use rigor_ccd_test::{Family, run};

/// The simplest correct method: primitives whose swept boxes are farther apart than d_min never meet.
fn swept_boxes(query: &LinearQuery, horizon: f64) -> Answer {
    query.check()?;
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let sweep = |axis: usize, points: std::ops::Range<usize>| {
        let places = points.flat_map(|i| [query.start[i][axis], query.end[i][axis]]);
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
    };
    let is_apart = |axis: usize| {
        let ((lo_a, hi_a), (lo_b, hi_b)) = (sweep(axis, 0..n_a), sweep(axis, n_a..n));
        // Differences are rounded; the next number below is at most the exact one.
        (lo_a - hi_b).max(lo_b - hi_a).next_down() > query.d_min
    };
    let is_free = (0..3).any(is_apart);
    Ok(if is_free { Impact::Free } else { Impact::At { t_safe: 0.0, t_hit: horizon } })
}

/// The same, except that it forgets the minimum distance.
fn forgetful(query: &LinearQuery, horizon: f64) -> Answer {
    swept_boxes(&query.with_d_min(0.0), horizon)
}

fn main() {
    println!("A correct implementation:\n{}", run(&swept_boxes, &Family::ALL, 1000, 1));
    println!("One that forgets d_min:\n{}", run(&forgetful, &[Family::Separated, Family::Grazing], 1000, 1));
}
