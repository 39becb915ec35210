//! The table of papers.

use crate::paper::Paper;
use crate::{ferguson2021, harada2007, macklin2016, mueller2007, mueller2020};

/// All papers.
pub const PAPERS: [Paper; 5] =
    [ferguson2021::PAPER, mueller2020::PAPER, macklin2016::PAPER, mueller2007::PAPER, harada2007::PAPER];

/// Returns the paper called `name`.
///
/// ```
/// use rigor_papers::catalogue;
/// assert_eq!(catalogue::find("ferguson2021").unwrap().method, "ipc");
/// assert!(catalogue::find("nobody1900").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.name == name)
}
