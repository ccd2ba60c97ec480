//! Samples that stay in their file: each block is read when it is wanted, so that they need not fit into memory.
//!
//! Two formats can be read so: a `.npy` file in row order, and a store of sparse rows, `.csrstore`. Whatever a
//! fit makes of them is the same to the bit as from memory. The file must stay as it is: where it changes, shrinks or
//! is replaced under a run, reading ends with [`SamplesError::Changed`].

mod dense;
mod steady_file;

use std::ops::Range;
use std::path::Path;

use ndarray::{Array2, CowArray};

use super::csr_store::Store;
use super::error::{Fault, FileError, Problem};
use super::format::Format;
use andnmf::samples::{Block, Samples, check_rows};
use andnmf::{Real, SamplesError};
pub(crate) use dense::DenseFile;
pub(crate) use steady_file::{SteadyFile, read_some};

/// Samples in a file, read block by block in the precision that is asked for.
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
    rows: Rows,
}

#[derive(Debug)]
enum Rows {
    Dense(DenseFile),
    Sparse(Store),
}

impl OnDisk {
    /// Opens a `.npy` or `.csrstore` file; of its values none are read yet.
    ///
    /// # Errors
    /// Where the file cannot be read, is of another format or in column order, or contradicts itself.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let rows = match Format::of(path)? {
            Format::Npy => DenseFile::open(path).map(Rows::Dense),
            Format::CsrStore => Store::open(path).map(Rows::Sparse),
            other => Err(not_by_rows(other)),
        };
        rows.map(|rows| Self { rows }).map_err(|fault| fault.in_file(path))
    }

    /// Whether files of this format can be opened.
    #[must_use]
    pub fn reads(format: Format) -> bool {
        matches!(format, Format::Npy | Format::CsrStore)
    }

    /// Number of rows.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match &self.rows {
            Rows::Dense(file) => file.n_samples,
            Rows::Sparse(store) => store.n_samples(),
        }
    }

    /// Number of columns.
    #[must_use]
    pub fn n_features(&self) -> usize {
        match &self.rows {
            Rows::Dense(file) => file.n_features,
            Rows::Sparse(store) => store.n_features(),
        }
    }

    /// One name per column, where the file has them.
    #[must_use]
    pub fn feature_names(&self) -> Option<&[String]> {
        match &self.rows {
            Rows::Dense(_) => None,
            Rows::Sparse(store) => store.feature_names(),
        }
    }

    /// How many bytes the samples would take in memory, in the precision of `T`.
    #[must_use]
    pub fn bytes_in_memory<T: Real>(&self) -> u64 {
        let (rows, value) = (self.n_samples() as u64, size_of::<T>() as u64);
        match &self.rows {
            Rows::Dense(_) => rows * self.n_features() as u64 * value,
            Rows::Sparse(store) => store.n_values() as u64 * (value + 4) + 8 * rows,
        }
    }
}

fn not_by_rows(format: Format) -> Fault {
    Problem::Unsupported {
        what: format!("{format} files cannot be read row by row"),
        instead: "turn it into .npy or, where most values are zero, into .csrstore (andnmf convert)"
            .to_owned(),
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
            Rows::Dense(file) => file.n_samples * file.n_features,
            Rows::Sparse(store) => store.n_values(),
        }
    }

    fn is_sparse(&self) -> bool {
        matches!(self.rows, Rows::Sparse(_))
    }

    /// Values are looked at as they are decoded.
    fn is_checked(&self) -> bool {
        true
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        match &self.rows {
            Rows::Dense(file) => {
                let shape = (rows.len(), file.n_features);
                let values = file.rows(&rows)?;
                let array = Array2::from_shape_vec(shape, values).expect("as many as were asked for");
                Ok(Block::Dense(CowArray::from(array)))
            }
            Rows::Sparse(store) => store.rows(&rows).map(Block::Sparse),
        }
    }
}

#[cfg(test)]
mod tests;
