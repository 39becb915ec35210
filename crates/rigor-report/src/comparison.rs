//! What a page shows, as plain data.

use rigor_audit::{Finding, Series, Verdict};
use rigor_run::notice::FlawCount;
use rigor_scene::{Body, BodyId, Expectation, Joint, Notice, Role, Scene, Source};

use crate::mark::Mark;
use crate::render::Png;
use crate::table::Table;

/// Methods on scenes at time steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The heading, as `Erleben's test cases`.
    pub title: String,
    /// What it is to show, and whether it did.
    pub preface: Option<Preface>,
    /// When it was made, as `2026-03-01 12:00 UTC`.
    pub date: String,
    /// The command that makes it again.
    pub command_line: String,
    /// Processor, memory, system, …: name and value.
    pub machine: Vec<(String, String)>,
    /// Program, compiler, engines compared with, …: name and version.
    pub versions: Vec<(String, String)>,
    /// Numbers side by side.
    pub tables: Vec<Table>,
    /// One section per scene, in the order of the page.
    pub scenes: Vec<SceneSection>,
}

/// A claim, and whether it held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preface {
    /// The claim.
    pub text: String,
    /// Whose it is.
    pub source: String,
    /// How it is judged.
    pub mark: Mark,
    /// The same in a word or two.
    pub verdict: String,
    /// Why, if there is a reason.
    pub reasons: Vec<String>,
}

/// All that ran on one scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneSection {
    /// Name of the scene, unique in the comparison.
    pub name: String,
    /// What is to be seen.
    pub description: String,
    /// Where the scene comes from.
    pub source: Option<Source>,
    /// Names of the scene's bodies, by [`BodyId`].
    pub bodies: Vec<String>,
    /// Size (m) of the smallest body that moves: against it penetration is small or large.
    pub size: f64,
    /// Whether something may do work on the bodies (kinematic bodies, constant torques, drives), so that energy may rise.
    pub is_driven: bool,
    /// The state at time 0.
    pub start_picture: Option<Png>,
    /// One row per method and time step.
    pub rows: Vec<Row>,
}

/// One method on one scene at one time step.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the method.
    pub method: String,
    /// Δt (s).
    pub dt: f64,
    /// The method's settings on this scene as text, TOML or JSON; empty: it has none.
    pub settings: String,
    /// How it ended.
    pub ending: Ending,
    /// Steps taken.
    pub steps: u64,
    /// Mean wall time per step (s).
    pub seconds_per_step: Option<f64>,
    /// Mean number of contacts that the method reported per step.
    pub contacts_mean: Option<f64>,
    /// What the method does not do as the scene asks.
    pub notices: Vec<Notice>,
    /// Flaws of its steps, by kind.
    pub flaws: Vec<FlawCount>,
    /// Steps with a flaw of any kind.
    pub flawed_steps: u64,
    /// Everything that the judges found.
    pub findings: Vec<Finding>,
    /// The expectations that concern this method.
    pub expectations: Vec<(Expectation, Verdict)>,
    /// What the judges measured frame by frame, and what the method told step by step.
    pub series: Vec<Series>,
    /// Seconds in each phase of a step by their names, added up over time.
    pub phases: Vec<Series>,
    /// The last state.
    pub end_picture: Option<Png>,
}

/// How a row ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every step was taken.
    Completed,
    /// The method gave up after [`Row::steps`] steps.
    Stopped {
        /// Why.
        why: String,
    },
    /// The method does not support the scene, and did not run.
    Skipped {
        /// What it lacks.
        why: String,
    },
    /// The run was cut short from outside, by the user or a limit on time.
    Interrupted {
        /// By what.
        why: String,
    },
    /// The run could not be made, or broke down: bad settings, a panic, a process that died.
    Failed {
        /// How.
        why: String,
    },
}

impl SceneSection {
    /// The section of `scene`, without pictures and rows.
    pub fn of(scene: &Scene) -> Self {
        let moving = scene.bodies.iter().filter(|body| body.role != Role::Static);
        let size = moving.map(|body| 2.0 * body.radius).fold(f64::INFINITY, f64::min);
        let works = |body: &Body| {
            matches!(body.role, Role::Kinematic(_)) || (body.is_dynamic() && body.torque.norm_squared() > 0.0)
        };
        let has_drive = |joint: &Joint| {
            [joint.kind.slide(), joint.kind.turn()]
                .into_iter()
                .flatten()
                .any(|freedom| freedom.drive.is_some())
        };
        let is_driven = scene.bodies.iter().any(works) || scene.joints.iter().any(has_drive);
        Self {
            name: scene.name.clone(),
            description: scene.description.clone(),
            source: scene.source.clone(),
            bodies: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            size: if size.is_finite() { size } else { 1.0 },
            is_driven,
            start_picture: None,
            rows: Vec::new(),
        }
    }

    /// The name of a body; its number if the section has no name for it.
    pub fn body_name(&self, body: BodyId) -> String {
        self.bodies.get(body.0).cloned().unwrap_or_else(|| body.to_string())
    }
}

impl Row {
    /// A row of a method that did not run, or not to the end, with nothing found.
    pub fn new(method: impl Into<String>, dt: f64, ending: Ending) -> Self {
        Self {
            method: method.into(),
            dt,
            settings: String::new(),
            ending,
            steps: 0,
            seconds_per_step: None,
            contacts_mean: None,
            notices: Vec::new(),
            flaws: Vec::new(),
            flawed_steps: 0,
            findings: Vec::new(),
            expectations: Vec::new(),
            series: Vec::new(),
            phases: Vec::new(),
            end_picture: None,
        }
    }

    /// What was found of the whole scene under this figure.
    pub fn finding(&self, figure: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.figure == figure && finding.body.is_none())
    }

    /// The value of that finding.
    pub fn value(&self, figure: &str) -> Option<f64> {
        self.finding(figure).map(|finding| finding.value)
    }
}
