//! What data is: rows of samples, dense or sparse, read in blocks.
//!
//! Solvers never see a whole matrix. They ask for blocks of consecutive rows and fold over them, so the same
//! code serves an array in memory, a sparse matrix, and whatever else can hand out rows.

mod csr;
mod dense;
pub(crate) mod fold;

use std::ops::Range;

use ndarray::{Array2, CowArray, Ix2};

pub use csr::{CsrIndex, CsrSamples, CsrView};
pub use dense::DenseSamples;

use crate::{Real, SamplesError};

/// A matrix of samples (rows) by features (columns) that can be read in blocks of rows.
///
/// Every value handed out must be finite. The constructors of [`DenseSamples`] and [`CsrSamples`] check this
/// once; other sources check what they read and report [`SamplesError::NotFinite`].
pub trait Samples<T: Real>: Sync {
    /// Number of rows.
    fn n_samples(&self) -> usize;

    /// Number of columns.
    fn n_features(&self) -> usize;

    /// How many values are stored: all of them for dense data, the explicit ones for sparse data.
    ///
    /// Only used to estimate costs.
    fn stored_values(&self) -> usize {
        self.n_samples().saturating_mul(self.n_features())
    }

    /// Whether [`block`](Self::block) hands out sparse rows.
    fn is_sparse(&self) -> bool {
        false
    }

    /// The samples with these row numbers.
    ///
    /// # Errors
    /// Where the source cannot be read, or holds a value that is not finite.
    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError>;
}

/// Consecutive samples.
#[derive(Debug, Clone)]
pub enum Block<'a, T: Real> {
    /// One row per sample, contiguous in memory.
    Dense(CowArray<'a, T, Ix2>),
    /// Compressed sparse rows.
    Sparse(CsrView<'a, T>),
}

impl<T: Real> Block<'_, T> {
    /// Number of samples in the block.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        match self {
            Block::Dense(rows) => rows.nrows(),
            Block::Sparse(rows) => rows.n_samples(),
        }
    }

    /// Number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        match self {
            Block::Dense(rows) => rows.ncols(),
            Block::Sparse(rows) => rows.n_features(),
        }
    }

    /// Calls `visit(row within the block, feature, value)` for every stored value.
    pub fn for_each(&self, mut visit: impl FnMut(usize, usize, T)) {
        match self {
            Block::Dense(rows) => rows.indexed_iter().for_each(|((i, j), &v)| visit(i, j, v)),
            Block::Sparse(rows) => (0..rows.n_samples())
                .for_each(|i| rows.row(i).for_each(|(feature, value)| visit(i, feature, value))),
        }
    }
}

/// These samples as dense rows, one for each number given.
pub(crate) fn dense_rows<T: Real>(
    samples: &dyn Samples<T>,
    numbers: &[usize],
) -> Result<Array2<T>, SamplesError> {
    let mut rows = Array2::zeros((numbers.len(), samples.n_features()));
    for (&i, mut row) in numbers.iter().zip(rows.outer_iter_mut()) {
        samples.block(i..i + 1)?.for_each(|_, feature, value| row[feature] += value);
    }
    Ok(rows)
}

/// Refuses a matrix without rows or columns.
fn check_not_empty(n_samples: usize, n_features: usize) -> Result<(), SamplesError> {
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features });
    }
    Ok(())
}
