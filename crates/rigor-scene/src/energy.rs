//! Mechanical energy of a state, and energy that a step makes from nowhere.

use rigor_math::inertia;

use crate::body::Body;
use crate::placement::BodyState;
use crate::scene::Scene;
use crate::state::State;

pub mod elastic;
pub mod made;

/// Returns the kinetic energy of one body (J): ½ m ‖v‖² + ½ ω·Iω.
///
/// ```
/// # use rigor_scene::energy::kinetic;
/// # fn show(body: &rigor_scene::Body) {
/// // A body of 2 kg at 3 m/s that does not turn has ½·2·3² = 9 J.
/// let mut state = body.initial;
/// state.linear_velocity = rigor_math::Vec3::new(0.0, 3.0, 0.0);
/// assert_eq!(kinetic(body, &state), 9.0);
/// # }
/// ```
pub fn kinetic(body: &Body, state: &BodyState) -> f64 {
    let (v, omega) = (&state.linear_velocity, &state.angular_velocity);
    inertia::kinetic_energy(body.mass, v, &body.inertia, &state.pose.rotation, omega)
}

/// Returns the potential energy of one body (J): −(m g + F)·x, zero with the centre of mass at the world's
/// origin.
pub fn potential(scene: &Scene, body: &Body, state: &BodyState) -> f64 {
    -(scene.gravity * body.mass + body.force).dot(&state.pose.position)
}

/// Returns the kinetic and potential energy (J) of all dynamic bodies and of all particles of finite mass;
/// the potential energy includes that of bonds and attachments ([`elastic::energy`]).
pub fn of_state(scene: &Scene, state: &State) -> (f64, f64) {
    let bodies = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
    let of_bodies = bodies.map(|(body, at)| (kinetic(body, at), potential(scene, body, at)));
    let particles = scene.particles.iter().zip(&state.particles).filter(|(p, _)| p.mass.is_finite());
    let of_particles = particles.map(|(p, at)| {
        (0.5 * p.mass * at.velocity.norm_squared(), -p.mass * scene.gravity.dot(&at.position))
    });
    let elastic = (0.0, elastic::energy(scene, state));
    of_bodies.chain(of_particles).fold(elastic, |(t, v), (dt, dv)| (t + dt, v + dv))
}
