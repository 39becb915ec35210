//! The barrier of two edges, minus what their ends contribute elsewhere.

use crate::barrier::Barrier;

/// Number of squared distances: of the pair itself and of the four ends of its edges.
pub(crate) const MOST: usize = 5;

/// G = b₀ Π (1 − ψᵢ bᵢ/b₀) and its derivatives by squared distances: b₀ = b(d²) of the two primitives; for
/// two edges, bᵢ is that of end i and the other edge.
///
/// An end that is a corner already counts, with its body's other corners, against the whole surface of the
/// other body. So ψ = 1 there, and G vanishes where that end is nearest: as the corner passes over the edge
/// of a face, its own term falls to bᵢ and G rises by as much. Where an edge continues straight, ψ = ½; its
/// continuation has the other half. No end is nearer than the edges are, bᵢ ≤ b₀, so 0 ≤ G ≤ b₀.
///
/// G is homogeneous of degree 1 in all b, and linear in each bᵢ, i > 0:
///
/// Gᵢ = −ψᵢ Π_{k≠i} (1 − ψₖ bₖ/b₀), Gᵢⱼ = (ψᵢ ψⱼ/b₀) Π_{k≠i,j} (1 − ψₖ bₖ/b₀), Gᵢᵢ = 0,
///
/// b₀ G₀ = G − Σ bᵢ Gᵢ, b₀ G₀ᵢ = −Σ bⱼ Gᵢⱼ, b₀ G₀₀ = −Σ bᵢ G₀ᵢ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing {
    /// G (m⁴).
    pub value: f64,
    /// Number of valid entries in the arrays below.
    pub n: usize,
    /// The squared distance of each entry: 0 for the pair, 1 + i for end i of its edges.
    pub which: [usize; MOST],
    /// ∂G/∂d² (m²).
    pub first: [f64; MOST],
    /// ∂²G/∂d²∂d².
    pub second: [[f64; MOST]; MOST],
}

/// An end within reach of the other edge.
#[derive(Clone, Copy, Default)]
struct End {
    which: usize,
    share: f64,
    d_sq: f64,
    b: f64,
}

/// b₀ and the ends within reach.
struct Values {
    b: f64,
    n: usize,
    ends: [End; MOST - 1],
}

impl Values {
    fn new(barrier: &Barrier, d_sq: f64, shares: &[f64; 4], end_d_sq: impl Fn(usize) -> f64) -> Self {
        let mut values = Self { b: barrier.value(d_sq), n: 0, ends: [End::default(); MOST - 1] };
        if values.b > 0.0 && values.b.is_finite() {
            for (i, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                let d_sq = end_d_sq(i);
                let b = barrier.value(d_sq);
                if b > 0.0 {
                    values.ends[values.n] = End { which: 1 + i, share, d_sq, b };
                    values.n += 1;
                }
            }
        }
        values
    }

    /// Returns Π (1 − ψ b/b₀) over all ends except `but`.
    fn product(&self, but: [usize; 2]) -> f64 {
        let rest = self.ends[..self.n].iter().filter(|end| !but.contains(&end.which));
        rest.map(|end| (1.0 - end.share * end.b / self.b).max(0.0)).product()
    }

    fn value(&self) -> f64 {
        self.b * self.product([0; 2])
    }
}

/// Returns G (m⁴) from squared distances; `end_d_sq` is called only for ends with ψ > 0.
pub(crate) fn value(barrier: &Barrier, d_sq: f64, shares: &[f64; 4], end_d_sq: impl Fn(usize) -> f64) -> f64 {
    Values::new(barrier, d_sq, shares, end_d_sq).value()
}

impl Crossing {
    /// Returns `None` where G is 0.
    pub fn new(
        barrier: &Barrier,
        d_sq: f64,
        shares: &[f64; 4],
        end_d_sq: impl Fn(usize) -> f64,
    ) -> Option<Self> {
        let values = Values::new(barrier, d_sq, shares, end_d_sq);
        let value = values.value();
        if value <= 0.0 {
            return None;
        }
        let mut crossing =
            Self { value, n: 1, which: [0; MOST], first: [0.0; MOST], second: [[0.0; MOST]; MOST] };
        let (slope, bend) = barrier.derivatives(d_sq);
        (crossing.first[0], crossing.second[0][0]) = (slope, bend);
        if values.n > 0 {
            crossing.take(&values, barrier, (slope, bend));
        }
        Some(crossing)
    }

    /// Returns the same with derivatives by the squared distances Dᵢ (m²) of primitives, in place of those of surfaces, which are nearer
    /// by ρ, the `offset` (m): sᵢ = (√Dᵢ − ρ)².
    ///
    /// ```text
    /// ∂s/∂D = (d − ρ)/d, ∂²s/∂D² = ρ/(2 d³), d = √D
    /// ```
    pub fn by_squares_of_primitives(mut self, offset: f64, square: impl Fn(usize) -> f64) -> Self {
        let mut slopes = [0.0; MOST];
        for i in 0..self.n {
            let d = square(self.which[i]).sqrt();
            slopes[i] = (d - offset) / d;
            self.second[i][i] =
                self.second[i][i] * slopes[i] * slopes[i] + self.first[i] * offset / (2.0 * d * d * d);
            self.first[i] *= slopes[i];
        }
        for i in 0..self.n {
            for j in (0..self.n).filter(|&j| j != i) {
                self.second[i][j] *= slopes[i] * slopes[j];
            }
        }
        self
    }

    fn take(&mut self, values: &Values, barrier: &Barrier, (slope, bend): (f64, f64)) {
        let ends = &values.ends[..values.n];
        let b = values.b;
        let mut by_b = [0.0; MOST];
        let mut by_bb = [[0.0; MOST]; MOST];
        for (i, end) in ends.iter().enumerate() {
            by_b[1 + i] = -end.share * values.product([end.which; 2]);
            for (j, other) in ends.iter().enumerate().filter(|(j, _)| *j != i) {
                by_bb[1 + i][1 + j] = end.share * other.share / b * values.product([end.which, other.which]);
            }
        }
        let weigh = |row: &[f64; MOST]| -> f64 {
            ends.iter().enumerate().map(|(i, end)| end.b / b * row[1 + i]).sum()
        };
        by_b[0] = self.value / b - weigh(&by_b);
        for i in 0..ends.len() {
            by_bb[0][1 + i] = -weigh(&by_bb[1 + i]);
            by_bb[1 + i][0] = by_bb[0][1 + i];
        }
        by_bb[0][0] = -weigh(&by_bb[0]);
        let mut slopes = [(slope, bend); MOST];
        for (i, end) in ends.iter().enumerate() {
            slopes[1 + i] = barrier.derivatives(end.d_sq);
            self.which[1 + i] = end.which;
        }
        self.n = 1 + ends.len();
        for i in 0..self.n {
            self.first[i] = by_b[i] * slopes[i].0;
            for j in 0..self.n {
                self.second[i][j] = by_bb[i][j] * slopes[i].0 * slopes[j].0;
            }
            self.second[i][i] += by_b[i] * slopes[i].1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_value() {
        let barrier = Barrier::new(1.0, 0.0);
        let at = [0.2, 0.3, 0.25, 0.5, 0.9];
        for shares in [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [1.0, 0.5, 0.0, 1.0], [0.5, 1.0, 1.0, 1.0]] {
            let value = |s: &[f64; 5]| value(&barrier, s[0], &shares, |i| s[1 + i]);
            let given = Crossing::new(&barrier, at[0], &shares, |i| at[1 + i]).unwrap();
            assert!((given.value - value(&at)).abs() < 1e-15);
            assert_eq!(given.n, 1 + shares.iter().filter(|share| **share > 0.0).count());
            let h = 1e-4;
            let moved = |i: usize, j: usize, by: [f64; 2]| {
                let mut s = at;
                s[given.which[i]] += by[0];
                s[given.which[j]] += by[1];
                value(&s)
            };
            for i in 0..given.n {
                let slope = (moved(i, i, [h, 0.0]) - moved(i, i, [-h, 0.0])) / (2.0 * h);
                assert!((slope - given.first[i]).abs() < 1e-5, "{shares:?} {i}: {slope} {}", given.first[i]);
                for j in 0..given.n {
                    let signs = [[h, h], [h, -h], [-h, h], [-h, -h]].map(|by| moved(i, j, by));
                    let bend = (signs[0] - signs[1] - signs[2] + signs[3]) / (4.0 * h * h);
                    let known = given.second[i][j];
                    assert!(
                        (bend - known).abs() < 1e-4 * (1.0 + known.abs()),
                        "{shares:?} {i} {j}: {bend} {known}"
                    );
                }
            }
        }
    }

    #[test]
    fn derivatives_by_the_distances_of_primitives_are_those_of_the_value() {
        let (barrier, offset) = (Barrier::new(1.0, 0.0), 0.7);
        let squares = [0.2_f64, 0.3, 0.25, 0.5, 0.9].map(|s| (s.sqrt() + offset) * (s.sqrt() + offset));
        let of_surfaces = |square: f64| (square.sqrt() - offset) * (square.sqrt() - offset);
        let shares = [1.0, 0.5, 0.0, 1.0];
        let given =
            Crossing::new(&barrier, of_surfaces(squares[0]), &shares, |i| of_surfaces(squares[1 + i]));
        let given = given.unwrap().by_squares_of_primitives(offset, |which| squares[which]);
        let h = 1e-4;
        let moved = |by: [(usize, f64); 2]| {
            let mut at = squares;
            by.iter().for_each(|(i, h)| at[given.which[*i]] += h);
            value(&barrier, of_surfaces(at[0]), &shares, |i| of_surfaces(at[1 + i]))
        };
        for i in 0..given.n {
            let slope = (moved([(i, h), (i, 0.0)]) - moved([(i, -h), (i, 0.0)])) / (2.0 * h);
            assert!((slope - given.first[i]).abs() < 1e-6, "{i}: {slope} {}", given.first[i]);
            for j in 0..given.n {
                let signs = [[h, h], [h, -h], [-h, h], [-h, -h]].map(|[a, b]| moved([(i, a), (j, b)]));
                let bend = (signs[0] - signs[1] - signs[2] + signs[3]) / (4.0 * h * h);
                let known = given.second[i][j];
                assert!((bend - known).abs() < 1e-5 * (1.0 + known.abs()), "{i} {j}: {bend} {known}");
            }
        }
    }

    #[test]
    fn nothing_is_left_where_a_corner_is_nearest_and_half_where_an_edge_goes_on() {
        let barrier = Barrier::new(1.0, 0.0);
        assert!(Crossing::new(&barrier, 0.3, &[0.0, 1.0, 0.0, 0.0], |_| 0.3).is_none());
        let half = Crossing::new(&barrier, 0.3, &[0.0, 0.5, 0.0, 0.0], |_| 0.3).unwrap();
        assert!((half.value - 0.5 * barrier.value(0.3)).abs() < 1e-15);
        assert!(Crossing::new(&barrier, 1.1, &[0.0; 4], |_| 0.0).is_none());
        assert_eq!(value(&barrier, 0.0, &[1.0; 4], |_| 0.0), f64::INFINITY);
    }
}
