//! Trajectories in `.npz` files of NumPy.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zip::ZipArchive;

use super::{Field, ForeignError, Layout, Sheet};
use crate::npy;

/// Reads the arrays of a trajectory.
pub fn read(path: &Path, layout: &Layout) -> Result<Sheet, ForeignError> {
    let file = File::open(path).map_err(|source| ForeignError::File { path: path.to_owned(), source })?;
    let broken = |what: String| ForeignError::Format { path: path.to_owned(), format: ".npz", what };
    let mut archive =
        Archive { zip: ZipArchive::new(file).map_err(|error| broken(error.to_string()))?, path };
    let names = archive.names();
    let named = |field: Field| find(field, layout, &names);
    let needed = |field: Field| {
        named(field).ok_or_else(|| ForeignError::NoField {
            field: field.word(),
            tried: layout.names.get(&field).cloned().unwrap_or_else(|| field.names().join(", ")),
            found: names.join(", "),
        })
    };
    let times = archive.numbers(&needed(Field::Time)?)?;
    let (position_name, quaternion_name) = (needed(Field::Position)?, needed(Field::Quaternion)?);
    let position = archive.numbers(&position_name)?;
    let quaternion = archive.numbers(&quaternion_name)?;
    let n_bodies = position.len() / 3 / times.len().max(1);
    let check = |name: &str, found: usize, components: usize| {
        let expected = times.len() * n_bodies * components;
        let name = name.to_owned();
        if found == expected { Ok(()) } else { Err(ForeignError::Shape { name, found, expected }) }
    };
    check(&position_name, position.len(), 3)?;
    check(&quaternion_name, quaternion.len(), 4)?;
    let velocity = match (named(Field::Velocity), named(Field::AngularVelocity)) {
        (Some(linear), Some(angular)) => {
            let both = [archive.numbers(&linear)?, archive.numbers(&angular)?];
            check(&linear, both[0].len(), 3)?;
            check(&angular, both[1].len(), 3)?;
            Some(both)
        }
        _ => None,
    };
    let names = named(Field::Body).map(|name| archive.words(&name)).transpose()?.unwrap_or_default();
    if !names.is_empty() {
        check("the names of bodies, once per body and time,", times.len() * names.len(), 1)?;
    }
    Ok(Sheet { times, names, position_name, position, quaternion, velocity })
}

/// The name of a field in the file.
fn find(field: Field, layout: &Layout, names: &[String]) -> Option<String> {
    let has = |name: &str| names.iter().any(|other| other == name).then(|| name.to_owned());
    match layout.names.get(&field) {
        Some(name) => has(name),
        None => field.names().iter().find_map(|name| has(name)),
    }
}

struct Archive<'a> {
    zip: ZipArchive<File>,
    path: &'a Path,
}

impl Archive<'_> {
    fn names(&self) -> Vec<String> {
        let name = |name: &str| name.strip_suffix(".npy").map(str::to_owned);
        self.zip.file_names().filter_map(|found| name(&found.ok()?)).collect()
    }

    fn broken(&self, name: &str, what: impl std::fmt::Display) -> ForeignError {
        ForeignError::Format {
            path: self.path.to_owned(),
            format: ".npz",
            what: format!("array {name}: {what}"),
        }
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, ForeignError> {
        let mut bytes = Vec::new();
        let read = match self.zip.by_name(&format!("{name}.npy")) {
            Ok(mut entry) => entry.read_to_end(&mut bytes).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        read.map_err(|error| self.broken(name, error))?;
        Ok(bytes)
    }

    /// Numbers of any real type.
    fn numbers(&mut self, name: &str) -> Result<Vec<f64>, ForeignError> {
        let bytes = self.bytes(name)?;
        npy::read_numbers(&bytes).map_err(|error| self.broken(name, error))
    }

    /// Text of fixed width, four bytes per character.
    fn words(&mut self, name: &str) -> Result<Vec<String>, ForeignError> {
        let bytes = self.bytes(name)?;
        npy::read_words(&bytes).map_err(|error| self.broken(name, error))
    }
}
