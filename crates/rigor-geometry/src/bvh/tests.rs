use proptest::prelude::*;
use rigor_math::UnitQuaternion;

use super::*;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

/// Boxes on a coarse grid, so that many touch, coincide or are flat; often very few.
fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let corner = [-4..4, -4..4, -4..4i32].prop_map(|c| Vec3::from(c.map(f64::from)));
    let size = [0..3, 0..3, 0..3i32].prop_map(|c| Vec3::from(c.map(f64::from)));
    let bounds = (corner, size).prop_map(|(c, s)| Aabb::new(c, c + s));
    prop_oneof![prop::collection::vec(bounds.clone(), 0..5), prop::collection::vec(bounds, 0..80)]
}

/// Boxes like those of small triangles, in general position.
fn scattered() -> impl Strategy<Value = Vec<Aabb>> {
    let bounds = (vector(1.0), vector(0.2)).prop_map(|(c, s)| Aabb::new(c, c + s));
    prop::collection::vec(bounds, 0..200)
}

fn pairs(a: &[Aabb], b: &[Aabb], overlap: impl Fn(&Aabb, &Aabb) -> bool) -> Vec<[u32; 2]> {
    let indices = (0..a.len() as u32).flat_map(|i| (0..b.len() as u32).map(move |j| [i, j]));
    indices.filter(|[i, j]| overlap(&a[*i as usize], &b[*j as usize])).collect()
}

fn assert_agrees(tree: &Bvh, boxes: &[Aabb], other: &[Aabb]) {
    assert_eq!(tree.len(), boxes.len());
    let expected: Vec<_> = pairs(boxes, boxes, Aabb::overlaps).into_iter().filter(|[i, j]| i < j).collect();
    assert_eq!(tree.overlapping_pairs(), expected);
    let other_tree = Bvh::new(other).unwrap();
    assert_eq!(tree.overlapping_pairs_with(&other_tree), pairs(boxes, other, Aabb::overlaps));
    for (index, bounds) in boxes.iter().enumerate() {
        assert_eq!(tree.leaf(index as u32), *bounds);
    }
    for query in other.iter().chain(boxes).take(20) {
        let expected: Vec<u32> =
            (0..boxes.len() as u32).filter(|&i| boxes[i as usize].overlaps(query)).collect();
        assert_eq!(tree.overlapping(query), expected);
    }
    assert_eq!(tree.bounds(), boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b)));
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(2.0), [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64]).prop_map(|(p, [x, y, z, w])| {
        Pose::new(p, UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn agrees_with_brute_force_on_touching_boxes(a in boxes(), b in boxes()) {
        assert_agrees(&Bvh::new(&a).unwrap(), &a, &b);
    }

    #[test]
    fn agrees_with_brute_force_on_scattered_boxes(a in scattered(), b in scattered()) {
        assert_agrees(&Bvh::new(&a).unwrap(), &a, &b);
    }

    #[test]
    fn a_refitted_tree_answers_like_a_new_one(mut a in scattered(), mut b in boxes(), other in boxes()) {
        let n = a.len().min(b.len());
        a.truncate(n);
        b.truncate(n);
        let mut tree = Bvh::new(&a).unwrap();
        for boxes in [&b, &a, &b] {
            tree.refit(boxes).unwrap();
            assert_agrees(&tree, boxes, &other);
        }
    }

    #[test]
    fn posed_pairs_are_those_of_the_moved_boxes_and_miss_no_point(
        a in scattered(), b in scattered(), pose in pose(), margin in 0.0..0.1f64,
    ) {
        let (tree, other) = (Bvh::new(&a).unwrap(), Bvh::new(&b).unwrap());
        let found = tree.overlapping_pairs_posed(&other, &pose, margin);
        let expected = pairs(&a, &b, |a, b| b.transformed(&pose).grow(margin).overlaps(a));
        prop_assert_eq!(&found, &expected);
        for (j, bounds) in b.iter().enumerate() {
            for i in tree.overlapping(&Aabb::of_points([&pose.point(&bounds.max)]).grow(margin)) {
                prop_assert!(found.contains(&[i, j as u32]));
            }
        }
    }

    #[test]
    fn the_nearest_is_found(a in scattered(), touching in boxes(), p in vector(2.0), limit_sq in 0.0..4.0f64) {
        for boxes in [a, touching] {
            let tree = Bvh::new(&boxes).unwrap();
            // The distance to the far corner is at least that to the box.
            let far_sq = |i: u32| {
                let b = &boxes[i as usize];
                (b.min - p).abs().sup(&(b.max - p).abs()).norm_squared()
            };
            let all = (0..boxes.len() as u32).map(|i| (i, far_sq(i))).filter(|(_, d)| *d < limit_sq);
            let expected = all.min_by(|(_, d), (_, e)| d.total_cmp(e));
            prop_assert_eq!(tree.nearest(&p, limit_sq, far_sq), expected);
        }
    }

    #[test]
    fn rays_through_the_inside_of_a_box_find_it_and_nothing_far(
        a in scattered(), origin in vector(3.0), t in [0.01..0.99, 0.01..0.99, 0.01..0.99f64], which in 0usize..200,
    ) {
        let Some(target) = a.get(which % a.len().max(1)) else { return Ok(()) };
        let aim = target.min + target.extent().component_mul(&Vec3::from(t)) - origin;
        let found = Bvh::new(&a).unwrap().along_ray(&origin, &aim, 1.0);
        prop_assert!(found.contains(&((which % a.len()) as u32)));
        // Samples lie at most 4 mm apart.
        let on_the_way = |b: &Aabb| (0..=2000).any(|k| b.contains_point(&(origin + aim * (f64::from(k) / 2000.0))));
        prop_assert!(found.iter().all(|&i| on_the_way(&a[i as usize].grow(0.004))));
        let sampled = (0..a.len() as u32).filter(|&i| on_the_way(&a[i as usize]));
        prop_assert!(sampled.into_iter().all(|i| found.contains(&i)));
    }

    /// On a grid of small integers every corner and every slab boundary is met exactly.
    #[test]
    fn rays_that_graze_a_corner_find_it(
        a in boxes(), origin in [-4..4, -4..4, -4..4i32], corner in 0usize..8, which in 0usize..80,
    ) {
        let Some(b) = a.get(which % a.len().max(1)) else { return Ok(()) };
        let origin = Vec3::from(origin.map(f64::from));
        let target = Vec3::from_fn(|k, _| if corner >> k & 1 == 1 { b.max[k] } else { b.min[k] });
        let tree = Bvh::new(&a).unwrap();
        for (direction, t_max) in [(target - origin, 1.0), ((target - origin) / 3.0, 3.0)] {
            prop_assert!(tree.along_ray(&origin, &direction, t_max).contains(&((which % a.len()) as u32)));
        }
    }
}

#[test]
fn boxes_that_cannot_be_held_are_errors_and_leave_the_tree_alone() {
    let unit = Aabb::new(Vec3::zeros(), Vec3::repeat(1.0));
    let nan = Aabb { min: Vec3::repeat(f64::NAN), max: Vec3::repeat(1.0) };
    for bad in [Aabb::EMPTY, nan, Aabb { max: Vec3::repeat(f64::INFINITY), ..unit }] {
        assert_eq!(Bvh::new(&[unit, bad]).unwrap_err().index, 1);
        let mut tree = Bvh::new(&[unit, unit]).unwrap();
        assert!(tree.refit(&[unit.grow(1.0), bad]).is_err());
        assert_eq!(tree.bounds(), unit);
    }
}

#[test]
fn extreme_boxes_are_found_too() {
    let at = |x: f64| Aabb::new(Vec3::repeat(x), Vec3::repeat(x));
    let boxes: Vec<Aabb> = [0.0, 1e-320, 1e-300, 1.0, 1e200, 1e308, -1e308, 1e308].map(at).to_vec();
    let huge = Aabb::new(Vec3::repeat(-1.7e308), Vec3::repeat(1.7e308));
    let boxes = [boxes, vec![huge; 3]].concat();
    assert_agrees(&Bvh::new(&boxes).unwrap(), &boxes, &boxes);
}

#[test]
fn thousands_of_equal_boxes_are_no_trouble() {
    let unit = Aabb::new(Vec3::zeros(), Vec3::repeat(1.0));
    let tree = Bvh::new(&vec![unit; 300]).unwrap();
    assert_eq!(tree.overlapping_pairs().len(), 300 * 299 / 2);
}
