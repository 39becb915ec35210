use proptest::prelude::*;
use rigor_math::UnitQuaternion;

use super::*;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

/// Boxes in general position, or on a coarse grid, where many touch, coincide or are flat; often very few.
fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let corner = [-4..4, -4..4, -4..4i32].prop_map(|c| Vec3::from(c.map(f64::from)));
    let size = [0..3, 0..3, 0..3i32].prop_map(|c| Vec3::from(c.map(f64::from)));
    let grid = (corner, size).prop_map(|(c, s)| Aabb::new(c, c + s));
    let scattered = (vector(1.0), vector(0.2)).prop_map(|(c, s)| Aabb::new(c, c + s));
    prop_oneof![
        prop::collection::vec(grid.clone(), 0..4),
        prop::collection::vec(grid, 0..60),
        prop::collection::vec(scattered, 0..120)
    ]
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(4.0), [-1.0..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0f64]).prop_map(|(p, [x, y, z, w])| {
        Pose::new(p, UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z)))
    })
}

/// Points of a box: its corners and its middle.
fn points(b: &Aabb) -> Vec<Vec3> {
    let corner = |k: usize| Vec3::from_fn(|i, _| if k >> i & 1 == 1 { b.max[i] } else { b.min[i] });
    (0..8).map(corner).chain([b.center()]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_search_for_the_least_finds_that_of_brute_force(a in boxes(), b in boxes(), pose in pose()) {
        let (tree, other) = (RigidTree::new(&a).unwrap(), RigidTree::new(&b).unwrap());
        prop_assert_eq!(tree.len(), a.len());
        // The distance of two boxes by their corners and middles; at least that of the boxes themselves.
        let moved: Vec<Vec<Vec3>> =
            b.iter().map(|b| points(b).iter().map(|p| pose.point(p)).collect()).collect();
        let distance = |i: usize, j: usize| {
            moved[j].iter().map(|p| a[i].distance_sq(p).sqrt()).fold(f64::INFINITY, f64::min)
        };
        let brute = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)))
            .map(|(i, j)| distance(i, j)).fold(f64::INFINITY, f64::min);
        let mut least = f64::INFINITY;
        let mut n_visits = 0;
        let skipped = tree.pairs(&other, &pose, f64::INFINITY, &mut |i, j| {
            n_visits += 1;
            least = least.min(distance(i as usize, j as usize));
            least
        });
        prop_assert_eq!(least, brute);
        prop_assert!(skipped >= least - 1e-12 || n_visits == a.len() * b.len());
    }

    #[test]
    fn pairs_that_were_skipped_are_as_far_as_the_bound_says(
        a in boxes(), b in boxes(), pose in pose(), limit in 0.0..2.0f64,
    ) {
        let (tree, other) = (RigidTree::new(&a).unwrap(), RigidTree::new(&b).unwrap());
        let mut visited = std::collections::HashSet::new();
        let skipped = tree.pairs(&other, &pose, limit, &mut |i, j| {
            assert!(visited.insert((i, j)), "a pair is visited once");
            limit
        });
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let near = points(b).iter().map(|p| a.distance_sq(&pose.point(p)).sqrt()).fold(f64::INFINITY, f64::min);
                if !visited.contains(&(i as u32, j as u32)) {
                    prop_assert!(near > limit && near >= skipped);
                }
            }
        }
    }

    #[test]
    fn points_boxes_rays_and_extremes_agree_with_brute_force(
        a in boxes(), pose in pose(), p in vector(3.0), direction in vector(1.0), limit in 0.0..2.0f64,
    ) {
        let tree = RigidTree::new(&a).unwrap();
        let mut least = f64::INFINITY;
        tree.around(&p, f64::INFINITY, &mut |i| {
            least = least.min(a[i as usize].distance_sq(&p));
            least.sqrt()
        });
        prop_assert_eq!(least, a.iter().map(|b| b.distance_sq(&p)).fold(f64::INFINITY, f64::min));

        let along = |b: &Aabb| points(b).iter().map(|x| direction.dot(x)).fold(f64::NEG_INFINITY, f64::max);
        let mut most = f64::NEG_INFINITY;
        tree.extreme(&direction, most, &mut |i| {
            most = most.max(along(&a[i as usize]));
            most
        });
        prop_assert_eq!(most, a.iter().map(along).fold(f64::NEG_INFINITY, f64::max));

        let mut found = Vec::new();
        let query = Aabb::of_points([&p]).grow(0.5);
        tree.near_box(&query, &pose, limit, &mut |i| {
            found.push(i);
            limit
        });
        let on_ray = tree.along_ray(&p, &direction, 0.0);
        for (i, b) in a.iter().enumerate() {
            let near = points(&query).iter().map(|x| b.distance_sq(&pose.point(x)).sqrt()).fold(f64::INFINITY, f64::min);
            prop_assert!(near > limit || found.contains(&(i as u32)));
            let is_met = (0..64).any(|k| b.contains_point(&(p + direction * (0.25 * f64::from(k)))));
            prop_assert!(!is_met || on_ray.contains(&(i as u32)));
        }
    }
}

#[test]
fn a_descent_visits_few_of_many_boxes() {
    let cell = |k: i32| Vec3::new(f64::from(k % 32), f64::from(k / 32 % 32), f64::from(k / 1024));
    let boxes: Vec<Aabb> =
        (0..32 * 32 * 32).map(|k| Aabb::new(cell(k), cell(k) + Vec3::repeat(0.5))).collect();
    let tree = RigidTree::new(&boxes).unwrap();
    let mut n_visits = 0;
    tree.around(&Vec3::new(7.2, 9.3, 11.1), f64::INFINITY, &mut |i| {
        n_visits += 1;
        boxes[i as usize].distance_sq(&Vec3::new(7.2, 9.3, 11.1)).sqrt()
    });
    assert!(n_visits <= 2, "{n_visits}");
    let bad = Aabb { max: Vec3::new(f64::NAN, 0.0, 0.0), ..boxes[0] };
    assert_eq!(RigidTree::new(&[boxes[0], bad]).unwrap_err().index, 1);
    assert!(RigidTree::new(&[]).unwrap().is_empty());
}
