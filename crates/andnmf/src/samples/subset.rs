//! A subset of samples.

use std::ops::Range;

use ndarray::CowArray;

use super::{Block, CsrView, Samples, check_rows, dense_rows, read};
use crate::{Real, SamplesError};

/// The samples with these numbers as one block, dense or sparse like their source.
pub(crate) fn gather<'own, T: Real>(
    samples: &dyn Samples<T>,
    numbers: &[usize],
) -> Result<Block<'own, T>, SamplesError> {
    if !samples.is_sparse() {
        return Ok(Block::Dense(CowArray::from(dense_rows(samples, numbers)?)));
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in numbers {
        read(samples, i..i + 1)?.for_each(|_, feature, value| {
            indices.push(feature);
            values.push(value);
        });
        starts.push(values.len());
    }
    Ok(Block::Sparse(CsrView::from_owned_parts(samples.n_features(), starts, indices, values)))
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
    use ndarray::{Array2, Axis};

    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{random_matrix, sparse_copy};

    #[test]
    fn a_subset_has_the_selected_rows_in_their_order_and_form() {
        let data = random_matrix::<f64>(9, 4, 1).mapv(|v| if v < 0.0 { 0.0 } else { v });
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(4, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        let numbers = vec![7, 0, 3, 8];
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
