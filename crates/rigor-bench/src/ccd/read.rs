//! Reading of all query files below some paths.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rigor_ccd::{Labelled, LinearQuery, RigidQuery};
use rigor_file::Files;
use rigor_run::disk::Disk;

use super::native::{self, Queries};
use super::{FileError, QueryFault, rigid_json, sample_queries};

/// Queries of both types.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuerySet {
    /// Queries of points on straight lines.
    pub linear: Vec<Labelled<LinearQuery>>,
    /// Queries of rigid bodies.
    pub rigid: Vec<Labelled<RigidQuery>>,
    /// Warnings about single queries.
    pub warnings: Vec<FileError>,
}

impl QuerySet {
    /// Number of queries.
    pub fn len(&self) -> usize {
        self.linear.len() + self.rigid.len()
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps every `stride`-th query of each type, starting with the first.
    #[must_use]
    pub fn every(self, stride: NonZeroUsize) -> Self {
        let Self { linear, rigid, warnings } = self;
        let stride = stride.get();
        let (linear, rigid) =
            (linear.into_iter().step_by(stride).collect(), rigid.into_iter().step_by(stride).collect());
        Self { linear, rigid, warnings }
    }

    fn add(&mut self, path: &Path, text: &str) -> Result<(), FileError> {
        if path.extension().is_some_and(|extension| extension == "json") {
            self.rigid.push(rigid_json::read(path, text)?);
        } else if native::is_native(text) {
            match native::read(path, text)? {
                Queries::Linear(queries) => self.linear.extend(queries),
                Queries::Rigid(queries) => self.rigid.extend(queries),
            }
        } else {
            let (queries, warnings) = sample_queries::read(path, text)?;
            self.linear.extend(queries);
            self.warnings.extend(warnings);
        }
        Ok(())
    }
}

/// Reads files, and all `.csv` and `.json` files below folders in the order of their names.
///
/// # Errors
/// The first [`FileError`]: a file or folder cannot be read, or a file is invalid.
pub fn read(paths: &[PathBuf]) -> Result<QuerySet, FileError> {
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| gather(path, &mut files))?;
    let mut set = QuerySet::default();
    for path in files {
        let fail = |error: std::io::Error| QueryFault::Unreadable { why: error.to_string() };
        let bytes = Disk.read(&path).map_err(|error| FileError::whole(&path, fail(error)))?;
        read_bytes(&path, &bytes, &mut set)?;
    }
    Ok(set)
}

/// Adds the queries of one file to the set; the extension and the first line determine the format.
///
/// # Errors
/// [`FileError`] if the file is invalid; the set is then unchanged.
pub fn read_bytes(path: &Path, bytes: &[u8], set: &mut QuerySet) -> Result<(), FileError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let row = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        FileError::at(path, row, QueryFault::NoText)
    })?;
    set.add(path, text)
}

/// Appends the query files below a folder, sorted by name; a path that is not a folder is appended as it is.
///
/// Links to folders are not followed, so that the search ends.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), FileError> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let fail =
        |error: std::io::Error| FileError::whole(path, QueryFault::Unlisted { why: error.to_string() });
    let entries = std::fs::read_dir(path).map_err(fail)?.collect::<Result<Vec<_>, _>>().map_err(fail)?;
    let mut entries: Vec<_> = entries.iter().map(std::fs::DirEntry::path).collect();
    entries.sort();
    let is_wanted = |path: &PathBuf| {
        let is_query_file =
            path.extension().is_some_and(|extension| extension == "csv" || extension == "json");
        if path.is_symlink() { is_query_file && path.is_file() } else { is_query_file || path.is_dir() }
    };
    entries.iter().filter(|path| is_wanted(path)).try_for_each(|path| gather(path, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rigor_ccd::{RigidMotion, StraightMotion, Truth};
    use rigor_math::Vec3;

    /// A valid file of each format.
    fn files() -> [(&'static str, Vec<u8>); 4] {
        let sample = "0,1,1,1,0,1,1\n".repeat(8);
        let pose = r#"{"position":[1,2,3],"rotation":[0,0,1.5]}"#;
        let edge = format!(r#"{{"pose_t0":{pose},"pose_t1":{pose},"vertex0":[0,0,1],"vertex1":[0,1e-3,0]}}"#);
        let json = format!(r#"{{"type":"ee","edge0":{edge},"edge1":{edge}}}"#);
        let point = StraightMotion::between(Vec3::x(), Vec3::y());
        let linear = LinearQuery::point_point(point, point, 0.0);
        let motion = RigidMotion::between([Vec3::x(); 2], [Vec3::y(); 2]);
        let rigid = RigidQuery::edge_edge([motion; 2], [Vec3::z(); 2], [Vec3::z(); 2], 0.5);
        let first = Truth::First { lo: 0.25, hi: 0.5 };
        let linear = native::write(&[Labelled { query: linear, truth: first, label: "l".into() }], "");
        let rigid = native::write(&[Labelled { query: rigid, truth: Truth::Free, label: "r".into() }], "");
        [("edge-edge/a.csv", sample), ("a.json", json), ("linear.csv", linear), ("rigid.csv", rigid)]
            .map(|(path, text)| (path, text.into_bytes()))
    }

    #[test]
    fn each_format_is_known_by_what_it_looks_like() {
        let mut set = QuerySet::default();
        for (path, bytes) in files() {
            read_bytes(Path::new(path), &bytes, &mut set).unwrap();
        }
        assert_eq!((set.linear.len(), set.rigid.len(), set.len()), (2, 2, 4));
    }

    #[test]
    fn folders_are_read_in_order_and_other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let [sample, json, ..] = files();
        let below = folder.path().join("edge-edge");
        std::fs::create_dir(&below).unwrap();
        std::fs::write(below.join("b.csv"), &sample.1).unwrap();
        std::fs::write(below.join("a.csv"), &sample.1).unwrap();
        std::fs::write(folder.path().join("q.json"), &json.1).unwrap();
        std::fs::write(folder.path().join("LICENSE"), "…").unwrap();
        let set = read(&[folder.path().to_owned()]).unwrap();
        assert_eq!(set.len(), 3);
        assert!(set.linear[0].label.ends_with("a.csv:1") && set.linear[1].label.ends_with("b.csv:1"));
        let missing = read(&[folder.path().join("none.csv")]).unwrap_err();
        assert!(missing.to_string().contains("none.csv: cannot be read"), "{missing}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Changing, removing and inserting bytes anywhere gives an error or queries, but no panic.
        #[test]
        fn no_bytes_make_a_reader_panic(
            which in 0..4usize,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
            end in any::<prop::sample::Index>(),
            is_cut in prop::bool::weighted(0.2),
        ) {
            let (path, mut bytes) = files()[which].clone();
            for (place, byte, how) in changes {
                let place = place.index(bytes.len());
                match how {
                    0 => bytes[place] = byte,
                    1 => bytes.insert(place, b"0123456789,-.e\n\"[]{}"[usize::from(byte) % 20]),
                    _ => { bytes.remove(place); }
                }
            }
            if is_cut {
                bytes.truncate(end.index(bytes.len()));
            }
            let mut set = QuerySet::default();
            if let Err(error) = read_bytes(Path::new(path), &bytes, &mut set) {
                prop_assert!(error.to_string().starts_with(path));
            }
        }
    }
}
