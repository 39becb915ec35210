//! Proof, from the recorded path of a run, that bodies never touched.

use rigor_audit::{Certificate, Certifier, Flaw};
use rigor_scene::Scene;

use crate::error::{Fault, RunError};
use crate::folder::record::Record;
use crate::folder::{Folder, frames, path};

/// The result of certifying a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CertifyOutcome {
    /// The bodies never touched.
    Certified(Certificate),
    /// No proof was found.
    Flawed(Flaw),
    /// The run has no recorded path.
    NoPath,
}

impl CertifyOutcome {
    /// Returns whether there is a proof.
    pub fn is_certified(&self) -> bool {
        matches!(self, Self::Certified(_))
    }

    /// Describes the result in words; `record` is that of the run.
    pub fn describe(&self, scene: &Scene, record: &Record) -> String {
        let method = record.method.as_str();
        match self {
            Self::Certified(c) => format!(
                "certified: no contact along the recorded path of {} steps of scene {} ({} pieces, {} encounters of two bodies, \
                 {} separating planes); margin: no two bodies came closer than {:.3e} m on it",
                c.steps, record.scene_hash, c.pieces, c.encounters, c.planes, c.nearest
            ),
            Self::Flawed(flaw) => format!("NOT certified: {}", flaw.describe(scene)),
            Self::NoPath if method == "ipc" => {
                "NOT certified: this run has no path; repeat it with --set method.ipc.record_path=true"
                    .to_owned()
            }
            Self::NoPath => {
                format!("NOT certified: this run has no path, and {method} cannot record one; ipc can")
            }
        }
    }
}

/// Follows the path in `folder` from the first frame to the last.
///
/// # Errors
/// [`RunError`] when the files cannot be read or belong to another scene.
pub fn certify(folder: &Folder, scene: &Scene) -> Result<CertifyOutcome, RunError> {
    let mut frames = frames::Reader::open(&folder.frames())?;
    let Some(mut pieces) = path::Reader::open(&folder.path())? else { return Ok(CertifyOutcome::NoPath) };
    if [frames.bodies, pieces.bodies] != [scene.bodies.len(); 2] {
        return Err(RunError::new(&folder.root, Fault::OtherBodies));
    }
    let mut state = || Ok(frames.read()?.map(|frame| frame.state));
    let first = state()?.ok_or_else(|| RunError::new(&folder.frames(), Fault::NoFrame))?;
    let mut certifier = match Certifier::new(scene, &first) {
        Ok(certifier) => certifier,
        Err(flaw) => return Ok(CertifyOutcome::Flawed(flaw)),
    };
    let mut next_state = state()?;
    loop {
        let next = pieces.read()?;
        // A state follows the last piece of its step.
        while let Some(reached) =
            next_state.take_if(|state| next.as_ref().is_none_or(|(step, _)| *step > state.step))
        {
            if let Err(flaw) = certifier.frame(&reached) {
                return Ok(CertifyOutcome::Flawed(flaw));
            }
            next_state = state()?;
        }
        let Some((step, piece)) = next else { return Ok(CertifyOutcome::Certified(certifier.certificate())) };
        if let Err(flaw) = certifier.piece(step, &piece) {
            return Ok(CertifyOutcome::Flawed(flaw));
        }
    }
}
