//! Samples in a dense array.

use std::ops::Range;

use ndarray::{Array2, ArrayBase, ArrayView2, CowArray, Data, Ix2, s};

use super::{Block, Samples, check_not_empty, check_rows};
use crate::{Real, SamplesError};

/// A dense matrix in memory, borrowed or owned, in any memory order.
///
/// Row-major data are read in place; other blocks are copied as they are read.
///
/// ```
/// use andnmf::samples::{DenseSamples, Samples};
/// let samples = DenseSamples::new(ndarray::array![[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]])?;
/// assert_eq!((samples.n_samples(), samples.n_features()), (3, 2));
/// # Ok::<(), andnmf::SamplesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct DenseSamples<'a, T: Real> {
    rows: CowArray<'a, T, Ix2>,
}

impl<'a, T: Real> DenseSamples<'a, T> {
    /// Takes an owned array, or a view without copying it.
    ///
    /// # Errors
    /// If the matrix has no rows or columns, or a value is not finite.
    pub fn new(rows: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self, SamplesError> {
        let rows = rows.into();
        check_not_empty(rows.nrows(), rows.ncols())?;
        check_finite(&rows, 0)?;
        Ok(Self { rows })
    }

    /// Takes an array whose values the caller has checked.
    ///
    /// # Errors
    /// If the matrix has no rows or columns.
    #[doc(hidden)] // unchecked: for the readers of files
    pub fn of_finite(rows: impl Into<CowArray<'a, T, Ix2>>) -> Result<Self, SamplesError> {
        let rows = rows.into();
        check_not_empty(rows.nrows(), rows.ncols())?;
        debug_assert!(check_finite(&rows, 0).is_ok());
        Ok(Self { rows })
    }

    /// The whole matrix.
    #[must_use]
    pub fn view(&self) -> ArrayView2<'_, T> {
        self.rows.view()
    }

    /// The matrix itself, copied only if it was borrowed.
    #[must_use]
    pub fn into_array(self) -> Array2<T> {
        self.rows.into_owned()
    }
}

impl<T: Real> Samples<T> for DenseSamples<'_, T> {
    fn n_samples(&self) -> usize {
        self.rows.nrows()
    }

    fn n_features(&self) -> usize {
        self.rows.ncols()
    }

    fn is_checked(&self) -> bool {
        true
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        let block = self.rows.slice(s![rows, ..]);
        Ok(Block::Dense(if block.is_standard_layout() {
            CowArray::from(block)
        } else {
            CowArray::from(block.as_standard_layout().into_owned())
        }))
    }
}

/// Refuses NaN and infinity with their location; `first_row` is the number of the first row.
fn check_finite<T: Real, S: Data<Elem = T>>(
    rows: &ArrayBase<S, Ix2>,
    first_row: usize,
) -> Result<(), SamplesError> {
    for (i, row) in rows.outer_iter().enumerate() {
        // Without an early exit the compiler can vectorize the loop.
        let all_finite = row.iter().fold(true, |all, v| all & v.finite());
        if !all_finite && let Some((column, v)) = row.iter().enumerate().find(|(_, v)| !v.finite()) {
            return Err(SamplesError::NotFinite { row: first_row + i, column, value: v.as_f64() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_matrix;
    use ndarray::array;

    #[test]
    fn nan_is_refused_with_its_location() {
        let error = DenseSamples::new(array![[1.0_f64, 2.0], [3.0, f64::NAN]]).unwrap_err();
        assert!(matches!(error, SamplesError::NotFinite { row: 1, column: 1, value } if value.is_nan()));
        assert!(error.to_string().contains("sample 1, feature 1 is NaN"));
    }

    #[test]
    fn infinity_is_refused_with_its_location() {
        let error = DenseSamples::new(array![[1.0_f32, f32::NEG_INFINITY], [3.0, 4.0]]).unwrap_err();
        assert_eq!(error, SamplesError::NotFinite { row: 0, column: 1, value: f64::NEG_INFINITY });
    }

    #[test]
    fn empty_matrices_are_refused() {
        for shape in [(0, 3), (3, 0)] {
            let error = DenseSamples::new(Array2::<f64>::zeros(shape)).unwrap_err();
            assert_eq!(error, SamplesError::Empty { n_samples: shape.0, n_features: shape.1 });
        }
    }

    #[test]
    fn negative_values_are_legal() {
        assert!(DenseSamples::new(array![[-1.0_f64]]).is_ok());
    }

    #[test]
    fn row_major_blocks_are_not_copied_and_others_become_row_major() {
        let a = random_matrix::<f64>(10, 4, 1);
        let samples = DenseSamples::new(a.view()).unwrap();
        let Block::Dense(block) = samples.block(3..6).unwrap() else {
            panic!("dense data give dense blocks")
        };
        assert_eq!(block.as_ptr(), a.row(3).as_ptr());

        let column_major = a.t().as_standard_layout().into_owned();
        let samples = DenseSamples::new(column_major.t()).unwrap();
        let Block::Dense(block) = samples.block(3..6).unwrap() else {
            panic!("dense data give dense blocks")
        };
        assert!(block.is_standard_layout());
        assert_eq!(block, a.slice(s![3..6, ..]));
    }
}
