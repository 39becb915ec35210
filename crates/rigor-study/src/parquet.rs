//! The table of results as a Parquet file, for data frames.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};

use crate::results::{Cells, Column};

/// Returns the file: text columns without nulls, and columns of `f64` that are null where a run has no value.
///
/// # Errors
/// [`ParquetError`] if two columns have one name.
pub fn bytes(columns: &[Column]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<Vec<TypePtr>, _>>()?;
    let schema = Type::group_type_builder("runs").with_fields(fields).build()?;
    let properties = Arc::new(WriterProperties::builder().set_created_by("rigor".into()).build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), properties)?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut cells) = group.next_column()? else { break };
        match &column.cells {
            Cells::Text(words) => {
                let words: Vec<ByteArray> = words.iter().map(|word| ByteArray::from(word.as_str())).collect();
                cells.typed::<ByteArrayType>().write_batch(&words, None, None)?;
            }
            Cells::Numbers(numbers) => {
                let there: Vec<f64> = numbers.iter().flatten().copied().collect();
                let levels: Vec<i16> = numbers.iter().map(|number| i16::from(number.is_some())).collect();
                cells.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?;
            }
        }
        cells.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let built = match &column.cells {
        Cells::Text(_) => Type::primitive_type_builder(&column.name, Physical::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String))
            .with_repetition(Repetition::REQUIRED),
        Cells::Numbers(_) => {
            Type::primitive_type_builder(&column.name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL)
        }
    };
    built.build().map(Arc::new)
}

#[cfg(test)]
mod tests {
    use ::bytes::Bytes;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::*;

    #[test]
    fn a_table_is_read_back() {
        let column = |name: &str, cells| Column { name: name.into(), cells };
        let table = [
            column("scene", Cells::Text(vec!["a".into(), "β, \"b\"".into()])),
            column("dt [s]", Cells::Numbers(vec![Some(0.1), None])),
        ];
        let file = Bytes::from(bytes(&table).unwrap());
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows[1].get_string(0).unwrap(), "β, \"b\"");
        assert_eq!(rows[0].get_double(1).unwrap(), 0.1);
        assert!(rows[1].get_double(1).is_err());
    }
}
