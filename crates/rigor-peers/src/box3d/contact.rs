//! Contacts from the impulses of the engine's solver.

use box3d_rust::body::{body_get_contact_capacity, body_get_contact_data};
use box3d_rust::manifold::{Manifold, ManifoldPoint};
use box3d_rust::shape::{shape_get_friction, shape_get_user_data};
use box3d_rust::world::World;
use box3d_rust::{BodyId, ShapeId};
use rigor_math::{Pose, Vec3};

use super::convert::from_vector;

/// The bodies at the start and at the end of a step, and the lengths of step and substep (s).
pub(super) struct Step<'a> {
    /// The engine's bodies, in the order of the scene.
    pub ids: &'a [BodyId],
    /// Centres of mass and orientations at the start.
    pub before: &'a [Pose],
    /// Centres of mass and orientations at the end.
    pub after: &'a [Pose],
    /// Δt (s).
    pub dt: f64,
    /// Δt divided by the number of substeps (s).
    pub substep: f64,
}

impl Step<'_> {
    /// Rows of 14 numbers for all contacts with an impulse or without a gap.
    ///
    /// The normal force is the mean over the step. The engine has one friction impulse for a manifold, that of the
    /// last substep; it is divided among the points as their normal impulses are, without its twist. Points and gaps
    /// are found at the start of the step and moved with the bodies to its end.
    pub(super) fn contacts(&self, world: &World) -> Vec<f64> {
        let mut rows = Vec::new();
        for (index, id) in self.ids.iter().enumerate() {
            let capacity = body_get_contact_capacity(world, *id) as usize;
            for contact in body_get_contact_data(world, *id, capacity) {
                let pair = Pair::of(world, contact.shape_id_a, contact.shape_id_b);
                // Both bodies list the contact.
                if pair.a == index && pair.b < self.ids.len() {
                    contact.manifolds.iter().for_each(|manifold| self.add(&pair, manifold, &mut rows));
                }
            }
        }
        rows
    }

    fn add(&self, pair: &Pair, manifold: &Manifold, rows: &mut Vec<f64>) {
        let points = &manifold.points[..manifold.point_count as usize];
        let total: f64 = points.iter().map(|point| f64::from(point.total_normal_impulse)).sum();
        let normal = from_vector(manifold.normal);
        let friction = from_vector(manifold.friction_impulse) / self.substep;
        for point in points {
            let impulse = f64::from(point.total_normal_impulse);
            let share = if total > 0.0 { impulse / total } else { 0.0 };
            let [on_a, on_b] = self.moved(pair, point);
            let start = f64::from(point.separation);
            let gap = start + (on_b - on_a).dot(&normal);
            if impulse <= 0.0 && gap > 0.0 {
                continue;
            }
            // The engine's normal points from its a to its b, so that its b is our a.
            rows.extend([pair.b as f64, pair.a as f64]);
            for v in [0.5 * (on_a + on_b), normal] {
                rows.extend([v.x, v.y, v.z]);
            }
            let on_us = friction * share;
            rows.extend([gap, impulse / self.dt, on_us.x, on_us.y, on_us.z, pair.friction]);
        }
    }

    /// The point on either body at the end of the step; at its start the two coincide.
    fn moved(&self, pair: &Pair, point: &ManifoldPoint) -> [Vec3; 2] {
        let moved = |body: usize, anchor: Vec3| {
            let turn = self.after[body].rotation * self.before[body].rotation.inverse();
            self.after[body].position + turn * anchor
        };
        [moved(pair.a, from_vector(point.anchor_a)), moved(pair.b, from_vector(point.anchor_b))]
    }
}

/// The two bodies of a contact, as indices of the scene.
struct Pair {
    a: usize,
    b: usize,
    friction: f64,
}

impl Pair {
    /// The engine's friction of a pair is the geometric mean.
    fn of(world: &World, a: ShapeId, b: ShapeId) -> Self {
        let [on_a, on_b] = [a, b].map(|shape| f64::from(shape_get_friction(world, shape)));
        let [a, b] = [a, b].map(|shape| shape_get_user_data(world, shape) as usize);
        Self { a, b, friction: (on_a * on_b).sqrt() }
    }
}
