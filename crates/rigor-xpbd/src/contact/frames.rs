//! Frames of the bodies of a pair, applied to all its contacts.

use rigor_contact::Frame;
use rigor_math::Vec3;

use super::Contact;
use crate::body::SolverBody;

/// Frames of a pair's bodies in the world, applied to all its contacts.
pub(crate) struct PairFrames {
    a: Frame,
    b: Frame,
}

impl PairFrames {
    pub fn new(a: &SolverBody, b: &SolverBody) -> Self {
        Self { a: Frame::of(&a.pose), b: Frame::of(&b.pose) }
    }

    /// Returns the vector from b's point to a's (m, world), and the normal.
    pub fn gap(&self, contact: &Contact) -> (Vec3, Vec3) {
        let gap = self.a.point(&contact.point_a_local) - self.b.point(&contact.point_b_local);
        (gap, contact.feature.normal(&self.a, &self.b))
    }
}
