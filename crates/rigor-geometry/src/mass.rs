//! Mass, centre of mass and inertia of meshes of any codimension.
//!
//! A closed surface is solid; triangles that bound no volume are a shell; wires and points carry mass of
//! their own. All integrals are exact for the given mesh ([`Moments`]); no mass is lumped at vertices.

mod density;
mod model;
mod moments;

use std::f64::consts::PI;

use rigor_math::inertia::{self, PrincipalInertia};
use rigor_math::{Mat3, Pose, Vec3};

use crate::topology::{Components, Surface, Topology};
use crate::{Mesh, mesh::cone_volume};

pub use density::Density;
pub use model::MassModel;
pub use moments::Moments;

/// Mass, centre of mass and inertia of a body.
///
/// ```
/// use rigor_geometry::{MassProperties, Mesh};
/// use rigor_math::Vec3;
/// // A corner cut off a cube: V = 1/6 m³, centre at a quarter of each edge.
/// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let mesh = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], vec![])?;
/// let body = MassProperties::of(&mesh, 600.0)?;
/// assert!((body.mass - 100.0).abs() < 1e-12);
/// assert!((body.center - Vec3::repeat(0.25)).norm() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// What carries the mass.
    pub model: MassModel,
    /// Mass (kg), positive.
    pub mass: f64,
    /// Centre of mass (m), in the axes of the mesh.
    pub center: Vec3,
    /// Inertia tensor (kg m²) about the centre of mass, in the axes of the mesh.
    pub inertia: Mat3,
}

/// The reason why a mesh has no mass properties.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// A density that is zero, negative or not finite.
    #[error("the density {value} {unit} must be positive and finite")]
    Density {
        /// The density given.
        value: f64,
        /// "kg/m³", "kg/m²", "kg/m" or "kg".
        unit: &'static str,
    },
    /// A closed surface that bounds no volume with the right sign.
    #[error("the surface cannot be filled: it is {surface}; repair it, or give `inertia` with `mass`")]
    Surface {
        /// The defect: inverted, flat or inconsistent.
        surface: Surface,
    },
    /// A mass that is not a positive, normal, finite number, such as one below 1e-308 kg.
    #[error("the mass {mass:e} kg must be positive, finite and large enough to calculate with")]
    Mass {
        /// The mass computed or requested (kg).
        mass: f64,
    },
}

/// How much of a mesh there is of each kind.
///
/// ```
/// use rigor_geometry::{Mesh, mass::Measures};
/// use rigor_math::Vec3;
/// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
/// let found = Measures::of(&Mesh::new(corners, vec![[0, 1, 2]], vec![[0, 3]])?)?;
/// assert_eq!((found.volume, found.area, found.length, found.points), (0.0, 0.5, 1.0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measures {
    /// Volume (m³) that closed surfaces bound.
    pub volume: f64,
    /// Area (m²) of triangles that bound no volume.
    pub area: f64,
    /// Length (m) of wires.
    pub length: f64,
    /// Number of points.
    pub points: usize,
}

impl Measures {
    /// The measures of `mesh`, by the same rule as [`MassProperties::of`].
    ///
    /// # Errors
    /// [`MassError::Surface`] for solids that are inverted, flat or inconsistently oriented.
    pub fn of(mesh: &Mesh) -> Result<Self, MassError> {
        let solid = solid_triangles(mesh)?;
        let middle = mesh.bounds().center();
        let mut measures = Self { points: mesh.points().len(), ..Self::default() };
        for (t, is_solid) in solid.iter().enumerate() {
            if *is_solid {
                measures.volume += cone_volume(mesh.corners(t), &middle);
            } else {
                measures.area += mesh.area_vector(t).norm();
            }
        }
        measures.length = mesh
            .wires()
            .iter()
            .map(|e| {
                let [a, b] = e.map(|v| mesh.vertices()[v as usize]);
                (b - a).norm()
            })
            .sum();
        Ok(measures)
    }

    /// The sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            volume: self.volume + other.volume,
            area: self.area + other.area,
            length: self.length + other.length,
            points: self.points + other.points,
        }
    }
}

/// How far the mass is spread out, which decides the rotations that a torque can drive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// All mass in one point: all moments vanish.
    Point,
    /// All mass on one line: the moment about it vanishes.
    Line {
        /// The direction of the line, a unit vector in the axes of the mesh.
        axis: Vec3,
    },
    /// Mass off any line: all moments are positive.
    Full,
}

impl MassProperties {
    /// The mass properties of `mesh`.
    ///
    /// Each connected component whose triangles are closed is solid and filled with `density.volume`. The
    /// triangles of other components are shells with `density.area`, wires have `density.length`, points
    /// `density.point`. A plain number stands for [`Density::uniform`]. Whether an open surface was meant to
    /// be solid cannot be known here: check [`Mesh::surface`] before, or [`MassProperties::model`] after.
    ///
    /// Integrals are taken about the centre of the bounding box and then about the centre of mass found, so
    /// that bodies small compared with their distance from the origin lose no digits.
    ///
    /// Source: exact polynomial integrals, see [`Moments`]. Deviation: the reference program of
    /// \[Ferguson2021\] lumps the mass of a shell or wire at its vertices; the masses agree, but the inertia
    /// here is that of the triangles and wires themselves. It treats an inverted solid as a shell; here that
    /// is an error.
    ///
    /// # Errors
    /// [`MassError`] for a density or mass that is not positive, and for solids that are inverted, flat or
    /// inconsistently oriented; [`Mesh::flipped`] repairs the first.
    pub fn of(mesh: &Mesh, density: impl Into<Density>) -> Result<Self, MassError> {
        let density = density.into();
        density.check(mesh)?;
        Self::integrated(mesh, &solid_triangles(mesh)?, &density)
    }

    /// As [`MassProperties::of`], with the triangles of closed components as shells, too: for surfaces that bound no volume.
    ///
    /// # Errors
    /// [`MassError`] for a density or mass that is not positive.
    pub fn of_shell(mesh: &Mesh, density: impl Into<Density>) -> Result<Self, MassError> {
        let density = density.into();
        density.check(mesh)?;
        Self::integrated(mesh, &vec![false; mesh.triangles().len()], &density)
    }

    /// A ball of `radius` (m) about the origin: m = 4/3 π r³ ρ, I = ⅖ m r².
    ///
    /// # Errors
    /// [`MassError`] for a density or mass that is not positive.
    pub fn ball(radius: f64, density: impl Into<Density>) -> Result<Self, MassError> {
        Self::capsule(radius, 0.0, density)
    }

    /// All within `radius` (m) of a segment of `length` (m) on the y axis, with its middle at the origin.
    ///
    /// A cylinder of mass m_c and a ball of mass m_b, cut in two: I_y = ½ m_c r² + ⅖ m_b r² and
    /// I_x = I_z = m_c (r²/4 + l²/12) + m_b (83/320 r² + (l/2 + 3/8 r)²), as a hemisphere has its centre of mass 3/8 r from its
    /// flat face, and 83/320 m r² about it.
    ///
    /// ```
    /// use rigor_geometry::mass::MassProperties;
    /// let rod = MassProperties::capsule(1.0, 2.0, 3.0)?;
    /// assert!((rod.mass - 10.0 * std::f64::consts::PI).abs() < 1e-12);
    /// assert!(rod.inertia.m22 < rod.inertia.m11);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`MassError`] for a density or mass that is not positive.
    pub fn capsule(radius: f64, length: f64, density: impl Into<Density>) -> Result<Self, MassError> {
        let density = density.into().volume;
        if !(density > 0.0 && density.is_finite()) {
            return Err(MassError::Density { value: density, unit: "kg/m³" });
        }
        let (r2, l2) = (radius * radius, length * length);
        let (middle, ends) = (density * PI * r2 * length, density * (4.0 / 3.0) * PI * r2 * radius);
        let mass = middle + ends;
        check_mass(mass)?;
        let along = middle * r2 / 2.0 + ends * 0.4 * r2;
        let reach = 0.5 * length + 0.375 * radius;
        let across = middle * (r2 / 4.0 + l2 / 12.0) + ends * (83.0 / 320.0 * r2 + reach * reach);
        // Of a ball both are the same, without rounding.
        let across = if length == 0.0 { along } else { across };
        let inertia = Mat3::from_diagonal(&Vec3::new(across, along, across));
        Ok(Self { model: MassModel::Volume, mass, center: Vec3::zeros(), inertia })
    }

    fn integrated(mesh: &Mesh, solid: &[bool], density: &Density) -> Result<Self, MassError> {
        let measure = |origin: &Vec3| Measured::of(mesh, solid, density, origin);
        let middle = mesh.bounds().center();
        let Moments { zeroth: mass, first, .. } = measure(&middle).moments;
        check_mass(mass)?;
        let near = middle + first / mass;
        let Measured { moments, model } = measure(&near);
        let offset = moments.first / moments.zeroth;
        let second = moments.second - moments.first * offset.transpose();
        Ok(Self { model, mass, center: near + offset, inertia: inertia::from_second_moment(&second) })
    }

    /// Several bodies joined into one rigid body: I = Σ (Iₖ + mₖ (‖dₖ‖² 1 − dₖ dₖᵀ)) with dₖ from the common
    /// centre to each.
    ///
    /// `None` if `parts` is empty.
    pub fn combine(parts: &[Self]) -> Option<Self> {
        let first = parts.first()?;
        let mass: f64 = parts.iter().map(|p| p.mass).sum();
        let offset = parts.iter().map(|p| (p.center - first.center) * p.mass).sum::<Vec3>() / mass;
        let center = first.center + offset;
        Some(Self {
            model: parts[1..].iter().fold(first.model, |model, p| model.and(p.model)),
            mass,
            center,
            inertia: parts
                .iter()
                .map(|p| inertia::about_point(&p.inertia, p.mass, &(p.center - center)))
                .sum(),
        })
    }

    /// The same distribution scaled to another mass (kg).
    ///
    /// # Errors
    /// [`MassError::Mass`] unless `mass` is positive, normal and finite.
    pub fn with_mass(&self, mass: f64) -> Result<Self, MassError> {
        check_mass(mass)?;
        Ok(Self { mass, inertia: self.inertia * (mass / self.mass), ..*self })
    }

    /// The same body moved by `pose`: c ↦ R c + p, I ↦ R I Rᵀ.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let inertia = inertia::rotated(&self.inertia, &pose.rotation);
        Self { center: pose.point(&self.center), inertia, ..*self }
    }

    /// Principal moments (kg m²) and axes.
    pub fn principal(&self) -> PrincipalInertia {
        inertia::diagonalize(&self.inertia)
    }

    /// Whether the mass lies in a point, on a line, or off any line.
    ///
    /// A moment counts as vanishing below 1e-12 of the largest, as for a round rod with a radius of 4e-7 of
    /// its length; all count as vanishing within the rounding of the centre's coordinates. Rigid-body
    /// dynamics divides by the moments: unless the answer is [`Spread::Full`], leave the rotations that no
    /// torque can drive out of the equations, or use [`MassProperties::widened`].
    pub fn spread(&self) -> Spread {
        let PrincipalInertia { moments, axes } = self.principal();
        let rounding = 4.0 * f64::EPSILON * self.center.norm();
        if moments.max() <= self.mass * rounding * rounding {
            Spread::Point
        } else if moments.min() <= 1e-12 * moments.max() {
            Spread::Line { axis: axes * Vec3::x() }
        } else {
            Spread::Full
        }
    }

    /// The body with each of its particles widened to a ball of `radius` (m): I + ⅖ m r² 1.
    ///
    /// Gives a point or a straight wire the moments that they lack; the caller must choose this and report
    /// it. The result is the exact inertia of the mass smeared out over that distance. Mass and centre are
    /// unchanged.
    #[must_use]
    pub fn widened(&self, radius: f64) -> Self {
        let added = 0.4 * self.mass * radius * radius;
        Self { inertia: self.inertia + Mat3::from_diagonal_element(added), ..*self }
    }
}

/// Moments of the mass, and what carries it.
struct Measured {
    moments: Moments,
    model: MassModel,
}

impl Measured {
    fn of(mesh: &Mesh, solid: &[bool], density: &Density, origin: &Vec3) -> Self {
        let [mut volume, mut area, mut length, mut points] = [Moments::default(); 4];
        for (t, is_solid) in solid.iter().enumerate() {
            let [a, b, c] = mesh.corners(t).map(|p| p - origin);
            if *is_solid {
                let cone = cone_volume([a, b, c], &Vec3::zeros());
                volume += Moments::of_simplex(cone, [Vec3::zeros(), a, b, c]);
            } else {
                area += Moments::of_simplex((b - a).cross(&(c - a)).norm() / 2.0, [a, b, c]);
            }
        }
        for e in mesh.wires() {
            let [a, b] = e.map(|v| mesh.vertices()[v as usize] - origin);
            length += Moments::of_simplex((b - a).norm(), [a, b]);
        }
        for &v in mesh.points() {
            points += Moments::of_simplex(1.0, [mesh.vertices()[v as usize] - origin]);
        }
        let parts = [volume, area, length, points];
        let carries = parts.map(|m| m.zeroth > 0.0);
        let densities = [density.volume, density.area, density.length, density.point];
        let mut moments = Moments::default();
        for k in (0..4).filter(|&k| carries[k]) {
            moments += parts[k] * densities[k];
        }
        Self { moments, model: MassModel::of(carries) }
    }
}

fn check_mass(mass: f64) -> Result<(), MassError> {
    if mass.is_normal() && mass > 0.0 { Ok(()) } else { Err(MassError::Mass { mass }) }
}

/// Whether each triangle bounds a volume: its component traverses every edge equally often both ways.
fn solid_triangles(mesh: &Mesh) -> Result<Vec<bool>, MassError> {
    let topology = Topology::of(mesh);
    let components = Components::of(mesh);
    let of_edge = |e: u32| components.of_vertex(mesh.edges()[e as usize][0] as usize);
    let mut open = vec![false; components.len()];
    for e in topology.boundary_edges().chain(topology.non_manifold_edges()) {
        open[of_edge(e)] |= !topology.is_balanced(e as usize);
    }
    let edges = topology.inconsistent_edges().filter(|&e| !open[of_edge(e)]).count();
    if edges > 0 {
        return Err(MassError::Surface { surface: Surface::Inconsistent { edges } });
    }
    let n_triangles = mesh.triangles().len();
    let solid: Vec<bool> = (0..n_triangles).map(|t| !open[components.of_triangle(mesh, t)]).collect();
    check_solid(mesh, &solid, &topology)?;
    Ok(solid)
}

fn check_solid(mesh: &Mesh, solid: &[bool], topology: &Topology) -> Result<(), MassError> {
    let check = |surface| match surface {
        Surface::Inverted { .. } | Surface::Flat { .. } => Err(MassError::Surface { surface }),
        Surface::Closed
        | Surface::Inconsistent { .. }
        | Surface::Open { .. }
        | Surface::NonManifold { .. }
        | Surface::Codimensional => Ok(()),
    };
    if solid.iter().all(|is_solid| *is_solid) && mesh.wires().is_empty() && mesh.points().is_empty() {
        return check(Surface::with(mesh, topology));
    }
    let triangles: Vec<_> =
        mesh.triangles().iter().zip(solid).filter(|(_, s)| **s).map(|(t, _)| *t).collect();
    let skin = Mesh::assemble(mesh.vertices().to_vec(), triangles, vec![]);
    check(skin.surface())
}
