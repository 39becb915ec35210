//! Which types, schemas and properties are known, and why others are left out.

use super::super::account::{LOOK, OTHER_ENGINE};

/// Whether a prim of this type has a place in the world and may hold others.
pub fn is_place(kind: &str) -> bool {
    matches!(kind, "" | "Xform" | "Scope" | "SkelRoot") || is_shape(kind)
}

/// Whether a prim of this type is a shape.
pub fn is_shape(kind: &str) -> bool {
    matches!(kind, "Cube" | "Sphere" | "Cylinder" | "Capsule" | "Cone" | "Plane" | "Mesh")
}

/// Whether a schema that is applied to a prim is read, or says nothing about motion.
pub fn is_known(schema: &str) -> bool {
    let family = schema.split(':').next().unwrap_or_default();
    matches!(
        family,
        "PhysicsRigidBodyAPI"
            | "PhysicsMassAPI"
            | "PhysicsCollisionAPI"
            | "PhysicsMeshCollisionAPI"
            | "PhysicsArticulationRootAPI"
            | "PhysicsMaterialAPI"
            | "PhysicsFilteredPairsAPI"
            | "PhysicsDriveAPI"
            | "MaterialBindingAPI"
            | "CollectionAPI"
    )
}

/// The reason why a type of prims is left out.
pub fn prim(kind: &str) -> &'static str {
    match kind {
        "Camera" | "Shader" | "NodeGraph" | "GeomSubset" | "DomeLight" | "RenderSettings" | "Points" => LOOK,
        other if other.ends_with("Light") => LOOK,
        _ => "this type is not supported",
    }
}

/// The reason why a schema or property is left out.
pub fn property(name: &str) -> &'static str {
    let display = [
        "primvars:",
        "material:binding",
        "extent",
        "normals",
        "doubleSided",
        "visibility",
        "purpose",
        "subdivisionScheme",
        "interpolateBoundary",
        "faceVaryingLinearInterpolation",
        "cornerIndices",
        "cornerSharpnesses",
        "creaseIndices",
        "creaseLengths",
        "creaseSharpnesses",
        "triangleSubdivisionRule",
        "accelerations",
        "velocities",
        "proxyPrim",
        "ui:",
    ];
    match name {
        "physics:simulationOwner" | "physics:startsAsleep" | "physics:excludeFromArticulation" => {
            OTHER_ENGINE
        }
        "xformOp" => "not in `xformOpOrder`",
        _ if name.starts_with("xformOp:") => "not in `xformOpOrder`",
        _ if name.starts_with("physx") || name.starts_with("Physx") || name.starts_with("newton") => {
            OTHER_ENGINE
        }
        _ if display.iter().any(|prefix| name.starts_with(prefix)) => LOOK,
        _ => "not understood",
    }
}
