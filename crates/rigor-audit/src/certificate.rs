//! Proof that bodies never touch on the path that a method took.
//!
//! The other judges see only states; anything may have happened in between. A method that never lets bodies
//! touch on the way from state to state can report its path ([`rigor_scene::PathPiece`]). The [`Certifier`]
//! proves, in interval arithmetic of its own, that the whole path is free of contact, of round parts as balls and capsules. `docs/methods/ipc.md`
//! states what is proven, and the proof. Bodies may be affine: their points then move along
//! straight lines in each piece. It is about the recorded path alone: bodies that a method lets go round each other are
//! certified, and [`Tunnelling`](crate::tunnelling::Tunnelling) reports them.
//!
//! ```
//! use rigor_audit::{Certificate, Certifier, Flaw};
//! # use rigor_scene::{PathPiece, Scene, State};
//! fn certify(scene: &Scene, start: &State, steps: &[(Vec<PathPiece>, State)]) -> Result<Certificate, Flaw> {
//!     let mut certifier = Certifier::new(scene, start)?;
//!     for (pieces, end) in steps {
//!         for piece in pieces {
//!             certifier.piece(end.step, piece)?;
//!         }
//!         certifier.frame(end)?;
//!     }
//!     Ok(certifier.certificate())
//! }
//! ```

mod certifier;
pub(crate) mod course;
pub(crate) mod encounter;
mod interval;
mod placement;
pub(crate) mod shape;
mod spot;
mod stand;
mod support;

pub use certifier::{Certifier, PieceIndex};

use rigor_scene::{BodyId, Scene};

use crate::meeting::Meeting;

/// The result of a proof that no two bodies that may collide touched anywhere on the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Steps of the run.
    pub steps: u64,
    /// Pieces of the path.
    pub pieces: u64,
    /// Pairs of bodies that came near each other, summed over all pieces.
    pub encounters: u64,
    /// Separating planes that were proven.
    pub planes: u64,
    /// Lower bound on the distance (m) between any two surfaces, capped at 1/100 of the radius of the
    /// smallest dynamic body.
    pub nearest: f64,
}

/// The reason why there is no certificate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Flaw {
    /// Bodies meet at the start.
    Start {
        /// The bodies.
        bodies: [BodyId; 2],
        /// The kind of contact.
        meeting: Meeting,
    },
    /// A piece is invalid.
    Malformed {
        /// The piece.
        at: PieceIndex,
        /// The body it moves.
        body: BodyId,
        /// The mistake.
        what: &'static str,
    },
    /// A piece starts where the body was not.
    Broken {
        /// The piece.
        at: PieceIndex,
        /// The body.
        body: BodyId,
        /// Distance (m) of its centre of mass from where it was; 0 if only its rotation or its strain differs.
        distance: f64,
    },
    /// The path does not lead to the saved state.
    Astray {
        /// The step.
        at: PieceIndex,
        /// The body.
        body: BodyId,
        /// Distance (m) of its centre of mass from where it was saved; 0 if only its rotation or its strain differs.
        distance: f64,
    },
    /// Bodies have a common point on the path, as computed with rounded coordinates.
    Touches {
        /// The piece.
        at: PieceIndex,
        /// The bodies.
        bodies: [BodyId; 2],
        /// Time within the piece, from 0 to 1.
        t: f64,
    },
    /// Neither a proof nor a contact was found.
    Unproven {
        /// The piece.
        at: PieceIndex,
        /// The bodies.
        bodies: [BodyId; 2],
        /// Interval of time within the piece, from 0 to 1.
        span: [f64; 2],
        /// The best lower bound on their distance (m); −∞ if none was found within the work limit.
        bound: f64,
    },
}

impl Flaw {
    /// Describes the flaw in words, with the names of the bodies.
    pub fn describe(&self, scene: &Scene) -> String {
        let name = |body: &BodyId| match scene.bodies.get(body.0) {
            Some(known) => format!("{:?}", known.name),
            None => body.to_string(),
        };
        let names = |[a, b]: &[BodyId; 2]| format!("{} and {}", name(a), name(b));
        let place = |at: &PieceIndex| format!("step {}, piece {}", at.step, at.piece);
        match self {
            Self::Start { bodies, meeting } => {
                let how = match meeting {
                    Meeting::Inside => "lie inside each other",
                    Meeting::Touching | Meeting::Crossing | Meeting::Apart => "have common points",
                };
                format!("{} {how} at the start", names(bodies))
            }
            Self::Malformed { at, body, what } => format!("{}: {} {what}", place(at), name(body)),
            Self::Broken { at, body, distance } => format!(
                "{}: the path is broken: {} starts {distance:e} m away from where it was, or turned or strained",
                place(at),
                name(body)
            ),
            Self::Astray { at, body, distance } => format!(
                "step {}: the path does not lead to the saved state: {} is {distance:e} m away from it, or turned or strained",
                at.step,
                name(body)
            ),
            Self::Touches { at, bodies, t } => {
                format!("{}: {} touch, near t = {t} of the piece", place(at), names(bodies))
            }
            Self::Unproven { at, bodies, span: [t0, t1], bound } => format!(
                "{}: {} are not proven apart for t from {t0} to {t1} of the piece: {}",
                place(at),
                names(bodies),
                if *bound == f64::NEG_INFINITY {
                    "undecided within the work allowed".to_owned()
                } else {
                    format!("the bound on their distance is {bound:e} m")
                }
            ),
        }
    }
}

#[cfg(test)]
mod tests;
