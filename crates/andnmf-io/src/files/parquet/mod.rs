//! Tables of Apache Parquet: `.parquet`.
//!
//! Columns of numbers are features, by their names. One column of text at most gives the rows their names; so does an
//! index that pandas wrote. Anything else (dates, truth values, decimals, nested columns) is refused by its name, and so
//! are gaps.
//!
//! The crate that reads Parquet checks what it reads. Should it panic on a file all the same, that is caught and told
//! as an error.

mod column;
mod pages;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ndarray::{Array2, ShapeBuilder};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};

use super::error::{Fault, Place, Problem};
use super::table::Table;
use andnmf::Real;
use column::{Kind, Source};

/// Equal values in a row take hardly any room in a file, but no file has only such: it may hold this many values per
/// byte…
const VALUES_PER_BYTE: u64 = 4096;
/// …or this many, if it is small.
const SMALL: u64 = 1 << 20;

/// The matrix of a file.
pub(crate) fn read<T: Real>(path: &Path) -> Result<Table<T>, Fault> {
    let file = File::open(path)?;
    read_guarded(file.try_clone()?, file)
}

fn read_guarded<T: Real, F: ChunkReader + 'static>(file: F, again: F) -> Result<Table<T>, Fault> {
    catch_unwind(AssertUnwindSafe(|| read_trusting(file, again)))
        .unwrap_or_else(|_| Err(damaged("the reader of Parquet gave up on it".to_owned())))
}

/// Reads a file of which two handles are needed, as the first is given away.
fn read_trusting<T: Real, F: ChunkReader + 'static>(file: F, again: F) -> Result<Table<T>, Fault> {
    let length = file.len();
    let room = length.saturating_mul(VALUES_PER_BYTE).max(SMALL);
    let reader = SerializedFileReader::new(file).map_err(|error| match error {
        ParquetError::General(reason) if reason.contains("magic") || reason.contains("footer") => {
            Problem::NotThisFormat { expected: "a .parquet file", reason }.into()
        }
        other => fault(other),
    })?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    check_parts(reader.metadata(), &again)?;
    let mut source = Source::new(&reader, room);
    let (mut sample_names, mut text_column) = (None, String::new());
    let (mut values, mut feature_names, mut rows) = (Vec::new(), Vec::new(), None::<(usize, String)>);
    for (number, descriptor) in schema.columns().iter().enumerate() {
        let name = descriptor.path().string();
        let given = match Kind::of(descriptor)? {
            Kind::Numbers { unsigned } if column::is_pandas_index(&name) => {
                let (names, given) = source.numbers_as_names(number, &name, unsigned)?;
                sample_names.get_or_insert(names);
                given
            }
            Kind::Numbers { unsigned } => {
                feature_names.push(name.clone());
                source.numbers::<T>(number, &name, unsigned, &mut values)?
            }
            Kind::Text if sample_names.is_some() && !text_column.is_empty() => {
                let what = format!("text, and so is the column '{text_column}'");
                let instead = "one column of text names the rows; leave out the others".to_owned();
                return Err(Problem::Unsupported { what, instead }.at(in_column(&name)));
            }
            Kind::Text => {
                text_column.clone_from(&name);
                let names = source.text(number, &name)?;
                let given = names.len();
                sample_names = Some(names);
                given
            }
        };
        let (expected, first) = rows.get_or_insert((given, name.clone()));
        if given != *expected {
            let reason = format!("the column '{name}' has {given} rows, but '{first}' has {expected}");
            return Err(damaged(reason));
        }
    }
    let shape = (rows.map_or(0, |(rows, _)| rows), feature_names.len());
    if shape.1 == 0 && sample_names.is_some() {
        let (what, instead) =
            ("there are no columns of numbers".to_owned(), "at least one is needed".to_owned());
        return Err(Problem::Unsupported { what, instead }.into());
    }
    let array = Array2::from_shape_vec(shape.f(), values).map_err(|_| Problem::Empty)?;
    Ok(Table { sample_names, feature_names: Some(feature_names), ..Table::try_from(array)? })
}

/// Refuses columns that are not where the file says, which the reader takes for granted, or packed in a way that is
/// not built in.
fn check_parts(metadata: &ParquetMetaData, file: &impl ChunkReader) -> Result<(), Fault> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let name = column.column_path().string();
        if matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO) {
            let what = format!("the column is packed with {}", column.compression());
            let instead = "write the file with snappy, zstd, gzip, lz4 or no compression".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(in_column(&name)));
        }
        let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let inside = |at: i64| u64::try_from(at).is_ok_and(|at| at <= file.len());
        if !inside(start) || !inside(column.compressed_size()) || !end.is_some_and(inside) {
            return Err(damaged(format!("the column '{name}' would lie outside the file")));
        }
        pages::check(file, column)?;
    }
    Ok(())
}

fn in_column(name: &str) -> Place {
    Place::Part(format!("column '{name}'"))
}

fn damaged(reason: String) -> Fault {
    Problem::NotThisFormat { expected: "an undamaged .parquet file", reason }.into()
}

/// What the reader of Parquet says.
fn fault(error: ParquetError) -> Fault {
    match error {
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_) => {
            Problem::Truncated { missing: "it points to data that are not there".to_owned() }.into()
        }
        other => damaged(other.to_string()),
    }
}
