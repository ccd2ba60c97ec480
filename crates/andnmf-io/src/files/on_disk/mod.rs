//! Samples that stay in their file: blocks are read on demand, so the data need not fit into memory (out of core).
//!
//! Supported formats: `.npy` in row order, and `.csrstore` for sparse rows. A fit gives bit-identical results from
//! disk and from memory. If the file changes during a run, reading fails with [`SamplesError::Changed`].

mod dense;
mod unchanged_file;

use std::ops::Range;
use std::path::Path;

use ndarray::{Array2, CowArray};

use super::csr_store::Store;
use super::error::{FileError, LocatedProblem, Problem};
use super::format::Format;
use andnmf::samples::{Block, Samples, check_rows};
use andnmf::{Real, SamplesError};
pub(crate) use dense::DenseFile;
pub(crate) use unchanged_file::{FileState, UnchangedFile, read_at_offset};

/// Samples in a file, read block by block and converted to the requested precision.
///
/// ```
/// use andnmf_io::{OnDisk, Overwrite, write_array};
/// use andnmf::samples::Samples;
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("samples.npy");
/// write_array(&file, ndarray::array![[1.0_f32, 0.0], [0.5, 0.5], [0.0, 2.0]].view(), Overwrite::No)?;
///
/// let on_disk = OnDisk::open(&file)?;
/// let samples: &dyn Samples<f64> = &on_disk;
/// assert_eq!((samples.n_samples(), samples.n_features()), (3, 2));
/// assert_eq!(samples.block(1..3)?.n_samples(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OnDisk {
    rows: RowSource,
}

#[derive(Debug)]
enum RowSource {
    Dense(DenseFile),
    Sparse(Store),
}

impl OnDisk {
    /// Opens a `.npy` or `.csrstore` file without reading its values.
    ///
    /// # Errors
    /// If the file cannot be read, has another format or column order, or is inconsistent.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let rows = match Format::of(path)? {
            Format::Npy => DenseFile::open(path).map(RowSource::Dense),
            Format::CsrStore => Store::open(path).map(RowSource::Sparse),
            other => Err(not_readable_by_rows(other)),
        };
        rows.map(|rows| Self { rows }).map_err(|error| error.in_file(path))
    }

    /// Returns true if files of this format can be opened.
    #[must_use]
    pub fn reads(format: Format) -> bool {
        matches!(format, Format::Npy | Format::CsrStore)
    }

    /// Number of rows.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match &self.rows {
            RowSource::Dense(file) => file.n_samples,
            RowSource::Sparse(store) => store.n_samples(),
        }
    }

    /// Number of columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        match &self.rows {
            RowSource::Dense(file) => file.n_features,
            RowSource::Sparse(store) => store.n_features(),
        }
    }

    /// One name per column, if the file has them.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        match &self.rows {
            RowSource::Dense(_) => None,
            RowSource::Sparse(store) => store.feature_names(),
        }
    }

    /// The memory in bytes that the samples would need in the precision of `T`.
    #[must_use]
    pub fn bytes_in_memory<T: Real>(&self) -> u64 {
        let (rows, value) = (self.n_samples() as u64, size_of::<T>() as u64);
        match &self.rows {
            RowSource::Dense(_) => rows * self.n_features() as u64 * value,
            RowSource::Sparse(store) => store.n_values() as u64 * (value + 4) + 8 * rows,
        }
    }
}

fn not_readable_by_rows(format: Format) -> LocatedProblem {
    Problem::Unsupported {
        what: format!("{format} files cannot be read row by row"),
        instead: "convert it to .npy or, if most values are zero, to .csrstore (andnmf convert)".to_owned(),
    }
    .into()
}

impl<T: Real> Samples<T> for OnDisk {
    fn n_samples(&self) -> usize {
        self.n_samples()
    }

    fn n_features(&self) -> usize {
        self.n_features()
    }

    fn stored_values(&self) -> usize {
        match &self.rows {
            RowSource::Dense(file) => file.n_samples * file.n_features,
            RowSource::Sparse(store) => store.n_values(),
        }
    }

    fn is_sparse(&self) -> bool {
        matches!(self.rows, RowSource::Sparse(_))
    }

    /// Values are checked while they are decoded.
    fn is_checked(&self) -> bool {
        true
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        match &self.rows {
            RowSource::Dense(file) => {
                let shape = (rows.len(), file.n_features);
                let values = file.rows(&rows)?;
                let array = Array2::from_shape_vec(shape, values).expect("as many values as requested");
                Ok(Block::Dense(CowArray::from(array)))
            }
            RowSource::Sparse(store) => store.rows(&rows).map(Block::Sparse),
        }
    }
}

#[cfg(test)]
mod tests;
