//! Contact forces on each body.

use rigor_math::Vec3;

use crate::method::{ContactReport, StepReport};

/// Total contact force on one body, averaged over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyForce {
    /// Sum of the normal forces (N, world).
    pub contact: Vec3,
    /// Sum of the friction forces (N, world).
    pub friction: Vec3,
}

impl BodyForce {
    /// No force.
    pub const ZERO: Self = Self { contact: Vec3::new(0.0, 0.0, 0.0), friction: Vec3::new(0.0, 0.0, 0.0) };
}

impl ContactReport {
    /// The normal force on body a (N, world).
    pub fn normal_force_world(&self) -> Vec3 {
        self.normal_world * self.normal_force
    }
}

impl StepReport {
    /// Computes F_b = Σ f for each of `n_bodies` bodies over its contacts with bodies and particles; the
    /// force on b is the opposite of the force on a.
    ///
    /// ```
    /// use rigor_math::Vec3;
    /// use rigor_scene::{BodyId, ContactReport, StepReport};
    /// let contact = ContactReport {
    ///     body_a: BodyId(1),
    ///     body_b: BodyId(0),
    ///     point_world: Vec3::zeros(),
    ///     normal_world: Vec3::y(),
    ///     distance: 0.0,
    ///     normal_force: 80.0,
    ///     friction_force_world: Vec3::x() * 3.0,
    ///     slip_velocity_world: Vec3::zeros(),
    ///     friction: (0.5, 0.5),
    /// };
    /// let forces = StepReport { contacts: vec![contact], ..StepReport::default() }.body_forces(2);
    /// assert_eq!((forces[0].contact, forces[0].friction), (Vec3::y() * -80.0, Vec3::x() * -3.0));
    /// assert_eq!((forces[1].contact, forces[1].friction), (Vec3::y() * 80.0, Vec3::x() * 3.0));
    /// ```
    ///
    /// # Panics
    /// If a contact names a body beyond `n_bodies`.
    pub fn body_forces(&self, n_bodies: usize) -> Vec<BodyForce> {
        let mut forces = vec![BodyForce::ZERO; n_bodies];
        for contact in &self.contacts {
            let (normal, friction) = (contact.normal_force_world(), contact.friction_force_world);
            let (a, b) = (contact.body_a.0, contact.body_b.0);
            forces[a].contact += normal;
            forces[a].friction += friction;
            forces[b].contact -= normal;
            forces[b].friction -= friction;
        }
        for contact in &self.particle_contacts {
            let force = &mut forces[contact.body.0];
            force.contact -= contact.normal_world * contact.normal_force;
            force.friction -= contact.friction_force_world;
        }
        forces
    }
}
