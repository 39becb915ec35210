//! Whether two points meet.

use rigor_math::Vec3;

use super::Relation;
use crate::predicates::are_coincident;

/// `Touching` if p = q.
#[inline]
pub fn contact(p: &Vec3, q: &Vec3) -> Relation {
    Relation::touching_if(are_coincident(p, q))
}
