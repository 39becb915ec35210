//! Interval enclosures of the points of two rigid bodies.

use rigor_interval::{IMat3, IRigidMotion, IVec3, Interval};

use crate::motion::RigidMotion;
use crate::{Kind, RigidQuery};

/// Enclosures of the points relative to the centre of B's body, which leaves their differences unchanged.
pub(crate) struct Enclosure {
    pub kind: Kind,
    motions: [IRigidMotion; 2],
    /// Q x̂, including its rounding error.
    points: [IVec3; 4],
}

impl Enclosure {
    pub fn new(query: &RigidQuery) -> Self {
        let bodies = [&query.motion_a, &query.motion_b];
        let orientations = bodies.map(|body| IMat3::from_quaternion(&body.orientation));
        let n_a = query.kind.sizes().0;
        let points =
            std::array::from_fn(|i| orientations[usize::from(i >= n_a)] * IVec3::from(query.points_local[i]));
        let [mut a, mut b] = bodies.map(curve);
        a.position_t0 = a.position_t0 - b.position_t0;
        a.position_rate = a.position_rate - b.position_rate;
        (b.position_t0, b.position_rate) = (IVec3::zeros(), IVec3::zeros());
        Self { kind: query.kind, motions: [a, b], points }
    }

    /// Returns {x(t)} of every point, with every operation of eq. (16) done on intervals; 0 for unused
    /// points.
    pub fn positions(&self, t: Interval) -> [IVec3; 4] {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let places = self.motions.map(|motion| (motion.rotation(t), motion.translation(t)));
        let position = |i: usize| {
            let (rotation, translation) = places[usize::from(i >= n_a)];
            rotation * self.points[i] + translation
        };
        std::array::from_fn(|i| if i < n { position(i) } else { IVec3::zeros() })
    }

    /// Returns a bound (m) on how far a point of A and one of B together deviate from their chords over [t₀,
    /// t₁]: the largest deviation in A plus the largest in B, rounded up.
    ///
    /// Source: \[Ferguson2021\] eq. (20) and algorithm 1.
    pub fn deviation(&self, t: Interval) -> f64 {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        // The maximum, propagating NaN.
        let greater = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
        let largest = |motion: &IRigidMotion, points: &[IVec3]| {
            points.iter().map(|x| motion.chord_deviation(t, *x)).fold(0.0, greater)
        };
        let [a, b] = &self.motions;
        (largest(a, &self.points[..n_a]) + largest(b, &self.points[n_a..n])).next_up()
    }
}

fn curve(body: &RigidMotion) -> IRigidMotion {
    IRigidMotion::new([body.position_t0, body.position_t1], [body.theta_t0, body.theta_t1])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::Vec3;

    use super::*;
    use crate::wide::Wide;

    proptest! {
        /// The sum of the largest deviations of both bodies, to the last bit.
        #[test]
        fn deviations_of_both_bodies_add_up(
            x in prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64)),
            thetas in prop::array::uniform4(prop::array::uniform3(-2.0..2.0f64)), t in 0.0..0.5f64, tau in 0.01..0.5f64,
        ) {
            let [a_0, a_1, b_0, b_1] = thetas.map(Vec3::from);
            let body = |theta| RigidMotion::between([Vec3::zeros(); 2], theta);
            let [a, b, c, d] = x.map(Vec3::from);
            let query = RigidQuery::edge_edge([body([a_0, a_1]), body([b_0, b_1])], [a, b], [c, d], 0.0);
            let enclosure = Enclosure::new(&query);
            let piece = Interval::new(t, t + tau);
            let of_point = |body: usize, i: usize| enclosure.motions[body].chord_deviation(piece, enclosure.points[i]);
            let sum = Wide::sum(of_point(0, 0).max(of_point(0, 1)), of_point(1, 2).max(of_point(1, 3)));
            let deviation = Wide::from(enclosure.deviation(piece));
            prop_assert!((deviation - sum).high >= 0.0);
            prop_assert!((deviation - sum).high <= 1e-15 * sum.high);
        }
    }
}
