//! Papers, their figures and their claims.

use rigor_scene::Bound;

use crate::across::MethodTable;
use crate::study::Study;

/// A paper with its figures.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// Name on the command line.
    pub name: &'static str,
    /// Key in `docs/references.md`.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// The method of the paper.
    pub method: &'static str,
    /// Time between frames in which intersection, penetration and distance are measured (s).
    pub judge_every: f64,
    /// Figures, in the order of the paper.
    pub figures: &'static [PaperFigure],
}

/// A figure, or a part of one that has its own claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PaperFigure {
    /// Number, with a letter for a part: `2a`; or a name.
    pub id: &'static str,
    /// Short title.
    pub title: &'static str,
    /// The claim of the paper, in our own words.
    pub claim: &'static str,
    /// Our scenes for the figure, by their names in the case library.
    pub cases: &'static [&'static str],
    /// The paper's own scenes, as paths below its data folder.
    pub fixtures: &'static [&'static str],
    /// Expectations for the fixtures, besides that bodies never intersect; without any, runs of fixtures are
    /// not judged.
    pub claims: &'static [Claim],
    /// Published numbers, with the runs that give ours.
    pub studies: &'static [Study],
    /// Tables across methods.
    pub across: &'static [MethodTable],
    /// The reason why there is neither a case nor a study; empty if there is one.
    pub lacking: &'static str,
}

impl PaperFigure {
    /// Creates a figure with our own scenes.
    pub const fn new(
        id: &'static str,
        title: &'static str,
        claim: &'static str,
        cases: &'static [&'static str],
    ) -> Self {
        Self { id, title, claim, cases, fixtures: &[], claims: &[], studies: &[], across: &[], lacking: "" }
    }

    /// Creates a figure that is not reproduced, with the reason `why`.
    pub const fn lacking(
        id: &'static str,
        title: &'static str,
        claim: &'static str,
        why: &'static str,
    ) -> Self {
        Self { lacking: why, ..Self::new(id, title, claim, &[]) }
    }

    /// Returns the figure with these studies.
    pub const fn studied(self, studies: &'static [Study]) -> Self {
        Self { studies, ..self }
    }

    /// Returns the figure with these tables across methods.
    pub const fn across(self, across: &'static [MethodTable]) -> Self {
        Self { across, ..self }
    }
}

/// A bound on a judge's figure in a fixture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// The end of the fixture's path.
    pub fixture: &'static str,
    /// Name of the judge's figure.
    pub figure: &'static str,
    /// Name of the body; empty for the whole scene.
    pub body: &'static str,
    /// The bound.
    pub bound: Bound,
    /// The reason, in a sentence.
    pub because: &'static str,
}

impl Paper {
    /// Returns the figures that `wanted` selects: one by its id, or all parts of one by its number.
    ///
    /// ```
    /// use rigor_papers::catalogue;
    /// let paper = catalogue::find("ferguson2021").unwrap();
    /// let ids = |wanted| paper.figures(wanted).iter().map(|figure| figure.id).collect::<Vec<_>>();
    /// assert_eq!(ids("2b"), ["2b"]);
    /// assert_eq!(ids("2"), ["2a", "2b", "2c"]);
    /// assert!(ids("99").is_empty());
    /// ```
    pub fn figures(&self, wanted: &str) -> Vec<&'static PaperFigure> {
        let number = |id: &'static str| id.trim_end_matches(|c: char| c.is_ascii_lowercase());
        self.figures.iter().filter(|figure| figure.id == wanted || number(figure.id) == wanted).collect()
    }
}
