//! Pose of a body at the end of a step without contact, and the change of its velocities by contact.

use rigor_math::driven_rotation::DrivenRotation;
use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, rotation_vector, skew, turning, unskew};
use rigor_scene::{Body, BodyState};

use crate::placement::{Coordinates, Placement};
use crate::second_moment::{j_of, scaled_columns};
use crate::stretch::Stretch;

/// Energy that a body may gain because its angular momentum does not turn with it, relative to its kinetic energy.
const MADE: f64 = 0.01;

/// Rounding errors of a velocity, in units of that of the placement per step.
const ROUNDINGS: f64 = 16.0;

/// Pose and velocities of a body at the end of a step without contact.
///
/// At the minimum of the incremental potential, a contact impulse moves the body from q̃ to q and from Q̃ to Q.
/// The impulse changes the velocities by the same displacement over h_b:
///
/// ```text
/// v⁺ = ṽ + (q − q̃)/h_b                L⁺ = L̃ + vee(M − Mᵀ)/h_b,  M = Q J Q̃ᵀ
/// ```
///
/// for E = (h/h_b)² (½ m ‖q − q̃‖² + ½ tr((Q − Q̃) J (Q − Q̃)ᵀ)), whose derivatives with respect to q and to a
/// rotation vector in world axes are, at the minimum, h² times the force and the torque of contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prediction {
    /// q̃ (m).
    pub position: Vec3,
    /// Q̃ as a quaternion; `None` for implicit Euler, where Q̃ is no rotation.
    pub rotation: Option<UnitQuaternion>,
    /// Rotation vector (rad, world) of the flight, whole turns included: exp(\[turn\]) Q = Q̃.
    pub turn: Vec3,
    /// Q̃; of an affine body Ã, see [`Prediction::stretched`].
    pub matrix: Mat3,
    /// Q or A at the end of the flight.
    pub goal: Mat3,
    /// ṽ (m/s, world).
    velocity: Vec3,
    /// L̃ (kg m²/s, world).
    momentum: Vec3,
    /// (Q, q) that place a point h_b before the end of the step at the velocity seen by friction, see
    /// [`Prediction::origin`].
    origin: (Mat3, Vec3),
    /// h_b (s): time for which an impulse moves the body.
    pub h: f64,
}

/// Excess of a state's velocities over those that fit an impulse at the start of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct VelocityExcess {
    /// m/s, world.
    velocity: Vec3,
    /// kg m²/s, world.
    momentum: Vec3,
}

/// The effect of contact on a body, as a constant acceleration and torque over the step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Push {
    /// m/s², world.
    pub acceleration: Vec3,
    /// N m, world.
    pub torque: Vec3,
}

impl Push {
    /// Returns the part of the push that counts half a step later in [`Prediction::impulse`].
    ///
    /// A force that is constant over a step of `h` (s) changes v by h F/m and q by ½ h² F/m. The minimum
    /// moves q by h² F/m, as if the whole impulse came at the start of the step. So v exceeds the velocity
    /// that fits q by ½ h F/m; for a body at rest, whose q does not change, the velocity that fits is ½ h g.
    /// The velocity of a state is that of the constant force; the result is the difference.
    ///
    /// An impact is no constant force. Of an acceleration beyond 2 ‖`weight`‖ (m/s²) only a part counts,
    /// which falls from 2 ‖`weight`‖ to ‖`weight`‖ as the impact becomes harder, so that bodies that were
    /// stopped are at rest.
    ///
    /// `share` is the part that counts: that of [`Push::share`], or less.
    pub fn lead(&self, share: f64, h: f64) -> VelocityExcess {
        VelocityExcess {
            velocity: self.acceleration * (0.5 * h * share),
            momentum: self.torque * (0.5 * h * share),
        }
    }

    /// Returns the part of the push that counts in [`Push::lead`], of a body with this `weight` (m/s²).
    pub fn share(&self, weight: &Vec3) -> f64 {
        let (size, even) = (self.acceleration.norm(), 2.0 * weight.norm());
        if size <= even { 1.0 } else { even / size * (0.5 + 0.5 * even / size) }
    }

    /// Returns the push that carries a body of this `weight` (m/s²) at rest.
    pub fn carrying(weight: &Vec3) -> Self {
        Self { acceleration: -weight, torque: Vec3::zeros() }
    }

    /// Returns the norm (m/s²) of the push by the kinetic energy that it gives the body in unit time.
    pub fn size(&self, body: &Body, rotation: &UnitQuaternion) -> f64 {
        let local = rotation.inverse_transform_vector(&self.torque);
        let turning: f64 =
            local.iter().zip(&body.inertia).map(|(t, i)| if *i > 0.0 { t * t / i } else { 0.0 }).sum();
        (self.acceleration.norm_squared() + turning / body.mass).sqrt()
    }

    /// Returns the push that keeps a body at rest.
    pub fn keeping(body: &Body, gravity: &Vec3) -> Self {
        Self {
            acceleration: along_free(&-weight(body, gravity), body.fixed.translation),
            torque: along_free(&-body.torque, body.fixed.rotation),
        }
    }

    pub fn times(&self, factor: f64) -> Self {
        Self { acceleration: self.acceleration * factor, torque: self.torque * factor }
    }

    pub fn minus(&self, other: &Self) -> Self {
        Self { acceleration: self.acceleration - other.acceleration, torque: self.torque - other.torque }
    }
}

/// A body in free flight.
struct Flight {
    position: Vec3,
    rotation: UnitQuaternion,
    velocity: Vec3,
    momentum: Vec3,
    law: DrivenRotation,
}

impl Flight {
    /// Returns the flight `h` (s) after `from`, whose velocity and angular momentum are first reduced by
    /// `lead`.
    fn of(body: &Body, gravity: &Vec3, from: &BodyState, lead: &VelocityExcess, h: f64) -> Self {
        let axes = body.fixed;
        let v = along_free(&(from.linear_velocity - lead.velocity), axes.translation);
        let a = along_free(&weight(body, gravity), axes.translation);
        let q = &from.pose.rotation;
        let law = law_without(body, from, lead);
        let rotation = law.fly(q, &law.angular_velocity(q, 0.0), h).rotation;
        Self {
            position: from.pose.position + h * v + (0.5 * h * h) * a,
            rotation,
            velocity: v + h * a,
            momentum: law.momentum_at(h),
            law,
        }
    }

    /// Returns the flight of a joined body that ends in this state.
    fn joined(body: &Body, end: &BodyState) -> Self {
        let (q, omega) = (&end.pose.rotation, &end.angular_velocity);
        let law = DrivenRotation::new(body.inertia, body.fixed.rotation, q, omega, Vec3::zeros());
        Self {
            position: end.pose.position,
            rotation: end.pose.rotation,
            velocity: end.linear_velocity,
            momentum: law.momentum,
            law,
        }
    }

    /// Returns the rotation vector (rad, world) of the flight of `h` (s), whole turns included.
    fn turn(&self, from: &BodyState, h: f64) -> Vec3 {
        let omega = self.law.angular_velocity_of(&self.rotation, &self.momentum);
        turning::nearest(
            &(self.rotation * from.pose.rotation.inverse()),
            &(0.5 * h * (from.angular_velocity + omega)),
        )
    }
}

/// Returns how a body turns that starts `from` a state with an angular momentum reduced by `lead`.
fn law_without(body: &Body, from: &BodyState, lead: &VelocityExcess) -> DrivenRotation {
    let (q, omega) = (&from.pose.rotation, &from.angular_velocity);
    let mut law = DrivenRotation::new(body.inertia, body.fixed.rotation, q, omega, body.torque);
    law.momentum -= lead.momentum;
    law
}

/// Returns a state with velocities reduced by `lead`.
pub(crate) fn without(body: &Body, from: &BodyState, lead: &VelocityExcess) -> BodyState {
    BodyState {
        pose: from.pose,
        linear_velocity: along_free(&(from.linear_velocity - lead.velocity), body.fixed.translation),
        angular_velocity: law_without(body, from, lead).angular_velocity(&from.pose.rotation, 0.0),
    }
}

/// Returns the acceleration (m/s²) by gravity and the body's constant force.
pub(crate) fn weight(body: &Body, gravity: &Vec3) -> Vec3 {
    gravity + body.force / body.mass
}

impl Prediction {
    /// Implicit Euler: q̃ = q + h q̇ + h² (g + f/m), Q̃ = Q + h Q̇, from Q, `matrix`.
    ///
    /// Source: \[Ferguson2021\] §4.1.
    pub fn implicit_euler(
        body: &Body,
        gravity: &Vec3,
        from: &BodyState,
        (matrix, big_q_dot): (Mat3, &Mat3),
        h: f64,
    ) -> Self {
        let velocity = from.linear_velocity + h * weight(body, gravity);
        Self {
            position: from.pose.position + h * velocity,
            rotation: None,
            turn: h * from.angular_velocity,
            matrix: matrix + h * big_q_dot,
            goal: matrix + h * big_q_dot,
            velocity,
            momentum: Vec3::zeros(),
            origin: (matrix, from.pose.position),
            h,
        }
    }

    /// Free flight from a state whose velocities exceed those of the flight by `lead`; impulses move the body
    /// for the whole step.
    pub fn impulse(body: &Body, gravity: &Vec3, from: &BodyState, lead: &VelocityExcess, h: f64) -> Self {
        Self::first_order(&Flight::of(body, gravity, from, lead, h), from, h)
    }

    /// The same of a body that joints hold, whose flight from a state without lead leads to `end`.
    pub fn impulse_joined(body: &Body, from: &BodyState, end: &BodyState, h: f64) -> Self {
        Self::first_order(&Flight::joined(body, end), from, h)
    }

    fn first_order(flight: &Flight, from: &BodyState, h: f64) -> Self {
        let goal = flight.rotation.to_rotation_matrix().into_inner();
        Self {
            position: flight.position,
            rotation: Some(flight.rotation),
            turn: flight.turn(from, h),
            matrix: goal,
            goal,
            velocity: flight.velocity,
            momentum: flight.momentum,
            // Friction sees the mean velocity over the step, which is 0 if the body stays.
            origin: (from.pose.rotation.to_rotation_matrix().into_inner(), from.pose.position),
            h,
        }
    }

    /// Second-order backward differentiation: h_b = ⅔ h. With the flights b from the state over h and a from
    /// the state `before` it over 2h, both to the end of the step,
    ///
    /// ```text
    /// q̃ = q_b + (q_b − q_a)/3 + 4/9 h (v_a − v_b)                    ṽ = (4 v_b − v_a)/3
    /// Q̃ = exp([−α/3 + 4/9 h I⁻¹(L_a − L_b)]) Q_b, Q_a = exp([α]) Q_b   L̃ = (4 L_b − L_a)/3
    /// ```
    ///
    /// Derivation: 3q⁺ − 4q + q₋ = 2h v⁺ and 3v⁺ − 4v + v₋ = 2h (g + F⁺/m) are q⁺ = q̃ + 4/9 h² F⁺/m and
    /// v⁺ = ṽ + ⅔ h F⁺/m with q̃ = (4q − q₋)/3 + 2/9 h (4v − v₋) + 4/9 h² g; insert q and v flown back from b,
    /// and q₋ and v₋ from a. Without contact a = b, and the flight is exact. Rotations use the same formula
    /// in the rotation vector at Q_b, in world axes; its error is of third order in h, as that of the
    /// formula.
    pub fn bdf2(body: &Body, gravity: &Vec3, from: &BodyState, before: &BodyState, h: f64) -> Self {
        let none = VelocityExcess::default();
        let b = Flight::of(body, gravity, from, &none, h);
        let a = Flight::of(body, gravity, before, &none, 2.0 * h);
        Self::second_order(&b, &a, from, h)
    }

    /// The same of a body that joints hold, whose flights b and a lead to these ends.
    pub fn bdf2_joined(body: &Body, from: &BodyState, [b, a]: [&BodyState; 2], h: f64) -> Self {
        Self::second_order(&Flight::joined(body, b), &Flight::joined(body, a), from, h)
    }

    fn second_order(b: &Flight, a: &Flight, from: &BodyState, h: f64) -> Self {
        let position =
            b.position + (b.position - a.position) / 3.0 + (4.0 / 9.0 * h) * (a.velocity - b.velocity);
        let behind = rotation_vector::log(&(a.rotation * b.rotation.inverse()));
        let faster = b.law.angular_velocity_of(&b.rotation, &(a.momentum - b.momentum));
        let mut rotation = rotation_vector::exp(&(faster * (4.0 / 9.0 * h) - behind / 3.0)) * b.rotation;
        rotation.renormalize();
        let velocity = (4.0 * b.velocity - a.velocity) / 3.0;
        let momentum = (4.0 * b.momentum - a.momentum) / 3.0;
        let omega = b.law.angular_velocity_of(&rotation, &momentum);
        let turn = turning::nearest(&(rotation * from.pose.rotation.inverse()), &b.turn(from, h));
        let (h, matrix) = (2.0 / 3.0 * h, rotation.to_rotation_matrix().into_inner());
        // Friction sees the velocity at the end: ṽ and [ω̃] Q̃, plus what the impulse adds.
        let origin = (matrix - h * skew(&omega) * matrix, position - h * velocity);
        Self { position, rotation: Some(rotation), turn, matrix, goal: matrix, velocity, momentum, origin, h }
    }

    /// Returns the flight of an affine body, from the matrix `start` with the strain `strain`, in a step of `h` (s).
    ///
    /// Its flight ends at A = Q̃ S, and Ã makes this the minimum of E + h² V where nothing touches the body, see [`Stretch::flown`]. So the
    /// flight is that of the rigid body, and contact moves both by the same formula. Implicit Euler, whose Ã = A + h Ȧ is no flight,
    /// keeps it.
    pub fn stretched(self, body: &Body, stretch: &Stretch, (start, strain): (&Mat3, &Mat3), h: f64) -> Self {
        let Some(rotation) = self.rotation else { return self };
        let law = DrivenRotation {
            moments: body.inertia,
            fixed: body.fixed.rotation,
            momentum: Vec3::zeros(),
            torque: Vec3::zeros(),
        };
        let omega = law.angular_velocity_of(&rotation, &self.momentum);
        let (goal, matrix) = stretch.flown(body, (&rotation, &omega), strain, self.h, h);
        // Friction sees the mean velocity, or that at the end.
        let origin = if self.h < h { goal - self.h * skew(&omega) * goal } else { *start };
        Self { goal, matrix, origin: (origin, self.origin.1), ..self }
    }

    /// Returns the mean acceleration (m/s²) of the flight from this velocity.
    pub fn acceleration(&self, from: &Vec3, h: f64) -> Vec3 {
        (self.velocity - from) / h
    }

    /// Returns where the body is without contact, if it starts at `from`.
    pub fn placed(&self, from: &Placement) -> Placement {
        let turned = || rotation_vector::exp(&self.turn) * from.rotation;
        let pose = Pose::new(self.position, self.rotation.unwrap_or_else(turned));
        match (from.coordinates, self.rotation) {
            (Coordinates::Affine, Some(_)) => Placement::affine(&pose, self.goal),
            (Coordinates::Affine, None) => Placement::new(&pose, Coordinates::Affine),
            (Coordinates::Local | Coordinates::RotationVector, _) => {
                Placement::new(&pose, Coordinates::Local)
            }
        }
    }

    /// Returns x − h_b ẋ: where the point x̂ (m, local) was h_b before the end, if it moved at the constant
    /// velocity ẋ that friction sees. It does not depend on where the step ends.
    pub fn origin(&self, x_local: &Vec3) -> Vec3 {
        self.origin.0 * x_local + self.origin.1
    }

    /// Returns the velocity (m/s, world) that friction sees of the point x̂ (m, local) if the step ends at
    /// `place`.
    pub fn velocity_at(&self, place: &Placement, x_local: &Vec3) -> Vec3 {
        (place.point(x_local) - self.origin(x_local)) / self.h
    }

    /// Returns the body at `place`, to which contact has moved it by this push over a step of `h` (s); `share` is the part of the push
    /// that counts in [`Push::lead`].
    pub fn arrived(&self, body: &Body, place: &Placement, push: &Push, share: f64, h: f64) -> BodyState {
        // First order stores the velocity of a constant force, see `Push::lead`; second order needs no
        // correction.
        let lead = if self.h < h { VelocityExcess::default() } else { push.lead(share, h) };
        let velocity = self.velocity + self.h * push.acceleration + lead.velocity;
        let (torque, after) = (self.h * push.torque, lead.momentum);
        let energy = 0.5 * body.mass * velocity.norm_squared();
        let angular_velocity = self.turning(body, place, [torque, after], energy);
        BodyState { pose: place.pose(), linear_velocity: velocity, angular_velocity }
    }

    /// Returns ω⁺ (rad/s, world) of the body at `place` after angular impulses T (kg m²/s, world), to be added in this order; `energy` is that of
    /// its translation (J).
    ///
    /// L⁺ = L̃ + T keeps the angular momentum. But contact has turned the body by exp(\[δ\]) = Q Q̃ᵀ, and L̃ does not turn with
    /// it: seen from the body it turns by −δ. Where a moment Iₖ is small, this makes ω̃ₖ = (L̃ × δ)ₖ/Iₖ from nothing. Turned with
    /// the body, exp(\[δ\]) L̃ has the energy of the flight, and T adds the work T·(ω̃ + ω⁺)/2. That is taken where L̃ + T has more
    /// energy, by a part `MADE` of all that the body has. The error of the angular momentum, δ × L̃, is of the order of what
    /// the lever arms at the end of the step make anyway.
    fn turning(&self, body: &Body, place: &Placement, impulses: [Vec3; 2], energy: f64) -> Vec3 {
        let law = DrivenRotation {
            moments: body.inertia,
            fixed: body.fixed.rotation,
            momentum: Vec3::zeros(),
            torque: Vec3::zeros(),
        };
        let turning = |before: Vec3| {
            let momentum = before + impulses[0] + impulses[1];
            let omega = law.angular_velocity_of(&place.rotation, &momentum);
            (omega, 0.5 * omega.dot(&momentum))
        };
        let kept = turning(self.momentum);
        let Some(flight) = self.rotation.filter(|_| impulses != [Vec3::zeros(); 2]) else { return kept.0 };
        let carried = turning(place.rotation * (flight.inverse() * self.momentum));
        if kept.1 > carried.1 + MADE * (carried.1 + energy) { carried.0 } else { kept.0 }
    }

    /// Returns what contact did to a body that it has moved to `place`.
    pub fn push(&self, body: &Body, place: &Placement) -> Push {
        let m = scaled_columns(&place.matrix, &j_of(&body.inertia)) * self.matrix.transpose();
        let turn = 2.0 * unskew(&m);
        let share = 1.0 / (self.h * self.h);
        Push {
            acceleration: share * along_free(&(place.position - self.position), body.fixed.translation),
            torque: share * along_free(&turn, body.fixed.rotation),
        }
    }
}

/// Returns a vector without its components along fixed axes.
fn along_free(v: &Vec3, fixed: [bool; 3]) -> Vec3 {
    Vec3::from_fn(|k, _| if fixed[k] { 0.0 } else { v[k] })
}

/// Returns whether a body moves by less in a step of `h` (s) than the rounding error of its placement. The
/// angular momentum has the rounding error of the largest moment of inertia.
pub(crate) fn is_still(body: &Body, at: &BodyState, gravity: &Vec3, h: f64) -> bool {
    let (least, most) = (body.inertia.min(), body.inertia.max());
    let way = at.pose.position.norm() + h * h * weight(body, gravity).norm();
    let is_slow = h * at.linear_velocity.norm() <= ROUNDINGS * f64::EPSILON * way;
    is_slow && h * at.angular_velocity.norm() * least <= ROUNDINGS * f64::EPSILON * most
}
