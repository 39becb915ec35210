//! The papers that come with the program.

use std::path::Path;
use std::sync::LazyLock;

use crate::error::PaperError;
use crate::file;
use crate::paper::Paper;

macro_rules! files {
    ($folder:literal: $($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../", $folder, "/", $name, ".toml")))),*]
    };
}

const FILES: [(&str, &str); 5] =
    files!("papers": "ferguson2021", "mueller2020", "macklin2016", "mueller2007", "harada2007");

const PLANS: [(&str, &str); 7] = files!(
    "plans":
    "critical-friction",
    "engines-degenerate",
    "engines-friction",
    "engines-unit",
    "refinement",
    "size-and-step",
    "threads",
);

static PAPERS: LazyLock<Result<Vec<Paper>, PaperError>> = LazyLock::new(|| FILES.iter().map(read).collect());

fn read((name, text): &(&str, &str)) -> Result<Paper, PaperError> {
    let plan = |asked: &str| {
        let found = PLANS.iter().find(|(name, _)| format!("{name}.toml") == asked);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| PaperError::File {
            path: asked.into(),
            source: std::io::ErrorKind::NotFound.into(),
        })
    };
    file::parse(text, Path::new(&format!("{name}.toml")), &plan)
}

/// Returns all papers.
///
/// # Panics
/// Never: a test reads them.
pub fn papers() -> &'static [Paper] {
    match &*PAPERS {
        Ok(papers) => papers,
        Err(error) => unreachable!("{error}"),
    }
}

/// Returns the text of the file of the paper called `name`: an example for files of other papers.
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns the paper called `name`.
///
/// ```
/// use rigor_papers::catalogue;
/// assert_eq!(catalogue::find("ferguson2021").unwrap().method, "ipc");
/// assert!(catalogue::find("nobody1900").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Paper> {
    papers().iter().find(|paper| paper.name == name)
}
