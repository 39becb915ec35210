//! All methods by name, each with its default limits.

use crate::baseline::{redon, snyder};
use crate::curved::piecewise_linear::{self, ChordBound};
use crate::linear::{additive, tight_inclusion};
use crate::{Answer, Ccd, LinearQuery, RigidQuery, separating_plane};

/// Methods for points that move along straight lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum LinearMethod {
    /// [`separating_plane::linear`].
    #[default]
    SeparatingPlane,
    /// [`tight_inclusion`].
    TightInclusion,
    /// [`additive`].
    Additive,
}

/// Methods for points of rigid bodies, which move along curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RigidMethod {
    /// [`separating_plane::rigid`].
    #[default]
    SeparatingPlane,
    /// [`piecewise_linear`] with the closed-form bound on the chord deviation.
    PiecewiseLinear,
    /// [`piecewise_linear`] as published, with the deviation evaluated on intervals.
    PiecewiseLinearInterval,
    /// [`snyder`]: a baseline.
    Snyder,
    /// [`redon`]: a baseline with blind spots; answers late in degenerate cases.
    Redon,
}

impl LinearMethod {
    /// All methods, the default first.
    pub const ALL: &[Self] = &[Self::SeparatingPlane, Self::TightInclusion, Self::Additive];

    /// The name used on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
            Self::TightInclusion => "tight-inclusion",
            Self::Additive => "additive",
        }
    }

    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }
}

impl Ccd<LinearQuery> for LinearMethod {
    fn impact(&self, query: &LinearQuery, horizon: f64) -> Answer {
        match self {
            Self::SeparatingPlane => separating_plane::linear(query, horizon, &separating_plane::LIMITS),
            Self::TightInclusion => tight_inclusion::impact(query, horizon, &tight_inclusion::LIMITS),
            Self::Additive => additive::impact(query, horizon, &additive::LIMITS),
        }
    }
}

impl RigidMethod {
    /// All methods, the default first.
    pub const ALL: &[Self] = &[
        Self::SeparatingPlane,
        Self::PiecewiseLinear,
        Self::PiecewiseLinearInterval,
        Self::Snyder,
        Self::Redon,
    ];

    /// The name used on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
            Self::PiecewiseLinear => "piecewise-linear",
            Self::PiecewiseLinearInterval => "piecewise-linear-interval",
            Self::Snyder => "snyder",
            Self::Redon => "redon",
        }
    }

    /// Returns the method with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }

    /// Whether the method never answers late; true of all but the univariate baseline.
    pub const fn is_conservative(self) -> bool {
        !matches!(self, Self::Redon)
    }
}

impl Ccd<RigidQuery> for RigidMethod {
    fn impact(&self, query: &RigidQuery, horizon: f64) -> Answer {
        let piecewise = |bound| piecewise_linear::impact(query, horizon, &piecewise_linear::LIMITS, bound);
        match self {
            Self::SeparatingPlane => separating_plane::rigid(query, horizon, &separating_plane::LIMITS),
            Self::PiecewiseLinear => piecewise(ChordBound::ClosedForm),
            Self::PiecewiseLinearInterval => piecewise(ChordBound::Interval),
            Self::Snyder => snyder::impact(query, horizon, &snyder::LIMITS),
            Self::Redon => redon::impact(query, horizon, &redon::LIMITS),
        }
    }
}
