//! Every method by its name, and the one function to call.

use crate::{Ccd, Impact, LinearQuery, RigidQuery, separating_plane};

/// How straight ways are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum LinearMethod {
    /// [`separating_plane::linear`].
    #[default]
    SeparatingPlane,
}

/// How the ways of points of rigid bodies are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RigidMethod {
    /// [`separating_plane::rigid`].
    #[default]
    SeparatingPlane,
}

impl LinearMethod {
    /// All of them, the default first.
    pub const ALL: &[Self] = &[Self::SeparatingPlane];

    /// As on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }
}

impl Ccd<LinearQuery> for LinearMethod {
    /// With the limits that are the method's own.
    fn impact(&self, query: &LinearQuery, horizon: f64) -> Impact {
        match self {
            Self::SeparatingPlane => separating_plane::linear(query, horizon, &separating_plane::LIMITS),
        }
    }
}

impl RigidMethod {
    /// All of them, the default first.
    pub const ALL: &[Self] = &[Self::SeparatingPlane];

    /// As on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }
}

impl Ccd<RigidQuery> for RigidMethod {
    /// With the limits that are the method's own.
    fn impact(&self, query: &RigidQuery, horizon: f64) -> Impact {
        match self {
            Self::SeparatingPlane => separating_plane::rigid(query, horizon, &separating_plane::LIMITS),
        }
    }
}
