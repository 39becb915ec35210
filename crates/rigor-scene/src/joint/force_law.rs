//! The force of a drive as a function of the deviation of its coordinate from the goal.

use std::sync::Arc;

/// Maximum number of coefficients of a [`ForceLaw::Polynomial`].
pub const MAX_TERMS: usize = 5;

/// Steps of a root search. Newton's method needs few; from far outside of a cubic each takes a third off.
const MAX_ROUNDS: u32 = 4000;

/// The restoring force R(c) of a drive at the deviation c of its coordinate from the goal.
///
/// A drive pulls its coordinate with −R(c) − d ċ. R never falls: dR/dc ≥ 0.
#[derive(Debug, Clone, PartialEq)]
pub enum ForceLaw {
    /// R(c) = c/α.
    Linear {
        /// α (m/N or rad/(N m)), the inverse of the stiffness; 0 is rigid.
        compliance: f64,
    },
    /// R(c) = Σ kᵢ |c|ⁱ⁻¹ c for i = 1, 2, …: k₁ c + k₂ |c| c + k₃ c³ + …
    ///
    /// All 0 is a drive without a spring, of which only the damping acts.
    Polynomial {
        /// kᵢ ≥ 0 (N/mⁱ or N m/radⁱ).
        stiffness: [f64; MAX_TERMS],
    },
    /// R(c) by points, straight between them.
    Table(Arc<ForceTable>),
}

impl ForceLaw {
    /// Any force that holds the goal.
    pub const RIGID: Self = Self::Linear { compliance: 0.0 };
    /// No force.
    pub const NONE: Self = Self::Polynomial { stiffness: [0.0; MAX_TERMS] };

    /// Returns the law with these coefficients kᵢ (N/mⁱ or N m/radⁱ); with k₁ > 0 alone it is [`Linear`](Self::Linear).
    ///
    /// # Panics
    /// More than [`MAX_TERMS`] coefficients.
    ///
    /// ```
    /// use rigor_scene::ForceLaw;
    /// // 50 N/m and 10 N/m²: 50 · 2 + 10 · 2 · 2 N at 2 m.
    /// assert_eq!(ForceLaw::polynomial(&[50.0, 10.0]).force(-2.0), -140.0);
    /// assert_eq!(ForceLaw::polynomial(&[50.0, 0.0]), ForceLaw::Linear { compliance: 0.02 });
    /// ```
    pub fn polynomial(coefficients: &[f64]) -> Self {
        let mut stiffness = [0.0; MAX_TERMS];
        stiffness[..coefficients.len()].copy_from_slice(coefficients);
        let is_linear = stiffness[0] >= f64::MIN_POSITIVE && stiffness[1..].iter().all(|k| *k == 0.0);
        if is_linear {
            Self::Linear { compliance: 1.0 / stiffness[0] }
        } else {
            Self::Polynomial { stiffness }
        }
    }

    /// Whether it holds the goal with any force.
    pub fn is_rigid(&self) -> bool {
        match self {
            Self::Linear { compliance } => *compliance == 0.0,
            Self::Polynomial { .. } | Self::Table(_) => false,
        }
    }

    /// Returns the stiffness (N/m or N m/rad) if R is proportional to c and not rigid.
    ///
    /// ```
    /// use rigor_scene::ForceLaw;
    /// assert_eq!(ForceLaw::NONE.stiffness(), Some(0.0));
    /// assert_eq!(ForceLaw::Linear { compliance: 0.5 }.stiffness(), Some(2.0));
    /// assert_eq!(ForceLaw::RIGID.stiffness(), None);
    /// ```
    pub fn stiffness(&self) -> Option<f64> {
        match self {
            Self::Linear { compliance } => (*compliance > 0.0).then(|| 1.0 / compliance),
            Self::Polynomial { stiffness } => {
                stiffness[1..].iter().all(|k| *k == 0.0).then_some(stiffness[0])
            }
            Self::Table(_) => None,
        }
    }

    /// Returns R(c) (N or N m) at the deviation `c` (m or rad); of a rigid law 0 at 0 and ±∞ elsewhere.
    pub fn force(&self, c: f64) -> f64 {
        match self {
            Self::Linear { compliance } if *compliance == 0.0 && c == 0.0 => 0.0,
            Self::Linear { compliance } => c / compliance,
            Self::Polynomial { stiffness } => {
                let x = c.abs();
                stiffness.iter().rev().fold(0.0, |sum, k| sum * x + k) * c
            }
            Self::Table(table) => table.force(c),
        }
    }

    /// Returns dR/dc (N/m or N m/rad) at `c`; at a point of a table, that of the piece after it; ∞ of a rigid law.
    pub fn slope(&self, c: f64) -> f64 {
        match self {
            Self::Linear { compliance } => 1.0 / compliance,
            Self::Polynomial { stiffness } => {
                let x = c.abs();
                let terms = stiffness.iter().zip([1.0, 2.0, 3.0, 4.0, 5.0]).rev();
                terms.fold(0.0, |sum, (k, power)| sum * x + power * k)
            }
            Self::Table(table) => table.slope(c),
        }
    }

    /// Returns U(c) = ∫₀ᶜ R (J), the energy that it stores; 0 of a rigid law.
    ///
    /// ```
    /// use rigor_scene::ForceLaw;
    /// // ½ 50 · 4 + ⅓ 12 · 8 J.
    /// assert_eq!(ForceLaw::polynomial(&[50.0, 12.0]).energy(2.0), 132.0);
    /// ```
    pub fn energy(&self, c: f64) -> f64 {
        match self {
            Self::Linear { compliance } if *compliance == 0.0 => 0.0,
            Self::Linear { compliance } => c * c / (2.0 * compliance),
            Self::Polynomial { stiffness } => {
                let x = c.abs();
                let terms = stiffness.iter().zip([2.0, 3.0, 4.0, 5.0, 6.0]).rev();
                terms.fold(0.0, |sum, (k, power)| sum * x + k / power) * x * x
            }
            Self::Table(table) => table.energy(c),
        }
    }

    /// Returns the deviation c (m or rad) at which R(c) is `force` (N or N m), the one nearest to 0 if there are several; −∞ or ∞
    /// if no deviation is far enough.
    ///
    /// ```
    /// use rigor_scene::ForceLaw;
    /// assert!((ForceLaw::polynomial(&[1.0, 0.0, 1.0]).deviation(-10.0) + 2.0).abs() < 1e-15);
    /// assert_eq!(ForceLaw::NONE.deviation(1.0), f64::INFINITY);
    /// ```
    pub fn deviation(&self, force: f64) -> f64 {
        match self {
            Self::Linear { compliance } => compliance * force,
            Self::Polynomial { stiffness } => {
                if force == 0.0 {
                    return 0.0;
                }
                if stiffness.iter().all(|k| *k == 0.0) {
                    return force.signum() * f64::INFINITY;
                }
                let size = force.abs();
                let mut far = 1.0;
                while self.force(far) < size {
                    far *= 2.0;
                    if far == f64::INFINITY {
                        return force.signum() * far;
                    }
                }
                let residual = |c: f64| (self.force(c) - size, self.slope(c));
                force.signum() * root(residual, 0.0, far, far)
            }
            Self::Table(table) => table.deviation(force),
        }
    }

    /// Returns the x that solves p + q x + s R(c + w x) = 0, for q > 0, s ≥ 0 and w ≥ 0; for a law that is not rigid.
    ///
    /// The left side rises with x at least as q x does, so that there is one solution. It is found to rounding, by Newton's method
    /// between bounds; NaN if forces are beyond floating-point numbers.
    ///
    /// ```
    /// use rigor_scene::ForceLaw;
    /// // 2 + x + (1 + x)³ = 0 at x = −1.6823278…
    /// let x = ForceLaw::polynomial(&[0.0, 0.0, 1.0]).balance((2.0, 1.0), 1.0, (1.0, 1.0));
    /// assert!((2.0 + x + (1.0 + x).powi(3)).abs() < 1e-15);
    /// ```
    pub fn balance(&self, (p, q): (f64, f64), s: f64, (c, w): (f64, f64)) -> f64 {
        let residual = |x: f64| {
            let at = c + w * x;
            (p + q * x + s * self.force(at), q + s * w * self.slope(at))
        };
        let (first, slope) = residual(0.0);
        if first == 0.0 {
            return 0.0;
        }
        if !first.is_finite() || !slope.is_finite() {
            return f64::NAN;
        }
        // Between 0 and −first/q, at which q x alone has undone the residual.
        let far = -first / q;
        root(residual, far.min(0.0), far.max(0.0), 0.0)
    }
}

/// Returns where `f`, which gives a rising function and its slope, is 0 between `low` and `high`, by Newton's method from `x` with bisection
/// where that leaves the bounds.
fn root(f: impl Fn(f64) -> (f64, f64), mut low: f64, mut high: f64, mut x: f64) -> f64 {
    for _ in 0..MAX_ROUNDS {
        let (value, slope) = f(x);
        if value == 0.0 {
            return x;
        }
        if value > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= f64::EPSILON * x.abs() || next == low || next == high {
            return next;
        }
        x = next;
    }
    x
}

/// A restoring force by points, straight between them and continued beyond with the slopes of the outer pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceTable {
    /// c (m or rad) and R (N or N m).
    points: Vec<[f64; 2]>,
}

/// Why points make no [`ForceTable`].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TableError {
    /// There are fewer than two.
    #[error("expected at least two points")]
    TooFew,
    /// A number is not finite.
    #[error("expected finite numbers")]
    NotFinite {
        /// The point.
        index: usize,
    },
    /// A deviation is not above the one before.
    #[error("expected a deviation above that of the point before")]
    NotRising {
        /// The point.
        index: usize,
    },
    /// A force is below the one before.
    #[error(
        "expected at least the force of the point before: where a force falls, it pushes away from the goal"
    )]
    Falling {
        /// The point.
        index: usize,
    },
}

impl TableError {
    /// The point at fault, if one is.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::TooFew => None,
            Self::NotFinite { index } | Self::NotRising { index } | Self::Falling { index } => Some(*index),
        }
    }
}

impl ForceTable {
    /// Creates a table from points \[c, R\] (m and N, or rad and N m).
    ///
    /// # Errors
    /// [`TableError`] unless c rises and R does not fall from each point to the next.
    ///
    /// ```
    /// use rigor_scene::ForceTable;
    /// let stop = ForceTable::new(vec![[-1.0, -10.0], [0.0, 0.0], [1.0, 10.0], [2.0, 110.0]]).unwrap();
    /// assert_eq!((stop.force(0.5), stop.force(1.5), stop.force(3.0)), (5.0, 60.0, 210.0));
    /// assert!(ForceTable::new(vec![[0.0, 0.0], [1.0, -1.0]]).is_err());
    /// ```
    pub fn new(points: Vec<[f64; 2]>) -> Result<Self, TableError> {
        if points.len() < 2 {
            return Err(TableError::TooFew);
        }
        if let Some(index) = points.iter().position(|point| point.iter().any(|x| !x.is_finite())) {
            return Err(TableError::NotFinite { index });
        }
        for (index, pair) in (1..).zip(points.windows(2)) {
            let [c, force] = [0, 1].map(|k| pair[1][k] - pair[0][k]);
            if c <= 0.0 {
                return Err(TableError::NotRising { index });
            }
            if force < 0.0 {
                return Err(TableError::Falling { index });
            }
            // Steeper than any number.
            if !(force / c).is_finite() {
                return Err(TableError::NotFinite { index });
            }
        }
        Ok(Self { points })
    }

    /// Its points \[c, R\].
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Returns the table with deviations times `length` and forces times `force`, both positive.
    pub fn scaled(&self, length: f64, force: f64) -> Self {
        Self { points: self.points.iter().map(|[c, r]| [c * length, r * force]).collect() }
    }

    /// Returns R(c) (N or N m).
    pub fn force(&self, c: f64) -> f64 {
        let piece = self.piece(c);
        let [from, force] = self.points[piece];
        force + self.slope_of(piece) * (c - from)
    }

    /// Returns dR/dc (N/m or N m/rad); at a point, that of the piece after it.
    pub fn slope(&self, c: f64) -> f64 {
        self.slope_of(self.piece(c))
    }

    /// Returns ∫₀ᶜ R (J).
    pub fn energy(&self, c: f64) -> f64 {
        // ∫ from the first point: whole pieces, then the rest of one.
        let until = |c: f64| {
            let piece = self.piece(c);
            let whole: f64 = self.points[..=piece]
                .windows(2)
                .map(|p| 0.5 * (p[0][1] + p[1][1]) * (p[1][0] - p[0][0]))
                .sum();
            let [from, force] = self.points[piece];
            whole + (c - from) * 0.5 * (force + self.force(c))
        };
        until(c) - until(0.0)
    }

    /// Returns the c nearest to 0 at which R is `force`; ±∞ if it never is.
    fn deviation(&self, force: f64) -> f64 {
        let at_rest = self.force(0.0);
        if force == at_rest {
            return 0.0;
        }
        let n = self.points.len();
        let on = |piece: usize| {
            let [from, start] = self.points[piece];
            let slope = self.slope_of(piece);
            let run =
                if slope > 0.0 { (force - start) / slope } else { (force - start).signum() * f64::INFINITY };
            from + run
        };
        if force > at_rest {
            // The first piece that ends with it.
            let piece = (0..n - 1).find(|&piece| self.points[piece + 1][1] >= force).unwrap_or(n - 2);
            on(piece)
        } else {
            // The last piece that begins with it.
            let piece = (0..n - 1).rev().find(|&piece| self.points[piece][1] <= force).unwrap_or(0);
            let [to, end] = self.points[piece + 1];
            let slope = self.slope_of(piece);
            if slope > 0.0 { to + (force - end) / slope } else { f64::NEG_INFINITY }
        }
    }

    fn slope_of(&self, piece: usize) -> f64 {
        let [a, b] = [self.points[piece], self.points[piece + 1]];
        (b[1] - a[1]) / (b[0] - a[0])
    }

    /// The piece that contains `c`, or the outer one before or after all.
    fn piece(&self, c: f64) -> usize {
        let after = self.points.partition_point(|point| point[0] <= c);
        after.saturating_sub(1).min(self.points.len() - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> Vec<ForceLaw> {
        let table =
            |points: &[[f64; 2]]| ForceLaw::Table(Arc::new(ForceTable::new(points.to_vec()).unwrap()));
        vec![
            ForceLaw::Linear { compliance: 0.3 },
            ForceLaw::NONE,
            ForceLaw::polynomial(&[50.0, 10.0]),
            ForceLaw::polynomial(&[0.0, 0.0, 7.0, 0.0, 2.0]),
            table(&[[-1.0, -2.0], [0.5, 1.0], [2.0, 1.0], [3.0, 40.0]]),
            // Preloaded, and flat at both ends.
            table(&[[-2.0, 3.0], [-1.0, 3.0], [1.0, 5.0], [1.5, 5.0]]),
        ]
    }

    #[test]
    fn energy_slope_and_inverse_belong_to_the_force() {
        let h = 1e-5;
        for law in laws() {
            assert_eq!(law.energy(0.0), 0.0, "{law:?}");
            for k in -40..40 {
                let c = 0.1 * f64::from(k) + 0.0371;
                let (force, slope) = (law.force(c), law.slope(c));
                let rate = (law.energy(c + h) - law.energy(c - h)) / (2.0 * h);
                assert!(
                    (rate - force).abs() < 1e-6 * (1.0 + force.abs()),
                    "{law:?} at {c}: {rate} for {force}"
                );
                let rate = (law.force(c + h) - law.force(c - h)) / (2.0 * h);
                assert!((rate - slope).abs() < 1e-5 * (1.0 + slope), "{law:?} at {c}: {rate} for {slope}");
                let back = law.deviation(force);
                if slope > 0.0 {
                    assert!((back - c).abs() < 1e-12 * (1.0 + c.abs()), "{law:?} at {c}: back at {back}");
                }
            }
        }
    }

    #[test]
    fn forces_out_of_reach_have_no_deviation() {
        let laws = laws();
        assert_eq!(laws[1].deviation(-1.0), f64::NEG_INFINITY);
        let flat = &laws[5];
        assert_eq!((flat.deviation(2.9), flat.deviation(5.1)), (f64::NEG_INFINITY, f64::INFINITY));
        // The nearest of those with this force.
        assert_eq!((flat.deviation(3.0), flat.deviation(5.0)), (-1.0, 1.0));
    }

    #[test]
    fn an_implicit_force_balances_whatever_its_size() {
        for law in laws() {
            for size in [1e-9, 1e-3, 1.0, 1e4, 1e12] {
                for (p, c) in [(size, 1.0), (-size, 0.2), (0.0, size), (size, -size)] {
                    let (q, s, w) = (1.5, 0.25, 3.0);
                    let x = law.balance((p, q), s, (c, w));
                    let rest = p + q * x + s * law.force(c + w * x);
                    let terms = p.abs() + q * x.abs() + s * law.force(c + w * x).abs();
                    // The force at the nearest number to x.
                    let rounding = (q + s * w * law.slope(c + w * x)) * f64::EPSILON * (x.abs() + c.abs());
                    // A table adds to the force at a point, of up to 40 N.
                    let at_point = if let ForceLaw::Table(_) = law { 40.0 * s * f64::EPSILON } else { 0.0 };
                    assert!(
                        rest.abs() < 1e-14 * terms + 8.0 * rounding + at_point,
                        "{law:?}, {p}, {c}: off by {rest}"
                    );
                }
            }
        }
    }

    #[test]
    fn tables_that_fall_or_do_not_rise_are_refused() {
        let error = |points: &[[f64; 2]]| ForceTable::new(points.to_vec()).unwrap_err();
        assert_eq!(error(&[[0.0, 0.0]]), TableError::TooFew);
        assert_eq!(error(&[[0.0, 0.0], [0.0, 1.0]]), TableError::NotRising { index: 1 });
        assert_eq!(error(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]]), TableError::Falling { index: 2 });
        assert_eq!(error(&[[0.0, 0.0], [1.0, f64::NAN]]), TableError::NotFinite { index: 1 });
        assert_eq!(error(&[[0.0, 0.0], [5e-324, 1e300]]), TableError::NotFinite { index: 1 });
        assert_eq!(error(&[[0.0, 0.0], [1.0, -1.0]]).index(), Some(1));
    }
}
