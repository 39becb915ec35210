//! A plane that turns with the bodies between which it is.

use rigor_geometry::Mesh;
use rigor_math::Vec3;

use super::Sides;

/// Planes are sought up to this many pairs of an edge of each body.
const MAX_PAIRS: usize = 512;
/// The least n₀ · n₁ of the normals in both frames.
const MIN_COSINE: f64 = 0.5;

impl Sides<'_> {
    /// As [`Sides::gap`] for a plane that turns from one frame to the next: bodies that turn on each other with an edge on an
    /// edge are held by no plane of either. Seeks it among the faces of both bodies and the pairs of their edges, one of which
    /// is normal to a plane between two convex polyhedra that touch; `None` if these are many.
    pub(in crate::tunnelling) fn turning_gap(&self) -> Option<f64> {
        let [n_edges, others] = self.shapes.map(|shape| shape.mesh().edges().len());
        let is_straight = self.between.is_empty() && self.bend <= self.detour;
        if !is_straight || n_edges * others > MAX_PAIRS {
            return None;
        }
        let [then, now] = [0, 1].map(|frame| self.planes(frame));
        let pairs = then.iter().flat_map(|n| now.iter().map(move |m| (n.dot(m), n, m)));
        let (_, first, last) = pairs.max_by(|x, y| x.0.total_cmp(&y.0))?;
        self.gap_between(first, last)
    }

    /// As [`Sides::gap`] for a normal that changes from n₀ to n₁, of length 1, each of which holds the bodies apart in its frame.
    ///
    /// Let n(t) = (1 − t) n₀ + t n₁, and x(t) = (1 − t) x₀ + t x₁ for a vertex of the body that is seen, along its chord. Then for
    /// each vertex y of the other
    ///
    /// n · (x − y) = (1 − t)² n₀ · (x₀ − y) + 2 t (1 − t) m + t² n₁ · (x₁ − y), m = ½ n₀ · (x₁ − y) + ½ n₁ · (x₀ − y).
    ///
    /// Round parts are about x and y, and in the direction against n(t), wherever they turn: n · (x − y) is less by (ρ_x + ρ_y) ‖n(t)‖,
    /// in M by (ρ_x + ρ_y) ‖n₀ + n₁‖/2.
    ///
    /// The first and the last term are at least 0, and m is at least its minimum over all x and y, M. As 2 t (1 − t) ≤ ½ and
    /// ‖n(t)‖² ≥ (1 + n₀ · n₁)/2, the bodies pass the plane by no more than [`Sides::shift`]. Shifted by that and by the bend of
    /// the path along n(t), they stay on their sides; that is a proof if it is an allowed detour.
    fn gap_between(&self, first: &Vec3, last: &Vec3) -> Option<f64> {
        let is_near = first.dot(last) >= MIN_COSINE;
        let is_held = is_near && self.shift(first, last) + self.bend <= self.detour;
        is_held.then(|| self.apart(last, 1) - self.noise)
    }

    /// Returns ½ max(0, −M)/√((1 + n₀ · n₁)/2) (m).
    fn shift(&self, first: &Vec3, last: &Vec3) -> f64 {
        let [then, now] = &self.poses;
        let along = now.inverse_vector(first) + then.inverse_vector(last);
        let centres = first.dot(&now.position) + last.dot(&then.position);
        let sum = first + last;
        let [seen, sees] = self.shapes;
        let twice = centres - seen.farthest_with(&-along, sum.norm()) - sees.farthest_with(&sum, sum.norm());
        0.25 * (-twice).max(0.0) / (0.5 * (1.0 + first.dot(last))).sqrt()
    }

    /// Returns how far apart (m) a plane holds the bodies in a frame; negative if it does not.
    fn apart(&self, n: &Vec3, frame: usize) -> f64 {
        self.start(n, &self.poses[frame]) - self.shapes[1].farthest(n)
    }

    /// Returns the normals of length 1, in the frame of the body that sees, of planes between the bodies in a frame.
    fn planes(&self, frame: usize) -> Vec<Vec3> {
        let [seen, sees] = self.shapes.map(|shape| shape.mesh());
        let turned = |v: Vec3| self.poses[frame].vector(&v);
        let others: Vec<Vec3> = edges(sees).collect();
        let crossed = edges(seen).map(turned).flat_map(|e| others.iter().map(move |f| e.cross(f)));
        let all = faces(sees).chain(faces(seen).map(turned)).chain(crossed);
        let units = all.filter_map(|n| n.try_normalize(f64::MIN_POSITIVE)).flat_map(|n| [n, -n]);
        units.filter(|n| self.apart(n, frame) >= -self.touching()).collect()
    }
}

/// Returns a normal of each triangle.
fn faces(mesh: &Mesh) -> impl Iterator<Item = Vec3> {
    mesh.triangles().iter().map(|corners| {
        let [a, b, c] = corners.map(|v| mesh.vertices()[v as usize]);
        (b - a).cross(&(c - a))
    })
}

/// Returns the direction of each edge.
fn edges(mesh: &Mesh) -> impl Iterator<Item = Vec3> {
    mesh.edges().iter().map(|ends| {
        let [a, b] = ends.map(|v| mesh.vertices()[v as usize]);
        b - a
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rigor_math::{Pose, rotation_vector};
    use rigor_scene::{BodyState, Skeleton};
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::surface::shape::Shape;

    fn cube() -> Arc<Shape> {
        let mesh = Cuboid::new(Vec3::repeat(2.0)).mesh().expect("a box");
        Arc::new(Shape::new(&Skeleton::plain(Arc::new(mesh))))
    }

    /// A cube with an edge along x at the origin, above, that turned by `angle` (rad) about an axis between both edges and slid
    /// by `slide` (m) along its edge, and a cube with an edge along z at the origin, below.
    fn cubes(angle: f64, slide: f64) -> [BodyState; 2] {
        let eighth = |axis: Vec3| rotation_vector::exp(&(axis * std::f64::consts::FRAC_PI_4));
        let turn = rotation_vector::exp(&(Vec3::new(1.0, 0.0, 1.0).normalize() * angle));
        let above =
            Pose::new(turn * (Vec3::y() * 2.0_f64.sqrt() + Vec3::x() * slide), turn * eighth(Vec3::x()));
        let below = Pose::new(-Vec3::y() * 2.0_f64.sqrt(), eighth(Vec3::z()));
        [above, below].map(|pose| BodyState { pose, ..BodyState::default() })
    }

    fn turning_gap(then: [BodyState; 2], now: [BodyState; 2]) -> [Option<f64>; 2] {
        let cube = cube();
        [0, 1].map(|seer| Sides::new([&cube, &cube], &then, &now, seer).turning_gap())
    }

    #[test]
    fn an_edge_that_turns_on_an_edge_is_held_by_a_plane_that_turns_only() {
        let (cube, then, now) = (cube(), cubes(0.0, 0.0), cubes(0.2, 0.0));
        assert!(turning_gap(then, now).iter().all(Option::is_some));
        for seer in [0, 1] {
            let sides = Sides::new([&cube, &cube], &then, &now, seer);
            let between = sides.planes(0).into_iter().chain(sides.planes(1)).collect::<Vec<_>>();
            assert!(!between.is_empty());
            assert!(between.iter().all(|n| sides.gap(n).is_none()), "a plane of one body holds them");
        }
    }

    #[test]
    fn a_cube_that_sinks_in_goes_through_or_turns_too_far_is_not_held() {
        let moved = |by: f64| {
            let mut now = cubes(0.2, 0.0);
            now[0].pose.position.y += by;
            now
        };
        let then = cubes(0.0, 0.0);
        assert!(turning_gap(then, moved(1e-6)).iter().all(Option::is_some));
        assert_eq!(turning_gap(then, moved(-1e-6)), [None; 2]);
        assert_eq!(turning_gap(then, moved(-6.0)), [None; 2]);
        assert_eq!(turning_gap(then, cubes(0.7, 0.0)), [None; 2], "its path bends too much for one part");
    }

    /// Along the chords a cube that also slides passes the plane by as much as the bound, so that half of it would be too little.
    #[test]
    fn the_bound_on_what_passes_the_plane_is_reached() {
        let (shape, then, now) = (cube(), cubes(0.0, 0.0), cubes(0.3, -0.5));
        let sides = Sides::new([&shape, &shape], &then, &now, 1);
        let unit = |n: Vec3| n.normalize();
        // Normal to both edges, in the frame of the cube below.
        let edge = rotation_vector::exp(&(Vec3::new(1.0, 0.0, 1.0).normalize() * 0.3)) * Vec3::x();
        let normals = [Vec3::y(), unit(Vec3::z().cross(&edge))].map(|n| then[1].pose.inverse_vector(&n));
        let passed = |t: f64| {
            let n = unit(normals[0] * (1.0 - t) + normals[1] * t);
            let chord = |v: &Vec3| sides.poses[0].point(v) * (1.0 - t) + sides.poses[1].point(v) * t;
            let nearest =
                shape.mesh().vertices().iter().map(|v| n.dot(&chord(v))).fold(f64::INFINITY, f64::min);
            shape.farthest(&n) - nearest
        };
        let most = (0..=64).map(|k| passed(f64::from(k) / 64.0)).fold(0.0, f64::max);
        let bound = sides.shift(&normals[0], &normals[1]);
        assert!(most <= bound + 1e-12 && most > 0.9 * bound && bound > 0.02, "{most} of {bound}");
        assert!(sides.turning_gap().is_some());
    }
}
