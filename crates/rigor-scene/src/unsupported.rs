//! Features of scenes that a method does not support.

/// The reason why a method cannot simulate a scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct Unsupported {
    /// The method.
    pub method: String,
    /// The feature of the scene that the method does not support.
    pub what: Feature,
}

impl Unsupported {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other features have one sentence")]
    fn sentence(&self) -> String {
        match &self.what {
            Feature::NotInstalled { remedy } => {
                format!("{} is not installed: {remedy}", self.method)
            }
            what => format!("{} does not support {what}", self.method),
        }
    }
}

/// A feature of a scene that a method lacks.
///
/// Its text continues "the method does not support".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Feature {
    /// Joints of any kind.
    #[error("joints")]
    Joints,
    /// Particles, and with them soft bodies.
    #[error("particles")]
    Particles,
    /// Fluids, whose particles push each other by pressure.
    #[error("fluids")]
    Fluids,
    /// Constraints of particles.
    #[error("bonds and attachments")]
    BondsAndAttachments,
    /// A kind of joint, or something that a joint does.
    #[error("{feature} (in {joint:?})")]
    Joint {
        /// The missing feature.
        feature: JointFeature,
        /// The name of the joint.
        joint: String,
    },
    /// A mesh with edges or vertices that belong to no triangle.
    #[error("wires and isolated points (in {body:?})")]
    OpenMesh {
        /// The name of the body.
        body: String,
    },
    /// A setting that names a body of another scene.
    #[error("the {setting} {body:?}: the scene has no such body")]
    NoSuchBody {
        /// The role of the body in the settings, in one word.
        setting: &'static str,
        /// The name.
        body: String,
    },
    /// Any scene, since the engine is not installed here.
    #[error("installation here: {remedy}")]
    NotInstalled {
        /// What to do about it, as a sentence.
        remedy: String,
    },
    /// Anything else, for methods from outside.
    #[error("{what}")]
    Other {
        /// The feature, as a noun.
        what: String,
    },
}

/// A kind of joint, or something that a joint does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JointFeature {
    /// Universal joints.
    #[error("universal joints")]
    Universal,
    /// Gears.
    #[error("gears")]
    Gear,
    /// Bounds on swing and twist of a ball joint.
    #[error("bounds of ball joints")]
    BallBounds,
    /// Bounds of a turn beyond half a turn.
    #[error("bounds of turns beyond ±180°")]
    WholeTurns,
    /// Compliance of the joint itself.
    #[error("compliant joints")]
    Compliance,
    /// Compliance of a bound.
    #[error("compliant bounds")]
    BoundCompliance,
    /// A drive to a velocity with compliance.
    #[error("compliant drives that move")]
    MovingSpring,
    /// A spring whose force is not proportional to its deviation.
    #[error("springs that are not linear")]
    NonlinearSpring,
    /// A drive of a distance joint that has bounds or is no spring or damper.
    #[error("drives of distances other than springs and dampers without bounds")]
    DistanceDrive,
    /// Damping by a rate.
    #[error("joint damping by a rate")]
    Damping,
    /// Joints that break.
    #[error("joints that break")]
    Strength,
}
