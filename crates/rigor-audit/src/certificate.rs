//! Proof that bodies never touch on the path that a method took.
//!
//! Other judges look at states, between which anything may have happened. A method that never lets bodies touch on its
//! way from state to state can tell that way ([`rigor_scene::Piece`]), and the [`Certifier`] proves, in interval
//! arithmetic of its own, that all of it is free of contact. What is proven, and why, is told in `docs/methods/ipc.md`.
//!
//! ```
//! use rigor_audit::{Certificate, Certifier, Flaw};
//! # use rigor_scene::{Piece, Scene, State};
//! fn certify(scene: &Scene, start: &State, steps: &[(Vec<Piece>, State)]) -> Result<Certificate, Flaw> {
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
pub(crate) mod separation;
pub(crate) mod shape;

pub use certifier::{Certifier, Place};

use rigor_scene::{BodyId, Scene};

use crate::meeting::Meeting;

/// What was proven: on the whole path, no two bodies that may collide touched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Steps of the run.
    pub steps: u64,
    /// Pieces of the path.
    pub pieces: u64,
    /// Pairs of bodies that came near each other, over all pieces.
    pub encounters: u64,
    /// Separating planes that were proven.
    pub planes: u64,
    /// No two surfaces came nearer than this (m). It is told up to a hundredth of the radius of the smallest dynamic body.
    pub nearest: f64,
}

/// Why there is no certificate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flaw {
    /// Bodies met at the start.
    Start {
        /// The bodies.
        bodies: [BodyId; 2],
        /// How they met.
        meeting: Meeting,
    },
    /// A piece that makes no sense.
    Malformed {
        /// The piece.
        at: Place,
        /// The body it speaks of.
        body: BodyId,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A piece begins where the body was not.
    Broken {
        /// The piece.
        at: Place,
        /// The body.
        body: BodyId,
        /// How far off its centre of mass is (m); 0: it is turned.
        distance: f64,
    },
    /// The path does not lead to the state that was saved.
    Astray {
        /// The step.
        at: Place,
        /// The body.
        body: BodyId,
        /// How far off its centre of mass is (m); 0: it is turned.
        distance: f64,
    },
    /// Bodies have a common point on the path, as far as rounded numbers tell.
    Touches {
        /// The piece.
        at: Place,
        /// The bodies.
        bodies: [BodyId; 2],
        /// When, from 0 to 1 in the piece.
        t: f64,
    },
    /// Neither could a proof be found, nor a contact.
    Unproven {
        /// The piece.
        at: Place,
        /// The bodies.
        bodies: [BodyId; 2],
        /// When, from 0 to 1 in the piece.
        span: [f64; 2],
        /// The best lower bound on their distance (m); −∞: none was found before the work grew too much.
        bound: f64,
    },
}

impl Flaw {
    /// The flaw in words, bodies by their names.
    pub fn describe(&self, scene: &Scene) -> String {
        let name = |body: &BodyId| match scene.bodies.get(body.0) {
            Some(known) => format!("{:?}", known.name),
            None => body.to_string(),
        };
        let names = |[a, b]: &[BodyId; 2]| format!("{} and {}", name(a), name(b));
        let place = |at: &Place| format!("step {}, piece {}", at.step, at.piece);
        match self {
            Self::Start { bodies, meeting } => {
                let how = match meeting {
                    Meeting::Inside => "lie in each other",
                    _ => "have common points",
                };
                format!("{} {how} at the start", names(bodies))
            }
            Self::Malformed { at, body, what } => format!("{}: {} {what}", place(at), name(body)),
            Self::Broken { at, body, distance } => format!(
                "{}: the path is broken: {} begins {distance:e} m from where it was, or turned",
                place(at),
                name(body)
            ),
            Self::Astray { at, body, distance } => format!(
                "step {}: the path does not lead to the state that was saved: {} is {distance:e} m from it, or turned",
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
