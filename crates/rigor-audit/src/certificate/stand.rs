//! Where a body stands between pieces of a path.

use rigor_math::{Mat3, Pose, Vec3};

use super::course::Course;
use super::interval::points;
use super::placement::Placement;
use super::spot::Spot;

/// The matrices of an affine body at the end of a piece, at the start of the next one and in a state between them, R (1 + E), may differ
/// by so much that points move by this fraction of the coordinates. More than a hundred times what rounding makes of a polar decomposition.
const JOINT: f64 = 1e-13;

/// And by this (m): a ball is its centre, of size 0, and at the origin the norm of a difference of 0 is rounded up to the root of the smallest number.
const TINY: f64 = 1e-150;

/// Returns how far (m) the places of points of an affine body may differ where pieces and states join, for points within `radius` (m) of the
/// centre of mass at one of `places` (m). Every course of an affine body allows for it.
pub(crate) fn affine_joint(radius: f64, places: &[&Vec3]) -> f64 {
    JOINT * (radius + places.iter().map(|x| x.norm()).sum::<f64>()) + TINY
}

/// Where a body stands: at a pose, or, once it was strained, at A x̂ + q.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "one per body, copied in place")]
pub(crate) enum Stand {
    /// As the pose says, to the bit.
    Rigid(Pose),
    /// As the placement encloses, to [`affine_joint`].
    Affine {
        /// q (m), to the bit.
        position: Vec3,
        /// An enclosure of A and q.
        place: Placement,
        /// About there.
        spot: Spot,
    },
}

impl Stand {
    /// Where a body with this pose and strain stands, R (1 + E) in floating-point numbers being `matrix`. Without a strain, rigid.
    pub fn new(pose: &Pose, strain: Option<&Mat3>, matrix: &Mat3) -> Self {
        match strain {
            None => Self::Rigid(*pose),
            Some(strain) => Self::Affine {
                position: pose.position,
                place: Placement::strained(pose, strain),
                spot: Spot::affine(pose.position, *matrix),
            },
        }
    }

    /// Where the course of an affine body ends that was last at `position` (m).
    pub fn at_the_end(course: &Course, position: Vec3) -> Self {
        let place = Placement { position: points(&position), ..course.at(1.0) };
        Self::Affine { position, place, spot: course.spot(1.0) }
    }

    /// The position (m) of the centre of mass.
    pub fn position(&self) -> &Vec3 {
        match self {
            Self::Rigid(pose) => &pose.position,
            Self::Affine { position, .. } => position,
        }
    }

    /// Returns an enclosure of the placement.
    pub fn place(&self) -> Placement {
        match self {
            Self::Rigid(pose) => Placement::of(pose),
            Self::Affine { place, .. } => *place,
        }
    }

    /// Returns the course of the body of this radius (m) while it stands there.
    pub fn course(&self, radius: f64) -> Course {
        match self {
            Self::Rigid(pose) => Course::staying(pose),
            Self::Affine { position, place, spot } => {
                Course::staying_affine(*spot, place, affine_joint(radius, &[position]))
            }
        }
    }

    /// Returns whether a body that a state has at `pose` with this strain stands there: to the bit for a rigid one, else to
    /// [`affine_joint`].
    pub fn is_at(&self, pose: &Pose, strain: &Mat3, radius: f64) -> bool {
        match self {
            Self::Rigid(stood) => stood == pose && *strain == Mat3::zeros(),
            Self::Affine { position, place, .. } => {
                *position == pose.position
                    && place.difference(&Placement::strained(pose, strain), radius)
                        <= affine_joint(radius, &[position])
            }
        }
    }
}
