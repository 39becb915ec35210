//! Trajectories in `.npz` files of NumPy.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zip::ZipArchive;

use super::{Field, ForeignError, Layout, Sheet};
use crate::disk::MAX_BYTES;

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
    let time_name = needed(Field::Time)?;
    let (time_shape, times) = archive.numbers(&time_name)?;
    let (position_name, quaternion_name) = (needed(Field::Position)?, needed(Field::Quaternion)?);
    let (position_shape, position) = archive.numbers(&position_name)?;
    let n = times.len() as u64;
    // Bodies may have no axis of their own.
    let n_bodies = match position_shape[..] {
        [rows, bodies, 3] if rows == n => bodies,
        [rows, numbers] if rows == n && numbers % 3 == 0 => numbers / 3,
        _ => {
            let expected = format!("({n}, number of bodies, 3) as there are {n} times");
            return Err(ForeignError::Shape { name: position_name, found: position_shape, expected });
        }
    };
    let check = |name: &str, found: Vec<u64>, components: u64| {
        let is_same = found == [n, n_bodies, components] || found == [n, n_bodies * components];
        let (name, expected) = (name.to_owned(), format!("({n}, {n_bodies}, {components})"));
        if is_same { Ok(()) } else { Err(ForeignError::Shape { name, found, expected }) }
    };
    if time_shape.len() != 1 {
        let expected = "one axis".to_owned();
        return Err(ForeignError::Shape { name: time_name, found: time_shape, expected });
    }
    let (quaternion_shape, quaternion) = archive.numbers(&quaternion_name)?;
    check(&quaternion_name, quaternion_shape, 4)?;
    let velocity = match (named(Field::Velocity), named(Field::AngularVelocity)) {
        (Some(linear), Some(angular)) => {
            let [(linear_shape, v), (angular_shape, w)] =
                [archive.numbers(&linear)?, archive.numbers(&angular)?];
            check(&linear, linear_shape, 3)?;
            check(&angular, angular_shape, 3)?;
            Some([v, w])
        }
        _ => None,
    };
    let names = named(Field::Body).map(|name| archive.words(&name)).transpose()?.unwrap_or_default();
    if !names.is_empty() && names.len() as u64 != n_bodies {
        let (name, found) = ("the list of the names of bodies".to_owned(), vec![names.len() as u64]);
        return Err(ForeignError::Shape { name, found, expected: format!("({n_bodies})") });
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

/// The shape in the head of a file of NumPy: magic, version, length of the head, and a dictionary of Python.
fn shape(bytes: &[u8]) -> Option<Vec<u64>> {
    let length = match bytes.get(6)? {
        1 => usize::from(u16::from_le_bytes(*bytes.get(8..)?.first_chunk()?)) + 10,
        _ => u32::from_le_bytes(*bytes.get(8..)?.first_chunk()?) as usize + 12,
    };
    let head = String::from_utf8_lossy(bytes.get(..length)?);
    let rest = head.split("'shape':").nth(1)?.trim_start().strip_prefix('(')?;
    let axes = rest.split_once(')')?.0.split(',').map(str::trim).filter(|axis| !axis.is_empty());
    axes.map(|axis| axis.parse().ok()).collect()
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
            Ok(entry) => entry.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if read.map_err(|error| self.broken(name, error))? as u64 > MAX_BYTES {
            return Err(self.broken(name, format!("it is longer than {} MiB", MAX_BYTES >> 20)));
        }
        // The reader of NumPy's form multiplies the axes, whose product may exceed every integer.
        let shape = shape(&bytes).ok_or_else(|| self.broken(name, "its head has no shape"))?;
        let count = shape.iter().try_fold(1_u64, |n, axis| n.checked_mul((*axis).max(1)));
        if count.is_none_or(|n| n > bytes.len() as u64) {
            return Err(
                self.broken(name, format!("its shape is {shape:?}, and it has {} bytes", bytes.len()))
            );
        }
        Ok(bytes)
    }

    /// Shape and numbers of any real type.
    fn numbers(&mut self, name: &str) -> Result<(Vec<u64>, Vec<f64>), ForeignError> {
        let bytes = self.bytes(name)?;
        let file = || npyz::NpyFile::new(&bytes[..]).map_err(|error| self.broken(name, error));
        let (shape, order, dtype) = {
            let file = file()?;
            (file.shape().to_vec(), file.order(), file.dtype().descr())
        };
        if order != npyz::Order::C && shape.len() > 1 {
            return Err(self.broken(name, "it is in Fortran order; save numpy.ascontiguousarray of it"));
        }
        let failed = |error: std::io::Error| self.broken(name, error);
        let wide = |list: Vec<f32>| list.into_iter().map(f64::from).collect();
        let numbers = match dtype.trim_matches('\'').get(1..) {
            Some("f8") => file()?.into_vec::<f64>().map_err(failed)?,
            Some("f4") => wide(file()?.into_vec::<f32>().map_err(failed)?),
            Some("i8") => file()?.into_vec::<i64>().map_err(failed)?.into_iter().map(|n| n as f64).collect(),
            Some("i4") => file()?.into_vec::<i32>().map_err(failed)?.into_iter().map(f64::from).collect(),
            _ => {
                let what = format!("its type is {dtype}: save numpy.asarray(…, float) of it");
                return Err(self.broken(name, what));
            }
        };
        Ok((shape, numbers))
    }

    /// Text of fixed width, four bytes per character.
    fn words(&mut self, name: &str) -> Result<Vec<String>, ForeignError> {
        let bytes = self.bytes(name)?;
        let file = npyz::NpyFile::new(&bytes[..]).map_err(|error| self.broken(name, error))?;
        let descr = file.dtype().descr();
        let width =
            descr.trim_matches('\'').strip_prefix("<U").and_then(|digits| digits.parse::<usize>().ok());
        let width =
            width.filter(|width| *width > 0).ok_or_else(|| self.broken(name, "it is not text (dtype <U)"))?;
        let n = file.shape().iter().try_fold(1_u64, |n, axis| n.checked_mul(*axis));
        let n = n.and_then(|n| usize::try_from(n).ok());
        let size = n.and_then(|n| n.checked_mul(width)?.checked_mul(4));
        let content = size.and_then(|size| bytes.len().checked_sub(size));
        let content = &bytes[content.ok_or_else(|| self.broken(name, "it is too short"))?..];
        let word = |chunk: &[u8]| {
            let codes = chunk.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
            codes.take_while(|code| *code != 0).filter_map(char::from_u32).collect()
        };
        Ok(content.chunks_exact(4 * width).map(word).collect())
    }
}
