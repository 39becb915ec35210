//! Parts of a body as shapes of the engine.

use box3d_rust::geometry::{Capsule, Sphere, SurfaceMaterial, default_surface_material};
use box3d_rust::hull::{HullData, create_hull, make_transformed_box_hull};
use box3d_rust::mesh::{MeshDef, create_mesh};
use box3d_rust::shape::{create_capsule_shape, create_hull_shape, create_mesh_shape, create_sphere_shape};
use box3d_rust::types::{Filter, ShapeDef, default_filter, default_shape_def};
use box3d_rust::world::World;
use box3d_rust::{BodyId, ShapeId, VEC3_ONE, Vec3 as Vector};
use rapier3d_f64::math::Vector as Point;
use rapier3d_f64::parry::shape::SharedShape;
use rigor_math::{UnitQuaternion, Vec3};

use super::convert::{frame, vector};
use super::refuse;
use crate::process::config::Concave;
use crate::process::message::{LoadedBody, LoadedPart, Refusal, Surface};

/// Maximum number of edges of a hull.
pub(super) const MAX_EDGES: u32 = box3d_rust::constants::MAX_HULL_EDGES as u32;

/// A polyhedron of triangles with v vertices has 3 v − 6 edges: the most vertices that never exceed [`MAX_EDGES`].
const SAFE_VERTICES: i32 = (MAX_EDGES as i32 + 6) / 3;

/// The engine makes thinner boxes thicker (m).
const MIN_HALF_EXTENT: f64 = 1e-3;

/// Adds the shapes of the scene's body number `index` and returns them.
pub(super) fn add(
    world: &mut World,
    id: BodyId,
    (index, body): (usize, &LoadedBody),
    group: i32,
    concave: Concave,
) -> Result<Vec<ShapeId>, Refusal> {
    let def = definition(index, body, group);
    let mut shapes = Vec::new();
    for part in &body.parts {
        let lacks = |what| refuse(&format!("{:?}: {what}", body.name), vec![index]);
        match part {
            LoadedPart::Concave(surface) | LoadedPart::Open(surface) if body.role != "dynamic" => {
                shapes.push(
                    mesh(world, id, &def, surface)
                        .ok_or_else(|| lacks("the engine refuses its triangles"))?,
                );
            }
            LoadedPart::Box { half_extents, .. } if half_extents.iter().any(|h| *h < MIN_HALF_EXTENT) => {
                return Err(lacks("the engine makes boxes thinner than 2 mm thicker"));
            }
            LoadedPart::Ball { radius, position } => {
                let sphere = Sphere { center: vector(*position), radius: *radius as f32 };
                shapes.push(create_sphere_shape(world, id, &def, &sphere));
            }
            LoadedPart::Capsule { radius, half_length, position, rotation } => {
                let capsule = capsule(*radius, *half_length, *position, *rotation);
                shapes.push(create_capsule_shape(world, id, &def, &capsule));
            }
            LoadedPart::Box { .. } | LoadedPart::Convex(_) | LoadedPart::Concave(_) | LoadedPart::Open(_) => {
                let hulls = hulls(part, concave).ok_or_else(|| lacks("the engine finds no hull"))?;
                shapes.extend(hulls.iter().map(|hull| create_hull_shape(world, id, &def, hull)));
            }
        }
    }
    Ok(shapes)
}

fn definition(index: usize, body: &LoadedBody, group: i32) -> ShapeDef {
    ShapeDef {
        user_data: index as u64,
        base_material: SurfaceMaterial {
            friction: body.friction as f32,
            restitution: body.restitution as f32,
            ..default_surface_material()
        },
        // Shapes of equal negative groups never collide.
        filter: Filter { group_index: group, ..default_filter() },
        update_body_mass: false,
        ..default_shape_def()
    }
}

/// A capsule about the segment of this half length along y of its frame.
fn capsule(radius: f64, half_length: f64, position: [f64; 3], rotation: [f64; 4]) -> Capsule {
    let [w, x, y, z] = rotation;
    let q = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    let end = |along: f64| vector((Vec3::from(position) + q * (Vec3::y() * along)).into());
    Capsule { center1: end(-half_length), center2: end(half_length), radius: radius as f32 }
}

fn hulls(part: &LoadedPart, concave: Concave) -> Option<Vec<HullData>> {
    match part {
        LoadedPart::Box { half_extents, position, rotation } => {
            let [x, y, z] = half_extents.map(|h| h as f32);
            let hull = make_transformed_box_hull(x, y, z, frame(*position, *rotation));
            Some(vec![hull.base.clone()])
        }
        // These have no hull.
        LoadedPart::Ball { .. } | LoadedPart::Capsule { .. } => None,
        LoadedPart::Concave(surface) if concave == Concave::Pieces => pieces(surface),
        LoadedPart::Convex(surface) | LoadedPart::Concave(surface) | LoadedPart::Open(surface) => {
            Some(vec![hull(surface.vertices.iter().copied())?])
        }
    }
}

/// The hull of `points`, with fewer vertices if it has more edges than the engine allows.
fn hull(points: impl Iterator<Item = [f64; 3]>) -> Option<HullData> {
    let points: Vec<Vector> = points.map(vector).collect();
    let all = create_hull(&points, box3d_rust::constants::MAX_HULL_VERTICES);
    all.or_else(|| create_hull(&points, SAFE_VERTICES))
}

/// Convex pieces of a closed surface, by V-HACD as Parry has it.
fn pieces(surface: &Surface) -> Option<Vec<HullData>> {
    let points: Vec<Point> = surface.vertices.iter().map(|[x, y, z]| Point::new(*x, *y, *z)).collect();
    let compound = SharedShape::convex_decomposition(&points, &surface.triangles);
    let hulls: Option<Vec<HullData>> = compound
        .as_compound()?
        .shapes()
        .iter()
        .map(|(_, piece)| hull(piece.as_convex_polyhedron()?.points().iter().map(|p| [p.x, p.y, p.z])))
        .collect();
    hulls.filter(|hulls| !hulls.is_empty())
}

fn mesh(world: &mut World, id: BodyId, def: &ShapeDef, surface: &Surface) -> Option<ShapeId> {
    let mesh = create_mesh(
        &MeshDef {
            vertices: surface.vertices.iter().copied().map(vector).collect(),
            indices: surface.triangles.iter().flatten().map(|v| *v as i32).collect(),
            identify_edges: true,
            ..MeshDef::default()
        },
        None,
    )?;
    Some(create_mesh_shape(world, id, def, &mesh, VEC3_ONE))
}
