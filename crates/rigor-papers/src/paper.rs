//! What papers show.

use rigor_scene::Bound;

use crate::study::Study;

/// A paper with its figures.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// What the command line calls it.
    pub name: &'static str,
    /// Its key in `docs/references.md`.
    pub key: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The method that it is about.
    pub method: &'static str,
    /// Judges that look at surfaces see a frame every so many seconds.
    pub judge_every: f64,
    /// Its figures, in its order.
    pub figures: &'static [Figure],
}

/// A figure, or a part of one with a claim of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Number, and a letter for a part, as `2a`.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// What the paper says of it, in our own words.
    pub claim: &'static str,
    /// Our scenes of it, by their names in the case library.
    pub cases: &'static [&'static str],
    /// The paper's own scenes, by their paths below the folder of its data.
    pub fixtures: &'static [&'static str],
    /// What is expected in them besides that bodies never intersect; without any, runs of fixtures are not judged.
    pub claims: &'static [Claim],
    /// Numbers of the paper, with the runs that give ours.
    pub studies: &'static [Study],
    /// Why there is neither case nor study; empty where there is one.
    pub lacking: &'static str,
}

impl Figure {
    /// A figure with scenes of our own.
    pub const fn new(
        id: &'static str,
        title: &'static str,
        claim: &'static str,
        cases: &'static [&'static str],
    ) -> Self {
        Self { id, title, claim, cases, fixtures: &[], claims: &[], studies: &[], lacking: "" }
    }

    /// A figure that is not made again, and why.
    pub const fn lacking(
        id: &'static str,
        title: &'static str,
        claim: &'static str,
        why: &'static str,
    ) -> Self {
        Self { lacking: why, ..Self::new(id, title, claim, &[]) }
    }

    /// The figure with these studies.
    pub const fn studied(self, studies: &'static [Study]) -> Self {
        Self { studies, ..self }
    }
}

/// A bound on what a judge finds in a fixture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// The end of the fixture's path.
    pub fixture: &'static str,
    /// The judge's figure.
    pub figure: &'static str,
    /// The body that it is about; empty: the scene.
    pub body: &'static str,
    /// What the figure must satisfy.
    pub bound: Bound,
    /// Why, in a sentence.
    pub because: &'static str,
}

impl Paper {
    /// The figures that `wanted` names: one by its id, or all parts of one by its number.
    ///
    /// ```
    /// use rigor_papers::catalogue;
    /// let paper = catalogue::find("ferguson2021").unwrap();
    /// let ids = |wanted| paper.figures(wanted).iter().map(|figure| figure.id).collect::<Vec<_>>();
    /// assert_eq!(ids("2b"), ["2b"]);
    /// assert_eq!(ids("2"), ["2a", "2b", "2c"]);
    /// assert!(ids("99").is_empty());
    /// ```
    pub fn figures(&self, wanted: &str) -> Vec<&'static Figure> {
        let number = |id: &'static str| id.trim_end_matches(|c: char| c.is_ascii_lowercase());
        self.figures.iter().filter(|figure| figure.id == wanted || number(figure.id) == wanted).collect()
    }
}
