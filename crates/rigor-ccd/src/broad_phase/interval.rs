//! Boxes around points of A over a whole piece of time, as seen from B, by interval arithmetic.

use rigor_geometry::Aabb;
use rigor_interval::{IMat3, IRigidMotion, IVec3, Interval};
use rigor_math::Vec3;

use super::tree::Sweep;
use crate::RigidMotion;

/// The motion of A as seen from B over one piece of time T.
///
/// s(T) = Q_bᵀ R_b(T)ᵀ (R_a(T) Q_a x̂ + c(T)), c = q_a − q_b, with every operation on intervals.
///
/// Source: \[Ferguson2021\] eq. (17). Deviation: c is linear in t and evaluated as such, so that what both bodies
/// move in common does not widen the boxes.
pub(super) struct IntervalSweep {
    /// Q_a and Q_bᵀ.
    orientation_a: IMat3,
    orientation_b: IMat3,
    /// R_a(T) and R_b(T)ᵀ.
    rotation_a: IMat3,
    rotation_b: IMat3,
    /// c(T) (m).
    between: IVec3,
    /// (m).
    margin: f64,
}

impl IntervalSweep {
    /// The motion on \[0, `horizon`\], with boxes enlarged by `margin` (m).
    pub fn new(a: &RigidMotion, b: &RigidMotion, horizon: f64, margin: f64) -> Self {
        let time = Interval::new(0.0, horizon);
        let [curve_a, curve_b] = [a, b].map(|motion| {
            IRigidMotion::new([motion.position_t0, motion.position_t1], [motion.theta_t0, motion.theta_t1])
        });
        let start = curve_a.position_t0 - curve_b.position_t0;
        let rate = curve_a.position_rate - curve_b.position_rate;
        Self {
            orientation_a: IMat3::from_quaternion(&a.orientation),
            orientation_b: IMat3::from_quaternion(&b.orientation).transpose(),
            rotation_a: curve_a.rotation(time),
            rotation_b: curve_b.rotation(time).transpose(),
            between: start + rate * time,
            margin,
        }
    }

    /// Returns a box (m, frame of B) around the points of a box, enlarged by the margin.
    fn around(&self, points: IVec3) -> Aabb {
        let seen = self.rotation_a * (self.orientation_a * points) + self.between;
        let seen = self.orientation_b * (self.rotation_b * seen);
        Aabb {
            min: Vec3::from(seen.0.map(|side| (side.inf() - self.margin).next_down())),
            max: Vec3::from(seen.0.map(|side| (side.sup() + self.margin).next_up())),
        }
    }
}

impl Sweep for IntervalSweep {
    type Swept = Aabb;

    fn of_box(&self, bounds: &Aabb) -> Aabb {
        self.around(IVec3::between(&bounds.min, &bounds.max))
    }

    /// At any time the hull of the points lies in the hull of their boxes.
    fn of_points(&self, points: &[Vec3]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |all, x| all.union(&self.around(IVec3::from(*x))))
    }

    fn meets(&self, swept: &Aabb, bounds: &Aabb) -> bool {
        swept.overlaps(bounds)
    }
}
