//! The surface of a body in the world, for judges.
//!
//! A surface is a skeleton ([`rigor_scene::Skeleton`]) and a pose: triangles, wires and points, each with an offset ρ, which is
//! 0 unless it is the centre of a ball or the axis of a capsule. The body is what its triangles enclose, and all points within
//! ρ of a primitive. So the gap between primitives of two bodies is their distance minus ρ of both. The vertices are those of the mesh, moved by the pose in `f64` ([`Pose::point`]);
//! all further computations take these as exact. They are computed where they are needed: queries descend a tree in
//! the frame of the body, and what they find is examined in the world. So to move a body costs nothing, and a query
//! costs no more than the part of the surface that it looks at.
//!
//! A body with a strain E ([`rigor_scene::State::strains`]) is one of another shape, whose vertices are at (1 + E) x̂ in its frame:
//! so its pose places them at A x̂ + q, A = R (1 + E), and offsets ρ stay. It is made again when the strain changes.
//!
//! The tree is placed by rounded arithmetic, and a rotation may have a norm that differs from 1. With q = ‖q‖ q̂ and
//! δ = ‖q‖² − 1, [`Pose::point`] applies M = 1 + 2 w \[u\] + 2 \[u\]², and ‖M − R(q̂)‖ = |δ| ‖R(q̂) − 1‖ ≤ 2 |δ|. Every
//! query allows for both (`Surface::noise`), so that it misses nothing.

pub(crate) mod shape;
mod skin;

use std::sync::Arc;

use rigor_geometry::distance::point_edge;
use rigor_geometry::intersection::Relation;
use rigor_geometry::intersection::containment::winding;
use rigor_geometry::{Aabb, Mesh};
use rigor_math::{Pose, Vec3};

pub use crate::primitive::Primitive;
use crate::separation::{distance, separation};
use shape::{Shape, corners, count};

/// Up to this many vertices are placed once per pose.
const PLACED: usize = 32;
/// Up to this many primitives are looked at one by one.
const FEW: usize = 48;
/// More than the roundings of a placed vertex and of a distance, as a fraction of the coordinates.
const ROUNDINGS: f64 = 256.0 * f64::EPSILON;

/// The surface of one body in the world.
#[derive(Debug, Clone)]
pub struct Surface {
    shape: Arc<Shape>,
    pose: Pose,
    bounds: Aabb,
    /// The vertices in the world (m), if they are few.
    placed: Vec<Vec3>,
    /// |‖q‖² − 1| for the rotation q.
    stretch: f64,
}

impl Surface {
    /// Places `shape` at `pose`.
    pub(crate) fn new(shape: Arc<Shape>, pose: &Pose) -> Self {
        let stretch = (pose.rotation.coords.norm_squared() - 1.0).abs();
        let vertices = shape.mesh.vertices();
        let few = if vertices.len() <= PLACED { vertices } else { &[] };
        let placed = few.iter().map(|v| pose.point(v)).collect();
        let mut surface = Self { shape, pose: *pose, bounds: Aabb::EMPTY, placed, stretch };
        surface.bounds = surface.box_around();
        surface
    }

    /// Moves the surface to `pose`.
    pub(crate) fn place(&mut self, pose: &Pose) {
        if self.pose != *pose {
            *self = Self::new(Arc::clone(&self.shape), pose);
        }
    }

    /// Returns what does not change when the body moves.
    pub(crate) fn shape(&self) -> Arc<Shape> {
        Arc::clone(&self.shape)
    }

    /// Returns the pose of the body.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Returns the maximum distance (m) of a point of the body from the centre of mass.
    pub fn radius(&self) -> f64 {
        self.shape.radius
    }

    /// Returns the maximum distance (m) of a vertex from the centre of mass.
    pub(crate) fn arm(&self) -> f64 {
        self.shape.arm
    }

    /// Returns the mesh of the skeleton in the body's principal frame.
    pub fn mesh(&self) -> &Mesh {
        &self.shape.mesh
    }

    /// Returns the vertices in the world (m).
    pub fn vertices(&self) -> impl Iterator<Item = Vec3> {
        self.mesh().vertices().iter().map(|v| self.pose.point(v))
    }

    /// Returns a vertex in the world (m).
    pub fn vertex(&self, index: u32) -> Vec3 {
        match self.placed.get(index as usize) {
            Some(placed) => *placed,
            None => self.pose.point(&self.mesh().vertices()[index as usize]),
        }
    }

    /// Returns the smallest box around the body; empty if a vertex is not finite.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns whether the triangles bound a volume, so that "inside" is defined.
    pub fn is_solid(&self) -> bool {
        self.shape.is_solid
    }

    /// Returns whether there are triangles and they bound no volume.
    pub fn is_sheet(&self) -> bool {
        !self.is_solid() && !self.mesh().triangles().is_empty()
    }

    /// Returns ρ (m) of a primitive; 0 unless it is the centre of a ball or the axis of a capsule.
    pub fn offset(&self, primitive: u32) -> f64 {
        self.shape.offset_of(primitive)
    }

    /// Returns ρ (m) of a vertex.
    pub fn offset_of_vertex(&self, index: u32) -> f64 {
        self.shape.offset(index)
    }

    /// Returns the primitives with ρ > 0, ascending: the centres of balls and the axes of capsules.
    pub fn rounds(&self) -> &[u32] {
        &self.shape.rounds
    }

    /// Returns one vertex of each connected component.
    pub fn representatives(&self) -> impl Iterator<Item = Vec3> {
        self.shape.representatives.iter().map(|v| self.vertex(*v))
    }

    /// Returns the vertices of a primitive, as indices of the mesh.
    pub fn corners(&self, primitive: u32) -> &[u32] {
        corners(self.mesh(), primitive as usize)
    }

    /// Returns a primitive: triangles are numbered first, then wires, then points.
    pub fn primitive(&self, index: u32) -> Primitive {
        match *self.corners(index) {
            [a, b, c] => Primitive::Triangle([a, b, c].map(|v| self.vertex(v))),
            [a, b] => Primitive::Wire([a, b].map(|v| self.vertex(v))),
            ref point => Primitive::Point(self.vertex(point[0])),
        }
    }

    /// Returns the vertices (m) that belong to a primitive; each vertex belongs to one.
    pub(crate) fn own_vertices(&self, primitive: u32) -> impl Iterator<Item = Vec3> {
        self.shape.own_vertices(primitive).iter().map(|v| self.vertex(*v))
    }

    /// Returns the edges that belong to a primitive, as indices of the mesh; each edge belongs to one.
    pub(crate) fn own_edges(&self, primitive: u32) -> &[u32] {
        self.shape.own_edges(primitive)
    }

    /// Returns the number of connected components.
    pub fn n_pieces(&self) -> usize {
        self.shape.pieces.len()
    }

    /// Returns whether the front of a triangle is the back of the sheet, whose faces a mesh may give in any order.
    pub(crate) fn is_turned(&self, triangle: u32) -> bool {
        self.shape.skin.turned[triangle as usize]
    }

    /// Returns the corners of a triangle (m).
    pub fn triangle(&self, index: usize) -> [Vec3; 3] {
        self.mesh().triangles()[index].map(|v| self.vertex(v))
    }

    /// Returns the ends of an edge (m).
    pub fn edge(&self, index: u32) -> [Vec3; 2] {
        self.mesh().edges()[index as usize].map(|v| self.vertex(v))
    }

    /// Returns the winding number of the surface around `p` (m), exactly; `None` on the surface. Only for
    /// solids.
    pub fn winding(&self, p: &Vec3) -> Option<i32> {
        if !self.bounds.contains_point(p) {
            return Some(0);
        }
        // The exact test counts crossings of a ray along +z, so only triangles above p matter.
        let up = self.pose.inverse_vector(&Vec3::z());
        let over = self.shape.tree.along_ray(&self.pose.inverse_point(p), &up, self.noise(p));
        let n_triangles = self.mesh().triangles().len();
        let column: Vec<usize> = over.into_iter().map(|t| t as usize).filter(|t| *t < n_triangles).collect();
        let vertices: Vec<Vec3> = column.iter().flat_map(|t| self.triangle(*t)).collect();
        let triangles: Vec<[u32; 3]> =
            (0..column.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        winding(p, &vertices, &triangles)
    }

    /// Returns whether `p` (m) is strictly inside the body: enclosed by its triangles, or in a round part by more than the
    /// rounding error of a depth. Never for a sheet without round parts.
    pub fn contains(&self, p: &Vec3) -> bool {
        self.encloses(p) || self.round_depth(p, 0.0).is_some_and(|depth| depth > self.noise(p))
    }

    /// Returns whether `p` (m) is strictly inside the solid that the triangles bound; never for a sheet.
    pub(crate) fn encloses(&self, p: &Vec3) -> bool {
        self.is_solid() && self.winding(p).is_some_and(|turns| turns != 0)
    }

    /// Returns max { ρ − d(`p`, its centre or axis) } (m) over the round parts if that is more than −`reach` (m): how deep `p` (m)
    /// is in them.
    pub(crate) fn round_depth(&self, p: &Vec3, reach: f64) -> Option<f64> {
        if self.rounds().is_empty() || !self.bounds.grow(reach).contains_point(p) {
            return None;
        }
        let (mut deepest, limit) = (-reach, reach + self.noise(p));
        self.shape.tree.around(&self.pose.inverse_point(p), limit, &mut |index| {
            let rho = self.offset(index);
            if rho > 0.0 {
                deepest = deepest.max(rho - self.primitive(index).distance_sq(p).sqrt());
            }
            limit
        });
        (deepest > -reach).then_some(deepest)
    }

    /// As [`Surface::round_depth`] for the deepest point of a segment (m), with no reach.
    pub(crate) fn round_depth_along(&self, ends: &[Vec3; 2]) -> Option<f64> {
        if self.rounds().is_empty() || !self.bounds.overlaps(&Aabb::of_points(ends)) {
            return None;
        }
        let along = if ends[0] == ends[1] { Primitive::Point(ends[0]) } else { Primitive::Wire(*ends) };
        let depth = |i: &u32| self.offset(*i) - separation(&along, &self.primitive(*i)).norm();
        let deepest = self.rounds().iter().map(depth).fold(0.0, f64::max);
        (deepest > 0.0).then_some(deepest)
    }

    /// Determines how a primitive of this body and one of `other` meet, both grown by ρ.
    ///
    /// If neither is round, exactly. Else by their distance d: d < ρ_a + ρ_b is a crossing and d = ρ_a + ρ_b is touching, where a
    /// difference within the rounding error of d ([`Surface::noise_with`]) counts as none. So bodies that touch up to rounding
    /// do not cross.
    pub(crate) fn contact(&self, i: u32, other: &Self, j: u32) -> Relation {
        let (p, q) = (self.primitive(i), other.primitive(j));
        let rho = self.offset(i) + other.offset(j);
        if rho == 0.0 {
            return p.contact(&q);
        }
        let (gap, noise) = (distance(&p, &q) - rho, self.noise_with(other));
        if gap > noise {
            Relation::Disjoint
        } else if gap >= -noise {
            Relation::Touching
        } else {
            Relation::Crossing
        }
    }

    /// Returns the primitive without an offset nearest to `p` (m) and its squared distance (m²), if that is less than
    /// `limit_sq`; of equally near ones the first.
    pub fn nearest(&self, p: &Vec3, limit_sq: f64) -> Option<(u32, f64)> {
        self.nearest_beyond(p, limit_sq, -1.0)
    }

    /// As [`Surface::nearest`], but may return any primitive nearer than `enough_sq` (m²) if there is one.
    pub(crate) fn nearest_beyond(&self, p: &Vec3, limit_sq: f64, enough_sq: f64) -> Option<(u32, f64)> {
        let noise = self.noise(p);
        let mut found: Option<(u32, f64)> = None;
        self.shape.tree.around(&self.pose.inverse_point(p), limit_sq.sqrt() + noise, &mut |index| {
            let is_plain = self.offset(index) == 0.0;
            let d_sq = if is_plain { self.primitive(index).distance_sq(p) } else { f64::INFINITY };
            let is_nearer = found.map_or(d_sq < limit_sq, |(first, least_sq)| {
                d_sq < least_sq || d_sq == least_sq && index < first
            });
            if is_nearer {
                found = Some((index, d_sq));
            }
            match found {
                Some((_, least_sq)) if least_sq <= enough_sq => f64::NEG_INFINITY,
                Some((_, least_sq)) => least_sq.sqrt() + noise,
                None => limit_sq.sqrt() + noise,
            }
        });
        found
    }

    /// Returns a superset of the primitives that, grown by ρ, have a point in the box `query` (m), ascending.
    pub fn overlapping(&self, query: &Aabb) -> Vec<u32> {
        let n_primitives = count(self.mesh());
        let bounds = |index: u32| self.primitive(index).bounds().grow(self.offset(index));
        if self.is_small() {
            return (0..n_primitives as u32).filter(|index| bounds(*index).overlaps(query)).collect();
        }
        let mut found = Vec::new();
        let noise = self.noise(&query.min).max(self.noise(&query.max));
        self.shape.tree.near_box(query, &self.pose.inverse(), noise, &mut |index| {
            if bounds(index).overlaps(query) {
                found.push(index);
            }
            noise
        });
        found.sort_unstable();
        found
    }

    /// Visits pairs of a primitive of this surface and one of `other`, roughly nearest first, that, grown by ρ, may not be
    /// farther apart than `limit` (m). `visit` returns the new limit.
    ///
    /// Returns a lower bound (m) on the distance in all pairs that were not visited.
    pub(crate) fn pairs(&self, other: &Self, limit: f64, visit: &mut impl FnMut(u32, u32) -> f64) -> f64 {
        let noise = self.noise_with(other);
        let pose = other.pose.relative_to(&self.pose);
        let trees = [&self.shape.tree, &other.shape.tree];
        trees[0].pairs(trees[1], &pose, limit + noise, &mut |i, j| visit(i, j) + noise) - noise
    }

    /// Returns whether its primitives are so few that they are looked at one by one.
    pub(crate) fn is_small(&self) -> bool {
        count(self.mesh()) <= FEW
    }

    /// Visits a superset of the pairs of a primitive of this surface and one of `other` that have a common point, not grown by ρ.
    pub(crate) fn touching_pairs(&self, other: &Self, visit: &mut impl FnMut(u32, u32)) {
        if !(self.is_small() && other.is_small()) {
            self.pairs(other, 0.0, &mut |i, j| {
                visit(i, j);
                0.0
            });
            return;
        }
        let near = |of: &Self, to: &Self| -> Vec<(u32, Aabb)> {
            let all = (0..count(of.mesh()) as u32).map(|index| (index, of.primitive(index).bounds()));
            all.filter(|(_, bounds)| bounds.overlaps(&to.bounds)).collect()
        };
        let (first, second) = (near(self, other), near(other, self));
        for (i, bounds) in first {
            for (j, _) in second.iter().filter(|(_, others)| others.overlaps(&bounds)) {
                visit(i, *j);
            }
        }
    }

    /// Returns an upper bound on the rounding error (m) of the distance of `p` from a part of this surface,
    /// computed in the frame of the body or in the world.
    pub(crate) fn noise(&self, p: &Vec3) -> f64 {
        let size = (p - self.pose.position).norm() + self.pose.position.norm() + self.radius();
        (ROUNDINGS + 8.0 * self.stretch) * size
    }

    /// Returns an upper bound on the rounding error (m) of the distance between parts of two surfaces, computed in
    /// the frame of either body or in the world.
    pub(crate) fn noise_with(&self, other: &Self) -> f64 {
        let [x, y] = [self, other].map(|surface| surface.pose.position);
        let size = (x - y).norm() + x.norm() + y.norm() + self.radius() + other.radius();
        (ROUNDINGS + 8.0 * (self.stretch + other.stretch)) * size
    }

    /// Returns the connected component of the primitive nearest to `p` (m).
    pub fn piece_near(&self, p: &Vec3) -> Option<usize> {
        let (index, _) = self.nearest(p, f64::INFINITY)?;
        Some(self.shape.pieces.of_vertex(self.corners(index)[0] as usize))
    }

    /// Returns the squared distance (m²) of `p` (m) from the border of a sheet; infinite without a border.
    pub fn border_distance_sq(&self, p: &Vec3) -> f64 {
        let of = |edge: &[u32; 2]| {
            let [a, b] = edge.map(|v| self.vertex(v));
            point_edge::distance_sq(p, &a, &b)
        };
        self.shape.skin.border.iter().map(of).fold(f64::INFINITY, f64::min)
    }

    fn box_around(&self) -> Aabb {
        let is_finite = self.pose.is_finite() && (self.pose.position.norm() + self.radius()).is_finite();
        if !is_finite {
            return Aabb::EMPTY;
        }
        if !self.placed.is_empty() {
            let around = |(v, x): (u32, &Vec3)| Aabb { min: *x, max: *x }.grow(self.shape.offset(v));
            return (0..).zip(&self.placed).map(around).fold(Aabb::EMPTY, |all, one| all.union(&one));
        }
        let end = |k: usize, sign: f64| sign * self.farthest(k, sign);
        Aabb { min: Vec3::from_fn(|k, _| end(k, -1.0)), max: Vec3::from_fn(|k, _| end(k, 1.0)) }
    }

    /// Returns max { `sign` · x : x a point of the body (m) } for a coordinate x of the world, rounded up.
    fn farthest(&self, axis: usize, sign: f64) -> f64 {
        let mut unit = Vec3::zeros();
        unit[axis] = sign;
        let noise = 2.0 * self.noise(&self.pose.position);
        let mut most = f64::NEG_INFINITY;
        self.shape.tree.extreme(&self.pose.inverse_vector(&unit), most, &mut |index| {
            for v in self.corners(index) {
                let (x, rho) = (sign * self.vertex(*v)[axis], self.shape.offset(*v));
                most = most.max(if rho == 0.0 { x } else { (x + rho).next_up() });
            }
            most - sign * self.pose.position[axis] - noise
        });
        most
    }
}
