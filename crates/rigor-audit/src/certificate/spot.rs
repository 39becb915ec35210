//! Where a body is about: rounded, to choose what to prove.

use rigor_math::{Mat3, Pose, UnitQuaternion, Vec3, polar};

/// An approximate placement. It is no bound and only serves to choose what to prove, but for [`Spot::off`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    /// The pose, by which trees are placed.
    pub pose: Pose,
    /// A, unless it is the rotation of the pose.
    matrix: Option<Mat3>,
}

impl Spot {
    /// The spot of a rigid body.
    pub fn rigid(pose: Pose) -> Self {
        Self { pose, matrix: None }
    }

    /// The spot of a body whose points are at A x̂ + `position` (m). Its pose has the rotation of the polar decomposition of A, or, if A has
    /// none, that of no turn.
    pub fn affine(position: Vec3, matrix: Mat3) -> Self {
        let rotation = polar::decompose(&matrix).map_or_else(UnitQuaternion::identity, |(r, _)| r);
        Self { pose: Pose::new(position, rotation), matrix: Some(matrix) }
    }

    /// Returns a point of the body (m, world).
    pub fn point(&self, local: &Vec3) -> Vec3 {
        match &self.matrix {
            None => self.pose.point(local),
            Some(matrix) => matrix * local + self.pose.position,
        }
    }

    /// Returns an upper bound on the distance (m) of any point within `radius` (m) of the centre of mass from where the pose places it:
    /// ‖A − R‖ r, with a margin over the roundings.
    pub fn off(&self, radius: f64) -> f64 {
        let Some(matrix) = &self.matrix else { return 0.0 };
        let difference = (matrix - self.pose.rotation_matrix()).norm();
        (difference * (1.0 + 1e-12) + 1e-12 * matrix.norm()) * radius
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_point_is_farther_off(a in prop::array::uniform9(-1.5..1.5f64), x in prop::array::uniform3(-2.0..2.0f64)) {
            let spot = Spot::affine(Vec3::y(), Mat3::from_iterator(a));
            let x = Vec3::from(x);
            prop_assert!((spot.point(&x) - spot.pose.point(&x)).norm() <= spot.off(x.norm()));
        }
    }
}
