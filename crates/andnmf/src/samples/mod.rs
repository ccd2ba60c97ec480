//! Samples: rows of data, dense or sparse, read in blocks.
//!
//! Solvers never need a whole matrix. They fold over blocks of consecutive rows, so the same code works for an array in
//! memory, a sparse matrix, a file, and any other source of rows.

mod cancellable;
mod csr;
mod dense;
mod executor;
mod feature_indices;
pub(crate) mod fold;
mod measured;
mod non_negative;
pub(crate) mod read_ahead;
mod select_features;
mod subset;

use std::ops::Range;

use ndarray::{Array2, CowArray, Ix2};

pub use cancellable::CancellableSamples;
pub use csr::{CsrSamples, CsrView};
pub use dense::DenseSamples;
pub use executor::{Executor, Reply, Request};
pub use feature_indices::CsrIndex;
pub(crate) use feature_indices::NarrowRows;
pub(crate) use measured::MeasuredSamples;
pub(crate) use non_negative::{NonNegative, need_positive};
pub use select_features::{document_frequencies, frequent_features};
pub(crate) use subset::{SampleSubset, gather};

use crate::{Real, SamplesError};

/// A matrix of samples (rows) by features (columns) that can be read in blocks of rows.
///
/// Every value must be finite. The constructors of [`DenseSamples`] and [`CsrSamples`] check this once; blocks of other
/// sources are checked as they are read, unless [`is_checked`](Self::is_checked) returns true.
pub trait Samples<T: Real>: Sync {
    /// Number of rows.
    fn n_samples(&self) -> usize;

    /// Number of columns.
    fn n_features(&self) -> usize;

    /// Number of stored values: all values of dense data, the explicit ones of sparse data. Used only to estimate
    /// costs.
    fn stored_values(&self) -> usize {
        self.n_samples().saturating_mul(self.n_features())
    }

    /// Returns true if [`block`](Self::block) returns sparse rows.
    fn is_sparse(&self) -> bool {
        false
    }

    /// Returns true if all values are known to be finite, so that blocks need no check as they are read.
    fn is_checked(&self) -> bool {
        false
    }

    /// Returns true if reading is slow, as from a file, so that the next block should be read ahead while this one is
    /// processed. That takes one more thread, and memory for one more block, per worker thread.
    fn is_slow(&self) -> bool {
        false
    }

    /// The executor of distributed samples; `None` if the samples are read in this process. With an executor, blocks
    /// are read only if few rows are needed.
    fn executor(&self) -> Option<&dyn Executor> {
        None
    }

    /// Reads these rows, with all features.
    ///
    /// # Errors
    /// If there are fewer rows, the source cannot be read, or a value is not finite.
    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError>;
}

/// Implements the methods of [`Samples`] that wrappers delegate to the wrapped samples.
macro_rules! same_shape_as {
    ($field:ident) => {
        fn n_samples(&self) -> usize {
            self.$field.n_samples()
        }

        fn n_features(&self) -> usize {
            self.$field.n_features()
        }

        fn stored_values(&self) -> usize {
            self.$field.stored_values()
        }

        fn is_sparse(&self) -> bool {
            self.$field.is_sparse()
        }

        fn is_checked(&self) -> bool {
            self.$field.is_checked()
        }

        fn is_slow(&self) -> bool {
            self.$field.is_slow()
        }
    };
}
pub(crate) use same_shape_as;

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

/// Reads a block of samples and checks it. All code of the library reads through this function, so that no
/// implementation of [`Samples`] can supply blocks of another shape, values that are not finite, or rows that are not
/// contiguous.
///
/// ```
/// use andnmf::samples::{DenseSamples, read};
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]])?;
/// assert_eq!(read(&samples, 1..3)?.n_samples(), 2);
/// # Ok::<(), andnmf::SamplesError>(())
/// ```
///
/// # Errors
/// If the samples cannot be read, or the block fails a check.
pub fn read<T: Real>(samples: &dyn Samples<T>, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
    let (first, wanted_samples, wanted_features) = (rows.start, rows.len(), samples.n_features());
    let block = samples.block(rows)?;
    let given = (block.n_samples(), block.n_features());
    if given != (wanted_samples, wanted_features) {
        return Err(SamplesError::Block { wanted_samples, wanted_features, given });
    }
    if !samples.is_checked() {
        let mut wrong = None;
        block.for_each(|i, column, v| {
            if !v.finite() && wrong.is_none() {
                wrong = Some(SamplesError::NotFinite { row: first + i, column, value: v.as_f64() });
            }
        });
        if let Some(error) = wrong {
            return Err(error);
        }
    }
    Ok(match block {
        // The kernels need contiguous rows.
        Block::Dense(rows) if !rows.is_standard_layout() => {
            Block::Dense(CowArray::from(rows.as_standard_layout().into_owned()))
        }
        block => block,
    })
}

/// The samples with these numbers as dense rows.
pub(crate) fn dense_rows<T: Real>(
    samples: &dyn Samples<T>,
    numbers: &[usize],
) -> Result<Array2<T>, SamplesError> {
    let mut rows = Array2::zeros((numbers.len(), samples.n_features()));
    for (&i, mut row) in numbers.iter().zip(rows.outer_iter_mut()) {
        read(samples, i..i + 1)?.for_each(|_, feature, value| row[feature] += value);
    }
    Ok(rows)
}

/// Checks that a matrix has rows and columns.
fn check_not_empty(n_samples: usize, n_features: usize) -> Result<(), SamplesError> {
    if n_samples == 0 || n_features == 0 {
        return Err(SamplesError::Empty { n_samples, n_features });
    }
    Ok(())
}

/// Checks a range of rows, for implementations of [`Samples`].
///
/// # Errors
/// If the range ends before its start, or after the last sample.
pub fn check_rows(rows: &Range<usize>, n_samples: usize) -> Result<(), SamplesError> {
    if rows.start > rows.end || rows.end > n_samples {
        return Err(SamplesError::Rows { start: rows.start, end: rows.end, n_samples });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;

    #[test]
    fn rows_that_do_not_exist_are_refused() {
        let dense = DenseSamples::new(random_matrix::<f64>(3, 2, 1)).unwrap();
        let sparse = CsrSamples::new(2, &[0_u32, 1, 1, 1], vec![0_u32], vec![1.0]).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let error = samples.block(2..5).unwrap_err();
            assert_eq!(error, SamplesError::Rows { start: 2, end: 5, n_samples: 3 });
            #[allow(clippy::reversed_empty_ranges)]
            let backwards = 2..1;
            assert!(samples.block(backwards).is_err());
            assert_eq!(samples.block(3..3).unwrap().n_samples(), 0);
        }
    }

    /// A source that gives the wrong number of rows, or the right one in column order.
    struct Odd {
        rows: usize,
    }

    impl Samples<f64> for Odd {
        fn n_samples(&self) -> usize {
            10
        }

        fn n_features(&self) -> usize {
            3
        }

        fn block(&self, _: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
            Ok(Block::Dense(CowArray::from(Array2::<f64>::zeros((3, self.rows)).reversed_axes())))
        }
    }

    #[test]
    fn a_custom_source_is_checked_unless_it_is_known_to_be_finite() {
        struct WithNan {
            checked: bool,
        }
        impl Samples<f64> for WithNan {
            fn n_samples(&self) -> usize {
                4
            }
            fn n_features(&self) -> usize {
                2
            }
            fn is_checked(&self) -> bool {
                self.checked
            }
            fn block(&self, rows: Range<usize>) -> Result<Block<'_, f64>, SamplesError> {
                let mut block = Array2::zeros((rows.len(), 2));
                block[[1, 1]] = f64::NAN;
                Ok(Block::Dense(CowArray::from(block)))
            }
        }
        let error = read(&WithNan { checked: false }, 2..4).unwrap_err();
        assert!(matches!(error, SamplesError::NotFinite { row: 3, column: 1, .. }), "{error}");
        assert!(read(&WithNan { checked: true }, 2..4).is_ok());
    }

    #[test]
    fn blocks_of_the_wrong_size_are_refused_and_column_major_ones_converted() {
        let error = read(&Odd { rows: 4 }, 0..5).unwrap_err();
        assert_eq!(error, SamplesError::Block { wanted_samples: 5, wanted_features: 3, given: (4, 3) });
        let Block::Dense(block) = read(&Odd { rows: 5 }, 0..5).unwrap() else { panic!("dense stays dense") };
        assert!(block.is_standard_layout());
    }
}
