//! What is kept of a run.

use std::sync::Arc;

use rigor_file::Loaded;
use rigor_run::folder::record::Ending;
use rigor_run::notice::{FlawCount, NoticeRecord};
use rigor_scene::{State, StepReport};
use rigor_study::row::{ending_of, words};
use serde_json::Value;

/// A finished run, with all that was kept of it.
pub struct FinishedRun {
    /// The scene, with the settings of the run.
    pub loaded: Arc<Loaded>,
    /// What the method is called.
    pub method: String,
    /// All its settings.
    pub settings: Value,
    /// Δt (s).
    pub dt: f64,
    /// Number of steps asked for.
    pub steps: u64,
    /// Interval of frames, in steps.
    pub every: u64,
    /// The kept states.
    pub frames: Vec<State>,
    /// The reports of the steps that end in the kept states after the first; empty for trajectories from elsewhere.
    pub reports: Vec<StepReport>,
    /// The last state, with the memory of the method.
    pub last: State,
    /// How it ended.
    pub ending: Ending,
    /// Wall time of all steps (s).
    pub seconds: f64,
    /// What the method ignores of the scene.
    pub notices: Vec<String>,
    /// Flaws of all its steps, by kind.
    pub flaws: Vec<FlawCount>,
    /// Number of steps with a flaw of any kind.
    pub flawed_steps: u64,
}

impl FinishedRun {
    /// Whether the run reached the end of the scene, to which expectations apply.
    pub fn is_whole(&self) -> bool {
        let duration = self.steps as f64 * self.dt;
        self.ending == Ending::Completed && duration >= self.loaded.scene.time.duration * (1.0 - 1e-9)
    }

    /// How the run ended, for pages.
    pub fn ended(&self) -> rigor_report::Ending {
        ending_of(&self.ending, self.last.step)
    }

    /// How the run ended, in words.
    pub fn outcome(&self) -> String {
        words(&self.ended())
    }

    /// The method's notices in the form of records.
    pub fn notice_records(&self) -> Vec<NoticeRecord> {
        let record = |text: &String| NoticeRecord {
            quantity: text.clone(),
            value: None,
            unit: None,
            example: String::new(),
            count: 1,
            instead: String::new(),
            text: text.clone(),
        };
        self.notices.iter().map(record).collect()
    }
}
