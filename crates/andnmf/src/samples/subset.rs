//! A subset of samples.

use std::ops::Range;

use ndarray::{Array2, CowArray, s};

use super::{Block, CsrView, Samples, check_rows, read};
use crate::{Real, SamplesError};

/// The samples with these numbers as one block, dense or sparse like their source.
pub(crate) fn gather<'own, T: Real>(
    samples: &dyn Samples<T>,
    numbers: &[usize],
) -> Result<Block<'own, T>, SamplesError> {
    if !samples.is_sparse() {
        let mut rows = Array2::zeros((numbers.len(), samples.n_features()));
        let mut next = 0;
        for run in runs(numbers) {
            let first = next;
            next += run.len();
            match read(samples, run)? {
                Block::Dense(block) => rows.slice_mut(s![first..next, ..]).assign(&block),
                block => block.for_each(|i, feature, value| rows[[first + i, feature]] += value),
            }
        }
        return Ok(Block::Dense(CowArray::from(rows)));
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for run in runs(numbers) {
        let length = run.len();
        let block = read(samples, run)?;
        let mut last = 0;
        block.for_each(|i, feature, value| {
            while last < i {
                starts.push(values.len());
                last += 1;
            }
            indices.push(feature);
            values.push(value);
        });
        (last..length).for_each(|_| starts.push(values.len()));
    }
    Ok(Block::Sparse(CsrView::from_owned_parts(samples.n_features(), starts, indices, values)))
}

/// The numbers as runs of consecutive ones: a source reads those at once.
fn runs(numbers: &[usize]) -> impl Iterator<Item = Range<usize>> + '_ {
    numbers.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1)
}

/// The samples with these numbers, in this order, copied as they are read.
pub(crate) struct SampleSubset<'a, T: Real> {
    pub(crate) samples: &'a dyn Samples<T>,
    pub(crate) numbers: Vec<usize>,
}

impl<T: Real> Samples<T> for SampleSubset<'_, T> {
    fn n_samples(&self) -> usize {
        self.numbers.len()
    }

    fn n_features(&self) -> usize {
        self.samples.n_features()
    }

    fn stored_values(&self) -> usize {
        let per_sample = self.samples.stored_values() / self.samples.n_samples().max(1);
        per_sample.saturating_mul(self.numbers.len())
    }

    fn is_sparse(&self) -> bool {
        self.samples.is_sparse()
    }

    /// [`gather`] checks each row.
    fn is_checked(&self) -> bool {
        true
    }

    fn is_slow(&self) -> bool {
        self.samples.is_slow()
    }

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        check_rows(&rows, self.n_samples())?;
        gather(self.samples, &self.numbers[rows])
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Axis;

    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};

    #[test]
    fn a_subset_has_the_selected_rows_in_their_order_and_form() {
        let data = random_matrix::<f64>(9, 4, 1).mapv(|v| if v < 0.0 { 0.0 } else { v });
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(4, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        // The rows 3 and 4 are read at once.
        let numbers = vec![7, 3, 4, 8];
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let subset = SampleSubset { samples, numbers: numbers.clone() };
            assert_eq!((subset.n_samples(), subset.is_sparse()), (4, samples.is_sparse()));
            let block = read(&subset, 1..4).unwrap();
            assert_eq!(matches!(block, Block::Sparse(_)), samples.is_sparse());
            let mut rows = Array2::<f64>::zeros((3, 4));
            block.for_each(|i, j, v| rows[[i, j]] += v);
            assert_eq!(rows, data.select(Axis(0), &numbers[1..]));
            assert!(subset.block(2..5).is_err());
        }
    }
}
