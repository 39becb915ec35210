//! `breaks.csv`: one line per joint that broke.
//!
//! | column | content |
//! | --- | --- |
//! | `step`, `time_s` | number of the step in which it broke, and the time (s) of its end |
//! | `joint` | the joint, numbered from 0 in the order of the scene |
//!
//! The first step makes it, in runs of scenes with joints that can break by methods that report joints.

use std::path::Path;

use rigor_scene::{Joint, JointReport, Scene, State};

use super::Folder;
use super::append::FileMark;
use super::table::{Rows, TableRow};
use crate::error::{Fault, RunError};

/// At the end of which step each joint of a scene broke, `None` if none.
pub type Breaks = Vec<Option<u64>>;

/// A joint that broke.
#[derive(Debug)]
struct Break(usize);

impl TableRow for Break {
    const COLUMNS: &'static str = "joint";

    fn cells(&self) -> Vec<String> {
        vec![self.0.to_string()]
    }
}

/// Appends breaks to a file.
#[derive(Debug)]
pub struct Writer {
    rows: Rows<Break>,
    breaks: Breaks,
}

impl Writer {
    /// Creates a file for the joints of `scene`.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be written.
    pub fn create(path: &Path, scene: &Scene) -> Result<Self, RunError> {
        Ok(Self { rows: Rows::create(path)?, breaks: vec![None; scene.joints.len()] })
    }

    /// Resumes behind the rows of `mark`, without a change of the file before [`Writer::cut`].
    ///
    /// # Errors
    /// [`RunError`] when the file is damaged, or cannot be read or written.
    pub fn resume(path: &Path, mark: &FileMark, scene: &Scene) -> Result<Self, RunError> {
        let rows = Rows::resume(path, mark)?;
        let text = text_of(path)?;
        let kept = text.get(..mark.length as usize).unwrap_or(&text);
        Ok(Self { rows, breaks: parsed(kept, path, scene)? })
    }

    /// Drops what follows the mark.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written.
    pub fn cut(&mut self) -> Result<(), RunError> {
        self.rows.cut()
    }

    /// Appends the joints that broke in the step that ended in `state`, and flushes them: frames that are on disk come after them.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be written, for example because the disk is full.
    pub fn push(&mut self, state: &State, joints: &[JointReport]) -> Result<(), RunError> {
        for told in joints.iter().filter(|told| told.broken) {
            if self.breaks[told.joint].is_none() {
                self.breaks[told.joint] = Some(state.step);
                self.rows.push(state, &[Break(told.joint)])?;
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Flushes all rows to the file and returns what it then holds.
    ///
    /// # Errors
    /// [`RunError`] when they cannot be written.
    pub fn flush(&mut self) -> Result<FileMark, RunError> {
        self.rows.flush()
    }
}

/// Returns the breaks of a run, or `None` where its folder does not tell.
///
/// Folders of before there was the file tell by `joints.csv`, of kept frames, if they have it.
///
/// # Errors
/// [`RunError`] when a file cannot be read, or is damaged.
pub fn read(folder: &Folder, scene: &Scene) -> Result<Option<Breaks>, RunError> {
    if !scene.joints.iter().any(Joint::can_break) {
        return Ok(Some(vec![None; scene.joints.len()]));
    }
    let path = folder.breaks();
    if path.is_file() {
        return parsed(&text_of(&path)?, &path, scene).map(Some);
    }
    let path = folder.joints();
    if path.is_file() { of_joints(&text_of(&path)?, &path, scene) } else { Ok(None) }
}

fn text_of(path: &Path) -> Result<String, RunError> {
    std::fs::read_to_string(path).map_err(|error| RunError::new(path, error))
}

fn parsed(text: &str, path: &Path, scene: &Scene) -> Result<Breaks, RunError> {
    let mut breaks = vec![None; scene.joints.len()];
    for row in rows(text, path, &["joint"]) {
        let (step, [joint]) = row?;
        first(&mut breaks, joint, step, path)?;
    }
    Ok(breaks)
}

/// Of `joints.csv`, in which each frame has a line for every joint.
fn of_joints(text: &str, path: &Path, scene: &Scene) -> Result<Option<Breaks>, RunError> {
    let mut breaks = vec![None; scene.joints.len()];
    let mut told = 0;
    for row in rows(text, path, &["joint", "broken"]) {
        let (step, [joint, broken]) = row?;
        told += 1;
        if broken != 0 {
            first(&mut breaks, joint, step, path)?;
        }
    }
    Ok((told > 0).then_some(breaks))
}

fn first(breaks: &mut Breaks, joint: u64, step: u64, path: &Path) -> Result<(), RunError> {
    let known = usize::try_from(joint).ok().and_then(|joint| breaks.get_mut(joint));
    let known = known.ok_or_else(|| RunError::new(path, Fault::OtherScene))?;
    known.get_or_insert(step);
    Ok(())
}

/// The step and some columns of each whole line; a killed process may leave a part of one at the end.
fn rows<'a, const N: usize>(
    text: &'a str,
    path: &'a Path,
    columns: &[&str; N],
) -> impl Iterator<Item = Result<(u64, [u64; N]), RunError>> + use<'a, N> {
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let mut lines = whole.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').collect();
    let places = columns.map(|column| header.iter().position(|name| *name == column));
    lines.map(move |(i, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: Option<usize>| cells.get(place?)?.parse().ok();
        let numbers = places.map(number);
        let damaged = || RunError::new(path, Fault::DamagedLine { line: i + 1 });
        let step = number(Some(0)).ok_or_else(damaged)?;
        if numbers.iter().any(Option::is_none) {
            return Err(damaged());
        }
        Ok((step, numbers.map(Option::unwrap_or_default)))
    })
}
