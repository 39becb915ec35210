//! Exact answers in rational arithmetic, by methods other than those under test.

use dashu::rational::RBig;
use rigor_math::Vec3;

use crate::intersection::Relation;

/// The exact rational value of `x`.
pub fn rational(x: f64) -> RBig {
    RBig::try_from(x).expect("a finite number")
}

type Rational3 = [RBig; 3];

fn exact(points: &[Vec3]) -> Vec<Rational3> {
    points.iter().map(|p| [p.x, p.y, p.z].map(rational)).collect()
}

fn minus(a: &Rational3, b: &Rational3) -> Rational3 {
    std::array::from_fn(|i| &a[i] - &b[i])
}

fn dot(a: &Rational3, b: &Rational3) -> RBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn cross(a: &Rational3, b: &Rational3) -> Rational3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        &a[j] * &b[k] - &a[k] * &b[j]
    })
}

/// (b − a) × (c − a).
pub fn normal(a: &Vec3, b: &Vec3, c: &Vec3) -> Rational3 {
    let [a, b, c] = exact(&[*a, *b, *c]).try_into().expect("three points");
    cross(&minus(&b, &a), &minus(&c, &a))
}

/// ((b − a) × (c − a))·(d − a).
pub fn volume(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> RBig {
    let [a_exact, d_exact] = exact(&[*a, *d]).try_into().expect("two points");
    dot(&normal(a, b, c), &minus(&d_exact, &a_exact))
}

/// The solution of a linear system given by rows that end in the right-hand side, if there is exactly one.
fn solve(mut rows: Vec<Vec<RBig>>) -> Option<Vec<RBig>> {
    let n = rows[0].len() - 1;
    for column in 0..n {
        let pivot = (column..rows.len()).find(|&i| rows[i][column] != RBig::ZERO)?;
        rows.swap(column, pivot);
        let inverse = RBig::ONE / &rows[column][column];
        rows[column].iter_mut().for_each(|x| *x = &*x * &inverse);
        let pivot_row = rows[column].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != column && row[column] != RBig::ZERO {
                let factor = row[column].clone();
                row.iter_mut().zip(&pivot_row).for_each(|(x, p)| *x = &*x - &factor * p);
            }
        }
    }
    rows[n..]
        .iter()
        .all(|row| row[n] == RBig::ZERO)
        .then(|| rows[..n].iter().map(|row| row[n].clone()).collect())
}

/// All non-empty subsets of 0..n.
fn subsets(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (1..1u32 << n).map(move |mask| (0..n).filter(|i| mask >> i & 1 == 1).collect())
}

/// How the hulls of `a` and `b` meet: linear programming over the convex combinations Σ αᵢ aᵢ = Σ βⱼ bⱼ.
///
/// With αᵢ = ε + xᵢ and βⱼ = ε + yⱼ, the maximum ε over the vertices of the polytope {x, y, ε ≥ 0} decides
/// whether the relative interiors meet; every vertex is a solution on linearly independent columns.
pub fn contact(a: &[Vec3], b: &[Vec3]) -> Relation {
    // Numbers near 1 have shorter fractions; dividing by a power of two is exact.
    let size = a.iter().chain(b).map(Vec3::amax).fold(f64::MIN_POSITIVE, f64::max);
    let power_of_two = f64::from_bits(size.to_bits() >> 52 << 52);
    let unit = |points: &[Vec3]| exact(&points.iter().map(|p| p / power_of_two).collect::<Vec<_>>());
    let (points_a, points_b) = (unit(a), unit(b));
    let minus_one = -RBig::ONE;
    let column_a = points_a.iter().map(|p| [p[0].clone(), p[1].clone(), p[2].clone(), RBig::ONE, RBig::ZERO]);
    let column_b = points_b
        .iter()
        .map(|p| [&p[0] * &minus_one, &p[1] * &minus_one, &p[2] * &minus_one, RBig::ZERO, RBig::ONE]);
    let mut columns: Vec<[RBig; 5]> = column_a.chain(column_b).collect();
    let all: [RBig; 5] = std::array::from_fn(|i| columns.iter().fold(RBig::ZERO, |sum, c| sum + &c[i]));
    columns.push(all);
    let right = [RBig::ZERO, RBig::ZERO, RBig::ZERO, RBig::ONE, RBig::ONE];
    let eps = columns.len() - 1;
    let mut largest: Option<RBig> = None;
    for support in subsets(columns.len()).filter(|s| s.len() <= 5) {
        let row = |i: usize| {
            support.iter().map(|&j| columns[j][i].clone()).chain([right[i].clone()]).collect::<Vec<_>>()
        };
        let Some(solution) = solve((0..5).map(row).collect()) else { continue };
        if solution.iter().all(|x| *x >= RBig::ZERO) {
            let value = support.iter().position(|&j| j == eps).map_or(RBig::ZERO, |k| solution[k].clone());
            largest = Some(largest.map_or(value.clone(), |l: RBig| l.max(value)));
        }
    }
    match largest {
        None => Relation::Disjoint,
        Some(l) if l > RBig::ZERO && spans_space(&points_a, &points_b) => Relation::Crossing,
        Some(_) => Relation::Touching,
    }
}

/// Whether the differences within a and within b together span all three dimensions.
fn spans_space(a: &[Rational3], b: &[Rational3]) -> bool {
    let from_first = |p: &[Rational3]| p[1..].iter().map(|x| minus(x, &p[0])).collect::<Vec<_>>();
    let d = [from_first(a), from_first(b)].concat();
    let triples = (0..d.len()).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k))));
    triples.into_iter().any(|(i, j, k)| dot(&cross(&d[i], &d[j]), &d[k]) != RBig::ZERO)
}

/// The squared distance of the hulls of `a` and `b`: the minimum over all pairs of faces of the squared
/// distance of their affine hulls, where the closest points are convex combinations.
pub fn distance_sq(a: &[Vec3], b: &[Vec3]) -> RBig {
    let (a, b) = (exact(a), exact(b));
    let pairs = subsets(a.len()).flat_map(|s| subsets(b.len()).map(move |t| (s.clone(), t)));
    let distances = pairs.filter_map(|(s, t)| {
        let pick =
            |points: &[Rational3], set: &[usize]| set.iter().map(|&i| points[i].clone()).collect::<Vec<_>>();
        hull_distance_sq(&pick(&a, &s), &pick(&b, &t))
    });
    distances.min().expect("the vertices give a distance")
}

/// min ‖w + Σ yₖ dₖ‖² with w = a₀ − b₀ and d the differences within a and, negated, within b.
///
/// Solved by JᵀJ y = −Jᵀw. `None` if there is no unique solution or it is not a convex combination.
fn hull_distance_sq(a: &[Rational3], b: &[Rational3]) -> Option<RBig> {
    let w = minus(&a[0], &b[0]);
    let directions: Vec<Rational3> =
        a[1..].iter().map(|p| minus(p, &a[0])).chain(b[1..].iter().map(|q| minus(&b[0], q))).collect();
    let row = |d: &Rational3| directions.iter().map(|e| dot(d, e)).chain([-dot(d, &w)]).collect::<Vec<_>>();
    let y = if directions.is_empty() { vec![] } else { solve(directions.iter().map(row).collect())? };
    let is_convex = |y: &[RBig]| {
        y.iter().all(|c| *c >= RBig::ZERO) && y.iter().fold(RBig::ZERO, |sum, c| sum + c) <= RBig::ONE
    };
    if !is_convex(&y[..a.len() - 1]) || !is_convex(&y[a.len() - 1..]) {
        return None;
    }
    let r: Rational3 =
        std::array::from_fn(|i| directions.iter().zip(&y).fold(w[i].clone(), |sum, (d, c)| sum + &d[i] * c));
    Some(dot(&r, &r))
}

#[test]
fn the_oracle_knows_hand_made_cases() {
    let p = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let triangle = [p(0., 0., 0.), p(4., 0., 0.), p(0., 4., 0.)];
    let through = [p(1., 1., -1.), p(1., 1., 1.)];
    assert_eq!(contact(&triangle, &through), Relation::Crossing);
    assert_eq!(contact(&triangle, &[p(2., 2., -1.), p(2., 2., 1.)]), Relation::Touching);
    assert_eq!(contact(&triangle, &[p(3., 3., -1.), p(3., 3., 1.)]), Relation::Disjoint);
    assert_eq!(contact(&triangle, &triangle), Relation::Touching);
    assert_eq!(contact(&through, &through), Relation::Touching);
    assert_eq!(distance_sq(&triangle, &[p(3., 3., 0.)]), RBig::from(2));
    assert_eq!(distance_sq(&[triangle[0], triangle[1]], &[p(1., -3., 2.), p(1., 5., 2.)]), RBig::from(4));
}
