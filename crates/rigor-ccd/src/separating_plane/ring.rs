//! Planes beside everything that a body passes in its turns, for bodies that make many of them.
//!
//! A body of many turns sweeps rings about its axis, or shells about its centre, again and again. As long as a plane separates
//! those, how far it has turned does not matter, and time passes as fast as the centres move
//! (`docs/methods/ccd.md`, theorem 9).

use rigor_math::Vec3;

use super::{Gaps, LEFT, direction};

use crate::relative::{Place, Relative, Rigid, U};

/// Which bodies are replaced by their rings.
const RINGED: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

/// Angle (rad) of the whole step from which turns are skipped.
const MANY: f64 = 8.0;

/// Returns a time up to which a plane between rings provably separates the primitives, if it is at least a radian of the faster
/// body beyond `t`.
pub(super) fn end(motion: &Rigid, d_min: f64, t: f64, place: &Place, horizon: f64) -> Option<f64> {
    let [rate_a, rate_b] = motion.rates();
    let rate = rate_a.max(rate_b);
    if rate < MANY {
        return None;
    }
    let floor = (d_min + motion.error()) * (1.0 + 16.0 * U);
    let between = place.between();
    let [axis_a, axis_b] = [0, 1].map(|body| motion.axis(body));
    let towards = |axis: Option<Vec3>| axis.map(|axis| if axis.dot(&between) < 0.0 { -axis } else { axis });
    let nearest = direction(motion.kind(), motion.points(place));
    let normals = [between.try_normalize(0.0), towards(axis_a), towards(axis_b), nearest];
    let ends = normals.into_iter().flatten().flat_map(|normal| {
        RINGED.map(|ringed| Rings { motion, normal, ringed, floor }.end(t, place, horizon))
    });
    let end = ends.fold(t, f64::max);
    (end >= horizon || (end - t) * rate >= 1.0).then_some(end)
}

/// A plane beside one body or two that are replaced by their rings.
struct Rings<'a> {
    motion: &'a Rigid,
    normal: Vec3,
    ringed: [bool; 2],
    floor: f64,
}

impl Rings<'_> {
    /// Returns a time up to which the plane provably separates the primitives, or `t`.
    fn end(&self, t: f64, place: &Place, horizon: f64) -> f64 {
        let turns_fast = (0..2).all(|body| !self.ringed[body] || self.motion.rates()[body] >= MANY);
        let gaps = self.gaps(place);
        let margin = gaps.smallest() - self.floor;
        let is_apart = turns_fast && margin > 0.0;
        if !is_apart {
            return t;
        }
        let acceleration = self.acceleration();
        let tau = gaps.time_down_to(self.floor + LEFT * margin, &self.rates(place), acceleration);
        let tries = (0..8).map(|halvings| t + tau.min(horizon - t) / f64::from(1 << halvings));
        let is_free = |next: &f64| {
            let ends = self.gaps(&self.motion.at(*next));
            gaps.least_on_chord(&ends, acceleration, *next - t) > self.floor
        };
        tries.map(|next| next.min(horizon)).take_while(|next| *next > t).find(is_free).unwrap_or(t)
    }

    /// The sum for the bodies that are not replaced; centres do not accelerate.
    fn acceleration(&self) -> f64 {
        let own = self.motion.accelerations();
        (0..2).filter(|body| !self.ringed[*body]).map(|body| own[body]).sum()
    }

    /// Returns lower bounds of the gaps, by the rings of bodies that are replaced and by the points of others.
    fn gaps(&self, place: &Place) -> Gaps {
        let n = &self.normal;
        let between = n.dot(&place.between());
        let rings = [between + self.motion.least_turned(0, n), -self.motion.least_turned(1, &-n)];
        self.pairs(self.motion.points(place), rings)
    }

    /// Returns the rates of those bounds.
    fn rates(&self, place: &Place) -> Gaps {
        let rings = [self.normal.dot(&self.motion.displacement()), 0.0];
        self.pairs(&self.motion.velocities(place), rings)
    }

    /// Returns a − b for every a of A and b of B, which are n·x for the vectors of a body, or the value of its ring.
    fn pairs(&self, vectors: &[Vec3; 4], rings: [f64; 2]) -> Gaps {
        let (n_a, n) = (self.motion.kind().sizes().0, self.motion.kind().n_points());
        let of_body = |body: usize, own: std::ops::Range<usize>| {
            let n_own = if self.ringed[body] { 1 } else { own.len() };
            let value = |k: usize| {
                if self.ringed[body] { rings[body] } else { self.normal.dot(&vectors[own.start + k]) }
            };
            (n_own, std::array::from_fn::<f64, 3, _>(|k| if k < n_own { value(k) } else { 0.0 }))
        };
        let ((n_a, a), (n_b, b)) = (of_body(0, 0..n_a), of_body(1, n_a..n));
        let mut values = [f64::INFINITY; 4];
        for i in 0..n_a {
            for j in 0..n_b {
                values[i * n_b + j] = a[i] - b[j];
            }
        }
        Gaps { values, n: n_a * n_b }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::UnitQuaternion;

    use super::*;
    use crate::{RigidMotion, RigidQuery};

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    proptest! {
        /// A body of many turns passes one of few: the plane ends before the first of 200 times at which the ring is d_min away.
        #[test]
        fn a_plane_ends_before_the_ring_is_near(
            x in prop::array::uniform4(vector(1.0)), place in vector(3.0), way in vector(3.0), turn in vector(7.0),
            is_fast_a in prop::bool::ANY, is_fixed in prop::bool::ANY, t in 0.0..0.8f64, n in vector(1.0),
        ) {
            let theta_t0 = if is_fixed { Vec3::zeros() } else { Vec3::x() };
            let about = |theta_t0: Vec3, delta: Vec3| RigidMotion {
                theta_t0, theta_t1: theta_t0 + delta, ..RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity())
            };
            let mut motions = [about(theta_t0, Vec3::new(60.0, 0.0, 80.0)), about(Vec3::zeros(), turn)];
            if !is_fast_a {
                motions.swap(0, 1);
            }
            (motions[0].position_t0, motions[0].position_t1) = (place, place + way);
            let query = RigidQuery::edge_edge(motions, [x[0], x[1]], [x[2], x[3]], 0.0);
            let motion = Rigid::new(&query);
            let normal = n.try_normalize(1e-3).unwrap_or_else(Vec3::x);
            let rings = Rings { motion: &motion, normal, ringed: [is_fast_a, !is_fast_a], floor: 0.0 };
            let times = (0..=200).map(|k| t + (1.0 - t) * f64::from(k) / 200.0);
            let distance = |t: f64| rings.gaps(&motion.at(t)).smallest();
            let (least, first) = times.map(|t| (distance(t), t)).fold((f64::INFINITY, 1.0), |a, b| if b.0 < a.0 { b } else { a });
            let rings = Rings { floor: least.max(0.0), ..rings };
            let end = rings.end(t, &motion.at(t), 1.0);
            prop_assert!(end < first || end == t || (least < 0.0 && distance(end) > 0.0), "{end} {first} {least}");
            // Points of the body of many turns are beyond its ring at every time.
            for k in 0..=200 {
                let t = t + (1.0 - t) * f64::from(k) / 200.0;
                let place = motion.at(t);
                let nearest = Gaps::new(query.kind, &normal, motion.points(&place)).smallest();
                prop_assert!(distance(t) <= nearest + 1e-12);
            }
        }
    }

    /// Nothing moves but the spin: a gap that exceeds d_min by less than its rounding is none, one that exceeds it by more lasts.
    #[test]
    fn a_gap_within_rounding_is_none() {
        let spin = RigidMotion::about_axis(
            [Vec3::new(3.0, 1.0, 0.2); 2],
            UnitQuaternion::identity(),
            Vec3::z() * 100.0,
        );
        let still = RigidMotion::at_rest(Vec3::zeros(), UnitQuaternion::identity());
        let query = RigidQuery::point_point([spin, still], Vec3::x() * 0.7, Vec3::zeros(), 0.0);
        let motion = Rigid::new(&query);
        let normal = Vec3::new(3.0, 1.0, 0.2).normalize();
        let gap = Rings { motion: &motion, normal, ringed: [true, false], floor: 0.0 }
            .gaps(&motion.at(0.0))
            .smallest();
        let of_share = |share: f64| end(&motion, gap * (1.0 - share), 0.0, &motion.at(0.0), 1.0);
        assert_eq!(of_share(1e-9), Some(1.0));
        assert_eq!(of_share(40.0 * U), None);
    }
}
