//! Curved motions as boxes, and as chords with a bound on their deviation.

use rigor_ccd::{Answer, Impact, LinearQuery, RigidMotion, RigidQuery};
use rigor_math::Vec3;

use super::advancement::{CAREFUL, linear};

/// Boxes around the first and last positions, ignoring everything between.
pub fn boxes_around_ends(query: &RigidQuery, horizon: f64) -> Answer {
    let n_a = query.kind.sizes().0;
    let ends = [query.points(0.0), query.points(horizon)];
    let bounds = |points: std::ops::Range<usize>, axis: usize| {
        let places = ends.iter().flat_map(|x| x[points.clone()].iter().map(move |p| p[axis]));
        places.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), x| (lo.min(x), hi.max(x)))
    };
    let is_apart = |axis| {
        let (a, b) = (bounds(0..n_a, axis), bounds(n_a..query.kind.n_points(), axis));
        a.0 - b.1 > query.d_min || b.0 - a.1 > query.d_min
    };
    let is_free = (0..3).any(is_apart);
    Ok(if is_free { Impact::Free } else { Impact::At { t_safe: 0.0, t_hit: horizon } })
}

/// The deviation of a point at `radius` from the chord of its trajectory during `dt`: ‖ẍ‖ dt²/8, ‖ẍ‖ ≤ ‖θ̇‖²
/// r.
fn bulge(motion: &RigidMotion, radius: f64, dt: f64) -> f64 {
    (motion.theta_t1 - motion.theta_t0).norm_squared() * radius * dt * dt / 8.0
}

/// `n` straight pieces whose separation is enlarged by `factor` times the correct bound.
pub fn chords(query: &RigidQuery, horizon: f64, n: u32, factor: f64) -> Answer {
    query.check()?;
    let n_a = query.kind.sizes().0;
    let radius = |points: &[Vec3]| points.iter().map(Vec3::norm).fold(0.0, f64::max);
    let local = &query.points_local[..query.kind.n_points()];
    let dt = horizon / f64::from(n);
    let bulges =
        bulge(&query.motion_a, radius(&local[..n_a]), dt) + bulge(&query.motion_b, radius(&local[n_a..]), dt);
    for piece in 0..n {
        let t = horizon * f64::from(piece) / f64::from(n);
        let (start, end) = (query.points(t), query.points(t + dt));
        // Rounding of the points, like that in `advancement.rs`.
        let d_min = query.d_min + factor * bulges;
        let rounding = 1e-13 * start.iter().chain(&end).map(Vec3::norm).fold(0.0, f64::max);
        let d_min = d_min + rounding;
        if !d_min.is_finite() {
            return Ok(Impact::At { t_safe: 0.0, t_hit: horizon });
        }
        let chord = LinearQuery::new(query.kind, start, end, d_min);
        let answer = linear(&chord, 1.0, &CAREFUL)?;
        if !answer.is_free() {
            let t_safe = (t + answer.t_safe(1.0) * dt) * (1.0 - 1e-12);
            return Ok(Impact::At { t_safe, t_hit: horizon });
        }
    }
    Ok(Impact::Free)
}
