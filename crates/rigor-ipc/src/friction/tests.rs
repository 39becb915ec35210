use rigor_ccd::Kind;
use rigor_ccd::broad_phase::{Candidate, Shape};
use rigor_geometry::Mesh;
use rigor_math::Pose;

use super::*;
use crate::placement::Coordinates;

/// Returns friction of `strength` (kg m) between points at the centres of two bodies, in the plane of x and
/// y.
pub(crate) fn between_points(bodies: [u32; 2], strength: f64, eps: f64) -> FrictionContact {
    let point = Shape::new(Mesh::new(vec![Vec3::zeros()], vec![], vec![]).expect("a point"));
    let [body_a, body_b] = bodies;
    let candidate = Candidate { kind: Kind::PointPoint, body_a, body_b, index_a: 0, index_b: 0 };
    FrictionContact {
        at: PrimitivePair::new(&candidate, [&point, &point]).identity(),
        points_local: [Vec3::zeros(); 2],
        tangents: [Vec3::x(), Vec3::y()],
        start: Vec3::zeros(),
        strength,
        eps,
    }
}

/// Body 0 after this slip.
fn slipped(u: Vector2<f64>) -> [Placement; 2] {
    [Vec3::new(u.x, u.y, 0.0), Vec3::zeros()]
        .map(|x| Placement::new(&Pose::translation(x), Coordinates::Local))
}

/// The slips (m) tried, around the one at which friction changes from sticking to sliding, ε = 0.01 m.
const SLIPS: [f64; 8] = [1e-6, 1e-3, 5e-3, 9.9e-3, 0.01, 0.011, 0.03, 1.0];

/// D(u₀) + ∂D·(u − u₀) + ½ (u − u₀)·H(u − u₀) ≥ D(u) for all u, with its minimum at u = 0: the parabola
/// that touches D and is no steeper than it must be.
#[test]
fn the_majorizer_lies_above_the_energy_and_leads_to_where_friction_changes_sign() {
    let friction = between_points([0, 1], 3.0, 0.01);
    let along = |angle: f64| Vector2::new(angle.cos(), angle.sin());
    for from in SLIPS.map(|y| y * along(0.3)) {
        let Slip { gradient, stiffness } = friction.derivatives(&slipped(from), true);
        let energy = friction.energy(&slipped(from));
        for (y, k) in SLIPS.into_iter().flat_map(|y| (0..12).map(move |k| (y, k))) {
            let to = y * along(0.3 + f64::from(k) * std::f64::consts::FRAC_PI_6);
            let by = Vec3::new(to.x - from.x, to.y - from.y, 0.0);
            let bend: f64 = stiffness.iter().map(|(s, v)| s * v.dot(&by).powi(2)).sum();
            let (above, exact) = (energy + gradient.dot(&by) + 0.5 * bend, friction.energy(&slipped(to)));
            assert!(above >= exact * (1.0 - 1e-12), "from {from} to {to}: {above} J s², not {exact} J s²");
        }
        let newton: Vec3 = stiffness.iter().map(|(s, v)| -v * (v.dot(&gradient) / s)).sum();
        let end = Vec3::new(from.x, from.y, 0.0) + newton;
        assert!(end.norm() < 1e-12, "from {from}: {end}");
    }
}

/// The Hessian is that of the energy, which is flat along a slip beyond ε.
#[test]
fn the_hessian_is_that_of_the_energy() {
    let friction = between_points([0, 1], 3.0, 0.01);
    for y in [1e-3, 5e-3, 0.011, 0.03] {
        let energy = |by: Vector2<f64>| friction.energy(&slipped(Vector2::new(y, 0.0) + by));
        let [along, across] = friction.derivatives(&slipped(Vector2::new(y, 0.0)), false).stiffness;
        for ((given, v), by) in [(along, Vector2::x()), (across, Vector2::y())] {
            let h = 1e-5;
            let found = (energy(by * h) - 2.0 * energy(by * 0.0) + energy(by * -h)) / (h * h);
            assert!((found - given).abs() < 1e-4 * 3.0 / y, "{y}: {found} {given}");
            assert_eq!(v, Vec3::new(by.x, by.y, 0.0));
        }
    }
}
