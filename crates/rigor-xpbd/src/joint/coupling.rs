//! Response of two bodies to a torque while the joint holds their origins together.

use rigor_math::{Mat3, Vec3, skew};

use super::SolverJoint;
use crate::body::SolverBody;
use crate::constraint::position::Levers;

/// Relative rotation of a against b after the next solve of the origins: θ = K τ + θ₀ for the torque τ.
pub(super) struct Coupling {
    /// K (1/(kg m²), world).
    pub mobility: Mat3,
    /// θ₀ (rad, world): rotation caused by the solve of the origins without a torque.
    pub shift: Vec3,
}

impl SolverJoint {
    /// Returns the coupling of the joint's angles to its origins.
    ///
    /// A torque τ moves a's end against b's by Qτ. An impulse p = −G(c + Qτ) cancels that, and rotates a
    /// against b by Sp. Hence K = I_a⁻¹ + I_b⁻¹ − S G Q and θ₀ = −S G c. Deviation from \[Mueller2020\]
    /// §3.2.2, w = nᵀI⁻¹n, where the position solve undoes part of the angular one: here an arm on a hinge
    /// resists a torque with its inertia about the hinge, not about its centre.
    pub(super) fn coupling(&self, a: &SolverBody, b: &SolverBody, h: f64) -> Coupling {
        let origins = self.origins(&self.frames(a, b), h);
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let response = origins.response(&levers.mobility(a, b));
        let g = origins.frame * response * origins.frame.transpose();
        let c = origins.frame * (origins.c + origins.alpha_tilde.component_mul(&self.lambda));
        let turns = a.inverse_inertia * skew(&levers.a_prev) + b.inverse_inertia * skew(&levers.b_prev);
        let moves = skew(&levers.a_now) * a.inverse_inertia + skew(&levers.b_now) * b.inverse_inertia;
        let turns = turns * g;
        Coupling { mobility: a.inverse_inertia + b.inverse_inertia + turns * moves, shift: -turns * c }
    }
}
