//! Data and interfaces shared by all contact methods and judges: a constant [`Scene`], a complete [`State`],
//! and the only loop that advances time.
//!
//! ```text
//! scene file ─► Scene + State ─► Method::step ─► roll_out ─► frames, reports, Outcome
//! ```
//!
//! | module | content |
//! | --- | --- |
//! | [`scene`] | [`Scene`]: bodies, particles, joints, gravity, time, expectations |
//! | [`body`] | [`Body`]: a mesh in its principal frame, mass, friction, role |
//! | [`build`] | [`BodySpec`]: builds a body from shapes and a density |
//! | [`motion`] | prescribed motion of kinematic bodies |
//! | [`joint`] | joints between bodies, as data |
//! | [`bond`] | elastic constraints between particles |
//! | [`attachment`] | particles tied to bodies |
//! | [`soft_body`] | which particles form one rope, cloth or block |
//! | [`particle`] | point masses, alone or in a soft body |
//! | [`setting`] | settings of methods, as a scene gives them |
//! | [`placement`] | [`BodyState`], [`ParticleState`]: position and velocity |
//! | [`state`] | [`State`]: everything that the next step depends on |
//! | [`method`] | the [`Method`] trait and its reports |
//! | [`step_error`] | why a step failed |
//! | [`unsupported`] | why a method cannot simulate a scene |
//! | [`config_error`] | allowed values of settings |
//! | [`notice`] | requests of a scene that a method does not fulfil |
//! | [`energy`] | kinetic, potential and elastic energy; energy that a step makes from nowhere |
//! | [`inspect`](mod@inspect) | flaws that any method's step can have |
//! | [`flaw`] | flaws of completed steps: one list for all methods |
//! | [`clock`] | [`Clock`]: time measurement provided to methods |
//! | [`force`] | contact forces on each body |
//! | [`piece`] | the path of the bodies within a step |
//! | [`roll_out`](mod@roll_out) | the only loop that advances time |
//! | [`trajectory`] | a run kept in memory |
//! | [`rescale`](mod@rescale) | a scene of another size |
//! | [`expectation`] | what a judge must find |
//!
//! # Frames
//! A body's mesh and every `_local` quantity live in its **principal frame**: origin at the centre of mass, axes along
//! the principal axes of inertia. [`BodyState::pose`] maps that frame to the world. [`Body::frame`] places it in the
//! frame that the author of the scene used.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod attachment;
pub mod body;
pub mod bond;
pub mod build;
pub mod clock;
pub mod config_error;
pub mod energy;
pub mod expectation;
pub mod flaw;
mod flight;
pub mod fluid;
pub mod force;
pub mod inspect;
pub mod joint;
mod joint_error;
pub mod method;
pub mod motion;
pub mod notice;
pub mod part;
pub mod particle;
pub mod piece;
pub mod placement;
pub mod rescale;
pub mod roll_out;
pub mod scene;
pub mod setting;
pub mod skeleton;
pub mod soft_body;
mod start_error;
pub mod state;
pub mod step_error;
pub mod trajectory;
pub mod unsupported;

pub use attachment::Attachment;
pub use body::{Body, BodyId, FixedAxes, Friction, Role};
pub use bond::{Bond, BondKind, Law, Material};
pub use build::{BodyError, BodySpec, PlacedShape, Weight};
pub use clock::{Clock, Stopwatch};
pub use config_error::{Allowed, ConfigError};
pub use expectation::{Bound, Expectation};
pub use flaw::{Flaw, FlawKind, Subject};
pub use fluid::Fluid;
pub use force::BodyForce;
pub use inspect::inspect;
pub use joint::{
    Drive, ForceLaw, ForceTable, Freedom, Goal, Held, HeldRotation, Joint, JointDamping, JointFrames,
    JointKind, Misfit, Range, Strength,
};
pub use joint_error::JointError;
pub use method::{
    ContactReport, JointReport, Method, ParticleContactReport, PhaseTime, Quantity, StepReport,
};
pub use motion::{KinematicPath, Motion};
pub use notice::{Asked, Notice};
pub use part::{Part, PartKind};
pub use particle::{Particle, ParticleId};
pub use piece::{PathPiece, Travel, Turn};
pub use placement::{BodyState, ParticleState};
pub use rescale::rescale;
pub use roll_out::{Observer, Outcome, roll_out};
pub use scene::{CombineRule, Scene, Source, TimeSpan};
pub use setting::{Setting, Settings};
pub use skeleton::Skeleton;
pub use soft_body::SoftBody;
pub use start_error::{StartError, StartFault};
pub use state::{Memory, State, StrainError};
pub use step_error::{AttachmentFault, Attribute, BondFault, ParticleFault, StepError, Stretched};
pub use trajectory::{Run, Trajectory};
pub use unsupported::{Feature, JointFeature, Unsupported};
