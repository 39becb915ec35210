//! Every method by its name, each with the limits that are its own.

use crate::baseline::{redon, snyder};
use crate::curved::piecewise_linear::{self, ChordBound};
use crate::linear::{additive, tight_inclusion};
use crate::{Ccd, Impact, LinearQuery, RigidQuery, separating_plane};

/// How straight ways are searched.
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

/// How the ways of points of rigid bodies are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RigidMethod {
    /// [`separating_plane::rigid`].
    #[default]
    SeparatingPlane,
    /// [`piecewise_linear`] with the closed form of the chord's deviation.
    PiecewiseLinear,
    /// [`piecewise_linear`] as printed, with the deviation evaluated on intervals.
    PiecewiseLinearInterval,
    /// [`snyder`]: a baseline.
    Snyder,
    /// [`redon`]: a baseline with blind spots, which answers late in degenerate cases.
    Redon,
}

impl LinearMethod {
    /// All of them, the default first.
    pub const ALL: &[Self] = &[Self::SeparatingPlane, Self::TightInclusion, Self::Additive];

    /// As on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
            Self::TightInclusion => "tight-inclusion",
            Self::Additive => "additive",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }
}

impl Ccd<LinearQuery> for LinearMethod {
    fn impact(&self, query: &LinearQuery, horizon: f64) -> Impact {
        match self {
            Self::SeparatingPlane => separating_plane::linear(query, horizon, &separating_plane::LIMITS),
            Self::TightInclusion => tight_inclusion::impact(query, horizon, &tight_inclusion::LIMITS),
            Self::Additive => additive::impact(query, horizon, &additive::LIMITS),
        }
    }
}

impl RigidMethod {
    /// All of them, the default first.
    pub const ALL: &[Self] = &[
        Self::SeparatingPlane,
        Self::PiecewiseLinear,
        Self::PiecewiseLinearInterval,
        Self::Snyder,
        Self::Redon,
    ];

    /// As on the command line and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SeparatingPlane => "separating-plane",
            Self::PiecewiseLinear => "piecewise-linear",
            Self::PiecewiseLinearInterval => "piecewise-linear-interval",
            Self::Snyder => "snyder",
            Self::Redon => "redon",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }

    /// Whether it keeps the promise of this crate; the univariate baseline does not.
    pub const fn is_conservative(self) -> bool {
        !matches!(self, Self::Redon)
    }
}

impl Ccd<RigidQuery> for RigidMethod {
    fn impact(&self, query: &RigidQuery, horizon: f64) -> Impact {
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
