//! Papers, their figures and their claims, as in the files of papers.

use rigor_scene::Bound;
use serde::Deserialize;

use crate::across::MethodTable;
use crate::form::Printed;
use crate::study::Study;

/// A paper with its figures: see [`file`](mod@crate::file).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Version of the format: 1.
    pub format: u32,
    /// Name on the command line.
    pub name: String,
    /// Key in `docs/references.md`.
    pub key: String,
    /// Title.
    pub title: String,
    /// The method of the paper.
    pub method: String,
    /// Time between frames in which intersection, penetration and distance are measured (s).
    #[serde(default = "judge_every")]
    pub judge_every: f64,
    /// The settings with which the method is that of the paper.
    #[serde(default)]
    pub printed: Printed,
    /// Why no change of a scene breaks a claim, in all figures.
    #[serde(default)]
    pub unmoved: Vec<Unmoved>,
    /// Figures, in the order of the paper.
    #[serde(rename = "figure")]
    pub figures: Vec<PaperFigure>,
}

fn judge_every() -> f64 {
    0.1
}

/// A figure, or a part of one that has its own claim.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperFigure {
    /// Number, with a letter for a part: `2a`; or a name.
    pub id: String,
    /// Short title.
    pub title: String,
    /// The claim of the paper, in our own words.
    pub claim: String,
    /// Our scenes for the figure: names in the case library, or files beside that of the paper.
    #[serde(default)]
    pub cases: Vec<String>,
    /// The paper's own scenes, as paths below its data folder.
    #[serde(default)]
    pub fixtures: Vec<String>,
    /// Expectations for the fixtures, besides that bodies never intersect; without any, runs of fixtures are
    /// not judged.
    #[serde(default, rename = "expect")]
    pub claims: Vec<Claim>,
    /// Published numbers, with the runs that give ours.
    #[serde(default, rename = "study")]
    pub studies: Vec<Study>,
    /// Tables across methods.
    #[serde(default, rename = "table")]
    pub across: Vec<MethodTable>,
    /// The reason why there is neither a case nor a study; empty if there is one.
    #[serde(default)]
    pub lacking: String,
    /// What the program must be built with.
    #[serde(default)]
    pub needs: Option<Need>,
    /// Why the claim does not hold as printed, where that is known: a finding.
    #[serde(default)]
    pub not_as_printed: String,
    /// Why no change of its scenes breaks a claim, claim by claim.
    #[serde(default)]
    pub unmoved: Vec<Unmoved>,
}

/// What a figure needs of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// A build with `--features gpu`.
    Gpu,
}

/// The reason why no change of a scene breaks a claim.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unmoved {
    /// A part of the claim, as the list of claims has it.
    pub claim: String,
    /// The reason, in a sentence.
    pub because: String,
}

/// A bound on a judge's figure in a fixture.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "ClaimEntry")]
pub struct Claim {
    /// The end of the fixture's path.
    pub fixture: String,
    /// Name of the judge's figure.
    pub figure: String,
    /// Name of the body; empty for the whole scene.
    pub body: String,
    /// The bound.
    pub bound: Bound,
    /// The reason, in a sentence.
    pub because: String,
}

/// An expectation, as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimEntry {
    fixture: String,
    figure: String,
    #[serde(default)]
    body: String,
    at_most: Option<f64>,
    at_least: Option<f64>,
    because: String,
}

impl TryFrom<ClaimEntry> for Claim {
    type Error = String;

    fn try_from(entry: ClaimEntry) -> Result<Self, String> {
        let bound = match (entry.at_most, entry.at_least) {
            (Some(limit), None) => Bound::AtMost(limit),
            (None, Some(limit)) => Bound::AtLeast(limit),
            _ => return Err("expected exactly one of `at_most` and `at_least`".into()),
        };
        let ClaimEntry { fixture, figure, body, because, .. } = entry;
        Ok(Self { fixture, figure, body, bound, because })
    }
}

impl Paper {
    /// Returns the figures that `wanted` selects: one by its id, or all parts of one by its number.
    ///
    /// ```
    /// use rigor_papers::catalogue;
    /// let paper = catalogue::find("ferguson2021").unwrap();
    /// let ids = |wanted| paper.figures(wanted).iter().map(|figure| figure.id.as_str()).collect::<Vec<_>>();
    /// assert_eq!(ids("2b"), ["2b"]);
    /// assert_eq!(ids("2"), ["2a", "2b", "2c"]);
    /// assert!(ids("99").is_empty());
    /// ```
    pub fn figures(&self, wanted: &str) -> Vec<&PaperFigure> {
        fn number(id: &str) -> &str {
            id.trim_end_matches(|c: char| c.is_ascii_lowercase())
        }
        let is_part = |id: &str| !wanted.is_empty() && number(id) == wanted;
        self.figures.iter().filter(|figure| figure.id == wanted || is_part(&figure.id)).collect()
    }
}

impl PaperFigure {
    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty() && self.studies.is_empty() && self.across.is_empty()
    }
}
