//! Cross-validation of the rank: the error of predicting held-out values (bi-cross-validation).
//!
//! Half of the samples and half of the features are held out, which cuts the matrix into four blocks. The block where
//! both were kept, truncated to its k leading singular directions, links the other three: the held-out samples at
//! the kept features and the kept samples at the held-out features predict the block that was held out on both sides.
//! A rank that is too low misses components; one that is too high predicts from noise.
//!
//! References: Gabriel, "Le biplot: outil d'exploration de données multidimensionnelles", 2002; Owen & Perry,
//! "Bi-cross-validation of the SVD and the nonnegative matrix factorization", 2009.

use ndarray::{Array2, ArrayView2, Axis, s};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::linalg::product::{frobenius, multiply};
use crate::linalg::subspace_iteration::scale_to_unit_max;
use crate::linalg::symmetric::eigen;
use crate::random::{Stream, generator, numbered_generator};
use crate::samples::{SampleSubset, Samples, read};
use crate::{Real, SamplesError};

/// Maximum number of samples used…
const MAX_SAMPLES: usize = 2048;
/// …and of values, so that few samples may have many features (32 MiB in double precision).
const MAX_VALUES: usize = 1 << 22;
/// Number of samples read at a time.
const BLOCK_ROWS: usize = 256;
/// Singular values below this share of the largest are rounding; their directions are not used.
const ROUNDING: f64 = 1e-7;

/// The samples as a dense matrix scaled to a largest magnitude of 1; a random subsample if they exceed the limits.
pub(super) fn subsample<T: Real>(samples: &dyn Samples<T>, seed: u64) -> Result<Array2<f64>, SamplesError> {
    let rng = &mut generator(seed, Stream::HeldOut);
    let numbers = random_indices(samples.n_samples(), MAX_SAMPLES, rng);
    let features = random_indices(samples.n_features(), MAX_VALUES / numbers.len().max(1), rng);
    let mut column_of = vec![None; samples.n_features()];
    features.iter().enumerate().for_each(|(column, &feature)| column_of[feature] = Some(column));
    let mut part = Array2::zeros((numbers.len(), features.len()));
    let picked = SampleSubset { samples, numbers };
    for (block, mut rows) in part.axis_chunks_iter_mut(Axis(0), BLOCK_ROWS).enumerate() {
        let first = block * BLOCK_ROWS;
        read(&picked, first..first + rows.nrows())?.for_each(|i, feature, value| {
            if let Some(j) = column_of[feature] {
                rows[[i, j]] += value.as_f64();
            }
        });
    }
    Ok(scale_to_unit_max(part).0)
}

/// At most `max_count` random indices below `count`, in ascending order.
fn random_indices(count: usize, max_count: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if count <= max_count {
        return (0..count).collect();
    }
    let mut indices = rand::seq::index::sample(rng, count, max_count).into_vec();
    indices.sort_unstable();
    indices
}

/// The relative prediction error on held-out values for each rank from 1 to `max_rank`, averaged over the folds.
/// Shorter if half of the data has a lower rank; empty if nothing can be held out.
pub(super) fn cross_validation_errors(
    data: ArrayView2<'_, f64>,
    max_rank: usize,
    folds: usize,
    seed: u64,
    stop: &(impl Fn() -> bool + Sync),
) -> Result<Vec<f64>, SamplesError> {
    let all: Vec<Option<Vec<f64>>> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let rng = &mut numbered_generator(seed, Stream::HeldOut, fold);
            let (rows, columns) = (RandomSplit::of(data.nrows(), rng), RandomSplit::of(data.ncols(), rng));
            fold_errors(&HoldOutBlocks::of(data, &rows, &columns), max_rank, stop)
        })
        .collect::<Result<_, _>>()?;
    let all: Vec<Vec<f64>> = all.into_iter().flatten().collect();
    let ranks = all.iter().map(Vec::len).min().unwrap_or(0);
    Ok((0..ranks).map(|k| all.iter().map(|errors| errors[k]).sum::<f64>() / all.len() as f64).collect())
}

/// A random split of indices into two halves.
struct RandomSplit {
    kept: Vec<usize>,
    held_out: Vec<usize>,
}

impl RandomSplit {
    fn of(count: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut kept: Vec<usize> = (0..count).collect();
        kept.shuffle(rng);
        // For an odd count, the larger half is random too.
        let cut = (count + usize::from(rng.random::<bool>())) / 2;
        let held_out = kept.split_off(cut);
        Self { kept, held_out }
    }
}

/// The matrix split into four blocks by kept and held-out samples and features.
struct HoldOutBlocks {
    kept: Array2<f64>,
    /// Held-out samples at the kept features.
    samples: Array2<f64>,
    /// Kept samples at the held-out features.
    features: Array2<f64>,
    held_out: Array2<f64>,
}

impl HoldOutBlocks {
    fn of(data: ArrayView2<'_, f64>, rows: &RandomSplit, columns: &RandomSplit) -> Self {
        let block = |rows: &[usize], columns: &[usize]| {
            Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| data[[rows[i], columns[j]]])
        };
        Self {
            kept: block(&rows.kept, &columns.kept),
            samples: block(&rows.held_out, &columns.kept),
            features: block(&rows.kept, &columns.held_out),
            held_out: block(&rows.held_out, &columns.held_out),
        }
    }

    /// Factors whose first k columns and rows multiply to the rank-k prediction, for every k up to `max_rank`.
    fn factors(&self, max_rank: usize) -> Option<(Array2<f64>, Array2<f64>)> {
        let kept = self.kept.view();
        let tall = kept.nrows() > kept.ncols();
        // The smaller of the two Gram matrices; its eigenvalues are the squared singular values, ascending.
        let gram = if tall { multiply(kept.t(), kept) } else { multiply(kept, kept.t()) };
        let (squares, vectors) = eigen(gram.view())?;
        let size = max_rank.min(squares.len());
        let leading = vectors.slice(s![.., vectors.ncols() - size..;-1]);
        let largest = squares.last().copied().unwrap_or(0.0);
        let inverses: Vec<f64> = squares
            .iter()
            .rev()
            .take(size)
            .map(|&square| if square > ROUNDING * ROUNDING * largest { 1.0 / square } else { 0.0 })
            .collect();
        let (mut left, right) = if tall {
            let through = multiply(leading.t(), kept.t());
            (multiply(self.samples.view(), leading), multiply(through.view(), self.features.view()))
        } else {
            let through = multiply(kept.t(), leading);
            (multiply(self.samples.view(), through.view()), multiply(leading.t(), self.features.view()))
        };
        for (mut column, inverse) in left.columns_mut().into_iter().zip(inverses) {
            column *= inverse;
        }
        Some((left, right))
    }
}

/// The relative errors of one fold; `None` if the held-out block is empty or zero.
fn fold_errors(
    blocks: &HoldOutBlocks,
    max_rank: usize,
    stop: &(impl Fn() -> bool + Sync),
) -> Result<Option<Vec<f64>>, SamplesError> {
    let size = frobenius(blocks.held_out.view());
    if size == 0.0 || blocks.kept.is_empty() {
        return Ok(None);
    }
    let Some((left, right)) = blocks.factors(max_rank) else { return Ok(None) };
    let mut residual = blocks.held_out.clone();
    let mut errors = Vec::with_capacity(left.ncols());
    for (column, direction) in left.columns().into_iter().zip(right.rows()) {
        if stop() {
            return Err(SamplesError::Cancelled);
        }
        for (mut row, &weight) in residual.outer_iter_mut().zip(column) {
            row.scaled_add(-weight, &direction);
        }
        errors.push(frobenius(residual.view()) / size);
    }
    Ok(Some(errors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{CsrSamples, DenseSamples};
    use crate::testing::{assert_close, low_rank, random_matrix, sparse_copy};
    use crate::testing_svd::exact_svd;

    fn errors(data: &Array2<f64>, max_rank: usize) -> Vec<f64> {
        cross_validation_errors(data.view(), max_rank, 3, 5, &|| false).unwrap()
    }

    #[test]
    fn the_prediction_is_that_of_a_truncated_svd() {
        for (rows, columns) in [(40, 24), (18, 50)] {
            let data = random_matrix::<f64>(rows, columns, 1);
            let rng = &mut generator(3, Stream::HeldOut);
            let blocks =
                HoldOutBlocks::of(data.view(), &RandomSplit::of(rows, rng), &RandomSplit::of(columns, rng));
            let (u, values, v) = exact_svd(&blocks.kept);
            for rank in [1, 4] {
                let mut inverse = Array2::<f64>::zeros((blocks.kept.ncols(), blocks.kept.nrows()));
                for k in 0..rank {
                    for ((i, j), entry) in inverse.indexed_iter_mut() {
                        *entry += v[[k, i]] * u[[k, j]] / values[k];
                    }
                }
                let (left, right) = blocks.factors(6).unwrap();
                let predicted = left.slice(s![.., ..rank]).dot(&right.slice(s![..rank, ..]));
                assert_close(&predicted, &blocks.samples.dot(&inverse).dot(&blocks.features), 1e-9);
                let error = fold_errors(&blocks, 6, &|| false).unwrap().unwrap()[rank - 1];
                let by_hand =
                    frobenius((&blocks.held_out - &predicted).view()) / frobenius(blocks.held_out.view());
                assert!((error - by_hand).abs() < 1e-10, "{error} {by_hand}");
            }
        }
    }

    #[test]
    fn the_true_rank_predicts_best_and_exactly_without_noise() {
        let clean = low_rank::<f64>(120, 5, 60);
        let exact = errors(&clean, 12);
        assert!(exact[3] > 0.1 && exact[4] < 1e-9 && exact[11] < 1e-9, "{exact:?}");
        let noisy = errors(&(clean + random_matrix::<f64>(120, 60, 9) * 0.2), 12);
        let best = (0..12).min_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap() + 1;
        assert_eq!(best, 5, "{noisy:?}");
    }

    #[test]
    fn ranks_above_that_of_half_the_matrix_get_no_error() {
        assert_eq!(errors(&random_matrix(40, 11, 1), 30).len(), 5);
        assert_eq!(errors(&random_matrix(1, 30, 1), 3), [0.0_f64; 0]);
        assert_eq!(errors(&Array2::zeros((20, 20)), 3), [0.0_f64; 0]);
    }

    #[test]
    fn large_samples_are_subsampled_by_the_seed_and_small_ones_are_used_whole() {
        let small = random_matrix::<f64>(9, 6, 1);
        let (pointers, indices, values) = sparse_copy(&small);
        let sparse = CsrSamples::new(6, &pointers, indices, values).unwrap();
        let dense = subsample(&DenseSamples::new(small.view()).unwrap(), 1).unwrap();
        assert_eq!(dense, subsample(&sparse, 1).unwrap());
        assert_close(&dense, &scale_to_unit_max(small).0, 0.0);

        let large = Array2::from_shape_fn((3000, 2500), |(i, j)| (i * 2500 + j + 1) as f64);
        let samples = DenseSamples::new(large.view()).unwrap();
        let part = subsample(&samples, 1).unwrap();
        assert_eq!(part.dim(), (MAX_SAMPLES, MAX_VALUES / MAX_SAMPLES));
        assert_eq!(part, subsample(&samples, 1).unwrap());
        assert_ne!(part, subsample(&samples, 2).unwrap());
        // Values keep their rows and columns: differences along rows are the same in all rows.
        let steps = &part.row(0) - part[[0, 0]];
        let other = &part.row(77) - part[[77, 0]];
        assert!(steps.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_fold_can_be_cancelled() {
        let data = random_matrix::<f64>(20, 20, 1);
        assert_eq!(cross_validation_errors(data.view(), 4, 2, 1, &|| true), Err(SamplesError::Cancelled));
    }
}
