//! Ray queries.

use rigor_math::Vec3;

use super::Bvh;
use crate::Aabb;

impl Bvh {
    /// The boxes that the ray x = `origin` + t `direction` meets for some 0 ≤ t ≤ `t_max`, ascending.
    ///
    /// Guarantee: no box that the exact ray meets is missed; boxes that it misses by a few units in the last
    /// place may be included.
    pub fn along_ray(&self, origin: &Vec3, direction: &Vec3, t_max: f64) -> Vec<u32> {
        self.leaves_where(|bounds| meets(bounds, origin, direction, t_max))
    }

    /// The first hit along the ray: the smallest t ≤ `t_max` that `hit` returns for any box on the ray, with
    /// the index of that box; the lowest index among ties.
    ///
    /// ```
    /// use rigor_geometry::{Aabb, Bvh};
    /// use rigor_math::Vec3;
    /// // Walls at x = 5 and x = 2.
    /// let walls = [5.0, 2.0];
    /// let boxes = walls.map(|x| Aabb::new(Vec3::new(x, -1.0, -1.0), Vec3::new(x, 1.0, 1.0)));
    /// let tree = Bvh::new(&boxes)?;
    /// let hit = |wall: u32| Some(walls[wall as usize]);
    /// assert_eq!(tree.cast_ray(&Vec3::zeros(), &Vec3::x(), 10.0, hit), Some((1, 2.0)));
    /// # Ok::<(), rigor_geometry::bvh::BvhError>(())
    /// ```
    pub fn cast_ray(
        &self,
        origin: &Vec3,
        direction: &Vec3,
        t_max: f64,
        hit: impl Fn(u32) -> Option<f64>,
    ) -> Option<(u32, f64)> {
        let mut first: Option<(u32, f64)> = None;
        let is_earlier =
            |leaf: u32, t: f64, (other, u): (u32, f64)| t.total_cmp(&u).then(leaf.cmp(&other)).is_lt();
        self.visit(
            |bounds| meets(bounds, origin, direction, t_max),
            |leaf| {
                if let Some(t) = hit(leaf).filter(|t| *t <= t_max)
                    && first.is_none_or(|first| is_earlier(leaf, t, first))
                {
                    first = Some((leaf, t));
                }
            },
        );
        first
    }
}

/// Whether the ray meets the box: the t-intervals between the pairs of opposite faces, widened by their
/// rounding errors, have a common point.
pub(crate) fn meets(bounds: &Aabb, origin: &Vec3, direction: &Vec3, t_max: f64) -> bool {
    const WIDER: f64 = 1.0 + 8.0 * f64::EPSILON;
    let (mut t_in, mut t_out) = (0.0_f64, t_max);
    for k in 0..3 {
        let (below, above) = (bounds.min[k] - origin[k], bounds.max[k] - origin[k]);
        if direction[k] == 0.0 {
            if below > 0.0 || above < 0.0 {
                return false;
            }
            continue;
        }
        let (t, u) = (below / direction[k], above / direction[k]);
        let (first, last) = (t.min(u), t.max(u));
        // Scale away from zero where that widens the interval, towards zero otherwise.
        t_in = t_in.max(if first > 0.0 { first / WIDER } else { first * WIDER });
        t_out = t_out.min(if last > 0.0 { last * WIDER } else { last / WIDER });
    }
    t_in <= t_out
}
