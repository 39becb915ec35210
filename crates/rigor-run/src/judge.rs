//! Judging of a run on disk, frame by frame.

use rigor_audit::{Finding, Panel, Verdict};
use rigor_scene::{Expectation, Scene};

use crate::error::{Fault, RunError};
use crate::folder::record::Record;
use crate::folder::{Folder, breaks, frames};

/// The results of the judges for a run.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// All findings.
    pub findings: Vec<Finding>,
    /// The scene's expectations, with verdicts.
    pub verdicts: Vec<(Expectation, Verdict)>,
}

impl Judgement {
    /// Returns whether no expectation failed that `method` claims to meet.
    pub fn is_good(&self, method: &str) -> bool {
        !self
            .verdicts
            .iter()
            .any(|(e, verdict)| e.is_claimed_by(method) && matches!(verdict, Verdict::Failed(_)))
    }
}

/// Checks that the folder contains every frame that the run of `record` kept; the file may have been
/// truncated.
///
/// # Errors
/// [`RunError`] when frames are missing, superfluous or unreadable. A killed run may have any number of
/// frames.
pub fn check_frames(folder: &Folder, record: &Record) -> Result<(), RunError> {
    let path = folder.frames();
    let found = frames::Reader::open(&path)?.count()?;
    match record.frames() {
        Some(kept) if kept != found => Err(RunError::new(&path, Fault::FrameCount { found, kept })),
        _ => Ok(()),
    }
}

/// Passes every frame to the judges; the judges of surfaces receive one in `every`.
///
/// The judges of contact forces are left out, since contacts are not on disk, or not for every step. Of joints that can break there are no
/// figures where the folder does not tell which broke. Without
/// `is_whole`, only expectations that are broken already are judged: they apply to runs of the scene's whole duration.
///
/// # Errors
/// [`RunError`] when the frames cannot be read, belong to another scene, are out of order or not finite.
pub fn judge(folder: &Folder, scene: &Scene, every: u64, is_whole: bool) -> Result<Judgement, RunError> {
    let mut reader = frames::Reader::open(&folder.frames())?;
    if (reader.bodies, reader.particles) != (scene.bodies.len(), scene.particles.len()) {
        return Err(RunError::new(&folder.frames(), Fault::OtherScene));
    }
    let mut panel = Panel::full(every).retain(|name| name != "contact" && name != "friction");
    let breaks = breaks::read(folder, scene)?;
    breaks.into_iter().for_each(|breaks| panel.tell_breaks(breaks));
    let mut last = None;
    while let Some(frame) = reader.read()? {
        let step = frame.state.step;
        if last.replace(step).is_some_and(|before| before >= step) || !frame.state.is_finite() {
            return Err(RunError::new(&folder.frames(), Fault::DamagedFrame { step }));
        }
        panel.observe(scene, &frame.state, None);
    }
    let findings = panel.findings(scene);
    let verdict = |e: &Expectation| (e.clone(), Verdict::of(e, &findings, is_whole));
    let verdicts = scene.expectations.iter().map(verdict).collect();
    Ok(Judgement { findings, verdicts })
}
