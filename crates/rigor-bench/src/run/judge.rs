//! Judges a run on disk, frame by frame.

use rigor_audit::{Finding, Panel, Verdict};
use rigor_scene::{Expectation, Scene};

use super::{Folder, RunError, frames};

/// What the judges say of a run.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// Everything found.
    pub findings: Vec<Finding>,
    /// The scene's expectations of the method, with their verdicts.
    pub verdicts: Vec<(Expectation, Verdict)>,
}

impl Judgement {
    /// Whether no expectation failed.
    pub fn is_good(&self) -> bool {
        !self.verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Failed(_)))
    }
}

/// Shows every frame to all judges; those that look at surfaces see one in `every`.
///
/// Contacts are not on disk, or not for every step: the judges of contact forces have nothing to say.
///
/// # Errors
/// [`RunError`] when the frames cannot be read or are not of `scene`.
pub fn judge(folder: &Folder, scene: &Scene, method: &str, every: u64) -> Result<Judgement, RunError> {
    let mut reader = frames::Reader::open(&folder.frames())?;
    if (reader.bodies, reader.particles) != (scene.bodies.len(), scene.particles.len()) {
        return Err(RunError::new(&folder.frames(), "the frames are of another scene"));
    }
    let mut panel = Panel::full(every).retain(|name| name != "contact" && name != "friction");
    while let Some(frame) = reader.read()? {
        panel.observe(scene, &frame.state, None);
    }
    let verdicts = panel.verdicts(scene, method).into_iter().map(|(e, v)| (e.clone(), v)).collect();
    Ok(Judgement { findings: panel.findings(scene), verdicts })
}
