//! Enclosures of the motion of a rigid body.

use dashu_int::IBig;
use rigor_math::{UnitQuaternion, Vec3};

use super::ball::{Ball, Vector, norm_up, plus, times};
use super::integer::{common_shift, scaled};
use super::straight::Point;
use super::turn::Turn;
use rigor_ccd::RigidMotion;

/// A moving body: x(t) = R(θ(t)) Q x̂ + q(t), with lengths in units of 2ᵉ m.
pub(super) struct Body {
    position: Vector,
    displacement: Vector,
    theta: Vector,
    delta: Vector,
    /// Q x̂, or R Q x̂ if the body does not turn.
    arms: Vec<Vector>,
    is_turning: bool,
    pub reaches: Vec<Reach>,
}

/// Upper bounds for one point, in units of 2⁻²⁵⁶.
#[derive(Clone)]
pub(super) struct Reach {
    /// ‖x̂‖: the distance from the centre.
    pub radius: IBig,
    /// ‖δ‖ (rad).
    pub rate: IBig,
    /// ‖q̇‖ + ‖x̂‖ ‖δ‖.
    pub speed: IBig,
    /// ‖x̂‖ ‖δ‖². From the second on, the derivative of any order k is at most ‖x̂‖ ‖δ‖ᵏ: that of exp([θ + τ
    /// δ]) at τ = 0 is k! times the integral of e^(s₀\[θ\]) \[δ\] e^(s₁\[θ\]) \[δ\] … \[δ\] e^(sₖ\[θ\]) over
    /// all sᵢ ≥ 0 with sum 1, a set of volume 1/k!. It is an average of products of rotations with k factors
    /// \[δ\].
    pub acceleration: IBig,
}

/// The points of a body at one time, and their approximate velocities.
pub(super) struct Snapshot {
    pub points: Vec<Vector>,
    pub velocities: Vec<Vec3>,
}

/// Returns n and m with Q x = n/m, for integer components of x and of the quaternion `q`: x + 2 v × (w
/// x + v × x)/‖q‖².
pub(super) fn orient([w, v @ ..]: &[IBig; 4], x: &Point) -> (Point, IBig) {
    let cross = |a: &Point, b: &Point| -> Point {
        std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            &a[j] * &b[k] - &a[k] * &b[j]
        })
    };
    let norm_sq = v.iter().fold(w * w, |sum, c| sum + c * c);
    let inner = cross(v, x);
    let turned = cross(v, &std::array::from_fn(|i| w * &x[i] + &inner[i]));
    (std::array::from_fn(|i| &norm_sq * &x[i] + (&turned[i] << 1)), norm_sq)
}

/// Returns the components of a quaternion, w first, scaled to integers by a common power of two.
pub(super) fn quaternion(q: &UnitQuaternion) -> [IBig; 4] {
    let q = [q.w, q.i, q.j, q.k];
    let shift = common_shift(&q);
    q.map(|c| scaled(c, shift).0)
}

fn vector(x: &Vec3, e: i32) -> Vector {
    std::array::from_fn(|i| Ball::new(x[i], e))
}

fn guess(x: &Vector) -> Vec3 {
    Vec3::from_fn(|i, _| x[i].guess())
}

impl Body {
    pub fn new(motion: &RigidMotion, points_local: &[Vec3], e: i32) -> Self {
        let q = quaternion(&motion.orientation);
        let between = |a: &Vec3, b: &Vec3, e| super::ball::minus(&vector(b, e), &vector(a, e));
        let displacement = between(&motion.position_t0, &motion.position_t1, e);
        let (theta, delta) = (vector(&motion.theta_t0, 0), between(&motion.theta_t0, &motion.theta_t1, 0));
        let is_turning = motion.theta_t0 != motion.theta_t1;
        let turn = Turn::new(&theta);
        let arm = |x: &Vec3| {
            let arm = oriented(&q, &vector(x, e));
            if is_turning { arm } else { turn.apply(&arm) }
        };
        let (rate, travel) = (norm_up(&delta), norm_up(&displacement));
        let rate = if is_turning { rate } else { IBig::ZERO };
        let product = |a: &IBig, b: &IBig| ((a * b) >> super::ball::BITS) + IBig::ONE;
        let reach = |x: &Vec3| {
            let radius = norm_up(&vector(x, e));
            let turning = product(&radius, &rate);
            let (speed, acceleration) = (&travel + &turning, product(&turning, &rate));
            Reach { radius, rate: rate.clone(), speed, acceleration }
        };
        let reaches = points_local.iter().map(reach).collect();
        let arms = points_local.iter().map(arm).collect();
        let position = vector(&motion.position_t0, e);
        Self { position, displacement, theta, delta, arms, is_turning, reaches }
    }

    /// Returns the state at the time t 2⁻²⁵⁶.
    pub fn at(&self, t: &IBig) -> Snapshot {
        let t = Ball::exact(t.clone());
        let position = plus(&self.position, &times(&t, &self.displacement));
        let displacement = guess(&self.displacement);
        if !self.is_turning {
            let points = self.arms.iter().map(|x| plus(x, &position)).collect();
            return Snapshot { points, velocities: vec![displacement; self.arms.len()] };
        }
        let theta = plus(&self.theta, &times(&t, &self.delta));
        let turn = Turn::new(&theta);
        let (theta, delta) = (guess(&theta), guess(&self.delta));
        let [a, b] = turn.guess_jacobian(theta.norm_squared());
        let across = theta.cross(&delta);
        let omega = delta + a * across + b * theta.cross(&across);
        let arms: Vec<Vector> = self.arms.iter().map(|x| turn.apply(x)).collect();
        Snapshot {
            velocities: arms.iter().map(|x| omega.cross(&guess(x)) + displacement).collect(),
            points: arms.iter().map(|x| plus(x, &position)).collect(),
        }
    }
}

/// Encloses Q x. The quotient of integers has a rounding error of 1; the propagated error is at most √3 times
/// that of a component.
fn oriented(q: &[IBig; 4], x: &Vector) -> Vector {
    let (n, m) = orient(q, &std::array::from_fn(|i| x[i].mid.clone()));
    let error = x.iter().map(|c| &c.rad).max().expect("three components") * IBig::from(2) + IBig::ONE;
    n.map(|n| Ball { mid: n / &m, rad: error.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::ball::one;
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn points_leave_their_chords_as_slowly_as_accelerations_allow(
            theta in prop::array::uniform2(number()), x in number(), scale in 0.0..30.0_f64,
            times in prop::array::uniform3(0.0..1.0_f64)
        ) {
            let motion = RigidMotion::between([x, Vec3::zeros()], theta.map(|t| t * scale));
            let body = Body::new(&motion, &[x], 0);
            let mut times = times;
            times.sort_by(f64::total_cmp);
            let [a, m, b] = times.map(|t| guess(&body.at(&Ball::new(t, 0).mid).points[0]));
            let [t0, t1, t2] = times;
            prop_assume!(t2 - t0 > 1e-3);
            let s = (t1 - t0) / (t2 - t0);
            let off = (a * (1.0 - s) + b * s - m).norm();
            let acceleration = super::super::ball::guess(&body.reaches[0].acceleration);
            prop_assert!(off <= 0.5 * acceleration * (t1 - t0) * (t2 - t1) + 1e-15);
            let speed = super::super::ball::guess(&body.reaches[0].speed);
            prop_assert!((b - a).norm() <= speed * (t2 - t0) + 1e-15);
        }

        #[test]
        fn velocities_are_differences(theta in prop::array::uniform2(number()), x in number(), t in 0.0..1.0_f64) {
            let motion = RigidMotion::between([x, Vec3::zeros()], theta.map(|t| t * 3.0));
            let body = Body::new(&motion, &[x], 0);
            let step = one() >> 60;
            let t = Ball::new(t, 0).mid;
            let (here, there) = (body.at(&t), body.at(&(&t + &step)));
            let displacement = super::super::ball::minus(&there.points[0], &here.points[0]);
            let velocity = guess(&displacement) * 2.0_f64.powi(60);
            prop_assert!((velocity - here.velocities[0]).norm() < 1e-13);
        }
    }
}
