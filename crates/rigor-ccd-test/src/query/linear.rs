//! Queries of points with straight motions.

use rigor_ccd::{Kind, LinearQuery, Truth};
use rigor_math::Vec3;

use super::points::{
    backwards, constructor, cycled, exchanged, longest, paste_parts, paste_vector, with_garbage,
};
use super::{Bounds, Query, TINY, U};
use crate::exact;
use crate::hint::Hint;

impl Query for LinearQuery {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn d_min(&self) -> f64 {
        self.d_min
    }

    fn is_valid(&self) -> bool {
        Self::is_valid(self)
    }

    fn place(&self, t: f64) -> [Vec3; 4] {
        std::array::from_fn(|i| (1.0 - t) * self.start[i] + t * self.end[i])
    }

    /// The error of a coordinate of a point is at most 3u (1 − t) |x₀| + 2u t |x₁|; the speed is that of
    /// differences with such errors.
    fn bounds(&self) -> Bounds {
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let reach = longest(self.start[..n].iter().chain(&self.end[..n]).copied());
        let velocity = |i: usize| self.end[i] - self.start[i];
        let against = |i: usize| velocity(i) - velocity(n_a);
        let speed = longest((0..n_a).map(against)) + longest((n_a..n).map(against));
        Bounds { error: 16.0 * U * reach + TINY, speed: speed * (1.0 + 16.0 * U) + 16.0 * U * reach, reach }
    }

    fn truth(&self) -> Truth {
        crate::oracle::linear(self)
    }

    fn coincide(&self, hint: &Hint) -> bool {
        exact::coincide(self, hint)
    }

    fn paste(&self) -> String {
        let [a, b] = paste_parts(self.kind, |i| {
            let (start, end) = (paste_vector(&self.start[i]), paste_vector(&self.end[i]));
            format!("StraightMotion::between({start}, {end})")
        });
        format!("LinearQuery::{}(\n    {a},\n    {b},\n    {:?},\n)", constructor(self.kind), self.d_min)
    }

    fn swapped(&self) -> Option<Self> {
        let (start, end) = (exchanged(self.kind, &self.start)?, exchanged(self.kind, &self.end)?);
        Some(Self::new(self.kind, start, end, self.d_min))
    }

    fn reversed(&self) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| backwards(self.kind, points));
        Self::new(self.kind, start, end, self.d_min)
    }

    fn cycled(&self) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| points.map(|x| cycled(&x)));
        Self::new(self.kind, start, end, self.d_min)
    }

    fn scaled(&self, factor: f64) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| points.map(|x| x * factor));
        Self::new(self.kind, start, end, self.d_min * factor)
    }

    fn disoriented(&self) -> Vec<Self> {
        Vec::new()
    }

    fn with_garbage(&self) -> Self {
        let [start, end] = [&self.start, &self.end].map(|points| with_garbage(self.kind, points));
        Self::new(self.kind, start, end, self.d_min)
    }
}
