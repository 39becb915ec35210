//! Trajectories in `.npz` files of NumPy.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rigor_scene::Scene;
use zip::ZipArchive;

use super::{Field, ForeignError, Layout, Sheet, columns};
use crate::disk::MAX_BYTES;

/// Longest head of an array (bytes).
const MAX_HEAD: u64 = 1 << 20;
/// Longest name of a body (characters).
const MAX_NAME: usize = 1 << 12;

/// Reads the arrays of a trajectory of `scene`. What an archive unpacks to may be a thousand times as long as itself: times that
/// ascend, and the bodies of the scene or names that differ, bound what is unpacked.
pub fn read(path: &Path, scene: &Scene, layout: &Layout) -> Result<Sheet, ForeignError> {
    let file = File::open(path).map_err(|source| ForeignError::File { path: path.to_owned(), source })?;
    let broken = |what: String| ForeignError::Format { path: path.to_owned(), format: ".npz", what };
    let mut archive =
        Archive { zip: ZipArchive::new(file).map_err(|error| broken(error.to_string()))?, path };
    let found = archive.names();
    let named = |field: Field| find(field, layout, &found);
    let needed = |field: Field| {
        named(field).ok_or_else(|| ForeignError::NoField {
            field: field.word(),
            tried: layout.names.get(&field).cloned().unwrap_or_else(|| field.names().join(", ")),
            found: found.join(", "),
        })
    };
    let time_name = needed(Field::Time)?;
    let (position_name, quaternion_name) = (needed(Field::Position)?, needed(Field::Quaternion)?);
    let time_shape = archive.shape(&time_name)?;
    if time_shape.len() != 1 {
        let expected = "one axis".to_owned();
        return Err(ForeignError::Shape { name: time_name, found: time_shape, expected });
    }
    let mut last = None;
    let times = archive.numbers(&time_name, |index, time| {
        let is_later = time.is_finite() && last.is_none_or(|last| time > last);
        last = Some(time);
        if is_later { Ok(()) } else { Err(ForeignError::Times { index, time }) }
    })?;
    let position_shape = archive.shape(&position_name)?;
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
    let names = match named(Field::Body) {
        Some(name) => archive.words(&name, times.first().copied().unwrap_or_default())?,
        None => Vec::new(),
    };
    if !names.is_empty() && names.len() as u64 != n_bodies {
        let (name, found) = ("the list of the names of bodies".to_owned(), vec![names.len() as u64]);
        return Err(ForeignError::Shape { name, found, expected: format!("({n_bodies})") });
    }
    if times.is_empty() {
        return Err(ForeignError::Empty);
    }
    columns(&names, usize::try_from(n_bodies).unwrap_or(usize::MAX), scene)?;
    let mut array = |name: String, components: u64| {
        let found = archive.shape(&name)?;
        if found == [n, n_bodies, components] || found == [n, n_bodies * components] {
            return archive.numbers(&name, |_, _| Ok(()));
        }
        Err(ForeignError::Shape { name, found, expected: format!("({n}, {n_bodies}, {components})") })
    };
    let position = array(position_name.clone(), 3)?;
    let quaternion = array(quaternion_name, 4)?;
    let velocity = match (named(Field::Velocity), named(Field::AngularVelocity)) {
        (Some(linear), Some(angular)) => Some([array(linear, 3)?, array(angular, 3)?]),
        _ => None,
    };
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

/// The length of the head of a file of NumPy, of which these are the first 12 bytes: magic, version, length of the rest.
fn length(start: &[u8; 12]) -> u64 {
    match start[6] {
        1 => u64::from(u16::from_le_bytes([start[8], start[9]])) + 10,
        _ => u64::from(u32::from_le_bytes([start[8], start[9], start[10], start[11]])) + 12,
    }
}

/// The shape in a head, which has a dictionary of Python.
fn shape(head: &[u8]) -> Option<Vec<u64>> {
    let head = String::from_utf8_lossy(head);
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

    /// Opens an array, of which at most as much is read as a file may have, with what makes an error about it.
    fn open<'b>(
        &'b mut self,
        name: &'b str,
    ) -> Result<(impl Read + 'b, impl Fn(&dyn Display) -> ForeignError + Copy + 'b), ForeignError> {
        let path = self.path;
        let broken = move |what: &dyn Display| ForeignError::Format {
            path: path.to_owned(),
            format: ".npz",
            what: format!("array {name}: {what}"),
        };
        match self.zip.by_name(&format!("{name}.npy")) {
            Ok(entry) => Ok((entry.take(MAX_BYTES), broken)),
            Err(error) => Err(broken(&error)),
        }
    }

    /// The shape of an array, whose numbers are no more than the bytes of the largest file.
    fn shape(&mut self, name: &str) -> Result<Vec<u64>, ForeignError> {
        let mut head = Vec::new();
        let (mut entry, broken) = self.open(name)?;
        let mut read = |to: u64, head: &mut Vec<u8>| {
            let missing = to.saturating_sub(head.len() as u64);
            entry.by_ref().take(missing).read_to_end(head)
        };
        let mut whole = read(12, &mut head);
        if let (Ok(_), Some(start)) = (&whole, head.first_chunk::<12>()) {
            let length = length(start);
            whole = if length <= MAX_HEAD { read(length, &mut head) } else { Ok(0) };
        }
        whole.map_err(|error| broken(&error))?;
        let is_whole = head.first_chunk::<12>().is_some_and(|start| head.len() as u64 == length(start));
        let shape = shape(&head).filter(|_| is_whole);
        let shape = shape.ok_or_else(|| broken(&"its head has no shape"))?;
        // The reader of NumPy's form multiplies the axes, whose product may exceed every integer.
        let count = shape.iter().try_fold(1_u64, |n, axis| n.checked_mul((*axis).max(1)));
        if count.is_none_or(|n| n > MAX_BYTES) {
            let what = format!("its shape is {shape:?}, and it may have at most {MAX_BYTES} bytes");
            return Err(broken(&what));
        }
        Ok(shape)
    }

    /// Numbers of any real type, each of which is checked with its index.
    fn numbers(
        &mut self,
        name: &str,
        mut check: impl FnMut(usize, f64) -> Result<(), ForeignError>,
    ) -> Result<Vec<f64>, ForeignError> {
        self.shape(name)?;
        let (entry, broken) = self.open(name)?;
        let failed = |error: std::io::Error| broken(&error);
        let file = npyz::NpyFile::new(entry).map_err(failed)?;
        let dtype = file.dtype().descr();
        if file.order() != npyz::Order::C && file.shape().len() > 1 {
            return Err(broken(&"it is in Fortran order; save numpy.ascontiguousarray of it"));
        }
        // Lists grow with what is read, as a shape is only a claim.
        let mut all = Vec::new();
        let mut take = |number: std::io::Result<f64>| {
            let number = number.map_err(failed)?;
            check(all.len(), number)?;
            all.push(number);
            Ok(())
        };
        let mistyped = |_| broken(&format!("its type is {dtype}"));
        match dtype.trim_matches('\'').get(1..) {
            Some("f8") => file.data::<f64>().map_err(mistyped)?.try_for_each(take)?,
            Some("f4") => {
                file.data::<f32>().map_err(mistyped)?.try_for_each(|x| take(x.map(f64::from)))?;
            }
            Some("i8") => {
                file.data::<i64>().map_err(mistyped)?.try_for_each(|x| take(x.map(|x| x as f64)))?;
            }
            Some("i4") => {
                file.data::<i32>().map_err(mistyped)?.try_for_each(|x| take(x.map(f64::from)))?;
            }
            _ => {
                return Err(broken(&format!("its type is {dtype}: save numpy.asarray(…, float) of it")));
            }
        }
        Ok(all)
    }

    /// Text of fixed width, four bytes per character; no two are the same.
    fn words(&mut self, name: &str, time: f64) -> Result<Vec<String>, ForeignError> {
        let shape = self.shape(name)?;
        let (entry, broken) = self.open(name)?;
        let file = npyz::NpyFile::new(entry).map_err(|error| broken(&error))?;
        let descr = file.dtype().descr();
        let width =
            descr.trim_matches('\'').strip_prefix("<U").and_then(|digits| digits.parse::<usize>().ok());
        let width = width.filter(|width| *width > 0).ok_or_else(|| broken(&"it is not text (dtype <U)"))?;
        if width > MAX_NAME {
            return Err(broken(&format!("its names have {width} characters: at most {MAX_NAME} are read")));
        }
        let (mut content, mut codes) = (file.into_inner(), vec![0; 4 * width]);
        let (mut words, mut known) = (Vec::new(), BTreeSet::new());
        for _ in 0..shape.iter().product() {
            content.read_exact(&mut codes).map_err(|error| broken(&error))?;
            let codes = codes.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
            let word: String = codes.take_while(|code| *code != 0).filter_map(char::from_u32).collect();
            if !known.insert(word.clone()) {
                return Err(ForeignError::Twice { body: word, time });
            }
            words.push(word);
        }
        Ok(words)
    }
}
