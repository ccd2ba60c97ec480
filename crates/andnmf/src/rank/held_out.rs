//! How well a rank predicts what it has not seen: bi-cross-validation.
//!
//! Half of the samples and half of the features are held out, which cuts the matrix into four blocks. The block
//! where both were kept, approximated by its k leading singular directions, ties the other three together: from
//! the held-out samples at the kept features and the kept samples at the held-out features it predicts the block
//! that was held out on both sides. Too few directions miss components, too many pass on noise.
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

/// Samples that the prediction rests on at most…
const MOST_SAMPLES: usize = 2048;
/// …and values, so that few samples may have many features (32 MiB in double precision).
const MOST_VALUES: usize = 1 << 22;
/// Samples read at a time.
const ROWS: usize = 256;
/// Directions whose singular value is below this share of the largest predict nothing but rounding.
const ROUNDING: f64 = 1e-7;

/// The samples, or a random part of them that fits the limits: dense, and scaled to a largest magnitude of 1.
pub(super) fn part_of<T: Real>(samples: &dyn Samples<T>, seed: u64) -> Result<Array2<f64>, SamplesError> {
    let rng = &mut generator(seed, Stream::HeldOut);
    let numbers = choose(samples.n_samples(), MOST_SAMPLES, rng);
    let features = choose(samples.n_features(), MOST_VALUES / numbers.len().max(1), rng);
    let mut place = vec![None; samples.n_features()];
    features.iter().enumerate().for_each(|(place_there, &feature)| place[feature] = Some(place_there));
    let mut part = Array2::zeros((numbers.len(), features.len()));
    let picked = SampleSubset { samples, numbers };
    for (block, mut rows) in part.axis_chunks_iter_mut(Axis(0), ROWS).enumerate() {
        let first = block * ROWS;
        read(&picked, first..first + rows.nrows())?.for_each(|i, feature, value| {
            if let Some(j) = place[feature] {
                rows[[i, j]] += value.as_f64();
            }
        });
    }
    Ok(scale_to_unit_max(part).0)
}

/// `most` of the numbers below `count` in ascending order, or all of them.
fn choose(count: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let mut chosen = rand::seq::index::sample(rng, count, most).into_vec();
    chosen.sort_unstable();
    chosen
}

/// For each rank from 1 to `most`, the error of the prediction relative to what was held out, averaged over the
/// folds; shorter where half of the part has fewer directions than that, and empty where nothing can be held out.
pub(super) fn held_out_errors(
    part: ArrayView2<'_, f64>,
    most: usize,
    folds: usize,
    seed: u64,
    stop: &(impl Fn() -> bool + Sync),
) -> Result<Vec<f64>, SamplesError> {
    let all: Vec<Option<Vec<f64>>> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let rng = &mut numbered_generator(seed, Stream::HeldOut, fold);
            let (rows, columns) = (Halves::of(part.nrows(), rng), Halves::of(part.ncols(), rng));
            fold_errors(&Blocks::of(part, &rows, &columns), most, stop)
        })
        .collect::<Result<_, _>>()?;
    let all: Vec<Vec<f64>> = all.into_iter().flatten().collect();
    let ranks = all.iter().map(Vec::len).min().unwrap_or(0);
    Ok((0..ranks).map(|k| all.iter().map(|errors| errors[k]).sum::<f64>() / all.len() as f64).collect())
}

/// A random division in two.
struct Halves {
    kept: Vec<usize>,
    held_out: Vec<usize>,
}

impl Halves {
    fn of(count: usize, rng: &mut ChaCha8Rng) -> Self {
        let mut kept: Vec<usize> = (0..count).collect();
        kept.shuffle(rng);
        // Which half is the larger one of an odd number is left to chance too.
        let cut = (count + usize::from(rng.random::<bool>())) / 2;
        let held_out = kept.split_off(cut);
        Self { kept, held_out }
    }
}

/// The matrix cut in four.
struct Blocks {
    kept: Array2<f64>,
    /// Held-out samples at the kept features.
    samples: Array2<f64>,
    /// Kept samples at the held-out features.
    features: Array2<f64>,
    held_out: Array2<f64>,
}

impl Blocks {
    fn of(part: ArrayView2<'_, f64>, rows: &Halves, columns: &Halves) -> Self {
        let cut = |rows: &[usize], columns: &[usize]| {
            Array2::from_shape_fn((rows.len(), columns.len()), |(i, j)| part[[rows[i], columns[j]]])
        };
        Self {
            kept: cut(&rows.kept, &columns.kept),
            samples: cut(&rows.held_out, &columns.kept),
            features: cut(&rows.kept, &columns.held_out),
            held_out: cut(&rows.held_out, &columns.held_out),
        }
    }

    /// Factors whose first k columns and rows multiply to the prediction of rank k, for every k up to `most`.
    fn factors(&self, most: usize) -> Option<(Array2<f64>, Array2<f64>)> {
        let kept = self.kept.view();
        let tall = kept.nrows() > kept.ncols();
        // The smaller of the two Gram matrices; its eigenvalues are the squared singular values, ascending.
        let gram = if tall { multiply(kept.t(), kept) } else { multiply(kept, kept.t()) };
        let (squares, vectors) = eigen(gram.view())?;
        let size = most.min(squares.len());
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

/// The relative errors of one fold; `None` where what was held out is empty or zero, and nothing can be relative.
fn fold_errors(
    blocks: &Blocks,
    most: usize,
    stop: &(impl Fn() -> bool + Sync),
) -> Result<Option<Vec<f64>>, SamplesError> {
    let size = frobenius(blocks.held_out.view());
    if size == 0.0 || blocks.kept.is_empty() {
        return Ok(None);
    }
    let Some((left, right)) = blocks.factors(most) else { return Ok(None) };
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

    fn errors(data: &Array2<f64>, most: usize) -> Vec<f64> {
        held_out_errors(data.view(), most, 3, 5, &|| false).unwrap()
    }

    #[test]
    fn the_prediction_is_that_of_a_truncated_decomposition() {
        for (rows, columns) in [(40, 24), (18, 50)] {
            let data = random_matrix::<f64>(rows, columns, 1);
            let rng = &mut generator(3, Stream::HeldOut);
            let blocks = Blocks::of(data.view(), &Halves::of(rows, rng), &Halves::of(columns, rng));
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
    fn ranks_that_half_the_matrix_cannot_have_get_no_error() {
        assert_eq!(errors(&random_matrix(40, 11, 1), 30).len(), 5);
        assert_eq!(errors(&random_matrix(1, 30, 1), 3), [0.0_f64; 0]);
        assert_eq!(errors(&Array2::zeros((20, 20)), 3), [0.0_f64; 0]);
    }

    #[test]
    fn large_samples_are_cut_down_by_the_seed_and_small_ones_kept_whole() {
        let small = random_matrix::<f64>(9, 6, 1);
        let (pointers, indices, values) = sparse_copy(&small);
        let sparse = CsrSamples::new(6, &pointers, indices, values).unwrap();
        let dense = part_of(&DenseSamples::new(small.view()).unwrap(), 1).unwrap();
        assert_eq!(dense, part_of(&sparse, 1).unwrap());
        assert_close(&dense, &scale_to_unit_max(small).0, 0.0);

        let large = Array2::from_shape_fn((3000, 2500), |(i, j)| (i * 2500 + j + 1) as f64);
        let samples = DenseSamples::new(large.view()).unwrap();
        let part = part_of(&samples, 1).unwrap();
        assert_eq!(part.dim(), (MOST_SAMPLES, MOST_VALUES / MOST_SAMPLES));
        assert_eq!(part, part_of(&samples, 1).unwrap());
        assert_ne!(part, part_of(&samples, 2).unwrap());
        // Every value is one of the samples', each at its place: differences along rows are the same in all rows.
        let steps = &part.row(0) - part[[0, 0]];
        let other = &part.row(77) - part[[77, 0]];
        assert!(steps.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn a_fold_can_be_called_off() {
        let data = random_matrix::<f64>(20, 20, 1);
        assert_eq!(held_out_errors(data.view(), 4, 2, 1, &|| true), Err(SamplesError::Cancelled));
    }
}
