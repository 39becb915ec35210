//! What a reader of meshes decided or left out, and what it means for the physics.

use rigor_geometry::Surface;
use rigor_geometry::mesh::Dropped;

use crate::grade::Grade;

/// A note about a mesh file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshWarning {
    /// Vertices that no face, line or point names were left out.
    #[error("{vertices} vertices that nothing uses left out")]
    Unused {
        /// Number of vertices.
        vertices: usize,
    },
    /// Triangles without area were merged with their neighbours, which leaves the surface unchanged.
    #[error("{triangles} triangle(s) without area merged with their neighbours")]
    ClosedUp {
        /// Number of triangles.
        triangles: usize,
    },
    /// Degenerate primitives were left out.
    #[error(
        "{} triangle(s) without area, {} wire(s) without length and {} vertices used only by them left out",
        .0.triangles, .0.wires, .0.vertices
    )]
    Degenerate(Dropped),
    /// Vertices at open edges were joined.
    #[error("{vertices} vertices at open edges joined with others {}", if *.distance == 0.0 { "in the same places".to_owned() } else {
        format!("at most {:.1e} m away, {:.0e} of the size", .distance, .distance / .size)
    })]
    Joined {
        /// Number of vertices that disappeared.
        vertices: usize,
        /// The longest way (m) of one of them.
        distance: f64,
        /// Size (m) of the mesh.
        size: f64,
    },
    /// Triangles that occur several times are used once.
    #[error("{triangles} triangle(s) given again used once")]
    Repeated {
        /// Number of triangles left out.
        triangles: usize,
    },
    /// A surface that is given from both sides is used once.
    #[error("a surface given from both sides used once: {triangles} triangle(s) left out")]
    TwoSided {
        /// Number of triangles left out.
        triangles: usize,
    },
    /// Triangles that faced the other way than their neighbours were turned.
    #[error("{triangles} triangle(s) that faced the other way than their neighbours turned")]
    Turned {
        /// Number of triangles.
        triangles: usize,
    },
    /// Closed parts that faced inwards were turned.
    #[error("{components} closed part(s) that faced inwards turned")]
    Inverted {
        /// Number of parts.
        components: usize,
    },
    /// Closed parts lie inside of others and face the same way.
    #[error("{components} closed part(s) inside of others {}", if *.hollow { "taken as hollows (`nested = \"void\"`)" } else {
        "taken as the same matter, counted once (`nested = \"void\"` makes them hollow)" })]
    Nested {
        /// Number of parts.
        components: usize,
        /// Whether they are hollows.
        hollow: bool,
    },
    /// The file has too many closed parts to look for those inside of others.
    #[error("closed parts inside of others were not looked for: the file has too many large ones")]
    NotNested,
    /// Holes were filled.
    #[error("{holes} hole(s) filled with {triangles} triangle(s), the widest {width:.3e} m across")]
    Filled {
        /// Number of holes.
        holes: usize,
        /// Number of triangles added.
        triangles: usize,
        /// Diagonal (m) of the box around the largest hole.
        width: f64,
    },
    /// Polygons that are not flat were split into triangles.
    #[error("{polygons} polygon(s) bent by up to {height:.3e} m, {:.1e} of their size, split into triangles", .share)]
    Bent {
        /// Number of polygons.
        polygons: usize,
        /// The farthest corner (m) from the plane of its polygon.
        height: f64,
        /// The largest share of a polygon's size.
        share: f64,
    },
    /// Polygons whose outline crosses itself were split into triangles around their first corners.
    #[error(
        "{polygons} polygon(s) with an outline that crosses itself split into triangles around the first corner"
    )]
    Crossed {
        /// Number of polygons.
        polygons: usize,
    },
    /// The triangles bound no volume.
    #[error("the surface is {0}, so that it has no inside")]
    Surface(Surface),
    /// The file breaks a rule of its format, and is read nevertheless.
    #[error("{0}")]
    Tolerated(String),
    /// The file contains something that a rigid mesh does not use.
    #[error("{what} left out")]
    LeftOut {
        /// What.
        what: String,
        /// What it means.
        grade: Grade,
    },
}

impl MeshWarning {
    /// What it means for the physics.
    pub fn grade(&self) -> Grade {
        match self {
            Self::LeftOut { grade, .. } => *grade,
            Self::ClosedUp { .. } => Grade::Unused,
            Self::Crossed { .. } | Self::NotNested => Grade::Physics,
            Self::Unused { .. }
            | Self::Degenerate(_)
            | Self::Joined { .. }
            | Self::Repeated { .. }
            | Self::TwoSided { .. }
            | Self::Turned { .. }
            | Self::Inverted { .. }
            | Self::Nested { .. }
            | Self::Filled { .. }
            | Self::Bent { .. }
            | Self::Surface(_)
            | Self::Tolerated(_) => Grade::Rule,
        }
    }

    /// What an author can do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Surface(Surface::Open { .. } | Surface::NonManifold { balanced: false, .. }) => Some(
                "`close = \"fill\"` in the shape's `mesh` fills holes; a dynamic body needs `mass` or `areal_density` otherwise",
            ),
            _ => None,
        }
    }

    /// Creates a note about something left out.
    pub(super) fn left_out(grade: Grade, what: impl Into<String>) -> Self {
        Self::LeftOut { what: what.into(), grade }
    }
}
