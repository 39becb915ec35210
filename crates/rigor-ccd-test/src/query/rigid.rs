//! Queries of points of rigid bodies that turn.

use rigor_ccd::{Kind, RigidMotion, RigidQuery, Truth};
use rigor_math::{UnitQuaternion, Vec3, elementary};

use super::points::{
    backwards, constructor, cycled, exchanged, longest, paste_parts, paste_vector, with_garbage,
};
use super::{Bounds, Query, TINY, U, length};
use crate::exact;
use crate::hint::Hint;

impl Query for RigidQuery {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn d_min(&self) -> f64 {
        self.d_min
    }

    fn is_valid(&self) -> bool {
        Self::is_valid(self)
    }

    fn place(&self, t: f64) -> [Vec3; 4] {
        let placements = [&self.motion_a, &self.motion_b].map(|motion| Placement::new(motion, t));
        let n_a = self.kind.sizes().0;
        std::array::from_fn(|i| placements[usize::from(i >= n_a)].apply(&self.points_local[i]))
    }

    /// The error of Q x̂ is at most 64u ‖x̂‖, that of the angle of R 16u max‖θ‖, that of its sine and cosine
    /// 4u more, and that of what follows from them 64u: rounded up to 512u and 64u ‖θ‖.
    ///
    /// ‖(d/dt) R(θ(t)) x‖ ≤ ‖θ̇‖ ‖x‖, because the angular velocity is J θ̇ and J is a mean of rotations.
    fn bounds(&self) -> Bounds {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let radii =
            [&self.points_local[..n_a], &self.points_local[n_a..n]].map(|x| longest(x.iter().copied()));
        let (mut error, mut reach, mut turning) = (TINY, 0.0_f64, 0.0);
        for (motion, radius) in [&self.motion_a, &self.motion_b].into_iter().zip(radii) {
            let angle = motion.theta_t0.norm() + motion.theta_t1.norm();
            let position = length(&motion.position_t0).max(length(&motion.position_t1));
            error += U * (radius * (512.0 + 64.0 * angle) + 16.0 * position);
            reach = reach.max(position + radius);
            turning += radius * (motion.theta_t1 - motion.theta_t0).norm() + 16.0 * U * radius * angle;
        }
        let velocity = |motion: &RigidMotion| motion.position_t1 - motion.position_t0;
        let speed =
            length(&(velocity(&self.motion_a) - velocity(&self.motion_b))) + turning + 16.0 * U * reach;
        Bounds { error, speed: speed * (1.0 + 16.0 * U), reach: reach * (1.0 + 16.0 * U) }
    }

    fn truth(&self) -> Truth {
        crate::oracle::rigid(self)
    }

    /// Turning points have no exact coordinates.
    fn coincide(&self, hint: &Hint) -> bool {
        exact::straight(self).is_some_and(|straight| exact::coincide(&straight, hint))
    }

    fn paste(&self) -> String {
        let [a, b] = paste_parts(self.kind, |i| paste_vector(&self.points_local[i]));
        let [motion_a, motion_b] = [&self.motion_a, &self.motion_b].map(paste_motion);
        let d_min = self.d_min;
        format!(
            "RigidQuery::{}(\n    [\n        {motion_a},\n        {motion_b},\n    ],\n    {a},\n    {b},\n    {d_min:?},\n)",
            constructor(self.kind),
        )
    }

    fn swapped(&self) -> Option<Self> {
        let points_local = exchanged(self.kind, &self.points_local)?;
        Some(Self::new(self.kind, [self.motion_b, self.motion_a], points_local, self.d_min))
    }

    fn reversed(&self) -> Self {
        let points_local = backwards(self.kind, &self.points_local);
        Self::new(self.kind, [self.motion_a, self.motion_b], points_local, self.d_min)
    }

    fn cycled(&self) -> Self {
        let motion = |motion: &RigidMotion| {
            let q = motion.orientation.as_vector();
            let vector = cycled(&Vec3::new(q.x, q.y, q.z));
            RigidMotion {
                position_t0: cycled(&motion.position_t0),
                position_t1: cycled(&motion.position_t1),
                theta_t0: cycled(&motion.theta_t0),
                theta_t1: cycled(&motion.theta_t1),
                orientation: UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_parts(q.w, vector)),
            }
        };
        let points_local = self.points_local.map(|x| cycled(&x));
        Self::new(self.kind, [motion(&self.motion_a), motion(&self.motion_b)], points_local, self.d_min)
    }

    fn scaled(&self, factor: f64) -> Self {
        let motion = |motion: &RigidMotion| RigidMotion {
            position_t0: motion.position_t0 * factor,
            position_t1: motion.position_t1 * factor,
            ..*motion
        };
        let points_local = self.points_local.map(|x| x * factor);
        Self::new(
            self.kind,
            [motion(&self.motion_a), motion(&self.motion_b)],
            points_local,
            self.d_min * factor,
        )
    }

    fn disoriented(&self) -> Vec<Self> {
        let broken = |orientation: &UnitQuaternion| {
            let q = *orientation.as_vector();
            let one = move |i: usize, x: f64| {
                let mut q = q;
                q[i] = x;
                q
            };
            let single = (0..4).flat_map(move |i| [one(i, f64::NAN), one(i, f64::INFINITY)]);
            let all = single.chain([q * 0.0, q * 2.0]);
            all.map(|q| UnitQuaternion::new_unchecked(q.into()))
        };
        let with = |motions: [RigidMotion; 2]| Self::new(self.kind, motions, self.points_local, self.d_min);
        let (a, b) = (self.motion_a, self.motion_b);
        let of_a = broken(&a.orientation).map(|orientation| with([RigidMotion { orientation, ..a }, b]));
        let of_b = broken(&b.orientation).map(|orientation| with([a, RigidMotion { orientation, ..b }]));
        of_a.chain(of_b).collect()
    }

    fn with_garbage(&self) -> Self {
        let points_local = with_garbage(self.kind, &self.points_local);
        Self::new(self.kind, [self.motion_a, self.motion_b], points_local, self.d_min)
    }
}

fn paste_motion(motion: &RigidMotion) -> String {
    let q = motion.orientation.as_vector();
    let orientation = if motion.orientation == UnitQuaternion::identity() {
        "UnitQuaternion::identity()".to_string()
    } else {
        format!(
            "UnitQuaternion::new_unchecked(nalgebra::Quaternion::new({:?}, {:?}, {:?}, {:?}))",
            q.w, q.x, q.y, q.z
        )
    };
    let [p0, p1, theta_t0, theta_t1] =
        [motion.position_t0, motion.position_t1, motion.theta_t0, motion.theta_t1].map(|v| paste_vector(&v));
    format!(
        "RigidMotion {{ position_t0: {p0}, position_t1: {p1}, theta_t0: {theta_t0}, theta_t1: {theta_t1}, orientation: {orientation} }}"
    )
}

/// The placement of a body at one time.
struct Placement {
    /// Q is (w, v), its squared length `norm_sq`.
    w: f64,
    v: Vec3,
    norm_sq: f64,
    theta: Vec3,
    /// sinc ‖θ‖ and ½ sinc²(‖θ‖/2).
    sinc: f64,
    half_sinc_sq: f64,
    position: Vec3,
}

impl Placement {
    fn new(motion: &RigidMotion, t: f64) -> Self {
        let theta = motion.theta_t0 + t * (motion.theta_t1 - motion.theta_t0);
        let angle = theta.norm();
        let (sinc, half_sinc_sq) = if angle < 1e-9 {
            // The next terms are −x²/6 and −x²/24.
            (1.0, 0.5)
        } else {
            let (s, c) = elementary::sin_cos(0.5 * angle);
            (2.0 * s * c / angle, 2.0 * (s / angle) * (s / angle))
        };
        let q = motion.orientation.as_vector();
        let position = (1.0 - t) * motion.position_t0 + t * motion.position_t1;
        Self {
            w: q.w,
            v: Vec3::new(q.x, q.y, q.z),
            norm_sq: q.norm_squared(),
            theta,
            sinc,
            half_sinc_sq,
            position,
        }
    }

    /// x + sinc(‖θ‖) θ × x + ½ sinc²(‖θ‖/2) θ × (θ × x), after x = x̂ + 2 (w v × x̂ + v × (v × x̂))/‖Q‖².
    ///
    /// Source: \[Ferguson2021\] eq. (14). Deviation: the sign of its last term, see `docs/references.md`.
    fn apply(&self, x_local: &Vec3) -> Vec3 {
        let across = self.v.cross(x_local);
        let x = x_local + (self.w * across + self.v.cross(&across)) * (2.0 / self.norm_sq);
        let turned = self.theta.cross(&x);
        x + self.sinc * turned + self.half_sinc_sq * self.theta.cross(&turned) + self.position
    }
}
