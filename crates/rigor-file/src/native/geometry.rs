//! Geometries described by a few numbers.

use rigor_geometry::Mesh;
use rigor_math::Vec3;
use rigor_shapes::{
    Bolt, Capsule, Card, CatenaryArch, ChainLink, Cliff, Coin, Cone, Crack, Cuboid, Cylinder, Icosphere, Nut,
    Plane, PointSphere, Revolution, ShapeError, Spike, Tetrahedron, Torus, UvSphere, Wedge, Wire,
};

use super::super::document::ShapeEntry;
use super::super::document::geometry::{
    ArchShape, ArchStoneShape, Circle, ExtrudeShape, GearShape, HeightFieldShape, HoleShape, OutlineEntry,
};
use rigor_scene::PartKind;

/// A geometry described by a few numbers.
pub trait Geometry {
    /// Builds the mesh and what is known about it.
    ///
    /// # Errors
    /// A number out of range.
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError>;
}

/// Returns every such geometry by its key, if the shape has it.
pub fn procedural(entry: &ShapeEntry) -> Vec<(&'static str, Option<&dyn Geometry>)> {
    fn this<G: Geometry>(geometry: &Option<G>) -> Option<&dyn Geometry> {
        geometry.as_ref().map(|g| g as &dyn Geometry)
    }
    vec![
        ("box", this(&entry.box_)),
        ("sphere", this(&entry.sphere)),
        ("icosphere", this(&entry.icosphere)),
        ("plane", this(&entry.plane)),
        ("cylinder", this(&entry.cylinder)),
        ("capsule", this(&entry.capsule)),
        ("cone", this(&entry.cone)),
        ("torus", this(&entry.torus)),
        ("chain_link", this(&entry.chain_link)),
        ("tetrahedron", this(&entry.tetrahedron)),
        ("wedge", this(&entry.wedge)),
        ("spike", this(&entry.spike)),
        ("coin", this(&entry.coin)),
        ("card", this(&entry.card)),
        ("crack", this(&entry.crack)),
        ("hole", this(&entry.hole)),
        ("cliff", this(&entry.cliff)),
        ("arch_stone", this(&entry.arch_stone)),
        ("arch", this(&entry.arch)),
        ("catenary_arch", this(&entry.catenary_arch)),
        ("gear", this(&entry.gear)),
        ("bolt", this(&entry.bolt)),
        ("nut", this(&entry.nut)),
        ("extrude", this(&entry.extrude)),
        ("revolve", this(&entry.revolve)),
        ("wire", this(&entry.wire)),
        ("point_sphere", this(&entry.point_sphere)),
        ("height_field", this(&entry.height_field)),
    ]
}

/// Marks a mesh as convex.
fn convex(mesh: Mesh) -> (Mesh, PartKind) {
    (mesh, PartKind::Convex)
}

/// Marks a mesh as not known to be convex.
fn concave(mesh: Mesh) -> (Mesh, PartKind) {
    (mesh, PartKind::Concave)
}

/// Marks a closed mesh after testing it for convexity.
fn convex_or_not(mesh: Mesh) -> (Mesh, PartKind) {
    if mesh.is_closed() && mesh.is_convex() { convex(mesh) } else { concave(mesh) }
}

/// Builds the mesh of each shape and tells its kind.
macro_rules! meshes {
    ($kind:ident: $($shape:ident),*) => {$(
        impl Geometry for $shape {
            fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
                self.mesh().map($kind)
            }
        }
    )*};
}

meshes!(convex: UvSphere, Icosphere, Cylinder, Capsule, Cone, Tetrahedron, Wedge, Spike, Coin);
meshes!(concave: Plane, Torus, ChainLink, Crack, Cliff, Bolt, Nut, Wire, PointSphere);
meshes!(convex_or_not: Revolution);

fn outline(entry: &OutlineEntry) -> rigor_shapes::Outline {
    match entry {
        OutlineEntry::Polygon(points) => rigor_shapes::Outline::Polygon(points.clone()),
        OutlineEntry::Circle(Circle { center, radius, segments }) => {
            rigor_shapes::Outline::Circle { center: *center, radius: *radius, segments: *segments }
        }
    }
}

impl Geometry for Cuboid {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        Ok((self.mesh()?, PartKind::Box { half_extents: 0.5 * self.size }))
    }
}

impl Geometry for Card {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let mesh = self.mesh()?;
        Ok(match self.thickness {
            Some(thickness) => {
                let half_extents = 0.5 * Vec3::new(self.size[0], thickness, self.size[1]);
                (mesh, PartKind::Box { half_extents })
            }
            None => concave(mesh),
        })
    }
}

impl Geometry for HoleShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { size, opening, depth, pointed } = *self;
        let bottom = match depth {
            None => rigor_shapes::Bottom::Through,
            Some(depth) if pointed => rigor_shapes::Bottom::Pointed { depth },
            Some(depth) => rigor_shapes::Bottom::Flat { depth },
        };
        rigor_shapes::Hole { size: size.into(), opening, bottom }.mesh().map(concave)
    }
}

impl Geometry for ArchStoneShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { inner_radius, outer_radius, depth, start_deg, end_deg, segments } = *self;
        let [start, end] = [start_deg, end_deg].map(radians);
        let stone = rigor_shapes::ArchStone { inner_radius, outer_radius, depth, start, end, segments };
        stone.mesh().map(if segments == 1 { convex } else { concave })
    }
}

impl Geometry for ArchShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let Self { inner_radius, outer_radius, depth, span_deg, stones, gap, segments } = *self;
        let span = radians(span_deg);
        let arch = rigor_shapes::Arch { inner_radius, outer_radius, depth, span, stones, gap, segments };
        merged("arch", &arch.meshes()?)
    }
}

impl Geometry for CatenaryArch {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        merged("catenary arch", &self.meshes()?)
    }
}

impl Geometry for GearShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let usual = rigor_shapes::Gear::new(self.teeth, self.module);
        let gear = rigor_shapes::Gear {
            pressure_angle: radians(self.pressure_angle_deg),
            backlash: self.backlash.unwrap_or(usual.backlash),
            width: self.width.unwrap_or(usual.width),
            bore: self.bore,
            flank_segments: self.flank_segments,
            ..usual
        };
        gear.mesh().map(concave)
    }
}

impl Geometry for ExtrudeShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let holes = self.holes.iter().map(outline).collect();
        let region = rigor_shapes::Extrusion { outline: outline(&self.outline), holes, depth: self.depth };
        region.mesh().map(convex_or_not)
    }
}

impl Geometry for HeightFieldShape {
    fn build(&self) -> Result<(Mesh, PartKind), ShapeError> {
        let n_x = self.heights.first().map_or(0, Vec::len);
        if let Some(odd) = self.heights.iter().map(Vec::len).find(|n| *n != n_x) {
            let allowed = format!("{n_x} heights per row, as in the first");
            return Err(ShapeError::Parameter {
                shape: "height field",
                parameter: "heights",
                value: odd as f64,
                allowed,
            });
        }
        let counts = [n_x as u32, self.heights.len() as u32];
        let field = rigor_shapes::HeightField {
            size: self.size,
            counts,
            heights: self.heights.concat(),
            base: self.base,
        };
        field.mesh().map(concave)
    }
}

fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

/// Merges several stones into one mesh.
fn merged(shape: &'static str, meshes: &[Mesh]) -> Result<(Mesh, PartKind), ShapeError> {
    let merged = Mesh::merge(meshes).map_err(|source| ShapeError::Mesh { shape, source })?;
    Ok(concave(merged.mesh))
}
