//! The content of a page, as plain data.

use rigor_audit::{Finding, Series, Verdict};
use rigor_run::notice::{FlawCount, NoticeRecord};
use rigor_scene::{Body, BodyId, Expectation, Joint, Role, Scene, Source};

use crate::chart::{Chart, HeatMap};
use crate::closeup::Closeup;
use crate::departure::Departure;
use crate::mark::Mark;
use crate::player::{Film, PlayerScene};
use crate::render::Png;
use crate::table::Table;

/// A comparison of methods on scenes at several time steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The heading, such as `Erleben's test cases`.
    pub title: String,
    /// Description of the study and its limits; may be empty.
    pub description: String,
    /// The claim under test, with its verdict.
    pub preface: Option<Preface>,
    /// Time of creation, such as `2026-03-01 12:00 UTC`.
    pub date: String,
    /// The command that reproduces it.
    pub command_line: String,
    /// Names and values for processor, memory, system and so on.
    pub machine: Vec<(String, String)>,
    /// Names and versions of the program, the compiler, other engines and so on.
    pub versions: Vec<(String, String)>,
    /// Tables of numbers.
    pub tables: Vec<Table>,
    /// Plots of quantities of the runs against each other.
    pub drawings: Vec<Drawing>,
    /// One section per scene, in the order of the page.
    pub scenes: Vec<SceneSection>,
    /// For a page that the program serves while its runs go on: `one` if it asks for the new frames of one run; else what the
    /// address `/state` says of the runs, and it asks for the whole page when that changes.
    pub live: Option<String>,
}

/// A plot made elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What is plotted.
    pub title: String,
    /// The picture, as SVG.
    pub svg: String,
    /// What it was drawn from.
    pub source: PlotSource,
}

/// What a plot was drawn from.
#[derive(Debug, Clone, PartialEq)]
pub enum PlotSource {
    /// A chart.
    Chart(Chart),
    /// A heat map.
    HeatMap(HeatMap),
}

impl Drawing {
    /// Draws a chart; `None` without a point that can be drawn.
    pub fn of_chart(chart: Chart) -> Option<Self> {
        Some(Self { title: chart.title.clone(), svg: chart.svg()?, source: PlotSource::Chart(chart) })
    }

    /// Draws a heat map; `None` without a number.
    pub fn of_heat_map(title: String, map: HeatMap) -> Option<Self> {
        Some(Self { title, svg: map.svg()?, source: PlotSource::HeatMap(map) })
    }

    /// Draws it again in `size` units.
    pub fn sized(&self, size: [f64; 2]) -> Option<String> {
        match &self.source {
            PlotSource::Chart(chart) => chart.sized(size),
            PlotSource::HeatMap(map) => map.sized(size),
        }
    }
}

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preface {
    /// The claim.
    pub text: String,
    /// The source of the claim.
    pub source: String,
    /// The mark of the verdict.
    pub mark: Mark,
    /// The verdict in a word or two.
    pub verdict: String,
    /// Reasons for the verdict, if any.
    pub reasons: Vec<String>,
}

/// All runs on one scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SceneSection {
    /// Name of the scene, unique in the comparison.
    pub name: String,
    /// A description of the scene.
    pub description: String,
    /// The origin of the scene.
    pub source: Option<Source>,
    /// Names of the scene's bodies, by [`BodyId`].
    pub bodies: Vec<String>,
    /// Size (m) of the smallest moving body, the scale for penetration depths.
    pub size: f64,
    /// Whether kinematic bodies, constant torques or drives may do work on the bodies, so that energy may
    /// rise.
    pub is_driven: bool,
    /// The state at time 0.
    pub start_picture: Option<Png>,
    /// What a player shows besides the motion.
    pub stage: Option<PlayerScene>,
    /// One row per method and time step.
    pub rows: Vec<MethodRow>,
}

/// One method on one scene at one time step.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRow {
    /// Name of the method.
    pub method: String,
    /// What the method is called: its name, or what distinguishes its settings.
    pub label: String,
    /// The values of keys that vary between runs, except Δt, in words; empty if none varies.
    pub point: String,
    /// Δt (s).
    pub dt: f64,
    /// The method's settings on this scene as TOML or JSON; empty if it has none.
    pub settings: String,
    /// The outcome of the run.
    pub ending: Ending,
    /// Steps taken.
    pub steps: u64,
    /// Mean wall time per step (s).
    pub seconds_per_step: Option<f64>,
    /// Mean number of contacts that the method reported per step.
    pub contacts_mean: Option<f64>,
    /// Requests of the scene that the method ignores.
    pub notices: Vec<NoticeRecord>,
    /// Warnings about the scene.
    pub warnings: Vec<String>,
    /// Counts of flawed steps, by kind of flaw.
    pub flaws: Vec<FlawCount>,
    /// Number of steps with a flaw of any kind.
    pub flawed_steps: u64,
    /// All findings of the judges.
    pub findings: Vec<Finding>,
    /// The scene's expectations, with verdicts.
    pub expectations: Vec<(Expectation, Verdict)>,
    /// Series from the judges, frame by frame, and from the method's reports, step by step.
    pub series: Vec<Series>,
    /// Cumulative wall time (s) of each phase of a step.
    pub phases: Vec<Series>,
    /// Picture of the last state.
    pub end_picture: Option<Png>,
    /// The motion, for the player of the section.
    pub film: Option<Film>,
    /// The bodies that were outside of the scene at the end.
    pub departure: Option<Departure>,
    /// The moments of findings from near.
    pub closeups: Vec<Closeup>,
    /// Whether the run had the machine for itself, so that its times are comparable.
    pub is_timed: bool,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Every step was taken.
    Completed,
    /// The method failed after [`MethodRow::steps`] steps.
    Stopped {
        /// The error message.
        why: String,
    },
    /// The method does not support the scene and did not run.
    Skipped {
        /// The missing feature.
        why: String,
    },
    /// The run goes on, or its process was killed: its record tells no end.
    Running,
    /// The run was interrupted by the user or by a time limit.
    Interrupted {
        /// The cause.
        why: String,
    },
    /// The settings are invalid: nothing was run.
    Refused {
        /// What is wrong with them.
        why: String,
    },
    /// The run crashed: a panic, a process that died.
    Failed {
        /// The cause.
        why: String,
    },
}

impl SceneSection {
    /// Creates the section of `scene`, without pictures or rows.
    pub fn of(scene: &Scene) -> Self {
        let moving = scene.bodies.iter().filter(|body| body.role != Role::Static);
        let size = moving.map(|body| 2.0 * body.radius).fold(f64::INFINITY, f64::min);
        let works = |body: &Body| {
            matches!(body.role, Role::Kinematic(_)) || (body.is_dynamic() && body.torque.norm_squared() > 0.0)
        };
        let has_drive = |joint: &Joint| joint.kind.drives().next().is_some();
        let is_driven = scene.bodies.iter().any(works) || scene.joints.iter().any(has_drive);
        Self {
            name: scene.name.clone(),
            description: scene.description.clone(),
            source: scene.source.clone(),
            bodies: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            size: if size.is_finite() { size } else { 1.0 },
            is_driven,
            start_picture: None,
            stage: None,
            rows: Vec::new(),
        }
    }

    /// Returns the name of a body, or its number if it has no name in the section.
    pub fn body_name(&self, body: BodyId) -> String {
        self.bodies.get(body.0).cloned().unwrap_or_else(|| body.to_string())
    }
}

impl MethodRow {
    /// Creates a row without findings.
    pub fn new(method: impl Into<String>, dt: f64, ending: Ending) -> Self {
        let method = method.into();
        Self {
            label: method.clone(),
            point: String::new(),
            method,
            dt,
            settings: String::new(),
            ending,
            steps: 0,
            seconds_per_step: None,
            contacts_mean: None,
            notices: Vec::new(),
            warnings: Vec::new(),
            flaws: Vec::new(),
            flawed_steps: 0,
            findings: Vec::new(),
            expectations: Vec::new(),
            series: Vec::new(),
            phases: Vec::new(),
            end_picture: None,
            film: None,
            departure: None,
            closeups: Vec::new(),
            is_timed: false,
        }
    }

    /// Returns the look at the moment nearest to `time` (s), if one was taken there.
    pub fn closeup(&self, time: f64) -> Option<&Closeup> {
        let away = |look: &Closeup| (look.time - time).abs();
        let near = self.closeups.iter().min_by(|a, b| away(a).total_cmp(&away(b)))?;
        (away(near) <= 1.5 * self.dt.max(1e-9)).then_some(near)
    }

    /// Returns the expectations that the method claims to meet, with verdicts.
    pub fn claims(&self) -> impl Iterator<Item = &(Expectation, Verdict)> {
        self.expectations.iter().filter(|(expectation, _)| expectation.is_claimed_by(&self.method))
    }

    /// Returns the finding on the whole scene for this figure.
    pub fn finding(&self, figure: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.figure == figure && finding.body.is_none())
    }

    /// Returns the value of that finding.
    pub fn value(&self, figure: &str) -> Option<f64> {
        self.finding(figure).map(|finding| finding.value)
    }

    /// Returns how often a body passed through another, by centres or by whole bodies; `None` if this was not judged.
    pub fn passes(&self) -> Option<u64> {
        let found = [self.value("tunnelling.centre_crossings")?, self.value("tunnelling.passes")?];
        Some(found[0].max(found[1]) as u64)
    }
}
