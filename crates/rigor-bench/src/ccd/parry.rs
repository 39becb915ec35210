//! Parry behind the protocol of guests: casts of shapes along straight motions, and along turns about fixed axes.

use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{
    NonlinearRigidMotion, ShapeCastHit, ShapeCastOptions, Unsupported, cast_shapes, cast_shapes_nonlinear,
};
use parry3d_f64::shape::{Ball, Capsule, Segment, Shape, Triangle};
use rigor_ccd::{Ccd, Impact, Kind, LinearMethod, LinearQuery, RigidMethod, RigidMotion, RigidQuery};
use rigor_ccd_test::MotionClass;
use rigor_ccd_test::ruling::OutsideAnswer;
use rigor_math::{Vec3, rotation_vector};

use super::guest::{Introduction, PROTOCOL, Replier};

/// The version of Parry.
const VERSION: &str = "0.31.1";

/// The names of what answers in this program.
pub const NAMES: [&str; 4] = ["parry-linear", "parry-nonlinear", "linear", "rigid"];

/// Returns what answers under this name.
pub fn replier(name: &str) -> Option<Box<dyn Replier>> {
    match name {
        "parry-linear" => Some(Box::new(Parry { is_linear: true })),
        "parry-nonlinear" => Some(Box::new(Parry { is_linear: false })),
        "linear" | "rigid" => Some(Box::new(Ours { is_linear: name == "linear" })),
        _ => None,
    }
}

/// The default methods of this program.
struct Ours {
    is_linear: bool,
}

fn kinds() -> Vec<String> {
    Kind::ALL.map(|kind| kind.name().to_owned()).to_vec()
}

impl Replier for Ours {
    fn introduction(&self) -> Introduction {
        Introduction {
            protocol: PROTOCOL,
            name: "rigor".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            linear: if self.is_linear { kinds() } else { Vec::new() },
            rigid: if self.is_linear { Vec::new() } else { kinds() },
            motions: None,
            d_min: true,
            batch: 64,
            about: "the default method of Rigor".into(),
        }
    }

    fn linear(&self, query: &LinearQuery) -> OutsideAnswer {
        ours(LinearMethod::default().impact(query, 1.0))
    }

    fn rigid(&self, query: &RigidQuery) -> OutsideAnswer {
        ours(RigidMethod::default().impact(query, 1.0))
    }
}

/// An answer of ours, as one from outside.
pub fn ours(answer: rigor_ccd::Answer) -> OutsideAnswer {
    match answer {
        Ok(Impact::Free) => OutsideAnswer::Free,
        Ok(Impact::At { t_safe, t_hit }) => OutsideAnswer::Hit { t_safe, t_hit: Some(t_hit) },
        Ok(Impact::Undecided { t_safe, .. }) => OutsideAnswer::Undecided { t_safe },
        Err(why) => OutsideAnswer::Failed { why: why.to_string() },
    }
}

struct Parry {
    is_linear: bool,
}

impl Replier for Parry {
    fn introduction(&self) -> Introduction {
        let straight = [MotionClass::Straight];
        let turning = [MotionClass::Straight, MotionClass::FixedAxisShort, MotionClass::FixedAxisLong];
        let classes: &[MotionClass] = if self.is_linear { &straight } else { &turning };
        Introduction {
            protocol: PROTOCOL,
            name: if self.is_linear { "parry-linear" } else { "parry-nonlinear" }.into(),
            version: VERSION.into(),
            linear: Vec::new(),
            rigid: kinds(),
            motions: Some(classes.iter().map(|class| class.name().to_owned()).collect()),
            d_min: true,
            batch: 1,
            about: String::new(),
        }
    }

    fn linear(&self, _query: &LinearQuery) -> OutsideAnswer {
        OutsideAnswer::Skipped
    }

    fn rigid(&self, query: &RigidQuery) -> OutsideAnswer {
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        let radius = if self.is_linear { 0.0 } else { query.d_min };
        let (a, place_a) = shape(&query.points_local[..n_a], radius);
        let (b, place_b) = shape(&query.points_local[n_a..n], 0.0);
        let motion_a = motion(&query.motion_a).prepend_translation(place_a);
        let motion_b = motion(&query.motion_b).prepend_translation(place_b);
        let cast = if self.is_linear {
            let options = ShapeCastOptions {
                max_time_of_impact: 1.0,
                target_distance: query.d_min,
                stop_at_penetration: true,
                ..ShapeCastOptions::default()
            };
            let (a_pose, b_pose) = (motion_a.start, motion_b.start);
            cast_shapes(&a_pose, motion_a.linvel, &*a, &b_pose, motion_b.linvel, &*b, options)
        } else {
            cast_shapes_nonlinear(&motion_a, &*a, &motion_b, &*b, 0.0, 1.0, true)
        };
        answer(cast)
    }
}

fn answer(cast: Result<Option<ShapeCastHit>, Unsupported>) -> OutsideAnswer {
    match cast {
        Ok(None) => OutsideAnswer::Free,
        Ok(Some(hit)) => OutsideAnswer::Hit { t_safe: hit.time_of_impact, t_hit: None },
        Err(Unsupported) => OutsideAnswer::Skipped,
    }
}

fn vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// A primitive, rounded by `radius` if it is a point or an edge, and its place in the body.
fn shape(points: &[Vec3], radius: f64) -> (Box<dyn Shape>, Vector) {
    let origin = Vector::ZERO;
    match points {
        [p] => (Box::new(Ball::new(radius)), vector(p)),
        [p, q] if radius > 0.0 => (Box::new(Capsule::new(vector(p), vector(q), radius)), origin),
        [p, q] => (Box::new(Segment::new(vector(p), vector(q))), origin),
        [p, q, r, ..] => (Box::new(Triangle::new(vector(p), vector(q), vector(r))), origin),
        [] => (Box::new(Ball::new(radius)), origin),
    }
}

/// The motion of a body whose axis is fixed: R(θ₀) Q at the start, then at the rate θ₁ − θ₀ about the origin of the body.
fn motion(motion: &RigidMotion) -> NonlinearRigidMotion {
    let start = rotation_vector::exp(&motion.theta_t0) * motion.orientation;
    let q = start.as_vector();
    let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    NonlinearRigidMotion {
        start: Pose::from_parts(vector(&motion.position_t0), rotation),
        local_center: Vector::ZERO,
        linvel: vector(&(motion.position_t1 - motion.position_t0)),
        angvel: vector(&(motion.theta_t1 - motion.theta_t0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ccd::smoke::{self, SmokeQuery};

    #[test]
    fn the_adapters_take_every_convention_as_it_is() {
        for name in NAMES {
            let it = replier(name).unwrap();
            let answer = |smoke: &smoke::Smoke| match &smoke.query {
                SmokeQuery::Linear(query) if it.introduction().can_answer(query) => it.linear(query),
                SmokeQuery::Rigid(query) if it.introduction().can_answer(query) => it.rigid(query),
                _ => OutsideAnswer::Skipped,
            };
            let report = smoke::examine(&smoke::queries().iter().map(answer).collect::<Vec<_>>());
            assert!(!report.blames_adapter() && report.answered > 1, "{name}: {}", report.show());
        }
    }
}
