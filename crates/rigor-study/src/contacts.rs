//! The contacts of a run, frame by frame, from `contacts.csv`.

use std::fs::File;
use std::path::{Path, PathBuf};

use csv::{Reader, StringRecord};
use rigor_math::Vec3;
use rigor_run::RunError;
use rigor_run::error::Fault;
use rigor_scene::{BodyId, ContactReport};

/// Columns of a line.
const COLUMNS: usize = 18;

/// Reads contacts, those of one step after another.
pub struct Contacts {
    reader: Reader<File>,
    path: PathBuf,
    next: Option<(u64, ContactReport)>,
}

impl Contacts {
    /// Opens the file; `None` if the run kept no contacts.
    ///
    /// # Errors
    /// [`RunError`] when it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>, RunError> {
        if !path.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| RunError::new(path, error))?;
        let mut all = Self { reader: Reader::from_reader(file), path: path.to_owned(), next: None };
        all.next = all.read()?;
        Ok(Some(all))
    }

    /// Returns the contacts of a step, and passes over those before.
    ///
    /// # Errors
    /// [`RunError`] when the file cannot be read.
    pub fn of(&mut self, step: u64) -> Result<Vec<ContactReport>, RunError> {
        let mut found = Vec::new();
        while let Some((at, contact)) = self.next.take() {
            if at > step {
                self.next = Some((at, contact));
                break;
            }
            if at == step {
                found.push(contact);
            }
            self.next = self.read()?;
        }
        Ok(found)
    }

    /// The next line; `None` behind the last, which a run that goes on may not have written in full.
    fn read(&mut self) -> Result<Option<(u64, ContactReport)>, RunError> {
        let mut line = StringRecord::new();
        match self.reader.read_record(&mut line) {
            Ok(true) if line.len() == COLUMNS => Ok(contact(&line)),
            Ok(_) => Ok(None),
            Err(error) if error.is_io_error() => {
                Err(RunError::new(&self.path, Fault::System { source: std::io::Error::other(error) }))
            }
            Err(_) => Ok(None),
        }
    }
}

fn contact(line: &StringRecord) -> Option<(u64, ContactReport)> {
    let number = |k: usize| line.get(k)?.parse::<f64>().ok();
    let vector = |k: usize| Some(Vec3::new(number(k)?, number(k + 1)?, number(k + 2)?));
    let body = |k: usize| line.get(k)?.parse().ok().map(BodyId);
    let contact = ContactReport {
        body_a: body(2)?,
        body_b: body(3)?,
        point_world: vector(4)?,
        normal_world: vector(7)?,
        distance: number(10)?,
        normal_force: number(11)?,
        friction_force_world: vector(12)?,
        slip_velocity_world: vector(15)?,
        friction: (0.0, 0.0),
    };
    Some((line.get(0)?.parse().ok()?, contact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_come_step_by_step_and_a_torn_line_ends_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("contacts.csv");
        let head = (0..COLUMNS).map(|k| format!("c{k}")).collect::<Vec<_>>().join(",");
        let line = |step: u64, force: f64| format!("{step},0.1,2,0,1,2,3,0,1,0,-1e-3,{force},0,0,5,0,0,0\n");
        let text = format!("{head}\n{}{}{}3,0.1,2", line(1, 8.0), line(1, 9.0), line(2, 7.0));
        std::fs::write(&path, text).expect("it is written");
        let mut all = Contacts::open(&path).expect("it can be read").expect("it is there");
        assert!(all.of(0).expect("none").is_empty());
        let first = all.of(1).expect("two");
        assert_eq!(
            (first.len(), first[1].normal_force, first[0].point_world),
            (2, 9.0, Vec3::new(1.0, 2.0, 3.0))
        );
        assert_eq!(all.of(2).expect("one")[0].friction_force_world.z, 5.0);
        assert!(all.of(3).expect("none").is_empty());
    }
}
