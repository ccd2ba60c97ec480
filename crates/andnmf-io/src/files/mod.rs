//! Readers and writers of matrix files: one module per format, [`SampleTable`] for the contents, [`FileError`] for
//! errors.
//!
//! Readers never trust declared sizes and never allocate more memory than the file contents can justify. Errors name
//! the file, the location in it, what is wrong and what would be right.

mod atomic_write;
mod budget;
mod convert;
mod csr_store;
mod delimited;
mod docword;
mod entries;
mod error;
mod format;
#[cfg(feature = "h5ad")]
mod h5ad;
pub mod images;
mod matrix_market;
mod names;
mod npy;
mod npz;
mod on_disk;
#[cfg(feature = "parquet")]
mod parquet;
mod part_files;
mod plain_text;
mod printable;
mod replacement;
mod sample_stream;
mod sample_table;
pub(crate) mod source;
mod svmlight;
mod ten_x;
#[cfg(test)]
pub(crate) mod testing;
mod write;

use std::fs;
use std::path::Path;

pub(crate) use atomic_write::write_file;
pub use atomic_write::{Overwrite, write_atomically};
pub use convert::{ConversionSummary, StreamingOptions, convert_by_rows};
pub(crate) use error::LocatedProblem;
pub use error::{FileError, Location, Problem};
pub use format::Format;
pub use names::read_names;
pub use on_disk::OnDisk;
pub use part_files::{PartFolder, clear_abandoned, is_unfinished};
pub use printable::{printable, printable_line};
pub(crate) use replacement::settle_around;
pub use replacement::{FolderLock, finish_replacement, lock_folder, read_together, replace_files, settle};
pub use sample_stream::SampleStream;
pub use sample_table::{SampleTable, TableValues};
pub use write::{write, write_array};

use ndarray::Array2;

use andnmf::samples::Samples;
use andnmf::{Real, entry_point};

/// Options for reading a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; by default, detected from the file name.
    pub format: Option<Format>,
    /// True if the columns of the file are the samples.
    pub transpose: bool,
    /// The matrix to read from a file with several: a layer of a `.h5ad` file, an array of a `.npz` file.
    pub layer: Option<String>,
    /// The most memory in bytes that the matrix may take while it is read; by default, what the system has left.
    pub memory: Option<u64>,
    /// True if the first line of a `.csv` or `.tsv` file has the column names; detected by default.
    pub header: Option<bool>,
    /// True if the first column of a `.csv` or `.tsv` file has the row names; detected by default.
    pub row_names: Option<bool>,
}

/// Reads the matrix in a file, with row and column names if the file has them.
///
/// # Errors
/// If the file cannot be read, is malformed, or has values that are not finite numbers.
///
/// ```
/// use andnmf_io::{ReadOptions, read};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("samples.csv");
/// std::fs::write(&file, "river,bank\n1,0\n2,3\n")?;
/// let table = read::<f64>(&file, &ReadOptions::default())?;
/// assert_eq!((table.n_samples(), table.n_features()), (2, 2));
/// assert_eq!(table.feature_names.unwrap(), ["river", "bank"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read<T: Real>(path: &Path, options: &ReadOptions) -> Result<SampleTable<T>, FileError> {
    source::check_regular(path).map_err(|error| error.in_file(path))?;
    settle_around(path)?;
    let format = options.format.map_or_else(|| Format::of(path), Ok)?;
    let state = || fs::metadata(path).ok().map(|metadata| on_disk::FileState::of(&metadata));
    let before = state();
    let table = read_untransposed(path, format, options)?;
    // Contents from two versions of a file may well be readable.
    if let (Some(before), Some(now)) = (before, state())
        && let Some(what) = before.change(&now)
    {
        return Err(LocatedProblem::from(Problem::Changed { what }).in_file(path));
    }
    if options.transpose { transpose(table).map_err(|error| error.in_file(path)) } else { Ok(table) }
}

/// Transposes a matrix whose columns are samples, and checks the number of rows that this gives.
fn transpose<T: Real>(table: SampleTable<T>) -> Result<SampleTable<T>, LocatedProblem> {
    if table.is_sparse() {
        let (rows, columns) = (table.n_samples() as u64, table.n_features() as u64);
        entries::check_sizes(columns, rows, table.stored_values())?;
    }
    Ok(table.transposed()?)
}

/// Reads the matrix in a file as a dense array.
///
/// # Errors
/// Those of [`read`], and if a sparse matrix has so few values that the dense array would need far more memory than
/// the file can justify.
///
/// ```
/// use andnmf_io::{Overwrite, read_array, write_array};
/// let folder = tempfile::tempdir()?;
/// let (file, array) = (folder.path().join("truth.npy"), ndarray::array![[1.0, 2.0]]);
/// write_array(&file, array.view(), Overwrite::No)?;
/// assert_eq!(read_array::<f64>(&file)?, array);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_array<T: Real>(path: &Path) -> Result<Array2<T>, FileError> {
    let table = read::<T>(path, &ReadOptions::default())?;
    let (rows, columns) = (table.n_samples() as u64, table.n_features() as u64);
    entries::check_dense(rows, columns, table.stored_values(), size_of::<T>())
        .map_err(|error| error.in_file(path))?;
    table.into_dense().map_err(|error| LocatedProblem::from(error).in_file(path))
}

entry_point! {
    fn read_untransposed<'a; T>(path: &'a Path, format: Format, options: &'a ReadOptions) -> Result<SampleTable<T>, FileError> = read_as;
}

fn read_as<T: Real>(path: &Path, format: Format, options: &ReadOptions) -> Result<SampleTable<T>, FileError> {
    let budget = budget::Budget(options.memory);
    let read = match format {
        Format::Npy => npy::read(path, budget),
        Format::MatrixMarket => matrix_market::read(path, budget),
        Format::Csv => delimited::read(path, ',', options),
        Format::Tsv => delimited::read(path, '\t', options),
        Format::Docword => docword::read(path, budget),
        Format::Svmlight => svmlight::read(path, budget),
        // The error names the file of the folder that caused it.
        Format::TenX => return ten_x::read(path, budget),
        Format::Npz => without_panic(|| npz::read(path, options.layer.as_deref(), budget)),
        Format::CsrStore => csr_store::read(path, budget),
        Format::Images => return Ok(images::read_folder(path)?.table),
        #[cfg(feature = "h5ad")]
        Format::H5ad => h5ad::read(path, options.layer.as_deref(), budget),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(path, budget),
        #[cfg(not(feature = "h5ad"))]
        Format::H5ad => Err(not_built_in(format)),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(not_built_in(format)),
    };
    read.map_err(|error| error.in_file(path))
}

/// Turns a panic of a decoder, which no damaged file should cause, into an error.
fn without_panic<R>(read: impl FnOnce() -> Result<R, LocatedProblem>) -> Result<R, LocatedProblem> {
    // What the decoder leaves half done is dropped.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let reason = "its decoder ended with an internal error".to_owned();
        Err(Problem::NotThisFormat { expected: "a valid file", reason }.into())
    })
}

/// The error of a build without the reader of a format. Test builds have it too, because most have all readers.
#[cfg(any(test, not(all(feature = "h5ad", feature = "parquet"))))]
fn not_built_in(format: Format) -> LocatedProblem {
    let (format, feature) = if format == Format::H5ad { (".h5ad", "h5ad") } else { (".parquet", "parquet") };
    Problem::NotBuiltIn { format, feature }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_decoder_is_an_error_of_the_file() {
        let error = without_panic(|| -> Result<(), _> { panic!("index out of bounds") }).unwrap_err();
        assert!(error.problem.to_string().contains("its decoder ended with an internal error"));
        assert_eq!(without_panic(|| Ok(3)).unwrap(), 3);
    }

    #[test]
    fn a_missing_reader_is_reported_with_the_feature_that_adds_it() {
        for feature in ["h5ad", "parquet"] {
            let file = format!("cells.{feature}");
            let format = Format::of(Path::new(&file)).unwrap();
            let message = not_built_in(format).in_file(Path::new(&file)).to_string();
            assert!(message.starts_with(&format!("{file}: this build")), "{message}");
            assert!(message.contains(&format!("cannot read .{feature} files")), "{message}");
            assert!(message.ends_with(&format!("rebuild it with --features {feature}")), "{message}");
        }
    }

    #[test]
    #[cfg(not(all(feature = "h5ad", feature = "parquet")))]
    fn a_build_without_a_reader_says_how_to_get_it() {
        for (feature, built_in) in [("h5ad", cfg!(feature = "h5ad")), ("parquet", cfg!(feature = "parquet"))]
        {
            let file = format!("cells.{feature}");
            let error = read::<f64>(Path::new(&file), &ReadOptions::default()).unwrap_err().to_string();
            assert_ne!(
                error.ends_with(&format!("rebuild it with --features {feature}")),
                built_in,
                "{error}"
            );
        }
    }
}
