//! The account of what was read of a robot's file: what the scene does not have, or not as it is there.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::grade::Grade;

/// Why something is left out that says nothing about motion.
pub(super) const LOOK: &str = "for display only";
/// Why a shape without contact is no shape of the scene; its mass is used.
pub(super) const MASS_ONLY: &str = "for display and mass only";
/// Why sensors and the like are left out.
pub(super) const NO_MOTION: &str = "no part of the motion";
/// Why settings of solvers are left out.
pub(super) const OTHER_ENGINE: &str = "a setting of the other engine";
/// Why motors are left out.
pub(super) const NO_COMMAND: &str = "a matter of the controller: nothing commands it";
/// Begins the reason of an entry that only says by which rule the file was read.
pub(super) const RULE: &str = "rule: ";
/// Begins other reasons of an entry about the look.
const LOOKS: &str = "look: ";
/// Begins other reasons of an entry without a meaning for motion.
const UNUSED: &str = "unused: ";

/// Returns the reason of an entry of this grade.
pub(super) fn why(grade: Grade, text: &str) -> String {
    let start = match grade {
        Grade::Physics => "",
        Grade::Rule => RULE,
        Grade::Look => LOOKS,
        Grade::Unused => UNUSED,
    };
    format!("{start}{text}")
}

/// Returns a reason without the grade at its beginning.
fn plain(why: &str) -> &str {
    [RULE, LOOKS, UNUSED].iter().find_map(|start| why.strip_prefix(start)).unwrap_or(why)
}

impl Grade {
    /// The grade of an entry with this reason: what no reason excuses changes the physics.
    fn of(why: &str) -> Self {
        match why {
            LOOK | MASS_ONLY => Self::Look,
            NO_MOTION | OTHER_ENGINE | NO_COMMAND => Self::Unused,
            _ if why.starts_with(RULE) => Self::Rule,
            _ if why.starts_with(LOOKS) => Self::Look,
            _ if why.starts_with(UNUSED) => Self::Unused,
            _ => Self::Physics,
        }
    }
}

/// A part of the file that the scene does not have, or not as it is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dropped {
    /// The file.
    pub file: PathBuf,
    /// Where it is in the file.
    pub place: Place,
    /// The element, attribute or property.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// A place in a robot's file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Line of a text, from 1.
    Line(usize),
    /// Path of a prim of USD.
    Prim(String),
}

impl Dropped {
    /// What it means for the scene.
    pub fn grade(&self) -> Grade {
        Grade::of(&self.why)
    }
}

/// All entries of one file with the same words.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// What it means for the scene.
    pub grade: Grade,
    /// The file.
    pub file: &'a Path,
    /// The element, attribute or property.
    pub what: &'a str,
    /// The reason.
    pub why: &'a str,
    /// Where it is in the file.
    pub places: Vec<&'a Place>,
}

/// Returns the entries, the most serious first.
///
/// ```
/// use std::path::PathBuf;
/// use rigor_file::robot::{Dropped, Grade, Place, account};
/// let site = |line| Dropped { file: PathBuf::from("a.xml"), place: Place::Line(line), what: "<site>".into(), why: "no part of the motion".into() };
/// let armature = Dropped { what: "<joint armature>".into(), why: "inertia of rotors is not simulated".into(), ..site(7) };
/// let all = [site(2), site(5), armature];
/// let entries = account(&all);
/// assert_eq!(entries[0].to_string(), "changes the physics: <joint armature>: inertia of rotors is not simulated (line 7)");
/// assert_eq!((entries[1].grade, entries[1].places.len()), (Grade::Unused, 2));
/// ```
pub fn account(dropped: &[Dropped]) -> Vec<Entry<'_>> {
    let mut groups: BTreeMap<(Grade, &Path, &str, &str), Vec<&Place>> = BTreeMap::new();
    for d in dropped {
        groups
            .entry((d.grade(), d.file.as_path(), d.why.as_str(), d.what.as_str()))
            .or_default()
            .push(&d.place);
    }
    let entry = |((grade, file, why, what), places)| Entry { grade, file, what, why, places };
    groups.into_iter().map(entry).collect()
}

impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Places that are named one by one.
        const NAMED: usize = 8;
        let why = plain(self.why);
        write!(f, "{}: {}: {why} (", self.grade.name(), self.what)?;
        match self.places.as_slice() {
            [Place::Line(_)] => f.write_str("line ")?,
            [Place::Line(_), ..] => f.write_str("lines ")?,
            _ => {}
        }
        for (i, place) in self.places.iter().take(NAMED).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match place {
                Place::Line(line) => write!(f, "{line}")?,
                Place::Prim(path) => f.write_str(path)?,
            }
        }
        if self.places.len() > NAMED {
            write!(f, " and {} more", self.places.len() - NAMED)?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Prim(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, why) = (self.file.display(), plain(&self.why));
        match &self.place {
            Place::Line(line) => write!(f, "{file}:{line}: {}: {why}", self.what),
            Place::Prim(path) => write!(f, "{file}: {path}: {}: {why}", self.what),
        }
    }
}
