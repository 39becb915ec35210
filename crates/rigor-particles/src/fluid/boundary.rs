//! Bodies as boundary particles.

use std::sync::Arc;

use rigor_geometry::distance::point_triangle;
use rigor_geometry::intersection::containment::winding;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::{Pose, Vec3};
use rigor_scene::{Body, Role, Scene};

use crate::config::{Config, Lattice};
use crate::error::{ParticlesError, VoxelError};
use crate::shape::ParticleShape;

/// Particles of a body before those that no fluid can reach are left out, over the maximum of those that stay.
const FULL: u32 = 20;

/// What samples were made from: mesh, author's frame, pose and role of each body.
type Origin = (Arc<Mesh>, Pose, Pose, bool, bool);

/// Boundary particles of one body, in its frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    /// Centres (m).
    pub points: Vec<Vec3>,
    /// Volume (m³) of each.
    pub volume: f64,
}

/// Boundary particles of all bodies of a scene; kept, as they depend on the scene and the settings only.
#[derive(Debug, Default)]
pub(crate) struct Boundary {
    made_from: Vec<Origin>,
    length: (f64, f64),
    pub bodies: Vec<Samples>,
}

impl Boundary {
    /// Distance (m) of neighbouring particles.
    pub fn spacing(&self) -> f64 {
        self.length.0
    }

    /// Makes the particles of all bodies, unless they are there already.
    ///
    /// They fill each body at the spacing of the fluid, half a spacing below the surface and deeper, up to the
    /// support of the kernel \[Adami2012\]. Each has the volume of the body over the number of particles of a full
    /// lattice, so that a body displaces its own volume. Where static bodies overlap, only the first has
    /// particles.
    ///
    /// # Errors
    /// [`ParticlesError`] if a body is no solid, thinner than the spacing, or needs too many particles.
    pub fn prepare(&mut self, scene: &Scene, config: &Config) -> Result<(), ParticlesError> {
        let spacing = scene.fluids.first().map_or(1.0, |fluid| fluid.spacing);
        let length = (spacing, 2.0 * config.smoothing * spacing);
        let origin = |body: &Body| {
            let is_static = body.role == Role::Static;
            (body.mesh.clone(), body.frame, body.initial.pose, is_static, body.is_dynamic())
        };
        let is_same = |(body, made): (&Body, &Origin)| {
            let now = origin(body);
            let is_placed = !now.3 || now.2 == made.2;
            Arc::ptr_eq(&now.0, &made.0) && is_placed && (now.1, now.3, now.4) == (made.1, made.3, made.4)
        };
        let n = scene.bodies.len();
        let is_known = self.length == length && self.bodies.len() == n;
        if is_known && scene.bodies.iter().zip(&self.made_from).all(is_same) {
            return Ok(());
        }
        let mut bodies = Vec::with_capacity(n);
        for (i, body) in scene.bodies.iter().enumerate() {
            let mut samples = samples(body, config, length)?;
            if body.role == Role::Static {
                let before = scene.bodies[..i].iter().filter(|other| other.role == Role::Static);
                let before: Vec<&Body> = before.collect();
                samples.points.retain(|point| {
                    let world = body.initial.pose.point(point);
                    !before.iter().any(|other| contains(other, &world))
                });
            }
            bodies.push(samples);
        }
        let walls: usize = bodies.iter().map(|samples| samples.points.len()).sum();
        let fluid = scene.particles.len();
        if fluid + walls > config.max_particles as usize {
            return Err(ParticlesError::TooManyInFluid { fluid, walls, maximum: config.max_particles });
        }
        (self.bodies, self.length) = (bodies, length);
        self.made_from = scene.bodies.iter().map(origin).collect();
        Ok(())
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other errors concern the shape as such")]
fn samples(body: &Body, config: &Config, (spacing, depth): (f64, f64)) -> Result<Samples, ParticlesError> {
    let maximum = config.max_particles.saturating_mul(FULL);
    let full =
        Config { spacing: Some(spacing), lattice: Lattice::Fitted, max_particles: maximum, ..config.clone() };
    let shape = ParticleShape::of_body(body, &full).map_err(|error| match error {
        VoxelError::NotSolid { .. } | VoxelError::Codimensional { .. } => {
            ParticlesError::OpenWall { name: body.name.clone() }
        }
        VoxelError::TooCoarse { spacing, extent } => {
            ParticlesError::ThinWall { name: body.name.clone(), spacing, extent }
        }
        error => ParticlesError::Shape { name: body.name.clone(), error },
    })?;
    let volume = body.mesh.signed_volume() / shape.centres.len() as f64;
    let mesh = &body.mesh;
    let boxes: Vec<Aabb> = (0..mesh.triangles().len()).map(|t| Aabb::of_points(&mesh.corners(t))).collect();
    let tree = Bvh::new(&boxes).map_err(|_| ParticlesError::OpenWall { name: body.name.clone() })?;
    let is_shallow = |point: &Vec3| {
        let near = tree.overlapping(&Aabb::new(*point, *point).grow(depth));
        near.iter().any(|t| {
            let [a, b, c] = mesh.corners(*t as usize);
            point_triangle::distance_sq(point, &a, &b, &c) <= depth * depth
        })
    };
    Ok(Samples { points: shape.centres.into_iter().filter(is_shallow).collect(), volume })
}

/// Whether a body contains `point` (m, world) at time 0.
pub(crate) fn contains(body: &Body, point: &Vec3) -> bool {
    let local = body.initial.pose.inverse_point(point);
    body.mesh.bounds().contains_point(&local)
        && winding(&local, body.mesh.vertices(), body.mesh.triangles()).is_some_and(|turns| turns != 0)
}
