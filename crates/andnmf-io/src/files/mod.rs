//! Files: one format each, one type for what they hold, one for what can be wrong with them.
//!
//! Sizes that a file declares are never trusted: no reader takes more memory than the contents warrant. Whatever
//! is wrong is told with the file, the place and what would be right.

mod aside;
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
mod sample_stream;
pub(crate) mod source;
mod streamed;
mod svmlight;
mod table;
mod ten_x;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod write;

use std::path::Path;

pub(crate) use aside::write_file;
pub use aside::{Overwrite, write_aside};
pub(crate) use error::Fault;
pub use error::{FileError, Place, Problem};
pub use format::Format;
pub use names::read_names;
pub use on_disk::OnDisk;
pub use sample_stream::SampleStream;
pub use streamed::{Converted, Streaming, convert_by_rows};
pub use table::{Table, Values};
pub use write::{write, write_array};

use ndarray::Array2;

use andnmf::samples::Samples;
use andnmf::{Real, entry_point};

/// How a file is to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its format; by default the one that its name tells.
    pub format: Option<Format>,
    /// Whether its columns are the samples.
    pub transpose: bool,
    /// Which of several matrices: a layer of a `.h5ad` file, an array of a `.npz` file.
    pub layer: Option<String>,
    /// Whether the first line of a `.csv` or `.tsv` file names the columns; by default that is recognised.
    pub header: Option<bool>,
    /// Whether the first column of a `.csv` or `.tsv` file names the rows; by default that is recognised.
    pub row_names: Option<bool>,
}

/// The matrix of a file, with the names of its rows and columns where it has them.
///
/// # Errors
/// Where the file cannot be read, is malformed, or holds something else than finite numbers: with the place, and
/// with what would be right.
pub fn read<T: Real>(path: &Path, options: &ReadOptions) -> Result<Table<T>, FileError> {
    let format = options.format.map_or_else(|| Format::of(path), Ok)?;
    let table = read_in_file_order(path, format, options)?;
    if options.transpose { turned(table).map_err(|fault| fault.in_file(path)) } else { Ok(table) }
}

/// Turns a matrix whose columns are samples: there must not be more of these than of any samples.
fn turned<T: Real>(table: Table<T>) -> Result<Table<T>, Fault> {
    if table.is_sparse() {
        let (rows, columns) = (table.n_samples() as u64, table.n_features() as u64);
        entries::check_sizes(columns, rows, table.stored_values())?;
    }
    Ok(table.transposed()?)
}

/// The matrix of a file as a dense array.
///
/// # Errors
/// Like [`read`]; and where a sparse matrix has hardly any values, so that zeros would take far more memory than the
/// file warrants.
pub fn read_array<T: Real>(path: &Path) -> Result<Array2<T>, FileError> {
    let table = read::<T>(path, &ReadOptions::default())?;
    let (rows, columns) = (table.n_samples(), table.n_features());
    let warranted = (1_usize << 24).saturating_add(table.stored_values().saturating_mul(1024));
    if rows.saturating_mul(columns) > warranted {
        let what = format!("{rows} × {columns} values, of which {} are not zero", table.stored_values());
        let instead = "a dense matrix is needed here".to_owned();
        return Err(Fault::from(Problem::Unsupported { what, instead }).in_file(path));
    }
    table.into_dense().map_err(|error| Fault::from(error).in_file(path))
}

entry_point! {
    fn read_in_file_order<'a; T>(path: &'a Path, format: Format, options: &'a ReadOptions) -> Result<Table<T>, FileError> = read_as;
}

fn read_as<T: Real>(path: &Path, format: Format, options: &ReadOptions) -> Result<Table<T>, FileError> {
    let read = match format {
        Format::Npy => npy::read(path),
        Format::MatrixMarket => matrix_market::read(path),
        Format::Csv => delimited::read(path, ',', options),
        Format::Tsv => delimited::read(path, '\t', options),
        Format::Docword => docword::read(path),
        Format::Svmlight => svmlight::read(path),
        // A folder: the file that something is wrong with is one of those in it.
        Format::TenX => return ten_x::read(path),
        Format::Npz => npz::read(path, options.layer.as_deref()),
        Format::CsrStore => csr_store::read(path),
        Format::Images => return Ok(images::read_folder(path)?.table),
        #[cfg(feature = "h5ad")]
        Format::H5ad => h5ad::read(path, options.layer.as_deref()),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(path),
        #[cfg(not(feature = "h5ad"))]
        Format::H5ad => Err(not_built_in(format)),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(not_built_in(format)),
    };
    read.map_err(|fault| fault.in_file(path))
}

/// What a build without the reader of a format says. Builds for tests have it in any case: few have no readers.
#[cfg(any(test, not(all(feature = "h5ad", feature = "parquet"))))]
fn not_built_in(format: Format) -> Fault {
    let (format, feature) = if format == Format::H5ad { (".h5ad", "h5ad") } else { (".parquet", "parquet") };
    Problem::NotBuiltIn { format, feature }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_reader_is_told_with_the_feature_that_brings_it() {
        for feature in ["h5ad", "parquet"] {
            let file = format!("cells.{feature}");
            let format = Format::of(Path::new(&file)).unwrap();
            let told = not_built_in(format).in_file(Path::new(&file)).to_string();
            assert!(told.starts_with(&format!("{file}: this build")), "{told}");
            assert!(told.contains(&format!("cannot handle .{feature} files")), "{told}");
            assert!(told.ends_with(&format!("build it with --features {feature}")), "{told}");
        }
    }

    #[test]
    #[cfg(not(all(feature = "h5ad", feature = "parquet")))]
    fn a_build_without_a_reader_says_how_to_get_it() {
        for (feature, built_in) in [("h5ad", cfg!(feature = "h5ad")), ("parquet", cfg!(feature = "parquet"))]
        {
            let file = format!("cells.{feature}");
            let error = read::<f64>(Path::new(&file), &ReadOptions::default()).unwrap_err().to_string();
            assert_ne!(error.ends_with(&format!("build it with --features {feature}")), built_in, "{error}");
        }
    }
}
