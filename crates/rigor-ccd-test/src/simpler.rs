//! Simpler versions of a query, with fewer binary digits and more zeros.

use nalgebra::Vector3;
use rigor_math::UnitQuaternion;

use rigor_ccd::{LinearQuery, RigidQuery};

/// A query as a list of numbers.
pub trait Numbers: Copy + PartialEq {
    /// Returns the coordinates that matter, then d_min.
    fn numbers(&self) -> Vec<f64>;
    /// Returns the query with other numbers; their count is that of [`numbers`](Self::numbers).
    fn with_numbers(&self, numbers: &[f64]) -> Self;
    /// Returns the query with identity orientations.
    fn upright(&self) -> Self;
}

/// Overwrites the coordinates of the vectors in order, then d_min.
fn overwrite<'a>(vectors: impl Iterator<Item = &'a mut Vector3<f64>>, d_min: &mut f64, numbers: &[f64]) {
    let mut numbers = numbers.iter().copied();
    for coordinate in vectors.flat_map(|v| v.iter_mut()).chain([d_min]) {
        *coordinate = numbers.next().unwrap_or(*coordinate);
    }
}

impl Numbers for LinearQuery {
    fn numbers(&self) -> Vec<f64> {
        let n = self.kind.n_points();
        let vectors = self.start[..n].iter().chain(&self.end[..n]);
        vectors.flat_map(|v| v.iter().copied()).chain([self.d_min]).collect()
    }

    fn with_numbers(&self, numbers: &[f64]) -> Self {
        let (mut query, n) = (*self, self.kind.n_points());
        overwrite(query.start[..n].iter_mut().chain(&mut query.end[..n]), &mut query.d_min, numbers);
        query
    }

    fn upright(&self) -> Self {
        *self
    }
}

impl Numbers for RigidQuery {
    fn numbers(&self) -> Vec<f64> {
        let motion = |m: &rigor_ccd::RigidMotion| [m.position_t0, m.position_t1, m.theta_t0, m.theta_t1];
        let motions = [motion(&self.motion_a), motion(&self.motion_b)].concat();
        let vectors = motions.iter().chain(&self.points_local[..self.kind.n_points()]);
        vectors.flat_map(|v| v.iter().copied()).chain([self.d_min]).collect()
    }

    fn with_numbers(&self, numbers: &[f64]) -> Self {
        let (mut query, n) = (*self, self.kind.n_points());
        let motions = [&mut query.motion_a, &mut query.motion_b];
        let vectors = motions
            .into_iter()
            .flat_map(|m| [&mut m.position_t0, &mut m.position_t1, &mut m.theta_t0, &mut m.theta_t1]);
        overwrite(vectors.chain(&mut query.points_local[..n]), &mut query.d_min, numbers);
        query
    }

    fn upright(&self) -> Self {
        let mut query = *self;
        for motion in [&mut query.motion_a, &mut query.motion_b] {
            motion.orientation = UnitQuaternion::identity();
        }
        query
    }
}

/// Numbers of significant binary digits to try, in order; 0 digits replace a number by 0.
const DIGITS: [u32; 7] = [0, 1, 2, 4, 8, 16, 26];

/// Rounds `x` to the nearest number with this many significant binary digits.
fn rounded(x: f64, digits: u32) -> f64 {
    if digits == 0 || x == 0.0 || !x.is_finite() {
        return if x.is_finite() { 0.0 } else { x };
    }
    let dropped = 53 - digits;
    let half = 1_u64 << (dropped - 1);
    let rounded = f64::from_bits((x.to_bits() + half) & !((1_u64 << dropped) - 1));
    if rounded.is_finite() { rounded } else { x }
}

/// Steps through queries simpler than the best so far, until none of them fails.
#[derive(Debug, Clone)]
pub(super) struct Simplifier<Q> {
    /// The simplest failing query so far.
    pub best: Q,
    step: usize,
    has_progressed: bool,
}

impl<Q: Numbers> Simplifier<Q> {
    pub fn new(failing: Q) -> Self {
        Self { best: failing, step: 0, has_progressed: false }
    }

    /// Returns the next query to try.
    pub fn next(&mut self) -> Option<Q> {
        loop {
            match self.candidate() {
                Some(candidate) => {
                    self.step += 1;
                    if candidate != self.best {
                        return Some(candidate);
                    }
                }
                None if self.has_progressed => (self.step, self.has_progressed) = (0, false),
                None => return None,
            }
        }
    }

    /// Records that `simpler` fails, too.
    pub fn accept(&mut self, simpler: Q) {
        self.best = simpler;
        self.has_progressed = true;
    }

    /// First all numbers at once, then the orientations, then each number.
    fn candidate(&self) -> Option<Q> {
        let mut numbers = self.best.numbers();
        let n_bulk = DIGITS.len() - 1;
        if self.step < n_bulk {
            let digits = DIGITS[1 + self.step];
            numbers.iter_mut().for_each(|x| *x = rounded(*x, digits));
            return Some(self.best.with_numbers(&numbers));
        }
        if self.step == n_bulk {
            return Some(self.best.upright());
        }
        let single = self.step - n_bulk - 1;
        let number = numbers.get_mut(single / DIGITS.len())?;
        *number = rounded(*number, DIGITS[single % DIGITS.len()]);
        Some(self.best.with_numbers(&numbers))
    }
}

/// Returns the simplest query found that still `fails`.
pub(super) fn simplest<Q: Numbers>(failing: Q, mut fails: impl FnMut(&Q) -> bool) -> Q {
    let mut simplifier = Simplifier::new(failing);
    // Every acceptance drops digits, so this terminates; the limit is for slow predicates.
    for _ in 0..4000 {
        let Some(candidate) = simplifier.next() else { break };
        if fails(&candidate) {
            simplifier.accept(candidate);
        }
    }
    simplifier.best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Family, generate};

    #[test]
    fn digits_are_dropped_to_the_nearest() {
        assert_eq!(
            [rounded(5.3, 1), rounded(5.3, 2), rounded(7.9, 2), rounded(-5.3, 0)],
            [4.0, 6.0, 8.0, 0.0]
        );
        assert_eq!(rounded(f64::MAX, 1), f64::MAX);
        assert!(rounded(f64::NAN, 2).is_nan());
    }

    #[test]
    fn what_matters_is_kept_and_the_rest_becomes_zero() {
        let query = generate::linear(Family::Transversal, 3, 3).query;
        let wanted = query.end[2].y;
        let simplest = simplest(query, |q| q.end[2].y == wanted);
        assert!(simplest.numbers().iter().all(|&x| x == 0.0 || x == wanted), "{simplest:?}");
    }

    #[test]
    fn numbers_go_back_to_where_they_came_from() {
        let rigid = generate::rigid(Family::Spinning, 1, 3).query;
        let doubled: Vec<f64> = rigid.numbers().iter().map(|x| 2.0 * x).collect();
        let query = rigid.with_numbers(&doubled);
        assert_eq!(query.numbers(), doubled);
        assert_eq!(query.motion_b.theta_t1, 2.0 * rigid.motion_b.theta_t1);
    }
}
