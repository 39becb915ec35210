use proptest::prelude::*;

use super::*;
use crate::StraightMotion;
use crate::separating_plane::{LIMITS, linear};
use crate::wide::{Wide, WideVec3};

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn query() -> impl Strategy<Value = LinearQuery> {
    let places = || prop::array::uniform4(vector(1.0));
    (prop::sample::select(&Kind::ALL[..]), places(), places()).prop_map(|(kind, start, end)| LinearQuery {
        kind,
        start,
        end,
        d_min: 0.0,
    })
}

/// The value at s of a polynomial with these coefficients.
fn at(c: &[f64; 4], s: f64) -> f64 {
    let r = 1.0 - s;
    c[0] * r * r * r + 3.0 * c[1] * s * r * r + 3.0 * c[2] * s * s * r + c[3] * s * s * s
}

/// n·(xᵢ − xⱼ) at t, and ‖n‖.
fn gap(query: &LinearQuery, plane: &Plane, (i, j): (usize, usize), t: f64) -> (f64, f64) {
    let n = plane.e.at(t).cross(&plane.f.at(t));
    (n.dot(&Course::between(query, i, j).at(t)), n.norm())
}

proptest! {
    /// No pair of points has a smaller gap than those that are looked at.
    #[test]
    fn the_pairs_of_a_plane_have_the_smallest_gaps(query in query(), t in 0.0..1.0f64) {
        let x = Straight::new(&query).at(t);
        let (n_a, n) = (query.kind.sizes().0, query.kind.n_points());
        for plane in Plane::candidates(&query, &x, t).into_iter().flatten() {
            for t in [t, 0.3, 0.9] {
                let least = plane.pairs.iter().map(|&pair| gap(&query, &plane, pair, t).0).fold(f64::INFINITY, f64::min);
                for (i, j) in (0..n_a).flat_map(|i| (n_a..n).map(move |j| (i, j))) {
                    prop_assert!(least <= gap(&query, &plane, (i, j), t).0 + 1e-12);
                }
            }
        }
    }

    /// A plane ends before the first of 200 times at which one of its gaps is d_min ‖n‖, which is one at which they may touch.
    #[test]
    fn a_plane_ends_before_contact(query in query(), t_0 in 0.0..0.5f64, tau in 0.01..0.5f64) {
        let x = Straight::new(&query).at(t_0);
        let t_1 = t_0 + tau;
        for plane in Plane::candidates(&query, &x, t_0).into_iter().flatten() {
            let distance = |t: f64| {
                let of_pair = |&pair: &(usize, usize)| {
                    let (gap, length) = gap(&query, &plane, pair, t);
                    gap / length
                };
                plane.pairs.iter().map(of_pair).fold(f64::INFINITY, f64::min)
            };
            let times = (1..=200).map(|k| t_0 + tau * f64::from(k) / 200.0);
            let (least, first) = times.map(|t| (distance(t), t)).fold((f64::INFINITY, t_1), |a, b| if b.0 < a.0 { b } else { a });
            let query = query.with_d_min(least.max(0.0));
            let end = plane.end(&query, [t_0, t_1], 0.0);
            prop_assert!(end < first || (least < 0.0 && distance(end) > 0.0), "{end} {first} {least}");
        }
    }

    /// The share is positive up to its end, and all of it is used where the cubic is a line.
    #[test]
    fn a_cubic_is_positive_on_its_share(c in prop::array::uniform4(-1.0..1.0f64), s in 0.0..1.0f64) {
        let c = [c[0].abs() + 1e-9, c[1], c[2], c[3]];
        let share = positive_share(&c);
        prop_assert!(at(&c, s * share * (1.0 - 1e-12)) > -1e-15);
        let line: [f64; 4] = std::array::from_fn(|k| c[0] + (c[3] - c[0]) * k as f64 / 3.0);
        let root = if c[3] > 0.0 { 1.0 } else { c[0] / (c[0] - c[3]) };
        prop_assert!((positive_share(&line) - root).abs() < 1e-12);
    }

    /// Coefficients of gaps, with twice the digits, over all sizes of edges.
    #[test]
    fn rounding_of_coefficients_stays_within_its_bound(
        query in query(), sizes in prop::array::uniform2(-6..1i32), t in prop::array::uniform2(0.0..=1.0f64),
    ) {
        let scaled = |x: &Vec3, size: i32| x * 10f64.powi(size);
        let course = |k: usize, size: i32| {
            let (start, end) = (scaled(&query.start[k], size), scaled(&query.end[k], size));
            LinearQuery { kind: Kind::PointPoint, start: [start, query.start[3], start, start], end: [end, query.end[3], end, end], d_min: 0.0 }
        };
        let queries = [course(0, sizes[0]), course(1, sizes[1]), course(2, 0)];
        let exact = |query: &LinearQuery, t: f64| {
            let from = WideVec3::difference(&query.start[0], &query.start[1]);
            let to = WideVec3::difference(&query.end[0], &query.end[1]);
            from.add(&to.sub(&from).scale(t))
        };
        let [e, f, x] = queries.each_ref().map(|query| Course::between(query, 0, 1));
        let [(e_0, e_1), (f_0, f_1), (x_0, x_1)] = [e, f, x].map(|v| (v.at(t[0]), v.at(t[1])));
        let normals = normals([e_0, e_1], [f_0, f_1]);
        let rounded = coefficients(&normals, [x_0, x_1]);
        let [(e_0, e_1), (f_0, f_1), (x_0, x_1)] = queries.each_ref().map(|query| (exact(query, t[0]), exact(query, t[1])));
        let middle = e_0.cross(&f_1).add(&e_1.cross(&f_0));
        // Three times the coefficients, whose factors are then whole.
        let exact = [
            e_0.cross(&f_0).dot(&x_0) * Wide::from(3.0),
            e_0.cross(&f_0).dot(&x_1) + middle.dot(&x_0),
            middle.dot(&x_1) + e_1.cross(&f_1).dot(&x_0),
            e_1.cross(&f_1).dot(&x_1) * Wide::from(3.0),
        ];
        let bound = ROUNDING * e.size * f.size * x.size;
        for (found, exact) in rounded.iter().zip(exact) {
            let error = (Wide::product(*found, 3.0) - exact).high.abs() / 3.0;
            prop_assert!(error <= bound, "{error} {bound}");
        }
    }

    /// A point that stays in the middle of a triangle whose corners move along lines of 50 digits: no rounding makes a gap of it.
    #[test]
    fn what_stays_in_touch_has_no_gap(
        corners in prop::array::uniform3(prop::array::uniform2(prop::array::uniform3(-(1i64 << 48)..1 << 48))), t in 0.0..0.9f64,
    ) {
        let [a, b, c] = corners.map(|ends| ends.map(|x| Vec3::from(x.map(|c| 4.0 * c as f64))));
        let middle = [0, 1].map(|k| 0.25 * (a[k] + b[k]) + 0.5 * c[k]);
        let way = |[start, end]: [Vec3; 2]| StraightMotion::between(start, end);
        let query = LinearQuery::point_triangle(way(middle), [a, b, c].map(way), 0.0);
        let course = |i: usize, j: usize| Course::between(&query, i, j);
        for (e, f) in [(course(2, 1), course(3, 1)), (course(3, 1), course(2, 1))] {
            let plane = Plane { e, f, pairs: [(0, 1); 2] };
            prop_assert_eq!(plane.end(&query, [t, 1.0], 0.0), t);
        }
    }
}

/// A plate that turns by 1 rad above another on straight ways, at a distance of 1e-9.
fn plates(d_min: f64) -> LinearQuery {
    let (s, c) = rigor_math::elementary::sin_cos(1.0);
    let turned = |x: Vec3| Vec3::new(c * x.x, c * x.y - s * x.z, s * x.y + c * x.z);
    let ends = [Vec3::new(-1.0, -1.0, 0.0), Vec3::new(2.0, -1.0, 0.0), Vec3::new(-1.0, 2.0, 0.0)]
        .map(|x| [x, turned(x)]);
    let above = Vec3::new(0.1, 0.1, 1e-9);
    let way = |[start, end]: [Vec3; 2]| StraightMotion::between(start, end);
    LinearQuery::point_triangle(way([above, turned(above)]), ends.map(way), d_min)
}

/// A fixed plane lasts for 1e-9 of the step, one that follows the face for all of it.
#[test]
fn what_turns_together_takes_few_pieces() {
    for d_min in [0.0, 0.5e-9] {
        let limits = Limits { max_boxes: 28, ..LIMITS };
        assert_eq!(linear(&plates(d_min), 1.0, &limits), Ok(Impact::Free), "{d_min}");
    }
    // The chords of the turn come nearer to each other, down to cos ½ of the distance.
    let answer = linear(&plates(0.9e-9), 1.0, &LIMITS).unwrap();
    assert!(matches!(answer, Impact::At { t_safe, .. } if 0.1 < t_safe && t_safe < 0.5), "{answer:?}");
}
