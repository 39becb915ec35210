//! Where points of A go during a piece of time, as seen from B: boxes around chords, boxes around rings, and
//! shells.

use rigor_geometry::Aabb;
use rigor_math::{Mat3, Vec3};

use super::tree::Sweep;
use crate::relative::U;

/// A placement of A in the frame of B: x ↦ M x + o.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    matrix: Mat3,
    matrix_abs: Mat3,
    offset: Vec3,
}

impl Placed {
    pub fn new(matrix: Mat3, offset: Vec3) -> Self {
        Self { matrix, matrix_abs: matrix.abs(), offset }
    }

    fn of_box(&self, bounds: &Aabb) -> Aabb {
        let center = self.matrix * bounds.center() + self.offset;
        let half = self.matrix_abs * (0.5 * bounds.extent());
        Aabb { min: center - half, max: center + half }
    }

    fn of_points(&self, points: &[Vec3]) -> Aabb {
        points.iter().fold(Aabb::EMPTY, |all, x| {
            let x = self.matrix * x + self.offset;
            Aabb { min: all.min.inf(&x), max: all.max.sup(&x) }
        })
    }
}

/// Boxes around the chords between placements: one placement for a body at rest, two for a moving one.
pub(super) struct Chord<const N: usize> {
    pub placed: [Placed; N],
    /// Enlargement (m): the deviation of points from the chord, the margin, and all rounding, including that
    /// of adding it.
    pub growth: f64,
}

fn grow(bounds: &Aabb, growth: f64) -> Aabb {
    Aabb { min: bounds.min.add_scalar(-growth), max: bounds.max.add_scalar(growth) }
}

impl<const N: usize> Chord<N> {
    fn around(&self, image: impl Fn(&Placed) -> Aabb) -> Aabb {
        let all = self.placed[1..].iter().map(&image).fold(image(&self.placed[0]), |all, b| all.union(&b));
        grow(&all, self.growth)
    }
}

impl<const N: usize> Sweep for Chord<N> {
    type Swept = Aabb;

    fn of_box(&self, bounds: &Aabb) -> Aabb {
        self.around(|placed| placed.of_box(bounds))
    }

    fn of_points(&self, points: &[Vec3]) -> Aabb {
        self.around(|placed| placed.of_points(points))
    }

    fn meets(&self, swept: &Aabb, bounds: &Aabb) -> bool {
        swept.overlaps(bounds)
    }
}

/// Boxes around the rings in which points turn about an axis through the centre of A, or around spheres if
/// there is no fixed axis.
pub(super) struct Ring {
    /// n in the frame of A.
    pub axis: Option<Vec3>,
    /// The centre and n in the frame of B, at both ends of the piece.
    pub ends: [(Vec3, Vec3); 2],
    /// Enlargement (m): the deviation of ring centres from their chord, rounding and margin.
    pub growth: f64,
    /// Bound on the change (dimensionless) of n from its value at either end, with rounding.
    pub tilt: f64,
}

/// The volume that the points of a ring sweep.
pub(super) struct Turned {
    pub bounds: Aabb,
    /// Bounds on the distance (m) of the points from the centre of A.
    near: f64,
    far: f64,
}

impl Ring {
    /// Returns the range of heights along the axis, and an upper bound on the distance from it.
    fn extent(&self, bounds: &Aabb) -> ([f64; 2], f64) {
        let (center, half) = (bounds.center(), 0.5 * bounds.extent());
        let Some(axis) = self.axis else {
            return ([0.0; 2], farthest(bounds, &Vec3::zeros()));
        };
        let (height, half_height) = (axis.dot(&center), axis.abs().dot(&half));
        ([height - half_height, height + half_height], (center - height * axis).norm() + half.norm())
    }
}

impl Sweep for Ring {
    type Swept = Turned;

    /// The points c + h n + ρ u for all u ⊥ n: along axis k they reach ρ √(1 − n_k²) from c + h n.
    fn of_box(&self, bounds: &Aabb) -> Turned {
        let (heights, radius) = self.extent(bounds);
        let mut swept = Aabb::EMPTY;
        for (center, axis) in &self.ends {
            let across = |k: usize| axis.cross(&Vec3::ith(k, 1.0)).norm() + self.tilt;
            let reach = match self.axis {
                Some(_) => Vec3::from_fn(|k, _| radius * across(k).min(1.0)),
                None => Vec3::repeat(radius),
            };
            for height in heights {
                let middle = center + height * axis;
                swept = swept.union(&Aabb { min: middle - reach, max: middle + reach });
            }
        }
        Turned {
            bounds: grow(&swept, self.growth),
            near: nearest(bounds, &Vec3::zeros()) - self.growth,
            far: farthest(bounds, &Vec3::zeros()) + self.growth,
        }
    }

    /// During the piece the centre moves on a chord, each point of which is within half its length of the
    /// nearer end.
    fn meets(&self, swept: &Turned, bounds: &Aabb) -> bool {
        let near = || self.ends.iter().map(|(c, _)| nearest(bounds, c)).fold(f64::INFINITY, f64::min);
        let half_chord = 0.5 * (self.ends[1].0 - self.ends[0].0).norm();
        let far = || self.ends.iter().map(|(c, _)| farthest(bounds, c)).fold(0.0, f64::max);
        swept.bounds.overlaps(bounds) && far() >= swept.near && near() - half_chord <= swept.far
    }
}

/// Bounds on the distances from both centres alone, however the bodies turn.
pub(super) struct Shell {
    /// The minimum and maximum distance (m) between the centres.
    pub between: [f64; 2],
    /// Rounding and margin (m).
    pub growth: f64,
}

impl Sweep for Shell {
    /// The minimum and maximum distance (m) from the centre of B.
    type Swept = [f64; 2];

    fn of_box(&self, bounds: &Aabb) -> [f64; 2] {
        let (near, far) = (nearest(bounds, &Vec3::zeros()), farthest(bounds, &Vec3::zeros()));
        let least = (self.between[0] - far).max(near - self.between[1]);
        [least - self.growth, self.between[1] + far + self.growth]
    }

    fn meets(&self, &[least, largest]: &[f64; 2], bounds: &Aabb) -> bool {
        nearest(bounds, &Vec3::zeros()) <= largest && farthest(bounds, &Vec3::zeros()) >= least
    }
}

/// Returns a lower bound on the distance (m) of `x` from the box: seven roundings.
fn nearest(bounds: &Aabb, x: &Vec3) -> f64 {
    bounds.distance_sq(x).sqrt() * (1.0 - 16.0 * U)
}

/// Returns an upper bound on the distance (m) of `x` from the farthest point of the box: seven roundings.
fn farthest(bounds: &Aabb, x: &Vec3) -> f64 {
    (bounds.min - x).abs().sup(&(bounds.max - x).abs()).norm() * (1.0 + 16.0 * U)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wide::{Wide, WideVec3};

    proptest! {
        /// The corners of a box of no size, and of one beside `x`, to twice the digits.
        #[test]
        fn distances_of_boxes_are_rounded_outward(
            x in prop::array::uniform3(-1.0..1.0f64), corner in prop::array::uniform3(-1.0..1.0f64), extent in prop::array::uniform3(0.0..1.0f64),
        ) {
            let (x, min) = (Vec3::from(x), Vec3::from(corner));
            let bounds = Aabb { min, max: min + Vec3::from(extent) };
            let distance_sq = |y: Vec3| {
                let d = WideVec3::difference(&y, &x);
                d.dot(&d)
            };
            let far = Vec3::from_fn(|k, _| {
                let is_max_farther = Wide::sum(bounds.max[k], -x[k]).high.abs() > Wide::sum(bounds.min[k], -x[k]).high.abs();
                if is_max_farther { bounds.max[k] } else { bounds.min[k] }
            });
            let near = x.sup(&bounds.min).inf(&bounds.max);
            let [found_far, found_near] = [farthest(&bounds, &x), nearest(&bounds, &x)];
            prop_assert!((Wide::product(found_far, found_far) - distance_sq(far)).high >= 0.0);
            prop_assert!((Wide::product(found_near, found_near) - distance_sq(near)).high <= 0.0);
            prop_assert!(found_far < distance_sq(far).high.sqrt() + 1e-14 && found_near > distance_sq(near).high.sqrt() - 1e-14);
        }
    }
}
