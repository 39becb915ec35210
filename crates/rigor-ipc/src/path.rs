//! The path through the iterates, for the certificate.

use rigor_scene::{BodyId, PathPiece, Travel};

use crate::body_slots::Step;
use crate::placement::Placement;

/// The pieces of a step so far, if they are recorded.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RecordedPath {
    pub pieces: Option<Vec<PathPiece>>,
}

impl RecordedPath {
    pub fn new(is_recorded: bool) -> Self {
        Self { pieces: is_recorded.then(Vec::new) }
    }

    /// Records that bodies went from one place to another by these steps, all at the same time; bodies that neither
    /// stepped nor changed pose are left out.
    pub fn push<'a, const N: usize>(
        &mut self,
        motions: impl Iterator<Item = (usize, &'a Placement, Step<N>, &'a Placement)>,
    ) {
        let Some(pieces) = &mut self.pieces else { return };
        let moved =
            motions.filter(|(_, from, step, to)| *step != Step::<N>::zeros() || from.pose() != to.pose());
        let travels = moved.map(|(b, from, step, to)| {
            let (by, turn) = from.travel(&step);
            Travel { body: BodyId(b), from: from.pose(), by, turn, to: to.pose() }
        });
        pieces.push(PathPiece { travels: travels.collect() });
    }
}
