//! Proof that a turning plane separates primitives, for all their trajectories at once.

use dashu_int::IBig;

use super::ball::{BITS, Ball, Vector};
use super::integer::root_up;
use super::nearest::{Plane, dot};
use super::straight::Point;

/// Degree of the interpolating polynomials.
const DEGREE: usize = 5;

/// Number of interpolation nodes.
pub(super) const NODES: usize = DEGREE + 1;

/// 240 times the Bernstein coefficients of the polynomial of degree 5 that is 1 at one of the times 0, 1/5,
/// …, 1 and 0 at the others.
const BERNSTEIN: [[i32; NODES]; NODES] = [
    [240, 0, 0, 0, 0, 0],
    [-308, 1200, -1200, 800, -300, 48],
    [269, -1450, 2950, -2300, 925, -154],
    [-154, 925, -2300, 2950, -1450, 269],
    [48, -300, 800, -1200, 1200, -308],
    [0, 0, 0, 0, 0, 240],
];

/// Binomial coefficients (5 over k).
const CHOOSE: [u32; NODES] = [1, 5, 10, 10, 5, 1];

/// Binomial coefficients (10 over k).
const CHOOSE_TWICE: [u32; 2 * DEGREE + 1] = [1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1];

/// Normals are scaled to a length of about 2¹²⁰.
const UNIT_BITS: usize = 120;

/// Returns a bound on the interpolation error, on a piece of length w, of a trajectory whose sixth derivative
/// is at most r ρ⁶: r (ρ w)⁶/6! max|s (s − 1/5) … (s − 1)|, where the maximum over s ∈ [0, 1] is below 1/900.
pub(super) fn remainder(radius: &IBig, rate: &IBig, width: &IBig) -> IBig {
    let product = |a: &IBig, b: &IBig| ((a * b) >> BITS) + 1;
    let x = product(rate, width);
    let square = product(&x, &x);
    product(radius, &product(&square, &product(&square, &square))) / 648_000 + 1
}

fn interpolate(at: [&Vector; NODES]) -> [Vector; NODES] {
    BERNSTEIN.map(|row| {
        std::array::from_fn(|i| {
            let (mut mid, mut rad) = (IBig::ZERO, IBig::ZERO);
            for (weight, x) in row.iter().zip(at) {
                mid += &x[i].mid * weight;
                rad += &x[i].rad * weight.unsigned_abs();
            }
            Ball { mid: mid / 240, rad: rad / 240 + 2 }
        })
    })
}

fn interpolate_exactly(at: &[Point]) -> Vec<Point> {
    let row = |row: &[i32; NODES]| -> Point {
        std::array::from_fn(|i| {
            row.iter().zip(at).fold(IBig::ZERO, |sum, (weight, x)| sum + &x[i] * weight) / 240
        })
    };
    BERNSTEIN.iter().map(row).collect()
}

/// Returns (10 over k) times the Bernstein coefficients of n·x, for n and x with the given coefficients.
fn product<T>(normal: &[Point], zero: &T, mut add: impl FnMut(T, &Point, usize, u32) -> T) -> Vec<T>
where
    T: Clone,
{
    let mut sums = vec![zero.clone(); 2 * DEGREE + 1];
    for (a, n) in normal.iter().enumerate() {
        for b in 0..NODES {
            let sum = std::mem::replace(&mut sums[a + b], zero.clone());
            sums[a + b] = add(sum, n, b, CHOOSE[a] * CHOOSE[b]);
        }
    }
    sums
}

/// Whether a turning plane keeps all pairs of points more than d apart on the whole piece.
///
/// `planes` and `points` are those at the six times; `remainders` holds one bound per point. Let n(t)
/// interpolate the normals. It is nearly a unit vector, and in any case ‖n‖ ≤ (1 + ‖n‖²)/2. Hence, with x the
/// interpolated trajectories, it suffices that n·(xᵢ − xⱼ) − d (1 + ‖n‖²)/2 − max‖n‖ (eᵢ + eⱼ) > 0, and for
/// that, that its Bernstein coefficients are positive.
pub(super) fn is_free(planes: &[Plane], points: &[&[Vector]], remainders: &[IBig], d: &IBig) -> bool {
    let normals: Vec<Point> = planes.iter().map(|plane| plane.scaled_normal(UNIT_BITS)).collect();
    let normal = interpolate_exactly(&normals);
    let longest = normal.iter().map(|n| root_up(&dot(n, n))).max().expect("six normals");
    let squares = product(&normal, &IBig::ZERO, |sum, n, b, weight| sum + dot(n, &normal[b]) * weight);
    let heights: Vec<Vec<Ball>> = (0..remainders.len())
        .map(|i| {
            let trajectory = interpolate(std::array::from_fn(|k| &points[k][i]));
            product(&normal, &Ball::exact(IBig::ZERO), |sum, n, b, weight| {
                let height = Plane::height(n, &trajectory[b]);
                &sum + &Ball { mid: height.mid * weight, rad: height.rad * weight }
            })
        })
        .collect();
    planes[0].pairs(remainders.len()).all(|(i, j)| {
        let off = (&remainders[i] + &remainders[j]) * &longest;
        // All multiplied by twice the unit of the normal.
        let same = (d << (2 * UNIT_BITS)) + (off << (UNIT_BITS + 1));
        (0..=2 * DEGREE).all(|k| {
            let gap = (&heights[i][k] - &heights[j][k]).lower() << (UNIT_BITS + 1);
            gap - d * (&squares[k]).max(&IBig::ZERO) > &same * CHOOSE_TWICE[k]
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rigor_math::Vec3;

    use super::super::ball::one;
    use super::super::body::Body;
    use super::*;
    use rigor_ccd::RigidMotion;

    #[test]
    fn interpolation_passes_through_its_nodes() {
        // t⁵ and 1 at k/5, multiplied by 5⁵.
        for power in [0, 5] {
            let value = |k: u32| IBig::from(k).pow(power) * IBig::from(5).pow(5 - power);
            let at: Vec<Point> = (0..6).map(|k| std::array::from_fn(|_| value(k) << 40)).collect();
            let c = interpolate_exactly(&at);
            for (k, at) in (0_u32..).zip(&at) {
                let sum = c.iter().zip(CHOOSE).zip(0..).fold(IBig::ZERO, |sum, ((c, choose), i)| {
                    sum + &c[0] * choose * IBig::from(k).pow(i) * IBig::from(5 - k).pow(5 - i)
                });
                let error: IBig = sum - &at[0] * IBig::from(3125);
                assert!(error < 20_000.into() && error > (-20_000).into(), "{error}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn ways_are_where_interpolation_says(
            theta in prop::array::uniform6(-3.0..3.0_f64), x in prop::array::uniform3(-1.0..1.0_f64),
            k in 0_u32..1000, halvings in 0_usize..12
        ) {
            let [a, b, c, d, e, f] = theta;
            let x = Vec3::from(x);
            let motion = RigidMotion::between([x, Vec3::zeros()], [Vec3::new(a, b, c), Vec3::new(d, e, f)]);
            let body = Body::new(&motion, &[x], 0);
            let part = (one() / 7) >> halvings;
            let at: Vec<_> = (0..NODES).map(|i| body.at(&(&part * i)).points.remove(0)).collect();
            let c = interpolate(std::array::from_fn(|i| &at[i]));
            // The polynomial at s = k/1000 of the piece, by definition.
            let power = |n: u32, i: u32| IBig::from(n).pow(usize::try_from(i).unwrap());
            let width = &part * (NODES - 1);
            let exact = &body.at(&(&width * k / 1000)).points[0];
            let allowed = remainder(&body.reaches[0].radius, &body.reaches[0].rate, &width);
            for axis in 0..3 {
                let sum = c.iter().zip(CHOOSE).zip(0..).fold(IBig::ZERO, |sum, ((c, choose), i)| {
                    sum + &c[axis].mid * choose * power(k, i) * power(1000 - k, 5 - i)
                });
                let off = sum / power(1000, 5) - &exact[axis].mid;
                // Times and rotations are rounded to 2⁻²⁵⁶ or a hundred times that.
                let most = &allowed + (IBig::ONE << 12);
                prop_assert!(off <= most && -off <= most);
            }
        }
    }

    #[test]
    fn the_nodes_polynomial_is_small() {
        let at = |s: f64| (0..6).map(|k| s - f64::from(k) / 5.0).product::<f64>().abs();
        let largest = (0..=10_000).map(|i| at(f64::from(i) * 1e-4)).fold(0.0, f64::max);
        // Between samples 1e-4 apart it changes by less than 1e-5, because its slope is below 0.04.
        assert!(largest + 1e-5 < 1.0 / 900.0, "{largest}");
    }
}
