//! The nearest points of two sets of triangles that do not intersect.

use rigor_geometry::Aabb;
use rigor_math::Vec3;

/// Returns the nearest points of two sets of triangles, the first on the first set.
///
/// The nearest points of triangles that do not intersect are a corner of one and a point of the other, or points on an edge of each.
pub fn points(a: &[[Vec3; 3]], b: &[[Vec3; 3]]) -> Option<[Vec3; 2]> {
    let mut best: Option<(f64, [Vec3; 2])> = None;
    let boxes = |all: &[[Vec3; 3]]| all.iter().map(Aabb::of_points).collect::<Vec<_>>();
    let (boxes_a, boxes_b) = (boxes(a), boxes(b));
    for (one, box_a) in a.iter().zip(&boxes_a) {
        for (other, box_b) in b.iter().zip(&boxes_b) {
            // Triangles are no nearer to each other than their boxes.
            if best.is_none_or(|(least, _)| gap_sq(box_a, box_b) < least) {
                best = nearer(best, one, other);
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// The nearest points of two triangles, after the square of their distance, if they are nearer than `best`.
fn nearer(
    mut best: Option<(f64, [Vec3; 2])>,
    one: &[Vec3; 3],
    other: &[Vec3; 3],
) -> Option<(f64, [Vec3; 2])> {
    let mut offer = |pair: [Vec3; 2]| {
        let distance = (pair[0] - pair[1]).norm_squared();
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, pair));
        }
    };
    one.iter().for_each(|corner| offer([*corner, on_triangle(corner, other)]));
    other.iter().for_each(|corner| offer([on_triangle(corner, one), *corner]));
    for i in 0..3 {
        for k in 0..3 {
            offer(on_edges([one[i], one[(i + 1) % 3]], [other[k], other[(k + 1) % 3]]));
        }
    }
    best
}

/// The square of the distance between two boxes.
fn gap_sq(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).sup(&(b.min - a.max)).sup(&Vec3::zeros()).norm_squared()
}

/// The point of a segment that is nearest to `p`: its projection onto the line, cut at the ends.
fn on_edge(p: &Vec3, [a, b]: &[Vec3; 2]) -> Vec3 {
    let along = b - a;
    let square = along.norm_squared();
    let t = if square > 0.0 { ((p - a).dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
    a + along * t
}

/// The point of a triangle that is nearest to `p`: its projection onto the plane if that is inside, else the nearest of its edges.
fn on_triangle(p: &Vec3, corners: &[Vec3; 3]) -> Vec3 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    let is_inside = |[from, to]: [&Vec3; 2]| (to - from).cross(&(p - from)).dot(&normal) >= 0.0;
    if square > 0.0 && [[a, b], [b, c], [c, a]].into_iter().all(is_inside) {
        return p - normal * ((p - a).dot(&normal) / square);
    }
    let edges = [[*a, *b], [*b, *c], [*c, *a]].map(|edge| on_edge(p, &edge));
    let by = |q: &&Vec3, r: &&Vec3| (*q - p).norm_squared().total_cmp(&(*r - p).norm_squared());
    edges.iter().min_by(by).copied().unwrap_or(*a)
}

/// The nearest points of two segments.
///
/// With u, v along them and w from the start of the second to that of the first, |w + s u − t v|² is least where both derivatives
/// vanish: s = ((u·v)(v·w) − v²(u·w))/(u²v² − (u·v)²). If s and t are not both within [0, 1], one of the nearest points is an end.
fn on_edges(one: [Vec3; 2], other: [Vec3; 2]) -> [Vec3; 2] {
    let (u, v, w) = (one[1] - one[0], other[1] - other[0], one[0] - other[0]);
    let (uu, uv, vv, uw, vw) = (u.dot(&u), u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w));
    let determinant = uu * vv - uv * uv;
    if determinant > 0.0 {
        let (s, t) = ((uv * vw - vv * uw) / determinant, (uu * vw - uv * uw) / determinant);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return [one[0] + u * s, other[0] + v * t];
        }
    }
    let ends = [
        [one[0], on_edge(&one[0], &other)],
        [one[1], on_edge(&one[1], &other)],
        [on_edge(&other[0], &one), other[0]],
        [on_edge(&other[1], &one), other[1]],
    ];
    let length = |pair: &[Vec3; 2]| (pair[0] - pair[1]).norm_squared();
    ends.into_iter().min_by(|p, q| length(p).total_cmp(&length(q))).unwrap_or([one[0], other[0]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boxes that are too far hide no pair of triangles that is nearer.
    #[test]
    fn the_nearest_of_many_is_that_of_all_pairs() {
        let cloud = |seed: u64, shift: f64| -> Vec<[Vec3; 3]> {
            let part = |k: u64| ((k * 7919 + seed) * 104_729 % 1009) as f64 / 1009.0;
            let corner = |k: u64| Vec3::new(part(k) + shift, part(k + 1), part(k + 2));
            (0..20).map(|k| [corner(9 * k), corner(9 * k + 3), corner(9 * k + 6)]).collect()
        };
        for seed in 0..10 {
            let (a, b) = (cloud(seed, 0.0), cloud(seed + 50, 1.01));
            let all = a.iter().flat_map(|one| b.iter().map(move |other| (one, other)));
            let least = all.filter_map(|(one, other)| nearer(None, one, other)).map(|(d, _)| d);
            let [p, q] = points(&a, &b).expect("there are triangles");
            assert_eq!((p - q).norm_squared().to_bits(), least.fold(f64::INFINITY, f64::min).to_bits());
        }
    }

    #[test]
    fn crossed_edges_and_a_corner_over_a_face_are_found() {
        let flat = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Vec3::from);
        let above = [[1.0, 1.0, 0.5], [1.0, 1.0, 3.0], [2.0, 1.0, 3.0]].map(Vec3::from);
        let [p, q] = points(&[flat], &[above]).expect("there are triangles");
        assert!((p - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-15 && (q - above[0]).norm() < 1e-15, "{p} {q}");
        let [p, q] = on_edges(
            [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)],
            [Vec3::new(0.0, -1.0, 2.0), Vec3::new(0.0, 3.0, 2.0)],
        );
        assert_eq!((p, q), (Vec3::zeros(), Vec3::new(0.0, 0.0, 2.0)));
        assert_eq!(points(&[], &[flat]), None);
    }
}
