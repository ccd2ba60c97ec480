//! The sums that a stage needs from the samples: B = Σ y zᵀ, C = Σ z zᵀ, and statistics of the decoded values.
//!
//! The decoder does not change within a stage, so every z is fixed, and the stage depends on the samples only through
//! these sums, however many gradient steps it takes. Sums of different blocks of samples merge, so they can be
//! distributed.

use ndarray::{Array2, ArrayView2};

use super::decoder::Decoder;
use super::stage::StageQuery;
use crate::linalg::weighted_sums::WeightedSums;
use crate::query::{MaybeOwned, wire};
use crate::samples::Block;
use crate::{Real, ShapeError};

/// The sums of one stage over some samples.
///
/// ```
/// use andnmf::and::{Decoder, StageStatistics};
/// use andnmf::samples::{DenseSamples, Samples};
///
/// let components = ndarray::array![[1.0_f64, 0.0], [0.0, 1.0]];
/// let samples = DenseSamples::new(ndarray::array![[2.0, 0.1], [0.0, 3.0]])?;
/// let decoder = Decoder::new(components.view(), false).expect("finite components");
/// let mut sums = StageStatistics::new(2, 2, false);
/// sums.accumulate(&decoder, &[0.5, 0.5], &samples.block(0..2)?)?;
/// assert_eq!((sums.n_samples(), sums.active_fraction()), (2, 0.5));
/// # Ok::<(), andnmf::FitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct StageStatistics<T: Real> {
    pub(super) sums: WeightedSums<T>,
    pub(super) n_samples: usize,
    pub(super) decoded: DecodeStatistics,
}

wire!(impl [T: Real] StageStatistics<T> { sums, n_samples, decoded });

/// Statistics of the decoded values A†y before thresholding, per component.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodeStatistics {
    /// Number of values at or above the threshold (zeros never count, even at a threshold of zero).
    pub active: Vec<u64>,
    /// Number of negative values. True weights are non-negative, so these are all error.
    pub negative: Vec<u64>,
    /// Sum of squares of the negative values.
    pub negative_squares: Vec<f64>,
    /// Largest value, at least zero.
    pub largest: Vec<f64>,
    /// Lowest value, at most zero.
    pub lowest: Vec<f64>,
}

wire!(impl [] DecodeStatistics { active, negative, negative_squares, largest, lowest });

impl DecodeStatistics {
    pub(crate) fn new(rank: usize) -> Self {
        Self {
            active: vec![0; rank],
            negative: vec![0; rank],
            negative_squares: vec![0.0; rank],
            largest: vec![0.0; rank],
            lowest: vec![0.0; rank],
        }
    }

    /// Root mean square of each component's negative decoded values; 0 if there are none.
    #[must_use]
    pub fn negative_rms(&self) -> Vec<f64> {
        (0..self.negative.len()).map(|k| self.negative_rms_of(k)).collect()
    }

    /// Root mean square of one component's negative decoded values.
    pub(super) fn negative_rms_of(&self, component: usize) -> f64 {
        match self.negative[component] {
            0 => 0.0,
            count => (self.negative_squares[component] / count as f64).sqrt(),
        }
    }

    /// Returns true if there is one value for each of `rank` components.
    pub(super) fn has_rank(&self, rank: usize) -> bool {
        let Self { active, negative, negative_squares, largest, lowest } = self;
        [active, negative].into_iter().all(|counts| counts.len() == rank)
            && [negative_squares, largest, lowest].into_iter().all(|values| values.len() == rank)
    }

    fn clear(&mut self) {
        let Self { active, negative, negative_squares, largest, lowest } = self;
        [active, negative].into_iter().for_each(|counts| counts.fill(0));
        [negative_squares, largest, lowest].into_iter().for_each(|values| values.fill(0.0));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for k in 0..self.active.len() {
            self.active[k] += other.active[k];
            self.negative[k] += other.negative[k];
            self.negative_squares[k] += other.negative_squares[k];
            self.largest[k] = self.largest[k].max(other.largest[k]);
            self.lowest[k] = self.lowest[k].min(other.lowest[k]);
        }
    }
}

impl<T: Real> StageStatistics<T> {
    /// Empty sums.
    #[must_use]
    pub fn new(rank: usize, n_features: usize, for_sparse: bool) -> Self {
        Self {
            sums: WeightedSums::new(rank, n_features, for_sparse),
            n_samples: 0,
            decoded: DecodeStatistics::new(rank),
        }
    }

    /// The sums reset to zero samples.
    pub(super) fn cleared(mut self) -> Self {
        self.sums.clear();
        self.n_samples = 0;
        self.decoded.clear();
        self
    }

    /// Decodes and thresholds a block of samples and adds it.
    ///
    /// # Errors
    /// If the features of block and decoder differ, the decoder does not have the shape of the sums, or there is not
    /// one threshold per component.
    pub fn accumulate(
        &mut self,
        decoder: &Decoder<T>,
        thresholds: &[T],
        block: &Block<'_, T>,
    ) -> Result<(), ShapeError> {
        decoder.check(block)?;
        let (rank, features) = self.products().dim();
        if rank == 0 || features == 0 {
            return Err(ShapeError::new("the sums", (rank, features), "at least 1 × 1"));
        }
        if decoder.matrix().dim() != (rank, features) {
            let expected = format!("{rank} × {features}, like the sums");
            return Err(ShapeError::new("the decoder", decoder.matrix().dim(), expected));
        }
        if thresholds.len() != rank {
            return Err(ShapeError::new(
                "the list of thresholds",
                (thresholds.len(), 1),
                format!("{rank} × 1"),
            ));
        }
        StageQuery::decoding(decoder, thresholds, MaybeOwned::default()).add(self, 0, block);
        Ok(())
    }

    /// Adds the sums of other samples.
    ///
    /// # Errors
    /// If rank or number of features differ.
    pub fn merge(&mut self, other: Self) -> Result<(), ShapeError> {
        let (rank, features) = self.products().dim();
        if other.products().dim() != (rank, features) {
            let expected = format!("{rank} × {features}");
            return Err(ShapeError::new("the sums to merge", other.products().dim(), expected));
        }
        self.merge_same_shape(&other);
        Ok(())
    }

    pub(crate) fn merge_same_shape(&mut self, other: &Self) {
        self.sums.merge(&other.sums);
        self.n_samples += other.n_samples;
        self.decoded.merge(&other.decoded);
    }

    /// Returns true if there are statistics for each component of the sums.
    pub(super) fn is_consistent(&self) -> bool {
        self.decoded.has_rank(self.products().nrows())
    }

    /// Returns true if a stage of this shape can reuse these sums.
    pub(super) fn fits(&self, rank: usize, n_features: usize, for_sparse: bool) -> bool {
        self.products().dim() == (rank, n_features) && self.sums.is_for_sparse() == for_sparse
    }

    /// B = Σ y zᵀ, as rank × features.
    #[must_use]
    pub fn products(&self) -> ArrayView2<'_, T> {
        self.sums.products()
    }

    /// C = Σ z zᵀ, rank × rank.
    #[must_use]
    pub fn second_moments(&self) -> Array2<T> {
        self.sums.gram()
    }

    /// Number of samples added.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.n_samples
    }

    /// Statistics of the decoded values.
    #[must_use]
    pub fn decoded(&self) -> &DecodeStatistics {
        &self.decoded
    }

    /// Share of decoded values at or above the threshold.
    #[must_use]
    pub fn active_fraction(&self) -> f64 {
        let active: u64 = self.decoded.active.iter().sum();
        active as f64 / (self.n_samples as f64 * self.decoded.active.len() as f64).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples, Samples};
    use crate::testing::{assert_close, random_matrix, sparse_copy};

    /// The sums by their definition.
    struct Naive {
        b: Array2<f64>,
        c: Array2<f64>,
        decoded: DecodeStatistics,
    }

    fn naive(y: &Array2<f64>, decoder: &Decoder<f64>, thresholds: &[f64]) -> Naive {
        let (rank, features) = decoder.matrix().dim();
        let mut sums = Naive {
            b: Array2::zeros((rank, features)),
            c: Array2::zeros((rank, rank)),
            decoded: DecodeStatistics::new(rank),
        };
        for sample in y.outer_iter() {
            let mut z = decoder.matrix().dot(&sample);
            for k in 0..rank {
                sums.decoded.largest[k] = sums.decoded.largest[k].max(z[k]);
                sums.decoded.lowest[k] = sums.decoded.lowest[k].min(z[k]);
                if z[k] < 0.0 {
                    sums.decoded.negative[k] += 1;
                    sums.decoded.negative_squares[k] += z[k] * z[k];
                }
                if z[k] < thresholds[k] {
                    z[k] = 0.0;
                }
                sums.decoded.active[k] += u64::from(z[k] > 0.0);
            }
            for k in 0..rank {
                sums.b.row_mut(k).scaled_add(z[k], &sample);
                sums.c.row_mut(k).scaled_add(z[k], &z);
            }
        }
        sums
    }

    fn assert_same(fast: &StageStatistics<f64>, slow: &Naive) {
        assert_close(&fast.products(), &slow.b, 1e-12);
        assert_close(&fast.second_moments(), &slow.c, 1e-12);
        assert_eq!(fast.decoded().active, slow.decoded.active);
        assert_eq!(fast.decoded().negative, slow.decoded.negative);
        for k in 0..slow.decoded.active.len() {
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs().max(1.0);
            assert!(near(fast.decoded().negative_squares[k], slow.decoded.negative_squares[k]));
            assert!(near(fast.decoded().largest[k], slow.decoded.largest[k]));
            assert!(near(fast.decoded().lowest[k], slow.decoded.lowest[k]));
        }
    }

    /// Thresholds from "everything passes" to "hardly anything does", so that every kernel has its turn.
    const LEVELS: [f64; 4] = [0.0, 0.3, 0.9, 1.8];

    #[test]
    fn every_kernel_equals_the_definition_dense_and_sparse() {
        for (n, features, rank) in [(300, 20, 7), (130, 700, 40), (1, 3, 2), (50, 2, 5)] {
            let components = random_matrix::<f64>(rank, features, 1);
            let mut y = random_matrix::<f64>(n, features, 2) * 3.0;
            y.mapv_inplace(|v| if !(-2.5..=1.0).contains(&v) { v } else { 0.0 });
            let dense = DenseSamples::new(y.view()).unwrap();
            let (pointers, indices, values) = sparse_copy(&y);
            let sparse = CsrSamples::new(features, &pointers, indices, values).unwrap();
            for level in LEVELS {
                let thresholds: Vec<f64> = (0..rank).map(|k| level * (1.0 + 0.1 * k as f64)).collect();
                let decoder = Decoder::new(components.view(), true).unwrap();
                let expected = naive(&y, &decoder, &thresholds);
                for samples in [&dense as &dyn Samples<f64>, &sparse] {
                    for for_sparse in [false, true] {
                        let mut sums = StageStatistics::new(rank, features, for_sparse);
                        sums.accumulate(&decoder, &thresholds, &samples.block(0..n).unwrap()).unwrap();
                        assert_same(&sums, &expected);
                        assert_eq!(sums.n_samples(), n);
                    }
                }
            }
        }
    }

    #[test]
    fn parts_merge_to_the_whole_in_any_layout() {
        let (y, components) = (random_matrix::<f64>(90, 12, 3), random_matrix::<f64>(4, 12, 4));
        let (samples, decoder) =
            (DenseSamples::new(y.view()).unwrap(), Decoder::new(components.view(), true).unwrap());
        let thresholds = [0.1, 0.2, 0.3, 0.4];
        let part = |rows, for_sparse| {
            let mut sums = StageStatistics::new(4, 12, for_sparse);
            sums.accumulate(&decoder, &thresholds, &samples.block(rows).unwrap()).unwrap();
            sums
        };
        let expected = naive(&y, &decoder, &thresholds);
        for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut sums = part(0..33, first);
            sums.merge(part(33..90, second)).unwrap();
            assert_same(&sums, &expected);
            let active: u64 = expected.decoded.active.iter().sum();
            assert!((sums.active_fraction() - active as f64 / 360.0).abs() < 1e-15);
        }
    }

    #[test]
    fn rms_counts_the_negative_values_only() {
        let mut decoded = DecodeStatistics::new(2);
        decoded.negative[0] = 2;
        decoded.negative_squares[0] = 50.0;
        assert_eq!(decoded.negative_rms(), [5.0, 0.0]);
    }

    #[test]
    fn shapes_that_do_not_match_are_refused() {
        let decoder = Decoder::new(random_matrix::<f64>(2, 4, 1).view(), false).unwrap();
        let wide = DenseSamples::new(random_matrix::<f64>(3, 5, 2)).unwrap();
        let right = DenseSamples::new(random_matrix::<f64>(3, 4, 2)).unwrap();
        let (wide, right) = (wide.block(0..3).unwrap(), right.block(0..3).unwrap());
        let mut sums = StageStatistics::new(2, 4, false);
        assert!(sums.accumulate(&decoder, &[0.1, 0.1], &wide).is_err());
        assert!(sums.accumulate(&decoder, &[0.1], &right).is_err());
        assert!(StageStatistics::new(3, 4, false).accumulate(&decoder, &[0.1; 3], &right).is_err());
        assert!(sums.merge(StageStatistics::new(2, 5, false)).is_err());
        assert!(sums.accumulate(&decoder, &[0.1, 0.1], &right).is_ok());
    }
}
