//! The public sample queries of linear continuous collision detection.
//!
//! Eight rows are one query: four points at t = 0, then the same points at t = 1. The points are v, f₀, f₁,
//! f₂ of a vertex and a face, or a₀, a₁, b₀, b₁ of two edges. A row has seven integers: numerator and
//! denominator of x, y and z, and 1 if the query is a hit or 0 if not, the same in all eight rows. The name
//! of the folder, `vertex-face` or `edge-edge`, gives the kind.
//!
//! Source: \[Wang2021\] §3, the data set.

use std::path::Path;

use rigor_ccd::{Kind, Labelled, LinearQuery, Truth};
use rigor_math::Vec3;

use super::rational::{Fraction, beginning, fraction};
use super::{FileError, QueryFault};

/// Rows per query.
const ROWS: usize = 8;

/// The kind of the queries in a file, from the innermost folder called `vertex-face` or `edge-edge`.
pub fn kind(path: &Path) -> Option<Kind> {
    let folders = path.parent()?.components().rev();
    folders.filter_map(|folder| folder.as_os_str().to_str()).find_map(|folder| match folder {
        "vertex-face" => Some(Kind::PointTriangle),
        "edge-edge" => Some(Kind::EdgeEdge),
        _ => None,
    })
}

/// Reads the queries of a file, and warns of each row with a number that is not an f64.
///
/// Such a number is rounded to the nearest f64. The stated truth does not hold for the rounded query, so its
/// truth becomes unknown.
///
/// # Errors
/// [`FileError`] with the first invalid row, or for a file outside of such folders.
pub fn read(path: &Path, text: &str) -> Result<(Vec<Labelled<LinearQuery>>, Vec<FileError>), FileError> {
    let kind = kind(path).ok_or_else(|| FileError::whole(path, QueryFault::NoKind))?;
    let rows: Vec<PointRow> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            PointRow::read(number, line).map_err(|fault| FileError::at(path, number, fault))
        })
        .collect::<Result<_, _>>()?;
    let (whole, rest) = rows.as_chunks::<ROWS>();
    if let Some(row) = rest.first() {
        let fault = QueryFault::Rows { found: rest.len(), expected: ROWS };
        return Err(FileError::at(path, row.number, fault));
    }
    let rounded = rows.iter().filter(|row| row.is_rounded);
    let warnings = rounded.map(|row| FileError::at(path, row.number, QueryFault::Rounded));
    let queries = whole.iter().map(|rows| query(path, kind, rows)).collect::<Result<_, _>>()?;
    Ok((queries, warnings.collect()))
}

fn query(path: &Path, kind: Kind, rows: &[PointRow; ROWS]) -> Result<Labelled<LinearQuery>, FileError> {
    if let Some(row) = rows.iter().find(|row| row.is_hit != rows[0].is_hit) {
        return Err(FileError::at(path, row.number, QueryFault::MixedTruth));
    }
    let truth = match (rows.iter().any(|row| row.is_rounded), rows[0].is_hit) {
        (true, _) => Truth::Unknown { lo: 0.0 },
        (false, true) => Truth::Hit,
        (false, false) => Truth::Free,
    };
    let start = std::array::from_fn(|i| rows[i].point);
    let end = std::array::from_fn(|i| rows[4 + i].point);
    let label = format!("{}:{}", path.display(), rows[0].number);
    Ok(Labelled { query: LinearQuery::new(kind, start, end, 0.0), truth, label })
}

/// A row of the file.
struct PointRow {
    number: usize,
    point: Vec3,
    is_rounded: bool,
    is_hit: bool,
}

impl PointRow {
    fn read(number: usize, line: &str) -> Result<Self, QueryFault> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [ax, bx, ay, by, az, bz, hit] = cells[..] else {
            return Err(QueryFault::SampleCells { found: cells.len() });
        };
        let mut is_rounded = false;
        let mut number_of = |a: &str, b: &str| match fraction(a, b)? {
            Fraction::Rounded(x) if !x.is_finite() => {
                Err(QueryFault::Overflow { numerator: beginning(a), denominator: beginning(b) })
            }
            Fraction::Rounded(x) => {
                is_rounded = true;
                Ok(x)
            }
            Fraction::Exact(x) => Ok(x),
        };
        let point = Vec3::new(number_of(ax, bx)?, number_of(ay, by)?, number_of(az, bz)?);
        let is_hit = match hit {
            "0" => false,
            "1" => true,
            _ => return Err(QueryFault::SampleTruth { found: beginning(hit) }),
        };
        Ok(Self { number, point, is_rounded, is_hit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "set/vertex-face/data.csv";
    const GOOD: &str = "0,1,1,1,0,1,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,0,1,1,1,1\n\
                        1,4,-1,2,1,4,1\n0,1,0,1,0,1,1\n1,1,0,1,0,1,1\n0,1,0,1,1,1,1\n";

    fn read_text(text: &str) -> Result<(Vec<Labelled<LinearQuery>>, Vec<FileError>), FileError> {
        read(Path::new(FILE), text)
    }

    #[test]
    fn eight_rows_are_a_query() {
        let (queries, warnings) = read_text(&format!("{GOOD}{GOOD}")).unwrap();
        assert!(warnings.is_empty() && queries.len() == 2);
        let Labelled { query, truth, label } = &queries[1];
        assert_eq!(
            (query.kind, *truth, label.as_str()),
            (Kind::PointTriangle, Truth::Hit, "set/vertex-face/data.csv:9")
        );
        assert_eq!((query.start[0], query.end[0]), (Vec3::y(), Vec3::new(0.25, -0.5, 0.25)));
        assert_eq!(query.start[3], Vec3::z());
    }

    #[test]
    fn a_number_that_is_no_f64_is_told_and_costs_the_truth() {
        let (queries, warnings) = read_text(&GOOD.replacen("1,4", "1,3", 1)).unwrap();
        assert_eq!(
            (queries[0].truth, warnings.len(), warnings[0].row),
            (Truth::Unknown { lo: 0.0 }, 1, Some(5))
        );
    }

    #[test]
    fn mistakes_are_told_with_their_row() {
        let row = |text: &str| read_text(text).unwrap_err().row;
        assert_eq!(row(&GOOD.replacen("1,4,-1", "1,0,-1", 1)), Some(5));
        assert_eq!(row(&GOOD.replacen("1,1,0,1,0,1,1", "1,1,0,1,0,1", 1)), Some(3));
        assert_eq!(row(&GOOD.replacen("0,1,1,1,1\n1", "0,1,1,1,0\n1", 1)), Some(4));
        assert_eq!(row(&format!("{GOOD}0,1,1,1,0,1,1\n")), Some(9));
        assert!(read(Path::new("data.csv"), GOOD).unwrap_err().to_string().contains("vertex-face"));
    }
}
