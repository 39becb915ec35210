//! Enclosures of the placement of a body.

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3};
use rigor_scene::{Travel, Turn};

use super::interval::{Interval, Matrix, Vector, dot, minus, norm, plus, points, product, transposed_times};

/// An enclosure of x̂ ↦ R x̂ + q, with a rotation R or the matrix A of an affine body in its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement {
    pub position: Vector,
    pub rotation: Matrix,
}

impl Placement {
    /// The placement of a stored pose: its quaternion stands for the rotation of q/‖q‖.
    pub fn of(pose: &Pose) -> Self {
        Self { position: points(&pose.position), rotation: of_quaternion(&pose.rotation) }
    }

    /// The placement of a body with the strain E at a stored pose: R (1 + E).
    pub fn strained(pose: &Pose, strain: &Mat3) -> Self {
        let mut stretch = entries(strain);
        (0..3).for_each(|k| stretch[k][k] = stretch[k][k] + Interval::ONE);
        Self { position: points(&pose.position), rotation: product(&of_quaternion(&pose.rotation), &stretch) }
    }

    /// The placement at time `t` of `travel`.
    pub fn during(travel: &Travel, t: f64) -> Self {
        let along = |v: &Vec3| points(v).map(|x| x * Interval::point(t));
        let rotation = match &travel.turn {
            Turn::About(turn) => product(&exp(&along(turn)), &of_quaternion(&travel.from.rotation)),
            Turn::Straight { theta, by } => exp(&plus(&points(theta), &along(by))),
            Turn::Affine { from, by } => {
                let (from, by, t) = (entries(from), entries(by), Interval::point(t));
                std::array::from_fn(|i| std::array::from_fn(|k| from[i][k] + t * by[i][k]))
            }
        };
        Self { position: plus(&points(&travel.from.position), &along(&travel.by)), rotation }
    }

    /// Rᵀ n.
    pub fn direction_local(&self, n: &Vector) -> Vector {
        transposed_times(&self.rotation, n)
    }

    /// Returns an upper bound on the distance (m) between the places of any point within `radius` (m) of the
    /// centre of mass under the two placements.
    ///
    /// ‖R − R′‖ is at most the square root of the sum of the squares of its entries.
    pub fn difference(&self, other: &Self, radius: f64) -> f64 {
        let rows: Vector = std::array::from_fn(|k| norm(&minus(&self.rotation[k], &other.rotation[k])));
        let moved = norm(&minus(&self.position, &other.position));
        (moved + norm(&rows) * Interval::point(radius)).hi
    }
}

/// The point intervals of the entries.
fn entries(matrix: &Mat3) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|k| Interval::point(matrix[(i, k)])))
}

/// The rotation of q/‖q‖: 1 + 2 (w \[v\] + \[v\]²)/‖q‖².
fn of_quaternion(q: &UnitQuaternion) -> Matrix {
    let [w, x, y, z] = [q.w, q.i, q.j, q.k].map(Interval::point);
    let two = Interval::point(2.0).over(w.sq() + x.sq() + y.sq() + z.sq());
    let off = |a: Interval, b: Interval| two * (a + b);
    let diagonal = |a: Interval, b: Interval| Interval::ONE - two * (a.sq() + b.sq());
    [
        [diagonal(y, z), off(x * y, -(w * z)), off(x * z, w * y)],
        [off(x * y, w * z), diagonal(x, z), off(y * z, -(w * x))],
        [off(x * z, -(w * y)), off(y * z, w * x), diagonal(x, y)],
    ]
}

/// exp(\[θ\]) = cos x · 1 + sin x \[u\] + (1 − cos x) u uᵀ for θ = x u, ‖u‖ = 1.
///
/// θ is first divided by its largest component, so that nothing underflows. If θ may be zero, so that u is
/// undefined, the bound ‖exp(\[θ\]) − 1‖ ≤ ‖θ‖ is used.
fn exp(theta: &Vector) -> Matrix {
    let one: Matrix =
        std::array::from_fn(|i| std::array::from_fn(|k| if i == k { Interval::ONE } else { Interval::ZERO }));
    let size = theta.iter().map(|x| x.mag()).fold(0.0, f64::max);
    if size == 0.0 {
        return one;
    }
    let scaled = theta.map(|x| x.over(Interval::point(size)));
    let length = norm(&scaled);
    if length.lo < 0.5 || length.lo.is_nan() {
        let off = Interval::symmetric(norm(theta).hi);
        return one.map(|row| row.map(|x| x + off));
    }
    let u = scaled.map(|x| x.over(length));
    let x = length * Interval::point(size);
    let (sin, cos) = x.sine_and_cosine();
    // 1 − cos x = 2 sin² x/2 avoids cancellation.
    let versine = Interval::point(2.0) * (x * Interval::point(0.5)).sine_and_cosine().0.sq();
    let [a, b, c] = u.map(|component| component * sin);
    let skew = [[Interval::ZERO, -c, b], [c, Interval::ZERO, -a], [-b, a, Interval::ZERO]];
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let diagonal = if i == k { cos } else { Interval::ZERO };
            diagonal + skew[i][k] + versine * u[i] * u[k]
        })
    })
}

/// n · (p − q) for two positions.
pub(crate) fn along(n: &Vector, p: &Vector, q: &Vector) -> Interval {
    dot(n, &minus(p, q))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::rotation_vector;
    use rigor_scene::BodyId;

    use super::super::interval::times;
    use super::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    /// Rotations by any angle, including tiny ones.
    fn turn() -> impl Strategy<Value = Vec3> {
        (vector(1.0), 0..60i32).prop_map(|(v, e)| v * 6.0 * 0.25f64.powi(e))
    }

    /// Returns whether the enclosure contains `point`, up to a few hundred ε, and is about as narrow.
    fn encloses(placement: &Placement, x_local: &Vec3, point: &Vec3) -> bool {
        let slack = 512.0 * f64::EPSILON * (1.0 + point.norm() + x_local.norm());
        let enclosed = plus(&times(&placement.rotation, &points(x_local)), &placement.position);
        (0..3).all(|k| {
            enclosed[k].lo - slack <= point[k]
                && point[k] <= enclosed[k].hi + slack
                && enclosed[k].hi - enclosed[k].lo <= slack
        })
    }

    proptest! {
        #[test]
        fn placements_hold_the_moving_point(
            q in vector(5.0), theta in turn(), by in vector(3.0), delta in turn(), x in vector(2.0), t in 0.0..=1.0f64,
        ) {
            let from = Pose::from_rotation_vector(q, &theta);
            prop_assert!(encloses(&Placement::of(&from), &x, &from.point(&x)));
            let about = Travel { body: BodyId(0), from, by, turn: Turn::About(delta), to: from };
            let there = Pose::new(q + by * t, rotation_vector::exp(&(delta * t)) * from.rotation);
            prop_assert!(encloses(&Placement::during(&about, t), &x, &there.point(&x)));
            let straight = Travel { turn: Turn::Straight { theta, by: delta }, ..about };
            let there = Pose::from_rotation_vector(q + by * t, &(theta + delta * t));
            prop_assert!(encloses(&Placement::during(&straight, t), &x, &there.point(&x)));
        }

        #[test]
        fn a_difference_bounds_how_far_points_lie_apart(
            q in vector(5.0), theta in turn(), by in vector(1e-3), delta in turn(), x in vector(2.0),
        ) {
            let a = Pose::from_rotation_vector(q, &theta);
            let b = Pose::from_rotation_vector(q + by, &(theta + delta));
            let bound = Placement::of(&a).difference(&Placement::of(&b), x.norm());
            prop_assert!((a.point(&x) - b.point(&x)).norm() <= bound + 1e-14);
        }
    }

    proptest! {
        #[test]
        fn affine_placements_hold_the_moving_point(
            q in vector(5.0), a in prop::array::uniform9(-1.5..1.5f64), d in prop::array::uniform9(-1.0..1.0f64), by in vector(3.0),
            theta in turn(), x in vector(2.0), t in 0.0..=1.0f64,
        ) {
            let from = Pose::from_rotation_vector(q, &theta);
            let [a, d] = [a, d].map(Mat3::from_iterator);
            let travel = Travel { body: BodyId(0), from, by, turn: Turn::Affine { from: a, by: d }, to: from };
            prop_assert!(encloses(&Placement::during(&travel, t), &x, &((a + d * t) * x + q + by * t)));
            let strain = (a + a.transpose()) * 0.5;
            let strained = Placement::strained(&from, &strain);
            prop_assert!(encloses(&strained, &x, &from.point(&(x + strain * x))));
        }
    }

    #[test]
    fn a_straight_way_may_lead_through_no_rotation_at_all() {
        let theta = Vec3::new(0.1, 0.3, -0.7);
        let turn = Turn::Straight { theta, by: -3.0 * theta };
        let travel =
            Travel { body: BodyId(0), from: Pose::identity(), by: Vec3::zeros(), turn, to: Pose::identity() };
        let placement = Placement::during(&travel, 1.0 / 3.0);
        assert!(encloses(&placement, &Vec3::new(1.0, 2.0, 3.0), &Vec3::new(1.0, 2.0, 3.0)));
    }
}
