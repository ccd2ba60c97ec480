//! The lengths of samples, taken as they are read for something else.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Block, Samples, same_shape_as};
use crate::{Real, SamplesError};

/// A wrapper of samples that remembers the length (Euclidean norm) of each sample it has read.
///
/// It reads in this process: distributed samples stay as they are.
pub(crate) struct MeasuredSamples<'a, T: Real> {
    samples: &'a dyn Samples<T>,
    /// The bits of the lengths.
    lengths: Vec<AtomicU64>,
}

impl<'a, T: Real> MeasuredSamples<'a, T> {
    pub(crate) fn new(samples: &'a dyn Samples<T>) -> Self {
        let lengths = std::iter::repeat_with(AtomicU64::default).take(samples.n_samples()).collect();
        Self { samples, lengths }
    }

    /// The lengths; zero for samples that were not read.
    pub(crate) fn into_lengths(self) -> Vec<f64> {
        self.lengths.into_iter().map(|bits| f64::from_bits(bits.into_inner())).collect()
    }

    fn remember(&self, sample: usize, length: f64) {
        self.lengths[sample].store(length.to_bits(), Ordering::Relaxed);
    }
}

impl<T: Real> Samples<T> for MeasuredSamples<'_, T> {
    same_shape_as!(samples);

    fn block(&self, rows: Range<usize>) -> Result<Block<'_, T>, SamplesError> {
        let first = rows.start;
        let block = self.samples.block(rows)?;
        match &block {
            Block::Dense(rows) => {
                for (i, row) in rows.outer_iter().enumerate() {
                    self.remember(first + i, euclidean(|| row.iter().map(|v| v.as_f64())));
                }
            }
            Block::Sparse(rows) => {
                for i in 0..rows.n_samples() {
                    self.remember(first + i, euclidean(|| rows.row(i).map(|(_, v)| v.as_f64())));
                }
            }
        }
        Ok(block)
    }
}

/// Partial sums: one alone would have each addition wait for the one before.
const LANES: usize = 8;

/// The Euclidean norm; numbers whose squares leave the range of the type are scaled first.
fn euclidean<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> f64 {
    let sum = |scale: f64| {
        let mut sums = [0.0; LANES];
        for (i, v) in values().enumerate() {
            sums[i % LANES] += (v * scale) * (v * scale);
        }
        sums.iter().sum::<f64>()
    };
    let squares = sum(1.0);
    if squares.is_finite() && squares > 1e-280 {
        return squares.sqrt();
    }
    let largest = values().fold(0.0_f64, |largest, v| largest.max(v.abs()));
    let scale = 1.0 / largest;
    if scale.is_normal() { largest * sum(scale).sqrt() } else { largest }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, read};
    use crate::testing::{random_matrix, sparse_copy};

    #[test]
    fn lengths_are_those_of_the_samples_read_dense_and_sparse() {
        let data = random_matrix::<f64>(9, 21, 1).mapv(|v| if v < 0.0 { 0.0 } else { v });
        let (pointers, indices, values) = sparse_copy(&data);
        let sparse = CsrSamples::new(21, &pointers, indices, values).unwrap();
        let dense = DenseSamples::new(data.view()).unwrap();
        for samples in [&dense as &dyn Samples<f64>, &sparse] {
            let measured = MeasuredSamples::new(samples);
            read(&measured, 5..9).unwrap();
            read(&measured, 1..5).unwrap();
            let lengths = measured.into_lengths();
            assert_eq!(lengths[0], 0.0, "never read");
            for (i, (row, length)) in data.outer_iter().zip(&lengths).enumerate().skip(1) {
                assert!((length - row.dot(&row).sqrt()).abs() < 1e-14, "{i}");
            }
        }
    }

    #[test]
    fn squares_out_of_range_do_no_harm() {
        for scale in [1e-300, 1.0, 1e300] {
            let values = array![3.0 * scale, 0.0, -4.0 * scale];
            let length = euclidean(|| values.iter().copied());
            assert!((length / scale - 5.0).abs() < 1e-12, "{scale} {length}");
        }
        assert_eq!(euclidean(|| [0.0, 0.0].into_iter()), 0.0);
        assert!(euclidean(|| [1e-310, 1e-310].into_iter()) > 0.0);
    }
}
