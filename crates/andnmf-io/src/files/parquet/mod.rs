//! Apache Parquet: `.parquet`.
//!
//! Numeric columns are features. Row names come from one text column or from an index that pandas wrote. Other columns
//! (dates, booleans, decimals, nested columns) and missing values are errors that name the column.
//!
//! A panic of the Parquet crate on a damaged file is caught and reported as an error.

mod column;
mod page_headers;
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

use super::budget::Budget;
use super::error::{LocatedProblem, Location, Problem};
use super::sample_table::SampleTable;
use andnmf::Real;
use andnmf::memory::product;
use column::{ColumnKind, ColumnSource};

/// Limit on the values per byte of the file. Runs of equal values compress well, but real files stay below this.
const MAX_VALUES_PER_BYTE: u64 = 4096;
/// Small files may have this many values in any case.
const MIN_VALUE_LIMIT: u64 = 1 << 20;

/// Reads the matrix in a file.
pub(crate) fn read<T: Real>(path: &Path, budget: Budget) -> Result<SampleTable<T>, LocatedProblem> {
    let file = File::open(path)?;
    read_guarded(file.try_clone()?, file, budget)
}

fn read_guarded<T: Real, F: ChunkReader + 'static>(
    file: F,
    second_handle: F,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    catch_unwind(AssertUnwindSafe(|| read_unguarded(file, second_handle, budget)))
        .unwrap_or_else(|_| Err(damaged("the Parquet reader failed on it".to_owned())))
}

/// Reads a file. Needs two handles, because the reader takes ownership of the first.
fn read_unguarded<T: Real, F: ChunkReader + 'static>(
    file: F,
    second_handle: F,
    budget: Budget,
) -> Result<SampleTable<T>, LocatedProblem> {
    let length = file.len();
    let max_values = length.saturating_mul(MAX_VALUES_PER_BYTE).max(MIN_VALUE_LIMIT);
    let reader = SerializedFileReader::new(file).map_err(|error| match error {
        ParquetError::General(reason) if reason.contains("magic") || reason.contains("footer") => {
            Problem::NotThisFormat { expected: "a .parquet file", reason }.into()
        }
        other => parquet_problem(other),
    })?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    check_columns(reader.metadata(), &second_handle)?;
    let declared = usize::try_from(reader.metadata().file_metadata().num_rows()).unwrap_or(usize::MAX);
    let bytes = product(&[declared, schema.num_columns(), size_of::<T>()]);
    // What a damaged file declares is bounded by `max_values`, whatever the memory.
    if budget.0.is_some() {
        budget.check(bytes, bytes)?;
    }
    let mut source = ColumnSource::new(&reader, max_values);
    let (mut sample_names, mut text_column) = (None, String::new());
    let (mut values, mut feature_names, mut rows) = (Vec::new(), Vec::new(), None::<(usize, String)>);
    for (number, descriptor) in schema.columns().iter().enumerate() {
        let name = descriptor.path().string();
        let given = match ColumnKind::of(descriptor)? {
            ColumnKind::Numbers { unsigned } if column::is_pandas_index(&name) => {
                let (names, given) = source.numbers_as_names(number, &name, unsigned)?;
                sample_names.get_or_insert(names);
                given
            }
            ColumnKind::Numbers { unsigned } => {
                feature_names.push(name.clone());
                source.numbers::<T>(number, &name, unsigned, &mut values)?
            }
            ColumnKind::Text if sample_names.is_some() && !text_column.is_empty() => {
                let what = format!("a second text column beside '{text_column}'");
                let instead = "only one text column can name the rows; remove the others".to_owned();
                return Err(Problem::Unsupported { what, instead }.at(in_column(&name)));
            }
            ColumnKind::Text => {
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
            ("there are no numeric columns".to_owned(), "at least one is required".to_owned());
        return Err(Problem::Unsupported { what, instead }.into());
    }
    let array = Array2::from_shape_vec(shape.f(), values).map_err(|_| Problem::Empty)?;
    Ok(SampleTable { sample_names, feature_names: Some(feature_names), ..SampleTable::try_from(array)? })
}

/// Rejects columns outside the file, which the Parquet crate does not check, and unsupported compression.
fn check_columns(metadata: &ParquetMetaData, file: &impl ChunkReader) -> Result<(), LocatedProblem> {
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        let name = column.column_path().string();
        if matches!(column.compression(), Compression::BROTLI(_) | Compression::LZO) {
            let what = format!("unsupported compression {}", column.compression());
            let instead = "write the file with snappy, zstd, gzip, lz4 or no compression".to_owned();
            return Err(Problem::Unsupported { what, instead }.at(in_column(&name)));
        }
        let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
        let end = start.checked_add(column.compressed_size());
        let inside = |at: i64| u64::try_from(at).is_ok_and(|at| at <= file.len());
        if !inside(start) || !inside(column.compressed_size()) || !end.is_some_and(inside) {
            return Err(damaged(format!("the column '{name}' lies outside the file")));
        }
        page_headers::check(file, column)?;
    }
    Ok(())
}

fn in_column(name: &str) -> Location {
    Location::Part(format!("column '{name}'"))
}

fn damaged(reason: String) -> LocatedProblem {
    Problem::NotThisFormat { expected: "a valid .parquet file", reason }.into()
}

/// Converts errors of the Parquet reader.
fn parquet_problem(error: ParquetError) -> LocatedProblem {
    match error {
        ParquetError::EOF(_) | ParquetError::NeedMoreData(_) | ParquetError::NeedMoreDataRange(_) => {
            Problem::Truncated { missing: "it refers to data beyond its end".to_owned() }.into()
        }
        other => damaged(other.to_string()),
    }
}
