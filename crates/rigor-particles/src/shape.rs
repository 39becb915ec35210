//! A body as a set of particles.
//!
//! Source: \[Harada2007\]: a particle in every voxel inside of the body, with the edge of the voxel as its
//! diameter.

use rayon::prelude::*;
use rigor_geometry::distance::point_triangle;
use rigor_geometry::{Aabb, Bvh, Mesh, Surface};
use rigor_math::{Mat3, Pose, Vec3, inertia};
use rigor_scene::Body;

use crate::config::{Config, Inertia, Lattice};
use crate::error::VoxelError;
use crate::voxel::{Rays, peel};

/// The particles of a body, and the mass that they carry.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleShape {
    /// Centres (m) in the frame of the mesh.
    pub centres: Vec<Vec3>,
    /// Diameter d (m) of every particle.
    pub diameter: f64,
    /// Volume (m³) of a voxel: d³ in a cubic lattice, that of the box over its number of voxels in a fitted
    /// one.
    pub voxel: f64,
}

impl ParticleShape {
    /// Fills a solid with particles of the diameter `spacing` (m), in the lattice of the mesh's own axes.
    ///
    /// # Errors
    /// [`VoxelError`] if the mesh is no solid, if particles are larger than it or more than `maximum`, or if none lies
    /// inside.
    ///
    /// ```
    /// use rigor_math::Vec3;
    /// use rigor_particles::{Lattice, ParticleShape};
    /// let brick = rigor_shapes::Cuboid::new(Vec3::new(0.4, 0.2, 0.1)).mesh()?;
    /// let shape = ParticleShape::fill(&brick, 0.05, Lattice::Cubic, 1000)?;
    /// assert_eq!(shape.centres.len(), 8 * 4 * 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(mesh: &Mesh, spacing: f64, lattice: Lattice, maximum: u32) -> Result<Self, VoxelError> {
        check_solid(mesh)?;
        let bounds = mesh.bounds();
        let extent = bounds.extent().min();
        if !(spacing > 0.0 && spacing <= extent * (1.0 + 1e-9)) {
            return Err(VoxelError::TooCoarse { spacing, extent });
        }
        let needed = mesh.signed_volume() / (spacing * spacing * spacing);
        let cells = bounds.extent().map(|length| (length / spacing).ceil()).product();
        // The lattice itself must fit into memory too, even for a body that fills little of its box.
        if needed > f64::from(maximum) || cells > 64.0 * f64::from(maximum).max(1e6) {
            return Err(VoxelError::TooMany { spacing, needed, maximum });
        }
        let axes = [0, 1, 2].map(|k| values(&bounds, k, spacing, lattice));
        let mut centres = inside(mesh, &axes);
        if centres.is_empty() {
            return Err(VoxelError::Empty { spacing });
        }
        match lattice {
            Lattice::Shell => fit_shell(mesh, spacing, &mut centres),
            Lattice::Fitted | Lattice::Cubic => {}
        }
        let edge = |k: usize| match lattice {
            Lattice::Cubic => spacing,
            Lattice::Fitted | Lattice::Shell => bounds.extent()[k] / axes[k].len() as f64,
        };
        let voxel = edge(0) * edge(1) * edge(2);
        Ok(Self { centres, diameter: spacing, voxel })
    }

    /// Fills a solid with about `count` particles: d = (V/count)^{1/3}, but at most the smallest extent of
    /// the mesh.
    ///
    /// # Errors
    /// As [`ParticleShape::fill`].
    pub fn fill_count(mesh: &Mesh, count: u32, lattice: Lattice, maximum: u32) -> Result<Self, VoxelError> {
        check_solid(mesh)?;
        let edge = cube_root(mesh.signed_volume() / f64::from(count));
        Self::fill(mesh, edge.min(mesh.bounds().extent().min()), lattice, maximum)
    }

    /// Fills a body as `config` demands; centres are in its principal frame, the lattice is along the axes
    /// in which its author described it.
    ///
    /// # Errors
    /// As [`ParticleShape::fill`].
    pub fn of_body(body: &Body, config: &Config) -> Result<Self, VoxelError> {
        let authored = body.mesh.map_vertices(|v| body.frame.rotation * v);
        let maximum = config.max_particles;
        let mut shape = match config.spacing {
            Some(spacing) => Self::fill(&authored, spacing, config.lattice, maximum)?,
            None => Self::fill_count(&authored, config.particles_per_body, config.lattice, maximum)?,
        };
        for centre in &mut shape.centres {
            *centre = body.frame.rotation.inverse_transform_vector(centre);
        }
        Ok(shape)
    }

    /// Volume (m³) of all voxels.
    pub fn volume(&self) -> f64 {
        self.voxel * self.centres.len() as f64
    }

    /// Mass (kg), principal moments (kg m²) and the principal frame of voxels of `density` (kg/m³), each a
    /// cube with the inertia m a²/6.
    pub fn mass(&self, density: f64) -> VoxelMass {
        let n = self.centres.len() as f64;
        let each = density * self.voxel;
        let centre = self.centres.iter().sum::<Vec3>() / n;
        let edge = cube_root(self.voxel);
        let own = Mat3::from_diagonal_element(each * edge * edge / 6.0);
        let tensor: Mat3 = self.centres.iter().map(|c| inertia::of_point(each, &(c - centre)) + own).sum();
        let principal = inertia::diagonalize(&tensor);
        VoxelMass { mass: n * each, moments: principal.moments, frame: Pose::new(centre, principal.axes) }
    }
}

/// Mass and inertia of the voxels of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelMass {
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments (kg m²), ascending.
    pub moments: Vec3,
    /// Their centre of mass (m) and principal axes, in the frame of the centres.
    pub frame: Pose,
}

impl VoxelMass {
    /// Mass and inertia of a body's voxels with the density of the body; `None` if `config` asks for the
    /// body's own.
    pub(crate) fn of_body(body: &Body, shape: &ParticleShape, config: &Config) -> Option<Self> {
        let density = body.mass / body.mesh.signed_volume();
        (config.inertia == Inertia::Particles).then(|| shape.mass(density))
    }
}

fn check_solid(mesh: &Mesh) -> Result<(), VoxelError> {
    let (wires, points) = (mesh.wires().len(), mesh.points().len());
    let surface = mesh.surface();
    if !surface.is_solid() && surface != Surface::Codimensional {
        return Err(VoxelError::NotSolid { surface });
    }
    if wires + points > 0 || surface == Surface::Codimensional {
        return Err(VoxelError::Codimensional { wires, points });
    }
    if mesh.signed_volume() > 0.0 { Ok(()) } else { Err(VoxelError::NotSolid { surface }) }
}

/// Returns the coordinates (m) of the lattice along an axis.
fn values(bounds: &Aabb, axis: usize, spacing: f64, lattice: Lattice) -> Vec<f64> {
    let (length, centre) = (bounds.extent()[axis], bounds.center()[axis]);
    // 10⁻⁹ absorbs the rounding of a length that is a multiple of the spacing.
    let n = (length / spacing - 1e-9).ceil().max(1.0);
    let step = match lattice {
        Lattice::Cubic => spacing,
        Lattice::Fitted | Lattice::Shell => (length - spacing).max(0.0) / (n - 1.0).max(1.0),
    };
    (0..n as u64).map(|i| centre + (i as f64 - 0.5 * (n - 1.0)) * step).collect()
}

/// Moves centres that are less than a diameter `d` (m) below the surface to half a diameter below its nearest point.
fn fit_shell(mesh: &Mesh, d: f64, centres: &mut [Vec3]) {
    let boxes: Vec<Aabb> = (0..mesh.triangles().len()).map(|t| Aabb::of_points(&mesh.corners(t))).collect();
    let Ok(tree) = Bvh::new(&boxes) else { return };
    // A multiple of the diameter may be missed by rounding, which would move a layer of a box.
    let shallow = d * (1.0 - 1e-6);
    centres.par_iter_mut().with_min_len(64).for_each(|centre| {
        let near = tree.overlapping(&Aabb::new(*centre, *centre).grow(shallow));
        let feet = near.iter().map(|t| {
            let [a, b, c] = mesh.corners(*t as usize);
            point_triangle::closest(centre, &a, &b, &c).point_b
        });
        let distance_sq = |foot: &Vec3| (foot - *centre).norm_squared();
        let nearest = feet.min_by(|a, b| distance_sq(a).total_cmp(&distance_sq(b)));
        if let Some(foot) = nearest.filter(|foot| distance_sq(foot) < shallow * shallow)
            && let Some(inwards) = (*centre - foot).try_normalize(1e-9 * d)
        {
            *centre = foot + 0.5 * d * inwards;
        }
    });
}

/// Returns the points of the lattice inside of a solid, along rays in the direction of its shortest axis.
fn inside(mesh: &Mesh, axes: &[Vec<f64>; 3]) -> Vec<Vec3> {
    let axis = (0..3).min_by_key(|&k| axes[k].len()).unwrap_or(2);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let layers = peel(mesh, &Rays { axis, u: &axes[u], v: &axes[v] });
    let mut found = Vec::new();
    for (ray, layers) in layers.iter().enumerate() {
        let mut centre = Vec3::zeros();
        (centre[u], centre[v]) = (axes[u][ray / axes[v].len()], axes[v][ray % axes[v].len()]);
        for [entry, exit] in layers {
            let first = axes[axis].partition_point(|w| w < entry);
            for w in axes[axis][first..].iter().take_while(|w| *w < exit) {
                centre[axis] = *w;
                found.push(centre);
            }
        }
    }
    found
}

/// Returns ∛x for x > 0 by Newton's method, with the same bits on every target.
fn cube_root(x: f64) -> f64 {
    if !(x > 0.0 && x.is_finite()) {
        return x;
    }
    // Powers of 8 bring x into [1, 8), where Newton's method converges from 2.
    let (mut scaled, mut scale) = (x, 1.0);
    while scaled >= 8.0 {
        (scaled, scale) = (scaled / 8.0, scale * 2.0);
    }
    while scaled < 1.0 {
        (scaled, scale) = (scaled * 8.0, scale / 2.0);
    }
    let mut root = 2.0;
    for _ in 0..8 {
        root -= (root * root * root - scaled) / (3.0 * root * root);
    }
    root * scale
}

#[cfg(test)]
mod tests {
    use rigor_shapes::Cuboid;

    use super::*;

    #[test]
    fn cube_roots_are_accurate() {
        for x in [1e-300, 1e-9, 0.5, 1.0, 7.99, 8.0, 1e6, 1e300] {
            let root = cube_root(x);
            assert!((root * root * root / x - 1.0).abs() < 1e-14, "{x}");
        }
    }

    #[test]
    fn a_fitted_box_has_flat_faces_where_its_own_are() {
        let mesh = Cuboid::new(Vec3::new(0.37, 0.21, 0.1)).mesh().expect("a box");
        let shape = ParticleShape::fill(&mesh, 0.04, Lattice::Fitted, 1000).expect("a solid");
        assert_eq!(shape.centres.len(), 10 * 6 * 3);
        let bounds = Aabb::of_points(&shape.centres).grow(0.02);
        assert!((bounds.extent() - mesh.bounds().extent()).amax() < 1e-12);
    }

    #[test]
    fn a_shell_touches_the_surface_from_inside_and_leaves_boxes_as_they_are() {
        let radius = 0.3;
        let ball = rigor_shapes::Icosphere { radius, subdivisions: 5 }.mesh().expect("a ball");
        for d in [0.1, 0.05, 0.03] {
            let shape = ParticleShape::fill(&ball, d, Lattice::Shell, 100_000).expect("a solid");
            let plain = ParticleShape::fill(&ball, d, Lattice::Fitted, 100_000).expect("a solid");
            assert_eq!(shape.centres.len(), plain.centres.len());
            let depths = shape.centres.iter().map(|c| radius - c.norm());
            // Facets of the mesh are at most 4e-4 of the radius below the sphere.
            let outer = depths.clone().filter(|depth| (depth - 0.5 * d).abs() < 1e-3 * radius).count();
            assert!(depths.clone().all(|depth| depth > 0.5 * d - 1e-3 * radius), "{d}");
            assert!(
                outer as f64 > 0.8 * 4.0 * std::f64::consts::PI * (radius / d - 0.5).powi(2),
                "{outer} {d}"
            );
            let resistance = |shape: &ParticleShape| crate::rolling::resistance(&shape.centres, 0.5 * d);
            assert!(
                resistance(&shape) < 0.7 * resistance(&plain),
                "{} {}",
                resistance(&shape),
                resistance(&plain)
            );
        }
        let mesh = Cuboid::new(Vec3::new(0.37, 0.21, 0.1)).mesh().expect("a box");
        let [plain, shell] = [Lattice::Fitted, Lattice::Shell]
            .map(|lattice| ParticleShape::fill(&mesh, 0.04, lattice, 1000).expect("a solid"));
        let moved = plain.centres.iter().zip(&shell.centres).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(moved < 1e-15, "{moved}");
    }

    #[test]
    fn voxels_of_a_brick_have_its_mass_and_inertia() {
        let size = Vec3::new(0.4, 0.2, 0.3);
        let mesh = Cuboid::new(size).mesh().expect("a box");
        let shape = ParticleShape::fill(&mesh, 0.1, Lattice::Cubic, 1000).expect("a solid");
        let found = shape.mass(1000.0);
        // Voxels fill the brick exactly, so that the sum of their own inertia and offsets is that of the brick.
        let s = size.component_mul(&size);
        let mut exact = [s.y + s.z, s.z + s.x, s.x + s.y].map(|sum| 24.0 * sum / 12.0);
        exact.sort_by(f64::total_cmp);
        assert!((found.mass - 24.0).abs() < 1e-12 && found.frame.position.norm() < 1e-15);
        assert!((found.moments - Vec3::from(exact)).amax() < 1e-13, "{:?}", found.moments);
    }

    #[test]
    fn bad_input_is_refused_with_a_reason() {
        let mesh = Cuboid::new(Vec3::new(1.0, 0.1, 1.0)).mesh().expect("a box");
        let fill =
            |spacing| ParticleShape::fill(&mesh, spacing, Lattice::Fitted, 10_000).expect_err("it is bad");
        assert!(matches!(fill(0.2), VoxelError::TooCoarse { extent, .. } if extent < 0.101));
        assert!(matches!(fill(5e-4), VoxelError::TooMany { needed, .. } if needed > 1e8), "{}", fill(5e-4));
        assert!(matches!(fill(f64::NAN), VoxelError::TooCoarse { .. }));
        let open =
            Mesh::new(mesh.vertices().to_vec(), mesh.triangles()[1..].to_vec(), vec![]).expect("a mesh");
        let error = ParticleShape::fill(&open, 0.1, Lattice::Fitted, 1000).expect_err("it is open");
        assert!(error.to_string().contains("open: 3 edge(s)"), "{error}");
        let square = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let flat = Mesh::new(square.to_vec(), vec![[0, 1, 2], [0, 2, 3], [2, 1, 0], [3, 2, 0]], vec![]);
        let error = ParticleShape::fill(&flat.expect("a mesh"), 0.1, Lattice::Fitted, 1000);
        assert!(matches!(error, Err(VoxelError::NotSolid { .. })), "{error:?}");
    }
}
