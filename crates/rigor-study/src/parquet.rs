//! The table of results as a Parquet file, for data frames.
//!
//! Source: Apache Parquet, `README.md` and `src/main/thrift/parquet.thrift` of the format, version 2.12. The file has one group of
//! rows, one page per column, plain values and no compression: a table of results is small. A test reads it back with the crate
//! `parquet`.
//!
//! | bytes | content |
//! | --- | --- |
//! | `PAR1` | magic |
//! | page per column | header (Thrift), definition levels where values may be null, values |
//! | footer | schema and places of the columns (Thrift) |
//! | 4, `PAR1` | length of the footer (little-endian), magic |

mod thrift;

use std::collections::BTreeSet;

use self::thrift::{Struct, varint};
use crate::results::{Cells, Column};

const MAGIC: &[u8] = b"PAR1";

// Enumerations of `parquet.thrift`.
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const UNCOMPRESSED: i32 = 0;
const DATA_PAGE: i32 = 0;

/// A table that a Parquet file cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParquetError {
    /// Two columns have one name.
    #[error("two columns have the name {name:?}; rename one")]
    SameName {
        /// The name.
        name: String,
    },
    /// A column with another number of cells than the first.
    #[error("column {name:?} has {found} cells, the first column {expected}")]
    Length {
        /// The name of the column.
        name: String,
        /// Its number of cells.
        found: usize,
        /// The number of cells of the first column.
        expected: usize,
    },
    /// A column does not fit into a page.
    #[error("column {name:?} has {size} bytes, at most {} are allowed; split the table", i32::MAX)]
    Size {
        /// The name of the column.
        name: String,
        /// Its size (bytes).
        size: usize,
    },
}

/// Returns the file: text columns without nulls, and columns of `f64` that are null where a run has no value.
///
/// # Errors
/// [`ParquetError`] if two columns have one name, if their lengths differ, or if one is larger than 2 GB.
pub fn bytes(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let n_rows = columns.first().map_or(0, |column| len(&column.cells));
    check(columns, n_rows)?;
    let mut bytes = MAGIC.to_vec();
    let mut chunks = Vec::with_capacity(columns.len());
    for column in columns {
        let start = bytes.len();
        bytes.extend(page(column)?);
        chunks.push(chunk(column, start, bytes.len() - start));
    }
    let size = bytes.len() - MAGIC.len();
    let group = Struct::default().list(1, chunks.into_iter()).i64(2, size as i64).i64(3, n_rows as i64);
    let root = Struct::default().text(4, "runs").i32(5, columns.len() as i32);
    let schema: Vec<Struct> = std::iter::once(root).chain(columns.iter().map(element)).collect();
    let footer = Struct::default()
        .i32(1, 1)
        .list(2, schema.into_iter())
        .i64(3, n_rows as i64)
        .list(4, std::iter::once(group))
        .text(6, "rigor")
        .finish();
    bytes.extend(&footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(MAGIC);
    Ok(bytes)
}

fn check(columns: &[Column], expected: usize) -> Result<(), ParquetError> {
    let mut names = BTreeSet::new();
    for Column { name, cells } in columns {
        if !names.insert(name) {
            return Err(ParquetError::SameName { name: name.clone() });
        }
        let found = len(cells);
        if found != expected {
            return Err(ParquetError::Length { name: name.clone(), found, expected });
        }
    }
    Ok(())
}

fn len(cells: &Cells) -> usize {
    match cells {
        Cells::Text(words) => words.len(),
        Cells::Numbers(numbers) => numbers.len(),
    }
}

/// `SchemaElement` of a column. Text is marked in the old way (field 6) and in the new one (field 10).
fn element(column: &Column) -> Struct {
    match &column.cells {
        Cells::Text(_) => Struct::default()
            .i32(1, BYTE_ARRAY)
            .i32(3, REQUIRED)
            .text(4, &column.name)
            .i32(6, UTF8)
            .field(10, Struct::default().field(1, Struct::default())),
        Cells::Numbers(_) => Struct::default().i32(1, DOUBLE).i32(3, OPTIONAL).text(4, &column.name),
    }
}

/// `PageHeader` and data of the only page of a column.
fn page(column: &Column) -> Result<Vec<u8>, ParquetError> {
    let data = data(&column.cells);
    let too_large = |_| ParquetError::Size { name: column.name.clone(), size: data.len() };
    let size = i32::try_from(data.len()).map_err(too_large)?;
    let kind = Struct::default().i32(1, len(&column.cells) as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    let header = Struct::default().i32(1, DATA_PAGE).i32(2, size).i32(3, size).field(5, kind);
    Ok([header.finish(), data].concat())
}

/// `ColumnChunk` of a column whose page begins at byte `start` and has `size` bytes.
fn chunk(column: &Column, start: usize, size: usize) -> Struct {
    let kind = match &column.cells {
        Cells::Text(_) => BYTE_ARRAY,
        Cells::Numbers(_) => DOUBLE,
    };
    let about = Struct::default()
        .i32(1, kind)
        .list_i32(2, &[PLAIN, RLE])
        .list_text(3, &[&column.name])
        .i32(4, UNCOMPRESSED)
        .i64(5, len(&column.cells) as i64)
        .i64(6, size as i64)
        .i64(7, size as i64)
        .i64(9, start as i64);
    Struct::default().i64(2, 0).field(3, about)
}

/// The content of a page: levels where values may be null, then the values that are there.
fn data(cells: &Cells) -> Vec<u8> {
    let mut bytes = Vec::new();
    match cells {
        Cells::Text(words) => {
            for word in words {
                bytes.extend((word.len() as u32).to_le_bytes());
                bytes.extend(word.as_bytes());
            }
        }
        Cells::Numbers(numbers) => {
            let levels = levels(numbers);
            bytes.extend((levels.len() as u32).to_le_bytes());
            bytes.extend(levels);
            bytes.extend(numbers.iter().flatten().flat_map(|number| number.to_le_bytes()));
        }
    }
    bytes
}

/// Definition levels: 1 where a number is there, 0 where it is null, as runs of equal levels.
fn levels(numbers: &[Option<f64>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for run in numbers.chunk_by(|a, b| a.is_some() == b.is_some()) {
        varint(&mut bytes, (run.len() as u64) << 1);
        bytes.push(u8::from(run[0].is_some()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use ::bytes::Bytes;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    use super::*;

    fn column(name: &str, cells: Cells) -> Column {
        Column { name: name.into(), cells }
    }

    /// Columns of text and of numbers with the nulls of a pattern, `n` rows long.
    fn table(n: usize) -> Vec<Column> {
        let number = |row: usize, column: usize| (row * column % 7 < 4).then_some(row as f64 - 0.1);
        let mut all =
            vec![column("scene", Cells::Text((0..n).map(|row| "β, \"b\"".repeat(row % 5)).collect()))];
        for i in 0..20 {
            let numbers = (0..n).map(|row| number(row, i)).collect();
            all.push(column(&format!("column {i} [s]"), Cells::Numbers(numbers)));
        }
        all
    }

    #[test]
    fn a_table_is_read_back() {
        for n in [0, 1, 2, 300] {
            let table = table(n);
            let reader = SerializedFileReader::new(Bytes::from(bytes(&table).unwrap())).unwrap();
            let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
            assert_eq!(rows.len(), n);
            for (i, column) in table.iter().enumerate() {
                for (row, found) in rows.iter().enumerate() {
                    match &column.cells {
                        Cells::Text(words) => assert_eq!(found.get_string(i).unwrap(), &words[row]),
                        Cells::Numbers(numbers) => assert_eq!(found.get_double(i).ok(), numbers[row]),
                    }
                }
            }
            let schema = reader.metadata().file_metadata().schema_descr();
            let names: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
            assert!(names.iter().eq(&table.iter().map(|column| &column.name[..]).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn a_table_that_is_none_is_an_error() {
        let numbers = |n| Cells::Numbers(vec![None; n]);
        let same = bytes(&[column("a", numbers(1)), column("a", numbers(1))]);
        assert_eq!(same, Err(ParquetError::SameName { name: "a".into() }));
        let length = bytes(&[column("a", numbers(1)), column("b", numbers(2))]);
        assert_eq!(length, Err(ParquetError::Length { name: "b".into(), found: 2, expected: 1 }));
    }
}
