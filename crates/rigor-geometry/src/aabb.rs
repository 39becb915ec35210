//! Axis-aligned boxes.

use rigor_math::{Mat3, Pose, Vec3};

/// The closed box `min ≤ x ≤ max` (m); empty when some `min` exceeds its `max`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The smallest coordinates (m).
    pub min: Vec3,
    /// The largest coordinates (m).
    pub max: Vec3,
}

impl Aabb {
    /// The empty box: the neutral element of [`Aabb::union`].
    pub const EMPTY: Self = Self {
        min: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The box between two corners (m), given in any order.
    #[inline]
    pub fn new(a: Vec3, b: Vec3) -> Self {
        Self { min: a.inf(&b), max: a.sup(&b) }
    }

    /// The smallest box around `points` (m); [`Aabb::EMPTY`] if there are none.
    ///
    /// ```
    /// use rigor_geometry::Aabb;
    /// use rigor_math::Vec3;
    /// let bounds = Aabb::of_points([Vec3::new(1.0, 0.0, 5.0), Vec3::new(0.0, 2.0, 5.0)].iter());
    /// assert_eq!((bounds.min, bounds.max), (Vec3::new(0.0, 0.0, 5.0), Vec3::new(1.0, 2.0, 5.0)));
    /// ```
    #[inline]
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        points
            .into_iter()
            .fold(Self::EMPTY, |bounds, p| Self { min: bounds.min.inf(p), max: bounds.max.sup(p) })
    }

    /// Whether the box contains no point.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Whether every bound is finite.
    pub fn is_finite(&self) -> bool {
        self.min.iter().chain(self.max.iter()).all(|c| c.is_finite())
    }

    /// The middle (m).
    #[inline]
    pub fn center(&self) -> Vec3 {
        self.min + self.extent() / 2.0
    }

    /// The edge lengths (m).
    #[inline]
    pub fn extent(&self) -> Vec3 {
        self.max - self.min
    }

    /// The length (m) of the diagonal.
    #[inline]
    pub fn diagonal(&self) -> f64 {
        self.extent().norm()
    }

    /// The box with every face moved outwards by `margin` (m, ≥ 0), rounded outwards.
    ///
    /// Guarantee: a point within `margin` of the box along each axis lies in the result. A margin of zero
    /// returns the box unchanged.
    #[inline]
    #[must_use]
    pub fn grow(&self, margin: f64) -> Self {
        if margin == 0.0 {
            return *self;
        }
        Self {
            min: self.min.map(|c| (c - margin).next_down()),
            max: self.max.map(|c| (c + margin).next_up()),
        }
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Whether the boxes have a common point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Branch-free: in a tree query both answers are about equally likely.
        (0..3).fold(true, |all, k| all & (self.min[k] <= other.max[k]) & (other.min[k] <= self.max[k]))
    }

    /// Whether `other` lies entirely in this box; the boundary counts.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }

    /// Whether the point (m) lies in the box; the boundary counts.
    #[inline]
    pub fn contains_point(&self, point: &Vec3) -> bool {
        (0..3).all(|k| self.min[k] <= point[k] && point[k] <= self.max[k])
    }

    /// The squared distance (m²) from a point to the box; zero inside.
    #[inline]
    pub fn distance_sq(&self, point: &Vec3) -> f64 {
        (self.min - point).sup(&(point - self.max)).sup(&Vec3::zeros()).norm_squared()
    }

    /// A box around the image of this one under `pose`: c ↦ R c + p, e ↦ |R| e, rounded outwards.
    ///
    /// Guarantee: for every point x of the box, `pose.point(&x)`, as rounded, lies in the result. The widening is a
    /// few units in the last place of the largest coordinate involved.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        self.transformed_by(pose, &pose.rotation_matrix().abs())
    }

    /// As [`Aabb::transformed`], with the |R| of the pose precomputed, for transforming many boxes.
    pub(crate) fn transformed_by(&self, pose: &Pose, abs_rotation: &Mat3) -> Self {
        if self.is_empty() {
            return *self;
        }
        let (center, half) = (self.center(), self.extent() / 2.0);
        let reach = abs_rotation * half;
        let image = pose.point(&center);
        // About twenty roundings on either path, none of a term larger than this sum.
        let size = center.abs().sum() + half.sum() + pose.position.amax();
        let slack = Vec3::repeat(32.0 * f64::EPSILON * size);
        Self { min: image - reach - slack, max: image + reach + slack }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::UnitQuaternion;

    use super::*;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        [-size..size, -size..size, -size..size].prop_map(Vec3::from)
    }

    fn pose() -> impl Strategy<Value = Pose> {
        (vector(1e3), [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64]).prop_map(|(p, [x, y, z, w])| {
            Pose::new(p, UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
        })
    }

    proptest! {
        #[test]
        fn moved_points_stay_in_the_moved_box(
            a in vector(10.0), b in vector(1e-3), t in [0.0..=1.0, 0.0..=1.0, 0.0..=1.0f64], pose in pose(),
            corner in 0usize..8,
        ) {
            let bounds = Aabb::new(a, a + b);
            let moved = bounds.transformed(&pose);
            let inside = bounds.min + bounds.extent().component_mul(&Vec3::from(t));
            let inside = inside.inf(&bounds.max);
            let at = |k: usize| if corner >> k & 1 == 1 { bounds.max[k] } else { bounds.min[k] };
            prop_assert!(moved.contains_point(&pose.point(&inside)));
            prop_assert!(moved.contains_point(&pose.point(&Vec3::new(at(0), at(1), at(2)))));
            // Tight: no wider than the diagonal, up to the slack.
            prop_assert!(moved.extent().amax() <= bounds.diagonal() + 1e-10);
        }

        #[test]
        fn growing_covers_the_margin(a in vector(1e6), b in vector(1.0), margin in 1e-12..1e-3f64) {
            let bounds = Aabb::new(a, a + b);
            let grown = bounds.grow(margin);
            prop_assert!(grown.contains(&bounds));
            for k in 0..3 {
                prop_assert!(grown.min[k] < bounds.min[k] - margin || grown.min[k] < bounds.min[k]);
                prop_assert!(bounds.min[k] - grown.min[k] >= margin && grown.max[k] - bounds.max[k] >= margin);
            }
        }

        #[test]
        fn distance_is_that_to_the_clamped_point(a in vector(1.0), b in vector(1.0), p in vector(3.0)) {
            let bounds = Aabb::new(a, b);
            let clamped = p.sup(&bounds.min).inf(&bounds.max);
            prop_assert!((bounds.distance_sq(&p) - (p - clamped).norm_squared()).abs() <= 1e-14);
            prop_assert_eq!(bounds.contains_point(&p), bounds.distance_sq(&p) == 0.0);
        }
    }

    #[test]
    fn touching_boxes_overlap_and_the_empty_one_overlaps_nothing() {
        let unit = Aabb::new(Vec3::zeros(), Vec3::repeat(1.0));
        let next = Aabb::new(Vec3::new(1.0, 0.0, 0.0), Vec3::repeat(2.0));
        assert!(unit.overlaps(&next) && !unit.overlaps(&Aabb::EMPTY) && Aabb::EMPTY.is_empty());
        assert_eq!(Aabb::EMPTY.union(&unit), unit);
        assert!(unit.union(&next).contains(&next) && !unit.contains(&next));
        assert_eq!(unit.grow(0.0), unit);
    }
}
