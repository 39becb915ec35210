//! The shapes of a body: ranges of its mesh, and what is known of them.

use std::ops::Range;

use rigor_math::{Pose, Vec3};

/// Known geometry of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartKind {
    /// A box with these half extents (m) in the part's frame.
    Box {
        /// Half of each side (m).
        half_extents: Vec3,
    },
    /// The ball about the origin of the part's frame; its mesh is a picture, with vertices on the ball.
    Ball {
        /// Radius (m).
        radius: f64,
    },
    /// All points within `radius` of a segment on the part's y axis with its middle at the origin; its mesh is a picture,
    /// with vertices on that surface.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Half the length (m) of the segment.
        half_length: f64,
    },
    /// A convex polyhedron.
    Convex,
    /// Any other surface.
    Concave,
}

impl PartKind {
    /// Whether the part is a ball or a capsule.
    pub fn is_round(&self) -> bool {
        match self {
            Self::Ball { .. } | Self::Capsule { .. } => true,
            Self::Box { .. } | Self::Convex | Self::Concave => false,
        }
    }
}

/// One shape of a body: a range of its mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Known geometry.
    pub kind: PartKind,
    /// The shape's own frame in the body's principal frame.
    pub pose: Pose,
    /// Its vertices in the body's mesh.
    pub vertices: Range<usize>,
    /// Its triangles in the body's mesh.
    pub triangles: Range<usize>,
}
