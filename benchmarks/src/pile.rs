//! Boxes that fall onto each other.

use rigor_math::{Pose, Vec3};
use rigor_scene::{BodySpec, Role, Scene, TimeSpan};

use crate::boxes;
use crate::vectors::vectors;

/// Friction between the boxes, and with the floor.
const MU: f64 = 0.3;
/// Distance between the centres of neighbours (m), before random offsets of up to 5 cm and 0.03 rad about
/// each axis.
const SPACING: Vec3 = Vec3::new(1.25, 1.1, 1.25);

/// `n` unit boxes in a loose cubic grid above a floor, at rest with slight random offsets, identical in every
/// run.
pub fn pile(n: usize) -> Scene {
    let side = (1..).find(|side| side * side * side >= n).expect("some cube is larger");
    let mut next = vectors();
    let boxes = (0..n).map(|i| {
        let cell = Vec3::new((i % side) as f64, (i / (side * side)) as f64, (i / side % side) as f64);
        let (offset, turn) = (0.05 * next(), 0.03 * next());
        let offset = Vec3::new(offset.x, 0.0, offset.z);
        let position = cell.component_mul(&SPACING) + Vec3::new(0.0, 0.55, 0.0) + offset;
        boxes::cuboid(
            format!("box {i}"),
            Vec3::repeat(1.0),
            Pose::from_rotation_vector(position, &turn),
            i + 1,
            MU,
        )
    });
    let width = 4.0 * side as f64 + 10.0;
    let below = Pose::translation(Vec3::new(0.5 * side as f64, -0.5, 0.5 * side as f64));
    let floor = boxes::cuboid("floor".into(), Vec3::new(width, 1.0, width), below, 0, MU);
    let floor = BodySpec { role: Role::Static, ..floor };
    let bodies = std::iter::once(floor).chain(boxes).map(|spec| spec.build().expect("a valid box"));
    boxes::scene(format!("pile of {n}"), bodies.collect(), TimeSpan { dt: 1e-2, duration: 2.0 })
}

/// `n` towers of `levels` unit boxes that fall from slightly apart, each tower 3 m from the next, so that none
/// ever touches another; identical in every run. Boxes of towers of one are turned, and tumble.
pub fn towers(n: usize, levels: usize) -> Scene {
    let side = (1..).find(|side| side * side >= n).expect("some square is larger");
    let mut next = vectors();
    let boxes = (0..n * levels).map(|i| {
        let (tower, level) = (i / levels, i % levels);
        let (offset, turn) = (0.05 * next(), next());
        let cell = Vec3::new((tower % side) as f64, 0.0, (tower / side) as f64);
        let (height, turn) = match levels {
            1 => (1.2 + 6.0 * offset.y, 0.5 * turn),
            _ => (0.5 + level as f64 + 0.02 * (level + 1) as f64, Vec3::zeros()),
        };
        let position = 3.0 * cell + Vec3::new(offset.x, height, offset.z);
        let pose = Pose::from_rotation_vector(position, &turn);
        boxes::cuboid(format!("box {i}"), Vec3::repeat(1.0), pose, i + 1, MU)
    });
    let width = 3.0 * side as f64 + 10.0;
    let below = Pose::translation(Vec3::new(1.5 * side as f64, -0.5, 1.5 * side as f64));
    let floor = boxes::cuboid("floor".into(), Vec3::new(width, 1.0, width), below, 0, MU);
    let floor = BodySpec { role: Role::Static, ..floor };
    let bodies = std::iter::once(floor).chain(boxes).map(|spec| spec.build().expect("a valid box"));
    boxes::scene(format!("{n} towers of {levels}"), bodies.collect(), TimeSpan { dt: 1e-2, duration: 0.5 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bounding box of a body as its minimum and maximum coordinates (m, world).
    fn bounds(scene: &Scene, body: usize) -> (Vec3, Vec3) {
        let body = &scene.bodies[body];
        let corners = body.mesh.vertices().iter().map(|v| body.initial.pose.point(v));
        corners.fold((Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)), |(low, high), x| {
            (low.inf(&x), high.sup(&x))
        })
    }

    #[test]
    fn boxes_begin_apart() {
        for n in [1, 8, 30] {
            let scene = pile(n);
            assert_eq!(scene.bodies.len(), n + 1);
            let bounds: Vec<_> = (0..=n).map(|body| bounds(&scene, body)).collect();
            for (i, a) in bounds.iter().enumerate() {
                for b in &bounds[..i] {
                    assert!(
                        (0..3).any(|k| a.0[k] - b.1[k] > 0.01 || b.0[k] - a.1[k] > 0.01),
                        "{n}: {a:?} {b:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn towers_begin_apart() {
        for (n, levels) in [(1, 1), (10, 1), (10, 5)] {
            let scene = towers(n, levels);
            assert_eq!(scene.bodies.len(), n * levels + 1);
            let bounds: Vec<_> = (0..scene.bodies.len()).map(|body| bounds(&scene, body)).collect();
            for (i, a) in bounds.iter().enumerate() {
                for b in &bounds[..i] {
                    let are_apart = |k: usize| a.0[k] - b.1[k] > 0.01 || b.0[k] - a.1[k] > 0.01;
                    assert!((0..3).any(are_apart), "{n}, {levels}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn all_boxes_stand_over_the_floor() {
        let scene = pile(100);
        let floor = bounds(&scene, 0);
        for body in 1..=100 {
            let (low, high) = bounds(&scene, body);
            let is_over = |k: usize| low[k] > floor.0[k] + 3.0 && high[k] < floor.1[k] - 3.0;
            assert!(is_over(0) && is_over(2) && low.y > 0.0 && low.y < 6.0);
        }
    }
}
