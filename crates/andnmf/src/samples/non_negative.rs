//! Samples that must be non-negative.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;

use super::{Block, CsrView, Executor, Samples, same_shape_as};
use crate::pool::lock;
use crate::{Real, SamplesError};

/// Samples per block of [`need_positive`].
const ROWS_AT_ONCE: usize = 256;

/// A wrapper of samples that refuses negative values.
///
/// Values are checked as they are read, which needs no extra pass; a valid block is not checked again. Values of
/// distributed samples are not read here: pass the lowest value that a query returned to
/// [`check_lowest`](Self::check_lowest).
pub(crate) struct NonNegative<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    required_by: &'static str,
    checked: Mutex<HashSet<Range<usize>>>,
}

impl<'a, T: Real> NonNegative<'a, T> {
    /// `required_by` is the method or function that needs non-negative values, for error messages.
    pub(crate) fn new(samples: &'a dyn Samples<T>, required_by: &'static str) -> Self {
        Self { samples, required_by, checked: Mutex::default() }
    }

    /// Refuses samples with a negative lowest value, whose position is unknown.
    pub(crate) fn check_lowest(&self, lowest: f64) -> Result<(), SamplesError> {
        if lowest >= 0.0 {
            return Ok(());
        }
        let reason = format!("a value is {lowest}, but {} needs values of zero or more", self.required_by);
        Err(SamplesError::Unusable { reason })
    }

    fn check(&self, first: usize, block: &Block<'_, T>) -> Result<(), SamplesError> {
        let zero = T::from_f64(0.0);
        let negative = match block {
            Block::Dense(rows) => rows.outer_iter().enumerate().find_map(|(i, row)| {
                // Without an early exit the compiler can vectorize the loop.
                let any = row.iter().fold(false, |any, &v| any | (v < zero));
                let (column, v) = row.iter().enumerate().find(|&(_, &v)| any && v < zero)?;
                Some((i, column, v.as_f64()))
            }),
            Block::Sparse(rows) => (0..rows.n_samples())
                .find_map(|i| negative_feature(rows, i).map(|(column, value)| (i, column, value))),
        };
        match negative {
            Some((i, column, value)) => {
                Err(SamplesError::Negative { row: first + i, column, value, required_by: self.required_by })
            }
            None => Ok(()),
        }
    }
}

/// A feature of the row with a negative value.
fn negative_feature<T: Real>(rows: &CsrView<'_, T>, i: usize) -> Option<(usize, f64)> {
    rows.row(i).find(|&(_, v)| v < T::from_f64(0.0)).map(|(feature, v)| (feature, v.as_f64()))
}

impl<T: Real> Samples<T> for NonNegative<'_, T> {
    same_shape_as!(samples);

    fn executor(&self) -> Option<&dyn Executor> {
        self.samples.executor()
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let block = self.samples.block(rows.clone())?;
        if !lock(&self.checked).contains(&rows) {
            self.check(rows.start, &block)?;
            lock(&self.checked).insert(rows);
        }
        Ok(block)
    }
}

/// Refuses samples with negative values and no positive one, which non-negative factors cannot explain.
///
/// Reads up to the first block with a positive value.
pub(crate) fn need_positive<T: Real>(samples: &dyn Samples<T>) -> Result<(), SamplesError> {
    let (zero, end) = (T::from_f64(0.0), samples.n_samples());
    let (mut above, mut below) = (false, false);
    for first in (0..end).step_by(ROWS_AT_ONCE) {
        let block = samples.block(first..end.min(first + ROWS_AT_ONCE))?;
        block.for_each(|_, _, value| {
            above |= value > zero;
            below |= value < zero;
        });
        if above {
            return Ok(());
        }
    }
    if below {
        let reason = "no value is above zero and some are below, which non-negative components cannot explain; change the \
                      sign of the samples, or allow negative components";
        return Err(SamplesError::Unusable { reason: reason.into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::random_matrix;

    #[test]
    fn a_negative_value_is_refused_with_its_location() {
        let mut data = random_matrix::<f64>(9, 4, 1).mapv(f64::abs);
        data[[7, 2]] = -0.5;
        let (pointers, indices, values) = crate::testing::sparse_copy(&data);
        let sparse = CsrSamples::new(4, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let checked = NonNegative::new(samples, "this test");
            assert!(checked.block(0..5).is_ok());
            let error = checked.block(5..9).unwrap_err();
            let required_by = "this test";
            assert_eq!(error, SamplesError::Negative { row: 7, column: 2, value: -0.5, required_by });
            assert!(error.to_string().contains("sample 7, feature 2 is -0.5"), "{error}");
        }
    }

    #[test]
    fn samples_without_a_value_above_zero_are_refused_unless_all_are_zero() {
        let checked = |last: f64| {
            let mut data = ndarray::Array2::<f64>::zeros((ROWS_AT_ONCE + 3, 2));
            data[[ROWS_AT_ONCE + 1, 1]] = last;
            need_positive(&DenseSamples::new(data).unwrap())
        };
        assert!(checked(0.0).is_ok() && checked(0.5).is_ok());
        let error = checked(-0.5).unwrap_err();
        assert!(
            matches!(&error, SamplesError::Unusable { reason } if reason.contains("above zero")),
            "{error}"
        );
    }

    #[test]
    fn reading_a_block_again_does_not_skip_the_check_of_others() {
        let samples = DenseSamples::new(ndarray::array![[1.0], [2.0], [-3.0]]).unwrap();
        let checked = NonNegative::new(&samples, "this test");
        for _ in 0..5 {
            assert!(checked.block(0..2).is_ok());
        }
        assert!(checked.block(0..3).is_err() && checked.block(2..3).is_err() && checked.block(2..3).is_err());
    }

    #[test]
    fn stored_values_of_one_feature_count_as_their_sum() {
        let samples = |second| CsrSamples::new(3, &[0_u32, 2], vec![1_u32, 1], vec![2.0, second]).unwrap();
        assert!(NonNegative::new(&samples(-1.5), "this test").block(0..1).is_ok());
        assert!(NonNegative::new(&samples(-2.5), "this test").block(0..1).is_err());
    }
}
