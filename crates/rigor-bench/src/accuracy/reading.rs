//! The quantity measured in a run, and the distance between two values of it.

use rigor_math::{UnitQuaternion, Vec3, inertia, quaternion};
use rigor_scene::{Body, Scene, State};
use serde::Deserialize;

use super::error::AnswerError;

/// A quantity and the bodies on which it is measured.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Reading {
    /// The quantity.
    #[serde(flatten)]
    pub kind: ReadingKind,
    /// The bodies, by name; the error of a case is the maximum over them.
    pub bodies: Vec<String>,
}

/// A quantity of a body.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReadingKind {
    /// Position of the centre of mass at the end (m).
    Position,
    /// Displacement along a direction (world) from start to end (m).
    Travel {
        /// The direction, of any length.
        along: [f64; 3],
    },
    /// Velocity of the centre of mass at the end (m/s).
    Velocity,
    /// Component of that velocity along a direction (world, m/s).
    Speed {
        /// The direction, of any length.
        along: [f64; 3],
    },
    /// Angular velocity at the end (rad/s, world).
    AngularVelocity,
    /// Component of the angular velocity at the end along a direction (world, rad/s).
    Spin {
        /// The direction, of any length.
        about: [f64; 3],
    },
    /// Orientation of the authored frame at the end; differences are angles (rad).
    Rotation,
    /// Direction of an axis of the authored frame at the end (unit vector, world).
    Axis {
        /// The axis in the authored frame.
        axis: [f64; 3],
    },
    /// Period of a swing (s): twice the mean time between passages of the centre of mass through the middle.
    ///
    /// A passage is a change of sign of the coordinate along `along`, measured from the point `about`; its
    /// time comes from linear interpolation between states.
    Period {
        /// The horizontal direction of the swing.
        along: [f64; 3],
        /// The middle of the swing (m).
        about: [f64; 3],
    },
    /// Height to which the centre of mass would rise from its state at the end, y + v_y²/(2 g) (m).
    Apex,
    /// Kinetic and potential energy at the end, ½ m v² + ½ ωᵀ I ω − m g·x (J).
    Energy,
}

/// The value of a quantity for one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A vector.
    Vector(Vec3),
    /// An orientation.
    Rotation(UnitQuaternion),
}

impl Value {
    /// Distance between two values: |a − b|, ‖a − b‖, or the angle between two orientations (rad).
    ///
    /// The distance between values of different kinds is infinite.
    pub fn distance(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => (a - b).abs(),
            (Self::Vector(a), Self::Vector(b)) => (a - b).norm(),
            (Self::Rotation(a), Self::Rotation(b)) => quaternion::difference(a, b).norm(),
            _ => f64::INFINITY,
        }
    }
}

impl Reading {
    /// The values of all bodies in `states`, which start at the initial state and finish at the final one.
    ///
    /// # Errors
    /// A body does not exist, or the states do not determine the quantity, such as the period of a body that
    /// does not swing.
    pub fn read(&self, scene: &Scene, states: &[State]) -> Result<Vec<Value>, AnswerError> {
        let of = |name: &String| {
            let id = scene.find_body(name).ok_or_else(|| AnswerError::NoBody { name: name.clone() })?;
            self.kind.read(scene, &scene.bodies[id.0], id.0, states)
        };
        self.bodies.iter().map(of).collect()
    }

    /// Whether states between the first and the last are needed.
    pub fn needs_all_states(&self) -> bool {
        matches!(self.kind, ReadingKind::Period { .. })
    }

    /// Unit of the values.
    pub fn unit(&self) -> &'static str {
        match self.kind {
            ReadingKind::Position | ReadingKind::Travel { .. } | ReadingKind::Apex => "m",
            ReadingKind::Velocity | ReadingKind::Speed { .. } => "m/s",
            ReadingKind::AngularVelocity | ReadingKind::Spin { .. } => "rad/s",
            ReadingKind::Rotation | ReadingKind::Axis { .. } => "rad",
            ReadingKind::Period { .. } => "s",
            ReadingKind::Energy => "J",
        }
    }

    /// Name of the quantity.
    pub fn words(&self) -> &'static str {
        match self.kind {
            ReadingKind::Position => "position at the end",
            ReadingKind::Travel { .. } => "distance travelled",
            ReadingKind::Velocity => "velocity at the end",
            ReadingKind::Speed { .. } => "speed at the end",
            ReadingKind::AngularVelocity => "angular velocity at the end",
            ReadingKind::Spin { .. } => "spin at the end",
            ReadingKind::Rotation => "orientation at the end",
            ReadingKind::Axis { .. } => "direction of the axis at the end",
            ReadingKind::Period { .. } => "period",
            ReadingKind::Apex => "height of the rebound",
            ReadingKind::Energy => "energy at the end",
        }
    }
}

impl ReadingKind {
    fn read(&self, scene: &Scene, body: &Body, index: usize, states: &[State]) -> Result<Value, AnswerError> {
        let (Some(first), Some(last)) = (states.first(), states.last()) else {
            return Err(AnswerError::NoState);
        };
        let (start, end) = (&first.bodies[index], &last.bodies[index]);
        let along = |v: Vec3, direction: &[f64; 3]| Value::Number(v.dot(&Vec3::from(*direction).normalize()));
        Ok(match self {
            Self::Position => Value::Vector(end.pose.position),
            Self::Travel { along: direction } => along(end.pose.position - start.pose.position, direction),
            Self::Velocity => Value::Vector(end.linear_velocity),
            Self::Speed { along: direction } => along(end.linear_velocity, direction),
            Self::AngularVelocity => Value::Vector(end.angular_velocity),
            Self::Spin { about } => along(end.angular_velocity, about),
            Self::Rotation => Value::Rotation(body.authored_pose(&end.pose).rotation),
            Self::Axis { axis } => Value::Vector(body.authored_pose(&end.pose).vector(&Vec3::from(*axis))),
            Self::Period { along, about } => {
                let (along, about) = (Vec3::from(*along).normalize(), Vec3::from(*about));
                let place =
                    |state: &State| (state.time, (state.bodies[index].pose.position - about).dot(&along));
                Value::Number(period(states.iter().map(place))?)
            }
            Self::Apex => {
                let v = end.linear_velocity.y;
                Value::Number(end.pose.position.y + v * v / (-2.0 * scene.gravity.y))
            }
            Self::Energy => {
                let (v, omega) = (&end.linear_velocity, &end.angular_velocity);
                let rotation = &end.pose.rotation;
                let kinetic = inertia::kinetic_energy(body.mass, v, &body.inertia, rotation, omega);
                Value::Number(kinetic - body.mass * scene.gravity.dot(&end.pose.position))
            }
        })
    }
}

/// Twice the mean time between changes of sign in a sequence of (time (s), coordinate).
fn period(course: impl Iterator<Item = (f64, f64)>) -> Result<f64, AnswerError> {
    let course: Vec<(f64, f64)> = course.collect();
    let passage = |pair: &[(f64, f64)]| {
        let [(t_a, x_a), (t_b, x_b)] = [pair[0], pair[1]];
        ((x_a < 0.0) != (x_b < 0.0)).then(|| t_a + (t_b - t_a) * x_a / (x_a - x_b))
    };
    let passages: Vec<f64> = course.windows(2).filter_map(passage).collect();
    match passages[..] {
        [first, .., last] => Ok(2.0 * (last - first) / (passages.len() - 1) as f64),
        _ => Err(AnswerError::NoPeriod { passages: passages.len() }),
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::elementary;

    use super::*;

    #[test]
    fn the_period_of_a_cosine_is_found() {
        let course = (0..=100).map(|k| (0.1 * f64::from(k), elementary::cos(0.2 * f64::from(k))));
        let found = period(course).unwrap();
        assert!((found - std::f64::consts::PI).abs() < 1e-3, "{found}");
        assert!(period([(0.0, 1.0), (1.0, 0.5)].into_iter()).is_err());
    }

    #[test]
    fn distances_are_differences_norms_and_angles() {
        assert_eq!(Value::Number(1.0).distance(&Value::Number(-2.0)), 3.0);
        assert_eq!(Value::Vector(Vec3::x()).distance(&Value::Vector(Vec3::zeros())), 1.0);
        let turned = quaternion::from_axis_angle(&Vec3::z_axis(), 0.5);
        let angle = Value::Rotation(UnitQuaternion::identity()).distance(&Value::Rotation(turned));
        assert!((angle - 0.5).abs() < 1e-15);
        assert_eq!(Value::Number(1.0).distance(&Value::Vector(Vec3::x())), f64::INFINITY);
    }
}
