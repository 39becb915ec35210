//! The sets in which impulses lie.

use crate::Vec3;

/// The set in which the impulse of a block lies. Component 0 is normal, 1 and 2 are tangential.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cone {
    /// A contact with this coefficient of friction μ ≥ 0: K = {r : ‖r_T‖ ≤ μ r_N}.
    Friction(f64),
    /// Three rows that hold both ways, as those of a joint: K = R³.
    Whole,
}

impl Cone {
    /// The point of K nearest to `x`.
    ///
    /// ```
    /// use rigor_nonsmooth::{Cone, Vec3};
    /// let cone = Cone::Friction(1.0);
    /// assert_eq!(cone.project(&Vec3::new(2.0, 1.0, 0.0)), Vec3::new(2.0, 1.0, 0.0));
    /// assert_eq!(cone.project(&Vec3::new(0.0, 2.0, 0.0)), Vec3::new(1.0, 1.0, 0.0));
    /// assert_eq!(cone.project(&Vec3::new(-2.0, 1.0, 0.0)), Vec3::zeros());
    /// ```
    pub fn project(&self, x: &Vec3) -> Vec3 {
        let &Self::Friction(mu) = self else { return *x };
        let across = tangential(x);
        if x.x >= 0.0 && across <= mu * x.x {
            *x
        } else if mu * across <= -x.x {
            Vec3::zeros()
        } else {
            let normal = (x.x + mu * across) / (1.0 + mu * mu);
            Vec3::new(normal, mu * normal * (x.y / across), mu * normal * (x.z / across))
        }
    }

    /// The coefficient of friction μ; 0 for [`Cone::Whole`].
    pub fn friction(&self) -> f64 {
        match *self {
            Self::Friction(mu) => mu,
            Self::Whole => 0.0,
        }
    }

    /// Whether it is a contact.
    pub fn is_contact(&self) -> bool {
        match self {
            Self::Friction(_) => true,
            Self::Whole => false,
        }
    }
}

/// ‖x_T‖.
pub(crate) fn tangential(x: &Vec3) -> f64 {
    (x.y * x.y + x.z * x.z).sqrt()
}
