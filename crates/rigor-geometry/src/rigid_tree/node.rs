//! A box of the tree, with its children.

use rigor_math::Vec3;

use crate::Aabb;

/// Bounds are relaxed by this fraction of the coordinates, more than their roundings.
pub(super) const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) center: Vec3,
    /// Half of the edge lengths (m).
    pub(super) half: Vec3,
    pub(super) link: Link,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Link {
    /// The index of the box.
    Leaf(u32),
    /// The index of the second child.
    Second(u32),
}

impl Node {
    pub(super) fn around(bounds: &Aabb, link: Link) -> Self {
        let center = bounds.min + (bounds.max - bounds.min) / 2.0;
        let half = (bounds.max - center).sup(&(center - bounds.min)).map(f64::next_up);
        Self { center, half, link }
    }

    pub(super) fn bounds(&self) -> Aabb {
        Aabb { min: self.center - self.half, max: self.center + self.half }
    }

    pub(super) fn distance(&self, point: &Vec3) -> f64 {
        ((point - self.center).abs() - self.half).sup(&Vec3::zeros()).norm()
    }
}
