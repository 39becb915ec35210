//! Round solids: balls and capsules as what they are, not as the meshes that show them.

use std::sync::Arc;

use rigor_geometry::{Aabb, Mesh, MeshError};
use rigor_math::Vec3;

use crate::part::{Part, PartKind};

/// The geometry of a body for contact: its mesh, in which each [ball](PartKind::Ball) is replaced by its centre and each
/// [capsule](PartKind::Capsule) by its axis, and how far the surface is from them.
///
/// A round part is the set of points within ρ of its centre or axis. So its distance from anything is that of the
/// centre or axis, minus ρ: a point or an edge with ρ as an offset. Other parts have ρ = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// Triangles, wires and points (m, principal frame).
    pub mesh: Arc<Mesh>,
    /// ρ (m) of each vertex; the vertices of a triangle or a wire have the same. Empty if all are 0.
    pub offsets: Arc<[f64]>,
}

impl Skeleton {
    /// The skeleton of a body without round parts: its `mesh`.
    pub fn plain(mesh: Arc<Mesh>) -> Self {
        Self { mesh, offsets: Arc::from([]) }
    }

    /// The skeleton of a body with this `mesh` and these `parts`, both in its principal frame.
    ///
    /// # Errors
    /// [`MeshError`] if a capsule has no length.
    pub fn of(mesh: &Arc<Mesh>, parts: &[Part]) -> Result<Self, MeshError> {
        if !parts.iter().any(|part| part.kind.is_round()) {
            return Ok(Self::plain(Arc::clone(mesh)));
        }
        let (mut vertices, mut offsets) = (Vec::new(), Vec::new());
        let (mut triangles, mut wires) = (Vec::new(), Vec::new());
        for part in parts {
            let first = vertices.len() as u32;
            match &part.kind {
                PartKind::Ball { radius } => {
                    vertices.push(part.pose.position);
                    offsets.push(*radius);
                }
                PartKind::Capsule { radius, half_length } => {
                    let end = |sign: f64| part.pose.point(&(Vec3::y() * (sign * half_length)));
                    vertices.extend([end(-1.0), end(1.0)]);
                    offsets.extend([*radius; 2]);
                    wires.push([first, first + 1]);
                }
                PartKind::Box { .. } | PartKind::Convex | PartKind::Concave => {
                    let from = part.vertices.start as u32;
                    let is_own = |v: &u32| part.vertices.contains(&(*v as usize));
                    vertices.extend_from_slice(&mesh.vertices()[part.vertices.clone()]);
                    offsets.resize(vertices.len(), 0.0);
                    let own = &mesh.triangles()[part.triangles.clone()];
                    triangles.extend(own.iter().map(|t| t.map(|v| v - from + first)));
                    let own = mesh.wires().iter().filter(|wire| wire.iter().all(is_own));
                    wires.extend(own.map(|wire| wire.map(|v| v - from + first)));
                }
            }
        }
        let mesh = Mesh::new(vertices, triangles, wires)?;
        Ok(Self { mesh: Arc::new(mesh), offsets: offsets.into() })
    }

    /// Whether no part is round.
    pub fn is_plain(&self) -> bool {
        self.offsets.is_empty()
    }

    /// ρ (m) of a vertex.
    pub fn offset(&self, vertex: usize) -> f64 {
        self.offsets.get(vertex).copied().unwrap_or(0.0)
    }

    /// The largest ρ (m).
    pub fn max_offset(&self) -> f64 {
        self.offsets.iter().copied().fold(0.0, f64::max)
    }

    /// The box around the solid (m, principal frame).
    pub fn bounds(&self) -> Aabb {
        let around = |(x, rho): (&Vec3, &f64)| Aabb::new(*x, *x).grow(*rho);
        let round = self.mesh.vertices().iter().zip(&*self.offsets).map(around);
        round.fold(self.mesh.bounds(), |all, one| all.union(&one))
    }

    /// The largest distance (m) of a point of the solid from the centre of mass.
    pub fn radius(&self) -> f64 {
        let reach = |(v, x): (usize, &Vec3)| x.norm() + self.offset(v);
        self.mesh.vertices().iter().enumerate().map(reach).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Pose;
    use rigor_shapes::{Capsule, Cuboid, Icosphere};

    use super::*;
    use crate::{BodySpec, PlacedShape};

    #[test]
    fn round_parts_are_their_centres_and_axes_and_weigh_what_they_are() {
        let (r, half) = (0.1, 0.2);
        let at = |x: f64| Pose::translation(Vec3::x() * x);
        let shapes = vec![
            PlacedShape {
                mesh: Icosphere { radius: r, subdivisions: 1 }.mesh().expect("positive radius"),
                kind: PartKind::Ball { radius: r },
                pose: at(-1.0),
            },
            PlacedShape {
                mesh: Cuboid::new(Vec3::repeat(2.0 * r)).mesh().expect("positive size"),
                kind: PartKind::Box { half_extents: Vec3::repeat(r) },
                pose: at(0.0),
            },
            PlacedShape {
                mesh: Capsule { radius: r, length: 2.0 * half, segments: 6, rings: 1 }
                    .mesh()
                    .expect("positive sizes"),
                kind: PartKind::Capsule { radius: r, half_length: half },
                pose: at(1.0),
            },
        ];
        let body = BodySpec::new("dumbbell", shapes).build().expect("a valid body");
        let skeleton = &body.skeleton;
        assert_eq!((skeleton.mesh.vertices().len(), skeleton.mesh.triangles().len()), (11, 12));
        assert_eq!((skeleton.mesh.points(), skeleton.mesh.wires()), (&[0][..], &[[9, 10]][..]));
        assert_eq!((skeleton.offset(0), skeleton.offset(4), skeleton.offset(10)), (r, 0.0, r));
        let pi = std::f64::consts::PI;
        let [ball, cube, rod] =
            [4.0 / 3.0 * pi, 8.0, 4.0 / 3.0 * pi + 2.0 * pi * half / r].map(|v| v * r * r * r);
        assert!((body.mass / 1000.0 - (ball + cube + rod)).abs() < 1e-15);
        let center = (rod - ball) / (ball + cube + rod);
        let [left, right] = [0, 9].map(|v| body.frame.point(&skeleton.mesh.vertices()[v]));
        assert!(
            (left - Vec3::x() * -1.0).norm() < 1e-14 && (right - Vec3::new(1.0, -half, 0.0)).norm() < 1e-14
        );
        assert!((body.frame.position.x - center).abs() < 1e-14);
        let reach = Vec3::new(1.0 - center, half, 0.0).norm().max(1.0 + center) + r;
        assert!((body.radius - reach).abs() < 1e-14);
        assert!((body.bounds().extent().max() - (2.0 + 2.0 * r)).abs() < 1e-14);
    }
}
