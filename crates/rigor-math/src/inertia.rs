//! Inertia tensors of rigid bodies, in kg m².
//!
//! A tensor I is symmetric and maps angular velocity to angular momentum. In the principal frame it is
//! diag(Ix, Iy, Iz), the principal moments; [`diagonalize`] finds that frame. Solvers store the moments as a
//! vector and turn vectors into the principal frame ([`apply`]) instead of turning the tensor, as
//! \[Mueller2020\] section 3.2.2 advises.

use crate::principal_inertia::symmetric_part;
pub use crate::principal_inertia::{PrincipalInertia, diagonalize};

use crate::{Mat3, UnitQuaternion, Vec3};

/// Maximum excess of a moment over the sum of the other two, relative to the largest moment.
///
/// A flat body meets the bound exactly, so rounding in its moments must be allowed for.
pub const MOMENT_TOLERANCE: f64 = 1e-9;

/// Principal moments that no body can have.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum InertiaError {
    /// A moment is NaN or infinite.
    #[error("the principal moments {moments:?} kg m² have one that is not finite")]
    NotFinite {
        /// The given moments (kg m²).
        moments: [f64; 3],
    },
    /// A moment is negative.
    #[error("the principal moment {moment:e} kg m² (index {index}) is negative")]
    Negative {
        /// Index of the moment (0 to 2).
        index: usize,
        /// Its value (kg m²).
        moment: f64,
    },
    /// A moment exceeds the sum of the other two.
    #[error(
        "the principal moment {moment:e} kg m² (index {index}) exceeds the sum {others:e} kg m² of the other two: \
         no distribution of mass has it"
    )]
    Triangle {
        /// Index of the moment (0 to 2).
        index: usize,
        /// Its value (kg m²).
        moment: f64,
        /// The sum of the other two (kg m²).
        others: f64,
    },
}

/// Checks that a body can have these principal moments (kg m²): Ix ≥ 0 and Ix ≤ Iy + Iz, in all orders.
///
/// Zero moments are allowed: a rod has one, a point three.
///
/// # Errors
/// The first rule violated, with its numbers; the triangle rule has the slack [`MOMENT_TOLERANCE`].
///
/// ```
/// use rigor_math::{Vec3, inertia};
/// assert!(inertia::check_moments(&Vec3::new(1.0, 2.0, 3.0)).is_ok()); // flat
/// assert!(inertia::check_moments(&Vec3::new(1.0, 2.0, 3.1)).is_err());
/// ```
pub fn check_moments(moments: &Vec3) -> Result<(), InertiaError> {
    if !moments.iter().all(|m| m.is_finite()) {
        return Err(InertiaError::NotFinite { moments: (*moments).into() });
    }
    if let Some(index) = (0..3).find(|&i| moments[i] < 0.0) {
        return Err(InertiaError::Negative { index, moment: moments[index] });
    }
    let index = moments.imax();
    let (moment, others) = (moments[index], moments[(index + 1) % 3] + moments[(index + 2) % 3]);
    if moment - others > MOMENT_TOLERANCE * moment {
        return Err(InertiaError::Triangle { index, moment, others });
    }
    Ok(())
}

/// The tensor of a body turned by `rotation`: R I Rᵀ.
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia, quaternion};
/// let quarter = quaternion::from_extrinsic_xyz_degrees(&Vec3::new(0.0, 0.0, 90.0));
/// let turned = inertia::rotated(&Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.5)), &quarter);
/// assert!((turned - Mat3::from_diagonal(&Vec3::new(2.0, 1.0, 2.5))).amax() < 1e-15);
/// ```
pub fn rotated(inertia: &Mat3, rotation: &UnitQuaternion) -> Mat3 {
    let r = rotation.to_rotation_matrix().into_inner();
    symmetric_part(&(r * inertia * r.transpose()))
}

/// The tensor about a point at `offset` (m) from the centre of mass (parallel-axis theorem):
/// I + m (‖d‖² 1 − d dᵀ).
///
/// `inertia` is about the centre of mass (kg m²), `mass` in kg; the sign of the offset does not matter.
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia};
/// let about = inertia::about_point(&Mat3::zeros(), 2.0, &Vec3::new(3.0, 0.0, 0.0));
/// assert_eq!(about, Mat3::from_diagonal(&Vec3::new(0.0, 18.0, 18.0)));
/// ```
pub fn about_point(inertia: &Mat3, mass: f64, offset: &Vec3) -> Mat3 {
    inertia + of_point(mass, offset)
}

/// The tensor about the centre of mass, from the `inertia` about a point at `offset` (m) from it; undoes
/// [`about_point`].
///
/// Loses digits if the offset is large compared with the body: integrate about a nearby point instead.
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia};
/// let (tensor, d) = (Mat3::identity(), Vec3::new(1.0, 2.0, 3.0));
/// assert_eq!(inertia::about_center_of_mass(&inertia::about_point(&tensor, 5.0, &d), 5.0, &d), tensor);
/// ```
pub fn about_center_of_mass(inertia: &Mat3, mass: f64, offset: &Vec3) -> Mat3 {
    inertia - of_point(mass, offset)
}

/// The tensor about the origin of a point mass (kg) at `position` (m): m (‖p‖² 1 − p pᵀ).
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia};
/// assert_eq!(inertia::of_point(2.0, &Vec3::z()), Mat3::from_diagonal(&Vec3::new(2.0, 2.0, 0.0)));
/// ```
pub fn of_point(mass: f64, position: &Vec3) -> Mat3 {
    from_second_moment(&(position * position.transpose() * mass))
}

/// The second moment of mass J = ∫ x xᵀ dm (kg m²) of a body with this tensor, in the same frame: ½ tr(I) 1 − I.
///
/// In the principal frame J = ½ diag(−Ix + Iy + Iz, Ix − Iy + Iz, Ix + Iy − Iz), and ½ tr(Q̇ J Q̇ᵀ) is the rotational
/// energy.
///
/// Source: \[Ferguson2021\] section 4.1, unnumbered. Deviation: for any frame.
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia};
/// let j = inertia::to_second_moment(&Mat3::from_diagonal(&Vec3::new(3.0, 4.0, 5.0)));
/// assert_eq!(j, Mat3::from_diagonal(&Vec3::new(3.0, 2.0, 1.0)));
/// ```
pub fn to_second_moment(inertia: &Mat3) -> Mat3 {
    Mat3::from_diagonal_element(0.5 * inertia.trace()) - inertia
}

/// The tensor of a body with the second moment of mass `j` (kg m²): tr(J) 1 − J. Undoes [`to_second_moment`].
///
/// ```
/// use rigor_math::{Mat3, Vec3, inertia};
/// let tensor = inertia::from_second_moment(&Mat3::from_diagonal(&Vec3::new(3.0, 2.0, 1.0)));
/// assert_eq!(tensor, Mat3::from_diagonal(&Vec3::new(3.0, 4.0, 5.0)));
/// ```
pub fn from_second_moment(j: &Mat3) -> Mat3 {
    Mat3::from_diagonal_element(j.trace()) - j
}

/// R diag(`diagonal`) Rᵀ v: a tensor given in the principal frame, applied to a world vector.
///
/// `rotation` maps principal to world components. With the moments it maps ω to angular momentum, with the inverse
/// moments a torque to angular acceleration.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, inertia};
/// let v = inertia::apply(&Vec3::new(1.0, 2.0, 3.0), &UnitQuaternion::identity(), &Vec3::new(1.0, 1.0, 1.0));
/// assert_eq!(v, Vec3::new(1.0, 2.0, 3.0));
/// ```
pub fn apply(diagonal: &Vec3, rotation: &UnitQuaternion, v_world: &Vec3) -> Vec3 {
    rotation * rotation.inverse_transform_vector(v_world).component_mul(diagonal)
}

/// The angular momentum about the centre of mass, L = R diag(I) Rᵀ ω (kg m²/s, world).
///
/// `moments` in kg m², `rotation` from principal to world, `omega_world` in rad/s.
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, inertia};
/// let l = inertia::angular_momentum(&Vec3::new(1.0, 2.0, 3.0), &UnitQuaternion::identity(), &Vec3::y());
/// assert_eq!(l, Vec3::new(0.0, 2.0, 0.0));
/// ```
pub fn angular_momentum(moments: &Vec3, rotation: &UnitQuaternion, omega_world: &Vec3) -> Vec3 {
    apply(moments, rotation, omega_world)
}

/// The kinetic energy ½ m ‖v‖² + ½ ω·Iω (J).
///
/// `mass` in kg, `v` of the centre of mass in m/s; the rest as in [`angular_momentum`].
///
/// ```
/// use rigor_math::{UnitQuaternion, Vec3, inertia};
/// let moments = Vec3::new(1.0, 2.0, 3.0);
/// let t = inertia::kinetic_energy(4.0, &Vec3::x(), &moments, &UnitQuaternion::identity(), &Vec3::y());
/// assert_eq!(t, 3.0); // ½·4·1² + ½·2·1²
/// ```
pub fn kinetic_energy(
    mass: f64,
    v: &Vec3,
    moments: &Vec3,
    rotation: &UnitQuaternion,
    omega_world: &Vec3,
) -> f64 {
    let omega = rotation.inverse_transform_vector(omega_world);
    0.5 * mass * v.norm_squared() + 0.5 * omega.component_mul(&omega).dot(moments)
}

#[cfg(test)]
mod tests;
