//! The particles of a scene: computed once per scene, and kept.

use std::sync::Arc;

use rayon::prelude::*;
use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Pose;
use rigor_scene::{Body, Feature, Scene};

use crate::config::Config;
use crate::error::{ParticlesError, VoxelError};
use crate::fluid;
use crate::shape::{ParticleShape, VoxelMass};

/// What the solver needs of a body's shape.
#[derive(Debug, Clone)]
pub(crate) enum Prepared {
    /// A dynamic body, with the mass of its voxels if the settings ask for it.
    Particles(Arc<ParticleShape>, Option<VoxelMass>),
    /// A static or kinematic body.
    Triangles { tree: Arc<Bvh>, is_solid: bool },
}

/// The shapes of all bodies of one scene.
#[derive(Debug, Default)]
pub(crate) struct Population {
    /// What each shape was made from.
    made_from: Vec<(Arc<Mesh>, Pose, u64, bool)>,
    pub shapes: Vec<Prepared>,
}

impl Population {
    /// Makes the shapes of all bodies, unless they are there already.
    ///
    /// # Errors
    /// [`ParticlesError`] if a body has no particles or all together too many.
    pub fn prepare(&mut self, scene: &Scene, config: &Config) -> Result<(), ParticlesError> {
        let key = |body: &Body| (body.mesh.clone(), body.frame, body.mass.to_bits(), body.is_dynamic());
        let is_same = |(body, made): (&Body, &(Arc<Mesh>, Pose, u64, bool))| {
            let now = key(body);
            Arc::ptr_eq(&now.0, &made.0) && (now.1, now.2, now.3) == (made.1, made.2, made.3)
        };
        let n = scene.bodies.len();
        if self.shapes.len() == n && scene.bodies.iter().zip(&self.made_from).all(is_same) {
            return Ok(());
        }
        let shapes =
            scene.bodies.par_iter().map(|body| prepare(body, config)).collect::<Result<Vec<_>, _>>()?;
        let needed = shapes.iter().map(Prepared::n_particles).sum::<usize>() + scene.particles.len();
        if needed > config.max_particles as usize {
            return Err(ParticlesError::TooMany { needed, maximum: config.max_particles });
        }
        self.shapes = shapes;
        self.made_from = scene.bodies.iter().map(key).collect();
        Ok(())
    }
}

impl Prepared {
    fn n_particles(&self) -> usize {
        match self {
            Self::Particles(shape, _) => shape.centres.len(),
            Self::Triangles { .. } => 0,
        }
    }
}

fn prepare(body: &Body, config: &Config) -> Result<Prepared, ParticlesError> {
    let fail = |error| ParticlesError::Shape { name: body.name.clone(), error };
    if body.is_dynamic() {
        let shape = ParticleShape::of_body(body, config).map_err(fail)?;
        let mass = VoxelMass::of_body(body, &shape, config);
        return Ok(Prepared::Particles(Arc::new(shape), mass));
    }
    let mesh = &body.mesh;
    let boxes: Vec<Aabb> = (0..mesh.triangles().len()).map(|t| Aabb::of_points(&mesh.corners(t))).collect();
    let (wires, points) = (mesh.wires().len(), mesh.points().len());
    match Bvh::new(&boxes) {
        Ok(tree) if wires + points == 0 => {
            Ok(Prepared::Triangles { tree: Arc::new(tree), is_solid: mesh.surface().is_solid() })
        }
        _ => Err(fail(VoxelError::Codimensional { wires, points })),
    }
}

/// Returns what the method lacks for a scene.
pub(crate) fn unsupported(scene: &Scene, config: &Config) -> Option<Feature> {
    if !scene.joints.is_empty() {
        return Some(Feature::Joints);
    }
    if !scene.bonds.is_empty() || !scene.attachments.is_empty() {
        return Some(Feature::BondsAndAttachments);
    }
    if let Some(what) = fluid::support::unsupported(scene, config) {
        return Some(what);
    }
    if scene.particles.iter().any(|particle| particle.radius <= 0.0) {
        return Some(Feature::Other { what: "particles without a radius".into() });
    }
    Population::default().prepare(scene, config).err().map(Feature::from)
}
