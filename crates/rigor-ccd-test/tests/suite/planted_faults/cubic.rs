//! The classical test for straight motions: finds the roots of a cubic at which four points are coplanar,
//! then tests whether the primitives meet there. Every operation is rounded, and rounding is not accounted
//! for.

use rigor_ccd::{Answer, Impact, Kind, LinearQuery};
use rigor_math::Vec3;

use super::advancement::{CAREFUL, linear};

/// Uses the cubic only where it decides; everything else is searched correctly.
pub fn impact(query: &LinearQuery, horizon: f64) -> Answer {
    let is_cubic = matches!(query.kind, Kind::PointTriangle | Kind::EdgeEdge) && query.d_min == 0.0;
    if !query.is_valid() || !is_cubic {
        return linear(query, horizon, &CAREFUL);
    }
    Ok(match roots(query).into_iter().find(|&t| t <= horizon && meet(query.kind, &query.points(t))) {
        Some(t) => Impact::At { t_safe: 0.99 * t, t_hit: t },
        None => Impact::Free,
    })
}

fn volume(x: &[Vec3; 4]) -> f64 {
    (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&(x[3] - x[0]))
}

/// Returns the times in [0, 1] at which the volume changes sign, bracketed by the extrema of the cubic
/// through four of its values.
fn roots(query: &LinearQuery) -> Vec<f64> {
    let at = |t: f64| volume(&query.points(t));
    let [f0, f1, f2, f3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(at);
    // Newton's divided differences.
    let (d1, d2, d3) = (f1 - f0, f2 - 2.0 * f1 + f0, f3 - 3.0 * f2 + 3.0 * f1 - f0);
    let (a, b, c) = (13.5 * d3, 9.0 * (d2 - d3), 3.0 * (d1 - 0.5 * d2 + d3 / 3.0));
    let discriminant = b * b - 4.0 * a * c;
    let mut times = vec![0.0, 1.0];
    if discriminant >= 0.0 {
        let q = -0.5 * (b + discriminant.sqrt().copysign(b));
        times.extend([q / a, c / q].into_iter().filter(|t| *t > 0.0 && *t < 1.0));
    }
    times.sort_by(f64::total_cmp);
    times.windows(2).filter_map(|pair| bisect(&at, pair[0], pair[1])).collect()
}

fn bisect(f: &impl Fn(f64) -> f64, mut lo: f64, mut hi: f64) -> Option<f64> {
    let sign = f(lo).signum();
    if f(lo) == 0.0 || f(lo) * f(hi) > 0.0 {
        return (f(lo) == 0.0 && lo > 0.0).then_some(lo);
    }
    for _ in 0..60 {
        let middle = 0.5 * (lo + hi);
        if f(middle).signum() == sign { lo = middle } else { hi = middle }
    }
    Some(hi)
}

/// Whether the point projects into the triangle, or the nearest points of the lines lie on the edges.
fn meet(kind: Kind, x: &[Vec3; 4]) -> bool {
    if kind == Kind::EdgeEdge {
        let (u, v, w) = (x[1] - x[0], x[3] - x[2], x[2] - x[0]);
        let normal = u.cross(&v);
        let (s, t) = (w.cross(&v).dot(&normal), w.cross(&u).dot(&normal));
        let all = 0.0..=normal.norm_squared();
        return all.contains(&s) && all.contains(&t);
    }
    let normal = (x[2] - x[1]).cross(&(x[3] - x[1]));
    [(1, 2), (2, 3), (3, 1)].iter().all(|&(i, j)| (x[j] - x[i]).cross(&(x[0] - x[i])).dot(&normal) >= 0.0)
}
