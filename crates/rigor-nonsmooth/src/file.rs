//! Problems in `.npz` files of NumPy, read from bytes and written to bytes.
//!
//! | array | what |
//! | --- | --- |
//! | `dimension` | 3, or 2 for planar problems |
//! | `row`, `column`, `value` | entries of W, one number each, from row 0 on; entries at one place are added |
//! | `q` | `dimension` numbers per contact, then one per row that holds both ways |
//! | `mu` | one number per contact |
//!
//! Component 0 of a contact is normal. Rows after those of the contacts hold both ways, as those of joints.

use std::io::{Cursor, Read, Write};

use npyz::WriterBuilder;
use zip::ZipArchive;

use crate::{Cone, Delassus, Mat3, Problem, ProblemError, Vec3};

/// Largest number of entries that a file may declare.
const MOST: u64 = 200_000_000;

/// The arrays.
const ARRAYS: [&str; 6] = ["dimension", "row", "column", "value", "q", "mu"];

/// Largest quotient of the numbers in memory and the file (bytes), beyond [`FREE`].
const MOST_EXPANSION: u64 = 10;

/// Numbers of this size (bytes) are read however much they were compressed.
const FREE: u64 = 16 << 20;

/// The reason why bytes are no problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// They are no archive of arrays, or an array is missing or of another form.
    #[error("{0}")]
    Form(String),
    /// The numbers are no problem.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// Reads a problem from the bytes of a file.
///
/// Before any number is read, the headers are: numbers of more than 16 MiB that would take more than ten times the file, as those of
/// arrays that expand without end, are refused.
///
/// # Errors
/// [`FileError`] for arrays that are missing or do not fit each other, and what [`Problem::new`] refuses.
pub fn read(bytes: &[u8]) -> Result<Problem, FileError> {
    let form = |what: String| FileError::Form(what);
    let mut zip =
        ZipArchive::new(Cursor::new(bytes)).map_err(|error| form(format!("no .npz file: {error}")))?;
    let mut size = 0_u64;
    for name in ARRAYS {
        size = size.saturating_add(8 * count(&mut zip, name).map_err(form)?);
    }
    let length = bytes.len() as u64;
    if is_bomb(size, length) {
        let what =
            format!("its arrays expand from {length} bytes to {size}, more than {MOST_EXPANSION} times");
        return Err(form(format!("{what}: write it without compression")));
    }
    let mut numbers = |name: &str| numbers(&mut zip, name).map_err(form);
    let dimension = match numbers("dimension")?[..] {
        [2.0] => 2,
        [3.0] => 3,
        ref other => return Err(form(format!("`dimension` is {other:?}: it must be 2 or 3"))),
    };
    let (rows, columns, values) = (numbers("row")?, numbers("column")?, numbers("value")?);
    let (q, mu) = (numbers("q")?, numbers("mu")?);
    if rows.len() != columns.len() || rows.len() != values.len() {
        let lengths = format!("{}, {} and {}", rows.len(), columns.len(), values.len());
        return Err(form(format!(
            "`row`, `column` and `value` have {lengths} numbers: they must be as many"
        )));
    }
    let in_contacts = dimension * mu.len();
    let Some(n_joined) = q.len().checked_sub(in_contacts) else {
        let most = format!("`q` has {} numbers, and `mu` {}", q.len(), mu.len());
        return Err(form(format!("{most}: a contact has {dimension} of q")));
    };
    let n_rows = q.len();
    let index = |name: &str, x: f64| {
        let is_index = x.fract() == 0.0 && x >= 0.0 && x < n_rows as f64;
        let what = || form(format!("`{name}` has {x}: the rows of W are 0 to {}", n_rows as i64 - 1));
        if is_index { Ok(x as usize) } else { Err(what()) }
    };
    // The place of a row of the file: its block and row in it.
    let place = |row: usize| {
        if row < in_contacts {
            (row / dimension, row % dimension)
        } else {
            (mu.len() + (row - in_contacts) / 3, (row - in_contacts) % 3)
        }
    };
    let n = mu.len() + n_joined.div_ceil(3);
    let mut blocks = Vec::with_capacity(values.len() + n);
    for ((row, column), value) in rows.iter().zip(&columns).zip(&values) {
        let (i, a) = place(index("row", *row)?);
        let (j, b) = place(index("column", *column)?);
        let mut block = Mat3::zeros();
        block[(a, b)] = *value;
        blocks.push((i, j, block));
    }
    // Rows that the file has not: nothing couples them.
    let scale = Delassus::new(n, blocks.clone()).scale() * 3.0 * n as f64 / (n_rows.max(1)) as f64;
    let has = |i: usize, a: usize| {
        if i < mu.len() { a < dimension } else { 3 * (i - mu.len()) + a < n_joined }
    };
    for (i, a) in (0..n).flat_map(|i| (0..3).map(move |a| (i, a))).filter(|&(i, a)| !has(i, a)) {
        let mut block = Mat3::zeros();
        block[(a, a)] = scale;
        blocks.push((i, i, block));
    }
    let mut known = vec![Vec3::zeros(); n];
    for (row, value) in q.iter().enumerate() {
        let (i, a) = place(row);
        known[i][a] = *value;
    }
    let joints = std::iter::repeat_n(Cone::Whole, n - mu.len());
    let cones = mu.iter().map(|mu| Cone::Friction(*mu)).chain(joints).collect();
    let problem = Problem::new(Delassus::new(n, blocks), known, cones)?;
    Ok(if dimension == 2 { problem.planar() } else { problem })
}

/// Whether `size` bytes of numbers are too many for a file of `length` bytes.
fn is_bomb(size: u64, length: u64) -> bool {
    size > FREE && size > length.saturating_mul(MOST_EXPANSION)
}

/// How many numbers the header of an array declares. No number is read.
fn count(zip: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<u64, String> {
    /// Longest header (bytes).
    const MAX_HEADER: usize = 1 << 16;
    let mut entry = zip.by_name(&format!("{name}.npy")).map_err(|_| format!("it has no array `{name}`"))?;
    let bytes = entry.size();
    let wrong = |error: std::io::Error| format!("`{name}`: {error}");
    // The length of the header is bytes 8 and 9, or 8 to 11 from version 2 on.
    let mut start = [0; 12];
    entry.read_exact(&mut start).map_err(wrong)?;
    let two = usize::from(start[8]) | usize::from(start[9]) << 8;
    let four = two | usize::from(start[10]) << 16 | usize::from(start[11]) << 24;
    let header = if start[6] < 2 { two } else { four };
    if header > MAX_HEADER {
        return Err(format!("`{name}` declares a header of {header} bytes"));
    }
    let array = npyz::NpyFile::new(start.as_slice().chain(entry)).map_err(wrong)?;
    if array.shape().len() > 1 {
        return Err(format!("`{name}` has {} axes: write it with one", array.shape().len()));
    }
    let count = array.shape().iter().try_fold(1u64, |n, &k| n.checked_mul(k)).unwrap_or(u64::MAX);
    if count > MOST || count > bytes {
        return Err(format!("`{name}` declares {count} numbers in {bytes} bytes"));
    }
    Ok(count)
}

/// The numbers of an array of integers or floats, after [`count`].
fn numbers(zip: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Vec<f64>, String> {
    let entry = zip.by_name(&format!("{name}.npy")).map_err(|_| format!("it has no array `{name}`"))?;
    let array = npyz::NpyFile::new(entry).map_err(|error| format!("`{name}`: {error}"))?;
    let dtype = array.dtype();
    let wrong = |error: std::io::Error| format!("`{name}`: {error}");
    let descr = dtype.descr();
    let found = match descr.trim_matches('\'') {
        "<f8" | ">f8" => array.into_vec::<f64>(),
        "<f4" | ">f4" => array.into_vec::<f32>().map(|x| x.into_iter().map(f64::from).collect()),
        "<i8" | ">i8" => array.into_vec::<i64>().map(|x| x.into_iter().map(|x| x as f64).collect()),
        "<i4" | ">i4" => array.into_vec::<i32>().map(|x| x.into_iter().map(f64::from).collect()),
        "<u8" | ">u8" => array.into_vec::<u64>().map(|x| x.into_iter().map(|x| x as f64).collect()),
        "<u4" | ">u4" => array.into_vec::<u32>().map(|x| x.into_iter().map(f64::from).collect()),
        other => return Err(format!("`{name}` has numbers of type {other}: write float64 or int64")),
    };
    found.map_err(wrong)
}

/// The bytes of a file with the problem, in the form that [`read`] takes. Rows that only fill blocks up are left out where the problem is
/// planar.
///
/// # Errors
/// Those of the archive, as for arrays beyond 4 GiB.
pub fn write(problem: &Problem) -> std::io::Result<Vec<u8>> {
    let n_contacts = problem.cones().iter().filter(|cone| cone.is_contact()).count();
    let dimension = if problem.is_planar() { 2 } else { 3 };
    // Contacts first, as the file has them.
    let contacts = (0..problem.len()).filter(|&i| problem.cones()[i].is_contact());
    let joints = (0..problem.len()).filter(|&i| !problem.cones()[i].is_contact());
    let order: Vec<usize> = contacts.chain(joints).collect();
    let mut place = vec![0; problem.len()];
    order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let row = |i: usize, a: usize| {
        let k = place[i];
        if k < n_contacts { dimension * k + a } else { dimension * n_contacts + 3 * (k - n_contacts) + a }
    };
    let has = |i: usize, a: usize| place[i] >= n_contacts || a < dimension;
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for &i in &order {
        for (j, block) in problem.delassus().row(i) {
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                if block[(a, b)] != 0.0 && has(i, a) && has(j, b) {
                    rows.push(row(i, a) as i64);
                    columns.push(row(j, b) as i64);
                    values.push(block[(a, b)]);
                }
            }
        }
    }
    let q: Vec<f64> = (order.iter())
        .flat_map(|&i| (0..3).filter(move |&a| has(i, a)).map(move |a| problem.q()[i][a]))
        .collect();
    let mu: Vec<f64> = order[..n_contacts].iter().map(|&i| problem.cones()[i].friction()).collect();
    let arrays = [
        array(&[], &[dimension as i64])?,
        array(&[rows.len() as u64], &rows)?,
        array(&[columns.len() as u64], &columns)?,
        array(&[values.len() as u64], &values)?,
        array(&[q.len() as u64], &q)?,
        array(&[mu.len() as u64], &mu)?,
    ];
    let size = 8 * (1 + 3 * rows.len() + q.len() + mu.len()) as u64;
    let bytes = archive(&arrays, zip::write::SimpleFileOptions::default())?;
    if !is_bomb(size, bytes.len() as u64) {
        return Ok(bytes);
    }
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive(&arrays, stored)
}

/// The bytes of an archive with the [`ARRAYS`].
fn archive(arrays: &[Vec<u8>; 6], options: zip::write::SimpleFileOptions) -> std::io::Result<Vec<u8>> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in ARRAYS.iter().zip(arrays) {
        zip.start_file(format!("{name}.npy"), options).map_err(std::io::Error::other)?;
        zip.write_all(array)?;
    }
    Ok(zip.finish().map_err(std::io::Error::other)?.into_inner())
}

/// The bytes of an array file.
fn array<T: npyz::AutoSerialize + Copy>(shape: &[u64], numbers: &[T]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut bytes).begin_nd()?;
    writer.extend(numbers.iter().copied())?;
    writer.finish()?;
    Ok(bytes)
}
