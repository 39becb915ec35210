//! Queries with answers that anybody can check by hand, to tell the error of an adapter from a fault of an engine.
//!
//! A wrong answer to one of them is compared with the answers of adapters that take a convention for another, such as rotation
//! vectors for Euler angles. A mistake that explains all answers is named.

use std::f64::consts::{FRAC_PI_2, PI};

use rigor_ccd::{Kind, LinearQuery, RigidMotion, RigidQuery};
use rigor_ccd_test::ruling::OutsideAnswer;
use rigor_geometry::distance::{edge_edge, point_edge, point_point, point_triangle};
use rigor_math::{UnitQuaternion, Vec3, quaternion, rotation_vector};

/// A query of either type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SmokeQuery {
    /// Points on straight lines.
    Linear(LinearQuery),
    /// Points of rigid bodies.
    Rigid(RigidQuery),
}

/// A query, what happens in it, and when the primitives meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoke {
    /// What happens.
    pub what: &'static str,
    /// The query.
    pub query: SmokeQuery,
    /// The time of contact; `None` if they stay apart.
    pub t: Option<f64>,
}

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A linear query whose points of A move by `move_a` and whose points of B by `move_b`.
fn linear(
    what: &'static str,
    kind: Kind,
    points: &[Vec3],
    moves: [Vec3; 2],
    d_min: f64,
    t: Option<f64>,
) -> Smoke {
    let n_a = kind.sizes().0;
    let start = std::array::from_fn(|i| points.get(i).copied().unwrap_or_default());
    let end = std::array::from_fn(|i| {
        let moved = moves[usize::from(i >= n_a)];
        points.get(i).map_or(Vec3::zeros(), |x| x + moved)
    });
    Smoke { what, query: SmokeQuery::Linear(LinearQuery::new(kind, start, end, d_min)), t }
}

fn rigid(
    what: &'static str,
    kind: Kind,
    motions: [RigidMotion; 2],
    points: &[Vec3],
    d_min: f64,
    t: Option<f64>,
) -> Smoke {
    let points = std::array::from_fn(|i| points.get(i).copied().unwrap_or_default());
    Smoke { what, query: SmokeQuery::Rigid(RigidQuery::new(kind, motions, points, d_min)), t }
}

/// Returns the queries; the numbers of each are simple enough to check by hand.
pub fn queries() -> Vec<Smoke> {
    use Kind::{EdgeEdge, PointEdge, PointPoint, PointTriangle};
    let (o, x, y, z) = (Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z());
    let still = RigidMotion::at_rest(o, UnitQuaternion::identity());
    let at = |position: Vec3| RigidMotion::at_rest(position, UnitQuaternion::identity());
    let turn = |from: Vec3, to: Vec3| RigidMotion::between([o, o], [from, to]);
    // About the origin, wide enough for a point above it.
    let triangle = [v(-1.0, -1.0, 0.0), v(3.0, -1.0, 0.0), v(-1.0, 3.0, 0.0)];
    let with = |p: Vec3, rest: &[Vec3]| [&[p], rest].concat();
    // A hand from the origin along x, and a post through (0, ½, 0).
    let (hand, post) = ([o, x], [v(0.0, 0.5, -1.0), v(0.0, 0.5, 1.0)]);
    let clock = [hand, post].concat();
    // Rotated by 60° about (1, 0, 1), the hand points to (¾, √⅜, ¼).
    let oblique = v(0.75, 0.612_372_435_695_794_5, 0.25) * 0.5;
    let diagonal = PI / 3.0 * std::f64::consts::SQRT_2;
    let tilted = quaternion::rotate(&UnitQuaternion::identity(), &(x * FRAC_PI_2));
    vec![
        linear("two points meet head-on", PointPoint, &[x, -x], [-2.0 * x, 2.0 * x], 0.0, Some(0.5)),
        linear("a point passes beside another", PointPoint, &[x + y, o], [-2.0 * x, o], 0.0, None),
        linear("nothing moves", EdgeEdge, &[z, z + x, o, y], [o, o], 0.0, None),
        linear("a point falls onto an edge", PointEdge, &[z, -x, x], [-4.0 * z, o], 0.0, Some(0.25)),
        linear(
            "a point falls beside the end of an edge",
            PointEdge,
            &[v(1.5, 0.0, 1.0), -x, x],
            [-4.0 * z, o],
            0.0,
            None,
        ),
        linear(
            "a point falls onto a triangle",
            PointTriangle,
            &with(z, &triangle),
            [-2.0 * z, o],
            0.0,
            Some(0.5),
        ),
        linear(
            "a triangle rises to a point",
            PointTriangle,
            &with(z, &triangle),
            [o, 4.0 * z],
            0.0,
            Some(0.25),
        ),
        linear(
            "a point falls beside a triangle",
            PointTriangle,
            &with(v(2.0, 2.0, 1.0), &triangle),
            [-2.0 * z, o],
            0.0,
            None,
        ),
        linear(
            "a point falls onto a triangle away from the origin, both moving along",
            PointTriangle,
            &with(z, &triangle).map_all(|p| p + 8.0 * x),
            [2.0 * x - 2.0 * z, 2.0 * x],
            0.0,
            Some(0.5),
        ),
        linear(
            "an edge falls across another",
            EdgeEdge,
            &[z - x, z + x, -y, y],
            [-4.0 * z, o],
            0.0,
            Some(0.25),
        ),
        linear(
            "an edge falls past the end of another",
            EdgeEdge,
            &[z - x, z + x, 0.5 * y, 2.0 * y],
            [-4.0 * z, o],
            0.0,
            None,
        ),
        linear(
            "two points come within ½ of each other",
            PointPoint,
            &[x, -x],
            [-2.0 * x, 2.0 * x],
            0.5,
            Some(0.375),
        ),
        linear(
            "a point passes a triangle at ¼, which is within ½",
            PointTriangle,
            &with(v(-5.0, 0.0, 0.25), &triangle),
            [4.0 * x + v(0.0, 0.0, 0.0), o],
            0.5,
            // Within √(¼ − 1/16) of the edge at x = −1.
            Some((4.0 - 0.433_012_701_892_219_3) / 4.0),
        ),
        linear(
            "edges that cross at ¼ must keep 1/8",
            EdgeEdge,
            &[z - x, z + x, -y, y],
            [-0.75 * z, o],
            0.125,
            None,
        ),
        rigid(
            "a body without rotation falls onto a triangle",
            PointTriangle,
            [RigidMotion::between([z, -z], [o, o]), still],
            &with(o, &triangle),
            0.0,
            Some(0.5),
        ),
        rigid(
            "two bodies that do not turn, each at an angle, come within ½",
            PointPoint,
            // Quarter turns about z bring the points to (0, 1, 0) and (0, −1, 0), 8 apart.
            [
                RigidMotion::between([3.0 * y, -3.0 * y], [z * FRAC_PI_2; 2]),
                RigidMotion::between([-3.0 * y, -3.0 * y], [z * FRAC_PI_2; 2]),
            ],
            &[x, -x],
            0.5,
            None,
        ),
        rigid(
            "a hand turns by 120° and meets a post after 90°",
            EdgeEdge,
            [turn(o, z * (2.0 * FRAC_PI_2 * 2.0 / 3.0)), still],
            &clock,
            0.0,
            Some(0.75),
        ),
        rigid(
            "a hand turns away from a post",
            EdgeEdge,
            [turn(o, -z * (2.0 * FRAC_PI_2 * 2.0 / 3.0)), still],
            &clock,
            0.0,
            None,
        ),
        rigid(
            "a post turns against a hand",
            EdgeEdge,
            [still, turn(o, -z * (2.0 * FRAC_PI_2 * 2.0 / 3.0))],
            &clock,
            0.0,
            Some(0.75),
        ),
        rigid(
            "a hand turns from 60° to 120°",
            EdgeEdge,
            [turn(z * (PI / 3.0), z * (2.0 * PI / 3.0)), still],
            &clock,
            0.0,
            Some(0.5),
        ),
        rigid(
            "a hand makes three turns and meets a post after a quarter",
            EdgeEdge,
            [turn(o, z * (6.0 * PI)), still],
            &clock,
            0.0,
            Some(1.0 / 12.0),
        ),
        rigid(
            "a hand that its orientation turns up falls forward, about y, onto a bar",
            EdgeEdge,
            // Q turns y to z; then 120° about y turn z by 90° to x.
            [
                RigidMotion { orientation: tilted, ..turn(o, y * (2.0 * FRAC_PI_2 * 2.0 / 3.0)) },
                at(v(0.5, 0.0, 0.0)),
            ],
            &[o, y, -y, y],
            0.0,
            Some(0.75),
        ),
        rigid(
            "a hand turns while its body moves",
            EdgeEdge,
            [RigidMotion::between([v(-2.0, 0.0, 0.0), v(2.0, 0.0, 0.0)], [o, z * PI]), still],
            &clock,
            0.0,
            Some(0.5),
        ),
        rigid(
            "a hand turns by 90° about (1, 1, 1) and meets a bar along that axis after 60°",
            EdgeEdge,
            // Rotated by 60° it points to (⅔, ⅔, −⅓).
            [turn(o, v(1.0, 1.0, 1.0).normalize() * FRAC_PI_2), at(v(2.0, 2.0, -1.0) / 6.0)],
            &[o, x, v(-0.1, -0.1, -0.1), v(0.1, 0.1, 0.1)],
            0.0,
            Some(2.0 / 3.0),
        ),
        rigid(
            "the axis of a hand turns from x to z: at ½ it is turned by 60° about (1, 0, 1)",
            EdgeEdge,
            [turn(x * diagonal, z * diagonal), at(oblique)],
            &[o, x, v(-0.1, 0.0, 0.1), v(0.1, 0.0, -0.1)],
            0.0,
            Some(0.5),
        ),
    ]
}

/// The same for each element.
trait MapAll {
    fn map_all(self, f: impl Fn(Vec3) -> Vec3) -> Vec<Vec3>;
}

impl MapAll for Vec<Vec3> {
    fn map_all(self, f: impl Fn(Vec3) -> Vec3) -> Vec<Vec3> {
        self.into_iter().map(f).collect()
    }
}

/// The points of a query at a time, and d_min, as an adapter with a mistake takes them; `None` where it makes no difference.
type Reading = fn(&SmokeQuery, f64) -> Option<([Vec3; 4], f64)>;

/// A convention taken for another.
struct Mistake {
    /// In words, after "the adapter".
    what: &'static str,
    reading: Reading,
}

/// Number of times at which a reading is examined.
const SAMPLES: usize = 4000;

/// The distance (m) that counts as contact between two samples.
const TOUCH: f64 = 4e-3;

/// An answer is as expected if it is at least half of the expected time, and at most this later.
const SLACK: f64 = 1e-2;

/// A right answer is at most this late.
const LATE: f64 = 1e-6;

impl SmokeQuery {
    fn kind(&self) -> Kind {
        match self {
            Self::Linear(query) => query.kind,
            Self::Rigid(query) => query.kind,
        }
    }

    fn points(&self, t: f64) -> [Vec3; 4] {
        match self {
            Self::Linear(query) => query.points(t),
            Self::Rigid(query) => query.points(t),
        }
    }

    fn d_min(&self) -> f64 {
        match self {
            Self::Linear(query) => query.d_min,
            Self::Rigid(query) => query.d_min,
        }
    }

    /// The name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Linear(_) => "linear",
            Self::Rigid(_) => "rigid",
        }
    }
}

/// The points with each body turned and moved as `place` says.
fn turned(query: &SmokeQuery, place: impl Fn(&RigidMotion, Vec3) -> Vec3) -> Option<([Vec3; 4], f64)> {
    let SmokeQuery::Rigid(query) = query else { return None };
    let n_a = query.kind.sizes().0;
    let motion = |i: usize| if i < n_a { &query.motion_a } else { &query.motion_b };
    Some((std::array::from_fn(|i| place(motion(i), query.points_local[i])), query.d_min))
}

fn mix(from: Vec3, to: Vec3, t: f64) -> Vec3 {
    from * (1.0 - t) + to * t
}

fn position(motion: &RigidMotion, t: f64) -> Vec3 {
    mix(motion.position_t0, motion.position_t1, t)
}

fn theta(motion: &RigidMotion, t: f64) -> Vec3 {
    mix(motion.theta_t0, motion.theta_t1, t)
}

fn rotation(theta: Vec3) -> UnitQuaternion {
    rotation_vector::exp(&theta)
}

const MISTAKES: &[Mistake] = &[
    Mistake { what: "ignores d_min", reading: |q, t| Some((q.points(t), 0.0)) },
    Mistake {
        what: "doubles d_min: it may take it as the margin of each body",
        reading: |q, t| Some((q.points(t), 2.0 * q.d_min())),
    },
    Mistake {
        what: "compares d_min with a squared distance",
        reading: |q, t| Some((q.points(t), q.d_min().sqrt())),
    },
    Mistake {
        what: "takes the points of two edges in the order a0, b0, a1, b1",
        reading: |q, t| {
            let [a, b, c, d] = q.points(t);
            (q.kind() == Kind::EdgeEdge).then_some(([a, c, b, d], q.d_min()))
        },
    },
    Mistake {
        what: "takes the triangle, or the edge, before the point",
        reading: |q, t| {
            let [a, b, c, d] = q.points(t);
            match q.kind() {
                Kind::PointTriangle => Some(([d, a, b, c], q.d_min())),
                Kind::PointEdge => Some(([c, a, b, d], q.d_min())),
                Kind::PointPoint | Kind::EdgeEdge => None,
            }
        },
    },
    Mistake {
        what: "takes the positions at the end as displacements",
        reading: |q, t| match q {
            SmokeQuery::Linear(q) => Some((std::array::from_fn(|i| q.start[i] + q.end[i] * t), q.d_min)),
            SmokeQuery::Rigid(_) => turned(q, |m, x| {
                rotation(theta(m, t)) * (m.orientation * x) + m.position_t0 + m.position_t1 * t
            }),
        },
    },
    Mistake { what: "exchanges start and end", reading: |q, t| Some((q.points(1.0 - t), q.d_min())) },
    Mistake {
        what: "moves nothing: it looks at the start only",
        reading: |q, _| Some((q.points(0.0), q.d_min())),
    },
    Mistake {
        what: "moves the first primitive only",
        reading: |q, t| {
            let (n_a, start) = (q.kind().sizes().0, q.points(0.0));
            let now = q.points(t);
            Some((std::array::from_fn(|i| if i < n_a { now[i] } else { start[i] }), q.d_min()))
        },
    },
    Mistake {
        what: "ignores rotation",
        reading: |q, t| turned(q, |m, x| rotation(m.theta_t0) * (m.orientation * x) + position(m, t)),
    },
    Mistake {
        what: "moves points on straight lines from their first to their last place",
        reading: |q, t| {
            let (from, to) = (q.points(0.0), q.points(1.0));
            Some((std::array::from_fn(|i| mix(from[i], to[i], t)), q.d_min()))
        },
    },
    Mistake {
        what: "takes radians for degrees",
        reading: |q, t| {
            turned(q, |m, x| rotation(theta(m, t) * (PI / 180.0)) * (m.orientation * x) + position(m, t))
        },
    },
    Mistake {
        what: "turns bodies the other way: a rotation is transposed",
        reading: |q, t| turned(q, |m, x| rotation(-theta(m, t)) * (m.orientation * x) + position(m, t)),
    },
    Mistake {
        what: "takes rotation vectors for Euler angles",
        reading: |q, t| {
            turned(q, |m, x| {
                let angles = theta(m, t);
                let about = |axis: Vec3, angle: f64| rotation(axis * angle);
                let turn =
                    about(Vec3::z(), angles.z) * about(Vec3::y(), angles.y) * about(Vec3::x(), angles.x);
                turn * (m.orientation * x) + position(m, t)
            })
        },
    },
    Mistake {
        what: "turns from the first to the last pose about one axis by less than half a turn: it interpolates poses, and can \
               declare the classes of motion straight and fixed-axis-short",
        reading: |q, t| {
            turned(q, |m, x| {
                let (from, to) = (rotation(m.theta_t0), rotation(m.theta_t1));
                let delta = rotation_vector::log(&(to * from.inverse()));
                rotation(delta * t) * from * (m.orientation * x) + position(m, t)
            })
        },
    },
    Mistake {
        what: "turns by theta_t1 - theta_t0 about one axis",
        reading: |q, t| {
            turned(q, |m, x| {
                let by = (m.theta_t1 - m.theta_t0) * t;
                rotation(by) * rotation(m.theta_t0) * (m.orientation * x) + position(m, t)
            })
        },
    },
    Mistake {
        what: "ignores the rotation at the start",
        reading: |q, t| {
            turned(q, |m, x| rotation((m.theta_t1 - m.theta_t0) * t) * (m.orientation * x) + position(m, t))
        },
    },
    Mistake {
        what: "ignores the orientation",
        reading: |q, t| turned(q, |m, x| rotation(theta(m, t)) * x + position(m, t)),
    },
    Mistake {
        what: "applies the orientation after the rotation",
        reading: |q, t| turned(q, |m, x| m.orientation * (rotation(theta(m, t)) * x) + position(m, t)),
    },
    Mistake {
        what: "reads the orientation as x, y, z, w",
        reading: |q, t| {
            turned(q, |m, x| {
                let o = m.orientation.as_vector();
                let read = nalgebra::Quaternion::new(o.z, o.w, o.x, o.y);
                rotation(theta(m, t)) * (UnitQuaternion::new_normalize(read) * x) + position(m, t)
            })
        },
    },
    Mistake {
        what: "exchanges the motions of the two bodies",
        reading: |q, t| match q {
            SmokeQuery::Linear(_) => None,
            SmokeQuery::Rigid(q) => {
                let other = RigidQuery::new(q.kind, [q.motion_b, q.motion_a], q.points_local, q.d_min);
                Some((other.points(t), q.d_min))
            }
        },
    },
    Mistake {
        what: "takes points of the bodies for points of the world at the start",
        reading: |q, t| {
            turned(q, |m, x| {
                let back = rotation(theta(m, t)) * rotation(m.theta_t0).inverse();
                back * (x - m.position_t0) + position(m, t)
            })
        },
    },
];

/// Returns the first time at which the primitives touch if the query is read so.
fn first_contact(query: &SmokeQuery, reading: impl Fn(f64) -> ([Vec3; 4], f64)) -> Option<f64> {
    let is_near = |t: &f64| {
        let ([a, b, c, d], d_min) = reading(*t);
        let distance_sq = match query.kind() {
            Kind::PointPoint => point_point::distance_sq(&a, &b),
            Kind::PointEdge => point_edge::distance_sq(&a, &b, &c),
            Kind::PointTriangle => point_triangle::distance_sq(&a, &b, &c, &d),
            Kind::EdgeEdge => edge_edge::distance_sq(&a, &b, &c, &d),
        };
        distance_sq.sqrt() <= d_min + TOUCH
    };
    (0..=SAMPLES).map(|i| i as f64 / SAMPLES as f64).find(is_near)
}

/// Whether `answer` fits contact at `t`, or at no time, if it may be late by `late`; `None` for no answer.
fn fits(answer: &OutsideAnswer, t: Option<f64>, late: f64) -> Option<bool> {
    match (answer, t) {
        (OutsideAnswer::Free, t) => Some(t.is_none()),
        (OutsideAnswer::Hit { .. }, None) => Some(false),
        (OutsideAnswer::Hit { t_safe, .. }, Some(t)) => {
            Some(*t_safe <= t + late && *t_safe >= 0.5 * t - late)
        }
        (OutsideAnswer::Undecided { .. } | OutsideAnswer::Skipped, _) => None,
        (OutsideAnswer::TimedOut | OutsideAnswer::Failed { .. }, _) => Some(false),
    }
}

/// What the answers to the smoke queries tell.
#[derive(Debug, Clone, PartialEq)]
pub struct SmokeReport {
    /// Number of queries answered.
    pub answered: usize,
    /// Wrong answers, each as a sentence.
    pub wrong: Vec<String>,
    /// Mistakes of an adapter that explain all answers, in words.
    pub mistakes: Vec<&'static str>,
}

impl SmokeReport {
    /// Whether every answer is right.
    pub fn is_clean(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Whether an adapter seems to err, rather than what it adapts: a mistake explains all answers, or more than half of them are wrong.
    pub fn blames_adapter(&self) -> bool {
        !self.mistakes.is_empty() || 2 * self.wrong.len() > self.answered
    }

    /// The report in words.
    pub fn show(&self) -> String {
        if self.answered == 0 {
            return "None of the queries with answers known by hand is of a kind that it answers.\n"
                .to_owned();
        }
        if self.is_clean() {
            return format!("{} queries with answers known by hand: all right\n", self.answered);
        }
        let mut text = format!(
            "{} of {} queries with answers known by hand are wrong:\n",
            self.wrong.len(),
            self.answered
        );
        self.wrong.iter().for_each(|wrong| text += &format!("  {wrong}\n"));
        if self.mistakes.is_empty() {
            text += "No mistake of an adapter explains all answers.\n";
        } else {
            text += "All answers are those of an adapter that\n";
            self.mistakes.iter().for_each(|mistake| text += &format!("  {mistake}\n"));
        }
        text
    }
}

/// Compares `answers` with the [`queries`], in their order.
pub fn examine(answers: &[OutsideAnswer]) -> SmokeReport {
    let asked: Vec<(Smoke, &OutsideAnswer)> = queries().into_iter().zip(answers).collect();
    let wrong: Vec<String> = asked
        .iter()
        .filter(|(smoke, answer)| fits(answer, smoke.t, LATE) == Some(false))
        .map(|(smoke, answer)| {
            let truth = smoke.t.map_or("they stay apart".to_owned(), |t| format!("contact at t = {t:.5}"));
            let kind = smoke.query.kind().name();
            format!("{} ({}, {kind}): {}; {truth}", smoke.what, smoke.query.type_name(), told(answer))
        })
        .collect();
    let explains = |mistake: &&Mistake| {
        asked.iter().all(|(smoke, answer)| {
            let is_read = (mistake.reading)(&smoke.query, 0.0).is_some();
            let expected = if is_read {
                let reading = |t| (mistake.reading)(&smoke.query, t).unwrap_or(([Vec3::zeros(); 4], 0.0));
                first_contact(&smoke.query, reading)
            } else {
                smoke.t
            };
            fits(answer, expected, SLACK) != Some(false)
        })
    };
    let mistakes = if wrong.is_empty() {
        Vec::new()
    } else {
        MISTAKES.iter().filter(explains).map(|m| m.what).collect()
    };
    let answered = answers.iter().filter(|answer| **answer != OutsideAnswer::Skipped).count();
    SmokeReport { answered, wrong, mistakes }
}

/// An answer in words.
fn told(answer: &OutsideAnswer) -> String {
    match answer {
        OutsideAnswer::Free => "the answer is free".into(),
        OutsideAnswer::Hit { t_safe, .. } => format!("the answer is t_safe = {t_safe:.5}"),
        OutsideAnswer::Undecided { t_safe } => format!("undecided, t_safe = {t_safe:.5}"),
        OutsideAnswer::TimedOut => "no answer within the limit".into(),
        OutsideAnswer::Failed { why } => format!("it failed: {why}"),
        OutsideAnswer::Skipped => "skipped".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigor_ccd::{Ccd, Impact, LinearMethod, RigidMethod, Truth};
    use rigor_ccd_test::{Query, oracle};

    #[test]
    fn the_answers_known_by_hand_are_the_truth() {
        for Smoke { what, query, t } in queries() {
            let truth = match &query {
                SmokeQuery::Linear(query) => oracle::linear(query),
                SmokeQuery::Rigid(query) => query.truth(),
            };
            match (truth, t) {
                (Truth::Free, None) => (),
                (Truth::First { lo, hi }, Some(t)) => {
                    assert!((lo - t).abs() < 1e-9 && (hi - t).abs() < 1e-9, "{what}: {truth:?}, not {t}");
                }
                _ => panic!("{what}: {truth:?}, not {t:?}"),
            }
        }
        assert!((20..30).contains(&queries().len()));
    }

    fn ours() -> Vec<OutsideAnswer> {
        let answer = |smoke: &Smoke| {
            let impact = match &smoke.query {
                SmokeQuery::Linear(query) => LinearMethod::default().impact(query, 1.0),
                SmokeQuery::Rigid(query) => RigidMethod::default().impact(query, 1.0),
            };
            match impact.unwrap() {
                Impact::Free => OutsideAnswer::Free,
                Impact::At { t_safe, t_hit } => OutsideAnswer::Hit { t_safe, t_hit: Some(t_hit) },
                Impact::Undecided { t_safe, .. } => OutsideAnswer::Undecided { t_safe },
            }
        };
        queries().iter().map(answer).collect()
    }

    #[test]
    fn our_methods_are_right() {
        let report = examine(&ours());
        assert!(report.is_clean(), "{}", report.show());
        assert!(report.answered > 20 && report.mistakes.is_empty());
    }

    /// The report names the mistake of an adapter, and other mistakes that give the same answers.
    #[test]
    fn every_mistake_is_recognised() {
        for mistake in MISTAKES {
            let answer = |smoke: &Smoke| {
                let reading = |t| (mistake.reading)(&smoke.query, t);
                let t = if reading(0.0).is_some() {
                    first_contact(&smoke.query, |t| reading(t).unwrap())
                } else {
                    smoke.t
                };
                t.map_or(OutsideAnswer::Free, |t| OutsideAnswer::Hit { t_safe: t * 0.999, t_hit: None })
            };
            let report = examine(&queries().iter().map(answer).collect::<Vec<_>>());
            assert!(report.blames_adapter(), "{}: no query tells it", mistake.what);
            assert!(report.mistakes.contains(&mistake.what), "{}: {}", mistake.what, report.show());
            assert!(report.mistakes.len() <= 2, "{}: {}", mistake.what, report.show());
        }
    }

    #[test]
    fn a_fault_that_no_mistake_explains_is_none_of_an_adapter() {
        let mut answers = ours();
        answers[5] = OutsideAnswer::Free;
        let report = examine(&answers);
        assert_eq!((report.wrong.len(), report.mistakes.len()), (1, 0));
        assert!(!report.blames_adapter());
        assert!(report.show().contains("No mistake of an adapter"), "{}", report.show());
    }
}
