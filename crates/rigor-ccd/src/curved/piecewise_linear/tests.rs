use proptest::prelude::*;
use rigor_math::{UnitQuaternion, Vec3};

use super::*;
use crate::RigidMotion;
use crate::wide::Wide;

proptest! {
    #[test]
    fn the_safe_time_of_a_piece_is_rounded_down(times in prop::array::uniform2(0.0..1.0f64), s in 0.0..1.0, first: bool) {
        let t_0 = if first { 0.0 } else { times[0].min(times[1]) };
        let t_1 = times[0].max(times[1]);
        let Impact::At { t_safe, t_hit } = within_piece(Impact::At { t_safe: s, t_hit: s }, t_0, t_1, 1) else { panic!() };
        let exact = Wide::from(t_0) + Wide::from(s) * Wide::sum(t_1, -t_0);
        prop_assert!((Wide::from(t_safe) - exact).high <= 0.0 && t_safe >= t_0);
        prop_assert!(t_safe > exact.high - 1e-15 && (t_hit - exact.high).abs() < 1e-15);
    }

    #[test]
    fn the_closed_form_is_rounded_up(delta in prop::array::uniform3(-9.0..9.0f64), times in prop::array::uniform2(0.0..1.0f64)) {
        let pieces = spinning(Vec3::from(delta), 0.0);
        let [t_0, t_1] = [times[0].min(times[1]), times[0].max(times[1])];
        let tau = Wide::sum(t_1, -t_0);
        let exact = Wide::from(pieces.motion.acceleration()) * tau * tau;
        let excess = Wide::from(8.0 * pieces.deviation(t_0, t_1)) - exact;
        prop_assert!(0.0 <= excess.high && excess.high <= 1e-14 * exact.high);
    }
}

/// A point that turns about the origin, 1 m away from it, beside one at the origin.
fn spinning(delta: Vec3, d_min: f64) -> Pieces {
    let still = UnitQuaternion::identity();
    let motions = [
        RigidMotion::about_axis([Vec3::zeros(); 2], still, delta),
        RigidMotion::at_rest(Vec3::zeros(), still),
    ];
    let query = RigidQuery::point_point(motions, Vec3::x(), Vec3::zeros(), d_min);
    Pieces::new(&query, &LIMITS, ChordBound::ClosedForm)
}
