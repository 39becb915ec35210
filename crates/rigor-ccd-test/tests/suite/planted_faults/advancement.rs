//! Conservative advancement with generous margins: nothing meets before the gap could close at maximum speed.

use rigor_ccd::{Answer, Impact, Kind, LinearQuery, RigidMotion, RigidQuery};
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_math::Vec3;

/// Parameters that an implementation may get wrong.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Distances are reduced by this factor times the largest coordinate.
    pub margin: f64,
    /// Fraction of the certainly free time that a step covers.
    pub share: f64,
    /// Maximum number of steps.
    pub max_steps: usize,
}

/// Rounding is below 10⁻¹² of the largest coordinate for motions of up to a hundred turns.
pub const CAREFUL: Settings = Settings { margin: 1e-12, share: 0.99, max_steps: 200 };

/// Two moving primitives.
struct Motion<'a> {
    kind: Kind,
    d_min: f64,
    points: &'a dyn Fn(f64) -> [Vec3; 4],
    speed: f64,
    reach: f64,
}

fn distance(kind: Kind, x: &[Vec3; 4]) -> f64 {
    let distance_sq = match kind {
        Kind::PointPoint => point_point::distance_sq(&x[0], &x[1]),
        Kind::PointEdge => point_edge::distance_sq(&x[0], &x[1], &x[2]),
        Kind::PointTriangle => point_triangle::distance_sq(&x[0], &x[1], &x[2], &x[3]),
        Kind::EdgeEdge => edge_edge::distance_sq(&x[0], &x[1], &x[2], &x[3]),
    };
    distance_sq.sqrt()
}

fn advance(motion: &Motion, horizon: f64, settings: &Settings) -> Impact {
    let mut t = 0.0;
    for _ in 0..settings.max_steps {
        let distance = distance(motion.kind, &(motion.points)(t));
        let room = distance - motion.d_min - settings.margin * motion.reach;
        // Fourth powers below 10⁻³⁰⁸ and above 10³⁰⁸ are unreliable, such as squares of normals.
        let is_sound = (1e-70..1e70).contains(&distance) && motion.reach < 1e70;
        if !(room > 0.0 && is_sound) {
            return Impact::At { t_safe: t, t_hit: t };
        }
        t += settings.share * room / motion.speed;
        if t >= horizon {
            return Impact::Free;
        }
    }
    Impact::Undecided { t_safe: t, boxes: settings.max_steps }
}

fn longest(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(Vec3::norm).fold(0.0, f64::max)
}

pub fn linear(query: &LinearQuery, horizon: f64, settings: &Settings) -> Answer {
    query.check()?;
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let ways: [Vec3; 4] = std::array::from_fn(|i| query.end[i] - query.start[i]);
    let reach = longest(&query.start[..n]).max(longest(&query.end[..n]));
    let speed = longest(&ways[..n_a]) + longest(&ways[n_a..n]) + 1e-15 * reach;
    let points = |t| query.points(t);
    let motion = Motion { kind: query.kind, d_min: query.d_min, points: &points, speed, reach };
    Ok(advance(&motion, horizon, settings))
}

pub fn rigid(query: &RigidQuery, horizon: f64, settings: &Settings) -> Answer {
    query.check()?;
    let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
    let [radius_a, radius_b] = [longest(&query.points_local[..n_a]), longest(&query.points_local[n_a..n])];
    let speed_of = |motion: &RigidMotion, radius: f64| {
        let turn = motion.theta_t1 - motion.theta_t0;
        (motion.position_t1 - motion.position_t0).norm() + radius * turn.norm()
    };
    let positions = [&query.motion_a, &query.motion_b].map(|m| [m.position_t0, m.position_t1]);
    let reach = longest(positions.as_flattened()) + radius_a + radius_b;
    let angles = [&query.motion_a, &query.motion_b].map(|m| [m.theta_t0, m.theta_t1]);
    let points = |t| query.points(t);
    let motion = Motion {
        kind: query.kind,
        d_min: query.d_min,
        points: &points,
        speed: speed_of(&query.motion_a, radius_a) + speed_of(&query.motion_b, radius_b) + 1e-15 * reach,
        // The error of a turned point grows with the angle.
        reach: reach * (1.0 + 1e-2 * longest(angles.as_flattened())),
    };
    Ok(advance(&motion, horizon, settings))
}
