//! Errors in query files.

use std::fmt;
use std::path::{Path, PathBuf};

use rigor_ccd::Kind;

use super::rational::FractionError;

/// An error in a query file, with its place.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; `None` for the file as a whole.
    pub row: Option<usize>,
    /// The mistake.
    pub fault: QueryFault,
}

impl FileError {
    /// An error in the file as a whole.
    pub fn whole(path: &Path, fault: QueryFault) -> Self {
        Self { path: path.to_owned(), row: None, fault }
    }

    /// An error in line `row`, counted from 1.
    pub fn at(path: &Path, row: usize, fault: QueryFault) -> Self {
        Self { path: path.to_owned(), row: Some(row), fault }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.row {
            Some(row) => write!(f, "{path}:{row}: {}", self.fault),
            None => write!(f, "{path}: {}", self.fault),
        }
    }
}

/// A mistake in a query file, or in one of its lines.
///
/// The messages contain at most the first 40 characters of a text in the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryFault {
    /// The file cannot be read.
    #[error("cannot be read: {why}")]
    Unreadable {
        /// The cause, as reported by the operating system.
        why: String,
    },
    /// The files of a folder cannot be listed.
    #[error("cannot be listed: {why}")]
    Unlisted {
        /// The cause, as reported by the operating system.
        why: String,
    },
    /// The file is not UTF-8 text.
    #[error("this is not UTF-8 text")]
    NoText,
    /// The file has no line of column names.
    #[error("the line of column names is missing")]
    NoColumns,
    /// The column names belong to neither type of queries.
    #[error("the columns are neither those of linear nor those of rigid queries, see docs/ccd-queries.md")]
    UnknownColumns,
    /// A row has too few or too many cells.
    #[error("{expected} cells were expected, not {found}")]
    Cells {
        /// The number of cells.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// The kind of a query is unknown.
    #[error("`kind` must be one of {}, not `{found}`", Kind::ALL.map(Kind::name).join(", "))]
    Kind {
        /// The word.
        found: String,
    },
    /// The minimum distance is negative.
    #[error("`d_min` must not be negative, but is {d_min}")]
    NegativeDistance {
        /// The distance (m).
        d_min: f64,
    },
    /// A cell is not a finite number.
    #[error("`{column}` must be a finite number, not `{found}`")]
    Number {
        /// The column.
        column: String,
        /// The text of the cell.
        found: String,
    },
    /// A time of the truth lies outside the step.
    #[error("`{column}` must be in [0, 1], but is {time}")]
    Time {
        /// The column.
        column: &'static str,
        /// The time (fraction of the step).
        time: f64,
    },
    /// The times of the truth are in the wrong order.
    #[error("`t_lo` = {lo} is after `t_hi` = {hi}")]
    Interval {
        /// The lower time (fraction of the step).
        lo: f64,
        /// The upper time (fraction of the step).
        hi: f64,
    },
    /// The truth has no known form.
    #[error("`truth` must be free, hit, unknown with `t_lo`, or first with `t_lo` and `t_hi`, not `{found}`")]
    Truth {
        /// The three cells.
        found: String,
    },
    /// The JSON is invalid, or a key is unexpected or missing.
    #[error("{}{why}", if key.is_empty() { String::new() } else { format!("at `{key}`: ") })]
    Json {
        /// The key; empty for the document as a whole.
        key: String,
        /// The mistake, in words for the user.
        why: String,
    },
    /// The keys of a query in JSON are not those of its type.
    #[error("type `{of}` requires exactly `{}` and `{}`", keys[0], keys[1])]
    Keys {
        /// The type.
        of: &'static str,
        /// Its keys.
        keys: [&'static str; 2],
    },
    /// The type of a query in JSON is unknown.
    #[error("the type must be `ee` or `fv`, not `{found}`")]
    Type {
        /// The word.
        found: String,
    },
    /// The name of the folder does not give the kind of the sample queries.
    #[error("a CSV of sample queries must lie in a folder `vertex-face` or `edge-edge`")]
    NoKind,
    /// The last query of a file lacks rows.
    #[error("a query has {expected} rows; the one that starts here has {found}")]
    Rows {
        /// The number of rows that it has.
        found: usize,
        /// The number of rows of a query.
        expected: usize,
    },
    /// The number of cells in a row is not seven.
    #[error(
        "seven integers were expected, numerator and denominator of x, y and z and the truth, not {found} cells"
    )]
    SampleCells {
        /// The number of cells.
        found: usize,
    },
    /// The rows of a query have different truths.
    #[error("the last column differs from that of the first row of the query")]
    MixedTruth,
    /// The last cell of a row is neither 0 nor 1.
    #[error("the last column must be 0 or 1, not `{found}`")]
    SampleTruth {
        /// The text of the cell.
        found: String,
    },
    /// A number was rounded; this is a warning.
    #[error("a number is not an f64; the query is rounded, and its truth unknown")]
    Rounded,
    /// A fraction exceeds the range of f64.
    #[error("`{numerator}` over `{denominator}` exceeds the range of f64")]
    Overflow {
        /// The numerator.
        numerator: String,
        /// The denominator.
        denominator: String,
    },
    /// Two cells do not form a valid fraction.
    #[error(transparent)]
    Fraction {
        /// The cause.
        #[from]
        source: FractionError,
    },
}
